//! MPQ as an archive like any other.

use std::sync::Arc;

use galatea_wire::{Error, Limits, Report, Result};

use super::listing::{Listed, Origin};
use super::wire::Block;
use super::write::Draft;
use super::{Mpq, read};
use crate::archive::no_entry;
use crate::rewrite::Rewrite;
use crate::{Archive, Edit, Entry, Kind, Locator, ReadAt, Storage};

impl Mpq {
    fn listed(&self, index: usize) -> Option<(&Listed, &Block)> {
        let file = self.listing.files.get(index)?;
        Some((file, self.blocks.get(file.block as usize)?))
    }
}

impl Archive for Mpq {
    fn kind(&self) -> Kind {
        Kind::Mpq
    }

    fn version(&self) -> String {
        format!("MPQ {}", self.tables64.as_ref().map_or(0, |_| self.head.version))
    }

    fn len(&self) -> usize {
        self.listing.files.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let (file, block) = self.listed(index)?;
        let name = self.listing.shown(file, self.hashes.get(file.slot as usize));
        let storage = match block {
            block if block.has(Block::ENCRYPTED) => Storage::Encrypted,
            block if block.has(Block::COMPRESSED | Block::IMPLODED) => Storage::Packed,
            _ => Storage::Stored,
        };
        let packed = if storage == Storage::Stored { block.size } else { block.packed };
        // The offset of an empty file means nothing.
        let offset = self.offset_of(file.block as usize);
        let offset = if block.size == 0 { offset.min(self.source.len()) } else { offset };
        let entry = Entry::stored(name, offset, block.size.into());
        Some(entry.with_storage(storage, packed.into()).with_nameless(file.origin == Origin::Made))
    }

    fn find(&self, name: &str) -> Option<usize> {
        let (slot, block) = self.lookup_any(name.trim_start_matches(['/', '\\']))?;
        self.listing.files.binary_search_by_key(&(block, slot), |file| (file.block, file.slot)).ok()
    }

    fn find_unlisted(&self, name: &str) -> Option<usize> {
        self.find(name)
    }

    fn source_of(&self, _index: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn read_entry(&self, index: usize, limits: &Limits) -> Result<Vec<u8>> {
        let (file, _) = self.listed(index).ok_or_else(|| no_entry(index, self.len()))?;
        let name = self.listing.raw(file);
        match self.reader(file.block as usize, name.as_deref()) {
            Some(reader) => {
                reader.read(limits).map_err(|error| read::in_file(error, &self.listing.name(file)))
            }
            None => Err(no_entry(index, self.len())),
        }
    }

    fn locator(&self, index: usize) -> Option<Locator> {
        self.locate(index)
    }

    fn check(&self) -> Report {
        super::check::check(self)
    }

    fn write(&self) -> Result<Vec<u8>> {
        Rewrite::default().write(self.source.as_ref())
    }

    fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        if edits.is_empty() {
            return self.write();
        }
        let bytes = Draft::new(self, edits)?.write(edits)?;
        if read::start_of(&bytes)? != self.start {
            let what = "a decoy before the archive would be taken for it after this change";
            return Err(Error::unrepresentable(what));
        }
        Ok(bytes)
    }
}
