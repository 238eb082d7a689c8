//! Finishing what a process that died left on disk.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use galatea_wire::checksum;

use super::group::sync;
use super::journal::{self, Bad, Entry};
use super::ours;

/// A journal of ours is far smaller.
const LONGEST: u64 = 1 << 20;
/// Age at which a file counts as abandoned where the file system has no locks.
const OLD: Duration = Duration::from_secs(600);

/// What was found and done in directories by [`recover`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// Groups of files whose writing was completed.
    pub finished: usize,
    /// Temporaries and journals that were removed.
    pub removed: usize,
    /// What could not be done, with its place.
    pub warnings: Vec<String>,
}

/// Finishes interrupted writes in the directories of these files and in and below these folders, and removes temporaries of
/// processes that have ended. What belongs to a running process stays.
///
/// Every verb calls this for its inputs and for the files it writes.
pub fn recover(paths: &[PathBuf]) -> Recovery {
    let mut dirs = BTreeSet::new();
    for path in paths.iter().filter(|p| p.as_os_str() != "-") {
        if path.is_dir() {
            // A folder that cannot be read is reported by whoever reads it.
            let _ = super::walk(path, &mut |file| {
                if file.file_name().is_some_and(is_left_over) {
                    dirs.extend(file.parent().map(Path::to_path_buf));
                }
            });
        } else {
            dirs.extend(
                path.parent()
                    .map(|dir| if dir.as_os_str().is_empty() { Path::new(".").into() } else { dir.into() }),
            );
        }
    }
    let mut out = Recovery::default();
    dirs.iter().for_each(|dir| directory(dir, &mut out));
    out
}

fn is_left_over(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|name| ours::is_journal(name) || ours::group_of(name).is_some())
}

/// Journals first: the temporaries they name are not to be removed.
fn directory(dir: &Path, out: &mut Recovery) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let names =
        entries.map(|e| e.file_name()).filter(|name| is_left_over(name)).filter_map(|n| n.into_string().ok());
    let (mut journals, mut temporaries): (Vec<String>, Vec<String>) =
        names.partition(|name| ours::is_journal(name));
    journals.sort();
    temporaries.sort();
    for name in journals {
        match finish_journal(&dir.join(&name)) {
            Ok(State::Finished) => out.finished += 1,
            Ok(State::Discarded) => out.removed += 1,
            Ok(State::Busy) => {}
            Ok(State::Foreign) => {
                let why = "not a journal of this program; ignored";
                out.warnings.push(format!("{}: {why}", dir.join(&name).display()));
            }
            Err(error) => out.warnings.push(format!("{}: {error}", dir.join(&name).display())),
        }
    }
    for name in temporaries {
        match discard(dir, &name) {
            Ok(removed) => out.removed += usize::from(removed),
            Err(error) => {
                let why = format!("{}: left by an interrupted run: {error}", dir.join(&name).display());
                out.warnings.push(why);
            }
        }
    }
}

/// What became of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// All its files are in their places now.
    Finished,
    /// It was never complete, so that no file had been changed.
    Discarded,
    /// The process that wrote it is still at work, or has just finished.
    Busy,
    /// It is not of our making, or asks for what no journal of ours asks for.
    Foreign,
}

/// Finishes the group of a file, if an interrupted write of it is pending. Fails if that cannot be done: then the files of
/// the group may not belong together.
pub fn finish(path: &Path) -> io::Result<()> {
    finish_group(path, fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()))
}

/// Does what [`finish`] does for a path of which it is known whether it is a link.
pub(super) fn finish_group(path: &Path, link: bool) -> io::Result<()> {
    let real = if link { fs::canonicalize(path).ok() } else { None };
    let path = real.as_deref().unwrap_or(path);
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let journal = ours::journal(dir, name);
    for _ in 0..100 {
        if fs::symlink_metadata(&journal).is_err() || finish_journal(&journal)? != State::Busy {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "is being written by another process; try again later"))
}

