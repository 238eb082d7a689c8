//! Edits of a walkmesh. Each operation derives only the tables that depend on what it changed.

use std::collections::HashMap;
use std::fmt;

use super::{Edge, Walkmesh, refit_tree};
use crate::surface::Walkability;

/// The error of [`Walkmesh::weld`]: an invalid tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeldError(pub f32);

impl fmt::Display for WeldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the weld tolerance must be finite and not negative, not {}", self.0)
    }
}

impl std::error::Error for WeldError {}

impl Walkmesh {
    /// Assigns a material to faces. Neighbours, border and order are derived again only if a face changes between
    /// walkable and not walkable. Returns the transitions whose edge is no longer part of the border.
    pub fn set_materials(
        &mut self,
        faces: impl IntoIterator<Item = usize>,
        material: u32,
        walkability: &Walkability,
    ) -> Vec<Edge> {
        let mut crosses = false;
        for face in faces {
            if let Some(slot) = self.materials.get_mut(face) {
                crosses |= walkability.is_walkable(*slot) != walkability.is_walkable(material);
                *slot = material;
            }
        }
        if !crosses {
            return Vec::new();
        }
        self.walkable_first(walkability);
        self.derive_adjacency(walkability);
        self.derive_border()
    }

    /// Sets the room that a border edge leads to; `None` removes the transition. Returns whether the edge is part of
    /// the border.
    pub fn set_transition(&mut self, edge: u32, room: Option<u32>) -> bool {
        let transition = room.and_then(|r| i32::try_from(r).ok()).unwrap_or(-1);
        let mut found = false;
        for entry in self.edges.iter_mut().filter(|e| e.edge == edge) {
            entry.transition = transition;
            found = true;
        }
        found
    }

    /// Sets where a character stands to use the object. Doors store these positions in area space as well.
    pub fn set_hooks(&mut self, relative: [[f32; 3]; 2], door: bool) {
        self.relative_use = relative;
        let [x, y, z] = self.position;
        self.absolute_use =
            if door { relative.map(|[a, b, c]| [a + x, b + y, c + z]) } else { [[0.0; 3]; 2] };
    }

    /// Moves vertices, planes, boxes and the position. Faces, neighbours, border and normals stay the same.
    pub fn translate(&mut self, by: [f32; 3]) {
        let shift = |v: &mut [f32; 3]| {
            for (value, delta) in v.iter_mut().zip(by) {
                *value += delta;
            }
        };
        self.vertices.iter_mut().for_each(shift);
        shift(&mut self.position);
        if self.absolute_use.iter().flatten().any(|v| *v != 0.0) {
            self.absolute_use.iter_mut().for_each(shift);
        }
        refit_tree(&mut self.aabb, by);
        if !self.distances.is_empty() {
            self.derive_distances();
        }
    }

