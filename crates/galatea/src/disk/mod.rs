//! Files: finding inputs with their companions, and writing outputs that appear only when whole.

mod input;
mod names;
mod output;

pub(crate) use input::walk;
pub use input::{Job, Loaded, companion_paths, jobs, load};
pub use names::{file_name, inside, stem};
pub use output::{write, write_output};
