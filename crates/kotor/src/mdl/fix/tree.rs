//! Fixes of the box tree of a walkable mesh: single faces and boxes that the rest of the tree determines.

use super::mesh::plane_agrees;
use super::{is_covered, meshes};
use crate::box_tree::{Unowned, unowned};
use crate::mdl::check::finite;
use crate::mdl::mesh::{AabbNode, AabbTree, Mesh};
use crate::mdl::{AabbLayout, Model, derive};

/// The margin that the game's compiler adds to every side of a box, and the tolerance for other boxes.
const MARGIN: f32 = 0.01;
const SLACK: f32 = 0.05;

/// Builds missing trees, unless the file has unused bytes, which may be the tree, or a face without vertices, which
/// cannot be in a tree.
pub(super) fn build(model: &mut Model) -> usize {
    if !is_covered(model) {
        return 0;
    }
    let absent = |m: &&mut Mesh| m.aabb.as_deref().is_some_and(|tree| tree.nodes.is_empty());
    let sound = |m: &&mut Mesh| {
        let positions = &m.vertices.positions;
        !m.faces.is_empty()
            && positions.iter().all(|p| finite(p))
            && m.faces.iter().all(|face| derive::face_corners(positions, face).is_some())
    };
    meshes(model).filter(absent).filter(sound).map(Mesh::derive_aabb).count()
}

/// Marks missing children with 0.
pub(super) fn missing_children(model: &mut Model) -> usize {
    let mut count = 0;
    let mut clear = |none: &mut u32| {
        if *none == u32::MAX {
            *none = 0;
            count += 1;
        }
    };
    for tree in meshes(model).filter_map(|m| m.aabb.as_deref_mut()) {
        match &mut tree.layout {
            AabbLayout::Packed { none, .. } => clear(none),
            AabbLayout::Scattered { none, .. } => none.iter_mut().flatten().for_each(&mut clear),
        }
    }
    count
}

fn is_leaf(node: &AabbNode) -> bool {
    node.left.is_none() && node.right.is_none()
}

/// Assigns the one face without a leaf to the one leaf without a valid face, or with a face that another leaf has too.
pub(super) fn faces_of_leaves(model: &mut Model) -> usize {
    meshes(model).map(face_of_leaf).sum()
}

fn face_of_leaf(mesh: &mut Mesh) -> usize {
    let Some(tree) = mesh.aabb.as_deref_mut() else { return 0 };
    let leaves = tree.nodes.iter().enumerate().filter(|(_, n)| is_leaf(n)).map(|(at, n)| (at, n.face));
    let Some(Unowned { face, leaves }) = unowned(leaves, mesh.faces.len()) else { return 0 };
    let Some((min, max)) = box_of(mesh.faces.get(face), &mesh.vertices.positions) else { return 0 };
    let covers = |at: &usize| {
        tree.nodes.get(*at).is_some_and(|n| {
            n.min.iter().zip(min).all(|(b, v)| *b <= v + 1e-3)
                && n.max.iter().zip(max).all(|(b, v)| *b >= v - 1e-3)
        })
    };
    let fitting: Vec<usize> = leaves.into_iter().filter(covers).collect();
    let [at] = fitting[..] else { return 0 };
    tree.nodes.get_mut(at).map_or(0, |node| {
        node.face = face as i32;
        1
    })
}

type Corners = ([f32; 3], [f32; 3]);

/// Returns the box around the corners of a face.
fn box_of(face: Option<&crate::mdl::Face>, positions: &[[f32; 3]]) -> Option<Corners> {
    let points = derive::face_corners(positions, face?)?.map(|p| p.map(|c| c as f32));
    if !points.iter().all(|p| finite(p)) {
        return None;
    }
    let [min, max] = derive::bounds(&points);
    Some((min, max))
}

/// Returns the box around the faces below each node, with the margin of the compiler; parents come before their
/// children.
fn expected(tree: &AabbTree, mesh: &Mesh) -> Vec<Option<Corners>> {
    let mut out: Vec<Option<Corners>> = vec![None; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        let face = usize::try_from(node.face).ok().and_then(|f| mesh.faces.get(f));
        let own = if is_leaf(node) {
            box_of(face, &mesh.vertices.positions)
                .map(|(min, max)| (min.map(|v| v - MARGIN), max.map(|v| v + MARGIN)))
        } else {
            let below = [node.left, node.right].into_iter().flatten();
            below.filter_map(|child| *out.get(child as usize)?).reduce(|a, b| {
                let [min, _] = derive::bounds(&[a.0, b.0]);
                let [_, max] = derive::bounds(&[a.1, b.1]);
                (min, max)
            })
        };
        if let Some(slot) = out.get_mut(at) {
            *slot = own;
        }
    }
    out
}

/// Derives boxes that do not match their faces if the boxes above and below do.
pub(super) fn boxes(model: &mut Model) -> usize {
    let fix = |mesh: &mut Mesh| {
        let Some(mut tree) = mesh.aabb.take() else { return 0 };
        let count = boxes_of(&mut tree, mesh);
        mesh.aabb = Some(tree);
        count
    };
    meshes(model).map(fix).sum()
}

fn boxes_of(tree: &mut AabbTree, mesh: &Mesh) -> usize {
    let expected = expected(tree, mesh);
    let off = |a: f32, b: f32| a.is_nan() || (a - b).abs() > SLACK;
    let wrong: Vec<bool> = (tree.nodes.iter().zip(&expected))
        .map(|(node, expected)| {
            expected.is_none_or(|(min, max)| {
                node.min.iter().zip(min).any(|(a, b)| off(*a, b))
                    || node.max.iter().zip(max).any(|(a, b)| off(*a, b))
            })
        })
        .collect();
    let is_wrong = |at: u32| wrong.get(at as usize).copied().unwrap_or(true);
    let mut sure = wrong.clone();
    for (at, node) in tree.nodes.iter().enumerate() {
        let below = [node.left, node.right];
        let children = below.into_iter().flatten().any(is_wrong);
        let face = usize::try_from(node.face).ok().and_then(|f| mesh.faces.get(f));
        let leaf = !is_leaf(node) || face.is_some_and(|f| plane_agrees(&mesh.vertices.positions, f));
        if children || !leaf {
            sure.get_mut(at).into_iter().for_each(|s| *s = false);
        }
        if is_wrong(at as u32) {
            for child in below.into_iter().flatten() {
                sure.get_mut(child as usize).into_iter().for_each(|s| *s = false);
            }
        }
    }
    let mut count = 0;
    for ((node, expected), _) in tree.nodes.iter_mut().zip(expected).zip(sure).filter(|(_, sure)| *sure) {
        let Some((min, max)) = expected else { continue };
        let sides = node.min.iter_mut().zip(min).chain(node.max.iter_mut().zip(max));
        sides.filter(|(side, right)| off(**side, *right)).for_each(|(side, right)| *side = right);
        count += 1;
    }
    count
}
