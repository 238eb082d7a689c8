//! The stored plane of a face, judged by its corners: what walkmeshes and models fix by the same rules.

/// The plane of a face, derived from its corners and compared with the stored one.
pub(crate) struct StoredPlane {
    pub(crate) normal: [f32; 3],
    pub(crate) corner: [f32; 3],
    /// Whether the stored normal matches the corners.
    pub(crate) normal_agrees: bool,
    /// Whether the stored distance matches the stored normal and the corners.
    pub(crate) distance_agrees: bool,
    /// Whether the stored distance matches the corners alone.
    pub(crate) distance_derives: bool,
    /// Whether the stored plane may be correct: two corners lie in it, so the third may be the wrong value.
    pub(crate) possible: bool,
}

impl StoredPlane {
    /// Returns whether normal and distance match the corners.
    pub(crate) fn agrees(&self) -> bool {
        self.normal_agrees && self.distance_agrees
    }

    /// Returns whether the normal is the wrong value. If the distance does not match the corners either, a corner may be
    /// the cause.
    pub(crate) fn normal_is_wrong(&self) -> bool {
        !self.agrees() && self.distance_derives && !self.possible
    }

    /// Returns whether the distance is the wrong value: the normal matches the corners.
    pub(crate) fn distance_is_wrong(&self) -> bool {
        self.normal_agrees && !self.distance_agrees && !self.distance_derives
    }
}
