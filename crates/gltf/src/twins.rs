//! Triangles that Blender does not import: those with the same three vertices as an earlier one, such as the back of a two-sided
//! leaf, and those with a vertex twice. They are written with vertices of their own, copies behind all others, so that every program
//! takes them as they are. Reading makes copies that were not changed one with their vertices. Where one triangle is there any
//! number of times, as in damaged files, those beyond [`LAYERS`] are left to the program.

use std::borrow::Cow;

use foldhash::{HashMap, HashSet};
use galatea_scene::{Primitive, Scene, Topology, Vertices, VerticesId};

/// The key of the note about copies among those about vertices.
pub(crate) const KEY: &str = "COPIES";

/// Most copies of one vertex.
const LAYERS: usize = 64;

/// The copies that the triangles of a scene need.
#[derive(Default)]
pub(crate) struct Twins {
    /// For each vertices, the rows that are repeated behind the others.
    rows: HashMap<VerticesId, Vec<u32>>,
    /// The copies of a vertex.
    copies: HashMap<(VerticesId, u32, usize), u32>,
    /// The indices of primitives with copies, by mesh and place.
    indices: HashMap<(usize, usize), Vec<u32>>,
}

/// Returns the triangles of a primitive; none if it has lines or points.
pub(crate) fn triangles(primitive: &Primitive) -> &[[u32; 3]] {
    if primitive.topology == Topology::Triangles { primitive.indices.as_chunks().0 } else { &[] }
}

/// Returns the triangles of a primitive that Blender imports.
pub(crate) fn imported(primitive: &Primitive) -> Vec<[u32; 3]> {
    let all = triangles(primitive);
    let mut seen: HashSet<[u32; 3]> = HashSet::with_capacity_and_hasher(all.len(), Default::default());
    let stays = |t: &&[u32; 3]| !is_flat(**t) && seen.insert(sorted(**t));
    all.iter().filter(stays).copied().collect()
}

fn is_flat([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || a == c
}

fn sorted(mut triangle: [u32; 3]) -> [u32; 3] {
    triangle.sort_unstable();
    triangle
}

impl Twins {
    pub(crate) fn new(scene: &Scene) -> Twins {
        let mut out = Twins::default();
        for (id, mesh) in scene.meshes.iter().enumerate() {
            let solid = mesh.primitives.iter().enumerate().filter(|(_, p)| p.topology == Topology::Triangles);
            for (part, primitive) in solid {
                let count = scene.vertices_of(primitive).map_or(0, |v| v.positions.len());
                out.add((id, part), primitive, count);
            }
        }
        out
    }

    fn add(&mut self, at: (usize, usize), primitive: &Primitive, count: usize) {
        let (triangles, rest) = primitive.indices.as_chunks::<3>();
        if !rest.is_empty() || triangles.iter().flatten().any(|i| *i as usize >= count) {
            return;
        }
        let mut seen: HashSet<[u32; 3]> =
            HashSet::with_capacity_and_hasher(triangles.len(), Default::default());
        let mut changed: Vec<(usize, [u32; 3])> = Vec::new();
        for (n, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = *triangle;
            if !is_flat(*triangle) && seen.insert(sorted(*triangle)) {
                continue;
            }
            let own = (0..LAYERS).find_map(|layer| {
                let a = (a, layer);
                let b = (b, layer + usize::from(b == a.0));
                let c = (c, layer + usize::from(c == a.0) + usize::from(c == b.0));
                let copies =
                    [a, b, c].map(|(vertex, layer)| self.copy(primitive.vertices, vertex, layer, count));
                let [Some(a), Some(b), Some(c)] = copies else { return None };
                seen.insert(sorted([a, b, c])).then_some([a, b, c])
            });
            changed.extend(own.map(|own| (n, own)));
        }
        if !changed.is_empty() {
            let mut indices = primitive.indices.clone();
            for (n, own) in changed {
                indices.as_chunks_mut::<3>().0.get_mut(n).into_iter().for_each(|slot| *slot = own);
            }
            self.indices.insert(at, indices);
        }
    }

    /// Returns a copy of a vertex, which is the vertex itself in the first layer; `None` if there is no room for more.
    fn copy(&mut self, vertices: VerticesId, vertex: u32, layer: usize, count: usize) -> Option<u32> {
        if layer == 0 {
            return Some(vertex);
        }
        if let Some(copy) = self.copies.get(&(vertices, vertex, layer)) {
            return Some(*copy);
        }
        let rows = self.rows.entry(vertices).or_default();
        // Hostile files have one triangle any number of times.
        if rows.len() > count.saturating_mul(4) {
            return None;
        }
        let copy = u32::try_from(count.checked_add(rows.len())?).ok()?;
        rows.push(vertex);
        self.copies.insert((vertices, vertex, layer), copy);
        Some(copy)
    }

    /// Returns the rows that are repeated behind the others.
    pub(crate) fn rows(&self, vertices: VerticesId) -> &[u32] {
        self.rows.get(&vertices).map_or(&[], Vec::as_slice)
    }

    /// Returns a primitive with the copies it needs, and how many vertices there are for it.
    pub(crate) fn primitive<'p>(
        &self,
        at: (usize, usize),
        primitive: &'p Primitive,
        count: usize,
    ) -> (Cow<'p, Primitive>, usize) {
        match self.indices.get(&at) {
            Some(indices) => {
                let copy = Primitive { indices: indices.clone(), ..primitive.clone() };
                (Cow::Owned(copy), count + self.rows(primitive.vertices).len())
            }
            None => (Cow::Borrowed(primitive), count),
        }
    }
}

