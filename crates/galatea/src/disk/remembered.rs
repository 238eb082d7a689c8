//! An archive whose entries are found by its index in the user's cache: its directory is read only if more is asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use galatea_archive::{Archive, Edit, Entry, Files, Kind, Locator, ReadAt, Recall, Storage};
use galatea_wire::{Error, Limits, Report, Result};

use super::archive_folder::{key, safe};
use super::index_file::{Broken, IndexFile, Record, alias_hash, name_hash};

/// An archive that is known by its index.
#[derive(Debug)]
pub(super) struct Remembered {
    index: IndexFile,
    recall: &'static Recall,
    source: Arc<dyn ReadAt>,
    files: Arc<dyn Files>,
    /// The archive itself, opened when the index does not suffice.
    whole: OnceLock<Result<Box<dyn Archive>>>,
    /// Entries that were looked up.
    found: Mutex<HashMap<usize, Arc<Record>>>,
    /// Files that hold entries, opened once.
    parts: Mutex<HashMap<String, Arc<dyn ReadAt>>>,
}

/// What an index knows of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The entry that it means.
    Entry(usize),
    /// That there is none.
    Nothing,
    /// That only the archive can tell.
    Unclear,
    /// Nothing: the index is damaged.
    Broken,
}

impl Remembered {
    /// Returns the archive of an index; `None` for containers whose entries are not read without a directory.
    pub(super) fn new(
        index: IndexFile,
        source: Arc<dyn ReadAt>,
        files: Arc<dyn Files>,
    ) -> Option<Remembered> {
        let recall = index.format.recall?;
        let (whole, found, parts) = (OnceLock::new(), Mutex::default(), Mutex::default());
        Some(Remembered { index, recall, source, files, whole, found, parts })
    }

    /// Looks up a path below the archive, ignoring case.
    pub(super) fn look_up(&self, name: &str) -> Known {
        self.try_look_up(name).unwrap_or(Known::Broken)
    }

    fn try_look_up(&self, name: &str) -> std::result::Result<Known, Broken> {
        let wanted = key(name);
        let listed = self.index.find(name_hash(&wanted))?;
        if let Some(record) = listed.into_iter().find(|record| key(&safe(&record.entry())) == wanted) {
            return Ok(self.keep(record));
        }
        for alias in (self.recall.aliases)(name) {
            let mut same = self.index.find(alias_hash(alias))?;
            same.retain(|record| record.alias() == Some(alias));
            match same.pop() {
                // Which of several the game takes is for the archive to say.
                Some(_) if !same.is_empty() => return Ok(Known::Unclear),
                Some(record) => return Ok(self.keep(record)),
                None => {}
            }
        }
        Ok(Known::Nothing)
    }

    fn keep(&self, record: Record) -> Known {
        let index = record.index();
        self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(index, Arc::new(record));
        Known::Entry(index)
    }

    fn found(&self, index: usize) -> Option<Arc<Record>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).get(&index).cloned()
    }

    /// Returns `true` if the directory was read after all.
    pub(super) fn is_whole(&self) -> bool {
        self.whole.get().is_some()
    }

    fn whole(&self) -> Result<&dyn Archive> {
        let open = || {
            let (source, files) = (Arc::clone(&self.source), Some(Arc::clone(&self.files)));
            (self.index.format.open)(source, files, &Limits::default())
        };
        match self.whole.get_or_init(open) {
            Ok(archive) => Ok(archive.as_ref()),
            Err(error) => Err(error.clone()),
        }
    }

    /// Returns an entry that was looked up, with its locator and the source that holds it; `None` for others.
    fn recalled(&self, index: usize) -> Option<(Entry<'static>, Locator, Arc<dyn ReadAt>)> {
        let record = self.found(index)?;
        let locator = record.locator.clone()?;
        let source = match &locator.part {
            None => Arc::clone(&self.source),
            Some(part) => self.part(part)?,
        };
        Some((record.entry(), locator, source))
    }

    fn part(&self, name: &str) -> Option<Arc<dyn ReadAt>> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = parts.get(name) {
            return Some(Arc::clone(known));
        }
        let source = self.files.file(name).ok()??;
        parts.insert(name.to_owned(), Arc::clone(&source));
        Some(source)
    }
}

impl Archive for Remembered {
    fn kind(&self) -> Kind {
        self.index.format.kind
    }

    fn version(&self) -> String {
        self.index.version.clone()
    }

    fn len(&self) -> usize {
        self.index.entries
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        match self.found(index) {
            Some(record) => Some(record.entry()),
            None => self.whole().ok()?.entry(index),
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        match self.look_up(name) {
            Known::Entry(index) => Some(index),
            Known::Nothing => None,
            Known::Unclear | Known::Broken => self.whole().ok()?.find(name),
        }
    }

    fn find_unlisted(&self, name: &str) -> Option<usize> {
        self.whole().ok()?.find_unlisted(name)
    }

    fn source_of(&self, index: usize) -> Result<Arc<dyn ReadAt>> {
        match self.recalled(index) {
            Some((.., source)) => Ok(source),
            None => self.whole()?.source_of(index),
        }
    }

    fn read_entry(&self, index: usize, limits: &Limits) -> Result<Vec<u8>> {
        match self.recalled(index) {
            Some((entry, locator, source)) => (self.recall.read)(&source, &entry, &locator.data, limits),
            None => self.whole()?.read_entry(index, limits),
        }
    }

    fn open_entry(&self, index: usize, limits: &Limits) -> Result<Arc<dyn ReadAt>> {
        match self.recalled(index) {
            Some((entry, ..)) if entry.storage != Storage::Stored => {
                Ok(Arc::new(self.read_entry(index, limits)?))
            }
            Some((entry, _, source)) if entry.offset.saturating_add(entry.size) <= source.len() => {
                let part = galatea_archive::Part::new(source, entry.offset, entry.size);
                part.map_or_else(
                    || self.whole()?.open_entry(index, limits),
                    |part| Ok(Arc::new(part) as Arc<dyn ReadAt>),
                )
            }
            _ => self.whole()?.open_entry(index, limits),
        }
    }

    fn locator(&self, index: usize) -> Option<Locator> {
        self.whole().ok()?.locator(index)
    }

    fn parts(&self) -> Vec<String> {
        self.whole().map_or_else(|_: Error| Vec::new(), |archive| archive.parts())
    }

    fn check(&self) -> Report {
        self.whole().map_or_else(|_| Report::new(), Archive::check)
    }

    fn write(&self) -> Result<Vec<u8>> {
        self.whole()?.write()
    }

    fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        self.whole()?.edited(edits)
    }
}
