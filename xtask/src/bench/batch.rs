//! Batches on disk: CPU time per file over few and over many models, in one folder and in a thousand, and peak memory.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::memory;
use crate::{Outcome, root};

/// Models of the small and of the large batch.
const FEW: usize = 400;
const MANY: usize = 8000;
/// Folders that the large batch is spread over.
const FOLDERS: usize = 1000;
/// By how much CPU time per file may differ between the batches.
const MAY: f64 = 0.20;
/// The most memory that a batch may take.
const MEMORY: u64 = 150_000_000;
/// A batch: its name, its models, the folders they are spread over, and how often it is measured; the least counts. What a
/// single model takes is mostly the start of the program, which is no part of the time per file.
const BATCHES: [(&str, usize, usize, usize); 4] =
    [("one", 1, 1, 5), ("few", FEW, 1, 5), ("many", MANY, 1, 2), ("spread", MANY, FOLDERS, 2)];

/// The examples that the models are copies of: files of one model together.
const MODELS: [&[&str]; 6] = [
    &["statue.mdl", "statue.mdx"],
    &["statue_800.mdx"],
    &["statue_1000.mdx"],
    &["statue_800.mdl"],
    &["statue.fmdl"],
    &["room.wok"],
];
/// The textures of the examples, which every folder has.
const TEXTURES: [&str; 2] = ["statue.tga", "statue.blp"];

/// What is measured: the arguments before and after the folder of models. `OUT` stands for a path to write to.
const VERBS: [(&str, &[&str], &[&str]); 6] = [
    ("info", &["info"], &[]),
    ("check", &["check"], &[]),
    ("roundtrip", &["roundtrip"], &[]),
    ("textures", &["textures"], &[]),
    ("convert", &["convert"], &["--to", "glb", "-o", "OUT"]),
    ("render --sheet", &["render"], &["--sheet", "--size", "24", "-o", "OUT"]),
];

/// CPU time and peak memory of a process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage {
    pub(super) seconds: f64,
    peak: u64,
}

/// A folder that is removed in the end.
pub(super) struct Temporary(pub(super) PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Left over, it only takes space.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the program that was built like this one.
pub(super) fn program() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let program = program.with_file_name(format!("galatea{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        return Err("no release build of the program; run `cargo build --release -p galatea-cli`".into());
    }
    Ok(program)
}

pub(super) fn run() -> Outcome {
    let program = program()?;
    let place = std::env::temp_dir().join(format!("galatea-bench-{}", std::process::id()));
    let place = Temporary(place);
    for (name, models, folders, _) in BATCHES {
        make(&place.0.join(name), models, folders).map_err(|e| format!("{}: {e}", place.0.display()))?;
    }
    println!(
        "CPU time per file without the start of the program: {FEW} models in one folder, {MANY} in one, {MANY} in {FOLDERS} (may differ by {:.0} %), \
         and peak memory (may be {} MB)",
        MAY * 100.0,
        MEMORY / 1_000_000
    );
    for (verb, before, behind) in VERBS {
        let mut usages = Vec::new();
        for (name, _, _, times) in BATCHES {
            let mut least: Option<Usage> = None;
            for _ in 0..times {
                let new = once(&program, &place.0, name, before, behind)?;
                let both = |old: Usage| Usage {
                    seconds: old.seconds.min(new.seconds),
                    peak: old.peak.max(new.peak),
                };
                least = Some(least.map_or(new, both));
            }
            usages.extend(least);
        }
        if let [one, few, many, spread] = usages.as_slice() {
            report(verb, one, [few, many, spread]);
        }
    }
    Ok(())
}

/// Returns what a verb uses for a batch once; what it writes is removed again.
fn once(
    program: &Path,
    place: &Path,
    batch: &str,
    before: &[&str],
    behind: &[&str],
) -> Result<Usage, String> {
    let out = Temporary(place.join("out"));
    let fill = |a: &&str| if *a == "OUT" { out.0.clone().into_os_string() } else { OsString::from(a) };
    let mut arguments: Vec<OsString> = before.iter().map(fill).collect();
    arguments.push(place.join(batch).into_os_string());
    arguments.extend(behind.iter().map(fill));
    let usage = in_process(program, &arguments, Path::new(""))?;
    if out.0.is_file() {
        fs::remove_file(&out.0).map_err(|e| e.to_string())?;
    }
    Ok(usage)
}

fn report(verb: &str, one: &Usage, batches: [&Usage; 3]) {
    let [few, many, spread] = batches;
    let each = |usage: &Usage, models: usize| (usage.seconds - one.seconds) / (models - 1) as f64;
    let [few_each, many_each, spread_each] = [each(few, FEW), each(many, MANY), each(spread, MANY)];
    let peak = batches.iter().map(|usage| usage.peak).max().unwrap_or(0);
    let straight = (many_each / few_each - 1.0).abs() <= MAY;
    println!(
        "{verb:<15} {:7.3} ms  {:7.3} ms ({:.2} x)  {:7.3} ms ({:.2} x)  {:4} MB  {}",
        few_each * 1e3,
        many_each * 1e3,
        many_each / few_each,
        spread_each * 1e3,
        spread_each / few_each,
        peak / 1_000_000,
        if straight && peak <= MEMORY { "ok" } else { "ABOVE" }
    );
}

/// Makes so many models, spread evenly over folders, each with the textures. Files are links to one copy, which is as good and
/// takes no space.
fn make(place: &Path, models: usize, folders: usize) -> io::Result<()> {
    let originals = place.with_extension("originals");
    fs::create_dir_all(&originals)?;
    let examples = root().join("examples");
    for name in MODELS.concat().into_iter().chain(TEXTURES) {
        fs::copy(examples.join(name), originals.join(name))?;
    }
    let link = |name: &str, to: PathBuf| {
        let from = originals.join(name);
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(|_| ()))
    };
    for folder in 0..folders {
        let here = if folders == 1 { place.to_path_buf() } else { place.join(format!("f{folder:04}")) };
        fs::create_dir_all(&here)?;
        for name in TEXTURES {
            link(name, here.join(name))?;
        }
        for number in (folder..models).step_by(folders) {
            // The same kind for the same number in every batch; each of a thousand folders has all kinds.
            let files = MODELS.get((number / FOLDERS + number) % MODELS.len());
            for name in files.into_iter().copied().flatten() {
                let extension = Path::new(name).extension().unwrap_or_default();
                link(name, here.join(format!("m{number:05}")).with_extension(extension))?;
            }
        }
    }
    Ok(())
}

/// Returns what a process of its own uses, measured by another process, whose only child it is. It keeps indices of archives in a folder, or none.
pub(super) fn in_process(program: &Path, arguments: &[OsString], cache: &Path) -> Result<Usage, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(own)
        .args(["bench", "--measure"])
        .arg(program)
        .args(arguments)
        .env("GALATEA_CACHE", cache)
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace().map(str::parse::<u64>);
    match (words.next(), words.next()) {
        (Some(Ok(micros)), Some(Ok(peak))) => Ok(Usage { seconds: micros as f64 / 1e6, peak }),
        _ => Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Does what that other process does: runs the program, and prints its CPU time in microseconds and its peak memory in bytes.
pub(super) fn measure(command: &[OsString]) -> Outcome {
    let (program, arguments) = command.split_first().ok_or("no program")?;
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|e| e.to_string())?;
    // Findings are no failure.
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(format!("the program ended with {status}"));
    }
    let (micros, peak) = memory::of_children().ok_or("the system does not tell what a process used")?;
    println!("{micros} {peak}");
    Ok(())
}
