//! The commands of `docs/authoring.md`, taken from the page and run by the program on models that are authored here; and what
//! the program says of models that it cannot understand.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

#[path = "../../galatea/tests/authored/fox.rs"]
mod fox;
#[path = "../../galatea/tests/authored/kotor.rs"]
mod kotor;
#[path = "../../galatea/tests/authored/mdx.rs"]
mod mdx;
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use galatea::scene::{Influences, Node, Scene, Skin};
use support::{galatea, scratch};

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/authoring.md")).unwrap()
}

/// A part of the page, by its heading.
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let start = page.find(&format!("\n## {heading}\n")).unwrap();
    let rest = &page[start + 1..];
    &rest[..rest[1..].find("\n## ").map_or(rest.len(), |end| end + 1)]
}

/// A command of the page, and whether it is a step or a variant in the text, which may replace what a step has made.
#[derive(Debug)]
struct Line {
    words: Vec<String>,
    variant: bool,
}

/// The commands in the console blocks and in the text, in their order.
fn commands(text: &str) -> Vec<Line> {
    let mut out = Vec::new();
    for (number, block) in text.split("```").enumerate() {
        let mut add = |command: &str, variant: bool| {
            let mut words = command.split_whitespace().map(str::to_owned);
            if words.next().as_deref() == Some("galatea") {
                out.push(Line { words: words.collect(), variant });
            }
        };
        if number % 2 == 1 {
            let lines = block.strip_prefix("console\n").unwrap_or("").lines();
            lines.filter_map(|line| line.strip_prefix("$ ")).for_each(|line| add(line, false));
        } else {
            block.split('`').skip(1).step_by(2).for_each(|span| add(span, true));
        }
    }
    // Those that only name a verb, or have a word in capitals for a file of the reader's.
    out.retain(|line| line.words.len() > 1 && !line.words.iter().any(|w| w == "CODE"));
    out
}

fn run_in(dir: &Path, words: &[String]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_galatea"));
    command.current_dir(dir).args(words).stdin(Stdio::null()).output().unwrap()
}

