//! `cargo xtask bench`: speed as ratios to memcpy of the same bytes, measured in the same run.

mod bwm;

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Args;

use crate::{Outcome, cargo, run};

#[derive(Args)]
pub(crate) struct Options {
    /// Only the benchmarks whose name contains this
    filter: Option<String>,
    /// Run here and now, in this build; without it a release build is made first
    #[arg(long, hide = true)]
    here: bool,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        if !self.here {
            let mut command: Command =
                cargo(&["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "--here"]);
            command.args(&self.filter);
            return run(&mut command, "the benchmarks");
        }
        let wanted = |name: &str| self.filter.as_deref().is_none_or(|f| name.contains(f));
        if wanted("bwm") {
            bwm::run();
        }
        Ok(())
    }
}

/// Measures reading and writing one file beside memcpy, taking turns so that all see the same machine, and prints a line.
pub(crate) fn against_memcpy(
    name: &str,
    bytes: &[u8],
    targets: (f64, f64),
    read: &dyn Fn(&[u8]),
    write: &dyn Fn(),
) {
    let mut copy = vec![0u8; bytes.len()];
    let (mut fastest_copy, mut fastest_read, mut fastest_write) = (f64::MAX, f64::MAX, f64::MAX);
    let until = Instant::now() + Duration::from_millis(1500);
    while Instant::now() < until {
        fastest_copy =
            fastest_copy.min(time(20, &mut || black_box(&mut copy).copy_from_slice(black_box(bytes))));
        fastest_read = fastest_read.min(time(5, &mut || read(black_box(bytes))));
        fastest_write = fastest_write.min(time(5, &mut || write()));
    }
    let rate = |seconds: f64| bytes.len() as f64 / seconds / 1e9;
    let verdict = |ratio: f64, target: f64| if ratio >= target { "ok" } else { "BELOW" };
    let (read_ratio, write_ratio) = (fastest_copy / fastest_read, fastest_copy / fastest_write);
    println!(
        "{name}: {} KB, memcpy {:.1} GB/s; read {:.2} GB/s = {read_ratio:.3} x memcpy (must {:.2}: {}); write {:.2} GB/s = \
         {write_ratio:.3} x (must {:.2}: {})",
        bytes.len() / 1000,
        rate(fastest_copy),
        rate(fastest_read),
        targets.0,
        verdict(read_ratio, targets.0),
        rate(fastest_write),
        targets.1,
        verdict(write_ratio, targets.1),
    );
}

/// Seconds for one call, averaged over a few.
pub(crate) fn time(calls: u32, body: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        body();
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}
