//! `cargo xtask viewport`: what the workshop's painter draws on software OpenGL, beside what `render` draws.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::{Outcome, cargo, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// Files and folders with models
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// How many models without effects to take, spread over the folders; all without
    #[arg(long)]
    models: Option<usize>,
    /// How many models with effects to take
    #[arg(long)]
    effects: Option<usize>,
    /// Pixels of a side
    #[arg(long, default_value_t = 512)]
    size: u32,
    /// What to show, as in `galatea render --show`; several times for several images of each model
    #[arg(long)]
    show: Vec<String>,
    /// The folder for the images: ours, the rasterizer's, what differs
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let build = ["build", "--release", "--package", "galatea-painter", "--example", "viewport"];
        run(&mut cargo(&build), "building the comparison")?;
        let mut command = Command::new(target().join("release/examples/viewport"));
        for (name, value) in [("--models", self.models), ("--effects", self.effects)] {
            if let Some(value) = value {
                command.arg(name).arg(value.to_string());
            }
        }
        command.arg("--size").arg(self.size.to_string());
        for show in &self.show {
            command.arg("--show").arg(show);
        }
        let out = self.out.clone().unwrap_or_else(|| target().join("viewport"));
        command.arg("--out").arg(&out).args(&self.paths);
        // The same pixels on every machine, with and without a graphics card.
        command.env("LIBGL_ALWAYS_SOFTWARE", "1").env("GALLIUM_DRIVER", "llvmpipe");
        run(&mut command, "the comparison")?;
        println!("images are in {}", out.display());
        Ok(())
    }
}
