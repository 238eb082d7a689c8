//! Writes ZIP.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use galatea_wire::{Error, Result, Wire, Writer, escape, put_array};

use super::{DEFLATED, SIZES_FOLLOW, STORED, UTF8, Zip, ZipCentral, ZipEnd, ZipEntry, ZipLocal};
use crate::archive::read_stored;
use crate::edits::{Slot, apply};
use crate::rewrite::Rewrite;
use crate::{Edit, Limits, Storage};

pub(super) fn write(zip: &Zip) -> Result<Vec<u8>> {
    if zip.source.is_empty() {
        return edited(zip, &[]);
    }
    let mut directory = Vec::new();
    for entry in &zip.entries {
        put_array(&mut directory, &[entry.head]);
        directory.extend_from_slice(&entry.name);
        directory.extend_from_slice(&entry.more);
    }
    let mut out = Rewrite::default();
    out.put_bytes(zip.end.directory_offset.into(), directory);
    let end_at = zip.source.len().saturating_sub((ZipEnd::SIZE + zip.comment.len()) as u64);
    out.put(end_at, &[zip.end]).put_bytes(end_at + ZipEnd::SIZE as u64, zip.comment.clone());
    out.write(zip.source.as_ref())
}

/// 1 January 1980, the first day that ZIP has: the same files give the same archive on every day.
const FIRST_DAY: u16 = 0x21;

/// Writes entries one after the other, then the directory. Entries that are kept are copied as they are packed.
pub(super) fn edited(zip: &Zip, edits: &[Edit]) -> Result<Vec<u8>> {
    let slots = apply(zip, edits)?;
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for slot in &slots {
        let (mut entry, packed) = match (slot.new, slot.old.and_then(|old| zip.entries.get(old))) {
            (None, Some(old)) => (old.clone(), packed_bytes(zip, slot)?),
            (new, old) => fresh(&slot.name, new.unwrap_or(&[]), old)?,
        };
        entry.head.flags &= !SIZES_FOLLOW;
        entry.head.offset = Writer::count(out.len(), "bytes")?;
        put_array(&mut out, &[local(&entry.head)]);
        out.extend_from_slice(&entry.name);
        out.extend(packed);
        put_array(&mut directory, &[entry.head]);
        directory.extend_from_slice(&entry.name);
        directory.extend_from_slice(&entry.more);
    }
    let too_many = |_| Error::unrepresentable(format!("{} entries in a ZIP", slots.len()));
    let count = u16::try_from(slots.len()).map_err(too_many)?;
    let end = ZipEnd {
        entries_here: count,
        entry_count: count,
        directory_size: Writer::count(directory.len(), "bytes")?,
        directory_offset: Writer::count(out.len(), "bytes")?,
        ..zip.end
    };
    out.extend(directory);
    put_array(&mut out, &[end]);
    out.extend_from_slice(&zip.comment);
    Ok(out)
}

fn local(head: &ZipCentral) -> ZipLocal {
    ZipLocal {
        magic: *b"PK\x03\x04",
        needed: head.needed,
        flags: head.flags,
        method: head.method,
        time: head.time,
        date: head.date,
        crc: head.crc,
        packed: head.packed,
        size: head.size,
        name_size: head.name_size,
        extra_size: 0,
    }
}

/// Returns the bytes of a kept entry as they are packed.
fn packed_bytes(zip: &Zip, slot: &Slot<'_>) -> Result<Vec<u8>> {
    let entry = zip.place(slot.old.unwrap_or(usize::MAX))?;
    if entry.storage == Storage::Encrypted {
        let what = format!("\"{}\": encrypted entries cannot be moved", escape(&entry.name));
        return Err(Error::unrepresentable(what));
    }
    read_stored(zip.source.as_ref(), &entry, &Limits::default())
}

/// Returns a new entry with its packed bytes; what an old one says of itself is kept.
fn fresh(name: &str, bytes: &[u8], old: Option<&ZipEntry>) -> Result<(ZipEntry, Vec<u8>)> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let failed = |e: std::io::Error| Error::unrepresentable(format!("deflating: {e}"));
    encoder.write_all(bytes).map_err(failed)?;
    let deflated = encoder.finish().map_err(failed)?;
    let (method, packed) =
        if deflated.len() < bytes.len() { (DEFLATED, deflated) } else { (STORED, bytes.to_vec()) };
    let mut crc = Crc::new();
    crc.update(bytes);
    let plain = name.replace('\\', "/").trim_start_matches('/').as_bytes().to_vec();
    let (name, flags) = match old {
        Some(old) => (old.name.clone(), old.head.flags & UTF8),
        None if plain.is_ascii() => (plain, 0),
        None => (plain, UTF8),
    };
    let too_long = |_| Error::unrepresentable("a name of more than 65535 bytes in a ZIP");
    let head = ZipCentral {
        magic: *b"PK\x01\x02",
        made_by: 20,
        needed: 20,
        flags,
        method,
        date: FIRST_DAY,
        crc: crc.sum(),
        packed: Writer::count(packed.len(), "bytes")?,
        size: Writer::count(bytes.len(), "bytes")?,
        name_size: u16::try_from(name.len()).map_err(too_long)?,
        ..ZipCentral::ZERO
    };
    Ok((ZipEntry { head, name, more: Vec::new() }, packed))
}
