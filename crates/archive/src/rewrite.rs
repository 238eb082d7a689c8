//! Writes an archive that keeps its layout: tables from the document, everything else from where it was read.

use galatea_wire::{Error, ErrorKind, Result, Wire, put_array};

use crate::ReadAt;

/// The tables of an archive at their places, encoded from the document.
#[derive(Debug, Default)]
pub(crate) struct Rewrite {
    tables: Vec<(u64, Vec<u8>)>,
}

impl Rewrite {
    /// Puts records at a place.
    pub(crate) fn put<T: Wire>(&mut self, at: u64, records: &[T]) -> &mut Self {
        let mut bytes = Vec::new();
        put_array(&mut bytes, records);
        self.put_bytes(at, bytes)
    }

    /// Puts bytes at a place.
    pub(crate) fn put_bytes(&mut self, at: u64, bytes: Vec<u8>) -> &mut Self {
        // An empty table may be anywhere, even outside the file.
        if !bytes.is_empty() {
            self.tables.push((at, bytes));
        }
        self
    }

    /// Returns the file: the bytes of the source, with the tables in their places.
    pub(crate) fn write(&self, source: &dyn ReadAt) -> Result<Vec<u8>> {
        let len = usize::try_from(source.len()).unwrap_or(usize::MAX);
        let mut out = vec![0; len];
        copy(source, 0, &mut out)?;
        for (at, bytes) in &self.tables {
            let place = usize::try_from(*at).ok().and_then(|at| out.get_mut(at..)?.get_mut(..bytes.len()));
            match place {
                Some(place) => place.copy_from_slice(bytes),
                None => return Err(Error::unrepresentable("a table that is larger than it was")),
            }
        }
        Ok(out)
    }
}

/// Copies bytes of a source.
pub(crate) fn copy(source: &dyn ReadAt, at: u64, out: &mut [u8]) -> Result<()> {
    let place = usize::try_from(at).unwrap_or(usize::MAX);
    let failed = |e: std::io::Error| Error::at(ErrorKind::Io(e.to_string().into()), place).within("file");
    source.read_at(at, out).map_err(failed)
}
