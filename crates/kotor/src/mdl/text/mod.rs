//! Models as text. Reads the dialects of MDLOps, MDLEdit, KOTORmax, kotorblender and PyKotor; writes one that the first
//! three can read.
//!
//! What the text cannot express (vertex normals, planes, neighbours, inverse binds, names with blanks, NaN), [`print()`]
//! writes into a sidecar: comment lines after `donemodel`, which all tools skip, each with a checksum of the lines it
//! depends on. [`parse()`] uses a record of the sidecar only if its checksum still matches: an edit of the text always
//! wins, and what depends on it is derived again.

mod draft;
mod fields;
mod fill;
mod finish;
mod parse;
mod print;
mod rotation;
mod saber;
mod smooth;
mod words;

use galatea_wire::{Error, Limits, Result};

use super::Model;
use crate::text::lex::Lex;
use crate::text::sidecar::{OPENING, Records, Sidecar};
use crate::text::token::Keyword;
use parse::Parser;
use print::Printer;

/// A remark about text that may not have been read as intended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The message.
    pub message: String,
}

/// The tool that wrote a text, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// MDLOps.
    MdlOps,
    /// PyKotor: braces, quaternions, positions of animations relative to the rest pose.
    PyKotor,
    /// All other tools.
    Family,
}

impl Dialect {
    fn of(text: &[u8]) -> Dialect {
        let first =
            text.split(|b| *b == b'\n' || *b == b'\r').find(|l| !l.trim_ascii().is_empty()).unwrap_or(&[]);
        let comment = first.trim_ascii().strip_prefix(b"#").unwrap_or(&[]).trim_ascii().to_ascii_lowercase();
        if comment.starts_with(b"mdlops") {
            Dialect::MdlOps
        } else if comment.starts_with(b"ascii mdl") {
            Dialect::PyKotor
        } else {
            Dialect::Family
        }
    }

    /// Returns the animation scale of a text that has none.
    fn default_scale(self) -> f32 {
        if self == Dialect::Family { 1.0 } else { 0.971 }
    }
}

/// Returns whether a model can begin with this word, given in lower case.
pub(crate) fn is_frame_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"newmodel"
            | b"setsupermodel"
            | b"filedependancy"
            | b"beginmodelgeom"
            | b"classification"
            | b"classification_unk1"
            | b"setanimationscale"
            | b"ignorefog"
            | b"compress_quaternions"
            | b"headlink"
            | b"bumpmapped_texture"
            | b"game"
            | b"platform"
    )
}

/// Returns whether these bytes are a KotOR model as text, judging by the first word after comments.
///
/// ```
/// use galatea_kotor::mdl::text;
/// assert!(text::detect(b"# a comment\r\nnewmodel box\r\nsetsupermodel box NULL\r\n"));
/// assert!(!text::detect(b"Version {\n\tFormatVersion 800,\n}\nModel \"Box\" {\n"));
/// assert!(!text::detect(b"node trimesh a_walkmesh\n"));
/// assert!(!text::detect(b"#MAXLAYOUT ASCII\nfiledependancy m40ad.max\nbeginlayout\n"));
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    let head = bytes.get(..64 << 10).unwrap_or(bytes);
    // Layouts of areas begin with the same words, after a distinctive line.
    if head.trim_ascii_start().get(..10).is_some_and(|w| w.eq_ignore_ascii_case(b"#maxlayout")) {
        return false;
    }
    let mut lex = Lex::new(head);
    lex.next_line()
        && lex.word().is_some_and(|w| {
            let frame = is_frame_word(Keyword::of(w.text).bytes());
            // In a model the value follows on the same line, never a brace.
            frame && lex.word().is_some_and(|next| next.text != b"{")
        })
}

/// Parses a text model.
///
/// ```
/// use galatea_kotor::mdl::text;
/// use galatea_wire::Limits;
/// let model = text::parse(
///     b"newmodel box\n\
///       setsupermodel box NULL\n\
///       beginmodelgeom box\n\
///       node dummy box\n  parent NULL\nendnode\n\
///       node dummy lid\n  parent box\n  position 0.0 0.0 1.5\nendnode\n\
///       endmodelgeom box\n\
///       donemodel box\n",
///     &Limits::default(),
/// )?;
/// assert_eq!(model.nodes[1].position, [0.0, 0.0, 1.5]);
/// let error = text::parse(b"newmodel box\nnode dummy box\n  position 1 2 up\nendnode\n", &Limits::default());
/// assert_eq!(error.unwrap_err().to_string(), "line 3, column 16: expected a number, found `up`");
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Model> {
    parse_with_notes(bytes, limits).map(|(model, _)| model)
}

