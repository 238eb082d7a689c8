//! Meshes to the scene.

use galatea_scene::{
    AlphaMode, Attribute, Extras, Material, Mesh as SceneMesh, Node as SceneNode, Primitive, Purpose, Slot,
    Texture, UvTransform, Value, Vertices as SceneVertices, encode_u32_iter, encode_u32s, floats,
};
use galatea_wire::Text;
use glam::Vec3;

use super::ToScene;
use super::node::constant;
use crate::box_tree::TreeBox;
use crate::derived::{self, Planes};
use crate::extra::{json, latin, put, same, wrap};
use crate::mdl::derive::neighbours;
use crate::mdl::scene::{ALPHA, SELF_ILLUMINATION, put_fields};
use crate::mdl::{IndexLists, Mesh, Node, NodeId, PositionCopy, TangentSpace, Vertices};

/// In the game, texture coordinates run upwards. They are not changed; each texture has this transform instead.
const V_UP: UvTransform = UvTransform { offset: [0.0, 1.0], rotation: 0.0, scale: [1.0, -1.0] };

/// Returns the name of a texture; `None` if there is none.
fn named<const N: usize>(texture: &Text<N>) -> Option<&[u8]> {
    let name = texture.bytes();
    (!name.is_empty() && !name.eq_ignore_ascii_case(b"null")).then_some(name)
}

/// Returns the slots of the textures of a mesh.
pub(in crate::mdl::scene) fn slots() -> [Slot; 4] {
    let other = |name: &str| Slot::Other(name.to_owned());
    [Slot::Base, Slot::Lightmap, other("texture_3"), other("texture_4")]
}

impl ToScene<'_> {
    /// Adds a mesh to the node. Returns its material, unless it is walkable.
    pub(super) fn add_mesh(
        &mut self,
        id: NodeId,
        node: &Node,
        mesh: &Mesh,
        out: &mut SceneNode,
        node_map: &mut Extras,
    ) -> Option<u32> {
        let mut map = Extras::new();
        put_header(&mut map, mesh);
        let triangles: Vec<[u32; 3]> = mesh.faces.iter().map(|f| f.vertices.map(u32::from)).collect();
        let positions = &mesh.vertices.positions;
        put_faces(&mut map, mesh, &triangles);
        let mut vertices = columns(mesh, &mut map);
        if let Some(blade) = map.get_mut("saber").and_then(Value::as_object_mut) {
            put_loose(blade, &triangles, &vertices);
        }
        if let Some(skin) = mesh.skin.as_deref() {
            out.skin = self.add_skin(id, mesh, skin, &mut vertices, &mut map);
        }
        let walk = mesh.aabb.is_some();
        let hidden = mesh.render == 0 || walk;
        let purpose = match (walk, mesh.render) {
            (true, _) => Purpose::Aabb,
            (false, 0) => Purpose::Hidden,
            _ => Purpose::Render,
        };
        let vertices_id = self.scene.vertices.len() as u32;
        if positions.is_empty() && !triangles.is_empty() {
            put(&mut map, "triangles", encode_u32s(triangles.as_flattened()));
        }
        let mut primitives = Vec::new();
        let material = if walk {
            put_appearance(&mut map, mesh);
            if mesh.faces.is_empty() && !positions.is_empty() {
                // Without faces, no other primitive would hold the vertices.
                primitives.push(Primitive { vertices: vertices_id, ..Primitive::default() });
            }
            let groups = derived::by_material(mesh.faces.iter().map(|f| f.material));
            for (surface, faces) in groups {
                let corners = faces.iter().filter_map(|f| triangles.get(*f as usize));
                let mut runs = Extras::new();
                derived::put_runs(&mut runs, &faces);
                primitives.push(Primitive {
                    vertices: vertices_id,
                    indices: corners.flatten().copied().collect(),
                    material: Some(
                        self.material(vec![u32::MAX, surface], || derived::surface_material(surface)),
                    ),
                    extras: wrap(runs),
                    ..Primitive::default()
                });
            }
            None
        } else {
            let material = self.add_material(id, node, mesh, &mut map);
            primitives.push(Primitive {
                vertices: vertices_id,
                indices: triangles.as_flattened().to_vec(),
                material: Some(material),
                ..Primitive::default()
            });
            Some(material)
        };
        self.scene.vertices.push(vertices);
        out.mesh = Some(self.scene.meshes.len() as u32);
        // Children of a hidden mesh are visible.
        out.visible = !(hidden && node.children.is_empty());
        put(node_map, "mesh", Value::Object(map));
        self.scene.meshes.push(SceneMesh {
            name: out.name.clone(),
            primitives,
            purpose,
            ..SceneMesh::default()
        });
        material
    }

    fn add_material(&mut self, id: NodeId, node: &Node, mesh: &Mesh, map: &mut Extras) -> u32 {
        let [alpha] = constant(&node.controllers, ALPHA).unwrap_or([1.0]);
        let emissive: [f32; 3] = constant(&node.controllers, SELF_ILLUMINATION).unwrap_or_default();
        let [r, g, b] = mesh.diffuse;
        let names =
            [named(&mesh.texture), named(&mesh.lightmap), named(&mesh.texture_3), named(&mesh.texture_4)];
        // "No texture" can be written in several ways.
        let raw =
            [mesh.texture.bytes(), mesh.lightmap.bytes(), mesh.texture_3.bytes(), mesh.texture_4.bytes()];
        for ((key, raw), name) in
            ["texture", "lightmap", "texture_3", "texture_4"].into_iter().zip(raw).zip(names)
        {
            if name.is_none() && !raw.is_empty() {
                put(map, key, latin(raw));
            }
        }
        let blend = alpha < 1.0 || mesh.transparency_hint > 0;
        let mut key: Vec<u32> = [r, g, b, alpha].iter().chain(&emissive).map(|v| v.to_bits()).collect();
        key.push(u32::from(blend));
        for name in names {
            key.extend(name.unwrap_or(&[]).iter().map(|b| u32::from(*b)));
            key.push(u32::MAX);
        }
        let sets: Vec<usize> = present_uvs(&mesh.vertices);
        key.extend(sets.iter().map(|s| *s as u32));
        if self.moved.contains(&id) {
            key.push(id);
        }
        self.material(key, || {
            let textures = names.into_iter().zip(slots()).enumerate().filter_map(|(i, (name, slot))| {
                let uv_set = sets.iter().position(|s| *s == i).unwrap_or(0) as u32;
                Some(Texture {
                    slot,
                    name: latin(name?),
                    uv_set,
                    transform: Some(V_UP),
                    ..Texture::default()
                })
            });
            let first = names.first().copied().flatten();
            Material {
                name: first.map_or_else(|| latin(self.model.name_of(node)), latin),
                base_color: [r, g, b, alpha],
                emissive,
                textures: textures.collect(),
                alpha: if blend { AlphaMode::Blend } else { AlphaMode::Opaque },
                ..Material::default()
            }
        })
    }
}

