//! What glTF allows, and how numbers it refuses survive.
//!
//! glTF wants finite numbers, normals, tangents and rotations of unit length, weights that add up to 1, colours between 0
//! and 1, and times that ascend from 0. Game files have exceptions. Such a number is replaced by the nearest that is
//! allowed, and the difference between the two, in steps of the last bit, travels in extras. Reading adds it again, but
//! only where replacing the sum would give what the file has: an edited number wins.

use galatea_scene::{Extras, Value, words};

/// How far a length may be from 1. The validator allows a little more.
const SLACK: f64 = 0.005;

pub(crate) fn finite<const N: usize>(v: [f32; N]) -> [f32; N] {
    v.map(|c| if c.is_finite() { c } else { 0.0 })
}

pub(crate) fn color(v: [f32; 4]) -> [f32; 4] {
    finite(v).map(|c| c.clamp(0.0, 1.0))
}

/// A vector of unit length; `instead` for one without direction.
pub(crate) fn unit<const N: usize>(v: [f32; N], instead: [f32; N]) -> [f32; N] {
    let square: f64 = v.iter().map(|c| f64::from(*c) * f64::from(*c)).sum();
    const LEAST: f64 = (1.0 - SLACK) * (1.0 - SLACK);
    const MOST: f64 = (1.0 + SLACK) * (1.0 + SLACK);
    if (LEAST..=MOST).contains(&square) {
        return v;
    }
    let length = square.sqrt();
    if length.is_finite() && length > 0.0 { v.map(|c| (f64::from(c) / length) as f32) } else { instead }
}

pub(crate) fn normal(v: [f32; 3]) -> [f32; 3] {
    unit(v, [0.0, 0.0, 1.0])
}

pub(crate) fn rotation(v: [f32; 4]) -> [f32; 4] {
    unit(v, [0.0, 0.0, 0.0, 1.0]).map(|c| c.clamp(-1.0, 1.0))
}

pub(crate) fn tangent([x, y, z, w]: [f32; 4]) -> [f32; 4] {
    let [x, y, z] = unit([x, y, z], [1.0, 0.0, 0.0]);
    [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }]
}

/// A matrix of finite numbers whose last row is 0, 0, 0, 1.
pub(crate) fn affine(m: [f32; 16]) -> [f32; 16] {
    let mut m = finite(m);
    for (at, value) in [(3, 0.0), (7, 0.0), (11, 0.0), (15, 1.0)] {
        if let Some(slot) = m.get_mut(at) {
            *slot = value;
        }
    }
    m
}

/// The weights of one vertex: not negative, none for a joint that came before, adding up to 1.
pub(crate) fn influences(joints: &mut [u16], weights: &mut [f32], count: usize) {
    for i in 0..weights.len() {
        let (Some(joint), Some(weight)) = (joints.get(i).copied(), weights.get(i).copied()) else { return };
        let sound = weight.is_finite() && weight > 0.0 && usize::from(joint) < count;
        let twin = joints.iter().zip(weights.iter()).take(i).position(|(j, w)| *j == joint && *w > 0.0);
        let keep = sound && twin.is_none();
        if let Some(first) = twin.filter(|_| sound).and_then(|t| weights.get_mut(t)) {
            *first += weight;
        }
        if !keep {
            if let Some(slot) = weights.get_mut(i) {
                *slot = 0.0;
            }
            if let Some(slot) = joints.get_mut(i) {
                *slot = 0;
            }
        }
    }
    let sum = weights.iter().fold(0.0f32, |sum, w| sum + w);
    let used = weights.iter().filter(|w| **w != 0.0).count();
    if used == 0 {
        if let Some(first) = weights.first_mut() {
            *first = 1.0;
        }
    } else if (sum - 1.0).abs() > 1e-7 * used as f32 {
        let wide: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        weights.iter_mut().for_each(|w| *w = (f64::from(*w) / wide) as f32);
    }
}

/// Times that ascend strictly from 0, in the same order; `None` if they do already.
pub(crate) fn times(times: &[f32]) -> Option<Vec<f32>> {
    let ascending = times.windows(2).all(|w| matches!(w, [a, b] if a < b));
    if ascending && times.first().is_none_or(|t| *t >= 0.0) && times.iter().all(|t| t.is_finite()) {
        return None;
    }
    let mut last = -1.0f32;
    let fixed = times.iter().map(|time| {
        // Adding 0 makes a negative zero a positive one, whose next number is the smallest there is.
        let wanted = if time.is_finite() { time.max(0.0) + 0.0 } else { 0.0 };
        last = if wanted > last { wanted } else { last.next_up() };
        last
    });
    Some(fixed.collect())
}

