//! Nodes to the scene.

use galatea_scene::{
    Attachment as SceneAttachment, Billboard, Extras, Inherit, Light as SceneLight, LightKind,
    Node as SceneNode, Property, Shape as SceneShape, Target, Transform,
};

use super::Builder;
use super::curve::Map;
use super::extra::{Carry, latin, put, put_fields, same, wrap};
use super::track::Bound;
use crate::play::Player;
use crate::{
    Attachment, Bone, CollisionShape, Light, Node, NodeKind, Owner, Shape, Tag, Tracks, ValueKind, Version,
    node_flags, tracks_of,
};

/// What each kind of node is called in extras.
pub(super) const KINDS: [(NodeKind, &str); 11] = [
    (NodeKind::Bone, "bone"),
    (NodeKind::Light, "light"),
    (NodeKind::Helper, "helper"),
    (NodeKind::Attachment, "attachment"),
    (NodeKind::ParticleEmitter, "particle_emitter"),
    (NodeKind::ParticleEmitter2, "particle_emitter2"),
    (NodeKind::PopcornEmitter, "popcorn_emitter"),
    (NodeKind::RibbonEmitter, "ribbon_emitter"),
    (NodeKind::Event, "event"),
    (NodeKind::CollisionShape, "collision_shape"),
    (NodeKind::SoundEmitter, "sound_emitter"),
];

const BILLBOARDS: [(u32, Billboard); 4] = [
    (node_flags::BILLBOARDED, Billboard::Full),
    (node_flags::BILLBOARDED_LOCK_X, Billboard::AboutX),
    (node_flags::BILLBOARDED_LOCK_Y, Billboard::AboutY),
    (node_flags::BILLBOARDED_LOCK_Z, Billboard::AboutZ),
];

/// How a node with these flags turns to the camera.
pub(super) fn billboard_of(flags: u32) -> Option<Billboard> {
    BILLBOARDS.iter().find(|(bit, _)| flags & bit != 0).map(|(_, b)| *b)
}

/// What a node with these flags inherits.
pub(super) fn inherit_of(flags: u32) -> Inherit {
    Inherit {
        translation: flags & node_flags::DONT_INHERIT_TRANSLATION == 0,
        rotation: flags & node_flags::DONT_INHERIT_ROTATION == 0,
        scale: flags & node_flags::DONT_INHERIT_SCALING == 0,
    }
}

/// The flags that say so.
pub(super) fn flags_of(inherit: Inherit, billboard: Option<Billboard>) -> u32 {
    let bit = |off: bool, bit: u32| if off { bit } else { 0 };
    bit(!inherit.translation, node_flags::DONT_INHERIT_TRANSLATION)
        | bit(!inherit.rotation, node_flags::DONT_INHERIT_ROTATION)
        | bit(!inherit.scale, node_flags::DONT_INHERIT_SCALING)
        | BILLBOARDS.iter().find(|(_, b)| Some(*b) == billboard).map_or(0, |(bit, _)| *bit)
}

/// The flag that a kind of node has in this version.
pub(super) fn kind_bit(kind: NodeKind, version: Version) -> u32 {
    if version.is_wow() { kind.wow_bit() } else { kind.warcraft_bit() }
}

/// What an object at a node can move besides the node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) node: u32,
    pub(super) light: Option<u32>,
    pub(super) emitter: Option<u32>,
}

/// The tracks of the node itself.
pub(super) fn node_bounds(node: u32, rest: Map) -> [(Tag, ValueKind, Bound); 3] {
    let bound = |property| Bound::new(Target::Node(node), property);
    [
        (Tag(*b"KGTR"), ValueKind::Vector, Bound { map: rest, ..bound(Property::Translation) }),
        (Tag(*b"KGRT"), ValueKind::Rotation, bound(Property::Rotation)),
        (Tag(*b"KGSC"), ValueKind::Vector, bound(Property::Scale)),
    ]
}

fn owner_of(kind: NodeKind) -> Option<Owner> {
    Some(match kind {
        NodeKind::Light => Owner::Light,
        NodeKind::Attachment => Owner::Attachment,
        NodeKind::ParticleEmitter => Owner::ParticleEmitter,
        NodeKind::ParticleEmitter2 => Owner::ParticleEmitter2,
        NodeKind::PopcornEmitter => Owner::PopcornEmitter,
        NodeKind::RibbonEmitter => Owner::RibbonEmitter,
        _ => return None,
    })
}

