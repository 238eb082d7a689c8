//! `galatea check`: the rules of each format, and `--fix`.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use galatea::disk::{self, Job};
use galatea::{Report, Rule, Severity, wire};
use serde_json::json;

use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::terminal::complain;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The least severity that makes the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// Check only these rules
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = code)]
    only: Vec<&'static str>,
    /// Leave these rules out
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = code)]
    ignore: Vec<&'static str>,
    /// Mend what can be mended without guessing; the old file stays beside it as FILE.bak
    #[arg(long)]
    fix: bool,
    /// With --fix: write mended files into this folder and leave the originals alone
    #[arg(short, long, value_name = "DIR", requires = "fix")]
    output: Option<PathBuf>,
    /// Count the findings of each rule instead of listing them
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

    fn work(&self, job: &Job) -> Result<Outcome, Failure> {
        let mut opened = batch::open(job)?;
        let mut fixed = Vec::new();
        if self.fix {
            fixed = opened.document.fix(&|rule| self.wants(rule));
            if !fixed.is_empty() {
                let output = opened.document.write()?;
                self.save(job, &output, opened.document.format()).map_err(Failure::Io)?;
                // What is reported now is what the mended file still has, with its own offsets.
                opened.document = galatea::open(&output.input(), &Default::default())?;
            }
        }
        let mut report = opened.document.check();
        report.retain(|rule| self.wants(rule));
        Ok(Outcome { report, fixed })
    }

    fn save(&self, job: &Job, output: &galatea::Output, format: &galatea::Format) -> io::Result<()> {
        if let Some(dir) = &self.output {
            std::fs::create_dir_all(dir)?;
            let name = job.path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            return disk::write_output(&dir.join(name), output, true);
        }
        if job.path.as_os_str() == "-" {
            return Err(io::Error::other("standard input cannot be mended in place; use -o DIR"));
        }
        let companions = disk::companion_paths(&job.path, format).into_iter().map(|(_, path)| path);
        for path in std::iter::once(job.path.clone()).chain(companions) {
            let mut backup = path.clone().into_os_string();
            backup.push(".bak");
            if !std::path::Path::new(&backup).exists() {
                std::fs::copy(&path, &backup)?;
            }
        }
        disk::write_output(&job.path, output, true)
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        if self.output.as_ref().is_some_and(|dir| dir.is_file()) {
            complain(format_args!("-o names a file; a folder is needed"));
            return Ok(Exit::Usage);
        }
        let least = match self.fail_on {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Info => Some(Severity::Info),
            FailOn::Never => None,
        };
        let mut found = false;
        let tally = self.inputs.run(
            |job| self.work(job),
            |path, result, out| match result {
                Ok(outcome) => {
                    found |= least.is_some_and(|least| outcome.report.at_least(least) > 0);
                    self.print(path, &outcome, out)
                }
                Err(failure) if self.inputs.json => {
                    writeln!(out, "{}", json!({ "path": path, "error": batch::error_json(&failure) }))
                }
                Err(_) => Ok(()),
            },
        )?;
        Ok(tally.exit(found))
    }

    fn print(&self, path: &str, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        let Outcome { report, fixed } = outcome;
        if self.inputs.json {
            let findings: Vec<_> = report
                .findings()
                .iter()
                .map(|f| {
                    json!({
                        "code": f.rule.code, "severity": f.rule.severity.name(), "offset": f.offset, "path": f.path,
                        "message": f.message,
                    })
                })
                .collect();
            let counts: serde_json::Map<_, _> =
                report.counts().map(|(r, n)| (r.code.to_owned(), n.into())).collect();
            let fixed: Vec<_> =
                fixed.iter().map(|f| json!({ "code": f.rule.code, "message": f.message })).collect();
            let line = json!({ "path": path, "counts": counts, "findings": findings, "fixed": fixed });
            return writeln!(out, "{line}");
        }
        for f in fixed {
            writeln!(out, "{path}: fixed {}: {}", f.rule.code, f.message)?;
        }
        if self.summary {
            for (rule, count) in report.counts() {
                writeln!(out, "{path}: {} {} x {count}: {}", rule.severity, rule.code, rule.title)?;
            }
            return Ok(());
        }
        for finding in report.findings() {
            writeln!(out, "{path}: {finding}")?;
        }
        for (rule, count) in report.counts().filter(|(_, n)| *n > Report::KEEP) {
            writeln!(out, "{path}: {} {}: and {} more", rule.severity, rule.code, count - Report::KEEP)?;
        }
        Ok(())
    }
}
