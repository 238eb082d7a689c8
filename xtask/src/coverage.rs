//! `cargo xtask coverage`: line coverage per crate, by the tests that need no corpus.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use clap::Args;
use galatea_corpus as corpus;

use crate::{Outcome, cargo, root, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// Directories under `crates`, such as `wire`: their lines, by their tests [default: all]
    crates: Vec<String>,
    /// List the lines that no test reaches, by file
    #[arg(long)]
    uncovered: bool,
}

/// For each source file, named from the root, its lines with code and whether a test reaches them.
type Files = BTreeMap<String, BTreeMap<u32, bool>>;

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let crates = self.chosen()?;
        let out = target().join("coverage");
        std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let report = out.join("lcov.info");
        let mut command = if llvm_tools() { llvm_cov(&report)? } else { tarpaulin(&out)? };
        for name in &crates {
            let package = if name == "galatea" { name.clone() } else { format!("galatea-{name}") };
            command.args(["--package", &package]);
        }
        command.env(corpus::VARIABLE, out.join("there-is-no-corpus-here"));
        run(&mut command, "the tests")?;
        let report = std::fs::read_to_string(&report).map_err(|e| format!("{}: {e}", report.display()))?;
        let mut files = parse(&report, &crates);
        for (path, lines) in &mut files {
            let source = std::fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"))?;
            lines.split_off(&tests_begin(&source));
        }
        print!("{}", table(&files));
        if self.uncovered {
            print!("{}", uncovered(&files));
        }
        Ok(())
    }

    /// Returns the crates that were asked for, or all.
    fn chosen(&self) -> Result<Vec<String>, String> {
        let entries = std::fs::read_dir(root().join("crates")).into_iter().flatten().flatten();
        let all: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        match self.crates.iter().find(|name| !all.contains(name)) {
            Some(name) => Err(format!("no crate `{name}`; there are {}", all.join(", "))),
            None if self.crates.is_empty() => Ok(all),
            None => Ok(self.crates.clone()),
        }
    }
}

/// Returns whether the toolchain has the component `llvm-tools`, or `LLVM_COV` and `LLVM_PROFDATA` name programs of another LLVM.
fn llvm_tools() -> bool {
    if std::env::var_os("LLVM_COV").is_some() {
        return true;
    }
    let output = Command::new("rustc").args(["--print", "target-libdir"]).output();
    let libraries = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default();
    Path::new(&libraries).with_file_name("bin").join("llvm-cov").exists()
}

/// Returns a run of cargo-llvm-cov, which is installed on first use.
fn llvm_cov(report: &Path) -> Result<Command, String> {
    install("llvm-cov")?;
    let mut command = cargo(&["llvm-cov", "--lcov", "--output-path"]);
    command.arg(report);
    Ok(command)
}

/// Returns a run of cargo-tarpaulin, which needs nothing of LLVM and is installed on first use.
fn tarpaulin(out: &Path) -> Result<Command, String> {
    install("tarpaulin")?;
    let mut command = cargo(&["tarpaulin", "--engine", "llvm", "--skip-clean", "--follow-exec"]);
    command.args(["--timeout", "900", "--include-files", "crates/*", "--out", "Lcov"]);
    command.arg("--target-dir").arg(out).arg("--output-dir").arg(out);
    Ok(command)
}

/// Installs a subcommand of cargo if it is not there.
fn install(name: &str) -> Outcome {
    if cargo(&[name, "--version"]).output().is_ok_and(|o| o.status.success()) {
        return Ok(());
    }
    let package = format!("cargo-{name}");
    run(&mut cargo(&["install", "--locked", &package]), &format!("installing {package}"))
}

/// Reads a report in lcov's form; keeps the sources of these crates.
fn parse(report: &str, crates: &[String]) -> Files {
    let mut files = Files::new();
    let mut file: Option<&mut BTreeMap<u32, bool>> = None;
    for line in report.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            let path = path.replace('\\', "/");
            let inside = path.rsplit_once("crates/").map_or("", |(_, inside)| inside);
            let (name, rest) = inside.split_once('/').unwrap_or_default();
            let wanted = rest.starts_with("src/") && crates.iter().any(|c| c == name);
            file = wanted.then(|| files.entry(format!("crates/{inside}")).or_default());
        }
        let values = line.strip_prefix("DA:").and_then(|v| v.split_once(','));
        if let (Some(file), Some((number, hits))) = (&mut file, values)
            && let Ok(number) = number.parse()
        {
            *file.entry(number).or_default() |= hits != "0";
        }
    }
    files
}

