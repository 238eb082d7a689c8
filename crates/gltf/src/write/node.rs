//! From the scene to glTF: nodes and skins.

use galatea_scene::{Extras, Inherit, Mesh, Node, Skin, Target, Transform, Value, floats};

use super::{Context, kept, put_extras, put_name, put_raw};
use crate::bin::{Component, Kind, Shape, put_floats};
use crate::json::{List, Object};
use crate::{blender, constraints, typed};

/// Indices in the document of the scene's meshes, skins and lights.
pub(super) struct Indices {
    pub(super) meshes: Vec<Option<u32>>,
    pub(super) skins: Vec<Option<u32>>,
    pub(super) lights: Vec<Option<u32>>,
}

fn at<T: Copy>(list: &[Option<T>], index: Option<u32>) -> Option<T> {
    list.get(index? as usize).copied().flatten()
}

/// Writes the nodes. `mesh_names` are the names of meshes in the document.
pub(super) fn write(
    cx: &mut Context<'_>,
    indices: &Indices,
    mesh_names: &[impl AsRef<str>],
    notes: &blender::Notes,
) -> List {
    let scene = cx.scene;
    // Nodes that notes name carry their key, so all notes are made before the first node is written.
    let name_of = |node| cx.name_of(Target::Node(node)).map(str::to_owned);
    let notes: Vec<Extras> = (0..scene.nodes.len())
        .map(|id| {
            let mesh = scene.nodes.get(id).and_then(|n| at(&indices.meshes, n.mesh).and(n.mesh));
            let mesh = mesh.and_then(|m| mesh_names.get(m as usize)).map(AsRef::as_ref);
            notes.put(scene, id, name_of, mesh)
        })
        .collect();
    let mut list = List::default();
    for (id, (node, notes)) in scene.nodes.iter().zip(notes).enumerate() {
        list.push(|o| put_node(o, cx, id, node, indices, notes));
        if !node.visible {
            cx.extensions.insert("KHR_node_visibility");
        }
    }
    list
}

fn put_node(o: &mut Object<'_>, cx: &Context<'_>, id: usize, node: &Node, indices: &Indices, notes: Extras) {
    let (mut own, mut raw) = (Extras::default(), Extras::default());
    let name = cx.node_names.get(id).map_or("", |n| n);
    put_name(o, &mut own, &node.name, name);
    cx.put_key(&mut own, Target::Node(id as u32), name);
    cx.put_origin(&mut own, id);
    if !node.children.is_empty() {
        o.ints("children", node.children.iter().copied());
    }
    put_transform(o, &node.transform, &mut raw);
    match at(&indices.meshes, node.mesh) {
        Some(mesh) => {
            o.int("mesh", u64::from(mesh));
            if let Some(skin) = at(&indices.skins, node.skin).filter(|_| has_influences(cx, node)) {
                o.int("skin", u64::from(skin));
            }
        }
        None => {
            // glTF has no meshes without geometry.
            if let Some(mesh) = mesh_of(cx, node) {
                own.insert("mesh", super::mesh::empty(cx, mesh));
            }
        }
    }
    if let Some(camera) = node.camera.filter(|c| (*c as usize) < cx.scene.cameras.len()) {
        o.int("camera", u64::from(camera));
    }
    let light = at(&indices.lights, node.light);
    if light.is_some() || !node.visible {
        o.object("extensions", |o| {
            if let Some(light) = light {
                o.object("KHR_lights_punctual", |o| o.int("light", u64::from(light)));
            }
            if !node.visible {
                o.object("KHR_node_visibility", |o| o.flag("visible", false));
            }
        });
    }
    let ambient = node.light.filter(|_| light.is_none()).and_then(|l| cx.scene.lights.get(l as usize));
    if let Some(ambient) = ambient {
        own.insert("light", typed::light(ambient));
    }
    add_own_fields(&mut own, cx, node);
    put_raw(&mut own, raw);
    own.extend(notes);
    put_extras(o, &node.extras, &own);
}

