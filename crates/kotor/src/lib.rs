//! Knights of the Old Republic (the Odyssey engine): walkmeshes, read and written without losing a byte.

pub mod bwm;
pub mod surface;
