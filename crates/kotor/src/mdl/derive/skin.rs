//! Rest pose, inverse binds and bone tables of skins.

use super::super::{Model, Node, NodeId, Skin};
use super::vector::{Q, Rigid, V, q, qnormalize, v};

/// Returns the transform of every node in the model at rest, from the node headers.
pub(crate) fn rest(nodes: &[Node]) -> Vec<Rigid> {
    let local =
        |_: usize, n: &Node| Rigid { rotation: qnormalize(q(n.orientation)), translation: v(n.position) };
    chain(nodes, local)
}

/// Returns the transform of every node in the model, given those relative to the parents.
pub(crate) fn chain(nodes: &[Node], local: impl Fn(usize, &Node) -> Rigid) -> Vec<Rigid> {
    let mut world: Vec<Option<Rigid>> = vec![None; nodes.len()];
    for start in 0..nodes.len() {
        // Goes up to the first node whose transform is known, then down again. Parents nearly always come first.
        let mut path = Vec::new();
        let mut at = Some(start);
        let mut base = Rigid::IDENTITY;
        while let Some(id) = at {
            match world.get(id) {
                Some(Some(known)) => {
                    base = *known;
                    break;
                }
                Some(None) if path.len() <= nodes.len() => {
                    path.push(id);
                    at = nodes.get(id).and_then(|n| n.parent).map(|p| p as usize);
                }
                _ => break,
            }
        }
        for id in path.into_iter().rev() {
            if let (Some(node), Some(slot)) = (nodes.get(id), world.get_mut(id)) {
                base = base.then(local(id, node));
                *slot = Some(base);
            }
        }
    }
    world.into_iter().map(|w| w.unwrap_or(Rigid::IDENTITY)).collect()
}

/// Returns the inverse bind of every node for a skin: inverse(world of the node) times world of the skin, at rest.
/// Rotation w, x, y, z and translation.
pub fn inverse_binds(nodes: &[Node], skin: NodeId) -> Vec<([f32; 4], [f32; 3])> {
    let world = rest(nodes);
    let own = world.get(skin as usize).copied().unwrap_or(Rigid::IDENTITY);
    world
        .iter()
        .map(|bone| {
            let bind = bone.inverse().then(own);
            let (r, t): (Q, V) = (bind.rotation, bind.translation);
            (r.map(|c| c as f32), t.map(|c| c as f32))
        })
        .collect()
}

impl Skin {
    /// Derives the table of the nodes of the first 16 bone slots from the bone map, by [`Skin::node_of`]. Unused slots
    /// become 0.
    pub fn derive_bone_nodes(&mut self) {
        self.bone_nodes = std::array::from_fn(|slot| self.node_of(slot).map_or(0, |node| node as i16));
    }
}

impl Model {
    /// Derives the inverse binds of all skins from the rest pose, and the bone node tables from the bone maps. Bone
    /// maps are resized to the number of nodes.
    pub fn derive_skins(&mut self) {
        let count = self.nodes.len();
        for id in 0..count {
            let is_skin = |n: &Node| n.mesh.as_deref().is_some_and(|m| m.skin.is_some());
            if !self.nodes.get(id).is_some_and(is_skin) {
                continue;
            }
            let binds = inverse_binds(&self.nodes, id as NodeId);
            let mesh = self.nodes.get_mut(id).and_then(|n| n.mesh.as_deref_mut());
            if let Some(skin) = mesh.and_then(|m| m.skin.as_deref_mut()) {
                skin.bone_map.resize(count, -1.0);
                skin.rotations = binds.iter().map(|(r, _)| *r).collect();
                skin.translations = binds.iter().map(|(_, t)| *t).collect();
                skin.derive_bone_nodes();
            }
        }
    }
}
