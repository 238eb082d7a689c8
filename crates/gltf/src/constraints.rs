//! The constraints of glTF, and how numbers that violate them survive.
//!
//! glTF requires finite numbers; normals, tangents and rotations of unit length; weights with a sum of 1; colours from 0 to 1;
//! and ascending times that are not negative. Game files violate this. Such a number is replaced by the nearest valid one, and
//! the difference of their bits is kept in extras. Reading adds it again, but only if replacing the sum would give the number
//! in the file: edited numbers win.

use galatea_scene::{Value, each_ulp_delta, ulp_deltas};

/// How far a length may be from 1. The validator allows a little more.
const SLACK: f64 = 0.005;

pub(crate) fn finite<const N: usize>(v: [f32; N]) -> [f32; N] {
    v.map(|c| if c.is_finite() { c } else { 0.0 })
}

pub(crate) fn color(v: [f32; 4]) -> [f32; 4] {
    finite(v).map(|c| c.clamp(0.0, 1.0))
}

/// Returns the inner and outer angle of a spot light: at most a quarter turn, the inner one less than the outer.
pub(crate) fn cone([inner, outer]: [f32; 2]) -> [f32; 2] {
    let most = std::f32::consts::FRAC_PI_2;
    let outer = if outer.is_finite() { outer.clamp(1e-3, most) } else { most };
    [if inner.is_finite() { inner.clamp(0.0, outer * 0.999) } else { 0.0 }, outer]
}

/// Returns the distance of the near plane of a camera.
pub(crate) fn near([near]: [f32; 1]) -> [f32; 1] {
    [if near.is_finite() { near.max(1e-4) } else { 1e-4 }]
}

/// Returns the far plane that an orthographic camera without a valid one gets, since glTF requires one.
pub(crate) fn default_far(near: f32) -> f32 {
    near + 1000.0
}

fn square(v: &[f32]) -> f64 {
    v.iter().map(|c| f64::from(*c) * f64::from(*c)).sum()
}

/// Returns `true` if the length of a vector is valid.
fn is_unit<const N: usize>(v: &[f32; N]) -> bool {
    const LEAST: f64 = (1.0 - SLACK) * (1.0 - SLACK);
    const MOST: f64 = (1.0 + SLACK) * (1.0 + SLACK);
    // Far from the bounds, `f32` is precise enough.
    let rough = v.iter().fold(0.0, |sum, c| sum + c * c);
    (0.9901f32..=1.01).contains(&rough) || (LEAST..=MOST).contains(&square(v))
}

