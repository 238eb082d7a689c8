//! Every fixable rule of models: one field is damaged, fixed, and the files are the undamaged ones again.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod mdl_fixtures;
mod real;

use galatea_kotor::mdl::{
    AabbLayout, AabbTree, Game, IndexLists, Mesh, Model, Pair, Platform, PositionCopy, RULES, Skin,
};
use galatea_robustness::{DamagePlan, FixTrial};
use galatea_wire::Limits;
use mdl_fixtures::model;

fn read(pair: &Pair) -> Model {
    Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default()).unwrap()
}

/// A model of this kind that breaks no rule that can be fixed, and its bytes.
fn sound(kind: &str) -> Pair {
    let mut model = model(kind, Game::K1, Platform::Pc);
    for mesh in model.nodes.iter_mut().filter_map(|n| n.mesh.as_deref_mut()) {
        mesh.derive_planes();
        if mesh.aabb.is_some() {
            mesh.derive_aabb();
        }
    }
    model.write().unwrap()
}

/// How a field is damaged: in the document, or in the bytes of the MDL.
enum Damage {
    Value(fn(&mut Model)),
    Bytes(fn(&Model, &mut Vec<u8>)),
}

use Damage::{Bytes, Value};

fn mesh(model: &mut Model) -> &mut Mesh {
    model.nodes.last_mut().unwrap().mesh.as_deref_mut().unwrap()
}

fn skin(model: &mut Model) -> &mut Skin {
    mesh(model).skin.as_deref_mut().unwrap()
}

fn tree(model: &mut Model) -> &mut AabbTree {
    mesh(model).aabb.as_deref_mut().unwrap()
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn header(model: &Model, node: usize) -> usize {
    model.nodes[node].layout.header.at as usize + 12
}

/// A rule, the kind of a sound model, and the damage of one field of it.
type Case = (&'static str, &'static str, Damage);

const CASES: &[Case] = &[
    ("KMDL0008", "dummy", Value(|m| m.node_count = 99)),
    ("KMDL0011", "dummy", Bytes(|_, b| put(b, 12 + 168, 3))),
    ("KMDL0014", "dummy", Value(|m| m.nodes[1].orientation[0] = 2.0)),
    ("KMDL0014", "dummy", Value(|m| m.nodes[1].orientation[2] = -1e30)),
    ("KMDL0014", "dummy", Value(|m| m.nodes[0].orientation[0] = 0.25)),
    ("KMDL0019", "trimesh", Value(|m| mesh(m).texture_count = 1)),
    ("KMDL0025", "trimesh", Value(|m| mesh(m).faces[0].normal = [1.0, 0.0, 0.0])),
    ("KMDL0026", "trimesh", Value(|m| mesh(m).faces[0].distance = 8.0)),
    ("KMDL0028", "trimesh", Value(|m| mesh(m).faces[0].adjacent[0] = 50)),
    ("KMDL0028", "trimesh", Value(|m| mesh(m).faces[1].adjacent[0] = 50)),
    ("KMDL0030", "trimesh", Value(|m| mesh(m).indices = IndexLists::Own(vec![vec![0, 1, 2, 0, 2, 77]]))),
    ("KMDL0031", "trimesh", Value(|m| mesh(m).indices = IndexLists::Own(vec![vec![0, 1, 2, 0, 2, 1]]))),
    (
        "KMDL0031",
        "trimesh",
        Value(|m| {
            mesh(m).faces[1].vertices = [0, 2, 1];
            mesh(m).indices = IndexLists::Own(vec![vec![0, 1, 2, 0, 2, 3]]);
        }),
    ),
    (
        "KMDL0034",
        "trimesh",
        Value(|m| {
            let mut own = mesh(m).vertices.positions.clone();
            own[2][2] = 9.0;
            mesh(m).mdl_positions = PositionCopy::Own(own);
        }),
    ),
    (
        "KMDL0034",
        "trimesh",
        Value(|m| {
            mesh(m).mdl_positions = PositionCopy::Own(mesh(m).vertices.positions.clone());
            mesh(m).vertices.positions[1][2] = f32::NAN;
        }),
    ),
    (
        "KMDL0034",
        "danglymesh",
        Value(|m| {
            let mut own = mesh(m).vertices.positions.clone();
            own[0][2] = -1.0;
            mesh(m).dangly.as_deref_mut().unwrap().positions = PositionCopy::Own(own);
        }),
    ),
    ("KMDL0035", "trimesh", Value(|m| mesh(m).bounds[1][0] = 0.5)),
    ("KMDL0035", "trimesh", Value(|m| mesh(m).bounds[0][1] = f32::NAN)),
    ("KMDL0036", "trimesh", Value(|m| mesh(m).radius = 0.1)),
    ("KMDL0036", "trimesh", Value(|m| mesh(m).average[0] = 40.0)),
    ("KMDL0037", "trimesh", Value(|m| mesh(m).area = f32::NAN)),
    ("KMDL0042", "skin", Value(|m| mesh(m).vertices.weights[0][0] = 0.5)),
    ("KMDL0042", "skin", Value(|m| mesh(m).vertices.weights[1][1] = f32::NAN)),
    ("KMDL0045", "skin", Value(|m| skin(m).bone_nodes[1] = 0)),
    ("KMDL0046", "skin", Value(|m| _ = skin(m).rotations.pop())),
    ("KMDL0046", "skin", Value(|m| skin(m).translations.clear())),
    ("KMDL0050", "aabb", Value(|m| tree(m).nodes.clear())),
    ("KMDL0051", "aabb", Value(|m| tree(m).nodes[2].face = 9)),
    ("KMDL0052", "aabb", Value(|m| tree(m).nodes[1].min = [5.0; 3])),
    ("KMDL0052", "aabb", Value(|m| tree(m).nodes[0].max[1] = f32::NAN)),
    (
        "KMDL0053",
        "aabb",
        Value(|m| match &mut tree(m).layout {
            AabbLayout::Packed { none, .. } => *none = u32::MAX,
            AabbLayout::Scattered { none, .. } => none[0][0] = u32::MAX,
        }),
    ),
    ("KMDL0068", "dummy", Bytes(|m, b| put(b, header(m, 1) + 12, 8))),
    ("KMDL0069", "dummy", Bytes(|m, b| put(b, header(m, 1) + 64, 7))),
    ("KMDL0070", "trimesh", Bytes(|m, b| put(b, header(m, 1) + 80, 7))),
    ("KMDL0071", "dummy", Bytes(|_, b| put(b, 4, 7))),
    ("KMDL0071", "trimesh", Bytes(|_, b| put(b, 8, 7))),
    ("KMDL0072", "dummy", Bytes(|_, b| b.extend_from_slice(b"left over"))),
];

/// The files of a sound model after a damage.
fn damaged(sound: &Pair, damage: &Damage) -> Pair {
    let mut model = read(sound);
    match damage {
        Value(change) => {
            change(&mut model);
            model.write().unwrap()
        }
        Bytes(change) => {
            let mut pair = Pair { mdl: sound.mdl.clone(), mdx: sound.mdx.clone() };
            change(&model, &mut pair.mdl);
            pair
        }
    }
}

/// Both files as one: the length of the MDL, then the two.
fn join(mdl: &[u8], mdx: &[u8]) -> Vec<u8> {
    [&(mdl.len() as u32).to_le_bytes(), mdl, mdx].concat()
}

fn open(bytes: &[u8]) -> Option<Model> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (mdl, mdx) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    Model::read(mdl, Some(mdx), &Limits::default()).ok()
}

