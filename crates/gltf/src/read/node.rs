//! From glTF to the scene: nodes and skins.

use galatea_scene::{Extras, Inherit, Mesh, Node, Primitive, Scene, Skin, Transform, Value, Vertices};
use galatea_wire::Result;

use super::mesh::read_purpose;
use super::tree::Tree;
use super::{NameTables, array, extras_of, key_of, name_of, original, take_name, take_raw};
use crate::accessor::{Document, whole, wrong};
use crate::{blender, constraints, typed};

/// Returns the transform of a node as the document has it.
pub(crate) fn plain_transform(value: &Value) -> Transform {
    read_transform(value, &Extras::new())
}

fn read_transform(value: &Value, raw: &Extras) -> Transform {
    if let Some(matrix) = array::<16>(value, "matrix") {
        let (scale, rotation, translation) =
            glam::Mat4::from_cols_array(&matrix).to_scale_rotation_translation();
        let sound = scale.is_finite() && rotation.is_finite() && translation.is_finite();
        if sound {
            return Transform {
                translation: translation.into(),
                rotation: rotation.to_array(),
                scale: scale.into(),
            };
        }
    }
    let rest = Transform::default();
    let translation = array(value, "translation").unwrap_or(rest.translation);
    let rotation = array(value, "rotation").unwrap_or(rest.rotation);
    let scale = array(value, "scale").unwrap_or(rest.scale);
    Transform {
        translation: original(raw, "translation", translation, constraints::finite),
        rotation: original(raw, "rotation", rotation, constraints::rotation),
        scale: original(raw, "scale", scale, constraints::finite),
    }
}

/// Restores a rotation of other than unit length while it is where it was but for rounding.
fn restore_rotation(transform: &mut Transform, raw: &Extras) {
    let Some(was) = raw.floats("rotation").and_then(|v| v.first_chunk::<4>().copied()) else { return };
    let unit = constraints::rotation(was);
    let near = |sign: f32| unit.iter().zip(transform.rotation).all(|(a, b)| (a * sign - b).abs() < 1e-5);
    if near(1.0) || near(-1.0) {
        transform.rotation = was;
    }
}

/// Reads the nodes of the tree, and returns the notes of each for [`blender::undo`].
pub(super) fn read_nodes(
    document: &Document<'_>,
    scene: &mut Scene,
    tree: &Tree,
    names: &mut NameTables,
) -> Result<Vec<blender::NodeNotes>> {
    let nodes = document.list("nodes");
    let used = document.root.get("extensionsUsed").and_then(Value::as_array).into_iter().flatten();
    let extension_known = used.into_iter().any(|e| e.as_str() == Some("KHR_node_visibility"));
    let mut notes = Vec::with_capacity(tree.order.len());
    for (old, value) in tree.order.iter().filter_map(|i| Some((*i, nodes.get(*i)?))) {
        let joined = tree.halves.get(&old).and_then(|half| nodes.get(*half));
        let joined = joined.map(|half| blender::merge_half(value, half));
        let node = read_node(document, joined.as_ref().unwrap_or(value), scene, names, extension_known);
        let mut node = node.map_err(|e| e.within(format!("nodes[{old}]")))?;
        node.parent = tree.parents.get(old).copied().flatten().and_then(|p| tree.id(p));
        node.children = tree.children.get(old).into_iter().flatten().filter_map(|c| tree.id(*c)).collect();
        if let Some(emitter) = node.emitter {
            names.emitters.insert(key_of(value).to_owned(), emitter);
        }
        if let Some(light) = node.light.filter(|l| *l as usize >= tree.lights) {
            let name = scene.lights.get(light as usize).map_or("", |l| &l.name);
            names.lights.entry(name.to_owned()).or_insert(light);
        }
        notes.push(blender::NodeNotes::take(&mut node.extras));
        scene.nodes.push(node);
    }
    Ok(notes)
}

fn read_node(
    document: &Document<'_>,
    value: &Value,
    scene: &mut Scene,
    names: &NameTables,
    extension_known: bool,
) -> Result<Node> {
    let mut extras = extras_of(value);
    let raw = take_raw(&mut extras);
    let extension = |name: &str| value.get("extensions").and_then(|e| e.get(name));
    let mut node = Node {
        name: take_name(value, &mut extras, "node"),
        transform: read_transform(value, &raw),
        mesh: document.index(value, "mesh", "meshes")?.map(|m| m as u32),
        skin: document.index(value, "skin", "skins")?.map(|s| s as u32),
        camera: document.index(value, "camera", "cameras")?.map(|c| c as u32),
        ..Node::default()
    };
    if blender::wrote(document.root) {
        restore_rotation(&mut node.transform, &raw);
    }
    let noted = extras.remove("visible");
    let visible = match extension("KHR_node_visibility") {
        Some(extension) => extension.get("visible"),
        // A program that knows the extension has removed it from a node that is shown now.
        None => noted.as_ref().filter(|_| !extension_known),
    };
    node.visible = visible.is_none_or(super::flag);
    let light = extension("KHR_lights_punctual").and_then(|e| e.get("light")).and_then(whole);
    node.light = light.filter(|l| *l < scene.lights.len()).map(|l| l as u32);
    if let Some(mesh) = extras.remove("mesh").filter(|_| node.mesh.is_none()) {
        node.mesh = Some(scene.meshes.len() as u32);
        scene.meshes.push(read_empty_mesh(&mesh, names));
    }
    if let Some(light) = extras.remove("light").as_ref().and_then(typed::read_light) {
        node.light = Some(scene.lights.len() as u32);
        scene.lights.push(light);
    }
    let emitter = extras.remove("emitter");
    if let Some((mut emitter, material)) = emitter.as_ref().and_then(typed::read_emitter) {
        emitter.material = material.and_then(|m| names.find("material", m));
        node.emitter = Some(scene.emitters.len() as u32);
        scene.emitters.push(emitter);
    }
    node.tint = typed::array(&extras, "tint").unwrap_or(node.tint);
    node.attachment = extras.remove("attachment").as_ref().and_then(typed::read_attachment);
    node.shape = extras.remove("shape").as_ref().and_then(typed::read_shape);
    node.billboard =
        extras.remove("billboard").as_ref().and_then(Value::as_str).and_then(typed::read_billboard);
    let inherit = extras.remove("inherit").as_ref().and_then(typed::read_inherit);
    node.inherit = inherit.unwrap_or(Inherit { translation: true, rotation: true, scale: true });
    node.axes = extras.remove("axes").is_some_and(|v| v != Value::Bool(false));
    extras.remove("tint");
    node.extras = extras;
    Ok(node)
}

