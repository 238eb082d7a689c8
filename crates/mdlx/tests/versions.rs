//! Changing versions: what comes out can be written, read and checked, and every loss has a name.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // A test that meets the unexpected has to fail.

mod real;
mod support;

use std::collections::BTreeSet;

use galatea_mdlx::*;
use galatea_wire::{Loss, Severity};

fn convert(model: &Model, to: u32) -> (Model, Vec<Loss>) {
    model.convert(Version(to), &ConvertOptions::default()).unwrap()
}

/// Writes and reads the model, which must not change it.
fn through_bytes(model: &Model, what: &str) -> Model {
    let bytes = model.write().unwrap_or_else(|e| panic!("{what}: {e}"));
    let back = Model::read(&bytes, &Limits::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(model.differences(&back), [""; 0], "{what}");
    back
}

fn errors(model: &Model) -> BTreeSet<&'static str> {
    model.check().counts().filter(|(r, _)| r.severity == Severity::Error).map(|(r, _)| r.code).collect()
}

#[test]
fn every_version_becomes_every_other() {
    for from in Version::KNOWN {
        for to in Version::KNOWN {
            let model = support::value(from);
            let what = format!("{from} to {to}");
            let (other, losses) = convert(&model, to.0);
            assert_eq!(other.version, to);
            through_bytes(&other, &what);
            let same = from == to || (from.0, to.0) == (1300, 1400) || (from.0, to.0) == (1400, 1300);
            assert_eq!(losses.is_empty(), same, "{what}: {losses:?}");
            assert_eq!(other.node_count(), model.node_count(), "{what}");
        }
    }
}

#[test]
fn going_up_and_down_again_loses_nothing_of_a_classic_model() {
    let mut model = support::value(Version(800));
    // The shapes that programs disagree about become boxes.
    model.collision_shapes.retain(|s| matches!(s.shape, Shape::Box { .. } | Shape::Sphere { .. }));
    for way in [[900, 1000], [1000, 1100], [1100, 1200]] {
        let (up, losses) = convert(&model, way[0]);
        assert!(losses.is_empty(), "{losses:?}");
        let (top, losses) = convert(&up, way[1]);
        assert!(losses.is_empty(), "{losses:?}");
        let (back, losses) = convert(&top, 800);
        assert!(losses.is_empty(), "{losses:?}");
        assert_eq!(model.differences(&back), [""; 0], "{way:?}");
    }
}

#[test]
fn textures_of_a_hd_material_become_slots_and_layers_again() {
    let mut model = Model::new(Version(1000));
    let layers = (0..6).map(|i| Layer { texture_id: i + 10, filter_mode: 1, ..Layer::default() }).collect();
    let shader = Text::new(b"Shader_HD_DefaultUnit").unwrap();
    model.materials.push(Material { shader, layers, ..Material::default() });
    let (slots, losses) = convert(&model, 1100);
    assert!(losses.is_empty());
    let layer = &slots.materials[0].layers[0];
    assert_eq!((slots.materials[0].layers.len(), layer.shader_type, layer.texture_id), (1, 1, 0));
    assert_eq!(layer.textures.iter().map(|t| (t.slot, t.texture_id)).collect::<Vec<_>>()[5], (5, 15));
    let (back, losses) = convert(&slots, 1000);
    assert!(losses.is_empty());
    assert_eq!(model.differences(&back), [""; 0]);
    let (old, losses) = convert(&slots, 800);
    assert_eq!((old.materials[0].layers.len(), old.materials[0].layers[0].texture_id), (1, 10));
    assert_eq!(losses[0].to_string(), "materials[0]: the normal texture 11 is lost");
    assert_eq!(losses.len(), 5);
}

#[test]
fn the_wanted_level_of_detail_is_kept() {
    let mut model = support::value(Version(1100));
    let mut coarse = model.geosets[0].clone();
    model.geosets[0].lod = 0;
    coarse.lod = 2;
    model.geosets.insert(0, coarse);
    model.geoset_anims[0].geoset_id = 1;
    model.bones[0].geoset_id = 1;
    let (fine, losses) = convert(&model, 800);
    assert_eq!((fine.geosets.len(), fine.geoset_anims[0].geoset_id, fine.bones[0].geoset_id), (1, 0, 0));
    assert!(losses.iter().any(|l| l.to_string() == "geosets[0]: level of detail 2 is lost"), "{losses:?}");
    let options = ConvertOptions { lod: 1, ..ConvertOptions::default() };
    let (coarse, losses) = model.convert(Version(800), &options).unwrap();
    assert_eq!((coarse.geosets.len(), coarse.bones[0].geoset_id), (1, -1));
    assert!(losses.iter().any(|l| l.to_string() == "geosets[1]: level of detail 0 is lost"), "{losses:?}");
}

#[test]
fn scaling_leaves_the_model_alike() {
    let model = support::value(Version(1300));
    let options = ConvertOptions { scale: 36.0, ..ConvertOptions::default() };
    let (large, _) = model.convert(Version(800), &options).unwrap();
    assert_eq!(large.pivots[1], model.pivots[1].map(|x| x * 36.0));
    assert_eq!(large.geosets[0].vertices[3], model.geosets[0].vertices[3].map(|x| x * 36.0));
    assert_eq!(large.geosets[0].normals, model.geosets[0].normals);
}

fn chain(from: u32, to: &[u32]) {
    for (path, source) in real::of_version(from).read(real::binary) {
        let had = errors(&source);
        let mut model = source;
        for version in to {
            let what = format!("{} to {version}", path.display());
            model = through_bytes(&convert(&model, *version).0, &what);
            let new: Vec<_> = errors(&model).difference(&had).copied().collect();
            assert!(new.is_empty(), "{what}: {new:?}");
        }
    }
}

#[test]
#[ignore = "needs the corpus"]
fn real_1100_files_go_down_to_800() {
    chain(1100, &[1000, 800]);
}

#[test]
#[ignore = "needs the corpus"]
fn real_1000_files_go_up_and_down() {
    chain(1000, &[1100, 900, 1200, 800]);
}

#[test]
#[ignore = "needs the corpus"]
fn real_800_files_go_up_to_1100() {
    chain(800, &[1000, 1100]);
}

#[test]
#[ignore = "needs the corpus"]
fn real_800_files_go_to_world_of_warcraft_and_back() {
    chain(800, &[1300, 1500, 800]);
}

#[test]
#[ignore = "needs the corpus"]
fn the_real_1300_file_goes_to_800_and_back() {
    chain(1300, &[800, 1300]);
    chain(1300, &[1500, 1000, 1400]);
}
