//! Through a GLB and back: nothing is lost, and edits arrive. With `GALATEA_GLB_OUT` the corpus is written there as GLB.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod real;

use std::path::{Path, PathBuf};

use galatea_gltf::{Options, read, write_glb};
use galatea_mdlx::{
    Bone, Curve, Geoset, Interpolation, Keys, Limits, Material, Model, Sequence, Track, Version,
};
use galatea_robustness::listed;
use galatea_scene::Scene;

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

/// Holds all of some models to coming back equal.
fn compare(listed: usize, models: impl Iterator<Item = (PathBuf, Model)>) {
    let (mut same, mut bad) = (0, Vec::new());
    for (path, model) in models {
        let scene = model.to_scene("model");
        keep(&scene, &path);
        let (back, losses) = Model::from_scene(&through(&scene), &Default::default()).unwrap();
        let differences = model.differences(&back);
        if differences.is_empty() && losses.is_empty() {
            same += 1;
        } else {
            let shown: Vec<_> = differences.iter().take(4).collect();
            bad.push(format!("{}: {} {shown:#?} {losses:?}", path.display(), differences.len()));
        }
    }
    assert_eq!(same, listed, "{}", bad.join("\n"));
}

#[test]
#[ignore = "needs the corpus"]
fn models_of_version_800_come_back_equal() {
    let models = real::of_version(800);
    compare(models.len(), models.read(real::binary));
}

#[test]
#[ignore = "needs the corpus"]
fn models_of_later_versions_come_back_equal() {
    // All of version 900 is malformed.
    let models = listed(&["mdx/v1000", "mdx/v1100", "mdx/v1300"], &[".mdx"]);
    compare(models.len(), models.read(real::binary));
}

#[test]
#[ignore = "needs the corpus"]
fn texts_and_other_sets_come_back_equal() {
    let texts = real::texts();
    compare(texts.len(), texts.read(real::parsed));
    let sets = listed(&["sets/wc3", "sets/reforged"], &[".mdx"]);
    compare(sets.len(), sets.read(real::binary));
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
    let keys: usize = scene.clips.iter().flat_map(|c| &c.channels).map(|c| c.times.len()).sum();
    assert!((500_000..600_000).contains(&keys), "{keys}");
    let (back, losses) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!((model.differences(&back), losses), (vec![], vec![]));
}

/// Between a pivot beyond all numbers and its neighbours, offsets lose their digits: a joint ends up elsewhere. The skin must
/// not pull the vertices along.
#[test]
fn a_joint_below_a_huge_pivot_leaves_its_vertices_where_they_are() {
    let mut model = Model::new(Version(800));
    for (id, parent) in [(0, -1), (1, 0), (2, 1)] {
        let mut bone = Bone::default();
        (bone.node.object_id, bone.node.parent_id) = (id, parent);
        model.bones.push(bone);
    }
    model.pivots = vec![[0.0, 0.0, 10.0], [0.0, 0.0, 8.947e11], [0.0, 0.0, 31.5]];
    model.materials.push(Material::default());
    model.geosets.push(Geoset {
        vertices: vec![[1.0, 0.0, 31.0], [0.0, 1.0, 32.0], [0.0, 0.0, 33.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        face_types: vec![4],
        face_counts: vec![3],
        faces: vec![0, 1, 2],
        vertex_groups: vec![0; 3],
        group_sizes: vec![1],
        matrices: vec![2],
        ..Geoset::default()
    });
    let scene = through(&model.to_scene("far"));
    let shown = galatea_scene::Pose::rest(&scene);
    let (node, _, mesh) = scene.drawn().next().unwrap();
    let deformed = shown.deform(&scene, node, &mesh.primitives[0]);
    let unit = deformed.positions[1][1] - deformed.positions[0][1];
    assert!((unit * 39.37 - 1.0).abs() < 0.01 && deformed.positions[0][1] * 39.37 > 30.0, "{deformed:?}");
    let (back, losses) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!((model.differences(&back), losses), (vec![], vec![]));
}

/// A length that seconds cannot express to the millisecond.
#[test]
fn a_sequence_of_a_week_keeps_its_end() {
    let mut model = Model::new(Version(800));
    model.sequences = vec![Sequence { start: 100, end: 587_206_760, ..Sequence::default() }];
    let (back, losses) = Model::from_scene(&through(&model.to_scene("long")), &Default::default()).unwrap();
    assert_eq!((model.differences(&back), losses), (vec![], vec![]));
}

/// Editors round. Bounds that the model had stay as long as the vertices fill the same space.
#[test]
fn bounds_survive_rounding_but_not_an_edit() {
    let mut model = Model::new(Version(800));
    model.bones.push(Bone::default());
    model.pivots.push([0.0; 3]);
    model.materials.push(Material::default());
    model.geosets.push(Geoset {
        vertices: vec![[1.0, 0.0, 31.0], [0.0, 50.0, 32.0], [0.0, 0.0, 33.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        face_types: vec![4],
        face_counts: vec![3],
        faces: vec![0, 1, 2],
        vertex_groups: vec![0; 3],
        group_sizes: vec![1],
        matrices: vec![0],
        ..Geoset::default()
    });
    let mut scene = model.to_scene("model");
    scene.vertices[0].positions.iter_mut().flatten().for_each(|c| *c += 1e-5);
    let (back, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(back.geosets[0].bounds, model.geosets[0].bounds);
    scene.vertices[0].positions[1][1] = 80.0;
    let (back, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert!((back.geosets[0].bounds.max[1] - 80.0).abs() < 1e-3);
}
