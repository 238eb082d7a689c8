//! What can be written, and how files are named after it.

use std::path::Path;

use galatea::texture::find::Game;
use galatea::{FormatId, disk};

/// Parses the name of a format that can be written.
pub(super) fn target(text: &str) -> Result<FormatId, String> {
    let known = || FormatId::targets().map(FormatId::name).collect::<Vec<_>>().join(", ");
    FormatId::targets().find(|id| id.name() == text).ok_or_else(|| format!("can write {}", known()))
}

/// Whether a format is that of walkmeshes.
pub(super) fn holds_walkmeshes(id: FormatId) -> bool {
    matches!(id, FormatId::KotorBwm | FormatId::KotorBwmAscii)
}

/// The endings of walkmeshes: they tell whose one is.
const WALKMESHES: [&str; 3] = ["wok", "pwk", "dwk"];

/// Whether the name of a file is that of a walkmesh, binary or text.
pub(super) fn is_walkmesh(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let plain = name.strip_suffix(".ascii").unwrap_or(&name);
    WALKMESHES.iter().any(|ending| plain.ends_with(&format!(".{ending}")))
}

/// What becomes of a walkmesh in a folder that is converted. A walkmesh is no model; it becomes one only if it is asked for
/// by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Walkmeshes {
    /// It is converted like everything else.
    Convert,
    /// It is copied: the models that go with it are for the same engine.
    Copy,
    /// It is left alone: the target has nothing of the kind.
    Leave,
}

/// What becomes of walkmeshes in a folder.
pub(super) fn walkmeshes(to: FormatId) -> Walkmeshes {
    match to.format().game {
        Some(Game::Kotor) => Walkmeshes::Copy,
        Some(_) => Walkmeshes::Leave,
        None => Walkmeshes::Convert,
    }
}

/// The name and the ending of what becomes of a file.
pub(super) fn new_name(to: FormatId, from: &Path) -> (String, String) {
    let name = from.to_string_lossy().to_lowercase();
    let plain = name.strip_suffix(".ascii").unwrap_or(&name);
    let whose = WALKMESHES.into_iter().find(|ending| plain.ends_with(&format!(".{ending}")));
    let (stem, usual) = (disk::stem(from), to.format().write_extension.unwrap_or("out"));
    match (to, whose) {
        // The text of a door holds three walkmeshes, of which the first has this number.
        (FormatId::KotorBwm, Some("dwk"))
            if plain != name && !stem.ends_with(|c: char| c.is_ascii_digit()) =>
        {
            (format!("{stem}0"), "dwk".into())
        }
        (FormatId::KotorBwm, Some(whose)) => (stem, whose.into()),
        (FormatId::KotorBwmAscii, Some(whose)) => (stem, format!("{whose}.ascii")),
        _ => (stem, usual.into()),
    }
}

/// Whether an output is meant as a file: no folder of that name is there, and it ends as files that are written do.
pub(super) fn names_a_file(output: &Path) -> bool {
    let ending = output.extension().map(|e| e.to_string_lossy().to_lowercase());
    let known = |e: &str| FormatId::ALL.iter().any(|id| id.format().extensions.contains(&e));
    !output.is_dir() && ending.is_some_and(|e| known(&e))
}
