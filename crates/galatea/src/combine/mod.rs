//! Models made of others: clips of one on another's skeleton, parts of one in another, several as one, and one as several.
//!
//! * [`transfer()`] puts clips on another skeleton. [`TransferPlan`] tells which bones match, [`BoneTable`] says it.
//! * [`graft()`] puts a part of a model on a node of another.
//! * [`merge()`] makes one model of several.
//! * [`split()`] makes several of one; [`portrait()`] and [`split_at_limits()`] are for one format each.
//!
//! Each operation works on documents, in the words of their format where both have the same one. Nothing here reads or writes files.
//! What a result has no place for is among its losses; whether it is written all the same is up to the caller.

mod bones;
mod error;
mod fox;
mod graft;
mod kotor;
mod merge;
mod split;
mod transfer;
mod warcraft;

use galatea_wire::Loss;

pub use bones::{Bone, BoneTable, How, Matching, Pair, Skeleton};
pub use error::CombineError;
pub use graft::{GraftOptions, graft};
pub use merge::merge;
pub use split::{Piece, SplitBy, SplitOptions, portrait, split, split_at_limits};
pub use transfer::{ClipError, TransferOptions, TransferPlan, Transferred, TransferredClip, transfer};

/// Why a document cannot be combined with others.
const MODELS: &str = "only mdl, mdx and fmdl are combined; convert it first";

/// What an operation did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Combined {
    /// What was done, a line for each model.
    pub done: Vec<String>,
    /// What else is worth knowing, such as new names.
    pub notes: Vec<String>,
    /// What the result has no place for.
    pub losses: Vec<Loss>,
}
