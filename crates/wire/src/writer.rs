//! Writing offset formats: reserve every range first ([`Plan`]), then fill the ranges ([`Writer`]).

use crate::{Error, Gap, Offset, Result, Wire};

/// Reserves ranges one after the other. Nothing is written yet, so every offset is known before the first byte.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plan {
    at: usize,
}

impl Plan {
    /// Returns a plan that starts at this offset.
    pub fn new(start: usize) -> Self {
        Plan { at: start }
    }

    /// Reserves `len` bytes and returns where they begin.
    pub fn block(&mut self, len: usize) -> usize {
        let start = self.at;
        self.at = self.at.saturating_add(len);
        start
    }

    /// Reserves room for one record.
    pub fn record<T: Wire>(&mut self) -> usize {
        self.block(T::SIZE)
    }

    /// Reserves room for `count` records.
    pub fn array<T: Wire>(&mut self, count: usize) -> usize {
        self.block(T::SIZE.saturating_mul(count))
    }

    /// Skips to the next multiple of `to`.
    pub fn align(&mut self, to: usize) -> usize {
        self.at = self.at.next_multiple_of(to.max(1));
        self.at
    }

    /// Returns where the next block would begin; at the end, the length of the file.
    pub fn len(&self) -> usize {
        self.at
    }

    /// Returns `true` if nothing has been reserved.
    pub fn is_empty(&self) -> bool {
        self.at == 0
    }
}

/// A file of known length, filled range by range. Bytes that are not filled are zero.
#[derive(Debug, Clone)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// Returns a file of `len` zero bytes.
    pub fn new(len: usize) -> Self {
        Writer { out: vec![0; len] }
    }

    fn slot(&mut self, at: usize, len: usize) -> Result<&mut [u8]> {
        // Nothing can be read from anywhere, so nothing can be written to anywhere.
        if len == 0 {
            return Ok(&mut []);
        }
        at.checked_add(len).and_then(|end| self.out.get_mut(at..end)).ok_or_else(|| {
            Error::unrepresentable(format!("{len} bytes at 0x{at:X} lie outside the planned file"))
        })
    }

    /// Returns a range of the file, to be filled in place.
    pub fn slice(&mut self, at: usize, len: usize) -> Result<&mut [u8]> {
        self.slot(at, len)
    }

    /// Writes one record at its place.
    pub fn put<T: Wire>(&mut self, at: usize, value: &T) -> Result<()> {
        value.put(self.slot(at, T::SIZE)?);
        Ok(())
    }

    /// Writes records that follow each other.
    ///
    /// A table without entries takes no space, so its offset does not matter.
    pub fn array<T: Wire>(&mut self, at: usize, values: &[T]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        T::put_all(values, self.slot(at, values.len().saturating_mul(T::SIZE))?);
        Ok(())
    }

    /// Writes raw bytes.
    pub fn bytes(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        self.slot(at, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Writes kept gaps back to their places.
    pub fn gaps(&mut self, gaps: &[Gap]) -> Result<()> {
        gaps.iter().try_for_each(|gap| self.bytes(gap.offset as usize, &gap.bytes))
    }

    /// Returns the finished file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Returns a count or size as the 32 bits the format has for it.
    pub fn count(n: usize, what: &'static str) -> Result<u32> {
        u32::try_from(n)
            .map_err(|_| Error::unrepresentable(format!("{n} {what} are more than 32 bits can count")))
    }

    /// Returns an offset in the file as the 32 bits the format has for it.
    pub fn offset(at: usize) -> Result<Offset> {
        Self::count(at, "bytes").map(Offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planned_file_is_filled_in_any_order() {
        let mut plan = Plan::new(0);
        let head = plan.record::<u32>();
        plan.align(16);
        let table = plan.array::<u16>(3);
        let mut writer = Writer::new(plan.len());
        writer.array(table, &[1u16, 2, 3]).unwrap();
        writer.put(head, &Writer::offset(table).unwrap()).unwrap();
        assert_eq!(writer.into_bytes(), [16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0]);
    }

    #[test]
    fn writing_outside_the_plan_is_an_error() {
        let mut writer = Writer::new(4);
        assert!(writer.put(2, &7u32).is_err());
        assert!(writer.put(usize::MAX, &7u32).is_err());
        assert!(writer.array::<u32>(usize::MAX, &[]).is_ok());
    }
}
