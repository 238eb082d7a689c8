//! The summary of a document.

/// The figures of `galatea info`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Summary {
    /// Version or variant in the format's own words, such as `V1.0 WOK`, `K1 PC`, `800`, `2.04`.
    pub version: String,
    /// Nodes of the hierarchy (bones, helpers, dummies; mesh groups where that is the hierarchy).
    pub nodes: usize,
    /// Drawable or walkable meshes.
    pub meshes: usize,
    /// Vertices over all meshes.
    pub vertices: usize,
    /// Triangles over all meshes.
    pub triangles: usize,
    /// Nodes that move vertices.
    pub bones: usize,
    /// Animation clips.
    pub clips: usize,
}

impl Summary {
    /// Adds the nodes, meshes, vertices and triangles of a part of the document.
    ///
    /// ```
    /// use galatea_wire::Summary;
    /// let mut area = Summary::default();
    /// area.add_geometry(&Summary { nodes: 2, triangles: 12, ..Summary::default() });
    /// area.add_geometry(&Summary { nodes: 1, triangles: 4, ..Summary::default() });
    /// assert_eq!((area.nodes, area.triangles), (3, 16));
    /// ```
    pub fn add_geometry(&mut self, part: &Summary) {
        self.nodes += part.nodes;
        self.meshes += part.meshes;
        self.vertices += part.vertices;
        self.triangles += part.triangles;
    }
}
