//! What became of the parts of an original when an edit was laid onto it.

use std::fmt;

/// A kind of part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Part {
    /// A node.
    Node,
    /// A mesh.
    Mesh,
    /// A material.
    Material,
    /// A clip.
    Clip,
    /// A light.
    Light,
    /// A camera.
    Camera,
}

impl Part {
    /// All kinds.
    pub const ALL: [Part; 6] =
        [Part::Node, Part::Mesh, Part::Material, Part::Clip, Part::Light, Part::Camera];

    /// Returns the name of the kind, for one or for several.
    pub fn name(self, count: usize) -> &'static str {
        let (one, many) = match self {
            Part::Node => ("node", "nodes"),
            Part::Mesh => ("mesh", "meshes"),
            Part::Material => ("material", "materials"),
            Part::Clip => ("clip", "clips"),
            Part::Light => ("light", "lights"),
            Part::Camera => ("camera", "cameras"),
        };
        if count == 1 { one } else { many }
    }
}

/// What became of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Fate {
    /// It is as in the original.
    Kept,
    /// It was edited.
    Changed,
    /// It is not in the original.
    New,
    /// It was deleted.
    Gone,
}

impl Fate {
    /// All fates.
    pub const ALL: [Fate; 4] = [Fate::Kept, Fate::Changed, Fate::New, Fate::Gone];

    /// Returns the name: `kept`, `changed`, `new` or `gone`.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Kept => "kept",
            Fate::Changed => "changed",
            Fate::New => "new",
            Fate::Gone => "gone",
        }
    }
}

/// A part that is not as in the original, or that was kept though the edit does not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Change {
    /// The kind of the part.
    pub part: Part,
    /// Its name.
    pub name: String,
    /// What became of it.
    pub fate: Fate,
    /// What is different, or why it was kept.
    pub what: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {}", self.part.name(1), self.name, self.fate.name())?;
        if self.what.is_empty() { Ok(()) } else { write!(f, ": {}", self.what) }
    }
}

/// An account of an edit: how many parts were kept, and which were changed, added and deleted.
///
/// Its text is one line for each kind of part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Account {
    /// Everything that is not simply kept, in the order of the scene.
    pub changes: Vec<Change>,
    /// The number of parts by kind and fate, in the order of [`Part::ALL`] and [`Fate::ALL`].
    pub counts: [[usize; 4]; 6],
}

impl Account {
    /// Returns the number of parts of a kind with this fate.
    pub fn count(&self, part: Part, fate: Fate) -> usize {
        self.counts.get(part as usize).and_then(|row| row.get(fate as usize)).copied().unwrap_or(0)
    }

    /// Returns `true` if everything is as in the original.
    pub fn is_unchanged(&self) -> bool {
        self.changes.iter().all(|change| change.fate == Fate::Kept)
    }

    pub(super) fn add(&mut self, part: Part, fate: Fate, name: &str, what: impl Into<String>) {
        let slot = self.counts.get_mut(part as usize).and_then(|row| row.get_mut(fate as usize));
        slot.into_iter().for_each(|count| *count += 1);
        let what = what.into();
        if fate != Fate::Kept || !what.is_empty() {
            self.changes.push(Change { part, name: name.to_owned(), fate, what });
        }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for part in Part::ALL {
            let counts = Fate::ALL.map(|fate| (fate, self.count(part, fate)));
            let all: usize = counts.iter().map(|(_, count)| count).sum();
            if all == 0 {
                continue;
            }
            f.write_str(if std::mem::take(&mut first) { "" } else { "\n" })?;
            write!(f, "{}: ", part.name(2))?;
            let told: Vec<String> = counts
                .iter()
                .filter(|(_, count)| *count > 0)
                .map(|(fate, count)| format!("{count} {}", fate.name()))
                .collect();
            f.write_str(&told.join(", "))?;
        }
        if first { f.write_str("an empty scene") } else { Ok(()) }
    }
}
