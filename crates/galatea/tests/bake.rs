//! Effects baked into glTF: seen by other programs, and never read back as geometry.
#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use galatea::mdlx::{Model, ParticleEmitter, Text};
use galatea::texture::find::Game;
use galatea::textures::{Library, Textures};
use galatea::{ConvertOptions, Document, FormatId, Input, Limits, SceneContext, convert};

fn beacon() -> Box<dyn Document> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/beacon.mdx");
    open(&std::fs::read(path).unwrap())
}

fn open(bytes: &[u8]) -> Box<dyn Document> {
    galatea::open(&Input::new(bytes), &Limits::default()).unwrap()
}

fn glb(document: &dyn Document, bake: bool) -> Vec<u8> {
    let options = ConvertOptions::default().with_bake_effects(bake);
    convert(document, FormatId::Glb, &options, &SceneContext::new("beacon")).unwrap().output.bytes
}

fn json(glb: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn count(json: &serde_json::Value, key: &str) -> usize {
    json[key].as_array().map_or(0, Vec::len)
}

#[test]
fn baked_effects_are_meshes_that_are_shown_in_turn() {
    let document = beacon();
    let (plain, baked) = (json(&glb(document.as_ref(), false)), json(&glb(document.as_ref(), true)));
    let frames = count(&baked, "meshes") - count(&plain, "meshes");
    // Clips of 2, 1 and 1 seconds; the one that plays once begins with nothing.
    assert_eq!(frames, (2 + 1 + 1) * 12 - 1);
    assert_eq!(count(&baked, "nodes") - count(&plain, "nodes"), frames);
    let shown =
        baked["nodes"].as_array().unwrap().iter().filter(|n| n["extras"]["galatea"]["baked_effect"] == true);
    let scales: Vec<_> = shown.map(|n| n["scale"].clone()).collect();
    assert_eq!(scales.len(), frames);
    assert!(
        scales.iter().all(|s| *s == serde_json::json!([0.0, 0.0, 0.0]) || *s == serde_json::json!([0, 0, 0]))
    );
}

#[test]
fn baked_effects_are_left_out_when_they_are_read() {
    let document = beacon();
    let back = |bake: bool| {
        let glb = glb(document.as_ref(), bake);
        let read = open(&glb);
        let mdx =
            convert(read.as_ref(), FormatId::Mdx, &ConvertOptions::default(), &SceneContext::new("beacon"));
        mdx.unwrap().output.bytes
    };
    assert_eq!(back(true), back(false));
    assert_eq!(back(true), document.write().unwrap().bytes);
}

#[test]
fn baked_effects_survive_an_editor_that_sorts_its_lists() {
    let baked = glb(beacon().as_ref(), true);
    let mut root = json(&baked);
    // The last material becomes the first one.
    let materials = root["materials"].as_array_mut().unwrap();
    let count = materials.len();
    let last = materials.pop().unwrap();
    materials.insert(0, last);
    for mesh in root["meshes"].as_array_mut().unwrap() {
        for primitive in mesh["primitives"].as_array_mut().unwrap() {
            if let Some(old) = primitive["material"].as_u64() {
                primitive["material"] = ((old + 1) % count as u64).into();
            }
        }
    }
    let mut text = serde_json::to_vec(&root).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let old = u32::from_le_bytes(baked[12..16].try_into().unwrap()) as usize;
    let mut bytes = baked[..12].to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(&text);
    bytes.extend(&baked[20 + old..]);
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    let scene = open(&bytes).to_scene(&SceneContext::new("beacon")).unwrap();
    let plain = open(&glb(beacon().as_ref(), false)).to_scene(&SceneContext::new("beacon")).unwrap();
    let names = |scene: &galatea::scene::Scene| -> Vec<String> {
        scene.materials.iter().map(|m| m.name.clone()).collect()
    };
    assert_eq!(names(&scene), names(&plain));
    assert_eq!((scene.meshes.len(), scene.nodes.len()), (plain.meshes.len(), plain.nodes.len()));
}

fn example(name: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

/// The statue, which throws statues.
fn thrower() -> Model {
    let mut model = Model::read(&example("statue_800.mdx"), &Limits::default()).unwrap();
    model.particle_emitters.push(ParticleEmitter {
        path: Text::new(br"SharedModels\Missile.mdl").unwrap(),
        emission_rate: 4.0,
        life_span: 1.0,
        speed: 100.0,
        ..ParticleEmitter::default()
    });
    model
}

#[test]
fn thrown_models_are_baked_where_they_fly() {
    let (model, still) = (thrower(), example("statue_800.mdx"));
    let baked = |files: Vec<(String, Vec<u8>)>| {
        let textures = Textures::in_library(Game::Warcraft, Library::from_files(files));
        let context = SceneContext::new("thrower").with_textures(Some(&textures));
        let options = ConvertOptions::default().with_bake_effects(true);
        convert(&model, FormatId::Glb, &options, &context).unwrap()
    };
    let with = baked(vec![("SharedModels/Missile.mdx".to_owned(), still)]);
    let without = baked(Vec::new());
    let vertices = |glb: &[u8]| -> u64 {
        let (json, mut sum) = (json(glb), 0);
        for mesh in json["meshes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|m| m["extras"]["galatea"]["baked_effect"] == true)
        {
            for primitive in mesh["primitives"].as_array().unwrap() {
                let at = primitive["attributes"]["POSITION"].as_u64().unwrap() as usize;
                sum += json["accessors"][at]["count"].as_u64().unwrap();
            }
        }
        sum
    };
    let of_one: usize = model.geosets.iter().map(|geoset| geoset.vertices.len()).sum();
    let (there, not) = (vertices(&with.output.bytes), vertices(&without.output.bytes));
    assert_eq!(not, 0, "what is not found is not baked");
    assert!(there > 20 * of_one as u64 && there.is_multiple_of(of_one as u64), "{there} of {of_one}");
    let lost =
        |losses: &[galatea::wire::Loss]| losses.iter().any(|loss| format!("{loss:?}").contains("not found"));
    assert!(lost(&without.losses) && !lost(&with.losses), "{:?}", without.losses);
    // Reading leaves them out.
    for made in [&with, &without] {
        let read = open(&made.output.bytes);
        let back =
            convert(read.as_ref(), FormatId::Mdx, &ConvertOptions::default(), &SceneContext::new("thrower"));
        assert_eq!(back.unwrap().output.bytes, model.write().unwrap());
    }
}
