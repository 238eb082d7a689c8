//! Why models cannot be combined.

use std::fmt;

use galatea_wire::{Error, escape};

use crate::edit::Refusal;
use crate::{ConvertError, FormatId};

/// Why models cannot be combined. Nothing was changed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CombineError {
    /// The error is about one of the documents.
    Of {
        /// Its number, in the order of the arguments.
        document: usize,
        /// The error.
        error: Box<CombineError>,
    },
    /// A name is missing, ambiguous, taken or too long, or a document cannot be written or converted.
    Refused(Box<Refusal>),
    /// The operation means nothing for documents of this format.
    Format {
        /// The format.
        format: FormatId,
        /// What it lacks, or which formats have it.
        why: &'static str,
    },
    /// The model that clips are taken of has none.
    NoClips {
        /// The supermodel that its clips are inherited from, if it names one.
        supermodel: Option<String>,
    },
    /// No bone of one skeleton has a counterpart in the other.
    NothingMatches,
    /// A line of a table of bones makes no sense.
    Table {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// A node would be below itself.
    Cycle {
        /// Its name.
        name: String,
    },
    /// There is nothing to do what was asked for with.
    Nothing {
        /// What is missing.
        what: String,
    },
    /// The format has no room for the result.
    NoRoom {
        /// What there would be too many of.
        what: String,
    },
}

impl fmt::Display for CombineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CombineError::Of { error, .. } => write!(f, "{error}"),
            CombineError::Refused(refusal) => write!(f, "{refusal}"),
            CombineError::Format { format, why } => write!(f, "is {format}: {why}"),
            CombineError::NoClips { supermodel: Some(name) } => {
                write!(
                    f,
                    "has no clips of its own; it inherits those of \"{}\": name that file",
                    escape(name)
                )
            }
            CombineError::NoClips { supermodel: None } => f.write_str("has no clips"),
            CombineError::NothingMatches => {
                f.write_str("no bone has a counterpart; write a table of bones and give it with --map")
            }
            CombineError::Table { line, why } => write!(f, "line {line}: {why}"),
            CombineError::Cycle { name } => write!(f, "\"{}\" would be below itself", escape(name)),
            CombineError::Nothing { what } => f.write_str(what),
            CombineError::NoRoom { what } => f.write_str(what),
        }
    }
}

impl std::error::Error for CombineError {}

impl CombineError {
    /// Returns the same error about one of the documents, unless it is about one already.
    pub(super) fn of(self, document: usize) -> CombineError {
        match self {
            CombineError::Of { .. } => self,
            error => CombineError::Of { document, error: Box::new(error) },
        }
    }

    /// Returns the number of the document that the error is about, if it is about one.
    pub fn document(&self) -> Option<usize> {
        match self {
            CombineError::Of { document, .. } => Some(*document),
            _ => None,
        }
    }
}

impl From<Refusal> for CombineError {
    fn from(refusal: Refusal) -> Self {
        CombineError::Refused(Box::new(refusal))
    }
}

impl From<Error> for CombineError {
    fn from(error: Error) -> Self {
        Refusal::from(error).into()
    }
}

impl From<ConvertError> for CombineError {
    fn from(error: ConvertError) -> Self {
        Refusal::from(error).into()
    }
}
