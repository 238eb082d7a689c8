//! The tables that a walkmesh compiler derives: normals, planes, neighbours, the border, and the order of the faces.

use std::collections::{BTreeMap, VecDeque};

use galatea_wire::{Error, Result};

use super::{Edge, Kind, Layout, Walkmesh, build_tree};
use crate::geometry::{normal, plane};
use crate::surface::Walkability;

/// Returns the neighbours of the first `walkable` faces: for each edge the edge that it coincides with, or -1.
///
/// Edges coincide if they join the same two vertices. If more than two edges coincide, they are paired in the order of
/// the file, and a remaining one has no neighbour. The result is always symmetric.
pub fn adjacency(faces: &[[u32; 3]], walkable: usize) -> Vec<[i32; 3]> {
    let walkable = walkable.min(faces.len());
    let mut sides: Vec<(u32, u32, u32)> = Vec::with_capacity(walkable * 3);
    for (face, [a, b, c]) in faces.iter().take(walkable).enumerate() {
        for (edge, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            sides.push((*from.min(to), *from.max(to), (face * 3 + edge) as u32));
        }
    }
    sides.sort_unstable();
    let mut out = vec![-1i32; walkable * 3];
    let mut join = |a: u32, b: u32| {
        for (from, to) in [(a, b), (b, a)] {
            if let Some(slot) = out.get_mut(from as usize) {
                *slot = to as i32;
            }
        }
    };
    let forward = |edge: u32| {
        faces.get(edge as usize / 3).is_some_and(|[a, b, c]| match edge % 3 {
            0 => a <= b,
            1 => b <= c,
            _ => c <= a,
        })
    };
    let mut waiting: VecDeque<u32> = VecDeque::new();
    for group in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        waiting.clear();
        for (_, _, edge) in group {
            // A face cannot be its own neighbour, and neighbours run along their edge in opposite directions.
            let fits = |other: &u32| other / 3 != edge / 3 && forward(*other) != forward(*edge);
            match waiting.front().copied().filter(fits) {
                Some(other) => {
                    waiting.pop_front();
                    join(other, *edge);
                }
                None => waiting.push_back(*edge),
            }
        }
    }
    out.chunks_exact(3).filter_map(|c| c.first_chunk().copied()).collect()
}

