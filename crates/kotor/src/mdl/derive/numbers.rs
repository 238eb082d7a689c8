//! Inverted counters, node numbers and node counts.

use super::super::{Model, NodeId, node};

/// Returns the inverted counter of the `k`-th mesh that is created, counted from 1, as the game's compiler numbers them:
/// 98, 97, … 0, 100, 199, 198, … 101, 200, 399, … 201, 400, 799, …
///
/// It takes numbers from a list that is used from its end and doubles when it is used up. Other tools have another
/// formula, which departs at the 300th mesh.
///
/// ```
/// use galatea_kotor::mdl::derive::inverted_counter;
/// assert_eq!([1, 99, 100, 101, 199, 200, 201].map(inverted_counter), [98, 0, 100, 199, 101, 200, 399]);
/// assert_eq!([300, 399, 400, 401].map(inverted_counter), [300, 201, 400, 799]);
/// ```
pub fn inverted_counter(k: u32) -> u32 {
    if k < 100 {
        return 99u32.saturating_sub(k);
    }
    // The greatest 100 · 2^j that is not above k.
    let start = 100u64 << (k / 100).ilog2();
    let value = if u64::from(k) == start { start } else { 3 * start - u64::from(k) };
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The total node counts of the chains of the games' character supermodels: supermodel, total in KotOR 1, total in
/// KotOR 2.
pub const CHAIN_TOTALS: [(&str, u32, u32); 5] = [
    ("S_Male01", 82, 102),
    ("S_Male02", 164, 212),
    ("S_Female01", 248, 319),
    ("S_Female02", 332, 423),
    ("S_Female03", 416, 525),
];

impl Model {
    /// Returns the node count of the header as the compiler computes it: the nodes of the model or, with a supermodel,
    /// these plus one plus the total of the supermodel's chain. `None` if that is unknown.
    pub fn derived_node_count(&self, supermodel: Option<&Model>) -> Option<u32> {
        let own = self.nodes.len() as u32;
        let Some(name) = self.supermodel() else { return Some(own) };
        if let Some(supermodel) = supermodel {
            return Some(own + 1 + supermodel.node_count);
        }
        let (_, k1, k2) = CHAIN_TOTALS.iter().find(|(n, _, _)| n.as_bytes().eq_ignore_ascii_case(name))?;
        Some(own + 1 + if self.game == super::super::Game::K1 { *k1 } else { *k2 })
    }

    /// Numbers the nodes as the compiler does: without a supermodel, in depth-first order; with one, a node takes the
    /// number of the supermodel's node of the same name, and others get new numbers after the supermodel's greatest.
    /// Nodes of animations take the number of the model's node of the same name. Fails if the nodes are not a tree.
    pub fn derive_numbers(&mut self, supermodel: Option<&Model>) -> galatea_wire::Result<()> {
        let order = node::depth_first(&self.nodes)?;
        let lower = |name: &[u8]| name.to_ascii_lowercase();
        let mut known = std::collections::HashMap::new();
        let mut next = 0u32;
        if let Some(supermodel) = supermodel {
            for node in &supermodel.nodes {
                known.entry(lower(supermodel.name_of(node))).or_insert(node.number);
            }
            next = supermodel
                .node_count
                .max(supermodel.nodes.iter().map(|n| u32::from(n.number) + 1).max().unwrap_or(0))
                + 1;
        }
        let mut by_name = std::collections::HashMap::new();
        for id in order {
            let Some(name) = self.node(id).map(|n| lower(self.name_of(n))) else { continue };
            let number = known.get(&name).copied().unwrap_or_else(|| {
                let fresh = next;
                next += 1;
                fresh as u16
            });
            by_name.entry(name).or_insert(number);
            if let Some(node) = self.nodes.get_mut(id as usize) {
                node.number = number;
            }
        }
        let names: Vec<Option<u16>> = self.names.iter().map(|n| by_name.get(&lower(&n.0)).copied()).collect();
        for node in self.animations.iter_mut().flat_map(|a| &mut a.nodes) {
            if let Some(Some(number)) = names.get(usize::from(node.name)) {
                node.number = *number;
            }
        }
        Ok(())
    }

    /// Returns the node of the model that a node of an animation moves: the one of the same number, otherwise of the
    /// same name.
    pub fn target_of(&self, node: &super::super::Node) -> Option<NodeId> {
        let same = |n: &super::super::Node| n.number == node.number && n.name == node.name;
        let found = self.nodes.iter().position(same);
        let found = found.or_else(|| self.nodes.iter().position(|n| n.number == node.number));
        let name = self.name_of(node);
        found.map(|i| i as NodeId).or_else(|| self.find(name))
    }
}
