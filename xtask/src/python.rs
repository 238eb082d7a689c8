//! `cargo xtask python`: the Python package, built, installed and tested as its users have it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;

use crate::gltf::tools;
use crate::{Outcome, cargo, root, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// Build the wheel as it is shipped: smaller and faster, and slower to build
    #[arg(long)]
    dist: bool,
    /// Leave the checks of the sources out: format, lints, types
    #[arg(long)]
    tests_only: bool,
    /// Also measure: rays beside the library, info beside the program, threads
    #[arg(long)]
    bench: bool,
    /// Also feed `open` damaged files for this many seconds, with atheris (PyPI)
    #[arg(long, value_name = "SECONDS")]
    fuzz: Option<u64>,
    /// Run the examples of `examples/fleet` on this folder too, on Ray (PyPI)
    #[arg(long, value_name = "FOLDER")]
    fleet: Option<PathBuf>,
}

/// What builds and checks.
const TOOLS: [&str; 3] = ["maturin>=1.9,<2", "mypy>=1.15", "numpy"];
/// What tests need besides the wheel.
const TESTS: [&str; 3] = ["pytest", "pyarrow", "fsspec"];

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let start = Instant::now();
        let work = target().join("python");
        let tools = builders()?;
        if !self.tests_only {
            step("format and lints", &start);
            let manifest = root().join("python/Cargo.toml");
            let here = |arguments: &[&str]| {
                let mut command = cargo(arguments);
                command.arg("--manifest-path").arg(&manifest).env("CARGO_TARGET_DIR", target());
                command
            };
            run(here(&["fmt"]).arg("--check"), "cargo fmt --check of python/")?;
            let clippy = &mut here(&["clippy", "--quiet", "--locked"]);
            run(clippy.args(["--", "--deny", "warnings"]), "clippy of python/")?;
        }
        step("wheel", &start);
        let wheel = build(&tools, &work, if self.dist { "dist" } else { "release" })?;
        let size = fs::metadata(&wheel).map_err(|e| e.to_string())?.len();
        println!("{}: {size} bytes", wheel.file_name().unwrap_or_default().to_string_lossy());
        step("a fresh environment", &start);
        let home = work.join("venv");
        if home.exists() {
            fs::remove_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
        }
        environment(&home, &TESTS)?;
        let python = bin(&home, "python");
        pip(&home, &[&wheel.to_string_lossy()])?;
        step("tests", &start);
        let mut tests = Command::new(&python);
        tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "python/pyproject.toml"]);
        tests.args(["--pyargs", "python/tests", "galatea"]).current_dir(root());
        run(&mut tests, "the tests of the package")?;
        if !self.tests_only {
            step("types", &start);
            types(&tools, &python)?;
        }
        if self.bench {
            step("measurements", &start);
            bench(&python)?;
        }
        if let Some(seconds) = self.fuzz {
            step("damaged files", &start);
            pip(&home, &["atheris"])?;
            let mut fuzz = Command::new(&python);
            fuzz.arg("python/tests/fuzz_open.py").arg(work.join("corpus"));
            let seconds = format!("-max_total_time={seconds}");
            run(fuzz.arg("examples").arg(seconds).current_dir(root()), "atheris")?;
        }
        if let Some(folder) = &self.fleet {
            step("fleet", &start);
            pip(&home, &["ray[data]", "duckdb"])?;
            let mut fleet = Command::new(&python);
            fleet.arg("examples/fleet/compare.py").arg(folder).arg(work.join("fleet"));
            run(fleet.current_dir(root()), "the comparison of Ray with one machine")?;
        }
        step("all good", &start);
        Ok(())
    }
}

/// Builds the wheel below a folder, with this profile.
pub(crate) fn wheel(work: &Path, profile: &str) -> Result<PathBuf, String> {
    build(&builders()?, work, profile)
}

/// Builds the wheel. It shares what is compiled with the rest of the project.
fn build(tools: &Path, work: &Path, profile: &str) -> Result<PathBuf, String> {
    let out = work.join("wheels");
    if out.exists() {
        fs::remove_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    }
    let mut maturin = Command::new(bin(tools, "maturin"));
    maturin.args(["build", "--quiet", "--locked", "--profile", profile, "--manifest-path"]);
    maturin.arg(root().join("python/Cargo.toml")).arg("--out").arg(&out);
    maturin.arg("--interpreter").arg(bin(tools, "python"));
    run(maturin.env("CARGO_TARGET_DIR", target()), "maturin")?;
    let made = fs::read_dir(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let wheel = made.flatten().map(|e| e.path()).find(|p| p.extension().is_some_and(|e| e == "whl"));
    wheel.ok_or_else(|| "maturin made no wheel".to_owned())
}

fn step(name: &str, start: &Instant) {
    println!("== {name} ({:.0} s)", start.elapsed().as_secs_f32());
}

/// Checks the types of the package and its tests, and that the stub of the native module tells what is in it.
fn types(tools: &Path, python: &Path) -> Outcome {
    let mut mypy = Command::new(bin(tools, "mypy"));
    mypy.args(["--strict", "--no-incremental", "--config-file", "pyproject.toml"]);
    mypy.arg("--python-executable").arg(python);
    run(
        mypy.args(["package/galatea", "tests", "../examples/fleet"]).current_dir(root().join("python")),
        "mypy --strict",
    )?;
    // It imports the module, so it runs where that is installed.
    pip(python.parent().and_then(Path::parent).unwrap_or(python), &["mypy>=1.15"])?;
    let mut stubs = Command::new(python);
    stubs.args(["-m", "mypy.stubtest", "galatea._galatea", "--mypy-config-file", "python/pyproject.toml"]);
    run(stubs.current_dir(root()), "stubtest")
}

/// Compares the speed of the package with that of the library and of the program.
fn bench(python: &Path) -> Outcome {
    let build = ["build", "--quiet", "--release", "--package", "galatea-cli"];
    run(&mut cargo(&build), "building the program")?;
    let rays = [
        "run",
        "--quiet",
        "--release",
        "--package",
        "galatea",
        "--features",
        "serde",
        "--example",
        "rays",
        "--",
    ];
    let output = cargo(&rays).arg("examples/room.wok").output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("the rays of the library: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut measure = Command::new(python);
    measure.arg("python/tests/measure.py").arg(target().join("release/galatea"));
    measure.arg(String::from_utf8_lossy(&output.stdout).trim());
    run(measure.current_dir(root()), "the measurements")
}

/// Returns the tools that build the package, installed on first use.
fn builders() -> Result<PathBuf, String> {
    let home = tools("maturin");
    if !home.join("ready").is_file() {
        environment(&home, &TOOLS)?;
        fs::write(home.join("ready"), "").map_err(|e| e.to_string())?;
    }
    Ok(home)
}

/// Makes a Python environment with these packages.
fn environment(home: &Path, packages: &[&str]) -> Outcome {
    run(Command::new("python3").args(["-m", "venv"]).arg(home), "python3 -m venv")?;
    pip(home, packages)
}

fn pip(home: &Path, packages: &[&str]) -> Outcome {
    let mut pip = Command::new(bin(home, "python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    run(&mut pip, "pip install")
}

fn bin(home: &Path, name: &str) -> PathBuf {
    if cfg!(windows) { home.join("Scripts").join(format!("{name}.exe")) } else { home.join("bin").join(name) }
}
