//! Keys from the scene: the channels of several clips, decoded and merged.

use std::borrow::Cow;

use foldhash::HashMap;
use galatea_scene::{Channel, Extras, Interpolation as SceneInterpolation, Property};
use galatea_wire::Loss;

use super::FromScene;
use super::frame::Frame;
use crate::scene::around::{Loop, detach, is_edited};
use crate::scene::binding::KeyValue;
use crate::scene::curve::{CurveForm, CurveKind, FormatKeys, SceneKeys, without};
use crate::scene::extra::{UlpDeltas, checksum_of, own, same};
use crate::scene::window::LONGEST;
use crate::{Curve, Key, Keys, Tangents};

/// A key of a clip.
struct Found {
    time: i64,
    /// Its index among keys of the same time.
    nth: u32,
    /// Whether its clip was edited.
    edited: bool,
    row: usize,
}

/// Keys from several clips.
#[derive(Default)]
struct Gathered {
    found: Vec<Found>,
    rows: FormatKeys,
}

impl Gathered {
    fn add(&mut self, times: impl Iterator<Item = i64>, rows: &FormatKeys, edited: bool) {
        let before = self.found.len();
        let mut last = None;
        for (i, time) in times.enumerate() {
            let nth = match last {
                Some((t, n)) if t == time => n + 1,
                _ => 0,
            };
            last = Some((time, nth));
            self.found.push(Found { time, nth, edited, row: before + i });
        }
        self.rows.values.extend_from_slice(&rows.values);
        self.rows.tangents.extend_from_slice(&rows.tangents);
    }
}

/// The sources of one track's keys.
pub(super) struct Gather<'a, 'b> {
    pub(super) channels: &'b [(usize, &'a Channel)],
    pub(super) note: &'b Extras,
    pub(super) form: CurveForm,
    pub(super) what: &'b str,
    pub(super) frame: &'b Frame,
}

impl<'a> FromScene<'a> {
    pub(super) fn gather<T: KeyValue>(&mut self, from: &Gather<'a, '_>) -> Curve<T> {
        let form = CurveForm { width: T::WIDTH, ..from.form };
        let mut all = Gathered::default();
        for (clip, channel) in from.channels {
            if channel.width() != T::WIDTH {
                // Scales and colours of other programs may have another number of components.
                self.lose(Loss::new(
                    from.what,
                    format!("{} with another number of components", channel.property.name()),
                ));
                continue;
            }
            let start = self.windows.get(*clip).map_or(0, |w| w.start);
            let length = self.scene.clips.get(*clip).map_or(0.0, |c| c.length);
            let inside = inside(channel, &form, from.frame, length);
            let (rows, edited) = decode_channel(&inside, &form, from.frame);
            let time =
                |t: &f32| start + (f64::from(*t) * 1000.0).round().clamp(0.0, LONGEST as f64 * 64.0) as i64;
            all.add(rows.times.iter().map(time), &rows, edited);
        }
        let mut outside = FormatKeys::default();
        if let (Some(times), Some(values)) = (from.note.u32s("times"), from.note.floats("values")) {
            outside.values = values;
            outside.tangents = from.note.floats("tangents").unwrap_or_default();
            let cubic = form.kind != CurveKind::Linear;
            if !cubic {
                outside.tangents.clear();
            } else if outside.tangents.is_empty() {
                outside.tangents =
                    outside.values.chunks_exact(T::WIDTH).flat_map(|v| [v, v].concat()).collect();
            }
            all.add(times.iter().map(|t| i64::from(*t as i32)), &outside, false);
        }
        let Gathered { mut found, rows } = all;
        let part = |list: &[f32], row: usize, width: usize| -> Vec<f32> {
            list.get(row * width..(row + 1) * width).map(<[f32]>::to_vec).unwrap_or_default()
        };
        if !found.is_sorted_by_key(|f| (f.time, f.nth)) {
            found.sort_by_key(|f| (f.time, f.nth));
        }
        let mut conflict = false;
        let mut kept: Vec<Found> = Vec::with_capacity(found.len());
        for next in found {
            let twin = kept.last_mut().filter(|last| (last.time, last.nth) == (next.time, next.nth));
            let Some(last) = twin else {
                kept.push(next);
                continue;
            };
            let (a, b) = (last.row, next.row);
            let equal = same(&part(&rows.values, a, T::WIDTH), &part(&rows.values, b, T::WIDTH))
                && same(&part(&rows.tangents, a, T::WIDTH * 2), &part(&rows.tangents, b, T::WIDTH * 2));
            if !equal && next.edited {
                *last = next;
            } else if !equal {
                conflict = true;
            }
        }
        if conflict {
            self.shared_keys.insert(from.what.to_owned());
        }
        let order = from.note.u32s("order").and_then(|order| reorder(&kept, &order));
        let order = order.unwrap_or_else(|| (0..kept.len()).collect());
        let mut curve = Curve::default();
        for key in order.iter().filter_map(|i| kept.get(*i)) {
            let from = key.row * T::WIDTH;
            let value = T::take(rows.values.get(from..).unwrap_or(&[]));
            let time = key.time.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
            curve.keys.push(Key { time, value });
            if form.kind != CurveKind::Linear {
                let row = rows.tangents.get(from * 2..).unwrap_or(&[]);
                curve.tangents.push(Tangents {
                    incoming: T::take(row),
                    outgoing: T::take(row.get(T::WIDTH..).unwrap_or(&[])),
                });
            }
        }
        curve
    }
}