/// Returns vertices with copies of some rows at their end.
pub(crate) fn with_copies<'v>(vertices: &'v Vertices, rows: &[u32]) -> Cow<'v, Vertices> {
    let mut out = Cow::Borrowed(vertices);
    for row in rows {
        out.to_mut().copy_row(*row as usize);
    }
    out
}

/// Removes the copies at the end of vertices, and returns `true`, unless one of them was changed.
pub(crate) fn merge(vertices: &mut Vertices, rows: &[u32]) -> bool {
    let Some(count) = vertices.positions.len().checked_sub(rows.len()).filter(|_| !rows.is_empty()) else {
        return false;
    };
    let same = rows
        .iter()
        .zip(count..)
        .all(|(row, copy)| (*row as usize) < count && vertices.is_same_row(*row as usize, copy));
    if same {
        vertices.truncate(count);
    }
    same
}

#[cfg(test)]
mod tests {
    use galatea_scene::{Mesh, Node};

    use super::*;

    fn scene(indices: &[u32]) -> Scene {
        let mut scene = Scene::new("leaf");
        let place = |i: u32| [i as f32, (i * i) as f32, 0.0];
        let uvs = vec![(0..4).map(|i| [i as f32, 0.0]).collect()];
        scene.vertices.push(Vertices { positions: (0..4).map(place).collect(), uvs, ..Vertices::default() });
        let part = Primitive { indices: indices.to_vec(), ..Primitive::default() };
        scene.meshes.push(Mesh { primitives: vec![part], ..Mesh::default() });
        scene.add_node(None, Node { mesh: Some(0), ..Node::new("leaf") });
        scene
    }

    #[test]
    fn no_two_triangles_have_the_same_vertices() {
        let scene = scene(&[0, 1, 2, 2, 1, 0, 1, 3, 2, 3, 3, 1, 0, 0, 0, 0, 1, 2]);
        let twins = Twins::new(&scene);
        let primitive = &scene.meshes[0].primitives[0];
        let (written, count) = twins.primitive((0, 0), primitive, 4);
        let vertices = with_copies(&scene.vertices[0], twins.rows(0));
        assert_eq!(vertices.positions.len(), count);
        let (triangles, _) = written.indices.as_chunks::<3>();
        let keys: HashSet<[u32; 3]> = triangles.iter().map(|t| sorted(*t)).collect();
        assert_eq!(keys.len(), triangles.len());
        assert!(keys.iter().all(|[a, b, c]| a != b && b != c));
        let places = |indices: &[u32], from: &Vertices| -> Vec<[f32; 3]> {
            indices.iter().map(|i| from.positions[*i as usize]).collect()
        };
        assert_eq!(places(&written.indices, &vertices), places(&primitive.indices, &scene.vertices[0]));
        let mut back = vertices.clone().into_owned();
        assert!(merge(&mut back, twins.rows(0)) && back == scene.vertices[0]);
        // A copy that was moved stays.
        let mut moved = vertices.into_owned();
        moved.positions[5][0] += 1.0;
        assert!(!merge(&mut moved, twins.rows(0)) && moved.positions.len() == count);
    }

    #[test]
    fn copies_are_bounded() {
        let scene = scene(&[0, 1, 2].repeat(100_000));
        let twins = Twins::new(&scene);
        assert!(twins.rows(0).len() < 32);
    }
}
