//! Names in files are data: whatever models call their textures and nodes, and wherever a glTF says its files are, nothing is
//! written or read outside of the folders that were given. And folders that cannot be written to: an error, no half file.
#![cfg(test)]

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use support::{galatea, scratch};

use galatea::scene::{Material, Mesh, Node, Primitive, Scene, Slot, Texture, Vertices};
use galatea::texture::{Image, encode};
use galatea::{disk, kotor, mdlx};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// All files below a folder, as they are called from there.
fn files(root: &Path) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    let mut todo = vec![root.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                out.insert(path.strip_prefix(root).unwrap().to_path_buf());
            }
        }
    }
    out
}

fn names() -> Vec<String> {
    let long = "x".repeat(300);
    let names = [
        "../secret",
        "../../secret",
        "..\\secret",
        "/etc/passwd",
        "C:\\x",
        "C:/x",
        "con",
        "nul",
        "two\nlines",
        "a/b/c",
        ".",
        "..",
        "x.",
        " ",
        "~/x",
        "%2e%2e/secret",
        &long,
    ];
    names.map(str::to_owned).to_vec()
}

/// A square for each name: its node, its material and its texture have it.
fn squares() -> Scene {
    let mut scene = Scene::new("../../model");
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let uvs = vec![vec![[0.0; 2]; 3]];
    scene.vertices.push(Vertices { positions, uvs, ..Vertices::default() });
    for (i, name) in names().iter().enumerate() {
        let i = i as u32;
        let texture = Texture { slot: Slot::Base, name: name.clone(), ..Texture::default() };
        scene.materials.push(Material { name: name.clone(), textures: vec![texture], ..Material::default() });
        let primitive = Primitive { indices: vec![0, 1, 2], material: Some(i), ..Primitive::default() };
        scene.meshes.push(Mesh { name: name.clone(), primitives: vec![primitive], ..Mesh::default() });
        scene.add_node(None, Node { mesh: Some(i), ..Node::new(name) });
    }
    scene
}

/// Models of squares, with the textures' names as the format has them, and images where some of these names lead.
fn fill(dir: &Path) {
    let inner = dir.join("deep/in");
    std::fs::create_dir_all(&inner).unwrap();
    let scene = squares();
    let (mut model, _) = kotor::mdl::Model::from_scene(&scene, &Default::default()).unwrap();
    let meshes = model.nodes.iter_mut().filter_map(|n| n.mesh.as_mut());
    for (mesh, name) in meshes.zip(names()) {
        let bytes = name.as_bytes();
        mesh.texture = galatea::wire::Text::new(&bytes[..bytes.len().min(32)]).unwrap();
    }
    let pair = model.write().unwrap();
    std::fs::write(inner.join("kotor.mdl"), pair.mdl).unwrap();
    std::fs::write(inner.join("kotor.mdx"), pair.mdx).unwrap();
    let (model, _) = mdlx::Model::from_scene(&scene, &Default::default()).unwrap();
    std::fs::write(inner.join("warcraft.mdx"), model.write().unwrap()).unwrap();
    let glb = galatea::gltf::write_glb(&scene, &galatea::gltf::Options::default()).unwrap();
    std::fs::write(inner.join("scene.glb"), glb).unwrap();
    let image = |colour| encode::tga(&Image::filled(2, 2, colour)).unwrap();
    for secret in ["secret.tga", "deep/secret.tga"] {
        std::fs::write(dir.join(secret), image([255, 0, 0, 255])).unwrap();
    }
    let allowed = if cfg!(windows) {
        vec!["x.tga", "c.tga"]
    } else {
        vec!["x.tga", "c.tga", "con.tga", "C:\\x.tga", "two\nlines.tga"]
    };
    for name in allowed {
        std::fs::write(inner.join(name), image([0, 255, 0, 255])).unwrap();
    }
}

#[test]
fn names_of_textures_and_nodes_lead_nowhere() {
    let dir = scratch("hostile_names");
    fill(&dir);
    let before = files(&dir);
    let mut images = 0;
    for to in ["gltf", "glb", "obj", "kotor-mdl", "mdx", "fmdl", "kotor-mdl-ascii", "mdl"] {
        let out = dir.join("deep/out").join(to);
        let input = dir.join("deep/in");
        std::fs::create_dir_all(&input).unwrap();
        let mut args = vec!["convert", text(&input), "--to", to, "-o", text(&out)];
        if to.starts_with("gl") {
            args.extend(["--images", "beside"]);
        }
        let output = galatea(&args);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{to}: {output:?}");
    }
    let red = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        let image = galatea::texture::decode(&bytes, &[], &Default::default()).unwrap();
        image.pixel(0, 0) == Some([255, 0, 0, 255])
    };
    for path in files(&dir).difference(&before) {
        // Each lies right below the folder of its form, under a name that is one on every system.
        let inside = path.strip_prefix("deep/out").unwrap_or_else(|_| panic!("{path:?} is outside"));
        let name = inside.file_name().unwrap().to_str().unwrap();
        assert_eq!(inside.components().count(), 2, "{path:?}");
        assert!(disk::inside(&dir, name).is_some(), "{path:?}");
        if name.ends_with(".png") {
            images += 1;
            assert!(!red(&dir.join(path)), "{path:?} was read from outside");
        }
    }
    assert!(files(&dir).is_superset(&before));
    assert!(images > 0, "no image was found at all");
}

