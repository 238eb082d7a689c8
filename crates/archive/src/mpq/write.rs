//! Changes the files of an archive. Files that are not named keep their bytes and their places, and so does everything before the
//! archive; the tables are written anew after the files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use galatea_wire::{Error, Limits, Result, Wire, escape, put_array};

use super::Mpq;
use super::attributes::Attributes;
use super::check::STRONG_SIGNATURE;
use super::crypt::{HashKind, encrypt, hash};
use super::index::{Index, NameHash, block_of};
use super::listing::{ATTRIBUTES, LISTFILE, Listing, Origin, SIGNATURE};
use super::names::ListChanges;
use super::pack::Packed;
use super::place::{STEP, absolute};
use super::wire::{Block, HashEntry, MpqHead};
use crate::Edit;
use crate::rewrite::copy;

/// Slots of the hash table of a new archive.
const NEW_SLOTS: u32 = 16;

/// An archive that is being changed.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    mpq: &'a Mpq,
    /// The file up to the end of the data.
    out: Vec<u8>,
    hashes: Vec<HashEntry>,
    blocks: Vec<Block>,
    index: Index,
    /// The table that the index is of.
    indexed: Cow<'a, [HashEntry]>,
    /// The slots of new names.
    added: HashMap<(u32, u32), u32>,
    /// How many slots lead to each block.
    uses: Vec<u32>,
    /// Blocks whose place must not be given to others: it was given up already, or another block shares it.
    kept: Vec<bool>,
    /// Blocks that hold nothing.
    unused: Vec<usize>,
    /// The text of the list, if there is one, and what changes in it.
    list: Option<Vec<u8>>,
    changes: ListChanges,
    attributes: Option<Attributes>,
    /// Places of files that were removed or replaced, in the file.
    free: Vec<Range<usize>>,
    /// What follows the tables.
    tail: Vec<u8>,
}

/// The file that an edit is about.
struct Target {
    slot: Option<usize>,
    /// The name that keys and hashes are made from; `None` if it is not known.
    name: Option<Vec<u8>>,
}

impl Default for Mpq {
    fn default() -> Self {
        Self::new()
    }
}

impl Mpq {
    /// Returns an archive without files. The first change adds the list of their names.
    pub fn new() -> Mpq {
        let hash_offset = MpqHead::SIZE as u32;
        let end = hash_offset + NEW_SLOTS * HashEntry::SIZE as u32;
        let head = MpqHead {
            magic: *b"MPQ\x1A",
            head_size: MpqHead::SIZE as u32,
            sector_shift: 3,
            hash_offset,
            block_offset: end,
            hash_count: NEW_SLOTS,
            archive_size: end,
            ..MpqHead::default()
        };
        let hashes = vec![HashEntry::UNUSED; NEW_SLOTS as usize];
        let mut bytes = Vec::new();
        put_array(&mut bytes, &[head]);
        put_table(&mut bytes, &hashes, b"(hash table)");
        Mpq {
            source: Arc::new(bytes),
            start: 0,
            sector: STEP << head.sector_shift,
            head,
            tables64: None,
            hashes,
            blocks: Vec::new(),
            index: Index::default(),
            listing: Listing::default(),
        }
    }
}

impl<'a> Draft<'a> {
    /// Starts to change an archive, with room for what the edits add.
    pub(super) fn new(mpq: &'a Mpq, edits: &[Edit]) -> Result<Self> {
        let mut draft = Self::open(mpq)?;
        let puts = edits.iter().filter(|edit| matches!(edit, Edit::Put { .. }));
        let added = puts.filter(|edit| mpq.lookup_any(edit.name()).is_none()).count();
        // One for the list, if the archive has none yet.
        draft.make_room(added + 1)?;
        Ok(draft)
    }

    fn open(mpq: &'a Mpq) -> Result<Self> {
        if mpq.tables64.is_some() {
            let what = "archives of version 1 and later can be read, but not written; maps are of version 0";
            return Err(Error::unrepresentable(what));
        }
        let limits = Limits::default();
        let mut uses = vec![0u32; mpq.blocks.len()];
        for (_, block) in mpq.files() {
            uses.get_mut(block).into_iter().for_each(|uses| *uses += 1);
        }
        let holds_nothing = |(index, block): (usize, &Block)| {
            (*block == Block::default() && uses.get(index) == Some(&0)).then_some(index)
        };
        let unused = mpq.blocks.iter().enumerate().filter_map(holds_nothing).rev().collect();
        let attributes = mpq.read_name(ATTRIBUTES.as_bytes(), &limits);
        let list = mpq.read_name(LISTFILE.as_bytes(), &limits);
        let end = mpq.data_end();
        let mut out = vec![0; usize::try_from(end).unwrap_or(usize::MAX)];
        copy(mpq.source.as_ref(), 0, &mut out)?;
        let mut tail =
            vec![0; usize::try_from(mpq.source.len().saturating_sub(mpq.tables_end().max(end))).unwrap_or(0)];
        copy(mpq.source.as_ref(), mpq.source.len() - tail.len() as u64, &mut tail)?;
        if tail.starts_with(&STRONG_SIGNATURE) {
            tail.clear();
        }
        Ok(Draft {
            mpq,
            out,
            hashes: mpq.hashes.clone(),
            blocks: mpq.blocks.clone(),
            index: mpq.index.clone(),
            indexed: Cow::Borrowed(&mpq.hashes),
            added: HashMap::new(),
            list: list.or_else(|| mpq.listing.files.is_empty().then(Vec::new)),
            attributes: attributes.and_then(|bytes| Attributes::read(&bytes, mpq.blocks.len())),
            free: Vec::new(),
            tail,
            kept: shared_places(mpq),
            unused,
            uses,
            changes: ListChanges::default(),
        })
    }

