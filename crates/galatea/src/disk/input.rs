//! Finding inputs and reading them with their companions.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::inside;
use crate::document::borrowed;
use crate::{Beside, Companion, FORMATS, Format, Input, detect};

/// One input: a path, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// Whether the user named this very file, rather than a folder that holds it.
    pub named: bool,
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
}

impl Loaded {
    /// As input for [`open`](crate::open).
    pub fn input(&self) -> Input<'_> {
        let name = self.path.as_ref().and_then(|p| p.file_name()?.to_str()).unwrap_or("");
        let beside = self.path.is_some().then_some(self as &dyn Beside);
        Input { bytes: &self.bytes, companions: borrowed(&self.companions), name, beside }
    }

    /// Bytes of all files together.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.companions.iter().map(|c| c.bytes.len()).sum::<usize>()
    }
}

impl Beside for Loaded {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let folder = self.path.as_ref()?.parent()?;
        fs::read(inside(folder, path)?).ok()
    }
}

/// Bytes that suffice to recognise any format.
const ENOUGH: u64 = 4096;

/// Expands files and folders (recursively, in the order of names) into inputs.
///
/// From folders only files of known formats that are `wanted` are taken, and companions are left to the file they belong to.
/// Links to folders are not followed.
pub fn jobs(paths: &[PathBuf], wanted: &dyn Fn(&Format) -> bool) -> Vec<Result<Job, (PathBuf, io::Error)>> {
    let mut out = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            out.push(Ok(Job { path: path.clone(), named: true }));
            continue;
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => folder(path, wanted, &mut out),
            Ok(_) => out.push(Ok(Job { path: path.clone(), named: true })),
            Err(error) => out.push(Err((path.clone(), error))),
        }
    }
    out
}

fn folder(root: &Path, wanted: &dyn Fn(&Format) -> bool, out: &mut Vec<Result<Job, (PathBuf, io::Error)>>) {
    let mut found = Vec::new();
    let failed = walk(root, &mut |path| {
        if let Some(format) = format_in_folder(&path) {
            found.push((path, format));
        }
    });
    out.extend(failed.into_iter().map(Err));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let belong = |(path, format): &(PathBuf, &Format)| companion_paths(path, format);
    let companions: HashSet<PathBuf> = found.iter().flat_map(belong).map(|(_, path)| path).collect();
    let jobs = found.into_iter().filter(|(path, format)| wanted(format) && !companions.contains(path));
    out.extend(jobs.map(|(path, _)| Ok(Job { path, named: false })));
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
                Ok(_) => file(path),
                _ => {}
            }
        }
    }
    failed
}

/// The format of a file found in a folder. What has no magic must have the right extension too, so that no other file is
/// read whole, and none is mistaken.
fn format_in_folder(path: &Path) -> Option<&'static Format> {
    let mut start = Vec::new();
    fs::File::open(path).and_then(|file| file.take(ENOUGH).read_to_end(&mut start)).ok()?;
    if let Some(format) = FORMATS.iter().find(|f| !f.whole && (f.detect)(&start)) {
        return Some(format);
    }
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    FORMATS.iter().find(|f| f.whole && f.extensions.contains(&extension.as_str()))?;
    let format = detect(&fs::read(path).ok()?)?;
    format.extensions.contains(&extension.as_str()).then_some(format)
}

/// Reads an input and its companions.
pub fn load(job: &Job) -> io::Result<Loaded> {
    let mut bytes = Vec::new();
    if job.path.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(Loaded { bytes, ..Loaded::default() });
    }
    bytes = fs::read(&job.path)?;
    let mut companions = Vec::new();
    if let Some(format) = detect(&bytes) {
        for (extension, path) in companion_paths(&job.path, format) {
            companions.push(Companion { extension, bytes: fs::read(path)? });
        }
    }
    Ok(Loaded { bytes, companions, path: Some(job.path.clone()) })
}

/// The companions of a file that are there, letter case of the extension ignored.
pub fn companion_paths(path: &Path, format: &Format) -> Vec<(&'static str, PathBuf)> {
    let there = |extension: &&'static str| {
        let upper = extension.to_uppercase();
        let mut names = [*extension, &upper].into_iter().map(|e| path.with_extension(e));
        names.find(|p| p.is_file() && p != path).map(|p| (*extension, p))
    };
    format.companions.iter().filter_map(there).collect()
}
