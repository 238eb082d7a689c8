//! Which models and textures a row of `appearance.2da` means.

use std::borrow::Cow;

use galatea_kotor::table::TwoDa;
use galatea_wire::{Error, ErrorKind, Limits, Place, Result};

use crate::SiblingFiles;

/// Which creature is meant, and what it wears.
///
/// ```
/// use galatea::Look;
/// assert_eq!(Look::row(5), Look { row: 5, body: 'a', texture: 1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Look {
    /// The row of `appearance.2da`.
    pub row: u32,
    /// The body variation of what is worn, which chooses the columns `modela`, `modelb` and so on: `a` for nothing.
    pub body: char,
    /// The texture variation of what is worn, which ends the texture's name.
    pub texture: u32,
}

impl Look {
    /// Returns the creature of a row, with nothing on.
    pub fn row(row: u32) -> Look {
        Look { row, body: 'a', texture: 1 }
    }
}

/// The names of the parts that a creature is put together from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Parts {
    /// What the row calls itself.
    pub label: String,
    /// `B` for a body with a head of its own, `F` for a whole body, `S` and `L` for creatures.
    pub model_type: String,
    /// The model of the body.
    pub body: String,
    /// The texture that all meshes of the body get in place of theirs.
    pub texture: Option<String>,
    /// The model of the head.
    pub head: Option<String>,
}

/// The tables of a game that say how creatures look.
#[derive(Debug)]
pub struct Appearances {
    appearance: TwoDa,
    heads: Option<TwoDa>,
}

/// Reads a table of a game; `None` if the game has none of this name.
pub(crate) fn table(name: &str, files: &dyn SiblingFiles, limits: &Limits) -> Result<Option<TwoDa>> {
    let read = |bytes: Vec<u8>| TwoDa::read(&bytes, limits).map_err(|e| e.within(name));
    files.file(name).map(read).transpose()
}

/// Returns an error for a file that a game must have.
#[cold]
pub(crate) fn absent(what: &str, name: &str) -> Error {
    let found = "no such file in the game and beside it";
    let kind = ErrorKind::Mismatch { want: format!("\"{name}\"").into(), found: found.into() };
    Error::new(kind, Place::Nowhere).within(what)
}

impl Appearances {
    /// Reads `appearance.2da` and `heads.2da`.
    pub fn read(files: &dyn SiblingFiles, limits: &Limits) -> Result<Appearances> {
        let name = "appearance.2da";
        let appearance = table(name, files, limits)?.ok_or_else(|| absent("appearance", name))?;
        Ok(Appearances { appearance, heads: table("heads.2da", files, limits)? })
    }

    /// Returns how many rows there are.
    pub fn rows(&self) -> usize {
        self.appearance.rows()
    }

    /// Returns the parts of a creature.
    ///
    /// A row of type `B` names a body for each variation and a number in `heads.2da`. All others name one model in `race`. The texture
    /// of the body is `texa` and so on with the number of its variation, or `racetex`.
    pub fn parts(&self, look: &Look) -> Result<Parts> {
        let row = look.row as usize;
        let wrong = |column: &str, want: String, found: &str| {
            let kind = ErrorKind::Mismatch { want: want.into(), found: found.to_owned().into() };
            Error::new(kind, Place::Nowhere).within(column).within(format!("appearance.2da > row {row}"))
        };
        if row >= self.rows() {
            let kind = ErrorKind::Mismatch {
                want: format!("a row below {}", self.rows()).into(),
                found: row.to_string().into(),
            };
            return Err(Error::new(kind, Place::Nowhere).within("appearance.2da"));
        }
        let text = |column: &str| self.appearance.cell(row, column).map(Cow::into_owned);
        let mut out = Parts {
            label: text("label").unwrap_or_default(),
            model_type: text("modeltype").unwrap_or_default().to_ascii_uppercase(),
            ..Parts::default()
        };
        let varied = |column: &str| text(&format!("{column}{}", look.body));
        let body = varied("model").filter(|_| out.model_type == "B");
        out.texture = match &body {
            Some(_) => varied("tex").map(|stem| format!("{stem}{:02}", look.texture)),
            None => text("racetex"),
        };
        let whole =
            || text("race").ok_or_else(|| wrong("race", "the name of a model".into(), "a blank cell"));
        out.body = body.map_or_else(whole, Ok)?;
        if out.model_type == "B"
            && let Some(number) =
                self.appearance.number(row, "normalhead").and_then(|n| usize::try_from(n).ok())
        {
            let heads = self.heads.as_ref().ok_or_else(|| absent("heads", "heads.2da"))?;
            if number >= heads.rows() {
                return Err(wrong(
                    "normalhead",
                    format!("a row of heads.2da below {}", heads.rows()),
                    &number.to_string(),
                ));
            }
            out.head = heads.cell(number, "head").map(Cow::into_owned);
        }
        Ok(out)
    }
}
