//! ERF, MOD, SAV and HAK: KotOR's modules, saved games and texture packs.

mod check;
mod read;
mod wire;
mod write;

use std::sync::Arc;

use galatea_wire::{Limits, Report, Result, Text};

pub use read::{detect, inspect};
pub use wire::{ErfHead, ErfKey, ErfResource};
pub(crate) use write::resref;

use crate::kotor_types::file_name;
use crate::names::latin1;
use crate::{Archive, Edit, Entry, Kind, ReadAt};

/// What an ERF is used for. The game decides by the file's extension, tools by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErfType {
    /// `ERF `: textures and other shared files.
    Erf,
    /// `MOD `: a module, also used for saved games.
    Module,
    /// `SAV `: a saved game.
    Save,
    /// `HAK `: an expansion of Neverwinter Nights.
    Hak,
}

impl ErfType {
    const ALL: [ErfType; 4] = [ErfType::Erf, ErfType::Module, ErfType::Save, ErfType::Hak];

    /// Returns the first four bytes of the file.
    pub fn magic(self) -> [u8; 4] {
        match self {
            ErfType::Erf => *b"ERF ",
            ErfType::Module => *b"MOD ",
            ErfType::Save => *b"SAV ",
            ErfType::Hak => *b"HAK ",
        }
    }
}

/// An ERF: its header and tables. Entries stay in the source.
#[derive(Debug, Clone)]
pub struct Erf {
    source: Arc<dyn ReadAt>,
    /// The header.
    pub head: ErfHead,
    /// The localized descriptions, undecoded.
    pub strings: Vec<u8>,
    /// Names and types of the entries.
    pub keys: Vec<ErfKey>,
    /// Places of the entries, in the order of the keys.
    pub resources: Vec<ErfResource>,
}

impl Erf {
    /// Returns an archive without entries.
    pub fn new(kind: ErfType) -> Erf {
        Erf {
            source: Arc::new(Vec::new()),
            head: ErfHead::new(kind),
            strings: Vec::new(),
            keys: Vec::new(),
            resources: Vec::new(),
        }
    }

    /// Reads the directory of an archive.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Erf> {
        read::open(source, limits)
    }

    /// Returns the name of an entry without its extension, as the game compares it.
    fn resref(key: &ErfKey) -> String {
        latin1(Text(key.resref.0).bytes())
    }
}

impl Archive for Erf {
    fn kind(&self) -> Kind {
        Kind::Erf
    }

    fn version(&self) -> String {
        latin1(&[self.head.magic.as_slice(), &self.head.version].concat())
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let (key, resource) = (self.keys.get(index)?, self.resources.get(index)?);
        let name = file_name(&Erf::resref(key), key.kind);
        Some(Entry::stored(name, u64::from(resource.offset.0), u64::from(resource.size)))
    }

    fn source_of(&self, _: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn check(&self) -> Report {
        check::check(self)
    }

    fn write(&self) -> Result<Vec<u8>> {
        write::write(self)
    }

    fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        write::edited(self, edits)
    }
}
