//! Finding inputs and reading them with their companions.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use galatea_texture::find::Game;

use super::archive_folder::ArchiveFolder;
use super::archive_walk::Walk;
use super::games::Games;
use super::glob::Glob;
use super::place::{self, Place, locate};
use super::unknown::is_damaged;
use super::{inside, recover};
use crate::document::borrowed;
use crate::{Companion, FORMATS, Format, Input, SiblingFiles, detect};

/// One input: a path, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// Whether the user named this very file, rather than a folder that holds it.
    pub named: bool,
    /// Whether it is an archive that is taken itself, apart from its files. Only [`jobs_with`] finds those.
    pub archive: bool,
    /// The creature of KotOR that is put together from the files of the game, in which `path` is no file.
    #[cfg(feature = "kotor")]
    pub creature: Option<crate::Look>,
}

impl Job {
    /// Returns a file that the user named.
    pub fn new(path: impl Into<PathBuf>) -> Job {
        Job {
            path: path.into(),
            named: true,
            archive: false,
            #[cfg(feature = "kotor")]
            creature: None,
        }
    }

    /// Returns a creature of KotOR, by a path that has its name and is in the game.
    #[cfg(feature = "kotor")]
    pub fn creature(path: impl Into<PathBuf>, look: crate::Look) -> Job {
        Job { creature: Some(look), ..Job::new(path) }
    }

    /// Returns a file that was found in a folder.
    pub(super) fn found(path: impl Into<PathBuf>) -> Job {
        Job { named: false, ..Job::new(path) }
    }
}

/// The bytes of one input and of its companions.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// Those of its companions that are there.
    pub companions: Vec<Companion<Vec<u8>>>,
    /// Where it lies, unless it came through standard input.
    pub path: Option<PathBuf>,
    /// The games whose files a layout may use.
    pub games: Option<Arc<Games>>,
}

impl Loaded {
    /// Returns the same input, whose rooms may come from the game that it belongs to.
    #[must_use]
    pub fn with_games(self, games: Arc<Games>) -> Self {
        Loaded { games: Some(games), ..self }
    }

    /// Returns the path of a file that a layout or an area asks for: beside it, ignoring case, in another archive of its module,
    /// or in its game.
    fn of_layout(&self, name: &str) -> Option<PathBuf> {
        let asks = |path: &&PathBuf| extension(path).is_some_and(|e| e == "lyt" || e == "git");
        let path = self.path.as_ref().filter(asks)?;
        let beside = super::names_beside(path).remove(name);
        let folder = path.parent()?;
        let in_module = || super::games::in_module(folder, name);
        let in_game = || Some(self.games.as_ref()?.store(Game::Kotor, folder)?.find(name)?.path);
        beside.or_else(in_module).or_else(in_game)
    }

    /// Returns the files as input for [`open`](crate::open).
    pub fn input(&self) -> Input<'_> {
        let name = self.path.as_ref().and_then(|p| p.file_name()?.to_str()).unwrap_or("");
        let siblings = self.path.is_some().then_some(self as &dyn SiblingFiles);
        Input { bytes: &self.bytes, companions: borrowed(&self.companions), name, siblings }
    }

    /// Returns the bytes of all files together.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.companions.iter().map(|c| c.bytes.len()).sum::<usize>()
    }
}

impl SiblingFiles for Loaded {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let folder = self.path.as_ref()?.parent()?;
        let there = place::read(&inside(folder, path)?).ok();
        there.or_else(|| place::read(&self.of_layout(path)?).ok())
    }
}

/// Bytes that suffice to recognise any format.
const ENOUGH: usize = 4096;

/// How often an input is read again that another process replaces meanwhile.
const RETRIES: usize = 10;

/// Expands files, folders (recursively, in the order of names) and archives into inputs.
///
/// From folders, files of known formats that are `wanted` are taken, and those that have the extension of a wanted format but
/// not its content: opening them tells what is wrong. Companions are left to the file they belong to. Links to folders are
/// not followed, and what is no file (a pipe, a socket, a device) is never opened. An archive is a folder. A path with `*`, `?` or
/// `**` that does not exist stands for the files that fit it.
pub fn jobs(paths: &[PathBuf], wanted: &dyn Fn(&Format) -> bool) -> Vec<Result<Job, (PathBuf, io::Error)>> {
    jobs_with(paths, &Search { wanted, archives: false })
}

/// What [`jobs_with`] takes from folders and archives.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Tells the formats whose files are taken.
    pub wanted: &'a dyn Fn(&Format) -> bool,
    /// Whether archives are inputs themselves, each before its files.
    pub archives: bool,
}

impl std::fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("archives", &self.archives).finish_non_exhaustive()
    }
}

