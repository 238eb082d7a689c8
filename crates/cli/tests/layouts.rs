//! Layouts of KotOR: what is said of them, and the picture and the GLB of all rooms.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{galatea, scratch};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The keep, whose hall has the statue as its model.
fn keep(name: &str) -> PathBuf {
    let dir = scratch(name);
    for file in ["keep.lyt", "hall.wok", "passage.wok", "vault.wok"] {
        fs::copy(example("keep").join(file), dir.join(file)).unwrap();
    }
    for ending in ["mdl", "mdx"] {
        fs::copy(example("statue").with_extension(ending), dir.join("HALL").with_extension(ending)).unwrap();
    }
    fs::copy(example("statue.tga"), dir.join("statue.tga")).unwrap();
    fs::write(dir.join("keep.vis"), "hall 1\n  passage\npassage 2\n  hall\n  vault\nvault 1\n  passage\n")
        .unwrap();
    dir
}

/// What `check` finds: the codes with their severities, and the whole output.
fn check(dir: &Path) -> (Vec<String>, String) {
    let output = galatea(&["check", &text(&dir.join("keep.lyt")), "--info"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let mut codes: Vec<String> = said
        .split_whitespace()
        .filter(|word| word.starts_with("KLYT"))
        .map(|word| word.trim_end_matches(':').to_owned())
        .collect();
    codes.sort();
    codes.dedup();
    (codes, said)
}

fn edit(dir: &Path, file: &str, from: &str, to: &str) {
    let whole = fs::read_to_string(dir.join(file)).unwrap();
    assert!(whole.contains(from), "{file}: {from}");
    fs::write(dir.join(file), whole.replacen(from, to, 1)).unwrap();
}

#[test]
fn every_planted_mistake_is_found() {
    let sound = keep("layouts-sound");
    assert_eq!(check(&sound).0, ["KLYT0002"], "two rooms have no model");
    type Plant = fn(&Path);
    let plants: [(&str, Plant); 10] = [
        ("KLYT0001", |dir| edit(dir, "keep.lyt", "roomcount 3", "roomcount 2")),
        ("KLYT0003", |dir| fs::remove_file(dir.join("vault.wok")).unwrap()),
        ("KLYT0004", |dir| fs::write(dir.join("passage.wok"), b"BWM V1.0 cut").unwrap()),
        ("KLYT0005", |dir| edit(dir, "keep.lyt", "hall 0.0 0.0 0.0", "hall 50.0 0.0 0.0")),
        ("KLYT0006", |dir| {
            fs::copy(dir.join("hall.wok"), dir.join("vault.wok")).unwrap();
        }),
        ("KLYT0007", |dir| {
            edit(dir, "keep.lyt", "roomcount 3", "roomcount 1");
            edit(dir, "keep.lyt", "      passage 6.0 2.0 0.0\n      vault 10.0 0.0 0.0\n", "");
        }),
        ("KLYT0008", |dir| edit(dir, "keep.lyt", "vault grille", "cellar grille")),
        ("KLYT0009", |dir| edit(dir, "keep.vis", "vault 1", "cellar 1")),
        ("KLYT0010", |dir| edit(dir, "keep.lyt", "donelayout", "")),
        ("KLYT0011", |dir| edit(dir, "keep.lyt", "      vault 10", "      a_vault_with_a_name 10")),
    ];
    for (code, plant) in plants {
        let dir = keep("layouts-planted");
        plant(&dir);
        let (codes, said) = check(&dir);
        assert!(codes.contains(&code.to_owned()), "{code}: {said}");
    }
    // A walkmesh of another room has the transitions of that room, but not its place.
    let (_, said) = check(&sound);
    assert!(said.contains("1 file: no errors, 2 warnings"), "{said}");
}

#[test]
fn all_rooms_are_one_picture_and_one_scene() {
    let dir = keep("layouts-scene");
    let lyt = text(&dir.join("keep.lyt"));
    let run = |args: &[&str]| {
        let output = galatea(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run(&["info", &lyt]).contains("kotor-lyt\trooms: 3, door hooks: 2\t16\t2\t605\t756"));
    let image = |name: &str, more: &[&str]| {
        let out = text(&dir.join(name));
        run(&[&["render", &lyt, "-o", &out, "--size", "96"], more].concat());
        fs::read(out).unwrap()
    };
    assert_ne!(
        image("plain.png", &[]),
        image("walk.png", &["--walk"]),
        "walkmeshes are drawn where they are asked for"
    );
    assert!(run(&["textures", &lyt, "--all"]).contains("statue.tga"));
    let glb = dir.join("keep.glb");
    run(&["convert", &lyt, &text(&glb)]);
    let json = run(&["info", &text(&glb), "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(value["meshes"].as_u64().unwrap() >= 5, "{json}");
    let bytes = fs::read(&glb).unwrap();
    let names = String::from_utf8_lossy(&bytes).into_owned();
    for name in ["\"hall\"", "\"passage_wok\"", "\"vault_wok\"", "\"gate\"", "\"grille\"", "hall/stand"] {
        assert!(names.contains(name), "{name}");
    }
    assert!(run(&["roundtrip", &lyt]).contains("1 kept as they are"));
}
