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
    let options = ConvertOptions::default().with_lod(1);
    let (coarse, losses) = model.convert(Version(800), &options).unwrap();
    assert_eq!((coarse.geosets.len(), coarse.bones[0].geoset_id), (1, -1));
    assert!(losses.iter().any(|l| l.to_string() == "geosets[1]: level of detail 0 is lost"), "{losses:?}");
}

#[test]
fn scaling_leaves_the_model_alike() {
    let model = support::value(Version(1300));
    let options = ConvertOptions::default().with_scale(36.0);
    let (large, _) = model.convert(Version(800), &options).unwrap();
    assert_eq!(large.pivots[1], model.pivots[1].map(|x| x * 36.0));
    assert_eq!(large.geosets[0].vertices[3], model.geosets[0].vertices[3].map(|x| x * 36.0));
    assert_eq!(large.geosets[0].normals, model.geosets[0].normals);
}

#[test]
fn lengths_are_scaled_everywhere_and_factors_are_not() {
    let speed = |tag: [u8; 4]| {
        let keys = vec![Key { time: 0, value: 3.0f32 }];
        let keys = Keys::Float(Curve { keys, ..Curve::default() });
        Track { tag: Tag(tag), interpolation: Interpolation::None, global_sequence: -1, keys }
    };
    let mut model = Model::new(Version(1000));
    model.lights.push(Light { attenuation_end: 5.0, ..Light::default() });
    let mut emitter =
        ParticleEmitter2 { speed: 2.0, segment_scalings: [1.0, 2.0, 3.0], ..ParticleEmitter2::default() };
    emitter.tracks.push(speed(*b"KP2S"));
    model.particle_emitters2.push(emitter);
    model.ribbon_emitters.push(RibbonEmitter { height_above: 4.0, ..RibbonEmitter::default() });
    model.cameras.push(Camera { target: [1.0, 2.0, 3.0], far_clip: 100.0, ..Camera::default() });
    let shape = Shape::Sphere { center: [1.0, 0.0, 0.0], radius: 6.0 };
    model.collision_shapes.push(CollisionShape { shape, ..CollisionShape::default() });
    let mut popcorn = PopcornEmitter::default();
    popcorn.tracks.push(speed(*b"KPPS"));
    model.popcorn_emitters.push(popcorn);
    let options = ConvertOptions::default().with_scale(2.0);
    let (large, _) = model.convert(Version(1000), &options).unwrap();
    let first = |tracks: &Tracks| match &tracks.list[0].keys {
        Keys::Float(curve) => curve.keys[0].value,
        _ => f32::NAN,
    };
    assert_eq!(large.lights[0].attenuation_end, 10.0);
    let emitter = &large.particle_emitters2[0];
    assert_eq!((emitter.speed, emitter.segment_scalings), (4.0, [2.0, 4.0, 6.0]));
    assert_eq!(first(&emitter.tracks), 6.0);
    assert_eq!(large.ribbon_emitters[0].height_above, 8.0);
    assert_eq!((large.cameras[0].target, large.cameras[0].far_clip), ([2.0, 4.0, 6.0], 200.0));
    assert_eq!(large.collision_shapes[0].shape, Shape::Sphere { center: [2.0, 0.0, 0.0], radius: 12.0 });
    // PopcornFX multiplies the effect's own speed, with and without a track.
    assert_eq!((large.popcorn_emitters[0].speed, first(&large.popcorn_emitters[0].tracks)), (1.0, 3.0));
}

#[test]
fn wind_and_splines_of_emitters_are_lengths_and_boxes_around_nothing_stay() {
    let mut model = support::value(Version(1300));
    let before = model.clone();
    model.sequences[0].bounds.min = [f32::MAX; 3];
    model.scale(2.0);
    let wind = |model: &Model| model.particle_emitters2[0].wow.as_ref().unwrap().wind;
    assert!(wind(&before) != [0.0; 3]);
    assert_eq!(wind(&model), wind(&before).map(|x| x * 2.0));
    assert_eq!(model.sequences[0].bounds.min, [f32::MAX; 3]);
    assert_eq!(model.sequences[0].bounds.max, before.sequences[0].bounds.max.map(|x| x * 2.0));
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
