//! Files: finding inputs with their companions, and writing outputs that appear only when they are complete.

mod archive_folder;
mod archive_walk;
mod cache;
#[cfg(test)]
mod crash_tests;
#[cfg(feature = "fox")]
mod dictionary;
mod edit;
mod games;
mod glob;
mod group;
mod index_file;
mod input;
mod journal;
mod layers;
mod ours;
mod output;
mod place;
mod places;
mod recover;
mod remembered;
mod source;
mod steam;
#[cfg(feature = "kotor")]
mod supermodels;
mod unknown;

pub use crate::file_names::{file_name, inside, stem};

pub use archive_folder::ArchiveFolder;
pub use cache::{cache_folder, keep_indices};
#[cfg(feature = "fox")]
pub use dictionary::dictionary;
pub use edit::{edit, entries, pack};
pub use games::{GameId, Games, Installed, identify};
pub use glob::{Glob, search_root};
pub use group::sync;
pub use input::{Job, Loaded, Search, companion_paths, jobs, jobs_with, load};
pub(crate) use input::{is_file, walk};
pub use layers::{ArchiveLayer, FolderLayer, NamesLayer};
pub use ours::{is_backup, is_ours};
pub use output::{Occupied, Policy, backup, files, write, write_output, write_output_with};
pub use place::{Place, archive, is_folder, locate, names_beside, read};
pub(crate) use place::{archive_around, archives_beside, size};
pub use recover::{Recovery, finish, recover};
#[cfg(feature = "kotor")]
pub use supermodels::Supermodels;
pub use unknown::why_unknown;

pub use galatea_wire::checksum;
