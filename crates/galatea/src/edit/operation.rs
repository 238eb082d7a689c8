//! The operations, and how they are written.

use std::fmt;

use galatea_wire::{FieldPath, near};

/// One change, or one question.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// Gives fields another value.
    Set {
        /// The fields.
        path: FieldPath,
        /// The value, as text.
        value: String,
    },
    /// Reads fields.
    Get {
        /// The fields.
        path: FieldPath,
    },
}

/// How an operation is written, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationInfo {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// What follows it.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Whether it changes the file.
    pub changes: bool,
    /// Whether what follows it may begin with a minus sign.
    pub numbers: bool,
}

/// All operations.
pub const OPERATIONS: &[OperationInfo] = &[
    OperationInfo {
        name: "set",
        value: "FIELD=VALUE",
        help: "Set a field that `inspect` shows, such as 'nodes[torso].mesh.diffuse=1,0.5,0'; [*] means all",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "get",
        value: "FIELD",
        help: "Print fields, such as 'sequences[*].name'",
        changes: false,
        numbers: false,
    },
];

/// A text that is no operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnOperation(pub(super) String);

impl fmt::Display for NotAnOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAnOperation {}

impl Operation {
    /// Parses an operation, given its name and what follows it.
    ///
    /// ```
    /// use galatea::edit::Operation;
    /// let operation = Operation::parse("set", "sequences[Walk].move_speed=270").unwrap();
    /// assert_eq!(operation.to_string(), "--set sequences[Walk].move_speed=270");
    /// assert!(Operation::parse("sett", "a=1").unwrap_err().to_string().contains("--set"));
    /// ```
    pub fn parse(name: &str, value: &str) -> Result<Operation, NotAnOperation> {
        let path = |text: &str| -> Result<FieldPath, NotAnOperation> {
            text.parse().map_err(|error| NotAnOperation(format!("--{name} {value}: \"{text}\" {error}")))
        };
        match name {
            "set" => {
                let (field, to) = assignment(value).ok_or_else(|| {
                    NotAnOperation(format!("--set {value}: needs FIELD=VALUE, such as sequences[Walk].move_speed=270"))
                })?;
                Ok(Operation::Set { path: path(field)?, value: to.trim().to_owned() })
            }
            "get" => Ok(Operation::Get { path: path(value)? }),
            _ => {
                let meant = near(name, OPERATIONS.iter().map(|known| known.name));
                let hint = meant.map_or(String::new(), |meant| format!("; did you mean --{meant}?"));
                Err(NotAnOperation(format!("--{name} is no operation{hint}")))
            }
        }
    }

    /// Returns `true` if the operation changes the file; `false` if it only reads.
    pub fn changes(&self) -> bool {
        !matches!(self, Operation::Get { .. })
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Set { path, value } => write!(f, "--set {path}={value}"),
            Operation::Get { path } => write!(f, "--get {path}"),
        }
    }
}

/// Splits at the first `=` outside of brackets and quotes.
pub(super) fn assignment(text: &str) -> Option<(&str, &str)> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth = depth.saturating_sub(1),
            '=' if depth == 0 && !quoted => return Some((text.get(..at)?, text.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_equals_sign_outside_of_brackets_separates() {
        for (text, want) in [
            ("a=1", Some(("a", "1"))),
            ("a[x=y].b=c=d", Some(("a[x=y].b", "c=d"))),
            (r#"n "a\"=" > b=2"#, Some((r#"n "a\"=" > b"#, "2"))),
            ("a[x=y]", None),
            ("", None),
        ] {
            assert_eq!(assignment(text), want, "{text}");
        }
    }

    #[test]
    fn every_listed_operation_is_known_and_prints_as_it_is_written() {
        for (name, value) in [("set", "a[0].b=1, 2"), ("get", "a[*].b")] {
            let operation = Operation::parse(name, value).unwrap();
            assert_eq!(operation.to_string(), format!("--{name} {value}"));
            let info = OPERATIONS.iter().find(|info| info.name == name).unwrap();
            assert_eq!(info.changes, operation.changes());
        }
    }
}