/// Returns [`jobs`], with more say on what is taken.
pub fn jobs_with(paths: &[PathBuf], search: &Search<'_>) -> Vec<Result<Job, (PathBuf, io::Error)>> {
    let mut out = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            out.push(Ok(Job::new(path.clone())));
            continue;
        }
        if let Err(error) = one_path(path, search, &mut out) {
            match Glob::of_path(path).filter(|_| error.kind() == io::ErrorKind::NotFound) {
                Some((root, glob)) => matching(path, &root, &glob, search, &mut out),
                None => out.push(Err((path.clone(), error))),
            }
        }
    }
    out
}

/// Adds the inputs that one path means.
fn one_path(path: &Path, search: &Search<'_>, out: &mut Jobs) -> io::Result<()> {
    match locate(path)? {
        Place::Disk(meta) if meta.is_dir() => folder(path, search, out),
        Place::Folder(archive, below) => Walk::new(search, out).folder(&archive, &below),
        Place::Disk(meta) if !meta.is_file() => out.push(Ok(Job::new(path.to_path_buf()))),
        Place::Disk(_) | Place::Entry(..) => match place::archive(path)? {
            Some(archive) => Walk::new(search, out).archive(&archive),
            None => out.push(Ok(Job::new(path.to_path_buf()))),
        },
    }
    Ok(())
}

/// Adds the inputs below a folder or archive that fit a pattern.
fn matching(path: &Path, root: &Path, glob: &Glob, search: &Search<'_>, out: &mut Jobs) {
    let mut all = Vec::new();
    if let Err(error) = one_path(root, &Search { archives: false, ..*search }, &mut all) {
        return out.push(Err((path.to_path_buf(), error)));
    }
    let here =
        |job: &Job| job.path.strip_prefix(root).ok().and_then(|p| Some(p.to_str()?.replace('\\', "/")));
    let before = out.len();
    out.extend(all.into_iter().filter(|job| match job {
        Ok(job) => here(job).is_some_and(|name| glob.fits(&name)),
        Err(_) => false,
    }));
    if out.len() == before {
        let why = io::Error::new(io::ErrorKind::NotFound, "nothing fits this pattern");
        out.push(Err((path.to_path_buf(), why)));
    }
}

/// Inputs, and paths that could not be read.
pub(super) type Jobs = Vec<Result<Job, (PathBuf, io::Error)>>;

/// What a file found in a folder is.
enum Candidate {
    Known(&'static Format),
    /// It has the extension of a format but not its content.
    Damaged,
    Archive(galatea_archive::Kind),
}

fn folder(root: &Path, search: &Search<'_>, out: &mut Jobs) {
    let wanted = search.wanted;
    let mut found = Vec::new();
    let failed = walk(root, &mut |path| {
        if path.file_name().is_some_and(super::is_ours) {
            return;
        }
        if let Some(candidate) = candidate(&path, wanted) {
            found.push((path, candidate));
        }
    });
    out.extend(failed.into_iter().map(Err));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let mut companions: HashSet<PathBuf> = HashSet::new();
    // The files of a KEY are read through it.
    let has_key = found.iter().any(|(_, c)| matches!(c, Candidate::Archive(galatea_archive::Kind::Key)));
    for (path, candidate) in &found {
        match candidate {
            Candidate::Known(format) => {
                companions.extend(companion_paths(path, format).into_iter().map(|(_, path)| path));
            }
            // The extension tells whose companions would be those of a damaged file.
            Candidate::Damaged => {
                let owners = FORMATS
                    .iter()
                    .filter(|f| extension(path).is_some_and(|e| f.extensions.contains(&e.as_str())));
                companions.extend(owners.flat_map(|f| companion_paths(path, f)).map(|(_, path)| path));
            }
            Candidate::Archive(_) => {}
        }
    }
    for (path, candidate) in found {
        let is_input = match candidate {
            Candidate::Known(format) => wanted(format),
            Candidate::Damaged => true,
            Candidate::Archive(galatea_archive::Kind::Bif) if has_key => false,
            Candidate::Archive(_) => {
                match place::archive(&path) {
                    Ok(Some(archive)) => Walk::new(search, out).archive(&archive),
                    Ok(None) => {}
                    Err(error) => out.push(Err((path, error))),
                }
                continue;
            }
        };
        if is_input && !companions.contains(&path) {
            out.push(Ok(Job::found(path)));
        }
    }
}

/// Calls for every file below a folder, in no order; links to folders are not followed. Returns the folders that could not
/// be read.
pub(crate) fn walk(root: &Path, file: &mut dyn FnMut(PathBuf)) -> Vec<(PathBuf, io::Error)> {
    let mut todo = vec![root.to_path_buf()];
    let mut failed = Vec::new();
    while let Some(dir) = todo.pop() {
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) => {
                failed.push((dir, error));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => todo.push(path),
                Ok(_) if is_file(&entry) => file(path),
                _ => {}
            }
        }
    }
    failed
}

/// Returns whether an entry of a folder is a file, or a link to one. Opening a pipe or a device may wait forever.
pub(crate) fn is_file(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| {
        kind.is_file() || kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|meta| meta.is_file())
    })
}

