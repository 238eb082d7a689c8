//! `(attributes)`: checksums and times of all blocks.

use galatea_wire::{Wire, put_array};
use md5::{Digest, Md5};

/// The only version.
const VERSION: u32 = 100;
const CRC32: u32 = 1;
const TIME: u32 = 2;
const MD5: u32 = 4;

/// Checksums and times, one of each kind for every block, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attributes {
    flags: u32,
    crc32: Vec<u32>,
    time: Vec<u64>,
    md5: Vec<[u8; 16]>,
}

impl Attributes {
    /// Reads the attributes of this many blocks; `None` if there are others than known ones, or for another number of blocks.
    /// Some tools leave out the block of the attributes themselves, which is the last one.
    pub(super) fn read(bytes: &[u8], blocks: usize) -> Option<Self> {
        let (version, flags) = (u32::get(bytes), u32::get(bytes.get(4..)?));
        if version != VERSION || flags & !(CRC32 | TIME | MD5) != 0 {
            return None;
        }
        let size = |flag: u32, size: usize| if flags & flag != 0 { size } else { 0 };
        let row = size(CRC32, 4) + size(TIME, 8) + size(MD5, 16);
        let rest = bytes.get(8..)?;
        let count = rest.len().checked_div(row)?;
        if rest.len() != count * row || count > blocks || count + 1 < blocks {
            return None;
        }
        let (crc32, rest) = rest.split_at_checked(size(CRC32, 4) * count)?;
        let (time, md5) = rest.split_at_checked(size(TIME, 8) * count)?;
        let mut attributes = Attributes {
            flags,
            crc32: crc32.chunks_exact(4).map(u32::get).collect(),
            time: time.chunks_exact(8).map(u64::get).collect(),
            md5: md5.chunks_exact(16).map(<[u8; 16]>::get).collect(),
        };
        attributes.resize(blocks);
        Some(attributes)
    }

    /// Makes room for more blocks.
    pub(super) fn resize(&mut self, blocks: usize) {
        let len = |flag: u32| if self.flags & flag != 0 { blocks } else { 0 };
        let (crc32, time, md5) = (len(CRC32), len(TIME), len(MD5));
        self.crc32.resize(crc32, 0);
        self.time.resize(time, 0);
        self.md5.resize(md5, [0; 16]);
    }

    /// Sets the checksums of a block; its time is kept, since no other is known.
    pub(super) fn set(&mut self, block: usize, bytes: &[u8]) {
        if let Some(crc32) = self.crc32.get_mut(block) {
            let mut crc = flate2::Crc::new();
            crc.update(bytes);
            *crc32 = crc.sum();
        }
        if let Some(md5) = self.md5.get_mut(block) {
            *md5 = Md5::digest(bytes).into();
        }
    }

    /// Forgets what is known of a block.
    pub(super) fn clear(&mut self, block: usize) {
        if let Some(crc32) = self.crc32.get_mut(block) {
            *crc32 = 0;
        }
        if let Some(time) = self.time.get_mut(block) {
            *time = 0;
        }
        if let Some(md5) = self.md5.get_mut(block) {
            *md5 = [0; 16];
        }
    }

    /// Writes the file.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_array(&mut out, &[VERSION, self.flags]);
        put_array(&mut out, &self.crc32);
        put_array(&mut out, &self.time);
        put_array(&mut out, &self.md5);
        out
    }
}
