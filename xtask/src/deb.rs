//! `cargo xtask deb`: the Debian package, installed and tried in a clean tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::{Outcome, cargo, root, run};

#[derive(Args)]
pub(crate) struct Options {
    /// Use the quick profile instead of the one for shipping, to try the package itself
    #[arg(long)]
    quick: bool,
    /// Only make the package; do not try it
    #[arg(long)]
    no_try: bool,
    /// The release of Debian to try it in
    #[arg(long, default_value = "bookworm")]
    suite: String,
}

/// What `galatea` prints for a shell or a manual, and the file that it becomes.
const GENERATED: &[(&[&str], &str)] = &[
    (&["man"], "galatea.1"),
    (&["completions", "bash"], "galatea.bash"),
    (&["completions", "zsh"], "_galatea"),
    (&["completions", "fish"], "galatea.fish"),
];

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let work = root().join("target/packaging");
        let package = self.package(&work)?;
        println!("{}", package.strip_prefix(root()).unwrap_or(&package).display());
        if self.no_try {
            return Ok(());
        }
        let tree = work.join(&self.suite);
        self.bootstrap(&tree)?;
        try_in(&tree, &package)
    }

    /// Makes the package and returns where it is.
    fn package(&self, work: &Path) -> Result<PathBuf, String> {
        let profile = if self.quick { "release" } else { "dist" };
        run(&mut cargo(&["build", "--quiet", "--package", "galatea-cli", "--profile", profile]), "building")?;
        fs::create_dir_all(work).map_err(|e| format!("{}: {e}", work.display()))?;
        let program = root().join("target").join(profile).join("galatea");
        for (arguments, file) in GENERATED {
            let made = Command::new(&program).args(*arguments).output();
            let made = made.map_err(|e| format!("{}: {e}", program.display()))?;
            if !made.status.success() || made.stdout.is_empty() {
                return Err(format!("`galatea {}` failed", arguments.join(" ")));
            }
            fs::write(work.join(file), made.stdout).map_err(|e| format!("{file}: {e}"))?;
        }
        if !cargo(&["deb", "--version"]).output().is_ok_and(|o| o.status.success()) {
            let install = ["install", "--locked", "cargo-deb", "--no-default-features"];
            run(&mut cargo(&install), "installing cargo-deb")?;
        }
        let package = work.join("galatea.deb");
        let mut deb = cargo(&["deb", "--no-build", "--package", "galatea-cli", "--profile", profile]);
        run(deb.arg("--output").arg(&package), "cargo deb")?;
        Ok(package)
    }

    /// Makes a clean Debian tree, unless there is one from before.
    fn bootstrap(&self, tree: &Path) -> Outcome {
        if tree.join("usr/bin/gio").exists() {
            return Ok(());
        }
        let mut command = Command::new("debootstrap");
        command.args(["--variant=minbase", "--include=man-db,shared-mime-info,libglib2.0-bin", &self.suite]);
        run(command.arg(tree), "debootstrap (needs root; `--no-try` only makes the package)")
    }
}

/// Installs the package in a tree and runs `packaging/try.sh` there.
fn try_in(tree: &Path, package: &Path) -> Outcome {
    let place = tree.join("opt/galatea");
    let copy = |from: &Path, to: PathBuf| {
        fs::copy(from, &to).map(drop).map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))
    };
    fs::create_dir_all(place.join("examples")).map_err(|e| format!("{}: {e}", place.display()))?;
    copy(package, place.join("galatea.deb"))?;
    copy(&root().join("packaging/try.sh"), place.join("try.sh"))?;
    for entry in fs::read_dir(root().join("examples")).map_err(|e| e.to_string())?.flatten() {
        if entry.path().is_file() {
            copy(&entry.path(), place.join("examples").join(entry.file_name()))?;
        }
    }
    let mut command = Command::new("chroot");
    command.arg(tree).args([
        "/bin/sh",
        "/opt/galatea/try.sh",
        "/opt/galatea/galatea.deb",
        "/opt/galatea/examples",
    ]);
    // A clean environment, as a clean system has it.
    command
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", "/root")
        .env("LC_ALL", "C.UTF-8");
    run(&mut command, "trying the package")
}
