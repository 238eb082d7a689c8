//! Decodes TGA.

use galatea_wire::{ErrorKind, Limits, Wire};

use crate::guard::affordable;
use crate::image::Image;
use crate::plain::{TgaHead, broken};

/// Bit of the kind: pixels are in packets.
const PACKED: u8 = 8;
/// Bit of the descriptor: the first pixel of a row is the right one.
const RIGHT_TO_LEFT: u8 = 0x10;
/// Bit of the descriptor: the first row is the top one.
const TOP_DOWN: u8 = 0x20;

type Pixel = [u8; 4];

/// Decodes a TGA whose size is within the limits.
pub(crate) fn decode(bytes: &[u8], limits: &Limits) -> Result<Image, ErrorKind> {
    let head = TgaHead::get(bytes);
    let (width, height) = (usize::from(head.width), usize::from(head.height));
    let count = width.saturating_mul(height);
    affordable((count as u64).saturating_mul(4), limits)?;
    let rest = bytes.get(TgaHead::SIZE + usize::from(head.id_length)..).ok_or_else(short)?;
    let (palette, data) = palette(&head, rest)?;
    let data = Data { bytes: data, packed: head.kind & PACKED != 0, count };
    let mut pixels = match (head.kind & !PACKED, head.bits, alpha_bits(&head)) {
        (1, 8, _) => data.pixels(|[index]: &[u8; 1]| {
            let entry = usize::from(*index).checked_sub(head.palette_first.into());
            let color = entry.and_then(|entry| palette.get(entry));
            color.copied().ok_or_else(|| broken(format!("color {index}, which the palette does not have")))
        }),
        (2, 32, 0 | 8) => data.pixels(|[b, g, r, a]: &[u8; 4]| Ok([*r, *g, *b, *a])),
        (2, 24, 0) => data.pixels(|[b, g, r]: &[u8; 3]| Ok([*r, *g, *b, 255])),
        (2, 16, 0 | 1) | (2, 15, 0) => data.pixels(|raw: &[u8; 2]| Ok(five_bits(*raw))),
        (3, 16, 8) => data.pixels(|[v, a]: &[u8; 2]| Ok([*v, *v, *v, *a])),
        (3, 8, 0 | 8) => data.pixels(|[v]: &[u8; 1]| Ok([*v, *v, *v, 255])),
        (_, bits, alpha) => Err(broken(format!("pixels of {bits} bits, {alpha} of them for alpha"))),
    }?;
    if head.descriptor & TOP_DOWN == 0 {
        let (top, bottom) = pixels.split_at_mut(height / 2 * width);
        let bottom = bottom.chunks_exact_mut(width).rev();
        top.chunks_exact_mut(width).zip(bottom).for_each(|(a, b)| a.swap_with_slice(b));
    }
    if head.descriptor & RIGHT_TO_LEFT != 0 {
        pixels.chunks_exact_mut(width).for_each(<[Pixel]>::reverse);
    }
    let rgba = pixels.into_flattened();
    Image::new(head.width.into(), head.height.into(), rgba)
        .ok_or_else(|| broken("another number of pixels".into()))
}

fn short() -> ErrorKind {
    broken("fewer bytes than its pixels need".into())
}

fn alpha_bits(head: &TgaHead) -> u8 {
    head.descriptor & 15
}

/// Returns the colors of the palette, if the image uses one, and the bytes after it.
fn palette<'a>(head: &TgaHead, rest: &'a [u8]) -> Result<(Vec<Pixel>, &'a [u8]), ErrorKind> {
    if head.palette != 1 {
        return Ok((Vec::new(), rest));
    }
    let size = usize::from(head.palette_bits.div_ceil(8));
    let (raw, rest) = rest.split_at_checked(size * usize::from(head.palette_length)).ok_or_else(short)?;
    if head.kind & !PACKED != 1 {
        return Ok((Vec::new(), rest));
    }
    let data = Data { bytes: raw, packed: false, count: head.palette_length.into() };
    let colors = match (head.palette_bits, alpha_bits(head)) {
        (32, 0 | 8) => data.pixels(|[b, g, r, a]: &[u8; 4]| Ok([*r, *g, *b, *a])),
        (24, 0) => data.pixels(|[b, g, r]: &[u8; 3]| Ok([*r, *g, *b, 255])),
        (16, 0 | 1) | (15, 0) => data.pixels(|raw: &[u8; 2]| Ok(five_bits(*raw))),
        (bits, alpha) => Err(broken(format!("a palette of {bits} bits, {alpha} of them for alpha"))),
    }?;
    Ok((colors, rest))
}

