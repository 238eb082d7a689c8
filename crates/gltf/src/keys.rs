//! What Blender changes about keys, and how reading undoes it.
//!
//! * A single key is exported as two equal ones. Clips note the names of nodes with a `single` key at 0 by property, and `single_step`
//!   for those of steps; channels with one elsewhere note its time.
//! * Of the two quaternions of a rotation, one is exported. Channels note the keys that had the other as `negative`.
//! * Tangents of cubic keys are not imported, and computed again. Channels note them.
//! * Rotations come back at unit length. Channels note by how much their keys were longer or shorter (`lengths`).
//! * Of keys that are hardly apart, one is kept. Channels note them (`close`).

use foldhash::HashMap;
use galatea_scene::{
    Channel, Extras, Interpolation, Property, Value, decode_u32s, encode_u32s, float, floats, read_float,
    read_floats,
};

use crate::blender::{is_negative, place_of};
use crate::read::NameTables;

/// The precision of noted tangents.
const STEP: f32 = 1.0 / 32768.0;

/// Tangents between keys that are less apart than this, in seconds, are noted as if they were so far apart: formats may hold them
/// in other units, and have other keys between.
const SHORTEST: f32 = 0.25;

/// Separates names in a text: Blender keeps no lists of texts.
const BETWEEN: char = '\n';

/// The paths by their place in a transform.
const PATHS: [&str; 3] = ["translation", "rotation", "scale"];

/// The names of nodes with a single key, by property and interpolation.
#[derive(Debug, Default)]
pub(crate) struct Singles([[String; 3]; 2]);

const LISTS: [&str; 2] = ["single", "single_step"];

impl Singles {
    /// Notes what Blender will lose of a channel, for all channels of the clip or in the note of this one.
    pub(crate) fn note(&mut self, channel: &Channel, times: &[f32], name: &str, note: &mut Extras) {
        if let Some(runs) = negative_runs(channel) {
            note.insert("negative", encode_u32s(&runs));
        }
        if let Some(lengths) = lengths(channel) {
            note.insert("lengths", encode_u32s(&lengths));
        }
        if let Some(close) = close_keys(channel, times) {
            note.insert("close", close);
        }
        if channel.interpolation == Interpolation::Cubic {
            if let Some(tangents) = encode(channel, times) {
                note.insert("slopes", tangents);
            }
            return;
        }
        let ([time], Some(place)) = (times, place_of(&channel.property)) else { return };
        let step = usize::from(channel.interpolation == Interpolation::Step);
        let list = self.0.get_mut(step).and_then(|lists| lists.get_mut(place));
        match list.filter(|_| time.to_bits() == 0 && !name.contains(BETWEEN)) {
            Some(list) => {
                if !list.is_empty() {
                    list.push(BETWEEN);
                }
                list.push_str(name);
            }
            None => {
                note.insert(*LISTS.get(step).unwrap_or(&"single"), float(*time));
            }
        }
    }

    /// Adds the names to the extras of the clip.
    pub(crate) fn put(self, own: &mut Extras) {
        for (key, lists) in LISTS.into_iter().zip(self.0) {
            let lists = PATHS.into_iter().zip(lists).filter(|(_, names)| !names.is_empty());
            let map: Extras = lists.map(|(path, names)| (path.to_owned(), Value::from(names))).collect();
            if !map.is_empty() {
                own.insert(key, map);
            }
        }
    }
}

/// The single keys of a clip, by node and part of its transform: their interpolation.
#[derive(Debug, Default)]
pub(crate) struct Noted(HashMap<(u32, usize), Interpolation>);

impl Noted {
    /// Takes the notes about all channels out of the extras of a clip.
    pub(crate) fn take(extras: &mut Extras, names: &NameTables) -> Noted {
        let mut out = Noted::default();
        for (key, interpolation) in LISTS.into_iter().zip([Interpolation::Linear, Interpolation::Step]) {
            let Some(Value::Object(lists)) = extras.remove(key) else { continue };
            for (place, path) in PATHS.into_iter().enumerate() {
                let list = lists.get(path).and_then(Value::as_str).unwrap_or("");
                for node in list.split(BETWEEN).filter_map(|name| names.find("node", name)) {
                    out.0.insert((node, place), interpolation);
                }
            }
        }
        out
    }

