//! Animations to the scene.
//!
//! A position key of an animation is relative to the rest position; in the scene it is absolute. The sum is rounded, so
//! the difference from the exact key is stored in units of the last place.

use foldhash::HashSet;
use galatea_scene::{
    Channel, Clip, Event as SceneEvent, Extras, Interpolation as SceneInterpolation, Property, Target, Value,
};

use super::node::{put_controllers, put_parts};
use super::{ToScene, scene_id};
use crate::extra::{json, latin, put, ulp_deltas, wrap};
use crate::mdl::scene::{
    ALPHA, LIGHT_COLOR, LIGHT_MULTIPLIER, LIGHT_RADIUS, ORIENTATION, POSITION, SCALE, SELF_ILLUMINATION,
    put_fields,
};
use crate::mdl::{
    Animation, Event, Interpolation, Model, Node, NodeId, Track, pack_quaternion, unpack_quaternion,
};

/// Returns the seconds before and after each key, for tangents; 1 at the ends.
pub(in crate::mdl::scene) fn spans(times: &[f32]) -> Vec<[f32; 2]> {
    let sound = |span: f32| if span > 0.0 && span.is_finite() { span } else { 1.0 };
    let time = |i: usize| times.get(i).copied();
    (0..times.len())
        .map(|i| {
            let here = time(i).unwrap_or(0.0);
            let before = i.checked_sub(1).and_then(time).map_or(1.0, |t| sound(here - t));
            [before, time(i + 1).map_or(1.0, |t| sound(t - here))]
        })
        .collect()
}

/// Returns position keys as absolute positions, linear or cubic with tangents per second.
fn places(track: &Track<'_>, rest: [f32; 3]) -> Vec<f32> {
    let add = |key: &[f32]| key.iter().zip(rest).map(|(k, r)| r + k).collect::<Vec<f32>>();
    if track.interpolation != Interpolation::Bezier {
        return track.values.chunks_exact(3).flat_map(add).collect();
    }
    let mut out = Vec::with_capacity(track.values.len());
    for (key, [before, after]) in track.values.chunks_exact(9).zip(spans(track.times)) {
        let part = |i: usize| key.get(i * 3..i * 3 + 3).unwrap_or(&[]);
        out.extend(part(1).iter().map(|c| c * -3.0 / before));
        out.extend(add(part(0)));
        out.extend(part(2).iter().map(|c| c * 3.0 / after));
    }
    out
}

/// Converts absolute positions to position keys, before correction.
pub(in crate::mdl::scene) fn keys(values: &[f32], times: &[f32], rest: [f32; 3], cubic: bool) -> Vec<f32> {
    let sub = |key: &[f32]| key.iter().zip(rest).map(|(k, r)| k - r).collect::<Vec<f32>>();
    if !cubic {
        return values.chunks_exact(3).flat_map(sub).collect();
    }
    let mut out = Vec::with_capacity(values.len());
    for (key, [before, after]) in values.chunks_exact(9).zip(spans(times)) {
        let part = |i: usize| key.get(i * 3..i * 3 + 3).unwrap_or(&[]);
        out.extend(sub(part(1)));
        out.extend(part(0).iter().map(|c| c * before / -3.0));
        out.extend(part(2).iter().map(|c| c * after / 3.0));
    }
    out
}

/// Returns whether a row of position keys gives these absolute positions, bit for bit.
pub(in crate::mdl::scene) fn key_makes(key: &[f32], place: &[f32], rest: [f32; 3], span: [f32; 2]) -> bool {
    let [before, after] = span;
    let mut made: Vec<f32> = key.iter().take(3).zip(rest).map(|(k, r)| r + k).collect();
    if key.len() == 9 {
        let tangent = |from: usize, factor: f32, span: f32| {
            key.iter().skip(from).take(3).map(move |c| c * factor / span).collect::<Vec<f32>>()
        };
        made = [tangent(3, -3.0, before), made, tangent(6, 3.0, after)].concat();
    }
    crate::extra::same(&made, place)
}

/// Returns target and property that a controller of an animated node moves.
pub(in crate::mdl::scene) fn property(kind: u32, width: usize, parts: Parts) -> Option<(Target, Property)> {
    let node = Target::Node(parts.node);
    Some(match (kind, width, parts.material, parts.light) {
        (POSITION, 3, ..) => (node, Property::Translation),
        (ORIENTATION, 1 | 4, ..) => (node, Property::Rotation),
        (SCALE, 1, ..) => (node, Property::Scale),
        (ALPHA, 1, Some(material), _) => (Target::Material(material), Property::Alpha),
        (SELF_ILLUMINATION, 3, Some(material), _) => (Target::Material(material), Property::Emissive),
        (LIGHT_COLOR, 3, _, Some(light)) => (Target::Light(light), Property::Color),
        (LIGHT_RADIUS, 1, _, Some(light)) => (Target::Light(light), Property::Range),
        (LIGHT_MULTIPLIER, 1, _, Some(light)) => (Target::Light(light), Property::Intensity),
        _ => (node, Property::Other(format!("controller {kind}"))),
    })
}

/// The parts of a node of the scene that controllers can move.
#[derive(Debug, Clone, Copy)]
pub(in crate::mdl::scene) struct Parts {
    pub(in crate::mdl::scene) node: u32,
    pub(in crate::mdl::scene) material: Option<u32>,
    pub(in crate::mdl::scene) light: Option<u32>,
}

impl Parts {
    pub(in crate::mdl::scene) fn of(scene: &galatea_scene::Scene, node: u32) -> Parts {
        let at = scene.node(node);
        let mesh = at.and_then(|n| n.mesh).and_then(|m| scene.meshes.get(m as usize));
        // The materials of walk surfaces show the surface, not the appearance of the mesh.
        let plain = mesh.filter(|m| m.purpose != galatea_scene::Purpose::Aabb);
        let material = plain.and_then(|m| m.primitives.first()).and_then(|p| p.material);
        Parts { node, material, light: at.and_then(|n| n.light) }
    }
}