fn run(dir: &Path, words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
    let output = run_in(dir, &words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the commands of a section, and requires that nothing is found in what they make, but for some files. Returns the commands.
fn follow(dir: &Path, heading: &str, but: &[&str]) -> Vec<String> {
    let page = page();
    let mut told = Vec::new();
    for Line { words, variant } in commands(section(&page, heading)) {
        let mut words: Vec<String> =
            words.into_iter().map(|w| if w == "FOLDER" { ".".into() } else { w }).collect();
        told.push(words.join(" "));
        if variant && ["convert", "lod"].contains(&words[0].as_str()) {
            words.push("--force".into());
        } else if words[0] == "convert" {
            // A variant may have made it before.
            let _ = std::fs::remove_file(dir.join(&words[2]));
        }
        let output = run_in(dir, &words);
        let (said, complaint) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!((output.status.code(), complaint.as_str()), (Some(0), ""), "{words:?}: {said}");
        match words[0].as_str() {
            "check" => {
                assert!(
                    said.contains(": nothing found\n") || said.contains(": no errors, "),
                    "{words:?}: {said}"
                );
                assert!(!said.contains("warning"), "{words:?}: {said}");
            }
            "convert" => assert!(said.ends_with("1 converted, 0 failed\n"), "{words:?}: {said}"),
            _ => {}
        }
    }
    // Everything that was made, whether the page checks it or not.
    but.iter().for_each(|name| std::fs::remove_file(dir.join(name)).unwrap());
    run(dir, &["check", ".", "--fail-on", "warning"]);
    told
}

fn write(dir: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(dir.join(name), bytes).unwrap();
}

fn has(dir: &Path, names: &[&str]) {
    for name in names {
        assert!(dir.join(name).is_file(), "{name} is missing");
    }
}

#[test]
fn the_page_on_warcraft_is_true() {
    let dir = scratch("authoring-warcraft");
    write(&dir, "hero.glb", &mdx::glb(&mdx::hero()));
    run(&dir, &["convert", "hero.glb", "unit.mdx", "--version", "1000"]);
    let told = follow(&dir, "Warcraft III", &[]);
    assert!(told.len() >= 4 && told[0] == "convert hero.glb hero.mdx", "{told:#?}");
    has(&dir, &["hero.mdx", "hero_skin.blp", "hero.png", "classic.mdx"]);
    run(&dir, &["convert", "hero.glb", "imported.mdx", "--portrait", "--texture-folder", "war3mapImported"]);
    has(&dir, &["imported.mdx", "imported_portrait.mdx", "war3mapImported/hero_skin.blp"]);
    run(&dir, &["check", ".", "--fail-on", "warning"]);
}

#[test]
fn the_page_on_kotor_is_true() {
    let dir = scratch("authoring-kotor");
    write(&dir, "crate.glb", &kotor::glb(&kotor::placeable()));
    write(&dir, "hall.glb", &kotor::glb(&kotor::hall(0.0)));
    write(&dir, "gate.glb", &kotor::glb(&kotor::door()));
    write(&dir, "soldier.glb", &kotor::glb(&kotor::character()));
    std::fs::create_dir(dir.join("models")).unwrap();
    let above = kotor::supermodel("S_Female02").write().unwrap();
    write(&dir, "models/S_Female02.mdl", &above.mdl);
    write(&dir, "models/S_Female02.mdx", &above.mdx);
    let layout = "beginlayout\n   roomcount 2\n      m01aa_01a 0.0 0.0 0.0\n      m01aa_01b 16.0 0.0 0.0\n   trackcount 0\n   \
         obstaclecount 0\n   doorhookcount 0\ndonelayout\n";
    write(&dir, "m01aa.lyt", layout.as_bytes());
    run(&dir, &["convert", "hall.glb", "m01aa_01b.mdl", "--with-walkmesh", "--lyt", "m01aa.lyt"]);
    let told = follow(&dir, "KotOR", &[]);
    assert!(told.len() >= 9 && told[0] == "convert crate.glb plc_crate.mdl --with-walkmesh", "{told:#?}");
    has(
        &dir,
        &[
            "plc_crate.pwk",
            "plc_crate01.tga",
            "plc_crate01.txi",
            "m01aa_01a.wok",
            "dor_gate0.dwk",
            "dor_gate2.dwk",
        ],
    );
    has(&dir, &["n_soldier.mdl", "n_soldier.mdx"]);
    let path = told.iter().find(|line| line.starts_with("walk path")).unwrap();
    let path = run(&dir, &path.split(' ').collect::<Vec<_>>());
    assert!(path.contains("length 15.000"), "{path}");
    // The border between the two rooms leads from one to the other.
    let bytes = std::fs::read(dir.join("m01aa_01b.wok")).unwrap();
    run(&dir, &["convert", "hall.glb", "m01aa_01b.wok", "--lyt", "m01aa.lyt", "--force"]);
    let after = std::fs::read(dir.join("m01aa_01b.wok")).unwrap();
    let rooms = |bytes: &[u8]| {
        let mesh = galatea::kotor::bwm::Walkmesh::read(bytes, &Default::default()).unwrap();
        mesh.edges.iter().map(|e| e.transition).filter(|t| *t >= 0).collect::<Vec<_>>()
    };
    assert_eq!((rooms(&bytes), rooms(&after)), (vec![], vec![0]));
    run(&dir, &["check", ".", "--fail-on", "warning"]);
}

#[test]
fn the_page_on_fox_is_true() {
    let dir = scratch("authoring-fox");
    write(&dir, "crate.glb", &fox::glb(&fox::prop()));
    write(&dir, "face.glb", &fox::glb(&fox::face()));
    write(&dir, "lamp.glb", &fox::glb(&fox::stadium()));
    // What the page takes for granted: a lamp to make levels of, and a model of another game.
    run(&dir, &["convert", "lamp.glb", "lamp.fmdl", "--game", "pes"]);
    run(&dir, &["convert", "crate.glb", "model.fmdl", "--game", "gz"]);
    let told = follow(&dir, "Fox Engine", &["other.fmdl"]);
    assert!(told.len() >= 9 && told[0].starts_with("convert crate.glb crate.fmdl --game tpp"), "{told:#?}");
    has(&dir, &["crate.fmdl", "crate.png", "face_high.fmdl", "face_bsm.ftex", "lamp_lod.fmdl", "model.glb"]);
}

#[test]
fn every_flag_of_the_page_exists() {
    let mut known = String::new();
    for verb in ["convert", "lod", "check", "render", "shaders", "walk"] {
        known += &String::from_utf8(galatea(&[verb, "--help"]).stdout).unwrap();
    }
    known += &String::from_utf8(galatea(&["walk", "path", "--help"]).stdout).unwrap();
    let page = page();
    let words = page.split_whitespace().map(|w| w.trim_start_matches('`')).filter(|w| w.starts_with("--"));
    let flags: Vec<&str> =
        words.map(|w| w.split(|c: char| c != '-' && !c.is_ascii_alphabetic()).next().unwrap()).collect();
    assert!(flags.len() > 30, "{flags:?}");
    for flag in flags {
        assert!(known.split(|c: char| c != '-' && !c.is_ascii_alphabetic()).any(|w| w == flag), "{flag}");
    }
}

#[test]
fn the_bones_of_the_page_are_those_of_the_program() {
    let page = page();
    let table = &section(&page, "Fox Engine");
    let row = |family: &str| {
        let line = table.lines().find(|line| line.starts_with(&format!("| `{family}`"))).unwrap();
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let list = |cell: &str| {
            cell.split(", ").filter(|w| !w.is_empty()).map(|w| format!("{family}{w}")).collect::<Vec<_>>()
        };
        let both =
            list(cells[2]).into_iter().flat_map(|name| ["l", "r"].map(|side| format!("{name}_{side}")));
        both.chain(list(cells[3])).collect::<Vec<_>>()
    };
    let told: Vec<String> = ["sk_", "dsk_", "skf_", "skh_"].into_iter().flat_map(row).collect();
    assert!(galatea::fox::pes_bones().eq(told));
}

/// Converts a scene; the exit code, what is printed, and the complaint.
fn convert(dir: &Path, scene: &Scene, args: &[&str]) -> (Option<i32>, String, String) {
    write(dir, "x.glb", &kotor::glb(scene));
    let output = Command::new(env!("CARGO_BIN_EXE_galatea"))
        .current_dir(dir)
        .args(["convert", "x.glb", "--force"])
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A GLB whose positions are not numbers, which no library writes.
fn not_a_number(dir: &Path, args: &[&str]) -> Output {
    let mut scene = kotor::placeable();
    scene.vertices[0].positions[5] = [1234.5, 0.0, 0.0];
    let mut glb = kotor::glb(&scene);
    let found = glb.windows(4).position(|w| w == 1234.5f32.to_le_bytes()).unwrap();
    glb[found..found + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    write(dir, "nan.glb", &glb);
    let words: Vec<String> = ["convert", "nan.glb"].iter().chain(args).map(|w| (*w).to_owned()).collect();
    run_in(dir, &words)
}

fn snake() -> Scene {
    let mut scene = Scene::new("x");
    let bones: Vec<u32> =
        (0..300).map(|i| scene.add_node(None, kotor::at(&format!("b{i}"), [i as f32, 0.0, 0.0]))).collect();
    let positions = (0..300).map(|i| i as f32);
    let positions = positions.flat_map(|x| [[x, 0.0, 0.0], [x, 1.0, 0.0], [x + 1.0, 0.0, 0.0]]).collect();
    let body = kotor::part(&mut scene, positions, (0..900).collect(), None);
    scene.vertices[0].influences =
        Influences { width: 1, joints: (0..900).map(|v| v / 3).collect(), weights: vec![1.0; 900] };
    let bind = |x: u32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -(x as f32), 0., 0., 1.];
    scene.skins.push(Skin { joints: bones, inverse_bind: (0..300).map(bind).collect(), ..Skin::default() });
    let mesh = kotor::mesh(&mut scene, "body", vec![body]);
    scene.add_node(None, Node { mesh, skin: Some(0), ..Node::new("body") });
    scene
}

#[test]
fn what_cannot_be_understood_gets_one_line_and_the_right_exit_code() {
    let dir = scratch("authoring-errors");
    let outputs: [&[&str]; 4] = [&["x.mdl"], &["x.wok"], &["x.mdx"], &["x.fmdl", "--game", "tpp"]];
    let mut empty = Scene::new("x");
    empty.add_node(None, Node::new("nothing"));
    for args in outputs {
        let (code, said, complaint) = convert(&dir, &empty, args);
        // Of Warcraft's models, some have no meshes.
        if args[0] != "x.mdx" {
            assert_eq!((code, complaint.lines().count()), (Some(4), 1), "{args:?}: {said}{complaint}");
            assert!(complaint.contains("no triangles"), "{args:?}: {complaint}");
            assert!(!dir.join(args[0]).exists());
        }
        let args = [&["nan.mdl"][..], &["nan.wok"], &["nan.mdx"], &["nan.fmdl"]]
            .into_iter()
            .find(|a| a[0].ends_with(&args[0][1..]))
            .unwrap();
        let output = not_a_number(&dir, args);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), complaint.lines().count()), (Some(4), 1), "{args:?}: {complaint}");
        assert!(
            complaint.contains("vertex 5") || complaint.contains("not a number"),
            "{args:?}: {complaint}"
        );
    }
    // Two roots and 300 bones are understood everywhere.
    let mut two = Scene::new("x");
    for name in ["root", "Root 2"] {
        kotor::add_cube(&mut two, None, name, [0.0; 3], [1.0; 3], None);
    }
    for scene in [&two, &snake()] {
        for args in outputs {
            let (code, said, complaint) = convert(&dir, scene, args);
            assert_eq!((code, complaint.as_str()), (Some(0), ""), "{args:?}: {said}");
            run(&dir, &["check", args[0], "--fail-on", "error"]);
        }
    }
}

