//! What the program does to people's files: nothing is lost, mixed or left over.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use support::{galatea, scratch};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn run(args: &[&dyn AsRef<Path>]) -> Output {
    let args: Vec<String> = args.iter().map(|a| a.as_ref().to_string_lossy().into_owned()).collect();
    galatea(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// All files below a folder, by their paths in it.
fn listed(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap().map(|e| e.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            out.extend(listed(&entry.path()).into_iter().map(|(n, b)| (format!("{name}/{n}"), b)));
        } else {
            out.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    out
}

fn names(dir: &Path) -> Vec<String> {
    listed(dir).into_keys().collect()
}

/// The walkmesh of the examples, and the same with its first normal turned sideways by as much.
fn room(turn: f32) -> (Vec<u8>, Vec<u8>) {
    let good = fs::read(example("room.wok")).unwrap();
    let mut bad = good.clone();
    let normals = u32::from_le_bytes(bad[92..96].try_into().unwrap()) as usize;
    bad[normals..normals + 4].copy_from_slice(&turn.to_le_bytes());
    (good, bad)
}

/// A KotOR model whose MDL and MDX both need fixing, in this folder.
fn damaged_pair(dir: &Path) -> [Vec<u8>; 2] {
    let mut mdl = fs::read(example("statue.mdl")).unwrap();
    let mut mdx = fs::read(example("statue.mdx")).unwrap();
    mdl.extend(*b"more");
    mdx[0x22] ^= 0x80;
    fs::write(dir.join("a.mdl"), &mdl).unwrap();
    fs::write(dir.join("a.mdx"), &mdx).unwrap();
    [mdl, mdx]
}

#[test]
fn a_backup_counts_only_with_the_same_bytes() {
    let dir = scratch("files-backup");
    let ((good, bad), file) = (room(1.0), dir.join("room.wok"));
    fs::write(&file, &bad).unwrap();
    fs::write(dir.join("room.wok.bak"), "cut short").unwrap();
    assert_eq!(run(&[&"check", &"--fix", &dir]).status.code(), Some(0));
    let other = room(0.5).1;
    fs::write(&file, &other).unwrap();
    assert_eq!(run(&[&"check", &"--fix", &dir]).status.code(), Some(0));
    fs::write(&file, &other).unwrap();
    assert_eq!(run(&[&"check", &"--fix", &dir]).status.code(), Some(0));
    let expected = [
        ("room.wok", good),
        ("room.wok.bak", b"cut short".to_vec()),
        ("room.wok.bak1", bad),
        ("room.wok.bak2", other),
    ];
    assert_eq!(listed(&dir), expected.map(|(n, b)| (n.to_owned(), b)).into());
}

#[test]
fn a_folder_in_place_of_the_backup_is_an_error() {
    let dir = scratch("files-backup-folder");
    let bad = room(1.0).1;
    fs::write(dir.join("room.wok"), &bad).unwrap();
    fs::create_dir(dir.join("room.wok.bak")).unwrap();
    let output = run(&[&"check", &"--fix", &dir.join("room.wok")]);
    assert_eq!(output.status.code(), Some(4));
    assert!(said(&output).contains("room.wok.bak is a folder"), "{output:?}");
    assert_eq!(fs::read(dir.join("room.wok")).unwrap(), bad);
}

#[test]
fn backups_and_temporaries_are_no_inputs() {
    let dir = scratch("files-no-inputs");
    let bad = room(1.0).1;
    for name in ["room.wok", "old.wok.bak", "old.wok.bak3", ".room.wok.1.2.tmp"] {
        fs::write(dir.join(name), &bad).unwrap();
    }
    let output = run(&[&"info", &dir]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "{output:?}");
    run(&[&"check", &"--fix", &dir]);
    run(&[&"check", &"--fix", &dir]);
    let there = [".room.wok.1.2.tmp", "old.wok.bak", "old.wok.bak3", "room.wok", "room.wok.bak"];
    assert_eq!(names(&dir), there);
    let named = run(&[&"check", &"--fix", &dir.join("old.wok.bak")]);
    assert_eq!(named.status.code(), Some(4));
    assert!(said(&named).contains("is a backup"), "{named:?}");
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let dir = scratch("files-left-over");
    fs::copy(example("room.wok"), dir.join("room.wok")).unwrap();
    fs::write(dir.join(".room.wok.999999999.0.galatea-tmp"), "half").unwrap();
    fs::write(dir.join(".room.wok.galatea-commit"), "galatea-commit 1\n12 00").unwrap();
    assert_eq!(run(&[&"info", &dir.join("room.wok")]).status.code(), Some(0));
    assert_eq!(names(&dir), ["room.wok"]);
}

#[test]
fn a_strange_journal_is_ignored_with_a_line() {
    let dir = scratch("files-strange-journal");
    fs::copy(example("room.wok"), dir.join("room.wok")).unwrap();
    fs::write(dir.join(".room.wok.galatea-commit"), "rm -rf /").unwrap();
    let output = run(&[&"info", &dir]);
    assert_eq!(output.status.code(), Some(0));
    assert!(said(&output).contains("not a journal of this program"), "{output:?}");
    assert_eq!(names(&dir), [".room.wok.galatea-commit", "room.wok"]);
}

#[test]
fn fixing_onto_the_input_needs_force_and_keeps_a_backup() {
    let dir = scratch("files-onto-input");
    let (good, bad) = room(1.0);
    fs::write(dir.join("room.wok"), &bad).unwrap();
    let refused = run(&[&"check", &"--fix", &dir, &"-o", &dir]);
    assert_eq!(refused.status.code(), Some(4));
    assert!(said(&refused).contains("--force"), "{refused:?}");
    assert_eq!(names(&dir), ["room.wok"]);
    assert_eq!(run(&[&"check", &"--fix", &dir, &"-o", &dir, &"--force"]).status.code(), Some(0));
    let expected = [("room.wok".to_owned(), good), ("room.wok.bak".to_owned(), bad)];
    assert_eq!(listed(&dir), expected.into());
}

#[test]
fn fixed_files_keep_their_folders() {
    let dir = scratch("files-folders");
    let (good, bad) = room(1.0);
    for folder in ["in/a", "in/b"] {
        fs::create_dir_all(dir.join(folder)).unwrap();
        fs::write(dir.join(folder).join("room.wok"), &bad).unwrap();
    }
    let (input, out) = (dir.join("in"), dir.join("out"));
    assert_eq!(run(&[&"check", &"--fix", &input, &"-o", &out]).status.code(), Some(0));
    assert_eq!(listed(&out), ["a/room.wok", "b/room.wok"].map(|n| (n.to_owned(), good.clone())).into());
    let both = run(&[&"check", &"--fix", &input.join("a"), &input.join("b"), &"-o", &dir.join("flat")]);
    assert_eq!(both.status.code(), Some(2));
    assert!(said(&both).contains("would both become"), "{both:?}");
    assert!(!dir.join("flat").exists());
}

#[test]
fn a_pair_is_fixed_and_backed_up_as_one() {
    let dir = scratch("files-pair");
    let [mdl, mdx] = damaged_pair(&dir);
    assert_eq!(run(&[&"check", &"--fix", &dir]).status.code(), Some(0));
    let there = listed(&dir);
    assert_eq!(there.keys().collect::<Vec<_>>(), ["a.mdl", "a.mdl.bak", "a.mdx", "a.mdx.bak"]);
    assert_eq!((&there["a.mdl.bak"], &there["a.mdx.bak"]), (&mdl, &mdx));
    assert_ne!((&there["a.mdl"], &there["a.mdx"]), (&mdl, &mdx));
    run(&[&"check", &"--fix", &dir]);
    assert_eq!(listed(&dir), there, "the second run changes nothing");
}

#[cfg(unix)]
#[test]
fn links_modes_and_times_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = scratch("files-links");
    fs::create_dir_all(dir.join("real")).unwrap();
    let (real, link) = (dir.join("real/room.wok"), dir.join("room.wok"));
    fs::write(&real, room(1.0).1).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let then = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&real).unwrap().set_modified(then).unwrap();
    symlink("real/room.wok", &link).unwrap();
    assert_eq!(run(&[&"check", &"--fix", &link]).status.code(), Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&real).unwrap(), room(1.0).0);
    for file in [&real, &dir.join("real/room.wok.bak")] {
        let meta = fs::metadata(file).unwrap();
        assert_eq!((meta.permissions().mode() & 0o777, meta.modified().unwrap()), (0o600, then), "{file:?}");
    }
    fs::write(&real, room(1.0).1).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o400)).unwrap();
    let refused = run(&[&"check", &"--fix", &link]);
    assert_eq!(refused.status.code(), Some(4));
    assert!(said(&refused).contains("read-only; use --force"), "{refused:?}");
    assert_eq!(run(&[&"check", &"--fix", &"--force", &link]).status.code(), Some(0));
    assert_eq!(fs::read(&real).unwrap(), room(1.0).0);
    symlink("nowhere.glb", dir.join("out.glb")).unwrap();
    let nowhere = run(&[&"convert", &real, &dir.join("out.glb"), &"--force"]);
    assert!(said(&nowhere).contains("dangling link"), "{nowhere:?}");
}

