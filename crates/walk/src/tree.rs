//! The tree a file brings along, used as it is.

/// A stored tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredTree {}
