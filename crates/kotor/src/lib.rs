//! Knights of the Old Republic (the Odyssey engine): models and walkmeshes, read and written without losing a byte.

pub mod bwm;
pub mod mdl;
pub mod surface;
