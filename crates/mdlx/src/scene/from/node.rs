//! Nodes from the scene.

use foldhash::HashSet;
use galatea_scene::{EmitterKind, Extras, LightKind, Node as SceneNode};
use galatea_wire::{Error, Loss, Result};
use glam::Mat3;

use super::FromScene;
use super::frame::Frame;
use super::shape::{moved, native_shape};
use crate::scene::binding::{Parts, node_bindings, own_bindings};
use crate::scene::curve::ValueMap;
use crate::scene::extra::{ExtraValue, own, read_fields, same, text};
use crate::scene::vocabulary::{KINDS, billboard_of, flags_of, inherit_of, kind_bit, light_kind, plain_bind};
use crate::{
    Attachment, Bone, CollisionShape, Event, Feature, Helper, Light, Model, Node, NodeKind, SoundEmitter,
};

/// A node of the scene that becomes an object.
#[derive(Debug, Clone, Copy)]
struct Entry {
    node: u32,
    kind: NodeKind,
    /// Its previous object id.
    stored: Option<u32>,
    /// Its index among its kind.
    index: i64,
    /// Whether it is an additional object of a node that already is one, and becomes a child of it.
    second: bool,
    id: u32,
}

impl<'a> FromScene<'a> {
    pub(super) fn read_nodes(&mut self, model: &mut Model) -> Result<()> {
        let mut entries = self.entries();
        if entries.len() > 1 << 20 {
            return Err(Error::unrepresentable(format!("{} nodes", entries.len())));
        }
        self.number(&mut entries);
        let count = entries.iter().map(|e| e.id as usize + 1).max().unwrap_or(0);
        let header = own(&self.scene.extras);
        let stored = header.int("pivots").filter(|_| !self.removed).map(|n| n.clamp(0, 1 << 20) as usize);
        let stored_nodes = header.int("nodes").unwrap_or(0).max(0) as usize;
        let pivots =
            stored.map_or(entries.len(), |stored| stored + entries.len().saturating_sub(stored_nodes));
        model.pivots = vec![[0.0; 3]; pivots.min(count.max(pivots))];
        let pivot_of = self.pivots();
        for entry in &entries {
            let pivot = pivot_of.get(entry.node as usize).copied().unwrap_or_default();
            let at = entry.id as usize;
            if at >= model.pivots.len() && pivot != [0.0; 3] && at <= entries.len() + pivots {
                model.pivots.resize(at + 1, [0.0; 3]);
            }
            if let Some(slot) = model.pivots.get_mut(at) {
                *slot = pivot;
            }
        }
        let binds = header.int("bind_poses").map(|n| n.clamp(0, 1 << 20) as usize);
        let binds = match binds {
            Some(stored) if !self.removed => stored + entries.len().saturating_sub(stored_nodes),
            Some(stored) => (stored + entries.len()).saturating_sub(stored_nodes),
            None if !self.native && self.version.has(Feature::SkinWeights) => {
                entries.len() + self.scene.cameras.len()
            }
            None => 0,
        };
        model.bind_poses = vec![plain_bind([0.0; 3]); binds];
        for entry in &entries {
            let pivot = pivot_of.get(entry.node as usize).copied().unwrap_or_default();
            let stored = self
                .scene
                .node(entry.node)
                .and_then(|n| own(&n.extras).get("bind"))
                .and_then(<[f32; 12]>::read);
            if let Some(slot) = model.bind_poses.get_mut(entry.id as usize) {
                *slot = stored.filter(|_| !entry.second).unwrap_or(plain_bind(pivot));
            }
        }
        let mut order = entries;
        order.sort_by_key(|e| e.index);
        for entry in &order {
            self.read_object(model, entry);
        }
        Ok(())
    }

