//! Conversion between the keys of a track and the keys of a channel.
//!
//! Tangents of the format are scaled to the interval between keys, or are control points; those of the scene are per second.
//! The conversion rounds, so the differences from the exact numbers are stored too, in units in the last place (ULPs).

mod rotation;

use std::borrow::Cow;

use galatea_scene::Interpolation as SceneInterpolation;

use super::extra::{UlpDeltas, add_ulps, same};
use rotation::decode_squad;

/// The mapping of a value to the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::scene) enum ValueMap {
    /// Unchanged.
    Plain,
    /// Relative to this offset.
    Offset([f32; 3]),
    /// Blue, green, red becomes red, green, blue.
    Reversed,
}

/// The kind of curve between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scene) enum CurveKind {
    /// Held or linear.
    Linear,
    /// With tangents.
    Hermite,
    /// With control points.
    Bezier,
    /// Rotations with control points.
    Squad,
}

/// Keys, as the format has them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::scene) struct FormatKeys {
    /// Seconds from the beginning of the clip.
    pub(in crate::scene) times: Vec<f32>,
    /// The values of all keys, one after the other.
    pub(in crate::scene) values: Vec<f32>,
    /// Incoming and outgoing tangent of each key; empty if there are none.
    pub(in crate::scene) tangents: Vec<f32>,
}

/// Keys, as the scene has them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::scene) struct SceneKeys {
    pub(in crate::scene) interpolation: SceneInterpolation,
    pub(in crate::scene) times: Vec<f32>,
    pub(in crate::scene) values: Vec<f32>,
    /// Indices of keys that were inserted.
    pub(in crate::scene) inserted: Vec<u32>,
    /// Indices of keys of the format whose quaternions were negated.
    pub(in crate::scene) flipped: Vec<u32>,
}

/// The conversion of one track's keys.
#[derive(Debug, Clone, Copy)]
pub(in crate::scene) struct CurveForm {
    pub(in crate::scene) kind: CurveKind,
    pub(in crate::scene) map: ValueMap,
    pub(in crate::scene) width: usize,
}

/// Returns the seconds to the previous and the next key of each key; 1 if there is none.
fn spans(times: &[f32]) -> impl Iterator<Item = [f32; 2]> + '_ {
    let sound = |span: f32| if span > 0.0 && span.is_finite() { span } else { 1.0 };
    let time = |i: usize| times.get(i).copied();
    (0..times.len()).map(move |i| {
        let here = time(i).unwrap_or(0.0);
        let before = i.checked_sub(1).and_then(time).map_or(1.0, |t| sound(here - t));
        [before, time(i + 1).map_or(1.0, |t| sound(t - here))]
    })
}

impl CurveForm {
    fn map(&self, row: &[f32], out: &mut Vec<f32>) {
        match self.map {
            ValueMap::Plain => out.extend_from_slice(row),
            ValueMap::Offset(rest) => out.extend(row.iter().zip(rest).map(|(k, r)| r + k)),
            ValueMap::Reversed => out.extend(row.iter().rev()),
        }
    }

    fn unmap(&self, row: &[f32], out: &mut Vec<f32>) {
        match self.map {
            ValueMap::Plain => out.extend_from_slice(row),
            ValueMap::Offset(rest) => out.extend(row.iter().zip(rest).map(|(k, r)| k - r)),
            ValueMap::Reversed => out.extend(row.iter().rev()),
        }
    }

    /// Maps a tangent, which is not relative to the offset.
    fn slope(&self, row: impl DoubleEndedIterator<Item = f32>, out: &mut Vec<f32>) {
        if self.map == ValueMap::Reversed { out.extend(row.rev()) } else { out.extend(row) }
    }

    /// Returns `true` if this number of keys has tangents in the scene: a single key has none.
    pub(in crate::scene) fn is_cubic(&self, count: usize) -> bool {
        self.kind != CurveKind::Linear && count > 1
    }

    /// Converts keys of the format to keys of the scene. Moves unchanged numbers, unless [`CurveForm::deltas`] needs them.
    pub(in crate::scene) fn encode_taking(&self, rows: &mut FormatKeys) -> SceneKeys {
        if self.is_cubic(rows.times.len()) {
            return self.encode(rows);
        }
        let times = std::mem::take(&mut rows.times);
        let values = match self.map {
            ValueMap::Plain => std::mem::take(&mut rows.values),
            _ => self.mapped(&rows.values),
        };
        SceneKeys { times, values, ..SceneKeys::default() }
    }

