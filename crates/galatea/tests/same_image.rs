//! A model, its GLB and its text form look the same.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use std::path::{Path, PathBuf};

use galatea::disk::{self, Job, Loaded};
use galatea::preview::{self, Options};
use galatea::scene::Scene;
use galatea::texture::find::Game;
use galatea::texture::{Image, encode};
use galatea::textures::{ResolvedMaterials, Textures, resolve_gltf_materials, resolve_materials};
use galatea::wire::{Text, Wire};
use galatea::{ConvertOptions, Document, FormatId, Limits, SceneContext, fox, mdlx};
use galatea_robustness::{Listing, listed};

/// Pixels of a side.
const SIDE: u32 = 160;

fn draw(scene: &Scene, resolved: Option<&ResolvedMaterials>, clip: Option<&str>) -> preview::Image {
    let length = clip.and_then(|c| scene.find_clip(c)).map_or(0.0, |c| c.length);
    let clip = clip.map(str::to_owned);
    let look = Options::default().with_size(SIDE, SIDE).with_clip(clip).with_time(length * 0.37);
    let shown = resolved.map_or_else(|| scene.clone(), |d| d.scene(scene));
    preview::render(&shown, &look, &|name| resolved?.texture(name)).unwrap()
}

/// Pixels in which any channel is off by more than rounding.
fn different(a: &preview::Image, b: &preview::Image, rounding: u8) -> usize {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let off = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > rounding);
    a.pixels.chunks_exact(4).zip(b.pixels.chunks_exact(4)).filter(off).count()
}

fn open(loaded: &Loaded) -> Box<dyn Document> {
    galatea::open(&loaded.input(), &Limits::default()).unwrap()
}

/// Models whose textures are added, multiplied or laid over each other. A GLB has images to mix instead, whose pixels
/// between pixels are others.
const MIXED: [&str; 4] = ["DarkBomb.mdx", "ShadowTornado.mdx", "Supernova.mdx", "unit.mdx"];

/// Models that mirror their surroundings, as KotOR's materials do: a GLB has metal instead.
const MIRRORS: [&str; 1] = ["L_Alien02.mdl"];

