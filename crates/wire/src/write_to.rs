//! Writing a document to a stream, and what can go wrong there.

use std::fmt;
use std::io;

use crate::{Error, Result};

/// Why a document was not written to a stream.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The format cannot represent the document. Nothing was written.
    Format(Error),
    /// The stream failed. Part of the file may have been written.
    Io(io::Error),
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        WriteError::Format(error)
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}

/// For callers that have only one error: a document that cannot be represented is [`io::ErrorKind::InvalidData`].
impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Format(error) => io::Error::new(io::ErrorKind::InvalidData, error),
            WriteError::Io(error) => error,
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Format(error) => error.fmt(f),
            WriteError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Format(error) => error.source(),
            WriteError::Io(error) => error.source(),
        }
    }
}

/// Writes a file to a stream. This is the `write_to` of every document that is one file: `write_to(self.write(), out)`.
///
/// The file is made in memory first, because offsets at its start depend on what follows; a document that the format cannot
/// represent leaves the stream untouched.
///
/// ```
/// use galatea_wire::{Error, WriteError, write_to};
/// let mut out = Vec::new();
/// write_to(Ok(b"file".to_vec()), &mut out)?;
/// assert_eq!(out, b"file");
///
/// let failed = write_to(Err(Error::unrepresentable("70000 vertices")), &mut out);
/// assert!(matches!(failed, Err(WriteError::Format(_))));
/// let full = write_to(Ok(vec![0; 8]), &mut [0; 4][..]);
/// assert!(matches!(full, Err(WriteError::Io(_))));
/// # Ok::<(), WriteError>(())
/// ```
pub fn write_to(bytes: Result<Vec<u8>>, mut out: impl io::Write) -> Result<(), WriteError> {
    Ok(out.write_all(&bytes?)?)
}
