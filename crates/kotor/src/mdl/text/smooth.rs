//! Smoothing groups for text: faces that meet at vertices with equal normals share a group.

use std::collections::HashMap;

use crate::mdl::Mesh;

/// The greatest difference, per axis, between normals that count as equal.
const NEAR: f32 = 1e-3;

/// A union-find structure over faces.
struct Sets(Vec<u32>);

impl Sets {
    fn find(&mut self, mut i: u32) -> u32 {
        while let Some(parent) = self.0.get(i as usize).copied()
            && parent != i
        {
            let above = self.0.get(parent as usize).copied().unwrap_or(parent);
            if let Some(slot) = self.0.get_mut(i as usize) {
                *slot = above;
            }
            i = above;
        }
        i
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if let Some(slot) = self.0.get_mut(a.max(b) as usize) {
            *slot = a.min(b);
        }
    }
}

/// Returns one mask per face, such that faces share a bit if the mesh is smooth between them, and share none if they meet
/// at a position without being smooth there.
pub(crate) fn masks(mesh: &Mesh) -> Vec<u32> {
    let faces = &mesh.faces;
    let (positions, normals) = (&mesh.vertices.positions, &mesh.vertices.normals);
    if normals.is_empty() || faces.is_empty() {
        return vec![1; faces.len()];
    }
    // Faces that share a vertex are smooth there.
    let mut sets = Sets((0..faces.len() as u32).collect());
    let mut first: Vec<u32> = vec![u32::MAX; positions.len()];
    for (id, face) in faces.iter().enumerate() {
        for vertex in face.vertices {
            let Some(slot) = first.get_mut(usize::from(vertex)) else { continue };
            if *slot == u32::MAX {
                *slot = id as u32;
            } else {
                sets.join(*slot, id as u32);
            }
        }
    }
    // So are faces whose vertices differ in something other than the normal. Sorting brings equal positions together.
    let key = |position: &[f32; 3]| position.map(|c| (c + 0.0).to_bits());
    let used = positions.iter().zip(&first).enumerate().filter(|(_, (_, face))| **face != u32::MAX);
    let mut order: Vec<([u32; 3], u32)> = used.map(|(id, (place, _))| (key(place), id as u32)).collect();
    order.sort_unstable();
    let same = |a: u32, b: u32| match (normals.get(a as usize), normals.get(b as usize)) {
        (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| (a - b).abs() < NEAR),
        _ => false,
    };
    let face_of = |v: u32| first.get(v as usize).copied().unwrap_or(0);
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        // Usually few vertices share a position. If many do, each is compared with the next 16 only.
        for (i, (_, a)) in group.iter().enumerate() {
            for (_, b) in group.iter().skip(i + 1).take(16) {
                if same(*a, *b) {
                    sets.join(face_of(*a), face_of(*b));
                }
            }
        }
    }
    // Sets that meet at a position get different bits.
    let mut bits: HashMap<u32, u32> = HashMap::new();
    let mut rivals: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut here: Vec<u32> = Vec::new();
    for group in order.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() > 1) {
        here.clear();
        here.extend(group.iter().map(|(_, v)| sets.find(face_of(*v))));
        here.sort_unstable();
        here.dedup();
        if here.len() > 1 {
            here.truncate(32);
            for set in &here {
                let list = rivals.entry(*set).or_default();
                if list.len() < 4096 {
                    list.extend(here.iter().filter(|o| *o != set));
                }
            }
        }
    }
    (0..faces.len() as u32)
        .map(|face| {
            let set = sets.find(face);
            if let Some(bit) = bits.get(&set) {
                return *bit;
            }
            let taken =
                rivals.get(&set).into_iter().flatten().filter_map(|r| bits.get(r)).fold(0, |a, b| a | b);
            let bit = 1u32.checked_shl((!taken).trailing_zeros()).unwrap_or(1);
            bits.insert(set, bit);
            bit
        })
        .collect()
}
