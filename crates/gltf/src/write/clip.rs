//! From the scene to glTF: clips.

use std::borrow::Cow;

use galatea_scene::{Channel, Clip, Extras, Interpolation, Property, Target, Value, float};
use galatea_text::push_int;

use super::{Context, clip_channels, put_all, put_extras, put_name};
use crate::bin::{Component, Kind, Shape, put_floats};
use crate::constraints::Rule as _;
use crate::json::{List, push_literal};
use crate::{blender, constraints, names, typed};

/// A channel as glTF has it.
struct Written {
    node: u32,
    path: &'static str,
    interpolation: Interpolation,
    input: u32,
    output: u32,
}

/// The animations, and what the scene's extras tell of them.
pub(crate) fn write(cx: &mut Context<'_>) -> (List, List) {
    let scene = cx.scene;
    let unique = names::unique(scene.clips.iter().map(|c| c.name.as_str()), "clip");
    let (mut list, mut notes) = (List::with_capacity(clip_channels(scene) * 96), List::default());
    let mut taken = vec![[false; 3]; scene.nodes.len()];
    for (clip, name) in scene.clips.iter().zip(&unique) {
        taken.fill([false; 3]);
        write_one(cx, &mut list, clip, name, &mut notes, &mut taken);
    }
    (list, notes)
}

/// Numbers of one value, for the properties that glTF can move.
pub(crate) fn path(property: &Property) -> Option<(&'static str, usize)> {
    Some(match property {
        Property::Translation => ("translation", 3),
        Property::Rotation => ("rotation", 4),
        Property::Scale => ("scale", 3),
        _ => return None,
    })
}

fn write_one(
    cx: &mut Context<'_>,
    list: &mut List,
    clip: &Clip,
    name: &str,
    notes_of_clips: &mut List,
    taken: &mut [[bool; 3]],
) {
    let mut own = Extras::default();
    let mut written = Vec::with_capacity(clip.channels.len());
    let (mut curves, mut notes) = (List::default(), Vec::new());
    let mut last = 0.0f32;
    for channel in &clip.channels {
        match write_channel(cx, channel, taken) {
            Some((channel_written, end, note)) => {
                last = last.max(end);
                written.push(channel_written);
                notes.extend(note);
            }
            None => {
                if let Some(name) = cx.name_of(channel.target) {
                    curves.push(|o| typed::put_curve(o, channel, name));
                }
            }
        }
    }
    if written.is_empty() {
        // An animation needs a channel. This one holds the first node where it is anyway.
        let Some(root) = cx.scene.nodes.first() else { return };
        let place = constraints::finite(root.transform.translation);
        let input = keys(cx, &[0.0], 1, true);
        let output = keys(cx, &place, 3, false);
        written.push(Written {
            node: 0,
            path: "translation",
            interpolation: Interpolation::Step,
            input,
            output,
        });
        own.insert("stand_in", true);
    }
    if clip.length.to_bits() != last.to_bits() {
        own.insert("length", float(clip.length));
    }
    if clip.playback != galatea_scene::Playback::Loop {
        own.insert("playback", typed::playback(clip.playback));
    }
    let events: Vec<Value> = clip
        .events
        .iter()
        .map(|e| typed::event(e, e.node.and_then(|n| cx.name_of(Target::Node(n)))))
        .collect();
    for (key, list) in [("events", events), ("channels", notes)] {
        if !list.is_empty() {
            own.insert(key, Value::Array(list));
        }
    }
    list.push(|o| {
        put_name(o, &mut own, &clip.name, name);
        // In as few pieces as can be: there are hundreds.
        o.each("samplers", &written, |out, w| {
            push_literal(out, "{\"input\":");
            push_int(out, w.input);
            push_literal(out, ",\"output\":");
            push_int(out, w.output);
            match w.interpolation {
                Interpolation::Linear => push_literal(out, "}"),
                Interpolation::Step => push_literal(out, ",\"interpolation\":\"STEP\"}"),
                Interpolation::Cubic => push_literal(out, ",\"interpolation\":\"CUBICSPLINE\"}"),
            }
        });
        o.each("channels", written.iter().enumerate(), |out, (sampler, w)| {
            push_literal(out, "{\"sampler\":");
            push_int(out, sampler as u32);
            push_literal(out, ",\"target\":{\"node\":");
            push_int(out, w.node);
            push_literal(out, ",\"path\":\"");
            push_literal(out, w.path);
            push_literal(out, "\"}}");
        });
        // Blender keeps nothing of an animation but its name: the scene has its extras.
        let foreign = clip.extras.get(typed::FOREIGN).map(|foreign| (typed::FOREIGN, foreign.clone()));
        let mut key = Extras::new();
        let told = clip.extras.len() > usize::from(foreign.is_some());
        if told || !own.is_empty() || curves.count > 0 {
            own.insert("clip", name.to_owned());
            key.insert("key", name.to_owned());
            notes_of_clips.push(|o| put_all(o, &clip.extras, &own, &[("curves", &curves)]));
        }
        put_extras(o, &foreign.into_iter().collect(), &key);
    });
}

