//! What a conversion cannot keep.

use std::fmt;

/// Something that the target of a conversion cannot represent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Loss {
    /// What it belongs to: a path such as `lights[0]`, or a kind and a name such as `mesh "torso"`. Empty for the whole
    /// document.
    pub path: String,
    /// What is lost, what becomes of it, and why.
    pub what: String,
    /// Whether it can be visible in the game or in an image.
    pub visible: bool,
}

impl Loss {
    /// Returns a visible loss.
    ///
    /// ```
    /// use galatea_wire::Loss;
    /// let loss = Loss::new("mesh \"head\"", "3 morph targets");
    /// assert_eq!(loss.to_string(), "mesh \"head\": 3 morph targets");
    /// assert!(loss.visible);
    /// ```
    pub fn new(path: impl Into<String>, what: impl Into<String>) -> Self {
        Loss { path: path.into(), what: what.into(), visible: true }
    }

    /// Returns the same loss, marked as invisible.
    #[must_use]
    pub fn invisible(self) -> Self {
        Loss { visible: false, ..self }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.what) } else { write!(f, "{}: {}", self.path, self.what) }
    }
}
