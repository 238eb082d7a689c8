//! New KotOR models and walkmeshes as PyKotor reads them.

use std::process::Command;

use clap::Args;

use super::tools;
use crate::{Outcome, cargo, root, run};

#[derive(Args)]
pub(crate) struct KotorOptions {}

impl KotorOptions {
    /// Has the tests author models and walkmeshes for KotOR, and reads them with PyKotor.
    pub(crate) fn run(&self) -> Outcome {
        let home = tools("pykotor");
        let python = home.join("bin/python");
        if !home.join("ready").is_file() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&home), "python3 -m venv")?;
            let mut pip = Command::new(&python);
            run(pip.args(["-m", "pip", "install", "-q", "pykotor==2.3.12"]), "installing PyKotor")?;
            std::fs::write(home.join("ready"), "").map_err(|e| e.to_string())?;
        }
        let authored = root().join("target/authored-kotor");
        std::fs::create_dir_all(&authored).map_err(|e| format!("{}: {e}", authored.display()))?;
        let mut test = cargo(&["test", "-q", "-p", "galatea", "--test", "authoring_kotor"]);
        run(test.env("GALATEA_AUTHORED", &authored), "the tests of authoring")?;
        let mut read = Command::new(&python);
        run(read.arg(root().join("xtask/gltf/kotor.py")).arg(&authored), "PyKotor")
    }
}