    /// Undoes what Blender did to the keys of a channel. `restore_forbidden` restores what glTF forbids, once all keys are there.
    pub(crate) fn undo(
        &self,
        channel: &mut Channel,
        node: u32,
        note: Option<&Value>,
        restore_forbidden: &dyn Fn(&mut Channel),
    ) {
        // Blender knows nothing of the keys that it has dropped.
        let automatic = has_automatic_tangents(channel);
        if let Some(close) = note.and_then(|note| note.get("close")) {
            insert_close(channel, close);
        }
        let place = place_of(&channel.property).unwrap_or(0);
        let own = |key: &str| note.and_then(|note| note.get(key)).and_then(read_float);
        let noted = own("single").map(|t| (t, Interpolation::Linear));
        let noted = noted.or_else(|| own("single_step").map(|t| (t, Interpolation::Step)));
        let noted = noted.or_else(|| self.0.get(&(node, place)).map(|i| (0.0, *i)));
        if let Some((time, interpolation)) = noted {
            if is_constant(channel) {
                let width = channel.width();
                channel.times = vec![time];
                channel.values.truncate(width);
                channel.interpolation = interpolation;
            }
        } else if let Some(tangents) =
            note.filter(|_| automatic).and_then(|note| note.get("slopes")).and_then(decode_u32s)
        {
            restore(channel, &tangents);
        }
        let runs = note.and_then(|note| note.get("negative")).and_then(decode_u32s);
        negate(channel, &runs.unwrap_or_default());
        restore_forbidden(channel);
        if let Some(lengths) = note.and_then(|note| note.get("lengths")).and_then(decode_u32s) {
            stretch(channel, &lengths);
        }
    }
}

/// The precision of noted lengths.
const LENGTH: f32 = 1.0 / 65536.0;

/// Returns by how much rotations are longer than 1, in steps; `None` if none is.
fn lengths(channel: &Channel) -> Option<Vec<u32>> {
    if channel.interpolation == Interpolation::Cubic {
        return None;
    }
    let steps = |rotation: [f32; 4]| {
        let longer = (length(rotation) - 1.0) / LENGTH;
        if longer.abs() < 0.5 / LENGTH { longer.round() as i32 as u32 } else { 0 }
    };
    let list: Vec<u32> = rotations(channel).map(steps).collect();
    list.iter().any(|steps| (*steps as i32).abs() > 4).then_some(list)
}

fn length(rotation: [f32; 4]) -> f32 {
    rotation.iter().map(|c| c * c).sum::<f32>().sqrt()
}

/// Gives rotations of unit length the lengths they had, if there are as many as before.
fn stretch(channel: &mut Channel, lengths: &[u32]) {
    let (keys, _) = channel.values.as_chunks_mut::<4>();
    if keys.len() != lengths.len() || channel.interpolation == Interpolation::Cubic {
        return;
    }
    for (key, steps) in keys.iter_mut().zip(lengths).filter(|(key, _)| (length(**key) - 1.0).abs() < 1e-5) {
        let longer = 1.0 + *steps as i32 as f32 * LENGTH;
        key.iter_mut().for_each(|c| *c *= longer);
    }
}

/// Keys that are closer than this become one in Blender: a hundredth of its frames, and some more.
const CLOSE: f32 = 0.02 / FRAMES;

