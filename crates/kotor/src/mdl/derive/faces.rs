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

/// A map whose keys cost little to find, and are hard to choose so that they cost much.
type Numbers<K> = HashMap<K, u32, foldhash::fast::RandomState>;

/// Numbers positions so that equal ones get the same number. Minus zero is zero.
pub(crate) fn weld(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut numbers: Numbers<[u32; 3]> =
        Numbers::with_capacity_and_hasher(positions.len(), Default::default());
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
    neighbours(positions, faces.iter().map(|face| face.vertices.map(u32::from)))
}

/// [`adjacency`] of triangles.
pub(crate) fn neighbours(
    positions: &[[f32; 3]],
    triangles: impl ExactSizeIterator<Item = [u32; 3]>,
) -> Vec<[u16; 3]> {
    const NONE: u32 = u32::MAX;
    let welded = weld(positions);
    let count = triangles.len();
    let mut numbers: Numbers<[u32; 2]> = Numbers::with_capacity_and_hasher(count * 2, Default::default());
    // The first two faces of each edge, and the edges of each face.
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(count * 2);
    let mut sides: Vec<[u32; 3]> = Vec::with_capacity(count);
    for (id, triangle) in triangles.enumerate() {
        let id = id as u32;
        let [a, b, c] = triangle.map(|i| welded.get(i as usize).copied().unwrap_or(NONE));
        sides.push([[a, b], [b, c], [c, a]].map(|[a, b]| {
            if a == NONE || b == NONE {
                return NONE;
            }
            let edge = *numbers.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                edges.push([id, NONE]);
                edges.len() as u32 - 1
            });
            if let Some([first, second]) = edges.get_mut(edge as usize)
                && *first != id
                && *second == NONE
            {
                *second = id;
            }
            edge
        }));
    }
    let across = |id: u32, edge: u32| -> Option<u16> {
        let [first, second] = *edges.get(edge as usize)?;
        u16::try_from(if first == id { second } else { first }).ok()
    };
    let faces = sides.iter().enumerate();
    faces.map(|(id, edges)| edges.map(|edge| across(id as u32, edge).unwrap_or(u16::MAX))).collect()
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
