//! Surface materials: what a walkmesh face is made of, and whether one can walk on it.

/// The names of `surfacemat.2da`, by id. Ids 23 to 29 have none.
pub const NAMES: [Option<&str>; 31] = [
    Some("NotDefined"),
    Some("Dirt"),
    Some("Obscuring"),
    Some("Grass"),
    Some("Stone"),
    Some("Wood"),
    Some("Water"),
    Some("Nonwalk"),
    Some("Transparent"),
    Some("Carpet"),
    Some("Metal"),
    Some("Puddles"),
    Some("Swamp"),
    Some("Mud"),
    Some("Leaves"),
    Some("Lava"),
    Some("BottomlessPit"),
    Some("DeepWater"),
    Some("Door"),
    Some("Snow"),
    Some("Sand"),
    Some("BareBones"),
    Some("StoneBridge"),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some("Trigger"),
];

/// The name of a material, if the game gives it one.
///
/// ```
/// assert_eq!(galatea_kotor::surface::name(15), Some("Lava"));
/// assert_eq!(galatea_kotor::surface::name(99), None);
/// ```
pub fn name(material: u32) -> Option<&'static str> {
    NAMES.get(material as usize).copied().flatten()
}

/// The id of a material by its name, letter case ignored, or by its number.
///
/// ```
/// assert_eq!(galatea_kotor::surface::by_name("metal"), Some(10));
/// assert_eq!(galatea_kotor::surface::by_name("77"), Some(77));
/// ```
pub fn by_name(name: &str) -> Option<u32> {
    let found = NAMES.iter().position(|n| n.is_some_and(|n| n.eq_ignore_ascii_case(name)));
    found.and_then(|i| u32::try_from(i).ok()).or_else(|| name.parse().ok())
}

/// Which materials can be walked on. Ids above 63 never can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Walkability(u64);

impl Default for Walkability {
    /// The game's own choice: 1, 3-6, 9-14, 16, 18, 20-22 and 30.
    fn default() -> Self {
        let walkable = [1, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 16, 18, 20, 21, 22, 30];
        Walkability(walkable.iter().fold(0, |bits, id| bits | 1 << id))
    }
}

impl Walkability {
    /// The same, but with this material walkable or not.
    ///
    /// ```
    /// use galatea_kotor::surface::Walkability;
    /// assert!(Walkability::default().is_walkable(16));
    /// assert!(!Walkability::default().with(16, false).is_walkable(16));
    /// ```
    #[must_use]
    pub fn with(self, material: u32, walkable: bool) -> Self {
        match 1u64.checked_shl(material) {
            Some(bit) if walkable => Walkability(self.0 | bit),
            Some(bit) => Walkability(self.0 & !bit),
            None => self,
        }
    }

    /// Whether one can walk on this material.
    pub fn is_walkable(self, material: u32) -> bool {
        1u64.checked_shl(material).is_some_and(|bit| self.0 & bit != 0)
    }
}
