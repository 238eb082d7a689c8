//! FPK and FPKD: what a mission, a character or an object of the Fox Engine needs, in one file.

mod wire;

use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Report, Result, Wire, Writer, put_array};
use md5::{Digest, Md5};

pub use wire::{FpkEntry, FpkHead, FpkText};

use crate::edits::apply;
use crate::rewrite::Rewrite;
use crate::tables::{self, Tables};
use crate::{Archive, Edit, Entry, Kind, ReadAt, check, rules};

/// An FPK or FPKD: its header, tables and paths. Entries stay in the source.
#[derive(Debug, Clone)]
pub struct Fpk {
    source: Arc<dyn ReadAt>,
    /// The header.
    pub head: FpkHead,
    /// The entries.
    pub entries: Vec<FpkEntry>,
    /// Where the paths of other archives are.
    pub references: Vec<FpkText>,
    /// The paths of the entries, then those of the references, as they are in the file.
    pub names: Vec<Vec<u8>>,
}

/// Returns `true` if these bytes begin like an FPK or FPKD.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"foxfpk") && bytes.get(7..10) == Some(b"win")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    tables::inspect(bytes, limits, Fpk::read)
}

impl Fpk {
    /// Returns an archive without entries: an FPKD if `definitions`, which holds scripts and placements, an FPK otherwise.
    pub fn new(definitions: bool) -> Fpk {
        let head = FpkHead {
            magic: *b"foxfpk",
            kind: if definitions { b'd' } else { 0 },
            platform: *b"win",
            file_size: FpkHead::SIZE as u32,
            version: 2,
            ..FpkHead::ZERO
        };
        let source = Arc::new(Vec::new());
        Fpk { source, head, entries: Vec::new(), references: Vec::new(), names: Vec::new() }
    }

    /// Reads the directory of an archive.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Fpk> {
        Fpk::read(&Tables::new(source.as_ref(), limits), Arc::clone(&source))
    }

    /// Returns the paths of the archives that the game loads with this one.
    pub fn reference_names(&self) -> impl Iterator<Item = String> + '_ {
        self.names.iter().skip(self.entries.len()).map(|name| String::from_utf8_lossy(name).into_owned())
    }

    fn read(tables: &Tables<'_>, source: Arc<dyn ReadAt>) -> Result<Fpk> {
        let head: FpkHead = tables.at(0, "header")?;
        if !detect(&[head.magic.as_slice(), &[head.kind], &head.platform].concat()) {
            return Err(tables.error(ErrorKind::NotThisFormat, 0, "header"));
        }
        if head.version != 2 {
            return Err(tables.mismatch(32, "header", "version 2".into(), head.version.to_string()));
        }
        let at = FpkHead::SIZE as u64;
        let entries: Vec<FpkEntry> = tables.array(at, head.entry_count.into(), "entries")?;
        let at = at + (entries.len() * FpkEntry::SIZE) as u64;
        let references: Vec<FpkText> = tables.array(at, head.reference_count.into(), "references")?;
        let texts = entries.iter().map(|entry| &entry.name).chain(&references);
        let mut names = Vec::with_capacity(entries.len() + references.len());
        for text in texts {
            let mut name = tables.bytes(text.offset, text.size.saturating_add(1), "name")?;
            if name.pop() != Some(0) {
                let at = text.offset.saturating_add(text.size);
                return Err(tables.mismatch(
                    at,
                    "name",
                    "a NUL after the path".into(),
                    "another byte".into(),
                ));
            }
            names.push(name);
        }
        Ok(Fpk { source, head, entries, references, names })
    }
}

/// The multiple at which the bytes of entries begin.
const ALIGN: usize = 16;

impl Archive for Fpk {
    fn kind(&self) -> Kind {
        Kind::Fpk
    }

    fn version(&self) -> String {
        if self.head.kind == b'd' { "FPKD 2".into() } else { "FPK 2".into() }
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let (entry, name) = (self.entries.get(index)?, self.names.get(index)?);
        Some(Entry::stored(String::from_utf8_lossy(name), entry.offset, entry.size))
    }

