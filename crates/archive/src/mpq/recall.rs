//! Reading a file without the tables of its archive.

use std::sync::Arc;

use galatea_wire::{Error, ErrorKind, Limits, Result, Wire, wire};

use super::file::FileReader;
use super::index::NameHash;
use super::wire::Block;
use super::{Mpq, read, spellings};
use crate::archive::located;
use crate::{Entry, Locator, ReadAt, Recall};

/// Reads files by the rows of the tables that an index has kept.
pub(crate) static RECALL: Recall = Recall { read: recall, aliases };

wire! {
    /// What reading a file takes; its name, if it is known, follows.
    struct Place(36) {
        /// Absolute offset.
        at: u64 = 0,
        /// Bytes of a sector.
        sector: u64 = 8,
        /// Its row in the block table.
        block: Block = 16,
        /// Whether the name follows.
        named: u32 = 32,
    }
}

impl Mpq {
    /// Returns how a file is read without the tables.
    pub(super) fn locate(&self, index: usize) -> Option<Locator> {
        let file = self.listing.files.get(index)?;
        let block = *self.blocks.get(file.block as usize)?;
        let name = self.listing.raw(file);
        let at = self.offset_of(file.block as usize);
        let mut data = vec![0; Place::SIZE];
        Place { at, sector: self.sector, block, named: name.is_some().into() }.put(&mut data);
        data.extend_from_slice(name.as_deref().unwrap_or(&[]));
        let entry = self.hashes.get(file.slot as usize).filter(|_| !file.is_variant());
        let alias = entry.map(|entry| alias(entry.a, entry.b));
        Some(Locator { data, alias, ..Locator::default() })
    }
}

fn recall(source: &Arc<dyn ReadAt>, entry: &Entry<'_>, data: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let Some((place, name)) = data.split_at_checked(Place::SIZE) else {
        let (size, have) = (Place::SIZE as u64, data.len() as u64);
        return Err(located(ErrorKind::Truncated { count: 1, size, have }, entry));
    };
    let Place { at, sector, block, named } = Place::get(place);
    let reader = FileReader { source, at, block, sector, name: (named != 0).then_some(name) };
    reader.read(limits).map_err(|error: Error| read::in_file(error, &entry.name))
}

fn aliases(name: &str) -> Vec<u64> {
    let hashes =
        spellings(name.trim_start_matches(['/', '\\'])).map(|raw| NameHash::new(&raw)).collect::<Vec<_>>();
    hashes.into_iter().map(|hash| alias(hash.a, hash.b)).collect()
}

fn alias(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}
