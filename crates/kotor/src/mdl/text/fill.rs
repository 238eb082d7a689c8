//! Values that text does not tell and that are derived from what it does tell.

use std::collections::HashMap;

use super::draft::NodeDraft;
use super::finish::Missing;
use crate::bwm;
use crate::mdl::derive::{aabb_tree, area, inverse_binds, inverted_counter};
use crate::mdl::{AabbNode, Face, Mesh, Model, NodeId};

/// Derives what is missing.
pub(crate) fn fill(model: &mut Model, drafts: &mut [NodeDraft<'_>], missing: &[Missing]) {
    binds(model, missing);
    let mut meshes = 0;
    for (node, (draft, missing)) in model.nodes.iter_mut().zip(drafts.iter_mut().zip(missing)) {
        let (Some(mesh), Some(said)) = (node.mesh.as_deref_mut(), draft.mesh.as_deref_mut()) else {
            continue;
        };
        if missing.planes {
            mesh.derive_faces();
        }
        if missing.normals && !mesh.vertices.positions.is_empty() {
            mesh.vertices.normals = normals(mesh, &said.masks);
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

fn corners(mesh: &Mesh, face: &Face) -> Option<[[f32; 3]; 3]> {
    let [a, b, c] = face.vertices.map(|i| mesh.vertices.positions.get(usize::from(i)).copied());
    Some([a?, b?, c?])
}

fn cross(corners: [[f32; 3]; 3]) -> [f64; 3] {
    let [a, b, c] = corners.map(|v| v.map(f64::from));
    let [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

/// A number for every position; equal positions have the same.
fn places(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut known: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
    let bits = |v: f32| if v == 0.0 { 0 } else { v.to_bits() };
    positions
        .iter()
        .map(|p| {
            let next = known.len() as u32;
            *known.entry(p.map(bits)).or_insert(next)
        })
        .collect()
}

/// Groups at one place that are told apart; no real mesh has more than there are bits.
const GROUPS: usize = 64;

/// Vertex normals: the sum of the normals of all faces at the same position in a common smoothing group, by area.
///
/// The work is linear in the faces, however many of them meet at one place.
fn normals(mesh: &Mesh, masks: &[u32]) -> Vec<[f32; 3]> {
    let places = places(&mesh.vertices.positions);
    let place_of = |vertex: usize| places.get(vertex).copied().unwrap_or(0);
    let count = mesh.vertices.positions.len();
    // The groups of each vertex, and the sum of the faces that are in none: those are smoothed with nothing.
    let mut own = vec![0u32; count];
    let mut totals = vec![[0.0f64; 3]; count];
    let add = |to: &mut [f64; 3], normal: [f64; 3]| {
        for (slot, n) in to.iter_mut().zip(normal) {
            *slot += n;
        }
    };
    let mut at_place: Vec<(u32, u32)> = Vec::with_capacity(mesh.faces.len() * 3);
    for (id, (face, mask)) in mesh.faces.iter().zip(masks).enumerate() {
        let Some(corners) = corners(mesh, face) else { continue };
        for vertex in face.vertices.map(usize::from) {
            if *mask == 0 {
                if let Some(total) = totals.get_mut(vertex) {
                    add(total, cross(corners));
                }
            } else {
                at_place.push((place_of(vertex), id as u32));
                if let Some(own) = own.get_mut(vertex) {
                    *own |= mask;
                }
            }
        }
    }
    at_place.sort_unstable();
    let mut vertices: Vec<u32> = (0..count as u32).collect();
    vertices.sort_unstable_by_key(|v| place_of(*v as usize));
    let mut left = vertices.as_slice();
    for here in at_place.chunk_by(|a, b| a.0 == b.0) {
        let mut sums: Vec<(u32, [f64; 3])> = Vec::new();
        for (_, face) in here {
            let mask = masks.get(*face as usize).copied().unwrap_or(0);
            let normal =
                mesh.faces.get(*face as usize).and_then(|f| corners(mesh, f)).map_or([0.0; 3], cross);
            let room = sums.len() < GROUPS;
            match sums.iter_mut().find(|(m, _)| *m == mask) {
                Some((_, sum)) => add(sum, normal),
                None if room => sums.push((mask, normal)),
                None => {}
            }
        }
        let place = here.first().map_or(0, |(place, _)| *place);
        let start = left.iter().take_while(|v| place_of(**v as usize) < place).count();
        let (_, rest) = left.split_at(start);
        let (these, rest) =
            rest.split_at(rest.iter().take_while(|v| place_of(**v as usize) == place).count());
        left = rest;
        for vertex in these.iter().map(|v| *v as usize) {
            let Some((total, own)) = totals.get_mut(vertex).zip(own.get(vertex)) else { continue };
            for (_, sum) in sums.iter().filter(|(mask, _)| mask & own != 0) {
                add(total, *sum);
            }
        }
    }
    let unit = |total: [f64; 3]| {
        let size = length(total);
        if size > 0.0 { total.map(|c| (c / size) as f32) } else { [0.0, 0.0, 1.0] }
    };
    totals.into_iter().map(unit).collect()
}

/// The told boxes where they hold their faces, each once; otherwise a new tree.
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

/// The axis on which the children of each box lie furthest apart.
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

/// Normals of a blade: those of its two flat sides.
fn saber(mesh: &mut Mesh) {
    let Some(saber) = mesh.saber.as_deref_mut() else { return };
    let side = |at: usize| {
        let get = |i: usize| saber.positions.get(at + i).copied().unwrap_or_default();
        bwm::normal([get(5), get(4), get(0)])
    };
    let (first, second) = (side(0), side(super::saber::FULL / 2));
    let half = saber.positions.len() / 2;
    saber.normals = (0..saber.positions.len()).map(|i| if i < half { first } else { second }).collect();
}

/// Inverse binds of the skins.
fn binds(model: &mut Model, missing: &[Missing]) {
    for (id, _) in missing.iter().enumerate().filter(|(_, m)| m.binds) {
        let binds = inverse_binds(&model.nodes, id as NodeId);
        let mesh = model.nodes.get_mut(id).and_then(|n| n.mesh.as_deref_mut());
        if let Some(skin) = mesh.and_then(|m| m.skin.as_deref_mut()) {
            (skin.rotations, skin.translations) = binds.into_iter().unzip();
        }
    }
}
