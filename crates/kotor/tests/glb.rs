//! Through a GLB and back: nothing is lost, and edits arrive. With `GALATEA_GLB_OUT` the corpus is written there as GLB.
#![cfg(test)]

use std::path::{Path, PathBuf};

use galatea_gltf::{Options, read, write_glb};
use galatea_kotor::bwm::Walkmesh;
use galatea_kotor::mdl::Model;
use galatea_scene::Scene;
use galatea_trial::{corpus, files};
use galatea_wire::Limits;

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

#[test]
fn walkmeshes_of_the_corpus_come_back_equal() {
    let dirs: Vec<PathBuf> = ["kotor", "sets/kotor"].into_iter().filter_map(corpus).collect();
    let mut count = 0;
    for (dir, path) in
        dirs.iter().flat_map(|d| files(d, &[".wok", ".pwk", ".dwk"]).into_iter().map(move |f| (d, f)))
    {
        let Ok(walkmesh) = Walkmesh::read(&std::fs::read(&path).unwrap(), &Limits::default()) else {
            continue;
        };
        let scene = walkmesh.to_scene();
        keep(&scene, dir, &path);
        let (back, losses) = Walkmesh::from_scene(&through(&scene)).unwrap();
        let differences = walkmesh.differences(&back);
        assert!(
            differences.is_empty() && losses.is_empty(),
            "{}: {differences:#?} {losses:?}",
            path.display()
        );
        count += 1;
    }
    assert!(count == 0 || count >= 45, "{count}");
}

fn models(dir: &Path) -> Vec<(PathBuf, Model)> {
    let mut out = Vec::new();
    for path in files(dir, &[".mdl"]) {
        let mdl = std::fs::read(&path).unwrap();
        let mdx = ["mdx", "MDX"].iter().find_map(|end| std::fs::read(path.with_extension(end)).ok());
        if galatea_kotor::mdl::detect(&mdl)
            && let Ok(model) = Model::read(&mdl, mdx.as_deref(), &Limits::default())
        {
            out.push((path, model));
        }
    }
    out
}

#[test]
fn models_of_the_corpus_come_back_equal() {
    let (mut count, mut bad) = (0, 0);
    for dir in ["kotor", "sets/kotor"].into_iter().filter_map(corpus) {
        let (more, wrong) = compare_all(&dir);
        count += more;
        bad += wrong;
    }
    assert!(bad == 0 && (count == 0 || count >= 200), "{bad} of {count}");
}

fn compare_all(dir: &Path) -> (usize, usize) {
    let (mut count, mut bad) = (0, 0);
    for (path, model) in models(dir) {
        let scene = model.to_scene();
        keep(&scene, dir, &path);
        let (back, losses) = Model::from_scene(&through(&scene)).unwrap();
        let differences = model.differences(&back);
        if !(differences.is_empty() && losses.is_empty()) {
            bad += 1;
            let shown: Vec<_> = differences.iter().take(3).collect();
            println!("{}: {} {shown:#?} {losses:?}", path.display(), differences.len());
        }
        count += 1;
    }
    (count, bad)
}
