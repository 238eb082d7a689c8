//! `.idx` files: where each key is in the `data.NNN` files.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use galatea_wire::{Error, ErrorKind, Result, Wire, wire};

use super::EKey;
use super::cursor::{Cursor, mismatch};

wire! {
    /// The head of an index.
    pub struct IndexHead(40) {
        /// Bytes of the block that follows: 16.
        pub block_size: u32 = 0,
        /// Checksum of that block.
        pub block_hash: u32 = 4,
        /// Version: 7.
        pub version: u16 = 8,
        /// Which of the sixteen indices this is.
        pub bucket: u8 = 10,
        /// 0.
        pub unknown_0x0b: u8 = 11,
        /// Bytes of a size: 4.
        pub size_bytes: u8 = 12,
        /// Bytes of a place: 5.
        pub location_bytes: u8 = 13,
        /// Bytes of a key: 9.
        pub key_bytes: u8 = 14,
        /// Lower bits of a place, which are the offset in the data file.
        pub offset_bits: u8 = 15,
        /// Largest size of a data file.
        pub archive_size: u64 = 16,
        /// Padding.
        pub padding: u64 = 24,
        /// Bytes of the entries.
        pub entries_size: u32 = 32,
        /// Checksum of the entries.
        pub entries_hash: u32 = 36,
    }
}

/// Bytes of an entry.
const ENTRY: usize = 18;
/// Bytes before the data of a record; an entry of this size was never downloaded.
pub(super) const RECORD_HEAD: u32 = 30;

/// Where a file is in the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Location {
    /// Number of the `data.NNN` file.
    pub(super) archive: u32,
    pub(super) offset: u64,
    /// Bytes, with the head of the record.
    pub(super) size: u32,
}

/// The places of all keys of a storage.
#[derive(Debug, Default)]
pub(super) struct Index(HashMap<EKey, Location, FixedState>);

impl Index {
    /// Adds the entries of one file.
    pub(super) fn add(&mut self, bytes: &[u8], bucket: u8) -> Result<()> {
        let have = bytes.len() as u64;
        if bytes.len() < IndexHead::SIZE {
            let kind = ErrorKind::Truncated { count: 1, size: IndexHead::SIZE as u64, have };
            return Err(Error::at(kind, 0).within("head"));
        }
        let head = IndexHead::get(bytes);
        let shape = (head.block_size, head.version, head.size_bytes, head.location_bytes, head.key_bytes);
        if shape != (16, 7, 4, 5, 9) || head.bucket != bucket || !(1..40).contains(&head.offset_bits) {
            let found = format!("version {} for bucket {} with {shape:?}", head.version, head.bucket);
            return Err(mismatch(0, "head", format!("version 7 for bucket {bucket}"), found));
        }
        let size = head.entries_size as usize;
        if size == 0 && bytes.len() > 0x1000 {
            let what = "an index with update pages".into();
            return Err(Error::at(ErrorKind::Unsupported(what), 32).within("entries"));
        }
        let rows = bytes.get(IndexHead::SIZE..).and_then(|rest| rest.get(..size)).ok_or_else(|| {
            let have = have - IndexHead::SIZE as u64;
            Error::at(ErrorKind::Truncated { count: 1, size: size as u64, have }, 32).within("entries")
        })?;
        if !size.is_multiple_of(ENTRY) {
            return Err(mismatch(32, "entries_size", "a multiple of 18", size.to_string()));
        }
        self.0.reserve(size / ENTRY);
        for row in rows.chunks_exact(ENTRY) {
            let mut cursor = Cursor::new(row, 0);
            let key: EKey = cursor.array("key")?;
            let place = cursor.number(5, "location")?;
            let location = Location {
                archive: (place >> head.offset_bits) as u32,
                offset: place & ((1 << head.offset_bits) - 1),
                size: u32::from_le_bytes(cursor.array("size")?),
            };
            let known = self.0.entry(key).or_insert(location);
            // A key may occur again for data that was never downloaded.
            if known.size <= RECORD_HEAD {
                *known = location;
            }
        }
        Ok(())
    }

    /// Returns where a key is, if its data were downloaded.
    pub(super) fn get(&self, key: &EKey) -> Option<Location> {
        self.0.get(key).copied().filter(|location| location.size > RECORD_HEAD)
    }
}

/// Returns bucket and version of an index by its name, such as `0500000012.idx`.
pub(super) fn of_name(name: &str) -> Option<(u8, u32)> {
    let stem = name.strip_suffix(".idx").or_else(|| name.strip_suffix(".IDX"))?;
    let (bucket, version) = (stem.get(..2)?, stem.get(2..)?);
    if version.len() != 8 || !stem.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u8::from_str_radix(bucket, 16).ok()?, u32::from_str_radix(version, 16).ok()?))
}
