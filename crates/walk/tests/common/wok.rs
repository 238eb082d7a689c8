//! The walkmeshes of the corpus.

use std::path::{Path, PathBuf};

use galatea::kotor::bwm;
use galatea::{Ground, Limits};
use galatea_walk::Surface;

/// The ground of a WOK, PWK or DWK file.
pub(crate) fn read(bytes: &[u8]) -> Option<Surface> {
    let mesh = bwm::Walkmesh::read(bytes, &Limits::default()).ok()?;
    Some(Ground::of_walkmesh(&mesh).surface)
}

/// The WOK files of the corpus, largest first; empty, said on stderr, where there is no corpus.
pub(crate) fn corpus() -> Vec<(PathBuf, Surface)> {
    let Some(dir) = galatea_trial::corpus("kotor") else { return Vec::new() };
    let mut out: Vec<(PathBuf, Surface)> = galatea_trial::files(&dir, &[".wok"])
        .into_iter()
        .filter_map(|path| Some((path.clone(), read(&std::fs::read(&path).ok()?)?)))
        .collect();
    out.sort_by_key(|(path, s)| (std::cmp::Reverse(s.faces.len()), path.clone()));
    out
}

/// One file of the corpus by name.
pub(crate) fn named(name: &str) -> Option<Surface> {
    let dir = galatea_trial::corpus("kotor")?;
    let path = galatea_trial::files(&dir, &[name]).into_iter().next()?;
    read(&std::fs::read(path).ok()?)
}

/// The name of a file.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