#[test]
fn uris_of_a_gltf_lead_nowhere() {
    let dir = scratch("hostile_uris");
    let inner = dir.join("deep/in");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(dir.join("deep/secret.bin"), [0u8; 36]).unwrap();
    std::fs::write(inner.join("good.bin"), [0u8; 36]).unwrap();
    let absolute = dir.join("deep/secret.bin");
    let uris = [
        "../secret.bin",
        "..%2fsecret.bin",
        "%2e%2e/secret.bin",
        "%2e%2e%2fsecret.bin",
        "a/../../secret.bin",
        "..\\\\secret.bin",
        "%2e%2e%5csecret.bin",
        "C:/secret.bin",
        "C:\\\\secret.bin",
        "file:///etc/passwd",
        "http://localhost/secret.bin",
        "//server/secret.bin",
        "\\\\\\\\server\\\\secret.bin",
        text(&absolute),
        "con",
        "good.bin%00",
        "",
    ];
    let document = |uri: &str, image: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"material":0}}]}}],
            "materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}],
            "textures":[{{"source":0}}],"images":[{{"uri":"{image}"}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"byteLength":36,"uri":"{uri}"}}]}}"#
        )
    };
    let path = inner.join("model.gltf");
    let out = dir.join("deep/out");
    let run = || galatea(&["convert", text(&path), "--to", "mdx", "-o", text(&out), "--force"]);
    std::fs::write(&path, document("good.bin", "good.png")).unwrap();
    assert_eq!(run().status.code(), Some(0));
    let before = files(&dir);
    for uri in uris {
        std::fs::write(&path, document(uri, "good.png")).unwrap();
        let output = run();
        assert_eq!(output.status.code(), Some(4), "{uri}: {output:?}");
        // An image that is not there, or must not be, is no reason to fail; and it is not read.
        std::fs::write(&path, document("good.bin", uri)).unwrap();
        let output = run();
        assert_eq!(output.status.code(), Some(0), "{uri}: {output:?}");
        let rendered = galatea(&["render", text(&path), "-o", text(&out.join("image.png"))]);
        assert!(rendered.status.code().is_some(), "{rendered:?}");
        let _ = std::fs::remove_file(out.join("image.png"));
        assert_eq!(files(&dir), before, "{uri}");
    }
}

#[test]
fn folders_that_cannot_be_written_to_give_an_error_and_no_file() {
    let dir = scratch("unwritable");
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/room.wok");
    // A file where the folder should be: the same for everyone, root included.
    let blocked = dir.join("blocked");
    std::fs::write(&blocked, "a file").unwrap();
    let inside = blocked.join("deeper");
    for out in [&blocked, &inside] {
        let output = galatea(&["convert", text(&room), "--to", "glb", "-o", text(out)]);
        assert!(matches!(output.status.code(), Some(2..=4)), "{output:?}");
        assert!(!output.stderr.is_empty(), "{output:?}");
        let single = galatea(&["convert", text(&room), text(&out.join("room.glb"))]);
        assert!(matches!(single.status.code(), Some(2..=4)), "{single:?}");
    }
    assert_eq!(std::fs::read(&blocked).unwrap(), b"a file");
    let folder = dir.join("locked");
    std::fs::create_dir_all(&folder).unwrap();
    let mut rights = std::fs::metadata(&folder).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(&folder, rights.clone()).unwrap();
    let allowed = std::fs::write(folder.join("probe"), "").is_ok();
    if allowed {
        eprintln!("skipped: a locked folder does not stop this user");
    } else {
        let output = galatea(&["convert", text(&room), "--to", "glb", "-o", text(&folder)]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert!(files(&folder).is_empty());
    }
    #[allow(clippy::permissions_set_readonly_false, reason = "so that the next run can clear the folder")]
    rights.set_readonly(false);
    std::fs::set_permissions(&folder, rights).unwrap();
}
