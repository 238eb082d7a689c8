//! `cargo xtask wasm`: builds the WebAssembly module and compares what it computes in Node with the native library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use galatea_wasm::Session;

use crate::{Outcome, cargo, root, run};

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

#[derive(Args)]
pub(crate) struct Options {
    /// Build the module as it is shipped: smaller and faster, and slower to build
    #[arg(long)]
    dist: bool,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let profile = if self.dist { "dist" } else { "release" };
        let work = root().join("target/wasm");
        build("build", "galatea-wasm", &[], profile, &work)?;
        let module = work.join(TARGET).join(profile).join("galatea_wasm.wasm");
        let size = fs::metadata(&module).map_err(|e| format!("{}: {e}", module.display()))?.len();
        println!("target/wasm/{TARGET}/{profile}/galatea_wasm.wasm: {size} bytes");
        let mut compared = 0;
        for folder in ["examples", "examples/keep"] {
            compared += compare(&module, &root().join(folder), &work.join("results").join(folder))?;
        }
        println!("{compared} results of the module equal those of the native library");
        Ok(())
    }
}

/// Builds a package, with the standard library of rustup's target or one made from its source.
pub(crate) fn build(verb: &str, package: &str, what: &[&str], profile: &str, work: &Path) -> Outcome {
    let mut arguments = vec![verb, "--package", package, "--profile", profile, "--target", TARGET];
    arguments.extend(what);
    let mut command = if has_target() {
        cargo(&arguments)
    } else {
        let library = standard_library(work)?;
        let mut command = Command::new("cargo");
        command.arg("+nightly").args(arguments).arg("-Zbuild-std=std,panic_abort");
        // Where cargo looks for the sources if they are not part of the toolchain.
        command.env("__CARGO_TESTS_ONLY_SRC_ROOT", library).current_dir(root());
        command.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTDOC");
        command
    };
    run(command.arg("--target-dir").arg(work), "building the module")
}

/// Returns whether rustup has installed the target's standard library.
fn has_target() -> bool {
    let asked = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    asked.is_ok_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim()).is_dir())
}

/// Returns the `library` folder of the standard library's source, unpacked if it is an archive.
fn standard_library(work: &Path) -> Result<PathBuf, String> {
    let given = std::env::var_os("GALATEA_STD_SOURCE").map(PathBuf::from);
    let place = given.unwrap_or_else(|| root().join("../shared/wasm"));
    // Cargo compares the paths of the sources as text.
    let library =
        |place: &Path| place.join("library").canonicalize().map_err(|e| format!("{}: {e}", place.display()));
    if place.join("library/std").is_dir() {
        return library(&place);
    }
    let archive = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("rust-library-") && name.ends_with(".tar.xz")
    };
    let entries = fs::read_dir(&place).into_iter().flatten().flatten().map(|e| e.path());
    let found = if place.is_file() { Some(place) } else { entries.filter(archive).max() };
    let found = found.ok_or_else(|| {
        format!(
            "the target {TARGET} is not installed: run `rustup target add {TARGET}`, or set GALATEA_STD_SOURCE to the \
             source of the standard library and install a nightly toolchain"
        )
    })?;
    let unpacked = work.join("std").join(found.file_stem().unwrap_or_default());
    if !unpacked.join("library/std").is_dir() {
        fs::create_dir_all(&unpacked).map_err(|e| format!("{}: {e}", unpacked.display()))?;
        run(Command::new("tar").arg("-xJf").arg(&found).arg("-C").arg(&unpacked), "unpacking the source")?;
    }
    library(&unpacked)
}