    /// Maps the values of keys without tangents.
    fn mapped(&self, values: &[f32]) -> Vec<f32> {
        let mut values = values.to_vec();
        match self.map {
            ValueMap::Plain => {}
            ValueMap::Offset(rest) => {
                let rows = values.as_chunks_mut::<3>().0.iter_mut();
                rows.for_each(|row| row.iter_mut().zip(rest).for_each(|(k, r)| *k += r));
            }
            ValueMap::Reversed => values.chunks_exact_mut(self.width).for_each(<[f32]>::reverse),
        }
        values
    }

    /// Converts keys of the format to keys of the scene.
    pub(in crate::scene) fn encode(&self, rows: &FormatKeys) -> SceneKeys {
        let count = rows.times.len();
        let mut made = SceneKeys { times: rows.times.clone(), ..SceneKeys::default() };
        if !self.is_cubic(count) {
            made.values = self.mapped(&rows.values);
            return made;
        }
        made.interpolation = SceneInterpolation::Cubic;
        if self.kind == CurveKind::Squad {
            self.encode_squad(rows, &mut made);
            return made;
        }
        let keys = rows.values.chunks_exact(self.width).zip(rows.tangents.chunks_exact(self.width * 2));
        for ((value, tangents), [before, after]) in keys.zip(spans(&rows.times)) {
            let (into, out) = tangents.split_at_checked(self.width).unwrap_or((tangents, &[]));
            let straight = self.kind == CurveKind::Hermite;
            let slope = |control: f32, value: f32, sign: f32, span: f32| {
                if straight { control / span } else { 3.0 * (control - value) * sign / span }
            };
            let pairs = into.iter().zip(value);
            self.slope(pairs.map(|(c, v)| slope(*c, *v, -1.0, before)), &mut made.values);
            self.map(value, &mut made.values);
            let pairs = out.iter().zip(value);
            self.slope(pairs.map(|(c, v)| slope(*c, *v, 1.0, after)), &mut made.values);
        }
        made
    }

    /// Converts keys of the scene to keys of the format, without correction.
    pub(in crate::scene) fn decode(&self, times: &[f32], values: &[f32], flipped: &[u32]) -> FormatKeys {
        let width = self.width;
        let mut rows = FormatKeys { times: times.to_vec(), ..FormatKeys::default() };
        if !self.is_cubic(times.len()) {
            values.chunks_exact(width).for_each(|row| self.unmap(row, &mut rows.values));
            return rows;
        }
        if self.kind == CurveKind::Squad {
            decode_squad(times, values, flipped, &mut rows);
            return rows;
        }
        let straight = self.kind == CurveKind::Hermite;
        let mut slopes = Vec::with_capacity(width);
        for (key, [before, after]) in values.chunks_exact(width * 3).zip(spans(times)) {
            let part = |i: usize| key.get(i * width..(i + 1) * width).unwrap_or(&[]);
            let from = rows.values.len();
            self.unmap(part(1), &mut rows.values);
            let value = rows.values.get(from..).unwrap_or(&[]);
            for (slope, sign, span) in [(part(0), -1.0, before), (part(2), 1.0, after)] {
                slopes.clear();
                self.slope(slope.iter().copied(), &mut slopes);
                let control = |(c, v): (&f32, &f32)| {
                    if straight { c * span } else { v + c * span * sign / 3.0 }
                };
                rows.tangents.extend(slopes.iter().zip(value).map(control));
            }
        }
        rows
    }

    /// Returns the differences between the exact keys and those that [`CurveForm::decode`] computes.
    pub(in crate::scene) fn deltas(&self, rows: &FormatKeys, made: &SceneKeys) -> UlpDeltas {
        let mut steps = UlpDeltas::default();
        let count = rows.times.len();
        if self.is_cubic(count) {
            let kept = without(&made.values, self.width * 3, &made.inserted);
            let back = self.decode(&rows.times, &kept, &made.flipped);
            for row in 0..count {
                steps.note(row, joined(rows, row, self.width), joined(&back, row, self.width));
            }
        } else if let ValueMap::Offset([a, b, c]) = self.map {
            let pairs = rows.values.as_chunks::<3>().0.iter().zip(made.values.as_chunks::<3>().0);
            for (row, (stored, [x, y, z])) in pairs.enumerate() {
                steps.note(row, [stored, &[]], [&[x - a, y - b, z - c], &[]]);
            }
        }
        steps
    }