/// Returns a note about keys that are hardly apart from the one before: their indices, the number of all keys, and times and values
/// of each with the one before. `None` if there are none.
fn close_keys(channel: &Channel, times: &[f32]) -> Option<Value> {
    let pairs = times.iter().zip(times.iter().skip(1)).enumerate();
    let at: Vec<u32> =
        pairs.filter(|(_, (a, b))| *b - *a < CLOSE).map(|(before, _)| before as u32 + 1).collect();
    let stride = channel.values.len() / times.len().max(1);
    if at.is_empty() || at.len() > MOST_CLOSE || stride == 0 {
        return None;
    }
    let rows = at.iter().flat_map(|key| [*key as usize - 1, *key as usize]);
    let rows = rows
        .filter_map(|key| Some((*times.get(key)?, channel.values.get(key * stride..(key + 1) * stride)?)));
    let numbers: Vec<f32> =
        rows.flat_map(|(time, row)| std::iter::once(time).chain(row.iter().copied())).collect();
    Some(Value::Object(Extras::from_iter([
        ("at", encode_u32s(&at)),
        ("count", Value::from(times.len() as u32)),
        ("keys", floats(&numbers)),
    ])))
}

/// Most keys of a channel that are noted because they are close to another.
const MOST_CLOSE: usize = 256;

/// Inserts the keys that Blender has dropped because they were close to another, while that is there as it was.
fn insert_close(channel: &mut Channel, note: &Value) {
    let at = note.get("at").and_then(decode_u32s).unwrap_or_default();
    let numbers = note.get("keys").and_then(read_floats).unwrap_or_default();
    let count = note.get("count").and_then(Value::as_u64).and_then(|c| usize::try_from(c).ok()).unwrap_or(0);
    let stride = channel.values.len() / channel.times.len().max(1);
    let Some(left) = count.checked_sub(at.len()).filter(|left| *left > 0 && stride > 0) else { return };
    // A single key is exported as two.
    if left == 1 && channel.times.len() == 2 && is_constant(channel) {
        channel.times.truncate(1);
        channel.values.truncate(stride);
    }
    if channel.times.len() != left {
        return;
    }
    let turned = channel.property == Property::Rotation;
    for (key, pair) in at.iter().zip(numbers.chunks_exact((stride + 1) * 2)) {
        let (before, behind) = pair.split_at(stride + 1);
        let ([first, row @ ..], [second, next @ ..]) = (before, behind) else { return };
        let Some(here) = (*key as usize).checked_sub(1).filter(|here| *here < channel.times.len()) else {
            return;
        };
        let range = here * stride..(here + 1) * stride;
        let Some(now) = channel.values.get(range.clone()).map(<[f32]>::to_vec) else { return };
        // Tangents are another matter.
        let values = if channel.interpolation == Interpolation::Cubic {
            stride / 3..stride / 3 * 2
        } else {
            0..stride
        };
        let value = |row: &[f32]| row.get(values.clone()).map(<[f32]>::to_vec).unwrap_or_default();
        let here_now = value(&now);
        let size = here_now.iter().fold(1.0f32, |most, v| most.max(v.abs()));
        let near = |row: &[f32], sign: f32| {
            here_now.iter().zip(value(row)).all(|(a, b)| (a * sign - b).abs() <= 1e-3 * size)
        };
        let same = |row: &[f32]| near(row, 1.0) || turned && near(row, -1.0);
        if !same(row) && !same(next) {
            // It was edited: both are what it is now.
            channel.values.splice(range.end..range.end, now);
        } else {
            channel.values.splice(range, [row, next].concat());
        }
        channel.times.splice(here..=here, [*first, *second]);
    }
}

/// Returns the rotation of each key; none if the channel has no rotations.
fn rotations(channel: &Channel) -> impl Iterator<Item = [f32; 4]> + '_ {
    let (keys, _) = channel.values.as_chunks::<4>();
    let keys = if channel.property == Property::Rotation { keys } else { &[] };
    let cubic = channel.interpolation == Interpolation::Cubic;
    let (skip, step) = if cubic { (1, 3) } else { (0, 1) };
    keys.iter().copied().skip(skip).step_by(step)
}

