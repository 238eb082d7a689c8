//! Walkmeshes to the scene and back.
//!
//! Faces become triangles, one primitive per surface material. The border becomes lines, one primitive per room it
//! leads to. Derived tables are stored as differences from what [`Walkmesh::rebuild`] derives.

mod authored;
mod from;
mod to;
mod transitions;

pub use authored::Authored;

use super::Walkmesh;

/// No child in the box tree; no transition.
const NONE: u32 = u32::MAX;

/// Options of [`Walkmesh::from_scene`]; none yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SceneOptions {}

impl Walkmesh {
    /// Returns the vertices that a border edge joins.
    fn ends(&self, edge: u32) -> Option<[u32; 2]> {
        let [a, b, c] = *self.faces.get(edge as usize / 3)?;
        Some(match edge % 3 {
            0 => [a, b],
            1 => [b, c],
            _ => [c, a],
        })
    }
}
