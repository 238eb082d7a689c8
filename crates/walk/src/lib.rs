//! Walkmesh runtime: stand, see, walk.

mod bvh;
mod locate;
mod material;
mod mesh;
mod nav;
mod near;
mod path;
mod ray;
mod tree;
mod vector;

pub use locate::{Footing, Nearest, Reach};
pub use material::Materials;
pub use mesh::{Surface, Walkmesh};
pub use path::{Agent, Effort, Navigator, Path, PathPoint, Route};
pub use ray::{Hit, Ray};
pub use tree::{StoredTree, TreeFaults, TreeNode};
