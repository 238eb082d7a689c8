//! Differences between walkmeshes.

use galatea_wire::Differences;

use super::Walkmesh;

impl Walkmesh {
    /// Returns the differences from another walkmesh, one line each; layout is ignored. Empty if nothing differs.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut diff = Differences::new();
        diff.value("kind", &self.kind.code(), &other.kind.code());
        diff.value("relative_use", &self.relative_use, &other.relative_use);
        diff.value("absolute_use", &self.absolute_use, &other.absolute_use);
        diff.value("position", &self.position, &other.position);
        diff.table("vertices", &self.vertices, &other.vertices);
        diff.table("faces", &self.faces, &other.faces);
        diff.table("materials", &self.materials, &other.materials);
        diff.table("normals", &self.normals, &other.normals);
        diff.table("distances", &self.distances, &other.distances);
        diff.table("aabb", &self.aabb, &other.aabb);
        diff.value("aabb_root", &self.aabb_root, &other.aabb_root);
        diff.table("adjacency", &self.adjacency, &other.adjacency);
        diff.table("edges", &self.edges, &other.edges);
        diff.table("perimeters", &self.perimeters, &other.perimeters);
        diff.into_lines()
    }
}
