//! Animations from the scene.

use foldhash::{HashMap, HashSet};
use galatea_scene::{Channel, Clip, Extras, Interpolation as SceneInterpolation, Property, Target, Value};
use galatea_wire::{Loss, Result};

use super::node::{read_controller, read_parts};
use super::{FromScene, text};
use crate::extra::{apply_ulp_deltas, from_json, int, objects, own};
use crate::mdl::scene::to::clip::{Parts, key_makes, keys, property, spans};
use crate::mdl::scene::{
    ALPHA, LIGHT_COLOR, LIGHT_MULTIPLIER, LIGHT_RADIUS, ORIENTATION, POSITION, SCALE, SELF_ILLUMINATION,
    read_fields,
};
use crate::mdl::{
    Animation, Controller, Controllers, Event, Interpolation, Model, Node, NodeId, pack_quaternion,
    unpack_quaternion,
};

type Channels<'c> = HashMap<(Target, Property), &'c Channel>;

impl FromScene<'_> {
    pub(super) fn read_clip(&mut self, model: &mut Model, clip: &Clip) -> Result<Animation> {
        let map = own(&clip.extras);
        let mut animation = Animation {
            name: text(&clip.name),
            length: clip.length,
            transition: 0.25,
            root: model.name,
            events: clip.events.iter().map(|e| Event { time: e.time, name: text(&e.name) }).collect(),
            ..Animation::default()
        };
        if map.contains_key("nodes") {
            (animation.transition, animation.root) = (0.0, Default::default());
        }
        read_fields!(map, animation, transition, root);
        let stored = map.get("node_count").map(|v| from_json(v, &0u32));
        animation.node_count = self.node_count(stored, model.nodes.len());
        let mut channels: Channels<'_> = HashMap::default();
        for channel in &clip.channels {
            channels.entry((channel.target, channel.property.clone())).or_insert(channel);
        }
        // Old indices in the list to new ones. Animated nodes are dropped with their node.
        let mut moved: HashMap<i64, NodeId> = HashMap::default();
        let mut of: HashMap<NodeId, usize> = HashMap::default();
        for (old, entry) in objects(map, "nodes").enumerate() {
            let id = int(entry, "id").map(|id| id as u32);
            let target = id.and_then(|id| self.by_id.get(&id).copied());
            if id.is_some() && target.is_none() {
                self.losses.push(Loss::new(format!("clip {:?}", clip.name), "the motion of a deleted node"));
                continue;
            }
            let node = self.animated(
                model,
                entry,
                target,
                &mut channels,
                &moved,
                of.contains_key(&target.unwrap_or(u32::MAX)),
            )?;
            let new = animation.nodes.len();
            moved.insert(old as i64, new as NodeId);
            if let Some(target) = target {
                of.entry(target).or_insert(new);
            }
            animation.nodes.push(node);
        }
        self.new_channels(model, clip, &mut animation, channels, of)?;
        let parents: Vec<Option<NodeId>> = animation.nodes.iter().map(|n| n.parent).collect();
        let mut children: Vec<Vec<NodeId>> = vec![Vec::new(); parents.len()];
        for (i, parent) in parents.iter().enumerate() {
            if let Some(list) = parent.and_then(|p| children.get_mut(p as usize)) {
                list.push(i as NodeId);
            }
        }
        for (node, children) in animation.nodes.iter_mut().zip(children) {
            node.children = children.into();
        }
        Ok(animation)
    }

    /// Restores a node of an animation from its extras.
    fn animated(
        &self,
        model: &Model,
        entry: &Extras,
        target: Option<NodeId>,
        channels: &mut Channels<'_>,
        moved: &HashMap<i64, NodeId>,
        twin: bool,
    ) -> Result<Node> {
        let mut node = Node::default();
        let geometry = target.and_then(|t| model.node(t));
        let number = |key: &str| int(entry, key).map(|v| v as u16);
        node.name = number("name").or(geometry.map(|g| g.name)).unwrap_or(0);
        node.number = number("number").or(geometry.map(|g| g.number)).unwrap_or(0);
        node.parent = int(entry, "parent").and_then(|p| moved.get(&p).copied());
        read_fields!(entry, node, position, orientation);
        read_parts(entry, &mut node);
        let scene_node = target.and_then(|t| self.order.get(t as usize).copied());
        let parts = scene_node.map(|n| Parts::of(self.scene, n));
        let mut controllers = Controllers::default();
        for one in objects(entry, "controllers") {
            if !one.contains_key("channel") {
                read_controller(&mut controllers, one, None)?;
                continue;
            }
            let raw = Controller {
                kind: int(one, "kind").unwrap_or(0) as u32,
                columns: int(one, "columns").unwrap_or(0) as u8,
                ..galatea_wire::Wire::ZERO
            };
            let width = if raw.is_packed() { 1 } else { usize::from(raw.columns & 0x0F) };
            let key = parts.filter(|_| !twin).and_then(|p| property(raw.kind, width, p));
            let Some(channel) = key.and_then(|k| channels.remove(&k)) else { continue };
            let rest = geometry.map_or([0.0; 3], |g| g.position);
            // An edit may have changed a channel from cubic to linear, or back.
            let cubic = channel.interpolation == SceneInterpolation::Cubic;
            let mut one = one.clone();
            if channel.property == Property::Translation && cubic != raw.is_bezier() {
                crate::extra::put(&mut one, "columns", if cubic { 0x13 } else { 3 });
            }
            let values = channel_keys(channel, raw.is_packed(), rest);
            read_controller(&mut controllers, &one, Some((channel.times.clone(), values)))?;
        }
        node.controllers = controllers;
        Ok(node)
    }

    /// Adds the channels that have no stored controller: they are new.
    fn new_channels(
        &mut self,
        model: &Model,
        clip: &Clip,
        animation: &mut Animation,
        channels: Channels<'_>,
        mut of: HashMap<NodeId, usize>,
    ) -> Result<()> {
        let left: HashSet<*const Channel> = channels.values().map(|c| std::ptr::from_ref(*c)).collect();
        let (mut materials, mut lights) = (HashMap::default(), HashMap::default());
        for (place, node) in self.order.iter().enumerate().filter(|_| !left.is_empty()) {
            let parts = Parts::of(self.scene, *node);
            parts.material.map(|m| materials.entry(m).or_insert(place as NodeId));
            parts.light.map(|l| lights.entry(l).or_insert(place as NodeId));
        }
        for channel in clip.channels.iter().filter(|c| left.contains(&std::ptr::from_ref(*c))) {
            let (target, kind, width) = match (channel.target, &channel.property) {
                (Target::Node(n), Property::Translation) => (self.new_id.get(&n).copied(), POSITION, 3),
                (Target::Node(n), Property::Rotation) => (self.new_id.get(&n).copied(), ORIENTATION, 4),
                (Target::Node(n), Property::Scale) => (self.new_id.get(&n).copied(), SCALE, 1),
                (Target::Material(m), Property::Alpha) => (materials.get(&m).copied(), ALPHA, 1),
                (Target::Material(m), Property::Emissive) => {
                    (materials.get(&m).copied(), SELF_ILLUMINATION, 3)
                }
                (Target::Light(l), Property::Color) => (lights.get(&l).copied(), LIGHT_COLOR, 3),
                (Target::Light(l), Property::Range) => (lights.get(&l).copied(), LIGHT_RADIUS, 1),
                (Target::Light(l), Property::Intensity) => (lights.get(&l).copied(), LIGHT_MULTIPLIER, 1),
                _ => (None, 0, 0),
            };
            let Some(target) = target else {
                self.losses.push(Loss::new(
                    format!("clip {:?}", clip.name),
                    format!("a channel for {}", channel.property.name()),
                ));
                continue;
            };
            let place = animated_place(model, animation, &mut of, target);
            let rest = model.node(target).map_or([0.0; 3], |n| n.position);
            let Some(node) = animation.nodes.get_mut(place) else { continue };
            let cubic = channel.interpolation == SceneInterpolation::Cubic;
            let straightened;
            let mut channel = channel;
            if cubic && kind != POSITION {
                // The format has tangents for positions only; other curves are sampled.
                straightened = channel.straight(1e-4);
                channel = &straightened;
            }
            let interpolation = match (cubic, kind) {
                (true, POSITION) => Interpolation::Bezier,
                _ => Interpolation::Linear,
            };
            let mut values = channel_keys(channel, false, rest);
            let mut times = channel.times.clone();
            if channel.interpolation == SceneInterpolation::Step {
                (times, values) = add_ulps(&times, &values, width);
            }
            let address = match kind {
                POSITION => 16,
                ORIENTATION => 28,
                _ => 0xFFFF,
            };
            node.controllers.push(kind, address, interpolation, width, &times, &values)?;
        }
        Ok(())
    }
}

