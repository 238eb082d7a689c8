//! Bytes and values beside each other, and every way to change a walkmesh.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use fixtures::{GRASS, NONWALK, door, floor, placeable};
use galatea_kotor::bwm::{Edge, Kind, Walkmesh};
use galatea_kotor::surface::Walkability;
use galatea_wire::Limits;

/// One walkable triangle as a WOK, byte by byte.
fn triangle_bytes() -> Vec<u8> {
    let mut out = b"BWM V1.0".to_vec();
    let word = |out: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|w| out.extend(w.to_le_bytes()));
    let float = |out: &mut Vec<u8>, values: &[f32]| values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    word(&mut out, &[1]);
    float(&mut out, &[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.]);
    word(&mut out, &[3, 136, 1, 172, 184, 188, 200, 1, 204, 0, 1, 248, 3, 260, 1, 284]);
    float(&mut out, &[0., 0., 2., 1., 0., 2., 0., 1., 2.]);
    word(&mut out, &[0, 1, 2]);
    word(&mut out, &[4]);
    float(&mut out, &[0., 0., 1.]);
    float(&mut out, &[-2.]);
    float(&mut out, &[-0.01, -0.01, 1.99, 1.01, 1.01, 2.01]);
    word(&mut out, &[0, 4, 0, u32::MAX, u32::MAX]);
    word(&mut out, &[u32::MAX; 3]);
    word(&mut out, &[0, u32::MAX, 1, 7, 2, u32::MAX]);
    word(&mut out, &[3]);
    out
}

fn triangle_value() -> Walkmesh {
    let vertices = vec![[0., 0., 2.], [1., 0., 2.], [0., 1., 2.]];
    let mut mesh =
        Walkmesh::build(Kind::Area, vertices, vec![[0, 1, 2]], vec![4], &Walkability::default()).unwrap();
    mesh.relative_use = [[1., 2., 3.], [4., 5., 6.]];
    mesh.absolute_use = [[7., 8., 9.], [10., 11., 12.]];
    mesh.position = [13., 14., 15.];
    mesh.set_transition(1, Some(7));
    mesh
}

#[test]
fn bytes_and_value_of_a_triangle_agree_both_ways() {
    assert_eq!(triangle_value().write().unwrap(), triangle_bytes());
    let read = Walkmesh::read(&triangle_bytes(), &Limits::default()).unwrap();
    assert_eq!(read.differences(&triangle_value()), [""; 0]);
}

#[test]
fn a_placeable_has_five_tables_and_no_other_offsets() {
    let bytes = placeable().write().unwrap();
    assert_eq!(bytes.len(), 136 + 4 * 12 + 2 * (12 + 4 + 12 + 4));
    assert!(bytes[100..136].iter().all(|b| *b == 0));
}

#[test]
fn our_own_files_of_every_kind_come_back_identical() {
    for mesh in [floor(), placeable(), door(), Walkmesh::new(Kind::Area), Walkmesh::new(Kind::Object)] {
        let bytes = mesh.write().unwrap();
        let read = Walkmesh::read(&bytes, &Limits::default()).unwrap();
        assert_eq!(read.write().unwrap(), bytes);
        assert_eq!(read.differences(&mesh), [""; 0]);
    }
}

#[test]
fn blocks_in_any_order_with_gaps_come_back_identical() {
    let canonical = floor().write().unwrap();
    let header: Vec<u32> =
        canonical[..136].chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    // Tables by (offset word, count word, entry size); written back to front with three bytes between them.
    let tables = [
        (19, 18, 12),
        (21, 20, 12),
        (22, 20, 4),
        (23, 20, 12),
        (24, 20, 4),
        (26, 25, 44),
        (29, 28, 12),
        (31, 30, 8),
        (33, 32, 4),
    ];
    let mut bytes = canonical[..136].to_vec();
    for (offset, count, size) in tables.into_iter().rev() {
        bytes.extend([0xAB, 0xCD, 0xEF]);
        let at = bytes.len() as u32;
        let from = header[offset] as usize;
        bytes.extend(&canonical[from..from + header[count] as usize * size]);
        bytes[offset * 4..offset * 4 + 4].copy_from_slice(&at.to_le_bytes());
    }
    let read = Walkmesh::read(&bytes, &Limits::default()).unwrap();
    assert_eq!(read.differences(&floor()), [""; 0]);
    assert!(read.write().unwrap() == bytes);
    let mut edited = read.clone();
    edited.position[0] += 1.0;
    let differing = edited.write().unwrap().iter().zip(&bytes).filter(|(a, b)| a != b).count();
    assert!((1..=4).contains(&differing), "a changed position changes only its own bytes");
}

#[test]
fn material_that_stays_walkable_changes_one_word() {
    let mut mesh = floor();
    let before = mesh.clone();
    assert!(mesh.set_materials([2], 10, &Walkability::default()).is_empty());
    assert_eq!(mesh.differences(&before), ["materials[2]: 10 -> 3"]);
}

