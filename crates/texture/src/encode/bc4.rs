//! Blocks of one channel, as in BC4, BC5 and the alpha of BC3: two ends and eight or six steps between.

/// Stores sixteen values in eight bytes, as close as two ends allow.
pub(super) fn block(values: &[u8; 16]) -> [u8; 8] {
    let (low, high) = bounds(values.iter().copied());
    let mut best = Fit::new(values, high, low);
    if low == high {
        return best.bytes();
    }
    improve(values, &mut best);
    // With the ends the other way round there are six steps, and 0 and 255 besides.
    let inner = values.iter().copied().filter(|v| !matches!(v, 0 | 255));
    if values.iter().any(|v| matches!(v, 0 | 255)) {
        let (low, high) = bounds(inner);
        let mut six = Fit::new(values, low.min(high), high);
        improve(values, &mut six);
        if six.error < best.error {
            best = six;
        }
    }
    best.bytes()
}

fn bounds(values: impl Iterator<Item = u8>) -> (u8, u8) {
    values
        .fold(None, |seen, v| match seen {
            None => Some((v, v)),
            Some((low, high)) => Some((v.min(low), v.max(high))),
        })
        .unwrap_or((0, 0))
}

/// Tries neighbouring ends as long as that helps.
fn improve(values: &[u8; 16], best: &mut Fit) {
    let eight = best.first > best.second;
    for reach in [8i16, 3, 1, 1] {
        let (first, second) = (best.first, best.second);
        for a in [-2, -1, 0, 1, 2] {
            for b in [-2, -1, 0, 1, 2] {
                if best.error == 0 {
                    return;
                }
                let moved = |end: u8, by: i16| (i16::from(end) + by * reach).clamp(0, 255) as u8;
                let (first, second) = (moved(first, a), moved(second, b));
                if (first > second) == eight {
                    let fit = Fit::new(values, first, second);
                    if fit.error < best.error {
                        *best = fit;
                    }
                }
            }
        }
    }
}

struct Fit {
    first: u8,
    second: u8,
    error: u32,
    indices: u64,
}

impl Fit {
    fn new(values: &[u8; 16], first: u8, second: u8) -> Self {
        let steps = steps(first, second);
        let mut fit = Fit { first, second, error: 0, indices: 0 };
        for (i, value) in values.iter().enumerate() {
            let mut nearest = (u32::MAX, 0u64);
            for (index, step) in (0u64..).zip(steps) {
                let error = u32::from(value.abs_diff(step)).pow(2);
                if error < nearest.0 {
                    nearest = (error, index);
                }
            }
            fit.error += nearest.0;
            fit.indices |= nearest.1 << (i * 3);
        }
        fit
    }

    fn bytes(&self) -> [u8; 8] {
        (u64::from(self.first) | u64::from(self.second) << 8 | self.indices << 16).to_le_bytes()
    }
}

/// Returns the eight values that indices stand for.
fn steps(first: u8, second: u8) -> [u8; 8] {
    let (a, b) = (u32::from(first), u32::from(second));
    let mix = |i: u32, of: u32| ((a * (of - i) + b * i + of / 2) / of) as u8;
    if first > second {
        [first, second, mix(1, 7), mix(2, 7), mix(3, 7), mix(4, 7), mix(5, 7), mix(6, 7)]
    } else {
        [first, second, mix(1, 5), mix(2, 5), mix(3, 5), mix(4, 5), 0, 255]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PixelFormat;

    fn back(values: [u8; 16]) -> Vec<u8> {
        let format = PixelFormat::Bc4 { signed: false };
        format.decode(&block(&values), 4, 4, &Default::default()).unwrap().pixels().map(|p| p[0]).collect()
    }

    #[test]
    fn few_values_are_exact() {
        assert_eq!(back([77; 16]), [77; 16]);
        assert_eq!(back([0; 16]), [0; 16]);
        assert_eq!(back([255; 16]), [255; 16]);
        let two = std::array::from_fn(|i| if i % 3 == 0 { 13 } else { 201 });
        assert_eq!(back(two), two);
        let ends = std::array::from_fn(|i| [0, 255, 100, 120][i % 4]);
        assert_eq!(back(ends), ends);
    }

    #[test]
    fn a_ramp_is_close() {
        let ramp: [u8; 16] = std::array::from_fn(|i| (i * 16) as u8);
        let worst = back(ramp).iter().zip(ramp).map(|(a, b)| a.abs_diff(b)).max();
        assert!(worst <= Some(18), "{worst:?}");
    }
}
