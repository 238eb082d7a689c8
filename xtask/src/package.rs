//! `cargo xtask package`: what crates.io would get, and whether it is fit to be published.

use std::fs;
use std::process::Command;

use clap::Args;

use crate::{Outcome, cargo, root, run};

#[derive(Args)]
pub(crate) struct Options {
    /// Also build every package from its archive alone
    #[arg(long)]
    verify: bool,
    /// Use no network
    #[arg(long)]
    offline: bool,
    /// Package what is in the working directory, committed or not
    #[arg(long)]
    allow_dirty: bool,
}

/// The example of each library that runs without arguments.
const EXAMPLES: &[(&str, &str)] = &[
    ("galatea-wire", "record"),
    ("galatea-text", "decimals"),
    ("galatea-scene", "pose"),
    ("galatea-archive", "list"),
    ("galatea-kotor", "walkmesh"),
    ("galatea-mdlx", "build"),
    ("galatea-fox", "triangle"),
    ("galatea-texture", "encode"),
    ("galatea-gltf", "roundtrip"),
    ("galatea-walk", "path"),
    ("galatea-preview", "render"),
    ("galatea", "open"),
];

/// Files that every package has besides its sources.
const EXPECTED: &[&str] = &["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let crates = publishable()?;
        self.archives(&crates)?;
        for name in &crates {
            self.contents(name)?;
        }
        for name in crates.iter().filter(|name| *name != "galatea-cli") {
            let (_, example) = EXAMPLES.iter().find(|(of, _)| of == name).ok_or_else(|| {
                format!("{name} has no example that runs; add one, and a line in xtask/src/package.rs")
            })?;
            println!("== example {example} of {name}");
            run(&mut cargo(&["run", "--quiet", "--package", name, "--example", example]), "the example")?;
        }
        semver(&crates)
    }

    /// Makes the archives of all crates, and fails on anything cargo warns about.
    fn archives(&self, crates: &[String]) -> Outcome {
        println!("== archives of {} crates", crates.len());
        let mut command = self.package();
        for name in crates {
            command.args(["--package", name]);
        }
        if !self.verify {
            command.arg("--no-verify");
        }
        let output = command.output().map_err(|e| format!("cargo package could not be started: {e}"))?;
        let messages = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("cargo package failed:\n{messages}"));
        }
        // Tests need fixtures and a crate that is not published, and stay in the repository.
        let warning =
            |line: &&str| line.starts_with("warning") && !line.starts_with("warning: ignoring test");
        match messages.lines().find(warning) {
            Some(warning) => Err(format!("cargo package: {warning}")),
            None => Ok(()),
        }
    }

    /// Fails if an archive lacks what a reader expects in it.
    fn contents(&self, name: &str) -> Outcome {
        let list = self.package().args(["--list", "--package", name]).output();
        let list = list.map_err(|e| format!("cargo package could not be started: {e}"))?;
        if !list.status.success() {
            return Err(format!("cargo package --list of {name} failed"));
        }
        let list = String::from_utf8_lossy(&list.stdout);
        match EXPECTED.iter().find(|file| !list.lines().any(|line| line == **file)) {
            Some(missing) => Err(format!("the package {name} has no {missing}")),
            None => Ok(()),
        }
    }

    fn package(&self) -> Command {
        let mut command = cargo(&["package"]);
        if self.offline {
            command.arg("--offline");
        }
        if self.allow_dirty {
            command.arg("--allow-dirty");
        }
        command
    }
}

/// Returns the names of all crates that may be published.
fn publishable() -> Result<Vec<String>, String> {
    let folder = root().join("crates");
    let entries = fs::read_dir(&folder).map_err(|e| format!("crates: {e}"))?;
    let mut names = Vec::new();
    for entry in entries.flatten() {
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap_or_default();
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        if let Some(name) = name
            && !manifest.lines().any(|line| line == "publish = false")
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Compares the public interface with that of the last tag, by cargo-semver-checks, which is installed on first use.
fn semver(crates: &[String]) -> Outcome {
    let tag = Command::new("git").args(["describe", "--tags", "--abbrev=0"]).current_dir(root()).output();
    let tag = tag.map_err(|e| format!("git could not be started: {e}"))?;
    if !tag.status.success() {
        println!("== no tag yet: no released interface to compare with");
        return Ok(());
    }
    let tag = String::from_utf8_lossy(&tag.stdout).trim().to_owned();
    println!("== public interface compared with {tag}");
    if !cargo(&["semver-checks", "--version"]).output().is_ok_and(|o| o.status.success()) {
        run(&mut cargo(&["install", "--locked", "cargo-semver-checks"]), "installing cargo-semver-checks")?;
    }
    let mut command = cargo(&["semver-checks", "--baseline-rev", &tag]);
    for name in crates.iter().filter(|name| *name != "galatea-cli") {
        command.args(["--package", name]);
    }
    run(&mut command, "cargo semver-checks")
}
