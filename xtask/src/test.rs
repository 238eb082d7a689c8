//! `cargo xtask test`: what has to hold before anything lands.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use galatea_corpus as corpus;

use crate::{Outcome, cargo, docs, examples, root, run};

/// The beginning of the names of tests that are ignored for another reason than the corpus.
const BY_HAND: &str = "by_hand_";

#[derive(Args)]
pub(crate) struct Options {
    /// In a release build: the walkmesh tests with their full counts (millions of rays and paths), and the images of the
    /// examples, which must have the same bytes in every build; nothing else
    #[arg(long)]
    full: bool,
    /// The tests that need the corpus, and nothing else
    #[arg(long, conflicts_with = "full")]
    corpus: bool,
    /// The lints and tests of the workshop, which takes minutes more to build, and nothing else
    #[arg(long, conflicts_with_all = ["full", "corpus"])]
    workshop: bool,
}

/// What only the window needs. The other tasks leave it out.
const WORKSHOP: [&str; 2] = ["galatea-workshop", "galatea-painter"];

/// A cargo command for all packages but the workshop.
fn without_workshop(command: &str) -> Command {
    let mut cargo = cargo(&[command, "--workspace"]);
    cargo.args(WORKSHOP.iter().flat_map(|package| ["--exclude", package]));
    cargo
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        if self.full {
            return full();
        }
        if self.corpus {
            return with_corpus();
        }
        if self.workshop {
            return workshop();
        }
        step("format", || {
            run(&mut cargo(&["fmt", "--all", "--check"]), "cargo fmt --check (run `cargo fmt --all`)")
        })?;
        step("lints", || {
            let clippy = ["--quiet", "--all-targets", "--", "--deny", "warnings"];
            run(without_workshop("clippy").args(clippy), "clippy")
        })?;
        step("features, each on its own", features)?;
        without_corpus()?;
        step("generated files", || {
            docs::Options { check: true }.run()?;
            examples::Options { check: true }.run()
        })?;
        with_corpus()?;
        println!("all good");
        Ok(())
    }
}

fn full() -> Outcome {
    let tests = ["--test", "rays", "--test", "paths", "--test", "rooms", "--test", "slides"];
    let mut command = cargo(&["test", "--release", "--package", "galatea-walk"]);
    command.args(tests).args(["--", "--nocapture", "--test-threads=1"]).env("GALATEA_FULL", "1");
    if corpus::root().is_some() {
        command.arg("--include-ignored");
    }
    step("walkmesh queries, full counts", || run(&mut command, "the tests"))?;
    let images = ["test", "--release", "--package", "galatea-cli", "--test", "images", "--test", "effects"];
    step("images, release build", || run(&mut cargo(&images), "the tests"))
}

/// Lints and tests of the workshop and its painter. No window is opened: `cargo xtask workshop` does that.
fn workshop() -> Outcome {
    let packages = || WORKSHOP.iter().flat_map(|package| ["--package", package]);
    step("lints of the workshop", || {
        let mut command = cargo(&["clippy", "--quiet", "--all-targets"]);
        run(command.args(packages()).args(["--", "--deny", "warnings"]), "clippy")
    })?;
    step("tests of the workshop", || {
        let mut command = cargo(&["test"]);
        let counts = counted(command.args(packages()).args(["--", "--format=pretty"]))?;
        println!("{} passed, 0 failed", counts.passed);
        if counts.passed == 0 { Err("no test of the workshop ran".into()) } else { Ok(()) }
    })
}

/// Checks the facade with no feature and with each alone.
fn features() -> Outcome {
    for feature in ["", "kotor", "mdlx", "fox", "preview", "walk", "disk", "serde"] {
        let facade =
            ["clippy", "--quiet", "--package", "galatea", "--no-default-features", "--features", feature];
        let what = format!("the facade with the feature {feature:?}");
        run(cargo(&facade).args(["--", "--deny", "warnings"]), &what)?;
    }
    Ok(())
}

/// Runs everything that needs no corpus, with none in sight.
fn without_corpus() -> Outcome {
    step("tests without a corpus", || {
        let mut command = without_workshop("test");
        command.args(["--", "--format=pretty"]);
        command.env(corpus::VARIABLE, root().join("target/there-is-no-corpus-here"));
        let counts = counted(&mut command)?;
        if let Some(name) = counts.ignored_without_reason.first() {
            return Err(format!(
                "{name} is ignored: give it the reason {:?}, or a name that begins with {BY_HAND}",
                corpus::REASON
            ));
        }
        let skipped = counts.needing_corpus;
        println!("{} tests passed, {skipped} skipped for want of a corpus", counts.passed);
        counts.print_slowest();
        Ok(())
    })
}

/// Runs the tests that need the corpus, if it is there.
fn with_corpus() -> Outcome {
    if corpus::root().is_none() {
        println!("== no corpus (${} names the directory of one)", corpus::VARIABLE);
        return Ok(());
    }
    step("tests with the corpus", || {
        let log = Log::new()?;
        let mut command = without_workshop("test");
        command
            .args(["--tests", "--", "--ignored", "--skip", BY_HAND, "--format=pretty"])
            .env(corpus::LOG_VARIABLE, &log.0);
        let counts = counted(&mut command)?;
        let files = log.files()?;
        if counts.passed == 0 || files == 0 {
            return Err(format!("{} tests read {files} files of the corpus", counts.passed));
        }
        println!("{} tests passed, {files} files of the corpus read", counts.passed);
        counts.print_slowest();
        Ok(())
    })
}