/// Does what a journal says, unless its writer is alive.
pub(super) fn finish_journal(path: &Path) -> io::Result<State> {
    if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Ok(State::Foreign);
    }
    let Some(mut file) = abandoned(path)? else { return Ok(State::Busy) };
    if !same_file(&file, path) {
        return Ok(State::Busy);
    }
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(LONGEST).read_to_end(&mut bytes)?;
    let dir = path.parent().unwrap_or(Path::new(""));
    match journal::parse(&bytes) {
        Err(Bad::Torn) => {
            // Where it cannot be removed it does no harm: no file was changed.
            let _ = fs::remove_file(path);
            Ok(State::Discarded)
        }
        Err(Bad::Foreign) => Ok(State::Foreign),
        Ok(entries) => {
            let Some(todo) = plan(dir, &entries)? else { return Ok(State::Foreign) };
            for (temporary, place) in &todo {
                fs::rename(temporary, place).map_err(pending)?;
            }
            todo.iter().try_for_each(|(_, place)| sync(place)).map_err(pending)?;
            match fs::remove_file(path) {
                Err(error) if !todo.is_empty() => Err(pending(error)),
                _ => Ok(State::Finished),
            }
        }
    }
}

fn pending(error: io::Error) -> io::Error {
    io::Error::other(format!("an interrupted write is pending here and cannot be finished: {error}"))
}

/// Returns the renames that are left to do, once every file was found whole, in its place or under its temporary name; `None`
/// if a place is not below the directory.
fn plan(dir: &Path, entries: &[Entry]) -> io::Result<Option<Vec<(PathBuf, PathBuf)>>> {
    let mut todo = Vec::new();
    let mut changed = None;
    for entry in entries {
        let Some(place) = checked_place(dir, &entry.place) else { return Ok(None) };
        let temporary = dir.join(&entry.temporary);
        if holds(&temporary, entry)? {
            todo.push((temporary, place));
        } else if !holds(&place, entry)? {
            changed = Some(&entry.place);
        }
    }
    match changed {
        // All renames were done, and somebody has changed a file since: that is the state to keep.
        Some(name) if !todo.is_empty() => {
            let name = name.display();
            Err(pending(io::Error::other(format!(
                "{name} has changed since; restore the files or convert again"
            ))))
        }
        _ => Ok(Some(todo)),
    }
}

/// Returns the path of a place that is not reached through a link, and is free or a plain file.
fn checked_place(dir: &Path, place: &Path) -> Option<PathBuf> {
    let mut path = dir.to_path_buf();
    let last = place.components().count().saturating_sub(1);
    for (i, step) in place.components().enumerate() {
        path.push(step);
        match fs::symlink_metadata(&path) {
            Ok(meta) if i < last && meta.is_dir() => {}
            Ok(meta) if i == last && meta.is_file() => {}
            Err(error) if i == last && error.kind() == io::ErrorKind::NotFound => {}
            _ => return None,
        }
    }
    Some(path)
}

/// Returns `true` if the plain file at this path is the one that the entry means.
fn holds(path: &Path, entry: &Entry) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() == entry.len => Ok(checksum(&fs::read(path)?) == entry.sum),
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a temporary that no running process has, unless a journal of its group is there.
fn discard(dir: &Path, name: &str) -> io::Result<bool> {
    let path = dir.join(name);
    let Some(file) = abandoned(&path)? else { return Ok(false) };
    // Its writer has ended, so that no journal can appear any more.
    let pending =
        ours::journal_of_temporary(dir, name).is_none_or(|journal| fs::symlink_metadata(journal).is_ok());
    if pending || !same_file(&file, &path) {
        return Ok(false);
    }
    fs::remove_file(&path)?;
    Ok(true)
}

/// Opens and locks a file of ours; `None` if a running process has it, or it is gone.
fn abandoned(path: &Path) -> io::Result<Option<File>> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(_)) => {
            let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
            Ok((age > OLD).then_some(file))
        }
    }
}

/// Returns `true` if an open file still has this path.
#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |meta: Metadata| (meta.dev(), meta.ino());
    file.metadata().ok().map(id) == fs::symlink_metadata(path).ok().map(id)
}

/// Returns `true` if an open file still has this path.
#[cfg(not(unix))]
fn same_file(_: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Returns something that changes when another file takes the place of this one.
#[cfg(unix)]
pub(super) fn stamp(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

/// Returns something that changes when another file takes the place of this one.
#[cfg(not(unix))]
pub(super) fn stamp(meta: &Metadata) -> (Option<std::time::SystemTime>, u64) {
    (meta.modified().ok(), meta.len())
}
