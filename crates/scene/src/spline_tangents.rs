//! Tangents computed from the values of keys.

use crate::{Channel, Interpolation, Property};

impl Channel {
    /// Returns cubic keys with the tangents of a spline instead of their own: its acceleration is continuous, and its slope is 0
    /// at both ends. Editors compute these for keys without tangents. `None` for other keys.
    pub fn with_spline_tangents(&self) -> Option<Channel> {
        let (count, width) = (self.times.len(), self.width());
        if self.interpolation != Interpolation::Cubic || count < 2 || width == 0 {
            return None;
        }
        let mut keys: Vec<Vec<f32>> = Vec::with_capacity(count);
        for key in 0..count {
            let from = (key * 3 + 1) * width;
            let mut value = self.values.get(from..from + width)?.to_vec();
            let dot: f32 = keys.last().map_or(1.0, |last| last.iter().zip(&value).map(|(a, b)| a * b).sum());
            if self.property == Property::Rotation && dot < 0.0 {
                value.iter_mut().for_each(|v| *v = -*v);
            }
            keys.push(value);
        }
        let mut values = vec![0.0; self.values.len()];
        for i in 0..width {
            let column: Vec<f32> = keys.iter().filter_map(|key| key.get(i).copied()).collect();
            for (key, (value, slope)) in column.iter().zip(slopes(&self.times, &column)).enumerate() {
                for (part, number) in [slope, *value, slope].into_iter().enumerate() {
                    *values.get_mut((key * 3 + part) * width + i)? = number;
                }
            }
        }
        Some(Channel { values, ..self.clone() })
    }
}

/// Returns the slopes of a spline at its keys: 0 at the ends, and such that its acceleration is continuous in between.
fn slopes(times: &[f32], values: &[f32]) -> Vec<f32> {
    let count = times.len().min(values.len());
    let at = |list: &[f32], i: usize| f64::from(list.get(i).copied().unwrap_or(0.0));
    // Elimination in a tridiagonal system: each key depends on the one before and the one after.
    let (mut upper, mut right) = (vec![0.0f64; count], vec![0.0f64; count]);
    for i in 1..count.saturating_sub(1) {
        let (before, after) = (at(times, i) - at(times, i - 1), at(times, i + 1) - at(times, i));
        let (a, c) = (1.0 / before.max(1e-9), 1.0 / after.max(1e-9));
        let rise = (at(values, i) - at(values, i - 1)) * a * a + (at(values, i + 1) - at(values, i)) * c * c;
        let (above, known) =
            (upper.get(i - 1).copied().unwrap_or(0.0), right.get(i - 1).copied().unwrap_or(0.0));
        let pivot = 2.0 * (a + c) - a * above;
        upper.get_mut(i).into_iter().for_each(|slot| *slot = c / pivot);
        right.get_mut(i).into_iter().for_each(|slot| *slot = (3.0 * rise - a * known) / pivot);
    }
    let mut out = vec![0.0f32; count];
    let mut next = 0.0f64;
    for i in (1..count.saturating_sub(1)).rev() {
        next = right.get(i).copied().unwrap_or(0.0) - upper.get(i).copied().unwrap_or(0.0) * next;
        out.get_mut(i).into_iter().for_each(|slot| *slot = next as f32);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_an_editor() {
        // Printed by Blender 5.0.1 for keys with automatic handles.
        let slopes = slopes(&[0.0, 12.0, 24.0, 30.0], &[0.0, 3.0, 1.0, 5.0]);
        let wanted = [0.0, -0.086_956_5, 0.597_826, 0.0];
        assert!(slopes.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{slopes:?}");
    }
}