    /// Returns everything that becomes an object, in the order of the scene.
    fn entries(&mut self) -> Vec<Entry> {
        let scene = self.scene;
        let joints: HashSet<u32> = scene.skins.iter().flat_map(|s| s.joints.iter().copied()).collect();
        let targets: HashSet<u32> = scene.cameras.iter().filter_map(|c| c.target).collect();
        let mut out = Vec::new();
        for id in 0..scene.nodes.len() as u32 {
            let Some(node) = scene.node(id).filter(|n| !n.axes) else { continue };
            let map = own(&node.extras);
            let apart = ["geoset", "collision_mesh", "camera", "camera_target"];
            if apart.iter().any(|key| map.contains_key(key)) {
                continue;
            }
            let stored =
                map.text("kind").and_then(|w| KINDS.iter().find(|(_, name)| *name == w)).map(|(k, _)| *k);
            let joint = joints.contains(&id);
            let mut roles = roles(node, joint, self.events.contains_key(&id));
            match map.text("role") {
                Some("bone") if !roles.contains(&NodeKind::Bone) => roles.insert(0, NodeKind::Bone),
                Some("event") if !roles.contains(&NodeKind::Event) => roles.push(NodeKind::Event),
                _ => {}
            }
            if let Some(emitter) = node.emitter.and_then(|e| scene.emitters.get(e as usize)) {
                let made = emitter_kind(emitter.kind)
                    .filter(|k| *k != NodeKind::PopcornEmitter || self.version.has(Feature::SkinWeights));
                if made.is_none() && stored.is_none() {
                    self.lose(Loss::new(format!("node {:?}", node.name), "its emitter"));
                }
                roles.extend(made);
            }
            if stored.is_none() && roles.is_empty() {
                let bare = node.children.is_empty();
                let seen = node.camera.is_some()
                    || targets.contains(&id)
                    || node.skin.is_some()
                    || node.mesh.is_some();
                if bare && seen {
                    continue;
                }
            }
            let kind = match stored {
                Some(stored) if needs(stored).is_none_or(|part| part(node)) => stored,
                Some(_) => NodeKind::Helper,
                None => roles.first().copied().unwrap_or(NodeKind::Helper),
            };
            let index = map.int("index").filter(|_| stored == Some(kind)).unwrap_or(i64::MAX);
            let number = map.int("id").filter(|_| stored.is_some()).map(|i| i as u32);
            out.push(Entry { node: id, kind, stored: number, index, second: false, id: 0 });
            if stored.is_none() {
                roles.retain(|role| *role != kind);
                for role in roles {
                    out.push(Entry {
                        node: id,
                        kind: role,
                        stored: None,
                        index: i64::MAX,
                        second: true,
                        id: 0,
                    });
                }
            }
        }
        out
    }

    /// Assigns object ids: the previous ones, or new ones with bones first if nodes were added or removed.
    fn number(&mut self, entries: &mut [Entry]) {
        let before = own(&self.scene.extras).int("nodes").unwrap_or(0);
        let known = entries.iter().filter(|e| e.stored.is_some()).count() as i64;
        self.removed = self.native && known < before;
        let fresh_bones = entries.iter().any(|e| e.stored.is_none() && e.kind == NodeKind::Bone);
        if self.removed || fresh_bones || !self.native {
            let mut order: Vec<usize> = (0..entries.len()).collect();
            let rank = |e: &Entry| {
                let kind = NodeKind::ALL.iter().position(|k| *k == e.kind);
                (
                    e.kind != NodeKind::Bone,
                    e.stored.unwrap_or(u32::MAX),
                    if self.native { None } else { kind },
                )
            };
            order.sort_by_key(|i| entries.get(*i).map(rank));
            for (id, at) in order.into_iter().enumerate() {
                if let Some(entry) = entries.get_mut(at) {
                    entry.id = id as u32;
                }
            }
        } else {
            let mut next = entries.iter().filter_map(|e| e.stored).max().map_or(0, |id| id.saturating_add(1));
            for entry in entries.iter_mut() {
                entry.id = entry.stored.unwrap_or_else(|| {
                    next = next.saturating_add(1);
                    next - 1
                });
            }
        }
        for entry in entries.iter() {
            if let Some(stored) = entry.stored {
                self.new_ids.entry(stored).or_insert(entry.id);
            }
            self.object_of.entry(entry.node).or_insert(entry.id);
        }
    }

    /// Returns the pivots of all nodes of the scene.
    fn pivots(&self) -> Vec<[f32; 3]> {
        let scene = self.scene;
        let mut out = vec![[0.0f32; 3]; scene.nodes.len()];
        for id in scene.depth_first() {
            let Some(node) = scene.node(id) else { continue };
            if node.axes && self.frames.own_axes {
                continue;
            }
            let here = node.transform.translation;
            let above = node.parent.and_then(|p| out.get(p as usize)).copied().unwrap_or_default();
            let stored = own(&node.extras).get("pivot").and_then(<[f32; 3]>::read);
            let distance = |pivot: &[f32; 3]| {
                let mut rest = *pivot;
                rest.iter_mut().zip(above).for_each(|(r, a)| *r -= a);
                rest
            };
            let pivot = match stored.filter(|stored| same(&distance(stored), &here)) {
                Some(stored) => stored,
                None if self.frames.of(id).straight && (self.frames.own_axes || node.parent.is_some()) => {
                    let mut sum = above;
                    sum.iter_mut().zip(here).for_each(|(s, h)| *s += h);
                    sum
                }
                None => self.frames.matrix(id).w_axis.truncate().into(),
            };
            if let Some(slot) = out.get_mut(id as usize) {
                *slot = pivot;
            }
        }
        out
    }

