//! What a path names: a file or folder on disk, or something inside of an archive. Archives stay open while they are used.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use galatea_archive::{Archive, Files, ReadAt, detect};
use galatea_wire::Limits;

use super::archive_folder::{ArchiveFolder, EntryFiles, Inside, Origin, failed, rest_below};
use super::cache;
use super::remembered::Remembered;
use super::source::{FileSource, FolderFiles};

/// How deep archives may be inside of each other.
pub(super) const DEEPEST: usize = 4;
/// Archives on disk that are kept open.
const OPEN: usize = 64;
/// Bytes that archives inside of others may take in memory while nobody uses them.
const MEMORY: u64 = 128 << 20;
/// Bytes that suffice to recognise any archive.
const ENOUGH: usize = 4096;

/// What a path names.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Place {
    /// Something on disk.
    Disk(Metadata),
    /// An entry of an archive.
    Entry(Arc<ArchiveFolder>, usize),
    /// A folder inside of an archive, by its path there.
    Folder(Arc<ArchiveFolder>, String),
}

/// Finds what a path names. Paths go on inside of archives, and of archives in them.
pub fn locate(path: &Path) -> io::Result<Place> {
    match fs::metadata(path) {
        Ok(meta) => Ok(Place::Disk(meta)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            match outermost(path) {
                Some(file) => {
                    let archive = open_file(file)?.ok_or_else(|| not_there(&error))?;
                    let rest = path.strip_prefix(file).ok().and_then(Path::to_str);
                    within(archive, &rest.ok_or_else(|| not_there(&error))?.replace('\\', "/"))
                }
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Returns the error of a path that goes on after a file which is no archive.
fn not_there(error: &io::Error) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, error.to_string())
}

/// Returns the file on disk that a path goes on after, if it does.
fn outermost(path: &Path) -> Option<&Path> {
    let mut above = path.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
    above
        .find_map(|path| Some((path, fs::metadata(path).ok()?)))
        .filter(|(_, meta)| meta.is_file())
        .map(|(path, _)| path)
}

/// Follows a path inside of an archive.
fn within(archive: Arc<ArchiveFolder>, path: &str) -> io::Result<Place> {
    let path = path.trim_matches('/');
    if path.is_empty() {
        return Ok(Place::Folder(archive, String::new()));
    }
    if let Some(index) = archive.find(path) {
        return Ok(Place::Entry(archive, index));
    }
    for (end, _) in path.match_indices('/') {
        let (Some(outer), Some(rest)) = (path.get(..end), path.get(end + 1..)) else { continue };
        if let Some(index) = archive.find(outer)
            && let Some(inner) = open_entry(&archive, index)?
        {
            return within(inner, rest);
        }
    }
    if archive.has_folder(path) {
        return Ok(Place::Folder(archive, path.to_owned()));
    }
    Err(io::Error::new(io::ErrorKind::NotFound, "no such file in the archive"))
}

/// Opens the archive that a path names, on disk or in another one; `None` if it names something else.
pub fn archive(path: &Path) -> io::Result<Option<Arc<ArchiveFolder>>> {
    match locate(path)? {
        Place::Disk(meta) if meta.is_file() => open_file(path),
        Place::Disk(_) | Place::Folder(..) => Ok(None),
        Place::Entry(outer, index) => open_entry(&outer, index),
    }
}

/// Returns `true` if a path is that of a folder, of an archive, or of a folder inside of one.
pub fn is_folder(path: &Path) -> bool {
    match locate(path) {
        Ok(Place::Disk(meta)) if meta.is_dir() => true,
        Ok(Place::Disk(_) | Place::Entry(..)) => matches!(archive(path), Ok(Some(_)) | Err(_)),
        Ok(Place::Folder(..)) => true,
        Err(_) => false,
    }
}

/// Returns the archive that a path names, or that the folder of this path is in; `None` for folders on disk.
pub(crate) fn archive_around(folder: &Path) -> Option<Arc<ArchiveFolder>> {
    match locate(folder).ok()? {
        Place::Disk(meta) if meta.is_dir() => None,
        Place::Folder(archive, _) => Some(archive),
        Place::Disk(_) | Place::Entry(..) => archive(folder).ok()?,
    }
}

/// Returns the archives with this extension in the same folder, that of the same name first. In an archive of a whole game, where they
/// would be thousands, this is that one alone.
pub(crate) fn archives_beside(of: &ArchiveFolder, extension: &str) -> Vec<Arc<ArchiveFolder>> {
    let mut paths: Vec<PathBuf> = names_beside(of.path()).into_values().collect();
    paths.retain(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension)));
    let same = |path: &Path| {
        let [a, b] = [path, of.path()].map(|path| path.file_stem().map(|s| s.to_ascii_lowercase()));
        a == b
    };
    let around = of.path().parent().and_then(archive_around);
    if around.is_some_and(|around| around.archive().kind() == galatea_archive::Kind::Qar) {
        paths.retain(|path| same(path));
    }
    paths.sort_by_key(|path| !same(path));
    paths.iter().filter_map(|path| archive(path).ok()?).collect()
}

