//! Layers of a store that are folders and archives.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::archive_folder::ArchiveFolder;
use super::source::without_case;
use super::{archive, is_file, read, walk};
use crate::store::Layer;

/// Files of a folder by their names alone, as KotOR looks them up.
#[derive(Debug)]
pub struct NamesLayer {
    folder: PathBuf,
    /// Whether those in its folders count.
    deep: bool,
    names: OnceLock<HashMap<String, PathBuf>>,
}

impl NamesLayer {
    /// Returns the files of a folder; `deep` takes those of its folders after them.
    pub fn new(folder: impl Into<PathBuf>, deep: bool) -> NamesLayer {
        NamesLayer { folder: folder.into(), deep, names: OnceLock::new() }
    }

    fn list(&self) -> HashMap<String, PathBuf> {
        let mut paths = Vec::new();
        if self.deep {
            walk(&self.folder, &mut |path| paths.push(path));
        } else {
            let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
            paths.extend(entries.filter(is_file).map(|entry| entry.path()));
        }
        // The folder itself goes before those in it, and these go by name.
        paths.sort_by(|a, b| (a.components().count(), a).cmp(&(b.components().count(), b)));
        let mut names = HashMap::new();
        for path in paths {
            if let Some(name) = path.file_name() {
                names.entry(name.to_string_lossy().to_lowercase()).or_insert(path);
            }
        }
        names
    }
}

impl Layer for NamesLayer {
    fn label(&self) -> String {
        self.folder.display().to_string()
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        self.names.get_or_init(|| self.list()).get(&name.to_lowercase()).cloned()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read(path)
    }
}

/// Files of a folder by their paths below it.
#[derive(Debug)]
pub struct FolderLayer {
    folder: PathBuf,
}

impl FolderLayer {
    /// Returns the files below a folder.
    pub fn new(folder: impl Into<PathBuf>) -> FolderLayer {
        FolderLayer { folder: folder.into() }
    }
}

impl Layer for FolderLayer {
    fn label(&self) -> String {
        self.folder.display().to_string()
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        without_case(&self.folder, name).filter(|path| path.is_file())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read(path)
    }
}

/// Files of an archive, which is opened when it is first asked.
#[derive(Debug)]
pub struct ArchiveLayer {
    path: PathBuf,
    /// The folder in the archive where names begin, with a `/` behind it; empty for the archive itself.
    root: String,
    open: OnceLock<Option<Arc<ArchiveFolder>>>,
}

impl ArchiveLayer {
    /// Returns the files of an archive by their paths in it.
    pub fn new(path: impl Into<PathBuf>) -> ArchiveLayer {
        ArchiveLayer { path: path.into(), root: String::new(), open: OnceLock::new() }
    }

    /// Returns the same layer, whose names begin in a folder of the archive, which is given with a `/` behind it.
    #[must_use]
    pub fn with_root(self, root: impl Into<String>) -> ArchiveLayer {
        ArchiveLayer { root: root.into(), ..self }
    }
}

impl Layer for ArchiveLayer {
    fn label(&self) -> String {
        self.path.join(&self.root).display().to_string()
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        // An archive that does not open is a layer without files: checking it tells why.
        let open = self.open.get_or_init(|| archive(&self.path).ok().flatten()).as_ref()?;
        let index = open.find(&format!("{}{}", self.root, name.trim_start_matches('/')))?;
        let there =
            open.archive().entry(index).is_some_and(|e| e.storage != galatea_archive::Storage::Missing);
        there.then(|| open.path_of(index))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read(path)
    }
}
