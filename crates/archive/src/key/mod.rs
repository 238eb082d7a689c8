//! KEY: the names of all files of a KotOR installation, and in which BIF each is.

mod bif;
mod wire;

use std::sync::{Arc, OnceLock};

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Report, Result, Source, Wire, escape};

pub use bif::{Bif, detect as detect_bif, inspect as inspect_bif};
pub use wire::{BifEntry, BifHead, KeyBif, KeyHead, KeyName};

use crate::archive::{Locator, Recall, read_stored};
use crate::kotor_types::{file_name, kotor_extension};
use crate::names::latin1;
use crate::tables::Tables;
use crate::{Archive, Entry, Files, Kind, ReadAt, Storage, check, rules};

/// Reads entries without the KEY: they are in the BIF as they are.
pub(crate) static RECALL: Recall = Recall {
    read: |source, entry, _, limits| read_stored(source.as_ref(), entry, limits),
    aliases: |_| Vec::new(),
};

/// A KEY, and the BIF files that it refers to, each opened when it is first asked for.
#[derive(Debug)]
pub struct Key {
    /// The header.
    pub head: KeyHead,
    /// The BIF files.
    pub bifs: Vec<KeyBif>,
    /// The names.
    pub names: Vec<KeyName>,
    /// The names of the BIF files, separated by `/`.
    pub bif_names: Vec<String>,
    files: Option<Arc<dyn Files>>,
    opened: Vec<OnceLock<Result<Arc<Bif>>>>,
    limits: Limits,
}

/// Returns `true` if these bytes begin like a KEY.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"KEY V1  ")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = Key::read(&Tables::claiming(source.reader()), None, limits).err();
    (source.into_coverage(), error)
}

impl Key {
    /// Reads a KEY. `files` gives the BIF files, by their names in the KEY.
    pub fn open(source: &dyn ReadAt, files: Option<Arc<dyn Files>>, limits: &Limits) -> Result<Key> {
        Key::read(&Tables::new(source, limits), files, limits)
    }

    fn read(tables: &Tables<'_>, files: Option<Arc<dyn Files>>, limits: &Limits) -> Result<Key> {
        let head: KeyHead = tables.at(0, "header")?;
        if !detect(&head.magic) {
            return Err(tables.error(ErrorKind::NotThisFormat, 0, "header"));
        }
        let bifs: Vec<KeyBif> = tables.array(head.bifs_offset.0.into(), head.bif_count.into(), "bifs")?;
        let names = tables.array(head.keys_offset.0.into(), head.key_count.into(), "keys")?;
        let mut bif_names = Vec::with_capacity(bifs.len());
        for bif in &bifs {
            let name = tables.bytes(bif.name_offset.0.into(), bif.name_size.into(), "bif name")?;
            let text = latin1(name.split(|b| *b == 0).next().unwrap_or(&[]));
            bif_names.push(text.replace('\\', "/"));
        }
        let opened = bifs.iter().map(|_| OnceLock::new()).collect();
        Ok(Key { head, bifs, names, bif_names, files, opened, limits: *limits })
    }

    /// Returns a BIF file by its number, or why it cannot be opened.
    pub fn bif(&self, number: usize) -> Result<Arc<Bif>> {
        let (Some(cell), Some(name)) = (self.opened.get(number), self.bif_names.get(number)) else {
            let found = format!("{number} of {}", self.bifs.len()).into();
            let kind = ErrorKind::Mismatch { want: "a BIF file of the KEY".into(), found };
            return Err(Error::at(kind, 0).within("keys"));
        };
        cell.get_or_init(|| {
            let path = format!("\"{}\"", escape(name));
            let missing = |why: &str| Error::at(ErrorKind::Io(why.to_owned().into()), 0).within(&path);
            let files = self.files.as_ref().ok_or_else(|| missing("the BIF files are missing"))?;
            let found = files.file(name).map_err(|error| missing(&error.to_string()))?;
            let source = found.ok_or_else(|| missing("no such file beside the KEY"))?;
            Bif::open(source, &self.limits).map(Arc::new).map_err(|error| error.within(&path))
        })
        .clone()
    }

    fn place(&self, name: &KeyName) -> Option<(Arc<Bif>, BifEntry)> {
        let bif = self.bif((name.id >> 20) as usize).ok()?;
        let entry = *bif.entries.get((name.id & 0xF_FFFF) as usize)?;
        Some((bif, entry))
    }
}

impl Archive for Key {
    fn kind(&self) -> Kind {
        Kind::Key
    }

    fn version(&self) -> String {
        "KEY V1".into()
    }

    fn len(&self) -> usize {
        self.names.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let key = self.names.get(index)?;
        let name = file_name(&latin1(key.resref.bytes()), key.kind);
        Some(match self.place(key) {
            Some((_, entry)) => Entry::stored(name, u64::from(entry.offset.0), u64::from(entry.size)),
            None => Entry::stored(name, 0, 0).with_storage(Storage::Missing, 0),
        })
    }

    fn source_of(&self, index: usize) -> Result<Arc<dyn ReadAt>> {
        let key = self.names.get(index).ok_or_else(|| crate::archive::no_entry(index, self.len()))?;
        let bif = self.bif((key.id >> 20) as usize)?;
        let number = (key.id & 0xF_FFFF) as usize;
        if number >= bif.entries.len() {
            return Err(crate::archive::no_entry(number, bif.entries.len()));
        }
        Ok(Arc::clone(&bif.source))
    }

    fn locator(&self, index: usize) -> Option<Locator> {
        let key = self.names.get(index)?;
        self.place(key)?;
        let part = self.bif_names.get((key.id >> 20) as usize)?;
        Some(Locator { part: Some(part.clone()), ..Locator::default() })
    }

    fn parts(&self) -> Vec<String> {
        self.bif_names.clone()
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        for (number, bif) in self.bifs.iter().enumerate() {
            let at = u64::from(self.head.bifs_offset.0) + (number * KeyBif::SIZE) as u64;
            let path = || format!("bifs[{number}]");
            match self.bif(number) {
                Err(error) => report.add(&rules::MISSING_PART, Some(at), || (path(), error.to_string())),
                Ok(open) if open.source.len() != u64::from(bif.size) => {
                    report.add(&rules::PART_SIZE, Some(at), || {
                        (path(), format!("{} bytes, the KEY says {}", open.source.len(), bif.size))
                    });
                }
                Ok(_) => {}
            }
        }
        for (index, key) in self.names.iter().enumerate() {
            let at = u64::from(self.head.keys_offset.0) + (index * KeyName::SIZE) as u64;
            if kotor_extension(key.kind).is_none() {
                report.add(&rules::UNKNOWN_TYPE, Some(at + 16), || {
                    (format!("keys[{index}]"), format!("type {}", key.kind))
                });
            }
        }
        report
    }
}
