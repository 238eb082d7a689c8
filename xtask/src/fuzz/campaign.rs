//! Runs targets, each on its own corpus, and keeps what they found.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::report::{Finding, TargetResult};
use super::{dictionary, seeds};
use crate::{Outcome, root};

/// Seconds that one input may take. Coverage and debug assertions make everything several times slower than it is.
const TIMEOUT: u32 = 25;

/// How many times the processor time a run may last on a busy machine.
const BUSY: u32 = 20;

/// The unit of times in `/proc`, the same on every Linux in use.
const TICKS_PER_SECOND: f64 = 100.0;

/// What all runs have in common.
pub(super) struct Campaign {
    seconds: u32,
    max_len: u32,
    /// The folder of the built targets.
    binaries: PathBuf,
    /// The folder of inputs that break a promise, one for each target.
    artifacts: PathBuf,
    /// The folder of the corpora, one for each target.
    corpus: PathBuf,
    /// The folder of seeds, dictionaries and logs.
    scratch: PathBuf,
}

impl Campaign {
    /// Prepares runs of so many seconds of processor time; corpora are kept in `$GALATEA_FUZZ`, or else in `fuzz/corpus`.
    pub(super) fn new(seconds: u32, max_len: u32) -> Result<Self, String> {
        let fuzz = root().join("fuzz");
        let fuzz = fuzz.canonicalize().map_err(|e| at(&fuzz, e))?;
        let corpus = std::env::var_os("GALATEA_FUZZ").map_or_else(|| fuzz.join("corpus"), PathBuf::from);
        let target = fuzz.join("target");
        let binaries = target.join(host()?).join("release");
        let (artifacts, scratch) = (fuzz.join("artifacts"), target.join("fuzzing"));
        Ok(Campaign { seconds, max_len, binaries, artifacts, corpus, scratch })
    }

    /// Runs the targets in turn, so many at a time. A finding ends the run of its target only.
    pub(super) fn run(&self, targets: &[String], jobs: u8) -> Result<Vec<TargetResult>, String> {
        let queue = Mutex::new(targets.iter().enumerate());
        let results = Mutex::new(Vec::new());
        let work = || -> Outcome {
            loop {
                let next = queue.lock().map_err(|e| e.to_string())?.next();
                let Some((number, target)) = next else { return Ok(()) };
                println!("{target} ({} of {})", number + 1, targets.len());
                let result = self.target(target).unwrap_or_else(|error| TargetResult::failed(target, error));
                println!("{}", result.line());
                results.lock().map_err(|e| e.to_string())?.push((number, result));
            }
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a run panicked")?)
        })?;
        let mut results = results.into_inner().map_err(|e| e.to_string())?;
        results.sort_by_key(|(number, _)| *number);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    /// Runs one target, then merges what it found into the corpus.
    fn target(&self, target: &str) -> Result<TargetResult, String> {
        let corpus = self.corpus.join(target);
        let seeds = self.scratch.join("seeds").join(target);
        let artifacts = self.artifacts.join(target);
        let (dictionaries, logs) = (self.scratch.join("dictionaries"), self.scratch.join("logs"));
        for folder in [&corpus, &artifacts, &dictionaries, &logs] {
            create(folder)?;
        }
        empty(&seeds)?;
        seeds::write(target, &seeds)?;
        let dictionary = dictionaries.join(format!("{target}.dict"));
        fs::write(&dictionary, dictionary::text(target)).map_err(|e| at(&dictionary, e))?;
        let log = logs.join(format!("{target}.log"));
        let child = self
            .binary(target, &log)?
            .args([&corpus, &seeds])
            .arg(format!("-max_total_time={}", self.seconds.saturating_mul(BUSY)))
            .arg(format!("-max_len={}", self.max_len))
            .arg(format!("-timeout={TIMEOUT}"))
            .arg(format!("-dict={}", dictionary.display()))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .args(["-rss_limit_mb=2048", "-print_final_stats=1"])
            .spawn()
            .map_err(|e| format!("{target} could not be started: {e}"))?;
        let (status, seconds) = wait_for(child, self.seconds).map_err(|e| format!("{target}: {e}"))?;
        let text = fs::read(&log).map_err(|e| at(&log, e))?;
        let text = String::from_utf8_lossy(&text);
        let finding = (!status.success()).then(|| Finding::of(&text, &log));
        self.minimize(target, &corpus, &seeds)?;
        let (files, bytes) = size(&corpus);
        Ok(TargetResult::of(target, &text, seconds, files, bytes, finding))
    }

