//! A file while it is written: filled in place by place, or compared with what is there.

use galatea_wire::{Error, Result, Wire};

/// A file that is filled in, then perhaps compared with what went in.
pub(super) struct Out<'a> {
    pub(super) bytes: &'a mut Vec<u8>,
    /// How long it will be.
    pub(super) len: usize,
    /// Up to here there is room that can simply be written to.
    room: usize,
    /// What was put last while comparing, and its place.
    pub(super) compared: Option<(usize, Vec<u8>)>,
    pub(super) differs: bool,
}

/// How far ahead of what is written there is room: near enough to be in the fastest memory still.
const AHEAD: usize = 1 << 13;

impl<'a> Out<'a> {
    /// A file of zeros.
    pub(super) fn new(bytes: &'a mut Vec<u8>, len: usize) -> Self {
        bytes.clear();
        bytes.reserve_exact(len);
        Out { bytes, len, room: 0, compared: None, differs: false }
    }

    /// Ends the file: what was not written is zero.
    pub(super) fn finish(&mut self) {
        self.bytes.resize(self.len, 0);
        self.compare();
    }

    /// The finished file again, but from here on nothing is written any more; what would be is compared with what is there.
    pub(super) fn verify(&mut self) -> &mut Self {
        self.room = 0;
        self.compared = Some((0, Vec::new()));
        self
    }

    /// Compares what was put last.
    fn compare(&mut self) {
        if let Some((at, put)) = &self.compared {
            self.differs |= self.bytes.get(*at..*at + put.len()) != Some(put);
        }
    }

    /// Fills a range by means of a function, or compares what the function gives.
    #[inline(always)]
    pub(super) fn range(&mut self, at: usize, len: usize, fill: impl FnOnce(&mut [u8])) -> Result<()> {
        let end = at.saturating_add(len);
        let slot = if end > self.room { self.beyond(at, end)? } else { self.bytes.get_mut(at..end) };
        slot.map(fill);
        Ok(())
    }

    /// A range where there is no room: makes some or, while comparing, gives some elsewhere.
    #[cold]
    fn beyond(&mut self, at: usize, end: usize) -> Result<Option<&mut [u8]>> {
        if end > self.len {
            let len = end - at;
            return Err(Error::unrepresentable(format!(
                "{len} bytes at 0x{at:X} lie outside the planned file"
            )));
        }
        self.compare();
        if let Some(compared) = &mut self.compared {
            *compared = (at, self.bytes.get(at..end).unwrap_or(&[]).to_vec());
            return Ok(Some(&mut compared.1));
        }
        self.room = end.saturating_add(AHEAD).min(self.len);
        self.bytes.resize(self.room, 0);
        Ok(self.bytes.get_mut(at..end))
    }

    #[inline(always)]
    pub(super) fn put<T: Wire>(&mut self, at: usize, value: &T) -> Result<()> {
        self.range(at, T::SIZE, |slot| value.put(slot))
    }

    pub(super) fn array<T: Wire>(&mut self, at: usize, values: &[T]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        self.range(at, values.len().saturating_mul(T::SIZE), |slot| T::put_all(values, slot))
    }

    /// Values that are made on the way.
    pub(super) fn each<T: Wire>(
        &mut self,
        at: usize,
        count: usize,
        values: impl Iterator<Item = T>,
    ) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.range(at, count.saturating_mul(T::SIZE), |slot| put_each(slot, values))
    }

    pub(super) fn bytes(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        self.range(at, bytes.len(), |slot| slot.copy_from_slice(bytes))
    }

    pub(super) fn cstr(&mut self, at: usize, text: &[u8]) -> Result<()> {
        self.bytes(at, text)?;
        self.put(at + text.len(), &0u8)
    }
}

/// Writes values one after the other.
#[inline(always)]
pub(super) fn put_each<T: Wire>(slot: &mut [u8], values: impl Iterator<Item = T>) {
    for (value, chunk) in values.zip(slot.chunks_exact_mut(T::SIZE)) {
        value.put(chunk);
    }
}
