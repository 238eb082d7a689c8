//! Names of nodes in the text.

use std::collections::{HashMap, HashSet};

use galatea_text::push_int;

use super::Printer;
use crate::mdl::{Node, NodeId};

impl Printer<'_> {
    /// Returns the printed names of the nodes that an animation moves. Repeated names get a suffix if one of them is
    /// the name of a parent and would refer to another node.
    pub(super) fn printed_names(&self, nodes: &[Node]) -> Vec<(Vec<u8>, Option<NodeId>)> {
        let mut names: Vec<_> = nodes.iter().map(|n| self.printed_name(n)).collect();
        if parents_are_unambiguous(nodes, &names) {
            return names;
        }
        let mut taken: HashSet<Vec<u8>> = HashSet::new();
        for (id, (name, _)) in names.iter_mut().enumerate() {
            let plain = name.clone();
            let mut number = id as u64;
            let mut lower = name.to_ascii_lowercase();
            while taken.contains(&lower) || *name != plain && self.used.contains(&lower) {
                *name = with_suffix(&plain, number);
                lower = name.to_ascii_lowercase();
                number += 100_000;
            }
            taken.insert(lower);
        }
        names
    }

    /// Returns the printed name of the node that an animation moves, and its index.
    pub(super) fn printed_name(&self, node: &Node) -> (Vec<u8>, Option<NodeId>) {
        let first = self.by_name.get(&node.name).copied();
        // If nodes share a name, the number identifies the node.
        let exact =
            first.filter(|id| self.model.node(*id).is_some_and(|n| n.number != node.number)).and_then(|_| {
                let same = |n: &Node| n.name == node.name && n.number == node.number;
                self.model.nodes.iter().position(same).map(|i| i as NodeId)
            });
        match exact.or(first) {
            Some(id) => (self.tokens.get(id as usize).cloned().unwrap_or_default(), Some(id)),
            None => {
                let loose = self.loose.iter().find(|(index, _)| *index == node.name);
                let unknown = || format!("unknown_{}", node.name).into_bytes();
                (loose.map_or_else(unknown, |(_, token)| token.clone()), None)
            }
        }
    }
}

/// Returns a name with a distinguishing suffix.
pub(super) fn with_suffix(name: &[u8], number: u64) -> Vec<u8> {
    let mut out = [name, b"__dpl"].concat();
    push_int(&mut out, number);
    out
}

/// Returns whether the name of every parent refers to that parent: the latest node of this name before its child.
fn parents_are_unambiguous(nodes: &[Node], names: &[(Vec<u8>, Option<NodeId>)]) -> bool {
    let mut indices: Vec<u16> = nodes.iter().map(|n| n.name).collect();
    indices.sort_unstable();
    if indices.windows(2).all(|pair| pair.first() != pair.last()) {
        return true;
    }
    let mut before: HashMap<Vec<u8>, NodeId> = HashMap::new();
    nodes.iter().zip(names).enumerate().all(|(id, (node, (name, _)))| {
        let parent = node.parent.and_then(|p| Some((p, names.get(p as usize)?)));
        let clear = parent.is_none_or(|(p, (name, _))| before.get(&name.to_ascii_lowercase()) == Some(&p));
        before.insert(name.to_ascii_lowercase(), id as NodeId);
        clear
    })
}
