//! From the scene to glTF: clips.

use std::borrow::Cow;

use galatea_scene::{Channel, Clip, Event, Extras, Interpolation, Playback, Target, Value, float};
use galatea_text::push_int;

use super::{Context, clip_channels, put_all, put_extras, put_name};
use crate::bin::{Component, Kind, Shape, put_floats};
use crate::json::{List, push_literal};
use crate::keys::Singles;
use crate::{animated, blender, constraints, names, typed};

/// A channel as glTF has it.
struct Written {
    node: u32,
    path: &'static str,
    interpolation: Interpolation,
    input: u32,
    output: u32,
}

/// Writes the animations, and notes about them for the extras of the scene.
pub(crate) fn write(cx: &mut Context<'_>) -> (List, List) {
    let scene = cx.scene;
    let unique = names::unique(scene.clips.iter().map(|c| c.name.as_str()), "clip");
    let (mut list, mut notes) = (List::with_capacity(clip_channels(scene) * 96), List::default());
    let mut taken = vec![[false; 3]; scene.nodes.len()];
    let baked = scene.viewer_channels();
    for (id, ((clip, baked), name)) in scene.clips.iter().zip(&baked).zip(&unique).enumerate() {
        taken.fill([false; 3]);
        write_one(cx, &mut list, [baked, &clip.channels], (id, clip), name, &mut notes, &mut taken);
    }
    (list, notes)
}

fn write_one(
    cx: &mut Context<'_>,
    list: &mut List,
    [baked, channels]: [&[Channel]; 2],
    (id, clip): (usize, &Clip),
    name: &str,
    notes_of_clips: &mut List,
    taken: &mut [[bool; 3]],
) {
    let mut parts = Parts::default();
    // What is baked takes the place of the clip's own channels, which then are curves in extras.
    let channels = baked.iter().map(|c| (c, true)).chain(channels.iter().map(|c| (c, false)));
    for (channel, is_baked) in channels {
        match write_channel(cx, channel, taken, is_baked, &mut parts.singles) {
            Some((written, end, note)) => {
                // The length of a clip whose own keys end early is kept exactly.
                parts.end = if is_baked { parts.end } else { parts.end.max(end) };
                parts.written.push(written);
                parts.notes.extend(note);
            }
            None => {
                if let Some(name) = cx.name_of(channel.target).filter(|_| !is_baked) {
                    parts.curves.push(|o| typed::put_curve(o, channel, name));
                }
            }
        }
    }
    let mut own = Extras::default();
    if parts.written.is_empty() {
        let Some(stand_in) = stand_in(cx) else { return };
        parts.written.push(stand_in);
        own.insert("stand_in", true);
    }
    add_own_fields(&mut own, cx, clip, &mut parts);
    cx.put_origin(&mut own, id);
    list.push(|o| {
        put_name(o, &mut own, &clip.name, name);
        o.each("samplers", &parts.written, push_sampler);
        o.each("channels", parts.written.iter().enumerate(), push_channel);
        // Blender keeps only the name of an animation, so its extras are in those of the scene.
        let foreign = clip.extras.get(typed::FOREIGN).map(|foreign| (typed::FOREIGN, foreign.clone()));
        let mut key = Extras::new();
        let has_extras = clip.extras.len() > usize::from(foreign.is_some());
        if has_extras || !own.is_empty() || parts.curves.count > 0 {
            own.insert("clip", name.to_owned());
            key.insert("key", name.to_owned());
            notes_of_clips.push(|o| put_all(o, &clip.extras, &own, &[("curves", &parts.curves)]));
        }
        put_extras(o, &foreign.into_iter().collect(), &key);
    });
}

/// What becomes of the channels of a clip.
#[derive(Default)]
struct Parts {
    written: Vec<Written>,
    /// Time of the last key.
    end: f32,
    /// Notes about channels whose values had to be replaced.
    notes: Vec<Value>,
    /// Nodes with a single key.
    singles: Singles,
    /// Channels that glTF does not have, for extras.
    curves: List,
}

/// Returns a channel that holds the first node where it is, for clips without any: an animation needs one.
fn stand_in(cx: &mut Context<'_>) -> Option<Written> {
    let place = constraints::finite(cx.scene.nodes.first()?.transform.translation);
    let input = keys(cx, &[0.0], 1, true);
    let output = keys(cx, &place, 3, false);
    Some(Written { node: 0, path: "translation", interpolation: Interpolation::Step, input, output })
}

/// Adds the fields of a clip that glTF does not have.
fn add_own_fields(own: &mut Extras, cx: &Context<'_>, clip: &Clip, parts: &mut Parts) {
    if clip.length.to_bits() != parts.end.to_bits() {
        own.insert("length", float(clip.length));
    }
    if clip.playback != Playback::Loop {
        own.insert("playback", clip.playback.name());
    }
    let node_of = |event: &Event| event.node.and_then(|n| cx.name_of(Target::Node(n)));
    let events: Vec<Value> = clip.events.iter().map(|e| typed::event(e, node_of(e))).collect();
    std::mem::take(&mut parts.singles).put(own);
    for (key, list) in [("events", events), ("channels", std::mem::take(&mut parts.notes))] {
        if !list.is_empty() {
            own.insert(key, Value::Array(list));
        }
    }
}

fn push_sampler(out: &mut Vec<u8>, written: &Written) {
    push_literal(out, "{\"input\":");
    push_int(out, written.input);
    push_literal(out, ",\"output\":");
    push_int(out, written.output);
    match written.interpolation {
        Interpolation::Linear => push_literal(out, "}"),
        Interpolation::Step => push_literal(out, ",\"interpolation\":\"STEP\"}"),
        Interpolation::Cubic => push_literal(out, ",\"interpolation\":\"CUBICSPLINE\"}"),
    }
}

fn push_channel(out: &mut Vec<u8>, (sampler, written): (usize, &Written)) {
    push_literal(out, "{\"sampler\":");
    push_int(out, sampler);
    push_literal(out, ",\"target\":{\"node\":");
    push_int(out, written.node);
    push_literal(out, ",\"path\":\"");
    push_literal(out, written.path);
    push_literal(out, "\"}}");
}

fn write_channel(
    cx: &mut Context<'_>,
    channel: &Channel,
    taken: &mut [[bool; 3]],
    is_baked: bool,
    singles: &mut Singles,
) -> Option<(Written, f32, Option<Value>)> {
    let Target::Node(node) = channel.target else { return None };
    let (path, width) = animated::path(&channel.property)?;
    let cubic = channel.interpolation == Interpolation::Cubic;
    let per_key = if cubic { width * 3 } else { width };
    let count = channel.times.len();
    let enough = if cubic { 2 } else { 1 };
    if count < enough || channel.values.len() != count * per_key {
        return None;
    }
    // This also leaves out nodes that do not exist.
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
    let values = if animated::are_allowed(&channel.values, path, cubic) {
        Cow::Borrowed(&channel.values)
    } else {
        let mut values = channel.values.clone();
        animated::replace_forbidden(&mut values, path, cubic);
        note.insert("values", constraints::differences(&channel.values, &values, width));
        Cow::Owned(values)
    };
    if !channel.extras.is_empty() {
        note.insert("extras", channel.extras.clone());
    }
    match is_baked {
        true => note = Extras::from_iter([("baked", true.into())]),
        false => singles.note(channel, times, cx.name_of(channel.target).unwrap_or(""), &mut note),
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
