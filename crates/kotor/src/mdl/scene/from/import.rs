//! Prepares scenes that did not come from a model for conversion.

use foldhash::HashSet;
use galatea_scene::{Pose, Room, Scene, UniqueNames, smooth_normals};
use galatea_wire::{Loss, Text};
use glam::Vec3;

use super::FromScene;
use crate::extra::unlatin;
use crate::geometry::AXES;
use crate::mdl::Model;

/// The limits of a mesh: indices of vertices and faces have 16 bits, and skins 16 bones.
const ROOM: Room = Room { vertices: 65_535, triangles: 65_535, joints: 16, influences: 4 };
/// The greatest length of a name.
pub(super) const NAME: usize = 31;

/// Returns the scene facing positive Y, with scale baked in, and meshes with one material, all columns and few enough
/// bones.
pub(super) fn prepared(scene: &Scene) -> (Scene, Vec<Loss>) {
    // Positive Y of the format is negative Z of the scene.
    let mut out = scene.facing([0.0, 0.0, -1.0]).into_owned();
    let mut losses = out.bake_scale(AXES, 1.0);
    losses.extend(out.apply_uv_transforms());
    losses.extend(out.split(&ROOM));
    let used: HashSet<u32> = out.drawn().flat_map(|(_, _, m)| &m.primitives).map(|p| p.vertices).collect();
    let mut triangles: Vec<Vec<[u32; 3]>> = vec![Vec::new(); out.vertices.len()];
    for primitive in out.drawn().flat_map(|(_, _, m)| &m.primitives) {
        if let Some(list) = triangles.get_mut(primitive.vertices as usize) {
            list.extend(primitive.triangles(usize::MAX));
        }
    }
    for (id, vertices) in out.vertices.iter_mut().enumerate().filter(|(id, _)| used.contains(&(*id as u32))) {
        let count = vertices.positions.len();
        if vertices.normals.len() != count {
            let triangles = triangles.get(id).map_or(&[][..], |t| t);
            vertices.normals = smooth_normals(&vertices.positions, triangles);
        }
        if vertices.uvs.is_empty() {
            vertices.uvs.push(vec![[0.0; 2]; count]);
        }
        // In the game, texture coordinates run upwards.
        vertices.uvs.iter_mut().flatten().for_each(|[_, v]| *v = 1.0 - *v);
        // Not needed in a new model: only bump-mapped textures have tangents, which the compiler derives.
        vertices.tangents.clear();
    }
    (out, losses)
}

/// Returns the name by which the game finds a texture: without directories and extension, and not longer than the
/// limit.
pub(super) fn texture_name(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let endings = ["png", "jpg", "jpeg", "tga", "tpc", "dds", "bmp", "webp"];
    let known = |(_, ending): &(&str, &str)| endings.iter().any(|e| ending.eq_ignore_ascii_case(e));
    let stem = file.rsplit_once('.').filter(known).map_or(file, |(stem, _)| stem);
    let clean = |c: char| if c.is_control() || c as u32 > 0xFF { '_' } else { c };
    stem.chars().map(clean).take(16).collect()
}

/// Sets box and radius of the model.
pub(super) fn outline(scene: &Scene, model: &mut Model) {
    let Some(bounds) = Pose::rest(scene).bounds(scene) else { return };
    let away = glam::Quat::from_array(AXES).inverse();
    let (a, b) = (away * Vec3::from(bounds.min), away * Vec3::from(bounds.max));
    model.bounds = [a.min(b).into(), a.max(b).into()];
    model.radius = a.length().max(b.length());
}

impl FromScene<'_> {
    /// Returns a name for an animation that is short enough and unique.
    pub(super) fn clip_name(&mut self, names: &mut UniqueNames, wanted: &str) -> Text<32> {
        if unlatin(wanted).len() <= NAME {
            return super::text(wanted);
        }
        let name = names.fit(wanted);
        self.losses
            .push(Loss::new(format!("clip {wanted:?}"), format!("its name, now {name:?}")).invisible());
        super::text(&name)
    }
}
