//! Files: finding inputs with their companions, and writing outputs that appear only when they are complete.

#[cfg(test)]
mod crash_tests;
mod group;
mod input;
mod journal;
mod ours;
mod output;
mod recover;
mod unknown;

pub use crate::file_names::{file_name, inside, stem};

pub use group::sync;
pub use input::{Job, Loaded, companion_paths, jobs, load};
pub(crate) use input::{is_file, walk};
pub use ours::{is_backup, is_ours};
pub use output::{Occupied, Policy, backup, files, write, write_output, write_output_with};
pub use recover::{Recovery, finish, recover};
pub use unknown::why_unknown;

pub use galatea_wire::checksum;
