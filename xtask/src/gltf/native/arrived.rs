//! Whether the edits that were made in Blender are in the native model, seen without the ideal editor.

use galatea::scene::{Node, Pose, Property, Scene, Target, Texture, Topology};
use galatea::{Document, FormatId, SceneContext};
use serde_json::Value;

/// Returns the edits that are not in what came back.
pub(super) fn missing(source: &dyn Document, back: &dyn Document, edits: &[Value]) -> Vec<String> {
    let context = SceneContext::new("model");
    let (Some(before), Some(after)) = (source.scene(&context), back.scene(&context)) else {
        return vec!["the model has no scene".to_owned()];
    };
    let made =
        |name: &str| edits.iter().filter(|e| e.get("edit").and_then(Value::as_str) == Some(name)).count();
    let mut lines = Vec::new();
    let (added, deleted) = (made("add_mesh"), made("delete_mesh"));
    // A walkmesh is one mesh: what is added is two more triangles of it.
    let walkmesh = source.format().id == FormatId::KotorBwm;
    let count = if walkmesh { triangles } else { meshes };
    let wanted = count(&before) + added * if walkmesh { 2 } else { 1 } - deleted;
    if count(&after) != wanted {
        lines.push(format!("edit: {} meshes instead of {wanted}", count(&after)));
    }
    for edit in edits {
        let node = edit.get("node").and_then(Value::as_str).unwrap_or_default();
        let name = edit.get("edit").and_then(Value::as_str).unwrap_or_default();
        let arrived = match name {
            "move_vertex" => places(&before, node) != places(&after, node),
            "move_node" => placed(&before, node) != placed(&after, node),
            "rename_node" => {
                let named = |scene: &Scene, name: &str| {
                    scene.nodes.iter().filter(|n| n.name.eq_ignore_ascii_case(name)).count()
                };
                // In some formats, names are hashes.
                named(&after, "Renamed") == 1
                    || [node, base(node)].iter().any(|old| named(&after, old) + 1 == named(&before, old))
            }
            "move_key" => keys(&before, edit) != keys(&after, edit),
            "swap_picture" => {
                let mut textures = after.materials.iter().flat_map(|m| &m.textures);
                let swapped = |t: &Texture| t.name.to_ascii_lowercase().contains("swapped");
                textures.any(swapped) || textures_of(&before) != textures_of(&after)
            }
            // Meshes were counted.
            _ => true,
        };
        if !arrived {
            lines.push(format!("edit: {name} did not arrive"));
        }
    }
    lines
}

/// The meshes of the finest level of detail.
fn meshes(scene: &Scene) -> usize {
    let finest = |mesh: u32| scene.meshes.get(mesh as usize).is_some_and(|m| m.lod.unwrap_or(0) == 0);
    scene.nodes.iter().filter(|n| n.mesh.is_some_and(finest)).count()
}

fn triangles(scene: &Scene) -> usize {
    let parts = scene.meshes.iter().flat_map(|m| &m.primitives);
    parts.filter(|p| p.topology == Topology::Triangles).map(|p| p.indices.len() / 3).sum()
}

fn textures_of(scene: &Scene) -> Vec<&str> {
    scene.materials.iter().flat_map(|m| &m.textures).map(|t| t.name.as_str()).collect()
}

/// The name without the number that makes it unique in a glTF.
fn base(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((base, number)) if number.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    }
}

/// The nodes that a node of a glTF may be.
fn named<'s>(scene: &'s Scene, name: &str) -> impl Iterator<Item = (u32, &'s Node)> {
    let (name, base) = (name.to_owned(), base(name).to_owned());
    (0..).zip(&scene.nodes).filter(move |(_, n)| n.name == name || n.name == base)
}

/// Where nodes of a name and everything below them are. Formats without transforms have it in the vertices.
fn placed(scene: &Scene, name: &str) -> Vec<[u32; 3]> {
    let pose = Pose::rest(scene);
    let mut todo: Vec<u32> = named(scene, name).map(|(id, _)| id).collect();
    let mut out = Vec::new();
    while let Some(id) = todo.pop() {
        let Some(node) = scene.node(id) else { continue };
        out.push(pose.world_of(id).w_axis.truncate().to_array().map(f32::to_bits));
        let parts = node.mesh.and_then(|m| scene.meshes.get(m as usize)).map_or(&[][..], |m| &m.primitives);
        for part in parts {
            out.extend(pose.deform(scene, id, part).positions.iter().map(|p| p.map(f32::to_bits)));
        }
        todo.extend(&node.children);
    }
    out.sort_unstable();
    out
}

/// The positions of the meshes of nodes of a name.
fn places(scene: &Scene, name: &str) -> Vec<[u32; 3]> {
    let meshes = named(scene, name).filter_map(|(_, n)| scene.meshes.get(n.mesh? as usize));
    let vertices = meshes.flat_map(|m| &m.primitives).filter_map(|p| scene.vertices_of(p));
    let mut out: Vec<[u32; 3]> = vertices.flat_map(|v| &v.positions).map(|p| p.map(f32::to_bits)).collect();
    out.sort_unstable();
    out
}

/// The keys of a clip for one property of a node.
fn keys(scene: &Scene, edit: &Value) -> Vec<u32> {
    let word = |key: &str| edit.get(key).and_then(Value::as_str).unwrap_or_default();
    let property = match word("path") {
        "rotation" => Property::Rotation,
        "scale" => Property::Scale,
        _ => Property::Translation,
    };
    let targets: Vec<Target> = named(scene, word("node")).map(|(id, _)| Target::Node(id)).collect();
    let clips = scene.clips.iter().filter(|c| [word("clip"), base(word("clip"))].contains(&c.name.as_str()));
    let own = clips.flat_map(|c| &c.channels);
    let own = own.filter(|c| targets.contains(&c.target) && c.property == property);
    own.flat_map(|c| &c.values).map(|v| v.to_bits()).collect()
}
