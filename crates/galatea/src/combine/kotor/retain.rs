//! Some of the nodes of a model, and some of the faces of a mesh.

use std::collections::{HashMap, HashSet};

use super::take::bind;
use crate::combine::CombineError;
use crate::kotor::mdl::{
    Dangly, IndexLists, Mesh, Model, Name, Node, NodeId, PositionCopy, TangentSpace, Vertices,
};

/// Returns a model with some of its nodes: those that `keep` has, which includes the root and with each node its parent. The nodes in
/// `plain` lose all but their place.
pub(in crate::combine) fn retain(
    model: &Model,
    keep: &HashSet<NodeId>,
    plain: &HashSet<NodeId>,
) -> Result<Model, CombineError> {
    let mut out = model.clone();
    out.forget_layout();
    let mut new: HashMap<NodeId, NodeId> = HashMap::new();
    for id in (0..model.nodes.len() as NodeId).filter(|id| keep.contains(id)) {
        new.insert(id, new.len() as NodeId);
    }
    for (animation, source) in out.animations.iter_mut().zip(&model.animations) {
        let kept = |node: &Node| model.target_of(node).is_some_and(|id| keep.contains(&id));
        animation.nodes = thinned(&source.nodes, &kept);
        animation.nodes.iter_mut().for_each(Node::forget_layout);
    }
    let of = |id: NodeId| new.get(&id).copied();
    out.nodes =
        (0..).zip(&model.nodes).filter(|(id, _)| keep.contains(id)).map(|(_, node)| node.clone()).collect();
    for node in &mut out.nodes {
        node.forget_layout();
        node.parent = node.parent.and_then(of);
        node.children = node.children.iter().filter_map(|child| of(*child)).collect();
        if let Some(skin) = node.mesh.as_deref_mut().and_then(|mesh| mesh.skin.as_deref_mut()) {
            let slots = std::mem::take(&mut skin.bone_map);
            skin.bone_map =
                (0..).zip(slots).filter(|(id, _)| keep.contains(id)).map(|(_, slot)| slot).collect();
            let count = skin.bone_map.len();
            // What the file has for the bones that stay is what it was.
            let rotations = std::mem::take(&mut skin.rotations);
            skin.rotations =
                (0..).zip(rotations).filter(|(id, _)| keep.contains(id)).map(|(_, r)| r).collect();
            let translations = std::mem::take(&mut skin.translations);
            skin.translations =
                (0..).zip(translations).filter(|(id, _)| keep.contains(id)).map(|(_, t)| t).collect();
            skin.rotations.resize(count, [1.0, 0.0, 0.0, 0.0]);
            skin.translations.resize(count, [0.0; 3]);
            skin.derive_bone_nodes();
        }
    }
    for id in plain.iter().filter_map(|id| of(*id)) {
        let Some(node) = out.nodes.get_mut(id as usize) else { continue };
        (node.mesh, node.light, node.emitter, node.reference, node.camera) = (None, None, None, None, false);
        let kept = |kind: u32| matches!(kind, 8 | 20 | 36);
        let others: Vec<u32> =
            node.controllers.list().iter().map(|c| c.kind).filter(|kind| !kept(*kind)).collect();
        others.into_iter().try_for_each(|kind| node.controllers.remove(kind))?;
    }
    out.head = model.head.and_then(of);
    let gone = (model.nodes.len() - out.nodes.len()) as u32;
    out.node_count = match model.supermodel() {
        Some(_) => model.node_count.saturating_sub(gone),
        None => out.nodes.len() as u32,
    };
    rename(&mut out);
    Ok(out)
}

/// Returns the nodes of an animation that stay, each below the nearest of those above it.
fn thinned(nodes: &[Node], kept: &dyn Fn(&Node) -> bool) -> Vec<Node> {
    let mut places: Vec<Option<NodeId>> = Vec::with_capacity(nodes.len());
    let mut out: Vec<Node> = Vec::new();
    for node in nodes {
        let parent = node.parent.and_then(|p| places.get(p as usize)).copied().flatten();
        if !kept(node) {
            places.push(parent);
            continue;
        }
        let id = out.len() as NodeId;
        // A second top goes below the first.
        let parent = parent.or((id > 0).then_some(0));
        out.push(Node { parent, children: Default::default(), ..node.clone() });
        parent.and_then(|p| out.get_mut(p as usize)).into_iter().for_each(|p| p.children.push(id));
        places.push(Some(id));
    }
    out
}