/// Returns the lengths of runs of keys, alternately positive and negative ones; `None` if all are positive.
fn negative_runs(channel: &Channel) -> Option<Vec<u32>> {
    let mut runs = vec![0u32];
    let mut negative = false;
    for rotation in rotations(channel) {
        if is_negative(rotation) != negative {
            negative = !negative;
            runs.push(0);
        }
        runs.last_mut().into_iter().for_each(|run| *run += 1);
    }
    (runs.len() > 1).then_some(runs)
}

/// Gives keys the signs they had, as runs tell; keys beyond them are positive.
fn negate(channel: &mut Channel, runs: &[u32]) {
    if channel.property != Property::Rotation {
        return;
    }
    let parts = if channel.interpolation == Interpolation::Cubic { 3 } else { 1 };
    let signs = runs.iter().zip([false, true].into_iter().cycle());
    let mut signs = signs.flat_map(|(run, sign)| std::iter::repeat_n(sign, *run as usize));
    for key in channel.values.chunks_exact_mut(parts * 4) {
        let middle = key.get(parts / 2 * 4..).and_then(|v| v.first_chunk().copied());
        if middle.is_some_and(|rotation| is_negative(rotation) != signs.next().unwrap_or(false)) {
            key.iter_mut().for_each(|v| *v = -*v);
        }
    }
}

/// Returns `true` if all keys have the value of the first, but for rounding.
fn is_constant(channel: &Channel) -> bool {
    let width = channel.width();
    let (Some(first), true) =
        (channel.values.get(..width), width > 0 && channel.interpolation != Interpolation::Cubic)
    else {
        return false;
    };
    let size = first.iter().fold(1.0f32, |most, v| most.max(v.abs()));
    // Far from the origin, Blender's positions of bones differ from frame to frame.
    let near =
        |row: &[f32], sign: f32| row.iter().zip(first).all(|(a, b)| (a * sign - b).abs() <= 1e-4 * size);
    let turned = channel.property == Property::Rotation;
    channel.values.chunks_exact(width).all(|row| near(row, 1.0) || turned && near(row, -1.0))
}

/// Returns, for each key, the seconds to the key before it and to the one after it; 1 where there is none.
fn spans(times: &[f32]) -> impl Iterator<Item = [f32; 2]> + '_ {
    let sound = |span: f32| if span > 0.0 && span.is_finite() { span } else { 1.0 };
    let time = |i: usize| times.get(i).copied();
    times.iter().enumerate().map(move |(i, here)| {
        let before = i.checked_sub(1).and_then(time).map_or(1.0, |t| sound(here - t));
        [before, time(i + 1).map_or(1.0, |t| sound(t - here))]
    })
}

/// Returns 1 or -1 for a rotation and the opposite for its negative, which is the same rotation: Blender may exchange them.
fn side(property: &Property, value: &[f32]) -> f32 {
    let negative = value.first_chunk().is_some_and(|rotation| is_negative(*rotation));
    if *property == Property::Rotation && negative { -1.0 } else { 1.0 }
}

/// Returns the tangents of cubic keys in steps of how far they lead until the next key, or in [`SHORTEST`]; `None` if they cannot be noted.
fn encode(channel: &Channel, times: &[f32]) -> Option<Value> {
    let width = channel.width();
    let mut out: Vec<u32> = Vec::with_capacity(times.len() * width * 2);
    for (key, spans) in channel.values.chunks_exact((width * 3).max(1)).zip(spans(times)) {
        let sign = side(&channel.property, key.get(width..width * 2)?);
        for (from, span) in [0, width * 2].into_iter().zip(spans) {
            for slope in key.get(from..from + width)? {
                let steps = (slope * span.max(SHORTEST) * sign / STEP).round();
                if steps.is_nan() || steps.abs() > 1e9 {
                    return None;
                }
                out.push(steps as i32 as u32);
            }
        }
    }
    Some(encode_u32s(&out))
}

/// Returns `true` if cubic keys have the tangents that Blender gives them by itself.
fn has_automatic_tangents(channel: &Channel) -> bool {
    channel.with_spline_tangents().is_some_and(|automatic| is_near(channel, &automatic))
}

