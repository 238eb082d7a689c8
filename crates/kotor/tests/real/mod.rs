//! The KotOR files of the corpus.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::{Path, PathBuf};

use galatea_kotor::bwm::Walkmesh;
use galatea_kotor::mdl::{Model, Pair};
use galatea_robustness::{Listing, listed};
use galatea_wire::{Limits, Result};

/// Models that cannot be read: the child pointers of this one lead anywhere.
pub(crate) const DAMAGED: &[&str] = &["kotor-mods/paz_holo_1bad.mdl"];

/// All models of both games that are sound.
pub(crate) fn models() -> Listing {
    listed(&["kotor", "sets/kotor"], &[".mdl"]).without(DAMAGED)
}

/// Reads a model, given the bytes of its MDL.
pub(crate) fn model(path: &Path, mdl: &[u8]) -> Result<Model> {
    Model::read(mdl, Some(&companion(path)), &Limits::default())
}

/// Reads both files of a model and what they say.
pub(crate) fn pair(path: &Path, mdl: &[u8]) -> Result<(Pair, Model)> {
    let pair = Pair { mdl: mdl.to_vec(), mdx: companion(path) };
    let model = Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default())?;
    Ok((pair, model))
}

/// The bytes of the MDX of a model. Models without meshes have one of 0 bytes.
pub(crate) fn companion(path: &Path) -> Vec<u8> {
    let path = path.with_extension("mdx");
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All walkmeshes.
pub(crate) fn walkmeshes() -> impl Iterator<Item = (PathBuf, (Vec<u8>, Walkmesh))> {
    listed(&["kotor"], &[".wok", ".pwk", ".dwk"]).read(|_, bytes| {
        Ok::<_, galatea_wire::Error>((bytes.to_vec(), Walkmesh::read(bytes, &Limits::default())?))
    })
}

/// The name of a file.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
