//! Nodes, lights, emitters, cameras and shapes.

use std::collections::{HashMap, HashSet};

use super::{At, Check, is_converted, is_index};
use crate::rules::*;
use crate::{Attachment, Feature, NodeKind, Sequence, Shape, node_flags};

impl Check<'_> {
    pub(super) fn nodes(&mut self) {
        self.ids();
        self.parents();
        self.pivots();
        self.names();
        self.kinds();
        self.unused();
    }

    fn ids(&mut self) {
        let m = self.m;
        let count = m.node_count();
        let mut seen = HashSet::new();
        let mut highest_bone = None;
        let mut lowest_other: Option<(u32, NodeKind, usize)> = None;
        for (kind, index, node) in m.nodes() {
            let id = node.object_id;
            if !seen.insert(id) {
                self.add(&OBJECT_ID_TWICE, At(kind.list_name(), index), || format!("object id {id}"));
            }
            if kind == NodeKind::Bone {
                highest_bone = highest_bone.max(Some(id));
            } else if lowest_other.is_none_or(|(lowest, ..)| id < lowest) {
                lowest_other = Some((id, kind, index));
            }
        }
        if let Some(id) = seen.iter().copied().filter(|id| *id as usize >= count).min() {
            self.add_plain(&OBJECT_ID_GAP, "", || format!("object id {id} with {count} nodes"));
        }
        if !m.version.is_wow()
            && let (Some(bone), Some((other, kind, index))) = (highest_bone, lowest_other)
            && other < bone
        {
            let message = || format!("it has object id {other}, a bone has {bone}");
            self.add(&BONES_NOT_FIRST, At(kind.list_name(), index), message);
        }
    }

    fn parents(&mut self) {
        let m = self.m;
        let parents: HashMap<u32, i32> = m.nodes().map(|(_, _, n)| (n.object_id, n.parent_id)).collect();
        for (kind, index, node) in m.nodes() {
            let parent = node.parent_id;
            if parent != -1 && !parents.contains_key(&(parent as u32)) {
                self.add(&PARENT, At(kind.list_name(), index), || format!("parent {parent}"));
            }
        }
        // Every ancestor is visited once: nodes visited before are known to be free of cycles.
        let mut sound: HashSet<u32> = HashSet::new();
        for (kind, index, node) in m.nodes() {
            let mut chain = Vec::new();
            let mut here: HashSet<u32> = HashSet::new();
            let mut at = node.object_id;
            while !sound.contains(&at) {
                if !here.insert(at) {
                    self.add(&PARENT_CYCLE, At(kind.list_name(), index), || format!("object id {at} again"));
                    break;
                }
                chain.push(at);
                match parents.get(&at) {
                    Some(parent) if *parent != -1 => at = *parent as u32,
                    _ => break,
                }
            }
            sound.extend(chain);
        }
    }

    fn pivots(&mut self) {
        let m = self.m;
        let (nodes, pivots) = (m.node_count(), m.pivots.len());
        if pivots < nodes {
            self.add_plain(&PIVOTS_MISSING, "pivots", || format!("{pivots} pivots, {nodes} nodes"));
        } else if pivots > nodes {
            self.add_plain(&PIVOTS_LEFT_OVER, "pivots", || format!("{pivots} pivots, {nodes} nodes"));
        }
        if let Some(index) = m.pivots.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            self.add_plain(&NOT_A_NUMBER, "pivots", || format!("pivot {index}"));
        }
    }

    fn names(&mut self) {
        let m = self.m;
        let mut seen: HashSet<&[u8]> = HashSet::new();
        for (kind, index, node) in m.nodes() {
            let name = node.name.bytes();
            let at = At(kind.list_name(), index);
            if name.is_empty() {
                self.add(&NODE_NAME_EMPTY, at, || format!("object id {}", node.object_id));
            } else if !seen.insert(name) {
                self.add(&NODE_NAME_TWICE, at, || "another node has the same name".into());
            }
        }
    }

    fn kinds(&mut self) {
        let m = self.m;
        for (kind, index, node) in m.nodes() {
            let at = At(kind.list_name(), index);
            let flags = node.flags;
            let bit = if m.version.is_wow() { kind.wow_bit() } else { kind.warcraft_bit() };
            let moved = kind == NodeKind::RibbonEmitter && flags & 0x40_0000 != 0;
            if flags & bit != bit && moved {
                self.add(&CONVERTER_RIBBON_FLAG, at, || format!("flags 0x{flags:X}"));
            } else if flags & bit != bit {
                self.add(&NODE_KIND, at, || format!("flags 0x{flags:X} without 0x{bit:X}"));
            }
            if kind == NodeKind::Bone && flags & 0x8000_0000 != 0 {
                self.add(&CONVERTER_BONE_FLAG, at, || format!("flags 0x{flags:X}"));
            }
            if kind == NodeKind::Helper && flags & 0x100 != 0 && !m.version.is_wow() {
                self.add(&CONVERTER_HELPER_FLAG, at, || format!("flags 0x{flags:X}"));
            }
        }
        for (index, light) in m.lights.iter().enumerate() {
            let kind = light.kind;
            let at = At("lights", index);
            if kind & !0xFF == 0x200 && kind & 0xFF <= 2 {
                self.add(&CONVERTER_LIGHT_KIND, at, || format!("type {kind}"));
            } else if kind > 2 {
                self.add(&LIGHT_KIND, at, || format!("type {kind}"));
            }
        }
        for (index, anim) in m.geoset_anims.iter().enumerate().filter(|(_, a)| a.flags & !3 != 0) {
            let message = || format!("flags 0x{:X}", anim.flags);
            self.add(&CONVERTER_GEOSET_ANIM, At("geoset_anims", index), message);
        }
        let converted = is_converted(m);
        for (index, camera) in m.cameras.iter().enumerate() {
            let moves = camera.tracks.get(b"KCTR").is_some() || camera.tracks.get(b"KTTR").is_some();
            if converted && moves {
                self.add(&CONVERTER_CAMERA, At("cameras", index), || "KCTR and KTTR".into());
            }
        }
    }

    fn unused(&mut self) {
        let m = self.m;
        let mut used: HashSet<u32> = HashSet::new();
        for geoset in &m.geosets {
            used.extend(&geoset.matrices);
            for skin in geoset.skin.iter().flatten() {
                let bones = skin.bones.iter().zip(skin.weights).filter(|(_, w)| *w > 0);
                used.extend(bones.map(|(b, _)| u32::from(*b)));
            }
        }
        let parents: HashSet<i32> = m.nodes().map(|(_, _, n)| n.parent_id).collect();
        for (kind, index, node) in m.nodes() {
            let carries = i32::try_from(node.object_id).is_ok_and(|id| parents.contains(&id));
            let at = At(kind.list_name(), index);
            match kind {
                NodeKind::Bone if !carries && !used.contains(&node.object_id) => {
                    self.add(&UNUSED_BONE, at, || format!("object id {}", node.object_id));
                }
                NodeKind::Helper if !carries => {
                    self.add(&UNUSED_HELPER, at, || format!("object id {}", node.object_id));
                }
                _ => {}
            }
        }
        for (index, bone) in m.bones.iter().enumerate() {
            let at = At("bones", index);
            if bone.geoset_id != -1 && !is_index(bone.geoset_id, m.geosets.len()) {
                self.add(&BONE_GEOSET, at, || format!("geoset {}", bone.geoset_id));
            }
            if bone.geoset_anim_id != -1 && !is_index(bone.geoset_anim_id, m.geoset_anims.len()) {
                self.add(&BONE_GEOSET_ANIM, at, || format!("geoset animation {}", bone.geoset_anim_id));
            }
        }
    }

    pub(super) fn emitters(&mut self) {
        self.particles();
        self.ribbons_and_models();
        self.things();
    }

    fn particles(&mut self) {
        let m = self.m;
        for (index, emitter) in m.particle_emitters2.iter().enumerate() {
            let at = At("particle_emitters2", index);
            let texture = emitter.texture_id;
            if texture != -1 && !is_index(texture, m.textures.len()) {
                self.add(&PARTICLE_TEXTURE, at, || format!("texture {texture}"));
            }
            if emitter.filter_mode > 4 {
                self.add(&PARTICLE_FILTER, at, || format!("filter mode {}", emitter.filter_mode));
            }
            if emitter.head_or_tail > 2 {
                self.add(&HEAD_OR_TAIL, at, || emitter.head_or_tail.to_string());
            }
            if !emitter.rows.is_power_of_two() || !emitter.columns.is_power_of_two() {
                self.add(&PARTICLE_CELLS, at, || format!("{} x {}", emitter.rows, emitter.columns));
            }
            if emitter.squirt == 1 && emitter.tracks.get(b"KP2E").is_none() {
                self.add(&SQUIRT_WITHOUT_KEYS, at, || "no KP2E".into());
            }
            let life = emitter.life_span;
            if life <= 0.0 && emitter.tracks.get(b"KLIF").is_none() {
                self.add(&PARTICLE_LIFE, at, || format!("{life} s"));
            }
            if !(0.0..=1.0).contains(&emitter.time) {
                self.add(&PARTICLE_MIDDLE, at, || emitter.time.to_string());
            }
            let flat = !m.version.is_wow() && emitter.node.has(node_flags::XY_QUAD);
            if flat && emitter.speed == 0.0 && emitter.tracks.get(b"KP2S").is_none() {
                self.add(&XY_QUAD_STILL, at, || "speed 0".into());
            }
        }
        for (index, emitter) in m.popcorn_emitters.iter().enumerate() {
            if emitter.path.bytes().is_empty() {
                self.add(&POPCORN_PATH, At("popcorn_emitters", index), || "no path".into());
            }
        }
    }

    fn ribbons_and_models(&mut self) {
        let m = self.m;
        for (index, ribbon) in m.ribbon_emitters.iter().enumerate() {
            let at = At("ribbon_emitters", index);
            if ribbon.material_id as usize >= m.materials.len() {
                self.add(&RIBBON_MATERIAL, at, || format!("material {}", ribbon.material_id));
            }
            if ribbon.life_span <= 0.0 || ribbon.emission_rate == 0 {
                let message = || format!("{} edges of {} s", ribbon.emission_rate, ribbon.life_span);
                self.add(&RIBBON_EMPTY, at, message);
            }
        }
        for (index, emitter) in m.particle_emitters.iter().enumerate() {
            let at = At("particle_emitters", index);
            let path = emitter.path.bytes().to_ascii_lowercase();
            if path.is_empty() {
                self.add(&EMITTER_NO_PATH, at, || "no path".into());
            } else if emitter.node.has(0x8000) && !path.ends_with(b".mdl") && !path.ends_with(b".mdx") {
                self.add(&EMITTER_PATH, at, || emitter.path.lossy().into_owned());
            }
        }
    }

    fn things(&mut self) {
        let m = self.m;
        for (index, event) in m.events.iter().enumerate() {
            let at = At("events", index);
            let name = event.node.name.bytes();
            if !m.version.is_wow() && !is_event_name(name) {
                self.add(&EVENT_NAME, at, || event.node.name.lossy().into_owned());
            }
            if event.track.as_ref().is_none_or(|t| t.times.is_empty()) {
                self.add(&EVENT_NO_KEYS, at, || "no times".into());
            }
        }
        for (index, light) in m.lights.iter().enumerate() {
            let animated = light.tracks.get(b"KLAS").is_some() || light.tracks.get(b"KLAE").is_some();
            if light.attenuation_end < light.attenuation_start && !animated {
                let message = || format!("from {} to {}", light.attenuation_start, light.attenuation_end);
                self.add(&LIGHT_ATTENUATION, At("lights", index), message);
            }
        }
        // Portraits are seen through the first camera only.
        for (index, camera) in m.cameras.iter().enumerate().take(1) {
            let sees = camera.far_clip > camera.near_clip && camera.field_of_view > 0.0;
            if !sees {
                let message = || {
                    format!("from {} to {}, view {}", camera.near_clip, camera.far_clip, camera.field_of_view)
                };
                self.add(&CAMERA_CLIP, At("cameras", index), message);
            }
        }
        if !m.version.is_wow() {
            for (index, attachment) in m.attachments.iter().enumerate() {
                let name = attachment.node.name.bytes();
                let name = name.trim_ascii().to_ascii_lowercase();
                if !name.ends_with(b"ref") {
                    let message = || attachment.node.name.lossy().into_owned();
                    self.add(&ATTACHMENT_NAME, At("attachments", index), message);
                }
            }
            let begins = |name: &[u8], word: &[u8]| name.to_ascii_lowercase().starts_with(word);
            // What only walks may be a critter or a decoration.
            let fights = |s: &Sequence| begins(s.name.bytes(), b"attack");
            let origin = |a: &Attachment| begins(a.node.name.bytes().trim_ascii(), b"origin");
            if m.sequences.iter().any(fights) && !m.attachments.iter().any(origin) {
                self.add_plain(&NO_ORIGIN, "attachments", || format!("{} others", m.attachments.len()));
            }
        }
        for (index, shape) in m.collision_shapes.iter().enumerate() {
            let empty = match shape.shape {
                Shape::Box { corners: [a, b] } => a == b,
                Shape::Sphere { radius, .. } | Shape::CylinderPoints { radius, .. } => radius <= 0.0,
                Shape::Cylinder { height, radius, .. } => radius <= 0.0 || height == 0.0,
                Shape::Plane { length, width } => length == 0.0 || width == 0.0,
                Shape::PlanePoints { points: [a, b] } => a == b,
            };
            if empty {
                self.add(&SHAPE_EMPTY, At("collision_shapes", index), || format!("{:?}", shape.shape));
            }
        }
        let (poses, want) = (m.bind_poses.len(), m.node_count() + m.cameras.len());
        if m.version.has(Feature::LevelOfDetail) && poses > 0 && poses != want {
            self.add_plain(&BIND_POSE_COUNT, "bind_poses", || format!("{poses} instead of {want}"));
        }
        let names: HashSet<&[u8]> = m.nodes().map(|(_, _, n)| n.name.bytes()).collect();
        for (index, effect) in m.face_effects.iter().enumerate() {
            if !names.contains(effect.target.bytes()) {
                let message = || effect.target.lossy().into_owned();
                self.add(&FACE_EFFECT_TARGET, At("face_effects", index), message);
            }
        }
    }
}

/// Returns `true` for the name of an event: its kind, any character, four letters or digits, and perhaps a number.
fn is_event_name(name: &[u8]) -> bool {
    let known = [b"SND", b"SPN", b"SPL", b"FPT", b"UBR"].iter().any(|kind| name.starts_with(*kind));
    let code = name.trim_ascii_end().get(4..).unwrap_or(&[]);
    let (id, number) = code.split_at_checked(4).unwrap_or((&[], &[]));
    known && !id.is_empty() && number.iter().all(u8::is_ascii_digit)
}