    /// Replaces a corpus by the fewest inputs that cover as much.
    fn minimize(&self, target: &str, corpus: &Path, seeds: &Path) -> Outcome {
        let merged = self.scratch.join("merged").join(target);
        empty(&merged)?;
        let log = self.scratch.join("logs").join(format!("{target}.merge.log"));
        let status = self
            .binary(target, &log)?
            .args(["-merge=1", "-rss_limit_mb=2048"])
            .arg(format!("-timeout={TIMEOUT}"))
            .arg(format!("-artifact_prefix={}/", self.scratch.join("merged").display()))
            .args([&merged, corpus, seeds])
            .status()
            .map_err(|e| format!("{target} could not be started: {e}"))?;
        if !status.success() {
            return Err(format!("the corpus of {target} could not be merged; see {}", log.display()));
        }
        // What is already there stays until all of the new is, so that a stopped run loses nothing.
        let names = |folder: &Path| -> Result<Vec<_>, String> {
            let entries = fs::read_dir(folder).map_err(|e| at(folder, e))?;
            Ok(entries.flatten().map(|e| e.file_name()).collect())
        };
        let kept = names(&merged)?;
        for name in &kept {
            fs::copy(merged.join(name), corpus.join(name)).map_err(|e| at(corpus, e))?;
        }
        for name in names(corpus)?.iter().filter(|name| !kept.contains(name)) {
            fs::remove_file(corpus.join(name)).map_err(|e| at(corpus, e))?;
        }
        Ok(())
    }

    /// Returns a built target that writes what it says to a log.
    fn binary(&self, target: &str, log: &Path) -> Result<Command, String> {
        let mut command = Command::new(self.binaries.join(target));
        let log = File::create(log).map_err(|e| at(log, e))?;
        command.stdout(Stdio::null()).stderr(log).stdin(Stdio::null());
        Ok(command)
    }
}

/// Waits until a run ends, or ends it once it has had so many seconds of processor time. Returns the seconds it had.
fn wait_for(mut child: Child, goal: u32) -> std::io::Result<(ExitStatus, f64)> {
    let start = Instant::now();
    let mut seconds = 0.0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, seconds));
        }
        seconds = processor_seconds(child.id()).unwrap_or_else(|| start.elapsed().as_secs_f64());
        if seconds >= f64::from(goal) {
            stop(&child);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Returns the processor time that a process has used, where `/proc` tells it.
fn processor_seconds(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name is in parentheses and may hold spaces; user and system time are the 12th and 13th fields after it.
    let mut times = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks = times.next()?.parse::<f64>().ok()? + times.next()?.parse::<f64>().ok()?;
    Some(ticks / TICKS_PER_SECOND)
}

/// Asks libFuzzer to end with its figures. Elsewhere than on Unix it ends at its own time limit.
fn stop(child: &Child) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, kill};
        let process = i32::try_from(child.id()).map(nix::unistd::Pid::from_raw);
        // A run that has just ended by itself needs no signal.
        let _ = process.map(|process| kill(process, Signal::SIGUSR1));
    }
}

fn at(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn create(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|e| at(folder, e))
}

/// Makes a folder that has nothing in it.
fn empty(folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| at(folder, e))?;
    }
    create(folder)
}

/// Returns the files of a folder, and their bytes.
fn size(folder: &Path) -> (usize, u64) {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|f| f.metadata().ok()).fold((0, 0), |(count, bytes), f| (count + 1, bytes + f.len()))
}

/// Returns the machine that is compiled for, as rustc names it.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its host".into())
}
