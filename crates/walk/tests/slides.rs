//! A moving circle slides along borders, never through them.

#![allow(clippy::indexing_slicing, clippy::expect_used)] // Helpers of tests fail the test they help.

mod common;

use common::scenes::{self, Random};
use common::{count, wok};
use galatea_walk::Walkmesh;

fn borders(mesh: &Walkmesh) -> Vec<[[f64; 2]; 2]> {
    let mut out = Vec::new();
    for face in (0..mesh.len() as u32).filter(|f| mesh.is_walkable(*f)) {
        let c = mesh.corners(face).expect("a face").map(|p| [f64::from(p[0]), f64::from(p[1])]);
        let free = (0..3usize).filter(|e| mesh.neighbour(face, *e as u32).is_none());
        out.extend(free.map(|e| [c[e], c[(e + 1) % 3]]));
    }
    out
}

fn clearance(borders: &[[[f64; 2]; 2]], p: [f64; 2]) -> f64 {
    borders.iter().fold(f64::INFINITY, |m, [a, b]| {
        let d = [b[0] - a[0], b[1] - a[1]];
        let t = ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]).max(1e-30);
        let t = t.clamp(0.0, 1.0);
        let e = [p[0] - a[0] - d[0] * t, p[1] - a[1] - d[1] * t];
        m.min((e[0] * e[0] + e[1] * e[1]).sqrt())
    })
}

#[test]
fn a_circle_wanders_through_the_maze_and_never_touches_a_wall() {
    let (positions, faces) = scenes::navmesh();
    let near = |v: &u32| positions[*v as usize][0] < 40.0 && positions[*v as usize][1] < 40.0;
    let faces = faces.iter().filter(|f| f.iter().all(near)).copied().collect();
    let mesh = Walkmesh::new(scenes::surface((positions.clone(), faces))).expect("sound");
    let borders = borders(&mesh);
    let mut g = Random(12);
    let radius = 0.4f32;
    let mut walked = 0.0f64;
    for _ in 0..40 {
        let face = g.below(mesh.len()) as u32;
        let c = mesh.corners(face).expect("a face");
        let mut at = [0, 1, 2].map(|k| (c[0][k] + c[1][k] + c[2][k]) / 3.0);
        if clearance(&borders, [at[0].into(), at[1].into()]) < f64::from(radius) {
            continue;
        }
        let mut on = face;
        let mut step = [g.range(-1.0, 1.0), g.range(-1.0, 1.0)];
        for _ in 0..count(100, 2000) {
            if g.below(10) == 0 {
                step = [g.range(-1.0, 1.0), g.range(-1.0, 1.0)];
            }
            let end = mesh.slide(on, at, step, radius, 2.0).expect("on the surface");
            let now = clearance(&borders, [end.point[0].into(), end.point[1].into()]);
            assert!(now >= f64::from(radius) - 1e-3, "{now} from {at:?} by {step:?} to {end:?}");
            let moved = [end.point[0] - at[0], end.point[1] - at[1]];
            let length = (moved[0] * moved[0] + moved[1] * moved[1]).sqrt();
            let asked = (step[0] * step[0] + step[1] * step[1]).sqrt();
            assert!(length <= asked + 1e-3);
            assert!(!end.touched.is_empty() || length > asked - 1e-3, "stopped without a wall: {end:?}");
            walked += f64::from(length);
            (on, at) = (end.face, end.point);
        }
    }
    assert!(walked > 500.0, "walked {walked} m");
}

#[test]
#[ignore = "needs the corpus"]
fn corpus_walks_stay_on_walkable_faces() {
    for (path, surface) in wok::corpus().into_iter().take(20) {
        let mesh = Walkmesh::new(surface).expect("a sound file");
        let mut g = Random(13);
        let mut on = (0..mesh.len() as u32).find(|f| mesh.is_walkable(*f)).expect("a walkable face");
        let c = mesh.corners(on).expect("a face");
        let mut at = [0, 1, 2].map(|k| (c[0][k] + c[1][k] + c[2][k]) / 3.0);
        for _ in 0..count(300, 10_000) {
            let end =
                mesh.slide(on, at, [g.range(-2.0, 2.0), g.range(-2.0, 2.0)], 0.2, 2.0).expect("still on it");
            assert!(
                mesh.is_walkable(end.face) && end.point.iter().all(|c| c.is_finite()),
                "{}",
                wok::name(&path)
            );
            (on, at) = (end.face, end.point);
        }
    }
}

#[test]
fn senseless_moves_are_refused() {
    let mesh = Walkmesh::new(scenes::surface(scenes::grid(2, 2, 2.0, 0.0))).expect("sound");
    assert!(mesh.slide(0, [f32::NAN, 0.0, 0.0], [1.0, 0.0], 0.5, 2.0).is_none());
    assert!(mesh.slide(99, [1.0, 0.5, 0.0], [1.0, 0.0], 0.5, 2.0).is_none());
    let still = mesh.slide(0, [1.5, 0.5, 0.0], [0.0, 0.0], 0.1, 2.0).expect("standing still is fine");
    assert_eq!((still.point[0], still.point[1]), (1.5, 0.5));
}
