//! `galatea edit`: where changes go, backups, archives, scripts and bad use.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Output;

use galatea::archive::zip::Zip;
use galatea::archive::{Archive, Edit};
use serde_json::Value;
use support::{galatea, scratch};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A folder with copies of these examples.
fn folder(name: &str, files: &[&str]) -> PathBuf {
    let dir = scratch(&format!("edit-{name}"));
    for file in files {
        std::fs::copy(example(file), dir.join(file)).unwrap();
    }
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

/// The names in a folder.
fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn one_file_becomes_another_and_stays_itself() {
    let dir = folder("one", &["statue_800.mdx"]);
    let (from, to) = (dir.join("statue_800.mdx"), dir.join("new.mdx"));
    let before = std::fs::read(&from).unwrap();
    let args = ["edit", text(&from), "-o", text(&to), "--set", "sequences[Walk].move_speed=270"];
    let done = galatea(&args);
    assert_eq!(
        (done.status.code(), out(&done).as_str()),
        (Some(0), "1 changed, 0 unchanged, 0 failed\n"),
        "{}",
        err(&done)
    );
    assert_eq!(std::fs::read(&from).unwrap(), before);
    let read = galatea(&["edit", text(&to), "--get", "sequences[*].move_speed"]);
    assert_eq!(
        out(&read),
        "SEQS > sequences[0] \"Stand\" > move_speed = 0.0\n\
         SEQS > sequences[1] \"Walk\" > move_speed = 270.0\n\
         SEQS > sequences[2] \"Death\" > move_speed = 0.0\n"
    );
    let again = galatea(&args);
    assert_eq!(again.status.code(), Some(4));
    assert!(err(&again).contains("exists already; use --force"), "{}", err(&again));
}

#[test]
fn in_place_keeps_a_backup_and_leaves_alone_what_does_not_change() {
    let dir = folder("place", &["statue_800.mdx", "statue_1000.mdx"]);
    let before = std::fs::read(dir.join("statue_800.mdx")).unwrap();
    let done = galatea(&["edit", text(&dir), "--in-place", "--set", "sequences[Walk].move_speed=45"]);
    assert_eq!(out(&done), "0 changed, 2 unchanged, 0 failed\n", "{}", err(&done));
    assert_eq!(names(&dir), ["statue_1000.mdx", "statue_800.mdx"]);
    let done = galatea(&["edit", text(&dir), "--in-place", "--set", "sequences[Walk].move_speed=46"]);
    assert_eq!(out(&done), "2 changed, 0 unchanged, 0 failed\n", "{}", err(&done));
    assert_eq!(std::fs::read(dir.join("statue_800.mdx.bak")).unwrap(), before);
    let now = std::fs::read(dir.join("statue_800.mdx")).unwrap();
    assert_eq!(
        now.iter().zip(&before).filter(|(a, b)| a != b).count(),
        1,
        "46.0 and 45.0 differ in one byte"
    );
}

#[test]
fn a_model_and_its_companion_are_changed_together() {
    let dir = folder("pair", &["statue.mdl", "statue.mdx"]);
    let before = std::fs::read(dir.join("statue.mdx")).unwrap();
    let to = dir.join("out");
    let args = ["edit", text(&dir), "-o", text(&to), "--set", "mdx:nodes[14].rows[0].positions=0,0,9"];
    let done = galatea(&args);
    assert_eq!(out(&done), "1 changed, 0 unchanged, 0 failed\n", "{}", err(&done));
    assert_eq!(names(&to), ["statue.mdl", "statue.mdx"]);
    let after = std::fs::read(to.join("statue.mdx")).unwrap();
    assert_eq!(after.len(), before.len());
    assert!(after != before && after[12..] == before[12..]);
    assert_eq!(std::fs::read(to.join("statue.mdl")).unwrap(), std::fs::read(dir.join("statue.mdl")).unwrap());
}

#[test]
fn a_dry_run_prints_the_differences_and_writes_nothing() {
    let dir = folder("dry", &["statue_800.mdx", "statue_800.mdl"]);
    let done =
        galatea(&["edit", text(&dir), "--in-place", "--dry-run", "--set", "sequences[Walk].move_speed=270"]);
    let lines = out(&done);
    assert_eq!(lines.matches("sequences[1] \"Walk\" > move_speed: 45.0 -> 270.0").count(), 2, "{lines}");
    assert!(lines.ends_with("2 would be changed, 0 unchanged, 0 failed\n"), "{lines}");
    assert_eq!(names(&dir), ["statue_800.mdl", "statue_800.mdx"]);
    for name in names(&dir) {
        assert_eq!(std::fs::read(dir.join(&name)).unwrap(), std::fs::read(example(&name)).unwrap());
    }
}

#[test]
fn operations_and_scripts_run_in_the_order_given() {
    let dir = folder("script", &["statue_800.mdx"]);
    let script = dir.join("slow.txt");
    std::fs::write(&script, "# all of them\n--set sequences[*].rarity=3\nget sequences[0].rarity\n").unwrap();
    let file = dir.join("statue_800.mdx");
    let done = galatea(&[
        "edit",
        text(&file),
        "--dry-run",
        "--get",
        "sequences[0].rarity",
        "--script",
        text(&script),
        "--set",
        "sequences[0].rarity=4",
        "--get",
        "sequences[0].rarity",
    ]);
    let values: Vec<String> =
        out(&done).lines().filter_map(|l| Some(l.split_once("rarity = ")?.1.to_owned())).collect();
    assert_eq!(values, ["0.0", "3.0", "4.0"], "{}", err(&done));
    std::fs::write(&script, "set a=1\nsett b=2\n").unwrap();
    let done = galatea(&["edit", text(&file), "--dry-run", "--script", text(&script)]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        err(&done).contains("slow.txt: line 2: --sett is no operation; did you mean --set?"),
        "{}",
        err(&done)
    );
}

#[test]
fn files_in_an_archive_are_changed_in_it() {
    let dir = scratch("edit-archive");
    let zip = dir.join("mod.zip");
    let read = |name: &str| std::fs::read(example(name)).unwrap();
    let edits = [
        Edit::put("units/a.mdx", read("statue_800.mdx")),
        Edit::put("units/b.mdx", read("statue_1000.mdx")),
        Edit::put("readme.txt", b"hello".to_vec()),
    ];
    let bytes = Zip::new().edited(&edits).unwrap();
    std::fs::write(&zip, &bytes).unwrap();
    let done = galatea(&["edit", text(&zip), "--in-place", "--set", "sequences[Walk].move_speed=270"]);
    assert_eq!(out(&done), "2 changed, 0 unchanged, 0 failed\n", "{}", err(&done));
    assert_eq!(names(&dir), ["mod.zip", "mod.zip.bak"]);
    assert_eq!(std::fs::read(dir.join("mod.zip.bak")).unwrap(), bytes);
    let read = galatea(&["edit", text(&zip), "--get", "sequences[Walk].move_speed"]);
    assert_eq!(out(&read).matches("= 270.0").count(), 2, "{}{}", out(&read), err(&read));
    let listed = galatea(&["list", text(&zip)]);
    assert!(out(&listed).contains("readme.txt"), "{}", out(&listed));
}

#[test]
fn json_has_a_line_per_input() {
    let dir = folder("json", &["statue_800.mdx", "room.wok"]);
    let done =
        galatea(&["edit", text(&dir), "--json", "--dry-run", "--set", "sequences[Walk].move_speed=270"]);
    let lines: Vec<Value> = out(&done).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(done.status.code(), Some(3));
    assert_eq!(lines[0]["status"], "failed");
    assert!(lines[0]["error"]["message"].as_str().unwrap().contains("no field fits \"sequences[Walk]\""));
    assert_eq!(lines[1]["status"], "changed");
    assert_eq!(lines[1]["differences"].as_array().unwrap().len(), 1);
}

#[test]
fn bad_use_is_one_clear_line_and_writes_nothing() {
    let dir = folder("bad", &["statue_800.mdx", "statue.mdl"]);
    let file = dir.join("statue_800.mdx");
    let set = "sequences[Walk].move_speed=270";
    for (args, code, want) in [
        (vec!["edit", text(&file)], 2, "name what to change"),
        (vec!["edit", text(&file), "--set", set], 2, "say where the changed files go"),
        (vec!["edit", text(&file), "--set", "speed"], 2, "needs FIELD=VALUE"),
        (vec!["edit", text(&file), "--set", "a[=1"], 2, "needs FIELD=VALUE"),
        (vec!["edit", text(&file), "--in-place", "--get", "sequences[0].name"], 2, "nothing is changed"),
        (vec!["edit", text(&file), text(&file), "--in-place", "--set", set], 2, "is named twice"),
        (vec!["edit", text(&file), "-o", "x.mdx", "--in-place", "--set", set], 2, "cannot be used with"),
        (
            vec!["edit", text(&file), "--in-place", "--set", "sequences[Wlak].rarity=1"],
            4,
            "did you mean \"Walk\"?",
        ),
        (vec!["edit", text(&file), "--in-place", "--set", "sequences[Walk].flags=x"], 4, "is not an integer"),
        (vec!["edit", text(&dir), "-o", text(&file), "--set", set], 2, "-o names a file"),
        (vec!["edit", text(&file), "--in-place", "--move", "1,2"], 2, "three numbers"),
        (vec!["edit", text(&file), "--in-place", "--rotate", "w,90"], 2, "an axis and degrees"),
        (vec!["edit", text(&file), "--in-place", "--mirror", "left"], 2, "needs x, y or z"),
        (vec!["edit", text(&file), "--in-place", "--recolor", "blue"], 2, "#RRGGBB"),
        (vec!["edit", text(&file), "--in-place", "--smooth", "-1"], 2, "unexpected argument"),
        (vec!["edit", text(&file), "--in-place", "--regex", "a(=b"], 2, "without closing"),
        (vec!["edit", text(&file), "--in-place", "--visibility", "9=no"], 4, "there is no geoset \"9\""),
        (vec!["edit", text(&file), "--in-place", "--remove-node", "head"], 4, "is needed by"),
        (vec!["edit", text(&file), "--in-place", "--attach", "A", "--to", "nothing"], 4, "there is no node"),
        (vec!["edit", text(&dir.join("none.mdx")), "--in-place", "--set", set], 4, "no such file or folder"),
    ] {
        let done = galatea(&args);
        let message = err(&done);
        assert_eq!(done.status.code(), Some(code), "{args:?}: {message}");
        assert!(message.contains(want), "{args:?}: {message}");
        assert_eq!(names(&dir), ["statue.mdl", "statue_800.mdx"], "{args:?}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(example("statue_800.mdx")).unwrap());
}

#[test]
fn files_beside_models_stay_as_they_are() {
    let dir = folder("beside", &["statue_800.mdx", "room.wok", "statue.blp"]);
    let to = dir.join("out");
    let done = galatea(&["edit", text(&dir), "-o", text(&to), "--texture", r"*=mod\*"]);
    assert_eq!(out(&done), "1 changed, 2 unchanged, 0 failed\n", "{}", err(&done));
    assert_eq!(std::fs::read(to.join("room.wok")).unwrap(), std::fs::read(example("room.wok")).unwrap());
    assert_eq!(std::fs::read(to.join("statue.blp")).unwrap(), std::fs::read(example("statue.blp")).unwrap());
    // Named ones are an error.
    let named = galatea(&["edit", text(&dir.join("room.wok")), "--dry-run", "--texture", "a=b"]);
    assert_eq!(named.status.code(), Some(4));
    assert!(err(&named).contains("means nothing in kotor-bwm files"), "{}", err(&named));
    let nothing = galatea(&["edit", text(&to), "--dry-run", "--texture", "none=x"]);
    assert!(
        err(&nothing).contains("note: --texture none=x: changes nothing in any input"),
        "{}",
        err(&nothing)
    );
}