/// Writes translation, rotation and scale where they are not the default.
fn put_transform(o: &mut Object<'_>, transform: &Transform, raw: &mut Extras) {
    let differs = |a: &[f32], b: &[f32]| a.iter().zip(b).any(|(a, b)| a.to_bits() != b.to_bits());
    let Transform { translation, rotation, scale } = *transform;
    let translation = kept(raw, "translation", translation, constraints::finite(translation));
    if differs(&translation, &[0.0; 3]) {
        o.floats("translation", &translation);
    }
    let rotation = kept(raw, "rotation", rotation, constraints::rotation(rotation));
    if differs(&rotation, &[0.0, 0.0, 0.0, 1.0]) {
        o.floats("rotation", &rotation);
    }
    let scale = kept(raw, "scale", scale, constraints::finite(scale));
    if differs(&scale, &[1.0; 3]) {
        o.floats("scale", &scale);
    }
}

fn mesh_of<'a>(cx: &Context<'a>, node: &Node) -> Option<&'a Mesh> {
    cx.scene.meshes.get(node.mesh? as usize)
}

/// Returns `true` if joints move a vertex of the node's mesh.
fn has_influences(cx: &Context<'_>, node: &Node) -> bool {
    let mut primitives = mesh_of(cx, node).into_iter().flat_map(|mesh| &mesh.primitives);
    primitives.any(|p| {
        let vertices = cx.scene.vertices_of(p);
        vertices.is_some_and(|v| !v.influences.is_empty() && !v.positions.is_empty())
    })
}

/// Adds the fields of a node that glTF does not have.
fn add_own_fields(own: &mut Extras, cx: &Context<'_>, node: &Node) {
    let mut put = |key: &'static str, value: Value| own.insert(key, value);
    if let Some(emitter) = node.emitter.and_then(|e| cx.scene.emitters.get(e as usize)) {
        let material = emitter.material.and_then(|m| cx.material_names.get(m as usize));
        put("emitter", typed::emitter(emitter, material.map(|name| &**name)));
    }
    if node.tint.map(f32::to_bits) != [1.0f32; 4].map(f32::to_bits) {
        put("tint", floats(&node.tint));
    }
    if let Some(attachment) = &node.attachment {
        put("attachment", typed::attachment(attachment));
    }
    if let Some(shape) = &node.shape {
        put("shape", typed::shape(shape));
    }
    if let Some(billboard) = node.billboard {
        put("billboard", typed::billboard(billboard).into());
    }
    if node.inherit != Inherit::default() {
        put("inherit", typed::inherit(node.inherit));
    }
    if node.axes {
        put("axes", true.into());
    }
    if !node.visible {
        // Few programs keep the extension.
        put("visible", false.into());
    }
}

/// Writes a skin with its spare joints, and returns its index; `None` if it has no joints, or one that does not exist.
pub(super) fn write_skin(
    cx: &mut Context<'_>,
    skins: &mut List,
    skin: &Skin,
    spares: &[(u32, [f32; 16])],
) -> Option<u32> {
    let known = cx.scene.nodes.len();
    if skin.joints.is_empty() || skin.joints.iter().any(|j| *j as usize >= known) {
        return None;
    }
    let mut replaced = Extras::default();
    let mut binds = skin.inverse_bind.clone();
    binds.resize(skin.joints.len(), glam::Mat4::IDENTITY.to_cols_array());
    let rows = super::mesh::checked(&binds, constraints::Affine, "inverse_bind", &mut replaced);
    let mut rows = rows.into_owned();
    rows.extend(spares.iter().map(|(_, bind)| *bind));
    if !spares.is_empty() {
        replaced.insert("spare", spares.len() as u32);
    }
    let shape =
        Shape { component: Component::F32, width: 16, count: rows.len(), normalized: false, bounds: None };
    let accessor = cx.bin.accessor(Kind::Binds, &shape, |out| put_floats(out, rows.as_flattened()));
    Some(skins.push(|o| {
        o.text("name", &skin.name);
        o.ints("joints", skin.joints.iter().copied().chain(spares.iter().map(|(id, _)| *id)));
        o.int("inverseBindMatrices", u64::from(accessor));
        put_extras(o, &skin.extras, &replaced);
    }))
}
