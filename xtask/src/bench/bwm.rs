//! Walkmeshes: a synthetic area of 20,000 faces, and the largest of the corpus.

use std::hint::black_box;

use galatea::Limits;
use galatea::kotor::bwm::{Kind, Walkmesh};
use galatea::kotor::surface::Walkability;
use galatea_trial::{corpus, files};

use super::{against_memcpy, time};

pub(super) fn run() {
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
    let walkability = Walkability::default();
    if let Ok(mesh) = Walkmesh::build(Kind::Area, vertices, faces, materials, &walkability) {
        bench("bwm, 20,000 faces of our own", mesh);
    }
    let largest = corpus("kotor")
        .into_iter()
        .flat_map(|dir| files(&dir, &[".wok"]))
        .filter_map(|path| std::fs::read(path).ok())
        .max_by_key(Vec::len);
    if let Some(mesh) = largest.and_then(|bytes| Walkmesh::read(&bytes, &Limits::default()).ok()) {
        bench("bwm, largest of the corpus", mesh);
    }
}

fn bench(name: &str, mesh: Walkmesh) {
    let Ok(bytes) = mesh.write() else { return };
    let limits = Limits::default();
    against_memcpy(
        name,
        &bytes,
        (0.10, 0.15),
        &|bytes| _ = black_box(Walkmesh::read(bytes, &limits)),
        &|| _ = black_box(mesh.write()),
    );
    let walkability = Walkability::default();
    let seconds = time(3, &mut || {
        let mut mesh = mesh.clone();
        mesh.rebuild(&walkability);
        black_box(mesh);
    });
    println!("{name}: rebuilding all derived tables takes {:.2} ms", seconds * 1e3);
}
