//! Where an archive and its blocks are in the file.

use super::Tables64;

/// The head is at a multiple of this.
pub(super) const STEP: u64 = 512;

/// Returns an absolute offset. Without high bits, offsets wrap around as those of the game do.
pub(super) fn absolute(start: u64, offset: u32, high: Option<u16>) -> u64 {
    match high {
        None => u64::from((start as u32).wrapping_add(offset)),
        Some(high) => start + (u64::from(high) << 32 | u64::from(offset)),
    }
}

/// Returns the bits 32 to 47 of the offset of a block, if the archive has them.
pub(super) fn high_bits(tables64: Option<&Tables64>, block: usize) -> Option<u16> {
    tables64.map(|tables| tables.high_offsets.get(block).copied().unwrap_or(0))
}
