//! `cargo xtask test`: what has to hold before anything lands.

use clap::Args;

use crate::{Outcome, cargo, docs, examples, run};

#[derive(Args)]
pub(crate) struct Options {
    /// In a release build: the walkmesh tests with their full counts (millions of rays and paths), and the pictures of the
    /// examples, which must have the same bytes in every build; nothing else
    #[arg(long)]
    full: bool,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        if self.full {
            let tests = ["--test", "rays", "--test", "paths", "--test", "rooms", "--test", "slides"];
            let mut command = cargo(&["test", "--release", "--package", "galatea-walk"]);
            command.args(tests).args(["--", "--nocapture", "--test-threads=1"]).env("GALATEA_FULL", "1");
            step("walkmesh queries, full counts", || run(&mut command, "the tests"))?;
            let pictures = ["test", "--release", "--package", "galatea-cli", "--test", "pictures"];
            return step("pictures, release build", || run(&mut cargo(&pictures), "the tests"));
        }
        step("format", || {
            run(&mut cargo(&["fmt", "--all", "--check"]), "cargo fmt --check (run `cargo fmt --all`)")
        })?;
        step("lints", || {
            let clippy = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"];
            run(&mut cargo(&clippy), "clippy")
        })?;
        step("tests", || run(&mut cargo(&["test", "--quiet", "--workspace"]), "the tests"))?;
        step("generated files", || {
            docs::Options { check: true }.run()?;
            examples::Options { check: true }.run()
        })?;
        println!("all good");
        Ok(())
    }
}

fn step(name: &str, body: impl FnOnce() -> Outcome) -> Outcome {
    println!("== {name}");
    body()
}
