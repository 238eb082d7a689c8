//! The walkmeshes of the corpus.

use std::path::{Path, PathBuf};

use galatea::kotor::bwm;
use galatea::{Error, Ground, Limits};
use galatea_robustness::listed;
use galatea_walk::Surface;

/// The ground of a WOK, PWK or DWK file.
pub(crate) fn read(bytes: &[u8]) -> Result<Surface, Error> {
    let mesh = bwm::Walkmesh::read(bytes, &Limits::default())?;
    Ok(Ground::of_walkmesh(&mesh).surface)
}

/// All WOK files of the corpus, those with the most faces first.
pub(crate) fn corpus() -> Vec<(PathBuf, Surface)> {
    let files = listed(&["kotor"], &[".wok"]);
    let count = files.len();
    let mut out: Vec<(PathBuf, Surface)> = files.read(|_, bytes| read(bytes)).collect();
    assert_eq!(out.len(), count);
    out.sort_by_key(|(path, s)| (std::cmp::Reverse(s.faces.len()), path.clone()));
    out
}

/// One file of the corpus by name.
pub(crate) fn named(name: &str) -> Surface {
    let mut found = listed(&["kotor"], &[name]).read(|_, bytes| read(bytes));
    found.next().expect("a listing is never empty").1
}

/// The name of a file.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
