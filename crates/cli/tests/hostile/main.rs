//! Hostile inputs: at most 20 x their size + 150 MB of memory and ten seconds of CPU, or a clear refusal; never a panic.
//!
//! `docs/limits.md` has the figures of a release build.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod archives;
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
        // Builds for tests are larger: their own code counts in what the system tells of their memory.
        let code = if cfg!(debug_assertions) { 32 << 20 } else { 0 };
        let most = 20 * self.size() + (150 << 20) + code;
        let failed = self.runs.iter().filter_map(|(args, outcome)| {
            let Run { output, memory, seconds } = watched(folder, args);
            let said = String::from_utf8_lossy(&output.stderr);
            let exit = output.status.code();
            // 0 is fine, 1 are findings, 3 and 4 failures that were told.
            let told = matches!(exit, Some(0 | 1)) || matches!(exit, Some(3 | 4)) && !said.is_empty();
            let right = match outcome {
                Outcome::Done => exit == Some(0),
                Outcome::Refused(word) => exit != Some(0) && said.contains(word),
                Outcome::Either => true,
            };
            let small = memory <= most;
            // Builds for tests are several times slower.
            let quick = seconds <= if cfg!(debug_assertions) { 60.0 } else { 10.0 };
            let figures = format!(
                "| {} | `{}` | {:.1} MB | {:.0} MB | {seconds:.2} s | {} |",
                self.name,
                args.join(" "),
                self.size() as f64 / 1e6,
                memory as f64 / 1e6,
                said.lines().next().unwrap_or("done").rsplit_once(": ").map_or("done", |(_, why)| why)
            );
            println!("{figures}");
            let fine = told && right && small && quick && !said.contains("panicked");
            (!fine).then(|| format!("{figures} {}: {said}", output.status))
        });
        failed.collect()
    }
}

/// What a run gave.
struct Run {
    output: Output,
    /// The most memory it had at a time, in bytes, where the system tells.
    memory: usize,
    /// Seconds of CPU.
    seconds: f64,
}

/// Runs the program in a folder and watches what it takes. `GALATEA_PROGRAM` names another build of it to run.
fn watched(folder: &Path, args: &[String]) -> Run {
    let program = std::env::var("GALATEA_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_galatea").to_owned());
    let mut command = if cfg!(unix) {
        // Ends what would never end by itself.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -t 120; exec \"$0\" \"$@\"", &program]);
        command
    } else {
        Command::new(program)
    };
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let file = |path: &Path| Stdio::from(std::fs::File::create(path).unwrap());
    command
        .env("GALATEA_CACHE", "")
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file(&out))
        .stderr(file(&err));
    let mut child = command.spawn().unwrap();
    let (mut memory, mut seconds) = (0, 0.0);
    let status = loop {
        (memory, seconds) = taken(child.id()).unwrap_or((memory, seconds));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    let read = |path: &Path| std::fs::read(path).unwrap();
    Run { output: Output { status, stdout: read(&out), stderr: read(&err) }, memory, seconds }
}

/// The most memory a process had so far, and its seconds of CPU; none where the system does not tell.
fn taken(process: u32) -> Option<(usize, f64)> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let ticks = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    let ticks: f64 = ticks.filter_map(|t| t.parse::<f64>().ok()).sum();
    Some((peak.trim().strip_suffix(" kB")?.parse::<usize>().ok()? * 1024, ticks / 100.0))
}

fn try_cases(name: &str, cases: &[Case]) {
    let folder = support::scratch(&format!("hostile/{name}"));
    let all = cases.iter().enumerate();
    let failed: Vec<String> = all.flat_map(|(n, case)| case.try_all(&folder.join(n.to_string()))).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn one_bad_file_never_ends_the_batch() {
    let folder = support::scratch("hostile/batch");
    let all = gltf::cases();
    for (number, case) in all.iter().enumerate() {
        let (name, bytes) = &case.files[0];
        std::fs::write(folder.join(format!("{number}{name}")), bytes).unwrap();
    }
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/statue.glb");
    std::fs::copy(good, folder.join("statue.glb")).unwrap();
    let args = ["convert", ".", "--to", "kotor-mdl", "-o", "out"].map(str::to_owned);
    let output = watched(&folder, &args).output;
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(folder.join("out/statue.mdl").is_file() && folder.join("out/statue.mdx").is_file(), "{said}");
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

#[test]
fn archives_that_swell() {
    try_cases("archives", &archives::cases());
}
