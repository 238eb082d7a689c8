//! Path finding: the plan of the walkable surface and searches on it.

mod build;
mod cut;
mod half_edge_mesh;
mod landmarks;
mod scratch;
mod search;
mod trace;
pub(crate) mod weighted;

pub(crate) use build::build;
pub(crate) use cut::{Cut, margins};
pub(crate) use half_edge_mesh::Nav;
pub(crate) use landmarks::Landmarks;
pub(crate) use scratch::Scratch;
pub(crate) use search::{Spot, search};
pub(crate) use trace::{Tracer, edge_ends};
