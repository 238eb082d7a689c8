//! Derives values that the text does not have.

use super::draft::NodeDraft;
use super::finish::Missing;
use crate::geometry;
use crate::mdl::derive::{Weighting, aabb_tree, area, inverse_binds, inverted_counter, vertex_normals};
use crate::mdl::{AabbNode, Face, Mesh, Model, NodeId};

/// Derives what is missing.
pub(crate) fn fill(model: &mut Model, drafts: &mut [NodeDraft<'_>], missing: &[Missing]) {
    binds(model, missing);
    let mut meshes = 0;
    for (node, (draft, missing)) in model.nodes.iter_mut().zip(drafts.iter_mut().zip(missing)) {
        let (Some(mesh), Some(mesh_draft)) = (node.mesh.as_deref_mut(), draft.mesh.as_deref_mut()) else {
            continue;
        };
        if missing.planes {
            mesh.derive_faces();
        }
        if missing.normals && !mesh.vertices.positions.is_empty() {
            mesh.vertices.normals = normals(mesh, &mesh_draft.masks);
        }
        if missing.bounds {
            let stored = mesh.area;
            mesh.derive_bounds();
            mesh.area = stored;
        }
        if missing.area {
            mesh.area = area(&mesh.vertices.positions, &mesh.faces);
        }
        for (texture, missing) in missing.tangents.into_iter().enumerate() {
            if missing {
                mesh.derive_tangents(texture);
            }
        }
        if missing.boxes {
            boxes(mesh);
        }
        if missing.saber {
            saber(mesh);
        }
        let blade = mesh.saber.is_some();
        if missing.counters {
            counters(mesh, meshes);
        }
        meshes += if blade { 2 } else { 1 };
    }
}

/// Derives vertex normals: the area-weighted sum of the normals of all faces at the same position in a common smoothing
/// group.
fn normals(mesh: &Mesh, masks: &[u32]) -> Vec<[f32; 3]> {
    let by_area = Weighting { area: true, ..Weighting::default() };
    let mut normals = vertex_normals(&mesh.vertices.positions, &mesh.faces, Some(masks), by_area);
    let zero = |normal: &&mut [f32; 3]| !normal.iter().any(|c| c.abs() > 0.0);
    normals.iter_mut().filter(zero).for_each(|normal| *normal = [0.0, 0.0, 1.0]);
    normals
}

/// Keeps the boxes of the text if they contain every face exactly once; otherwise builds a new tree.
fn boxes(mesh: &mut Mesh) {
    let Some(tree) = mesh.aabb.as_deref_mut() else { return };
    if sound(&tree.nodes, &mesh.vertices.positions, &mesh.faces) {
        split_planes(&mut tree.nodes);
    } else {
        *tree = aabb_tree(&mesh.vertices.positions, &mesh.faces);
    }
}

fn sound(nodes: &[AabbNode], positions: &[[f32; 3]], faces: &[Face]) -> bool {
    let mut seen = vec![false; faces.len()];
    let leaf = |node: &AabbNode, seen: &mut [bool]| {
        let Some(slot) = usize::try_from(node.face).ok().and_then(|f| seen.get_mut(f)) else { return false };
        let corners = faces
            .get(node.face as usize)
            .into_iter()
            .flat_map(|f| f.vertices)
            .filter_map(|i| positions.get(usize::from(i)));
        let inside = |p: &[f32; 3]| {
            p.iter().zip(node.min.iter().zip(&node.max)).all(|(v, (low, high))| {
                let slack = 1e-4 * v.abs().max(1.0);
                *v >= low - slack && *v <= high + slack
            })
        };
        !std::mem::replace(slot, true) && corners.clone().count() == 3 && corners.clone().all(inside)
    };
    let complete = nodes.iter().all(|n| match (n.left, n.right) {
        (None, None) => leaf(n, &mut seen),
        (Some(_), Some(_)) => n.face < 0,
        _ => false,
    });
    complete && seen.iter().all(|s| *s)
}

/// Derives the split planes: the axis that separates the children of each box best.
fn split_planes(nodes: &mut [AabbNode]) {
    let middle = |n: &AabbNode| {
        let [a, b, c] = n.min;
        let [d, e, f] = n.max;
        [a + d, b + e, c + f]
    };
    for id in 0..nodes.len() {
        let child = |c: Option<u32>| c.and_then(|c| nodes.get(c as usize)).map(middle);
        let Some(node) = nodes.get(id) else { continue };
        let plane = match (child(node.left), child(node.right)) {
            (Some(left), Some(right)) => {
                let apart: [f32; 3] =
                    std::array::from_fn(|i| right.get(i).unwrap_or(&0.0) - left.get(i).unwrap_or(&0.0));
                let axis = (0..3).max_by(|a, b| {
                    let size = |i: &usize| apart.get(*i).map_or(0.0, |v| v.abs());
                    size(a).total_cmp(&size(b))
                });
                let axis = axis.unwrap_or(0);
                if apart.get(axis).is_some_and(|v| *v < 0.0) { 8 << axis } else { 1 << axis }
            }
            _ => 0,
        };
        if let Some(node) = nodes.get_mut(id) {
            node.plane = plane;
        }
    }
}

fn counters(mesh: &mut Mesh, before: u32) {
    match mesh.saber.as_deref_mut() {
        Some(saber) => {
            saber.inverted_counters = [inverted_counter(before + 1), inverted_counter(before + 2)];
            mesh.inverted_counters.clear();
        }
        None => mesh.inverted_counters = [inverted_counter(before + 1)].into(),
    }
}

/// Derives the normals of a blade: those of its two flat sides.
fn saber(mesh: &mut Mesh) {
    let Some(saber) = mesh.saber.as_deref_mut() else { return };
    let side = |at: usize| {
        let get = |i: usize| saber.positions.get(at + i).copied().unwrap_or_default();
        geometry::normal([get(5), get(4), get(0)])
    };
    let (first, second) = (side(0), side(super::saber::FULL / 2));
    let half = saber.positions.len() / 2;
    saber.normals = (0..saber.positions.len()).map(|i| if i < half { first } else { second }).collect();
}

/// Derives the inverse binds of the skins.
fn binds(model: &mut Model, missing: &[Missing]) {
    for (id, _) in missing.iter().enumerate().filter(|(_, m)| m.binds) {
        let binds = inverse_binds(&model.nodes, id as NodeId);
        let mesh = model.nodes.get_mut(id).and_then(|n| n.mesh.as_deref_mut());
        if let Some(skin) = mesh.and_then(|m| m.skin.as_deref_mut()) {
            (skin.rotations, skin.translations) = binds.into_iter().unzip();
        }
    }
}
