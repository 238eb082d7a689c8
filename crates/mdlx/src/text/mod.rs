//! MDL: the text form of every version.
//!
//! Printing a model and parsing the text gives the same model, including chunk order, unknown chunks, raw bytes of strings,
//! static values of animated fields, and NaN. What MDL cannot express is kept in `// galatea:` lines, which are comments to
//! other tools. If such a line contradicts the plain text, the plain text wins.
//!
//! ```
//! use galatea_mdlx::{Bone, Limits, Model, Text, Version, text};
//! let mut model = Model::new(Version(800));
//! let mut bone = Bone::default();
//! bone.node.name = Text::new(b"Root").unwrap();
//! bone.node.flags = 0x100;
//! model.bones.push(bone);
//! let printed = text::print(&model).unwrap();
//! assert!(String::from_utf8_lossy(&printed).contains("Bone \"Root\" {"));
//! let back = text::parse(&printed, &Limits::default()).unwrap();
//! assert!(model.differences(&back).is_empty());
//! ```

mod block;
mod field;
mod geosets;
mod lex;
mod materials;
mod model;

mod objects;
mod out;
mod shapes;
mod sidecar;
mod track;

use galatea_wire::{Limits, Result};

use crate::Model;

/// Returns `true` if these bytes begin like MDL text of Warcraft III: with one of its blocks, after comments and space.
///
/// ```
/// use galatea_mdlx::text::detect;
/// assert!(detect(b"// a comment\nVersion {\n\tFormatVersion 800,\n}\n"));
/// assert!(!detect(b"# KotOR\nnewmodel c_bantha\n"));
/// assert!(!detect(b"MDLXVERS"));
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    model::detect(bytes)
}

/// Parses MDL text of any dialect. Errors have line and column.
///
/// ```
/// use galatea_mdlx::{Limits, text};
/// let model = text::parse(b"Version { FormatVersion 800, } Helper \"Chest\" { ObjectId 0, }", &Limits::default()).unwrap();
/// assert_eq!(model.helpers[0].node.name.bytes(), b"Chest");
/// let error = text::parse(b"Version {\n\tFormatVersion eight,\n}", &Limits::default()).unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 16: expected a whole number, found `eight`");
/// ```
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Model> {
    model::parse(bytes, limits)
}

/// Prints a model as MDL text.
///
/// ```
/// use galatea_mdlx::{Model, Version, text};
/// let printed = text::print(&Model::new(Version(1000))).unwrap();
/// assert!(printed.starts_with(b"Version {\n\tFormatVersion 1000,\n}\n"));
/// ```
pub fn print(model: &Model) -> Result<Vec<u8>> {
    model::print(model, capacity(model))
}

/// Returns an estimate of the text's size.
fn capacity(model: &Model) -> usize {
    let geosets: usize =
        model.geosets.iter().map(|g| g.vertices.len() * 110 + g.faces.len() * 6 + 1024).sum();
    let keys: usize = model.all_tracks().iter().flat_map(|t| t.iter()).map(|t| t.keys.len() * 48 + 64).sum();
    geosets + keys + model.node_count() * 128 + model.sequences.len() * 192 + 4096
}
