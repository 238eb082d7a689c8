//! `galatea extract`: files out of archives.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::disk::{self, Glob};
use rayon::prelude::*;
use serde_json::json;

use super::list::{Listed, files};
use crate::Exit;
use crate::batch::{self, Failure, Tally};
use crate::outputs;
use crate::terminal::{complain, reason, show};

#[derive(Args)]
pub(crate) struct Options {
    /// Archives, or files and folders inside of them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The folder to write to; nothing is written outside of it, whatever the archive says
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Only files that match, such as '*.mdl' or 'data/**/*.mdl'
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// One JSON object per file, one line each
    #[arg(long)]
    json: bool,
}

/// Files that are written before results are printed.
const WINDOW: usize = 256;

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        if self.output.is_file() {
            complain(format_args!("{}: is a file; name a folder", show(&self.output)));
            return Ok(Exit::Usage);
        }
        let only = self.only.as_deref().map(Glob::new);
        let mut tally = Tally::default();
        let mut all: Vec<(Listed, PathBuf)> = Vec::new();
        let mut taken = Taken::new();
        for path in &self.paths {
            match files(path, only.as_ref()) {
                Ok(found) => all.extend(found.into_iter().filter_map(|file| {
                    let place = disk::inside(&self.output, &file.name)?;
                    Some((file, free(place, &mut taken)))
                })),
                Err(failure) => {
                    tally = Tally { inputs: tally.inputs + 1, failed: tally.failed + 1 };
                    complain(format_args!("{}: {failure}", show(path)));
                }
            }
        }
        tally.inputs += all.len();
        let folders: BTreeSet<&Path> = all.iter().filter_map(|(_, place)| place.parent()).collect();
        for folder in folders {
            std::fs::create_dir_all(folder)?;
        }
        outputs::recover(std::slice::from_ref(&self.output));
        self.write(&all, tally)
    }

    fn write(&self, all: &[(Listed, PathBuf)], mut tally: Tally) -> io::Result<Exit> {
        let mut out = io::stdout().lock();
        let bar = batch::progress(all.len());
        let (mut written, mut bytes) = (0usize, 0u64);
        for part in all.chunks(WINDOW) {
            let results: Vec<_> = part.par_iter().map(|(file, place)| self.one(file, place)).collect();
            for ((file, place), result) in part.iter().zip(results) {
                let path = show(&file.archive.path_of(file.index));
                match &result {
                    Ok(size) => (written, bytes) = (written + 1, bytes + size),
                    Err(failure) => {
                        tally.failed += 1;
                        bar.suspend(|| complain(format_args!("{path}: {failure}")));
                    }
                }
                if self.json {
                    let line = match result {
                        Ok(size) => json!({ "path": path, "output": show(place), "bytes": size }),
                        Err(failure) => json!({ "path": path, "error": batch::error_json(&failure) }),
                    };
                    writeln!(out, "{line}")?;
                }
            }
            bar.inc(part.len() as u64);
        }
        bar.finish_and_clear();
        if !self.json {
            let failed = tally.failed;
            writeln!(out, "{written} files extracted ({bytes} bytes), {failed} failed")?;
        }
        Ok(tally.exit(false))
    }

    fn one(&self, file: &Listed, place: &Path) -> Result<u64, Failure> {
        let bytes = file.archive.read(file.index).map_err(Failure::Io)?;
        let wrong = |error: io::Error| Failure::Other(format!("{}: {}", show(place), reason(&error)));
        disk::write(place, &bytes, self.force).map_err(wrong)?;
        Ok(bytes.len() as u64)
    }
}

/// Paths that are written to, each with the number that the next of its name gets.
type Taken = HashMap<String, usize>;

/// Returns a path that no other entry is written to. Names that differ in letter case alone are one on some systems.
fn free(place: PathBuf, taken: &mut Taken) -> PathBuf {
    let key = |path: &Path| path.to_string_lossy().to_lowercase();
    let named = |number: usize| {
        let stem = place.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = match place.extension() {
            Some(extension) => format!("{stem}~{number}.{}", extension.to_string_lossy()),
            None => format!("{stem}~{number}"),
        };
        place.with_file_name(name)
    };
    let first = match taken.get(&key(&place)) {
        Some(next) => *next,
        None => {
            taken.insert(key(&place), 1);
            return place;
        }
    };
    let found = (first..).map(|n| (n, named(n))).find(|(_, path)| !taken.contains_key(&key(path)));
    let Some((number, path)) = found else { return place };
    taken.insert(key(&place), number + 1);
    taken.insert(key(&path), 1);
    path
}
