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
    let mut edges = Edges::with_room(positions.len(), triangles.len());
    let mut sides: Vec<[u32; 3]> = Vec::with_capacity(triangles.len());
    for (id, triangle) in triangles.enumerate() {
        let [a, b, c] = triangle.map(|i| welded.get(i as usize).copied().unwrap_or(NONE));
        sides.push([[a, b], [b, c], [c, a]].map(|[a, b]| {
            if a == NONE || b == NONE { NONE } else { edges.add([a.min(b), a.max(b)], id as u32) }
        }));
    }
    let across = |id: u32, edge: u32| -> Option<u16> {
        let [first, second] = edges.list.get(edge as usize)?.faces;
        u16::try_from(if first == id { second } else { first }).ok()
    };
    let faces = sides.iter().enumerate();
    faces.map(|(id, edges)| edges.map(|edge| across(id as u32, edge).unwrap_or(u16::MAX))).collect()
}

/// An edge between two welded positions.
struct Edge {
    end: u32,
    /// The next one that begins where this does.
    next: u32,
    /// The first two faces that have it.
    faces: [u32; 2],
}

/// The edges of faces. Those that begin at the same position hang on each other, up to a few; the rest is looked up, so that
/// a position with very many costs no more than others.
struct Edges {
    list: Vec<Edge>,
    /// The last edge that begins at each position.
    heads: Vec<u32>,
    /// Edges that hang on no other, and which they are.
    many: Option<(Numbers<[u32; 2]>, Vec<u32>)>,
    most: usize,
}

impl Edges {
    const NONE: u32 = u32::MAX;
    const FEW: usize = 12;

    fn with_room(positions: usize, faces: usize) -> Self {
        let list = Vec::with_capacity(faces * 2);
        Edges { list, heads: vec![Self::NONE; positions], many: None, most: faces * 3 }
    }

    /// The edge between two positions, the lower first, which a face has.
    fn add(&mut self, [from, end]: [u32; 2], face: u32) -> u32 {
        let new = self.list.len() as u32;
        let head = self.heads.get(from as usize).copied().unwrap_or(Self::NONE);
        let (mut at, mut steps) = (head, 0);
        while let Some(edge) = self.list.get_mut(at as usize) {
            if edge.end == end {
                return edge.meet(at, face);
            }
            (at, steps) = (edge.next, steps + 1);
        }
        let mut edge = Edge { end, next: head, faces: [face, Self::NONE] };
        if steps < Self::FEW {
            self.heads.get_mut(from as usize).into_iter().for_each(|head| *head = new);
        } else {
            let most = self.most;
            let (numbers, places) = self.many.get_or_insert_with(|| (Numbers::with_room(most), Vec::new()));
            let number = numbers.of([from, end], [u64::from(from) << 32 | u64::from(end), 0]);
            match places.get(number as usize).copied() {
                Some(at) => return self.list.get_mut(at as usize).map_or(at, |edge| edge.meet(at, face)),
                None => places.push(new),
            }
            edge.next = Self::NONE;
        }
        self.list.push(edge);
        new
    }
}

impl Edge {
    /// Notes another face; tells the edge's own number.
    fn meet(&mut self, own: u32, face: u32) -> u32 {
        let [first, second] = &mut self.faces;
        if *first != face && *second == Edges::NONE {
            *second = face;
        }
        own
    }
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

    /// Faces around a common position, more than hang on each other, and the same by looking at every pair.
    #[test]
    fn a_position_with_many_edges_is_like_others() {
        let count = 60u32;
        let positions: Vec<[f32; 3]> =
            (0..=count).map(|i| if i == 0 { [0.0; 3] } else { [i as f32, (i * i) as f32, 1.0] }).collect();
        let fan = (1..=count).map(|i| [0, i, i % count + 1]);
        // Some of them twice, and one that goes nowhere.
        let triangles: Vec<[u32; 3]> = fan.chain([[0, 5, 6], [7, 0, 6], [0, 40, 20], [0, 99, 3]]).collect();
        let computed = neighbours(&positions, triangles.iter().copied());
        let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
        let exists = |[_, b]: [u32; 2]| b <= count;
        for (id, triangle) in triangles.iter().enumerate() {
            for (side, across) in sides(*triangle).into_iter().zip(computed[id]) {
                let mut others =
                    (0..triangles.len()).filter(|o| *o != id && sides(triangles[*o]).contains(&side));
                // Of three that meet, the third sees the first, and so does the second.
                let want = others.next().filter(|_| exists(side)).map_or(u16::MAX, |o| o as u16);
                assert_eq!(across, want, "{id} {side:?}");
            }
        }
    }
}
