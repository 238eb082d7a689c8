//! Files on disk as the readers of archives want them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use galatea_archive::{Files, ReadAt};

use super::index_file::FileStamp;

/// A file that is read at places, never whole.
#[derive(Debug)]
pub(super) struct FileSource {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
    len: u64,
    stamp: Option<FileStamp>,
}

impl FileSource {
    /// Opens a plain file; pipes and devices have no length.
    pub(super) fn open(path: &Path) -> io::Result<FileSource> {
        let file = File::open(path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file"));
        }
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(FileSource { file, len: meta.len(), stamp: FileStamp::of(&meta) })
    }

    /// Returns what tells this version of the file from others, as far as the system knows.
    pub(super) fn stamp(&self) -> Option<FileStamp> {
        self.stamp
    }
}

impl ReadAt for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, buffer, offset)
    }

    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

/// The files in and below the folder of an archive.
#[derive(Debug)]
pub(super) struct FolderFiles {
    folder: PathBuf,
}

impl FolderFiles {
    /// Returns the files beside this one.
    pub(super) fn beside(path: &Path) -> FolderFiles {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        FolderFiles { folder: folder.unwrap_or(Path::new(".")).to_path_buf() }
    }
}

impl Files for FolderFiles {
    fn file(&self, path: &str) -> io::Result<Option<Arc<dyn ReadAt>>> {
        match without_case(&self.folder, path) {
            Some(path) if path.is_file() => Ok(Some(Arc::new(FileSource::open(&path)?))),
            _ => Ok(None),
        }
    }

    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        let Some(folder) = without_case(&self.folder, folder) else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.extend(entry?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }
}

/// Returns the path below a folder that these steps mean, ignoring case; `None` if there is none, or if it leads out of the
/// folder.
pub(crate) fn without_case(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = path.replace('\\', "/");
    let mut here = folder.to_path_buf();
    for step in path.split('/').filter(|step| !step.is_empty()) {
        if step == ".." || step == "." || step.contains(':') {
            return None;
        }
        let exact = here.join(step);
        if exact.symlink_metadata().is_ok() {
            here = exact;
            continue;
        }
        let fits =
            |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(|n| n.eq_ignore_ascii_case(step));
        here = fs::read_dir(&here).ok()?.flatten().find(fits)?.path();
    }
    Some(here)
}
