//! Where the bytes of an archive come from.

use std::fmt;
use std::io;
use std::sync::Arc;

/// Bytes that can be read at any place, such as a file. Archives larger than memory are read through this.
pub trait ReadAt: fmt::Debug + Send + Sync {
    /// Returns the number of bytes.
    fn len(&self) -> u64;

    /// Fills the buffer with the bytes at this offset. Fails if there are fewer.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Returns `true` if there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl ReadAt for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        let found = start.and_then(|start| self.get(start..)?.get(..buffer.len()));
        let found = found.ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(found);
        Ok(())
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        ReadAt::len(self.as_slice())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.as_slice().read_at(offset, buffer)
    }
}

/// A range of another source: an entry that is stored as it is, opened without reading it.
#[derive(Debug, Clone)]
pub struct Part {
    source: Arc<dyn ReadAt>,
    offset: u64,
    len: u64,
}

impl Part {
    /// Returns the `len` bytes at `offset`; `None` if the source ends before that.
    pub fn new(source: Arc<dyn ReadAt>, offset: u64, len: u64) -> Option<Part> {
        (offset.checked_add(len)? <= source.len()).then_some(Part { source, offset, len })
    }
}

impl ReadAt for Part {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.source.read_at(self.offset + offset, buffer)
    }
}

/// The files beside an archive, for those that are spread over several: a KEY with its BIFs, the folder of a CASC storage.
pub trait Files: fmt::Debug + Send + Sync {
    /// Returns a file by its path below the folder of the archive, separated by `/`, ignoring case; `None` if there is
    /// none, or if the path leads out of the folder.
    fn file(&self, path: &str) -> io::Result<Option<Arc<dyn ReadAt>>>;

    /// Returns the names of the files in a folder below that of the archive (`""` is that folder itself), without their folders.
    fn names(&self, folder: &str) -> io::Result<Vec<String>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_where_it_was_said_to_end() {
        let whole: Arc<dyn ReadAt> = Arc::new(b"abcdefgh".to_vec());
        let part = Part::new(Arc::clone(&whole), 2, 4).unwrap();
        let mut buffer = [0; 4];
        part.read_at(0, &mut buffer).unwrap();
        assert_eq!((&buffer, part.len()), (b"cdef", 4));
        assert!(part.read_at(1, &mut buffer).is_err());
        assert!(part.read_at(u64::MAX, &mut buffer).is_err());
        assert!(Part::new(Arc::clone(&whole), 5, 4).is_none());
        assert!(Part::new(whole, u64::MAX, 2).is_none());
    }
}