fn write_channel(
    cx: &mut Context<'_>,
    channel: &Channel,
    taken: &mut [[bool; 3]],
) -> Option<(Written, f32, Option<Value>)> {
    let Target::Node(node) = channel.target else { return None };
    let (path, width) = path(&channel.property)?;
    let cubic = channel.interpolation == Interpolation::Cubic;
    let per_key = if cubic { width * 3 } else { width };
    let count = channel.times.len();
    let enough = if cubic { 2 } else { 1 };
    if count < enough || channel.values.len() != count * per_key {
        return None;
    }
    // Nodes that are not there have no place, either.
    let slot = taken.get_mut(node as usize)?.get_mut(blender::place_of(&channel.property)?)?;
    if std::mem::replace(slot, true) {
        return None;
    }
    let mut note = Extras::default();
    let fixed_times = constraints::times(&channel.times);
    if let Some(fixed) = &fixed_times {
        note.insert("times", constraints::differences(&channel.times, fixed, 1));
    }
    let times = fixed_times.as_deref().unwrap_or(&channel.times);
    let values = if are_allowed(&channel.values, path, cubic) {
        Cow::Borrowed(&channel.values)
    } else {
        let mut values = channel.values.clone();
        allowed_values(&mut values, path, cubic);
        note.insert("values", constraints::differences(&channel.values, &values, width));
        Cow::Owned(values)
    };
    if !channel.extras.is_empty() {
        note.insert("extras", channel.extras.clone());
    }
    let end = times.last().copied().unwrap_or(0.0);
    let input = keys(cx, times, 1, true);
    let output = keys(cx, &values, width, false);
    let note = (!note.is_empty()).then(|| {
        note.insert("node", cx.name_of(channel.target).unwrap_or("").to_owned());
        note.insert("property", path);
        Value::Object(note)
    });
    Some((Written { node, path, interpolation: channel.interpolation, input, output }, end, note))
}

/// Whether glTF allows these values as they are.
fn are_allowed(values: &[f32], path: &str, cubic: bool) -> bool {
    let finite = values.iter().fold(true, |all, v| all & v.is_finite());
    let mut rotations = values.as_chunks().0.iter().enumerate().filter(|(i, _)| !cubic || i % 3 == 1);
    finite && (path != "rotation" || rotations.all(|(_, v)| constraints::Rotation::holds(v)))
}

/// Values as glTF allows them.
pub(crate) fn allowed_values(values: &mut [f32], path: &str, cubic: bool) {
    values.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 0.0);
    if path == "rotation" {
        for (i, value) in values.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            // Of cubic keys only the middle is a rotation.
            if !cubic || i % 3 == 1 {
                *value = constraints::rotation(*value);
            }
        }
    }
}

fn keys(cx: &mut Context<'_>, values: &[f32], width: usize, times: bool) -> u32 {
    let bounds = [values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0)];
    let [low, high] = &bounds;
    let shape = Shape {
        component: Component::F32,
        width,
        count: values.len() / width.max(1),
        normalized: false,
        bounds: times.then_some((std::slice::from_ref(low), std::slice::from_ref(high))),
    };
    cx.bin.accessor(Kind::Keys, &shape, |out| put_floats(out, values))
}
