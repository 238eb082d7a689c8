//! The index of an archive as a file: names and places of its entries, looked up without reading the whole file.
//!
//! A head with the archive that it belongs to, then rows of hashes in order, then one record for each entry. Rows come in blocks; the head
//! has the first hash and the checksum of each, so that a look-up reads one block and one record. Whatever does not fit is a broken
//! index, which is as good as none.

use std::borrow::Cow;
use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use galatea_archive::{Archive, ArchiveFormat, Entry, FORMATS, Locator, ReadAt, Storage};
use galatea_wire::{Wire, checksum, wire};

use super::archive_folder::{key, safe};
use super::source::{FileSource, without_case};

/// The version of the file. Indices of other versions of the program are not read, because it may name entries otherwise.
const VERSION: &str = concat!("1 ", env!("CARGO_PKG_VERSION"));
/// Rows in a block.
const BLOCK: u64 = 256;
/// Records that a look-up reads at most.
const MOST: usize = 64;
/// Bytes of a head or record that are read at most.
const LARGEST: u64 = 64 << 20;
/// Times of files are no finer than this everywhere: a file that was changed later may have the same time.
const GRAIN: Duration = Duration::from_secs(2);

wire! {
    /// The begin of an index.
    struct IndexHead(40) {
        /// `GALINDEX`.
        magic: [u8; 8] = 0,
        /// Checksum of the rest of the head.
        sum: u64 = 8,
        /// Bytes of the head.
        len: u64 = 16,
        /// Rows.
        rows: u64 = 24,
        /// Entries of the archive.
        entries: u64 = 32,
    }
}

const MAGIC: [u8; 8] = *b"GALINDEX";

wire! {
    /// Where the record of a name is.
    struct Row(16) {
        /// Hash of the name, or of the number that unlisted names have.
        hash: u64 = 0,
        /// Place of the record.
        at: u64 = 8,
    }
}

wire! {
    /// What is known of a block of rows.
    struct Fence(16) {
        /// The first hash in it.
        first: u64 = 0,
        /// Checksum of the block.
        sum: u64 = 8,
    }
}

wire! {
    /// The begin of a record; the name and the data of the locator follow.
    struct RecordHead(64) {
        /// Checksum of the rest of the record.
        sum: u64 = 0,
        /// Bytes of the name.
        name: u32 = 8,
        /// Bytes of the locator's data.
        data: u32 = 12,
        /// Which entry it is.
        index: u32 = 16,
        /// Number of the part that holds it, from 1; 0 for the archive itself.
        part: u32 = 20,
        /// Bytes unpacked.
        size: u64 = 24,
        /// Bytes in the archive.
        packed: u64 = 32,
        /// Where they begin.
        offset: u64 = 40,
        /// The number that unlisted names have.
        alias: u64 = 48,
        /// How the bytes are kept.
        storage: u8 = 56,
        /// 1: the name was made by the reader. 2: there is a locator. 4: there is an alias.
        flags: u8 = 57,
        /// Zero.
        reserved: [u8; 6] = 58,
    }
}

/// What tells versions of a file apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    len: u64,
    modified: Duration,
}

impl FileStamp {
    /// Returns the stamp of a file; `None` if the system knows no time of it.
    pub(super) fn of(meta: &Metadata) -> Option<FileStamp> {
        let modified = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(FileStamp { len: meta.len(), modified })
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns `true` if no change up to this moment can have left the stamp as it is.
    fn is_settled(&self, at: SystemTime) -> bool {
        at.duration_since(UNIX_EPOCH).is_ok_and(|at| self.modified + GRAIN < at)
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.len.to_le_bytes());
        out.extend(self.modified.as_secs().to_le_bytes());
        out.extend(u64::from(self.modified.subsec_nanos()).to_le_bytes());
    }
}

/// An archive that an index is made of.
pub(super) struct Subject<'a> {
    pub(super) archive: &'a dyn Archive,
    /// Its path, made canonical.
    pub(super) path: &'a Path,
    pub(super) stamp: FileStamp,
    /// When it was opened.
    pub(super) opened: SystemTime,
}

