//! Normals, plane distances and neighbours of faces.

use foldhash::HashMap;

use super::super::{Face, Mesh};
use super::bounds::corners;
use super::vector::{V, cross, dot, f, normalize, sub, v};

/// Returns the normal of a triangle; zero if it has no area.
pub(crate) fn face_normal([a, b, c]: [V; 3]) -> V {
    normalize(cross(sub(b, a), sub(c, a)))
}

/// Returns the distance of the plane through a point with this normal.
pub fn plane_distance(normal: [f32; 3], point: [f32; 3]) -> f32 {
    -dot(v(normal), v(point)) as f32
}

/// Numbers positions so that equal ones get the same number. Minus zero is zero.
pub(crate) fn weld(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut numbers: HashMap<(u32, u32, u32), u32> = HashMap::default();
    numbers.reserve(positions.len());
    let number = |position: &[f32; 3]| {
        let next = numbers.len() as u32;
        let [x, y, z] = position.map(|c| (c + 0.0).to_bits());
        *numbers.entry((x, y, z)).or_insert(next)
    };
    positions.iter().map(number).collect()
}

/// Returns the face across each edge of each face, or 0xFFFF. Edge `i` runs from corner `i` to the next.
///
/// Faces are neighbours if positions are equal, even if texture coordinates or normals split the vertices. If more than
/// two faces share an edge, the first other one is the neighbour.
pub fn adjacency(positions: &[[f32; 3]], faces: &[Face]) -> Vec<[u16; 3]> {
    neighbours(positions, faces.iter().map(|face| face.vertices.map(u32::from)))
}

/// Returns the [`adjacency`] of triangles.
pub(crate) fn neighbours(
    positions: &[[f32; 3]],
    triangles: impl ExactSizeIterator<Item = [u32; 3]>,
) -> Vec<[u16; 3]> {
    const NONE: u32 = u32::MAX;
    let welded = weld(positions);
    // The first two faces of each edge, and the edges by their ends, the lower first.
    let mut faces_of: Vec<[u32; 2]> = Vec::new();
    let mut edges: HashMap<(u32, u32), u32> = HashMap::default();
    edges.reserve(triangles.len() * 3 / 2);
    let mut edge_of = |face: u32, a: u32, b: u32| {
        let (Some(a), Some(b)) = (welded.get(a as usize), welded.get(b as usize)) else { return NONE };
        let edge = *edges.entry((*a.min(b), *a.max(b))).or_insert_with(|| {
            faces_of.push([face, NONE]);
            faces_of.len() as u32 - 1
        });
        if let Some([first, second]) = faces_of.get_mut(edge as usize)
            && *first != face
            && *second == NONE
        {
            *second = face;
        }
        edge
    };
    let edges_of_faces: Vec<[u32; 3]> = triangles
        .enumerate()
        .map(|(face, [a, b, c])| [(a, b), (b, c), (c, a)].map(|(a, b)| edge_of(face as u32, a, b)))
        .collect();
    let across = |face: u32, edge: u32| -> Option<u16> {
        let [first, second] = *faces_of.get(edge as usize)?;
        u16::try_from(if first == face { second } else { first }).ok()
    };
    let faces = edges_of_faces.iter().enumerate();
    faces.map(|(face, edges)| edges.map(|edge| across(face as u32, edge).unwrap_or(u16::MAX))).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Faces around a common position, compared with a search through every pair.
    #[test]
    fn a_position_with_many_edges_is_like_others() {
        let count = 60u32;
        let positions: Vec<[f32; 3]> =
            (0..=count).map(|i| if i == 0 { [0.0; 3] } else { [i as f32, (i * i) as f32, 1.0] }).collect();
        let fan = (1..=count).map(|i| [0, i, i % count + 1]);
        // Some of them twice, and one with a vertex that does not exist.
        let triangles: Vec<[u32; 3]> = fan.chain([[0, 5, 6], [7, 0, 6], [0, 40, 20], [0, 99, 3]]).collect();
        let computed = neighbours(&positions, triangles.iter().copied());
        let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
        let exists = |[_, b]: [u32; 2]| b <= count;
        for (id, triangle) in triangles.iter().enumerate() {
            for (side, across) in sides(*triangle).into_iter().zip(computed[id]) {
                let mut others =
                    (0..triangles.len()).filter(|o| *o != id && sides(triangles[*o]).contains(&side));
                // Where three meet, the second and the third have the first as their neighbor.
                let want = others.next().filter(|_| exists(side)).map_or(u16::MAX, |o| o as u16);
                assert_eq!(across, want, "{id} {side:?}");
            }
        }
    }
}
