//! Damaged walkmeshes and layouts: every query comes to an end, whatever the tables say.

#![allow(clippy::indexing_slicing, clippy::expect_used)] // Helpers of tests fail the test they help.

mod common;

use common::{scenes, wok};
use galatea_robustness::Trial;
use galatea_walk::{
    Agent, Area, Effort, Layout, Materials, Navigator, Ray, Reach, Room, Transform, Walkmesh,
};
use galatea_wire::{Error, Limits};

/// A small WOK with adjacency, transitions and a tree that has a leaf per face.
fn fixture() -> Vec<u8> {
    let surface = scenes::surface(scenes::grid(3, 2, 2.0, 0.0));
    let mesh = Walkmesh::new(surface.clone()).expect("sound");
    let faces = surface.faces.len();
    let mut tables: Vec<Vec<u8>> = vec![Vec::new(); 6];
    let put = |table: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|w| table.extend(w.to_le_bytes()));
    surface.positions.iter().for_each(|p| put(&mut tables[0], &p.map(f32::to_bits)));
    surface.faces.iter().for_each(|f| put(&mut tables[1], f));
    surface.materials.iter().for_each(|m| put(&mut tables[2], &[*m]));
    // A chain of nodes: a leaf to the left, the rest to the right.
    for i in 0..2 * faces as u32 - 1 {
        put(&mut tables[3], &[-9.0f32, -9.0, -9.0, 9.0, 9.0, 9.0].map(f32::to_bits));
        let leaf = i % 2 == 1 || i + 2 == 2 * faces as u32;
        let face = if i + 2 == 2 * faces as u32 { faces as u32 - 1 } else { i / 2 };
        let children = if leaf { [u32::MAX; 2] } else { [i + 1, i + 2] };
        put(&mut tables[3], &[if leaf { face } else { u32::MAX }, 4, 1, children[0], children[1]]);
    }
    for face in 0..faces as u32 {
        let link = |e| mesh.neighbour(face, e).map_or(u32::MAX, |(f, e)| 3 * f + e);
        put(&mut tables[4], &[link(0), link(1), link(2)]);
    }
    put(&mut tables[5], &[0, 7]);
    let mut out = b"BWM V1.0".to_vec();
    out.resize(72, 0);
    let mut at = 136;
    let starts: Vec<u32> = tables
        .iter()
        .map(|t| {
            at += t.len() as u32;
            at - t.len() as u32
        })
        .collect();
    let n = faces as u32;
    let head = [
        surface.positions.len() as u32,
        starts[0],
        n,
        starts[1],
        starts[2],
        0,
        0,
        2 * n - 1,
        starts[3],
        0,
        n,
        starts[4],
        1,
        starts[5],
        0,
        0,
    ];
    put(&mut out, &head);
    tables.iter().for_each(|t| out.extend(t));
    out
}

/// Everything the crate can do with a walkmesh.
fn ask_everything(bytes: &[u8]) -> Result<(), Error> {
    let surface = wok::read(bytes)?;
    // A face that names a vertex which is not there is an error without a place; it is refused, and that is all.
    let Ok(mesh) = Walkmesh::new(surface.clone()) else { return Ok(()) };
    let rays = [
        Ray::new([1.3, 1.1, 9.0], [0.0, 0.0, -1.0]),
        Ray::new([0.0, 0.0, 9.0], [0.4, 0.3, -1.0]),
        Ray::between([0.1, 0.1, 2.0], [5.9, 3.9, 0.0]),
    ];
    for ray in &rays {
        let _ = (
            mesh.nearest(ray, Materials::ALL),
            mesh.any_hit(ray, Materials::ALL),
            mesh.all_hits(ray, Materials::ALL),
        );
        let _ = mesh.stored_tree().map(|t| (t.nearest(&mesh, ray, Materials::ALL), t.check(&mesh)));
    }
    let _ = mesh.locate([1.0, 1.0, 5.0], Reach::default());
    let _ = mesh.closest_point([1.0, 1.0, 5.0], f32::INFINITY);
    let _ = mesh.slide(0, [1.0, 0.5, 0.0], [3.0, 2.0], 0.3, 5.0);
    for agent in
        [Agent::default(), Agent::default().with_radius(0.3), Agent::default().with_costs(vec![(4, 2.0)])]
    {
        let mut navigator = Navigator::new(&mesh, &agent);
        for effort in [Effort::Exact, Effort::Fast] {
            if effort == Effort::Fast {
                navigator.prepare();
            }
            let _ = navigator.route([0.5, 0.5, 5.0], [5.5, 3.5, 5.0], effort);
            let _ = navigator.route_between(
                (0, [0.5, 0.5]),
                ((mesh.len() as u32).saturating_sub(1), [5.5, 3.5]),
                effort,
            );
        }
    }
    let beside = Room { surface: surface.clone(), place: Transform::at([6.0, 0.0, 0.0]), ..Room::default() };
    let _ = Area::new(vec![Room { surface, ..Room::default() }, beside], Area::TOLERANCE);
    Ok(())
}

#[test]
fn the_fixture_is_sound() {
    let mesh = Walkmesh::new(wok::read(&fixture()).expect("a WOK")).expect("sound");
    assert_eq!((mesh.len(), mesh.dropped_links(), mesh.transition(0, 0)), (12, 0, Some(7)));
    assert!(mesh.stored_tree().expect("a tree").check(&mesh).is_empty());
}

#[test]
fn damaged_walkmeshes_never_hang_or_panic() {
    let bytes = fixture();
    let trial = Trial { name: "wok", bytes: &bytes, read: &ask_everything };
    trial.words((72..136).step_by(4));
    trial.words((136..bytes.len()).step_by(4 * 7));
    let tally = trial.mutations(42, 600);
    assert!(tally.opened > 100, "{tally:?}");
}

#[test]
fn damaged_layouts_name_the_line() {
    let text = "#MAXLAYOUT ASCII\nfiledependancy a.max\nbeginlayout\n   roomcount 2\n      a 1.0 2.0 0.0\n      **** 3.0 4.0 0.0\n   doorhookcount 1\n      a door_01 0 1.0 2.0 3.0 1.0 0.0 0.0 0.0\ndonelayout\n";
    let read = |bytes: &[u8]| Layout::parse(&String::from_utf8_lossy(bytes), &Limits::default()).map(|_| ());
    let trial = Trial { name: "lyt", bytes: text.as_bytes(), read: &read };
    let tally = trial.cuts() + trial.flips() + trial.mutations(7, 2000);
    assert!(tally.opened > 500 && tally.opened < tally.tried, "{tally:?}");
}
