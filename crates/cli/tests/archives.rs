//! Archives as folders: listed, extracted, packed and changed, and the inputs of every verb.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use galatea::archive::erf::{Erf, ErfType};
use galatea::archive::mpq::Mpq;
use galatea::archive::zip::Zip;
use galatea::archive::{Archive, Edit};
use support::{galatea, scratch};

fn example(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

fn archive(empty: &dyn Archive, files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let edits: Vec<Edit> = files.iter().map(|(name, bytes)| Edit::put(*name, bytes.clone())).collect();
    empty.edited(&edits).unwrap()
}

fn module() -> Vec<u8> {
    let names = ["statue.mdl", "statue.mdx", "statue.tga", "room.wok"];
    archive(&Erf::new(ErfType::Module), &names.map(|name| (name, example(name))))
}

fn map() -> Vec<u8> {
    let files = [
        ("war3map.j", b"function main takes nothing returns nothing".to_vec()),
        ("war3mapImported/hero.mdx", example("statue_800.mdx")),
        ("war3mapImported/old.mdl", example("statue_800.mdl")),
        ("statue.blp", example("statue.blp")),
    ];
    archive(&Mpq::new(), &files)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn fine(args: &[&str]) -> String {
    let output = galatea(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    stdout(&output)
}

/// A folder with a module and a campaign that holds a map.
fn folder(name: &str) -> PathBuf {
    let dir = scratch(name);
    fs::write(dir.join("m.mod"), module()).unwrap();
    fs::write(dir.join("c.w3n"), archive(&Mpq::new(), &[("map.w3x", map())])).unwrap();
    dir
}

#[test]
fn every_verb_takes_archives_and_paths_inside_of_them() {
    let dir = folder("archives-verbs");
    let (module, map, out) = (dir.join("m.mod"), dir.join("c.w3n/map.w3x"), dir.join("out"));
    let at = |name: &str| text(&out.join(name));
    fs::create_dir_all(&out).unwrap();
    let info = fine(&["info", &text(&module)]);
    assert_eq!(info.lines().count(), 3, "the MDX belongs to its MDL: {info}");
    assert!(info.contains("m.mod/statue.mdl\tkotor-mdl\tK1 PC\t16\t2\t605\t756\t13\t2\t80883"), "{info}");
    let all = fine(&["info", &text(&dir)]);
    assert_eq!(all.lines().count(), 6, "{all}");
    assert!(all.contains("c.w3n/map.w3x/war3mapImported/hero.mdx\tmdx\t800"), "{all}");
    let hero = map.join("WAR3MAPIMPORTED/Hero.mdx");
    assert!(fine(&["info", &text(&hero)]).contains("\tmdx\t800"));
    assert!(fine(&["check", &text(&dir)]).contains("9 files"));
    let trips = fine(&["roundtrip", &text(&dir)]);
    assert!(trips.contains("9 files: ") && trips.contains("0 different, 0 unreadable"), "{trips}");
    fine(&["convert", &text(&dir), "--to", "glb", "-o", &at("all")]);
    for name in ["m.mod/statue.glb", "c.w3n/map.w3x/war3mapImported/hero.glb", "m.mod/room.glb"] {
        assert!(out.join("all").join(name).is_file(), "{name}");
    }
    fine(&["convert", &text(&map), "--to", "glb", "-o", &at("map")]);
    assert!(out.join("map/war3mapImported/old.glb").is_file());
    fine(&["convert", &text(&hero), &at("hero.mdl")]);
    fine(&["render", &text(&module.join("statue.mdl")), "-o", &at("statue.png"), "--size", "32"]);
    fine(&["diff", &text(&hero), &text(&map.join("war3mapImported/hero.mdx"))]);
    assert!(fine(&["inspect", &text(&module)]).contains("header"));
    assert!(fine(&["inspect", &text(&hero)]).contains("MDLX"));
    for (path, models) in [(&module, "1 models: 1 found"), (&map, "2 models: 2 found")] {
        assert!(fine(&["textures", &text(path)]).contains(models));
    }
    assert!(fine(&["walk", "locate", &text(&module.join("room.wok")), "--at", "3,1.5"]).contains("height"));
    assert_eq!(galatea(&["diff", &text(&module), &text(&hero)]).status.code(), Some(3));
}

#[test]
fn patterns_choose_among_the_files_of_an_archive() {
    let dir = folder("archives-patterns");
    let info = |pattern: &str| fine(&["info", &text(&dir.join(pattern))]).lines().count();
    assert_eq!(info("m.mod/*.mdl"), 1);
    assert_eq!(info("m.mod/S*"), 2);
    assert_eq!(info("c.w3n/map.w3x/war3mapImported/*.md?"), 2);
    assert_eq!(info("**/*.mdx"), 1);
    let output = galatea(&["info", &text(&dir.join("m.mod/x*.mdl"))]);
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("m.mod/x*.mdl: "), "{output:?}");
    let named = galatea(&["info", &text(&dir.join("m.mod/none.mdl"))]);
    assert!(String::from_utf8_lossy(&named.stderr).contains("none.mdl: no such file"), "{named:?}");
}

#[test]
fn files_are_listed_with_their_sizes() {
    let dir = folder("archives-list");
    let list = fine(&["list", &text(&dir.join("m.mod"))]);
    assert!(list.contains("statue.mdl\tkotor-mdl\t43603\t43603"), "{list}");
    assert!(list.contains("room.wok\tkotor-bwm\t19192\t19192"), "{list}");
    let only = fine(&["list", &text(&dir.join("c.w3n/map.w3x")), "--only", "*.mdx", "--json"]);
    let line: serde_json::Value = serde_json::from_str(&only).unwrap();
    assert_eq!(
        (&line["name"], &line["kind"], &line["bytes"]),
        (&"war3mapImported/hero.mdx".into(), &"mdx".into(), &30129.into())
    );
    assert!(line["packed"].as_u64().unwrap() < 30129 && line["storage"] == "packed");
    let below = fine(&["list", &text(&dir.join("c.w3n/map.w3x/war3mapImported"))]);
    assert!(below.starts_with("hero.mdx\t"), "{below}");
    assert_eq!(galatea(&["list", &text(&dir.join("none"))]).status.code(), Some(4));
}

#[test]
fn what_is_extracted_and_packed_again_is_the_same() {
    let dir = folder("archives-pack");
    let out = dir.join("out");
    let said = fine(&["extract", &text(&dir.join("m.mod")), "-o", &text(&out)]);
    assert!(said.starts_with("4 files extracted"), "{said}");
    assert_eq!(fs::read(out.join("statue.mdx")).unwrap(), example("statue.mdx"));
    let again = galatea(&["extract", &text(&dir.join("m.mod")), "-o", &text(&out)]);
    assert_eq!(again.status.code(), Some(4), "nothing is replaced without being told");
    for (name, kind) in [
        ("a.erf", "ERF V1.0"),
        ("a.mod", "MOD V1.0"),
        ("a.zip", "PK"),
        ("a.rim", "RIM V1.0"),
        ("a.mpq", "MPQ"),
    ] {
        fine(&["pack", &text(&out), &text(&dir.join(name))]);
        assert!(fs::read(dir.join(name)).unwrap().starts_with(kind.as_bytes()), "{name}");
        let back = dir.join(format!("{name}.out"));
        fine(&["extract", &text(&dir.join(name)), "-o", &text(&back), "--only", "*.*"]);
        assert_eq!(fs::read(back.join("statue.mdl")).unwrap(), example("statue.mdl"), "{name}");
    }
    let unknown = galatea(&["pack", &text(&out), &text(&dir.join("a.bif"))]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("the extension must be one of"), "{unknown:?}");
}

#[test]
fn putting_a_file_changes_nothing_else() {
    let dir = folder("archives-put");
    let (module, campaign) = (dir.join("m.mod"), dir.join("c.w3n"));
    let before = fs::read(&module).unwrap();
    fs::write(dir.join("STATUE.tga"), b"another").unwrap();
    fine(&["put", &text(&module), &text(&dir.join("STATUE.tga"))]);
    assert_eq!(fs::read(dir.join("m.mod.bak")).unwrap(), before);
    let list = fine(&["list", &text(&module)]);
    assert!(list.contains("statue.tga\ttga\t7\t7") && list.lines().count() == 4, "{list}");
    assert_eq!(galatea::disk::read(&module.join("statue.mdl")).unwrap(), example("statue.mdl"));
    // Into an archive inside of another one.
    fs::write(dir.join("new.mdx"), example("statue_1000.mdx")).unwrap();
    fine(&[
        "put",
        &text(&campaign.join("map.w3x")),
        &text(&dir.join("new.mdx")),
        "--into",
        "war3mapImported",
        "--remove",
        "statue.blp",
    ]);
    let info = fine(&["info", &text(&campaign)]);
    assert!(
        info.contains("c.w3n/map.w3x/war3mapImported/new.mdx\tmdx\t1000") && info.lines().count() == 3,
        "{info}"
    );
    let none = galatea(&["put", &text(&module), "--remove", "none.mdl"]);
    assert_eq!(none.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&none.stderr).contains("no entry of this name"), "{none:?}");
}

#[test]
fn names_from_archives_never_leave_the_folder() {
    let dir = scratch("archives-names");
    let names = [
        "../../evil_one.txt",
        "/abs_two.txt",
        "a/../../evil_three.txt",
        "C:/evil_four.txt",
        "con.txt",
        "same.txt",
        "SAME.txt",
    ];
    // The writer refuses such names, so they take the places of harmless ones of the same length.
    let plain: Vec<String> =
        (0..names.len()).map(|i| format!("{i}{}", "x".repeat(names[i].len() - 1))).collect();
    let files: Vec<(&str, Vec<u8>)> =
        plain.iter().map(|name| (name.as_str(), name.clone().into_bytes())).collect();
    let mut bytes = archive(&Zip::new(), &files);
    for (plain, name) in plain.iter().zip(names) {
        for at in 0..bytes.len() - plain.len() {
            let before = &bytes[at.saturating_sub(2)..at];
            if bytes[at..].starts_with(plain.as_bytes()) && before != name.as_bytes() {
                bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
            }
        }
    }
    fs::create_dir_all(dir.join("deep/er")).unwrap();
    let path = dir.join("deep/er/evil.zip");
    fs::write(&path, bytes).unwrap();
    let out = dir.join("deep/er/out");
    galatea(&["extract", &text(&path), "-o", &text(&out), "--json"]);
    let mut found = Vec::new();
    let mut todo = vec![dir.clone()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() { todo.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    found.retain(|file| *file != path);
    assert_eq!(found.len(), names.len(), "{found:?}");
    assert!(found.iter().all(|file| file.starts_with(&out)), "{found:?}");
    let check = galatea(&["check", &text(&path)]);
    assert!(stdout(&check).contains("ARCH0004"), "{check:?}");
}

#[test]
fn archives_inside_of_archives_end_somewhere() {
    let dir = scratch("archives-deep");
    let mut bytes = archive(&Zip::new(), &[("statue.mdx", example("statue_800.mdx"))]);
    for _ in 0..6 {
        bytes = archive(&Zip::new(), &[("inner.zip", bytes)]);
    }
    fs::write(dir.join("deep.zip"), bytes).unwrap();
    let output = galatea(&["info", &text(&dir.join("deep.zip"))]);
    assert_eq!(output.status.code(), Some(4));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("deep.zip/inner.zip/inner.zip/inner.zip/inner.zip: archives nested more than 4 deep"),
        "{said}"
    );
}

#[test]
fn damaged_archives_say_what_is_wrong() {
    let dir = scratch("archives-damaged");
    let whole = module();
    fs::write(dir.join("cut.mod"), &whole[..whole.len() - 1000]).unwrap();
    fs::write(dir.join("head.mod"), &whole[..200]).unwrap();
    let output = galatea(&["info", &text(&dir)]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("head.mod: 0x"), "{said}");
    let check = galatea(&["check", &text(&dir.join("cut.mod"))]);
    assert!(stdout(&check).contains("ARCH0001"), "{check:?}");
    let fix = galatea(&["check", "--fix", &text(&dir.join("cut.mod/statue.mdl"))]);
    assert!(fix.status.code().is_some_and(|code| code != 2));
}

/// Every archive of the corpus is listed, extracted and written again; the deliberately corrupt ones say why.
#[test]
#[ignore = "needs the corpus"]
fn archives_of_the_corpus() {
    let corpus = std::env::var_os("GALATEA_CORPUS")
        .map_or_else(|| PathBuf::from("../../../shared/corpus"), PathBuf::from);
    let root = corpus.join("archives");
    if !root.is_dir() {
        return eprintln!("no corpus, nothing checked");
    }
    let mut counts = (0, 0);
    for family in ["kotor", "wc3", "fox"] {
        for entry in fs::read_dir(root.join(family)).unwrap().flatten() {
            let path = entry.path();
            if !galatea::disk::is_folder(&path) {
                continue;
            }
            let output = galatea(&["list", &text(&path)]);
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.contains("corrupted") || name == "Test-9b30b7.w3x" {
                assert_eq!(output.status.code(), Some(4), "{name}");
                counts.1 += 1;
                continue;
            }
            assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
            counts.0 += 1;
            let trip = stdout(&galatea(&["roundtrip", &text(&path)]));
            assert!(trip.contains(" 0 different"), "{name}: {trip}");
        }
    }
    assert_eq!(counts, (57, 3));
}
