//! ZIP, as mods are distributed: stored and deflated entries, without encryption and ZIP64.

mod read;
mod wire;
mod write;

use std::sync::Arc;

use flate2::Crc;
use galatea_wire::{ErrorKind, Limits, Report, Result, Wire};

pub use read::{detect, inspect};
pub use wire::{ZipCentral, ZipEnd, ZipLocal};

use crate::archive::{located, read_stored, too_short};
use crate::names::latin1;
use crate::rewrite::copy;
use crate::unpack::inflate;
use crate::{Archive, Edit, Entry, Kind, Part, ReadAt, Storage, check};

/// An entry of the central directory.
#[derive(Debug, Clone)]
pub struct ZipEntry {
    /// The fixed part.
    pub head: ZipCentral,
    /// The name as it is in the file.
    pub name: Vec<u8>,
    /// Extra fields and comment.
    pub more: Vec<u8>,
}

/// A ZIP: its central directory. Entries stay in the source.
#[derive(Debug, Clone)]
pub struct Zip {
    source: Arc<dyn ReadAt>,
    /// The entries in the order of the directory.
    pub entries: Vec<ZipEntry>,
    /// The end of the directory.
    pub end: ZipEnd,
    /// The comment of the archive.
    pub comment: Vec<u8>,
}

/// The bit of an entry that is encrypted.
const ENCRYPTED: u16 = 1;
/// The bit of an entry whose sizes follow its bytes.
const SIZES_FOLLOW: u16 = 1 << 3;
/// The bit of a name in UTF-8.
const UTF8: u16 = 1 << 11;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

impl Zip {
    /// Returns an archive without entries.
    #[allow(clippy::new_without_default, reason = "the same name as in the other containers")]
    pub fn new() -> Zip {
        let end = ZipEnd { magic: *b"PK\x05\x06", ..ZipEnd::ZERO };
        Zip { source: Arc::new(Vec::new()), entries: Vec::new(), end, comment: Vec::new() }
    }

    /// Reads the directory of an archive.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Zip> {
        read::open(source, limits)
    }

    /// Returns the entry with the true place of its bytes, which only its head tells.
    fn place(&self, index: usize) -> Result<Entry<'_>> {
        let entry = self.entry(index).ok_or_else(|| crate::archive::no_entry(index, self.len()))?;
        let mut head = [0; ZipLocal::SIZE];
        let have = self.source.len().saturating_sub(entry.offset);
        if have < head.len() as u64 {
            return Err(too_short(&entry, have));
        }
        copy(self.source.as_ref(), entry.offset, &mut head)?;
        let local = ZipLocal::get(&head);
        if local.magic != *b"PK\x03\x04" {
            let found = format!("\"{}\"", galatea_wire::escape_bytes(&local.magic)).into();
            return Err(located(ErrorKind::Mismatch { want: "the head of an entry".into(), found }, &entry));
        }
        let skip = ZipLocal::SIZE as u64 + u64::from(local.name_size) + u64::from(local.extra_size);
        Ok(Entry { offset: entry.offset + skip, ..entry })
    }
}

impl Archive for Zip {
    fn kind(&self) -> Kind {
        Kind::Zip
    }

    fn version(&self) -> String {
        "ZIP".into()
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let ZipEntry { head, name, .. } = self.entries.get(index)?;
        let name = match std::str::from_utf8(name) {
            Ok(name) => name.to_owned(),
            Err(_) => latin1(name),
        };
        let storage = match head.method {
            _ if head.flags & ENCRYPTED != 0 => Storage::Encrypted,
            STORED => Storage::Stored,
            _ => Storage::Packed,
        };
        let entry = Entry::stored(name, u64::from(head.offset), u64::from(head.size));
        Some(entry.with_storage(storage, u64::from(head.packed)))
    }

    fn source_of(&self, _: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn read_entry(&self, index: usize, limits: &Limits) -> Result<Vec<u8>> {
        let entry = self.place(index)?;
        let (method, crc) = self.entries.get(index).map_or((0, 0), |e| (e.head.method, e.head.crc));
        if entry.storage == Storage::Encrypted {
            return Err(located(ErrorKind::Unsupported("encrypted entries of a ZIP".into()), &entry));
        }
        let packed = read_stored(self.source.as_ref(), &entry, limits)?;
        let bytes = match method {
            STORED => packed,
            DEFLATED => inflate(&packed, entry.size, false, limits).map_err(|kind| located(kind, &entry))?,
            other => {
                let what = format!("compression method {other} of a ZIP").into();
                return Err(located(ErrorKind::Unsupported(what), &entry));
            }
        };
        let mut sum = Crc::new();
        sum.update(&bytes);
        if sum.sum() != crc || bytes.len() as u64 != entry.size {
            let found = format!("{} bytes, {:08x}", bytes.len(), sum.sum()).into();
            let want = format!("{} bytes with CRC {crc:08x}", entry.size).into();
            return Err(located(ErrorKind::Mismatch { want, found }, &entry));
        }
        Ok(bytes)
    }

    fn open_entry(&self, index: usize, limits: &Limits) -> Result<Arc<dyn ReadAt>> {
        let entry = self.place(index)?;
        if entry.storage != Storage::Stored || entry.packed != entry.size {
            return Ok(Arc::new(self.read_entry(index, limits)?));
        }
        let have = self.source.len().saturating_sub(entry.offset);
        let part = Part::new(Arc::clone(&self.source), entry.offset, entry.size);
        Ok(Arc::new(part.ok_or_else(|| too_short(&entry, have))?))
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        check::overlaps(self, 0, &mut report);
        for (index, entry) in self.entries.iter().enumerate() {
            let mut head = [0; ZipLocal::SIZE];
            let read = copy(self.source.as_ref(), u64::from(entry.head.offset), &mut head);
            let local = ZipLocal::get(&head);
            let same = local.magic == *b"PK\x03\x04" && local.method == entry.head.method;
            if read.is_err() || !same || usize::from(local.name_size) != entry.name.len() {
                report.add(&crate::rules::DAMAGED_ENTRY, Some(entry.head.offset.into()), || {
                    (format!("entries[{index}]"), "its own head says something else".into())
                });
            }
        }
        report
    }

    fn write(&self) -> Result<Vec<u8>> {
        write::write(self)
    }

    fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        write::edited(self, edits)
    }
}