/// Draws models and the forms they have, at rest and in the middle of a clip. Returns how many they were.
fn same(models: impl Iterator<Item = PathBuf>, text: Option<FormatId>) -> usize {
    let names = fox::Dictionary::built_in();
    let (mut count, mut wrong) = (0, Vec::new());
    for path in models {
        let path = path.as_path();
        let document = open(&disk::load(&Job::new(path.to_path_buf())).unwrap());
        let context = SceneContext::new("model").with_names(&names);
        let scene = document.to_scene(&context).unwrap();
        let textures = document.format().game.map(|g| Textures::new(g, path.parent(), None));
        let context = context.with_textures(textures.as_ref());
        let resolved = textures.as_ref().map(|t| resolve_materials(&scene, t, 0));
        let glb =
            galatea::convert(document.as_ref(), FormatId::Glb, &ConvertOptions::default(), &context).unwrap();
        let glb = Loaded { bytes: glb.output.bytes, ..Loaded::default() };
        let glb = open(&glb);
        let glb_resolved = resolve_gltf_materials(glb.as_ref(), &|_| None, &Limits::default()).unwrap();
        let glb_scene = glb.to_scene(&context).unwrap();
        let text = text.filter(|t| *t != document.format().id).map(|to| {
            let text = galatea::convert(document.as_ref(), to, &ConvertOptions::default(), &context).unwrap();
            let text = Loaded { bytes: text.output.bytes, ..Loaded::default() };
            let text = open(&text);
            let scene = text.to_scene(&context).unwrap();
            let resolved = textures.as_ref().map(|t| resolve_materials(&scene, t, 0));
            (scene, resolved)
        });
        let clip = scene.clips.iter().max_by(|a, b| a.length.total_cmp(&b.length)).map(|c| c.name.clone());
        for clip in [None, clip.as_deref()].into_iter().take(1 + usize::from(clip.is_some())) {
            let own = draw(&scene, resolved.as_ref(), clip);
            let mut compare = |form: &str, other: &preview::Image| {
                let name = show(path);
                let mixed = form == "GLB" && [MIXED.as_slice(), &MIRRORS].concat().contains(&name.as_str());
                let (share, rounding) = if mixed { (10, 40) } else { (1000, 2) };
                let off = different(&own, other, rounding);
                if off > (SIDE * SIDE) as usize / share {
                    wrong.push(format!("{}, {form}, clip {clip:?}: {off} pixels", show(path)));
                }
            };
            compare("GLB", &draw(&glb_scene, Some(&glb_resolved), clip));
            if let Some((scene, resolved)) = &text {
                compare("text", &draw(scene, resolved.as_ref(), clip));
            }
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "of {count} models differ:\n{}", wrong.join("\n"));
    count
}

fn show(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Holds a listing to looking the same.
fn all_same(models: Listing, text: Option<FormatId>) {
    let listed = models.len();
    assert_eq!(same(models.bytes().map(|(path, _)| path), text), listed);
}

#[test]
#[ignore = "needs the corpus"]
fn kotor_models_look_the_same_in_every_form() {
    let models = listed(&["kotor", "sets/kotor"], &[".mdl"]).without(&["paz_holo_1bad.mdl"]);
    all_same(models.every(3), Some(FormatId::KotorMdlAscii));
}

#[test]
#[ignore = "needs the corpus"]
fn warcraft_models_look_the_same_in_every_form() {
    let models =
        listed(&["mdx", "sets/wc3", "sets/reforged"], &[".mdx"]).without(&["bpos_count_overflow_v900."]);
    all_same(models.every(9), Some(FormatId::Mdl));
}

#[test]
#[ignore = "needs the corpus"]
fn fox_models_look_the_same_in_every_form() {
    all_same(listed(&["fmdl", "sets/fox"], &[".fmdl"]).every(7), None);
}

#[test]
#[ignore = "needs the corpus"]
fn models_with_textures_look_the_same_in_every_form() {
    all_same(listed(&["sets"], &[".mdl", ".mdx", ".fmdl"]), None);
    all_same(listed(&["sets/wc3", "sets/reforged"], &[".mdx"]), Some(FormatId::Mdl));
}

/// The team's colour under a skin that lets it through, as every unit has it: layers that a GLB has in one image.
#[test]
fn a_unit_in_its_team_s_colour_looks_the_same_in_every_form() {
    let statue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/statue_800.mdx");
    let mut model = mdlx::Model::read(&std::fs::read(statue).unwrap(), &Limits::default()).unwrap();
    let texture = |path: &[u8], replaceable_id| mdlx::Texture {
        path: Text::new(path).unwrap(),
        replaceable_id,
        ..mdlx::Texture::ZERO
    };
    model.textures = vec![texture(b"", 1), texture(b"Units\\skin.blp", 0)];
    let layer = |texture_id, filter_mode| mdlx::Layer { texture_id, filter_mode, ..mdlx::Layer::default() };
    for material in &mut model.materials {
        material.layers = vec![layer(0, 0), layer(1, 2)];
    }
    let dir = std::env::temp_dir().join(format!("galatea-unit-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let alpha = |i: u32| if i.is_multiple_of(3) { 0 } else { 255 };
    let rgba = (0..32 * 32).flat_map(|i| [90, 120, (i / 4) as u8, alpha(i / 8)]).collect();
    let skin = encode::png(&Image::new(32, 32, rgba).unwrap()).unwrap();
    std::fs::write(dir.join("skin.png"), skin).unwrap();
    let path = dir.join("unit.mdx");
    std::fs::write(&path, model.write().unwrap()).unwrap();
    let loaded = disk::load(&Job::new(path.clone())).unwrap();
    let names = fox::Dictionary::built_in();
    let scene = open(&loaded).to_scene(&SceneContext::new("model").with_names(&names)).unwrap();
    let textures = Textures::new(Game::Warcraft, path.parent(), None);
    let red =
        |p: &preview::Image| p.pixels.chunks_exact(4).filter(|p| p[0] > 60 && p[1] < 20 && p[2] < 20).count();
    assert!(red(&draw(&scene, Some(&resolve_materials(&scene, &textures, 0)), None)) > 100);
    assert!(red(&draw(&scene, Some(&resolve_materials(&scene, &textures, 1)), None)) == 0);
    assert_eq!(same([path].into_iter(), Some(FormatId::Mdl)), 1);
    std::fs::remove_dir_all(dir).unwrap();
}
