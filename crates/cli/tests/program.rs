//! The program as a person meets it: what it prints, and how it ends when it is used wrongly.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::{galatea, scratch};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn example(name: &str) -> String {
    examples().join(name).to_string_lossy().into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The one line that a wrong use gives.
fn complaint(args: &[&str], code: i32) -> String {
    let output = galatea(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{args:?}: {text}");
    assert!(text.starts_with("error: "), "{text}");
    text
}

#[test]
fn a_file_alone_means_info() {
    let output = galatea(&[&example("room.wok")]);
    assert_eq!(output.status.code(), Some(0));
    let line = stdout(&output);
    let cells: Vec<&str> = line.trim_end().split('\t').skip(1).collect();
    assert_eq!(cells, ["kotor-bwm", "V1.0 WOK", "1", "1", "99", "132", "0", "0", "19192"]);
}

#[test]
fn view_says_how_to_get_the_window_and_what_is_not_there() {
    let text = complaint(&["view", "there-is-no-such.mdx"], 2);
    assert!(text.contains("there-is-no-such.mdx: no such file or folder"), "{text}");
    // Alone in a folder and without a PATH there is no window.
    let alone = scratch("view").join(format!("galatea{}", std::env::consts::EXE_SUFFIX));
    std::fs::copy(env!("CARGO_BIN_EXE_galatea"), &alone).unwrap();
    let output = Command::new(&alone).args(["view", &example("room.wok")]).env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("is not installed") && text.contains("cargo install --path crates/workshop"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn view_starts_the_window_beside_the_program_with_the_paths() {
    use std::os::unix::fs::PermissionsExt;
    let folder = scratch("view-beside");
    let alone = folder.join("galatea");
    std::fs::copy(env!("CARGO_BIN_EXE_galatea"), &alone).unwrap();
    let window = folder.join("galatea-workshop");
    std::fs::write(&window, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$(dirname \"$0\")/arguments\"\n").unwrap();
    std::fs::set_permissions(&window, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(folder.join("-a.wok"), b"").unwrap();
    let mut command = Command::new(&alone);
    let output = command.args(["view", "--wait", "--", "-a.wok"]).current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(std::fs::read_to_string(folder.join("arguments")).unwrap(), "./-a.wok\n");
}

#[test]
fn examples_roundtrip_and_pass_all_checks() {
    let output = galatea(&["roundtrip", "--json", &examples().to_string_lossy()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let last = stdout(&output).lines().last().unwrap().to_owned();
    let last: serde_json::Value = serde_json::from_str(&last).unwrap();
    let summary = serde_json::json!({
        "files": 18, "identical": 15, "different": 0, "unreadable": 0, "stored": 3,
    });
    assert_eq!(last["summary"], summary);
    let text = stdout(&galatea(&["roundtrip", &examples().to_string_lossy()]));
    assert_eq!(
        text,
        "18 files: 15 identical, 0 different, 0 unreadable, 3 kept as they are (not re-encoded)\n"
    );
    let check = galatea(&["check", "--fail-on", "info", &examples().to_string_lossy()]);
    assert_eq!(check.status.code(), Some(0));
    assert!(stdout(&check).ends_with(" files: nothing found\n"), "{check:?}");
}

/// A document that writes the bytes it was read from would always be identical.
#[test]
fn what_is_only_kept_is_not_counted_as_identical() {
    for (name, status) in [
        ("statue.glb", "stored"),
        ("statue.tga", "stored"),
        ("statue.blp", "identical"),
        ("statue_800.mdx", "identical"),
        ("statue_800.mdl", "identical"),
    ] {
        let output = stdout(&galatea(&["roundtrip", "--json", &example(name)]));
        let line: serde_json::Value = serde_json::from_str(output.lines().next().unwrap()).unwrap();
        assert_eq!(line["status"], status, "{name}: {output}");
    }
    assert!(stdout(&galatea(&["roundtrip", &example("statue.blp")])).ends_with("0 unreadable\n"));
}

#[test]
fn inspect_names_a_byte() {
    let output = galatea(&["inspect", "--at", "0x50", &example("room.wok")]);
    let text = stdout(&output);
    assert!(text.starts_with("0x50: header.face_count = 132\n"), "{text}");
}

#[test]
fn inspect_names_a_vertex_and_its_column() {
    let output = galatea(&["inspect", "--companion", "--at", "0x0C", &example("statue.mdl")]);
    let text = stdout(&output);
    assert!(text.starts_with("0xC: nodes[") && text.contains("> rows[0].normals[0] = "), "{text}");
    assert!(text.contains("Normal"), "{text}");
}

#[test]
fn inspect_maps_every_byte() {
    let text = stdout(&galatea(&["inspect", "--map", "--json", &example("room.wok")]));
    assert_eq!(text.lines().last().unwrap(), r#"{"summary":{"bytes":19192,"fields":19192,"gaps":0}}"#);
}

#[test]
fn no_such_file() {
    assert_eq!(complaint(&["info", "nowhere.wok"], 4), "error: nowhere.wok: no such file or folder\n");
}

#[test]
fn some_inputs_fail() {
    let output = galatea(&["info", "nowhere.wok", &example("room.wok")]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(stdout(&output).lines().count(), 1);
}

#[test]
fn a_folder_without_models() {
    let dir = scratch("empty");
    std::fs::write(dir.join("notes.txt"), "nothing").unwrap();
    assert!(
        complaint(&["roundtrip", &dir.to_string_lossy()], 4).contains("no models found") || cfg!(windows)
    );
}

#[test]
fn a_document_is_no_model() {
    let file = scratch("document").join("manual.wok");
    std::fs::write(&file, b"%PDF-1.4\n%\xE2\xE3\xCF\xD3").unwrap();
    assert!(complaint(&["info", &file.to_string_lossy()], 4).contains("not a KotOR walkmesh: expected"));
}

#[test]
fn a_folder_where_a_file_is_expected() {
    let dir = examples().to_string_lossy().into_owned();
    for args in [vec!["inspect", &dir], vec!["diff", &dir, &dir], vec!["walk", "rebuild", &dir, "out.wok"]] {
        assert!(complaint(&args, 2).contains("is a folder"));
    }
}

#[test]
fn output_that_cannot_be_written() {
    let dir = scratch("unwritable");
    let inside = dir.join("no/such/folder/out.wok").to_string_lossy().into_owned();
    complaint(&["walk", "rebuild", &example("room.wok"), &inside], 4);
    assert!(
        complaint(&["walk", "rebuild", &example("room.wok"), &dir.to_string_lossy()], 4).contains("folder")
    );
    let taken = dir.join("taken.wok");
    std::fs::write(&taken, b"mine").unwrap();
    assert!(
        complaint(&["walk", "rebuild", &example("room.wok"), &taken.to_string_lossy()], 4)
            .contains("--force")
    );
    assert_eq!(std::fs::read(&taken).unwrap(), b"mine");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1, "nothing half-written stays");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_galatea"))
        .args(["inspect", "--most", "100000", &example("room.wok")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn wrong_words_are_usage_errors() {
    for args in [
        &["frobnicate"][..],
        &["inspect"],
        &["inspect", "--at", "zz", "x.wok"],
        &["check", "--only", "NOPE", "x"],
    ] {
        let output = galatea(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn a_truncated_file_names_the_byte_and_the_table() {
    let file = scratch("cut").join("cut.wok");
    let bytes = std::fs::read(examples().join("room.wok")).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 5]).unwrap();
    let text = complaint(&["info", &file.to_string_lossy()], 4);
    assert!(text.contains(": 0x4AF0 perimeters: 2 x 4 bytes"), "{text}");
}

#[test]
fn standard_input_works() {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_galatea"))
        .args(["info", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(examples().join("crate.pwk")).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(stdout(&output).contains(r#""version":"V1.0 PWK/DWK""#));
}

#[test]
fn fix_mends_in_place_and_keeps_the_old_file() {
    let file = scratch("fix").join("room.wok");
    let mut bytes = std::fs::read(examples().join("room.wok")).unwrap();
    // The first normal, turned sideways.
    let normals = u32::from_le_bytes(bytes[92..96].try_into().unwrap()) as usize;
    bytes[normals..normals + 4].copy_from_slice(&1f32.to_le_bytes());
    std::fs::write(&file, &bytes).unwrap();
    let path = file.to_string_lossy().into_owned();
    let found = galatea(&["check", "--fail-on", "warning", &path]);
    assert_eq!(found.status.code(), Some(1));
    assert!(stdout(&found).contains("KBWM0021"));
    let fixed = galatea(&["check", "--fix", "--fail-on", "warning", &path]);
    assert_eq!(fixed.status.code(), Some(0), "{fixed:?}");
    assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(examples().join("room.wok")).unwrap());
    assert_eq!(std::fs::read(file.with_extension("wok.bak")).unwrap(), bytes);
}

#[test]
fn diff_speaks_the_documents_words() {
    let file = scratch("diff").join("room.wok");
    let mut bytes = std::fs::read(examples().join("room.wok")).unwrap();
    bytes[60..64].copy_from_slice(&2.5f32.to_le_bytes());
    std::fs::write(&file, &bytes).unwrap();
    let output = galatea(&["diff", &example("room.wok"), &file.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), "position: (0.0, 0.0, 0.0) -> (2.5, 0.0, 0.0)\n");
    assert_eq!(galatea(&["diff", &example("room.wok"), &example("room.wok")]).status.code(), Some(0));
}

#[test]
fn every_rule_is_explained() {
    let all = stdout(&galatea(&["explain"]));
    let codes: Vec<&str> = all.lines().filter_map(|l| l.split_whitespace().next()).collect();
    assert!(codes.len() >= 41);
    let catalogue = std::fs::read_to_string(examples().join("../docs/rules.md")).unwrap();
    for code in codes {
        let text = stdout(&galatea(&["explain", code]));
        assert!(text.starts_with(code) && text.lines().count() >= 3, "{text}");
        let anchor = text.lines().last().and_then(|link| link.split_once("docs/rules.md#")).unwrap().1;
        assert!(catalogue.contains(&format!("\n### {}\n", anchor.to_uppercase())), "{text}");
    }
}

#[test]
fn completions_and_manual_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(stdout(&galatea(&["completions", shell])).contains("roundtrip"), "{shell}");
    }
    assert!(stdout(&galatea(&["man"])).contains(".TH"));
}

#[test]
fn names_with_control_characters_are_escaped() {
    if cfg!(windows) {
        return;
    }
    let file = scratch("names").join("a\u{1b}[31m.wok");
    std::fs::copy(examples().join("room.wok"), &file).unwrap();
    let output = galatea(&["info", &file.to_string_lossy()]);
    assert!(!stdout(&output).contains('\u{1b}'));
}

#[test]
fn convert_goes_to_gltf_and_back_and_says_what_it_lost() {
    let dir = scratch("convert-gltf");
    let (glb, gltf, back) = (dir.join("room.glb"), dir.join("room.gltf"), dir.join("room.wok"));
    let path = |p: &Path| p.to_string_lossy().into_owned();
    for (from, to) in [(example("room.wok"), &glb), (path(&glb), &gltf), (path(&gltf), &back)] {
        let output = galatea(&["convert", &from, &path(to)]);
        assert_eq!(stdout(&output), "1 converted, 0 failed\n", "{output:?}");
    }
    assert!(dir.join("room.bin").is_file());
    assert_eq!(galatea(&["diff", &example("room.wok"), &path(&back)]).status.code(), Some(0));
    let wrong = galatea(&["convert", &example("room.wok"), &path(&dir.join("x.glb")), "--version", "800"]);
    assert_eq!(wrong.status.code(), Some(4));
    let text = String::from_utf8(wrong.stderr).unwrap();
    assert!(text.contains("--version is for Warcraft III"), "{text}");
    let obj = dir.join("room.obj");
    galatea(&["convert", &example("room.wok"), &path(&obj)]);
    let text = std::fs::read_to_string(obj).unwrap();
    assert_eq!(text.lines().filter(|l| l.starts_with("f ")).count(), 132);
}

#[test]
fn names_of_outputs_follow_the_template_and_stay_inside() {
    let dir = scratch("convert-names");
    let out = dir.to_string_lossy().into_owned();
    let room = example("room.wok");
    let run = |name: &str| galatea(&["convert", &room, "--to", "glb", "-o", &out, "--name", name]);
    assert_eq!(run("{stem}_v2.{ext}").status.code(), Some(0));
    assert!(dir.join("room_v2.glb").is_file());
    assert_eq!(run("../{stem}.{ext}").status.code(), Some(2));
    assert_eq!(run("model.glb").status.code(), Some(2));
    assert!(!dir.join("../room.glb").exists());
}

/// Killed in the middle, nothing half-written has a final name, and `--resume` does the rest.
#[test]
fn a_killed_batch_leaves_whole_files_and_can_be_resumed() {
    let dir = scratch("convert-killed");
    let (from, to) = (dir.join("in"), dir.join("out"));
    std::fs::create_dir_all(&from).unwrap();
    let bytes = std::fs::read(example("room.wok")).unwrap();
    const FILES: usize = 400;
    for i in 0..FILES {
        std::fs::write(from.join(format!("{i}.wok")), &bytes).unwrap();
    }
    let (from, out) = (from.to_string_lossy().into_owned(), to.to_string_lossy().into_owned());
    let arguments = ["convert", &from, "--to", "glb", "-o", &out, "--resume"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_galatea"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let finished = || std::fs::read_dir(&to).into_iter().flatten().flatten();
    let whole = || finished().filter(|e| e.path().extension().is_some_and(|e| e == "glb")).count();
    while whole() < 10 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = whole();
    assert!(before >= 10);
    let glbs = || {
        let all = finished().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "glb"));
        all.map(|p| std::fs::read(p).unwrap()).collect::<Vec<_>>()
    };
    let all = glbs();
    assert!(all.iter().all(|b| b.starts_with(b"glTF") && b.len() == all[0].len()), "every file is whole");
    let output = galatea(&arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let skipped = if before == FILES { String::new() } else { format!("{} converted", FILES - before) };
    assert!(stdout(&output).starts_with(&skipped), "{output:?}");
    assert_eq!(glbs().len(), FILES);
}

#[test]
fn walkmeshes_become_text_and_come_back() {
    let dir = scratch("walkmesh_text");
    let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let sources = ["room.wok", "crate.pwk", "gate0.dwk"].map(example);
    let args = [
        &["convert"][..],
        &sources.each_ref().map(String::as_str),
        &["--to", "kotor-bwm-ascii", "-o"],
        &[&path("text")],
    ];
    assert_eq!(galatea(&args.concat()).status.code(), Some(0));
    let shown = galatea(&["info", &path("text/room.wok.ascii")]);
    assert!(stdout(&shown).contains("kotor-bwm-ascii\tV1.0 WOK\t1\t1\t99\t132"), "{shown:?}");
    let back = ["text/room.wok.ascii", "text/crate.pwk.ascii", "text/gate0.dwk.ascii"].map(path);
    let args = [
        &["convert"][..],
        &back.each_ref().map(String::as_str),
        &["--to", "kotor-bwm", "-o"],
        &[&path("back")],
    ];
    assert_eq!(galatea(&args.concat()).status.code(), Some(0));
    for name in ["room.wok", "crate.pwk", "gate0.dwk"] {
        let read = |path: &Path| std::fs::read(path).unwrap();
        assert_eq!(read(&dir.join("back").join(name)), read(&examples().join(name)), "{name}");
    }
}

#[test]
fn the_text_of_a_door_becomes_the_three_files_of_the_game() {
    let dir = scratch("door_text");
    let mesh = |state: &str, x: u32| {
        format!(
            "node trimesh GATE_DWK_wg_{state}\n  parent GATE_DWK\n  position 0 0 0\n  verts 3\n    0 0 0\n    {x} 0 0\n    0 1 0\n  \
             faces 1\n    0 1 2 1 0 0 0 7\nendnode\n"
        )
    };
    // Not every tool has them in this order.
    let text = [("open2", 3), ("closed", 1), ("open1", 2)].into_iter().map(|(state, x)| mesh(state, x));
    let source = dir.join("gate.dwk.ascii");
    std::fs::write(&source, text.collect::<String>()).unwrap();
    let (source, out) = (source.to_string_lossy(), dir.join("out"));
    let trip = galatea(&["roundtrip", &source]);
    assert_eq!(trip.status.code(), Some(0), "{trip:?}");
    let made = galatea(&["convert", &source, "--to", "kotor-bwm", "-o", &out.to_string_lossy()]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    for (number, x) in [(0, 1.0), (1, 2.0), (2, 3.0)] {
        let bytes = std::fs::read(out.join(format!("gate{number}.dwk"))).unwrap();
        let mesh = galatea::kotor::bwm::Walkmesh::read(&bytes, &galatea::Limits::default()).unwrap();
        assert!(mesh.vertices.contains(&[x, 0.0, 0.0]), "{number}: {:?}", mesh.vertices);
    }
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 3);
    let refused = galatea(&["convert", &source, &dir.join("gate.glb").to_string_lossy()]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(4) && said.contains("all walkmeshes of a door"), "{said}");
}

#[test]
fn a_companion_that_is_named_alone_leads_to_its_model() {
    let dir = scratch("companion");
    for (from, to) in [("statue.mdl", "Statue.mdl"), ("statue.mdx", "Statue.MDX")] {
        std::fs::copy(examples().join(from), dir.join(to)).unwrap();
    }
    let line = complaint(&["info", &dir.join("Statue.MDX").to_string_lossy()], 4);
    assert!(line.ends_with("Statue.MDX: belongs to Statue.mdl; open that file instead\n"), "{line}");
    std::fs::remove_file(dir.join("Statue.mdl")).unwrap();
    let line = complaint(&["info", &dir.join("Statue.MDX").to_string_lossy()], 4);
    assert!(line.contains("not a Warcraft III model"), "{line}");
}
