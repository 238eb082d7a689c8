//! Changes: edits, operations and fixes, each computed away from the window and looked at before it is made.

use std::sync::Arc;

use galatea::edit::{EditOptions, Operation, edit};
use galatea::{Limits, Output};

use super::files::{input_of, name_of};
use super::jobs::Outcome;
use super::stand::Around;

/// A change of a document that was computed and not made yet.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// What it does, for people.
    pub(crate) label: String,
    /// What follows `galatea` on the command line to do the same.
    pub(crate) command: String,
    /// The bytes after it.
    pub(crate) output: Arc<Output>,
    /// What differs, a line each.
    pub(crate) differences: Vec<String>,
    /// Whether somebody has to look at it first.
    pub(crate) asks: bool,
}

/// What is to be changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wish {
    /// A field gets another value.
    Set { path: String, value: String },
    /// Operations of `galatea edit`: names and values.
    Operate(Vec<(String, String)>),
    /// What these rules find is fixed; all rules if there are none.
    Fix(Vec<String>),
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl Wish {
    /// Returns what follows `galatea` on the command line to do the same.
    pub(crate) fn command(&self, path: &std::path::Path) -> String {
        let file = quoted(&path.display().to_string());
        match self {
            Wish::Set { path, value } => {
                format!("edit {file} --set {} --in-place", quoted(&format!("{path}={value}")))
            }
            Wish::Operate(operations) => {
                let all: Vec<String> =
                    operations.iter().map(|(name, value)| format!("--{name} {}", quoted(value))).collect();
                format!("edit {file} {} --in-place", all.join(" "))
            }
            Wish::Fix(codes) if codes.is_empty() => format!("check {file} --fix"),
            Wish::Fix(codes) => format!("check {file} --fix --only {}", codes.join(",")),
        }
    }

    fn label(&self) -> String {
        match self {
            Wish::Set { path, value } => format!("Set {path} to {value}"),
            Wish::Operate(operations) => {
                let all: Vec<String> =
                    operations.iter().map(|(name, value)| format!("{name} {value}")).collect();
                all.join(", ")
            }
            Wish::Fix(codes) if codes.is_empty() => "Fix all findings".into(),
            Wish::Fix(codes) => format!("Fix {}", codes.join(", ")),
        }
    }

    /// Computes the change.
    pub(crate) fn work(&self, around: &Around, output: &Output, asks: bool) -> Outcome<Change> {
        let name = name_of(&around.path);
        let siblings = around.files.siblings(&around.path);
        let input = input_of(output, &name, siblings.as_ref());
        let (after, differences) = match self {
            Wish::Fix(codes) => {
                let mut document =
                    galatea::open(&input, &Limits::default()).map_err(|error| error.to_string())?;
                let before = galatea::open(&input, &Limits::default()).map_err(|error| error.to_string())?;
                let wanted =
                    |rule: &galatea::Rule| codes.is_empty() || codes.iter().any(|code| code == rule.code);
                let fixed = document.fix(&wanted);
                if fixed.is_empty() {
                    return Err("there is nothing to fix here that the rest of the file decides".into());
                }
                let mut lines: Vec<String> =
                    fixed.iter().map(|fixed| format!("{}: {}", fixed.rule.code, fixed.message)).collect();
                let after = document.write().map_err(|error| error.to_string())?;
                lines.extend(before.differences(document.as_ref()).unwrap_or_default());
                (after, lines)
            }
            Wish::Set { path, value } => run(&input, &[("set", &format!("{path}={value}"))])?,
            Wish::Operate(operations) => {
                let all: Vec<(&str, &str)> =
                    operations.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                run(&input, &all)?
            }
        };
        if after.bytes == output.bytes && after.companions == output.companions {
            return Err(format!("{}: nothing changes; it is so already", self.label()));
        }
        let command = self.command(&around.path);
        Ok(Change { label: self.label(), command, output: Arc::new(after), differences, asks })
    }
}

fn run(input: &galatea::Input<'_>, operations: &[(&str, &str)]) -> Outcome<(Output, Vec<String>)> {
    let parsed: Result<Vec<Operation>, _> =
        operations.iter().map(|(name, value)| Operation::parse(name, value)).collect();
    let parsed = parsed.map_err(|error| error.to_string())?;
    let edited = edit(input, &parsed, &EditOptions::default()).map_err(|error| error.to_string())?;
    if let Some(idle) = edited.idle.first().and_then(|idle| parsed.get(*idle)) {
        return Err(format!("{idle}: found nothing to change"));
    }
    Ok((edited.output, edited.differences))
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn commands_are_what_a_shell_takes() {
        let path = Path::new("my models/a.mdx");
        let set = Wish::Set { path: "sequences[Walk Fast].speed".into(), value: "2".into() };
        assert_eq!(
            set.command(path),
            "edit 'my models/a.mdx' --set 'sequences[Walk Fast].speed=2' --in-place"
        );
        let fix = Wish::Fix(vec!["MDX0001".into()]);
        assert_eq!(fix.command(Path::new("a.mdx")), "check a.mdx --fix --only MDX0001");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
