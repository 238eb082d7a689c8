//! Conversion between Warcraft III (800) and World of Warcraft, and between versions of the latter.

use super::skin::skin_from_groups;
use super::warcraft::drop_tracks;
use super::{Losses, reset};
use crate::{
    Bounds, Feature, Geoset, Helper, Interpolation, Keys, Model, NodeKind, Tag, Tracks, ValueKind, Version,
    VertexBuffer, WowParticles,
};

/// The bits of all node kinds in both games.
const KIND_BITS: u32 = 0x7F80;
/// Bits of particle emitters that have another meaning in the other game.
const WOW_PARTICLE_BITS: u32 = 0x3FF0_0000;

impl Model {
    pub(super) fn between_wow(&mut self, to: Version, losses: &mut Losses) {
        let buffers = |v: Version| v.has(Feature::VertexBuffers);
        if buffers(self.version) && !buffers(to) {
            self.drop_buffers(losses);
        }
        if !buffers(self.version) && buffers(to) {
            self.make_buffers(losses);
        }
        self.version = to;
    }

    /// Converts to version 800.
    pub(super) fn leave_wow(&mut self, losses: &mut Losses) {
        self.between_wow(Version(1300), losses);
        if self.info.blend_time > 10_000 || self.info.flags != 0 {
            losses.add_invisible("MODL", format!("its last bytes {:02x?} are lost", self.info.tail()));
            self.info.blend_time = 150;
            self.info.flags = 0;
        }
        for (index, sequence) in self.sequences.iter_mut().enumerate() {
            let path = format!("sequences[{index}]");
            let frequency = std::mem::take(&mut sequence.frequency);
            if frequency != 1.0 {
                losses.add(&path, format!("frequency {frequency} is lost"));
            }
            reset(losses, &path, "replay", &mut sequence.replay, [0; 2]);
            sequence.blend_time = 0;
            if sequence.flags & !1 != 0 {
                losses.add(&path, format!("flags 0x{:x} are lost", sequence.flags & !1));
                sequence.flags &= 1;
            }
        }
        for (index, texture) in self.textures.iter_mut().enumerate() {
            reset(losses, &format!("textures[{index}]"), "replaceable id", &mut texture.replaceable_id, 0);
        }
        self.layers_from_wow(losses);
        for (index, geoset) in self.geosets.iter_mut().enumerate() {
            let path = format!("geosets[{index}]");
            if !geoset.bone_indices.is_empty() || !geoset.bone_weights.is_empty() {
                losses.add_invisible(&path, "BIDX and BWGT are lost; the matrix groups have the same data");
            }
            geoset.bone_indices.clear();
            geoset.bone_weights.clear();
            geoset.selection_flags = if geoset.selection_flags & 1 != 0 { 4 } else { 0 };
        }
        if self.collision_mesh.take().is_some() {
            losses.add_invisible("CLID", "the collision mesh is lost");
        }
        self.flags_from_wow(losses);
        self.emitters_from_wow(losses);
        for attachment in &mut self.attachments {
            attachment.padding = 0xFF;
        }
        for event in &mut self.events {
            event.track.get_or_insert_default();
        }
        self.rename_visibility(true, losses);
        self.version = Version(800);
    }

    fn layers_from_wow(&mut self, losses: &mut Losses) {
        for (index, material) in self.materials.iter_mut().enumerate() {
            for layer in &mut material.layers {
                // The layer uses no texture coordinates, so the first set is as good as any.
                if layer.coord_id == u32::MAX {
                    layer.coord_id = 0;
                }
                if layer.flags & 0x100 != 0 {
                    losses.add(format!("materials[{index}]"), "layer flag 0x100 is lost");
                    layer.flags &= !0x100;
                }
            }
        }
    }

    fn flags_from_wow(&mut self, losses: &mut Losses) {
        for (kind, index, node) in self.nodes_mut() {
            let path = format!("{}[{index}]", kind.list_name());
            if node.flags & 0x4000 != 0 {
                losses.add(&path, "the flag Project is lost");
            }
            if kind == NodeKind::ParticleEmitter2 && node.flags & WOW_PARTICLE_BITS != 0 {
                losses.add(&path, format!("flags 0x{:x} are lost", node.flags & WOW_PARTICLE_BITS));
                node.flags &= !WOW_PARTICLE_BITS;
            }
            node.flags = node.flags & !KIND_BITS | kind.warcraft_bit();
        }
    }