/// Passes the header fields of a mesh that the scene cannot express to another macro.
macro_rules! header_fields {
    ($to:ident, $($first:expr),*) => {
        $to!(
            $($first,)*
            bounds, radius, average, area, ambient, transparency_hint, texture_count, unknown_0xd4, unknown_0xe0, animate_uv, uv_direction,
            uv_jitter, uv_jitter_speed, lightmapped, rotate_texture, background, shadow, beaming, render, unknown_after_area
        )
    };
}
pub(in crate::mdl::scene) use header_fields;

/// Writes header fields that differ from those of a new mesh.
fn put_header(map: &mut Extras, mesh: &Mesh) {
    let base = Mesh::default();
    header_fields!(put_fields, map, mesh, base);
    if !mesh.in_mdx {
        put(map, "in_mdx", false);
    }
    if let Some(dirt) = &mesh.dirt {
        put(map, "dirt", json(dirt));
    }
    if let Some(anim) = mesh.anim.as_deref() {
        put(map, "anim", json(anim));
    }
    if mesh.inverted_counters != base.inverted_counters {
        put(map, "inverted_counters", encode_u32s(&mesh.inverted_counters));
    }
    if let IndexLists::Own(lists) = &mesh.indices {
        let lists =
            lists.iter().map(|l| Value::from([("list", encode_u32_iter(l.iter().map(|i| u32::from(*i))))]));
        put(map, "indices", Value::Array(lists.collect()));
    }
    put_copy(map, "mdl_positions", &mesh.mdl_positions);
}

fn put_copy(map: &mut Extras, key: &'static str, copy: &PositionCopy) {
    match copy {
        PositionCopy::Same => {}
        PositionCopy::Absent => put(map, key, "absent"),
        PositionCopy::Own(positions) => put(map, key, floats(positions.as_flattened())),
    }
}

