//! What several tests share.
#![allow(dead_code)] // Each test binary uses a part of it.

pub(crate) mod scenes;
pub(crate) mod wok;

use galatea_walk::{Hit, Ray, Walkmesh};

/// Counts from the environment for full runs (`GALATEA_FULL=1`), small ones otherwise.
pub(crate) fn count(small: usize, full: usize) -> usize {
    if std::env::var_os("GALATEA_FULL").is_some() { full } else { small }
}

/// The nearest hit by asking every face, in f64 (Möller and Trumbore).
pub(crate) fn brute_force(mesh: &Walkmesh, ray: &Ray) -> Option<Hit> {
    let wide = |p: [f32; 3]| p.map(f64::from);
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (o, d) = (wide(ray.origin), wide(ray.direction));
    let mut best: Option<Hit> = None;
    for face in 0..mesh.len() as u32 {
        let [a, b, c] = mesh.corners(face).expect("a face").map(wide);
        let (e1, e2) = (minus(b, a), minus(c, a));
        let p = cross(d, e2);
        let det = dot(e1, p);
        if det == 0.0 {
            continue;
        }
        let s = minus(o, a);
        let u = dot(s, p) / det;
        let q = cross(s, e1);
        let v = dot(d, q) / det;
        let distance = dot(e2, q) / det;
        let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
        if inside
            && distance >= 0.0
            && distance <= f64::from(ray.length)
            && best.is_none_or(|b| distance < b.distance)
        {
            best = Some(Hit { face, distance });
        }
    }
    best
}

/// Whether two answers are the same: the same face, or distances within 1e-4.
pub(crate) fn same(a: Option<Hit>, b: Option<Hit>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.face == b.face || (a.distance - b.distance).abs() <= 1e-4,
        _ => false,
    }
}
