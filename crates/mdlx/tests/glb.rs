//! Through a GLB and back: nothing is lost, and edits arrive. With `GALATEA_GLB_OUT` the corpus is written there as GLB.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

use std::path::{Path, PathBuf};

use galatea_gltf::{Options, read, write_glb};
use galatea_mdlx::{Bone, Curve, Interpolation, Keys, Limits, Model, Sequence, Track, Version, text};
use galatea_scene::Scene;
use galatea_trial::{corpus, files};

fn through(scene: &Scene) -> Scene {
    let glb = write_glb(scene, &Options::default()).unwrap();
    let loaded = read(&glb, &Limits::default(), &mut |_| None).unwrap();
    assert!(loaded.losses.is_empty(), "{:?}", loaded.losses);
    loaded.scene
}

/// Keeps the GLB for the validator, if that is wanted.
fn keep(scene: &Scene, root: &Path, path: &Path) {
    let Some(out) = std::env::var_os("GALATEA_GLB_OUT").map(PathBuf::from) else { return };
    let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace(['/', '\\'], "__");
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(out.join(format!("{name}.glb")), write_glb(scene, &Options::default()).unwrap()).unwrap();
}

/// Every model of the corpus that reads.
fn models(dir: &str) -> Vec<(PathBuf, PathBuf, Model)> {
    let Some(root) = corpus(dir) else { return Vec::new() };
    let mut out = Vec::new();
    for path in files(&root, &[".mdx", ".mdl"]) {
        let bytes = std::fs::read(&path).unwrap();
        let model = if galatea_mdlx::detect(&bytes) {
            Model::read(&bytes, &Limits::default())
        } else if text::detect(&bytes) {
            text::parse(&bytes, &Limits::default())
        } else {
            continue;
        };
        out.extend(model.ok().map(|m| (root.clone(), path, m)));
    }
    out
}

fn compare(dir: &str) -> usize {
    let (mut count, mut bad) = (0, 0);
    for (root, path, model) in models(dir) {
        let scene = model.to_scene("model");
        keep(&scene, &root, &path);
        let (back, losses) = Model::from_scene(&through(&scene), None).unwrap();
        let differences = model.differences(&back);
        if !(differences.is_empty() && losses.is_empty()) {
            bad += 1;
            let shown: Vec<_> = differences.iter().take(4).collect();
            println!("{}: {} {shown:#?} {losses:?}", path.display(), differences.len());
        }
        count += 1;
    }
    assert_eq!(bad, 0, "of {count}");
    count
}

#[test]
fn models_of_version_800_come_back_equal() {
    let count = compare("mdx/v800");
    assert!(count == 0 || count >= 440, "{count}");
}

#[test]
fn models_of_later_versions_come_back_equal() {
    let count: usize = ["mdx/v900", "mdx/v1000", "mdx/v1100", "mdx/v1300"].into_iter().map(compare).sum();
    assert!(count == 0 || count >= 84, "{count}");
}

#[test]
fn texts_and_other_sets_come_back_equal() {
    let count: usize = ["mdx/text", "sets/wc3", "sets/reforged"].into_iter().map(compare).sum();
    assert!(count == 0 || count >= 80, "{count}");
}

/// Sequences that all play the same keys would multiply them. They get them only up to a limit, and nothing is lost.
#[test]
fn overlapping_sequences_cannot_be_made_into_a_bomb() {
    let mut model = Model::new(Version(800));
    let keys = (0..4000).map(|i| (i * 10, [i as f32, 0.0, 0.5]));
    let mut bone = Bone::default();
    let keys = Keys::Vector(Curve::new(keys));
    bone.node.tracks.push(Track::new(*b"KGTR", Interpolation::Linear, keys));
    model.bones.push(bone);
    model.pivots.push([0.0; 3]);
    // The last key of each is its own.
    let sequence = |i: u32| Sequence { start: 0, end: 20_000 + i * 10, ..Sequence::default() };
    model.sequences = (0..2000).map(sequence).collect();
    let scene = model.to_scene("bomb");
    let said: usize = scene.clips.iter().flat_map(|c| &c.channels).map(|c| c.times.len()).sum();
    assert!((500_000..600_000).contains(&said), "{said}");
    let (back, losses) = Model::from_scene(&scene, None).unwrap();
    assert_eq!((model.differences(&back), losses), (vec![], vec![]));
}
