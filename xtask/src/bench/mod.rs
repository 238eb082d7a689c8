//! `cargo xtask bench`: speed as ratios to memcpy of the same bytes, or to other libraries, measured in the same run.

mod archives;
mod batch;
mod edit;
mod files;
mod glb;
mod images;
mod memory;
mod text;
mod textures;
mod walkmesh;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Args;
use cpu_time::ThreadTime;

use crate::{Outcome, cargo, run};

#[derive(Args)]
pub(crate) struct Options {
    /// Only the benchmarks whose name contains this; `walk` is walkmesh queries beside other libraries, `batch` thousands of
    /// files on disk, which takes minutes and runs only if named
    filter: Option<String>,
    /// Run here and now, in this build; without it a build of what is shipped is made first
    #[arg(long, hide = true)]
    here: bool,
    /// Print the peak memory of the document of this file, and nothing else
    #[arg(long, hide = true, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// Run this command, print its CPU time in microseconds and its peak memory, and nothing else
    #[arg(long, hide = true, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true)]
    measure: Vec<OsString>,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        if let Some(path) = &self.memory {
            return memory::measure(path.clone());
        }
        if !self.measure.is_empty() {
            return batch::measure(&self.measure);
        }
        // Other people's libraries never enter the build of this workspace: they have one of their own.
        if self.filter.as_deref() == Some("walk") {
            let walk = ["run", "--quiet", "--release", "--manifest-path", "bench/walk/Cargo.toml"];
            return run(&mut cargo(&walk), "the benchmark");
        }
        if !self.here {
            if self.filter.as_deref().is_none_or(|f| f == "batch" || f == "edit") {
                run(
                    &mut cargo(&["build", "--quiet", "--profile", "dist", "--package", "galatea-cli"]),
                    "the build",
                )?;
            }
            if self.filter.as_deref() == Some("archives") {
                run(
                    &mut cargo(&["build", "--quiet", "--profile", "dist", "--package", "galatea-cli"]),
                    "the build",
                )?;
            }
            let dist = ["run", "--quiet", "--profile", "dist", "--package", "xtask", "--", "bench", "--here"];
            let mut command: Command = cargo(&dist);
            command.args(&self.filter);
            return run(&mut command, "the benchmarks");
        }
        if self.filter.as_deref() == Some("batch") {
            return batch::run();
        }
        let wanted = |name: &str| self.filter.as_deref().is_none_or(|f| name.contains(f));
        if wanted("files") {
            files::run();
        }
        if wanted("text") {
            text::run();
        }
        if wanted("glb") {
            glb::run();
        }
        if wanted("textures") {
            textures::run();
        }
        if wanted("images") {
            images::run();
        }
        if wanted("archives") {
            archives::run()?;
        }
        if wanted("edit") {
            edit::run()?;
        }
        if wanted("walkmesh") {
            walkmesh::run();
        }
        Ok(())
    }
}

/// Seconds of CPU that one call takes in this thread, averaged over a few. Others on the machine do not count.
pub(crate) fn time(calls: u32, body: &mut dyn FnMut()) -> f64 {
    let start = ThreadTime::now();
    for _ in 0..calls {
        body();
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

/// Seconds of the fastest call of each, over two seconds in which all take turns, so that all see the same machine.
pub(crate) fn fastest<const N: usize>(mut bodies: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::MAX; N];
    let until = Instant::now() + Duration::from_millis(2000);
    while Instant::now() < until {
        for (body, best) in bodies.iter_mut().zip(&mut best) {
            *best = best.min(time(2, *body));
        }
    }
    best
}