/// Leaves out the names that no node has.
fn rename(model: &mut Model) {
    let used: HashSet<u16> = model.all_nodes().map(|node| node.name).collect();
    let mut new: HashMap<u16, u16> = HashMap::new();
    let mut names: Vec<Name> = Vec::new();
    for (old, name) in (0..).zip(&model.names).filter(|(old, _)| used.contains(old)) {
        new.insert(old, names.len() as u16);
        names.push(name.clone());
    }
    model.names = names;
    let nodes = model.nodes.iter_mut().chain(model.animations.iter_mut().flat_map(|a| &mut a.nodes));
    nodes.for_each(|node| node.name = new.get(&node.name).copied().unwrap_or(node.name));
}

/// Returns a mesh with some of its faces, and the vertices that they need.
pub(in crate::combine) fn mesh_with_faces(mesh: &Mesh, faces: &[usize]) -> Mesh {
    let mut number: HashMap<u16, u16> = HashMap::new();
    let mut order: Vec<usize> = Vec::new();
    let mut out = mesh.clone();
    out.faces.clear();
    for face in faces.iter().filter_map(|at| mesh.faces.get(*at)) {
        let mut face = *face;
        for vertex in &mut face.vertices {
            let next = order.len() as u16;
            *vertex = *number.entry(*vertex).or_insert_with(|| {
                order.push(usize::from(*vertex));
                next
            });
        }
        out.faces.push(face);
    }
    fn pick<T: Copy>(list: &[T], order: &[usize]) -> Vec<T> {
        order.iter().filter_map(|at| list.get(*at).copied()).collect()
    }
    let from = &mesh.vertices;
    out.vertices = Vertices {
        positions: pick(&from.positions, &order),
        normals: pick(&from.normals, &order),
        colors: pick(&from.colors, &order),
        uvs: from.uvs.each_ref().map(|set| pick(set, &order)),
        tangents: from.tangents.each_ref().map(|set: &Vec<TangentSpace>| pick(set, &order)),
        weights: pick(&from.weights, &order),
        bones: pick(&from.bones, &order),
    };
    let copy = |copy: &PositionCopy| match copy {
        PositionCopy::Own(own) => PositionCopy::Own(pick(own, &order)),
        other => other.clone(),
    };
    out.mdl_positions = copy(&mesh.mdl_positions);
    if let (Some(new), Some(old)) = (&mut out.dangly, &mesh.dangly) {
        let positions = copy(&old.positions);
        **new = Dangly { constraints: pick(&old.constraints, &order), positions, ..(**old).clone() };
    }
    out.indices = IndexLists::Faces;
    out.derive_faces();
    out.derive_bounds();
    if out.aabb.is_some() {
        out.derive_aabb();
    }
    out
}

/// Leaves out the bones of a skin that its vertices do not name, and numbers the others anew.
pub(in crate::combine) fn prune_bones(model: &mut Model, id: NodeId) {
    let mesh = model.nodes.get_mut(id as usize).and_then(|node| node.mesh.as_deref_mut());
    let Some(mesh) = mesh.filter(|mesh| mesh.skin.is_some()) else { return };
    let used: HashSet<u32> = named_slots(mesh);
    let mut new: HashMap<u32, f32> = HashMap::new();
    let mut sorted: Vec<u32> = used.into_iter().collect();
    sorted.sort_unstable();
    for slot in sorted {
        new.insert(slot, new.len() as f32);
    }
    for (slots, weights) in mesh.vertices.bones.iter_mut().zip(&mesh.vertices.weights) {
        for (slot, weight) in slots.iter_mut().zip(weights) {
            let named = *slot >= 0.0 && *weight != 0.0;
            *slot = if named { new.get(&(*slot as u32)).copied().unwrap_or(-1.0) } else { -1.0 };
        }
    }
    if let Some(skin) = mesh.skin.as_deref_mut() {
        for slot in skin.bone_map.iter_mut().filter(|slot| **slot >= 0.0) {
            *slot = new.get(&(*slot as u32)).copied().unwrap_or(-1.0);
        }
    }
    bind(model, id);
}

/// Returns the slots of bones that vertices name with a weight.
pub(in crate::combine) fn named_slots(mesh: &Mesh) -> HashSet<u32> {
    let rows = mesh.vertices.bones.iter().zip(&mesh.vertices.weights);
    rows.flat_map(|(slots, weights)| slots.iter().zip(weights))
        .filter(|(slot, weight)| **slot >= 0.0 && **weight != 0.0)
        .map(|(slot, _)| *slot as u32)
        .collect()
}
