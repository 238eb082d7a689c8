//! Changes without an editor: what was asked for changes, everything else stays byte for byte.
//!
//! An [`Operation`] is one change, as `galatea edit` takes it on its command line. [`edit()`] runs a list of them, in order, on the
//! bytes of a file and gives the bytes of the changed one. Nothing here reads or writes files.
//!
//! * [`Operation::Texture`], [`Operation::RenameNode`], [`Operation::RemoveClip`] and the others are about parts of the document, in the
//!   words of its format. What the format does not have is refused.
//! * [`Operation::Set`] and [`Operation::Get`] are about single fields, by the paths that the inspector prints, in every format that
//!   has an inspector and in the text forms of those. Only the bytes of the named fields are replaced; the result is opened again
//!   and must have every field where it was.
//!
//! ```
//! use galatea::edit::{EditOptions, Operation, edit};
//! use galatea::{Input, kotor::mdl::Model};
//! let pair = Model::new("box").write()?;
//! let file = galatea::Output::with_companion(pair.mdl, "mdx", pair.mdx);
//! let operations = [Operation::parse("set", "model_header.radius=12.5").unwrap()];
//! let edited = edit(&file.input(), &operations, &EditOptions::default()).unwrap();
//! assert_eq!(edited.differences, ["radius: 7.0 -> 12.5"]);
//! # Ok::<(), galatea::Error>(())
//! ```

#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod attach;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod clips;
mod documents;
mod editing;
mod error;
mod fields;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod motion;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod nodes;
mod operation;
mod pattern;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod recolor;
mod recompute;
#[cfg(feature = "mdlx")]
mod recompute_warcraft;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
pub(crate) mod remove;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod scale;
mod script;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod smooth;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod team_color;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod text;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod textures;
#[cfg_attr(not(all(feature = "kotor", feature = "mdlx", feature = "fox")), allow(dead_code, unused_imports))]
mod traits;

pub use error::{EditError, Refusal};
pub use fields::FieldValue;
use galatea_wire::Limits;
pub use motion::Axis;
pub use operation::{NotAnOperation, OPERATIONS, Operation, OperationInfo};
#[cfg(all(feature = "kotor", feature = "mdlx", feature = "fox"))]
pub(crate) use pattern::Pattern;
pub use recompute::Derived;
pub use script::{parse_list, parse_script};

use crate::{Document, Input, Output};
use editing::Editing;

/// How [`edit()`] goes about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EditOptions<'a> {
    /// The limits for reading.
    pub limits: Limits,
    /// Whether the result lists what differs. The file is read once more for it.
    pub differences: bool,
    /// Whether operations are done that lose something the format cannot hold.
    pub lossy: bool,
    /// Texts of the Fox Engine's hashed names; without them only names that are written out in full are found.
    #[cfg(feature = "fox")]
    pub names: Option<&'a crate::fox::Dictionary>,
    #[cfg(not(feature = "fox"))]
    #[allow(dead_code, reason = "keeps the lifetime in use")]
    names: Option<&'a ()>,
}

impl Default for EditOptions<'_> {
    fn default() -> Self {
        EditOptions { limits: Limits::default(), differences: true, lossy: false, names: None }
    }
}

#[cfg(feature = "fox")]
galatea_wire::setters! { EditOptions<'a> { with_names: names: Option<&'a crate::fox::Dictionary> } }

galatea_wire::setters! {
    EditOptions<'a> {
        with_limits: limits: Limits,
        with_differences: differences: bool,
        with_lossy: lossy: bool,
    }
}

/// What [`edit()`] gives.
#[non_exhaustive]
pub struct Edited {
    /// The file, and what belongs to it.
    pub output: Output,
    /// The changed document.
    pub document: Box<dyn Document>,
    /// What differs from the document before, in words, as `galatea diff` prints it; empty unless the options ask for it.
    pub differences: Vec<String>,
    /// Whether any byte differs.
    pub changed: bool,
    /// The fields that were asked for, in order.
    pub fields: Vec<FieldValue>,
    /// The operations that found nothing to change, by their numbers in the list.
    pub idle: Vec<usize>,
}

impl std::fmt::Debug for Edited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Edited").field("differences", &self.differences).finish_non_exhaustive()
    }
}

/// Runs operations on a file, in order. If one of them cannot be done, nothing is.
pub fn edit(
    input: &Input<'_>,
    operations: &[Operation],
    options: &EditOptions<'_>,
) -> Result<Edited, EditError> {
    let mut editing = Editing::new(input, options).map_err(EditError::unread)?;
    let mut idle = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        let changed = editing.run(operation).map_err(|refusal| EditError::new(operation, refusal))?;
        if changed == 0 && operation.changes() {
            idle.push(number);
        }
    }
    let edited = editing.finish()?;
    Ok(Edited { idle, ..edited })
}
