//! From glTF to the scene: clips.

use std::collections::HashMap;

use galatea_scene::{Channel, Clip, Extras, Interpolation, Property, Target, Value, read_float};
use galatea_wire::{Error, Loss, Result};

use super::tree::Tree;
use super::{NameTables, brief, extras_of, key_of, take_name};
use crate::accessor::{Document, few_members, whole, wrong};
use crate::keys::Noted;
use crate::{animated, blender, constraints, typed};

/// Takes the notes about clips out of the scene's extras, by their keys.
pub(crate) fn notes(scene: &mut Extras) -> HashMap<String, Extras> {
    let Some(Value::Array(list)) = scene.remove("clips") else { return HashMap::new() };
    let one = |note: Value| match note {
        Value::Object(mut map) => Some((map.remove("clip")?.as_str()?.to_owned(), map)),
        _ => None,
    };
    list.into_iter().filter_map(one).collect()
}

pub(crate) fn read(
    document: &Document<'_>,
    value: &Value,
    tree: &Tree,
    names: &NameTables,
    notes: &mut HashMap<String, Extras>,
    losses: &mut Vec<Loss>,
) -> Result<Clip> {
    let mut extras = extras_of(value);
    // A note belongs to one clip, so clips that share a name cannot multiply it.
    if let Some(note) = notes.remove(key_of(value)) {
        extras.extend(note);
    }
    let mut clip = Clip { name: take_name(value, &mut extras, "clip"), ..Clip::default() };
    let stand_in = extras.remove("stand_in").is_some();
    let singles = Noted::take(&mut extras, names);
    let is_blenders = blender::wrote(document.root);
    let notes = extras.remove("channels");
    let mut notes = channel_notes(notes.as_ref(), names);
    let samplers = value.get("samplers").and_then(Value::as_array).map_or(&[][..], |l| l);
    for (i, sampler) in samplers.iter().enumerate() {
        few_members(document.place, sampler).map_err(|e| e.within(format!("samplers[{i}]")))?;
    }
    let channels = value.get("channels").and_then(Value::as_array).map_or(&[][..], |l| l);
    let mut last = 0.0f32;
    for (i, channel) in channels.iter().enumerate() {
        let inside = |e: Error| e.within(format!("channels[{i}]"));
        let target = channel.get("target").unwrap_or(&Value::Null);
        let Some((node, property)) = read_target(document, target, tree).map_err(inside)? else {
            let path = target.get("path").and_then(Value::as_str).unwrap_or("nothing");
            let (name, path) = (brief(&clip.name), brief(path));
            losses.push(Loss::new(format!("clip {name:?}"), format!("a channel that moves {path}")));
            continue;
        };
        // A clip has one channel for each property, so a note is used once.
        let note = blender::place_of(&property).and_then(|place| notes.remove(&(node, place)));
        let sampler = channel.get("sampler").and_then(whole).and_then(|s| samplers.get(s));
        let sampler = sampler.ok_or_else(|| {
            inside(wrong(document.place, "the index of a sampler", "another").within("sampler"))
        })?;
        let mut read = read_sampler(document, sampler, property, node, note).map_err(inside)?;
        last = last.max(read.1);
        if is_blenders {
            singles.undo(&mut read.0, node, note, &|channel| restore_forbidden(channel, note, true));
        }
        // What was baked for viewers follows from the rest.
        if note.is_none_or(|note| note.get("baked").is_none()) {
            clip.channels.push(read.0);
        }
    }
    if stand_in && channels.len() == 1 {
        clip.channels.clear();
        last = 0.0;
    }
    let told = extras.remove("length");
    clip.length = told.as_ref().and_then(read_float).unwrap_or(last);
    let playback = extras.remove("playback");
    clip.playback = typed::read_playback(playback.as_ref().and_then(Value::as_str).unwrap_or(""));
    let events = extras.remove("events");
    let events = events.as_ref().and_then(Value::as_array).into_iter().flatten();
    for (mut event, node) in events.filter_map(typed::read_event) {
        event.node = node.and_then(|n| names.find("node", n));
        clip.events.push(event);
    }
    let curves = extras.remove("curves");
    let curves = curves.as_ref().and_then(Value::as_array).into_iter().flatten();
    clip.channels.extend(curves.filter_map(|c| typed::read_curve(c, |kind, name| names.find(kind, name))));
    clip.extras = extras;
    Ok(clip)
}

/// Returns notes about channels, by node and part of its transform.
fn channel_notes<'v>(notes: Option<&'v Value>, names: &NameTables) -> HashMap<(u32, usize), &'v Value> {
    let word = |note: &'v Value, key: &str| note.get(key).and_then(Value::as_str).unwrap_or("");
    let key = |note: &'v Value| {
        let place = blender::place_of(&Property::by_name(word(note, "property")))?;
        Some((names.find("node", word(note, "node"))?, place))
    };
    let list = notes.and_then(Value::as_array).into_iter().flatten();
    list.rev().filter_map(|note| Some((key(note)?, note))).collect()
}