/// What a run of the tests says.
#[derive(Default)]
struct Counts {
    passed: usize,
    /// Tests ignored because they need the corpus.
    needing_corpus: usize,
    /// Tests ignored for a reason that nobody gave.
    ignored_without_reason: Vec<String>,
    /// Seconds that each test program took, in the order they ran in.
    seconds: Vec<f64>,
    /// What cargo calls the test programs, in the same order.
    programs: Vec<String>,
}

impl Counts {
    /// Prints the test programs that took longest.
    fn print_slowest(&self) {
        let mut all: Vec<_> = self.seconds.iter().zip(&self.programs).collect();
        all.sort_by(|a, b| b.0.total_cmp(a.0));
        for (seconds, program) in all.iter().take(5).filter(|(seconds, _)| **seconds >= 1.0) {
            println!("  {seconds:6.1} s  {program}");
        }
    }

    /// Takes a line of libtest's output. Returns whether it is worth showing.
    fn take(&mut self, line: &str) -> bool {
        if let Some(rest) = line.strip_prefix("test result: ok. ") {
            self.passed += rest.split(' ').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
            let seconds = rest.rsplit_once("finished in ").map(|(_, time)| time.trim_end_matches('s'));
            self.seconds.push(seconds.and_then(|time| time.parse().ok()).unwrap_or(0.0));
            return false;
        }
        if let Some((name, reason)) = line.strip_prefix("test ").and_then(|l| l.split_once(" ... ignored")) {
            if reason.trim_start_matches(", ") == corpus::REASON {
                self.needing_corpus += 1;
            } else if !name.rsplit("::").next().unwrap_or(name).starts_with(BY_HAND) {
                self.ignored_without_reason.push(name.to_owned());
            }
            return false;
        }
        let passed = line.starts_with("test ") && line.ends_with(" ... ok");
        let noise = line.is_empty() || line.starts_with("running ") || line.starts_with("all doctests ran");
        !(passed || noise)
    }
}

/// Runs `cargo test` with its usual format, shows what failed, and counts the rest.
fn counted(command: &mut Command) -> Result<Counts, String> {
    let started = |error| format!("the tests could not be started: {error}");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(started)?;
    let messages = child.stderr.take();
    let programs = std::thread::spawn(move || messages.map(program_names).unwrap_or_default());
    let mut counts = Counts::default();
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).split(b'\n')) {
        let line = line.map_err(|e| format!("the output of the tests: {e}"))?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches('\r');
        if counts.take(line) {
            println!("{line}");
        }
    }
    let status = child.wait().map_err(started)?;
    counts.programs = programs.join().map_err(|_| "the output of cargo could not be read")?;
    if status.success() { Ok(counts) } else { Err(format!("the tests failed ({status})")) }
}

/// Reads what cargo says while it tests: returns the names of the test programs, and shows errors and warnings.
fn program_names(messages: impl Read) -> Vec<String> {
    let mut programs = Vec::new();
    for line in BufReader::new(messages).lines().map_while(Result::ok) {
        match line.trim_start().split_once(' ') {
            Some(("Running", path)) => {
                let program = path.split_once(" (").map_or(path, |(_, file)| file.trim_end_matches(')'));
                let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
                programs.push(name.rsplit_once('-').map_or(name, |(name, _)| name).to_owned());
            }
            Some(("Doc-tests", package)) => programs.push(format!("doc tests of {package}")),
            Some(("Compiling" | "Finished" | "Blocking" | "Downloading" | "Downloaded" | "Fresh", _)) => {}
            _ => eprintln!("{line}"),
        }
    }
    programs
}

/// A directory in which tests note what they read of the corpus; removed at the end.
struct Log(PathBuf);

impl Log {
    fn new() -> Result<Log, String> {
        let dir = std::env::temp_dir().join(format!("galatea-corpus-log-{}", std::process::id()));
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        Ok(Log(dir))
    }

    /// Returns how many different files were read.
    fn files(&self) -> Result<usize, String> {
        let mut all = BTreeSet::new();
        let failed = |path: &Path, error| format!("{}: {error}", path.display());
        for entry in std::fs::read_dir(&self.0).map_err(|e| failed(&self.0, e))?.flatten() {
            let text = std::fs::read_to_string(entry.path()).map_err(|e| failed(&entry.path(), e))?;
            all.extend(text.lines().map(str::to_owned));
        }
        Ok(all.len())
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn step(name: &str, body: impl FnOnce() -> Outcome) -> Outcome {
    println!("== {name}");
    body()
}

#[cfg(test)]
mod tests {
    use super::{Counts, program_names};

    #[test]
    fn lines_of_libtest_are_counted_and_failures_shown() {
        let mut counts = Counts::default();
        let lines = [
            ("", false),
            ("running 4 tests", false),
            ("test a::one ... ok", false),
            ("test two ... ignored, needs the corpus", false),
            ("test m::by_hand_three ... ignored, takes an hour", false),
            ("test four ... ignored", false),
            ("test five ... FAILED", true),
            ("thread 'five' panicked at src/lib.rs:1:1:", true),
            (
                "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 1.25s",
                false,
            ),
            ("test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", true),
        ];
        for (line, shown) in lines {
            assert_eq!(counts.take(line), shown, "{line}");
        }
        assert_eq!((counts.passed, counts.needing_corpus), (12, 1));
        assert_eq!(counts.ignored_without_reason, ["four"]);
        assert_eq!(counts.seconds, [1.25]);
    }

    #[test]
    fn test_programs_are_named_after_their_files() {
        let messages = "   Compiling galatea v0.1.0\n     Running tests/fix.rs (target/debug/deps/fix-0a1b2c)\n   Doc-tests galatea_fox\n";
        assert_eq!(program_names(messages.as_bytes()), ["fix", "doc tests of galatea_fox"]);
    }
}