/// Returns the index in an animation of the node that moves `target`. Adds it with its ancestors if there is none.
fn animated_place(
    model: &Model,
    animation: &mut Animation,
    of: &mut HashMap<NodeId, usize>,
    target: NodeId,
) -> usize {
    let mut missing = Vec::new();
    let mut at = Some(target);
    while let Some(id) = at.filter(|id| !of.contains_key(id) && missing.len() <= model.nodes.len()) {
        missing.push(id);
        at = model.node(id).and_then(|n| n.parent);
    }
    for id in missing.into_iter().rev() {
        let Some(geometry) = model.node(id) else { continue };
        let parent = geometry.parent.and_then(|p| of.get(&p)).map(|p| *p as NodeId);
        of.insert(id, animation.nodes.len());
        animation.nodes.push(Node {
            name: geometry.name,
            number: geometry.number,
            parent,
            ..Node::default()
        });
    }
    of.get(&target).copied().unwrap_or(0)
}

/// Converts add_ulps keys to linear ones: repeats each key just before the next.
fn add_ulps(times: &[f32], values: &[f32], width: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut new_times, mut new_values) = (Vec::new(), Vec::new());
    for (i, (time, value)) in times.iter().zip(values.chunks_exact(width.max(1))).enumerate() {
        if let (Some(before), true) = (i.checked_sub(1), *time > 0.0) {
            new_times.push(time.next_down());
            new_values.extend(values.chunks_exact(width.max(1)).nth(before).unwrap_or(&[]));
        }
        new_times.push(*time);
        new_values.extend(value);
    }
    (new_times, new_values)
}

