//! `galatea walk` as a person meets it: questions to walkmeshes, their answers, and wrong questions.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use galatea::kotor::bwm::{Walkmesh, text};
use serde_json::Value;

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).to_string_lossy().into_owned()
}

/// A folder of this test's own, empty.
fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("walk-{name}"));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// `galatea walk VERB FILE ...`, words split at blanks.
fn walk(verb: &str, file: &str, rest: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_galatea"));
    command.args(["walk", verb, file]).args(rest.split_whitespace());
    command.stdin(Stdio::null()).output().unwrap()
}

fn lines(verb: &str, file: &str, rest: &str) -> Vec<String> {
    let output = walk(verb, file, rest);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn answer(verb: &str, file: &str, rest: &str) -> Value {
    let lines = lines(verb, file, &format!("{rest} --json"));
    assert_eq!(lines.len(), 1);
    serde_json::from_str(&lines[0]).unwrap()
}

/// The one line that a wrong question gives.
fn complaint(verb: &str, file: &str, rest: &str, code: i32) -> String {
    let output = walk(verb, file, rest);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("error: "), "{text}");
    text
}

#[test]
fn a_path_prints_points_and_length() {
    let room = example("room.wok");
    assert_eq!(
        lines("path", &room, "--from 1,1 --to 5,5.5,3"),
        [
            "1.000\t1.000\t0.000\t0\tStone",
            "12.000\t1.000\t3.000\t99\tMetal",
            "12.000\t5.000\t3.000\t122\tMetal",
            "5.000\t5.500\t3.000\t108\tMetal",
            "length 22.018, 4 points, 49 faces, the shortest",
        ]
    );
    let below = lines("path", &room, "--from 1,1 --to 5,5.5,0.2");
    assert_eq!(below.last().unwrap(), "length 6.516, 3 points, 15 faces, the shortest", "the lower storey");
}

#[test]
fn a_path_as_json_has_faces_and_promises() {
    let path = answer("path", &example("room.wok"), "--from 1,1 --to 5.5,5.2,0.2");
    assert_eq!((&path["status"], &path["shortest"]), (&"found".into(), &true.into()));
    assert_eq!(path["points"][0]["point"], serde_json::json!([1.0, 1.0, 0.0]));
    assert_eq!(
        path["points"].as_array().unwrap().last().unwrap()["point"],
        serde_json::json!([5.5, 5.2, 0.0])
    );
    assert!(path["faces"].as_array().unwrap().len() > 5);
    let fast = answer("path", &example("room.wok"), "--from 1,1 --to 5.5,5.2,0.2 --fast");
    assert_eq!(fast["shortest"], false);
    assert!(fast["length"].as_f64().unwrap() >= path["length"].as_f64().unwrap());
}

#[test]
fn widths_prices_and_forbidden_materials_change_the_way() {
    let keep = example("keep/keep.lyt");
    let length = |rest: &str| {
        answer("path", &keep, &format!("--from 7,3 --to 15,3 {rest}"))["length"].as_f64().unwrap()
    };
    assert_eq!(length(""), 8.0);
    let dry = length("--forbid water");
    // Past the jamb at 10,2, along the pool from 12,1 to 14,1.
    let expected = 10f64.sqrt() + 5f64.sqrt() + 2.0 + 5f64.sqrt();
    assert!((dry - expected).abs() < 1e-5, "{dry} for {expected}");
    assert!(length("--forbid Water --radius 0.4") > dry + 0.1);
    assert!((length("--cost Water=9") - dry).abs() < 1e-3, "around, if the water is dear");
    let wet = answer("path", &keep, "--from 7,3 --to 15,3 --cost Water=1.1");
    assert!((wet["cost"].as_f64().unwrap() - 8.2).abs() < 1e-3 && wet["shortest"] == false);
}

#[test]
fn rooms_are_joined_and_doors_close() {
    let keep = example("keep/keep.lyt");
    assert_eq!(
        lines("rooms", &keep, "--close grille"),
        [
            "0\thall\t72\t72\t1\t-",
            "1\tpassage\t16\t16\t0 2\t-",
            "2\tvault\t72\t72\t1\t-",
            "door 0 gate: open, at 6.000,3.000,0.000",
            "door 1 grille: closed, at 10.000,3.000,0.000",
        ]
    );
    let through = answer("path", &keep, "--from 1,1 --to 15,5");
    let crossing = |from: u32, to: u32| serde_json::json!({ "from": from, "to": to, "transition": to });
    assert_eq!(through["crossings"], Value::from(vec![crossing(0, 1), crossing(1, 2)]));
    let told = lines("path", &keep, "--from 1,1 --to 15,5");
    assert!(told.contains(&"from room 1 passage to room 2 vault, transition 2".to_owned()), "{told:?}");
    for closed in ["--close grille", "--close 0", "--close all"] {
        let shut = answer("path", &keep, &format!("--from 1,1 --to 15,5 {closed}"));
        assert_eq!(shut["status"], "unreachable");
    }
    assert_eq!(
        lines("path", &keep, "--from 1,1 --to 15,5 --close gate"),
        ["unreachable: nothing joins 1,1 and 15,5"]
    );
    assert_eq!(lines("ray", &keep, "--from 1,3 --to 15,3"), ["clear: 14.000 from point to point"]);
    assert_eq!(lines("ray", &keep, "--from 1,3 --to 15,3 --close gate"), ["blocked by a door or obstacle"]);
    let joined = answer("rooms", &keep, "");
    assert_eq!(joined["links"].as_array().unwrap().len(), 4);
    assert_eq!(joined["rooms"][1]["joined"], serde_json::json!([0, 2]));
}