fn read_target(document: &Document<'_>, target: &Value, tree: &Tree) -> Result<Option<(u32, Property)>> {
    let property = match target.get("path").and_then(Value::as_str) {
        Some("translation") => Property::Translation,
        Some("rotation") => Property::Rotation,
        Some("scale") => Property::Scale,
        _ => return Ok(None),
    };
    let node = document.index(target, "node", "nodes").map_err(|e| e.within("target"))?;
    Ok(node.and_then(|n| tree.id(n)).map(|n| (n, property)))
}

fn read_sampler(
    document: &Document<'_>,
    sampler: &Value,
    property: Property,
    node: u32,
    note: Option<&Value>,
) -> Result<(Channel, f32)> {
    let missing = |key| wrong(document.place, "an accessor", "nothing").within(key);
    let input = document.index(sampler, "input", "accessors")?.ok_or_else(|| missing("input"))?;
    let output = document.index(sampler, "output", "accessors")?.ok_or_else(|| missing("output"))?;
    let interpolation =
        typed::read_interpolation(sampler.get("interpolation").and_then(Value::as_str).unwrap_or(""));
    let cubic = interpolation == Interpolation::Cubic;
    let (_, width) = animated::path(&property).unwrap_or(("", 1));
    let times = document.floats(input, 1).map_err(|e| e.within("input"))?;
    let values = document.floats(output, width).map_err(|e| e.within("output"))?;
    let want = times.len() * width * if cubic { 3 } else { 1 };
    if values.len() != want {
        let found = format!("{} numbers for {} keys", values.len(), times.len());
        return Err(wrong(document.place, "a value for each key", found).within("output"));
    }
    let end = times.iter().copied().fold(0.0f32, f32::max);
    let mut extras = Extras::default();
    if let Some(note) = note {
        extras = note.get("extras").and_then(Value::as_object).cloned().unwrap_or_default();
    }
    let target = Target::Node(node);
    let mut channel = Channel { target, property, interpolation, times, values, extras };
    if !blender::wrote(document.root) {
        restore_forbidden(&mut channel, note, false);
    }
    Ok((channel, end))
}

/// Restores times and values that glTF forbids, unless they were edited. Programs round.
fn restore_forbidden(channel: &mut Channel, note: Option<&Value>, rounded: bool) {
    if let Some(differences) = note.and_then(|note| note.get("times")) {
        restore_times(&mut channel.times, differences, if rounded { 1e-4 } else { 0.0 });
    }
    if let Some(differences) = note.and_then(|note| note.get("values")) {
        let parts = if channel.interpolation == Interpolation::Cubic { 3 } else { 1 };
        let (path, width) = animated::path(&channel.property).unwrap_or(("", 1));
        let close = if rounded { 1e-5 } else { 0.0 };
        restore_values(&mut channel.values, differences, path, [width, parts], close);
    }
}

/// Restores times, all of them, or none if one was edited: if replacing them again gives what is there, up to a tolerance.
fn restore_times(times: &mut Vec<f32>, differences: &Value, close: f32) {
    let mut was = times.clone();
    galatea_scene::each_ulp_delta(differences, 1, |row, steps| {
        if let (Some(slot), Some(step)) = (was.get_mut(row), steps.first()) {
            *slot = f32::from_bits(slot.to_bits().wrapping_add(*step));
        }
    });
    let again = constraints::times(&was).unwrap_or_else(|| was.clone());
    let near = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || (a - b).abs() <= close;
    if again.len() == times.len() && again.iter().zip(times.iter()).all(near) {
        *times = was;
    }
}

/// Restores values that glTF forbids, unless they were edited: if replacing them again gives what is there, up to a tolerance.
fn restore_values(
    values: &mut [f32],
    differences: &Value,
    path: &str,
    [width, parts]: [usize; 2],
    close: f32,
) {
    galatea_scene::each_ulp_delta(differences, width, |row, steps| {
        let Some(from) = row.checked_mul(width) else { return };
        let Some(slot) = values.get_mut(from..).and_then(|v| v.get_mut(..width)) else { return };
        let was = slot.iter().zip(steps).map(|(v, s)| f32::from_bits(v.to_bits().wrapping_add(*s)));
        let was: Vec<f32> = was.collect();
        let mut again = was.clone();
        // Of cubic keys, tangents must only be finite.
        let path = if parts == 3 && row % 3 != 1 { "tangent" } else { path };
        animated::replace_forbidden(&mut again, path, false);
        let near = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || (a - b).abs() <= close;
        if again.iter().zip(slot.iter()).all(near) {
            slot.copy_from_slice(&was);
        }
    });
}
