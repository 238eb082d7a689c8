//! Fixes of the box tree: single links, faces, boxes and plane codes that the rest of the tree determines.

use super::{is_finite, plane_agrees};
use crate::box_tree::{Unowned, unowned};
use crate::bwm::wire::AabbNode;
use crate::bwm::{Walkmesh, build_tree};

const NONE: u32 = u32::MAX;

/// Returns the tolerance between a box and the corners inside it.
fn slack(v: f32) -> f32 {
    1e-4 + v.abs() * 1e-6
}

/// Builds a tree that is missing altogether, unless the file has unused bytes, which may be the tree.
pub(super) fn build(mesh: &mut Walkmesh) -> usize {
    let sure = mesh.layout.gaps.is_empty() && is_finite(mesh);
    if !sure || !mesh.aabb.is_empty() {
        return 0;
    }
    mesh.aabb = build_tree(&mesh.vertices, &mesh.faces);
    mesh.aabb.len()
}

fn is_leaf(node: &AabbNode) -> bool {
    node.left == NONE && node.right == NONE
}

/// The two children of a node.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

/// A link: a node and which of its children.
type Link = (usize, Side);

/// A walk over the tree from its root.
struct Walk {
    /// The link to each node; the root has none.
    from: Vec<Option<Link>>,
    reached: Vec<bool>,
    /// Links to nodes that do not exist or were reached before.
    broken: Vec<Link>,
}

fn walk(nodes: &[AabbNode]) -> Walk {
    let mut out =
        Walk { from: vec![None; nodes.len()], reached: vec![false; nodes.len()], broken: Vec::new() };
    let mut todo: Vec<(u32, Option<Link>)> = vec![(0, None)];
    while let Some((at, from)) = todo.pop() {
        let index = at as usize;
        let (Some(node), Some(reached)) = (nodes.get(index), out.reached.get_mut(index)) else {
            out.broken.extend(from);
            continue;
        };
        if std::mem::replace(reached, true) {
            out.broken.extend(from);
            continue;
        }
        if let Some(slot) = out.from.get_mut(index) {
            *slot = from;
        }
        if node.face < 0 && !is_leaf(node) {
            todo.push((node.right, Some((index, Side::Right))));
            todo.push((node.left, Some((index, Side::Left))));
        }
    }
    out
}

/// Returns the roots of unreachable subtrees.
fn lost_roots(nodes: &[AabbNode], walk: &Walk) -> Vec<u32> {
    let mut child = vec![false; nodes.len()];
    let lost = |at: &usize| walk.reached.get(*at) == Some(&false);
    for (_, node) in nodes.iter().enumerate().filter(|(at, n)| lost(at) && n.face < 0) {
        for below in [node.left, node.right] {
            if let Some(flag) = child.get_mut(below as usize) {
                *flag = true;
            }
        }
    }
    let alone = |at: &usize| lost(at) && child.get(*at) == Some(&false);
    (0..nodes.len()).filter(alone).map(|at| at as u32).collect()
}

fn holds(outer: &AabbNode, inner: &AabbNode) -> bool {
    outer.min.iter().zip(inner.min).all(|(a, b)| *a <= b + slack(b))
        && outer.max.iter().zip(inner.max).all(|(a, b)| *a >= b - slack(b))
}

fn child(nodes: &[AabbNode], (at, side): Link) -> Option<u32> {
    nodes.get(at).map(|n| if side == Side::Left { n.left } else { n.right })
}

/// Connects the one unreachable subtree to the one broken link, or removes the face of an inner node.
pub(super) fn links(mesh: &mut Walkmesh) -> usize {
    let nodes = &mesh.aabb;
    let seen = walk(nodes);
    let lost = lost_roots(nodes, &seen);
    if seen.broken.is_empty() {
        return inner_face(mesh, &lost);
    }
    let ([lost], [broken]) = (&lost[..], &seen.broken[..]) else { return 0 };
    let target = child(nodes, *broken);
    // If two links lead to the same node, the wrong one is the one whose box does not contain the node's box.
    let other = target.and_then(|t| seen.from.get(t as usize).copied().flatten());
    let fits = |link: &Link, at: u32| {
        let (node, child) = (nodes.get(link.0), nodes.get(at as usize));
        node.zip(child).is_some_and(|(node, child)| holds(node, child))
    };
    let link = match (other, target) {
        (Some(other), Some(target)) => match (fits(broken, target), fits(&other, target)) {
            (false, true) => *broken,
            (true, false) => other,
            _ => return 0,
        },
        _ => *broken,
    };
    let lost = *lost;
    if !fits(&link, lost) {
        return 0;
    }
    mesh.aabb.get_mut(link.0).map_or(0, |node| {
        *(if link.1 == Side::Left { &mut node.left } else { &mut node.right }) = lost;
        1
    })
}

/// Removes the face of an inner node. With a face it counts as a leaf, so that its two children are the only
/// unreachable nodes.
fn inner_face(mesh: &mut Walkmesh, lost: &[u32]) -> usize {
    let [a, b] = lost else { return 0 };
    let hides =
        |n: &&mut AabbNode| n.face >= 0 && (n.left == *a && n.right == *b || n.left == *b && n.right == *a);
    let mut found = mesh.aabb.iter_mut().filter(hides);
    let (Some(node), None) = (found.next(), found.next()) else { return 0 };
    node.face = -1;
    1
}

