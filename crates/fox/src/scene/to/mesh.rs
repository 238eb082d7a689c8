//! Meshes with their levels of detail.

use galatea_scene::{
    Extras, Mesh as SceneMesh, Node, NodeId, Primitive, Purpose, Scene, SkinId, VerticesId, encode_u32s,
};

use super::To;
use super::vertices::scene_columns;
use crate::mesh::Mesh;
use crate::scene::extra::{list, put, wrap};

/// Returns the mesh's faces of one level, the other way round: the game's fronts are clockwise.
fn turned(mesh: &Mesh, level: usize) -> Vec<u32> {
    mesh.faces(level).flat_map(|[a, b, c]| [a, c, b].map(u32::from)).collect()
}

impl To<'_> {
    /// Adds a node for each level of each mesh, below its group. All levels share the vertices.
    pub(super) fn add_meshes(
        &self,
        scene: &mut Scene,
        root: NodeId,
        groups: &[NodeId],
        skin: Option<SkinId>,
        materials: &super::material::Materials,
    ) {
        let model = self.model;
        let many = model.lod_count() > 1;
        let owners = model.groups_of_meshes();
        for (index, mesh) in model.meshes.iter().enumerate() {
            let group = owners.get(index).copied().flatten();
            let parent = group.and_then(|g| groups.get(usize::from(g))).copied().unwrap_or(root);
            let columns = scene_columns(mesh, model.bone_group(mesh), model.bones.len());
            let skin = skin.filter(|_| !columns.vertices.influences.is_empty());
            let vertices = scene.vertices.len() as VerticesId;
            let empty = columns.vertices.positions.is_empty();
            scene.vertices.push(columns.vertices);
            let mut map = columns.map;
            put_mesh(&mut map, mesh, empty);
            if usize::from(mesh.material) >= model.materials.len() {
                put(&mut map, "material", mesh.material);
            }
            let hidden = mesh.flags & Mesh::SHADOW_ONLY != 0;
            for level in 0..mesh.windows.len().max(1) {
                // The first one is there even when it is empty: it holds the vertices.
                if level > 0 && mesh.faces(level).len() == 0 {
                    continue;
                }
                let name = match level {
                    0 => format!("mesh_{index}"),
                    level => format!("mesh_{index}_lod{level}"),
                };
                let primitive = Primitive {
                    vertices,
                    indices: turned(mesh, level),
                    material: materials.of(mesh),
                    ..Primitive::default()
                };
                let id = scene.meshes.len() as u32;
                scene.meshes.push(SceneMesh {
                    name: name.clone(),
                    primitives: vec![primitive],
                    purpose: if hidden { Purpose::Hidden } else { Purpose::Render },
                    lod: many.then_some(level as u32),
                    ..SceneMesh::default()
                });
                let mut own = if level == 0 { std::mem::take(&mut map) } else { Extras::new() };
                put(&mut own, "mesh", index);
                if let Some(group) = group {
                    put(&mut own, "in_group", group);
                }
                let node = Node { mesh: Some(id), skin, extras: wrap(own), ..Node::new(&name) };
                scene.add_node(Some(parent), node);
            }
        }
    }
}

/// Keeps what a mesh is besides its vertices and triangles: flags, and how its levels lie in one list of indices.
fn put_mesh(map: &mut Extras, mesh: &Mesh, empty: bool) {
    put(map, "flags", mesh.flags as i32);
    put(map, "bone_group", mesh.bone_group);
    let windows = mesh.windows.iter().flat_map(|w| [w.first as usize, w.count as usize]);
    put(map, "windows", list(windows));
    if empty {
        put(map, "count", mesh.vertices.count);
    }
    let mut shown = vec![false; mesh.indices.len()];
    for (level, window) in mesh.windows.iter().enumerate().filter(|_| !empty) {
        let faces = mesh.faces(level).len() * 3;
        shown.iter_mut().skip(window.first as usize).take(faces).for_each(|s| *s = true);
    }
    // Indices that no level shows.
    let lost: Vec<(usize, u16)> =
        (mesh.indices.iter().copied().enumerate()).filter(|(i, _)| shown.get(*i) == Some(&false)).collect();
    if !lost.is_empty() {
        put(map, "rest_at", list(lost.iter().map(|(i, _)| *i)));
        put(map, "rest", encode_u32s(&lost.iter().map(|(_, v)| u32::from(*v)).collect::<Vec<_>>()));
    }
}
