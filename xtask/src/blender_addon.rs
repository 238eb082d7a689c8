//! `cargo xtask blender-addon`: the extension for Blender, built, validated, installed in Blender itself and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;

use crate::gltf::blender;
use crate::{Outcome, python, root, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// Only build the extension and validate it
    #[arg(long)]
    build_only: bool,
    /// Build the wheel inside as it is shipped: smaller and faster, and slower to build
    #[arg(long)]
    dist: bool,
    /// Also run models of these folders through Blender: import, counts, export, edits
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// How many models of the folders to take, the same every time
    #[arg(long, default_value_t = usize::MAX)]
    limit: usize,
    /// Edit the models of the folders too: a vertex, a node, a key, a name, a texture, a mesh less and one more
    #[arg(long, requires = "folders")]
    edits: bool,
    /// Also export models with every number taken from Blender, whether it looks edited or not
    #[arg(long, requires = "folders")]
    thorough: bool,
}

/// What tests and lints need besides Blender.
const TOOLS: [&str; 2] = ["pytest", "ruff"];

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let start = Instant::now();
        let work = target().join("blender-addon");
        step("Blender", &start);
        let bpy = blender()?;
        tools(&bpy)?;
        step("format and lints", &start);
        let ruff = |arguments: &[&str]| {
            let mut command = Command::new(&bpy);
            command.args(["-m", "ruff"]).args(arguments).args(["--no-cache", "blender"]).current_dir(root());
            command
        };
        run(&mut ruff(&["format", "--check"]), "ruff format --check")?;
        run(&mut ruff(&["check"]), "ruff check")?;
        step("wheel", &start);
        let wheel = python::wheel(&work, if self.dist { "dist" } else { "release" })?;
        step("extension", &start);
        let package = package(&bpy, &work, &wheel)?;
        if self.build_only {
            return Ok(());
        }
        step("installation", &start);
        let user = work.join("user");
        fresh(&user)?;
        let in_blender = || {
            let mut command = Command::new(&bpy);
            command.env("BLENDER_USER_RESOURCES", &user).env("PYTHONDONTWRITEBYTECODE", "1");
            command.env_remove("PYTHONPATH").current_dir(root());
            command
        };
        run(in_blender().arg("blender/tests/install.py").arg(&package), "installing the extension")?;
        step("tests", &start);
        let mut tests = in_blender();
        tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "blender/tests"]);
        run(&mut tests, "the tests of the extension")?;
        if !self.folders.is_empty() {
            step("models", &start);
            let mut judge = in_blender();
            judge.arg("blender/tests/judge.py").args(&self.folders);
            if self.limit != usize::MAX {
                judge.arg("--limit").arg(self.limit.to_string());
            }
            judge.args(self.edits.then_some("--edits")).args(self.thorough.then_some("--thorough"));
            run(&mut judge, "the models")?;
        }
        step("all good", &start);
        Ok(())
    }
}

fn step(name: &str, start: &Instant) {
    println!("== {name} ({:.0} s)", start.elapsed().as_secs_f32());
}

/// Installs what tests and lints need beside Blender.
fn tools(bpy: &Path) -> Outcome {
    let missing = !Command::new(bpy)
        .args(["-c", "import pytest, ruff"])
        .output()
        .is_ok_and(|output| output.status.success());
    if missing {
        let mut pip = Command::new(bpy);
        pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check"]).args(TOOLS);
        run(&mut pip, "pip install")?;
    }
    Ok(())
}

/// Makes an empty folder.
fn fresh(folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

/// Puts the sources and the wheel together, and lets Blender's own tool validate and pack them.
fn package(bpy: &Path, work: &Path, wheel: &Path) -> Result<PathBuf, String> {
    let stage = work.join("extension");
    fresh(&stage.join("wheels"))?;
    let fail = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let sources = root().join("blender/extension");
    for entry in fs::read_dir(&sources).map_err(|e| fail(&sources, e))?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "py") {
            fs::copy(&path, stage.join(entry.file_name())).map_err(|e| fail(&path, e))?;
        }
    }
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    fs::copy(wheel, stage.join("wheels").join(&name)).map_err(|e| fail(wheel, e))?;
    let manifest = sources.join("blender_manifest.toml");
    let text = fs::read_to_string(&manifest).map_err(|e| fail(&manifest, e))?;
    let marker = "[permissions]";
    if !text.contains(marker) {
        return Err(format!("{}: no {marker}", manifest.display()));
    }
    let platform = platform(&name)?;
    let lines = format!("platforms = [\"{platform}\"]\nwheels = [\"./wheels/{name}\"]\n\n{marker}");
    let made = stage.join("blender_manifest.toml");
    fs::write(&made, text.replacen(marker, &lines, 1)).map_err(|e| fail(&made, e))?;
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(license), stage.join(license)).map_err(|e| fail(&root().join(license), e))?;
    }
    let tool = || -> Result<Command, String> {
        let find =
            "import bpy, pathlib; print(next(pathlib.Path(bpy.__file__).parent.rglob('blender_ext.py')))";
        let output = Command::new(bpy).args(["-c", find]).output().map_err(|e| e.to_string())?;
        let mut command = Command::new(bpy);
        command.arg(String::from_utf8_lossy(&output.stdout).trim());
        Ok(command)
    };
    run(tool()?.arg("validate").arg(&stage), "Blender's validation of the extension")?;
    let out = work.join("packages");
    fresh(&out)?;
    let mut build = tool()?;
    build.arg("build").arg("--source-dir").arg(&stage).arg("--output-dir").arg(&out);
    run(&mut build, "packing the extension")?;
    let mut made = fs::read_dir(&out).map_err(|e| fail(&out, e))?.flatten().map(|e| e.path());
    let package = made.next().ok_or("Blender's tool made no package")?;
    run(tool()?.arg("validate").arg(&package), "Blender's validation of the package")?;
    let size = fs::metadata(&package).map_err(|e| fail(&package, e))?.len();
    println!("{}: {size} bytes", package.display());
    Ok(package)
}

/// The name that Blender has for the platform of a wheel.
fn platform(wheel: &str) -> Result<&'static str, String> {
    let known = [
        ("linux_x86_64", "linux-x64"),
        ("x86_64.manylinux", "linux-x64"),
        ("manylinux", "linux-x64"),
        ("win_amd64", "windows-x64"),
        ("win_arm64", "windows-arm64"),
        ("macosx", if wheel.contains("arm64") { "macos-arm64" } else { "macos-x64" }),
    ];
    let found = known.iter().find(|(part, _)| wheel.contains(part)).map(|(_, name)| *name);
    found.ok_or_else(|| format!("{wheel}: Blender has no name for this platform"))
}
