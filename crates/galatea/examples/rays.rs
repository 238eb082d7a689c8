//! Casts rays straight down and obliquely at a walkmesh, and prints how long one takes: `rays FILE [COUNT]`.

use std::time::Instant;

use galatea::walk::{Materials, Ray, Walkmesh};
use galatea::{Ground, Input, Limits, SceneContext};

/// Runs, of which the fastest counts.
const RUNS: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("name a walkmesh")?;
    let count: usize = std::env::args().nth(2).map_or(Ok(1_000_000), |n| n.parse())?;
    let bytes = std::fs::read(path)?;
    let ground = Ground::read(&Input::new(&bytes), &Limits::default(), &SceneContext::new("room"))?;
    let mesh = Walkmesh::new(ground.ok_or("nothing to walk on")?.surface)?;
    mesh.prepare();
    let rays = rays(count);
    let mut best = f64::INFINITY;
    let mut hits = 0;
    for _ in 0..RUNS {
        let before = cpu_seconds();
        hits = rays.iter().filter(|ray| mesh.nearest(ray, Materials::ALL).is_some()).count();
        best = best.min((cpu_seconds() - before) / count as f64);
    }
    println!("{:.1} ns per ray, {hits} of {count} hit", best * 1e9);
    Ok(())
}

/// Rays from a box of 10 x 10 x 10, the same in every run and in `python/tests/measure.py`.
fn rays(count: usize) -> Vec<Ray> {
    let mut state = 1u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let mut one = || {
        let origin = [next() * 10.0, next() * 10.0, next() * 10.0];
        Ray::new(origin, [next() - 0.5, next() - 0.5, -1.0])
    };
    (0..count).map(|_| one()).collect()
}

/// Returns the time that this thread has run on a core, where the system tells, so that others on it do not count.
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(wall_seconds, |ns| ns * 1e-9)
}

fn wall_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