    /// Returns the object id of the nearest ancestor that is an object.
    fn above(&self, node: u32) -> Option<u32> {
        let mut at = self.scene.node(node).and_then(|n| n.parent);
        let mut left = self.scene.nodes.len();
        while let Some(id) = at.filter(|_| left > 0) {
            if let Some(found) = self.object_of.get(&id) {
                return Some(*found);
            }
            at = self.scene.node(id).and_then(|n| n.parent);
            left -= 1;
        }
        None
    }

    fn read_object(&mut self, model: &mut Model, entry: &Entry) {
        let scene = self.scene;
        let Some(from) = scene.node(entry.node) else { return };
        let map = if entry.second { Extras::none() } else { own(&from.extras) };
        let what = format!("node {:?}", from.name);
        let mut node = Node { name: text(&from.name), object_id: entry.id, ..Node::default() };
        let owner = self.object_of.get(&entry.node).copied().filter(|_| entry.second);
        node.parent_id = owner.or_else(|| self.above(entry.node)).map_or(-1, |id| id as i32);
        if let (Some(stored), Some(derived)) = (map.int("parent"), map.int("derived_parent")) {
            let now =
                u32::try_from(derived).ok().map_or(Some(-1), |d| self.new_ids.get(&d).map(|id| *id as i32));
            if now == Some(node.parent_id) {
                let kept = u32::try_from(stored).ok().and_then(|t| self.new_ids.get(&t)).map(|id| *id as i32);
                node.parent_id = kept.unwrap_or(stored as i32);
            }
        }
        node.flags =
            if entry.second { kind_bit(entry.kind, self.version) } else { self.flags(from, entry.kind, map) };
        let frame = self.frames.of(entry.node);
        if !entry.second {
            let rest =
                if frame.plain { ValueMap::Offset(from.transform.translation) } else { ValueMap::Plain };
            let bindings = node_bindings(entry.node, rest);
            node.tracks = self.read_tracks(map, "tracks", &what, &bindings, &frame);
            let [x, y, z] = from.transform.scale;
            if (x - y).abs() > 1e-4 * x.abs() || (x - z).abs() > 1e-4 * x.abs() {
                self.lose(Loss::new(&what, "non-uniform scale at rest"));
            }
        }
        self.read_kind(model, entry, from, node, map, &what);
    }

    fn flags(&self, from: &SceneNode, kind: NodeKind, map: &Extras) -> u32 {
        let derived = flags_of(from.inherit, from.billboard);
        match map.get("flags").and_then(u32::read) {
            Some(stored) if inherit_of(stored) == from.inherit && billboard_of(stored) == from.billboard => {
                stored
            }
            Some(stored) => stored & !0x7F | derived,
            None if kind == NodeKind::ParticleEmitter && !map.contains_key("kind") => {
                derived | kind_bit(kind, self.version) | crate::node_flags::EMITTER_USES_MDL
            }
            None => derived | kind_bit(kind, self.version),
        }
    }

    fn read_kind(
        &mut self,
        model: &mut Model,
        entry: &Entry,
        from: &SceneNode,
        node: Node,
        map: &Extras,
        what: &str,
    ) {
        let parts = Parts { node: entry.node, light: from.light, emitter: from.emitter };
        let bindings = own_bindings(entry.kind, self.version, parts);
        let tracks = self.read_tracks(map, "own_tracks", what, &bindings, &Frame::default());
        let emitter = from.emitter.and_then(|e| self.scene.emitters.get(e as usize));
        match (entry.kind, emitter) {
            (NodeKind::Bone, _) => {
                let mut bone = Bone { node, ..Bone::default() };
                read_fields!(map, bone, geoset_id, geoset_anim_id);
                model.bones.push(bone);
            }
            (NodeKind::Light, _) => {
                let light = self.read_light(from, map);
                model.lights.push(Light { node, tracks, ..light });
            }
            (NodeKind::Attachment, _) => {
                let mut out = Attachment { node, tracks, ..Attachment::default() };
                read_fields!(map, out, padding);
                if let Some(attachment) = &from.attachment {
                    let fresh = model.attachments.len() as i32;
                    out.attachment_id = attachment.id.unwrap_or(fresh) as u32;
                    out.path = text(&attachment.path);
                }
                model.attachments.push(out);
            }
            (NodeKind::ParticleEmitter, Some(e)) => {
                let out = self.read_prem(e, map);
                model.particle_emitters.push(crate::ParticleEmitter { node, tracks, ..out });
            }
            (NodeKind::ParticleEmitter2, Some(e)) => {
                let mut out = self.read_pre2(e, map);
                if !map.contains_key("kind") {
                    out.texture_id = self.emitter_texture(model, e);
                }
                model.particle_emitters2.push(crate::ParticleEmitter2 { node, tracks, ..out });
            }
            (NodeKind::PopcornEmitter, Some(e)) => {
                let out = self.read_popcorn(e, map);
                model.popcorn_emitters.push(crate::PopcornEmitter { node, tracks, ..out });
            }
            (NodeKind::RibbonEmitter, Some(e)) => {
                let mut out = self.read_ribbon(e, map);
                if !map.contains_key("kind") {
                    out.material_id = self.material_for(model, e.material);
                }
                model.ribbon_emitters.push(crate::RibbonEmitter { node, tracks, ..out });
            }
            (NodeKind::Event, _) => {
                let track = self.read_events(map, "times", entry.node);
                model.events.push(Event { node, track });
            }
            (NodeKind::SoundEmitter, _) => {
                let track = self.read_events(map, "times", entry.node);
                model.sound_emitters.push(SoundEmitter { node, track });
            }
            (NodeKind::CollisionShape, _) => {
                let to_format = if self.native { Mat3::IDENTITY } else { self.frames.to_format };
                let shape = from.shape.map(|s| native_shape(&moved(&s, to_format), map)).unwrap_or_default();
                model.collision_shapes.push(CollisionShape { node, shape });
            }
            _ => model.helpers.push(Helper { node }),
        }
    }

