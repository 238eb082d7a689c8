//! Checks of the box tree.

use super::Checker;
use crate::bwm::Table;
use crate::bwm::rules::*;
use crate::bwm::wire::AabbNode;

impl Checker<'_> {
    pub(super) fn tree(&mut self) {
        let mesh = self.mesh;
        if mesh.aabb.is_empty() {
            if !mesh.faces.is_empty() {
                self.report.add(&TREE_ABSENT, Some(100), || ("aabb".into(), "no nodes".into()));
            }
            return;
        }
        let count = mesh.aabb.len();
        let mut seen = vec![false; count];
        let mut leaves = vec![0u8; mesh.faces.len()];
        // Pairs of node and parent; parents come before their children.
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(count);
        let mut todo = vec![(0u32, u32::MAX, 1u32)];
        let mut deepest = 0;
        while let Some((at, parent, depth)) = todo.pop() {
            let here = Some((Table::Aabb, at as usize));
            let (Some(node), Some(flag)) = (mesh.aabb.get(at as usize), seen.get_mut(at as usize)) else {
                self.add(&TREE_CHILD, Some((Table::Aabb, parent as usize)), || {
                    format!("child {at} of {count} nodes")
                });
                continue;
            };
            if std::mem::replace(flag, true) {
                self.add(&TREE_CYCLE, here, || format!("reached again from node {parent}"));
                continue;
            }
            deepest = deepest.max(depth);
            order.push((at, parent));
            self.tree_node(node, here, &mut leaves);
            if node.face < 0 {
                for child in [node.right, node.left] {
                    if child == u32::MAX {
                        self.add(&TREE_CHILD, here, || "an inner node with one child or none".into());
                    } else {
                        todo.push((child, at, depth.saturating_add(1)));
                    }
                }
            }
        }
        if deepest > 64 {
            self.report.add(&TREE_DEEP, None, || ("aabb".into(), format!("{deepest} levels")));
        }
        if let Some(lost) = seen.iter().position(|s| !s) {
            let unreached = seen.iter().filter(|s| !**s).count();
            self.add(&TREE_UNREACHED, Some((Table::Aabb, lost)), || format!("{unreached} nodes"));
        }
        for (face, leaves) in leaves.iter().enumerate().filter(|(_, n)| **n != 1) {
            self.add(&TREE_LEAVES, Some((Table::Faces, face)), || format!("{leaves} leaves"));
        }
        self.tree_cover(&order);
    }

    fn tree_node(&mut self, node: &AabbNode, here: Option<(Table, usize)>, leaves: &mut [u8]) {
        let count = leaves.len();
        if node.face >= 0 {
            match leaves.get_mut(node.face as usize) {
                Some(n) => *n = n.saturating_add(1),
                None => self.add(&TREE_FACE, here, || format!("face {} of {count}", node.face)),
            }
        } else if node.face != -1 {
            self.add(&TREE_FACE, here, || format!("face {}", node.face));
        }
        let known =
            if node.face >= 0 { node.plane == 0 } else { matches!(node.plane, 1 | 2 | 4 | 8 | 16 | 32) };
        if !known {
            self.add(&TREE_PLANE, here, || format!("plane {}", node.plane));
        }
        if node.unknown_0x1c != 4 {
            self.add(&UNKNOWN_FIELD, here, || format!("{} at 0x1C, usually 4", node.unknown_0x1c));
        }
    }

    /// Checks that every box contains the corners of all faces below it. Extents are gathered from the leaves upwards.
    fn tree_cover(&mut self, order: &[(u32, u32)]) {
        let mesh = self.mesh;
        const NOTHING: ([f32; 3], [f32; 3]) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let mut tight = vec![NOTHING; mesh.aabb.len()];
        let grow = |into: &mut ([f32; 3], [f32; 3]), min: [f32; 3], max: [f32; 3]| {
            for (slot, v) in into.0.iter_mut().zip(min) {
                *slot = slot.min(v);
            }
            for (slot, v) in into.1.iter_mut().zip(max) {
                *slot = slot.max(v);
            }
        };
        for (at, parent) in order.iter().rev() {
            let Some(node) = mesh.aabb.get(*at as usize) else { continue };
            let mut below = tight.get(*at as usize).copied().unwrap_or(NOTHING);
            if let Some(corners) = usize::try_from(node.face).ok().and_then(|f| mesh.corners(f)) {
                for corner in corners {
                    grow(&mut below, corner, corner);
                }
            }
            let (min, max) = below;
            let slack = |v: f32| 1e-4 + v.abs() * 1e-6;
            let inside = node.min.iter().zip(min).all(|(b, v)| *b <= v + slack(v))
                && node.max.iter().zip(max).all(|(b, v)| *b >= v - slack(v));
            if !inside && min.iter().zip(&max).all(|(a, b)| a <= b) {
                self.add(&TREE_COVER, Some((Table::Aabb, *at as usize)), || {
                    format!("box {:?} to {:?}, faces extend from {min:?} to {max:?}", node.min, node.max)
                });
            }
            if let Some(slot) = tight.get_mut(*parent as usize) {
                grow(slot, min, max);
            }
        }
    }
}