fn write(model: &Model) -> Vec<u8> {
    let pair = model.write().unwrap();
    join(&pair.mdl, &pair.mdx)
}

const TRIAL: FixTrial<'_, Model> = FixTrial {
    open: &open,
    check: &|document| document.check(),
    fix: &|document, wanted| document.fix(wanted),
    write: &write,
};

#[test]
fn every_fixable_rule_has_a_case() {
    galatea_robustness::assert_every_fixable_rule(RULES, CASES.iter().map(|(code, ..)| *code));
}

#[test]
fn a_damaged_field_is_restored_and_nothing_else_changes() {
    for (at, (code, kind, damage)) in CASES.iter().enumerate() {
        let sound = sound(kind);
        let damaged = damaged(&sound, damage);
        let (sound, damaged) = (join(&sound.mdl, &sound.mdx), join(&damaged.mdl, &damaged.mdx));
        for written in TRIAL.fixed(&format!("case {at}"), code, &sound, &damaged) {
            let documents = open(&sound).zip(open(&written));
            let rest = documents.map(|(sound, written)| sound.differences(&written));
            assert!(written == sound, "case {at}: {code}: {rest:?}");
        }
    }
}

#[test]
fn a_damaged_source_leaves_what_is_derived_from_it_alone() {
    let damages: &[(&str, Damage)] = &[
        ("trimesh", Value(|m| mesh(m).vertices.positions[1] = [5.0, 6.0, 7.0])),
        ("trimesh", Value(|m| mesh(m).vertices.positions[0][0] = f32::INFINITY)),
        ("trimesh", Value(|m| mesh(m).faces[1].vertices[2] = 9)),
        ("skin", Value(|m| skin(m).bone_map[2] = 0.0)),
        ("skin", Value(|m| mesh(m).vertices.weights[0] = [0.0; 4])),
        ("dummy", Value(|m| m.nodes[1].orientation = [0.0; 4])),
        (
            "aabb",
            Value(|m| {
                mesh(m).faces.iter_mut().for_each(|face| face.vertices[0] = 99);
                tree(m).nodes.clear();
            }),
        ),
        // A column that begins outside its row, a count that hides bytes, an offset that leads elsewhere.
        ("trimesh", Bytes(|m, b| put(b, header(m, 1) + 80 + 288, 1000))),
        ("skin", Bytes(|m, b| put(b, header(m, 3) + 60, 0))),
        ("skin", Bytes(|m, b| put(b, header(m, 1) + 68, m.nodes[2].layout.data.at))),
    ];
    for (at, (kind, damage)) in damages.iter().enumerate() {
        let before = damaged(&sound(kind), damage);
        TRIAL.assert_left_alone(&format!("damage {at}"), &join(&before.mdl, &before.mdx));
    }
}

/// Damages real files, four bytes at a time, and fixes them: a second run has nothing to do, and not much more changes than
/// was damaged.
#[test]
#[ignore = "needs the corpus"]
fn damaged_real_files_are_fixed_once() {
    let files = real::models().bytes().map(|(path, mdl)| {
        let mdx = real::companion(&path);
        (path, join(&mdl, &mdx))
    });
    let tally = TRIAL.run(files, DamagePlan { seed: 21, tries: 6, reach: usize::MAX });
    eprintln!("{tally:?}");
    assert!(tally.files >= 50, "{tally:?}");
    assert!(tally.most_changed.0 <= 16, "{tally:?}");
}
