//! `cargo xtask fuzz`: cargo-fuzz on the stable toolchain, installed on first use; several targets in turn, and a table.

mod campaign;
mod dictionary;
mod report;
mod seeds;

use clap::Args;

use crate::{Outcome, cargo, root, run};
use campaign::Campaign;

#[derive(Args)]
pub(crate) struct Options {
    /// Targets under `fuzz/fuzz_targets`, such as `mdx_fix`; `*` stands for any text (`'mdx_*'`), `all` for every target
    #[arg(required = true)]
    targets: Vec<String>,
    /// Minutes of processor time to run each target for
    #[arg(long, default_value_t = 10.0, conflicts_with = "seconds")]
    minutes: f64,
    /// Seconds of processor time to run each target for
    #[arg(long)]
    seconds: Option<u32>,
    /// Targets to run at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    jobs: u8,
    /// Largest input in bytes
    #[arg(long, default_value_t = 65536)]
    max_len: u32,
    /// The sanitizer to build with, such as `address`: slower, and of use only for unsafe code of dependencies
    #[arg(long, default_value = "none")]
    sanitizer: String,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let targets = self.chosen()?;
        let installed = cargo(&["fuzz", "--version"]).output().is_ok_and(|o| o.status.success());
        if !installed {
            run(&mut cargo(&["install", "--locked", "cargo-fuzz"]), "installing cargo-fuzz")?;
        }
        let mut build = cargo(&["fuzz", "build", "--sanitizer", &self.sanitizer]);
        if let [one] = targets.as_slice() {
            build.arg(one);
        }
        run(build.env("RUSTC_BOOTSTRAP", "1"), "building the targets")?;
        let seconds = self.seconds.unwrap_or((self.minutes * 60.0) as u32);
        let results = Campaign::new(seconds, self.max_len)?.run(&targets, self.jobs)?;
        print!("{}", report::table(&results));
        match results.iter().filter(|r| r.finding.is_some()).count() {
            0 => Ok(()),
            findings => Err(format!("{findings} of {} targets have a finding", results.len())),
        }
    }

    /// Returns the targets that were asked for, in order of their names.
    fn chosen(&self) -> Result<Vec<String>, String> {
        let all = targets();
        for pattern in &self.targets {
            if !all.iter().any(|target| matches(pattern, target)) {
                return Err(format!("no target `{pattern}`; there are {}", all.join(", ")));
            }
        }
        Ok(all.into_iter().filter(|t| self.targets.iter().any(|p| matches(p, t))).collect())
    }
}

/// Returns whether a pattern means a target.
fn matches(pattern: &str, target: &str) -> bool {
    if pattern == "all" {
        return true;
    }
    match pattern.split_once('*') {
        None => pattern == target,
        Some((start, rest)) => target.strip_prefix(start).is_some_and(|t| {
            t.char_indices().map(|(at, _)| at).chain([t.len()]).any(|at| matches(rest, &t[at..]))
        }),
    }
}

/// Returns the names of all targets, in order.
fn targets() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("fuzz/fuzz_targets")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|e| Some(e.path().file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_choose_targets() {
        assert!(matches("all", "mdx_fix") && matches("mdx_fix", "mdx_fix") && matches("mdx_*", "mdx_fix"));
        assert!(matches("*_fix", "mdx_fix") && matches("*", "mdx_fix") && matches("m*_*x", "mdx_fix"));
        assert!(!matches("mdx", "mdx_fix") && !matches("*_read", "mdx_fix") && !matches("fmdl_*", "mdx_fix"));
    }
}
