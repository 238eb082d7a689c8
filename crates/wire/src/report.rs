//! Rules and what they found. Problems that do not stop reading are findings, never errors.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// Unusual or wasteful; works in the game.
    Warning,
    /// Wrong: the game misbehaves, or another tool cannot read the file.
    Error,
}

impl Severity {
    /// Returns `info`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that is checked. Rules are constants in one table per format.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Rule {
    /// Stable code, such as `KBWM0007`. Never reused.
    pub code: &'static str,
    /// How bad a finding is.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means for the user and what to do about it.
    pub help: &'static str,
    /// Whether `check --fix` can fix it: where the rest of the file leaves no doubt about the right value.
    pub fix: bool,
}

/// One place where a rule does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Absolute byte offset in the file, where known.
    pub offset: Option<u64>,
    /// Path inside the document.
    pub path: String,
    /// What exactly was found there.
    pub message: String,
}

impl Finding {
    /// Returns where it is: the byte and the path inside the document, as far as they are known.
    pub fn place(&self) -> Option<String> {
        match (self.offset, self.path.as_str()) {
            (None, "") => None,
            (None, path) => Some(path.to_owned()),
            (Some(offset), "") => Some(format!("0x{offset:X}")),
            (Some(offset), path) => Some(format!("0x{offset:X}, {path}")),
        }
    }

    /// Returns the message without its numbers: findings that differ in nothing else are alike.
    fn shape(&self) -> String {
        let mut shape = String::with_capacity(self.message.len());
        let mut number = false;
        for c in self.message.chars() {
            if !c.is_ascii_digit() {
                shape.push(c);
            } else if !number {
                shape.push('#');
            }
            number = c.is_ascii_digit();
        }
        shape
    }
}

/// The rule's sentence, the detail, and the place.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { severity, code, title, .. } = self.rule;
        write!(f, "{severity} {code}: {title}: {}", self.message)?;
        self.place().map_or(Ok(()), |place| write!(f, " (at {place})"))
    }
}

/// A rule that `fix` fixed, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The rule.
    pub rule: &'static Rule,
    /// What was done.
    pub message: String,
}

/// What checking a document found. Each rule keeps its first [`Report::KEEP`] findings and counts the rest,
/// so that a hostile file cannot make a report larger than itself.
#[derive(Debug, Clone, Default)]
pub struct Report {
    findings: Vec<Finding>,
    counts: BTreeMap<&'static str, (&'static Rule, usize)>,
}

impl Report {
    /// Findings kept per rule.
    pub const KEEP: usize = 100;

    /// Returns an empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding. The path and message are built only if the finding is kept.
    pub fn add(&mut self, rule: &'static Rule, offset: Option<u64>, what: impl FnOnce() -> (String, String)) {
        let count = &mut self.counts.entry(rule.code).or_insert((rule, 0)).1;
        *count += 1;
        if *count <= Self::KEEP {
            let (path, message) = what();
            self.findings.push(Finding { rule, offset, path, message });
        }
    }

    /// Adds the findings of another report after these.
    pub fn append(&mut self, other: Report) {
        for (code, (rule, count)) in other.counts {
            self.counts.entry(code).or_insert((rule, 0)).1 += count;
        }
        self.findings.extend(other.findings);
    }

    /// Returns the kept findings, in the order of checking.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the kept findings with those that are alike taken together: the first of each kind, and how many there are.
    /// Findings are alike if they have the same rule and their messages differ in numbers only.
    pub fn alike(&self) -> Vec<(&Finding, usize)> {
        let mut kinds: HashMap<(&str, String), usize> = HashMap::new();
        let mut out: Vec<(&Finding, usize)> = Vec::new();
        for finding in &self.findings {
            let at = *kinds.entry((finding.rule.code, finding.shape())).or_insert(out.len());
            match out.get_mut(at) {
                Some((_, count)) => *count += 1,
                None => out.push((finding, 1)),
            }
        }
        out
    }