#[test]
fn rooms_can_be_named_one_by_one() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_galatea"));
    command.args([
        "walk",
        "path",
        &example("keep/hall.wok"),
        &example("keep/passage.wok"),
        "--from",
        "1,3",
        "--to",
        "9,3",
    ]);
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(text.contains("from room 0 hall to room 1 passage, transition 1"), "{text}");
    assert!(text.contains("length 8.000"), "{text}");
}

#[test]
fn things_stand_in_the_way() {
    let keep = example("keep/keep.lyt");
    let length = |rest: &str| {
        answer("path", &keep, &format!("--from 7,3 --to 9,3 {rest}"))["length"].as_f64().unwrap()
    };
    assert_eq!(length(""), 2.0);
    let around = length(&format!("--obstacle {}@8,3,0", example("crate.pwk")));
    let expected = 2.0 * (0.6f64.powi(2) + 0.4f64.powi(2)).sqrt() + 0.8;
    assert!((around - expected).abs() < 1e-3, "{around} for {expected}");
    let gate = format!("--door {}@8,3,0,90", example("gate0.dwk"));
    assert_eq!(length(&gate), 2.0, "open");
    let shut = answer("path", &keep, &format!("--from 7,3 --to 9,3 {gate} --close gate0"));
    assert_eq!(shut["status"], "unreachable");
}

#[test]
fn a_ray_names_what_it_hits() {
    let room = example("room.wok");
    assert_eq!(
        lines("ray", &room, "--from 5.3,5.5"),
        ["face 111, Metal, after 1.000 at 5.300,5.500,3.000, normal 0.000,0.000,1.000"]
    );
    let all = answer("ray", &room, "--from 5.3,5.5 --all");
    let faces: Vec<&str> =
        all["hits"].as_array().unwrap().iter().map(|h| h["material"].as_str().unwrap()).collect();
    assert_eq!(faces, ["Metal", "Stone"]);
    let stone = answer("ray", &room, "--from 5.3,5.5 --material stone");
    assert_eq!(stone["hits"][0]["distance"], 4.0);
    assert_eq!(stone, answer("ray", &room, "--from 5.3,5.5 --through Metal"));
    let mine = answer("ray", &room, "--from 5.3,5.5,9 --dir 0.1,0,-1");
    assert_eq!(mine, answer("ray", &room, "--from 5.3,5.5,9 --dir 0.1,0,-1 --tree"), "the file's own tree");
    assert_eq!(lines("ray", &room, "--from -3,-3,9"), ["no hit"]);
    assert_eq!(lines("ray", &room, "--from 5.3,5.5,9 --length 2"), ["no hit"]);
    assert_eq!(answer("ray", &room, "--from 1,1,1 --to 11,0.5,0.2")["sees"], false);
}

#[test]
fn standing_tells_face_height_and_where_it_leads() {
    let room = example("room.wok");
    assert_eq!(
        lines("locate", &room, "--at 0.3,3.6 --at 9.5,0.5"),
        [
            "face 45, Door, height 0.000, normal 0.000,0.000,1.000, beside 44 56, leads to room 1",
            "face 90, Stone, height 1.125, normal -0.600,0.000,0.800, beside 93 91",
        ]
    );
    let upper = answer("locate", &room, "--at 5.3,5.5,3.2");
    let lower = answer("locate", &room, "--at 5.3,5.5,2");
    assert_eq!((&upper["material"], &lower["material"]), (&"Metal".into(), &"Stone".into()));
    assert_eq!(answer("locate", &room, "--at 2.5,2.5 --material Lava")["walkable"], false);
}

#[test]
fn text_walkmeshes_answer_like_binary_ones() {
    let bytes = std::fs::read(example("room.wok")).unwrap();
    let mesh = Walkmesh::read(&bytes, &Default::default()).unwrap();
    let file = scratch("text").join("room.wok");
    std::fs::write(&file, text::print(&mesh, "room").unwrap()).unwrap();
    let question = "--from 1,1 --to 5,5.5,3";
    assert_eq!(
        lines("path", &file.to_string_lossy(), question),
        lines("path", &example("room.wok"), question)
    );
}

