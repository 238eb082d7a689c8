//! Games made by our own code: models are listed, drawn, converted and checked in them without a further option, and their layers
//! override each other as the games do.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

#[path = "../../archive/tests/fixtures/casc.rs"]
mod casc;
#[path = "../../archive/tests/fixtures/fox.rs"]
#[allow(dead_code, reason = "each test uses some of it")]
mod fox;
#[path = "../../archive/tests/fixtures/kotor.rs"]
#[allow(dead_code, reason = "each test uses some of it")]
mod kotor;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use galatea::archive::Edit;
use galatea::archive::erf::{Erf, ErfType};
use galatea::archive::fpk::Fpk;
use galatea::archive::mpq::Mpq;
use galatea::archive::pftxs::Pftxs;
use galatea::archive::rim::Rim;
use galatea::archive::{Archive, same_name};
use galatea::fox::path_code64;
use support::{galatea as run, scratch};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(example(name)).unwrap()
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Runs the program, which must not fail, and returns what it prints.
fn fine(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    stdout(&output)
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn archive(empty: &dyn Archive, files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let edits: Vec<Edit> = files.iter().map(|(name, bytes)| Edit::put(*name, bytes.clone())).collect();
    empty.edited(&edits).unwrap()
}

/// Another image of the same kind as the statue's texture.
fn other_tga() -> Vec<u8> {
    let mut tga = bytes("statue.tga");
    tga[18..].iter_mut().for_each(|b| *b = 255 - *b);
    tga
}

/// The statue without clips of its own, which it inherits from the statue.
fn heir(dir: &Path) -> (Vec<u8>, Vec<u8>) {
    let ascii = String::from_utf8(bytes("statue.mdl.ascii")).unwrap();
    let ascii: String =
        ascii.lines().filter(|line| !line.starts_with("#!")).map(|line| format!("{line}\n")).collect();
    let ascii = ascii.replace("setsupermodel statue NULL", "setsupermodel heir statue");
    let ascii = ["newmodel", "beginmodelgeom", "endmodelgeom", "donemodel"]
        .iter()
        .fold(ascii, |text, word| text.replace(&format!("{word} statue"), &format!("{word} heir")));
    let (start, end) = (ascii.find("newanim").unwrap(), ascii.find("donemodel").unwrap());
    let ascii = format!("{}{}", &ascii[..start], &ascii[end..]);
    put(&dir.join("heir.mdl.ascii"), ascii.as_bytes());
    fine(&["convert", &text(&dir.join("heir.mdl.ascii")), &text(&dir.join("heir.mdl"))]);
    (fs::read(dir.join("heir.mdl")).unwrap(), fs::read(dir.join("heir.mdx")).unwrap())
}

/// A KotOR installation: the statue and its texture by the KEY, rooms in a module.
fn kotor_game(name: &str) -> PathBuf {
    let dir = scratch(name);
    let (heir_mdl, heir_mdx) = heir(&dir.join("made"));
    let root = dir.join("swkotor");
    let files: [(&str, u16, Vec<u8>); 5] = [
        ("statue", 2002, bytes("statue.mdl")),
        ("statue", 3008, bytes("statue.mdx")),
        ("statue", 3, bytes("statue.tga")),
        ("heir", 2002, heir_mdl),
        ("heir", 3008, heir_mdx),
    ];
    let resources: Vec<(u16, &[u8])> =
        files.iter().map(|(_, kind, bytes)| (*kind, bytes.as_slice())).collect();
    let bif = kotor::bif(0, &resources);
    let names: Vec<(&str, u16, u32)> =
        files.iter().zip(0..).map(|((name, kind, _), id)| (*name, *kind, id)).collect();
    put(&root.join("chitin.key"), &kotor::key(&[("data\\models.bif", bif.len())], &names));
    put(&root.join("data/models.bif"), &bif);
    put(&root.join("swkotor.exe"), b"");
    fs::create_dir_all(dir.join("out")).unwrap();
    let rooms =
        ["hall", "passage", "vault"].map(|room| (format!("{room}.wok"), bytes(&format!("keep/{room}.wok"))));
    let rooms: Vec<(&str, Vec<u8>)> =
        rooms.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    put(&root.join("modules/keep_s.rim"), &archive(&Rim::new(), &rooms));
    put(&root.join("modules/keep.rim"), &archive(&Rim::new(), &[("keep.lyt", bytes("keep/keep.lyt"))]));
    root
}

/// Where the texture of the statue was found.
fn found(model: &Path, name: &str) -> (PathBuf, Vec<String>) {
    let out = run(&["textures", &text(model), "--all", "--json"]);
    let line: serde_json::Value = serde_json::from_str(stdout(&out).lines().next().unwrap()).unwrap();
    let texture = &line["textures"][0];
    assert_eq!((&texture["status"], &texture["name"]), (&"found".into(), &name.into()), "{line}");
    let also = texture["also"].as_array().unwrap().iter().map(|p| p.as_str().unwrap().to_owned());
    (texture["path"].as_str().unwrap().into(), also.collect())
}

fn is_png(path: &Path) -> bool {
    fs::read(path).unwrap().starts_with(b"\x89PNG")
}

#[test]
fn kotor_is_read_through_its_key() {
    let root = kotor_game("games-kotor");
    let (model, out) = (root.join("chitin.key/statue.mdl"), root.join("../out"));
    assert!(fine(&["info", &text(&root.join("chitin.key"))]).contains("statue.mdl\tkotor-mdl\tK1 PC"));
    assert!(fine(&["check", &text(&model)]).contains("1 file"));
    assert!(
        fine(&["roundtrip", &text(&root.join("chitin.key")), &text(&root.join("modules"))])
            .contains("0 different, 0 unreadable")
    );
    fine(&["render", &text(&model), "-o", &text(&out.join("statue.png")), "--size", "64"]);
    assert!(is_png(&out.join("statue.png")));
    fine(&["convert", &text(&root.join("chitin.key/s*.mdl")), "--to", "glb", "-o", &text(&out)]);
    let glb = fs::read(out.join("statue.glb")).unwrap();
    assert!(glb.windows(9).any(|w| w == b"image/png"), "the texture comes from the game");
}

#[test]
fn layers_of_kotor_override_each_other() {
    let root = kotor_game("games-layers");
    let model = root.join("chitin.key/statue.mdl");
    let key = text(&root.join("chitin.key/statue.tga"));
    assert_eq!(found(&model, "statue"), (PathBuf::from(&key), vec![]));
    let pack = root.join("TexturePacks/swpc_tex_tpa.erf");
    put(&pack, &archive(&Erf::new(ErfType::Erf), &[("statue.tga", other_tga())]));
    assert_eq!(found(&model, "statue"), (pack.join("statue.tga"), vec![key.clone()]));
    put(&root.join("Override/STATUE.TGA"), &other_tga());
    assert_eq!(found(&model, "statue").0, root.join("Override/STATUE.TGA"));
    assert_eq!(found(&model, "statue").1.len(), 2);
    // The first game does not look into folders of Override, the second does.
    fs::rename(root.join("Override/STATUE.TGA"), root.join("statue.tga")).unwrap();
    put(&root.join("Override/deep/statue.tga"), &other_tga());
    assert_eq!(found(&model, "statue").0, pack.join("statue.tga"));
    put(&root.join("swkotor2.exe"), b"");
    assert_eq!(found(&model, "statue").0, root.join("Override/deep/statue.tga"));
    // A folder of the command line goes before all.
    let named = root.join("../named");
    put(&named.join("statue.tga"), &other_tga());
    let out = fine(&["textures", &text(&model), "--all", "--textures", &text(&named)]);
    assert!(out.contains("named/statue.tga"), "{out}");
}

#[test]
fn a_module_is_a_layer_above_the_key() {
    let root = kotor_game("games-module");
    let files = [
        ("statue.mdl", bytes("statue.mdl")),
        ("statue.mdx", bytes("statue.mdx")),
        ("statue.tga", other_tga()),
    ];
    let module = root.join("modules/tower.mod");
    put(&module, &archive(&Erf::new(ErfType::Module), &files));
    let model = module.join("statue.mdl");
    assert_eq!(
        found(&model, "statue"),
        (module.join("statue.tga"), vec![text(&root.join("chitin.key/statue.tga"))])
    );
    put(&root.join("override/statue.tga"), &other_tga());
    assert_eq!(found(&model, "statue").0, root.join("override/statue.tga"));
    // A module that lies elsewhere is a layer of the game that is named.
    let away = root.join("../away/tower.mod");
    put(&away, &fs::read(&module).unwrap());
    let out = fine(&["textures", &text(&away), "--all", "--game-dir", &text(&root)]);
    assert!(out.contains("override/statue.tga, before"), "{out}");
}

#[test]
fn clips_are_inherited_from_the_game() {
    let root = kotor_game("games-clips");
    let (heir, out) = (root.join("chitin.key/heir.mdl"), root.join("../out"));
    fine(&["render", &text(&heir), "--clip", "walk", "--size", "32", "-o", &text(&out.join("walk.png"))]);
    assert!(is_png(&out.join("walk.png")));
    fine(&["convert", &text(&heir), &text(&out.join("heir.glb"))]);
    assert!(fine(&["info", &text(&out.join("heir.glb")), "--json"]).contains("\"clips\":2"));
    // Alone, it says what is missing.
    let alone = root.join("../alone");
    fine(&["extract", &text(&root.join("chitin.key")), "--only", "heir.*", "-o", &text(&alone)]);
    let output =
        run(&["render", &text(&alone.join("heir.mdl")), "--clip", "walk", "-o", &text(&out.join("no.png"))]);
    assert_eq!(output.status.code(), Some(4));
    assert!(
        stderr(&output).contains("its supermodel statue was not found; name the folder of the game"),
        "{output:?}"
    );
    let with =
        ["--clip", "walk", "--size", "32", "--game-dir", &text(&root), "-o", &text(&out.join("yes.png"))];
    fine(&[&["render", &text(&alone.join("heir.mdl"))], &with[..]].concat());
}

#[test]
fn rooms_of_a_layout_come_from_the_module() {
    let root = kotor_game("games-rooms");
    let rooms = fine(&["walk", "rooms", &text(&root.join("modules/keep.rim/keep.lyt"))]);
    assert_eq!(rooms, fine(&["walk", "rooms", &text(&example("keep/keep.lyt"))]));
    assert!(rooms.contains("passage"));
}

#[test]
fn games_are_listed_with_their_layers() {
    let root = kotor_game("games-list");
    let line = fine(&["games", "--json", "--game-dir", &text(&root)]);
    let game: serde_json::Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!((&game["game"], &game["found"]), (&"Knights of the Old Republic".into(), &"named".into()));
    assert_eq!(game["layers"].as_array().unwrap().len(), 1, "{line}");
    let output = run(&["info", &text(&root.join("chitin.key")), "--game-dir", "/nonexistent"]);
    assert_eq!(output.status.code(), Some(2), "info needs no game");
    let output = run(&["textures", &text(&root.join("chitin.key")), "--game-dir", &text(&root.join("data"))]);
    assert!(stderr(&output).contains("no game that is known"), "{output:?}");
}

#[test]
fn a_map_is_a_layer_above_the_archives_of_warcraft() {
    let dir = scratch("games-mpq");
    let texture = bytes("statue.blp");
    put(
        &dir.join("War3.mpq"),
        &archive(&Mpq::new(), &[("statue.blp", texture.clone()), ("statue.mdx", bytes("statue_800.mdx"))]),
    );
    let map = dir.join("Maps/keep.w3x");
    put(&map, &archive(&Mpq::new(), &[("war3mapImported/hero.mdx", bytes("statue_800.mdx"))]));
    let hero = map.join("war3mapImported/hero.mdx");
    assert_eq!(found(&hero, "statue.blp").0, dir.join("War3.mpq/statue.blp"));
    put(&dir.join("War3Patch.mpq"), &archive(&Mpq::new(), &[("statue.blp", texture.clone())]));
    assert_eq!(found(&hero, "statue.blp").0, dir.join("War3Patch.mpq/statue.blp"));
    assert_eq!(found(&dir.join("War3.mpq/statue.mdx"), "statue.blp").0, dir.join("War3Patch.mpq/statue.blp"));
    put(&dir.join("statue.blp"), &texture);
    fine(&["put", &text(&map), &text(&dir.join("statue.blp"))]);
    assert_eq!(found(&hero, "statue.blp").0, map.join("statue.blp"));
    assert!(dir.join("Maps/keep.w3x.bak").is_file());
    // Several models of a map are a sheet.
    fine(&["put", &text(&map), &text(&example("statue_1000.mdx"))]);
    assert!(
        fine(&["render", &text(&map), "-o", &text(&dir.join("sheet.png")), "--size", "64"])
            .contains("2 images")
    );
    assert!(is_png(&dir.join("sheet.png")));
}

#[test]
fn warcraft_since_1_30_is_read_through_its_storage() {
    let dir = scratch("games-casc");
    let mut builder = casc::Builder::default();
    let (model, texture) = (builder.store(&bytes("statue_800.mdx")), builder.store(&bytes("statue.blp")));
    let base = casc::tvfs(&[("units/statue/statue.mdx", vec![model]), ("statue.blp", vec![texture])]);
    let base = builder.store(&base);
    let root = casc::tvfs(&[("war3.w3mod", vec![base])]);
    let root = builder.store(&root);
    builder.configure("vfs-root", &root);
    builder.configure("vfs-1", &root);
    builder.configure("vfs-2", &base);
    for (name, bytes) in builder.build().0 {
        put(&dir.join(name), &bytes);
    }
    let storage = dir.join(".build.info");
    assert!(fine(&["list", &text(&storage)]).contains("war3.w3mod/units/statue/statue.mdx\tmdx"));
    let model = storage.join("war3.w3mod/units/statue/statue.mdx");
    assert_eq!(found(&model, "statue.blp").0, storage.join("war3.w3mod/statue.blp"));
    fine(&["render", &text(&model), "-o", &text(&dir.join("a.png")), "--size", "32"]);
    // A map anywhere, with the game named.
    let map = scratch("games-casc-map").join("m.w3x");
    put(&map, &archive(&Mpq::new(), &[("hero.mdx", bytes("statue_800.mdx"))]));
    let out = fine(&["textures", &text(&map), "--all", "--game-dir", &text(&dir)]);
    assert!(out.contains("war3.w3mod/statue.blp"), "{out}");
}

#[test]
fn graphics_of_reforged_go_with_their_models() {
    let dir = scratch("games-hd");
    let mut builder = casc::Builder::default();
    let model = builder.store(&bytes("statue_800.mdx"));
    let textures = [1u8, 2].map(|n| builder.store(&[bytes("statue.blp"), vec![n]].concat()));
    let [classic, reforged] = textures;
    let base = casc::tvfs(&[
        ("units/statue.mdx", vec![model]),
        ("_hd.w3mod/units/statue.mdx", vec![model]),
        ("statue.blp", vec![classic]),
        ("_hd.w3mod/statue.dds", vec![reforged]),
        ("_deprecated.w3mod/statue.dds", vec![classic]),
    ]);
    let base = builder.store(&base);
    let root = casc::tvfs(&[("war3.w3mod", vec![base])]);
    let root = builder.store(&root);
    builder.configure("vfs-root", &root);
    builder.configure("vfs-1", &root);
    builder.configure("vfs-2", &base);
    for (name, bytes) in builder.build().0 {
        put(&dir.join(name), &bytes);
    }
    let storage = dir.join(".build.info/war3.w3mod");
    let classic = found(&storage.join("units/statue.mdx"), "statue.blp");
    assert_eq!(classic.0, storage.join("statue.blp"));
    let reforged = found(&storage.join("_hd.w3mod/units/statue.mdx"), "statue.blp");
    assert_eq!(
        reforged.0,
        storage.join("_hd.w3mod/statue.dds"),
        "an ending that is worse, in a folder that is better"
    );
    assert_eq!(reforged.1[0], text(&storage.join("statue.blp")));
}

#[test]
fn textures_of_a_package_in_a_dat_are_in_that_of_the_same_name() {
    let dir = scratch("games-pftxs");
    let texture = ftex(&dir.join("made"));
    let fpk = archive(&Fpk::new(false), &[("/Assets/tpp/chara/statue.fmdl", bytes("statue.fmdl"))]);
    let image = format!("{:013x}.ftex", path_code64("/statue.ftex") & ((1 << 51) - 1));
    let packed = |texture: Vec<u8>| archive(&Pftxs::new(), &[(image.as_str(), texture)]);
    let name = |ending: &str| path_code64(&format!("/Assets/tpp/pack/statue.{ending}"));
    let root = dir.join("MGS_TPP");
    let other = (path_code64("/Assets/tpp/pack/other.pftxs"), b"not read".to_vec(), fox::Kept::Plain);
    let chunk = fox::qar_of(
        1,
        &[
            (name("fpk"), fpk, fox::Kept::Packed),
            (name("pftxs"), packed(texture.clone()), fox::Kept::Plain),
            other,
        ],
    );
    put(&root.join("master/chunk0.dat"), &chunk);
    let model = root.join("master/chunk0.dat/Assets/tpp/pack/statue.fpk/Assets/tpp/chara/statue.fmdl");
    let place = || text(&found(&model, "statue.tga").0).split("master").nth(1).unwrap().replace('\\', "/");
    assert!(place().starts_with("/chunk0.dat/") && place().contains(".pftxs/"), "{}", place());
    // The patch has a newer one.
    put(
        &root.join("master/0/01.dat"),
        &fox::qar_of(2, &[(name("pftxs"), packed(texture), fox::Kept::Packed)]),
    );
    assert!(place().starts_with("/0/01.dat/"), "{}", place());
}

/// The statue's texture as the Fox Engine has it.
fn ftex(dir: &Path) -> Vec<u8> {
    fs::create_dir_all(dir).unwrap();
    fine(&["convert", &text(&example("statue.tga")), &text(&dir.join("statue.ftex"))]);
    fs::read(dir.join("statue.ftex")).unwrap()
}

#[test]
fn the_patch_of_mgsv_goes_before_its_chunks() {
    let dir = scratch("games-tpp");
    let texture = ftex(&dir.join("made"));
    let fpk = archive(&Fpk::new(false), &[("/Assets/tpp/chara/statue.fmdl", bytes("statue.fmdl"))]);
    let (pack, image) = (path_code64("/Assets/tpp/pack/statue.fpk"), path_code64("/statue.ftex"));
    let root = dir.join("MGS_TPP");
    put(&root.join("master/chunk0.dat"), &fox::qar_of(1, &[(pack, fpk, fox::Kept::Packed)]));
    put(&root.join("master/texture0.dat"), &fox::qar_of(1, &[(image, texture.clone(), fox::Kept::Plain)]));
    let model = root.join("master/chunk0.dat/Assets/tpp/pack/statue.fpk/Assets/tpp/chara/statue.fmdl");
    assert!(fine(&["info", &text(&model)]).contains("fmdl\t2.03"));
    let chunk = fine(&["info", &text(&root.join("master/chunk0.dat"))]);
    assert!(chunk.contains(".fpk/Assets/tpp/chara/statue.fmdl\tfmdl"), "{chunk}");
    let of = |path: PathBuf| text(&path).split("master").nth(1).unwrap().replace('\\', "/");
    assert!(of(found(&model, "statue.tga").0).starts_with("/texture0.dat/"));
    put(&root.join("master/0/01.dat"), &fox::qar_of(2, &[(image, texture, fox::Kept::Packed)]));
    assert!(of(found(&model, "statue.tga").0).starts_with("/0/01.dat/"));
    // The textures of a package are in the one of the same name beside it.
    let beside = archive(&Pftxs::new(), &[("/Assets/statue.ftex", b"FTEX".to_vec())]);
    put(&dir.join("x.pftxs"), &beside);
    assert!(fine(&["list", &text(&dir.join("x.pftxs"))]).contains("ftex"));
}

#[test]
fn the_packs_of_pes_are_folders() {
    let dir = scratch("games-pes");
    let texture = ftex(&dir.join("made"));
    let root = dir.join("PES 2021");
    let files = vec![
        ("common/character0", "statue.fmdl", bytes("statue.fmdl")),
        ("", "statue.ftex", texture),
        ("", "x.txt", vec![7; 9]),
    ];
    put(&root.join("Data/dt00_x64.cpk"), &fox::cpk_of(true, files));
    let model = root.join("Data/dt00_x64.cpk/common/character0/statue.fmdl");
    assert_eq!(found(&model, "statue.tga").0, root.join("Data/dt00_x64.cpk/statue.ftex"));
    fine(&["convert", &text(&model), &text(&dir.join("statue.glb"))]);
    assert!(same_name("A/b", "a\\B"));
}
