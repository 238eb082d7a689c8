//! glTF of other origin into every game's format and back: what must be the same, within what the format can hold.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use galatea::scene::{Scene, Tolerance};
use galatea::wire::Limits;

use super::blender;
use crate::{Outcome, cargo, root, run};

#[derive(Args)]
pub(crate) struct ForeignOptions {
    /// Where the files go, and what becomes of them
    folder: PathBuf,
    /// Take the files that are there already
    #[arg(long)]
    keep: bool,
}

/// A format, and how near what comes back must be.
struct Way {
    name: &'static str,
    to: &'static [&'static str],
    tolerance: Tolerance,
}

/// Returns the ways to go. Precision is that of `docs/gltf.md`.
fn ways() -> [Way; 4] {
    let four = Tolerance::default().with_influences(4);
    let ticks = four.with_tick(0.001);
    [
        Way { name: "kotor-mdl", to: &["--to", "kotor-mdl"], tolerance: four.with_weight(1e-5) },
        Way {
            name: "mdx-800",
            to: &["--to", "mdx", "--version", "800", "--weights", "shares"],
            tolerance: ticks.with_weight(1.0 / 8.0).with_influences(8),
        },
        Way {
            name: "mdx-1000",
            to: &["--to", "mdx", "--version", "1000"],
            tolerance: ticks.with_weight(1.5 / 255.0),
        },
        Way {
            name: "fmdl",
            to: &["--to", "fmdl"],
            tolerance: four.with_weight(1.5 / 255.0).with_clips(false),
        },
    ]
}

impl ForeignOptions {
    pub(crate) fn run(&self) -> Outcome {
        let sources = self.folder.join("source");
        if !self.keep {
            let mut script = Command::new(blender()?);
            script.arg(root().join("xtask/gltf/foreign.py")).arg(&sources);
            run(script.stdout(std::process::Stdio::null()), "making files with Blender")?;
            let home = super::packages("three-exporter", &["three@0.187.0"])?;
            let mut node = Command::new("node");
            node.arg(root().join("xtask/gltf/foreign.mjs")).arg(&sources).env("THREE", &home);
            run(&mut node, "making files with three.js")?;
        }
        run(&mut cargo(&["build", "-q", "-p", "galatea-cli"]), "building")?;
        let galatea = root().join("target/debug/galatea");
        let files = galatea_corpus::files(&sources, &[".glb", ".gltf"]);
        // Names are hashes in some games; whoever made the model knows them.
        let mut names = std::collections::BTreeSet::new();
        for file in &files {
            names.extend(read(file)?.nodes.into_iter().map(|n| n.name.replace('\n', "")));
        }
        let dictionary = self.folder.join("names.txt");
        std::fs::write(&dictionary, Vec::from_iter(names).join("\n")).map_err(|e| e.to_string())?;
        let mut bad = 0usize;
        for way in ways() {
            let (there, back) = (self.folder.join(way.name), self.folder.join(format!("{}-back", way.name)));
            let convert = |from: &Path, to: &Path, what: &[&str]| {
                let mut command = Command::new(&galatea);
                command.arg("convert").arg(from).args(what).arg("-o").arg(to).arg("--force");
                command.arg("--names").arg(&dictionary);
                command.arg("--report").arg(to.with_extension("jsonl"));
                run(command.stdout(std::process::Stdio::null()), "convert")
            };
            let mut lines = Vec::new();
            lines.extend(convert(&sources, &there, way.to).err());
            let mut check = Command::new(&galatea);
            check.arg("check").arg(&there).args(["--fail-on", "error"]);
            let checked = check.output().map_err(|e| e.to_string())?;
            let told = String::from_utf8_lossy(&checked.stdout).into_owned();
            lines.extend(told.lines().filter(|l| l.contains("error")).map(str::to_owned));
            if !checked.status.success() && lines.is_empty() {
                lines.push(format!("check: {}", checked.status));
            }
            lines.extend(convert(&there, &back, &["--to", "glb"]).err());
            let mut same = 0;
            for file in &files {
                let stem = file.file_stem().unwrap_or_default();
                let found = read(&back.join(stem).with_extension("glb"));
                let wrong = match (read(file), found) {
                    (Ok(before), Ok(after)) => before.looks_like(&after, &way.tolerance),
                    (Err(error), _) | (_, Err(error)) => vec![error],
                };
                same += usize::from(wrong.is_empty());
                lines.extend(wrong.into_iter().map(|w| format!("{}: {w}", stem.display())));
            }
            println!("{}: {same} of {} came back the same", way.name, files.len());
            bad += lines.len();
            lines.iter().for_each(|line| println!("  {line}"));
        }
        if bad > 0 { Err("not all came back".into()) } else { Ok(()) }
    }
}

fn read(path: &Path) -> Result<Scene, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let loaded = galatea::gltf::read(&bytes, &Limits::default(), &mut |_| None);
    loaded.map(|l| l.scene).map_err(|e| format!("{}: {e}", path.display()))
}
