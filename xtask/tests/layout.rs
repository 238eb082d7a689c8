//! The same files in every format: what ARCHITECTURE.md promises about the names of modules.
#![allow(clippy::unwrap_used, reason = "a test that meets the unexpected has to fail")]

use std::path::{Path, PathBuf};

/// The roots of the model formats, and whether they have a text form.
const FORMATS: [(&str, bool); 4] = [
    ("crates/kotor/src/bwm", true),
    ("crates/kotor/src/mdl", true),
    ("crates/mdlx/src", true),
    ("crates/fox/src", false),
];
/// The modules that each of them has.
const MODULES: [&str; 9] =
    ["wire", "read", "write", "check", "rules", "fix", "diff", "scene/to", "scene/from"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn has_module(dir: &Path, name: &str) -> bool {
    dir.join(format!("{name}.rs")).is_file() || dir.join(name).join("mod.rs").is_file()
}

#[test]
fn every_format_has_the_same_modules() {
    for (format, text) in FORMATS {
        let dir = root().join(format);
        assert!(dir.is_dir(), "{format} is gone");
        for module in MODULES.into_iter().chain(text.then_some("text")) {
            assert!(has_module(&dir, module), "{format} has no module `{module}`");
        }
    }
}

#[test]
fn no_module_hides_behind_an_underscore() {
    // `write_mesh.rs` belongs to `write/mesh.rs`, where somebody who looks for `write` finds it.
    for (format, _) in FORMATS {
        for entry in root().join(format).read_dir().unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let parted = name.split_once('_').map(|(head, _)| head.to_owned());
            assert!(
                parted.is_none_or(|head| !MODULES.contains(&head.as_str())),
                "{format}/{name} should be in a directory"
            );
        }
    }
}

/// The paths between backticks that begin in a directory of this repository.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    let inside = text.split('`').skip(1).step_by(2);
    inside.filter(|word| {
        let first = word.split('/').next().unwrap_or("");
        let ours = ["crates", "xtask", "docs", "examples", "packaging"].contains(&first);
        ours && word.contains('/') && !word.contains(['*', '{', ' ', '<'])
    })
}

#[test]
fn files_that_the_guides_name_exist() {
    for guide in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root().join(guide)).unwrap();
        assert!(named_paths(&text).count() > 10, "{guide} names no files");
        for path in named_paths(&text) {
            let file = path.split(['#', ':']).next().unwrap();
            assert!(root().join(file).exists(), "{guide} names `{path}`, which does not exist");
        }
    }
}
