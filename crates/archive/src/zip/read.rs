//! Reads ZIP.

use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Result, Source, Wire};

use super::{Zip, ZipCentral, ZipEnd, ZipEntry, ZipLocal};
use crate::ReadAt;
use crate::tables::Tables;

/// Returns `true` if these bytes begin like a ZIP, even an empty one.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let claimed = Tables::claiming(source.reader());
    let error = read(&claimed, Arc::new(Vec::new())).and_then(|zip| claim(&claimed, &zip)).err();
    (source.into_coverage(), error)
}

/// Claims the heads and the bytes of all entries.
fn claim(tables: &Tables<'_>, zip: &Zip) -> Result<()> {
    for (index, entry) in zip.entries.iter().enumerate() {
        let at = u64::from(entry.head.offset);
        let local: ZipLocal = tables.at(at, "local head")?;
        let at = at + ZipLocal::SIZE as u64;
        tables.bytes(at, u64::from(local.name_size) + u64::from(local.extra_size), "local name")?;
        let at = at + u64::from(local.name_size) + u64::from(local.extra_size);
        tables.claim_range(index, at, u64::from(entry.head.packed))?;
    }
    Ok(())
}

pub(super) fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Zip> {
    read(&Tables::new(source.as_ref(), limits), Arc::clone(&source))
}

/// The longest comment of an archive.
const COMMENT: u64 = u16::MAX as u64;

/// Returns where the end of the directory begins: the last place from which its comment reaches the end of the file.
fn end_of(tables: &Tables<'_>) -> Result<u64> {
    let tail = tables.len().min(COMMENT + ZipEnd::SIZE as u64);
    let start = tables.len() - tail;
    let bytes = tables.peek(start, tail, "end of directory")?;
    let ends = |at: usize| {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let size = usize::from(ZipEnd::get(rest).comment_size);
        rest.starts_with(b"PK\x05\x06") && rest.len() == ZipEnd::SIZE + size
    };
    let places = (0..(bytes.len() + 1).saturating_sub(ZipEnd::SIZE)).rev();
    let found = places.into_iter().find(|at| ends(*at));
    let missing = || tables.mismatch(start, "end of directory", "\"PK\\x05\\x06\"".into(), "none".into());
    found.map(|at| start + at as u64).ok_or_else(missing)
}

fn read(tables: &Tables<'_>, source: Arc<dyn ReadAt>) -> Result<Zip> {
    let end_at = end_of(tables)?;
    let end: ZipEnd = tables.at(end_at, "end of directory")?;
    let comment = tables.bytes(end_at + ZipEnd::SIZE as u64, u64::from(end.comment_size), "comment")?;
    if end.entry_count == u16::MAX || end.directory_offset == u32::MAX || end.directory_size == u32::MAX {
        return Err(tables.error(ErrorKind::Unsupported("ZIP64".into()), end_at, "end of directory"));
    }
    if end.disk != 0 || end.directory_disk != 0 || end.entries_here != end.entry_count {
        let what = ErrorKind::Unsupported("a ZIP of several parts".into());
        return Err(tables.error(what, end_at, "end of directory"));
    }
    let mut at = u64::from(end.directory_offset);
    let mut entries = Vec::new();
    for _ in 0..end.entry_count {
        let head: ZipCentral = tables.at(at, "central head")?;
        if head.magic != *b"PK\x01\x02" {
            let found = format!("\"{}\"", galatea_wire::escape_bytes(&head.magic));
            return Err(tables.mismatch(at, "central head", "\"PK\\x01\\x02\"".into(), found));
        }
        at += ZipCentral::SIZE as u64;
        let name = tables.bytes(at, u64::from(head.name_size), "name")?;
        at += u64::from(head.name_size);
        let more = u64::from(head.extra_size) + u64::from(head.comment_size);
        entries.push(ZipEntry { head, name, more: tables.bytes(at, more, "extra fields and comment")? });
        at += more;
    }
    Ok(Zip { source, entries, end, comment })
}
