//! Models of KotOR.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{SplitBy, SplitOptions};
use crate::combine::kotor::{below, bones, find, mesh_with_faces, named_slots, prune_bones, retain};
use crate::combine::{CombineError, Combined};
use crate::kotor::mdl::{Mesh, Model, Node, NodeId};

/// The meshes of a piece: nodes, and their faces if not all of them.
type Meshes = Vec<(NodeId, Option<Vec<usize>>)>;

pub(super) fn split(
    model: &Model,
    options: &SplitOptions,
    _: &mut Combined,
) -> Result<Vec<(String, Model)>, CombineError> {
    let groups = match options.by {
        SplitBy::Mesh => by_mesh(model),
        SplitBy::Material => by_material(model),
        SplitBy::Bone => by_bone(model, &options.bones)?,
    };
    let mut left: HashSet<NodeId> =
        (0..).zip(&model.nodes).filter(|(_, node)| has_more(node)).map(|(id, _)| id).collect();
    let mut pieces = Vec::new();
    for (name, meshes) in groups {
        let own: HashSet<NodeId> = meshes.iter().map(|(id, _)| *id).collect();
        left.retain(|id| !own.contains(id));
        pieces.push((name, piece(model, &meshes, &own, options.skeleton)?));
    }
    if !left.is_empty() {
        let mut keep: HashSet<NodeId> = if options.skeleton { plain(model) } else { HashSet::new() };
        keep.extend(&left);
        let keep = with_ancestors(model, keep);
        let bare = keep.iter().copied().filter(|id| !left.contains(id)).collect();
        pieces.push(("rest".to_owned(), retain(model, &keep, &bare)?));
    }
    Ok(pieces)
}

/// Returns `true` for what is neither a mesh nor only moves others.
fn has_more(node: &Node) -> bool {
    node.light.is_some() || node.emitter.is_some() || node.reference.is_some() || node.camera
}

/// Returns the nodes without meshes and more.
fn plain(model: &Model) -> HashSet<NodeId> {
    (0..)
        .zip(&model.nodes)
        .filter(|(_, node)| node.mesh.is_none() && !has_more(node))
        .map(|(id, _)| id)
        .collect()
}

fn with_ancestors(model: &Model, mut ids: HashSet<NodeId>) -> HashSet<NodeId> {
    for id in ids.clone() {
        let mut at = model.node(id).and_then(|node| node.parent);
        while let Some(parent) = at.filter(|parent| ids.insert(*parent)) {
            at = model.node(parent).and_then(|node| node.parent);
        }
    }
    ids.insert(0);
    ids
}

fn piece(
    model: &Model,
    meshes: &Meshes,
    own: &HashSet<NodeId>,
    skeleton: bool,
) -> Result<Model, CombineError> {
    let mut cut = model.clone();
    let mut keep: HashSet<NodeId> = if skeleton { plain(model) } else { HashSet::new() };
    for (id, faces) in meshes {
        keep.insert(*id);
        let Some(mesh) = cut.nodes.get_mut(*id as usize).and_then(|node| node.mesh.as_deref_mut()) else {
            continue;
        };
        if let Some(faces) = faces {
            *mesh = mesh_with_faces(mesh, faces);
        }
        let named = named_slots(mesh);
        keep.extend(bones(mesh).filter(|(_, slot)| named.contains(&(*slot as u32))).map(|(bone, _)| bone));
        if faces.is_some() {
            prune_bones(&mut cut, *id);
        }
    }
    let keep = with_ancestors(model, keep);
    let bare: HashSet<NodeId> = keep.iter().copied().filter(|id| !own.contains(id)).collect();
    retain(&cut, &keep, &bare)
}

fn name_of(model: &Model, id: NodeId) -> String {
    model.node(id).map_or_else(String::new, |node| String::from_utf8_lossy(model.name_of(node)).into_owned())
}

/// Returns the nodes with meshes.
fn meshes(model: &Model) -> impl Iterator<Item = (NodeId, &Mesh)> {
    (0..).zip(&model.nodes).filter_map(|(id, node)| Some((id, node.mesh.as_deref()?)))
}

fn by_mesh(model: &Model) -> Vec<(String, Meshes)> {
    meshes(model).map(|(id, _)| (name_of(model, id), vec![(id, None)])).collect()
}

fn by_material(model: &Model) -> Vec<(String, Meshes)> {
    let mut groups: BTreeMap<String, Meshes> = BTreeMap::new();
    for (id, mesh) in meshes(model) {
        let texture = mesh.texture.lossy().to_lowercase();
        let name = if texture.is_empty() || texture == "null" { "untextured".to_owned() } else { texture };
        groups.entry(name).or_default().push((id, None));
    }
    groups.into_iter().collect()
}

/// Returns the bone that moves each face most, by the weights of its corners.
fn bones_of_faces(mesh: &Mesh) -> Vec<Option<NodeId>> {
    let nodes: HashMap<usize, NodeId> = bones(mesh).map(|(bone, slot)| (slot, bone)).collect();
    let of_face = |face: &crate::kotor::mdl::Face| {
        let mut sums: BTreeMap<NodeId, f32> = BTreeMap::new();
        for vertex in face.vertices {
            let (slots, weights) = (
                mesh.vertices.bones.get(usize::from(vertex))?,
                mesh.vertices.weights.get(usize::from(vertex))?,
            );
            for (slot, weight) in
                slots.iter().zip(weights).filter(|(slot, weight)| **slot >= 0.0 && **weight > 0.0)
            {
                if let Some(bone) = nodes.get(&(*slot as usize)) {
                    *sums.entry(*bone).or_default() += weight;
                }
            }
        }
        sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(bone, _)| bone)
    };
    mesh.faces.iter().map(of_face).collect()
}

fn by_bone(model: &Model, names: &[String]) -> Result<Vec<(String, Meshes)>, CombineError> {
    let mut parts: Vec<(String, HashSet<NodeId>)> = Vec::new();
    for name in names {
        let top = find(model, name).map_err(|e| e.of(0))?;
        parts.push((name.clone(), below(model, top).into_iter().collect()));
    }
    if names.is_empty() {
        parts =
            (0..model.nodes.len() as NodeId).map(|id| (name_of(model, id), HashSet::from([id]))).collect();
    }
    let mut groups: Vec<(String, Meshes)> =
        parts.iter().map(|(name, _)| (name.clone(), Vec::new())).collect();
    groups.push((if names.is_empty() { "unmoved" } else { "others" }.to_owned(), Vec::new()));
    let last = groups.len() - 1;
    let part_of = |bone: NodeId| {
        let fitting = parts.iter().enumerate().filter(|(_, (_, ids))| ids.contains(&bone));
        fitting.min_by_key(|(_, (_, ids))| ids.len()).map_or(last, |(part, _)| part)
    };
    for (id, mesh) in meshes(model) {
        if mesh.skin.is_none() {
            let part = part_of(id);
            groups.get_mut(part).into_iter().for_each(|(_, group)| group.push((id, None)));
            continue;
        }
        let mut own: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (face, bone) in bones_of_faces(mesh).into_iter().enumerate() {
            own.entry(bone.map_or(last, part_of)).or_default().push(face);
        }
        let whole = own.len() == 1;
        for (part, faces) in own {
            let faces = if whole { None } else { Some(faces) };
            groups.get_mut(part).into_iter().for_each(|(_, group)| group.push((id, faces.clone())));
        }
    }
    groups.retain(|(_, meshes)| !meshes.is_empty());
    Ok(groups)
}
