//! `galatea render` of models that are damaged, empty or out of all proportion, and of impossible sizes: an image, or one
//! clear line.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::path::Path;

use support::{galatea, scratch};

use galatea::fox::{Fmdl, Group, Mesh, Run, Usage, Values};
use galatea::kotor::mdl::Model;
use galatea::scene::{Pose, Scene, example};

/// Draws a file. Tells how the program ended and what it said on stderr; an image that it made is a PNG of the size.
fn render(dir: &Path, name: &str, bytes: &[u8], size: &str) -> (i32, String) {
    let (input, output) = (dir.join(name), dir.join("out.png"));
    std::fs::write(&input, bytes).unwrap();
    let _ = std::fs::remove_file(&output);
    let (input, out) = (input.to_string_lossy(), output.to_string_lossy());
    let done = galatea(&["render", &input, "-o", &out, "--size", size]);
    let code = done.status.code().unwrap_or_else(|| panic!("{name}: {done:?}"));
    let text = String::from_utf8(done.stderr).unwrap();
    if code == 0 {
        let png = std::fs::read(&output).unwrap();
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!(format!("{}x{}", side(16), side(20)), size, "{name}");
        assert_eq!(text, "", "{name}");
    } else {
        assert!(!output.exists(), "{name}: an image all the same");
        assert_eq!(text.lines().filter(|l| l.starts_with("error: ")).count(), text.lines().count(), "{text}");
        assert_eq!(text.lines().count(), 1, "{name}: {text}");
    }
    (code, text)
}

/// A Fox Engine model of one triangle with these corners.
fn triangle(corners: [[f32; 3]; 3]) -> Vec<u8> {
    let mut model = Fmdl::new(Fmdl::TPP);
    let mut mesh = Mesh::default();
    mesh.vertices.push(Usage::Position, Values::F32x3(corners.to_vec()));
    mesh.set_faces(&[[0, 2, 1]]);
    model.meshes.push(mesh);
    model.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    model.runs.push(Run { mesh_count: 1, ..Run::default() });
    model.write().unwrap()
}

#[test]
fn wild_numbers_give_an_image() {
    let dir = scratch("render_wild");
    let nan = f32::NAN;
    for (name, corners) in [
        ("nan", [[nan; 3]; 3]),
        ("half_nan", [[0.0, nan, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
        ("infinite", [[f32::INFINITY, 0.0, 0.0], [1.0, f32::NEG_INFINITY, 0.0], [0.0, 1.0, 0.0]]),
        ("enormous", [[-1e12, 0.0, 0.0], [1e12, 0.0, 0.0], [0.0, 1e12, 0.0]]),
        ("largest", [[f32::MIN, f32::MIN, 0.0], [f32::MAX, 0.0, 0.0], [0.0, f32::MAX, 0.0]]),
        ("far", [[1e12, 0.0, 0.0], [1e12, 1.0, 0.0], [1e12, 0.0, 1.0]]),
        ("tiny", [[0.0; 3], [1e-12, 0.0, 0.0], [0.0, 1e-12, 0.0]]),
        ("smallest", [[0.0; 3], [f32::from_bits(1), 0.0, 0.0], [0.0, f32::from_bits(1), 0.0]]),
        ("point", [[3.0; 3]; 3]),
    ] {
        let (code, text) = render(&dir, &format!("{name}.fmdl"), &triangle(corners), "64x48");
        assert_eq!((code, text.as_str()), (0, ""), "{name}");
    }
}

/// Whether anything but the background is in the image that was made last.
fn something(dir: &Path) -> bool {
    let image =
        galatea::texture::decode(&std::fs::read(dir.join("out.png")).unwrap(), &[], &Default::default());
    image.unwrap().pixels().any(|p| p != [46, 50, 56, 255])
}

#[test]
fn enormous_and_tiny_models_fill_the_image() {
    let dir = scratch("render_scale");
    for scale in [1e12, 1.0, 1e-12] {
        let corners =
            [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|c: [f32; 3]| c.map(|v| v * scale));
        assert_eq!(render(&dir, "t.fmdl", &triangle(corners), "64x64").0, 0);
        assert!(something(&dir), "{scale}");
    }
}

#[test]
fn models_without_meshes_give_an_image() {
    let dir = scratch("render_bare");
    let pair = Model::new("bare").write().unwrap();
    std::fs::write(dir.join("bare.mdx"), &pair.mdx).unwrap();
    for (name, bytes) in [
        ("bare.mdl", pair.mdl),
        ("bare.fmdl", Fmdl::new(Fmdl::GZ).write().unwrap()),
        ("bare.glb", galatea::gltf::write_glb(&Scene::new("bare"), &Default::default()).unwrap()),
    ] {
        let (code, text) = render(&dir, name, &bytes, "32x32");
        assert_eq!((code, text.as_str()), (0, ""), "{name}");
    }
}

#[test]
fn damaged_and_empty_files_give_one_line() {
    let dir = scratch("render_damaged");
    let whole = triangle([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let mut wild = whole.clone();
    wild[40..64].fill(0xFF);
    for (name, bytes) in [
        ("empty.fmdl", &[][..]),
        ("cut.fmdl", &whole[..whole.len() / 2]),
        ("wild.fmdl", &wild),
        ("text.mdl", b"nothing that anybody knows"),
        ("cut.glb", b"glTF\x02\0\0\0"),
    ] {
        let (code, text) = render(&dir, name, bytes, "32x32");
        assert_eq!(code, 4, "{name}: {text}");
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn sizes_are_from_1_to_4096() {
    let dir = scratch("render_sizes");
    let glb = galatea::gltf::write_glb(&example(), &Default::default()).unwrap();
    assert!(Pose::rest(&example()).bounds(&example()).is_some());
    for size in ["1x1", "1x400", "4096x1"] {
        assert_eq!(render(&dir, "arm.glb", &glb, size).0, 0, "{size}");
    }
    for size in ["0", "0x9", "100000", "9x100000", "4097", "-1", "many", "99999999999999999999"] {
        let done =
            galatea(&["render", &dir.join("arm.glb").to_string_lossy(), "-o", "x.png", "--size", size]);
        assert_eq!(done.status.code(), Some(2), "{size}");
        let text = String::from_utf8(done.stderr).unwrap();
        assert!(text.lines().next().is_some_and(|l| l.starts_with("error: ")), "{size}: {text}");
    }
}
