//! What every test of the program needs: a folder of its own, and the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of this name, empty.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// Runs the program, with nothing on its standard input and without the user's cache.
#[allow(dead_code, reason = "not every test binary runs it without limits")]
pub(crate) fn galatea(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_galatea"));
    program.args(args).env("GALATEA_CACHE", "").stdin(Stdio::null()).output().unwrap()
}
