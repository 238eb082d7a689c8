//! What `galatea check` says: the findings of a file, and the counts of a batch.

use std::collections::BTreeMap;
use std::io::{self, Write};

use galatea::wire::{Finding, Fixed};
use galatea::{Report, Rule, Severity};
use serde_json::{Value, json};

use crate::batch::joined;
use crate::terminal::Table;

/// Writes the findings of a file that are at least this bad, those that are alike on one line.
pub(super) fn list(path: &str, report: &Report, least: Severity, out: &mut dyn Write) -> io::Result<()> {
    for (finding, count) in report.alike() {
        if finding.rule.severity >= least {
            writeln!(out, "{path}: {}", line(finding, count))?;
        }
    }
    let long = |(rule, count): &(&Rule, usize)| rule.severity >= least && *count > Report::KEEP;
    for (rule, count) in report.counts().filter(long) {
        let more = grouped(count - Report::KEEP);
        writeln!(out, "{path}: {} {}: {}: and {more} more", rule.severity, rule.code, rule.title)?;
    }
    Ok(())
}

fn line(first: &Finding, count: usize) -> String {
    let Rule { severity, code, title, .. } = first.rule;
    match (count, first.place()) {
        (1, _) => first.to_string(),
        (_, None) => format!("{severity} {code}: {title}: {} ({count} times)", first.message),
        (_, Some(place)) => {
            format!("{severity} {code}: {title}: {} ({count} times, first at {place})", first.message)
        }
    }
}

/// The findings of a file as JSON.
pub(super) fn json(path: &str, report: &Report, fixed: &[Fixed]) -> Value {
    joined(json!({ "path": path, "fixed": fixed }), json!(report))
}

/// What a batch has, over all its files.
#[derive(Default)]
pub(super) struct Totals {
    files: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
    /// Files that have errors, those that cannot be opened among them.
    faulty: usize,
    unreadable: usize,
    fixed: usize,
    rules: BTreeMap<&'static str, Broken>,
}

/// How often a rule is broken.
struct Broken {
    rule: &'static Rule,
    findings: usize,
    files: usize,
}

impl Totals {
    /// Adds a file that was checked.
    pub(super) fn add(&mut self, report: &Report, fixed: &[Fixed]) {
        self.files += 1;
        self.fixed += usize::from(!fixed.is_empty());
        self.faulty += usize::from(report.at_least(Severity::Error) > 0);
        for (rule, count) in report.counts() {
            match rule.severity {
                Severity::Error => self.errors += count,
                Severity::Warning => self.warnings += count,
                Severity::Info => self.infos += count,
            }
            let broken = self.rules.entry(rule.code).or_insert(Broken { rule, findings: 0, files: 0 });
            broken.findings += count;
            broken.files += 1;
        }
    }

    /// Adds a file that could not be opened, which is the worst that can be wrong with it.
    pub(super) fn add_unreadable(&mut self) {
        self.files += 1;
        self.faulty += 1;
        self.unreadable += 1;
        self.errors += 1;
    }

    /// The rules that are broken, the worst and most frequent first.
    fn broken(&self, least: Severity) -> Vec<&Broken> {
        let mut broken: Vec<&Broken> = self.rules.values().filter(|b| b.rule.severity >= least).collect();
        broken.sort_by_key(|b| std::cmp::Reverse((b.rule.severity, b.findings)));
        broken
    }

    /// Writes one line for every rule that is broken.
    pub(super) fn by_rule(&self, least: Severity, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(&["severity", "rule", "findings", "files", "what is wrong"]);
        let mut row = |severity: &str, code: &str, findings: usize, files: usize, title: &str| {
            let cells = [severity, code, &findings.to_string(), &files.to_string(), title];
            table.row(cells.map(str::to_owned).to_vec(), out)
        };
        if self.unreadable > 0 {
            row("error", "-", self.unreadable, self.unreadable, "the file cannot be opened")?;
        }
        for Broken { rule, findings, files } in self.broken(least) {
            row(rule.severity.name(), rule.code, *findings, *files, rule.title)?;
        }
        table.finish(out)
    }

    /// The same as JSON: one object for every rule, and one for all.
    pub(super) fn json(&self, least: Severity) -> Vec<Value> {
        let rule = |b: &Broken| {
            json!({
                "code": b.rule.code, "severity": b.rule.severity.name(), "title": b.rule.title,
                "findings": b.findings, "files": b.files,
            })
        };
        let all = json!({ "summary": {
            "files": self.files, "errors": self.errors, "warnings": self.warnings, "infos": self.infos,
            "files_with_errors": self.faulty, "unreadable": self.unreadable, "fixed": self.fixed,
        } });
        self.broken(least).into_iter().map(rule).chain(std::iter::once(all)).collect()
    }

    /// Writes the last line: how many files, and how much was found, by severity. `hidden` tells that infos were not listed.
    pub(super) fn finish(&self, hidden: bool, out: &mut dyn Write) -> io::Result<()> {
        if self.files == 0 {
            return Ok(());
        }
        let mut parts = Vec::new();
        let found = self.errors + self.warnings + self.infos;
        match self.errors {
            0 if found == 0 => parts.push("nothing found".to_owned()),
            0 => parts.push("no errors".to_owned()),
            n if self.files == 1 => parts.push(counted(n, "error")),
            n => parts.push(format!("{} in {}", counted(n, "error"), counted(self.faulty, "file"))),
        }
        if self.warnings > 0 {
            parts.push(counted(self.warnings, "warning"));
        }
        if self.infos > 0 {
            let how = if hidden { " (--info lists them)" } else { "" };
            parts.push(format!("{}{how}", counted(self.infos, "info")));
        }
        if self.unreadable > 0 {
            parts.push(format!("{} cannot be opened", counted(self.unreadable, "file")));
        }
        if self.fixed > 0 {
            parts.push(format!("{} fixed", counted(self.fixed, "file")));
        }
        writeln!(out, "{}: {}", counted(self.files, "file"), parts.join(", "))
    }
}

/// A number of things: `1 file`, `8,228 infos`.
fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A number with its digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(totals: &Totals, hidden: bool) -> String {
        let mut out = Vec::new();
        assert!(totals.finish(hidden, &mut out).is_ok());
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn the_last_line_counts_by_severity() {
        let mut totals = Totals { files: 412, ..Totals::default() };
        assert_eq!(last(&totals, true), "412 files: nothing found\n");
        totals.infos = 8228;
        assert_eq!(last(&totals, true), "412 files: no errors, 8,228 infos (--info lists them)\n");
        totals = Totals { errors: 3, faulty: 2, warnings: 1, ..totals };
        assert_eq!(last(&totals, false), "412 files: 3 errors in 2 files, 1 warning, 8,228 infos\n");
        totals.add_unreadable();
        assert_eq!(
            last(&totals, false),
            "413 files: 4 errors in 3 files, 1 warning, 8,228 infos, 1 file cannot be opened\n"
        );
    }

    #[test]
    fn digits_stand_in_groups() {
        let all = [0, 12, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "12", "999", "1,000", "1,234,567"]);
    }
}
