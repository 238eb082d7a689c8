//! The most memory that a document takes, from opening its file to holding what was written, in a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use galatea::disk::{Job, load};
use galatea::{Limits, open};

use crate::Outcome;

/// Returns what may be used: so many times the file, and so much besides.
pub(super) fn allowed(file: usize) -> u64 {
    4 * file as u64 + (8 << 20)
}

/// Returns the bytes a process of its own took for the document of this file; `None` where the system does not tell.
pub(super) fn peak(path: &Path) -> Option<u64> {
    let child = Command::new(std::env::current_exe().ok()?).args(["bench", "--memory"]).arg(path).output();
    String::from_utf8(child.ok()?.stdout).ok()?.trim().parse().ok()
}

/// Does what that process does: reads a document, writes it while both it and its file are still held, and prints by how much
/// the most memory of the process has grown.
pub(super) fn measure(path: PathBuf) -> Outcome {
    let unknown = || "the system does not tell how much memory a process takes".to_owned();
    let before = high_water().ok_or_else(unknown)?;
    let loaded = load(&Job::new(path)).map_err(|error| error.to_string())?;
    let document = open(&loaded.input(), &Limits::default()).map_err(|error| error.to_string())?;
    let written = document.write().map_err(|error| error.to_string())?;
    let after = high_water().ok_or_else(unknown)?;
    drop((loaded, document, written));
    println!("{}", after.saturating_sub(before));
    Ok(())
}

/// Returns the most memory this process has taken so far, in bytes, as Linux counts it.
fn high_water() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Returns the CPU time in microseconds of all processes that this one has waited for, and the most memory in bytes that one of them
/// took.
#[cfg(unix)]
pub(super) fn of_children() -> Option<(u64, u64)> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    // Linux counts kilobytes, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Some((u64::try_from(micros).ok()?, u64::try_from(usage.max_rss()).ok()? * unit))
}

/// Returns `None`: not known on this system.
#[cfg(not(unix))]
pub(super) fn of_children() -> Option<(u64, u64)> {
    None
}
