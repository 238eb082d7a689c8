//! Creatures of KotOR put together by the tables of a game, and areas with their doors, placeables and creatures.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

#[path = "../../archive/tests/fixtures/kotor.rs"]
#[allow(dead_code, reason = "each test uses some of it")]
mod kotor;
mod support;
#[path = "../../kotor/tests/table_fixtures/mod.rs"]
#[allow(dead_code, reason = "each test uses some of it")]
mod table_fixtures;

use std::fs;
use std::path::{Path, PathBuf};

use galatea::archive::rim::Rim;
use galatea::archive::{Archive, Edit};
use galatea::kotor::mdl::{Model, Node};
use galatea::wire::Text;
use serde_json::Value as Json;
use support::{galatea as run, scratch};
use table_fixtures::{Struct, Value, gff, resref, two_da};

fn bytes(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Runs the program, which must not fail, and returns what it prints.
fn fine(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Json {
    serde_json::from_str(fine(args).lines().next().unwrap()).unwrap()
}

/// The statue under another name, with a hook for a head if it is a body.
fn model(name: &str, hook: bool) -> (Vec<u8>, Vec<u8>) {
    let (mdl, mdx) = (bytes("statue.mdl"), bytes("statue.mdx"));
    let mut model = Model::read(&mdl, Some(&mdx), &Default::default()).unwrap();
    model.name = Text::new(name.as_bytes()).unwrap();
    if hook {
        model.add_node(Some(0), b"HeadHook", Node { position: [0.0, 0.0, 2.5], ..Node::default() });
        model.fix(&|_| true);
    }
    let pair = model.write().unwrap();
    (pair.mdl, pair.mdx)
}

const APPEARANCE: &[&str] =
    &["label", "race", "racetex", "modeltype", "normalhead", "modela", "texa", "modelb", "texb"];

/// A KotOR with two bodies, a head, a door, a crate and the tables that name them.
fn game(name: &str) -> PathBuf {
    let root = scratch(name).join("swkotor");
    let appearance = two_da(
        APPEARANCE,
        &[
            &["Guard", "****", "****", "B", "1", "pmbam", "pmbam", "pmbbm", "robe"],
            &["Beast", "c_beast", "", "S"],
            &["Painted", "c_beast", "robe02", "F", "1"],
            &["Lost", "c_nothing", "", "L"],
            &["Headless", "", "", "B", "9", "pmbam", "pmbam"],
        ],
    );
    let tables: [(&str, Vec<u8>); 5] = [
        ("appearance", appearance),
        ("heads", two_da(&["head"], &[&["****"], &["pmhc01"]])),
        ("genericdoors", two_da(&["label", "modelname"], &[&["a", "****"], &["b", "dor_gate"]])),
        ("placeables", two_da(&["label", "modelname"], &[&["a", "plc_crate"], &["b", "plc_gone"]])),
        ("baseitems", two_da(&["bodyvar"], &[&["****"], &["B"]])),
    ];
    let mut files: Vec<(String, u16, Vec<u8>)> =
        tables.into_iter().map(|(name, bytes)| (name.to_owned(), 2017, bytes)).collect();
    for (name, hook) in [("pmbam", true), ("pmbbm", true), ("pmhc01", false), ("c_beast", false)] {
        let (mdl, mdx) = model(name, hook);
        files.extend([(name.to_owned(), 2002, mdl), (name.to_owned(), 3008, mdx)]);
    }
    for name in ["dor_gate", "plc_crate"] {
        let (mdl, mdx) = model(name, false);
        files.extend([(name.to_owned(), 2002, mdl), (name.to_owned(), 3008, mdx)]);
    }
    for name in ["statue", "pmbam01", "robe02"] {
        files.push((name.to_owned(), 3, bytes("statue.tga")));
    }
    files.push(("keep".to_owned(), 3000, bytes("keep/keep.lyt")));
    for room in ["hall", "passage", "vault"] {
        files.push((room.to_owned(), 2016, bytes(&format!("keep/{room}.wok"))));
    }
    let resources: Vec<(u16, &[u8])> =
        files.iter().map(|(_, kind, bytes)| (*kind, bytes.as_slice())).collect();
    let bif = kotor::bif(0, &resources);
    let names: Vec<(&str, u16, u32)> =
        files.iter().zip(0..).map(|((name, kind, _), id)| (name.as_str(), *kind, id)).collect();
    put(&root.join("chitin.key"), &kotor::key(&[("data\\models.bif", bif.len())], &names));
    put(&root.join("data/models.bif"), &bif);
    put(&root.join("swkotor.exe"), b"");
    root
}

#[test]
fn a_creature_is_put_together_by_the_tables() {
    let root = game("areas-creature");
    let at = ["--game-dir", &text(&root)];
    let info = json(&[&["info", "--appearance", "0", "--json"], &at[..]].concat());
    assert_eq!(info["appearance"]["label"], "Guard");
    assert_eq!(
        (&info["appearance"]["body"], &info["appearance"]["texture"], &info["appearance"]["head"]),
        (&"pmbam".into(), &"pmbam01".into(), &"pmhc01".into())
    );
    let alone = json(&[&["info", &text(&root.join("chitin.key/pmbam.mdl")), "--json"], &at[..]].concat());
    assert!(info["vertices"].as_u64().unwrap() > alone["vertices"].as_u64().unwrap());
    let worn = json(&[&["info", "--appearance", "0", "--wear", "b2", "--json"], &at[..]].concat());
    assert_eq!(
        (&worn["appearance"]["body"], &worn["appearance"]["texture"]),
        (&"pmbbm".into(), &"robe02".into())
    );
    // Creatures of one model, and one that its table paints; a head is for those of type B.
    let list = fine(&[&["info", "--appearance", "1,2"], &at[..]].concat());
    assert!(list.contains("K1 PC S: c_beast\t") && list.contains("K1 PC F: c_beast (robe02)\t"), "{list}");
    let textures = fine(&[&["textures", "--appearance", "0", "--all"], &at[..]].concat());
    assert!(textures.contains("pmbam01 (") && textures.contains("statue ("), "body and head: {textures}");
    let checked = run(&[&["check", "--appearance", "0"], &at[..]].concat());
    assert!(String::from_utf8(checked.stdout).unwrap().contains("1 file"));
}

#[test]
fn a_creature_is_drawn_and_converted_whole() {
    let root = game("areas-whole");
    let out = root.join("../out");
    fs::create_dir_all(&out).unwrap();
    let at = ["--game-dir", &text(&root)];
    let image = |input: &[&str], name: &str| {
        let path = out.join(name);
        fine(&[&["render"], input, &["-o", &text(&path), "--size", "64"], &at[..]].concat());
        fs::read(path).unwrap()
    };
    let whole = image(&["--appearance", "0"], "guard.png");
    assert_ne!(whole, image(&[&text(&root.join("chitin.key/pmbam.mdl"))], "body.png"));
    assert_ne!(whole, image(&["--appearance", "0", "--clip", "walk"], "walk.png"));
    image(&["--appearance", "0,1,2", "--sheet"], "sheet.png");
    let glb = out.join("guard.glb");
    fine(&[&["convert", "--appearance", "0", &text(&glb)], &at[..]].concat());
    let info = json(&["info", &text(&glb), "--json", "--parts"]);
    // The clips of head and body are one, and both keep their own textures.
    let clips: Vec<&str> =
        info["parts"]["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(clips.len(), 2, "{clips:?}");
    let document = glb_json(&glb).to_string();
    assert!(document.contains("\"pmbam01\"") && document.contains("\"statue\""), "{document}");
    // Several go into a folder by their rows.
    fine(
        &[&["convert", "--appearance", "0,1", "--to", "glb", "-o", &text(&out.join("all"))], &at[..]]
            .concat(),
    );
    assert!(out.join("all/appearance_0.glb").is_file() && out.join("all/appearance_1.glb").is_file());
    // It is several models: it cannot be one of them.
    let output =
        run(&[&["convert", "--appearance", "0", "--to", "kotor-mdl", &text(&out.join("no.mdl"))], &at[..]]
            .concat());
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8(output.stderr).unwrap().contains("a creature of several models"));
}

#[test]
fn what_a_table_lacks_is_said() {
    let root = game("areas-lacks");
    let said = |row: &str| {
        let output = run(&["info", "--appearance", row, "--game-dir", &text(&root)]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said("77").contains("appearance.2da: expected a row below 5, found 77"));
    assert!(said("3").contains("expected \"c_nothing.mdl\", found no such file in the game"));
    assert!(said("4").contains("normalhead: expected a row of heads.2da below 2, found 9"));
    let output = run(&["info", "--appearance", "0", "--wear", "2"]);
    assert_eq!(output.status.code(), Some(2));
}

/// A place, and more fields.
fn at(
    names: [&'static str; 3],
    [x, y, z]: [f32; 3],
    more: Vec<(&'static str, Value)>,
) -> Vec<(&'static str, Value)> {
    let [a, b, c] = names;
    [vec![(a, Value::Float(x)), (b, Value::Float(y)), (c, Value::Float(z))], more].concat()
}

const XYZ: [&str; 3] = ["X", "Y", "Z"];

/// The keep as a module of the game: two doors, three crates, a guard in a robe.
fn module(root: &Path) -> PathBuf {
    let door = |x| {
        let more = vec![("TemplateResRef", resref("Gate")), ("Bearing", Value::Float(1.5))];
        Struct(8, at(XYZ, [x, 3.0, 0.0], more))
    };
    let thing = |name: &str, x| Struct(9, at(XYZ, [x, 1.0, 0.0], vec![("TemplateResRef", resref(name))]));
    let guard = at(
        ["XPosition", "YPosition", "ZPosition"],
        [3.0, 3.0, 0.0],
        vec![
            ("TemplateResRef", resref("guard")),
            ("XOrientation", Value::Float(1.0)),
            ("YOrientation", Value::Float(0.0)),
        ],
    );
    let placeables = ["crate", "crate", "crate", "gone", "lost"];
    let placeables = placeables.iter().zip(0u8..).map(|(name, x)| thing(name, x.into())).collect();
    let area = gff(
        b"GIT ",
        vec![
            ("Door List", Value::List(vec![door(6.0), door(13.0)])),
            ("Placeable List", Value::List(placeables)),
            ("Creature List", Value::List(vec![Struct(4, guard)])),
        ],
    );
    let robe = Value::List(vec![Struct(2, vec![("EquippedRes", resref("robe"))])]);
    let templates = [
        ("gate.utd", gff(b"UTD ", vec![("GenericType", Value::Byte(1))])),
        ("crate.utp", gff(b"UTP ", vec![("Appearance", Value::Dword(0))])),
        ("gone.utp", gff(b"UTP ", vec![("Appearance", Value::Dword(1))])),
        ("guard.utc", gff(b"UTC ", vec![("Appearance_Type", Value::Dword(0)), ("Equip_ItemList", robe)])),
        ("robe.uti", gff(b"UTI ", vec![("BaseItem", Value::Int(1)), ("TextureVar", Value::Byte(2))])),
    ];
    let rim = |files: &[(&str, Vec<u8>)]| {
        let edits: Vec<Edit> = files.iter().map(|(name, bytes)| Edit::put(*name, bytes.clone())).collect();
        Rim::new().edited(&edits).unwrap()
    };
    put(&root.join("modules/keep_s.rim"), &rim(&templates));
    put(&root.join("modules/keep.rim"), &rim(&[("keep.git", area)]));
    root.join("modules/keep.rim/keep.git")
}

#[test]
fn an_area_is_its_rooms_and_the_objects_in_them() {
    let root = game("areas-module");
    let (area, out) = (module(&root), root.join("../out"));
    fs::create_dir_all(&out).unwrap();
    let info = fine(&["info", &text(&area)]);
    assert!(info.contains("kotor-git\trooms: 3, doors: 2, placeables: 5, creatures: 1"), "{info}");
    // The module itself is drawn by its area.
    fine(&[
        "render",
        &text(&root.join("modules/keep.rim")),
        "-o",
        &text(&out.join("keep.png")),
        "--size",
        "96",
    ]);
    assert!(fs::read(out.join("keep.png")).unwrap().starts_with(b"\x89PNG"));
    let glb = out.join("keep.glb");
    fine(&["convert", &text(&area), &text(&glb)]);
    let document = glb_json(&glb);
    let nodes = document["nodes"].as_array().unwrap();
    let named = |name: &str| {
        nodes.iter().filter(|n| n["name"].as_str().unwrap().starts_with(name)).collect::<Vec<_>>()
    };
    let (gates, crates, guards) = (named("gate"), named("crate"), named("guard"));
    // One of the nodes called gate is the hook of the layout.
    assert_eq!((gates.len(), crates.len(), guards.len()), (3, 3, 1));
    let turned = gates.iter().filter(|gate| {
        gate["translation"][1] == 3.0 && (gate["rotation"][2].as_f64().unwrap() - 0.75f64.sin()).abs() < 1e-6
    });
    assert_eq!(turned.count(), 2, "{gates:?}");
    // It looks along X: turned by a quarter to the right.
    assert!((guards[0]["rotation"][2].as_f64().unwrap() + 0.5f64.sqrt()).abs() < 1e-6, "{guards:?}");
    // Two doors, three crates, and the guard's body and head: copies share their meshes, and models do not.
    let bodies = named("body");
    let meshes: std::collections::BTreeSet<u64> =
        bodies.iter().map(|n| n["mesh"].as_u64().unwrap()).collect();
    assert_eq!((bodies.len(), meshes.len()), (7, 4), "{bodies:?}");
    let textures = fine(&["textures", &text(&area), "--all"]);
    assert!(textures.contains("robe02"), "what the guard wears: {textures}");
    assert!(fine(&["roundtrip", &text(&area)]).contains("1 kept as they are"));
}

fn glb_json(path: &Path) -> Json {
    let glb = fs::read(path).unwrap();
    let len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + len]).unwrap()
}

#[test]
fn what_is_wrong_with_an_area_is_found() {
    let root = game("areas-check");
    let area = module(&root);
    let output = run(&["check", &text(&area), "--info"]);
    let said = String::from_utf8(output.stdout).unwrap();
    for line in [
        "objects[5] \"gone\"", // its model
        "objects[6] \"lost\"", // its template
        "objects[1] \"gate\"", // no hook
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    for code in ["KGIT0002", "KGIT0003", "KGIT0004"] {
        assert_eq!(
            said.matches(&format!("{code}:")).count().max(said.matches(code).count()),
            1,
            "{code}: {said}"
        );
    }
    assert!(!said.contains("KGIT0001") && !said.contains("KGIT0005"), "{said}");
    // Alone, neither layout nor templates are there.
    let alone = root.join("../alone");
    fine(&["extract", &text(&root.join("modules/keep.rim")), "-o", &text(&alone)]);
    let said = String::from_utf8(run(&["check", &text(&alone), "--info"]).stdout).unwrap();
    assert!(said.contains("KGIT0001") && !said.contains("KGIT0002"), "{said}");
    // A place that is none.
    let crates = Struct(9, at(XYZ, [f32::NAN, 0.0, 0.0], vec![("TemplateResRef", resref("crate"))]));
    put(&alone.join("keep.git"), &gff(b"GIT ", vec![("Placeable List", Value::List(vec![crates]))]));
    let said = String::from_utf8(run(&["check", &text(&alone), "--info"]).stdout).unwrap();
    assert!(said.contains("KGIT0005"), "{said}");
}

#[test]
fn a_layout_beside_its_area_shows_the_objects() {
    let root = game("areas-layout");
    let area = module(&root);
    let dir = root.join("../loose");
    fine(&["extract", &text(area.parent().unwrap()), "-o", &text(&dir)]);
    for name in ["keep.lyt", "hall.wok"] {
        fine(&["extract", &text(&root.join("chitin.key")), "--only", name, "-o", &text(&dir)]);
    }
    fine(&["extract", &text(&root.join("modules/keep_s.rim")), "-o", &text(&dir)]);
    let glb = dir.join("keep.glb");
    fine(&["convert", &text(&dir.join("keep.lyt")), &text(&glb), "--game-dir", &text(&root)]);
    let nodes = glb_json(&glb)["nodes"].to_string();
    assert!(nodes.contains("\"guard\"") && nodes.contains("\"hall_wok\""), "{nodes}");
}
