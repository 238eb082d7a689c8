//! Normals, plane distances and neighbours of faces.

use std::collections::HashMap;

use super::super::{Face, Mesh};
use super::bounds::corners;
use super::vector::{V, cross, dot, f, normalize, sub, v};

/// The normal of a triangle; zero if it has no area.
pub(crate) fn face_normal([a, b, c]: [V; 3]) -> V {
    normalize(cross(sub(b, a), sub(c, a)))
}

/// The distance of the plane through a point with this normal.
pub fn plane_distance(normal: [f32; 3], point: [f32; 3]) -> f32 {
    -dot(v(normal), v(point)) as f32
}

/// Numbers positions so that equal ones get the same number. Minus zero is zero.
pub(crate) fn weld(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut numbers: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
    positions
        .iter()
        .map(|p| {
            let next = numbers.len() as u32;
            *numbers.entry(p.map(|c| (c + 0.0).to_bits())).or_insert(next)
        })
        .collect()
}

/// The face across each edge of each face, or 0xFFFF. Edge `i` runs from corner `i` to the next.
///
/// Faces meet where positions are equal, even if texture coordinates or normals split the vertices. Where more than two faces
/// meet at an edge, the first other one counts.
pub fn adjacency(positions: &[[f32; 3]], faces: &[Face]) -> Vec<[u16; 3]> {
    let welded = weld(positions);
    let corner = |face: &Face, i: usize| {
        let vertex = face.vertices.get(i % 3)?;
        welded.get(usize::from(*vertex)).copied()
    };
    let key = |face: &Face, edge: usize| {
        let (a, b) = (corner(face, edge)?, corner(face, edge + 1)?);
        Some((a.min(b), a.max(b)))
    };
    // The first two faces of each edge.
    let mut edges: HashMap<(u32, u32), [u32; 2]> = HashMap::with_capacity(faces.len() * 2);
    for (id, face) in faces.iter().enumerate() {
        for edge in 0..3 {
            let Some(key) = key(face, edge) else { continue };
            let [first, second] = edges.entry(key).or_insert([id as u32, u32::MAX]);
            if *first != id as u32 && *second == u32::MAX {
                *second = id as u32;
            }
        }
    }
    let across = |id: usize, face: &Face, edge: usize| -> Option<u16> {
        let [first, second] = *edges.get(&key(face, edge)?)?;
        u16::try_from(if first == id as u32 { second } else { first }).ok()
    };
    faces
        .iter()
        .enumerate()
        .map(|(id, face)| std::array::from_fn(|edge| across(id, face, edge).unwrap_or(u16::MAX)))
        .collect()
}

impl Mesh {
    /// Derives normals, plane distances and neighbours of all faces.
    pub fn derive_faces(&mut self) {
        self.derive_planes();
        let adjacency = adjacency(&self.vertices.positions, &self.faces);
        for (face, adjacent) in self.faces.iter_mut().zip(adjacency) {
            face.adjacent = adjacent;
        }
    }

    /// Derives normals and plane distances of all faces.
    pub fn derive_planes(&mut self) {
        for face in &mut self.faces {
            if let Some(corners) = corners(&self.vertices.positions, face) {
                face.normal = f(face_normal(corners));
                face.distance = plane_distance(face.normal, f(corners[0]));
            }
        }
    }
}
