//! The table of formats. A new format adds a file here and a line to [`FORMATS`].

mod bwm;

use crate::Format;

/// Every format, in the order in which detection tries them.
pub static FORMATS: &[&Format] = &[&bwm::FORMAT];
