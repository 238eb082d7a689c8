//! The folder in which indices of archives are kept from one run to the next.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use galatea_wire::checksum;

use super::index_file::{FileStamp, IndexFile, Subject};

/// Archives with fewer entries and bytes are read faster than their index would be worth.
const LEAST_ENTRIES: usize = 256;
const LEAST_BYTES: u64 = 16 << 20;
/// Indices that are kept, and their bytes together.
const MOST: usize = 64;
const MOST_BYTES: u64 = 512 << 20;

/// The folder in use.
static FOLDER: RwLock<Option<PathBuf>> = RwLock::new(None);

/// Keeps the indices of large archives in this folder from now on, so that later runs find entries without reading directories; `None`
/// keeps none, as at first. An index that does not belong to the size and the time of its archive, or is damaged, is made anew.
pub fn keep_indices(folder: Option<PathBuf>) {
    *FOLDER.write().unwrap_or_else(PoisonError::into_inner) = folder;
}

/// Returns the folder for [`keep_indices`] that users expect: that of `$GALATEA_CACHE`, else one in the system's folder for caches. An empty
/// `$GALATEA_CACHE` means none.
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(own) = env::var_os("GALATEA_CACHE") {
        return Some(PathBuf::from(own)).filter(|path| !path.as_os_str().is_empty());
    }
    let home = env::home_dir().filter(|path| path.is_absolute());
    let of_system = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home.map(|home| home.join("Library/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| home.map(|home| home.join(".cache")))
    };
    of_system.map(|folder| folder.join("galatea"))
}

/// Returns the index of an archive on disk, if one is kept that still holds.
pub(super) fn recalled(archive: &Path, stamp: FileStamp) -> Option<IndexFile> {
    let folder = folder()?;
    let real = fs::canonicalize(archive).ok()?;
    IndexFile::open(&place(&folder, &real), &real, stamp)
}

/// Keeps the index of an archive. That a cache cannot be written is nobody's concern.
pub(super) fn keep(subject: &Subject<'_>) {
    let archive = subject.archive;
    let costs = archive.len() >= LEAST_ENTRIES || subject.stamp.len() >= LEAST_BYTES;
    let Some(folder) = folder().filter(|_| costs && archive.kind().format().recall.is_some()) else { return };
    let Ok(real) = fs::canonicalize(subject.path) else { return };
    let now = fs::metadata(&real).ok().and_then(|meta| FileStamp::of(&meta));
    if now != Some(subject.stamp) {
        return;
    }
    let Some(bytes) = (Subject { path: &real, ..*subject }).index() else { return };
    if fs::create_dir_all(&folder).is_ok() && super::write(&place(&folder, &real), &bytes, true).is_ok() {
        prune(&folder);
    }
}

fn folder() -> Option<PathBuf> {
    FOLDER.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The extension of an index.
const EXTENSION: &str = "index";

fn place(folder: &Path, archive: &Path) -> PathBuf {
    folder.join(format!("{:016x}.{EXTENSION}", checksum(archive.as_os_str().as_encoded_bytes())))
}

/// Removes the indices that were written longest ago, until few enough are left.
fn prune(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let indices = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.strip_suffix(EXTENSION)
            .and_then(|stem| stem.strip_suffix('.'))
            .is_some_and(|stem| stem.len() == 16 && stem.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    let mut all: Vec<_> = indices
        .filter_map(|entry| {
            let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((meta.modified().ok()?, meta.len(), entry.path()))
        })
        .collect();
    all.sort();
    let mut bytes: u64 = all.iter().map(|(_, len, _)| len).sum();
    let mut count = all.len();
    for (_, len, path) in all {
        if count <= MOST && bytes <= MOST_BYTES {
            return;
        }
        let _ = fs::remove_file(path);
        (count, bytes) = (count - 1, bytes - len);
    }
}
