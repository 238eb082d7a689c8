//! Knights of the Old Republic (the Odyssey engine): models (MDL with MDX) and walkmeshes (BWM), read and written without
//! losing a byte.

pub mod bwm;
mod derived;
mod extra;
pub mod mdl;
pub mod surface;
