//! Models of KotOR.

use std::collections::HashMap;

use galatea_wire::{Loss, escape, escape_bytes};

use crate::combine::graft::in_game;
use crate::combine::kotor::{Taking, below, by_name, take};
use crate::combine::{CombineError, Combined};
use crate::kotor::mdl::{Mesh, Model, Node, NodeId};

/// How far apart bones of the same name may be before it is worth a note, in meters.
const APART: f32 = 0.01;

fn is_plain(node: &Node) -> bool {
    node.mesh.is_none()
        && node.light.is_none()
        && node.emitter.is_none()
        && node.reference.is_none()
        && !node.camera
}

/// Returns `true` if two meshes show the same.
fn same_mesh(a: &Mesh, b: &Mesh) -> bool {
    let bits = |mesh: &Mesh| -> Vec<u32> {
        mesh.vertices.positions.as_flattened().iter().map(|v| v.to_bits()).collect()
    };
    let faces = |mesh: &Mesh| -> Vec<[u16; 3]> { mesh.faces.iter().map(|face| face.vertices).collect() };
    a.texture.bytes().eq_ignore_ascii_case(b.texture.bytes()) && bits(a) == bits(b) && faces(a) == faces(b)
}

/// Returns `true` if a node has nothing that the other does not have.
fn adds_nothing(node: &Node, there: &Node) -> bool {
    let mesh = match (&node.mesh, &there.mesh) {
        (None, _) => true,
        (Some(a), Some(b)) => same_mesh(a, b),
        (Some(_), None) => false,
    };
    let parts = node.light.is_some() <= there.light.is_some()
        && node.emitter.is_some() <= there.emitter.is_some()
        && node.reference.is_some() <= there.reference.is_some()
        && node.camera <= there.camera;
    mesh && parts
}

pub(super) fn merge(from: &Model, to: &mut Model, out: &mut Combined) -> Result<(), CombineError> {
    let from = in_game(from, to, out);
    let theirs = by_name(to);
    let worlds = [&from, &*to].map(|model| model.in_model(&model.pose(None, 0.0)));
    let mut shared: HashMap<NodeId, NodeId> = HashMap::from([(0, 0)]);
    let mut nodes: Vec<NodeId> = Vec::new();
    let mut apart: Vec<String> = Vec::new();
    let mut doubles = 0;
    for id in below(&from, 0) {
        let Some(node) = from.node(id) else { continue };
        let name = from.name_of(node).to_ascii_lowercase();
        let found = if id == 0 { Some(0) } else { theirs.get(&name).copied() };
        let Some(there) = found else {
            nodes.push(id);
            continue;
        };
        shared.insert(id, there);
        let place = |world: &[crate::kotor::mdl::Transform], id: NodeId| {
            world.get(id as usize).map_or(glam::Vec3::ZERO, |t| glam::Vec3::from(t.position))
        };
        let [a, b] = &worlds;
        if (place(a, id) - place(b, there)).length() > APART {
            apart.push(escape_bytes(from.name_of(node)));
        }
        let same = to.node(there).is_some_and(|there| adds_nothing(node, there));
        doubles += usize::from(same && !is_plain(node));
        if !same && !is_plain(node) {
            nodes.push(id);
        }
    }
    if !apart.is_empty() {
        let shown = apart.get(..apart.len().min(5)).unwrap_or(&[]).join(", ");
        out.notes.push(format!("{} bones are elsewhere in the first model: {shown}", apart.len()));
    }
    if doubles > 0 {
        out.notes.push(format!("{doubles} nodes are in the first model already, and stay there once"));
    }
    let known = |name: &[u8]| to.animations.iter().any(|a| a.name.bytes().eq_ignore_ascii_case(name));
    for animation in from.animations.iter().filter(|a| !known(a.name.bytes())) {
        let why = "the first model has no clip of this name; `galatea transfer` puts clips on it";
        let path = format!("clip \"{}\"", escape(&animation.name.lossy()));
        out.losses.push(Loss::new(path, "the clip").because(why));
    }
    out.done.push(format!("{} shared nodes, {} new nodes", shared.len(), nodes.len()));
    // A node that is there already and one with more of the same name are both: children and bones mean the first.
    let taking = Taking {
        from: &from,
        nodes,
        parents: shared.clone(),
        bones: shared,
        parent: 0,
        keep_place: false,
        offset: [0.0; 3],
    };
    take(to, &taking, out)
}