/// Returns the files in the same folder, on disk or in an archive, by their names in lower case.
pub fn names_beside(path: &Path) -> BTreeMap<String, PathBuf> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (archive, below) = match locate(folder) {
        Ok(Place::Folder(archive, below)) => (archive, below),
        Ok(Place::Disk(meta)) if meta.is_dir() => {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            return entries.map(|e| (e.file_name().to_string_lossy().to_lowercase(), e.path())).collect();
        }
        _ => match archive(folder) {
            Ok(Some(archive)) => (archive, String::new()),
            _ => return BTreeMap::new(),
        },
    };
    let names = (0..archive.archive().len()).filter_map(|index| archive.name(index));
    let here = names.filter_map(|name| {
        let rest = if below.is_empty() { Some(name.as_str()) } else { rest_below(&name, &below) };
        let rest = rest.filter(|rest| !rest.contains('/'))?.to_lowercase();
        Some((rest, archive.path().join(&name)))
    });
    here.collect()
}

/// Reads a file on disk or in an archive.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    match locate(path)? {
        Place::Disk(meta) => super::input::read_plain(path, &meta),
        Place::Entry(archive, index) => archive.read_input(index),
        Place::Folder(..) => Err(io::ErrorKind::IsADirectory.into()),
    }
}

/// Returns the bytes of a file on disk or in an archive, without reading it.
pub(crate) fn size(path: &Path) -> Option<u64> {
    match locate(path).ok()? {
        Place::Disk(meta) => Some(meta.len()),
        Place::Entry(archive, index) => Some(archive.archive().entry(index)?.size),
        Place::Folder(..) => None,
    }
}

/// Tells versions of a file apart.
type Stamp = (u64, Option<std::time::SystemTime>);

/// An archive that is being opened by the first who asks, while others wait.
#[derive(Debug, Clone)]
struct Slot {
    archive: Arc<OnceLock<Result<Option<Arc<ArchiveFolder>>, String>>>,
    stamp: Stamp,
    used: u64,
}

/// The archives that are open.
static KNOWN: Mutex<Option<HashMap<PathBuf, Slot>>> = Mutex::new(None);

/// Opens an archive on disk; `None` if the file is none.
pub(super) fn open_file(path: &Path) -> io::Result<Option<Arc<ArchiveFolder>>> {
    let meta = fs::metadata(path)?;
    let stamp = (meta.len(), meta.modified().ok());
    open_once(path, stamp, || {
        super::finish(path)?;
        let source = FileSource::open(path)?;
        let (stamp, opened_at) = (source.stamp(), SystemTime::now());
        let origin = stamp.map(|stamp| Origin { stamp, opened: opened_at });
        opened(path, Arc::new(source), Arc::new(FolderFiles::beside(path)), Inside::default(), origin)
    })
}

