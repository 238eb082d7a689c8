//! Sets of surface materials: what is walkable, what a ray hits, what a path avoids.

/// A set of surface materials. Materials from 64 on are all in the set or all outside it, which is the default; see
/// [`with_others`](Self::with_others).
///
/// ```
/// use galatea_walk::Materials;
/// let dry = Materials::KOTOR_WALKABLE.without(&[6, 11]);
/// assert!(dry.contains(4) && !dry.contains(6) && !dry.contains(7));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Materials {
    bits: u64,
    others: bool,
}

impl Materials {
    /// Every material.
    pub const ALL: Materials = Materials { bits: u64::MAX, others: true };
    /// No material.
    pub const NONE: Materials = Materials { bits: 0, others: false };
    /// The walkable materials of KotOR: dirt, grass, stone, wood, water, carpet, metal, puddles, swamp,
    /// mud, leaves, bottomless pit, door, sand, bare bones, stone bridge and trigger.
    pub const KOTOR_WALKABLE: Materials =
        Materials::NONE.with(&[1, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 16, 18, 20, 21, 22, 30]);

    /// Returns the set with these materials added.
    #[must_use]
    pub const fn with(mut self, materials: &[u32]) -> Self {
        let mut rest = materials;
        while let [first, tail @ ..] = rest {
            if *first < 64 {
                self.bits |= 1 << *first;
            }
            rest = tail;
        }
        self
    }

    /// Returns the set without these materials.
    #[must_use]
    pub const fn without(mut self, materials: &[u32]) -> Self {
        let mut rest = materials;
        while let [first, tail @ ..] = rest {
            if *first < 64 {
                self.bits &= !(1 << *first);
            }
            rest = tail;
        }
        self
    }

    /// Returns the set with or without all materials from 64 on.
    #[must_use]
    pub const fn with_others(mut self, others: bool) -> Self {
        self.others = others;
        self
    }

    /// Returns the intersection of two sets.
    #[must_use]
    pub const fn and(self, other: Materials) -> Self {
        Materials { bits: self.bits & other.bits, others: self.others & other.others }
    }

    /// Returns the union of two sets.
    #[must_use]
    pub const fn or(self, other: Materials) -> Self {
        Materials { bits: self.bits | other.bits, others: self.others | other.others }
    }

    /// Returns the difference of two sets.
    #[must_use]
    pub const fn minus(self, other: Materials) -> Self {
        Materials { bits: self.bits & !other.bits, others: self.others & !other.others }
    }

    /// Returns `true` if the material is in the set.
    #[inline]
    pub const fn contains(&self, material: u32) -> bool {
        if material < 64 { (self.bits >> material) & 1 == 1 } else { self.others }
    }
}

impl Default for Materials {
    /// Returns [`Materials::ALL`].
    fn default() -> Self {
        Materials::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_share_one_answer() {
        assert!(Materials::ALL.contains(64) && Materials::ALL.contains(u32::MAX));
        assert!(!Materials::KOTOR_WALKABLE.contains(64));
        assert!(Materials::NONE.with(&[3, 900]).with_others(true).contains(900));
    }

    #[test]
    fn seventeen_kotor_materials_are_walkable() {
        assert_eq!((0..64).filter(|&m| Materials::KOTOR_WALKABLE.contains(m)).count(), 17);
    }
}