/// The columns of a table after replacing what is refused, and the differences where anything was.
pub(crate) fn replaced<const N: usize>(
    column: &[[f32; N]],
    allow: impl Fn([f32; N]) -> [f32; N],
) -> Option<(Vec<[f32; N]>, Value)> {
    let same = |v: &[f32; N]| bits(allow(*v)) == bits(*v);
    if column.iter().all(same) {
        return None;
    }
    let out: Vec<[f32; N]> = column.iter().map(|v| allow(*v)).collect();
    Some((out.clone(), differences(column.as_flattened(), out.as_flattened(), N)))
}

fn bits<const N: usize>(v: [f32; N]) -> [u32; N] {
    v.map(f32::to_bits)
}

/// The rows that differ and by how many steps of the last bit: `{"at": rows, "by": steps}`.
pub(crate) fn differences(original: &[f32], replaced: &[f32], width: usize) -> Value {
    let (mut at, mut by) = (Vec::new(), Vec::new());
    let width = width.max(1);
    for (row, (was, is)) in original.chunks(width).zip(replaced.chunks(width)).enumerate() {
        let steps = was.iter().zip(is).map(|(w, i)| w.to_bits().wrapping_sub(i.to_bits()));
        if steps.clone().any(|s| s != 0) {
            at.push(row as u32);
            by.extend(steps);
        }
    }
    Value::Object(Extras::from_iter([("at".to_owned(), words(&at)), ("by".to_owned(), words(&by))]))
}

/// Adds differences again, where `allow` of the sum gives what is there.
pub(crate) fn restore<const N: usize>(
    column: &mut [[f32; N]],
    differences: &Value,
    allow: impl Fn([f32; N]) -> [f32; N],
) {
    each_difference(differences, N, |row, steps| {
        let Some(slot) = column.get_mut(row) else { return };
        let mut sum = *slot;
        for (c, step) in sum.iter_mut().zip(steps) {
            *c = f32::from_bits(c.to_bits().wrapping_add(*step));
        }
        if bits(allow(sum)) == bits(*slot) {
            *slot = sum;
        }
    });
}

/// Calls back for every row that differs with its steps.
pub(crate) fn each_difference(differences: &Value, width: usize, mut each: impl FnMut(usize, &[u32])) {
    let list = |key: &str| differences.get(key).and_then(Value::as_array).map_or(&[][..], |l| l);
    let word = |v: &Value| v.as_f64().map(|v| v as i64 as u32);
    let mut steps = vec![0u32; width];
    for (row, by) in list("at").iter().zip(list("by").chunks_exact(width.max(1))) {
        let Some(row) = row.as_f64().filter(|r| *r >= 0.0) else { continue };
        for (slot, value) in steps.iter_mut().zip(by) {
            *slot = word(value).unwrap_or(0);
        }
        each(row as usize, &steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_numbers_come_back_and_edits_win() {
        let original = [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [f32::NAN, 1.0, 0.0], [0.0; 3], [-0.0, 0.5, 0.0]];
        let (mut column, differences) = replaced(&original, normal).unwrap();
        assert_eq!(
            column,
            [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [-0.0, 1.0, 0.0]]
        );
        column[1] = [1.0, 0.0, 0.0];
        restore(&mut column, &differences, normal);
        assert_eq!(column[1], [1.0, 0.0, 0.0]);
        for i in [0, 2, 3, 4] {
            assert_eq!(bits(column[i]), bits(original[i]), "{i}");
        }
        assert!(replaced(&original[..1], normal).is_none());
    }

    #[test]
    fn weights_add_up_to_one_and_name_no_joint_twice() {
        let mut joints = [3, 3, 9, 1];
        let mut weights = [0.25, 0.25, 0.5, 0.25];
        influences(&mut joints, &mut weights, 5);
        assert_eq!((joints, weights), ([3, 0, 0, 1], [0.666_666_7, 0.0, 0.0, 0.333_333_34]));
        let mut nothing = [0.0, f32::NAN];
        influences(&mut [0, 1], &mut nothing, 5);
        assert_eq!(nothing, [1.0, 0.0]);
    }

    #[test]
    fn times_ascend_after_all() {
        assert!(times(&[0.0, 0.5, 1.0]).is_none());
        let fixed = times(&[-1.0, -0.0, 0.5, 0.5, 0.25, f32::NAN]).unwrap();
        assert!(fixed.windows(2).all(|w| w[0] < w[1]), "{fixed:?}");
        assert_eq!((fixed[0].to_bits(), fixed[2]), (0, 0.5));
    }
}
