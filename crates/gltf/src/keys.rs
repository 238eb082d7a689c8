//! What Blender changes about keys, and how reading undoes it.
//!
//! * A single key is exported as two equal ones. Clips note the names of nodes with a `single` key at 0 by property, and `single_step`
//!   for those of steps; channels with one elsewhere note its time.
//! * Tangents of cubic keys are not imported, and computed again. Channels note them.

use foldhash::HashMap;
use galatea_scene::{
    Channel, Extras, Interpolation, Property, Value, decode_u32s, encode_u32s, float, read_float,
};

use crate::blender::place_of;
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
            return;
        }
        if let Some(tangents) = note.and_then(|note| note.get("tangents")).and_then(decode_u32s) {
            restore(channel, &tangents);
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

/// Returns, for each key, the seconds to the key before it and to the one behind it; 1 where there is none.
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
    // Any direction does that no ordinary rotation is perpendicular to.
    let toward = [0.618_034, 0.414_214, 0.302_776, 0.236_068];
    let dot: f32 = value.iter().zip(toward).map(|(a, b)| a * b).sum();
    if *property == Property::Rotation && dot < 0.0 { -1.0 } else { 1.0 }
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
    let Some(automatic) = channel.with_automatic_tangents() else { return };
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

/// Returns `true` if the tangents of two channels differ by little, compared with how far the keys are apart.
fn is_near(a: &Channel, b: &Channel) -> bool {
    let width = a.width();
    let size = a
        .values
        .chunks_exact(width.max(1))
        .skip(1)
        .step_by(3)
        .flatten()
        .fold(1e-3f32, |most, v| most.max(v.abs()));
    let keys = a.values.chunks_exact(width * 3).zip(b.values.chunks_exact(width * 3)).zip(spans(&a.times));
    keys.into_iter().all(|((a, b), spans)| {
        // Keys of rotations may be negated.
        let value = |key: &[f32]| key.get(width..width * 2).unwrap_or(&[]).to_vec();
        let dot: f32 = value(a).iter().zip(value(b)).map(|(a, b)| a * b).sum();
        let sign = if width == 4 && dot < 0.0 { -1.0 } else { 1.0 };
        [0, width * 2].into_iter().zip(spans).all(|(from, span)| {
            let part = |key: &[f32]| key.get(from..from + width).unwrap_or(&[]).to_vec();
            let off = part(a).into_iter().zip(part(b)).map(|(a, b)| (a - b * sign).abs() * span);
            off.fold(0.0, f32::max) <= 1e-2 * size
        })
    })
}