    /// Returns the number of deltas per key.
    pub(in crate::scene) fn delta_width(&self, count: usize) -> usize {
        if self.is_cubic(count) { self.width * 3 } else { self.width }
    }

    /// Converts keys of the scene to keys of the format, and corrects those that were not edited: a correction is valid if encoding
    /// the result gives exactly the keys of the scene.
    pub(in crate::scene) fn restore(
        &self,
        times: &[f32],
        values: &[f32],
        flipped: &[u32],
        steps: Option<&[u32]>,
    ) -> FormatKeys {
        let rows = self.decode(times, values, flipped);
        let Some(steps) = steps else { return rows };
        let count = times.len();
        let (width, stride) = (self.width, self.delta_width(count));
        let mut better = rows.clone();
        for (row, steps) in steps.chunks_exact(stride).enumerate() {
            let (tangents, value) = if self.is_cubic(count) { (width * 2, width) } else { (0, width) };
            let slot = better.values.get_mut(row * width..).and_then(|v| v.get_mut(..value));
            slot.into_iter().flatten().zip(steps).for_each(|(v, s)| *v = add_ulps(*v, *s));
            let slot = better.tangents.get_mut(row * width * 2..).and_then(|v| v.get_mut(..tangents));
            slot.into_iter().flatten().zip(steps.iter().skip(width)).for_each(|(v, s)| *v = add_ulps(*v, *s));
        }
        let again = self.encode(&better);
        let stride = if self.is_cubic(count) { width * 3 } else { width };
        let kept = without(&again.values, stride, &again.inserted);
        if same(&kept, values) {
            return better;
        }
        // Some keys were edited: those stay as they are, the rest is corrected.
        let mut mixed = rows;
        let pairs = kept.chunks_exact(stride).zip(values.chunks_exact(stride)).enumerate();
        for (row, _) in pairs.filter(|(_, (a, b))| same(a, b)) {
            for (to, from, width) in [
                (&mut mixed.values, &better.values, width),
                (&mut mixed.tangents, &better.tangents, width * 2),
            ] {
                let range = row * width..(row + 1) * width;
                if let (Some(to), Some(from)) = (to.get_mut(range.clone()), from.get(range)) {
                    to.copy_from_slice(from);
                }
            }
        }
        if self.kind == CurveKind::Squad {
            // Of the two quaternions of a rotation, the one that was there.
            let controls = mixed.tangents.as_chunks_mut::<4>().0.iter_mut();
            for (to, was) in controls.zip(better.tangents.as_chunks::<4>().0) {
                if to.iter().zip(was).all(|(a, b)| (a + b).abs() <= 1e-3) {
                    to.iter_mut().for_each(|c| *c = -*c);
                }
            }
        }
        mixed
    }
}

/// Returns the value and the tangents of a key.
fn joined(rows: &FormatKeys, row: usize, width: usize) -> [&[f32]; 2] {
    let value = rows.values.get(row * width..(row + 1) * width).unwrap_or(&[]);
    let tangents = rows.tangents.get(row * width * 2..(row + 1) * width * 2).unwrap_or(&[]);
    [value, tangents]
}