#[test]
fn unknown_surfaces_shaders_and_presets_are_named() {
    let dir = scratch("authoring-unknown");
    let mut floor = kotor::hall(0.0);
    floor.materials.iter_mut().filter(|m| m.name == "metal").for_each(|m| m.name = "cobbles".into());
    let (code, said, _) = convert(&dir, &floor, &["m01aa_01a.wok"]);
    let want = "x.glb: lost: material \"cobbles\": not the name of a surface; it becomes Stone\n";
    assert_eq!((code, said.contains(want)), (Some(0), true), "{said}");
    let (code, _, complaint) = convert(&dir, &floor, &["x.wok", "--surface", "cobbles=Marble"]);
    assert!(
        code == Some(2) && complaint.contains("`Marble` is not a surface; expected NotDefined, Dirt"),
        "{complaint}"
    );
    let (code, _, complaint) = convert(&dir, &floor, &["x.mdx", "--surface", "cobbles=Stone"]);
    assert!(
        code == Some(4) && complaint.contains("--surface") && complaint.lines().count() == 1,
        "{complaint}"
    );
    let (code, _, complaint) = convert(&dir, &fox::prop(), &["x.fmdl", "--preset", "tpp-statik"]);
    assert!(code == Some(2) && complaint.contains("\"tpp-static\" is"), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
}

/// A floor whose seam has a vertex on one side only.
fn with_a_t() -> Scene {
    let mut scene = Scene::new("scene");
    let left = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 4.0], [4.0, 0.0, 0.0]];
    let right =
        [[4.0, 0.0], [4.0, 2.0], [4.0, 4.0], [8.0, 0.0], [8.0, 4.0]].map(|[x, z]| [x, 0.0, z]).to_vec();
    let grass = kotor::material(&mut scene, "Grass");
    let stone = kotor::material(&mut scene, "Stone");
    let left = kotor::part(&mut scene, left, vec![0, 1, 2, 0, 2, 3], Some(grass));
    let right = kotor::part(&mut scene, right, vec![0, 1, 3, 1, 4, 3, 1, 2, 4], Some(stone));
    let mesh = kotor::mesh(&mut scene, "walkmesh", vec![left, right]);
    scene.add_node(None, Node { mesh, ..Node::new("walkmesh") });
    scene
}

