//! Deriving all tables of a walkmesh.

use std::hint::black_box;

use galatea::kotor::bwm::{Kind, Walkmesh};
use galatea::kotor::surface::Walkability;

use super::time;

/// Returns a bumpy area of 20,000 faces with holes of non-walkable material.
pub(super) fn area() -> galatea::Result<Walkmesh> {
    let side = 100u32;
    let vertices = (0..=side)
        .flat_map(|y| (0..=side).map(move |x| [x as f32, y as f32, ((x * 7 + y * 13) % 11) as f32 * 0.1]))
        .collect();
    let mut faces = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let a = y * (side + 1) + x;
            faces.extend([[a, a + 1, a + side + 2], [a, a + side + 2, a + side + 1]]);
        }
    }
    let materials: Vec<u32> = (0..faces.len() as u32).map(|i| if i % 17 == 0 { 7 } else { 3 }).collect();
    Walkmesh::build(Kind::Area, vertices, faces, materials, &Walkability::default())
}

pub(super) fn run() {
    let Ok(mesh) = area() else { return };
    let walkability = Walkability::default();
    let seconds = time(10, &mut || {
        let mut mesh = mesh.clone();
        mesh.rebuild(&walkability);
        black_box(mesh);
    });
    println!("kotor-bwm, all derived tables of 20,000 faces: {:.2} ms", seconds * 1e3);
}
