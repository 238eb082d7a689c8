//! Normals, plane distances and neighbours of faces.

use std::hash::BuildHasher as _;

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

/// Things of which equal ones get the same number, found at little cost: each is looked for from a place on that a secret
/// number decides too, so that nobody can choose things that all begin at the same one.
struct Numbers<K> {
    keys: Vec<K>,
    /// One more than the number of what is here; 0 where nothing is.
    slots: Vec<u32>,
    secret: u64,
}

impl<K: Copy + PartialEq> Numbers<K> {
    fn with_room(count: usize) -> Self {
        // Odd, whichever half of it comes first.
        let secret = foldhash::fast::RandomState::default().hash_one(count) | 1 << 32 | 1;
        Numbers {
            keys: Vec::with_capacity(count),
            slots: vec![0; (count * 2).next_power_of_two().max(2)],
            secret,
        }
    }

    /// The number of something, which is the next one if it is new. There must be room.
    fn of(&mut self, key: K, [a, b]: [u64; 2]) -> u32 {
        // The highest bits of a product with a secret number depend on all bits.
        let hash = a.wrapping_mul(self.secret).wrapping_add(b.wrapping_mul(self.secret.rotate_left(32)));
        let last = self.slots.len() - 1;
        let mut at = (hash >> (last as u64).leading_zeros()) as usize;
        loop {
            let Some(slot) = self.slots.get_mut(at) else { return 0 };
            if *slot == 0 {
                self.keys.push(key);
                *slot = self.keys.len() as u32;
                return *slot - 1;
            }
            if self.keys.get(*slot as usize - 1) == Some(&key) {
                return *slot - 1;
            }
            at = (at + 1) & last;
        }
    }
}

/// Numbers positions so that equal ones get the same number. Minus zero is zero.
pub(crate) fn weld(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut numbers: Numbers<[u32; 3]> = Numbers::with_room(positions.len());
    let number = |position: &[f32; 3]| {
        let [x, y, z] = position.map(|c| (c + 0.0).to_bits());
        numbers.of([x, y, z], [u64::from(x) << 32 | u64::from(y), z.into()])
    };
    positions.iter().map(number).collect()
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
    let mut numbers: Numbers<[u32; 2]> = Numbers::with_room(count * 3);
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
            let ends = [a.min(b), a.max(b)];
            let edge = numbers.of(ends, [u64::from(a.min(b)) << 32 | u64::from(a.max(b)), 0]);
            match edges.get_mut(edge as usize) {
                None => edges.push([id, NONE]),
                Some([first, second]) if *first != id && *second == NONE => *second = id,
                Some(_) => {}
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
