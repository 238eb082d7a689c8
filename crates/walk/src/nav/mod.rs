//! Paths: the plan of the walkable surface, and the searches on it.

mod build;
mod cut;
mod landmarks;
mod search;
mod trace;
mod web;
pub(crate) mod weighted;

pub(crate) use build::build;
pub(crate) use cut::{Cut, margins};
pub(crate) use landmarks::Landmarks;
pub(crate) use search::{Scratch, Spot, search};
pub(crate) use trace::{Tracer, edge_ends};
pub(crate) use web::Nav;
