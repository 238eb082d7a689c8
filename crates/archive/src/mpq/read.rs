//! Opens an archive: finds its head, reads its tables, and finds the names of its files.

use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Result, Source, Wire};

use super::crypt::{HashKind, decrypt, hash};
use super::index::{Index, block_of};
use super::listing::Listing;
use super::place::{STEP, absolute};
use super::wire::{Block, HashEntry, MapHead, MpqHead, MpqHead64};
use super::{Mpq, Tables64};
use crate::ReadAt;
use crate::tables::Tables;

/// How far a head is searched for.
const REACH: u64 = 1 << 20;
/// Larger archives are those of the game itself, which have lists. (Few maps are larger.)
const LARGEST_MAP: u64 = 128 << 20;
/// Bits of a count or of a block's index that matter; protected maps set the others.
const COUNT_BITS: u32 = 0x0FFF_FFFF;

/// Returns `true` if these bytes begin like an archive or a map.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"HM3W") || bytes.chunks(STEP as usize).any(|chunk| chunk.starts_with(b"MPQ\x1A"))
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let claimed = Tables::claiming(source.reader());
    let error = find(&claimed).and_then(|found| claim(&claimed, bytes, found, limits)).err();
    (source.into_coverage(), error)
}

/// Claims what precedes the archive, and its files.
fn claim(tables: &Tables<'_>, bytes: &[u8], found: Found, limits: &Limits) -> Result<()> {
    let mut at = 0;
    if bytes.starts_with(b"HM3W") && found.start > 0 {
        at = MapHead::SIZE as u64;
        tables.at::<MapHead>(0, "map")?;
    }
    tables.bytes(at, found.start - at, "before")?;
    tables.claim_entries(&Mpq::assemble(Arc::new(bytes.to_vec()), found, limits))
}

/// Tables as they were found, and the head they belong to.
struct Found {
    start: u64,
    head: MpqHead,
    tables64: Option<Tables64>,
    hashes: Vec<HashEntry>,
    blocks: Vec<Block>,
}

impl Mpq {
    /// Opens an archive. Reads its tables and its list of names.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Mpq> {
        let found = find(&Tables::new(source.as_ref(), limits))?;
        Ok(Self::assemble(source, found, limits))
    }

    /// Opens an archive, and recovers names that no list has if it is no larger than a map: this reads all of it.
    pub fn open_named(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Mpq> {
        let mut mpq = Self::open(source, limits)?;
        if mpq.source.len() <= LARGEST_MAP {
            mpq.recover_names(limits);
        }
        Ok(mpq)
    }

    fn assemble(source: Arc<dyn ReadAt>, found: Found, limits: &Limits) -> Mpq {
        let Found { start, head, tables64, hashes, blocks } = found;
        let index = Index::new(&hashes, blocks.len());
        let sector = STEP << head.sector_shift;
        let listing = Listing::default();
        let mut mpq = Mpq { source, start, sector, head, tables64, hashes, blocks, index, listing };
        mpq.listing = Listing::new(&mpq, limits);
        mpq
    }
}

/// Returns where the head of an archive is.
pub(super) fn start_of(source: &dyn ReadAt) -> Result<u64> {
    find(&Tables::new(source, &Limits::default())).map(|found| found.start)
}