    /// Makes the changes and writes the file.
    pub(super) fn write(mut self, edits: &[Edit]) -> Result<Vec<u8>> {
        // What is removed or replaced leaves room for what is added.
        for edit in edits {
            let target = self.target(edit.name());
            target.slot.into_iter().for_each(|slot| self.release(slot));
        }
        for edit in edits {
            let target = self.target(edit.name());
            match edit {
                Edit::Put { bytes, .. } => self.put(&target, bytes)?,
                Edit::Remove { .. } if target.slot.is_some() => self.remove(&target),
                Edit::Remove { name } => {
                    let what = format!("\"{}\": the archive has no file of this name", escape(name));
                    return Err(Error::unrepresentable(what));
                }
            }
        }
        self.finish()
    }

    /// Writes the list, the attributes and the tables.
    fn finish(mut self) -> Result<Vec<u8>> {
        // Stale checksums are worse than none.
        let stale = self.attributes.is_none().then_some(ATTRIBUTES);
        for name in stale.into_iter().chain([SIGNATURE]) {
            let target = self.target(name);
            if let Some(slot) = target.slot {
                self.release(slot);
                self.remove(&target);
            }
        }
        if let Some(list) = self.list.take() {
            self.put_own(LISTFILE, &self.changes.apply(&list))?;
        }
        if let Some(mut attributes) = self.attributes.take() {
            attributes.resize(self.blocks.len());
            self.put_own(ATTRIBUTES, &attributes.write())?;
        }
        self.write_tables()
    }

    fn write_tables(mut self) -> Result<Vec<u8>> {
        for range in std::mem::take(&mut self.free) {
            self.out.get_mut(range).into_iter().for_each(|gone| gone.fill(0));
        }
        let start = self.mpq.start;
        let offset = |at: usize| {
            u32::try_from(at as u64 - start).map_err(|_| Error::unrepresentable("an archive of 4 GB or more"))
        };
        let mut out = self.out;
        let hash_offset = offset(out.len())?;
        put_table(&mut out, &self.hashes, b"(hash table)");
        let block_offset = offset(out.len())?;
        put_table(&mut out, &self.blocks, b"(block table)");
        let head = MpqHead {
            archive_size: offset(out.len())?,
            hash_offset,
            block_offset,
            hash_count: self.hashes.len() as u32,
            block_count: self.blocks.len() as u32,
            ..self.mpq.head
        };
        if let Some(place) = usize::try_from(start).ok().and_then(|start| out.get_mut(start..)) {
            place.get_mut(..MpqHead::SIZE).into_iter().for_each(|place| head.put(place));
        }
        out.extend_from_slice(&self.tail);
        Ok(out)
    }

    /// Finds the file of a name: by its hash, or by the name that the listing gave it.
    fn target(&self, name: &str) -> Target {
        for raw in super::spellings(name) {
            let hash = NameHash::new(&raw);
            let known = self.index.slots(hash, &self.indexed).iter().copied();
            let slots = known.chain(self.added.get(&(hash.a, hash.b)).copied());
            let live = slots.filter_map(|slot| {
                let entry = self.hashes.get(slot as usize).filter(|entry| hash.is_of(entry))?;
                self.block(entry).map(|_| (entry.locale != 0, hash.steps(slot, self.hashes.len()), slot))
            });
            if let Some((_, _, slot)) = live.min() {
                return Target { slot: Some(slot as usize), name: Some(raw.into_owned()) };
            }
        }
        if let Some(file) = self.mpq.listed_as(name)
            && self.hashes.get(file.slot as usize).is_some_and(|entry| self.block(entry).is_some())
        {
            let name = self.mpq.listing.raw(file).map(|name| name.into_owned());
            return Target { slot: Some(file.slot as usize), name };
        }
        Target { slot: None, name: Some(name.replace('/', "\\").into_bytes()) }
    }

