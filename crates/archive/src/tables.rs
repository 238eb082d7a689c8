//! Reads the directory of a container, from memory with claims for the inspector, or from any source.

use std::cell::Cell;
use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Reader, Result, Source, Wire};

use crate::{Archive, ReadAt};

/// A reader of tables at 64-bit offsets. The same code reads a directory for the inspector, where every table is claimed by its name,
/// and from a source that is not in memory.
#[derive(Debug)]
pub(crate) struct Tables<'a> {
    bytes: Bytes<'a>,
    /// Bytes of decoded tables that may still be allocated.
    left: Cell<u64>,
}

#[derive(Debug)]
enum Bytes<'a> {
    Source(&'a dyn ReadAt),
    Claimed(Reader<'a>),
}

/// Returns which field of an archive each byte belongs to, and the error if reading failed.
pub(crate) fn inspect<A: Archive>(
    bytes: &[u8],
    limits: &Limits,
    read: impl FnOnce(&Tables<'_>, Arc<dyn ReadAt>) -> Result<A>,
) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let tables = Tables::claiming(source.reader());
    let error = read(&tables, Arc::new(Vec::new())).and_then(|archive| tables.claim_entries(&archive)).err();
    (source.into_coverage(), error)
}

impl<'a> Tables<'a> {
    /// Reads from a source.
    pub(crate) fn new(source: &'a dyn ReadAt, limits: &Limits) -> Self {
        let len = usize::try_from(source.len()).unwrap_or(usize::MAX);
        Tables { bytes: Bytes::Source(source), left: Cell::new(limits.budget(len)) }
    }

    /// Reads from memory and claims what is read.
    pub(crate) fn claiming(reader: Reader<'a>) -> Self {
        Tables { left: Cell::new(reader.limits().budget(reader.len())), bytes: Bytes::Claimed(reader) }
    }

    /// Returns the length of the file.
    pub(crate) fn len(&self) -> u64 {
        match &self.bytes {
            Bytes::Source(source) => source.len(),
            Bytes::Claimed(reader) => reader.len() as u64,
        }
    }

    /// Returns an error at a place.
    #[cold]
    pub(crate) fn error(&self, kind: ErrorKind, at: u64, name: &'static str) -> Error {
        Error::at(kind, usize::try_from(at).unwrap_or(usize::MAX)).within(name)
    }

    /// Returns an error for a value that must be something else.
    #[cold]
    pub(crate) fn mismatch(&self, at: u64, name: &'static str, want: String, found: String) -> Error {
        self.error(ErrorKind::Mismatch { want: want.into(), found: found.into() }, at, name)
    }

    /// Takes bytes off the budget before they are allocated.
    pub(crate) fn spend(&self, bytes: u64, at: u64, name: &'static str) -> Result<()> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.ok_or_else(|| self.error(ErrorKind::Limit("decoded bytes"), at, name))?);
        Ok(())
    }

    /// Returns the bytes at a place, which are known to be there before they are allocated.
    pub(crate) fn bytes(&self, at: u64, len: u64, name: &'static str) -> Result<Vec<u8>> {
        self.items(at, len, 1, name)
    }

    fn items(&self, at: u64, count: u64, size: u64, name: &'static str) -> Result<Vec<u8>> {
        let have = self.len().saturating_sub(at);
        let len = count.checked_mul(size).filter(|len| *len <= have);
        let Some(len) = len else {
            return Err(self.error(ErrorKind::Truncated { count, size, have }, at, name));
        };
        self.spend(len, at, name)?;
        match &self.bytes {
            Bytes::Source(source) => {
                let mut out = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
                let failed = |e: std::io::Error| self.error(ErrorKind::Io(e.to_string().into()), at, name);
                source.read_at(at, &mut out).map_err(failed)?;
                Ok(out)
            }
            Bytes::Claimed(reader) => Ok(reader.bytes(at as usize, len as usize, name)?.to_vec()),
        }
    }

    /// Reads one record.
    pub(crate) fn at<T: Wire>(&self, at: u64, name: &'static str) -> Result<T> {
        match &self.bytes {
            Bytes::Claimed(reader) => reader.at(usize::try_from(at).unwrap_or(usize::MAX), name),
            Bytes::Source(_) => Ok(T::get(&self.items(at, 1, T::SIZE as u64, name)?)),
        }
    }

    /// Reads records that follow each other.
    pub(crate) fn array<T: Wire>(&self, at: u64, count: u64, name: &'static str) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        match &self.bytes {
            Bytes::Claimed(reader) => {
                let place = usize::try_from(at).unwrap_or(usize::MAX);
                reader.array(place, usize::try_from(count).unwrap_or(usize::MAX), name)
            }
            Bytes::Source(_) => {
                let have = self.len().saturating_sub(at);
                let size = T::SIZE as u64;
                if count.checked_mul(size).is_none_or(|len| len > have) {
                    return Err(self.error(ErrorKind::Truncated { count, size, have }, at, name));
                }
                // The raw bytes live only as long as they are decoded.
                self.spend(count * size_of::<T>() as u64, at, name)?;
                let mut out = vec![T::ZERO; count as usize];
                let mut place = at;
                for part in out.chunks_mut(CHUNK) {
                    let mut raw = vec![0; part.len() * T::SIZE];
                    self.fill(place, &mut raw, name)?;
                    T::get_all(&raw, part);
                    place += raw.len() as u64;
                }
                Ok(out)
            }
        }
    }

    /// Returns the first bytes at a place without claiming them; `None` if the file ends before that.
    pub(crate) fn start_of<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut found = [0; N];
        match &self.bytes {
            Bytes::Claimed(reader) => found.copy_from_slice(reader.peek(usize::try_from(at).ok()?, N)?),
            Bytes::Source(source) => source.read_at(at, &mut found).ok()?,
        }
        Some(found)
    }

    /// Reads records that follow each other, after their bytes were decoded in place.
    pub(crate) fn decoded<T: Wire>(
        &self,
        at: u64,
        count: u64,
        name: &'static str,
        decode: impl FnOnce(&mut [u8]),
    ) -> Result<Vec<T>> {
        let mut raw = self.items(at, count, T::SIZE as u64, name)?;
        decode(&mut raw);
        // As many bytes as the raw ones, which are gone when this returns.
        let mut out = vec![T::ZERO; raw.len() / T::SIZE.max(1)];
        T::get_all(&raw, &mut out);
        Ok(out)
    }

    fn fill(&self, at: u64, buffer: &mut [u8], name: &'static str) -> Result<()> {
        let Bytes::Source(source) = &self.bytes else { return Ok(()) };
        source.read_at(at, buffer).map_err(|e| self.error(ErrorKind::Io(e.to_string().into()), at, name))
    }

    /// Returns bytes at a place without claiming them.
    pub(crate) fn peek(&self, at: u64, len: u64, name: &'static str) -> Result<Vec<u8>> {
        match &self.bytes {
            Bytes::Source(_) => self.items(at, len, 1, name),
            Bytes::Claimed(reader) => {
                let found = reader.peek(at as usize, len as usize);
                let have = self.len().saturating_sub(at);
                let short = || self.error(ErrorKind::Truncated { count: 1, size: len, have }, at, name);
                found.map(<[u8]>::to_vec).ok_or_else(short)
            }
        }
    }

    /// Claims the bytes of all entries, for the inspector; what lies outside the file is left alone.
    pub(crate) fn claim_entries(&self, archive: &dyn Archive) -> Result<()> {
        for index in 0..archive.len() {
            let Some(entry) = archive.entry(index) else { break };
            self.claim_range(index, entry.offset, entry.packed)?;
        }
        Ok(())
    }

    /// Claims the bytes of one entry, for the inspector.
    pub(crate) fn claim_range(&self, index: usize, at: u64, len: u64) -> Result<()> {
        if let Bytes::Claimed(reader) = &self.bytes
            && let (Ok(at), Ok(len)) = (usize::try_from(at), usize::try_from(len))
            && len > 0
            && reader.peek(at, len).is_some()
        {
            reader.enter("data", Some(index), at)?.bytes(at, len, "bytes")?;
        }
        Ok(())
    }
}

/// Records decoded at a time.
const CHUNK: usize = 4096;
