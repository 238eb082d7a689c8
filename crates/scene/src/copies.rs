//! The size of a scene in formats where every node needs a mesh of its own.

use std::fmt;

use crate::Scene;

/// Most vertices and corners that copies may add. Models of the games have some tens of thousands.
const MOST: u64 = 1 << 20;

/// The cost of a mesh, and of each of its primitives, besides vertices and corners.
const MESH: u64 = 64;

/// A scene whose nodes share meshes so often that copies of them would be too large.
///
/// To convert it, share the mesh among fewer nodes, or join the copies in an editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TooManyCopies {
    /// Vertices and corners with a copy for each node.
    pub with_copies: u64,
    /// The limit for this scene.
    pub most: u64,
}

impl fmt::Display for TooManyCopies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooManyCopies { with_copies, most } = self;
        write!(
            f,
            "nodes share meshes: with a copy for each there would be {with_copies} vertices and corners, limit {most}"
        )
    }
}

impl std::error::Error for TooManyCopies {}

impl Scene {
    /// Returns an error if the scene would be far larger with a copy of its mesh for every node. Writers of formats in which
    /// nodes cannot share meshes call this first, and so does code that visits all rendered triangles.
    ///
    /// ```
    /// use galatea_scene::{Node, example};
    /// let mut scene = example();
    /// assert!(scene.check_copies().is_ok());
    /// let (_, node, _) = scene.drawn().next().expect("a mesh");
    /// let mesh = node.mesh;
    /// scene.nodes.resize(500_000, Node { mesh, ..Node::new("copy") });
    /// assert!(scene.check_copies().is_err());
    /// ```
    pub fn check_copies(&self) -> Result<(), TooManyCopies> {
        let count = |n: usize| n as u64;
        let meshes: Vec<u64> = self
            .meshes
            .iter()
            .map(|mesh| {
                let part = |p: &crate::Primitive| {
                    let vertices = self.vertices_of(p).map_or(0, |v| count(v.positions.len()));
                    vertices + count(p.indices.len()) + MESH
                };
                mesh.primitives.iter().map(part).fold(MESH, u64::saturating_add)
            })
            .collect();
        let of_nodes = self.nodes.iter().filter_map(|n| meshes.get(n.mesh? as usize));
        let with_copies = of_nodes.fold(0, |sum: u64, mesh| sum.saturating_add(*mesh));
        let own: u64 = meshes.iter().fold(0, |sum: u64, mesh| sum.saturating_add(*mesh));
        let most = own.saturating_add(MOST);
        if with_copies > most { Err(TooManyCopies { with_copies, most }) } else { Ok(()) }
    }
}
