//! How far values are from each other, and which keys a line through them needs.

/// Returns the distance of two points.
pub(super) fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

/// Returns the angle between two rotations in radians, whatever their order of components.
pub(super) fn angle(a: [f32; 4], b: [f32; 4]) -> f32 {
    let length = |q: [f32; 4]| q.iter().map(|n| n * n).sum::<f32>().sqrt();
    let (of_a, of_b) = (length(a), length(b));
    if of_a == 0.0 || of_b == 0.0 {
        return if of_a == of_b { 0.0 } else { f32::INFINITY };
    }
    let sign = if a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>() < 0.0 { -1.0 } else { 1.0 };
    let chord = a.iter().zip(b).map(|(x, y)| (x / of_a - y / of_b * sign).powi(2)).sum::<f32>().sqrt();
    // Half the angle of the rotation is that between the quaternions.
    4.0 * (chord / 2.0).min(1.0).asin()
}

/// Returns the keys that are needed between a first and a last one, with these. `farthest` returns the key between two that is farthest
/// from the line between them, if that is too far. Of what this leaves, it leaves all again.
pub(super) fn needed(
    first: usize,
    last: usize,
    farthest: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<usize> {
    let mut kept = vec![first, last];
    let mut todo = vec![(first, last)];
    while let Some((from, to)) = todo.pop() {
        if let Some(middle) = farthest(from, to) {
            kept.push(middle);
            todo.extend([(from, middle), (middle, to)]);
        }
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_rotations() {
        let quarter = [0.0, 0.0, std::f32::consts::FRAC_PI_4.sin(), std::f32::consts::FRAC_PI_4.cos()];
        let still = [0.0, 0.0, 0.0, 1.0];
        assert!((angle(quarter, still) - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
        assert_eq!(angle(quarter, quarter.map(|n| -2.0 * n)), 0.0);
        assert_eq!(angle([0.0; 4], still), f32::INFINITY);
    }

    #[test]
    fn what_is_left_is_left_again() {
        let values: Vec<f32> =
            (0..200u32).map(|i| (i as f32 * 0.13).sin() + ((i * 7919) % 13) as f32 * 0.01).collect();
        let pick = |kept: &[usize], tolerance: f32| -> Vec<usize> {
            needed(0, kept.len() - 1, |from, to| {
                let (a, b) = (kept[from], kept[to]);
                let far = |i: usize| {
                    let t = (kept[i] - a) as f32 / (b - a) as f32;
                    (values[a] + (values[b] - values[a]) * t - values[kept[i]]).abs()
                };
                (from + 1..to)
                    .map(|i| (far(i), i))
                    .max_by(|a, b| a.0.total_cmp(&b.0))
                    .filter(|(far, _)| *far > tolerance)
                    .map(|(_, i)| i)
            })
            .into_iter()
            .map(|i| kept[i])
            .collect()
        };
        let all: Vec<usize> = (0..values.len()).collect();
        for tolerance in [0.0, 0.01, 0.1, 0.5] {
            let once = pick(&all, tolerance);
            assert!(once.len() <= all.len() && (tolerance == 0.0 || once.len() < all.len()));
            assert_eq!(pick(&once, tolerance), once);
        }
    }
}
