//! glTF as other programs see it: Khronos' validator, Blender, and three.js.

mod foreign;
mod kotor;
mod native;
mod plays;
mod trip;
mod viewer;
mod witness;

pub(crate) use foreign::ForeignOptions;
pub(crate) use kotor::KotorOptions;
pub(crate) use plays::PlayOptions;
pub(crate) use witness::{FoxOptions, WarcraftOptions};

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::{Outcome, cargo, root, run};

#[derive(Args)]
pub(crate) struct CheckOptions {
    /// The folder, searched recursively
    folder: PathBuf,
}

/// Returns a folder below `target` where a tool is installed.
pub(crate) fn tools(name: &str) -> PathBuf {
    root().join("target/tools").join(name)
}

/// Returns a folder of such a name with packages of npm in it, installed on first use.
pub(crate) fn packages(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let home = tools(name);
    if !home.join("ready").is_file() {
        std::fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--prefix"]).arg(&home).args(packages);
        run(&mut npm, "npm install")?;
        std::fs::write(home.join("ready"), "").map_err(|e| e.to_string())?;
    }
    Ok(home)
}

#[derive(Args)]
pub(crate) struct ThreeOptions {
    /// The folder, searched recursively
    folder: PathBuf,
    /// How many files to take, spread over the folder
    #[arg(long, default_value_t = 20)]
    count: usize,
    /// Keep the images in this folder
    #[arg(long)]
    keep: Option<PathBuf>,
}

impl ThreeOptions {
    pub(crate) fn run(&self) -> Outcome {
        let home = packages("three", &["three@0.187.0", "playwright-core@1.65.0", "pngjs@7.0.0"])?;
        run(&mut cargo(&["build", "--release", "-q", "-p", "galatea-cli"]), "building")?;
        let mut node = Command::new("node");
        node.arg(root().join("xtask/gltf/three.mjs")).arg(root().join("target/release/galatea"));
        node.arg(&self.folder).arg(self.count.to_string()).args(&self.keep).env("THREE_HOME", &home);
        run(&mut node, "the comparison (it needs Chromium: apt-get install chromium)")
    }
}

impl CheckOptions {
    pub(crate) fn run(&self) -> Outcome {
        let home = packages("gltf-validator", &["gltf-validator@2.0.0-dev.3.10"])?;
        let mut node = Command::new("node");
        node.arg(root().join("xtask/gltf/validate.mjs")).arg(&self.folder).env("GLTF_VALIDATOR", &home);
        run(&mut node, "the validator")
    }
}

#[derive(Args)]
pub(crate) struct BlenderOptions {
    /// The folder, searched recursively
    folder: PathBuf,
    /// Only compare what was exported before
    #[arg(long, requires = "export")]
    compare_only: bool,
    /// How many files to take, chosen by chance but the same every time
    #[arg(long, default_value_t = 150)]
    count: usize,
    /// Export each file again into this folder, and compare
    #[arg(long)]
    export: Option<PathBuf>,
    /// The folder has native models: send each through Blender and back into its format, and compare it there
    #[arg(long, conflicts_with_all = ["export", "compare_only"])]
    native: bool,
    /// With --native: the options of Blender's export
    #[arg(long, value_enum, default_value = "documented")]
    ticks: native::Ticks,
    /// With --native: lay what comes back onto the source
    #[arg(long, requires = "native")]
    onto: bool,
    /// With --native: edit each model in Blender, and compare with what an ideal editor would have made
    #[arg(long, requires = "native")]
    edit: bool,
    /// With --native: how many models to take, the same every time
    #[arg(long, default_value_t = usize::MAX)]
    limit: usize,
    /// With --native: how many models to leave out before them
    #[arg(long, requires = "native", default_value_t = 0)]
    skip: usize,
    /// With --native: keep everything in this folder
    #[arg(long)]
    keep: Option<PathBuf>,
    /// With --native: judge again what --keep has kept, without Blender
    #[arg(long, requires_all = ["native", "keep"])]
    again: bool,
}

/// Returns a Python that has Blender as a module.
pub(crate) fn blender() -> Result<PathBuf, String> {
    let home = tools("bpy");
    let python = home.join("bin/python");
    if !home.join("ready").is_file() {
        // Blender's module is made for one version of Python.
        run(Command::new("python3.11").args(["-m", "venv"]).arg(&home), "python3.11 -m venv")?;
        run(Command::new(&python).args(["-m", "pip", "install", "-q", "bpy==5.0.1"]), "installing bpy")?;
        std::fs::write(home.join("ready"), "").map_err(|e| e.to_string())?;
    }
    Ok(python)
}

impl BlenderOptions {
    pub(crate) fn run(&self) -> Outcome {
        if self.native {
            let (folder, keep) = (self.folder.as_path(), self.keep.as_deref());
            let (ticks, onto, limit, edit) = (self.ticks, self.onto, self.limit, self.edit);
            let (again, skip) = (self.again, self.skip);
            return native::Trip { folder, ticks, onto, limit, skip, edit, keep, again }.run();
        }
        if let Some(export) = self.export.as_ref().filter(|_| self.compare_only) {
            return self.trips(export);
        }
        let python = blender()?;
        run(&mut cargo(&["build", "--release", "-q", "-p", "galatea-cli"]), "building")?;
        let mut script = Command::new(&python);
        script.arg(root().join("xtask/gltf/counts.py")).arg(&self.folder);
        script.arg(root().join("target/release/galatea")).arg(self.count.to_string());
        if let Some(export) = &self.export {
            script.arg(export);
        }
        run(&mut script, "the comparison")?;
        self.export.as_ref().map_or(Ok(()), |export| self.trips(export))
    }

    /// Compares what Blender exported with what it imported.
    fn trips(&self, export: &Path) -> Outcome {
        let (mut files, mut bad) = (0usize, 0usize);
        for path in galatea_corpus::files(export, &[".glb"]) {
            let inside = path.strip_prefix(export).unwrap_or(&path);
            let read = |path: &Path| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
            let lines = trip::compare(&read(&self.folder.join(inside))?, &read(&path)?)?;
            files += 1;
            bad += usize::from(!lines.is_empty());
            for line in lines {
                println!("{}: {line}", inside.display());
            }
        }
        println!("{files} files went through Blender, {bad} came back different");
        if bad > 0 { Err("not all came back".into()) } else { Ok(()) }
    }
}
