//! BIF: the files that hold what a KEY names. On its own, its entries have no names.

use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Report, Result, Wire};

use super::{BifEntry, BifHead};
use crate::tables::{self, Tables};
use crate::{Archive, Entry, Kind, ReadAt, check, kotor_extension};

/// A BIF: its header and table. Entries stay in the source.
#[derive(Debug, Clone)]
pub struct Bif {
    pub(super) source: Arc<dyn ReadAt>,
    /// The header.
    pub head: BifHead,
    /// The entries.
    pub entries: Vec<BifEntry>,
}

/// Returns `true` if these bytes begin like a BIF.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BIFFV1  ")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    tables::inspect(bytes, limits, Bif::read)
}

impl Bif {
    /// Reads the table of a BIF.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Bif> {
        Bif::read(&Tables::new(source.as_ref(), limits), Arc::clone(&source))
    }

    fn read(tables: &Tables<'_>, source: Arc<dyn ReadAt>) -> Result<Bif> {
        let head: BifHead = tables.at(0, "header")?;
        if !detect(&head.magic) {
            return Err(tables.error(ErrorKind::NotThisFormat, 0, "header"));
        }
        let entries = tables.array(head.table_offset.0.into(), head.entry_count.into(), "entries")?;
        Ok(Bif { source, head, entries })
    }
}

impl Archive for Bif {
    fn kind(&self) -> Kind {
        Kind::Bif
    }

    fn version(&self) -> String {
        "BIFF V1".into()
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let entry = self.entries.get(index)?;
        let known = u16::try_from(entry.kind).ok().and_then(kotor_extension);
        let name = match known {
            Some(extension) => format!("{index:05}.{extension}"),
            None => format!("{index:05}.{}", entry.kind),
        };
        let entry = Entry::stored(name, u64::from(entry.offset.0), u64::from(entry.size));
        Some(entry.with_nameless(true))
    }

    fn source_of(&self, _: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        let tables = u64::from(self.head.table_offset.0) + (self.len() * BifEntry::SIZE) as u64;
        check::overlaps(self, tables, &mut report);
        report
    }
}