/// Parses a text model, and returns notes on what was skipped, truncated or guessed.
///
/// ```
/// use galatea_kotor::mdl::text;
/// use galatea_wire::Limits;
/// let text = b"newmodel box\nnode dummy box\n  parent NULL\n  colour red\nendnode\n";
/// let (_, notes) = text::parse_with_notes(text, &Limits::default())?;
/// assert_eq!((notes[0].line, notes[0].message.as_str()), (4, "unknown keyword `colour`"));
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn parse_with_notes(bytes: &[u8], limits: &Limits) -> Result<(Model, Vec<Note>)> {
    let (plain, records) = Records::split(bytes);
    let parsed = Parser::new(plain, limits).run()?;
    let mut notes = parsed.notes;
    let mut sidecar = Sidecar::Restore(records, (0, 0));
    let model = finish::finish(parsed.draft, None, &mut sidecar);
    if let Sidecar::Restore(records, _) = sidecar
        && records.dropped > 0
    {
        let line = plain.iter().filter(|b| **b == b'\n').count() as u32 + 1;
        let message = format!("{} sidecar records no longer match the text and are ignored", records.dropped);
        notes.push(Note { line, column: 1, message });
    }
    Ok((model, notes))
}

/// Prints a model as text. [`parse()`] restores the same model, except layout and padding.
///
/// ```
/// use galatea_kotor::mdl::{Model, text};
/// use galatea_wire::Limits;
/// let model = Model::new("Barracks 1");
/// let text = text::print(&model)?;
/// assert!(text.starts_with(b"# Exported by Galatea\nnewmodel Barracks_1\n"));
/// let back = text::parse(&text, &Limits::default())?;
/// assert_eq!(back.name.bytes(), b"Barracks 1");
/// assert!(model.differences(&back).is_empty());
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn print(model: &Model) -> Result<Vec<u8>> {
    let mut text = Printer::new(model).run();
    let limits = Limits::default()
        .with_depth(u32::MAX)
        .with_nodes(u32::MAX)
        .with_ratio(64)
        .with_base_allowance(1 << 30);
    // What reading the text alone does not restore goes into the sidecar.
    let lines = {
        let draft = Parser::new(&text, &limits).run()?.draft;
        same_shape(model, &draft.model)?;
        let mut sidecar = Sidecar::recorder();
        finish::finish(draft, Some(model), &mut sidecar);
        match sidecar {
            Sidecar::Record(recorder) => recorder.out,
            Sidecar::Restore(..) => Vec::new(),
        }
    };
    if !lines.is_empty() {
        text.extend_from_slice(OPENING);
        text.push(b'\n');
        text.extend_from_slice(&lines);
    }
    Ok(text)
}

/// Fails unless the text has the same trees of nodes with the same parts.
fn same_shape(model: &Model, plain: &Model) -> Result<()> {
    let tree = |name: &str, a: &[super::Node], b: &[super::Node]| {
        let same = |(a, b): (&super::Node, &super::Node)| a.parent == b.parent && a.children == b.children;
        if a.len() != b.len() || !a.iter().zip(b).all(same) {
            return Err(Error::unrepresentable(format!("{name}: the tree of nodes has no text form")));
        }
        let parts = |n: &super::Node| n.flags() ^ n.unknown_flags;
        match a.iter().zip(b).position(|(a, b)| parts(a) & !8 != parts(b) & !8) {
            Some(id) => {
                Err(Error::unrepresentable(format!("{name} > nodes[{id}]: its parts have no text form")))
            }
            None => Ok(()),
        }
    };
    tree("model", &model.nodes, &plain.nodes)?;
    if model.animations.len() != plain.animations.len() {
        return Err(Error::unrepresentable("the animations have no text form"));
    }
    for (a, b) in model.animations.iter().zip(&plain.animations) {
        tree("animation", &a.nodes, &b.nodes)?;
    }
    Ok(())
}
