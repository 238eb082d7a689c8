//! Knights of the Old Republic (the Odyssey engine): models (MDL with MDX) and walkmeshes (BWM), read and written without
//! losing a byte.

pub mod authoring;
mod box_tree;
pub mod bwm;
mod derived;
mod extra;
mod geometry;
pub mod mdl;
mod stored_plane;
pub mod surface;
pub mod table;
mod text;
mod weld;
