//! Hostile inputs: at most 20 x their size + 150 MB of memory and ten seconds of CPU, or a clear refusal; never a panic.
//!
//! `docs/limits.md` has the figures of a release build.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod gltf;
mod images;
mod layouts;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a command must do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Exit with 0.
    Done,
    /// Fail, with this in its message.
    Refused(&'static str),
    /// One or the other: formats differ in what they can hold.
    Either,
}

/// Files, and commands to run on them.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) runs: Vec<(Vec<String>, Outcome)>,
}

pub(crate) fn case(name: &'static str) -> Case {
    Case { name, files: Vec::new(), runs: Vec::new() }
}

impl Case {
    pub(crate) fn file(mut self, name: &str, bytes: Vec<u8>) -> Case {
        self.files.push((name.to_owned(), bytes));
        self
    }

    pub(crate) fn run(mut self, args: &[&str], outcome: Outcome) -> Case {
        self.runs.push((args.iter().map(|a| (*a).to_owned()).collect(), outcome));
        self
    }

    /// Bytes of all files.
    fn size(&self) -> usize {
        self.files.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Writes the files and runs every command under the limits. Returns what went wrong.
    fn try_all(&self, folder: &Path) -> Vec<String> {
        std::fs::create_dir_all(folder).unwrap();
        for (name, bytes) in &self.files {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        let most = 20 * self.size() + (150 << 20);
        let failed = self.runs.iter().filter_map(|(args, outcome)| {
            let output = limited(folder, args, most);
            let said = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            // 0 is fine, 1 are findings, 3 and 4 failures that were told.
            let told = matches!(code, Some(0 | 1)) || matches!(code, Some(3 | 4)) && !said.is_empty();
            let right = match outcome {
                Outcome::Done => code == Some(0),
                Outcome::Refused(word) => code != Some(0) && said.contains(word),
                Outcome::Either => true,
            };
            let line = || format!("{}: galatea {}: {}: {said}", self.name, args.join(" "), output.status);
            (!told || !right || said.contains("panicked")).then(line)
        });
        failed.collect()
    }
}

/// Runs the program in a folder, with an end to its memory and its time where a shell can set one.
fn limited(folder: &Path, args: &[String], memory: usize) -> Output {
    let program = env!("CARGO_BIN_EXE_galatea");
    let mut command = if cfg!(unix) {
        // A build for tests is several times slower. Addresses are more than memory: the program itself and its stacks.
        let seconds = if cfg!(debug_assertions) { 60 } else { 10 };
        let limits =
            format!("ulimit -t {seconds}; ulimit -v {}; exec \"$0\" \"$@\"", (memory + (100 << 20)) / 1024);
        let mut command = Command::new("sh");
        command.args(["-c", &limits, program]);
        command
    } else {
        Command::new(program)
    };
    command.args(args).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn try_cases(name: &str, cases: &[Case]) {
    let folder = support::scratch(&format!("hostile/{name}"));
    let all = cases.iter().enumerate();
    let failed: Vec<String> = all.flat_map(|(n, case)| case.try_all(&folder.join(n.to_string()))).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn documents_that_multiply() {
    try_cases("gltf", &gltf::cases());
}

#[test]
fn images_that_swell() {
    try_cases("images", &images::cases());
}

#[test]
fn layouts_of_too_many_rooms() {
    try_cases("layouts", &layouts::cases());
}
