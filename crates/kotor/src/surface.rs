//! Surface materials of walkmesh faces, and which of them are walkable.

/// The names in `surfacemat.2da`, by id. Ids 23 to 29 have none.
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

/// Returns the name of a material; `None` if the game has none.
///
/// ```
/// assert_eq!(galatea_kotor::surface::name(15), Some("Lava"));
/// assert_eq!(galatea_kotor::surface::name(99), None);
/// ```
pub fn name(material: u32) -> Option<&'static str> {
    NAMES.get(material as usize).copied().flatten()
}

/// Returns the id of a material, given its name (case-insensitive) or its number.
///
/// ```
/// assert_eq!(galatea_kotor::surface::by_name("metal"), Some(10));
/// assert_eq!(galatea_kotor::surface::by_name("77"), Some(77));
/// ```
pub fn by_name(name: &str) -> Option<u32> {
    let found = NAMES.iter().position(|n| n.is_some_and(|n| n.eq_ignore_ascii_case(name)));
    found.and_then(|i| u32::try_from(i).ok()).or_else(|| name.parse().ok())
}

/// Returns the surface that a material of a scene stands for: that of its extras if it matches the name, otherwise that
/// of the name.
///
/// ```
/// use galatea_kotor::surface;
/// let material = galatea_scene::Material { name: "Lava".into(), ..Default::default() };
/// assert_eq!(surface::of_material(&material), Some(15));
/// ```
pub fn of_material(material: &galatea_scene::Material) -> Option<u32> {
    crate::derived::surface_of(material)
}

/// Returns a color for a material, in sRGB: lava glows, grass is green, what is not walkable is dark red. Materials
/// without a name have different grays.
///
/// ```
/// let [red, _, blue] = galatea_kotor::surface::colour(15);
/// assert!(red > blue);
/// ```
pub fn colour(material: u32) -> [u8; 3] {
    match material {
        0 => [90, 90, 96],
        1 => [150, 111, 72],
        2 => [70, 48, 92],
        3 => [96, 160, 62],
        4 => [158, 156, 148],
        5 => [176, 124, 66],
        6 => [70, 150, 205],
        7 => [132, 44, 44],
        8 => [150, 70, 92],
        9 => [178, 74, 110],
        10 => [128, 148, 170],
        11 => [104, 146, 168],
        12 => [92, 110, 56],
        13 => [112, 84, 56],
        14 => [178, 142, 50],
        15 => [236, 84, 24],
        16 => [28, 24, 36],
        17 => [24, 66, 130],
        18 => [232, 186, 60],
        19 => [206, 220, 232],
        20 => [222, 198, 138],
        21 => [226, 218, 196],
        22 => [186, 172, 152],
        30 => [190, 80, 210],
        other => [60 + (other % 23 * 7) as u8; 3],
    }
}

/// A set of walkable materials. Ids above 63 are never walkable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Walkability(u64);

impl Default for Walkability {
    /// Returns the materials that are walkable in the game: 1, 3-6, 9-14, 16, 18, 20-22 and 30.
    fn default() -> Self {
        let walkable = [1, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 16, 18, 20, 21, 22, 30];
        Walkability(walkable.iter().fold(0, |bits, id| bits | 1 << id))
    }
}

impl Walkability {
    /// Returns the same set with one material added or removed.
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

    /// Returns whether a material is walkable.
    pub fn is_walkable(self, material: u32) -> bool {
        1u64.checked_shl(material).is_some_and(|bit| self.0 & bit != 0)
    }
}
