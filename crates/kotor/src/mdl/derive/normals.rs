//! Vertex normals, and smoothing groups recovered from them.

use std::collections::HashMap;

use super::super::{Face, Mesh};
use super::bounds::{corners, face_area};
use super::faces::{adjacency, face_normal, weld};
use super::vector::{V, add, angle, dot, f, normalize, scale, sub, v};

/// How faces add up to the normal of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weighting {
    /// Whether larger faces count more.
    pub area: bool,
    /// Whether faces with a wider corner at the vertex count more.
    pub angle: bool,
    /// Faces that turn away from each other by more than this many degrees are not smoothed, whatever their groups say.
    pub crease: Option<f32>,
}

/// The normal of every vertex.
///
/// Faces count for a vertex if one of their corners is at its position and they are smooth with a face that uses the vertex:
/// by their smoothing groups (one mask of bits per face; a shared bit means smooth), else by their using the same vertex.
pub fn vertex_normals(
    positions: &[[f32; 3]],
    faces: &[Face],
    groups: Option<&[u32]>,
    weighting: Weighting,
) -> Vec<[f32; 3]> {
    let welded = weld(positions);
    let normals: Vec<V> = faces.iter().map(|f| corners(positions, f).map_or([0.0; 3], face_normal)).collect();
    // Corners at each position: face and weight.
    let places = welded.iter().max().map_or(0, |m| *m as usize + 1);
    let mut at: Vec<Vec<(u32, f64)>> = vec![Vec::new(); places];
    let mut of_vertex: Vec<Vec<u32>> = vec![Vec::new(); positions.len()];
    for (id, face) in faces.iter().enumerate() {
        let Some(points) = corners(positions, face) else { continue };
        for (i, vertex) in face.vertices.iter().enumerate() {
            let place = welded.get(usize::from(*vertex)).and_then(|w| at.get_mut(*w as usize));
            if let Some(place) = place {
                place.push((id as u32, weight(points, i, weighting)));
            }
            if let Some(list) = of_vertex.get_mut(usize::from(*vertex)) {
                list.push(id as u32);
            }
        }
    }
    let normal = |id: u32| normals.get(id as usize).copied().unwrap_or([0.0; 3]);
    let crease = weighting.crease.map(|degrees| f64::from(degrees).to_radians().cos());
    let smooth = |own: &[u32], other: u32| {
        let grouped = match groups {
            None => own.contains(&other),
            Some(groups) => {
                let mask = |id: u32| groups.get(id as usize).copied().unwrap_or(0);
                own.iter().any(|id| *id == other || mask(*id) & mask(other) != 0)
            }
        };
        grouped && crease.is_none_or(|least| own.iter().any(|id| dot(normal(*id), normal(other)) >= least))
    };
    of_vertex
        .iter()
        .zip(&welded)
        .map(|(own, place)| {
            let mut sum = [0.0; 3];
            for (face, weight) in at.get(*place as usize).into_iter().flatten() {
                if smooth(own, *face) {
                    sum = add(sum, scale(normal(*face), *weight));
                }
            }
            f(normalize(sum))
        })
        .collect()
}

fn weight(points: [V; 3], corner: usize, weighting: Weighting) -> f64 {
    let [a, b, c] = points;
    let (at, next, last) = match corner {
        0 => (a, b, c),
        1 => (b, c, a),
        _ => (c, a, b),
    };
    let area = if weighting.area { face_area(points) } else { 1.0 };
    let turn = if weighting.angle { angle(sub(next, at), sub(last, at)) } else { 1.0 };
    area * turn
}

/// Smoothing groups that the normals of the vertices speak of: a mask of bits per face.
///
/// Two neighbours are smooth if the normals at both ends of their common edge are equal. Faces that hang together smoothly
/// form a group; groups that touch get different bits where 32 suffice.
pub fn smoothing_groups(positions: &[[f32; 3]], normals: &[[f32; 3]], faces: &[Face]) -> Vec<u32> {
    let neighbours = adjacency(positions, faces);
    let welded = weld(positions);
    let normal_at = |face: &Face, place: u32| {
        let vertex = face.vertices.iter().find(|i| welded.get(usize::from(**i)) == Some(&place))?;
        normals.get(usize::from(*vertex)).copied()
    };
    let equal = |a: [f32; 3], b: [f32; 3]| dot(v(a), v(b)) > 0.9999;
    let mut group: Vec<u32> = vec![u32::MAX; faces.len()];
    let mut groups = 0;
    let smooth = |id: usize, edge: usize, other: usize| {
        let (face, other) = (faces.get(id)?, faces.get(other)?);
        let ends = [face.vertices.get(edge)?, face.vertices.get((edge + 1) % 3)?];
        for end in ends {
            let place = *welded.get(usize::from(*end))?;
            if !equal(normal_at(face, place)?, normal_at(other, place)?) {
                return None;
            }
        }
        Some(())
    };
    let mut touching: Vec<(u32, u32)> = Vec::new();
    for start in 0..faces.len() {
        if group.get(start).is_none_or(|g| *g != u32::MAX) {
            continue;
        }
        let mut todo = vec![start];
        while let Some(id) = todo.pop() {
            let Some(slot) = group.get_mut(id).filter(|g| **g == u32::MAX) else { continue };
            *slot = groups;
            for (edge, other) in neighbours.get(id).into_iter().flatten().enumerate() {
                if *other != u16::MAX && smooth(id, edge, usize::from(*other)).is_some() {
                    todo.push(usize::from(*other));
                }
            }
        }
        groups += 1;
    }
    for (id, list) in neighbours.iter().enumerate() {
        for other in list.iter().filter(|o| **o != u16::MAX) {
            if let (Some(a), Some(b)) = (group.get(id), group.get(usize::from(*other)))
                && a != b
            {
                touching.push((*a, *b));
            }
        }
    }
    let mut taken: HashMap<u32, u32> = HashMap::new();
    let mut bits = vec![0u32; groups as usize];
    touching.sort_unstable();
    touching.dedup();
    let mut rest = touching.as_slice();
    for id in 0..groups {
        let split = rest.iter().take_while(|(a, _)| *a == id).count();
        let (mine, after) = rest.split_at(split);
        rest = after;
        let used = mine.iter().filter_map(|(_, b)| taken.get(b)).fold(0, |m, b| m | b);
        let free = (!used).trailing_zeros().min(31);
        taken.insert(id, 1 << free);
        if let Some(slot) = bits.get_mut(id as usize) {
            *slot = 1 << free;
        }
    }
    group.iter().map(|g| bits.get(*g as usize).copied().unwrap_or(1)).collect()
}

impl Mesh {
    /// Derives the normals of all vertices; see [`vertex_normals`].
    pub fn derive_normals(&mut self, groups: Option<&[u32]>, weighting: Weighting) {
        self.vertices.normals = vertex_normals(&self.vertices.positions, &self.faces, groups, weighting);
    }
}
