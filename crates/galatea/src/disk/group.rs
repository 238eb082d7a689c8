//! Groups of files that appear together or not at all. The protocol is described in ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use galatea_wire::checksum;

use super::journal::{self, Entry};
use super::ours;
use super::recover::{self, State};

/// One file of a group.
#[derive(Debug, Clone)]
pub(super) struct NewFile<'a> {
    /// Where it goes, relative to the directory of the group.
    pub(super) place: PathBuf,
    /// Its bytes.
    pub(super) bytes: &'a [u8],
    /// Permissions of the file that it replaces.
    pub(super) permissions: Option<Permissions>,
    /// Times it gets instead of the present.
    pub(super) times: Option<FileTimes>,
}

/// What [`commit`] is about to do. Tests stop there, as a killed process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Create the temporary of this file.
    Create(usize),
    /// Write its bytes.
    Fill(usize),
    /// Create the journal.
    Announce,
    /// Write what the journal says.
    Describe,
    /// Rename the temporary of this file.
    Rename(usize),
    /// Remove the journal.
    Close,
}

/// How often and how long a journal of another process is waited for.
const PATIENCE: (u32, Duration) = (100, Duration::from_millis(20));

/// A temporary that is locked.
struct Staged {
    name: String,
    path: PathBuf,
    // Its lock tells other processes that this one is alive.
    _lock: File,
}

/// Puts files into a directory, all or none. `main` is the name of the file that the group is named after.
pub(super) fn commit(
    dir: &Path,
    main: &OsStr,
    files: &[NewFile<'_>],
    at: &mut dyn FnMut(Step),
) -> io::Result<()> {
    let mut staged = Vec::with_capacity(files.len());
    let result = files
        .iter()
        .enumerate()
        .try_for_each(|(i, file)| stage(dir, main, file, i, &mut staged, at))
        .and_then(|()| publish(dir, main, files, &staged, at));
    match result {
        Ok(()) => Ok(()),
        Err(Stopped::Unchanged(error)) => {
            // Nothing half-written stays; the first error is the one to report.
            staged.iter().for_each(|s| drop(fs::remove_file(&s.path)));
            Err(error)
        }
        Err(Stopped::Pending(error)) => Err(error),
    }
}

/// Why a commit ended early.
enum Stopped {
    /// No file was changed.
    Unchanged(io::Error),
    /// Some were; the journal is still there for the next run.
    Pending(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Stopped::Unchanged(error)
    }
}

fn stage(
    dir: &Path,
    main: &OsStr,
    new: &NewFile<'_>,
    number: usize,
    staged: &mut Vec<Staged>,
    at: &mut dyn FnMut(Step),
) -> Result<(), Stopped> {
    at(Step::Create(number));
    let (name, mut file) = loop {
        let name = ours::temporary(main);
        if let Some(file) = create_locked(&dir.join(&name))? {
            break (name, file);
        }
    };
    let path = dir.join(&name);
    staged.push(Staged { name, path, _lock: file.try_clone()? });
    // Before the bytes: what is private is private from the start.
    if let Some(permissions) = &new.permissions {
        file.set_permissions(permissions.clone())?;
    }
    at(Step::Fill(number));
    file.write_all(new.bytes)?;
    if let Some(times) = new.times {
        file.set_times(times)?;
    }
    file.sync_all()?;
    Ok(())
}

fn publish(
    dir: &Path,
    main: &OsStr,
    files: &[NewFile<'_>],
    staged: &[Staged],
    at: &mut dyn FnMut(Step),
) -> Result<(), Stopped> {
    if let ([only], [file]) = (staged, files) {
        at(Step::Rename(0));
        // One rename is either seen or not: whoever needs it to last syncs the directory.
        return Ok(fs::rename(&only.path, dir.join(&file.place))?);
    }
    let (path, mut journal) = announce(dir, main, at)?;
    let unchanged = |error: io::Error| {
        let _ = fs::remove_file(&path);
        Stopped::Unchanged(error)
    };
    describe(&path, &mut journal, files, staged, at).map_err(unchanged)?;
    for (i, (temporary, file)) in staged.iter().zip(files).enumerate() {
        at(Step::Rename(i));
        match fs::rename(&temporary.path, dir.join(&file.place)) {
            Ok(()) => {}
            Err(error) if i == 0 => return Err(unchanged(error)),
            Err(error) => {
                let place = file.place.display();
                let error = format!("could not replace {place} ({error}); the next run finishes this write");
                return Err(Stopped::Pending(io::Error::other(error)));
            }
        }
    }
    let dirs: BTreeSet<&Path> = files.iter().filter_map(|f| f.place.parent()).collect();
    dirs.iter().try_for_each(|below| sync(&dir.join(below).join(main))).map_err(Stopped::Pending)?;
    at(Step::Close);
    fs::remove_file(&path).map_err(Stopped::Pending)
}

/// Writes down what is about to be renamed. From here on the group will be completed, by this process or a later one.
fn describe(
    path: &Path,
    journal: &mut File,
    files: &[NewFile<'_>],
    staged: &[Staged],
    at: &mut dyn FnMut(Step),
) -> io::Result<()> {
    let entries = staged.iter().zip(files).map(|(temporary, file)| Entry {
        temporary: temporary.name.clone(),
        place: file.place.clone(),
        len: file.bytes.len() as u64,
        sum: checksum(file.bytes),
    });
    let text = journal::print(&entries.collect::<Vec<_>>())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "has a name that is not Unicode"))?;
    at(Step::Describe);
    journal.write_all(text.as_bytes())?;
    journal.sync_all()?;
    sync(path)
}

/// Creates the journal, empty and locked, after finishing what another one of that name says.
fn announce(dir: &Path, main: &OsStr, at: &mut dyn FnMut(Step)) -> Result<(PathBuf, File), Stopped> {
    at(Step::Announce);
    let path = ours::journal(dir, main);
    for _ in 0..PATIENCE.0 {
        match create_locked(&path) {
            Ok(Some(file)) => return Ok((path, file)),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if recover::finish_journal(&path)? == State::Foreign {
                    let why = format!("cannot be written while {} is in the way; remove it", path.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why).into());
                }
            }
            Err(error) => return Err(error.into()),
        }
        if path.exists() {
            std::thread::sleep(PATIENCE.1);
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "is being written by another process").into())
}

/// Creates a file that was not there and locks it; `None` if another process took it for abandoned in between.
fn create_locked(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    match file.try_lock() {
        // Some file systems know no locks: there, age decides.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(path.exists().then_some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
    }
}

/// Makes the names in the directory of a file durable.
pub fn sync(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(dir)?.sync_all() {
        // Not every file system can.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        result => result,
    }
}
