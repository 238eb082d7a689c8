//! Each rule has a walkmesh that breaks it. What `fix` does about it is in `fix_bwm.rs`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use fixtures::{door, floor, placeable};
use galatea_kotor::bwm::{Edge, Kind, RULES, Walkmesh};
use galatea_wire::{Gap, Limits};

type Break = fn(&mut Walkmesh);

fn area(change: Break) -> Walkmesh {
    let mut mesh = floor();
    change(&mut mesh);
    mesh
}

/// One broken walkmesh per rule.
fn broken(code: &str) -> Walkmesh {
    match code {
        "KBWM0001" => area(|m| m.faces[0][1] = 99),
        "KBWM0002" => area(|m| m.faces[7][1] = m.faces[7][0]),
        "KBWM0003" => area(|m| m.vertices[4][2] = f32::NAN),
        "KBWM0004" => area(|m| m.vertices[0] = m.vertices[1]),
        "KBWM0005" => area(|m| m.vertices.push([9.0; 3])),
        "KBWM0006" => area(|m| m.materials[7] = fixtures::GRASS),
        "KBWM0007" => area(|m| _ = m.adjacency.pop()),
        "KBWM0008" => area(|m| m.adjacency[0][0] = 1000),
        "KBWM0009" => area(|m| {
            let across = m.adjacency[0].iter().position(|n| *n >= 0).unwrap();
            let other = m.adjacency[0][across] as usize;
            m.adjacency[other / 3][other % 3] = -1;
        }),
        "KBWM0010" => area(|m| {
            let (a, b) = (m.edges[0].edge as usize, m.edges[1].edge as usize);
            m.adjacency[a / 3][a % 3] = b as i32;
            m.adjacency[b / 3][b % 3] = a as i32;
        }),
        "KBWM0011" => area(|m| m.adjacency.iter_mut().for_each(|n| *n = [-1; 3])),
        "KBWM0012" => area(|m| m.edges[2].edge = 5000),
        "KBWM0013" => area(|m| m.edges[2].edge = m.edges[1].edge),
        "KBWM0014" => area(|m| {
            m.edges.pop();
            let end = m.edges.len() as u32;
            m.perimeters[0] = end;
        }),
        "KBWM0015" => area(|m| {
            let inner = (0..).find(|e| m.adjacency[e / 3][e % 3] >= 0).unwrap();
            m.edges[0] = Edge { edge: inner as u32, transition: -1 };
        }),
        "KBWM0016" => area(|m| {
            let inner = (0..).find(|e| m.adjacency[e / 3][e % 3] >= 0).unwrap();
            m.edges[0] = Edge { edge: inner as u32, transition: 3 };
        }),
        "KBWM0017" => area(|m| m.perimeters.insert(0, 0)),
        "KBWM0018" => area(|m| m.perimeters.clear()),
        "KBWM0019" => area(|m| m.edges.swap(1, 3)),
        "KBWM0020" => area(|m| m.faces[0].swap(1, 2)),
        "KBWM0021" => area(|m| m.normals[3] = [1.0, 0.0, 0.0]),
        "KBWM0022" => area(|m| m.distances[3] += 5.0),
        "KBWM0023" => area(|m| m.normals.clear()),
        "KBWM0024" => area(|m| m.materials[7] = 25),
        "KBWM0025" => area(|m| m.aabb.clear()),
        "KBWM0026" => area(|m| m.aabb[0].right = 500),
        "KBWM0027" => area(|m| m.aabb[0].right = 0),
        "KBWM0028" => area(|m| m.aabb.iter_mut().find(|n| n.face >= 0).unwrap().face = 400),
        "KBWM0029" => area(|m| m.aabb[0].max[0] = 0.5),
        "KBWM0030" => area(|m| {
            let taken = m.aabb.iter().find(|n| n.face > 0).unwrap().face;
            m.aabb.iter_mut().find(|n| n.face == 0).unwrap().face = taken;
        }),
        "KBWM0031" => area(|m| m.aabb[0].plane = 3),
        "KBWM0032" => {
            let mut mesh = floor();
            let leaf = *mesh.aabb.iter().find(|n| n.face >= 0).unwrap();
            let root = mesh.aabb[0];
            mesh.aabb.clear();
            for i in 0..70 {
                mesh.aabb.push(galatea_kotor::bwm::AabbNode { left: 2 * i + 1, right: 2 * i + 2, ..root });
                mesh.aabb.push(leaf);
            }
            mesh.aabb.push(leaf);
            mesh
        }
        "KBWM0033" => area(|m| m.aabb.push(m.aabb[1])),
        "KBWM0034" => {
            let mut mesh = placeable();
            mesh.perimeters = vec![1];
            mesh
        }
        "KBWM0035" => area(|m| m.materials.fill(7)),
        "KBWM0036" => area(|m| m.kind = Kind::Other(9)),
        "KBWM0037" => {
            let mut bytes = floor().write().unwrap();
            bytes.extend(b"left over");
            Walkmesh::read(&bytes, &Limits::default()).unwrap()
        }
        "KBWM0038" => {
            // Materials and distances of a placeable at the same place: both read, both written back.
            let mut bytes = placeable().write().unwrap();
            let materials: [u8; 4] = bytes[88..92].try_into().unwrap();
            bytes[96..100].copy_from_slice(&materials);
            Walkmesh::read(&bytes, &Limits::default()).unwrap()
        }
        "KBWM0039" => area(|m| {
            let [a, b, _] = m.faces[0];
            m.faces[1] = [a, b, 8];
            m.faces[2] = [b, a, 7];
        }),
        "KBWM0040" => area(|m| m.faces[7] = m.faces[6]),
        "KBWM0041" => area(|m| m.aabb[2].unknown_0x1c = 5),
        other => panic!("{other} has no fixture"),
    }
}

#[test]
fn every_rule_has_a_walkmesh_that_breaks_it() {
    for rule in RULES {
        let report = broken(rule.code).check();
        assert!(report.count(rule.code) > 0, "{} is not found in its fixture: {report:?}", rule.code);
        assert!(rule.help.len() > 20 && rule.title.len() > 10, "{} explains nothing", rule.code);
    }
}

#[test]
fn sound_walkmeshes_break_no_rule() {
    for mesh in [floor(), placeable(), door()] {
        assert!(mesh.check().is_empty(), "{:?}", mesh.check().findings());
    }
}

#[test]
fn codes_are_unique_and_ascending() {
    assert!(RULES.len() >= 20);
    assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
}

#[test]
fn fix_leaves_unwanted_rules_alone() {
    let mut mesh = broken("KBWM0021");
    let before = mesh.clone();
    assert!(mesh.fix(&|r| r.code == "KBWM0005").is_empty());
    assert_eq!(mesh, before);
}

#[test]
fn findings_name_the_byte() {
    let bytes = broken("KBWM0022").write().unwrap();
    let report = Walkmesh::read(&bytes, &Limits::default()).unwrap().check();
    let finding = report.findings().iter().find(|f| f.rule.code == "KBWM0022").unwrap();
    let (coverage, _) = galatea_kotor::bwm::inspect(&bytes, &Limits::default());
    let at = galatea_wire::Inspector::new(&bytes, &coverage).at(finding.offset.unwrap() as usize).unwrap();
    assert_eq!(at.path, "distances[3]");
    assert_eq!(finding.path, "distances[3]");
}

#[test]
fn gaps_survive() {
    let mesh = broken("KBWM0037");
    assert_eq!(mesh.layout.gaps, [Gap { offset: mesh.layout.len - 9, bytes: b"left over".to_vec() }]);
    assert!(mesh.write().unwrap().ends_with(b"left over"));
}
