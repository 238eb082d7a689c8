//! A file that is written block by block, in any order, or compared with existing bytes.

use galatea_wire::{Error, Result, Wire};

/// A file of known length.
pub(super) struct Out<'a> {
    bytes: &'a mut [u8],
    comparing: bool,
    differs: bool,
    overrun: bool,
}

impl<'a> Out<'a> {
    /// Returns a file of zeros that is written in the allocation of `bytes`.
    pub(super) fn zeroed(bytes: &'a mut Vec<u8>, len: usize) -> Self {
        bytes.clear();
        bytes.resize(len, 0);
        Out { bytes, comparing: false, differs: false, overrun: false }
    }

    /// Returns a finished file that is only compared with what would be written.
    pub(super) fn comparing(bytes: &'a mut [u8]) -> Self {
        Out { bytes, comparing: true, differs: false, overrun: false }
    }

    /// Writes, or compares, the `len` bytes at `at`.
    #[inline(always)]
    pub(super) fn fill(&mut self, at: usize, len: usize, fill: impl FnOnce(&mut [u8])) {
        // The places of empty blocks have no meaning.
        if len == 0 {
            return;
        }
        match self.bytes.get_mut(at..at.saturating_add(len)) {
            Some(range) if !self.comparing => fill(range),
            Some(range) => self.differs |= differs(range, fill),
            None => self.overrun = true,
        }
    }

    /// Writes a value.
    #[inline(always)]
    pub(super) fn put<T: Wire>(&mut self, at: usize, value: &T) {
        self.fill(at, T::SIZE, |bytes| value.put(bytes));
    }

    /// Ends the file. Returns `false` if it was compared and differs.
    pub(super) fn finish(self) -> Result<bool> {
        if self.overrun {
            return Err(Error::unrepresentable("a block was planned to end beyond the file"));
        }
        Ok(!self.differs)
    }
}

/// Returns `true` if filling these bytes would change them.
#[cold]
#[inline(never)]
fn differs(bytes: &[u8], fill: impl FnOnce(&mut [u8])) -> bool {
    let mut filled = bytes.to_vec();
    fill(&mut filled);
    filled != bytes
}