    fn block(&self, entry: &HashEntry) -> Option<usize> {
        block_of(entry, self.blocks.len()).filter(|block| self.blocks.get(*block).is_some_and(Block::is_file))
    }

    /// Gives the place of a file free, if no other file uses it.
    fn release(&mut self, slot: usize) {
        let Some(block) = self.hashes.get(slot).and_then(|entry| self.block(entry)) else { return };
        let Some(range) = self.place(block) else { return };
        let alone = self.uses.get(block) == Some(&1);
        if alone && self.kept.get_mut(block).is_some_and(|kept| !std::mem::replace(kept, true)) {
            self.free.push(range);
        }
    }

    /// Returns where a block is in the file, if all of it is below the end of the data.
    fn place(&self, block: usize) -> Option<Range<usize>> {
        let found = self.blocks.get(block)?;
        let start = usize::try_from(absolute(self.mpq.start, found.offset, None)).ok()?;
        let end = start.checked_add(found.packed as usize)?;
        (end <= self.out.len() && start < end).then_some(start..end)
    }

    /// Writes a file of the archive's own, kept as it was kept.
    fn put_own(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let target = self.target(name);
        target.slot.into_iter().for_each(|slot| self.release(slot));
        self.put_file(&target, bytes)
    }

    fn put(&mut self, target: &Target, bytes: &[u8]) -> Result<()> {
        self.put_file(target, bytes)?;
        target.name.iter().for_each(|name| self.changes.add(name));
        Ok(())
    }

    fn put_file(&mut self, target: &Target, bytes: &[u8]) -> Result<()> {
        let old = target.slot.and_then(|slot| self.hashes.get(slot)).and_then(|entry| self.block(entry));
        let flags =
            old.and_then(|block| self.blocks.get(block)).map_or(Block::COMPRESSED, |block| block.flags);
        // Without the name there is no key.
        let flags = if target.name.is_some() { flags } else { flags & !(Block::ENCRYPTED | Block::FIX_KEY) };
        let packed = Packed::new(bytes, flags, usize::try_from(self.mpq.sector).unwrap_or(usize::MAX))?;
        let at = self.allot(packed.len());
        let offset = u32::try_from(at as u64 - self.mpq.start);
        let offset = offset.map_err(|_| Error::unrepresentable("an archive of 4 GB or more"))?;
        let (block, data) = packed.at(offset, target.name.as_deref().unwrap_or(&[]));
        self.out.get_mut(at..at + data.len()).into_iter().for_each(|place| place.copy_from_slice(&data));
        let index = match old {
            Some(old) if self.uses.get(old) == Some(&1) => old,
            _ => {
                old.and_then(|old| self.uses.get_mut(old)).into_iter().for_each(|uses| *uses -= 1);
                self.unused_block()
            }
        };
        if let (Some(place), Some(uses)) = (self.blocks.get_mut(index), self.uses.get_mut(index)) {
            (*place, *uses) = (block, 1);
        }
        let slot = match target.slot {
            Some(slot) => slot,
            None => self.insert(target.name.as_deref().unwrap_or(&[]))?,
        };
        if let Some(entry) = self.hashes.get_mut(slot) {
            entry.block = index as u32;
        }
        if let Some(attributes) = &mut self.attributes {
            attributes.resize(self.blocks.len());
            attributes.set(index, bytes);
        }
        Ok(())
    }

    fn remove(&mut self, target: &Target) {
        let Some(entry) = target.slot.and_then(|slot| self.hashes.get(slot)).copied() else { return };
        let Some(block) = self.block(&entry) else { return };
        let left = self.uses.get_mut(block).map_or(0, |uses| {
            *uses -= 1;
            *uses
        });
        if left == 0 {
            self.blocks.get_mut(block).into_iter().for_each(|block| *block = Block::default());
            self.attributes.iter_mut().for_each(|attributes| attributes.clear(block));
            self.unused.push(block);
        }
        if let Some(slot) = target.slot.and_then(|slot| self.hashes.get_mut(slot)) {
            *slot = HashEntry { block: HashEntry::DELETED, ..HashEntry::UNUSED };
        }
        target.name.iter().for_each(|name| self.changes.remove(name));
    }

    /// Returns a place for this many bytes: where a file was given up, or after all others.
    fn allot(&mut self, len: usize) -> usize {
        let fitting = self.free.iter_mut().filter(|range| range.len() >= len && len > 0);
        if let Some(range) = fitting.min_by_key(|range| range.len()) {
            let at = range.start;
            range.start += len;
            return at;
        }
        // A file that was given up at the end leaves no gap.
        while let Some(last) = self.free.iter().position(|range| range.end == self.out.len()) {
            let range = self.free.swap_remove(last);
            self.out.truncate(range.start);
        }
        let at = self.out.len();
        self.out.resize(at + len, 0);
        at
    }

