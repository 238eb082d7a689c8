//! What every container can do.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use galatea_wire::{Error, ErrorKind, Limits, Report, Result};

use crate::{Kind, Part, ReadAt, same_name};

/// How the bytes of an entry are kept in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Storage {
    /// As they are.
    Stored,
    /// Compressed.
    Packed,
    /// Encrypted, compressed or not.
    Encrypted,
    /// In a file of the archive that is not available.
    Missing,
}

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// Its path in the archive, separated by `/`. Data from the file: not safe as a path on disk.
    pub name: Cow<'a, str>,
    /// Its bytes when unpacked.
    pub size: u64,
    /// Its bytes in the archive.
    pub packed: u64,
    /// Where these begin in the archive, or in the file of it that holds the entry.
    pub offset: u64,
    /// How they are kept.
    pub storage: Storage,
    /// Whether the name was made by the reader, because the archive does not store one.
    pub nameless: bool,
}

impl<'a> Entry<'a> {
    /// Returns an entry that is kept as it is.
    pub fn stored(name: impl Into<Cow<'a, str>>, offset: u64, size: u64) -> Self {
        Entry { name: name.into(), size, packed: size, offset, storage: Storage::Stored, nameless: false }
    }

    /// Returns the same entry, kept in this way in this many bytes.
    #[must_use]
    pub fn with_storage(self, storage: Storage, packed: u64) -> Self {
        Entry { storage, packed, ..self }
    }

    /// Returns the same entry, with a name that the reader made.
    #[must_use]
    pub fn with_nameless(self, nameless: bool) -> Self {
        Entry { nameless, ..self }
    }

    /// Returns the part of the name after the last dot, in lower case; empty without one.
    pub fn extension(&self) -> String {
        let file = self.name.rsplit('/').next().unwrap_or("");
        file.rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_ascii_lowercase())
    }
}

/// How an entry is read without the directory of its archive, by [`Recall`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Locator {
    /// The file that holds the entry, by its path below the folder of the archive; `None` for the archive itself.
    pub part: Option<String>,
    /// What reading it takes beside the [`Entry`], in the words of the container.
    pub data: Vec<u8>,
    /// The number under which names that are not listed find it, as [`Recall::aliases`] gives it.
    pub alias: Option<u64>,
}

/// Returns the unpacked bytes of an entry, from the source that holds it and the data of its locator.
pub type ReadLocated = fn(&Arc<dyn ReadAt>, &Entry<'_>, &[u8], &Limits) -> Result<Vec<u8>>;

/// Reads entries by their [`Locator`], so that an index of a large archive serves without its directory.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recall {
    /// Reads an entry.
    pub read: ReadLocated,
    /// Returns the numbers that a name may have, for archives that are searched by hash; nothing for others.
    pub aliases: fn(&str) -> Vec<u64>,
}

/// A change of one entry. Names are compared ignoring case, as the games do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Replaces the entry of this name, or adds it after the others.
    Put {
        /// Its path in the archive, separated by `/`.
        name: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// Removes the entry of this name.
    Remove {
        /// Its path in the archive, separated by `/`.
        name: String,
    },
}

impl Edit {
    /// Replaces or adds an entry.
    pub fn put(name: impl Into<String>, bytes: Vec<u8>) -> Edit {
        Edit::Put { name: name.into(), bytes }
    }

    /// Removes an entry.
    pub fn remove(name: impl Into<String>) -> Edit {
        Edit::Remove { name: name.into() }
    }

    /// Returns the name of the entry.
    pub fn name(&self) -> &str {
        match self {
            Edit::Put { name, .. } | Edit::Remove { name } => name,
        }
    }
}

/// A container of files. It holds the directory; entries are read from the source when they are asked for.
pub trait Archive: fmt::Debug + Send + Sync {
    /// Returns which container it is.
    fn kind(&self) -> Kind;

    /// Returns the version or variant in the format's own words, such as `MOD V1.0`.
    fn version(&self) -> String;

    /// Returns the number of entries.
    fn len(&self) -> usize;

    /// Returns `true` if there are no entries.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an entry of the directory; `None` past the last. Reads nothing.
    fn entry(&self, index: usize) -> Option<Entry<'_>>;