fn events(animation: &Animation) -> Vec<SceneEvent> {
    let event = |e: &Event| SceneEvent { time: e.time, name: latin(e.name.bytes()), ..SceneEvent::default() };
    animation.events.iter().map(event).collect()
}

impl ToScene<'_> {
    pub(super) fn add_clip(&mut self, animation: &Animation) {
        let mut map = Extras::new();
        let base = Animation::default();
        put_fields!(&mut map, animation, base, transition, root);
        put(&mut map, "node_count", json(&animation.node_count));
        let mut clip = Clip {
            name: latin(animation.name.bytes()),
            length: animation.length,
            events: events(animation),
            ..Clip::default()
        };
        let mut taken: HashSet<NodeId> = HashSet::default();
        let nodes: Vec<Value> =
            animation.nodes.iter().map(|node| self.add_animated(&mut clip, node, &mut taken)).collect();
        put(&mut map, "nodes", Value::Array(nodes));
        put(&mut map, "animation", self.scene.clips.len() as u32);
        clip.extras = wrap(map);
        self.scene.clips.push(clip);
    }

    /// Adds a clip of a supermodel: nodes are matched by name, and positions scaled.
    pub(super) fn add_inherited(&mut self, from: &Model, animation: &Animation) {
        let name = latin(animation.name.bytes());
        if self.scene.find_clip(&name).is_some() {
            return;
        }
        let mut map = Extras::new();
        put(&mut map, "inherited", latin(from.name.bytes()));
        let mut clip = Clip { name, length: animation.length, extras: wrap(map), ..Clip::default() };
        clip.events = events(animation);
        let mut taken = HashSet::default();
        for node in &animation.nodes {
            let target = self.by_name.get(&from.name_of(node).to_ascii_lowercase()).copied();
            let Some(target) = target.filter(|t| taken.insert(*t)) else { continue };
            let Some(geometry) = self.model.node(target) else { continue };
            let parts = Parts::of(&self.scene, scene_id(target));
            let mut kinds = HashSet::default();
            for track in node.controllers.tracks().filter(|t| kinds.insert(t.kind)) {
                let scaled: Vec<f32> = track.values.iter().map(|v| v * self.model.animation_scale).collect();
                let values = if track.kind == POSITION { &scaled } else { track.values };
                let made = channel(track.kind, &Track { values, ..track }, parts, geometry);
                clip.channels.extend(made.map(|c| Channel { extras: Extras::new(), ..c }));
            }
        }
        self.scene.clips.push(clip);
    }

    /// Adds the channels of a node of an animation. Returns its other data as extras.
    fn add_animated(&self, clip: &mut Clip, node: &Node, taken: &mut HashSet<NodeId>) -> Value {
        let mut entry = Extras::new();
        put(&mut entry, "parent", node.parent.map_or(-1, |p| p as i32));
        let target = self.target(node);
        let geometry = target.and_then(|t| self.model.node(t));
        if let Some(target) = target {
            put(&mut entry, "id", target);
        }
        if geometry.is_none_or(|g| g.name != node.name) {
            put(&mut entry, "name", node.name);
        }
        if geometry.is_none_or(|g| g.number != node.number) {
            put(&mut entry, "number", node.number);
        }
        let base = Node::default();
        put_fields!(&mut entry, node, base, position, orientation);
        put_parts(&mut entry, node);
        let free = target.filter(|t| taken.insert(*t));
        let parts = free.map(|t| Parts::of(&self.scene, scene_id(t)));
        let mut kinds = HashSet::default();
        put_controllers(&mut entry, &node.controllers, |_, controller, track| {
            let (parts, track, geometry) = (parts?, track?, geometry?);
            let channel = channel(controller.kind, &track, parts, geometry)?;
            kinds.insert(controller.kind).then(|| {
                clip.channels.push(channel);
                "channel"
            })
        });
        Value::Object(entry)
    }
}

/// Returns a controller as a channel, if the scene can express it.
fn channel(kind: u32, track: &Track<'_>, parts: Parts, geometry: &Node) -> Option<Channel> {
    if track.times.is_empty() {
        return None;
    }
    let (target, property) = property(kind, track.width, parts)?;
    let bezier = track.interpolation == Interpolation::Bezier;
    let mut extras = Extras::new();
    let values = match &property {
        Property::Translation => {
            let values = places(track, geometry.position);
            let restored = keys(&values, track.times, geometry.position, bezier);
            if let Some(deltas) = ulp_deltas(track.values, &restored, if bezier { 9 } else { 3 }) {
                put(&mut extras, "keys", deltas);
            }
            values
        }
        _ if bezier => return None,
        Property::Rotation if track.interpolation == Interpolation::Packed => {
            let words: Vec<u32> = track.values.iter().map(|v| v.to_bits()).collect();
            let values: Vec<[f32; 4]> = words.iter().map(|w| unpack_quaternion(*w)).collect();
            let restored: Vec<f32> = values.iter().map(|v| f32::from_bits(pack_quaternion(*v))).collect();
            if let Some(deltas) = ulp_deltas(track.values, &restored, 1) {
                put(&mut extras, "keys", deltas);
            }
            values.into_flattened()
        }
        Property::Scale => track.values.iter().flat_map(|v| [*v; 3]).collect(),
        _ => track.values.to_vec(),
    };
    let interpolation = if bezier { SceneInterpolation::Cubic } else { SceneInterpolation::Linear };
    let times = track.times.to_vec();
    Some(Channel { target, property, interpolation, times, values, extras: wrap(extras) })
}
