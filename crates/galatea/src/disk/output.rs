//! Writing files that appear only when they are complete, and backups of what they replace.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, FileTimes, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::group::{NewFile, commit, sync};
use super::inside;
use crate::Output;
use crate::file_names as names;

/// What writing may do to files that are there.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct Policy<'a> {
    /// Whether files that are there are replaced.
    pub replace: bool,
    /// Whether that goes for files that nobody may write to, too.
    pub read_only: bool,
    /// Whether a file that is there with the same bytes counts as written. What belongs to the file itself always does.
    pub same: bool,
    /// Whether a file keeps the times of the one that it replaces.
    pub times: bool,
    /// Tells of which files a backup is made before they are replaced, by their canonical paths.
    pub precious: Option<&'a dyn Fn(&Path) -> bool>,
}

galatea_wire::setters! {
    Policy<'a> {
        with_replace: replace: bool,
        with_read_only: read_only: bool,
        with_same: same: bool,
        with_times: times: bool,
        with_precious: precious: Option<&'a dyn Fn(&Path) -> bool>,
    }
}

impl fmt::Debug for Policy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").field("replace", &self.replace).finish_non_exhaustive()
    }
}

impl Policy<'_> {
    /// Replaces everything if `force`, and nothing otherwise.
    pub fn force(force: bool) -> Self {
        Policy { replace: force, read_only: force, ..Policy::default() }
    }
}

/// Writes a file under a temporary name in the same directory and renames it when it is complete. An existing file is
/// replaced only if `force`; a link is followed.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    write_files(path, &[(path.to_path_buf(), bytes)], &Policy::force(force))
}

/// Writes a file and all that belongs to it as [`write()`] does: all of it appears, or nothing.
pub fn write_output(path: &Path, output: &Output, force: bool) -> io::Result<()> {
    write_output_with(path, output, &Policy::force(force))
}

/// Writes as [`write_output`] does, with more say on what may be replaced.
pub fn write_output_with(path: &Path, output: &Output, policy: &Policy<'_>) -> io::Result<()> {
    write_files(path, &files(path, output)?, policy)
}

/// Returns the paths of all files of an output, with their bytes; the file itself is the last.
pub fn files<'o>(path: &Path, output: &'o Output) -> io::Result<Vec<(PathBuf, &'o [u8])>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut out = Vec::with_capacity(output.companions.len() + output.siblings.len() + 1);
    for companion in &output.companions {
        out.push((names::companion(path, companion.extension), companion.bytes.as_slice()));
    }
    for (name, bytes) in &output.siblings {
        let place = inside(folder, name).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("\"{name}\" is no file name"))
        })?;
        out.push((place, bytes.as_slice()));
    }
    out.push((path.to_path_buf(), output.bytes.as_slice()));
    Ok(out)
}

fn write_files(main: &Path, files: &[(PathBuf, &[u8])], policy: &Policy<'_>) -> io::Result<()> {
    let real = resolved(main)?;
    let dir = real.parent().map(Path::to_path_buf).unwrap_or_default();
    let name = real.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    super::finish(&real)?;
    let mut new = Vec::with_capacity(files.len());
    let mut replaced = Vec::new();
    for (path, bytes) in files {
        let others = if path == main { None } else { path.file_name() };
        let named = |error: io::Error| match others {
            Some(name) => {
                let name = name.to_string_lossy().into_owned();
                match Occupied::of(&error) {
                    Some(occupied) => Occupied { name: Some(name), ..occupied.clone() }.into(),
                    None => io::Error::new(error.kind(), format!("{name} {error}")),
                }
            }
            None => error,
        };
        let real = if path == main { real.clone() } else { resolved(path).map_err(named)? };
        let place = real.strip_prefix(&dir).map_err(|_| {
            named(io::Error::other(
                "is a link into another folder; files of one model must be in the same one",
            ))
        })?;
        let old = old_file(&real, policy, bytes, others.is_some()).map_err(named)?;
        let (permissions, times) = match &old {
            // Models may share a texture.
            Old::Same => continue,
            Old::Free => (None, None),
            Old::Replace(meta) => {
                replaced.push(real.clone());
                (Some(meta.permissions()), policy.times.then(|| times_of(meta)))
            }
        };
        new.push(NewFile { place: place.to_path_buf(), bytes, permissions, times });
    }
    for path in &replaced {
        if let Some(precious) = policy.precious
            && precious(&fs::canonicalize(path)?)
        {
            backup(path)?;
        }
    }
    for below in new.iter().filter_map(|file| file.place.parent()).filter(|p| !p.as_os_str().is_empty()) {
        fs::create_dir_all(dir.join(below))?;
    }
    if new.is_empty() {
        return Ok(());
    }
    commit(&dir, name, &new, &mut |_| ())?;
    // A new file has nothing to lose; one that replaces another is to last. Groups are synced already.
    if replaced.is_empty() || new.len() > 1 { Ok(()) } else { sync(&real) }
}