impl Subject<'_> {
    /// Returns the bytes of the index; `None` if it could not be told later whether it still holds.
    pub(super) fn index(&self) -> Option<Vec<u8>> {
        let folder = self.path.parent()?;
        let parts = self.archive.parts();
        let stamps: Vec<Option<FileStamp>> = parts.iter().map(|part| stamp_of(folder, part)).collect();
        if !stamps.iter().flatten().chain([&self.stamp]).all(|stamp| stamp.is_settled(self.opened)) {
            return None;
        }
        let mut head = Vec::new();
        put_text(&mut head, VERSION);
        put_text(&mut head, self.path.to_str()?);
        self.stamp.put(&mut head);
        put_text(&mut head, self.archive.kind().name());
        put_text(&mut head, &self.archive.version());
        // Parts that only hold entries are not watched: these are compared when they are read.
        let mut holders = Vec::new();
        let (mut rows, records) = self.records(&mut holders);
        rows.sort_unstable_by_key(|row| (row.hash, row.at));
        head.extend((parts.len() as u64).to_le_bytes());
        for (part, stamp) in parts.iter().zip(stamps) {
            put_text(&mut head, part);
            head.push(stamp.is_some().into());
            stamp.into_iter().for_each(|stamp| stamp.put(&mut head));
        }
        head.extend((holders.len() as u64).to_le_bytes());
        holders.iter().for_each(|part| put_text(&mut head, part));
        let blocks = (rows.len() as u64).div_ceil(BLOCK) as usize;
        let len = (IndexHead::SIZE + head.len() + blocks * Fence::SIZE) as u64;
        let first_record = len + (rows.len() * Row::SIZE) as u64;
        rows.iter_mut().for_each(|row| row.at += first_record);
        let rows_bytes = packed(&rows);
        for (block, bytes) in rows.chunks(BLOCK as usize).zip(rows_bytes.chunks(BLOCK as usize * Row::SIZE)) {
            let first = block.first().map_or(0, |row| row.hash);
            push(&mut head, &Fence { first, sum: checksum(bytes) });
        }
        let entries = self.archive.len() as u64;
        let mut begin = IndexHead { magic: MAGIC, sum: 0, len, rows: rows.len() as u64, entries };
        begin.sum = sum_of(&begin, &head);
        let mut out = Vec::with_capacity(first_record as usize + records.len());
        push(&mut out, &begin);
        out.extend(head);
        out.extend(rows_bytes);
        out.extend(records);
        Some(out)
    }

    /// Returns the records, and the rows that lead to them: places count from the first record.
    fn records(&self, holders: &mut Vec<String>) -> (Vec<Row>, Vec<u8>) {
        let (mut rows, mut out) = (Vec::new(), Vec::new());
        let mut last = (String::new(), 0u32);
        for index in 0..self.archive.len() {
            let Some(entry) = self.archive.entry(index) else { continue };
            let found = self.archive.locator(index);
            let (flags, locator) = (2 * u8::from(found.is_some()), found.unwrap_or_default());
            let part = match &locator.part {
                None => 0,
                Some(part) if *part == last.0 => last.1,
                Some(part) => {
                    let at = holders.iter().position(|known| known == part).unwrap_or(holders.len());
                    if at == holders.len() {
                        holders.push(part.clone());
                    }
                    last = (part.clone(), at as u32 + 1);
                    last.1
                }
            };
            let at = out.len() as u64;
            let head = RecordHead {
                sum: 0,
                name: entry.name.len() as u32,
                data: locator.data.len() as u32,
                index: index as u32,
                part,
                size: entry.size,
                packed: entry.packed,
                offset: entry.offset,
                alias: locator.alias.unwrap_or(0),
                storage: STORAGES.iter().position(|s| *s == entry.storage).map_or(u8::MAX, |at| at as u8),
                flags: flags + u8::from(entry.nameless) + 4 * u8::from(locator.alias.is_some()),
                reserved: [0; 6],
            };
            push(&mut out, &head);
            out.extend_from_slice(entry.name.as_bytes());
            out.extend_from_slice(&locator.data);
            let sum = out.get(at as usize + 8..).map_or(0, checksum);
            if let Some(place) = out.get_mut(at as usize..) {
                sum.put(place);
            }
            rows.push(Row { hash: name_hash(&key(&safe(&entry))), at });
            rows.extend(locator.alias.map(|alias| Row { hash: alias_hash(alias), at }));
        }
        (rows, out)
    }
}

