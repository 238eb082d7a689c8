//! Colours of a block, as in BC1 and BC3: two ends of 5, 6 and 5 bits, and two or one steps between.

/// Moves the ends of a block by one step at a time as long as it comes closer to the pixels. `three` says that a block
/// may have three colours and a transparent one (BC1), as the order of the ends tells.
pub(super) fn improve(pixels: &[[u8; 4]; 16], three: bool, block: &mut [u8]) {
    let Some(stored) = block.first_chunk_mut::<8>() else { return };
    let [a, b, c, d, ..] = *stored;
    let mut ends = [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])];
    // Blocks with three colours hold transparent pixels: they stay as they are, and so do blocks of one colour.
    if ends[0] == ends[1] || (three && ends[0] < ends[1]) {
        return;
    }
    let mut best = fit(pixels, ends);
    let before = best.0;
    while best.0 > 0 {
        let start = best.0;
        for moved in neighbours(ends) {
            if moved[0] > moved[1] {
                let tried = fit(pixels, moved);
                if tried.0 < best.0 {
                    (best, ends) = (tried, moved);
                }
            }
        }
        if best.0 == start {
            break;
        }
    }
    if best.0 < before {
        let [[a, b], [c, d]] = ends.map(u16::to_le_bytes);
        let [e, f, g, h] = best.1.to_le_bytes();
        *stored = [a, b, c, d, e, f, g, h];
    }
}

/// Returns both ends with one channel of one, or of both, a step higher or lower.
fn neighbours(ends: [u16; 2]) -> impl Iterator<Item = [u16; 2]> {
    const STEPS: [[i8; 2]; 8] = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]];
    [(11, 31), (5, 63), (0, 31)].into_iter().flat_map(move |(shift, most)| {
        STEPS.into_iter().filter_map(move |by| {
            let mut moved = ends;
            for (end, by) in moved.iter_mut().zip(by) {
                let value = (*end >> shift & most).checked_add_signed(by.into()).filter(|v| *v <= most)?;
                *end = *end & !(most << shift) | value << shift;
            }
            Some(moved)
        })
    })
}

/// Returns the squared distance of the pixels from four colours, and which of them each takes.
fn fit(pixels: &[[u8; 4]; 16], ends: [u16; 2]) -> (u32, u32) {
    let palette = palette(ends);
    let mut sum = (0, 0);
    for (i, [r, g, b, _]) in pixels.iter().enumerate() {
        let mut nearest = (u32::MAX, 0u32);
        for (index, colour) in (0u32..).zip(&palette) {
            let squares = [r, g, b].into_iter().zip(colour).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2));
            nearest = nearest.min((squares.sum(), index));
        }
        sum.0 += nearest.0;
        sum.1 |= nearest.1 << (2 * i);
    }
    sum
}

/// Returns the four colours, as decoders make them.
fn palette(ends: [u16; 2]) -> [[u8; 3]; 4] {
    let wide = |end: u16| {
        let (r, g, b) = (end >> 11, end >> 5 & 63, end & 31);
        [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2]
    };
    let [first, second] = ends.map(wide);
    let mix = |a: [u16; 3], b: [u16; 3]| {
        let [x, y, z] = a;
        let [u, v, w] = b;
        [(2 * x + u + 1) / 3, (2 * y + v + 1) / 3, (2 * z + w + 1) / 3].map(|c| c as u8)
    };
    [first.map(|c| c as u8), second.map(|c| c as u8), mix(first, second), mix(second, first)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PixelFormat;

    #[test]
    fn a_block_comes_closer_and_decodes_to_the_colours_it_was_fitted_to() {
        let pixels: [[u8; 4]; 16] =
            std::array::from_fn(|i| [(i * 13) as u8, 255 - (i * 7) as u8, (i * i) as u8, 255]);
        let ends = [0xF800u16, 0x07FF];
        let mut block = [0u8; 8];
        block[..2].copy_from_slice(&ends[0].to_le_bytes());
        block[2..4].copy_from_slice(&ends[1].to_le_bytes());
        let error = |block: &[u8; 8]| -> u32 {
            let back = PixelFormat::Bc1.decode(block, 4, 4, &Default::default()).unwrap();
            back.pixels()
                .zip(pixels)
                .flat_map(|(a, b)| a.into_iter().zip(b).take(3).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)))
                .sum()
        };
        let first = fit(&pixels, ends);
        block[4..].copy_from_slice(&first.1.to_le_bytes());
        let before = error(&block);
        assert_eq!(before, first.0);
        improve(&pixels, true, &mut block);
        assert!(error(&block) * 2 < before, "{before}, then {}", error(&block));
    }
}