/// Restores the tangents of cubic keys.
fn restore(channel: &mut Channel, tangents: &[u32]) {
    let width = channel.width();
    let cubic = channel.interpolation == Interpolation::Cubic;
    if tangents.len() != channel.times.len() * width * 2 || width == 0 || !cubic {
        return;
    }
    let keys = channel.values.chunks_exact_mut(width * 3).zip(tangents.chunks_exact(width * 2));
    for ((key, noted), spans) in keys.zip(spans(&channel.times)) {
        let sign = side(&channel.property, key.get(width..width * 2).unwrap_or(&[]));
        let parts = [0, width * 2].into_iter().zip(noted.chunks_exact(width)).zip(spans);
        // Between keys that are hardly apart, steps say nothing; those keys came back with their tangents.
        for ((from, noted), span) in parts.filter(|(_, span)| *span >= CLOSE) {
            let slots = key.get_mut(from..from + width).into_iter().flatten();
            let unit = STEP * sign / span.max(SHORTEST);
            slots.zip(noted).for_each(|(slot, steps)| *slot = *steps as i32 as f32 * unit);
        }
    }
}

/// Frames per second of Blender's scenes, unless they were changed.
const FRAMES: f32 = 24.0;

/// Returns a tangent as Blender exports it: rotations are moved along it for a frame, and made to have unit length there.
fn through_frame(value: &[f32], slope: &[f32]) -> Vec<f32> {
    let ahead: Vec<f32> = value.iter().zip(slope).map(|(v, s)| v + s / FRAMES).collect();
    let dot: f32 = ahead.iter().zip(value).map(|(a, v)| a * v).sum();
    let length =
        ahead.iter().map(|c| c * c).sum::<f32>().sqrt().max(1e-9) * if dot < 0.0 { -1.0 } else { 1.0 };
    ahead.iter().zip(value).map(|(a, v)| (a / length - v) * FRAMES).collect()
}

/// Returns a tangent of a scale as Blender exports it for bones: what is there after a frame is taken from a matrix, where all
/// three numbers have the sign of its determinant.
fn through_matrix(value: &[f32], slope: &[f32]) -> Vec<f32> {
    let ahead: Vec<f32> = value.iter().zip(slope).map(|(v, s)| v + s / FRAMES).collect();
    let sign = if ahead.iter().filter(|v| **v < 0.0).count() % 2 == 1 { -1.0 } else { 1.0 };
    ahead.iter().zip(value).map(|(a, v)| (a.abs() * sign - v) * FRAMES).collect()
}

