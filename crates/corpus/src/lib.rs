//! The corpus: real game files, which are not part of the repository.
//!
//! Tests that need it are marked `#[ignore = "needs the corpus"]` and take their files from [`listed`], so that they are
//! counted as ignored where there is no corpus and fail where a part of it is missing. `cargo xtask test` runs them
//! when there is a corpus.

mod listing;
mod manifest;

pub use listing::{Listing, Real, listed};

use std::path::{Path, PathBuf};

/// The environment variable that names the directory of the corpus.
pub const VARIABLE: &str = "GALATEA_CORPUS";

/// The environment variable that names a directory in which tests note what they read, one file per [`Listing`].
pub const LOG_VARIABLE: &str = "GALATEA_CORPUS_LOG";

/// The reason that tests which need the corpus give for being ignored.
pub const REASON: &str = "needs the corpus";

/// Returns where the corpus is expected: `$GALATEA_CORPUS`, or `shared/corpus` beside the checkout.
pub fn place() -> PathBuf {
    match std::env::var_os(VARIABLE) {
        Some(dir) => PathBuf::from(dir),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    }
}

/// Returns the directory of the corpus; `None` if it is missing or empty.
pub fn root() -> Option<PathBuf> {
    let dir = place();
    std::fs::read_dir(&dir).ok()?.next()?.ok()?;
    Some(dir)
}

/// Returns one directory of the corpus; `None`, with a line on stderr, if it is missing. For benchmarks and tables:
/// tests use [`listed`], which fails instead.
pub fn corpus(part: &str) -> Option<PathBuf> {
    let dir = place().join(part);
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("skipped: no corpus at {}", dir.display());
    None
}

/// Returns all files below a directory whose names end like this (case ignored), sorted.
pub fn files(dir: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut todo = vec![dir.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if path.is_dir() {
                todo.push(path);
            } else if endings.iter().any(|e| name.ends_with(e)) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}