    fn source_of(&self, _: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        let tables =
            FpkHead::SIZE + self.entries.len() * FpkEntry::SIZE + self.references.len() * FpkText::SIZE;
        check::overlaps(self, tables as u64, &mut report);
        if u64::from(self.head.file_size) != self.source.len() {
            report.add(&rules::FILE_SIZE, Some(10), || {
                ("header".into(), format!("{}, the file has {}", self.head.file_size, self.source.len()))
            });
        }
        for (index, (entry, name)) in self.entries.iter().zip(&self.names).enumerate() {
            let at = Some((FpkHead::SIZE + index * FpkEntry::SIZE) as u64);
            if md5_of(name) != entry.md5 {
                report.add(&rules::NAME_HASH, at.map(|at| at + 32), || {
                    (format!("entries[{index}]"), "the MD5 of the path is another one".into())
                });
            }
            if !entry.offset.is_multiple_of(ALIGN as u64) {
                report.add(&rules::UNALIGNED, at, || {
                    (format!("entries[{index}]"), format!("begins at 0x{:X}", entry.offset))
                });
            }
        }
        report
    }

    fn write(&self) -> Result<Vec<u8>> {
        if self.source.is_empty() {
            return self.edited(&[]);
        }
        let mut out = Rewrite::default();
        let entries_at = FpkHead::SIZE as u64;
        out.put(0, &[self.head]).put(entries_at, &self.entries);
        out.put(entries_at + (self.entries.len() * FpkEntry::SIZE) as u64, &self.references);
        let texts = self.entries.iter().map(|entry| &entry.name).chain(&self.references);
        for (text, name) in texts.zip(&self.names) {
            out.put_bytes(text.offset, name.clone());
        }
        out.write(self.source.as_ref())
    }

    /// Writes header, tables, paths and data one after the other, as the games' own files are.
    fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        let slots = apply(self, edits)?;
        let tables = FpkHead::SIZE + slots.len() * FpkEntry::SIZE + self.references.len() * FpkText::SIZE;
        let mut names = Vec::new();
        let mut place = |name: &[u8]| {
            let text = FpkText { offset: (tables + names.len()) as u64, size: name.len() as u64 };
            names.extend_from_slice(name);
            names.push(0);
            text
        };
        let mut entries = Vec::with_capacity(slots.len());
        for slot in &slots {
            let old = slot.old.and_then(|index| self.names.get(index)).cloned();
            let name = old.unwrap_or_else(|| absolute(&slot.name).into_bytes());
            entries.push(FpkEntry { name: place(&name), md5: md5_of(&name), offset: 0, size: 0 });
        }
        let references: Vec<FpkText> = self.names.iter().skip(self.len()).map(|name| place(name)).collect();
        let data_at = (tables + names.len()).next_multiple_of(ALIGN);
        let mut data = Vec::new();
        for (slot, entry) in slots.iter().zip(&mut entries) {
            let bytes = slot.bytes(self)?;
            (entry.offset, entry.size) = ((data_at + data.len()) as u64, bytes.len() as u64);
            data.extend_from_slice(&bytes);
            data.resize(data.len().next_multiple_of(ALIGN), 0);
        }
        let head = FpkHead {
            file_size: Writer::count(data_at + data.len(), "bytes")?,
            entry_count: Writer::count(entries.len(), "entries")?,
            reference_count: Writer::count(references.len(), "references")?,
            ..self.head
        };
        let mut out = Vec::with_capacity(data_at + data.len());
        put_array(&mut out, &[head]);
        put_array(&mut out, &entries);
        put_array(&mut out, &references);
        out.extend(names);
        out.resize(data_at, 0);
        out.extend(data);
        Ok(out)
    }
}

/// Returns a path as the archives have it: from `/`, with `/` between its steps.
fn absolute(name: &str) -> String {
    format!("/{}", name.replace('\\', "/").trim_start_matches('/'))
}

fn md5_of(bytes: &[u8]) -> [u8; 16] {
    Md5::digest(bytes).into()
}
