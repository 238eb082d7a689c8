//! What `check` prints: lines that can be read without `explain`, counts, and what is left out unless asked for.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use support::{galatea, scratch};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The offset that stands at this place.
fn offset(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// The room of the examples without one of the neighbours of face 17, as a careless tool leaves it.
fn damaged_room() -> Vec<u8> {
    let mut bytes = std::fs::read(root().join("examples/room.wok")).unwrap();
    let first = offset(&bytes, 0x74) + 17 * 12;
    bytes[first..first + 4].copy_from_slice(&(-1i32).to_le_bytes());
    bytes
}

/// The room with every normal turned: one rule, many places.
fn turned_room() -> Vec<u8> {
    let mut bytes = std::fs::read(root().join("examples/room.wok")).unwrap();
    let normals = offset(&bytes, 92);
    for face in 0..12 {
        bytes[normals + face * 12..normals + face * 12 + 4].copy_from_slice(&1f32.to_le_bytes());
    }
    bytes
}

/// A Warcraft III model that breaks a rule of the least severity only.
fn model_with_infos() -> Vec<u8> {
    let bytes = std::fs::read(root().join("examples/statue_800.mdx")).unwrap();
    let mut model = galatea::mdlx::Model::read(&bytes, &galatea::Limits::default()).unwrap();
    let before = model.check();
    assert!(before.is_empty(), "{:?}", before.findings());
    let mut spare = model.textures[0];
    spare.replaceable_id = 0;
    model.textures.push(spare);
    let report = model.check();
    assert!(report.at_least(galatea::Severity::Info) > 0, "a texture that nobody uses is worth an info");
    assert_eq!(report.at_least(galatea::Severity::Warning), 0, "{:?}", report.findings());
    model.write().unwrap()
}

fn folder(name: &str, files: &[(&str, Vec<u8>)]) -> String {
    let dir = scratch(&format!("check-{name}"));
    for (name, bytes) in files {
        std::fs::write(dir.join(name), bytes).unwrap();
    }
    dir.to_string_lossy().into_owned()
}

/// The readme shows what the program says, to the letter.
#[test]
fn the_readme_shows_real_output() {
    let dir = folder("readme", &[("m01aa_01a.wok", damaged_room())]);
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut shown = 0;
    for block in readme.split("```console\n").skip(1).filter_map(|b| b.split("```").next()) {
        for example in block
            .split("$ ")
            .filter(|e| e.contains("check m01aa_01a.wok") || e.starts_with("galatea explain"))
        {
            let (line, expected) = example.split_once('\n').unwrap();
            let words: Vec<&str> = line.split_whitespace().skip(1).collect();
            let output = Command::new(env!("CARGO_BIN_EXE_galatea"))
                .args(&words)
                .current_dir(&dir)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert_eq!(stdout(&output).trim_end(), expected.trim_end(), "{line}");
            shown += 1;
        }
    }
    assert_eq!(shown, 2);
}

#[test]
fn a_finding_has_the_sentence_of_its_rule_and_the_detail() {
    let dir = folder("sentence", &[("room.wok", damaged_room())]);
    let output = galatea(&["check", &dir]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stdout(&output);
    let rule = galatea::rule("KBWM0009").unwrap();
    let line = text.lines().find(|l| l.contains(rule.code)).unwrap();
    assert!(line.contains(&format!("room.wok: error KBWM0009: {}: ", rule.title)), "{line}");
    assert!(line.contains("(at 0x") && line.ends_with(')'), "{line}");
}

#[test]
fn equal_findings_are_one_line_with_a_count() {
    let dir = folder("equal", &[("room.wok", turned_room())]);
    let text = stdout(&galatea(&["check", "--only", "KBWM0021", &dir]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains("(12 times, first at 0x"), "{text}");
    assert_eq!(lines[1], "1 file: no errors, 12 warnings", "{text}");
    // As JSON every finding is there.
    let json: Value =
        serde_json::from_str(&stdout(&galatea(&["check", "--json", "--only", "KBWM0021", &dir]))).unwrap();
    assert_eq!(json["findings"].as_array().unwrap().len(), 12);
    assert_eq!(json["counts"]["KBWM0021"], 12);
    assert_eq!(json["findings"][0]["title"], galatea::rule("KBWM0021").unwrap().title);
    for key in ["code", "severity", "offset", "path", "message"] {
        assert!(!json["findings"][0][key].is_null(), "{key}");
    }
}

#[test]
fn infos_are_counted_and_listed_only_when_asked_for() {
    let dir = folder("infos", &[("statue.mdx", model_with_infos())]);
    let plain = galatea(&["check", &dir]);
    assert_eq!(plain.status.code(), Some(0), "{plain:?}");
    let count = stdout(&plain);
    assert!(count.starts_with("1 file: no errors, ") && count.ends_with(" (--info lists them)\n"), "{count}");
    assert_eq!(count.lines().count(), 1, "{count}");
    let first = |args: &[&str]| {
        stdout(&galatea(&[&["check", &dir], args].concat())).lines().next().unwrap().to_owned()
    };
    for asked in [&["--info"][..], &["--fail-on", "info"]] {
        assert!(first(asked).contains(": info MDLX"), "{asked:?}: {}", first(asked));
    }
    assert!(first(&["--errors"]).starts_with("1 file: "));
    assert_eq!(galatea(&["check", &dir, "--errors", "--info"]).status.code(), Some(2));
}

#[test]
fn errors_alone_can_be_listed() {
    let dir = folder("errors", &[("a.wok", damaged_room()), ("b.wok", turned_room())]);
    let all = stdout(&galatea(&["check", &dir]));
    let errors = stdout(&galatea(&["check", "--errors", &dir]));
    assert!(all.contains(": warning KBWM0021"), "{all}");
    assert!(!errors.contains(": warning ") && errors.contains(": error KBWM0009"), "{errors}");
    // The count is that of everything.
    assert_eq!(all.lines().last(), errors.lines().last());
    let json = stdout(&galatea(&["check", "--errors", "--json", &dir]));
    assert!(json.contains("KBWM0009") && !json.contains("KBWM0021"), "{json}");
}

#[test]
fn a_summary_has_one_line_per_rule_over_all_files() {
    let dir = folder(
        "summary",
        &[
            ("a.wok", turned_room()),
            ("b.wok", turned_room()),
            ("c.wok", damaged_room()),
            ("d.wok", Vec::new()),
        ],
    );
    let output = galatea(&["check", "--summary", &dir]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = stdout(&output);
    let title = |code: &str| galatea::rule(code).unwrap().title;
    assert_eq!(text.lines().next().unwrap(), "error\t-\t1\t1\tthe file cannot be opened");
    assert!(text.contains(&format!("warning\tKBWM0021\t24\t2\t{}\n", title("KBWM0021"))), "{text}");
    assert_eq!(text.lines().filter(|l| l.contains("KBWM0009")).count(), 1, "{text}");
    assert!(text.lines().last().unwrap().starts_with("4 files: "), "{text}");
    let json = stdout(&galatea(&["check", "--summary", "--json", "--only", "KBWM0021", &dir]));
    let lines: Vec<Value> = json.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let rule = lines.iter().find(|l| l["code"] == "KBWM0021").unwrap();
    assert_eq!((&rule["findings"], &rule["files"]), (&24.into(), &2.into()));
    assert_eq!(lines.last().unwrap()["summary"]["files"], 4);
}

#[test]
fn nothing_found_is_said() {
    let output = galatea(&["check", &root().join("examples").to_string_lossy()]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "18 files: nothing found\n"));
}
