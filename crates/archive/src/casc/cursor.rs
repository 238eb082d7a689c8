//! Reads big-endian values one after the other. CASC has hardly any records of fixed size, and all but the indices are big endian.

use galatea_wire::{Error, ErrorKind, Result};

/// A place in bytes that moves on with every value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Cursor { bytes, at }
    }

    /// Returns where it is.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the next bytes.
    pub(super) fn take(&mut self, len: usize, name: &'static str) -> Result<&'a [u8]> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let Some(found) = rest.get(..len) else {
            let kind = ErrorKind::Truncated { count: 1, size: len as u64, have: rest.len() as u64 };
            return Err(Error::at(kind, self.at).within(name));
        };
        self.at += len;
        Ok(found)
    }

    /// Returns the next bytes as an array.
    pub(super) fn array<const N: usize>(&mut self, name: &'static str) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, name)?);
        Ok(out)
    }

    /// Returns a number of this many bytes.
    pub(super) fn number(&mut self, bytes: usize, name: &'static str) -> Result<u64> {
        Ok(self.take(bytes, name)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    pub(super) fn u8(&mut self, name: &'static str) -> Result<u8> {
        let [byte] = self.array(name)?;
        Ok(byte)
    }

    pub(super) fn u16(&mut self, name: &'static str) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array(name)?))
    }

    pub(super) fn u32(&mut self, name: &'static str) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array(name)?))
    }

    /// Fails unless the next byte is this one.
    pub(super) fn expect(&mut self, want: u8, name: &'static str) -> Result<()> {
        let at = self.at;
        let found = self.u8(name)?;
        if found == want { Ok(()) } else { Err(mismatch(at, name, want.to_string(), found.to_string())) }
    }
}

/// Returns an error for a value that must be another one.
#[cold]
pub(super) fn mismatch(
    at: usize,
    name: &'static str,
    want: impl Into<String>,
    found: impl Into<String>,
) -> Error {
    let kind = ErrorKind::Mismatch { want: want.into().into(), found: found.into().into() };
    Error::at(kind, at).within(name)
}
