//! Textures on the command line: the audit, conversions, and files that lie.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::path::Path;

use support::{galatea, scratch};

use galatea::mdlx::{Model, Texture, Version};
use galatea::texture::{Image, encode};
use galatea::wire::{Text, Wire};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn model(path: &Path, textures: &[(&str, u32)]) {
    let mut model = Model::new(Version(800));
    for (name, replaceable_id) in textures {
        let path = Text::new(name.as_bytes()).unwrap();
        model.textures.push(Texture { path, replaceable_id: *replaceable_id, ..Texture::ZERO });
    }
    std::fs::write(path, model.write().unwrap()).unwrap();
}

#[test]
fn the_audit_names_what_is_missing_and_what_is_ambiguous() {
    let dir = scratch("cli-textures/audit");
    let (models, shared) = (dir.join("models"), dir.join("shared"));
    for folder in [&models, &shared.join("x"), &shared.join("y")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    model(
        &models.join("a.mdx"),
        &[("a.blp", 0), ("twice.blp", 0), ("gone.blp", 0), ("", 1), ("..\\up.blp", 0)],
    );
    model(&models.join("b.mdx"), &[("a.blp", 0)]);
    let tga = encode::tga(&Image::filled(2, 2, [9, 9, 9, 255])).unwrap();
    for path in [models.join("A.tga"), shared.join("x/twice.tga"), shared.join("y/twice.tga")] {
        std::fs::write(path, &tga).unwrap();
    }
    let (models, shared) = (models.to_string_lossy(), shared.to_string_lossy());
    let output = galatea(&["textures", &models, "--textures", &shared]);
    assert_eq!(output.status.code(), Some(1));
    let out = text(&output.stdout);
    assert!(out.contains("a.mdx: 2 found, 2 missing, 1 ambiguous\n"), "{out}");
    assert!(out.contains("  ambiguous  twice.blp (texture): "), "{out}");
    assert!(out.contains("  missing    gone.blp (texture)\n"), "{out}");
    assert!(out.contains("  unsafe     ..\\up.blp (texture): points outside of the folders"), "{out}");
    assert!(!out.contains("b.mdx"), "nothing to say about it: {out}");
    assert!(out.ends_with("2 models: 3 found, 2 missing, 1 ambiguous\n"), "{out}");
    let output = galatea(&["textures", &models, "--textures", &shared, "--json"]);
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines[0]["textures"][3]["status"], "built in");
    assert_eq!(lines[1]["textures"][0]["status"], "found");
    assert_eq!(lines.last().unwrap()["summary"]["models"], 2);
    assert_eq!(lines.last().unwrap()["missing"]["gone.blp"], 1);
    let fine = galatea(&["textures", &format!("{models}/b.mdx")]);
    assert_eq!((fine.status.code(), text(&fine.stdout).as_str()), (Some(0), "1 models: 1 found\n"));
    let wrong = galatea(&["textures", &models, "--textures", "/no/such/folder"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_file_that_the_game_does_not_load_is_not_found() {
    let dir = scratch("cli-textures/not-loaded");
    let (own, named) = (dir.join("own"), dir.join("named"));
    [&own, &named].iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
    model(&own.join("a.mdx"), &[("skin.blp", 0), ("both.blp", 0), ("far.blp", 0)]);
    let image = Image::filled(2, 2, [9, 9, 9, 255]);
    let (png, tga) = (encode::png(&image).unwrap(), encode::tga(&image).unwrap());
    for name in ["skin.png", "both.png", "spare.png"] {
        std::fs::write(own.join(name), &png).unwrap();
    }
    std::fs::write(own.join("both.tga"), &tga).unwrap();
    std::fs::write(named.join("far.png"), &png).unwrap();
    std::fs::write(own.join("far.tga"), &tga).unwrap();
    let (own, named) = (own.to_string_lossy(), named.to_string_lossy());
    let output = galatea(&["textures", &own, "--textures", &named, "--all", "--unused"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let out = text(&output.stdout);
    let line = |start: &str| {
        out.lines().find(|line| line.trim_start().starts_with(start)).unwrap_or_default().to_owned()
    };
    assert!(line("missing    skin.blp").contains("skin.png, which the game does not load"), "{out}");
    assert!(line("found      both.blp").contains("both.tga"), "{out}");
    assert!(line("found      far.blp").contains("far.tga"), "what the game loads goes first: {out}");
    // Nobody asks for the spare one.
    let unused: Vec<&str> = out
        .lines()
        .skip_while(|l| *l != "no model asks for:")
        .skip(1)
        .take_while(|l| l.starts_with("  "))
        .collect();
    assert_eq!(unused.len(), 1, "{out}");
    assert!(
        unused[0].ends_with("spare.png") && out.ends_with("1 models: 2 found, 1 missing, 1 unused\n"),
        "{out}"
    );
    let json = galatea(&["textures", &own, "--textures", &named, "--unused", "--json"]);
    let last: serde_json::Value = serde_json::from_str(text(&json.stdout).lines().last().unwrap()).unwrap();
    assert_eq!((last["unused"].as_array().unwrap().len(), &last["missing"]["skin.blp"]), (1, &1.into()));
    assert_eq!(last["found_in"].as_object().unwrap().len(), 1);
}

#[test]
fn a_folder_of_images_becomes_textures_and_models_are_left_alone() {
    let dir = scratch("cli-textures/folder");
    let (from, to) = (dir.join("from"), dir.join("to"));
    std::fs::create_dir_all(&from).unwrap();
    std::fs::write(from.join("a.png"), encode::png(&Image::filled(4, 4, [1, 2, 3, 255])).unwrap()).unwrap();
    model(&from.join("m.mdx"), &[]);
    let (from, to) = (from.to_string_lossy(), to.to_string_lossy());
    let output = galatea(&["convert", &from, "--to", "tpc", "--encoding", "raw", "-o", &to]);
    assert_eq!(text(&output.stdout), "1 converted, 0 failed\n", "{output:?}");
    let info = galatea(&[&format!("{to}/a.tpc")]);
    assert!(text(&info.stdout).contains("tpc\tRGBA 4x4, 3 mips"), "{info:?}");
    let glb = galatea(&["convert", &from, "--to", "glb", "-o", &to]);
    assert_eq!(text(&glb.stdout), "1 converted, 0 failed\n", "{glb:?}");
}

#[test]
fn giants_in_200_bytes_are_one_clear_line() {
    let dir = scratch("cli-textures/giants");
    let mut dds = encode::dds(&Image::filled(4, 4, [1, 2, 3, 255]), encode::DdsFormat::Bc1, false)
        .and_then(|d| d.write())
        .unwrap();
    dds[12..20].copy_from_slice(&[255, 255, 0, 0, 255, 255, 0, 0]);
    dds.resize(200, 0);
    std::fs::write(dir.join("a.dds"), &dds).unwrap();
    let path = dir.join("a.dds").to_string_lossy().into_owned();
    let png = dir.join("a.png");
    let output = galatea(&["convert", &path, &png.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(4));
    let error = text(&output.stderr);
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(!png.exists());
}