/// A file that is in the way, and that the [`Policy`] does not allow to replace. It is inside of an [`io::Error`].
///
/// ```
/// use galatea::disk::{self, Occupied};
/// let path = std::env::temp_dir().join(format!("galatea-occupied-{}", std::process::id()));
/// disk::write(&path, b"one", false)?;
/// let refused = disk::write(&path, b"two", false).unwrap_err();
/// assert!(Occupied::of(&refused).is_some_and(|occupied| !occupied.read_only));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupied {
    /// The name of the file, if it is not the output itself but belongs to it.
    pub name: Option<String>,
    /// Whether it is the file's mode that stands against replacing it.
    pub read_only: bool,
}

impl Occupied {
    /// Returns the reason of an error, if it is this one.
    pub fn of(error: &io::Error) -> Option<&Occupied> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for Occupied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name} ")?;
        }
        f.write_str(if self.read_only { "is read-only" } else { "exists already" })
    }
}

impl std::error::Error for Occupied {}

impl From<Occupied> for io::Error {
    fn from(occupied: Occupied) -> Self {
        let kind = if occupied.read_only { io::ErrorKind::Other } else { io::ErrorKind::AlreadyExists };
        io::Error::new(kind, occupied)
    }
}

/// What is at a place where a file is to go.
enum Old {
    /// Nothing.
    Free,
    /// A file that may be replaced.
    Replace(Metadata),
    /// The same bytes.
    Same,
}

fn old_file(path: &Path, policy: &Policy<'_>, bytes: &[u8], shared: bool) -> io::Result<Old> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Old::Free),
        Err(error) => return Err(error),
    };
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder; name a file"));
    }
    if !meta.is_file() {
        return Err(io::Error::other("is a device or pipe; name a plain file"));
    }
    let same = || meta.len() == bytes.len() as u64 && fs::read(path).is_ok_and(|there| there == bytes);
    if (shared || policy.same || policy.replace) && same() {
        return Ok(Old::Same);
    }
    if !policy.replace {
        return Err(Occupied { name: None, read_only: false }.into());
    }
    if meta.permissions().readonly() && !policy.read_only {
        return Err(Occupied { name: None, read_only: true }.into());
    }
    Ok(Old::Replace(meta))
}

fn times_of(meta: &Metadata) -> FileTimes {
    let mut times = FileTimes::new();
    if let Ok(modified) = meta.modified() {
        times = times.set_modified(modified);
    }
    if let Ok(accessed) = meta.accessed() {
        times = times.set_accessed(accessed);
    }
    times
}

/// Follows links to the file that is meant.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => {
            fs::canonicalize(path).map_err(|_| io::Error::other("is a dangling link; remove it first"))
        }
        _ => Ok(path.to_path_buf()),
    }
}

/// Copies a file to `FILE.bak`, unless a copy of the same bytes is there; where other bytes are, to the next free of
/// `FILE.bak1`, `FILE.bak2` and so on. Returns the path of the copy.
pub fn backup(path: &Path) -> io::Result<PathBuf> {
    let meta = fs::metadata(path)?;
    let bytes = fs::read(path)?;
    for number in 0..10_000 {
        let mut name = OsString::from(path.file_name().unwrap_or_default());
        name.push(".bak");
        if number > 0 {
            name.push(number.to_string());
        }
        let place = path.with_file_name(&name);
        match fs::symlink_metadata(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let dir = path.parent().unwrap_or(Path::new(""));
                let file = NewFile {
                    place: PathBuf::from(&name),
                    bytes: &bytes,
                    permissions: Some(meta.permissions()),
                    times: Some(times_of(&meta)),
                };
                commit(dir, &name, &[file], &mut |_| ())?;
                sync(&place)?;
                return Ok(place);
            }
            Err(error) => return Err(error),
            Ok(there) if there.is_dir() => {
                let why = format!("{} is a folder, so no backup can be made", name.to_string_lossy());
                return Err(io::Error::other(why));
            }
            Ok(there) if there.is_file() && there.len() == meta.len() && fs::read(&place)? == bytes => {
                return Ok(place);
            }
            Ok(_) => {}
        }
    }
    Err(io::Error::other("has too many backups; remove some"))
}