#[test]
fn material_that_stops_being_walkable_moves_the_face_and_its_references() {
    let mut mesh = floor();
    let corners = mesh.corners(0).unwrap();
    mesh.set_materials([0], NONWALK, &Walkability::default());
    assert_eq!(mesh.adjacency.len(), 5);
    assert_eq!(mesh.corners(5).unwrap(), corners, "the face is now the first that is not walkable");
    let leaf = mesh.aabb.iter().find(|n| n.face == 5).unwrap();
    assert!(corners.iter().all(|c| (0..3).all(|i| leaf.min[i] <= c[i] && c[i] <= leaf.max[i])));
    assert!(mesh.check().is_empty(), "{:?}", mesh.check().findings());
}

#[test]
fn transitions_follow_their_edges() {
    let mut mesh = floor();
    let door = mesh.edges.iter().position(|e| e.transition == 5).unwrap();
    let edge = mesh.edges[door].edge as usize;
    let ends = |m: &Walkmesh, e: usize| {
        [m.vertices[m.faces[e / 3][e % 3] as usize], m.vertices[m.faces[e / 3][(e + 1) % 3] as usize]]
    };
    let place = ends(&mesh, edge);
    mesh.faces.rotate_left(1);
    mesh.materials.rotate_left(1);
    for e in &mut mesh.edges {
        e.edge = (e.edge + 7 * 3) % 24;
    }
    assert!(mesh.rebuild(&Walkability::default()).is_empty());
    let now = mesh.edges.iter().find(|e| e.transition == 5).unwrap().edge as usize;
    assert_eq!(ends(&mesh, now), place);
}

#[test]
fn a_transition_without_border_edge_is_reported() {
    let mut mesh = floor();
    let inner = (0..18).find(|e| mesh.adjacency[e / 3][e % 3] >= 0).unwrap() as u32;
    mesh.edges.push(Edge { edge: inner, transition: 9 });
    assert_eq!(mesh.rebuild(&Walkability::default()), [Edge { edge: inner, transition: 9 }]);
}

#[test]
fn translation_keeps_all_but_places() {
    let mut mesh = floor();
    mesh.translate([100.0, -50.0, 2.0]);
    let before = floor();
    assert_eq!(
        (&mesh.adjacency, &mesh.edges, &mesh.normals, &mesh.faces),
        (&before.adjacency, &before.edges, &before.normals, &before.faces)
    );
    assert_eq!(mesh.position, [110.0, -30.0, 2.5]);
    assert!(mesh.check().is_empty(), "{:?}", mesh.check().findings());
}

#[test]
fn halves_join_once_they_are_welded() {
    let walkability = Walkability::default();
    let square = |x: f32| {
        let vertices = vec![[x, 0., 0.], [x + 1., 0., 0.], [x + 1., 1., 0.], [x, 1., 0.]];
        Walkmesh::build(Kind::Area, vertices, vec![[0, 1, 2], [0, 2, 3]], vec![GRASS; 2], &walkability)
            .unwrap()
    };
    let mut mesh = Walkmesh::merge(&[&square(0.0), &square(1.0004)], &walkability).unwrap();
    assert_eq!(mesh.perimeters.len(), 2);
    assert_eq!(mesh.weld(0.001, &walkability), Ok(2));
    assert_eq!((mesh.vertices.len(), mesh.perimeters.len(), mesh.edges.len()), (6, 1, 6));
    assert!(mesh.check().is_empty(), "{:?}", mesh.check().findings());
    assert!(mesh.weld(f32::NAN, &walkability).is_err());
}

#[test]
fn welding_to_nothing_leaves_faces_that_can_be_dropped() {
    let walkability = Walkability::default();
    let mut mesh = floor();
    mesh.vertices[1] = mesh.vertices[2];
    assert_eq!(mesh.weld(0.0, &walkability), Ok(1));
    assert_eq!(mesh.drop_degenerate(&walkability), 1);
    assert_eq!((mesh.faces.len(), mesh.aabb.len()), (7, 13));
    assert_eq!(mesh.check().at_least(galatea_wire::Severity::Error), 0, "{:?}", mesh.check().findings());
}

#[test]
fn bottomless_pits_are_walkable_unless_said_otherwise() {
    let build = |walkability: &Walkability| {
        let vertices = vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]];
        Walkmesh::build(Kind::Area, vertices, vec![[0, 1, 2]], vec![16], walkability).unwrap()
    };
    assert_eq!(build(&Walkability::default()).adjacency.len(), 1);
    assert_eq!(build(&Walkability::default().with(16, false)).adjacency.len(), 0);
}

#[test]
fn unknown_materials_survive() {
    let mut mesh = floor();
    mesh.materials[7] = 0xDEAD_BEEF;
    let read = Walkmesh::read(&mesh.write().unwrap(), &Limits::default()).unwrap();
    assert_eq!(read.materials[7], 0xDEAD_BEEF);
}

#[test]
fn building_from_nonsense_is_refused() {
    let build = |faces: Vec<[u32; 3]>, materials| {
        Walkmesh::build(Kind::Area, vec![[0.0; 3]; 3], faces, materials, &Walkability::default())
    };
    assert!(build(vec![[0, 1, 3]], vec![1]).is_err());
    assert!(build(vec![[0, 1, 2]], vec![]).is_err());
}
