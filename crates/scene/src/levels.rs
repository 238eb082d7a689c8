//! Levels of detail.

use crate::Scene;
use crate::onto::remove::{kept_ids, remove_nodes};

impl Scene {
    /// Takes away the nodes of all other levels of detail. Meshes without levels stay. Returns how many nodes went.
    ///
    /// ```
    /// use galatea_scene::{Mesh, Node, Scene};
    /// let mut scene = Scene::new("wall");
    /// for lod in [Some(0), Some(1), None] {
    ///     let mesh = scene.meshes.len() as u32;
    ///     scene.meshes.push(Mesh { lod, ..Mesh::default() });
    ///     scene.add_node(None, Node { mesh: Some(mesh), ..Node::new("part") });
    /// }
    /// assert_eq!(scene.keep_level(0), 1);
    /// assert_eq!(scene.drawn().filter(|(_, _, mesh)| mesh.lod == Some(1)).count(), 0);
    /// ```
    pub fn keep_level(&mut self, level: u32) -> usize {
        let other = |mesh: u32| {
            let lod = self.meshes.get(mesh as usize).and_then(|m| m.lod);
            lod.is_some_and(|lod| lod != level)
        };
        let gone: Vec<bool> = self.nodes.iter().map(|n| n.mesh.is_some_and(other)).collect();
        let count = gone.iter().filter(|gone| **gone).count();
        if count > 0 {
            remove_nodes(self, &kept_ids(&gone, self.nodes.len()));
        }
        count
    }
}