/// Returns the indices of keys in another order of times; `None` if the times differ.
fn reorder(found: &[Found], order: &[u32]) -> Option<Vec<usize>> {
    if order.len() != found.len() {
        return None;
    }
    let places: HashMap<(i64, u32), usize> =
        found.iter().enumerate().map(|(i, f)| ((f.time, f.nth), i)).collect();
    let mut nth: HashMap<i64, u32> = HashMap::default();
    order
        .iter()
        .map(|time| {
            let time = i64::from(*time as i32);
            let n = nth.entry(time).or_default();
            *n += 1;
            places.get(&(time, *n - 1)).copied()
        })
        .collect()
}

/// Returns a channel without the keys that were added at the ends of the clip; those that were edited stay.
fn inside<'c>(channel: &'c Channel, form: &CurveForm, frame: &Frame, length: f32) -> Cow<'c, Channel> {
    let counts = own(&channel.extras).u32s("around").unwrap_or_default();
    let detached = match counts.as_slice() {
        [before, after] => detach(channel, [*before as usize, *after as usize]),
        _ => None,
    };
    let Some((mut inside, ends)) = detached else { return Cow::Borrowed(channel) };
    let held = channel.interpolation == SceneInterpolation::Step;
    let (rows, _) = decode_channel(&inside, form, frame);
    let curve = Loop::new(form, &channel.property, held, &rows, length);
    let [start, end] = ends.map(|end| end.filter(|row| is_edited(curve.as_ref(), row)));
    if let (Some(row), Some(time)) = (start, channel.times.first()) {
        inside.times.insert(0, *time);
        inside.values.splice(..0, row);
    }
    if let (Some(row), Some(time)) = (end, channel.times.last()) {
        inside.times.push(*time);
        inside.values.extend(row);
    }
    Cow::Owned(inside)
}

/// Returns a channel as keys of the format, and whether it is known to have been edited.
fn decode_channel(channel: &Channel, form: &CurveForm, frame: &Frame) -> (FormatKeys, bool) {
    let mut stored = own(&channel.extras);
    let sum = || checksum_of([channel.times.as_slice(), &channel.values]);
    let edited = stored.int("sum").is_some_and(|s| s as i32 != sum());
    if stored.int("count").is_some_and(|count| count != channel.times.len() as i64) {
        // Keys were added or removed, so the extras are about other keys.
        stored = Extras::none();
    }
    let width = form.width;
    let turned;
    let values: &[f32] = match frame.convert(channel) {
        Some(values) => {
            turned = values;
            &turned
        }
        None => &channel.values,
    };
    let cubic = channel.interpolation == SceneInterpolation::Cubic;
    let stride = if cubic { width * 3 } else { width };
    if !form.is_cubic(channel.times.len()) || !cubic {
        let middle: Vec<f32>;
        let values = if cubic {
            let keys = values.chunks_exact(stride.max(1));
            middle = keys.flat_map(|k| k.iter().skip(width).take(width)).copied().collect();
            &middle
        } else {
            values
        };
        let straight = CurveForm { kind: CurveKind::Linear, ..*form };
        let steps = stored.object("keys").and_then(|k| UlpDeltas::read(k, channel.times.len(), width));
        let mut rows = straight.restore(&channel.times, values, &[], steps.as_deref());
        if form.kind != CurveKind::Linear {
            let kept = stored.floats("tangents").filter(|t| t.len() == width * 2 * rows.times.len());
            if channel.interpolation == SceneInterpolation::Step && kept.is_none() && rows.times.len() > 1 {
                rows = stepped_rows(&rows, width);
            }
            rows.tangents = kept.unwrap_or_else(|| straight_tangents(&rows, width, form.kind));
        }
        return (rows, edited);
    }
    let inserted = stored.u32s("inserted").unwrap_or_default();
    let flipped = stored.u32s("flipped").unwrap_or_default();
    let times = without(&channel.times, 1, &inserted);
    let kept = without(values, stride, &inserted);
    let steps = stored.object("keys").and_then(|k| UlpDeltas::read(k, times.len(), width * 3));
    let rows = form.restore(&times, &kept, &flipped, steps.as_deref());
    if inserted.is_empty() {
        return (rows, edited);
    }
    let again = form.encode(&rows);
    let exact = same(&again.values, values) && same(&again.times, &channel.times);
    if exact || passes(&again, &channel.times, values, width) {
        return (rows, edited);
    }
    // Inserted keys that were edited are ordinary keys now.
    (form.restore(&channel.times, values, &[], None), edited)
}

