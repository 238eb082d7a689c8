//! Every fixable rule: one field is damaged, fixed, and the file is the undamaged one again.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod real;

use galatea_mdlx::*;
use galatea_robustness::{DamagePlan, FixTrial, difference};

fn text<const N: usize>(text: &str) -> Text<N> {
    Text::new(text.as_bytes()).unwrap()
}

fn node(name: &str, id: u32, flags: u32) -> Node {
    Node { name: text(name), object_id: id, parent_id: -1, flags, tracks: Tracks::default() }
}

/// A model that breaks no rule that can be fixed.
fn sound() -> Vec<u8> {
    let mut m = Model::new(Version(800));
    m.info.name = text("Sound");
    m.sequences = vec![Sequence { name: text("Stand"), start: 100, end: 500, ..Sequence::default() }];
    m.textures = vec![Texture { replaceable_id: 0, path: text("Textures\\grass.blp"), flags: 0 }];
    m.materials = vec![Material { layers: vec![Layer::default()], ..Material::default() }];
    m.geosets = vec![Geoset {
        vertices: vec![[0.0; 3], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [0.0, 10.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        face_types: vec![4],
        face_counts: vec![6],
        faces: vec![0, 1, 2, 0, 2, 3],
        vertex_groups: vec![0; 4],
        group_sizes: vec![1],
        matrices: vec![0],
        bounds: Bounds { radius: 200f32.sqrt(), min: [0.0; 3], max: [10.0, 10.0, 0.0] },
        sequence_bounds: vec![Bounds::default()],
        uvs: vec![vec![[0.0; 2]; 4]],
        ..Geoset::default()
    }];
    m.geoset_anims = vec![GeosetAnim { geoset_id: 0, flags: 2, ..GeosetAnim::default() }];
    m.bones = vec![Bone { node: node("Root", 0, 0x100), geoset_id: 0, geoset_anim_id: 0 }];
    let turn = [100, 200, 300, 400, 500].map(|t| (t, [0.0, 0.0, 0.0, 1.0]));
    m.bones[0].node.tracks.push(Track::new(b"KGRT", Interpolation::Linear, Keys::Rotation(Curve::new(turn))));
    m.lights = vec![Light { node: node("Lamp", 1, 0x200), attenuation_end: 200.0, ..Light::default() }];
    let shown = Keys::Float(Curve::new([(100, 1.0), (400, 0.0)]));
    m.lights[0].tracks.push(Track::new(b"KLAV", Interpolation::None, shown));
    m.helpers = vec![Helper { node: node("Helper", 2, 0) }];
    m.particle_emitters2 = vec![ParticleEmitter2 {
        node: node("Sparks", 3, 0x1000),
        life_span: 1.0,
        ..ParticleEmitter2::default()
    }];
    m.ribbon_emitters = vec![RibbonEmitter {
        node: node("Ribbon", 4, 0x4000),
        life_span: 1.0,
        emission_rate: 10,
        ..RibbonEmitter::default()
    }];
    m.events = vec![Event {
        node: node("SNDxABCD", 5, 0x400),
        track: Some(EventTrack { global_sequence: -1, times: vec![100, 200, 300, 400] }),
    }];
    m.pivots = vec![[0.0; 3]; 6];
    m.write().unwrap()
}

fn read(bytes: &[u8]) -> Model {
    Model::read(bytes, &Limits::default()).unwrap()
}

/// What a fix brings back.
#[derive(Clone, Copy, PartialEq)]
enum Restored {
    /// The undamaged file.
    All,
    /// All but the damaged field of this many bytes, whose value cannot be known.
    AllBut(usize),
}

use Restored::{All, AllBut};

/// A rule, the damage of one field of a sound model, and what the fix brings back.
type Case = (&'static str, fn(&mut Model), Restored);

const CASES: &[Case] = &[
    ("MDLX0005", |m| m.bones[0].geoset_id = 7, AllBut(4)),
    ("MDLX0006", |m| m.bones[0].geoset_anim_id = 7, AllBut(4)),
    ("MDLX0028", |m| m.bones[0].node.flags = 0, All),
    ("MDLX0028", |m| m.lights[0].node.flags &= !0x200, All),
    ("MDLX0040", |m| m.lights[0].kind |= 0x200, All),
    ("MDLX0041", |m| m.ribbon_emitters[0].node.flags = 0x40_0000, All),
    ("MDLX0042", |m| m.geoset_anims[0].flags |= 0x18, All),
    ("MDLX0043", |m| m.bones[0].node.flags |= 0x8000_0000, All),
    ("MDLX0044", |m| m.helpers[0].node.flags |= 0x100, All),
    ("MDLX0046", |m| m.particle_emitters2[0].head_or_tail = 0x5500_0000, All),
    (
        "MDLX0070",
        |m| {
            // Two parts of the keys, the second first.
            let all = [400, 500, 100, 200, 300].map(|t| (t, [0.0, 0.0, 0.0, 1.0]));
            m.bones[0].node.tracks.list[0].keys = Keys::Rotation(Curve::new(all));
        },
        All,
    ),
    ("MDLX0070", |m| m.events[0].track.as_mut().unwrap().times.swap(0, 3), All),
    (
        "MDLX0076",
        |m| {
            let none = Track::new(b"KGTR", Interpolation::Linear, Keys::Vector(Curve::new([])));
            m.helpers[0].node.tracks.push(none);
        },
        All,
    ),
    ("MDLX0077", |m| m.lights[0].tracks.list[0].interpolation = Interpolation::Linear, All),
    ("MDLX0105", |m| m.geosets[0].bounds.min[0] = 30.0, All),
    ("MDLX0105", |m| m.geosets[0].bounds.max[1] = -1.0, All),
    ("MDLX0106", |m| m.geosets[0].bounds.max[0] = 3.0, All),
    ("MDLX0106", |m| m.geosets[0].bounds = Bounds::default(), All),
];

const TRIAL: FixTrial<'_, Model> = FixTrial {
    open: &|bytes| Model::read(bytes, &Limits::default()).ok(),
    check: &|document| document.check(),
    fix: &|document, wanted| document.fix(wanted),
    write: &|document| document.write().unwrap(),
};

#[test]
fn every_fixable_rule_has_a_case() {
    galatea_robustness::assert_every_fixable_rule(RULES, CASES.iter().map(|(code, ..)| *code));
}

#[test]
fn a_damaged_field_is_restored_and_nothing_else_changes() {
    let sound = sound();
    for (at, (code, damage, restored)) in CASES.iter().enumerate() {
        let mut model = read(&sound);
        damage(&mut model);
        let damaged = model.write().unwrap();
        for written in TRIAL.fixed(&format!("case {at}"), code, &sound, &damaged) {
            match (restored, difference(&written, &sound), difference(&damaged, &sound)) {
                (All, rest, _) => assert_eq!(rest, None, "case {at}: {code}"),
                (AllBut(len), Some(rest), Some(field)) => {
                    let inside = rest.start >= field.start - field.start % 4 && rest.len() <= *len;
                    assert!(inside, "case {at}: {code}: {rest:?}, damaged {field:?}");
                }
                (AllBut(_), ..) => panic!("case {at}: {code}: all of it came back, which its case denies"),
            }
        }
    }
}

#[test]
fn a_damage_without_a_sure_answer_is_left_alone() {
    let damages: [fn(&mut Model); 5] = [
        |m| m.geosets[0].vertices[2] = [900.0, 0.0, 0.0],
        |m| m.geosets[0].vertices[2] = [f32::NAN; 3],
        |m| m.events[0].track.as_mut().unwrap().times[1] = 99_000,
        |m| m.bones[0].node.name.0[2] = 0,
        |m| {
            m.pivots.push([1.0; 3]);
            m.helpers[0].node.object_id = 6;
        },
    ];
    for (at, damage) in damages.iter().enumerate() {
        let mut model = read(&sound());
        damage(&mut model);
        TRIAL.assert_left_alone(&format!("damage {at}"), &model.write().unwrap());
    }
}

/// Damages real files, four bytes at a time, and fixes them: a second run has nothing to do, and not much more changes than
/// was damaged.
#[test]
#[ignore = "needs the corpus"]
fn damaged_real_files_are_fixed_once() {
    let tally = TRIAL.run(real::binaries().bytes(), DamagePlan { seed: 18, tries: 24, reach: usize::MAX });
    eprintln!("{tally:?}");
    assert!(tally.files >= 20, "{tally:?}");
    assert!(tally.most_changed.0 <= 16, "{tally:?}");
}