/// Returns the line on which the tests at the end of a source begin. One of the tools counts them as code.
fn tests_begin(source: &str) -> u32 {
    (1..).zip(source.lines()).find(|(_, line)| *line == "mod tests {").map_or(u32::MAX, |(number, _)| number)
}

/// Returns a line per crate: the one with the least coverage first.
fn table(files: &Files) -> String {
    let mut crates: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (path, lines) in files {
        let name = path.split('/').nth(1).unwrap_or_default();
        let (all, covered) = crates.entry(name).or_default();
        *all += lines.len();
        *covered += lines.values().filter(|covered| **covered).count();
    }
    let percent = |(all, covered): (usize, usize)| 100.0 * covered as f64 / all.max(1) as f64;
    let mut rows: Vec<_> = crates.into_iter().collect();
    rows.sort_by(|a, b| percent(a.1).total_cmp(&percent(b.1)));
    let rows = rows.iter().map(|(name, counts)| {
        format!("{name:12} {:7} {:7} {:7.1} %\n", counts.0, counts.1, percent(*counts))
    });
    format!("{:12} {:>7} {:>7} {:>9}\n", "crate", "lines", "covered", "share") + &rows.collect::<String>()
}

/// Returns the lines that no test reaches, as ranges: the file with the most first.
fn uncovered(files: &Files) -> String {
    let missed = |lines: &BTreeMap<u32, bool>| lines.values().filter(|covered| !**covered).count();
    let mut rows: Vec<_> = files.iter().filter(|(_, lines)| missed(lines) > 0).collect();
    rows.sort_by_key(|(_, lines)| std::cmp::Reverse(missed(lines)));
    let row = |(path, lines): (&String, &BTreeMap<u32, bool>)| {
        let ranges: String = ranges(lines).iter().map(|(first, last)| format!(" {first}-{last}")).collect();
        format!("{path} ({} of {}):{ranges}\n", missed(lines), lines.len())
    };
    rows.into_iter().map(row).collect()
}

/// Returns the runs of lines that are not covered. Lines without code do not end a run.
fn ranges(lines: &BTreeMap<u32, bool>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut open = false;
    for (&line, &covered) in lines {
        match ranges.last_mut() {
            Some((_, last)) if open && !covered => *last = line,
            _ if !covered => ranges.push((line, line)),
            _ => {}
        }
        open = !covered;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::{parse, table, tests_begin, uncovered};

    const REPORT: &str = "TN:\nSF:/home/crates/wire/src/a.rs\nDA:1,3\nDA:2,0\nDA:5,0\nDA:6,1\nDA:9,0\nend_of_record\n\
        SF:/home/crates/text/src/b.rs\nDA:1,1\nend_of_record\n\
        SF:/home/crates/text/tests/c.rs\nDA:1,0\nend_of_record\n\
        SF:/home/crates/wire/src/a.rs\nDA:9,1\nDA:6,0\nend_of_record\n";

    #[test]
    fn a_line_is_covered_if_one_test_program_reaches_it() {
        let files = parse(REPORT, &["wire".to_owned(), "text".to_owned()]);
        let rows: Vec<Vec<_>> =
            table(&files).lines().map(|l| l.split_whitespace().map(str::to_owned).collect()).collect();
        assert_eq!(rows[1..], [["wire", "5", "3", "60.0", "%"], ["text", "1", "1", "100.0", "%"]]);
        assert_eq!(uncovered(&files), "crates/wire/src/a.rs (2 of 5): 2-5\n");
    }

    #[test]
    fn only_sources_of_the_crates_asked_for_count() {
        let files = parse(REPORT, &["text".to_owned()]);
        assert_eq!(files.keys().collect::<Vec<_>>(), ["crates/text/src/b.rs"]);
    }

    #[test]
    fn tests_are_no_code() {
        assert_eq!(tests_begin("fn f() {}\n\n#[cfg(test)]\nmod tests {\n}\n"), 4);
        assert_eq!(tests_begin("fn f() {}\n"), u32::MAX);
    }
}
