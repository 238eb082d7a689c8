//! Links parsed nodes to their parents.

use galatea_wire::{Result, escape_bytes};

use crate::mdl::text::draft::NodeDraft;
use crate::mdl::{Node, NodeId};
use crate::text::lex::Spot;

pub(super) fn sort_drafts<T: Default>(drafts: &mut Vec<T>, order: &[NodeId]) {
    *drafts =
        order.iter().map(|i| drafts.get_mut(*i as usize).map(std::mem::take).unwrap_or_default()).collect();
}

/// Links nodes to their parents and sorts them depth first. Parents that are already set are kept. Returns the old
/// indices in the new order.
pub(super) fn link(
    nodes: &mut Vec<Node>,
    drafts: &[NodeDraft<'_>],
    depth: u32,
    find: impl Fn(&[u8]) -> Option<NodeId>,
) -> Result<Vec<NodeId>> {
    let root = drafts.iter().position(|d| d.parent.is_none()).unwrap_or(0);
    let mut children: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
    for (id, (node, draft)) in nodes.iter_mut().zip(drafts).enumerate() {
        if id == root {
            node.parent = None;
            continue;
        }
        if node.parent.is_none() {
            node.parent = match draft.parent {
                // A second tree is attached to the first.
                None => Some(root as NodeId),
                Some((name, spot)) => match find(name) {
                    Some(parent) => Some(parent),
                    None => {
                        let what = format!("the parent `{}` does not exist", escape_bytes(name));
                        return Err(spot.syntax(what));
                    }
                },
            };
        }
        if let Some(list) = node.parent.and_then(|p| children.get_mut(p as usize)) {
            list.push(id as NodeId);
        }
    }
    for (node, list) in nodes.iter_mut().zip(children) {
        node.children = list.into();
    }
    let spot_of = |id: NodeId| drafts.get(id as usize).map_or_else(Spot::default, |d| d.spot);
    let order = depth_first_within(nodes, root as NodeId, depth).map_err(|id| spot_of(id).limit("depth"))?;
    if order.len() != nodes.len() {
        let mut reached = vec![false; nodes.len()];
        for id in &order {
            if let Some(flag) = reached.get_mut(*id as usize) {
                *flag = true;
            }
        }
        let lost = reached.iter().position(|r| !r).unwrap_or(0);
        return Err(spot_of(lost as NodeId).syntax("this node is its own ancestor"));
    }
    let mut new_of_old: Vec<NodeId> = vec![0; nodes.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(slot) = new_of_old.get_mut(*old as usize) {
            *slot = new as NodeId;
        }
    }
    let moved = |id: NodeId| new_of_old.get(id as usize).copied().unwrap_or(id);
    let mut sorted = Vec::with_capacity(nodes.len());
    for old in &order {
        if let Some(node) = nodes.get_mut(*old as usize) {
            let mut node = std::mem::take(node);
            node.parent = node.parent.map(moved);
            node.children.iter_mut().for_each(|c| *c = moved(*c));
            sorted.push(node);
        }
    }
    *nodes = sorted;
    Ok(order)
}

/// Returns the nodes reachable from a root, depth first. Fails with a node that is too deep.
fn depth_first_within(nodes: &[Node], root: NodeId, depth: u32) -> Result<Vec<NodeId>, NodeId> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut todo = if nodes.is_empty() { Vec::new() } else { vec![(root, 1)] };
    while let Some((id, level)) = todo.pop() {
        if level > depth {
            return Err(id);
        }
        order.push(id);
        let children = nodes.get(id as usize).map_or(&[][..], |n| &n.children);
        todo.extend(children.iter().rev().map(|c| (*c, level + 1)));
    }
    Ok(order)
}
