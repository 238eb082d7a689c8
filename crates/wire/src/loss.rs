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
    /// What is lost, and what becomes of it.
    pub what: String,
    /// Why; empty where `what` tells.
    #[cfg_attr(feature = "serde", serde(default))]
    pub why: String,
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
        Loss { path: path.into(), what: what.into(), why: String::new(), visible: true }
    }

    /// Returns the same loss with its reason.
    ///
    /// ```
    /// use galatea_wire::Loss;
    /// let loss = Loss::new("clip \"walk\"", "scale keys").because("nodes have no scale");
    /// assert_eq!(loss.to_string(), "clip \"walk\": scale keys (nodes have no scale)");
    /// ```
    #[must_use]
    pub fn because(self, why: impl Into<String>) -> Self {
        Loss { why: why.into(), ..self }
    }

    /// Returns the losses in groups of the same kind, in the order of their first.
    ///
    /// ```
    /// use galatea_wire::Loss;
    /// let losses = ["a", "b", "c", "d", "a"].map(|name| Loss::new(name, "vertex colors"));
    /// let groups = Loss::grouped(&losses);
    /// assert_eq!(groups[0].to_string(), "vertex colors: a, b, c and 1 more (5 in all)");
    /// ```
    pub fn grouped(losses: &[Loss]) -> Vec<LossGroup<'_>> {
        let mut groups: Vec<LossGroup<'_>> = Vec::new();
        let mut index = std::collections::HashMap::new();
        for loss in losses {
            let at = *index.entry((&loss.what, &loss.why, loss.visible)).or_insert(groups.len());
            match groups.get_mut(at) {
                Some(group) => group.losses.push(loss),
                None => groups.push(LossGroup { losses: vec![loss] }),
            }
        }
        groups
    }

    /// Returns the same loss, marked as invisible.
    #[must_use]
    pub fn invisible(self) -> Self {
        Loss { visible: false, ..self }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)?;
        if self.why.is_empty() { Ok(()) } else { write!(f, " ({})", self.why) }
    }
}

/// Losses of the same kind in different places.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LossGroup<'a> {
    /// The losses; never empty.
    pub losses: Vec<&'a Loss>,
}

/// Most places of a group that are listed.
const FEW: usize = 3;

impl fmt::Display for LossGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.losses.first() else { return Ok(()) };
        if self.losses.len() == 1 {
            return fmt::Display::fmt(first, f);
        }
        let mut paths: Vec<&str> = Vec::new();
        for path in self.losses.iter().map(|loss| loss.path.as_str()).filter(|path| !path.is_empty()) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        f.write_str(&first.what)?;
        if !first.why.is_empty() {
            write!(f, " ({})", first.why)?;
        }
        if !paths.is_empty() {
            write!(f, ": {}", paths.get(..FEW.min(paths.len())).unwrap_or(&[]).join(", "))?;
        }
        if paths.len() > FEW {
            write!(f, " and {} more", paths.len() - FEW)?;
        }
        write!(f, " ({} in all)", self.losses.len())
    }
}
