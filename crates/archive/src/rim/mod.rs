//! RIM: KotOR's modules as the game ships them.

mod wire;

use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Offset, Report, Result, Wire, Writer, put_array};

pub use wire::{RimEntry, RimHead};

use crate::edits::apply;
use crate::erf::resref;
use crate::kotor_types::{file_name, kotor_extension};
use crate::names::latin1;
use crate::rewrite::Rewrite;
use crate::tables::{self, Tables};
use crate::{Archive, Edit, Entry, Kind, ReadAt, check, rules};

/// A RIM: its header and table. Entries stay in the source.
#[derive(Debug, Clone)]
pub struct Rim {
    source: Arc<dyn ReadAt>,
    /// The header.
    pub head: RimHead,
    /// The entries.
    pub entries: Vec<RimEntry>,
}

/// Returns `true` if these bytes begin like a RIM.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"RIM V1")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    tables::inspect(bytes, limits, Rim::read)
}

impl Rim {
    /// Returns an archive without entries.
    #[allow(clippy::new_without_default, reason = "the same name as in the other containers")]
    pub fn new() -> Rim {
        let head =
            RimHead { magic: *b"RIM ", version: *b"V1.0", table_offset: Offset(TABLE), ..RimHead::ZERO };
        Rim { source: Arc::new(Vec::new()), head, entries: Vec::new() }
    }

    /// Reads the directory of an archive.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Rim> {
        Rim::read(&Tables::new(source.as_ref(), limits), Arc::clone(&source))
    }

    fn read(tables: &Tables<'_>, source: Arc<dyn ReadAt>) -> Result<Rim> {
        let head: RimHead = tables.at(0, "header")?;
        if head.magic != *b"RIM " {
            return Err(tables.error(ErrorKind::NotThisFormat, 0, "header"));
        }
        if head.version != *b"V1.0" {
            let found = format!("\"{}\"", galatea_wire::escape_bytes(&head.version));
            return Err(tables.mismatch(4, "header", "version \"V1.0\"".into(), found));
        }
        let entries = tables.array(table(&head), u64::from(head.entry_count), "entries")?;
        Ok(Rim { source, head, entries })
    }
}

/// Where the table is if the header does not say.
const TABLE: u32 = 120;

fn table(head: &RimHead) -> u64 {
    if head.table_offset.0 == 0 { TABLE.into() } else { head.table_offset.0.into() }
}

impl Archive for Rim {
    fn kind(&self) -> Kind {
        Kind::Rim
    }

    fn version(&self) -> String {
        latin1(&[self.head.magic.as_slice(), &self.head.version].concat())
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let entry = self.entries.get(index)?;
        let name = match u16::try_from(entry.kind) {
            Ok(kind) => file_name(&latin1(entry.resref.bytes()), kind),
            Err(_) => format!("{}.{}", latin1(entry.resref.bytes()), entry.kind),
        };
        Some(Entry::stored(name, u64::from(entry.offset.0), u64::from(entry.size)))
    }

    fn source_of(&self, _: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        check::overlaps(self, table(&self.head) + (self.len() * RimEntry::SIZE) as u64, &mut report);
        for (index, entry) in self.entries.iter().enumerate() {
            let at = table(&self.head) + (index * RimEntry::SIZE) as u64;
            let path = || format!("entries[{index}]");
            if entry.id as usize != index {
                report.add(&rules::ENTRY_NUMBER, Some(at + 20), || {
                    (path(), format!("entry {index} says {}", entry.id))
                });
            }
            if u16::try_from(entry.kind).ok().and_then(kotor_extension).is_none() {
                report.add(&rules::UNKNOWN_TYPE, Some(at + 16), || (path(), format!("type {}", entry.kind)));
            }
            if entry.resref.bytes().is_empty() {
                report.add(&rules::NO_NAME, Some(at), || (path(), "the name is empty".into()));
            }
        }
        if self.head.unknown_0x08 != 0 || self.head.reserved.iter().any(|b| *b != 0) {
            report
                .add(&rules::RESERVED, Some(20), || ("header".into(), "reserved bytes are not zero".into()));
        }
        report
    }

    fn write(&self) -> Result<Vec<u8>> {
        if self.source.is_empty() {
            return self.edited(&[]);
        }
        let mut out = Rewrite::default();
        out.put(0, &[self.head]).put(table(&self.head), &self.entries);
        out.write(self.source.as_ref())
    }

    /// Writes header, table and data one after the other, as the game's own files are.
    fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        let slots = apply(self, edits)?;
        let data_at = RimHead::SIZE + slots.len() * RimEntry::SIZE;
        let head = RimHead {
            entry_count: Writer::count(slots.len(), "entries")?,
            table_offset: Offset(TABLE),
            ..self.head
        };
        let (mut data, mut entries) = (Vec::new(), Vec::with_capacity(slots.len()));
        for (number, slot) in slots.iter().enumerate() {
            let old = slot.old.and_then(|index| self.entries.get(index));
            let (resref, kind) = match old {
                Some(old) => (old.resref, old.kind),
                None => resref(&slot.name).map(|(resref, kind)| (resref, kind.into()))?,
            };
            let bytes = slot.bytes(self)?;
            let offset = Offset(Writer::count(data_at + data.len(), "bytes")?);
            let (id, size) = (Writer::count(number, "entries")?, Writer::count(bytes.len(), "bytes")?);
            entries.push(RimEntry { resref, kind, id, offset, size });
            data.extend_from_slice(&bytes);
        }
        let mut out = Vec::with_capacity(data_at + data.len());
        put_array(&mut out, &[head]);
        put_array(&mut out, &entries);
        out.extend(data);
        Ok(out)
    }
}