/// How far a rotation may be from a curve and still be on it: what programs round, and what inserted keys leave.
const ON_CURVE: f32 = 1e-3;

/// Returns `true` if a curve of rotations goes through the values of cubic keys.
fn passes(curve: &SceneKeys, times: &[f32], values: &[f32], width: usize) -> bool {
    let curve =
        Channel::node(0, Property::Rotation, curve.interpolation, curve.times.clone(), curve.values.clone());
    times.iter().zip(values.chunks_exact((width * 3).max(1))).all(|(time, key)| {
        let (Some(there), Some(value)) = (curve.sample(*time), key.get(width..width * 2)) else {
            return false;
        };
        let by = |sign: f32| there.iter().zip(value).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
        by(1.0).min(by(-1.0)) <= ON_CURVE
    })
}

/// Returns held values as linear ones: each key is repeated just before the next.
fn stepped_rows(rows: &FormatKeys, width: usize) -> FormatKeys {
    let mut out = FormatKeys::default();
    for (i, (time, value)) in rows.times.iter().zip(rows.values.chunks_exact(width.max(1))).enumerate() {
        if let Some(before) = i.checked_sub(1) {
            out.times.push(time - 0.001);
            out.values.extend(rows.values.get(before * width..(before + 1) * width).unwrap_or(&[]));
        }
        out.times.push(*time);
        out.values.extend(value);
    }
    out
}

/// Returns the tangents with which a smooth track is linear.
fn straight_tangents(rows: &FormatKeys, width: usize, kind: CurveKind) -> Vec<f32> {
    let values: Vec<&[f32]> = rows.values.chunks_exact(width.max(1)).collect();
    let mut out = Vec::with_capacity(rows.values.len() * 2);
    for (i, value) in values.iter().enumerate() {
        let last = i.checked_sub(1).and_then(|p| values.get(p)).unwrap_or(value);
        let next = values.get(i + 1).unwrap_or(value);
        let part = |from: &[f32], to: &[f32], end: bool| -> Vec<f32> {
            let pairs = from.iter().zip(to);
            match kind {
                CurveKind::Hermite => pairs.map(|(a, b)| b - a).collect(),
                CurveKind::Bezier if end => pairs.map(|(a, b)| b + (a - b) / 3.0).collect(),
                CurveKind::Bezier => pairs.map(|(a, b)| a + (b - a) / 3.0).collect(),
                _ => value.to_vec(),
            }
        };
        out.extend(part(last, value, true));
        out.extend(part(value, next, false));
    }
    out
}

/// Reads keys that were stored unconverted.
pub(super) fn read_keys(note: &Extras, keys: &mut Keys) {
    let times = note.u32s("times").unwrap_or_default();
    fn fill<T: Copy>(times: &[u32], curve: &mut Curve<T>, values: Vec<T>, tangents: &[T]) {
        curve.keys = times.iter().zip(values).map(|(t, value)| Key { time: *t as i32, value }).collect();
        let pairs = tangents.as_chunks::<2>().0.iter();
        curve.tangents =
            pairs.map(|[incoming, outgoing]| Tangents { incoming: *incoming, outgoing: *outgoing }).collect();
    }
    fn rows<T: KeyValue>(note: &Extras, key: &str) -> Vec<T> {
        note.floats(key).unwrap_or_default().chunks_exact(T::WIDTH).map(T::take).collect()
    }
    match keys {
        Keys::Float(c) => fill(&times, c, rows(note, "values"), &rows(note, "tangents")),
        Keys::Vector(c) => fill(&times, c, rows(note, "values"), &rows(note, "tangents")),
        Keys::Rotation(c) => fill(&times, c, rows(note, "values"), &rows(note, "tangents")),
        Keys::Integer(c) => {
            let tangents = note.u32s("tangent_words").unwrap_or_default();
            fill(&times, c, note.u32s("words").unwrap_or_default(), &tangents);
        }
    }
}