#[test]
fn a_refused_pair_leaves_no_orphan() {
    let dir = scratch("files-orphan");
    fs::write(dir.join("o.mdl"), "mine").unwrap();
    let k2: [&dyn AsRef<Path>; 4] = [&"--to", &"kotor-mdl", &"--game", &"k2"];
    let (from, to) = (example("statue.mdl"), dir.join("o.mdl"));
    let output = run(&[&[&"convert" as &dyn AsRef<Path>, &from, &to], &k2[..]].concat());
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert_eq!(listed(&dir), [("o.mdl".to_owned(), b"mine".to_vec())].into());
    fs::create_dir(dir.join("p.mdx")).unwrap();
    let to = dir.join("p.mdl");
    let output = run(&[&[&"convert" as &dyn AsRef<Path>, &from, &to], &k2[..]].concat());
    assert!(said(&output).contains("p.mdx is a folder"), "{output:?}");
    assert!(!to.exists());
}

#[test]
fn converting_onto_the_input_needs_force_and_keeps_a_backup() {
    let dir = scratch("files-convert-onto");
    fs::copy(example("statue.mdl"), dir.join("a.mdl")).unwrap();
    fs::copy(example("statue.mdx"), dir.join("a.mdx")).unwrap();
    let before = listed(&dir);
    let refused = run(&[&"convert", &dir, &"--to", &"kotor-mdl", &"--game", &"k2", &"-o", &dir]);
    assert_eq!(refused.status.code(), Some(4));
    assert_eq!(listed(&dir), before);
    let done = run(&[&"convert", &dir, &"--to", &"kotor-mdl", &"--game", &"k2", &"-o", &dir, &"--force"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let there = listed(&dir);
    assert_eq!(there["a.mdl.bak"], before["a.mdl"]);
    assert_ne!(there["a.mdl"], before["a.mdl"]);
    // What is the same in both games is not replaced, and needs no backup.
    assert!(there["a.mdx"] == before["a.mdx"] || there["a.mdx.bak"] == before["a.mdx"]);
}

#[test]
fn a_report_replaces_nothing() {
    let dir = scratch("files-report");
    let (input, other) = (dir.join("room.wok"), dir.join("notes.txt"));
    fs::copy(example("room.wok"), &input).unwrap();
    fs::write(&other, "mine").unwrap();
    let before = listed(&dir);
    let out = dir.join("room.glb");
    for (report, force, why) in [
        (&input, true, "is an input or output"),
        (&out, true, "is an input or output"),
        (&other, false, "use --force"),
    ] {
        let mut args: Vec<&dyn AsRef<Path>> = vec![&"convert", &input, &out, &"--report", report];
        if force {
            args.push(&"--force");
        }
        let output = run(&args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(said(&output).contains(why), "{output:?}");
        assert_eq!(listed(&dir), before);
    }
    let output = run(&[&"convert", &input, &out, &"--report", &other, &"--force"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(fs::read_to_string(&other).unwrap().contains("\"status\":\"converted\""));
}

#[test]
fn walkmeshes_of_a_folder_are_copied_or_left() {
    let dir = scratch("files-walkmeshes");
    let input = dir.join("in");
    fs::create_dir_all(&input).unwrap();
    for (from, to) in
        [("statue.mdl", "a.mdl"), ("statue.mdx", "a.mdx"), ("room.wok", "a.wok"), ("crate.pwk", "b.pwk")]
    {
        fs::copy(example(from), input.join(to)).unwrap();
    }
    let out = dir.join("k2");
    let output = run(&[&"convert", &input, &"--to", &"kotor-mdl", &"--game", &"k2", &"-o", &out]);
    assert_eq!(said(&output), "1 converted, 0 failed, 2 copied as they are\n");
    assert_eq!(names(&out), ["a.mdl", "a.mdx", "a.wok", "b.pwk"]);
    assert_eq!(fs::read(out.join("a.wok")).unwrap(), fs::read(input.join("a.wok")).unwrap());
    let out = dir.join("warcraft");
    let output = run(&[&"convert", &input, &"--to", &"mdx", &"-o", &out]);
    assert!(said(&output).ends_with("1 converted, 0 failed, 2 left as they are\n"), "{output:?}");
    assert!(!names(&out).iter().any(|name| name.contains("~1")), "{:?}", names(&out));
}

#[test]
fn resume_completes_a_partial_pair() {
    let dir = scratch("files-resume");
    let args: [&dyn AsRef<Path>; 6] =
        [&"convert", &example("statue.mdl"), &"--to", &"kotor-mdl", &"-o", &dir];
    assert_eq!(run(&args).status.code(), Some(0));
    let whole = listed(&dir);
    fs::remove_file(dir.join("statue.mdx")).unwrap();
    let again = run(&[&args[..], &[&"--resume"]].concat());
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert_eq!(listed(&dir), whole);
    let skipped = run(&[&args[..], &[&"--resume"]].concat());
    assert!(said(&skipped).contains("1 there already"), "{skipped:?}");
}

/// A GLB with one embedded image, made of the example's model and texture.
fn textured(dir: &Path) -> PathBuf {
    let glb = dir.join("a.glb");
    assert_eq!(run(&[&"convert", &example("statue.mdl"), &glb]).status.code(), Some(0));
    glb
}

fn images(path: &Path) -> Vec<Vec<u8>> {
    let loaded = galatea::disk::load(&galatea::disk::Job::new(path)).unwrap();
    let document = galatea::open(&loaded.input(), &galatea::Limits::default()).unwrap();
    let image = |image: &galatea::gltf::Image| match &image.source {
        galatea::gltf::ImageSource::Embedded { bytes, .. } => bytes.clone(),
        galatea::gltf::ImageSource::File(name) => fs::read(path.with_file_name(name)).unwrap(),
    };
    document.embedded_images().unwrap().images().iter().map(image).collect()
}

#[test]
fn images_travel_between_gltf_forms_as_they_are() {
    let dir = scratch("files-gltf-images");
    let glb = textured(&dir);
    let original = images(&glb);
    assert_eq!(original.len(), 1);
    let (text, copy, back) = (dir.join("c.gltf"), dir.join("copy/b.gltf"), dir.join("d.glb"));
    fs::create_dir(dir.join("copy")).unwrap();
    for (from, to) in [(&glb, &text), (&text, &copy), (&copy, &back)] {
        let output = run(&[&"convert", from, to]);
        assert_eq!(said(&output), "1 converted, 0 failed\n");
        assert_eq!(images(to), original, "{to:?}");
        assert_eq!(run(&[&"info", to]).status.code(), Some(0), "{to:?}");
    }
    assert_eq!(names(&dir.join("copy")), ["b.gltf", "c.bin", "statue.png"]);
    fs::remove_file(dir.join("statue.png")).unwrap();
    let lost = run(&[&"convert", &text, &dir.join("e.glb")]);
    assert!(said(&lost).contains("lost: image \"statue\": the file \"statue.png\" is not there"), "{lost:?}");
}

#[test]
fn images_become_textures_of_the_game() {
    let dir = scratch("files-game-images");
    let glb = textured(&dir);
    let original = galatea::texture::decode(&images(&glb)[0], &[], &galatea::Limits::default()).unwrap();
    let cases: [(&str, &str, &[&str]); 4] = [
        ("kotor/a.mdl", "statue.tga", &["--to", "kotor-mdl"]),
        ("warcraft/a.mdx", "statue.blp", &[]),
        ("reforged/a.mdx", "statue.dds", &["--version", "1000"]),
        ("fox/a.fmdl", "statue_bsm.ftex", &[]),
    ];
    for (model, texture, options) in cases {
        let model = dir.join(model);
        fs::create_dir(model.parent().unwrap()).unwrap();
        let mut args: Vec<&dyn AsRef<Path>> = vec![&"convert", &glb, &model];
        args.extend(options.iter().map(|o| o as &dyn AsRef<Path>));
        let output = run(&args);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let made = fs::read(model.with_file_name(texture)).unwrap();
        let made = galatea::texture::decode(&made, &[], &galatea::Limits::default()).unwrap();
        assert_eq!((made.width, made.height), (original.width, original.height), "{texture}");
        let off: u64 = made.rgba.iter().zip(&original.rgba).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        assert!(
            off / made.rgba.len() as u64 <= if texture.ends_with("tga") { 0 } else { 12 },
            "{texture}: {off}"
        );
    }
}

#[test]
fn a_texture_that_is_there_is_not_replaced() {
    let dir = scratch("files-texture-there");
    let glb = textured(&dir);
    let (model, texture) = (dir.join("a.mdl"), dir.join("statue.tga"));
    fs::write(&texture, "mine").unwrap();
    let refused = run(&[&"convert", &glb, &model, &"--to", &"kotor-mdl"]);
    assert_eq!(refused.status.code(), Some(4));
    assert!(said(&refused).contains("statue.tga exists already; use --force"), "{refused:?}");
    assert_eq!(names(&dir), ["a.glb", "statue.tga"]);
    // Of the same pixels, in other bytes.
    let image = galatea::texture::decode(&images(&glb)[0], &[], &galatea::Limits::default()).unwrap();
    let png = galatea::texture::encode::png(&image).unwrap();
    fs::write(&texture, &png).unwrap();
    let done = run(&[&"convert", &glb, &model, &"--to", &"kotor-mdl", &"--force"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert_eq!(fs::read(&texture).unwrap(), png);
}

#[test]
fn equal_image_names_of_two_models_do_not_replace_each_other() {
    let dir = scratch("files-image-names");
    let input = dir.join("in");
    for (i, folder) in ["a", "b"].iter().enumerate() {
        let folder = input.join(folder);
        fs::create_dir_all(&folder).unwrap();
        for ending in ["mdl", "mdx"] {
            fs::copy(example("statue").with_extension(ending), folder.join(format!("m{i}.{ending}")))
                .unwrap();
        }
        let image = galatea::texture::Image::filled(4, 4, [i as u8 * 255, 0, 0, 255]);
        fs::write(folder.join("statue.tga"), galatea::texture::encode::tga(&image).unwrap()).unwrap();
    }
    let out = dir.join("out");
    let args: [&dyn AsRef<Path>; 6] = [&"convert", &input, &"--to", &"gltf", &"-o", &out];
    let flat = run(&[&args[..], &[&"--name", &"{stem}.{ext}", &"--force"]].concat());
    assert_eq!(flat.status.code(), Some(3), "{flat:?}");
    assert!(said(&flat).contains("writes another file of this name"), "{flat:?}");
    assert_eq!(names(&out).len(), 3, "one model with its .bin and its image: {:?}", names(&out));
    fs::remove_dir_all(&out).unwrap();
    assert_eq!(run(&args).status.code(), Some(0));
    assert_eq!(names(&out).len(), 6);
}
