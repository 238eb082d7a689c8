//! New models as other people's readers see them.

use std::process::Command;

use clap::Args;

use super::packages;
use crate::{Outcome, cargo, root, run};

#[derive(Args)]
pub(crate) struct WarcraftOptions {
    /// Models to read beside those that the tests author
    files: Vec<std::path::PathBuf>,
}

impl WarcraftOptions {
    /// Has the tests author models for Warcraft III, and reads them with war3-model and mdx-m3-viewer.
    pub(crate) fn run(&self) -> Outcome {
        let home = packages("warcraft", &["war3-model@4.0.1", "mdx-m3-viewer@5.12.0"])?;
        let authored = root().join("target/authored");
        std::fs::create_dir_all(&authored).map_err(|e| format!("{}: {e}", authored.display()))?;
        let mut test = cargo(&["test", "-q", "-p", "galatea", "--test", "authoring_mdx"]);
        run(test.env("GALATEA_AUTHORED", &authored), "the tests of authoring")?;
        let mut node = Command::new("node");
        node.arg(root().join("xtask/gltf/warcraft.mjs")).env("WITNESSES", &home);
        node.args(galatea_corpus::files(&authored, &[".mdx"])).args(&self.files);
        run(&mut node, "another reader")
    }
}

#[derive(Args)]
pub(crate) struct FoxOptions {
    /// Models to read beside those that the tests author
    files: Vec<std::path::PathBuf>,
}

impl FoxOptions {
    /// Has the tests author models for the Fox Engine, and reads them with a reader that knows the documentation alone.
    pub(crate) fn run(&self) -> Outcome {
        let authored = root().join("target/authored/fox");
        std::fs::create_dir_all(&authored).map_err(|e| format!("{}: {e}", authored.display()))?;
        let mut test = cargo(&["test", "-q", "-p", "galatea", "--test", "authoring_fox"]);
        run(test.env("GALATEA_AUTHORED", &authored), "the tests of authoring")?;
        let mut python = Command::new("python3");
        python.arg(root().join("xtask/gltf/fmdl.py")).env("WORDS", root().join("crates/fox/src/words.txt"));
        python.args(galatea_corpus::files(&authored, &[".fmdl"])).args(&self.files);
        run(&mut python, "another reader")
    }
}
