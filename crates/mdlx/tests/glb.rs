//! Through a GLB and back: nothing is lost, and edits arrive. With `GALATEA_GLB_OUT` the corpus is written there as GLB.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

use std::path::{Path, PathBuf};

use galatea_gltf::{Options, read, write_glb};
use galatea_mdlx::{Limits, Model, text};
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
