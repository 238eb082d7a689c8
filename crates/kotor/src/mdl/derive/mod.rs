//! The values that the game's compiler derives: bounds, face planes, neighbours, normals, tangent space, box trees,
//! counters, numbers and bind poses; and a comparison with stored values.

mod aabb;
mod bounds;
mod compare;
mod faces;
mod normals;
mod numbers;
mod skin;
mod tangents;
pub(crate) mod vector;

pub use aabb::aabb_tree;
pub(crate) use bounds::corners as face_corners;
pub use bounds::{area, average, bounds, radius};
pub use compare::{Comparison, Tally};
pub use faces::{adjacency, plane_distance};
pub(crate) use faces::{face_normal, neighbours};
pub use normals::{Weighting, smoothing_groups, vertex_normals};
pub use numbers::{CHAIN_TOTALS, inverted_counter};
pub use skin::inverse_binds;
pub(crate) use skin::{chain, rest};
pub use tangents::tangent_space;