/// The ways to keep an entry, by the number in a record.
const STORAGES: [Storage; 4] = [Storage::Stored, Storage::Packed, Storage::Encrypted, Storage::Missing];

/// Returns the hash of a name as names are compared.
pub(super) fn name_hash(key: &str) -> u64 {
    checksum(key.as_bytes())
}

/// Returns the hash of an alias.
pub(super) fn alias_hash(alias: u64) -> u64 {
    checksum(&[b"alias\0\0\0".as_slice(), &alias.to_le_bytes()].concat())
}

/// An entry as the index has it.
#[derive(Debug)]
pub(super) struct Record {
    name: String,
    head: RecordHead,
    /// How it is read without the directory.
    pub(super) locator: Option<Locator>,
}

impl Record {
    /// Returns which entry it is.
    pub(super) fn index(&self) -> usize {
        self.head.index as usize
    }

    /// Returns its alias.
    pub(super) fn alias(&self) -> Option<u64> {
        (self.head.flags & 4 != 0).then_some(self.head.alias)
    }

    /// Returns the entry.
    pub(super) fn entry(&self) -> Entry<'static> {
        let storage = STORAGES.get(usize::from(self.head.storage)).copied().unwrap_or(Storage::Missing);
        Entry::stored(Cow::Owned(self.name.clone()), self.head.offset, self.head.size)
            .with_storage(storage, self.head.packed)
            .with_nameless(self.head.flags & 1 != 0)
    }
}

/// The index is damaged.
#[derive(Debug)]
pub(super) struct Broken;

/// An index that is open.
#[derive(Debug)]
pub(super) struct IndexFile {
    file: FileSource,
    rows_at: u64,
    rows: u64,
    fences: Vec<Fence>,
    holders: Vec<String>,
    /// The container.
    pub(super) format: &'static ArchiveFormat,
    /// Its version in the format's own words.
    pub(super) version: String,
    /// Entries of the archive.
    pub(super) entries: usize,
}

impl IndexFile {
    /// Opens the index of an archive; `None` if there is none, or none of this version of the archive.
    pub(super) fn open(index: &Path, archive: &Path, stamp: FileStamp) -> Option<IndexFile> {
        let file = FileSource::open(index).ok()?;
        let mut bytes = vec![0; IndexHead::SIZE];
        file.read_at(0, &mut bytes).ok()?;
        let begin = IndexHead::get(&bytes);
        let rows_len = begin.rows.checked_mul(Row::SIZE as u64)?;
        let fits = begin.magic == MAGIC
            && (IndexHead::SIZE as u64..=LARGEST).contains(&begin.len)
            && begin.len.checked_add(rows_len)? <= file.len();
        if !fits {
            return None;
        }
        let mut head = vec![0; begin.len as usize - IndexHead::SIZE];
        file.read_at(IndexHead::SIZE as u64, &mut head).ok()?;
        if sum_of(&begin, &head) != begin.sum {
            return None;
        }
        let mut rest = Words(&head);
        let same =
            rest.text()? == VERSION && Some(rest.text()?) == archive.to_str() && rest.stamp()? == stamp;
        if !same {
            return None;
        }
        let name = rest.text()?;
        let format = FORMATS.iter().find(|format| format.name == name).copied()?;
        let version = rest.text()?.to_owned();
        let folder = archive.parent()?;
        for _ in 0..rest.number()? {
            let part = rest.text()?;
            let known = if rest.take(1)? == [1] { Some(rest.stamp()?) } else { None };
            if stamp_of(folder, part) != known {
                return None;
            }
        }
        let mut holders = Vec::new();
        for _ in 0..rest.number()? {
            holders.push(rest.text()?.to_owned());
        }
        let fences: Vec<Fence> = rest.0.chunks_exact(Fence::SIZE).map(Fence::get).collect();
        if fences.len() as u64 != begin.rows.div_ceil(BLOCK) {
            return None;
        }
        let entries = usize::try_from(begin.entries).ok()?;
        Some(IndexFile {
            file,
            rows_at: begin.len,
            rows: begin.rows,
            fences,
            holders,
            format,
            version,
            entries,
        })
    }