    fn emitters_from_wow(&mut self, losses: &mut Losses) {
        for (index, emitter) in self.particle_emitters2.iter_mut().enumerate() {
            let path = format!("particle_emitters2[{index}]");
            emitter.content_size = None;
            reset(losses, &path, "the emitter type", &mut emitter.emitter_type, 1);
            reset(losses, &path, "longitude", &mut emitter.longitude, 0.0);
            reset(losses, &path, "the z source", &mut emitter.z_source, 0.0);
            if emitter.wow.take().is_some_and(|wow| *wow != WowParticles::default()) {
                losses.add(&path, "twinkle, tumble, drag, wind, following, spline and models are lost");
            }
            drop_tracks(&path, &mut emitter.tracks, &[b"KPLN", b"KLIF", b"KP2Z"], losses);
        }
        for ribbon in &mut self.ribbon_emitters {
            ribbon.content_size = None;
        }
    }

    /// Converts from version 800.
    pub(super) fn enter_wow(&mut self, to: Version, losses: &mut Losses) {
        for (index, sequence) in self.sequences.iter_mut().enumerate() {
            let path = format!("sequences[{index}]");
            reset(losses, &path, "rarity", &mut sequence.rarity, 0.0);
            reset(losses, &path, "the sync point", &mut sequence.sync_point, 0);
            sequence.frequency = 1.0;
            sequence.blend_time = 150;
        }
        for (index, material) in self.materials.iter_mut().enumerate() {
            let path = format!("materials[{index}]");
            reset(losses, &path, "its flags", &mut material.flags, 0);
            for layer in &mut material.layers {
                make_simple(&path, &mut layer.tracks, losses);
            }
        }
        for (index, ribbon) in self.ribbon_emitters.iter_mut().enumerate() {
            make_simple(&format!("ribbon_emitters[{index}]"), &mut ribbon.tracks, losses);
        }
        for (index, texture) in self.textures.iter_mut().enumerate() {
            reset(losses, &format!("textures[{index}]"), "replaceable id", &mut texture.replaceable_id, 0);
        }
        for (index, emitter) in std::mem::take(&mut self.sound_emitters).into_iter().enumerate() {
            losses.add_invisible(
                format!("sound_emitters[{index}]"),
                "the sound is lost; its node became a helper",
            );
            self.helpers.push(Helper { node: emitter.node });
        }
        for (index, _) in std::mem::take(&mut self.sounds).iter().enumerate() {
            losses.add_invisible(format!("sounds[{index}]"), "the sound is lost");
        }
        for (index, geoset) in self.geosets.iter_mut().enumerate() {
            let path = format!("geosets[{index}]");
            geoset.selection_flags = u32::from(geoset.selection_flags & 4 != 0);
            let count = geoset.vertices.len();
            for set in geoset.uvs.iter_mut().filter(|set| set.len() != count) {
                losses.add(&path, format!("{} texture coordinates for {count} vertices", set.len()));
                set.resize(count, [0.0; 2]);
            }
            make_bone_lists(geoset);
        }
        for (kind, index, node) in self.nodes_mut() {
            let path = format!("{}[{index}]", kind.list_name());
            if node.flags & 0x80 != 0 {
                losses.add(&path, "the flag CameraAnchored is lost");
            }
            if kind == NodeKind::ParticleEmitter2 && node.flags & 0x10_0000 != 0 {
                losses.add(&path, "the flag XYQuad is lost");
                node.flags &= !0x10_0000;
            }
            node.flags = node.flags & !KIND_BITS | kind.wow_bit();
        }
        self.rename_visibility(false, losses);
        self.version = Version(1300);
        self.between_wow(to, losses);
    }

    /// Renames visibility tracks: Warcraft III has a tag per owner, World of Warcraft one for all.
    fn rename_visibility(&mut self, to_warcraft: bool, losses: &mut Losses) {
        let rename = |tracks: &mut Tracks, tag: &[u8; 4]| {
            let (from, to) = if to_warcraft { (b"KVIS", tag) } else { (tag, b"KVIS") };
            for track in tracks.iter_mut().filter(|t| t.tag.0 == *from) {
                track.tag = Tag(*to);
            }
        };
        self.lights.iter_mut().for_each(|o| rename(&mut o.tracks, b"KLAV"));
        self.attachments.iter_mut().for_each(|o| rename(&mut o.tracks, b"KATV"));
        self.particle_emitters.iter_mut().for_each(|o| rename(&mut o.tracks, b"KPEV"));
        self.particle_emitters2.iter_mut().for_each(|o| rename(&mut o.tracks, b"KP2V"));
        self.ribbon_emitters.iter_mut().for_each(|o| rename(&mut o.tracks, b"KRVS"));
        if to_warcraft {
            for (index, camera) in self.cameras.iter_mut().enumerate() {
                drop_tracks(&format!("cameras[{index}]"), &mut camera.tracks, &[b"KVIS"], losses);
            }
        }
    }

