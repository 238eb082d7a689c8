//! Differences between walkmeshes.

use galatea_wire::{Differences, compare_fields, differences};

use super::{AabbNode, Edge, Walkmesh};

compare_fields!(AabbNode: min, max, face, unknown_0x1c, plane, left, right);
compare_fields!(Edge: edge, transition);

impl Walkmesh {
    /// Returns the differences from another walkmesh, one line each; layout is ignored. Empty if nothing differs.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        Differences::collect(|out| self.compare(other, out))
    }

    /// Adds the [`differences`](Self::differences) from another walkmesh to a list, within its tolerance.
    pub fn compare(&self, other: &Self, out: &mut Differences) {
        out.value("kind", &self.kind.code(), &other.kind.code());
        differences!(out, self, other;
            values relative_use, absolute_use, position, aabb_root;
            tables vertices, faces, materials, normals, distances, aabb, adjacency, edges, perimeters
        );
    }
}