/// Returns the values of a channel as keys of the format.
fn channel_keys(channel: &Channel, packed: bool, rest: [f32; 3]) -> Vec<f32> {
    let notes = own(&channel.extras);
    let stored: Option<&Value> = notes.get("keys");
    // Not by the kind of the controller: one with an unusual number of columns is no position.
    match channel.property {
        Property::Translation => {
            let cubic = channel.interpolation == SceneInterpolation::Cubic;
            let width = if cubic { 9 } else { 3 };
            let mut out = keys(&channel.values, &channel.times, rest, cubic);
            let spans = spans(&channel.times);
            apply_ulp_deltas(&mut out, stored, width, |row, key| {
                let place = channel.values.get(row * width..).and_then(|v| v.get(..width)).unwrap_or(&[]);
                key_makes(key, place, rest, spans.get(row).copied().unwrap_or([1.0; 2]))
            });
            out
        }
        Property::Rotation if packed => {
            let rotations: &[[f32; 4]] = channel.values.as_chunks().0;
            let mut out: Vec<f32> = rotations.iter().map(|q| f32::from_bits(pack_quaternion(*q))).collect();
            apply_ulp_deltas(&mut out, stored, 1, |row, word| {
                let word = word.first().map_or(0, |w| w.to_bits());
                let made = unpack_quaternion(word).map(f32::to_bits);
                rotations.get(row).is_some_and(|q| q.map(f32::to_bits) == made)
            });
            out
        }
        Property::Scale => channel.values.chunks_exact(3).filter_map(|v| v.first()).copied().collect(),
        _ => channel.values.clone(),
    }
}
