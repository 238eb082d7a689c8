//! Images of the examples and of a small scene in every format: the same bytes as those kept beside this test, in every
//! build, at any number of threads. With `GALATEA_BLESS` set, they are written anew; look at them before you keep them.
#![cfg(test)]

use std::path::{Path, PathBuf};

use galatea::disk::{self, Job};
use galatea::preview::{self, Options};
use galatea::scene::Scene;
use galatea::{ConvertOptions, FormatId, SceneContext, fox, textures};

/// A scene to be drawn, with the textures that are beside its file.
struct Subject {
    name: String,
    scene: Scene,
    resolved: Option<textures::ResolvedMaterials>,
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn example(file: &str) -> Subject {
    let loaded = disk::load(&Job::new(examples().join(file))).unwrap();
    let document = galatea::open(&loaded.input(), &Default::default()).unwrap();
    let names = fox::Dictionary::built_in();
    let scene = document.to_scene(&SceneContext::new("statue").with_names(&names)).unwrap();
    let game = document.format().game;
    let resolved = game
        .map(|game| {
            textures::resolve_materials(&scene, &textures::Textures::new(game, Some(&examples()), None), 0)
        })
        .or_else(|| textures::resolve_gltf_materials(document.as_ref(), &|_| None, &Default::default()));
    let scene = resolved.as_ref().map_or_else(|| scene.clone(), |d| d.scene(&scene));
    Subject { name: file.replace('.', "_"), scene, resolved }
}

/// The little scene of the tests as a document of a format, and back to a scene.
fn fixture(format: FormatId, options: ConvertOptions, label: &str) -> Subject {
    let build = format.format().from_scene.unwrap();
    let (document, _) = build(&galatea::scene::example(), &options).unwrap();
    let names = fox::Dictionary::built_in();
    let scene = document.to_scene(&SceneContext::new("arm").with_names(&names)).unwrap();
    Subject { name: format!("arm_{label}"), scene, resolved: None }
}

fn subjects() -> Vec<Subject> {
    let files = [
        "room.wok",
        "statue.mdl",
        "statue.mdl.ascii",
        "statue_800.mdx",
        "statue_800.mdl",
        "statue_1000.mdx",
        "statue.fmdl",
        "statue.glb",
    ];
    let mut out: Vec<Subject> = files.into_iter().map(example).collect();
    let plain = ConvertOptions::default();
    let version = |version| plain.with_version(version);
    out.push(fixture(FormatId::KotorMdl, plain, "kotor"));
    out.push(fixture(FormatId::Mdx, version(800), "mdx_800"));
    out.push(fixture(FormatId::Mdx, version(1200), "mdx_1200"));
    out.push(fixture(FormatId::Fmdl, plain, "fmdl"));
    out
}

fn draw(subject: &Subject, clip: Option<&str>) -> Vec<u8> {
    let look = Options::default()
        .with_size(96, 128)
        .with_clip(clip.map(str::to_owned))
        .with_time(0.1)
        .with_skeleton(clip.is_some());
    let texture = |name: &str| subject.resolved.as_ref()?.texture(name);
    preview::render(&subject.scene, &look, &texture).unwrap().png().unwrap()
}

/// What is drawn of each subject: rest, and its walk or first clip.
fn images(subjects: &[Subject]) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    for subject in subjects {
        out.push((subject.name.clone(), draw(subject, None)));
        let clips = &subject.scene.clips;
        let walk = clips.iter().find(|c| c.name.eq_ignore_ascii_case("walk")).or(clips.first());
        if let Some(clip) = walk {
            out.push((format!("{}_clip", subject.name), draw(subject, Some(&clip.name))));
        }
    }
    out
}

#[test]
fn images_are_those_that_were_looked_at() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/images");
    let subjects = subjects();
    let drawn = images(&subjects);
    if std::env::var_os("GALATEA_BLESS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, png) in &drawn {
            std::fs::write(folder.join(format!("{name}.png")), png).unwrap();
        }
    }
    for (name, png) in &drawn {
        let kept = std::fs::read(folder.join(format!("{name}.png"))).unwrap_or_default();
        assert!(
            kept == *png,
            "{name} is drawn otherwise than before: look at it, then run with GALATEA_BLESS=1"
        );
    }
    assert!(drawn.len() >= 18, "{}", drawn.len());
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let again = pool.install(|| images(&subjects));
        assert!(again == drawn, "{threads} threads");
    }
}
