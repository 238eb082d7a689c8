//! What is written: where it goes, and that nothing is lost by it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use galatea::disk::{self, Job};
use galatea::{Format, Limits, Output, texture};

use crate::terminal::{complain, plain, reason, show};

/// Finishes what interrupted runs left in these folders and in the directories of these files.
pub(crate) fn recover(paths: &[PathBuf]) {
    static SEEN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = seen.get_or_insert_default();
    let new: Vec<PathBuf> = paths.iter().filter(|path| seen.insert((*path).clone())).cloned().collect();
    for warning in disk::recover(&new).warnings {
        complain(format_args!("{}", plain(&warning)));
    }
}

/// The path of an input below the folder that the user named; its name alone if the user named the file.
pub(crate) fn below<'p>(named: &[PathBuf], path: &'p Path) -> &'p Path {
    let roots = named.iter().map(|root| disk::search_root(root));
    let root = roots.filter(|root| path.starts_with(root) && disk::is_folder(root)).max();
    root.and_then(|root| path.strip_prefix(&root).ok())
        .unwrap_or_else(|| Path::new(path.file_name().unwrap_or(path.as_os_str())))
}

/// The files that the user named or that were found in named folders. They are replaced only with a backup.
pub(crate) struct Originals {
    paths: Vec<PathBuf>,
    canonical: OnceLock<HashSet<PathBuf>>,
}

impl Originals {
    pub(crate) fn new(paths: Vec<PathBuf>) -> Self {
        Originals { paths, canonical: OnceLock::new() }
    }

    /// Whether a file, by its canonical path, is one of them.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        let all = || self.paths.iter().filter_map(|p| p.canonicalize().ok()).collect();
        self.canonical.get_or_init(all).contains(path)
    }
}

/// The files that this run writes, each with who wrote it and a checksum.
#[derive(Default)]
pub(crate) struct Claims(Mutex<HashMap<PathBuf, (PathBuf, Option<u64>)>>);

impl Claims {
    /// Claims all files of an output, the last of which is the file itself, or says which of them another input has claimed
    /// for other bytes.
    pub(crate) fn claim(&self, owner: &Path, files: &[(PathBuf, &[u8])]) -> Result<(), String> {
        // Only what models may share is compared; the file itself belongs to one input.
        let shared = files.len().saturating_sub(1);
        let sum = |(i, (_, bytes)): (usize, &(PathBuf, &[u8]))| (i < shared).then(|| disk::checksum(bytes));
        let sums: Vec<Option<u64>> = files.iter().enumerate().map(sum).collect();
        let mut claimed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for ((path, _), sum) in files.iter().zip(&sums) {
            if let Some((other, there)) = claimed.get(&key(path))
                && (there != sum || (sum.is_none() && other != owner))
            {
                let (path, other) = (show(path), show(other));
                return Err(format!(
                    "{path}: {other} writes another file of this name; write them to different folders"
                ));
            }
        }
        claimed
            .extend(files.iter().zip(sums).map(|((path, _), sum)| (key(path), (owner.to_path_buf(), sum))));
        Ok(())
    }
}

/// Where changed inputs go: into a folder, or where they were.
pub(crate) struct Saving<'a> {
    /// The paths that the user named.
    pub(crate) named: &'a [PathBuf],
    /// The folder of `-o`; `None` to replace the inputs.
    pub(crate) folder: Option<&'a Path>,
    /// Whether read-only files are replaced, and existing files of the folder.
    pub(crate) force: bool,
}