/// Opens an entry that is an archive itself; `None` if it is none.
pub(super) fn open_entry(outer: &Arc<ArchiveFolder>, index: usize) -> io::Result<Option<Arc<ArchiveFolder>>> {
    let path = outer.path_of(index);
    let known = path.extension().is_some_and(|extension| {
        let extension = extension.to_string_lossy().to_lowercase();
        galatea_archive::FORMATS.iter().any(|format| format.extensions.contains(&extension.as_str()))
    });
    if !known {
        return Ok(None);
    }
    if outer.inside.depth + 1 >= DEEPEST {
        let what = format!("archives nested more than {DEEPEST} deep are not opened");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    // Another version of the outer archive has another number.
    let stamp = (outer.number, None);
    open_once(&path, stamp, || {
        let entry = outer.archive().entry(index);
        let packed = entry.is_some_and(|entry| entry.storage != galatea_archive::Storage::Stored);
        let source = outer.open(index)?;
        let memory = if packed { source.len() } else { 0 };
        let name = outer.name(index).unwrap_or_default();
        let folder = name.rfind('/').and_then(|at| name.get(..=at)).unwrap_or("").to_owned();
        opened(
            &path,
            source,
            Arc::new(EntryFiles { archive: Arc::clone(outer), folder }),
            Inside { memory, depth: outer.inside.depth + 1 },
            None,
        )
    })
}

fn opened(
    path: &Path,
    source: Arc<dyn ReadAt>,
    files: Arc<dyn Files>,
    inside: Inside,
    origin: Option<Origin>,
) -> io::Result<Option<Arc<ArchiveFolder>>> {
    let mut start = vec![0; usize::try_from(source.len()).unwrap_or(usize::MAX).min(ENOUGH)];
    source.read_at(0, &mut start)?;
    let Some(format) = detect(&start).filter(|_| !is_model(&start)) else { return Ok(None) };
    if format.recall.is_some()
        && let Some(index) = origin.and_then(|origin| cache::recalled(path, origin.stamp))
        && index.format.kind == format.kind
        && let Some(known) = Remembered::new(index, Arc::clone(&source), Arc::clone(&files))
    {
        return Ok(Some(Arc::new(ArchiveFolder::remembered(path.to_path_buf(), known).with_origin(origin))));
    }
    let archive: Box<dyn Archive> = (format.open)(source, Some(files), &Limits::default()).map_err(failed)?;
    let folder = ArchiveFolder::new(path.to_path_buf(), archive, inside).with_origin(origin);
    Ok(Some(Arc::new(folder)))
}

/// Returns whether a file begins like one of the formats that have a magic.
fn is_model(start: &[u8]) -> bool {
    crate::FORMATS.iter().any(|format| !format.needs_full_scan && (format.detect)(start))
}

fn open_once(
    path: &Path,
    stamp: Stamp,
    open: impl FnOnce() -> io::Result<Option<Arc<ArchiveFolder>>>,
) -> io::Result<Option<Arc<ArchiveFolder>>> {
    let slot = {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        let used = known.values().map(|slot| slot.used).max().unwrap_or(0) + 1;
        if known.get(path).is_none_or(|slot| slot.stamp != stamp) {
            forget(known);
            known.insert(path.to_path_buf(), Slot { archive: Arc::default(), stamp, used });
        }
        known.get_mut(path).map(|slot| {
            slot.used = used;
            Arc::clone(&slot.archive)
        })
    };
    let Some(slot) = slot else { return open() };
    let result = slot.get_or_init(|| open().map_err(|error| error.to_string()));
    if !matches!(result, Ok(Some(_))) {
        // Plain files are many, and a failure may be over the next time.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_default().remove(path);
    }
    result.clone().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Closes the archives that were not used for longest, until few enough are left.
fn forget(known: &mut HashMap<PathBuf, Slot>) {
    let memory = |slot: &Slot| match slot.archive.get() {
        Some(Ok(Some(archive))) => archive.inside.memory,
        _ => 0,
    };
    let mut total: u64 = known.values().map(memory).sum();
    while known.len() >= OPEN || total > MEMORY {
        let oldest = known.iter().min_by_key(|(_, slot)| slot.used).map(|(path, _)| path.clone());
        let Some(slot) = oldest.and_then(|path| known.remove(&path)) else { return };
        total -= memory(&slot);
    }
}
