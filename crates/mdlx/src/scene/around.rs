//! Keys at the ends of a clip. The game interpolates from the last key of a sequence around to the first; viewers, and the scene,
//! hold both. Where that differs, keys are added before the first and after the last.

use galatea_scene::{Channel, Interpolation, Property};

use super::curve::{CurveForm, FormatKeys, SceneKeys};

/// Seconds between keys that belong to different curves: Blender merges keys that are closer than half of it.
const APART: f32 = 1e-3;

/// Keys of a channel.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Added {
    pub(super) times: Vec<f32>,
    pub(super) values: Vec<f32>,
}

impl Added {
    fn push(&mut self, time: f32, row: &[f32]) {
        self.times.push(time);
        self.values.extend_from_slice(row);
    }
}

/// What is added before the first and after the last key of a channel.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Around {
    pub(super) before: Added,
    pub(super) after: Added,
}

/// The curve from the last key around to the first.
pub(super) struct Loop {
    curve: Channel,
    /// Seconds from the last key to the end of the clip.
    rest: f32,
    /// Seconds from the start of the clip to the first key.
    first: f32,
    length: f32,
}

impl Loop {
    /// Returns the curve between the outermost of several keys in a clip of this length; `None` if they are its ends already.
    pub(super) fn new(
        form: &CurveForm,
        property: &Property,
        held: bool,
        keys: &FormatKeys,
        length: f32,
    ) -> Option<Loop> {
        if !matches!(property, Property::Translation | Property::Rotation | Property::Scale) {
            return None;
        }
        let (first, last) = (*keys.times.first()?, *keys.times.last()?);
        let rest = length - last;
        let gap = rest + first;
        if keys.times.len() < 2 || !(gap > APART * 0.5 && rest >= 0.0 && first >= 0.0) {
            return None;
        }
        let ends = |list: &[f32], width: usize| {
            let from = list.len().checked_sub(width)?;
            Some([list.get(from..)?, list.get(..width)?].concat())
        };
        let width = form.width;
        let pair = FormatKeys {
            times: vec![0.0, gap],
            values: ends(&keys.values, width)?,
            tangents: if keys.tangents.is_empty() { Vec::new() } else { ends(&keys.tangents, width * 2)? },
        };
        let made = form.encode(&pair);
        let interpolation = if held { Interpolation::Step } else { made.interpolation };
        let curve = Channel::node(0, property.clone(), interpolation, made.times, made.values);
        Some(Loop { curve, rest, first, length })
    }

    /// Returns the value at both ends of the clip.
    fn middle(&self) -> Option<Vec<f32>> {
        self.curve.sample(self.rest)
    }

    /// Returns the keys to add; `None` if holding the outermost keys is close enough.
    pub(super) fn keys(&self, close: f32) -> Option<Around> {
        let cubic = self.curve.interpolation == Interpolation::Cubic;
        let stride = self.curve.values.len() / self.curve.times.len().max(1);
        let rows = || self.curve.times.iter().zip(self.curve.values.chunks_exact(stride.max(1)));
        let value = |row: &[f32]| -> Vec<f32> {
            let (skip, take) = if cubic { (stride / 3, stride / 3) } else { (0, stride) };
            row.iter().skip(skip).take(take).copied().collect()
        };
        let far = |a: &[f32], b: &[f32]| {
            let by = |sign: f32| a.iter().zip(b).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
            let turned = self.curve.property == Property::Rotation;
            if turned { by(1.0).min(by(-1.0)) } else { by(1.0) }
        };
        let middle = self.curve.key_at(self.rest)?;
        let (last, first) = (value(rows().next()?.1), value(rows().next_back()?.1));
        let mut out = Around::default();
        let inner = || rows().skip(1).take(self.curve.times.len().saturating_sub(2));
        let moves = |to: &[f32], part: &dyn Fn(f32) -> bool| {
            let mut inside = inner().filter(|(t, _)| part(**t)).map(|(_, row)| value(row));
            far(&value(&middle), to) > close || inside.any(|v| far(&v, to) > close)
        };
        if self.first > 0.0 && moves(&first, &|t| t > self.rest) {
            out.before.push(0.0, &middle);
            for (time, row) in inner().filter(|(t, _)| **t > self.rest + APART) {
                out.before.push(time - self.rest, row);
            }
            // The key itself has another tangent: the curve ends just before it.
            let gap = self.rest + self.first;
            if let Some(row) = self.curve.key_at(gap - APART).filter(|_| cubic && self.first > APART * 2.0) {
                out.before.push(self.first - APART, &row);
            }
        }
        let step = self.curve.interpolation == Interpolation::Step;
        if self.rest > 0.0 && !step && moves(&last, &|t| t < self.rest) {
            let end = self.length;
            if let Some(row) = self.curve.key_at(APART).filter(|_| cubic && self.rest > APART * 2.0) {
                out.after.push(end - self.rest + APART, &row);
            }
            for (time, row) in inner().filter(|(t, _)| **t < self.rest - APART && **t > APART * 2.0) {
                out.after.push(end - self.rest + time, row);
            }
            out.after.push(end, &middle);
        }
        // Times ascend.
        out.before.retain_ascending(stride, self.first);
        out.after.retain_ascending(stride, f32::MAX);
        (out != Around::default()).then_some(out)
    }
}