/// The tracks of the object at a node.
pub(super) fn own_bounds(kind: NodeKind, version: Version, parts: Parts) -> Vec<(Tag, ValueKind, Bound)> {
    let Some(owner) = owner_of(kind) else { return Vec::new() };
    let light = Target::Light(parts.light.unwrap_or(u32::MAX));
    let emitter = Target::Emitter(parts.emitter.unwrap_or(u32::MAX));
    let tracks = tracks_of(owner, version).map(|info| {
        let bound = match (owner, &info.tag.0) {
            (_, b"KLAV" | b"KATV" | b"KPEV" | b"KP2V" | b"KRVS" | b"KPPV" | b"KVIS") => {
                Bound::visibility(parts.node)
            }
            (_, b"KLAC") => Bound::new(light, Property::Color).reversed(),
            (_, b"KLAI") => Bound::new(light, Property::Intensity),
            (_, b"KLAE") => Bound::new(light, Property::Range),
            (Owner::Light, _) => Bound::other(light, info.tag),
            _ => Bound::other(emitter, info.tag),
        };
        (info.tag, info.value, bound)
    });
    tracks.collect()
}

/// A matrix of the bind pose that only says where something is.
pub(super) fn plain_bind([x, y, z]: [f32; 3]) -> [f32; 12] {
    [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x, y, z]
}

impl Builder<'_> {
    pub(super) fn add_nodes(&mut self, player: &Player<'_>) {
        let model = self.model;
        let nodes: Vec<(NodeKind, usize, &Node)> = model.nodes().collect();
        let pivot = |node: &Node| model.pivots.get(node.object_id as usize).copied().unwrap_or_default();
        for (i, (kind, index, node)) in nodes.iter().enumerate() {
            let id = self.scene.nodes.len() as u32;
            self.by_id.entry(node.object_id).or_insert(id);
            let parent = player.parents().get(i).copied().flatten();
            let above = parent.and_then(|p| nodes.get(p)).map(|(_, _, n)| *n);
            let (here, there) = (pivot(node), above.map_or([0.0; 3], pivot));
            let mut rest = here;
            rest.iter_mut().zip(there).for_each(|(r, t)| *r -= t);
            let mut map = Extras::new();
            let word = KINDS.iter().find(|(k, _)| k == kind).map_or("", |(_, w)| w);
            put(&mut map, "kind", word);
            put(&mut map, "index", *index as u32);
            put(&mut map, "id", node.object_id as i32);
            let mut sum = there;
            sum.iter_mut().zip(rest).for_each(|(s, r)| *s += r);
            if !same(&sum, &here) {
                put(&mut map, "pivot", here.json());
            }
            let derived = above.map_or(-1, |n| n.object_id as i32);
            if node.parent_id != derived {
                put(&mut map, "parent", node.parent_id);
                put(&mut map, "derived_parent", derived);
            }
            let (inherit, billboard) = (inherit_of(node.flags), billboard_of(node.flags));
            if node.flags != flags_of(inherit, billboard) | kind_bit(*kind, model.version) {
                put(&mut map, "flags", node.flags as i32);
            }
            if let Some(bind) = model.bind_poses.get(node.object_id as usize)
                && !same(bind, &plain_bind(here))
            {
                put(&mut map, "bind", bind.json());
            }
            let mut out = SceneNode {
                transform: Transform { translation: rest, ..Transform::default() },
                inherit,
                billboard,
                parent: Some(parent.map_or(0, |p| p as u32 + 1)),
                ..SceneNode::new(&latin(node.name.bytes()))
            };
            self.add_object(*kind, *index, &mut out, &mut map);
            let parts = Parts { node: id, light: out.light, emitter: out.emitter };
            self.scene.nodes.push(out);
            let own = node_bounds(id, Map::Offset(rest));
            self.add_tracks(&mut map, "tracks", &node.tracks, |tag| find(&own, tag));
            self.add_own_tracks(*kind, *index, parts, &mut map);
            if let Some(node) = self.scene.nodes.get_mut(id as usize) {
                node.extras = wrap(map);
            }
        }
        for id in 1..self.scene.nodes.len() as u32 {
            let parent = self.scene.node(id).and_then(|n| n.parent);
            if let Some(above) = parent.and_then(|p| self.scene.nodes.get_mut(p as usize)) {
                above.children.push(id);
            }
        }
    }

    fn add_own_tracks(&mut self, kind: NodeKind, index: usize, parts: Parts, map: &mut Extras) {
        let m = self.model;
        let tracks: Option<&Tracks> = match kind {
            NodeKind::Light => m.lights.get(index).map(|o| &o.tracks),
            NodeKind::Attachment => m.attachments.get(index).map(|o| &o.tracks),
            NodeKind::ParticleEmitter => m.particle_emitters.get(index).map(|o| &o.tracks),
            NodeKind::ParticleEmitter2 => m.particle_emitters2.get(index).map(|o| &o.tracks),
            NodeKind::PopcornEmitter => m.popcorn_emitters.get(index).map(|o| &o.tracks),
            NodeKind::RibbonEmitter => m.ribbon_emitters.get(index).map(|o| &o.tracks),
            NodeKind::Event => {
                let track = m.events.get(index).and_then(|e| e.track.as_ref());
                return self.add_events(map, "times", parts.node, track);
            }
            NodeKind::SoundEmitter => {
                let track = m.sound_emitters.get(index).and_then(|e| e.track.as_ref());
                return self.add_events(map, "times", parts.node, track);
            }
            _ => None,
        };
        if let Some(tracks) = tracks.filter(|t| !t.is_empty() || t.extra.is_some()) {
            let bounds = own_bounds(kind, m.version, parts);
            self.add_tracks(map, "own_tracks", tracks, |tag| find(&bounds, tag));
        }
    }

    /// Adds what hangs at a node.
    fn add_object(&mut self, kind: NodeKind, index: usize, out: &mut SceneNode, map: &mut Extras) {
        let m = self.model;
        match kind {
            NodeKind::Bone => {
                if let Some(bone) = m.bones.get(index) {
                    put_fields!(map, bone, Bone::default(), geoset_id, geoset_anim_id);
                }
            }
            NodeKind::Light => {
                if let Some(light) = m.lights.get(index) {
                    out.light = Some(self.add_light(light, &out.name, map));
                }
            }
            NodeKind::Attachment => {
                if let Some(attachment) = m.attachments.get(index) {
                    put_fields!(map, attachment, Attachment::default(), padding);
                    out.attachment = Some(SceneAttachment {
                        id: Some(attachment.attachment_id as i32),
                        path: latin(attachment.path.bytes()),
                    });
                }
            }
            NodeKind::CollisionShape => {
                if let Some(shape) = m.collision_shapes.get(index) {
                    out.shape = Some(scene_shape(shape, map));
                }
            }
            NodeKind::Helper | NodeKind::Event | NodeKind::SoundEmitter => {}
            NodeKind::ParticleEmitter
            | NodeKind::ParticleEmitter2
            | NodeKind::PopcornEmitter
            | NodeKind::RibbonEmitter => {
                let emitter = self.emitter(kind, index, &out.name, map);
                out.emitter = emitter.map(|emitter| {
                    self.scene.emitters.push(emitter);
                    self.scene.emitters.len() as u32 - 1
                });
            }
        }
    }

    fn add_light(&mut self, light: &Light, name: &str, map: &mut Extras) -> u32 {
        put_fields!(
            map,
            light,
            Light::default(),
            attenuation_start,
            ambient_color,
            ambient_intensity,
            shadow_intensity,
        );
        let kind = light_kind(light.kind);
        if light.kind > 2 {
            put(map, "light_kind", light.kind as i32);
        }
        self.scene.lights.push(SceneLight {
            name: name.to_owned(),
            kind,
            color: light.color,
            intensity: light.intensity,
            range: Some(light.attenuation_end),
            ..SceneLight::default()
        });
        self.scene.lights.len() as u32 - 1
    }
}