/// Returns the color of five bits per channel. The last bit is not alpha: what it holds depends on the program.
fn five_bits(raw: [u8; 2]) -> Pixel {
    let raw = u16::from_le_bytes(raw);
    let [r, g, b] = [raw >> 10, raw >> 5, raw].map(|v| ((v & 31) * 255 + 15) / 31);
    [r as u8, g as u8, b as u8, 255]
}

/// Pixels as they are stored.
struct Data<'a> {
    bytes: &'a [u8],
    /// Whether they are in packets: runs of one pixel, or of several.
    packed: bool,
    count: usize,
}

impl Data<'_> {
    /// Returns the pixels, each decoded from `N` bytes, in the order of the file.
    fn pixels<const N: usize>(
        &self,
        color: impl Fn(&[u8; N]) -> Result<Pixel, ErrorKind>,
    ) -> Result<Vec<Pixel>, ErrorKind> {
        let mut out = Vec::with_capacity(self.count);
        if !self.packed {
            let raw = self.bytes.get(..self.count * N).ok_or_else(short)?;
            for pixel in raw.as_chunks().0 {
                out.push(color(pixel)?);
            }
            return Ok(out);
        }
        let mut bytes = self.bytes;
        while out.len() < self.count {
            let (packet, rest) = bytes.split_first().ok_or_else(short)?;
            let run = usize::from(packet & 0x7F) + 1;
            let run = run.min(self.count - out.len());
            if packet & 0x80 != 0 {
                let (pixel, rest) = rest.split_first_chunk().ok_or_else(short)?;
                out.resize(out.len() + run, color(pixel)?);
                bytes = rest;
            } else {
                let (raw, rest) = rest.split_at_checked(run * N).ok_or_else(short)?;
                for pixel in raw.as_chunks().0 {
                    out.push(color(pixel)?);
                }
                bytes = rest;
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a TGA of 2 x 2 pixels.
    fn decoded(head: TgaHead, rest: &[u8]) -> Result<Vec<Pixel>, ErrorKind> {
        let head = TgaHead { width: 2, height: 2, ..head };
        let mut bytes = vec![0; TgaHead::SIZE];
        head.put(&mut bytes);
        bytes.extend_from_slice(rest);
        let image = decode(&bytes, &Limits::default())?;
        assert_eq!((image.width, image.height), (2, 2));
        Ok(image.rgba.as_chunks().0.to_vec())
    }

    fn head(kind: u8, bits: u8, descriptor: u8) -> TgaHead {
        TgaHead { kind, bits, descriptor, ..TgaHead::ZERO }
    }

    const RED: Pixel = [255, 0, 0, 255];
    const GREEN: Pixel = [0, 255, 0, 255];
    const BLUE: Pixel = [0, 0, 255, 255];
    const WHITE: Pixel = [255; 4];
    /// Blue, green, red, white, as 24 bits.
    const COLORS: [u8; 12] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];

    #[test]
    fn the_descriptor_says_where_the_first_pixel_is() {
        for (descriptor, expected) in [
            (0x00, [RED, WHITE, BLUE, GREEN]),
            (0x10, [WHITE, RED, GREEN, BLUE]),
            (0x20, [BLUE, GREEN, RED, WHITE]),
            (0x30, [GREEN, BLUE, WHITE, RED]),
        ] {
            assert_eq!(decoded(head(2, 24, descriptor), &COLORS).unwrap(), expected, "{descriptor:#x}");
        }
    }

    #[test]
    fn every_depth_is_read() {
        let alpha = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
        let expected = [[3, 2, 1, 4], [7, 6, 5, 8], [11, 10, 9, 12], [15, 14, 13, 16]];
        // KotOR's files have alpha and do not say so.
        for descriptor in [0x20, 0x28] {
            assert_eq!(decoded(head(2, 32, descriptor), &alpha).unwrap(), expected);
        }
        let five = [0x00, 0x7C, 0xE0, 0x03, 0x1F, 0x80, 0x10, 0x42];
        let expected = [RED, GREEN, BLUE, [132, 132, 132, 255]];
        for (bits, descriptor) in [(16, 0x20), (16, 0x21), (15, 0x20)] {
            assert_eq!(decoded(head(2, bits, descriptor), &five).unwrap(), expected);
        }
        let gray = [[9, 9, 9, 255], [0, 0, 0, 255], [255; 4], [7, 7, 7, 255]];
        assert_eq!(decoded(head(3, 8, 0x20), &[9, 0, 255, 7]).unwrap(), gray);
        let both = decoded(head(3, 16, 0x28), &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        assert_eq!(both, [[1, 1, 1, 2], [3, 3, 3, 4], [5, 5, 5, 6], [7, 7, 7, 8]]);
    }

    #[test]
    fn palettes_may_begin_at_any_number() {
        let palette = TgaHead { palette: 1, palette_first: 10, palette_length: 4, ..head(1, 8, 0x20) };
        let with = |bits: u8, colors: &[u8], indices: &[u8]| {
            let head = TgaHead { palette_bits: bits, id_length: 3, ..palette };
            decoded(head, &[b"abc", colors, indices].concat())
        };
        assert_eq!(with(24, &COLORS, &[13, 12, 11, 10]).unwrap(), [WHITE, RED, GREEN, BLUE]);
        let five = [0x00, 0x7C, 0xE0, 0x03, 0x1F, 0x00, 0xFF, 0x7F];
        assert_eq!(with(16, &five, &[10, 11, 12, 13]).unwrap(), [RED, GREEN, BLUE, WHITE]);
        assert!(with(24, &COLORS, &[13, 12, 11, 9]).is_err());
        assert!(with(24, &COLORS, &[13, 12, 11, 14]).is_err());
        // A palette that no pixel uses is skipped.
        let unused = TgaHead { palette: 1, palette_bits: 24, palette_length: 1, ..head(3, 8, 0x20) };
        assert_eq!(decoded(unused, &[1, 2, 3, 0, 0, 0, 255]).unwrap()[3], WHITE);
    }

    #[test]
    fn runs_are_unpacked_and_end_with_the_image() {
        // A run of three, then two pixels of which one is past the end.
        let packed = [0x82, 255, 0, 0, 0x01, 0, 0, 255, 9, 9, 9];
        assert_eq!(decoded(head(10, 24, 0x20), &packed).unwrap(), [BLUE, BLUE, BLUE, RED]);
        assert_eq!(decoded(head(11, 8, 0x20), &[0xFF, 255]).unwrap(), [WHITE; 4]);
    }

    #[test]
    fn what_is_cut_or_unknown_is_an_error() {
        for len in 0..COLORS.len() {
            assert!(decoded(head(2, 24, 0), &COLORS[..len]).is_err(), "{len}");
        }
        for packed in [&[][..], &[0x82], &[0x82, 1, 2], &[0x82, 1, 2, 3], &[0x01, 1, 2, 3]] {
            assert!(decoded(head(10, 24, 0), packed).is_err(), "{packed:?}");
        }
        for (kind, bits, descriptor) in
            [(2, 8, 0), (2, 24, 8), (3, 16, 0), (4, 8, 0), (1, 16, 0), (18, 24, 0)]
        {
            assert!(decoded(head(kind, bits, descriptor), &[0; 64]).is_err(), "{kind} {bits} {descriptor}");
        }
    }
}