/// Assigns the one face without a leaf to the one leaf without a valid face, or with a face that another leaf has too.
pub(super) fn faces_of_leaves(mesh: &mut Walkmesh) -> usize {
    let seen = walk(&mesh.aabb);
    if !seen.broken.is_empty() || seen.reached.iter().any(|r| !r) {
        return 0;
    }
    let leaves = mesh.aabb.iter().enumerate().filter(|(_, n)| is_leaf(n)).map(|(at, n)| (at, n.face));
    let Some(Unowned { face, leaves }) = unowned(leaves, mesh.faces.len()) else { return 0 };
    let Some(corners) = mesh.corners(face) else { return 0 };
    let covers = |at: &usize| {
        mesh.aabb.get(*at).is_some_and(|n| {
            corners.iter().all(|c| {
                let low = c.iter().zip(n.min).all(|(v, min)| min <= v + slack(*v));
                low && c.iter().zip(n.max).all(|(v, max)| max >= v - slack(*v))
            })
        })
    };
    let fitting: Vec<usize> = leaves.into_iter().filter(covers).collect();
    let [at] = fitting[..] else { return 0 };
    mesh.aabb.get_mut(at).map_or(0, |node| {
        node.face = face as i32;
        1
    })
}

/// Returns the box around the faces below each node.
fn tight(mesh: &Walkmesh, order: &[usize], seen: &Walk) -> Vec<([f32; 3], [f32; 3])> {
    let mut out = vec![([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]); mesh.aabb.len()];
    let grow = |into: &mut ([f32; 3], [f32; 3]), min: [f32; 3], max: [f32; 3]| {
        into.0.iter_mut().zip(min).for_each(|(a, b)| *a = a.min(b));
        into.1.iter_mut().zip(max).for_each(|(a, b)| *a = a.max(b));
    };
    for at in order.iter().rev() {
        let corners = mesh.aabb.get(*at).and_then(|n| mesh.corners(usize::try_from(n.face).ok()?));
        let Some(own) = out.get_mut(*at) else { continue };
        for corner in corners.iter().flatten() {
            grow(own, *corner, *corner);
        }
        let (min, max) = *own;
        let above = seen.from.get(*at).copied().flatten();
        if let Some(parent) = above.and_then(|(parent, _)| out.get_mut(parent)) {
            grow(parent, min, max);
        }
    }
    out
}

/// Derives boxes that do not contain their faces if the boxes above and below do. If those do not either, a corner may
/// be wrong instead.
pub(super) fn boxes(mesh: &mut Walkmesh) -> usize {
    let seen = walk(&mesh.aabb);
    if !seen.broken.is_empty() || seen.reached.iter().any(|r| !r) || !is_finite(mesh) {
        return 0;
    }
    let mut order = vec![0usize];
    let mut next = 0;
    while let Some(node) = order.get(next).and_then(|at| mesh.aabb.get(*at)) {
        if node.face < 0 && !is_leaf(node) {
            order.extend([node.left as usize, node.right as usize]);
        }
        next += 1;
    }
    let tight = tight(mesh, &order, &seen);
    let misses = |at: usize| {
        let (Some(node), Some((min, max))) = (mesh.aabb.get(at), tight.get(at)) else { return true };
        let inside = node.min.iter().zip(min).all(|(b, v)| *b <= v + slack(*v))
            && node.max.iter().zip(max).all(|(b, v)| *b >= v - slack(*v));
        !inside && min.iter().zip(max).all(|(a, b)| a <= b)
    };
    let sure = |at: &usize| {
        let Some(node) = mesh.aabb.get(*at) else { return false };
        let above = seen.from.get(*at).copied().flatten().is_none_or(|(parent, _)| !misses(parent));
        let below = match usize::try_from(node.face) {
            Ok(face) => plane_agrees(mesh, face),
            Err(_) => !misses(node.left as usize) && !misses(node.right as usize),
        };
        misses(*at) && above && below
    };
    let found: Vec<usize> = order.iter().copied().filter(sure).collect();
    for at in &found {
        if let (Some(node), Some((min, max))) = (mesh.aabb.get_mut(*at), tight.get(*at)) {
            // Sides that contain the faces are not changed.
            for (side, v) in node.min.iter_mut().zip(min) {
                if side.is_nan() || *side > v + slack(*v) {
                    *side = v - crate::box_tree::MARGIN;
                }
            }
            for (side, v) in node.max.iter_mut().zip(max) {
                if side.is_nan() || *side < v - slack(*v) {
                    *side = v + crate::box_tree::MARGIN;
                }
            }
        }
    }
    found.len()
}

/// Derives unknown plane codes: 0 for leaves, otherwise the axis that separates the two children best.
pub(super) fn planes(mesh: &mut Walkmesh) -> usize {
    let center = |node: &AabbNode| {
        let mut out = node.min;
        out.iter_mut().zip(node.max).for_each(|(a, b)| *a = (*a + b) / 2.0);
        out
    };
    let mut changes = Vec::new();
    for (at, node) in mesh.aabb.iter().enumerate() {
        if node.face >= 0 {
            if is_leaf(node) && node.plane != 0 {
                changes.push((at, 0));
            }
        } else if !matches!(node.plane, 1 | 2 | 4 | 8 | 16 | 32)
            && let (Some(left), Some(right)) =
                (mesh.aabb.get(node.left as usize), mesh.aabb.get(node.right as usize))
        {
            let apart = center(left).into_iter().zip(center(right)).map(|(a, b)| (a - b).abs());
            let axis = apart.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(axis, _)| axis);
            changes.push((at, 1 << axis));
        }
    }
    for (at, plane) in &changes {
        if let Some(node) = mesh.aabb.get_mut(*at) {
            node.plane = *plane;
        }
    }
    changes.len()
}