    fn read_light(&self, from: &SceneNode, map: &Extras) -> Light {
        let mut out = Light::default();
        read_fields!(map, out, attenuation_start, ambient_color, ambient_intensity, shadow_intensity);
        let Some(light) = from.light.and_then(|l| self.scene.lights.get(l as usize)) else { return out };
        out.color = light.color;
        out.intensity = light.intensity;
        out.attenuation_end = light.range.unwrap_or(200.0);
        if !map.contains_key("kind") {
            out.attenuation_start = (out.attenuation_end * 0.5).min(80.0);
        }
        out.kind = match light.kind {
            LightKind::Directional => 1,
            LightKind::Ambient => 2,
            // Points, and spots, which the format does not have.
            _ => 0,
        };
        if let Some(stored) =
            map.get("light_kind").and_then(u32::read).filter(|stored| light_kind(*stored) == light.kind)
        {
            out.kind = stored;
        }
        out
    }

    /// Reads bind poses and pivots that belong to no node.
    pub(super) fn read_loose(&mut self, map: &Extras, model: &mut Model) {
        if self.removed {
            return;
        }
        for entry in map.objects("loose") {
            let at = entry.int("at").and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
            if let (Some(slot), Some(pivot)) =
                (model.pivots.get_mut(at), entry.get("pivot").and_then(<[f32; 3]>::read))
            {
                *slot = pivot;
            }
            if let (Some(slot), Some(bind)) =
                (model.bind_poses.get_mut(at), entry.get("bind").and_then(<[f32; 12]>::read))
            {
                *slot = bind;
            }
        }
    }
}

/// Returns the kinds of objects that a node of the scene becomes, the most important first.
fn roles(node: &SceneNode, joint: bool, happens: bool) -> Vec<NodeKind> {
    let mut out = Vec::new();
    if joint || node.mesh.is_some() && node.skin.is_none() {
        out.push(NodeKind::Bone);
    }
    if node.light.is_some() {
        out.push(NodeKind::Light);
    }
    if node.attachment.is_some() {
        out.push(NodeKind::Attachment);
    }
    if node.shape.is_some() {
        out.push(NodeKind::CollisionShape);
    }
    if happens {
        out.push(NodeKind::Event);
    }
    out
}

/// Returns the condition under which a node of the scene can still be of this kind.
fn needs(kind: NodeKind) -> Option<fn(&SceneNode) -> bool> {
    Some(match kind {
        NodeKind::Light => |n| n.light.is_some(),
        NodeKind::Attachment => |n| n.attachment.is_some(),
        NodeKind::CollisionShape => |n| n.shape.is_some(),
        NodeKind::ParticleEmitter
        | NodeKind::ParticleEmitter2
        | NodeKind::PopcornEmitter
        | NodeKind::RibbonEmitter => |n| n.emitter.is_some(),
        _ => return None,
    })
}

/// Returns the kind of node for an imported emitter.
pub(super) fn emitter_kind(kind: EmitterKind) -> Option<NodeKind> {
    Some(match kind {
        EmitterKind::Particles => NodeKind::ParticleEmitter2,
        EmitterKind::Ribbon => NodeKind::RibbonEmitter,
        EmitterKind::Models => NodeKind::ParticleEmitter,
        EmitterKind::Effect => NodeKind::PopcornEmitter,
        // Lightning, which the format does not have.
        _ => return None,
    })
}
