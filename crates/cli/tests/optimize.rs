//! `galatea optimize`: where results go, what is printed, and bad use.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Output;

use galatea::mdlx::{Model, Texture};
use serde_json::Value;
use support::{galatea, scratch};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A folder with a model that has textures which nothing uses, and other files.
fn folder(name: &str) -> PathBuf {
    let dir = scratch(&format!("optimize-{name}"));
    let bytes = std::fs::read(example("statue_800.mdx")).unwrap();
    let mut model = Model::read(&bytes, &Default::default()).unwrap();
    model.textures.extend([Texture::default(); 3]);
    std::fs::write(dir.join("waste.mdx"), model.write().unwrap()).unwrap();
    std::fs::copy(example("room.wok"), dir.join("room.wok")).unwrap();
    dir
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn one_file_becomes_a_smaller_one_and_says_how() {
    let dir = folder("one");
    let (from, to) = (dir.join("waste.mdx"), dir.join("smaller.mdx"));
    let before = std::fs::read(&from).unwrap();
    let done = galatea(&["optimize", text(&from), text(&to), "--only", "textures"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let told = out(&done);
    assert!(told.contains(&format!("{} -> {} bytes", before.len(), before.len() - 804)), "{told}");
    assert!(told.contains("804 bytes         3 unused and equal textures"), "{told}");
    assert!(told.contains("72 poses compared: at most 0.00000 of the size"), "{told}");
    assert_eq!(std::fs::read(&to).unwrap().len(), before.len() - 804);
    assert_eq!(std::fs::read(&from).unwrap(), before);
    // The British spelling, and a second run.
    let again = galatea(&["optimise", text(&to), "--dry-run", "--only", "textures"]);
    assert!(out(&again).contains("0.0 % saved"), "{}", out(&again));
    let there = galatea(&["optimize", text(&from), text(&to)]);
    assert_eq!(there.status.code(), Some(4));
    assert!(err(&there).contains("exists already; use --force"), "{}", err(&there));
}

#[test]
fn folders_keep_their_other_files_and_backups_are_kept_in_place() {
    let dir = folder("folder");
    let to = dir.join("out");
    let done = galatea(&["optimize", text(&dir), "-o", text(&to), "--without", "nodes"]);
    assert!(out(&done).ends_with("1 smaller, 1 unchanged, 0 failed\n"), "{}{}", out(&done), err(&done));
    assert_eq!(std::fs::read(to.join("room.wok")).unwrap(), std::fs::read(example("room.wok")).unwrap());
    assert_eq!(names(&to), ["room.wok", "waste.mdx"]);
    let look = galatea(&["optimize", text(&dir), "--dry-run", "--json"]);
    let lines: Vec<Value> = out(&look).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // `out` in the same folder has one of that name, too.
    let waste = lines.iter().find(|line| line["path"] == text(&dir.join("waste.mdx"))).unwrap();
    assert_eq!(waste["status"], "changed");
    assert!(waste["saved"].as_array().unwrap().iter().any(|s| s["step"] == "textures" && s["bytes"] == 804));
    let before = std::fs::read(dir.join("waste.mdx")).unwrap();
    let done = galatea(&["optimize", text(&dir.join("waste.mdx")), "--in-place"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    assert_eq!(std::fs::read(dir.join("waste.mdx.bak")).unwrap(), before);
    assert!(std::fs::read(dir.join("waste.mdx")).unwrap().len() < before.len());
}

#[test]
fn bad_use_is_one_clear_line_and_writes_nothing() {
    let dir = folder("bad");
    let file = dir.join("waste.mdx");
    for (args, code, want) in [
        (vec!["optimize", text(&file)], 2, "say where the smaller files go"),
        (vec!["optimize", text(&file), "--dry-run", "--without", "key"], 2, "did you mean \"keys\"?"),
        (
            vec!["optimize", text(&file), "--dry-run", "--only", "keys", "--without", "nodes"],
            2,
            "cannot be used with",
        ),
        (vec!["optimize", text(&file), "--dry-run", "--tolerance", "2"], 2, "no number from 0 to 0.1"),
        (vec!["optimize", text(&file), "--dry-run", "--tolerance", "0.1,x"], 2, "no number from 0 to 45"),
        (vec!["optimize", text(&dir.join("room.wok")), "--dry-run"], 4, "kotor-bwm files are not optimized"),
        (vec!["optimize", text(&dir), "-o", text(&file)], 2, "-o names a file"),
        (vec!["optimize", text(&file), text(&file), "--in-place"], 2, "is named twice"),
    ] {
        let done = galatea(&args);
        let message = err(&done);
        assert_eq!(done.status.code(), Some(code), "{args:?}: {message}");
        assert!(message.contains(want), "{args:?}: {message}");
        assert_eq!(names(&dir), ["room.wok", "waste.mdx"], "{args:?}");
    }
}