    /// Returns the records under a hash, in the order of the entries.
    pub(super) fn find(&self, hash: u64) -> Result<Vec<Record>, Broken> {
        let mut found = Vec::new();
        let first = self.fences.partition_point(|fence| fence.first < hash).saturating_sub(1);
        for (number, fence) in self.fences.iter().enumerate().skip(first) {
            if fence.first > hash {
                break;
            }
            let rows = self.block(number as u64, fence)?;
            let same = rows.iter().skip_while(|row| row.hash < hash).take_while(|row| row.hash == hash);
            for row in same {
                found.push(self.record(row.at)?);
                if found.len() > MOST {
                    return Err(Broken);
                }
            }
            if rows.last().is_some_and(|row| row.hash > hash) {
                break;
            }
        }
        Ok(found)
    }

    fn block(&self, number: u64, fence: &Fence) -> Result<Vec<Row>, Broken> {
        let count = (self.rows - number * BLOCK).min(BLOCK);
        let mut bytes = vec![0; count as usize * Row::SIZE];
        let at = self.rows_at + number * BLOCK * Row::SIZE as u64;
        self.file.read_at(at, &mut bytes).map_err(|_| Broken)?;
        if checksum(&bytes) != fence.sum {
            return Err(Broken);
        }
        Ok(bytes.chunks_exact(Row::SIZE).map(Row::get).collect())
    }

    fn record(&self, at: u64) -> Result<Record, Broken> {
        let mut bytes = vec![0; RecordHead::SIZE];
        self.file.read_at(at, &mut bytes).map_err(|_| Broken)?;
        let head = RecordHead::get(&bytes);
        let rest = u64::from(head.name) + u64::from(head.data);
        if rest > LARGEST || rest > self.file.len() {
            return Err(Broken);
        }
        bytes.resize(RecordHead::SIZE + rest as usize, 0);
        let (_, rest) = bytes.split_at_mut_checked(RecordHead::SIZE).ok_or(Broken)?;
        self.file.read_at(at + RecordHead::SIZE as u64, rest).map_err(|_| Broken)?;
        if bytes.get(8..).map(checksum) != Some(head.sum) {
            return Err(Broken);
        }
        let mut words = Words(bytes.get(RecordHead::SIZE..).ok_or(Broken)?);
        let name = words.take(u64::from(head.name)).ok_or(Broken)?;
        let name = std::str::from_utf8(name).map_err(|_| Broken)?.to_owned();
        let part = match head.part.checked_sub(1) {
            None => None,
            Some(part) => Some(self.holders.get(part as usize).ok_or(Broken)?.clone()),
        };
        let alias = (head.flags & 4 != 0).then_some(head.alias);
        let locator = (head.flags & 2 != 0).then(|| {
            let mut locator = Locator::default();
            (locator.part, locator.data, locator.alias) = (part, words.0.to_vec(), alias);
            locator
        });
        Ok(Record { name, head, locator })
    }
}

/// Returns the stamp of a file beside an archive.
fn stamp_of(folder: &Path, part: &str) -> Option<FileStamp> {
    FileStamp::of(&std::fs::metadata(without_case(folder, part)?).ok()?)
}

/// Returns the checksum of a head: of what follows the checksum itself.
fn sum_of(begin: &IndexHead, rest: &[u8]) -> u64 {
    let mut bytes = Vec::with_capacity(IndexHead::SIZE + rest.len());
    push(&mut bytes, &IndexHead { sum: 0, ..*begin });
    bytes.extend_from_slice(rest);
    checksum(&bytes)
}

fn push<T: Wire>(out: &mut Vec<u8>, value: &T) {
    let at = out.len();
    out.resize(at + T::SIZE, 0);
    if let Some(place) = out.get_mut(at..) {
        value.put(place);
    }
}

fn packed(rows: &[Row]) -> Vec<u8> {
    let mut out = vec![0; rows.len() * Row::SIZE];
    Row::put_all(rows, &mut out);
    out
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Bytes of a head that are still to be read.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn take(&mut self, len: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(len).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.take(8).map(u64::get)
    }

    fn text(&mut self) -> Option<&'a str> {
        let len = self.number()?;
        std::str::from_utf8(self.take(len)?).ok()
    }

    fn stamp(&mut self) -> Option<FileStamp> {
        let len = self.number()?;
        let (seconds, nanos) = (self.number()?, u32::try_from(self.number()?).ok()?);
        Some(FileStamp { len, modified: Duration::new(seconds, nanos.min(999_999_999)) })
    }
}