/// Writes colors and textures of a mesh whose materials show surfaces.
fn put_appearance(map: &mut Extras, mesh: &Mesh) {
    let base = Mesh::default();
    put_fields!(map, mesh, base, diffuse, texture, lightmap, texture_3, texture_4);
}

fn put_faces(map: &mut Extras, mesh: &Mesh, triangles: &[[u32; 3]]) {
    let positions = &mesh.vertices.positions;
    let keys = derived::keys(positions, triangles);
    put(map, "geometry", derived::whole_key(positions, &keys) as i32);
    put(map, "measure", floats(&derived::measure(positions, triangles)));
    if let Some(tree) = mesh.aabb.as_deref() {
        let boxes: Vec<TreeBox> = tree
            .nodes
            .iter()
            .map(|n| TreeBox {
                min: n.min,
                max: n.max,
                left: n.left,
                right: n.right,
                face: n.face,
                plane: n.plane,
            })
            .collect();
        let mut stored = Extras::new();
        derived::put_tree(&mut stored, &boxes, positions, triangles);
        put(map, "aabb", Value::Object(stored));
    }
    if triangles.is_empty() {
        return;
    }
    let mut faces = Extras::new();
    let planes = Planes {
        normals: mesh.faces.iter().map(|f| f.normal).collect(),
        distances: mesh.faces.iter().map(|f| f.distance).collect(),
    };
    derived::put_planes(&mut faces, positions, triangles, &keys, &planes);
    let materials: Vec<u32> = mesh.faces.iter().map(|f| f.material).collect();
    if mesh.aabb.is_none() {
        match materials.first() {
            Some(first) if materials.iter().all(|m| m == first) => put(&mut faces, "material", json(first)),
            _ => put(&mut faces, "materials", encode_u32s(&materials)),
        }
    } else {
        derived::put_surfaces(&mut faces, &materials);
    }
    let computed = neighbours(positions, triangles.iter().copied());
    let other = mesh.faces.iter().zip(&computed).filter(|(f, c)| f.adjacent != **c).count();
    if other > 0 {
        let (mut at, mut to) = (Vec::with_capacity(other * 3), Vec::with_capacity(other * 3));
        let stored = mesh.faces.iter().flat_map(|f| f.adjacent);
        for (i, (stored, computed)) in stored.zip(computed.as_flattened()).enumerate() {
            if stored != *computed {
                at.push(i as u32);
                to.push(u32::from(stored));
            }
        }
        let mut adjacent = Extras::new();
        put(&mut adjacent, "at", encode_u32s(&at));
        put(&mut adjacent, "to", encode_u32s(&to));
        put(&mut faces, "adjacent", Value::Object(adjacent));
    }
    put(map, "faces", Value::Object(faces));
}

/// Returns the sets of texture coordinates of a mesh.
fn present_uvs(vertices: &Vertices) -> Vec<usize> {
    let full = |i: &usize| {
        vertices.uvs.get(*i).is_some_and(|u| !u.is_empty() && u.len() == vertices.positions.len())
    };
    (0..4).filter(full).collect()
}

/// Writes the vertices of a blade that no triangle has, which other programs drop, and which vertices the triangles have.
fn put_loose(map: &mut Extras, triangles: &[[u32; 3]], vertices: &SceneVertices) {
    let mut used = vec![false; vertices.positions.len()];
    let corners = triangles.as_flattened();
    corners.iter().for_each(|i| used.get_mut(*i as usize).into_iter().for_each(|used| *used = true));
    if triangles.is_empty() || !used.contains(&false) {
        return;
    }
    fn loose<const N: usize>(used: &[bool], rows: &[[f32; N]]) -> Value {
        let rows = rows.iter().zip(used).filter(|(_, used)| !**used);
        floats(&rows.flat_map(|(row, _)| *row).collect::<Vec<f32>>())
    }
    let mut stored = Extras::new();
    put(&mut stored, "corners", encode_u32s(corners));
    put(&mut stored, "positions", loose(&used, &vertices.positions));
    put(&mut stored, "normals", loose(&used, &vertices.normals));
    for (set, uvs) in vertices.uvs.iter().enumerate() {
        put(&mut stored, format!("uvs_{set}"), loose(&used, uvs));
    }
    put(map, "loose", Value::Object(stored));
}

fn attribute<const N: usize>(name: &str, rows: impl ExactSizeIterator<Item = [f32; N]>) -> Attribute {
    let mut values = Vec::with_capacity(rows.len() * N);
    rows.for_each(|row| values.extend_from_slice(&row));
    Attribute { name: name.to_owned(), width: N, values }
}

