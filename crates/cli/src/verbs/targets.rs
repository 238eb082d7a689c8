//! What can be written, and how files are named after it.

use std::path::Path;

use galatea::{Format, disk};

/// What can be written, with its usual ending.
const TARGETS: &[(&str, &str)] = &[
    ("kotor-mdl", "mdl"),
    ("kotor-mdl-ascii", "mdl.ascii"),
    ("kotor-bwm", "wok"),
    ("kotor-bwm-ascii", "wok.ascii"),
    ("mdx", "mdx"),
    ("mdl", "mdl"),
    ("fmdl", "fmdl"),
    ("glb", "glb"),
    ("gltf", "gltf"),
    ("obj", "obj"),
    ("png", "png"),
    ("tga", "tga"),
    ("tpc", "tpc"),
    ("blp", "blp"),
    ("dds", "dds"),
    ("ftex", "ftex"),
];

pub(super) fn target(text: &str) -> Result<&'static str, String> {
    let known = || TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    TARGETS.iter().map(|(n, _)| *n).find(|n| *n == text).ok_or_else(|| format!("can write {}", known()))
}

/// The endings of walkmeshes: they tell whose one is.
const WALKMESHES: [&str; 3] = ["wok", "pwk", "dwk"];

/// Whether a name is that of a walkmesh as text.
fn walkmesh_of(name: &str) -> bool {
    WALKMESHES.iter().any(|ending| name.ends_with(&format!(".{ending}.ascii")))
}

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
pub(super) fn walkmeshes(to: &str) -> Walkmeshes {
    match to {
        "kotor-mdl" | "kotor-mdl-ascii" => Walkmeshes::Copy,
        "mdx" | "mdl" | "fmdl" => Walkmeshes::Leave,
        _ => Walkmeshes::Convert,
    }
}

/// The name and the ending of what becomes of a file.
pub(super) fn new_name(to: &str, from: &Path) -> (String, String) {
    let name = from.to_string_lossy().to_lowercase();
    let plain = name.strip_suffix(".ascii").unwrap_or(&name);
    let whose = WALKMESHES.into_iter().find(|ending| plain.ends_with(&format!(".{ending}")));
    let (stem, usual) = (disk::stem(from), TARGETS.iter().find(|(n, _)| *n == to).map_or("out", |(_, e)| *e));
    match (to, whose) {
        // The text of a door holds three walkmeshes, of which the first has this number.
        ("kotor-bwm", Some("dwk")) if plain != name && !stem.ends_with(|c: char| c.is_ascii_digit()) => {
            (format!("{stem}0"), "dwk".into())
        }
        ("kotor-bwm", Some(whose)) => (stem, whose.into()),
        ("kotor-bwm-ascii", Some(whose)) => (stem, format!("{whose}.ascii")),
        _ => (stem, usual.into()),
    }
}

/// Whether an output is meant as a file: no folder of that name is there, and it ends as files that are written do.
pub(super) fn names_a_file(output: &Path) -> bool {
    let ending = output.extension().map(|e| e.to_string_lossy().to_lowercase());
    let known = |e: &str| {
        let of_format = galatea::FORMATS.iter().any(|f| f.extensions.contains(&e));
        of_format || e == "obj" || galatea::TEXTURE_TARGETS.contains(&e)
    };
    !output.is_dir() && ending.is_some_and(|e| known(&e))
}

/// The format that a file name asks for, given what there is.
pub(super) fn by_ending(path: &Path, from: &Format) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let warcraft = matches!(from.name, "mdx" | "mdl");
    Some(match name.rsplit('.').next()? {
        "ascii" if from.name.starts_with("kotor-bwm") || walkmesh_of(&name) => "kotor-bwm-ascii",
        "ascii" => "kotor-mdl-ascii",
        "mdl" if warcraft => "mdl",
        "mdl" if name.ends_with("-ascii.mdl") || from.name == "kotor-mdl" => "kotor-mdl-ascii",
        "mdl" => "kotor-mdl",
        "mdx" => "mdx",
        "wok" | "pwk" | "dwk" => "kotor-bwm",
        "fmdl" => "fmdl",
        "glb" => "glb",
        "gltf" => "gltf",
        "obj" => "obj",
        ending => return galatea::TEXTURE_TARGETS.into_iter().find(|t| *t == ending),
    })
}