/// Returns `true` if the tangents of two channels differ by little, compared with how far they lead.
fn is_near(a: &Channel, b: &Channel) -> bool {
    let width = a.width();
    let part = |key: &[f32], from: usize| -> Vec<f32> { key.get(from..from + width).unwrap_or(&[]).to_vec() };
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let turned = a.property == Property::Rotation;
    let scaled = a.property == Property::Scale && width == 3;
    // How far tangents lead, and how far they are apart.
    let (mut lead, mut apart) = (0.0f32, 0.0f32);
    let keys = a.values.chunks_exact(width * 3).zip(b.values.chunks_exact(width * 3)).zip(spans(&a.times));
    for ((a, b), spans) in keys {
        let value = part(a, width);
        // Keys of rotations may be negated.
        let sign = if turned && dot(&value, &part(b, width)) < 0.0 { -1.0 } else { 1.0 };
        for (from, span) in [0, width * 2].into_iter().zip(spans) {
            let (mut a, mut b) = (part(a, from), part(b, from));
            b.iter_mut().for_each(|v| *v *= sign);
            if turned {
                (a, b) = (through_frame(&value, &a), through_frame(&value, &b));
            } else if scaled {
                (a, b) = (through_matrix(&value, &a), through_matrix(&value, &b));
            }
            let off: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            let longest = |list: &[f32]| list.iter().fold(0.0f32, |most, v| most.max(v.abs())) * span;
            (lead, apart) = (lead.max(longest(&a)), apart.max(longest(&off)));
        }
    }
    let values = a.values.chunks_exact(width * 3).flat_map(|key| part(key, width));
    let size = values.fold(1e-3f32, |most, v| most.max(v.abs()));
    apart <= 1e-4 * size + 0.1 * lead
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotations_of(interpolation: Interpolation, times: &[f32], values: &[f32]) -> Channel {
        Channel::node(0, Property::Rotation, interpolation, times.to_vec(), values.to_vec())
    }

    fn noted(channel: &Channel) -> (Extras, Extras) {
        let (mut singles, mut note, mut own) = (Singles::default(), Extras::new(), Extras::new());
        singles.note(channel, &channel.times, "arm", &mut note);
        singles.put(&mut own);
        (own, note)
    }

    fn names() -> NameTables {
        let mut names = NameTables::default();
        names.nodes.insert("arm".into(), 0);
        names
    }

    #[test]
    fn single_keys_come_back() {
        for interpolation in [Interpolation::Linear, Interpolation::Step] {
            let one = rotations_of(interpolation, &[0.0], &[0.0, 0.0, -0.6, -0.8]);
            let (mut own, note) = noted(&one);
            let note = Value::Object(note);
            let singles = Noted::take(&mut own, &names());
            assert!(own.is_empty());
            let two = [0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 0.6, 0.8];
            let mut back = rotations_of(Interpolation::Step, &[0.0, 1.0], &two);
            singles.undo(&mut back, 0, Some(&note), &|_| ());
            assert_eq!(back, one);
            // A second key that was set in Blender stays.
            let edited =
                rotations_of(Interpolation::Linear, &[0.0, 1.0], &[0.0, 0.0, -0.6, -0.8, 1.0, 0.0, 0.0, 0.0]);
            let mut back = edited.clone();
            singles.undo(&mut back, 0, Some(&note), &|_| ());
            assert_eq!(back.times, edited.times);
        }
    }

    #[test]
    fn a_single_key_in_the_middle_has_its_time() {
        let one = Channel::node(0, Property::Scale, Interpolation::Linear, vec![0.4], vec![2.0; 3]);
        let (mut own, note) = noted(&one);
        let mut back = Channel::node(0, Property::Scale, Interpolation::Step, vec![0.4, 0.5], vec![2.0; 6]);
        Noted::take(&mut own, &names()).undo(&mut back, 0, Some(&Value::Object(note)), &|_| ());
        assert_eq!(back, one);
    }

    #[test]
    fn tangents_come_back_unless_they_were_shaped() {
        let values = [[9.0, 0.0, 1.0], [-3.0, 2.0, 4.0], [5.0, 1.0, -2.0]];
        let rows = values.into_iter().flat_map(|key| key.into_iter().flat_map(|v| [v, 0.0, v]));
        let channel = Channel::node(
            0,
            Property::Translation,
            Interpolation::Cubic,
            vec![0.0, 0.5, 1.5],
            rows.collect(),
        );
        let (mut own, note) = noted(&channel);
        let note = Value::Object(note);
        let singles = Noted::take(&mut own, &names());
        let mut back = channel.with_spline_tangents().expect("cubic");
        assert_ne!(back, channel);
        singles.undo(&mut back, 0, Some(&note), &|_| ());
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(near(&back.values, &channel.values), "{:?}", back.values);
        let mut shaped = channel.with_spline_tangents().expect("cubic");
        shaped.values[9] += 3.0;
        let before = shaped.clone();
        singles.undo(&mut shaped, 0, Some(&note), &|_| ());
        assert_eq!(shaped, before);
    }

    #[test]
    fn signs_of_rotations_come_back() {
        let values = [0.6, 0.0, 0.0, 0.8, 0.0, 0.6, 0.0, -0.8, 0.0, 0.0, 0.6, 0.8];
        let channel = rotations_of(Interpolation::Linear, &[0.0, 1.0, 2.0], &values);
        let (_, note) = noted(&channel);
        assert_eq!(note.get("negative"), Some(&encode_u32s(&[1, 1, 1])));
        let mut back = channel.clone();
        back.values.iter_mut().for_each(|v| *v = -*v);
        Noted::default().undo(&mut back, 0, Some(&Value::Object(note)), &|_| ());
        assert_eq!(back.values, channel.values);
    }

    #[test]
    fn rotations_come_back_with_their_lengths() {
        let values = [0.0, 0.0, 0.599, 0.799, 0.0, 0.6, 0.0, 0.8, -0.0171, -0.0032, -0.2988, 0.9531];
        let channel = rotations_of(Interpolation::Linear, &[0.0, 1.0, 2.0], &values);
        let (_, note) = noted(&channel);
        let note = Value::Object(note);
        let mut back = channel.clone();
        let (keys, _) = back.values.as_chunks_mut::<4>();
        keys.iter_mut().for_each(|key| {
            let length = length(*key);
            key.iter_mut().for_each(|c| *c /= length);
        });
        let unit = back.clone();
        Noted::default().undo(&mut back, 0, Some(&note), &|_| ());
        assert!(back.values.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-5), "{:?}", back.values);
        // Other keys are as they are.
        let mut more = unit.clone();
        more.times.push(3.0);
        more.values.extend([0.0, 0.0, 0.0, 1.0]);
        let before = more.clone();
        Noted::default().undo(&mut more, 0, Some(&note), &|_| ());
        assert_eq!(more, before);
        assert!(noted(&unit).1.get("lengths").is_none());
    }

    #[test]
    fn keys_that_are_hardly_apart_come_back() {
        let ulp = f32::from_bits(1);
        let rows = |list: &[f32]| list.iter().flat_map(|v| [*v; 3]).collect::<Vec<f32>>();
        let scale = |times: &[f32], list: &[f32]| {
            Channel::node(0, Property::Scale, Interpolation::Linear, times.to_vec(), rows(list))
        };
        let channel = scale(&[0.0, ulp, 0.5, 1.0, 1.0001], &[1.0, 2.0, 3.0, 4.0, 5.0]);
        let (_, note) = noted(&channel);
        let note = Value::Object(note);
        let mut back = scale(&[0.0, 0.5, 1.0], &[2.00001, 3.0, 4.0]);
        Noted::default().undo(&mut back, 0, Some(&note), &|_| ());
        assert_eq!(back, channel);
        // An edited key is what both are.
        let mut edited = scale(&[0.0, 0.5, 1.0], &[7.0, 3.0, 4.0]);
        Noted::default().undo(&mut edited, 0, Some(&note), &|_| ());
        assert_eq!(edited, scale(&[0.0, ulp, 0.5, 1.0, 1.0001], &[7.0, 7.0, 3.0, 4.0, 5.0]));
        // With keys that were added or removed, what is there stays.
        let more = scale(&[0.0, 0.25, 0.5, 1.0], &[2.0, 2.5, 3.0, 4.0]);
        let mut back = more.clone();
        Noted::default().undo(&mut back, 0, Some(&note), &|_| ());
        assert_eq!(back, more);
        // Two that become one are exported as two equal ones.
        let pair = scale(&[0.0, ulp], &[1.0, 1.0]);
        let (_, note) = noted(&pair);
        let mut back = scale(&[0.0, 1.0], &[1.0, 1.0]);
        Noted::default().undo(&mut back, 0, Some(&Value::Object(note)), &|_| ());
        assert_eq!(back, pair);
    }

    #[test]
    fn tangents_of_fast_rotations_come_back_from_points_a_frame_away() {
        // A turn of 5 rad in half a second: the exporter's point a frame ahead is far from the key.
        let times: Vec<f32> = (0..6).map(|i| i as f32 * 0.1).collect();
        let key = |i: usize| {
            let (sin, cos) = (i as f32 * 0.5).sin_cos();
            [0.0, sin, 0.0, cos]
        };
        let values: Vec<f32> = (0..6)
            .flat_map(|i| {
                let [x, y, z, w] = key(i);
                let slope = [5.0 * x, 5.0 * w, 5.0 * z, -5.0 * y];
                [slope, key(i), slope].concat()
            })
            .collect();
        let channel = rotations_of(Interpolation::Cubic, &times, &values);
        let (_, note) = noted(&channel);
        let mut back = channel.with_spline_tangents().expect("cubic");
        let (rows, _) = back.values.as_chunks_mut::<12>();
        for row in rows {
            let value = row[4..8].to_vec();
            for from in [0, 8] {
                let made = through_frame(&value, &row[from..from + 4]);
                row[from..from + 4].copy_from_slice(&made);
            }
            // Of some points the exporter has the other quaternion.
            if value[3] < 0.0 {
                (0..4).for_each(|i| row[8 + i] = -(row[8 + i] + 2.0 * value[i] * FRAMES));
            }
        }
        assert!(back.values.iter().any(|v| v.abs() > 40.0));
        Noted::default().undo(&mut back, 0, Some(&Value::Object(note)), &|_| ());
        let near = back.values.iter().zip(&channel.values).all(|(a, b)| (a.abs() - b.abs()).abs() < 1e-2);
        assert!(near, "{:?}", back.values);
    }

    #[test]
    fn tangents_of_scales_that_lead_below_nothing_come_back() {
        // The third number is negative a frame ahead, so Blender takes all three for negative there.
        let times = [0.0, 0.7, 0.76, 1.4, 1.8];
        let rows = [[1.0; 3], [1.0; 3], [0.44, 0.44, 0.3], [0.44, 0.44, 0.3], [1.0; 3]];
        let values: Vec<f32> = rows.iter().flat_map(|row| [[0.5; 3], *row, [-0.25; 3]].concat()).collect();
        let channel = Channel::node(0, Property::Scale, Interpolation::Cubic, times.to_vec(), values);
        let (_, note) = noted(&channel);
        let mut back = channel.with_spline_tangents().expect("cubic");
        let mut flipped = 0;
        for row in back.values.as_chunks_mut::<9>().0 {
            let value = row[3..6].to_vec();
            for from in [0, 6] {
                let made = through_matrix(&value, &row[from..from + 3]);
                flipped += usize::from(made.iter().zip(&row[from..]).any(|(a, b)| (a - b).abs() > 1.0));
                row[from..from + 3].copy_from_slice(&made);
            }
        }
        assert!(flipped > 0);
        Noted::default().undo(&mut back, 0, Some(&Value::Object(note)), &|_| ());
        let near = back.values.iter().zip(&channel.values).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(near, "{:?}", back.values);
    }

    #[test]
    fn cubic_keys_that_are_hardly_apart_come_back_with_their_tangents() {
        let times = [0.0, 0.5, 0.500_1, 1.0];
        let row = |slope: f32, value: f32| [[slope; 3], [value; 3], [slope; 3]].concat();
        let values = [row(0.5, 1.0), row(-0.25, 2.0), row(0.75, 2.5), row(0.25, 3.0)].concat();
        let channel = Channel::node(0, Property::Translation, Interpolation::Cubic, times.to_vec(), values);
        let (_, note) = noted(&channel);
        let mut back = channel.clone();
        back.times.remove(1);
        back.values.drain(9..18);
        let mut back = back.with_spline_tangents().expect("cubic");
        Noted::default().undo(&mut back, 0, Some(&Value::Object(note)), &|_| ());
        assert_eq!(back.times, channel.times);
        let near = back.values.iter().zip(&channel.values).all(|(a, b)| (a - b).abs() < 0.4);
        assert!(near, "{:?}", back.values);
        assert_eq!(back.values[12..15], [2.0; 3]);
    }
}
