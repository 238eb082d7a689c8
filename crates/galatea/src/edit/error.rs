//! Why an edit was refused.

use std::fmt;

use galatea_wire::{Error, NoField, NotAValue};

use super::Operation;
use crate::{ConvertError, FormatId};

/// An operation that cannot be done, and why. Nothing was changed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EditError {
    /// The operation as it was written; `None` if the file could not be read at all.
    pub operation: Option<Operation>,
    /// Why it was refused.
    pub refusal: Refusal,
}

impl EditError {
    pub(super) fn new(operation: &Operation, refusal: Refusal) -> Self {
        EditError { operation: Some(operation.clone()), refusal }
    }

    pub(super) fn unread(error: Error) -> Self {
        EditError { operation: None, refusal: Refusal::Format(error) }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = &self.operation {
            write!(f, "{operation}: ")?;
        }
        write!(f, "{}", self.refusal)
    }
}

impl std::error::Error for EditError {}

/// Why an operation cannot be done.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Refusal {
    /// The file could not be read, or not be written after the change.
    Format(Error),
    /// The text form could not be turned into the binary one, or back.
    Convert(ConvertError),
    /// Files of this format have no fields with a place.
    NoFields(FormatId),
    /// The path means no field.
    NoField(NoField),
    /// The path means several fields and has no `*`.
    Several {
        /// How many.
        count: usize,
        /// The paths of the first.
        first: Vec<String>,
    },
    /// The text is not a value of the field.
    Value {
        /// The path of the field.
        path: String,
        /// What is wrong.
        why: NotAValue,
    },
    /// The field says how the file is laid out.
    Layout {
        /// The path of the field.
        path: String,
        /// What happens if it is changed.
        why: Layout,
    },
}

/// Why a field is layout.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// It holds a place in the file.
    Offset,
    /// Other fields share its bytes.
    Shared,
    /// With another value the file cannot be read.
    Unreadable(Error),
    /// With another value other fields would be elsewhere.
    Moves,
    /// The document does not depend on it.
    Ignored,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layout::Offset => f.write_str("is an offset: it says where something is in the file, and writing sets it"),
            Layout::Shared => f.write_str("shares its bytes with other fields, which would change too"),
            Layout::Unreadable(error) => write!(f, "the file could not be read with this value: {error}"),
            Layout::Moves => {
                f.write_str("says how the file is laid out: with this value other fields would be read elsewhere")
            }
            Layout::Ignored => {
                f.write_str("is layout or padding that says nothing about the model: nothing would change in the game")
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Format(error) => write!(f, "{error}"),
            Refusal::Convert(error) => write!(f, "{error}"),
            Refusal::NoFields(format) => {
                write!(f, "{format} files have no fields with a place; convert the file to a game format first")
            }
            Refusal::NoField(why) => write!(f, "{why}"),
            Refusal::Several { count, first } => {
                write!(f, "means {count} fields, such as {}; name one, or write * for all", first.join(" and "))
            }
            Refusal::Value { path, why } => write!(f, "{path}: {why}"),
            Refusal::Layout { path, why } => write!(f, "{path}: {why}"),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Format(error)
    }
}

impl From<ConvertError> for Refusal {
    fn from(error: ConvertError) -> Self {
        Refusal::Convert(error)
    }
}

impl From<NoField> for Refusal {
    fn from(error: NoField) -> Self {
        Refusal::NoField(error)
    }
}