    /// Returns the index of the first entry of this name, ignoring case. Archives that are searched by hash also find entries whose
    /// names they do not list.
    fn find(&self, name: &str) -> Option<usize> {
        (0..self.len()).find(|index| self.entry(*index).is_some_and(|entry| same_name(&entry.name, name)))
    }

    /// Returns the index of the entry of this name that the list of entries does not have, for archives that are searched by hash.
    fn find_unlisted(&self, name: &str) -> Option<usize> {
        let _ = name;
        None
    }

    /// Returns the source that holds the bytes of an entry: the archive itself, unless it is spread over several files.
    fn source_of(&self, index: usize) -> Result<Arc<dyn ReadAt>>;

    /// Returns the unpacked bytes of an entry. The default serves entries that are kept as they are.
    fn read_entry(&self, index: usize, limits: &Limits) -> Result<Vec<u8>> {
        let (entry, source) = self.located(index)?;
        read_stored(source.as_ref(), &entry, limits)
    }

    /// Returns an entry as a source of its own. What is kept as it is is not read, all else is unpacked into memory.
    fn open_entry(&self, index: usize, limits: &Limits) -> Result<Arc<dyn ReadAt>> {
        let (entry, source) = self.located(index)?;
        if entry.storage != Storage::Stored {
            return Ok(Arc::new(self.read_entry(index, limits)?));
        }
        let have = source.len().saturating_sub(entry.offset);
        match Part::new(source, entry.offset, entry.size) {
            Some(part) => Ok(Arc::new(part)),
            None => Err(too_short(&entry, have)),
        }
    }

    /// Returns how an entry is read without the directory; `None` if that is not possible.
    fn locator(&self, index: usize) -> Option<Locator> {
        let _ = index;
        None
    }

    /// Returns the files that the directory was read from beside the archive itself, by their paths below its folder.
    fn parts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns an entry with the source that holds it.
    fn located(&self, index: usize) -> Result<(Entry<'_>, Arc<dyn ReadAt>)> {
        let entry = self.entry(index).ok_or_else(|| no_entry(index, self.len()))?;
        let source = self.source_of(index)?;
        Ok((entry, source))
    }

    /// Checks the rules of the container. Reads the directory only, not the entries.
    fn check(&self) -> Report;

    /// Writes the archive. If nothing was changed, these are the bytes that were read.
    fn write(&self) -> Result<Vec<u8>> {
        Err(Error::unrepresentable(format!("{} archives can be read, but not written", self.kind().name())))
    }

    /// Writes the archive with changed entries. Those that are not named keep their bytes and their order.
    fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        let _ = edits;
        self.write()
    }
}

/// Returns the error for an entry that is not there.
pub(crate) fn no_entry(index: usize, len: usize) -> Error {
    let found = format!("{index} of {len}").into();
    Error::at(ErrorKind::Mismatch { want: "an entry of the archive".into(), found }, 0).within("entries")
}

/// Returns the error for an entry whose bytes are not all there.
pub(crate) fn too_short(entry: &Entry<'_>, have: u64) -> Error {
    let kind = ErrorKind::Truncated { count: 1, size: entry.packed, have };
    located(kind, entry)
}

/// Returns an error at an entry.
pub(crate) fn located(kind: ErrorKind, entry: &Entry<'_>) -> Error {
    let at = usize::try_from(entry.offset).unwrap_or(usize::MAX);
    Error::at(kind, at).within(format!("\"{}\"", galatea_wire::escape(&entry.name)))
}

/// Reads the bytes of an entry as they are kept, after seeing that they are there.
pub(crate) fn read_stored(source: &dyn ReadAt, entry: &Entry<'_>, limits: &Limits) -> Result<Vec<u8>> {
    let have = source.len().saturating_sub(entry.offset);
    if entry.packed > have {
        return Err(too_short(entry, have));
    }
    let len = usize::try_from(entry.packed).unwrap_or(usize::MAX);
    if entry.packed > limits.entry {
        return Err(located(ErrorKind::Limit("bytes of an entry"), entry));
    }
    let mut bytes = vec![0; len];
    let failed = |e: std::io::Error| located(ErrorKind::Io(e.to_string().into()), entry);
    source.read_at(entry.offset, &mut bytes).map_err(failed)?;
    Ok(bytes)
}
