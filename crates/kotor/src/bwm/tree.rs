//! The box tree of a walkmesh.

use super::wire::AabbNode;
use super::{Layout, Walkmesh};
use crate::box_tree;

/// Builds the tree in the form of the game's tools: `2n - 1` nodes for `n` faces in preorder, one leaf per face, the
/// left child next.
pub fn build_tree(vertices: &[[f32; 3]], faces: &[[u32; 3]]) -> Vec<AabbNode> {
    let boxes = box_tree::build(vertices, faces).into_iter();
    boxes
        .map(|node| AabbNode {
            min: node.min,
            max: node.max,
            face: node.face,
            unknown_0x1c: 4,
            plane: node.plane,
            left: node.left.unwrap_or(u32::MAX),
            right: node.right.unwrap_or(u32::MAX),
        })
        .collect()
}

/// Moves every box of a tree by the same offset.
pub fn refit_tree(nodes: &mut [AabbNode], by: [f32; 3]) {
    for node in nodes {
        for corner in [&mut node.min, &mut node.max] {
            for (value, delta) in corner.iter_mut().zip(by) {
                *value += delta;
            }
        }
    }
}

impl Walkmesh {
    /// Discards the layout, so that [`write`](Walkmesh::write) uses the canonical one.
    pub fn forget_layout(&mut self) {
        self.layout = Layout::default();
    }
}