impl Around {
    /// Adds the keys to those of a channel, and returns how many there are before and after.
    pub(super) fn attach(mut self, property: &Property, keys: &mut SceneKeys, width: usize) -> [u32; 2] {
        let cubic = keys.interpolation == Interpolation::Cubic;
        let stride = if cubic { width * 3 } else { width };
        if cubic && *property == Property::Rotation {
            // A rotation and its negative are the same, but a curve between them is not.
            let opposite = |a: Option<&[f32]>, b: Option<&[f32]>| {
                let both = a.into_iter().flatten().zip(b.into_iter().flatten());
                both.map(|(a, b)| a * b).sum::<f32>() < 0.0
            };
            let value = |list: &[f32], row: usize| {
                list.get(row * stride + width..).map(|v| v.get(..width).unwrap_or(&[]).to_vec())
            };
            let (rows, before) = (keys.times.len(), self.before.times.len());
            let first = value(&keys.values, 0);
            let inside = before.checked_sub(1).and_then(|row| value(&self.before.values, row));
            if opposite(first.as_deref(), inside.as_deref()) {
                self.before.values.iter_mut().for_each(|v| *v = -*v);
            }
            let last = rows.checked_sub(1).and_then(|row| value(&keys.values, row));
            if opposite(last.as_deref(), value(&self.after.values, 0).as_deref()) {
                self.after.values.iter_mut().for_each(|v| *v = -*v);
            }
        }
        let counts = [self.before.times.len() as u32, self.after.times.len() as u32];
        keys.times.splice(..0, self.before.times);
        keys.values.splice(..0, self.before.values);
        keys.times.extend(self.after.times);
        keys.values.extend(self.after.values);
        counts
    }
}

/// Returns a channel without so many keys before and after, and its values at the ends of the clip if these were there.
pub(super) fn detach(
    channel: &Channel,
    [before, after]: [usize; 2],
) -> Option<(Channel, [Option<Vec<f32>>; 2])> {
    let count = channel.times.len();
    let kept = before..count.checked_sub(after).filter(|end| *end > before)?;
    let stride = channel.values.len() / count.max(1);
    let row = |row: usize| channel.values.get(row * stride..(row + 1) * stride).map(<[f32]>::to_vec);
    let ends = [
        if before > 0 { row(0) } else { None },
        if after > 0 { count.checked_sub(1).and_then(row) } else { None },
    ];
    let inside = Channel {
        target: channel.target,
        property: channel.property.clone(),
        interpolation: channel.interpolation,
        times: channel.times.get(kept.clone())?.to_vec(),
        values: channel.values.get(kept.start * stride..kept.end * stride)?.to_vec(),
        extras: channel.extras.clone(),
    };
    Some((inside, ends))
}

/// Returns `true` if the key at an end of a clip is not the one that the other keys give: then it was edited.
pub(super) fn is_edited(curve: Option<&Loop>, row: &[f32]) -> bool {
    let Some(middle) = curve.and_then(Loop::middle) else { return true };
    let width = middle.len();
    let value: Vec<f32> = if row.len() == width * 3 {
        row.iter().skip(width).take(width).copied().collect()
    } else {
        row.to_vec()
    };
    let size = middle.iter().chain(&value).fold(1.0f32, |most, v| most.max(v.abs()));
    let by = |sign: f32| value.iter().zip(&middle).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
    let far = if width == 4 { by(1.0).min(by(-1.0)) } else { by(1.0) };
    // Other programs round.
    far > 1e-3 * size || far.is_nan()
}

impl Added {
    /// Drops keys that are not after the one before them, or not before `end`.
    fn retain_ascending(&mut self, stride: usize, end: f32) {
        let mut kept = Added::default();
        for (time, row) in self.times.iter().zip(self.values.chunks_exact(stride.max(1))) {
            let behind = kept.times.last().is_none_or(|last| time - last > APART * 0.5);
            if behind && *time < end - APART * 0.5 {
                kept.push(*time, row);
            }
        }
        *self = kept;
    }
}