/// Runs the module in Node on the files of a folder and compares every answer. Returns how many there were.
fn compare(module: &Path, folder: &Path, out: &Path) -> Result<usize, String> {
    let formats: Vec<&str> = galatea::FormatId::ALL.iter().map(|id| id.name()).collect();
    let mut node = Command::new("node");
    node.arg(root().join("xtask/wasm/run.mjs")).arg(root().join("crates/wasm/galatea.mjs"));
    node.arg(module).arg(folder).arg(out).args(&formats);
    run(&mut node, "the module in Node")?;
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| e.to_string())?.flatten().filter(|e| e.path().is_file()) {
        let bytes = fs::read(entry.path()).map_err(|e| e.to_string())?;
        files.push((entry.file_name().to_string_lossy().into_owned(), bytes));
    }
    let mut compared = 0;
    for (name, _) in &files {
        let path = out.join(format!("{name}.results"));
        let theirs = entries(&fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        let ours = native(&files, name, &formats);
        if theirs.len() != ours.len() {
            return Err(format!("{name}: {} results, natively {}", theirs.len(), ours.len()));
        }
        for (theirs, ours) in theirs.iter().zip(&ours) {
            if theirs != ours {
                return Err(format!("{name}, {}: the module gives something else", ours.label));
            }
        }
        compared += ours.len();
    }
    Ok(compared)
}

/// One call: what was asked, whether it failed, and what it gave.
#[derive(PartialEq, Eq)]
struct Answer {
    label: String,
    failed: bool,
    bytes: Vec<u8>,
}

impl Answer {
    fn new(label: String, result: Result<Vec<u8>, String>) -> Self {
        Answer { label, failed: result.is_err(), bytes: result.unwrap_or_else(String::into_bytes) }
    }
}

/// Makes the calls of `run.mjs` natively.
fn native(files: &[(String, Vec<u8>)], name: &str, formats: &[&str]) -> Vec<Answer> {
    let mut session = Session::default();
    for (name, bytes) in files {
        session.put(name, bytes.clone());
    }
    let mut answers = vec![
        Answer::new("open".into(), session.open(name).map(|()| Vec::new())),
        Answer::new("info".into(), session.info().map(String::into_bytes)),
        Answer::new("check".into(), session.check().map(String::into_bytes)),
    ];
    for format in formats {
        let converted = session.convert(format);
        let list = converted.clone().map(|list| parse_list(&list)).unwrap_or_default();
        let losses = converted.map(|_| list.losses.into_bytes());
        answers.push(Answer::new(format!("convert {format}"), losses));
        for (index, name) in list.files.iter().enumerate() {
            let bytes = session.file(index).map(<[u8]>::to_vec);
            answers.push(Answer::new(format!("{format}: {name}"), bytes));
        }
    }
    answers.push(Answer::new("render".into(), session.render(256, 256)));
    answers
}

/// What a conversion lists: the names of its files, and its losses one per line.
#[derive(Default)]
struct List {
    files: Vec<String>,
    losses: String,
}

fn parse_list(json: &str) -> List {
    let value: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    let items = |key: &str| value.get(key).and_then(|v| v.as_array()).cloned().unwrap_or_default();
    let name =
        |file: &serde_json::Value| file.get("name").and_then(|n| n.as_str()).unwrap_or_default().to_owned();
    List {
        files: items("files").iter().map(name).collect(),
        losses: items("losses").iter().map(|l| format!("{}\n", l.as_str().unwrap_or_default())).collect(),
    }
}

/// Reads what `run.mjs` wrote; stops where it is cut short.
fn entries(mut bytes: &[u8]) -> Vec<Answer> {
    fn number(bytes: &mut &[u8]) -> Option<u32> {
        let (head, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(u32::from_le_bytes(*head))
    }
    fn take(bytes: &mut &[u8]) -> Option<Vec<u8>> {
        let len = number(bytes)? as usize;
        let (head, rest) = bytes.split_at_checked(len)?;
        *bytes = rest;
        Some(head.to_vec())
    }
    let mut one = || {
        let label = String::from_utf8_lossy(&take(&mut bytes)?).into_owned();
        let failed = number(&mut bytes)? != 0;
        Some(Answer { label, failed, bytes: take(&mut bytes)? })
    };
    std::iter::from_fn(&mut one).collect()
}
