//! CASC: the storage of Warcraft III since version 1.30.
//!
//! `.build.info` names the build, its configuration names the tables, `.idx` files tell where each key is in the `data.NNN` files, and name
//! tables (TVFS) give the key of each name. Files are kept as [BLTE](decode_blte). Everything is read from the folder of the game; what
//! was never downloaded is missing. No real storage of Warcraft III was available: the reader follows public descriptions, is tried on real
//! tables of another game and on storages of our own making, and refuses what it does not know.

mod blte;
mod cursor;
mod encoding;
mod index;
mod storage;
mod text;
mod tvfs;

pub use blte::{decode_blte, is_blte};
pub use encoding::{Encoded, Encoding};
pub use index::IndexHead;
pub(crate) use storage::RECALL;
pub use storage::{Casc, RULES, detect, inspect};
pub use text::{BuildConfig, BuildInfo};
pub use tvfs::{Span, Tvfs};

use galatea_wire::{Schema, Wire};

/// Bytes of a key that indices and name tables have.
const KEY_PREFIX: usize = 9;

/// The first bytes of an encoded key.
pub type EKey = [u8; KEY_PREFIX];

/// All fixed records of the format.
pub static RECORDS: &[&Schema] = &[IndexHead::SCHEMA];
