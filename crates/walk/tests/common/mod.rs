//! What several tests share.
#![allow(dead_code)] // Each test binary uses a part of it.

pub(crate) mod scenes;
pub(crate) mod wok;

use galatea_walk::{Hit, Ray, Walkmesh};

/// Counts from the environment for full runs (`GALATEA_FULL=1`), small ones otherwise.
pub(crate) fn count(small: usize, full: usize) -> usize {
    if std::env::var_os("GALATEA_FULL").is_some() { full } else { small }
}

/// All faces of a mesh in f64: first corner and two sides.
pub(crate) struct BruteForce(Vec<[[f64; 3]; 3]>);

impl BruteForce {
    pub(crate) fn new(mesh: &Walkmesh) -> Self {
        let wide = |p: [f32; 3]| p.map(f64::from);
        let sides = |face| {
            let [a, b, c] = mesh.corners(face).unwrap_or_default().map(wide);
            [a, minus(b, a), minus(c, a)]
        };
        BruteForce((0..mesh.len() as u32).map(sides).collect())
    }

    /// The nearest hit by asking every face (Möller and Trumbore).
    pub(crate) fn nearest(&self, ray: &Ray) -> Option<Hit> {
        let (o, d) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
        let mut best: Option<Hit> = None;
        for (face, [a, e1, e2]) in (0u32..).zip(&self.0) {
            let p = cross(d, *e2);
            let det = dot(*e1, p);
            let s = minus(o, *a);
            let u = dot(s, p) / det;
            // Not a number for a face seen edge-on, which is no hit.
            if !(0.0..=1.0).contains(&u) {
                continue;
            }
            let q = cross(s, *e1);
            let v = dot(d, q) / det;
            let distance = dot(*e2, q) / det;
            let hit = v >= 0.0 && u + v <= 1.0 && distance >= 0.0 && distance <= f64::from(ray.length);
            if hit && best.is_none_or(|b| distance < b.distance) {
                best = Some(Hit { face, distance });
            }
        }
        best
    }
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether two answers are the same: the same face, or distances within 1e-4.
pub(crate) fn same(a: Option<Hit>, b: Option<Hit>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.face == b.face || (a.distance - b.distance).abs() <= 1e-4,
        _ => false,
    }
}