    fn drop_buffers(&mut self, losses: &mut Losses) {
        for (index, geoset) in self.geosets.iter_mut().enumerate() {
            let path = format!("geosets[{index}]");
            if let Some(buffer) = geoset.buffer.take()
                && geoset.selection_flags & !1 != 0
            {
                losses.add(
                    &path,
                    format!("flags 0x{:x} of geoset {} are lost", geoset.selection_flags & !1, buffer.index),
                );
                geoset.selection_flags &= 1;
            }
        }
        self.group_skins(crate::GroupWeights::default(), losses);
        let sequences = self.sequences.len();
        for geoset in &mut self.geosets {
            let radius = geoset.bounds.radius;
            geoset.bounds = crate::bounds_of(&geoset.vertices).unwrap_or_default();
            geoset.bounds.radius = radius;
            geoset.sequence_bounds = vec![geoset.bounds; sequences];
            // A second set of zeros exists only because every vertex has room for it.
            if geoset.uvs.get(1).is_some_and(|set| set.iter().flatten().all(|x| *x == 0.0)) {
                geoset.uvs.truncate(1);
            }
            make_bone_lists(geoset);
        }
    }

    fn make_buffers(&mut self, losses: &mut Losses) {
        let other = self.bones.iter().find_map(|b| u8::try_from(b.node.object_id).ok());
        for (index, geoset) in self.geosets.iter_mut().enumerate() {
            let path = format!("geosets[{index}]");
            skin_from_groups(&path, geoset, other, losses);
            geoset.bone_indices.clear();
            geoset.bone_weights.clear();
            let count = geoset.vertices.len();
            if geoset.normals.len() != count {
                losses.add(&path, format!("{} normals for {count} vertices", geoset.normals.len()));
                geoset.normals.resize(count, [0.0, 0.0, 1.0]);
            }
            if geoset.uvs.len() > 2 {
                losses.add(&path, "texture coordinates beyond the second set are lost");
            }
            geoset.uvs.resize(2, vec![[0.0; 2]; count]);
            if geoset.face_types.iter().any(|t| *t != 4) || geoset.face_types.len() > 1 {
                losses.add_invisible(&path, "face groups became one list of triangles");
            }
            geoset.faces = geoset.triangles().concat();
            geoset.face_types = vec![4];
            geoset.face_counts = vec![u32::try_from(geoset.faces.len()).unwrap_or(u32::MAX)];
            if !std::mem::take(&mut geoset.sequence_bounds).is_empty() {
                losses.add(&path, "the bounds of each sequence are lost");
            }
            let Bounds { min: [a, b, c], max: [d, e, f], radius } = geoset.bounds;
            geoset.bounds = Bounds { radius, ..Bounds::default() };
            geoset.buffer = Some(Box::new(VertexBuffer {
                center: [(a + d) / 2.0, (b + e) / 2.0, (c + f) / 2.0],
                index: index as u32,
                min_vertex: geoset.faces.iter().copied().min().unwrap_or(0),
                max_vertex: geoset.faces.iter().copied().max().unwrap_or(0),
                padding: vec![0; geoset.faces.len().next_multiple_of(8) - geoset.faces.len()],
                ..VertexBuffer::default()
            }));
        }
    }
}

/// Removes the interpolation of integer tracks, which World of Warcraft does not have.
fn make_simple(path: &str, tracks: &mut Tracks, losses: &mut Losses) {
    for track in tracks.iter_mut().filter(|t| t.keys.kind() == ValueKind::Integer) {
        if track.interpolation != Interpolation::None {
            losses.add(path, format!("the interpolation of {} is lost", track.tag));
            track.interpolation = Interpolation::None;
        }
        if let Keys::Integer(curve) = &mut track.keys {
            curve.tangents.clear();
        }
    }
}

/// Makes `BIDX` and `BWGT` from the matrix groups, in the order of the groups, as in the only known file.
pub(crate) fn make_bone_lists(geoset: &mut Geoset) {
    let groups: Vec<Vec<u32>> = geoset.groups().map(<[u32]>::to_vec).collect();
    let mut order = geoset.vertex_groups.clone();
    order.sort_unstable();
    let (mut indices, mut weights) = (Vec::new(), Vec::new());
    for group in order {
        let mut bones = [0u8; 4];
        let mut shares = [0u8; 4];
        let listed = groups.get(usize::from(group)).map_or(&[][..], Vec::as_slice);
        let count = listed.len().clamp(1, 4);
        for (i, (bone, share)) in bones.iter_mut().zip(&mut shares).take(count).enumerate() {
            *bone = listed.get(i).and_then(|b| u8::try_from(*b).ok()).unwrap_or(0);
            *share = (255 / count + usize::from(i < 255 % count)) as u8;
        }
        indices.push(u32::from_le_bytes(bones));
        weights.push(u32::from_be_bytes(shares));
    }
    geoset.bone_indices = indices;
    geoset.bone_weights = weights;
}
