//! Materials: colours, textures by name, and blending.

use crate::{Extras, MaterialId};

/// How a surface is blended with the background.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AlphaMode {
    /// Not blended.
    #[default]
    Opaque,
    /// Drawn where the opacity reaches the cutoff.
    Mask {
        /// The cutoff.
        cutoff: f32,
    },
    /// Blended by its opacity.
    Blend,
    /// Added, weighted by its opacity.
    Additive,
    /// Multiplied.
    Modulate,
    /// Multiplied and doubled.
    Modulate2x,
}

/// What a texture is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Slot {
    /// Colour and opacity.
    #[default]
    Base,
    /// Baked light, multiplied over the colour.
    Lightmap,
    /// Normals in tangent space.
    Normal,
    /// Occlusion in red, roughness in green, metalness in blue.
    #[cfg_attr(feature = "serde", serde(rename = "orm"))]
    OcclusionRoughnessMetallic,
    /// Emitted light.
    Emissive,
    /// Specular reflection.
    Specular,
    /// Environment map.
    Environment,
    /// Team colour.
    TeamColor,
    /// Another slot, by the engine's name.
    Other(String),
}

impl Slot {
    /// Returns the name of the slot; the engine's name for [`Slot::Other`].
    pub fn name(&self) -> &str {
        match self {
            Slot::Base => "base",
            Slot::Lightmap => "lightmap",
            Slot::Normal => "normal",
            Slot::OcclusionRoughnessMetallic => "orm",
            Slot::Emissive => "emissive",
            Slot::Specular => "specular",
            Slot::Environment => "environment",
            Slot::TeamColor => "team_color",
            Slot::Other(name) => name,
        }
    }

    /// Returns the slot with a [`Slot::name`].
    ///
    /// ```
    /// use galatea_scene::Slot;
    /// assert_eq!(Slot::by_name("lightmap"), Slot::Lightmap);
    /// assert_eq!(Slot::by_name("Dirty_Tex_LIN").name(), "Dirty_Tex_LIN");
    /// ```
    pub fn by_name(name: &str) -> Slot {
        let known = [
            Slot::Base,
            Slot::Lightmap,
            Slot::Normal,
            Slot::OcclusionRoughnessMetallic,
            Slot::Emissive,
            Slot::Specular,
            Slot::Environment,
            Slot::TeamColor,
        ];
        known.into_iter().find(|s| s.name() == name).unwrap_or_else(|| Slot::Other(name.to_owned()))
    }
}

/// How a texture continues beyond its edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Wrap {
    /// Repeated.
    #[default]
    Repeat,
    /// Repeated, mirrored.
    Mirror,
    /// Clamped to the edge.
    Clamp,
}

/// A transform of texture coordinates: scale first, then rotation, then offset.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct UvTransform {
    /// Offset.
    pub offset: [f32; 2],
    /// Rotation in radians, counter-clockwise.
    pub rotation: f32,
    /// Scale.
    pub scale: [f32; 2],
}

impl Default for UvTransform {
    fn default() -> Self {
        UvTransform { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2] }
    }
}

/// A texture in a material.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Texture {
    /// What it is for.
    pub slot: Slot,
    /// Its name or path as the game stores it, never a path on this machine.
    pub name: String,
    /// Set of texture coordinates.
    pub uv_set: u32,
    /// Wrapping across and down.
    pub wrap: [Wrap; 2],
    /// Transform of texture coordinates.
    pub transform: Option<UvTransform>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

/// A material.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Material {
    /// Name.
    pub name: String,
    /// Colour and opacity.
    pub base_color: [f32; 4],
    /// Emitted light.
    pub emissive: [f32; 3],
    /// 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// Textures; of several with one slot the first counts.
    pub textures: Vec<Texture>,
    /// Blending with the background.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub two_sided: bool,
    /// Whether it is drawn without lighting.
    pub unlit: bool,
    /// Materials drawn over this one, in order.
    pub layers: Vec<MaterialId>,
    /// Engine parameters and other data that the scene has no field for.
    pub extras: Extras,
}

impl Default for Material {
    fn default() -> Self {
        Material {
            name: String::new(),
            base_color: [1.0; 4],
            emissive: [0.0; 3],
            metallic: 0.0,
            roughness: 1.0,
            textures: Vec::new(),
            alpha: AlphaMode::Opaque,
            two_sided: false,
            unlit: false,
            layers: Vec::new(),
            extras: Extras::default(),
        }
    }
}

impl Material {
    /// Returns the first texture in a slot.
    pub fn texture(&self, slot: &Slot) -> Option<&Texture> {
        self.textures.iter().find(|t| t.slot == *slot)
    }
}