    /// Returns how often each rule was broken, by code.
    pub fn counts(&self) -> impl Iterator<Item = (&'static Rule, usize)> + '_ {
        self.counts.values().copied()
    }

    /// Returns how often this rule was broken.
    pub fn count(&self, code: &str) -> usize {
        self.counts.get(code).map_or(0, |(_, n)| *n)
    }

    /// Returns how many findings are this bad or worse.
    pub fn at_least(&self, severity: Severity) -> usize {
        self.counts.values().filter(|(rule, _)| rule.severity >= severity).map(|(_, n)| n).sum()
    }

    /// Returns `true` if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Keeps only the findings whose rule the caller wants.
    pub fn retain(&mut self, mut wanted: impl FnMut(&Rule) -> bool) {
        self.findings.retain(|f| wanted(f.rule));
        self.counts.retain(|_, (rule, _)| wanted(rule));
    }
}

/// Declares a format's rules: one constant each, and a table of all of them for `explain` and the docs.
///
/// ```
/// galatea_wire::rules! {
///     /// Everything that is checked.
///     pub static RULES;
///     HOLES "DEMO0001" Warning fix "the mesh has holes" "Close them, or the player falls through.";
///     NAME "DEMO0002" Info keep "the name is long" "The game shows only the first sixteen letters.";
/// }
/// assert_eq!(RULES.len(), 2);
/// assert!(HOLES.fix && !NAME.fix);
/// ```
#[macro_export]
macro_rules! rules {
    (
        $(#[$meta:meta])* $vis:vis static $table:ident;
        $($name:ident $code:literal $severity:ident $fix:ident $title:literal $help:literal;)*
    ) => {
        $(pub(crate) const $name: $crate::Rule = $crate::Rule {
            code: $code,
            severity: $crate::Severity::$severity,
            title: $title,
            help: $help,
            fix: $crate::rules!(@$fix),
        };)*
        $(#[$meta])*
        $vis static $table: &[$crate::Rule] = &[$($name),*];
    };
    (@fix) => { true };
    (@keep) => { false };
}

#[cfg(test)]
mod tests {
    use super::*;

    static RULE: Rule =
        Rule { code: "TEST0001", severity: Severity::Warning, title: "t", help: "h", fix: false };

    #[test]
    fn a_report_stays_small_and_counts_everything() {
        let mut report = Report::new();
        for i in 0..1000 {
            report.add(&RULE, Some(i), || (format!("faces[{i}]"), "bad".into()));
        }
        assert_eq!(report.findings().len(), Report::KEEP);
        assert_eq!(report.count("TEST0001"), 1000);
        assert_eq!(report.at_least(Severity::Warning), 1000);
        assert_eq!(report.at_least(Severity::Error), 0);
        assert_eq!(report.findings()[3].to_string(), "warning TEST0001: t: bad (at 0x3, faces[3])");
    }

    #[test]
    fn findings_that_differ_in_numbers_only_are_alike() {
        let mut report = Report::new();
        for (offset, message) in
            [(8, "face 17 of 20"), (9, "face 3 of 20"), (10, "edge 3"), (11, "face 18 of 1")]
        {
            report.add(&RULE, Some(offset), || (String::new(), message.into()));
        }
        let alike: Vec<_> = report.alike().into_iter().map(|(f, n)| (f.message.as_str(), n)).collect();
        assert_eq!(alike, [("face 17 of 20", 3), ("edge 3", 1)]);
    }

    #[test]
    fn a_place_tells_what_is_known_of_it() {
        let place = |offset, path: &str| {
            Finding { rule: &RULE, offset, path: path.into(), message: "bad".into() }.place()
        };
        assert_eq!(place(None, ""), None);
        assert_eq!(place(Some(255), "").as_deref(), Some("0xFF"));
        assert_eq!(place(None, "bones[0]").as_deref(), Some("bones[0]"));
        assert_eq!(place(Some(255), "bones[0]").as_deref(), Some("0xFF, bones[0]"));
    }

    #[test]
    fn reports_of_two_files_become_one() {
        let mut report = Report::new();
        report.add(&RULE, None, || (String::new(), "here".into()));
        report.append(report.clone());
        assert_eq!((report.count("TEST0001"), report.findings().len()), (2, 2));
    }
}