impl Saving<'_> {
    /// Where an input goes.
    pub(crate) fn place(&self, job: &Job) -> PathBuf {
        match self.folder {
            Some(dir) => dir.join(below(self.named, &job.path)),
            None => job.path.clone(),
        }
    }

    /// Returns where the inputs go in the folder, if there is one; fails if two would become one file.
    pub(crate) fn places(&self, jobs: impl Iterator<Item = Job>, verb: &str) -> Result<Vec<PathBuf>, String> {
        if self.folder.is_none() {
            return Ok(Vec::new());
        }
        let mut seen = HashMap::new();
        for job in jobs {
            let place = self.place(&job);
            if let Some(other) = seen.insert(place.clone(), job.path.clone())
                && other != job.path
            {
                let (other, path, place) = (show(&other), show(&job.path), show(&place));
                return Err(format!(
                    "{other} and {path} would both become {place}; {verb} them one after the other"
                ));
            }
        }
        Ok(seen.into_keys().collect())
    }

    /// Writes a changed input. What it replaces is kept as FILE.bak, and its times stay.
    pub(crate) fn save(&self, job: &Job, output: &Output, format: &Format) -> io::Result<()> {
        let companions = disk::companion_paths(&job.path, format).into_iter().map(|(_, path)| path);
        let own: Vec<PathBuf> =
            companions.chain([job.path.clone()]).filter_map(|path| path.canonicalize().ok()).collect();
        let precious = |path: &Path| own.iter().any(|own| own == path);
        let kept = disk::Policy::force(self.force).with_times(true).with_precious(Some(&precious));
        if let Some(dir) = self.folder {
            let place = self.place(job);
            let folder = place.parent().unwrap_or(dir);
            std::fs::create_dir_all(folder)?;
            return disk::write_output_with(&place, output, &kept.with_times(false)).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {}", show(&place), reason(&error)))
            });
        }
        if matches!(disk::locate(&job.path), Ok(disk::Place::Entry(..))) {
            return Err(io::Error::other("is in an archive; use -o DIR, then `galatea put` puts it back"));
        }
        self.own_place(job)?;
        disk::write_output_with(&job.path, output, &kept.with_replace(true))
    }

    /// Fails for inputs that have no place of their own to be replaced in.
    pub(crate) fn own_place(&self, job: &Job) -> io::Result<()> {
        if job.path.as_os_str() == "-" {
            return Err(io::Error::other("standard input cannot be changed in place; use -o DIR"));
        }
        let name = job.path.file_name().unwrap_or_default().to_string_lossy();
        if disk::is_backup(&name) && !self.force {
            return Err(io::Error::other("is a backup; use -o DIR to leave it as it is, or --force"));
        }
        Ok(())
    }
}

/// The same for all spellings of a path that the system takes for one.
fn key(path: &Path) -> PathBuf {
    if cfg!(any(windows, target_os = "macos")) {
        path.to_string_lossy().to_lowercase().into()
    } else {
        path.into()
    }
}

/// Whether an image that is there shows the same as another one, whatever their bytes.
pub(crate) fn same_image(path: &Path, bytes: &[u8]) -> bool {
    let limits = Limits::default();
    let Some(there) = std::fs::read(path).ok().and_then(|b| texture::decode(&b, &[], &limits).ok()) else {
        return false;
    };
    let new = texture::decode(bytes, &[], &limits);
    new.is_ok_and(|new| (new.width, new.height, new.rgba) == (there.width, there.height, there.rgba))
}

/// The lines of `--report`, written at the end.
pub(crate) struct Report {
    path: PathBuf,
    force: bool,
    lines: String,
}

impl Report {
    /// Refuses a file that is there without `force`, and one that the run reads or writes in any case.
    pub(crate) fn new<'u>(
        path: &Path,
        force: bool,
        mut used: impl Iterator<Item = &'u Path>,
    ) -> Result<Self, String> {
        let real = |path: &Path| {
            let dir =
                || path.parent().map(|dir| if dir.as_os_str().is_empty() { Path::new(".") } else { dir });
            let new = || Some(dir()?.canonicalize().ok()?.join(path.file_name()?));
            path.canonicalize().ok().or_else(new).unwrap_or_else(|| path.to_path_buf())
        };
        let own = real(path);
        if used.any(|other| other == path || real(other) == own) {
            return Err(format!("{}: is an input or output; give the report a name of its own", show(path)));
        }
        if path.is_dir() {
            return Err(format!("{}: is a folder; name a file for the report", show(path)));
        }
        if !force && path.exists() {
            return Err(format!("{}: exists already; use --force to replace it", show(path)));
        }
        Ok(Report { path: path.to_path_buf(), force, lines: String::new() })
    }

    pub(crate) fn line(&mut self, line: &serde_json::Value) {
        self.lines += &format!("{line}\n");
    }

    pub(crate) fn write(&self) -> io::Result<()> {
        disk::write(&self.path, self.lines.as_bytes(), self.force).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {}", show(&self.path), reason(&error)))
        })
    }
}
