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

#[test]
fn what_show_asks_for_in_vain_is_said() {
    let dir = scratch("render_show");
    let statue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/statue.mdl");
    let (statue, out) = (statue.to_string_lossy(), dir.join("out.png"));
    let show = |what: &str| {
        let arguments =
            ["render", &statue, "-o", &out.to_string_lossy(), "--size", "32", "--force", "--show", what];
        let done = galatea(&arguments);
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let (code, said) = show("weights:nobody");
    assert!(code == Some(4) && said.contains("there is no bone `nobody`; the model has "), "{code:?} {said}");
    assert_eq!(show("weights:HEAD"), (Some(0), String::new()));
    let (code, said) = show("masks,lod:3");
    assert!(
        code == Some(0) && said.contains("no vertex colors") && said.contains("there is no level 3"),
        "{said}"
    );
    assert_eq!(show("normals,uv,lod:0,walk,bounds,skeleton,wire"), (Some(0), String::new()));
}

/// A Warcraft III model that only its Portrait clip moves before its camera.
fn portrait() -> Vec<u8> {
    use galatea::mdlx::*;
    let mut model = Model::new(Version(800));
    let sequence = |name: &[u8], start, end| Sequence {
        name: Text::new(name).unwrap(),
        start,
        end,
        ..Sequence::default()
    };
    model.sequences = vec![sequence(b"Stand", 0, 1000), sequence(b"Portrait - 1", 2000, 3000)];
    let keys = [(0, [0.0; 3]), (1000, [0.0; 3]), (2000, [0.0, 0.0, 500.0]), (3000, [0.0, 0.0, 500.0])];
    let moved = Track::new(b"KGTR", Interpolation::Linear, Keys::Vector(Curve::new(keys)));
    model
        .bones
        .push(Bone { node: Node { tracks: vec![moved].into(), ..Node::default() }, ..Bone::default() });
    model.pivots.push([0.0; 3]);
    model.textures.push(Texture::default());
    model.materials.push(Material { layers: vec![Layer::default()], ..Material::default() });
    model.geosets.push(Geoset {
        vertices: vec![[0.0, -10.0, -10.0], [0.0, 10.0, -10.0], [0.0, 0.0, 10.0]],
        normals: vec![[1.0, 0.0, 0.0]; 3],
        uvs: vec![vec![[0.0; 2]; 3]],
        face_types: vec![4],
        face_counts: vec![3],
        faces: vec![0, 1, 2],
        vertex_groups: vec![0; 3],
        group_sizes: vec![1],
        matrices: vec![0],
        ..Geoset::default()
    });
    model.cameras.push(Camera {
        position: [60.0, 0.0, 500.0],
        target: [0.0, 0.0, 500.0],
        field_of_view: 0.5,
        ..Camera::default()
    });
    model.write().unwrap()
}

#[test]
fn portraits_play_the_clip_that_is_made_for_their_camera() {
    let dir = scratch("render_portrait");
    let (model, out) = (dir.join("hero_portrait.mdx"), dir.join("out.png"));
    std::fs::write(&model, portrait()).unwrap();
    let render = |more: &[&str]| {
        let (model, image) = (model.to_string_lossy(), out.to_string_lossy());
        let mut arguments =
            vec!["render", &model, "-o", &image, "--size", "32", "--background", "transparent", "--force"];
        arguments.extend(more);
        let done = galatea(&arguments);
        assert!(done.status.success());
        let image =
            galatea::texture::decode(&std::fs::read(&out).unwrap(), &[], &Default::default()).unwrap();
        let covered = image.pixels().filter(|[.., a]| *a > 128).count();
        (covered, String::from_utf8(done.stderr).unwrap())
    };
    let (covered, said) = render(&[]);
    assert!(covered > 32 * 32 / 8 && said.is_empty(), "{covered} {said}");
    let (covered, said) = render(&["--clip", "Stand"]);
    assert!(covered == 0 && said.contains("the camera shows little of the model"), "{covered} {said}");
}
