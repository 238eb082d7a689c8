//! Nodes to the scene.

use galatea_scene::{
    Attachment as SceneAttachment, Extras, Light as SceneLight, Node as SceneNode, Shape as SceneShape,
    Transform,
};

use glam::Vec3;

use super::ToScene;
use crate::play::Player;
use crate::scene::binding::{Parts, find, node_bindings, own_bindings};
use crate::scene::curve::ValueMap;
use crate::scene::extra::{ExtraValue, latin, put_fields, same, wrap};
use crate::scene::vocabulary::{KINDS, billboard_of, flags_of, inherit_of, kind_bit, light_kind, plain_bind};
use crate::{Attachment, Bone, CollisionShape, Light, Node, NodeKind, Shape, Tracks};

impl ToScene<'_> {
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
            map.add("kind", word);
            map.add("index", *index as u32);
            map.add("id", node.object_id as i32);
            let mut sum = there;
            sum.iter_mut().zip(rest).for_each(|(s, r)| *s += r);
            if !same(&sum, &here) {
                map.add("pivot", here.json());
            }
            let derived = above.map_or(-1, |n| n.object_id as i32);
            if node.parent_id != derived {
                map.add("parent", node.parent_id);
                map.add("derived_parent", derived);
            }
            let (inherit, billboard) = (inherit_of(node.flags), billboard_of(node.flags));
            if node.flags != flags_of(inherit, billboard) | kind_bit(*kind, model.version) {
                map.add("flags", node.flags as i32);
            }
            if let Some(bind) = model.bind_poses.get(node.object_id as usize)
                && !same(bind, &plain_bind(here))
            {
                map.add("bind", bind.json());
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
            let own = node_bindings(id, ValueMap::Offset(rest));
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
        self.places = self.rest_places();
    }

    /// Returns where viewers find each node at rest, below the axes node: the sum of the offsets above it.
    fn rest_places(&self) -> Vec<[f32; 3]> {
        let mut places = vec![[0.0; 3]; self.scene.nodes.len()];
        for id in self.scene.depth_first() {
            let Some(node) = self.scene.node(id).filter(|node| !node.axes) else { continue };
            let above = node.parent.and_then(|p| places.get(p as usize)).copied().unwrap_or_default();
            if let Some(place) = places.get_mut(id as usize) {
                *place = (Vec3::from(above) + Vec3::from(node.transform.translation)).into();
            }
        }
        places
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
            let bindings = own_bindings(kind, m.version, parts);
            self.add_tracks(map, "own_tracks", tracks, |tag| find(&bindings, tag));
        }
    }

    /// Adds the object of a node: light, attachment, shape or emitter.
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
            map.add("light_kind", light.kind as i32);
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

/// Returns a collision shape as a shape of the scene.
fn scene_shape(shape: &CollisionShape, map: &mut Extras) -> SceneShape {
    match shape.shape {
        Shape::Box { corners: [min, max] } => SceneShape::Box { min, max },
        Shape::PlanePoints { points: [min, max] } => {
            map.add("form", "plane_points");
            SceneShape::Box { min, max }
        }
        Shape::Sphere { center, radius } => SceneShape::Sphere { center, radius },
        Shape::Cylinder { base: [x, y, z], height, radius } => {
            map.add("form", "cylinder");
            if (z + height) - z != height {
                map.add("height", height.json());
            }
            SceneShape::Cylinder { from: [x, y, z], to: [x, y, z + height], radius }
        }
        Shape::CylinderPoints { points: [from, to], radius } => SceneShape::Cylinder { from, to, radius },
        Shape::Plane { length, width } => SceneShape::Plane { size: [length, width] },
    }
}