#[test]
fn invisible_walls_are_named_and_joined_on_request() {
    let dir = scratch("authoring-walls");
    let across = || run(&dir, &["walk", "path", "x.wok", "--from", "1,-1", "--to", "7,-3"]);
    let (code, said, _) = convert(&dir, &with_a_t(), &["x.wok"]);
    assert_eq!(code, Some(0));
    assert!(
        said.contains("an invisible wall") && said.contains("from 4.00,-2.00,0.00 to 4.00,0.00,0.00"),
        "{said}"
    );
    assert!(across().starts_with("unreachable"), "{}", across());
    let (code, said, _) = convert(&dir, &with_a_t(), &["x.wok", "--join-edges"]);
    assert_eq!((code, said.as_str()), (Some(0), "1 converted, 0 failed\n"));
    assert!(across().contains("the shortest"), "{}", across());
    run(&dir, &["check", "x.wok", "--fail-on", "warning"]);
}

#[test]
fn a_walkmesh_that_is_not_of_its_room_is_found_beside_it() {
    let dir: PathBuf = scratch("authoring-room");
    let mut floor = kotor::hall(0.25);
    // Longer on one side, so that turning it makes a difference.
    floor.vertices.iter_mut().for_each(|v| v.positions.iter_mut().for_each(|p| p[2] *= 1.0 + p[0] / 16.0));
    let made = convert(&dir, &floor, &["m01aa_01a.mdl", "--with-walkmesh"]);
    assert_eq!(made.0, Some(0), "{made:?}");
    let check = || galatea(&["check", &dir.join("m01aa_01a.mdl").to_string_lossy(), "--fail-on", "warning"]);
    let sound = check();
    assert_eq!(sound.status.code(), Some(0), "{sound:?}");
    // Made apart, with another class, it faces the other way.
    convert(&dir, &floor, &["m01aa_01a.wok", "--class", "character"]);
    let found = check();
    let said = String::from_utf8(found.stdout).unwrap();
    assert!(
        found.status.code() == Some(1) && said.contains("KROOM0002") && said.contains("(at m01aa_01a.wok)"),
        "{said}"
    );
    // Wherever the layout puts it, it is the same floor.
    convert(&dir, &floor, &["m01aa_01a.wok"]);
    let path = dir.join("m01aa_01a.wok");
    let bytes = std::fs::read(&path).unwrap();
    let mut mesh = galatea::kotor::bwm::Walkmesh::read(&bytes, &Default::default()).unwrap();
    mesh.vertices.iter_mut().for_each(|v| v[0] += 100.0);
    mesh.rebuild(&Default::default());
    std::fs::write(&path, mesh.write().unwrap()).unwrap();
    assert_eq!(check().status.code(), Some(0));
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let said = String::from_utf8(check().stdout).unwrap();
    assert!(said.contains("error KROOM0001"), "{said}");
}
