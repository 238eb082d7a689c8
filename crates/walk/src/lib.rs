//! Walkmesh runtime: stand, see, walk.

mod bvh;
mod material;
mod mesh;
mod ray;
mod tree;
mod vector;

pub use material::Materials;
pub use mesh::{Surface, Walkmesh};
pub use ray::{Hit, Ray};
pub use tree::StoredTree;
