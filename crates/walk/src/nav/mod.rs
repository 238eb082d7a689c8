//! Paths: the plan of the walkable surface, and the searches on it.

mod build;
mod search;
mod trace;
mod web;

pub(crate) use build::build;
pub(crate) use search::{Scratch, Spot, search};
pub(crate) use trace::Tracer;
pub(crate) use web::Nav;
