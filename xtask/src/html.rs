//! `cargo xtask html`: pages that show a model, opened in headless Chromium.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::gltf::packages;
use crate::{Outcome, cargo, root, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// Files and folders with models
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// How many to take, spread over the folders
    #[arg(long, default_value_t = 20)]
    count: usize,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let home = packages("web", &["playwright-core@1.65.0"])?;
        run(&mut cargo(&["build", "--release", "--package", "galatea-cli"]), "building the program")?;
        let out = target().join("html");
        let _ = fs::remove_dir_all(&out);
        fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let drawn = |format: &galatea::Format| format.category == galatea::Category::Model && !format.stored;
        let jobs: Vec<_> =
            galatea::disk::jobs(&self.paths, &drawn).into_iter().filter_map(Result::ok).collect();
        let step = (jobs.len() / self.count.max(1)).max(1);
        let mut pages = Vec::new();
        for job in jobs.iter().step_by(step).take(self.count) {
            let page = out.join(format!("{}.html", galatea::disk::stem(&job.path)));
            let mut convert = Command::new(target().join("release/galatea"));
            let made = run(convert.arg("convert").arg(&job.path).arg(&page).arg("--force"), "convert");
            match made {
                Ok(()) => pages.push(page),
                Err(error) => println!("left out: {}: {error}", job.path.display()),
            }
        }
        let mut node = Command::new("node");
        node.arg(root().join("xtask/web/html.mjs")).arg(target().join("html-shots")).args(&pages);
        run(
            node.env("WEB_HOME", &home),
            "the pages in Chromium (it needs Chromium: apt-get install chromium)",
        )
    }
}
