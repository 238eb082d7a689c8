//! Walkmesh runtime: stand, see, walk.

mod area;
mod bvh;
mod locate;
mod lyt;
mod material;
mod mesh;
mod nav;
mod near;
mod path;
mod ray;
mod slide;
mod tree;
mod vector;

pub use area::{Area, Crossing, Door, Link, Loose, Obstacle, Room, Transform};
pub use locate::{Footing, Nearest, Reach};
pub use lyt::{DoorHook, Layout, Placed};
pub use material::Materials;
pub use mesh::{Surface, Walkmesh};
pub use path::{Agent, Effort, Navigator, Path, PathPoint, Route};
pub use ray::{Hit, Ray};
pub use slide::Slide;
pub use tree::{StoredTree, TreeFaults, TreeNode};
