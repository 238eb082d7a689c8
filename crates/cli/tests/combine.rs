//! `transfer`, `graft`, `merge` and `split` through the program: the commands of `docs/combine.md`, where results go, and bad use.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use support::scratch;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with the examples in it.
fn folder(name: &str) -> PathBuf {
    let dir = scratch(&format!("combine-{name}"));
    std::fs::create_dir(dir.join("examples")).unwrap();
    for entry in std::fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, dir.join("examples").join(path.file_name().unwrap())).unwrap();
        }
    }
    dir
}

fn run(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_galatea"));
    command.args(args).current_dir(dir).stdin(Stdio::null()).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The words of a command line; quotes keep a space.
fn words(line: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (number, part) in line.split('\'').enumerate() {
        if number % 2 == 1 {
            out.last_mut().unwrap().push_str(part);
            continue;
        }
        for (at, word) in part.split(' ').enumerate() {
            if at > 0 || number == 0 {
                out.push(String::new());
            }
            out.last_mut().unwrap().push_str(word);
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

#[test]
fn the_commands_of_the_page_work_in_their_order() {
    let dir = folder("page");
    let page = std::fs::read_to_string(root().join("docs/combine.md")).unwrap();
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ galatea ")).collect();
    assert!(commands.len() >= 12, "{commands:?}");
    for command in commands {
        let (command, to) = command.split_once(" > ").map_or((command, None), |(c, to)| (c, Some(to)));
        let words = words(command);
        let done = run(&dir, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(done.status.code(), Some(0), "{command}: {}", err(&done));
        if let Some(to) = to {
            std::fs::write(dir.join(to), &done.stdout).unwrap();
        }
    }
    // All that came out is sound.
    let new: Vec<PathBuf> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(new.len() > 10, "{new:?}");
    for path in new.iter().filter(|path| !path.ends_with("examples") && !path.ends_with("bones.txt")) {
        // The MDX of a model of KotOR belongs to its MDL.
        if path.extension().is_some_and(|e| e == "mdx") && path.with_extension("mdl").exists() {
            continue;
        }
        let checked = run(&dir, &["check", path.to_str().unwrap()]);
        let sound = ["no errors", "nothing found"].iter().any(|words| out(&checked).contains(words));
        assert!(sound, "{}: {}", path.display(), out(&checked));
    }
    let clips = |file: &str| {
        let info = run(&dir, &["info", file, "--json"]);
        serde_json::from_str::<Value>(out(&info).lines().next().unwrap()).unwrap()["clips"].as_u64().unwrap()
    };
    assert_eq!((clips("dying.mdl"), clips("examples/statue.mdl")), (3, 2));
    assert_eq!((clips("quick.mdx"), clips("examples/beacon.mdx")), (4, 3));
}

#[test]
fn results_tell_what_was_done_in_lines_or_as_json() {
    let dir = folder("told");
    let args = ["transfer", "examples/statue_800.mdx", "examples/statue_800.mdx", "--clips", "Walk"];
    let named = [&args[..], &["--rename-clip", "Walk=Run", "-o", "a.mdx"]].concat();
    let done = run(&dir, &named);
    let lines = out(&done);
    assert!(
        lines.starts_with(
            "1 clip on 16 of 16 nodes, with their own keys\n  Walk as Run: bones off by 0.0 degrees"
        ),
        "{lines} {}",
        err(&done)
    );
    assert!(lines.ends_with("feet off by 0.0 % of the height\nwrote a.mdx\n"), "{lines}");
    let again = run(&dir, &named);
    assert_eq!(
        (again.status.code(), err(&again).as_str()),
        (Some(4), "error: a.mdx: exists already; use --force to replace it\n")
    );
    let json = run(&dir, &[&named[..], &["--force", "--json"]].concat());
    let line: Value = serde_json::from_str(&out(&json)).unwrap();
    assert_eq!(line["clips"][0]["name"], "Run");
    assert_eq!(line["written"][0], "a.mdx");
    assert_eq!(line["exact"], true);
    let look = run(&dir, &[&args[..], &["--dry-run", "--json"]].concat());
    let line: Value = serde_json::from_str(&out(&look)).unwrap();
    assert_eq!(line["bones"].as_array().unwrap().len(), 16);
    let graft = run(
        &dir,
        &["graft", "examples/statue_800.mdx/head", "examples/statue_800.mdx", "--at", "chest", "-o", "b.mdx"],
    );
    assert!(out(&graft).ends_with("wrote b.mdx\n"), "{}", err(&graft));
    assert!(
        err(&graft).contains("note: there is a node \"head\" already: the new one is called \"head 2\""),
        "{}",
        err(&graft)
    );
    let split = run(&dir, &["split", "examples/statue.mdl.ascii", "-o", "pieces", "--by", "material"]);
    assert!(out(&split).contains("statue: "), "{} {}", out(&split), err(&split));
    let pieces: Vec<_> =
        std::fs::read_dir(dir.join("pieces")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(pieces.iter().all(|name| name.to_string_lossy().ends_with(".ascii")), "{pieces:?}");
}

#[test]
fn an_input_that_is_replaced_is_kept() {
    let dir = folder("replaced");
    let before = std::fs::read(dir.join("examples/beacon.mdx")).unwrap();
    let args = [
        "graft",
        "examples/statue_800.mdx",
        "examples/beacon.mdx",
        "--at",
        "head",
        "-o",
        "examples/beacon.mdx",
    ];
    let refused = run(&dir, &args);
    assert_eq!(refused.status.code(), Some(4));
    assert_eq!(std::fs::read(dir.join("examples/beacon.mdx")).unwrap(), before);
    let done = run(&dir, &[&args[..], &["--force"]].concat());
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    assert_eq!(std::fs::read(dir.join("examples/beacon.mdx.bak")).unwrap(), before);
    assert_ne!(std::fs::read(dir.join("examples/beacon.mdx")).unwrap(), before);
}

#[test]
fn bad_use_is_one_line_and_writes_nothing() {
    let dir = folder("bad");
    std::fs::write(dir.join("wrong.txt"), "head = head\nchest\n").unwrap();
    std::fs::write(dir.join("unknown.txt"), "haed = head\n").unwrap();
    let (a, b) = ("examples/statue_800.mdx", "examples/beacon.mdx");
    let cases: [(&[&str], &str); 17] = [
        (&["transfer", "nothing.mdx", b, "-o", "x.mdx"], "nothing.mdx: no such file or folder"),
        (
            &["transfer", a, "examples/statue.fmdl", "-o", "x.fmdl"],
            "examples/statue.fmdl: is fmdl: models of the Fox Engine have no clips",
        ),
        (
            &["transfer", "examples/statue.fmdl", a, "-o", "x.mdx"],
            "examples/statue.fmdl: is fmdl: models of the Fox Engine have no clips",
        ),
        (&["transfer", a, b, "-o", "x.mdx"], "examples/beacon.mdx: has a clip \"Stand\" already"),
        (
            &["transfer", a, b, "--clips", "Wlak", "-o", "x.mdx"],
            "examples/statue_800.mdx: there is no clip \"Wlak\"; did you mean \"Walk\"?",
        ),
        (
            &["transfer", a, b, "--map", "wrong.txt", "-o", "x.mdx"],
            "wrong.txt: line 2: needs the form FROM = TO",
        ),
        (
            &["transfer", a, b, "--map", "unknown.txt", "--dry-run"],
            "there is no bone in the model that clips are taken of \"haed\"; did you mean \"head\"?",
        ),
        (&["transfer", a, "examples/room.wok", "-o", "x.wok"], "examples/room.wok: "),
        (
            &["graft", a, b, "--at", "haed", "-o", "x.mdx"],
            "examples/beacon.mdx: there is no node \"haed\"; did you mean \"head\"?",
        ),
        (
            &["graft", "examples/statue_800.mdx/hed", b, "--at", "head", "-o", "x.mdx"],
            "examples/statue_800.mdx: there is no node \"hed\"",
        ),
        (
            &["graft", "examples/statue_800.mdx/arm_l", a, "--at", "forearm_l", "-o", "x.mdx"],
            "\"arm_l\" would be below itself",
        ),
        (
            &["graft", a, "examples/statue.tga", "--at", "head", "-o", "x.tga"],
            "only mdl, mdx and fmdl are combined",
        ),
        (&["merge", a, a, "-o", "x.mdx"], "examples/statue_800.mdx: is named twice"),
        (&["merge", a, "examples/statue.tga", "-o", "x.mdx"], "examples/statue.tga: "),
        (&["split", "examples/statue.tga", "-o", "pieces"], "only mdl, mdx and fmdl are combined"),
        (
            &["split", "examples/statue.mdl", "-o", "x.mdl", "--portrait"],
            "only models of Warcraft III have portraits",
        ),
        (&["split", a, "-o", "wrong.txt"], "wrong.txt: is a file; the pieces go into a folder"),
    ];
    let names = || {
        let mut all: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
        all.sort();
        all
    };
    let before = names();
    for (args, want) in cases {
        let done = run(&dir, args);
        assert_eq!(done.status.code(), Some(4), "{args:?}: {}", out(&done));
        let error = err(&done);
        assert!(error.starts_with("error: ") && error.contains(want), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
        assert_eq!(names(), before, "{args:?}");
    }
}

#[test]
fn losses_are_named_and_need_a_word() {
    let dir = folder("lossy");
    // The beacon has no clip called Dance.
    let made =
        run(&dir, &["edit", "examples/statue_800.mdx", "-o", "dancer.mdx", "--rename-clip", "Walk=Dance"]);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let args = ["merge", "examples/beacon.mdx", "dancer.mdx", "-o", "x.mdx"];
    let refused = run(&dir, &args);
    assert_eq!(refused.status.code(), Some(4));
    let error = err(&refused);
    assert!(
        error.contains("lost: clip \"Dance\": the clip")
            && error.contains("nothing is written without --lossy"),
        "{error}"
    );
    assert!(!dir.join("x.mdx").exists());
    let done = run(&dir, &[&args[..], &["--lossy"]].concat());
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    assert!(dir.join("x.mdx").is_file() && err(&done).contains("lost: clip \"Dance\""), "{}", err(&done));
}