/// Finds the first head whose tables are in the file. Decoys have none.
fn find(tables: &Tables<'_>) -> Result<Found> {
    let mut first_error = None;
    let mut at = 0;
    while at < tables.len().min(REACH) {
        let magic = tables.start_of::<4>(at);
        if magic == Some(*b"MPQ\x1A") {
            match read_tables(tables, at) {
                Ok(found) => return Ok(found),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        at += STEP;
    }
    let none = || match tables.start_of::<4>(0) {
        Some(magic) if magic == *b"HM3W" => {
            let kind =
                ErrorKind::Mismatch { want: "`MPQ\\x1A` after the map's block".into(), found: "none".into() };
            tables.error(kind, STEP, "head")
        }
        _ => tables.error(ErrorKind::NotThisFormat, 0, "head"),
    };
    Err(first_error.unwrap_or_else(none))
}

fn read_tables(tables: &Tables<'_>, start: u64) -> Result<Found> {
    let head: MpqHead = tables.at(start, "head")?;
    if head.hash_count == 0 && head.version < 2 {
        return Err(tables.mismatch(start + 24, "hash_count", "at least 1".into(), "0".into()));
    }
    if head.sector_shift > 22 {
        let found = head.sector_shift.to_string();
        return Err(tables.mismatch(start + 14, "sector_shift", "at most 22".into(), found));
    }
    let extension = head64(tables, start, &head)?;
    let hash_high = extension.map(|x| x.hash_offset_high);
    let block_high = extension.map(|x| x.block_offset_high);
    let key = hash(b"(hash table)", HashKind::Key);
    let hash_at = absolute(start, head.hash_offset, hash_high);
    let hashes: Vec<HashEntry> = table(tables, hash_at, head.hash_count, key, "hash table")?;
    let key = hash(b"(block table)", HashKind::Key);
    let block_at = absolute(start, head.block_offset, block_high);
    let blocks: Vec<Block> = table(tables, block_at, head.block_count, key, "block table")?;
    let leads_nowhere =
        |entry: &HashEntry| entry.block < HashEntry::DELETED && block_of(entry, blocks.len()).is_none();
    if hashes.iter().all(leads_nowhere) {
        let found = "a damaged table, in which no entry leads to a file".into();
        return Err(tables.mismatch(hash_at, "hash table", "entries of files".into(), found));
    }
    let tables64 = match extension {
        None => None,
        Some(extension) if extension.high_block_offset == 0 => {
            Some(Tables64 { head: extension, high_offsets: Vec::new() })
        }
        Some(extension) => {
            let at = start.saturating_add(extension.high_block_offset);
            let high_offsets = tables.array(at, blocks.len() as u64, "high block table")?;
            Some(Tables64 { head: extension, high_offsets })
        }
    };
    Ok(Found { start, head, tables64, hashes, blocks })
}

/// Returns the second part of the head, which archives of version 1 and later have. The game ignores the version in maps, and
/// protected maps have a wrong one, so head size and version have to agree.
fn head64(tables: &Tables<'_>, start: u64, head: &MpqHead) -> Result<Option<MpqHead64>> {
    let fits = matches!((head.version, head.head_size), (1, 44) | (2, 68) | (3, 208));
    if !fits || start > 0 && tables.start_of::<4>(0) == Some(*b"HM3W") {
        return Ok(None);
    }
    if head.hash_count == 0 && head.version >= 2 {
        let kind =
            ErrorKind::Unsupported("an archive with HET and BET tables only (StarCraft II and later)".into());
        return Err(tables.error(kind, start + 24, "hash_count"));
    }
    let at = start + MpqHead::SIZE as u64;
    let extension: MpqHead64 = tables.at(at, "head64")?;
    Ok(Some(extension))
}

/// Reads and decrypts a table. Counts that do not fit into the file are cut to what does, as the game reads no further either.
fn table<T: Wire>(tables: &Tables<'_>, at: u64, count: u32, key: u32, name: &'static str) -> Result<Vec<T>> {
    let nominal = u64::from(count & COUNT_BITS);
    let count = nominal.min(tables.len().saturating_sub(at) / T::SIZE as u64);
    if count == 0 && nominal > 0 {
        let size = T::SIZE as u64;
        let have = tables.len().saturating_sub(at);
        return Err(tables.error(ErrorKind::Truncated { count: 1, size, have }, at, name));
    }
    tables.decoded(at, count, name, |bytes| decrypt(bytes, key))
}

/// Returns an error for a file of the archive.
pub(crate) fn in_file(error: Error, name: &str) -> Error {
    error.within(format!("\"{}\"", galatea_wire::escape(name)))
}