/// Returns the border of the walkable faces: edges without a neighbour, loop after loop, and one past the end of each
/// loop.
///
/// From a border edge, the walk goes around the edge's end vertex through the neighbours to the next border edge.
pub fn border(adjacency: &[[i32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let neighbour = |edge: usize| {
        let found = adjacency.get(edge / 3).and_then(|f| f.get(edge % 3)).copied().unwrap_or(-1);
        usize::try_from(found).ok().filter(|n| *n < adjacency.len() * 3)
    };
    let next_in_face = |edge: usize| edge / 3 * 3 + (edge + 1) % 3;
    let total = adjacency.len() * 3;
    let mut seen = vec![false; total];
    let (mut edges, mut loops) = (Vec::new(), Vec::new());
    // With symmetric neighbours every edge is crossed at most once. For other tables the count prevents an endless
    // loop.
    let mut crossings = 0usize;
    for start in 0..total {
        if neighbour(start).is_some() || seen.get(start).is_none_or(|s| *s) {
            continue;
        }
        let mut at = start;
        while let Some(flag) = seen.get_mut(at).filter(|s| !**s) {
            *flag = true;
            edges.push(at as u32);
            at = next_in_face(at);
            while let Some(across) = neighbour(at) {
                at = next_in_face(across);
                crossings += 1;
                if crossings > total {
                    break;
                }
            }
        }
        loops.push(edges.len() as u32);
    }
    (edges, loops)
}

/// A comparison of the stored tables of a walkmesh with derived ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Comparison {
    /// Whether the neighbours are equal.
    pub adjacency: bool,
    /// Whether border edges and loops are equal.
    pub border: bool,
    /// Number of normals within 1e-4 of the stored ones.
    pub normals: usize,
    /// Number of plane distances within 1e-3 (relative) of the stored ones.
    pub distances: usize,
    /// Number of faces compared.
    pub faces: usize,
    /// Whether our box tree over the same faces passes the checks.
    pub tree: bool,
}

impl Walkmesh {
    /// Builds a walkmesh from triangles and their materials; all other tables are derived. Walkable faces are moved to
    /// the front.
    pub fn build(
        kind: Kind,
        vertices: Vec<[f32; 3]>,
        faces: Vec<[u32; 3]>,
        materials: Vec<u32>,
        walkability: &Walkability,
    ) -> Result<Walkmesh> {
        if materials.len() != faces.len() {
            let (faces, materials) = (faces.len(), materials.len());
            return Err(Error::unrepresentable(format!(
                "{faces} faces need as many materials, not {materials}"
            )));
        }
        if let Some(bad) = faces.iter().flatten().find(|i| **i as usize >= vertices.len()) {
            return Err(Error::unrepresentable(format!("a face uses vertex {bad} of {}", vertices.len())));
        }
        let mut mesh = Walkmesh { vertices, faces, materials, ..Walkmesh::new(kind) };
        mesh.rebuild(walkability);
        Ok(mesh)
    }

    /// Derives all derived tables again. Returns the transitions whose edge is no longer part of the border.
    pub fn rebuild(&mut self, walkability: &Walkability) -> Vec<Edge> {
        self.layout = Layout::default();
        self.materials.resize(self.faces.len(), 0);
        self.normals.clear();
        self.distances.clear();
        self.derive_planes();
        self.walkable_first(walkability);
        self.derive_adjacency(walkability);
        let lost = self.derive_border();
        self.derive_tree();
        lost
    }

    /// Derives normals and plane distances of all faces.
    pub fn derive_planes(&mut self) {
        self.normals = (0..self.faces.len()).map(|f| self.corners(f).map_or([0.0; 3], normal)).collect();
        self.derive_distances();
    }

    /// Derives the plane distances from the stored normals.
    pub fn derive_distances(&mut self) {
        self.distances = (0..self.faces.len())
            .map(|f| match (self.normals.get(f), self.corners(f)) {
                (Some(normal), Some([corner, ..])) => plane(*normal, corner),
                _ => 0.0,
            })
            .collect();
    }

    /// Derives the neighbours of the walkable faces, which must come first. Objects have none.
    pub fn derive_adjacency(&mut self, walkability: &Walkability) {
        self.adjacency = if self.kind == Kind::Object {
            Vec::new()
        } else {
            adjacency(&self.faces, self.walkable_faces(walkability))
        };
    }

    /// Derives border edges and loops from the neighbours; transitions stay with their edges. Returns the transitions
    /// whose edge is no longer part of the border.
    pub fn derive_border(&mut self) -> Vec<Edge> {
        let mut transitions: BTreeMap<u32, i32> = BTreeMap::new();
        for edge in self.edges.iter().filter(|e| e.transition != -1) {
            transitions.entry(edge.edge).or_insert(edge.transition);
        }
        let (edges, perimeters) = border(&self.adjacency);
        let edge = |edge| Edge { edge, transition: transitions.remove(&edge).unwrap_or(-1) };
        self.edges = edges.into_iter().map(edge).collect();
        self.perimeters = perimeters;
        transitions.into_iter().map(|(edge, transition)| Edge { edge, transition }).collect()
    }

    /// Derives the box tree. Objects have none.
    pub fn derive_tree(&mut self) {
        self.aabb_root = 0;
        self.aabb =
            if self.kind == Kind::Object { Vec::new() } else { build_tree(&self.vertices, &self.faces) };
    }

    /// Moves walkable faces to the front, otherwise keeping the order, and updates all references to faces. Returns
    /// whether any face moved.
    pub fn walkable_first(&mut self, walkability: &Walkability) -> bool {
        let walkable = |face: &usize| self.materials.get(*face).is_some_and(|m| walkability.is_walkable(*m));
        let (front, back): (Vec<usize>, Vec<usize>) = (0..self.faces.len()).partition(walkable);
        let order: Vec<usize> = front.into_iter().chain(back).collect();
        if order.is_sorted() {
            return false;
        }
        self.reorder_faces(&order);
        true
    }

    /// Keeps the faces of `order`, in that order, and updates materials, planes, neighbours, edges and tree leaves.
    /// References to removed faces become -1 or are dropped.
    pub(super) fn reorder_faces(&mut self, order: &[usize]) {
        let mut new_of_old = vec![None; self.faces.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(slot) = new_of_old.get_mut(*old) {
                *slot = Some(new);
            }
        }
        let face = |old: usize| new_of_old.get(old).copied().flatten();
        let edge = |old: usize| face(old / 3).map(|f| f * 3 + old % 3);
        fn pick<T: Copy>(values: &mut Vec<T>, faces: usize, order: &[usize]) {
            if values.len() == faces {
                *values = order.iter().filter_map(|old| values.get(*old).copied()).collect();
            }
        }
        let faces = self.faces.len();
        let adjacency = &self.adjacency;
        self.adjacency = order
            .iter()
            .filter_map(|old| adjacency.get(*old))
            .map(|n| n.map(|e| usize::try_from(e).ok().and_then(edge).map_or(-1, |e| e as i32)))
            .collect();
        self.edges.retain_mut(|e| match edge(e.edge as usize) {
            Some(new) => {
                e.edge = new as u32;
                true
            }
            None => false,
        });
        for node in self.aabb.iter_mut().filter(|n| n.face >= 0) {
            node.face = face(node.face as usize).map_or(-1, |f| f as i32);
        }
        pick(&mut self.materials, faces, order);
        pick(&mut self.normals, faces, order);
        pick(&mut self.distances, faces, order);
        pick(&mut self.faces, faces, order);
    }

    /// Compares the stored tables with derived ones.
    pub fn compare_derived(&self, walkability: &Walkability) -> Comparison {
        let mut derived = self.clone();
        derived.rebuild(walkability);
        let near = |a: f32, b: f32, tolerance: f32| (a - b).abs() <= tolerance || a.to_bits() == b.to_bits();
        let normals = self.normals.iter().zip(&derived.normals);
        let distances = self.distances.iter().zip(&derived.distances);
        let report = super::check(&derived, walkability);
        Comparison {
            adjacency: self.adjacency == derived.adjacency,
            border: self.edges == derived.edges && self.perimeters == derived.perimeters,
            normals: normals.filter(|(a, b)| a.iter().zip(*b).all(|(a, b)| near(*a, *b, 1e-4))).count(),
            distances: distances.filter(|(a, b)| near(**a, **b, 1e-3 * a.abs().max(1.0))).count(),
            faces: self.faces.len(),
            tree: !derived.aabb.is_empty()
                && super::rules::TREE.iter().all(|rule| report.count(rule.code) == 0),
        }
    }
}
