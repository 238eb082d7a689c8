//! Why an edit was refused.

use std::fmt;

use galatea_wire::{Error, NoField, NotAValue, escape};

use super::Operation;
use crate::{ConvertError, FormatId};

/// An operation that cannot be done, and why. Nothing was changed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EditError {
    /// The operation as it was written; `None` if the file could not be read at all.
    pub operation: Option<Box<Operation>>,
    /// Why it was refused.
    pub refusal: Box<Refusal>,
}

impl EditError {
    pub(super) fn new(operation: &Operation, refusal: Refusal) -> Self {
        EditError { operation: Some(Box::new(operation.clone())), refusal: Box::new(refusal) }
    }

    pub(super) fn unread(error: Error) -> Self {
        Self::unwritten(Refusal::Format(error))
    }

    pub(super) fn unwritten(refusal: Refusal) -> Self {
        EditError { operation: None, refusal: Box::new(refusal) }
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
    /// The operation means nothing in this format.
    NotInFormat {
        /// The format.
        format: FormatId,
        /// Where it means something.
        why: &'static str,
    },
    /// Nothing has this name.
    Missing {
        /// What was looked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// Several things have this name.
    Ambiguous {
        /// What they are.
        what: &'static str,
        /// Their name.
        name: String,
        /// How many.
        count: usize,
    },
    /// Something has the new name already.
    Taken {
        /// What it is.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Something else needs what is to be removed.
    Needed {
        /// Its name.
        name: String,
        /// What needs it.
        by: String,
    },
    /// A name does not fit into its field, or has a NUL.
    NoRoom {
        /// What it is the name of.
        what: &'static str,
        /// The name.
        name: String,
        /// Bytes of the field.
        room: usize,
    },
    /// The names of these textures are hashes that no dictionary knows.
    UnknownHashes {
        /// How many.
        count: usize,
    },
    /// The format cannot hold all of the result.
    Loses {
        /// What is lost.
        what: Vec<String>,
    },
    /// A part would be larger than the format allows.
    Full {
        /// The part.
        what: String,
        /// What it would have.
        count: usize,
        /// What there is room for.
        room: usize,
    },
    /// The numbers of the model's nodes leave no room for another one.
    Numbering,
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
            Layout::Offset => {
                f.write_str("is an offset: it says where something is in the file, and writing sets it")
            }
            Layout::Shared => f.write_str("shares its bytes with other fields, which would change too"),
            Layout::Unreadable(error) => write!(f, "the file could not be read with this value: {error}"),
            Layout::Moves => f.write_str(
                "says how the file is laid out: with this value other fields would be read elsewhere",
            ),
            Layout::Ignored => f.write_str(
                "is layout or padding that says nothing about the model: nothing would change in the game",
            ),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Format(error) => write!(f, "{error}"),
            Refusal::Convert(error) => write!(f, "{error}"),
            Refusal::NoFields(format) => {
                write!(
                    f,
                    "{format} files have no fields with a place; convert the file to a game format first"
                )
            }
            Refusal::NoField(why) => write!(f, "{why}"),
            Refusal::Several { count, first } => {
                write!(
                    f,
                    "means {count} fields, such as {}; name one, or write * for all",
                    first.join(" and ")
                )
            }
            Refusal::Value { path, why } => write!(f, "{path}: {why}"),
            Refusal::NotInFormat { format, why } => write!(f, "means nothing in {format} files: {why}"),
            Refusal::Missing { what, name, near } => {
                write!(f, "there is no {what} \"{}\"", escape(name))?;
                near.as_ref().map_or(Ok(()), |near| write!(f, "; did you mean \"{}\"?", escape(near)))
            }
            Refusal::Ambiguous { what, name, count } => {
                write!(
                    f,
                    "{count} of them are called \"{}\", so that the {what} is not certain",
                    escape(name)
                )
            }
            Refusal::Taken { what, name } => {
                write!(f, "there is a {what} \"{}\" already; choose another name", escape(name))
            }
            Refusal::Needed { name, by } => {
                write!(f, "\"{}\" is needed by {}", escape(name), by.replace(char::is_control, " "))
            }
            Refusal::NoRoom { what, name, room } => {
                write!(
                    f,
                    "{what} has room for {room} bytes without NUL; \"{}\" has {}",
                    escape(name),
                    name.len()
                )
            }
            Refusal::UnknownHashes { count } => {
                write!(
                    f,
                    "the paths of {count} textures are hashes of unknown texts; name a dictionary with --names, or the whole path"
                )
            }
            Refusal::Loses { what } => {
                let first = what.first().map_or("", String::as_str).replace(char::is_control, " ");
                write!(f, "cannot be done without loss: {first}")?;
                if what.len() > 1 {
                    write!(f, ", and {} more", what.len() - 1)?;
                }
                f.write_str("; --lossy does it all the same")
            }
            Refusal::Full { what, count, room } => {
                write!(f, "{what} would have {count} vertices, and the format has room for {room}")
            }
            Refusal::Numbering => {
                f.write_str("the numbers of the nodes have gaps or are used up; `galatea check` tells more")
            }
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
