//! Walkmesh runtime: ray casts, ground queries, movement and path finding.
//!
//! A [`Walkmesh`] is made of plain tables ([`Surface`]): positions, triangles, surface materials, and neighbours,
//! transitions and a box tree if the file has them. It answers:
//!
//! * what a ray hits: [`nearest`](Walkmesh::nearest), [`any_hit`](Walkmesh::any_hit), [`all_hits`](Walkmesh::all_hits), each
//!   restricted to some [`Materials`]. No ray passes between two faces that share an edge or a corner;
//! * which face is below a point: [`locate`](Walkmesh::locate), [`locate_from`](Walkmesh::locate_from), [`closest_point`](Walkmesh::closest_point);
//! * where a moving circle ends: [`slide`](Walkmesh::slide);
//! * how to get somewhere: a [`Navigator`] finds the shortest path for an [`Agent`], with its
//!   radius and the materials it avoids.
//!
//! An [`Area`] joins several rooms into one surface, with doors and obstacles; a [`Layout`] (LYT) lists its rooms.
//!
//! Results are the same on every platform: all decisions are computed in f64 with `+ - * /` and square roots only, in a
//! fixed order, and the lower index wins a tie. No input makes a query panic or run forever: not coordinates that are not
//! finite, nor degenerate faces, edges with three faces or trees with cycles.
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
mod traverse;
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
