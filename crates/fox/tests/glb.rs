//! Through a GLB and back: nothing is lost, and edits arrive. With `GALATEA_GLB_OUT` the corpus is written there as GLB.
#![cfg(test)]

mod sample;

use std::path::{Path, PathBuf};

use galatea_fox::{Dictionary, Fmdl};
use galatea_gltf::{Options, read, write_glb};
use galatea_robustness::listed;
use galatea_scene::{Pose, Scene};
use galatea_wire::Limits;

fn through(scene: &Scene) -> Scene {
    let glb = write_glb(scene, &Options::default()).unwrap();
    let loaded = read(&glb, &Limits::default(), &mut |_| None).unwrap();
    assert!(loaded.losses.is_empty(), "{:?}", loaded.losses);
    loaded.scene
}

/// Keeps the GLB for the validator, if that is wanted.
fn keep(scene: &Scene, path: &Path) {
    let Some(out) = std::env::var_os("GALATEA_GLB_OUT").map(PathBuf::from) else { return };
    let name = path.file_name().unwrap().to_string_lossy();
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(out.join(format!("{name}.glb")), write_glb(scene, &Options::default()).unwrap()).unwrap();
}

#[test]
fn samples_come_back_equal() {
    for (name, model) in sample::all() {
        let scene = model.to_scene("sample", &Dictionary::built_in());
        for scene in [&scene, &through(&scene)] {
            let (back, losses) = Fmdl::from_scene(scene, &Default::default()).unwrap();
            let differences = model.differences(&back);
            assert!(differences.is_empty() && losses.is_empty(), "{name}: {differences:#?} {losses:?}");
        }
    }
}

#[test]
#[ignore = "needs the corpus"]
fn models_of_the_corpus_come_back_equal_and_stand_as_bound() {
    let names = Dictionary::built_in();
    let files = listed(&["fmdl", "sets/fox"], &[".fmdl"]);
    let listed = files.len();
    let (mut same, mut bad, mut skinned) = (0, Vec::new(), 0);
    for (path, model) in files.read(|_, bytes| Fmdl::read(bytes, &Limits::default())) {
        let scene = model.to_scene("model", &names);
        keep(&scene, &path);
        let scene = through(&scene);
        let (back, losses) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
        let differences = model.differences(&back);
        if differences.is_empty() && losses.is_empty() {
            same += 1;
        } else {
            let shown: Vec<_> = differences.iter().take(3).collect();
            bad.push(format!("{}: {} {shown:#?} {losses:?}", path.display(), differences.len()));
        }
        skinned += usize::from(stands_as_bound(&scene, &path));
    }
    assert_eq!(same, listed, "{}", bad.join("\n"));
    assert!(skinned >= 46, "{skinned} skinned");
}

/// Skins at rest leave vertices where they were bound, within 1e-4 of the model's size. Tells whether there are any.
fn stands_as_bound(scene: &Scene, path: &Path) -> bool {
    let pose = Pose::rest(scene);
    let size = pose.bounds(scene).map_or(1.0, |b| b.size());
    let mut any = false;
    for (id, node, mesh) in scene.drawn() {
        if node.skin.is_none() {
            continue;
        }
        for primitive in &mesh.primitives {
            any = true;
            let bound = &scene.vertices_of(primitive).unwrap().positions;
            for (moved, bound) in pose.deform(scene, id, primitive).positions.iter().zip(bound) {
                let off = moved.iter().zip(bound).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(off <= 1e-4 * size, "{}: {moved:?} {bound:?}", path.display());
            }
        }
    }
    any
}
