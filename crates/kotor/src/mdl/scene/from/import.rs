//! Prepares scenes that did not come from a model for conversion.

use foldhash::HashSet;
use galatea_scene::{Mesh, Node, Primitive, Room, Scene, UniqueNames, smooth_normals};
use galatea_wire::{Error, Loss, Result, Text};

use super::FromScene;
use crate::authoring::Smoothing;
use crate::extra::unlatin;
use crate::geometry::AXES;

/// The limits of a mesh: indices of vertices and faces have 16 bits, and skins 16 bones.
const ROOM: Room = Room { vertices: 65_535, triangles: 65_535, joints: 16, influences: 4 };
/// The greatest length of a name.
pub(super) const NAME: usize = 31;

/// Returns the scene with scale baked in, and meshes with one material, all columns and few enough bones. `add` adds nodes
/// in the axes of the format.
pub(super) fn prepared(
    scene: Scene,
    smoothing: Smoothing,
    add: impl FnOnce(&mut Scene),
) -> Result<(Scene, Vec<Loss>)> {
    let mut out = scene;
    let mut losses = out.bake_scale(AXES, 1.0);
    if let Smoothing::Angle(degrees) = smoothing {
        out.smooth(degrees);
    }
    add(&mut out);
    losses.extend(out.apply_uv_transforms());
    losses.extend(out.split(&ROOM));
    let most = |(_, _, mesh): &(u32, &Node, &Mesh)| {
        let count = |p: &Primitive| out.vertices_of(p).map_or(0, |v| v.positions.len());
        mesh.primitives.iter().map(count).max().unwrap_or(0) > ROOM.vertices
    };
    if let Some((_, node, _)) = out.drawn().find(most) {
        let what = format!("mesh {:?} has more than {} vertices", node.name, ROOM.vertices);
        return Err(Error::unrepresentable(what));
    }
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
    Ok((out, losses))
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
