//! The version table: which version has which part of the format.

use std::fmt;
use std::ops::RangeInclusive;

/// The number in `VERS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32);

/// A part of the layout that not every version has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// Warcraft III: no counts, `LAYS`, shapes in `CLID`, one visibility tag per owner, unpacked quaternions.
    Warcraft,
    /// Materials name their shader.
    MaterialShader,
    /// Layers have `emissiveGain`.
    EmissiveGain,
    /// Layers have the five fresnel numbers.
    Fresnel,
    /// Layers have a shader type and a list of texture slots.
    TextureSlots,
    /// Geosets have a level of detail and its name.
    LevelOfDetail,
    /// Geosets may have `TANG` and `SKIN`.
    SkinWeights,
    /// Lights have a shadow intensity.
    ShadowIntensity,
    /// World of Warcraft: item counts in chunks, `HTST`, a mesh in `CLID`, `KVIS`, packed quaternions.
    Wow,
    /// `GEOS` holds vertex buffers instead of lists.
    VertexBuffers,
}

const WARCRAFT: RangeInclusive<u32> = 800..=1299;
const REFORGED: RangeInclusive<u32> = 900..=1299;
const WOW: RangeInclusive<u32> = 1300..=1500;

/// Every gated part of the layout, and the versions that have it.
pub static FEATURES: &[(Feature, RangeInclusive<u32>)] = &[
    (Feature::Warcraft, WARCRAFT),
    (Feature::MaterialShader, 900..=1000),
    (Feature::EmissiveGain, REFORGED),
    (Feature::Fresnel, 1000..=1299),
    (Feature::TextureSlots, 1100..=1299),
    (Feature::LevelOfDetail, REFORGED),
    (Feature::SkinWeights, REFORGED),
    (Feature::ShadowIntensity, 1200..=1299),
    (Feature::Wow, WOW),
    (Feature::VertexBuffers, 1500..=1500),
];

impl Version {
    /// The versions whose layout is known.
    pub const KNOWN: [Version; 8] = [
        Version(800),
        Version(900),
        Version(1000),
        Version(1100),
        Version(1200),
        Version(1300),
        Version(1400),
        Version(1500),
    ];

    /// Returns `true` if files of this version can be read: the known versions, and newer ones of Warcraft III.
    pub fn is_supported(self) -> bool {
        Self::KNOWN.contains(&self) || self.is_future()
    }

    /// Returns `true` if this is a Warcraft III version newer than the known ones. It is read as 1200, and additional data is kept
    /// without being interpreted.
    pub fn is_future(self) -> bool {
        (1201..1300).contains(&self.0)
    }

    /// Returns `true` if this version has that part of the layout.
    pub fn has(self, feature: Feature) -> bool {
        FEATURES.iter().any(|(f, versions)| *f == feature && versions.contains(&self.0))
    }

    /// Returns `true` if this is a World of Warcraft version.
    pub fn is_wow(self) -> bool {
        self.has(Feature::Wow)
    }
}

impl Default for Version {
    /// Returns the version of Warcraft III: 800.
    fn default() -> Self {
        Version(800)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gates_are_those_of_the_format() {
        let with =
            |feature| -> Vec<u32> { Version::KNOWN.iter().filter(|v| v.has(feature)).map(|v| v.0).collect() };
        assert_eq!(with(Feature::MaterialShader), [900, 1000]);
        assert_eq!(with(Feature::EmissiveGain), [900, 1000, 1100, 1200]);
        assert_eq!(with(Feature::Fresnel), [1000, 1100, 1200]);
        assert_eq!(with(Feature::TextureSlots), [1100, 1200]);
        assert_eq!(with(Feature::ShadowIntensity), [1200]);
        assert_eq!(with(Feature::Wow), [1300, 1400, 1500]);
        assert_eq!(with(Feature::VertexBuffers), [1500]);
        assert!(FEATURES.iter().all(|(f, _)| *f as usize <= FEATURES.len()));
    }

    #[test]
    fn versions_between_1200_and_1300_are_read_as_1200() {
        assert!(Version(1250).is_supported() && Version(1250).has(Feature::ShadowIntensity));
        assert!(
            !Version(801).is_supported() && !Version(1600).is_supported() && !Version(1301).is_supported()
        );
    }
}