    /// Merges vertices within a tolerance (per axis) into the first of them, in linear time. Returns how many vertices
    /// were removed. Faces that collapse stay until [`drop_degenerate`](Self::drop_degenerate).
    pub fn weld(&mut self, tolerance: f32, walkability: &Walkability) -> Result<usize, WeldError> {
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(WeldError(tolerance));
        }
        // With cells of the size of the tolerance, every candidate is in a neighbouring cell.
        let cell = |v: f32| {
            if tolerance > 0.0 {
                (f64::from(v) / f64::from(tolerance)).floor() as i64
            } else {
                i64::from(v.to_bits())
            }
        };
        let reach: &[i64] = if tolerance > 0.0 { &[-1, 0, 1] } else { &[0] };
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        let mut kept: Vec<[f32; 3]> = Vec::new();
        let mut new_of_old = Vec::with_capacity(self.vertices.len());
        for vertex in &self.vertices {
            let [x, y, z] = vertex.map(cell);
            let near = |other: &u32| {
                kept.get(*other as usize)
                    .is_some_and(|o| o.iter().zip(vertex).all(|(a, b)| a == b || (a - b).abs() <= tolerance))
            };
            let around = reach.iter().flat_map(|dx| {
                reach.iter().flat_map(move |dy| {
                    reach
                        .iter()
                        .map(move |dz| [x.saturating_add(*dx), y.saturating_add(*dy), z.saturating_add(*dz)])
                })
            });
            let found = around.filter_map(|key| cells.get(&key)?.iter().find(|o| near(o)).copied()).min();
            let index = found.unwrap_or_else(|| {
                let index = kept.len() as u32;
                cells.entry([x, y, z]).or_default().push(index);
                kept.push(*vertex);
                index
            });
            new_of_old.push(index);
        }
        let gone = self.vertices.len() - kept.len();
        if gone == 0 {
            return Ok(0);
        }
        let moved = self.remap_vertices(kept, &new_of_old);
        if moved {
            self.derive_planes();
            self.derive_tree();
        }
        self.derive_adjacency(walkability);
        self.derive_border();
        Ok(gone)
    }

    /// Replaces the vertices and remaps the faces. Returns whether any corner moved.
    fn remap_vertices(&mut self, vertices: Vec<[f32; 3]>, new_of_old: &[u32]) -> bool {
        let mut moved = false;
        for corner in self.faces.iter_mut().flatten() {
            let Some(new) = new_of_old.get(*corner as usize) else { continue };
            moved |= self.vertices.get(*corner as usize) != vertices.get(*new as usize);
            *corner = *new;
        }
        self.vertices = vertices;
        moved
    }

    /// Removes vertices that no face uses. Returns how many.
    pub fn drop_unused_vertices(&mut self) -> usize {
        let mut used = vec![false; self.vertices.len()];
        for corner in self.faces.iter().flatten() {
            if let Some(flag) = used.get_mut(*corner as usize) {
                *flag = true;
            }
        }
        let mut kept = Vec::new();
        let mut new_of_old = Vec::with_capacity(used.len());
        for (vertex, used) in self.vertices.iter().zip(&used) {
            new_of_old.push(kept.len() as u32);
            if *used {
                kept.push(*vertex);
            }
        }
        let gone = used.len() - kept.len();
        if gone > 0 {
            self.remap_vertices(kept, &new_of_old);
        }
        gone
    }

    /// Removes faces without area and updates all references to faces. Returns how many.
    pub fn drop_degenerate(&mut self, walkability: &Walkability) -> usize {
        let order: Vec<usize> = (0..self.faces.len()).filter(|face| !self.is_degenerate(*face)).collect();
        let gone = self.faces.len() - order.len();
        if gone > 0 {
            self.reorder_faces(&order);
            self.derive_adjacency(walkability);
            self.derive_border();
            self.derive_tree();
        }
        gone
    }

    /// Returns whether a face has no area: two equal corners, or all corners on a line.
    pub fn is_degenerate(&self, face: usize) -> bool {
        let Some(&[a, b, c]) = self.faces.get(face) else { return false };
        if a == b || b == c || c == a {
            return true;
        }
        self.corners(face).is_some_and(|corners| {
            super::normal(corners) == [0.0; 3] && corners.iter().flatten().all(|v| v.is_finite())
        })
    }

    /// Merges several walkmeshes into one with the kind, hooks and position of the first. Transitions stay with their
    /// edges; the parts are connected once their vertices are [welded](Self::weld).
    ///
    /// Returns `None` if there is nothing to merge.
    pub fn merge(parts: &[&Walkmesh], walkability: &Walkability) -> Option<Walkmesh> {
        let first = parts.first()?;
        let mut out = Walkmesh { layout: super::Layout::default(), ..Walkmesh::new(first.kind) };
        out.relative_use = first.relative_use;
        out.absolute_use = first.absolute_use;
        out.position = first.position;
        for part in parts {
            let (vertices, faces) = (out.vertices.len() as u32, out.faces.len() as u32);
            out.vertices.extend(&part.vertices);
            out.faces.extend(part.faces.iter().map(|f| f.map(|i| i.saturating_add(vertices))));
            out.materials
                .extend(part.materials.iter().copied().chain(std::iter::repeat(0)).take(part.faces.len()));
            out.edges
                .extend(part.edges.iter().map(|e| Edge { edge: e.edge.saturating_add(faces * 3), ..*e }));
        }
        out.rebuild(walkability);
        Some(out)
    }
}
