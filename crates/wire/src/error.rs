//! One error for every format: what is wrong, at which byte or line, and on which path inside the document.

use std::borrow::Cow;
use std::fmt;

/// A result with Galatea's own [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Where in the input a fault was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Absolute byte offset in a binary file.
    Byte(u64),
    /// Line and column of a text file, both counted from 1.
    Line {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
    },
    /// The fault belongs to no place of the input, for example when writing.
    Nowhere,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes do not start like a file of this format.
    NotThisFormat,
    /// `count` items of `size` bytes were announced, but only `have` bytes are left.
    Truncated {
        /// Items announced (1 for a single record).
        count: u64,
        /// Bytes of one item.
        size: u64,
        /// Bytes left.
        have: u64,
    },
    /// A value that must be something else.
    Mismatch {
        /// What the format requires.
        want: Cow<'static, str>,
        /// What the file has.
        found: Cow<'static, str>,
    },
    /// A version or variant that is not supported.
    Unsupported(Cow<'static, str>),
    /// Offsets that form a cycle, or share data that must not be shared.
    Cycle,
    /// One of the [`Limits`](crate::Limits) was reached; the name says which.
    Limit(&'static str),
    /// Text that does not follow the grammar.
    Syntax(Cow<'static, str>),
    /// The document has something that this format cannot represent.
    Unrepresentable(Cow<'static, str>),
    /// The bytes could not be read from where they are kept; why.
    Io(Cow<'static, str>),
}

/// What is wrong, where, and on which path. The path is built only when something fails.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    place: Place,
    path: String,
}

impl Error {
    /// Returns an error at a place, with no path yet.
    #[cold]
    pub fn new(kind: ErrorKind, place: Place) -> Self {
        Error(Box::new(Inner { kind, place, path: String::new() }))
    }

    /// Returns an error at a byte offset.
    #[cold]
    pub fn at(kind: ErrorKind, offset: usize) -> Self {
        Self::new(kind, Place::Byte(offset as u64))
    }

    /// Returns an error at a line and column of a text, both from 1.
    #[cold]
    pub fn at_line(kind: ErrorKind, line: u32, column: u32) -> Self {
        Self::new(kind, Place::Line { line, column })
    }

    /// Returns a syntax error at a line and column of a text, both from 1.
    #[cold]
    pub fn syntax(what: impl Into<Cow<'static, str>>, line: u32, column: u32) -> Self {
        Self::at_line(ErrorKind::Syntax(what.into()), line, column)
    }

    /// Returns an error for something that the target format cannot represent.
    #[cold]
    pub fn unrepresentable(what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unrepresentable(what.into()), Place::Nowhere)
    }

    /// Adds an outer step before the path.
    #[cold]
    #[must_use]
    pub fn within(mut self, step: impl AsRef<str>) -> Self {
        let step = step.as_ref();
        if step.is_empty() {
            return self;
        }
        if self.0.path.is_empty() {
            self.0.path.push_str(step);
        } else {
            self.0.path = format!("{step} > {}", self.0.path);
        }
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the place of the error.
    pub fn place(&self) -> Place {
        self.0.place
    }

    /// Returns the absolute byte offset, for binary input.
    pub fn offset(&self) -> Option<u64> {
        match self.0.place {
            Place::Byte(offset) => Some(offset),
            _ => None,
        }
    }

    /// Returns the path inside the document, outermost step first, `>` between steps; empty at the top.
    pub fn path(&self) -> &str {
        &self.0.path
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::NotThisFormat => f.write_str("not a file of this format"),
            ErrorKind::Truncated { count: 1, size, have } => write!(f, "needs {size} bytes, have {have}"),
            ErrorKind::Truncated { count, size, have } => {
                let need = u128::from(*count) * u128::from(*size);
                write!(f, "{count} x {size} bytes needs {need}, have {have}")
            }
            ErrorKind::Mismatch { want, found } => write!(f, "expected {want}, found {found}"),
            ErrorKind::Unsupported(what) => write!(f, "unsupported: {what}"),
            ErrorKind::Cycle => f.write_str("already visited: the offsets lead in a circle"),
            ErrorKind::Limit(which) => write!(f, "the limit on {which} is reached"),
            ErrorKind::Syntax(what) => f.write_str(what),
            ErrorKind::Unrepresentable(what) => f.write_str(what),
            ErrorKind::Io(why) => write!(f, "cannot be read: {why}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.place {
            Place::Byte(offset) => write!(f, "0x{offset:X}")?,
            Place::Line { line, column } => write!(f, "line {line}, column {column}")?,
            Place::Nowhere => {}
        }
        if !self.0.path.is_empty() {
            if self.0.place != Place::Nowhere {
                f.write_str(" ")?;
            }
            f.write_str(&self.0.path)?;
        }
        if self.0.place != Place::Nowhere || !self.0.path.is_empty() {
            f.write_str(": ")?;
        }
        write!(f, "{}", self.0.kind)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_the_byte_the_path_and_the_sizes() {
        let error = Error::at(ErrorKind::Truncated { count: 1200, size: 12, have: 312 }, 0x1A40)
            .within("vertices")
            .within("mesh")
            .within("nodes[7] \"torso\"");
        assert_eq!(
            error.to_string(),
            "0x1A40 nodes[7] \"torso\" > mesh > vertices: 1200 x 12 bytes needs 14400, have 312"
        );
    }

    #[test]
    fn text_errors_name_line_and_column() {
        assert_eq!(Error::syntax("expected `{`", 3, 14).to_string(), "line 3, column 14: expected `{`");
    }
}
