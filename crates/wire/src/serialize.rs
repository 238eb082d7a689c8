//! How findings, reports and errors are serialized, with the keys of the program's `--json`. The other types derive it.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use crate::{Error, Finding, Fixed, Place, Report};

/// `code`, `severity`, `title`, `offset`, `path` and `message`. The help of the rule is left out.
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Finding { rule, offset, path, message } = self;
        let mut out = serializer.serialize_struct("Finding", 6)?;
        out.serialize_field("code", rule.code)?;
        out.serialize_field("severity", &rule.severity)?;
        out.serialize_field("title", rule.title)?;
        out.serialize_field("offset", offset)?;
        out.serialize_field("path", path)?;
        out.serialize_field("message", message)?;
        out.end()
    }
}

/// `code` and `message`.
impl Serialize for Fixed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Fixed", 2)?;
        out.serialize_field("code", self.rule.code)?;
        out.serialize_field("message", &self.message)?;
        out.end()
    }
}

/// `counts`, how often each rule is broken, by code; and the `findings` that were kept.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Report", 2)?;
        out.serialize_field("counts", &Counts(self))?;
        out.serialize_field("findings", self.findings())?;
        out.end()
    }
}

struct Counts<'a>(&'a Report);

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_map(None)?;
        for (rule, count) in self.0.counts() {
            out.serialize_entry(rule.code, &count)?;
        }
        out.end()
    }
}

/// `message`, the whole text; `offset`, or `line` and `column`, each `null` where it does not apply; and `path`.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (line, column) = match self.place() {
            Place::Line { line, column } => (Some(line), Some(column)),
            _ => (None, None),
        };
        let mut out = serializer.serialize_struct("Error", 5)?;
        out.serialize_field("message", &format_args!("{self}"))?;
        out.serialize_field("offset", &self.offset())?;
        out.serialize_field("line", &line)?;
        out.serialize_field("column", &column)?;
        out.serialize_field("path", self.path())?;
        out.end()
    }
}
