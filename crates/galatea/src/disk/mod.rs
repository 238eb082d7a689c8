//! Files: finding inputs with their companions, and writing outputs that appear only when whole.

mod input;
mod names;
mod output;
mod unknown;

pub use input::{Job, Loaded, companion_paths, jobs, load};
pub(crate) use input::{is_file, walk};
pub use names::{file_name, inside, stem};
pub use output::{write, write_output};
pub use unknown::why_unknown;
