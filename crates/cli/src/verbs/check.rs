//! `galatea check`: the rules of each format, and `--fix`.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use galatea::disk::Job;
use galatea::{Report, Rule, Severity, wire};
use serde_json::json;

use super::findings::{self, Totals};
use super::games::GameDir;
use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::outputs::{self, Saving};
use crate::terminal::complain;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    game: GameDir,
    /// The lowest severity that sets exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// Check only these rules
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = code)]
    only: Vec<&'static str>,
    /// Skip these rules
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = code)]
    ignore: Vec<&'static str>,
    /// Fix what can be fixed without guessing; the original is kept as FILE.bak
    #[arg(long)]
    fix: bool,
    /// With --fix: write fixed files into this folder instead of replacing the originals
    #[arg(short, long, value_name = "DIR", requires = "fix")]
    output: Option<PathBuf>,
    /// With --fix: also replace read-only files, and existing files in the output folder
    #[arg(long, requires = "fix")]
    force: bool,
    /// List errors only
    #[arg(long, conflicts_with = "info")]
    errors: bool,
    /// List infos too, not only their count
    #[arg(long)]
    info: bool,
    /// One line per rule that is broken, with its findings and files over all inputs, instead of a line per finding
    #[arg(long)]
    summary: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

fn code(text: &str) -> Result<&'static str, String> {
    galatea::rule(text)
        .map(|rule| rule.code)
        .ok_or_else(|| format!("no rule is called `{text}`; `galatea explain` lists them"))
}

struct Outcome {
    report: Report,
    fixed: Vec<wire::Fixed>,
}

impl Options {
    fn wants(&self, rule: &Rule) -> bool {
        (self.only.is_empty() || self.only.contains(&rule.code)) && !self.ignore.contains(&rule.code)
    }

    fn saving(&self) -> Saving<'_> {
        Saving { named: &self.inputs.paths, folder: self.output.as_deref(), force: self.force }
    }

    fn work(&self, job: &Job) -> Result<Outcome, Failure> {
        if job.archive {
            let mut report = batch::open_archive(job)?.archive().check();
            report.retain(|rule| self.wants(rule));
            return Ok(Outcome { report, fixed: Vec::new() });
        }
        let mut opened = batch::open(job)?;
        let mut fixed = Vec::new();
        if self.fix {
            fixed = opened.document.fix(&|rule| self.wants(rule));
            if !fixed.is_empty() {
                let output = opened.document.write()?;
                self.saving().save(job, &output, opened.document.format()).map_err(Failure::Io)?;
                // What is reported now is what the fixed file still has, with its own offsets.
                opened.document = galatea::open(&output.input(), &Default::default())?;
            }
        }
        let mut report = galatea::check(opened.document.as_ref(), &opened.loaded.input());
        report.retain(|rule| self.wants(rule));
        Ok(Outcome { report, fixed })
    }

    /// The least severity that is listed: infos only if they are asked for in one way or another.
    fn least(&self) -> Severity {
        let asked = |code: &&str| galatea::rule(code).is_some_and(|rule| rule.severity == Severity::Info);
        match self.fail_on {
            _ if self.errors => Severity::Error,
            _ if self.info || self.only.iter().any(asked) => Severity::Info,
            FailOn::Info => Severity::Info,
            _ => Severity::Warning,
        }
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        if let Err(error) = self.game.games() {
            complain(format_args!("{error}"));
            return Ok(Exit::Usage);
        }
        if self.output.as_ref().is_some_and(|dir| dir.is_file()) {
            complain(format_args!("-o names a file; a folder is needed"));
            return Ok(Exit::Usage);
        }
        match self.saving().places(self.inputs.list().into_iter().flatten(), "fix") {
            Ok(places) => outputs::recover(&places),
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        }
        let failing = match self.fail_on {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Info => Some(Severity::Info),
            FailOn::Never => None,
        };
        let least = self.least();
        let mut found = false;
        let mut totals = Totals::default();
        let tally = self.inputs.with_archives().run(
            |job| self.work(job),
            |path, result, out| match result {
                Ok(Outcome { mut report, fixed }) => {
                    found |= failing.is_some_and(|failing| report.at_least(failing) > 0);
                    totals.add(&report, &fixed);
                    if self.errors {
                        report.retain(|rule| rule.severity == Severity::Error);
                    }
                    match (self.inputs.json, self.summary) {
                        (true, true) => Ok(()),
                        (true, false) => writeln!(out, "{}", findings::json(path, &report, &fixed)),
                        (false, _) => self.print(path, &report, &fixed, out),
                    }
                }
                Err(failure) => {
                    totals.add_unreadable();
                    if !self.inputs.json {
                        return Ok(());
                    }
                    writeln!(out, "{}", json!({ "path": path, "error": batch::error_json(&failure) }))
                }
            },
        )?;
        let mut out = io::stdout().lock();
        // With one line per rule nothing is left out but what --errors leaves out.
        let of_rules = if self.errors { Severity::Error } else { Severity::Info };
        if self.inputs.json {
            let lines = if self.summary { totals.json(of_rules) } else { Vec::new() };
            lines.into_iter().try_for_each(|line| writeln!(out, "{line}"))?;
        } else {
            if self.summary {
                totals.by_rule(of_rules, &mut out)?;
            }
            totals.finish(least > Severity::Info && !self.summary, &mut out)?;
        }
        Ok(tally.exit(found))
    }

    fn print(
        &self,
        path: &str,
        report: &Report,
        fixed: &[wire::Fixed],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for f in fixed {
            writeln!(out, "{path}: fixed {}: {}", f.rule.code, f.message)?;
        }
        if self.summary { Ok(()) } else { findings::list(path, report, self.least(), out) }
    }
}
