//! Walkmesh queries beside other libraries: the same work, in one run, on one core.

#[allow(dead_code)] // Shared with the tests, which use all of it.
#[path = "../../../crates/walk/tests/common/scenes.rs"]
mod scenes;

mod paths;
mod rays;

use std::time::Instant;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let run = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    if run("paths") {
        paths::run();
    }
    if run("rays") {
        rays::run();
    }
}

/// Runs each piece of work in turn, several times, and returns for each the best rate in millions per second and its answer.
/// Taking turns lets noise on the machine fall on all of them alike; time spent waiting for a core does not count.
fn rates<const N: usize>(
    count: usize,
    runs: usize,
    mut work: [&mut dyn FnMut() -> usize; N],
) -> [(f64, usize); N] {
    let mut out = [(0.0f64, 0); N];
    for _ in 0..runs {
        for (work, out) in work.iter_mut().zip(&mut out) {
            let start = seconds();
            out.1 = work();
            out.0 = out.0.max(count as f64 / (seconds() - start) / 1e6);
        }
    }
    out
}

/// Seconds this thread has run on a core; on systems that do not tell, seconds of the clock.
fn seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    // Giving the core up for a moment brings the kernel's count up to date.
    std::thread::sleep(std::time::Duration::from_micros(50));
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|t| t.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |n| n * 1e-9)
}

/// Returns whether what must be reached was reached.
fn verdict(reached: bool) -> &'static str {
    if reached { "ok" } else { "BELOW" }
}
