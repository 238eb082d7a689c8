//! The Warcraft III and WoW alpha files of the corpus.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::Path;

use galatea_mdlx::{Limits, Model, text};
use galatea_robustness::{Listing, listed};
use galatea_wire::Result;

/// Binary files that are malformed on purpose, and the errors of reading them.
pub(crate) const MALFORMED: &[(&str, &str)] = &[(
    "bpos_count_overflow_v900.",
    "0x595 BPOS > bind_poses: 536870912 x 48 bytes needs 25769803776, have 48",
)];

/// Texts that are malformed, and the errors of reading them.
pub(crate) const MALFORMED_TEXTS: &[(&str, &str)] = &[(
    "truncated_after_helper_v800.",
    "line 9, column 1 Helper \"Dangling\": the file ends inside `Helper`, which begins in line 8",
)];

/// All sound binary models.
pub(crate) fn binaries() -> Listing {
    let malformed: Vec<&str> = MALFORMED.iter().map(|(name, _)| *name).collect();
    listed(&["mdx", "sets/wc3", "sets/reforged"], &[".mdx"]).without(&malformed)
}

/// The binary models of one version.
pub(crate) fn of_version(version: u32) -> Listing {
    listed(&[&format!("mdx/v{version}")], &[".mdx"])
}

/// All sound texts.
pub(crate) fn texts() -> Listing {
    let malformed: Vec<&str> = MALFORMED_TEXTS.iter().map(|(name, _)| *name).collect();
    listed(&["mdx/text"], &[".mdl"]).without(&malformed)
}

/// Reads a binary model.
pub(crate) fn binary(_: &Path, bytes: &[u8]) -> Result<Model> {
    Model::read(bytes, &Limits::default())
}

/// Reads a text.
pub(crate) fn parsed(_: &Path, bytes: &[u8]) -> Result<Model> {
    assert!(text::detect(bytes));
    text::parse(bytes, &Limits::default())
}