#[test]
fn answers_can_be_drawn() {
    let dir = scratch("render");
    for (verb, rest) in [
        ("path", "--from 1,1 --to 5,5.5,3"),
        ("ray", "--from 5,5.5,6"),
        ("locate", "--at 5,5.5"),
        ("rooms", ""),
    ] {
        let image = dir.join(format!("{verb}.png")).to_string_lossy().into_owned();
        let drawn = format!("{rest} --render {image} --size 96");
        lines(verb, &example("room.wok"), &drawn);
        assert!(std::fs::read(&image).unwrap().starts_with(b"\x89PNG"));
        assert!(complaint(verb, &example("room.wok"), &drawn, 4).contains("--force"));
    }
    // The answer is in the image.
    let [with, without] = ["path.png", "rooms.png"].map(|p| std::fs::read(dir.join(p)).unwrap());
    assert_ne!(with, without);
}

#[test]
fn wrong_questions_get_one_clear_line() {
    let room = example("room.wok");
    for (verb, rest, told) in [
        (
            "locate",
            "--at -5,3.2",
            "no ground to stand on at -5,3.2; the nearest is at 0.000,3.200,0.000 (face 45)",
        ),
        ("path", "--from 99,1 --to 2,1", "no ground to stand on at 99,1;"),
        ("path", "--from 1,1 --to 2.5,2.5", "no ground to stand on at 2.5,2.5;"),
        (
            "path",
            "--from 1,1 --to 2,1 --forbid cheese",
            "no material is called `cheese`; it has Stone, Metal, Lava, Door",
        ),
        ("path", "--from 1,1 --to 2,1 --cost Stone", "`Stone` is not a cost; expected one such as Water=3"),
        ("path", "--from 1,1 --to 2,1 --radius NaN", "NaN is not a valid radius"),
        ("path", "--from 1,1 --to 12.5,3 --radius 2", "there is no room for a radius of 2 at"),
        ("ray", "--from 1,1 --material Cheese", "no material is called `Cheese`"),
        ("ray", "--from 1,1 --to 50,1", "no ground to stand on at 50,1;"),
        ("rooms", "--close portcullis", "no door is called `portcullis`; doors: there are none"),
        ("rooms", "--obstacle crate.pwk", "`crate.pwk` is not a file with a place"),
    ] {
        let line = complaint(verb, &room, rest, 2);
        assert!(line.contains(told), "{line}");
    }
    for wrong in ["--at 1", "--at 1,x", "--at 1,2,3,4", "--at inf,2", ""] {
        assert_eq!(walk("locate", &room, wrong).status.code(), Some(2), "{wrong}");
    }
    assert!(complaint("ray", &example("crate.pwk"), "--from 0,0 --tree", 2).contains("no box tree"));
    assert!(complaint("rooms", &example("keep"), "", 2).contains("is a folder"));
}

#[test]
fn files_that_are_missing_or_no_walkmeshes_are_named() {
    let dir = scratch("missing");
    assert!(complaint("locate", "nowhere.wok", "--at 1,1", 4).contains("nowhere.wok: no such file"));
    let poem = dir.join("poem.wok");
    std::fs::write(&poem, "Of nothing of the kind").unwrap();
    let line = complaint("locate", &poem.to_string_lossy(), "--at 1,1", 4);
    assert!(line.contains("not a supported format"), "{line}");

    let layout = dir.join("keep.lyt");
    std::fs::write(&layout, "roomcount 3\n hall 0 0 0\n **** 0 0 0\n ../hall 0 0 0\ndonelayout\n").unwrap();
    std::fs::copy(example("keep/hall.wok"), dir.join("HALL.wok")).unwrap();
    let layout = layout.to_string_lossy();
    let line = complaint("rooms", &layout, "", 4);
    assert!(
        line.contains("room 2 has no walkmesh ../hall.wok beside it or in the game; --skip-missing"),
        "{line}"
    );
    let rooms = lines("rooms", &layout, "--skip-missing");
    assert_eq!(rooms, ["0\thall\t72\t72\t-\t1", "1\t****\t0\t0\t-\t-", "2\t../hall\t0\t0\t-\t-"]);

    std::fs::write(dir.join("broken.lyt"), "roomcount 1\n hall 0 zero 0\n").unwrap();
    let line = complaint("rooms", &dir.join("broken.lyt").to_string_lossy(), "", 4);
    assert!(line.contains("line 2, column 9: expected a number, found `zero`"), "{line}");
}

#[test]
fn rooms_of_a_kit_are_moved_to_their_places() {
    let dir = scratch("kit");
    let bytes = std::fs::read(example("keep/hall.wok")).unwrap();
    std::fs::write(dir.join("tile.wok"), &bytes).unwrap();
    let layout = dir.join("two.lyt");
    std::fs::write(&layout, "roomcount 2\n tile 0 0 0\n tile 6 0 0\n").unwrap();
    let layout = layout.to_string_lossy();
    let path = answer("path", &layout, "--move-rooms --from 1,3 --to 11,3");
    assert_eq!(path["length"], 10.0);
    assert!(complaint("path", &layout, "--from 1,3 --to 11,3", 2).contains("no ground to stand on at 11,3"));
}