/// Returns the extension of a path in lower case.
fn extension(path: &Path) -> Option<String> {
    path.extension().map(|e| e.to_string_lossy().to_lowercase())
}

/// Returns what a file found in a folder is; `None` if it is of no concern. A format without magic must have the right extension too,
/// so that no other file is read whole, and none is mistaken.
fn candidate(path: &Path, wanted: &dyn Fn(&Format) -> bool) -> Option<Candidate> {
    // With room for all of it, so that one call reads it.
    let mut start = Vec::with_capacity(ENOUGH);
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        // Whoever opens it tells why it cannot be opened.
        Err(_) => return is_damaged(path, &[], wanted).then_some(Candidate::Damaged),
    };
    file.by_ref().take(ENOUGH as u64).read_to_end(&mut start).ok()?;
    if let Some(format) = FORMATS.iter().find(|f| !f.needs_full_scan && (f.detect)(&start)) {
        return Some(Candidate::Known(format));
    }
    let extension = extension(path)?;
    let archive = galatea_archive::detect(&start);
    if let Some(archive) = archive.filter(|archive| archive.extensions.contains(&extension.as_str())) {
        return Some(Candidate::Archive(archive.kind));
    }
    let fits = |format: &Format| format.extensions.contains(&extension.as_str());
    if FORMATS.iter().any(|f| f.needs_full_scan && fits(f)) {
        file.read_to_end(&mut start).ok()?;
        if let Some(format) = detect(&start).filter(|f| fits(f)) {
            return Some(Candidate::Known(format));
        }
    }
    is_damaged(path, &start, wanted).then_some(Candidate::Damaged)
}

/// Reads an input and its companions.
pub fn load(job: &Job) -> io::Result<Loaded> {
    let mut bytes = Vec::new();
    if job.path.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(Loaded { bytes, ..Loaded::default() });
    }
    match fs::symlink_metadata(&job.path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return load_inside(job, error);
        }
        _ => {}
    }
    for _ in 0..RETRIES {
        // Every look at the file system counts in a batch: link or not, kind and identity come from one.
        let entry = fs::symlink_metadata(&job.path)?;
        recover::finish_group(&job.path, entry.is_symlink())?;
        let before = if entry.is_symlink() { fs::metadata(&job.path)? } else { entry };
        bytes = read_plain(&job.path, &before)?;
        let mut companions = Vec::new();
        if let Some(format) = detect(&bytes) {
            for (extension, path) in companion_paths(&job.path, format) {
                companions.push(Companion { extension, bytes: fs::read(path)? });
            }
        }
        // The file itself is the last of its group to be replaced: while it stays, so does the rest.
        let replaced = || {
            super::finish(&job.path)?;
            Ok::<bool, io::Error>(recover::stamp(&fs::metadata(&job.path)?) != recover::stamp(&before))
        };
        if companions.is_empty() || !replaced()? {
            return Ok(Loaded { bytes, companions, path: Some(job.path.clone()), games: None });
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "is being written by another process; try again later"))
}

/// Reads an input and its companions from an archive.
fn load_inside(job: &Job, error: io::Error) -> io::Result<Loaded> {
    let (archive, index) = match locate(&job.path) {
        Ok(Place::Entry(archive, index)) => (archive, index),
        Ok(Place::Folder(..)) => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(Place::Disk(_)) => return Err(error),
        Err(error) => return Err(error),
    };
    let bytes = archive.read_input(index)?;
    let companions = match detect(&bytes) {
        Some(format) => companions_inside(&archive, index, format)?,
        None => Vec::new(),
    };
    Ok(Loaded { bytes, companions, path: Some(job.path.clone()), games: None })
}

/// Reads the companions of an entry from the same archive.
fn companions_inside(
    archive: &ArchiveFolder,
    index: usize,
    format: &Format,
) -> io::Result<Vec<Companion<Vec<u8>>>> {
    let name = archive.name(index).unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let mut out = Vec::new();
    for extension in format.companions {
        let found = archive.find(&format!("{stem}.{extension}")).filter(|found| *found != index);
        if let Some(found) = found {
            out.push(Companion { extension, bytes: archive.read_input(found)? });
        }
    }
    Ok(out)
}

/// Reads a file, and nothing but a file: pipes and devices may never end.
pub(super) fn read_plain(path: &Path, meta: &fs::Metadata) -> io::Result<Vec<u8>> {
    if meta.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !meta.is_file() {
        let what = "is a pipe, socket or device, not a file; `-` reads standard input";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    fs::read(path)
}

/// Returns the companions of a file that are there, letter case of the extension ignored.
pub fn companion_paths(path: &Path, format: &Format) -> Vec<(&'static str, PathBuf)> {
    let there = |extension: &&'static str| {
        let upper = extension.to_uppercase();
        let mut names = [*extension, &upper].into_iter().map(|e| path.with_extension(e));
        names.find(|p| p.is_file() && p != path).map(|p| (*extension, p))
    };
    format.companions.iter().filter_map(there).collect()
}
