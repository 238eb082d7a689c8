//! Edits of a glTF document's scene arrive in what is written, and nothing else changes.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

use std::borrow::Cow;

use galatea::gltf::{self, Appearance, ImageSource};
use galatea::scene::{Material, Scene, Slot, Texture};
use galatea::{Document, FormatId, Gltf, Input, Limits, Output, SceneContext, SiblingFiles};

const PNG: &[u8] = b"\x89PNG of this test";

/// A scene with two textured materials.
fn scene() -> Scene {
    let mut scene = galatea::scene::example();
    let material = |name: &str| Material {
        name: name.into(),
        textures: vec![Texture {
            slot: Slot::Base,
            name: name.into(),
            uv_set: 0,
            wrap: Default::default(),
            transform: None,
            extras: Default::default(),
        }],
        ..Material::default()
    };
    scene.materials = vec![material("stone"), material("wood")];
    for primitive in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.material = Some(1);
    }
    scene
}

fn options<T>(write: impl FnOnce(&gltf::Options<'_>) -> T) -> T {
    let image = |_: &str| Some(ImageSource::Embedded { mime: "image/png".into(), bytes: PNG.to_vec() });
    write(&gltf::Options::default().with_image(&image))
}

/// The files of an output.
#[derive(Debug)]
struct Folder<'a>(&'a Output);

impl SiblingFiles for Folder<'_> {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        self.0.siblings.iter().find(|(name, _)| name == path).map(|(_, bytes)| bytes.clone())
    }
}

fn open(output: &Output) -> Box<dyn Document> {
    let folder = Folder(output);
    let input = Input::new(&output.bytes).with_name("model.gltf").with_siblings(&folder);
    galatea::open(&input, &Limits::default()).unwrap()
}

fn gltf_of(document: &mut dyn Document) -> &mut Gltf {
    document.as_any_mut().downcast_mut().unwrap()
}

fn documents() -> [Box<dyn Document>; 2] {
    let scene = scene();
    let glb = options(|options| gltf::write_glb(&scene, options)).unwrap();
    let (json, bin) = options(|options| gltf::write_gltf(&scene, options, "old.bin"));
    let text = Output::single(json.into_bytes()).with_siblings([("old.bin".to_owned(), bin)]);
    [open(&Output::single(glb)), open(&text)]
}

#[test]
fn a_document_that_nobody_changed_is_written_as_it_was_read() {
    let glb = options(|options| gltf::write_glb(&scene(), options)).unwrap();
    let document = open(&Output::single(glb.clone()));
    assert_eq!(document.write().unwrap(), Output::single(glb));
}

#[test]
fn edits_of_nodes_and_materials_arrive() {
    for mut document in documents() {
        let format = document.format().id;
        let scene = gltf_of(document.as_mut()).scene_mut();
        scene.nodes[0].name = "renamed".into();
        scene.materials[1].base_color = [0.5, 0.25, 0.125, 1.0];
        let written = document.write().unwrap();
        let mut back = open(&written);
        assert_eq!(back.format().id, format);
        assert_eq!(document.differences(back.as_ref()), Some(Vec::new()), "{format}");
        let scene = gltf_of(back.as_mut()).scene();
        assert_eq!((&*scene.nodes[0].name, scene.materials[1].base_color[0]), ("renamed", 0.5));
    }
}

#[test]
fn images_and_the_looks_of_other_materials_stay_after_an_edit() {
    for mut document in documents() {
        let before: Vec<Appearance> = document.embedded_images().unwrap().appearances().to_vec();
        gltf_of(document.as_mut()).scene_mut().materials[1].unlit = true;
        let back = open(&document.write().unwrap());
        let embedded = back.embedded_images().unwrap();
        let bytes = |image: &gltf::Image| matches!(&image.source, ImageSource::Embedded { bytes, .. } if bytes == PNG);
        assert!(!embedded.images().is_empty() && embedded.images().iter().all(bytes));
        assert_eq!(embedded.appearances()[0], before[0]);
        assert!(embedded.appearances()[1].unlit && !before[1].unlit);
    }
}

#[test]
fn edits_arrive_in_conversions() {
    let [mut document, _] = documents();
    gltf_of(document.as_mut()).scene_mut().materials[1].base_color = [0.5, 0.25, 0.125, 1.0];
    let names = galatea::fox::Dictionary::new();
    let context = galatea::SceneContext::new("model").with_names(&names);
    let text = galatea::convert(document.as_ref(), FormatId::Gltf, &Default::default(), &context).unwrap();
    let back = open(&text.output);
    assert_eq!(back.embedded_images().unwrap().appearances()[1].base_color, [0.5, 0.25, 0.125, 1.0]);
}

/// A scene of another program, whose name is none of a model.
fn foreign(name: &str) -> Vec<u8> {
    let mut scene = Scene::new("Scene");
    scene.add_node(None, galatea::scene::Node::new(name));
    gltf::write_glb(&scene, &gltf::Options::default()).unwrap()
}

#[test]
fn scenes_are_converted_without_a_copy() {
    let is_borrowed = |document: &dyn Document, name: &str| {
        let scene = document.scene(&SceneContext::new(name)).unwrap();
        assert_eq!(*scene, document.to_scene(&SceneContext::new(name)).unwrap());
        (matches!(scene, Cow::Borrowed(_)), scene.name.clone())
    };
    for document in documents() {
        assert_eq!(is_borrowed(document.as_ref(), "other"), (true, "arm".to_owned()));
    }
    let bytes = foreign("box");
    let opened = galatea::open(&Input::new(&bytes).with_name("crate.glb"), &Limits::default()).unwrap();
    assert_eq!(is_borrowed(opened.as_ref(), "crate"), (true, "crate".to_owned()));
    assert_eq!(is_borrowed(opened.as_ref(), "other"), (false, "other".to_owned()));
}

#[test]
fn a_scene_of_another_program_keeps_its_name_in_the_document() {
    let bytes = foreign("box");
    let open = |name| galatea::open(&Input::new(&bytes).with_name(name), &Limits::default()).unwrap();
    let (mut first, second) = (open("first.glb"), open("second.glb"));
    assert_eq!(first.differences(second.as_ref()), Some(Vec::new()));
    assert_eq!(gltf_of(first.as_mut()).scene().name, "first");
    assert_eq!(gltf_of(first.as_mut()).scene_mut().name, "Scene");
    assert_eq!(first.differences(second.as_ref()), Some(Vec::new()));
    let written = first.write().unwrap();
    assert!(written.bytes.windows(14).any(|w| w == br#""name":"Scene""#));
}
