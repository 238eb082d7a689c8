//! Models and walkmeshes of Knights of the Old Republic 1 and 2.

pub mod mdl;
