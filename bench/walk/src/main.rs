//! Walkmesh queries beside other libraries: the same work, in one run, on one core.

#[allow(dead_code)] // Shared with the tests, which use all of it.
#[path = "../../../crates/walk/tests/common/scenes.rs"]
mod scenes;

mod rays;

use std::time::Instant;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let run = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    if run("rays") {
        rays::run();
    }
}

/// The best of several runs, in millions per second.
fn rate(count: usize, runs: usize, mut work: impl FnMut() -> usize) -> (f64, usize) {
    let mut best = f64::INFINITY;
    let mut answer = 0;
    for _ in 0..runs {
        let start = Instant::now();
        answer = work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    (count as f64 / best / 1e6, answer)
}
