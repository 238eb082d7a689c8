//! MPQ: the archives and maps of Warcraft III (`.mpq`, `.w3m`, `.w3x`, `.w3n`).
//!
//! Opening reads the tables and the list of names. Maps of all kinds open: those with a `HM3W` block before the archive, and protected
//! ones, whose head, counts and list of names are wrong or missing. Files are unpacked (zlib, PKWARE) and decrypted when they are read.
//! Names are not stored, only their hashes: a file that no list names is found by its name all the same, and listed by number.

mod archive;
mod attributes;
mod check;
mod codec;
mod crypt;
mod file;
mod index;
mod listing;
mod names;
mod pack;
mod pkware;
mod place;
mod read;
mod recall;
mod rules;
mod sniff;
mod wire;
mod write;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use galatea_wire::{Limits, Result, Schema, Wire};

pub use listing::Origin;
pub use read::{detect, inspect};
pub(crate) use recall::RECALL;
pub use rules::RULES;
pub use wire::{Block, HashEntry, MapHead, MpqHead, MpqHead64};

use crate::ReadAt;
use file::FileReader;
use index::{Index, NameHash};
use listing::{Listed, Listing};

/// All fixed records of the format.
pub static RECORDS: &[&Schema] =
    &[MpqHead::SCHEMA, MpqHead64::SCHEMA, HashEntry::SCHEMA, Block::SCHEMA, MapHead::SCHEMA];

/// An archive. It holds the tables; files are read from the source.
#[derive(Debug)]
pub struct Mpq {
    source: Arc<dyn ReadAt>,
    /// Where the head is.
    start: u64,
    head: MpqHead,
    tables64: Option<Tables64>,
    /// Bytes of a sector.
    sector: u64,
    hashes: Vec<HashEntry>,
    blocks: Vec<Block>,
    index: Index,
    listing: Listing,
}

/// What archives of version 1 and later have in addition.
#[derive(Debug, Clone)]
struct Tables64 {
    head: MpqHead64,
    /// Bits 32 to 47 of the offsets of the blocks.
    high_offsets: Vec<u16>,
}

impl Mpq {
    /// Returns the head of the archive.
    pub fn head(&self) -> &MpqHead {
        &self.head
    }

    /// Returns where the head is: after what precedes the archive, such as the `HM3W` block of a map.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns the hash table.
    pub fn hashes(&self) -> &[HashEntry] {
        &self.hashes
    }

    /// Returns the block table.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the block and the origin of the name of an entry.
    pub fn block_of(&self, index: usize) -> Option<(&Block, Origin)> {
        let file = self.listing.files.get(index)?;
        Some((self.blocks.get(file.block as usize)?, file.origin))
    }

    /// Returns the bytes of the file of this name, whether a list has it or not; `None` if there is none.
    pub fn read_file(&self, name: &str, limits: &Limits) -> Result<Option<Vec<u8>>> {
        for raw in spellings(name) {
            if let Some((_, block)) = self.lookup(&raw) {
                let Some(reader) = self.reader(block as usize, Some(&raw)) else { continue };
                return reader.read(limits).map(Some).map_err(|error| read::in_file(error, name));
            }
        }
        Ok(None)
    }

    /// Searches all files for the names of those that no list has, and returns how many it found. Reads the whole archive, up to
    /// `limits.entry` bytes of it, if there is a file without a name.
    pub fn recover_names(&mut self, limits: &Limits) -> usize {
        if !self.listing.files.iter().any(|file| file.origin == Origin::Made) {
            return 0;
        }
        let mut left = limits.entry;
        let mut found = HashSet::new();
        for file in &self.listing.files {
            let name = self.listing.raw(file);
            let Some(reader) = self.reader(file.block as usize, name.as_deref()) else { continue };
            let Some(rest) = left.checked_sub(reader.block.size.into()) else { break };
            left = rest;
            if let Ok(bytes) = reader.read(limits) {
                names::paths_in(&bytes, |name| {
                    if !self.slots(NameHash::new(name)).is_empty() {
                        found.insert(name.to_vec());
                    }
                });
            }
        }
        let mut listing = std::mem::take(&mut self.listing);
        let count = listing.learn(self, found.iter().map(Vec::as_slice));
        self.listing = listing;
        count
    }

    /// Returns the slots of a name, of all languages.
    fn slots(&self, name: NameHash) -> &[u32] {
        self.index.slots(name, &self.hashes)
    }

    /// Returns slot and block of the file that the game loads for a name: that of all languages, or the first one it comes upon.
    fn lookup(&self, name: &[u8]) -> Option<(u32, u32)> {
        let name = NameHash::new(name);
        self.best(self.slots(name), name)
    }

    /// Returns the best of some slots of a name.
    fn best(&self, slots: &[u32], name: NameHash) -> Option<(u32, u32)> {
        let files =
            slots.iter().filter_map(|slot| self.file_at(*slot).map(|(entry, block)| (*slot, entry, block)));
        let count = self.hashes.len();
        let best = files.min_by_key(|(slot, entry, _)| (entry.locale != 0, name.steps(*slot, count)));
        best.map(|(slot, _, block)| (slot, block))
    }

    /// Returns slot and block of the file of a name in any spelling.
    fn lookup_any(&self, name: &str) -> Option<(u32, u32)> {
        let listed = || self.listed_as(name).map(|file| (file.slot, file.block));
        spellings(name).find_map(|raw| self.lookup(&raw)).or_else(listed)
    }

    /// Returns the file that is listed under a name that the reader made.
    fn listed_as(&self, name: &str) -> Option<&Listed> {
        let shown = |file: &&Listed| self.listing.shown(file, self.hashes.get(file.slot as usize)) == name;
        let made = name.starts_with(listing::UNNAMED) || name.starts_with(listing::LOCALE);
        self.listing.files.iter().filter(|_| made).find(shown)
    }

    /// Returns the bytes of a file that the archive itself needs; `None` if there is none, or if it is damaged.
    fn read_name(&self, name: &[u8], limits: &Limits) -> Option<Vec<u8>> {
        let (_, block) = self.lookup(name)?;
        self.reader(block as usize, Some(name))?.read(limits).ok()
    }

    /// Returns the absolute offset of a block.
    fn offset_of(&self, block: usize) -> u64 {
        let offset = self.blocks.get(block).map_or(0, |block| block.offset);
        place::absolute(self.start, offset, place::high_bits(self.tables64.as_ref(), block))
    }

    fn reader<'a>(&'a self, block: usize, name: Option<&'a [u8]>) -> Option<FileReader<'a>> {
        let found = *self.blocks.get(block)?;
        Some(FileReader {
            source: &self.source,
            at: self.offset_of(block),
            block: found,
            sector: self.sector,
            name,
        })
    }
}

/// Returns the bytes that a name may be stored as: UTF-8 in newer maps, the code page of the author's machine in older ones.
fn spellings(name: &str) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let latin1 = crate::names::to_latin1(name).filter(|bytes| bytes != name.as_bytes());
    std::iter::once(Cow::Borrowed(name.as_bytes())).chain(latin1.map(Cow::Owned))
}