/// The binding of a track.
pub(super) fn find(bounds: &[(Tag, ValueKind, Bound)], tag: Tag) -> Option<Bound> {
    bounds.iter().find(|(t, ..)| *t == tag).map(|(.., bound)| bound.clone())
}

/// How a light of this kind shines. One converter writes 512 more.
pub(super) fn light_kind(kind: u32) -> LightKind {
    match kind & 0xFF {
        1 => LightKind::Directional,
        2 => LightKind::Ambient,
        _ => LightKind::Point,
    }
}

/// A shape in the scene's words.
fn scene_shape(shape: &CollisionShape, map: &mut Extras) -> SceneShape {
    match shape.shape {
        Shape::Box { corners: [min, max] } => SceneShape::Box { min, max },
        Shape::PlanePoints { points: [min, max] } => {
            put(map, "form", "plane_points");
            SceneShape::Box { min, max }
        }
        Shape::Sphere { center, radius } => SceneShape::Sphere { center, radius },
        Shape::Cylinder { base: [x, y, z], height, radius } => {
            put(map, "form", "cylinder");
            if (z + height) - z != height {
                put(map, "height", height.json());
            }
            SceneShape::Cylinder { from: [x, y, z], to: [x, y, z + height], radius }
        }
        Shape::CylinderPoints { points: [from, to], radius } => SceneShape::Cylinder { from, to, radius },
        Shape::Plane { length, width } => SceneShape::Plane { size: [length, width] },
    }
}
