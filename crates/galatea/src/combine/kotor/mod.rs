//! What all operations on models of KotOR need.

mod retain;
mod take;

use std::collections::HashMap;

use galatea_wire::near;

use super::CombineError;
use crate::edit::Refusal;
use crate::kotor::mdl::{Mesh, Model, Node, NodeId};

pub(super) use retain::{mesh_with_faces, named_slots, prune_bones, retain};
pub(super) use take::{Taking, take};

/// Returns the only node with this name.
pub(super) fn find(model: &Model, name: &str) -> Result<NodeId, CombineError> {
    let fits = |node: &Node| model.name_of(node).eq_ignore_ascii_case(name.as_bytes());
    let found: Vec<usize> =
        (0..).zip(&model.nodes).filter(|(_, node)| fits(node)).map(|(id, _)| id).collect();
    match found[..] {
        [id] => Ok(id as NodeId),
        [] => {
            let texts = |node| String::from_utf8_lossy(model.name_of(node)).into_owned();
            let names: Vec<String> = model.nodes.iter().map(texts).collect();
            let near = near(name, names.iter().map(String::as_str)).map(str::to_owned);
            Err(Refusal::Missing { what: "node", name: name.to_owned(), near }.into())
        }
        _ => Err(Refusal::Ambiguous { what: "node", name: name.to_owned(), count: found.len() }.into()),
    }
}

/// Returns a node and all below it, parents first.
pub(super) fn below(model: &Model, top: NodeId) -> Vec<NodeId> {
    let mut out = Vec::new();
    let mut todo = vec![top];
    while let Some(id) = todo.pop() {
        if out.len() <= model.nodes.len() && model.node(id).is_some() {
            out.push(id);
            todo.extend(model.node(id).into_iter().flat_map(|node| node.children.iter().rev()));
        }
    }
    out
}

/// Returns the first node of each name, in lower case.
pub(super) fn by_name(model: &Model) -> HashMap<Vec<u8>, NodeId> {
    let mut out = HashMap::new();
    for (id, node) in (0..).zip(&model.nodes) {
        out.entry(model.name_of(node).to_ascii_lowercase()).or_insert(id);
    }
    out
}

/// Returns the nodes that a skin names as bones, with their slots.
pub(super) fn bones(mesh: &Mesh) -> impl Iterator<Item = (NodeId, usize)> + '_ {
    let map = mesh.skin.iter().flat_map(|skin| (0..).zip(&skin.bone_map));
    map.filter(|(_, slot)| **slot >= 0.0 && **slot < 65536.0).map(|(id, slot)| (id, *slot as usize))
}
