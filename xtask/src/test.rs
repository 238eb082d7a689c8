//! `cargo xtask test`: what has to hold before anything lands.

use clap::Args;

use crate::{Outcome, cargo, docs, examples, run};

#[derive(Args)]
pub(crate) struct Options {}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
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