/// Returns a vector of unit length; `instead` for one without direction.
pub(crate) fn unit<const N: usize>(v: [f32; N], instead: [f32; N]) -> [f32; N] {
    if is_unit(&v) {
        return v;
    }
    let length = square(&v).sqrt();
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

/// Returns a matrix of finite numbers whose last row is 0, 0, 0, 1.
pub(crate) fn affine(m: [f32; 16]) -> [f32; 16] {
    let mut m = finite(m);
    for (at, value) in [(3, 0.0), (7, 0.0), (11, 0.0), (15, 1.0)] {
        if let Some(slot) = m.get_mut(at) {
            *slot = value;
        }
    }
    m
}

/// A constraint on the rows of a column.
pub(crate) trait Constraint<const N: usize> {
    /// Returns `true` if [`Constraint::enforce`] does not change a row.
    fn holds(row: &[f32; N]) -> bool;
    /// Returns `true` if it does not change any row.
    fn all_hold(column: &[[f32; N]]) -> bool {
        column.iter().fold(true, |all, row| all & Self::holds(row))
    }
    fn enforce(row: [f32; N]) -> [f32; N];
}

/// Numbers that are finite.
pub(crate) struct Finite;
impl<const N: usize> Constraint<N> for Finite {
    fn holds(row: &[f32; N]) -> bool {
        row.iter().fold(true, |all, c| all & c.is_finite())
    }
    fn all_hold(column: &[[f32; N]]) -> bool {
        // A flat list is compared many numbers at once.
        column.as_flattened().iter().fold(true, |all, c| all & c.is_finite())
    }
    fn enforce(row: [f32; N]) -> [f32; N] {
        finite(row)
    }
}

/// Colours between 0 and 1.
pub(crate) struct Color;
impl Constraint<4> for Color {
    fn holds(row: &[f32; 4]) -> bool {
        row.iter().fold(true, |all, c| all & (0.0..=1.0).contains(c))
    }
    fn enforce(row: [f32; 4]) -> [f32; 4] {
        color(row)
    }
}

/// Normals of unit length.
pub(crate) struct Normal;
impl Constraint<3> for Normal {
    fn holds(row: &[f32; 3]) -> bool {
        is_unit(row)
    }
    fn enforce(row: [f32; 3]) -> [f32; 3] {
        normal(row)
    }
}

/// Tangents of unit length, with a handedness of 1 or -1.
pub(crate) struct Tangent;
impl Constraint<4> for Tangent {
    fn holds([x, y, z, w]: &[f32; 4]) -> bool {
        is_unit(&[*x, *y, *z]) & (w.abs() == 1.0)
    }
    fn enforce(row: [f32; 4]) -> [f32; 4] {
        tangent(row)
    }
}

/// Rotations of unit length.
pub(crate) struct Rotation;
impl Constraint<4> for Rotation {
    fn holds(row: &[f32; 4]) -> bool {
        is_unit(row) & row.iter().fold(true, |all, c| all & (c.abs() <= 1.0))
    }
    fn enforce(row: [f32; 4]) -> [f32; 4] {
        rotation(row)
    }
}

/// Affine matrices.
pub(crate) struct Affine;
impl Constraint<16> for Affine {
    fn holds(row: &[f32; 16]) -> bool {
        bits(affine(*row)) == bits(*row)
    }
    fn enforce(row: [f32; 16]) -> [f32; 16] {
        affine(row)
    }
}

/// Calls a function for rows of a width, which is a constant if it is a usual one.
macro_rules! by_width {
    ($width:expr, $fixed:ident($($argument:expr),*), $any:expr) => {
        match $width {
            1 => $fixed::<1>($($argument),*),
            2 => $fixed::<2>($($argument),*),
            3 => $fixed::<3>($($argument),*),
            4 => $fixed::<4>($($argument),*),
            _ => $any,
        }
    };
}

/// Returns `true` if [`influences`] does not change any vertex; each has `width` weights.
pub(crate) fn influences_hold(joints: &[u16], weights: &[f32], width: usize, count: usize) -> bool {
    fn fixed<const W: usize>(joints: &[u16], weights: &[f32], count: usize) -> bool {
        let mut rows = joints.as_chunks::<W>().0.iter().zip(weights.as_chunks::<W>().0);
        rows.all(|(joints, weights)| row_holds(joints, weights, count))
    }
    if width == 1 {
        // All are compared, which is faster than stopping at the first that differs.
        let whole = |weight: &f32| (weight - 1.0).abs() <= 1e-7;
        let most = joints.iter().fold(0, |most, joint| most.max(*joint));
        return usize::from(most) < count && weights.iter().fold(true, |all, weight| all & whole(weight));
    }
    by_width!(width, fixed(joints, weights, count), {
        let mut rows = joints.chunks(width).zip(weights.chunks(width));
        rows.all(|(joints, weights)| row_holds(joints, weights, count))
    })
}

/// Returns `true` if the weights of every vertex have a sum of 255; each has `width` of them.
pub(crate) fn sums_hold(weights: &[u8], width: usize) -> bool {
    fn fixed<const W: usize>(weights: &[u8]) -> bool {
        let sum = |row: &[u8; W]| row.iter().fold(0, |sum, b| sum + u32::from(*b));
        weights.as_chunks::<W>().0.iter().fold(true, |all, row| all & (sum(row) == 255))
    }
    by_width!(width, fixed(weights), {
        weights.chunks(width).all(|row| row.iter().map(|b| u32::from(*b)).sum::<u32>() == 255)
    })
}

#[inline(always)]
fn row_holds(joints: &[u16], weights: &[f32], count: usize) -> bool {
    let (mut sum, mut used, mut sound) = (0.0f32, 0u32, true);
    for (i, (joint, weight)) in joints.iter().zip(weights).enumerate() {
        let none = weight.to_bits() == 0;
        let some = weight.is_finite() & (*weight > 0.0) & (usize::from(*joint) < count);
        sound &= if none { *joint == 0 } else { some };
        for (other, with) in joints.iter().zip(weights).take(i) {
            sound &= none | (other != joint) | (with.to_bits() == 0);
        }
        sum += weight;
        used += u32::from(!none);
    }
    sound && used > 0 && (sum - 1.0).abs() <= 1e-7 * used as f32
}

/// Makes the weights of one vertex valid: not negative, at most one for each joint, with a sum of 1.
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

/// Returns strictly ascending times that are not negative; `None` if they are so already.
pub(crate) fn times(times: &[f32]) -> Option<Vec<f32>> {
    let ascending = times.windows(2).all(|w| matches!(w, [a, b] if a < b));
    if ascending && times.first().is_none_or(|t| *t >= 0.0) && times.iter().all(|t| t.is_finite()) {
        return None;
    }
    let mut last = -1.0f32;
    let fixed = times.iter().map(|time| {
        // Adding 0 makes a negative zero positive, so that its next number is the smallest positive one.
        let wanted = if time.is_finite() { time.max(0.0) + 0.0 } else { 0.0 };
        last = if wanted > last { wanted } else { last.next_up() };
        last
    });
    Some(fixed.collect())
}

/// Returns a column with invalid rows replaced, and the differences; `None` if all are valid.
pub(crate) fn replaced<const N: usize, R: Constraint<N>>(
    column: &[[f32; N]],
    _: R,
) -> Option<(Vec<[f32; N]>, Value)> {
    if R::all_hold(column) {
        return None;
    }
    let out: Vec<[f32; N]> = column.iter().map(|row| R::enforce(*row)).collect();
    let notes = ulp_deltas(column.as_flattened(), out.as_flattened(), N)?;
    Some((out, notes))
}

fn bits<const N: usize>(v: [f32; N]) -> [u32; N] {
    v.map(f32::to_bits)
}

/// Returns the rows that differ, and the differences of their bits.
pub(crate) fn differences(original: &[f32], replaced: &[f32], width: usize) -> Value {
    ulp_deltas(original, replaced, width).unwrap_or_default()
}

/// Adds differences again to rows for which `enforce` of the sum gives the current value.
pub(crate) fn restore<const N: usize>(
    column: &mut [[f32; N]],
    differences: &Value,
    enforce: impl Fn([f32; N]) -> [f32; N],
) {
    each_ulp_delta(differences, N, |row, steps| {
        let Some(slot) = column.get_mut(row) else { return };
        let mut sum = *slot;
        for (c, step) in sum.iter_mut().zip(steps) {
            *c = f32::from_bits(c.to_bits().wrapping_add(*step));
        }
        if bits(enforce(sum)) == bits(*slot) {
            *slot = sum;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_numbers_come_back_and_edits_win() {
        let original = [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [f32::NAN, 1.0, 0.0], [0.0; 3], [-0.0, 0.5, 0.0]];
        let (mut column, differences) = replaced(&original, Normal).unwrap();
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
        assert!(replaced(&original[..1], Normal).is_none());
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
    fn what_holds_is_left_alone_and_nothing_else() {
        let mut seed = 7u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let near = (seed >> 8) as f32 / (1 << 24) as f32;
            [near, -near, 0.0, -0.0, 1.0, -1.0, f32::NAN, 1.001 * near][(seed >> 4) as usize % 8]
        };
        fn agree<const N: usize, R: Constraint<N>>(row: [f32; N]) -> bool {
            let holds = R::holds(&row);
            assert_eq!(holds, bits(R::enforce(row)) == bits(row), "{row:?}");
            holds
        }
        let mut held = [0; 4];
        for _ in 0..200_000 {
            let row: [f32; 4] = std::array::from_fn(|_| next());
            let [x, y, z, _] = row;
            let now = [
                agree::<4, Finite>(row),
                agree::<4, Color>(row),
                agree::<3, Normal>([x, y, z]) & agree::<4, Tangent>(row),
                agree::<4, Rotation>(row),
            ];
            held.iter_mut().zip(now).for_each(|(sum, held)| *sum += u32::from(held));
        }
        assert!(held.iter().all(|sum| *sum > 100), "{held:?}");
    }

    #[test]
    fn weights_that_hold_are_left_alone_and_no_others() {
        let parts = [0.0, 0.5, 1.0, 0.25, -0.0, 0.75, f32::NAN, -0.5];
        let mut sound = 0;
        // Every three of these weights, on every three of five joints, of which there are four.
        for round in 0..512 * 125 {
            let pick = |i: u32| parts[((round % 512) >> (3 * i)) % 8];
            let weights = [pick(0), pick(1), pick(2)];
            let joints = [round / 512 % 5, round / 512 / 5 % 5, round / 512 / 25].map(|j| j as u16);
            let (mut j, mut w) = (joints, weights);
            influences(&mut j, &mut w, 4);
            let same = j == joints && bits(w) == bits(weights);
            sound += u32::from(same);
            assert_eq!(influences_hold(&joints, &weights, 3, 4), same, "{joints:?} {weights:?}");
        }
        // One weight at 3 places on 4 joints; two in 9 ways on 12 pairs of joints; three in 3 ways on 24.
        assert_eq!(sound, 3 * 4 + 9 * 12 + 3 * 24);
    }

    #[test]
    fn a_single_weight_holds_by_the_same_rule() {
        let near = [1.0f32, 1.0f32.next_up(), 1.0f32.next_down(), 1.000_001, 0.5, 0.0, -0.0, -1.0, f32::NAN];
        let mut sound = 0;
        for (joint, weight) in (0..6).flat_map(|joint| near.map(|weight| (joint, weight))) {
            let (mut j, mut w) = ([joint], [weight]);
            influences(&mut j, &mut w, 4);
            let same = j == [joint] && bits(w) == bits([weight]);
            sound += u32::from(same);
            assert_eq!(influences_hold(&[joint], &[weight], 1, 4), same, "{joint} {weight}");
            assert_eq!(influences_hold(&[0, joint], &[1.0, weight], 1, 4), same, "{joint} {weight}");
        }
        // The first and the third, on four joints.
        assert_eq!(sound, 2 * 4);
    }

    #[test]
    fn bytes_add_up_in_rows_of_any_width() {
        for width in 1..7 {
            let mut rows = vec![0; width * 3];
            rows.iter_mut().step_by(width).for_each(|first| *first = 255);
            assert!(sums_hold(&rows, width), "{width}");
            rows[width] = 254;
            assert!(!sums_hold(&rows, width), "{width}");
            rows[width * 2 - 1] += 1;
            assert!(sums_hold(&rows, width), "{width}");
        }
    }

    #[test]
    fn times_ascend_after_all() {
        assert!(times(&[0.0, 0.5, 1.0]).is_none());
        let fixed = times(&[-1.0, -0.0, 0.5, 0.5, 0.25, f32::NAN]).unwrap();
        assert!(fixed.windows(2).all(|w| w[0] < w[1]), "{fixed:?}");
        assert_eq!((fixed[0].to_bits(), fixed[2]), (0, 0.5));
    }
}
