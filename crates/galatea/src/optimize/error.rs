//! Why a model was not optimized.

use std::fmt;

use galatea_wire::{Error, escape};

use super::Tolerance;
use crate::FormatId;

/// Why a model was not optimized. Nothing was changed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum OptimizeError {
    /// The file could not be read, or not be written after the change.
    Format(Error),
    /// Files of this format are not optimized.
    NotInFormat(FormatId),
    /// The optimized model would look different.
    Differs(Box<Difference>),
}

/// Where an optimized model would look different from the original.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Difference {
    /// The clip; `None` for what does not depend on a clip.
    pub clip: Option<String>,
    /// What differs, and by how much.
    pub what: String,
    /// The tolerance that was asked for.
    pub tolerance: Tolerance,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        if let Some(clip) = &self.clip {
            write!(f, " in \"{}\"", escape(clip))?;
        }
        let Tolerance { position, angle } = self.tolerance;
        write!(f, ", more than the tolerance ({position} of the size, {angle} degrees)")
    }
}

impl fmt::Display for OptimizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptimizeError::Format(error) => write!(f, "{error}"),
            OptimizeError::NotInFormat(format) => {
                write!(f, "{format} files are not optimized: mdx, mdl and fmdl models are")
            }
            OptimizeError::Differs(difference) => {
                write!(f, "would look different: {difference}; leave out a step with --without, such as keys")
            }
        }
    }
}

impl std::error::Error for OptimizeError {}

impl From<Error> for OptimizeError {
    fn from(error: Error) -> Self {
        OptimizeError::Format(error)
    }
}
