//! Failures, and the exceptions that they become.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use galatea::preview::RenderError;
use galatea::wire::Place;
use galatea::{ConvertError, Error, ErrorKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Why a call failed. It is made while other Python threads run.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A file that is not as its format wants it.
    Format(Error),
    /// A file that could not be read or written.
    Io(io::Error, PathBuf),
    /// A value that makes no sense.
    Value(String),
    /// Anything else, with its kind.
    Other(&'static str, String),
}

/// A result of the work that is done while other Python threads run.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// Returns what names the path of a file that could not be read or written.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Failure + '_ {
        move |error| Failure::Io(error, path.to_path_buf())
    }

    /// Returns an error of the kind `unsupported`.
    pub(crate) fn unsupported(what: impl Into<String>) -> Failure {
        Failure::Other("unsupported", what.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Format(error)
    }
}

impl From<ConvertError> for Failure {
    fn from(error: ConvertError) -> Failure {
        let kind = match &error {
            ConvertError::Format(error) => return Failure::Format(error.clone()),
            ConvertError::LostExtras => "lost-extras",
            ConvertError::UnsupportedOption { .. } | ConvertError::UnsupportedEncoding { .. } => "option",
            _ => "unsupported",
        };
        Failure::Other(kind, error.to_string())
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Failure {
        Failure::Other("render", error.to_string())
    }
}

/// Returns the name of a kind of error, for programs.
fn kind(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotThisFormat => "not-this-format",
        ErrorKind::Truncated { .. } => "truncated",
        ErrorKind::Mismatch { .. } => "mismatch",
        ErrorKind::Unsupported(_) => "unsupported",
        ErrorKind::Cycle => "cycle",
        ErrorKind::Limit(_) => "limit",
        ErrorKind::Syntax(_) => "syntax",
        ErrorKind::Unrepresentable(_) => "unrepresentable",
        ErrorKind::Io(_) => "io",
        _ => "other",
    }
}

/// An instance of `galatea.Error`.
fn exception(
    py: Python<'_>,
    message: &str,
    kind: &str,
    offset: Option<u64>,
    line: Option<(u32, u32)>,
    path: &str,
) -> PyErr {
    let made = || py.import("galatea._errors")?.getattr("Error")?.call1((message, kind, offset, line, path));
    made().map_or_else(|error| error, PyErr::from_value)
}

/// An `OSError` of the class that fits, with the path.
fn os_error(py: Python<'_>, error: &io::Error, path: &Path) -> PyErr {
    let message = match error.kind() {
        _ if error.raw_os_error().is_none() => Cow::Owned(error.to_string()),
        io::ErrorKind::NotFound => Cow::Borrowed("no such file or folder"),
        io::ErrorKind::PermissionDenied => Cow::Borrowed("permission denied"),
        io::ErrorKind::IsADirectory => Cow::Borrowed("is a folder"),
        _ => Cow::Owned(error.to_string()),
    };
    // Python picks the subclass by this number.
    let number = error.raw_os_error().or(match error.kind() {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::AlreadyExists => Some(17),
        io::ErrorKind::NotADirectory => Some(20),
        io::ErrorKind::IsADirectory => Some(21),
        _ => None,
    });
    let path = path.as_os_str();
    let made = || {
        let class = py.import("builtins")?.getattr("OSError")?;
        match number {
            Some(number) => class.call1((number, message.as_ref(), path)),
            None => class.call1((format!("{}: {message}", path.to_string_lossy()),)),
        }
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        Python::attach(|py| match &failure {
            Failure::Format(error) => {
                let line = match error.place() {
                    Place::Line { line, column } => Some((line, column)),
                    _ => None,
                };
                exception(py, &error.to_string(), kind(error.kind()), error.offset(), line, error.path())
            }
            Failure::Io(error, path) => os_error(py, error, path),
            Failure::Value(what) => PyValueError::new_err(what.clone()),
            Failure::Other(kind, what) => exception(py, what, kind, None, None, ""),
        })
    }
}
