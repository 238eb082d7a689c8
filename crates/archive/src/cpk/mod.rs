//! CPK: the data files of Pro Evolution Soccer, in CRI's container. Built from public descriptions and one small real file; what they
//! do not describe is refused.

mod layla;
mod utf;
mod wire;

use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Report, Result, Wire};

pub use wire::CpkChunk;

use crate::archive::{located, read_stored};
use crate::tables::{self, Tables};
use crate::{Archive, Entry, Kind, Part, ReadAt, Storage, check};
use utf::{Utf, Value};

/// A file of a CPK.
#[derive(Debug, Clone)]
struct File {
    name: String,
    offset: u64,
    packed: u64,
    size: u64,
}

/// A CPK: the names and places of its files, which stay in the source.
#[derive(Debug)]
pub struct Cpk {
    source: Arc<dyn ReadAt>,
    files: Vec<File>,
    tables_end: u64,
}

/// Returns `true` if these bytes begin like a CPK.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"CPK ")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    tables::inspect(bytes, limits, Cpk::read)
}

impl Cpk {
    /// Reads the directory of an archive.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Cpk> {
        Cpk::read(&Tables::new(source.as_ref(), limits), Arc::clone(&source))
    }

    fn read(tables: &Tables<'_>, source: Arc<dyn ReadAt>) -> Result<Cpk> {
        let header = chunk(tables, 0, *b"CPK ")?;
        let number = |name: &str| header.number(0, name).filter(|n| *n != 0);
        let Some(toc_at) = number("TocOffset") else {
            let what = "a CPK without a table of names".into();
            return Err(tables.error(ErrorKind::Unsupported(what), 16, "header"));
        };
        let toc = chunk(tables, toc_at, *b"TOC ")?;
        let base = number("ContentOffset").map_or(toc_at, |content| content.min(toc_at));
        let column = |name: &str| {
            let want = format!("a column \"{name}\"");
            toc.column(name).ok_or_else(|| tables.mismatch(toc_at, "TOC", want, "none".into()))
        };
        let (names, offsets, packed) = (column("FileName")?, column("FileOffset")?, column("FileSize")?);
        let (folders, sizes) = (toc.column("DirName"), toc.column("ExtractSize"));
        let mut files = Vec::new();
        for row in 0..toc.rows() {
            let text = |column: usize| match toc.value(row, column) {
                Some(Value::Text(text)) => text,
                _ => String::new(),
            };
            let value = |column: usize| match toc.value(row, column) {
                Some(Value::Number(number)) => Some(number),
                _ => None,
            };
            let folder = folders.map_or(String::new(), text).replace('\\', "/");
            let folder = folder.trim_matches('/');
            let name = if folder.is_empty() { text(names) } else { format!("{folder}/{}", text(names)) };
            let (Some(offset), Some(packed)) = (value(offsets), value(packed)) else {
                let want = "a place and a size".into();
                return Err(tables.mismatch(toc_at, "TOC", want, format!("row {row} without")));
            };
            let size = sizes.and_then(value).unwrap_or(packed);
            // Rows may share one text.
            tables.spend((size_of::<File>() + name.len()) as u64, toc_at, "TOC")?;
            files.push(File { name, offset: base.saturating_add(offset), packed, size });
        }
        Ok(Cpk { source, files, tables_end: CpkChunk::SIZE as u64 })
    }

    /// Returns whether an entry is packed: if it begins so, whatever the sizes say.
    fn is_packed(&self, file: &File) -> bool {
        let mut start = [0; 8];
        file.packed >= 16 && self.source.read_at(file.offset, &mut start).is_ok() && layla::detect(&start)
    }
}

/// Reads the table of a chunk.
fn chunk(tables: &Tables<'_>, at: u64, magic: [u8; 4]) -> Result<Utf> {
    let head: CpkChunk = tables.at(at, "chunk")?;
    if head.magic != magic {
        let want = format!("\"{}\"", galatea_wire::escape_bytes(&magic));
        let found = format!("\"{}\"", galatea_wire::escape_bytes(&head.magic));
        return Err(tables.mismatch(at, "chunk", want, found));
    }
    let at = at.saturating_add(CpkChunk::SIZE as u64);
    Utf::read(tables.bytes(at, head.size, "table")?, at)
}

impl Archive for Cpk {
    fn kind(&self) -> Kind {
        Kind::Cpk
    }

    fn version(&self) -> String {
        "CPK".into()
    }

    fn len(&self) -> usize {
        self.files.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let file = self.files.get(index)?;
        let entry = Entry::stored(file.name.as_str(), file.offset, file.size);
        let storage = if file.packed == file.size { Storage::Stored } else { Storage::Packed };
        Some(entry.with_storage(storage, file.packed))
    }

    fn source_of(&self, _: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn read_entry(&self, index: usize, limits: &Limits) -> Result<Vec<u8>> {
        let (entry, source) = self.located(index)?;
        let bytes = read_stored(source.as_ref(), &entry, limits)?;
        if !layla::detect(&bytes) {
            return Ok(bytes);
        }
        let unpacked = layla::unpack(&bytes, limits).map_err(|kind| located(kind, &entry))?;
        if unpacked.len() as u64 != entry.size && entry.size != entry.packed {
            let (want, found) =
                (format!("{} unpacked bytes", entry.size).into(), unpacked.len().to_string().into());
            return Err(located(ErrorKind::Mismatch { want, found }, &entry));
        }
        Ok(unpacked)
    }

    fn open_entry(&self, index: usize, limits: &Limits) -> Result<Arc<dyn ReadAt>> {
        let (entry, source) = self.located(index)?;
        let packed = self.files.get(index).is_some_and(|file| self.is_packed(file));
        if packed {
            return Ok(Arc::new(self.read_entry(index, limits)?));
        }
        let have = source.len().saturating_sub(entry.offset);
        let part = Part::new(source, entry.offset, entry.packed);
        Ok(Arc::new(part.ok_or_else(|| crate::archive::too_short(&entry, have))?))
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        check::overlaps(self, self.tables_end, &mut report);
        report
    }
}