/// Returns the rows that are not listed.
pub(in crate::scene) fn without<'a>(values: &'a [f32], width: usize, listed: &[u32]) -> Cow<'a, [f32]> {
    if listed.is_empty() {
        return Cow::Borrowed(values);
    }
    let mut listed = listed.iter().copied().peekable();
    let rows = values.chunks_exact(width.max(1)).enumerate();
    rows.filter(|(i, _)| listed.next_if_eq(&(*i as u32)).is_none()).flat_map(|(_, r)| r).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::rotation::wide;
    use super::*;
    use crate::scene::squad::{self, Squad};

    fn numbers(seed: u32, count: usize) -> Vec<f32> {
        let mut x = seed;
        (0..count)
            .map(|_| {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (x >> 8) as f32 / 4_194_304.0 - 2.0
            })
            .collect()
    }

    fn unit(numbers: &[f32]) -> Vec<f32> {
        let rows: &[[f32; 4]] = numbers.as_chunks().0;
        rows.iter().flat_map(|q| glam::Quat::from_array(*q).normalize().to_array()).collect()
    }

    #[test]
    fn every_key_comes_back_bit_for_bit() {
        let times: Vec<f32> = [0u32, 33, 100, 101, 900].iter().map(|t| *t as f32 / 1000.0).collect();
        let offset = ValueMap::Offset([17.25, -3.3, 0.01]);
        for (kind, map, width) in [
            (CurveKind::Linear, offset, 3),
            (CurveKind::Hermite, offset, 3),
            (CurveKind::Bezier, offset, 3),
            (CurveKind::Hermite, ValueMap::Plain, 1),
            (CurveKind::Bezier, ValueMap::Reversed, 3),
            (CurveKind::Squad, ValueMap::Plain, 4),
        ] {
            let form = CurveForm { kind, map, width };
            let smooth = |n: Vec<f32>| if kind == CurveKind::Squad { unit(&n) } else { n };
            let rows = FormatKeys {
                times: times.clone(),
                values: smooth(numbers(1, 5 * width)),
                tangents: if kind == CurveKind::Linear { Vec::new() } else { smooth(numbers(2, 10 * width)) },
            };
            let made = form.encode(&rows);
            let mut extras = galatea_scene::Extras::new();
            form.deltas(&rows, &made).put(&mut extras, 5, form.delta_width(5));
            let steps = UlpDeltas::read(&extras, 5, form.delta_width(5));
            let stride = if kind == CurveKind::Linear { width } else { width * 3 };
            let kept = without(&made.values, stride, &made.inserted);
            let back = form.restore(&times, &kept, &made.flipped, steps.as_deref());
            assert!(same(&back.values, &rows.values) && same(&back.tangents, &rows.tangents), "{kind:?}");
            // An edited key is taken, and the others stay exact.
            let mut edited = kept.to_vec();
            let at = stride * 2 + if kind == CurveKind::Linear { 0 } else { width };
            edited[at] += 0.5;
            let back = form.restore(&times, &edited, &made.flipped, steps.as_deref());
            assert!(!same(&back.values[2 * width..3 * width], &rows.values[2 * width..3 * width]));
            assert!(same(&back.values[4 * width..], &rows.values[4 * width..]), "{kind:?}");
        }
    }

    #[test]
    fn smooth_rotations_are_close_everywhere() {
        let q = |list: &[f32], i: usize| wide(&list[i * 4..]);
        let form = CurveForm { kind: CurveKind::Squad, map: ValueMap::Plain, width: 4 };
        let mut inserted = 0;
        for seed in 0..40 {
            let times: Vec<f32> = (0..6).map(|t| t as f32 * 0.2).collect();
            // Turns of up to a right angle.
            let turns = |n: Vec<f32>| {
                let rows: Vec<f32> =
                    n.iter().enumerate().map(|(i, c)| if i % 4 == 3 { 2.0 } else { *c * 0.6 }).collect();
                unit(&rows)
            };
            let (values, tangents) = (turns(numbers(seed, 24)), turns(numbers(seed + 100, 48)));
            let rows = FormatKeys { times, values, tangents };
            let made = form.encode(&rows);
            inserted += made.inserted.len();
            let channel = galatea_scene::Channel::node(
                0,
                galatea_scene::Property::Rotation,
                made.interpolation,
                made.times,
                made.values,
            );
            for i in 0..1000 {
                let time = i as f32 / 1000.0;
                let key = (time / 0.2) as usize;
                let t = f64::from(time / 0.2) - key as f64;
                let way = Squad::new(
                    q(&rows.values, key),
                    q(&rows.tangents, key * 2 + 1),
                    q(&rows.tangents, key * 2 + 2),
                    q(&rows.values, key + 1),
                );
                let (want, have) = (way.at(t), wide(&channel.sample(time).unwrap()));
                let close =
                    squad::max_difference(want, have).min(squad::max_difference(want.map(|c| -c), have));
                assert!(close < 1.2e-5, "{seed} {time}: {close}");
            }
        }
        // No fewer than that takes, and not many more.
        assert!((1000..3500).contains(&inserted), "{inserted}");
    }
}
