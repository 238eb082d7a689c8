//! Packs one file into sectors.

use galatea_wire::zlib::deflate;
use galatea_wire::{Error, Result, put_array};

use super::codec::ZLIB;
use super::crypt::encrypt;
use super::file::file_key;
use super::wire::Block;

/// A file that is packed, but not yet encrypted: the key may depend on where it will be.
#[derive(Debug)]
pub(super) struct Packed {
    /// Offsets of the sectors, empty if they are not packed.
    offsets: Vec<u32>,
    sectors: Vec<Vec<u8>>,
    size: u32,
    flags: u32,
}

impl Packed {
    /// Packs a file. Of the flags, those that say how it is packed and encrypted are used.
    pub(super) fn new(bytes: &[u8], flags: u32, sector: usize) -> Result<Packed> {
        let size = u32::try_from(bytes.len()).ok();
        let size =
            size.ok_or_else(|| Error::unrepresentable("a file of 4 GB or more does not fit into an MPQ"))?;
        // Whatever was imploded becomes zlib, which every version of the game reads.
        let packed = flags & (Block::COMPRESSED | Block::IMPLODED) != 0;
        let kept = flags & (Block::ENCRYPTED | Block::FIX_KEY);
        let flags = Block::EXISTS | kept | if packed { Block::COMPRESSED } else { 0 };
        let mut sectors = Vec::new();
        for plain in bytes.chunks(sector.max(1)) {
            let zlib = if packed { [&[ZLIB], deflate(plain)?.as_slice()].concat() } else { Vec::new() };
            let smaller = packed && zlib.len() < plain.len();
            sectors.push(if smaller { zlib } else { plain.to_vec() });
        }
        let mut offsets = Vec::new();
        if packed && !bytes.is_empty() {
            let mut at = (sectors.len() + 1) * 4;
            for sector in &sectors {
                offsets.push(at);
                at += sector.len();
            }
            offsets.push(at);
        }
        let offsets: Result<Vec<u32>, _> = offsets.into_iter().map(u32::try_from).collect();
        let offsets =
            offsets.map_err(|_| Error::unrepresentable("a file of 4 GB or more does not fit into an MPQ"))?;
        Ok(Packed { offsets, sectors, size, flags })
    }

    /// Returns the bytes that the file takes.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() * 4 + self.sectors.iter().map(Vec::len).sum::<usize>()
    }

    /// Returns the block and the bytes of the file at this offset from the head.
    pub(super) fn at(mut self, offset: u32, name: &[u8]) -> (Block, Vec<u8>) {
        let block = Block { offset, packed: self.len() as u32, size: self.size, flags: self.flags };
        let mut out = Vec::with_capacity(self.len());
        put_array(&mut out, &self.offsets);
        if block.has(Block::ENCRYPTED) {
            let key = file_key(name, &block);
            encrypt(&mut out, key.wrapping_sub(1));
            for (index, sector) in self.sectors.iter_mut().enumerate() {
                encrypt(sector, key.wrapping_add(index as u32));
            }
        }
        self.sectors.iter().for_each(|sector| out.extend_from_slice(sector));
        (block, out)
    }
}
