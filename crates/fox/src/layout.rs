//! What is remembered of a file beyond its meaning, so that it can be written back byte for byte.

use galatea_wire::Gap;

use crate::tables::Tables;
use crate::wire::{DataDescriptor, Header, TableDescriptor};

/// Where everything is in a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    pub(crate) header: Header,
    pub(crate) tables: Vec<TableDescriptor>,
    pub(crate) data: Vec<DataDescriptor>,
    /// Length of the file.
    pub(crate) len: usize,
    /// Bytes that no record holds, and whole vertices where elements leave bytes between them free.
    pub(crate) gaps: Vec<Gap>,
}

impl Places {
    /// Returns where the first section-0 block with this id begins in the file.
    pub(crate) fn table(&self, id: u8) -> Option<usize> {
        let found = self.tables.iter().find(|d| d.id == id)?;
        (self.header.section_0.0 as usize).checked_add(found.offset.0 as usize)
    }

    /// Returns where the first section-1 block with this id begins in the file.
    pub(crate) fn data(&self, id: u32) -> Option<usize> {
        let found = self.data.iter().find(|d| d.id == id)?;
        (self.header.section_1.0 as usize).checked_add(found.offset.0 as usize)
    }
}

/// The tables and places of the file that a document was read from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    pub(crate) original: Option<Box<Original>>,
}

/// A file as it was.
#[derive(Debug, Clone)]
pub(crate) struct Original {
    pub(crate) tables: Tables,
    pub(crate) places: Places,
    /// [`Fmdl::fingerprint`](crate::Fmdl) of the document right after reading: while it holds, so do the tables.
    pub(crate) fingerprint: u64,
    /// Whether two things lie on the same bytes, so that changing one would change the other.
    pub(crate) shared: bool,
}
