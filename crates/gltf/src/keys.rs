//! What Blender changes about keys, and how reading undoes it.
//!
//! * A single key is exported as two equal ones. Clips note the names of nodes with a `single` key at 0 by property, and `single_step`
//!   for those of steps; channels with one elsewhere note its time.
//! * Of the two quaternions of a rotation, one is exported. Channels note the keys that had the other as `negative`.
//! * Tangents of cubic keys are not imported, and computed again. Channels note them.

use foldhash::HashMap;
use galatea_scene::{
    Channel, Extras, Interpolation, Property, Value, decode_u32s, encode_u32s, float, read_float,
};

use crate::blender::{is_negative, place_of};
use crate::read::NameTables;

/// The precision of noted tangents.
const STEP: f32 = 1.0 / 32768.0;

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
        if channel.interpolation == Interpolation::Cubic {
            if let Some(tangents) = encode(channel, times) {
                note.insert("tangents", tangents);
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

    /// Undoes what Blender did to the keys of a channel.
    pub(crate) fn undo(&self, channel: &mut Channel, node: u32, note: Option<&Value>) {
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
        } else if let Some(tangents) = note.and_then(|note| note.get("tangents")).and_then(decode_u32s) {
            restore(channel, &tangents);
        }
        let runs = note.and_then(|note| note.get("negative")).and_then(decode_u32s);
        negate(channel, &runs.unwrap_or_default());
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
    let near =
        |row: &[f32], sign: f32| row.iter().zip(first).all(|(a, b)| (a * sign - b).abs() <= 1e-5 * size);
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

/// Returns the tangents of cubic keys in steps of how far they lead until the next key; `None` if they cannot be noted.
fn encode(channel: &Channel, times: &[f32]) -> Option<Value> {
    let width = channel.width();
    let mut out: Vec<u32> = Vec::with_capacity(times.len() * width * 2);
    for (key, spans) in channel.values.chunks_exact((width * 3).max(1)).zip(spans(times)) {
        let sign = side(&channel.property, key.get(width..width * 2)?);
        for (from, span) in [0, width * 2].into_iter().zip(spans) {
            for slope in key.get(from..from + width)? {
                let steps = (slope * span * sign / STEP).round();
                if steps.is_nan() || steps.abs() > 1e9 {
                    return None;
                }
                out.push(steps as i32 as u32);
            }
        }
    }
    Some(encode_u32s(&out))
}

/// Restores the tangents of cubic keys, unless they have others than Blender gives them by itself.
fn restore(channel: &mut Channel, tangents: &[u32]) {
    let width = channel.width();
    if tangents.len() != channel.times.len() * width * 2 || width == 0 {
        return;
    }
    let Some(automatic) = channel.with_spline_tangents() else { return };
    if !is_near(channel, &automatic) {
        return;
    }
    let keys = channel.values.chunks_exact_mut(width * 3).zip(tangents.chunks_exact(width * 2));
    for ((key, noted), spans) in keys.zip(spans(&channel.times)) {
        let sign = side(&channel.property, key.get(width..width * 2).unwrap_or(&[]));
        for ((from, noted), span) in [0, width * 2].into_iter().zip(noted.chunks_exact(width)).zip(spans) {
            let slots = key.get_mut(from..from + width).into_iter().flatten();
            slots.zip(noted).for_each(|(slot, steps)| *slot = *steps as i32 as f32 * STEP * sign / span);
        }
    }
}

/// Returns `true` if the tangents of two channels differ by little, compared with how far they lead.
fn is_near(a: &Channel, b: &Channel) -> bool {
    let width = a.width();
    let part = |key: &[f32], from: usize| -> Vec<f32> { key.get(from..from + width).unwrap_or(&[]).to_vec() };
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    // How far tangents lead, and how far they are apart.
    let (mut lead, mut apart) = (0.0f32, 0.0f32);
    let keys = a.values.chunks_exact(width * 3).zip(b.values.chunks_exact(width * 3)).zip(spans(&a.times));
    for ((a, b), spans) in keys {
        let value = part(a, width);
        // Keys of rotations may be negated.
        let sign = if width == 4 && dot(&value, &part(b, width)) < 0.0 { -1.0 } else { 1.0 };
        for (from, span) in [0, width * 2].into_iter().zip(spans) {
            let (a, b) = (part(a, from), part(b, from));
            let mut off: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a - b * sign).collect();
            if width == 4 {
                // Blender keeps rotations at unit length.
                let along = dot(&off, &value) / dot(&value, &value).max(1e-9);
                off.iter_mut().zip(&value).for_each(|(off, v)| *off -= v * along);
            }
            let longest = |list: &[f32]| list.iter().fold(0.0f32, |most, v| most.max(v.abs())) * span;
            (lead, apart) = (lead.max(longest(&a)), apart.max(longest(&off)));
        }
    }
    let size = a.values.iter().fold(1e-3f32, |most, v| most.max(v.abs()));
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
            singles.undo(&mut back, 0, Some(&note));
            assert_eq!(back, one);
            // A second key that was set in Blender stays.
            let edited =
                rotations_of(Interpolation::Linear, &[0.0, 1.0], &[0.0, 0.0, -0.6, -0.8, 1.0, 0.0, 0.0, 0.0]);
            let mut back = edited.clone();
            singles.undo(&mut back, 0, Some(&note));
            assert_eq!(back.times, edited.times);
        }
    }

    #[test]
    fn a_single_key_in_the_middle_has_its_time() {
        let one = Channel::node(0, Property::Scale, Interpolation::Linear, vec![0.4], vec![2.0; 3]);
        let (mut own, note) = noted(&one);
        let mut back = Channel::node(0, Property::Scale, Interpolation::Step, vec![0.4, 0.5], vec![2.0; 6]);
        Noted::take(&mut own, &names()).undo(&mut back, 0, Some(&Value::Object(note)));
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
        singles.undo(&mut back, 0, Some(&note));
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(near(&back.values, &channel.values), "{:?}", back.values);
        let mut shaped = channel.with_spline_tangents().expect("cubic");
        shaped.values[9] += 3.0;
        let before = shaped.clone();
        singles.undo(&mut shaped, 0, Some(&note));
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
        Noted::default().undo(&mut back, 0, Some(&Value::Object(note)));
        assert_eq!(back.values, channel.values);
    }
}