/// Returns the attribute names of a tangent space.
pub(in crate::mdl::scene) fn tangent_names(set: usize) -> [String; 3] {
    let tail = if set == 0 { String::new() } else { format!("_{set}") };
    ["BITANGENT", "TANGENT", "TANGENT_NORMAL"].map(|n| format!("{n}{tail}"))
}

fn handed([bitangent, tangent, normal]: &TangentSpace) -> [f32; 4] {
    let cross = Vec3::from(*normal).cross(Vec3::from(*tangent));
    let [x, y, z] = *tangent;
    [x, y, z, if cross.dot(Vec3::from(*bitangent)) < 0.0 { -1.0 } else { 1.0 }]
}

/// Returns the vertices of a mesh, column by column. Columns without one entry per vertex are stored in extras.
fn columns(mesh: &Mesh, map: &mut Extras) -> SceneVertices {
    let v = &mesh.vertices;
    let count = v.positions.len();
    let mut out = SceneVertices { positions: v.positions.clone(), ..SceneVertices::default() };
    let full = |len: usize| len == count && count > 0;
    let mut odd = |key: std::fmt::Arguments<'_>, flat: &[f32]| {
        if !flat.is_empty() {
            put(map, format!("raw_{key}"), floats(flat));
        }
    };
    if full(v.normals.len()) {
        out.normals = v.normals.clone();
    } else {
        odd(format_args!("normals"), v.normals.as_flattened());
    }
    if full(v.colors.len()) {
        out.colors = vec![v.colors.iter().map(|[r, g, b]| [*r, *g, *b, 1.0]).collect()];
    } else {
        odd(format_args!("colors"), v.colors.as_flattened());
    }
    let sets = present_uvs(v);
    for (i, uvs) in v.uvs.iter().enumerate() {
        if sets.contains(&i) {
            out.uvs.push(uvs.clone());
        } else {
            odd(format_args!("uvs_{i}"), uvs.as_flattened());
        }
    }
    for (set, spaces) in v.tangents.iter().enumerate() {
        if !full(spaces.len()) {
            odd(format_args!("tangents_{set}"), spaces.as_flattened().as_flattened());
            continue;
        }
        if set == 0 {
            out.tangents = spaces.iter().map(handed).collect();
        }
        // Tangents, too: programs drop those that they compute themselves.
        for (which, name) in tangent_names(set).iter().enumerate() {
            let rows = spaces.iter().map(|s| s.get(which).copied().unwrap_or_default());
            out.attributes.push(attribute(name, rows));
        }
    }
    if !sets.iter().copied().eq(0..sets.len()) {
        put(map, "uv_sets", encode_u32s(&sets.iter().map(|s| *s as u32).collect::<Vec<_>>()));
    }
    if let Some(dangly) = mesh.dangly.as_deref() {
        let mut stored = Extras::new();
        let base = crate::mdl::Dangly::default();
        put_fields!(&mut stored, dangly, base, displacement, tightness, period);
        if full(dangly.constraints.len()) {
            out.attributes.push(attribute("CONSTRAINT", dangly.constraints.iter().map(|c| [*c])));
        } else if !dangly.constraints.is_empty() {
            put(&mut stored, "constraints", floats(&dangly.constraints));
        }
        put_copy(&mut stored, "positions", &dangly.positions);
        put(map, "dangly", Value::Object(stored));
    }
    if let Some(saber) = mesh.saber.as_deref() {
        let mut stored = Extras::new();
        put(&mut stored, "inverted_counters", json(&saber.inverted_counters));
        if !same(saber.positions.as_flattened(), v.positions.as_flattened()) {
            put(&mut stored, "positions", floats(saber.positions.as_flattened()));
        }
        // A blade has separate normals and texture coordinates; in the scene they become those of the mesh.
        if out.normals.is_empty() && full(saber.normals.len()) {
            out.normals.clone_from(&saber.normals);
            put(&mut stored, "own_normals", true);
        } else {
            put(&mut stored, "normals", floats(saber.normals.as_flattened()));
        }
        if out.uvs.is_empty() && full(saber.uvs.len()) {
            out.uvs.push(saber.uvs.clone());
            put(&mut stored, "own_uvs", true);
        } else {
            put(&mut stored, "uvs", floats(saber.uvs.as_flattened()));
        }
        put(map, "saber", Value::Object(stored));
    }
    out
}
