//! Every fixable rule of walkmeshes: one field is damaged, fixed, and the file is the undamaged one again.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use fixtures::{GRASS, floor};
use galatea_kotor::bwm::{AabbNode, Kind, RULES, Walkmesh};
use galatea_kotor::surface::Walkability;
use galatea_robustness::{DamagePlan, FixTrial, listed};
use galatea_wire::Limits;

fn read(bytes: &[u8]) -> Walkmesh {
    Walkmesh::read(bytes, &Limits::default()).unwrap()
}

/// Two squares that do not touch: two border loops.
fn islands() -> Walkmesh {
    let corner = |i: u32| [(i % 2) as f32 + 4.0 * (i / 4) as f32, (i / 2 % 2) as f32, 0.5 * (i % 2) as f32];
    let faces = vec![[0, 1, 3], [0, 3, 2], [4, 5, 7], [4, 7, 6]];
    let vertices = (0..8).map(corner).collect();
    Walkmesh::build(Kind::Area, vertices, faces, vec![GRASS; 4], &Walkability::default()).unwrap()
}

fn inner(m: &Walkmesh) -> usize {
    (0..).find(|e| m.adjacency[e / 3][e % 3] >= 0).unwrap()
}

fn neighbor(m: &mut Walkmesh, edge: usize) -> &mut i32 {
    &mut m.adjacency[edge / 3][edge % 3]
}

fn leaf(m: &mut Walkmesh, face: i32) -> &mut AabbNode {
    m.aabb.iter_mut().find(|n| n.face == face).unwrap()
}

/// A rule, a sound walkmesh, and the damage of one field of it.
type Case = (&'static str, fn() -> Walkmesh, fn(&mut Walkmesh));

const CASES: &[Case] = &[
    ("KBWM0008", floor, |m| *neighbor(m, inner(m)) = 1000),
    ("KBWM0008", floor, |m| *neighbor(m, m.edges[3].edge as usize) = -7),
    ("KBWM0009", floor, |m| *neighbor(m, inner(m)) = -1),
    ("KBWM0009", floor, |m| *neighbor(m, m.edges[0].edge as usize) = m.edges[4].edge as i32),
    ("KBWM0010", floor, |m| *neighbor(m, m.edges[0].edge as usize) = m.edges[1].edge as i32),
    ("KBWM0011", floor, |m| *neighbor(m, inner(m)) = -1),
    ("KBWM0012", floor, |m| m.edges[2].edge = 5000),
    ("KBWM0012", floor, |m| m.edges[0].edge = 77),
    ("KBWM0013", floor, |m| m.edges[2].edge = m.edges[1].edge),
    ("KBWM0013", floor, |m| m.edges[1].edge = m.edges[4].edge),
    ("KBWM0014", floor, |m| m.edges[2].edge = 5000),
    ("KBWM0014", floor, |m| {
        m.set_transition(m.edges[0].edge, None);
        m.edges.clear();
        m.perimeters.clear();
    }),
    ("KBWM0015", floor, |m| m.edges[3].edge = inner(m) as u32),
    ("KBWM0017", floor, |m| m.perimeters[0] = 0),
    ("KBWM0017", islands, |m| m.perimeters[0] = 99),
    ("KBWM0018", floor, |m| m.perimeters[0] -= 1),
    ("KBWM0018", islands, |m| m.perimeters[1] = 7),
    ("KBWM0018", islands, |m| m.perimeters.clear()),
    ("KBWM0019", islands, |m| m.perimeters[0] = 3),
    ("KBWM0021", floor, |m| m.normals[3][0] = 1.0),
    ("KBWM0021", floor, |m| m.normals[5][2] = f32::NAN),
    ("KBWM0022", floor, |m| m.distances[3] += 5.0),
    ("KBWM0022", floor, |m| m.distances[2] = f32::NAN),
    ("KBWM0023", floor, |m| m.normals.clear()),
    ("KBWM0023", floor, |m| m.distances.clear()),
    ("KBWM0025", floor, |m| m.aabb.clear()),
    ("KBWM0026", floor, |m| m.aabb[0].right = 500),
    ("KBWM0026", floor, |m| m.aabb[0].left = u32::MAX),
    ("KBWM0026", floor, |m| leaf(m, 3).face = -1),
    ("KBWM0027", floor, |m| m.aabb[0].right = 0),
    ("KBWM0028", floor, |m| leaf(m, 2).face = 400),
    ("KBWM0028", floor, |m| leaf(m, 2).face = -9),
    ("KBWM0029", floor, |m| m.aabb[0].max[0] = 0.5),
    ("KBWM0029", floor, |m| leaf(m, 4).min[1] = f32::NAN),
    ("KBWM0030", floor, |m| leaf(m, 0).face = 7),
    ("KBWM0030", floor, |m| m.aabb[0].face = 3),
    ("KBWM0031", floor, |m| m.aabb[0].plane = 3),
    ("KBWM0031", floor, |m| leaf(m, 1).plane = 8),
    ("KBWM0033", floor, |m| m.aabb[0].left = 777),
];

const TRIAL: FixTrial<'_, Walkmesh> = FixTrial {
    open: &|bytes| Walkmesh::read(bytes, &Limits::default()).ok(),
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
    for (at, (code, build, damage)) in CASES.iter().enumerate() {
        let sound = build().write().unwrap();
        let mut mesh = read(&sound);
        damage(&mut mesh);
        // A transition that was taken away with its edge cannot be known.
        let sound = if mesh.edges.is_empty() {
            let mut plain = read(&sound);
            plain.edges.iter_mut().for_each(|e| e.transition = -1);
            plain.write().unwrap()
        } else {
            sound
        };
        let damaged = mesh.write().unwrap();
        for written in TRIAL.fixed(&format!("case {at}"), code, &sound, &damaged) {
            let rest = read(&sound).differences(&read(&written));
            assert!(written == sound, "case {at}: {code}: {rest:?}");
        }
    }
}

#[test]
fn a_damaged_source_leaves_what_is_derived_from_it_alone() {
    let damages: [fn(&mut Walkmesh); 8] = [
        |m| m.vertices[4][2] = 30.0,
        |m| m.vertices[4][0] = f32::NAN,
        |m| m.vertices[8] = [40.0, 50.0, 60.0],
        |m| m.faces[0][1] = 3,
        |m| m.faces[2].swap(0, 1),
        |m| m.materials[1] = 7,
        |m| m.kind = Kind::Object,
        |m| m.edges.swap(1, 3),
    ];
    for (at, damage) in damages.iter().enumerate() {
        let mut mesh = floor();
        damage(&mut mesh);
        TRIAL.assert_left_alone(&format!("damage {at}"), &mesh.write().unwrap());
    }
}

/// Damages real files, four bytes at a time, and fixes them: a second run has nothing to do, and not much more changes than
/// was damaged.
#[test]
#[ignore = "needs the corpus"]
fn damaged_real_files_are_fixed_once() {
    let tally = TRIAL.run(
        listed(&["kotor"], &[".wok", ".pwk", ".dwk"]).bytes(),
        DamagePlan { seed: 20, tries: 4, reach: usize::MAX },
    );
    eprintln!("{tally:?}");
    assert!(tally.files >= 20, "{tally:?}");
    assert!(tally.most_changed.0 <= 16, "{tally:?}");
}