/// Reads a mesh without geometry.
fn read_empty_mesh(value: &Value, names: &NameTables) -> Mesh {
    let mut map = value.as_object().cloned().unwrap_or_default();
    let (purpose, lod) = read_purpose(&mut map);
    let inner = |map: &Extras| map.get("extras").and_then(Value::as_object).cloned().unwrap_or_default();
    let parts = map.get("primitives").and_then(Value::as_array).into_iter().flatten();
    let parts = parts.filter_map(Value::as_object).map(|part| Primitive {
        vertices: u32::MAX,
        material: typed::text(part, "material").and_then(|m| names.find("material", m)),
        extras: inner(part),
        ..Primitive::default()
    });
    Mesh {
        name: typed::text(&map, "name").unwrap_or("").to_owned(),
        primitives: parts.collect(),
        purpose,
        lod,
        extras: inner(&map),
    }
}

/// Removes the spare joints at the end of skins, unless an edit made them move a vertex.
pub(super) fn drop_spares(scene: &mut Scene, spares: &[usize]) {
    if spares.iter().all(|spare| *spare == 0) {
        return;
    }
    // Many nodes may share a mesh, and many primitives their vertices.
    let last = |vertices: &Vertices| {
        let entries = vertices.influences.joints.iter().zip(&vertices.influences.weights);
        entries.filter(|(_, w)| **w != 0.0).map(|(j, _)| usize::from(*j) + 1).max().unwrap_or(0)
    };
    let last: Vec<usize> = scene.vertices.iter().map(last).collect();
    let of_mesh = |mesh: &Mesh| {
        let parts = mesh.primitives.iter().filter_map(|p| last.get(p.vertices as usize));
        parts.copied().max().unwrap_or(0)
    };
    let of_mesh: Vec<usize> = scene.meshes.iter().map(of_mesh).collect();
    let mut used = vec![0; scene.skins.len()];
    for node in &scene.nodes {
        let most = node.mesh.and_then(|m| of_mesh.get(m as usize)).copied();
        if let (Some(most), Some(slot)) = (most, node.skin.and_then(|s| used.get_mut(s as usize))) {
            *slot = most.max(*slot);
        }
    }
    for ((skin, spare), used) in scene.skins.iter_mut().zip(spares).zip(used).filter(|((_, s), _)| **s > 0) {
        let kept = skin.joints.len().saturating_sub(*spare).max(used);
        skin.joints.truncate(kept);
        skin.inverse_bind.truncate(kept);
    }
}

/// Reads the skins, and returns for each how many joints at its end are spare.
pub(super) fn read_skins(document: &Document<'_>, scene: &mut Scene, tree: &Tree) -> Result<Vec<usize>> {
    let mut spares = Vec::new();
    for (i, value) in document.list("skins").iter().enumerate() {
        let (skin, spare) = read_skin(document, value, tree).map_err(|e| e.within(format!("skins[{i}]")))?;
        scene.skins.push(skin);
        spares.push(spare);
    }
    Ok(spares)
}

/// Reads a skin, and returns how many joints at its end are spare.
fn read_skin(document: &Document<'_>, value: &Value, tree: &Tree) -> Result<(Skin, usize)> {
    let mut extras = extras_of(value);
    let known = document.list("nodes").len();
    let list = value.get("joints").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let spare = extras.remove("spare").as_ref().and_then(whole).unwrap_or(0).min(list.len());
    let mut joints = Vec::new();
    let first = list.iter().filter_map(whole).find_map(|j| tree.id(j));
    for (i, joint) in list.iter().enumerate() {
        let at = whole(joint).filter(|j| *j < known);
        let joint = at.and_then(|j| tree.id(j));
        // The node of a spare joint may have been deleted.
        let empty = at.is_some_and(|j| tree.empty.contains(&j));
        let stand_in = first.filter(|_| i + spare >= list.len() || empty);
        joints.push(
            joint
                .or(stand_in)
                .ok_or_else(|| wrong(document.place, "a node of the scene", "another").within("joints"))?,
        );
    }
    let mut inverse_bind: Vec<[f32; 16]> = match document.index(value, "inverseBindMatrices", "accessors")? {
        Some(accessor) => document.rows(accessor).map_err(|e| e.within("inverseBindMatrices"))?,
        None => {
            document.spend(joints.len() as u64 * 64)?;
            vec![glam::Mat4::IDENTITY.to_cols_array(); joints.len()]
        }
    };
    if let Some(note) = extras.remove("inverse_bind") {
        constraints::restore(&mut inverse_bind, &note, constraints::affine);
    }
    Ok((Skin { name: name_of(value).to_owned(), joints, inverse_bind, extras }, spare))
}
