//! The archives of KotOR, Warcraft III, MGSV and PES, as documents.
//!
//! * [`ReadAt`] gives bytes at a place: memory, a part of something else, or a file that the caller opened. Opening an archive reads
//!   its directory and nothing else, reading an entry reads that entry.
//! * [`Archive`] is what every container can do: list, read, check, and write back. [`open`] finds the right one by content.
//! * [`Edit`] changes the entries of an archive that can be written.
//!
//! Bytes in, bytes out: no file access, threads or clocks.
//!
//! ```
//! use galatea_archive::{Archive, Edit, erf::{Erf, ErfType}};
//! let bytes = Erf::new(ErfType::Module).edited(&[Edit::put("m01aa.are", vec![1, 2, 3])])?;
//! let archive = galatea_archive::open_bytes(bytes.clone(), &Default::default())?;
//! assert_eq!(archive.entry(0).unwrap().name, "m01aa.are");
//! assert_eq!(archive.read_entry(0, &Default::default())?, [1, 2, 3]);
//! assert_eq!(archive.write()?, bytes);
//! # Ok::<(), galatea_archive::Error>(())
//! ```

mod archive;
pub mod casc;
mod check;
pub mod cpk;
mod edits;
pub mod erf;
mod format;
pub mod fpk;
pub mod key;
mod kotor_types;
pub mod mpq;
mod names;
pub mod pftxs;
pub mod qar;
mod read_at;
mod rewrite;
pub mod rim;
mod rules;
mod tables;
mod unpack;
pub mod zip;

pub use archive::{Archive, Edit, Entry, Locator, ReadLocated, Recall, Storage};
pub use format::{ArchiveFormat, FORMATS, Kind, Open, detect, inspect, open, open_bytes};
pub use galatea_wire::{Error, ErrorKind, Limits, Result};
pub use kotor_types::{kotor_extension, kotor_type};
pub use names::{find_name, same_name};
pub use read_at::{Files, Part, ReadAt};
pub use rules::RULES;