    /// Returns the index of a block that holds nothing, if need be of a new one.
    fn unused_block(&mut self) -> usize {
        self.unused.pop().unwrap_or_else(|| {
            self.blocks.push(Block::default());
            self.uses.push(0);
            self.kept.push(true);
            self.blocks.len() - 1
        })
    }

    /// Makes sure that this many slots are free, if need be in a larger table.
    fn make_room(&mut self, added: usize) -> Result<()> {
        let live = self.hashes.iter().filter(|entry| self.block(entry).is_some()).count();
        if live + added < self.hashes.len() && self.hashes.len().is_power_of_two() {
            return Ok(());
        }
        let files = &self.mpq.listing.files;
        if let Some(unnamed) = files.iter().find(|file| file.origin == Origin::Made) {
            let what = format!(
                "the hash table is full and cannot grow: \"{}\" and possibly others have no known name",
                self.mpq.listing.name(unnamed)
            );
            return Err(Error::unrepresentable(what));
        }
        let count = ((live + added + 1) * 4 / 3).next_power_of_two().max(NEW_SLOTS as usize);
        let old = std::mem::replace(&mut self.hashes, vec![HashEntry::UNUSED; count]);
        for file in files {
            let (Some(name), Some(entry)) = (self.mpq.listing.raw(file), old.get(file.slot as usize)) else {
                continue;
            };
            let slot = self.free_slot(NameHash::new(&name).slot);
            self.hashes.get_mut(slot).into_iter().for_each(|slot| *slot = *entry);
        }
        self.index = Index::new(&self.hashes, self.blocks.len());
        self.indexed = Cow::Owned(self.hashes.clone());
        Ok(())
    }

    /// Returns the first slot without a file from this one on; the table has one.
    fn free_slot(&self, start: u32) -> usize {
        let count = self.hashes.len().max(1);
        let start = start as usize % count;
        let free =
            |slot: &usize| self.hashes.get(*slot).is_some_and(|entry| entry.block >= HashEntry::DELETED);
        (start..count).chain(0..start).find(free).unwrap_or(start)
    }

    /// Adds an entry for a new name. Its block is not set yet.
    fn insert(&mut self, name: &[u8]) -> Result<usize> {
        let hash = NameHash::new(name);
        let slot = self.free_slot(hash.slot);
        match self.hashes.get_mut(slot) {
            Some(entry) if entry.block >= HashEntry::DELETED => {
                *entry = HashEntry { a: hash.a, b: hash.b, locale: 0, platform: 0, block: HashEntry::FREE };
                self.added.insert((hash.a, hash.b), slot as u32);
                Ok(slot)
            }
            _ => Err(Error::unrepresentable("the hash table is full")),
        }
    }
}

/// Returns which blocks share bytes with others.
fn shared_places(mpq: &Mpq) -> Vec<bool> {
    let mut shared = vec![false; mpq.blocks.len()];
    let place = |(index, block): (usize, &Block)| {
        let start = mpq.offset_of(index);
        block.is_file().then_some((start, start + u64::from(block.packed), index))
    };
    let mut places: Vec<_> = mpq.blocks.iter().enumerate().filter_map(place).collect();
    places.sort_unstable();
    // The one that reaches furthest so far: what begins before its end shares bytes with it.
    let mut furthest = (mpq.start + MpqHead::SIZE as u64, None);
    for (start, end, index) in places {
        if start < furthest.0 {
            for index in furthest.1.into_iter().chain([index]) {
                shared.get_mut(index).into_iter().for_each(|shared| *shared = true);
            }
        }
        if end > furthest.0 {
            furthest = (end, Some(index));
        }
    }
    shared
}

/// Appends an encrypted table.
fn put_table<T: Wire>(out: &mut Vec<u8>, rows: &[T], name: &[u8]) {
    let start = out.len();
    put_array(out, rows);
    out.get_mut(start..).into_iter().for_each(|table| encrypt(table, hash(name, HashKind::Key)));
}

impl Mpq {
    /// Returns where new files may begin: in place of the tables, if these follow all files, otherwise after everything.
    fn data_end(&self) -> u64 {
        let [hash, block] = self.table_places();
        let tables = hash.min(block).max(self.start + MpqHead::SIZE as u64);
        let end_of =
            |(index, block): (usize, &Block)| self.offset_of(index).saturating_add(block.packed.into());
        let files = self.blocks.iter().enumerate().filter(|(_, block)| block.is_file() && block.packed > 0);
        let last = files.map(end_of).max().unwrap_or(0);
        if last <= tables { tables.min(self.source.len()) } else { self.source.len() }
    }
}
