//! What runs of the fuzzer gave, read from their logs, as a table.

use std::fmt::Write;
use std::path::Path;

/// What one target gave.
#[derive(Debug, Default, PartialEq)]
pub(super) struct TargetResult {
    name: String,
    /// Processor time.
    seconds: f64,
    runs: u64,
    /// Edges of the code that were reached.
    edges: u64,
    /// Inputs of the minimised corpus.
    inputs: usize,
    bytes: u64,
    pub(super) finding: Option<Finding>,
}

/// An input that broke a promise.
#[derive(Debug, PartialEq)]
pub(super) struct Finding {
    what: String,
    /// The path of the input, or of the log if none was written.
    reproducer: String,
}

impl Finding {
    /// Returns the finding that a log ends with.
    pub(super) fn of(log: &str, path: &Path) -> Self {
        let written = log.lines().find_map(|line| line.split_once("Test unit written to ").map(|(_, p)| p));
        let reproducer = written.map_or_else(|| path.display().to_string(), str::to_owned);
        let mut lines = log.lines();
        let panic = lines.find_map(|line| line.split_once("panicked at ").map(|(_, place)| place));
        let what = match panic {
            Some(place) => format!("{place} {}", lines.next().unwrap_or_default()),
            None => {
                let error = log.lines().find_map(|line| line.split_once("ERROR: ").map(|(_, what)| what));
                error.unwrap_or("ended without a reason").to_owned()
            }
        };
        Finding { what, reproducer }
    }
}

impl TargetResult {
    /// Reads the figures of a run from libFuzzer's output.
    pub(super) fn of(
        name: &str,
        log: &str,
        seconds: f64,
        inputs: usize,
        bytes: u64,
        finding: Option<Finding>,
    ) -> Self {
        let runs = log.lines().filter_map(|l| l.strip_prefix("stat::number_of_executed_units:"));
        let runs = runs.filter_map(|n| n.trim().parse().ok()).next_back().unwrap_or(0);
        let edges = log.lines().filter_map(|l| l.split_once(" cov: ")?.1.split(' ').next()?.parse().ok());
        let edges = edges.max().unwrap_or(0);
        TargetResult { name: name.to_owned(), seconds, runs, edges, inputs, bytes, finding }
    }

    /// Returns a target that could not be run, which must not go unseen either.
    pub(super) fn failed(name: &str, error: String) -> Self {
        let finding = Some(Finding { what: error, reproducer: "no input".into() });
        TargetResult { name: name.to_owned(), finding, ..TargetResult::default() }
    }

    /// Returns the row of the table.
    pub(super) fn line(&self) -> String {
        let TargetResult { name, seconds, runs, edges, inputs, bytes, finding } = self;
        let speed = *runs as f64 / seconds.max(1.0);
        let found = if finding.is_some() { "1" } else { "-" };
        let kilobytes = bytes.div_ceil(1024);
        format!(
            "| {name:<21} | {seconds:>7.0} | {runs:>9} | {speed:>7.0} | {edges:>6} | {inputs:>6} | {kilobytes:>6} | {found:>8} |"
        )
    }
}

/// Returns all results as a table, then each finding with the input that shows it.
pub(super) fn table(results: &[TargetResult]) -> String {
    let mut out = format!(
        "\n| {:<21} | {:>7} | {:>9} | {:>7} | {:>6} | {:>6} | {:>6} | {:>8} |\n",
        "target", "seconds", "runs", "runs/s", "edges", "corpus", "KB", "findings"
    );
    out += "|---|--:|--:|--:|--:|--:|--:|--:|\n";
    for result in results {
        out += &result.line();
        out.push('\n');
    }
    for (result, finding) in results.iter().filter_map(|r| Some((r, r.finding.as_ref()?))) {
        let _ = write!(out, "\n{}: {}\n  {}\n", result.name, finding.what, finding.reproducer);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "#2\tINITED cov: 11 ft: 12 corp: 1/1b exec/s: 0 rss: 30Mb
#8\tNEW    cov: 42 ft: 50 corp: 2/9b lim: 4 exec/s: 0 rss: 30Mb L: 1/1 MS: 1 ChangeBit-

thread '<unnamed>' (7) panicked at src/fix.rs:9:5:
fixed again: A
note: run with `RUST_BACKTRACE=1`
==7== ERROR: libFuzzer: deadly signal
artifact_prefix='a/'; Test unit written to a/crash-1
stat::number_of_executed_units: 1234
";

    #[test]
    fn a_log_has_figures_and_a_finding() {
        let finding = Finding::of(LOG, Path::new("x.log"));
        assert_eq!(finding.what, "src/fix.rs:9:5: fixed again: A");
        assert_eq!(finding.reproducer, "a/crash-1");
        let result = TargetResult::of("mdx_fix", LOG, 2.0, 3, 2049, Some(finding));
        assert_eq!((result.runs, result.edges), (1234, 42));
        let table = table(&[result]);
        assert!(table.contains("|      1234 |     617 |     42 |      3 |      3 |        1 |"), "{table}");
        assert!(table.ends_with("mdx_fix: src/fix.rs:9:5: fixed again: A\n  a/crash-1\n"), "{table}");
    }

    #[test]
    fn a_run_that_hangs_is_a_finding() {
        let log = "==9== ERROR: libFuzzer: timeout after 25 seconds\n";
        let finding = Finding::of(log, Path::new("x.log"));
        assert_eq!(
            (finding.what.as_str(), finding.reproducer.as_str()),
            ("libFuzzer: timeout after 25 seconds", "x.log")
        );
    }
}
