//! Walkmesh runtime: stand, see, walk.
//!
//! A [`Walkmesh`] is made of plain tables ([`Surface`]): positions, triangles, surface materials, and where a file has
//! them neighbours, transitions and a tree of boxes. It answers
//!
//! * what a ray hits: [`nearest`](Walkmesh::nearest), [`any_hit`](Walkmesh::any_hit), [`all_hits`](Walkmesh::all_hits), each for some
//!   [`Materials`] only. Nothing slips through an edge or a corner;
//! * where one stands: [`locate`](Walkmesh::locate), [`locate_from`](Walkmesh::locate_from), [`closest_point`](Walkmesh::closest_point);
//! * where a moving circle ends up: [`slide`](Walkmesh::slide);
//! * how to get somewhere: a [`Navigator`] finds the shortest path for an [`Agent`], whatever its width, what it must not
//!   tread on and what it would rather not.
//!
//! An [`Area`] is many rooms as one surface, with doors and obstacles; a [`Layout`] (LYT) lists its rooms.
//!
//! Answers are the same on every platform: everything that decides is computed in f64 with `+ - * /` and square roots
//! only, in a fixed order, and ties go to the lower number. No input makes a query panic or run on for ever: coordinates
//! that are not finite, faces without area, edges with three faces, trees that lead in circles.
//!
//! No unsafe code, no file system, threads or clocks.

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
