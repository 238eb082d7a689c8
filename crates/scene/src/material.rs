//! Materials: colours, textures by name, and how they mix with what is behind.

use crate::{Extras, MaterialId};

/// How a surface mixes with what is behind it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AlphaMode {
    /// Not at all.
    #[default]
    Opaque,
    /// Seen where the opacity reaches the cutoff.
    Mask {
        /// The cutoff.
        cutoff: f32,
    },
    /// By its opacity.
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
pub enum Slot {
    /// Colour and opacity.
    #[default]
    Base,
    /// Baked light, multiplied over the colour.
    Lightmap,
    /// Normals in tangent space.
    Normal,
    /// Occlusion in red, roughness in green, metalness in blue.
    OcclusionRoughnessMetallic,
    /// Own light.
    Emissive,
    /// Shine.
    Specular,
    /// What is mirrored.
    Environment,
    /// The owner's colour.
    TeamColor,
    /// The engine's own name of the slot.
    Other(String),
}

impl Slot {
    /// A word for it; the engine's own one for [`Slot::Other`].
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

    /// The slot that [`Slot::name`] names.
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

/// What happens beyond the edge of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// It begins again.
    #[default]
    Repeat,
    /// It begins again, mirrored.
    Mirror,
    /// Its edge goes on.
    Clamp,
}

/// How texture coordinates are changed before use: scaled, then turned, then moved.
#[derive(Debug, Clone, Copy, PartialEq)]
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
pub struct Texture {
    /// What it is for.
    pub slot: Slot,
    /// Its name or path in the game's own form. Data, never a path on this machine.
    pub name: String,
    /// Which set of texture coordinates it uses.
    pub uv_set: u32,
    /// Beyond its edges, across and down.
    pub wrap: [Wrap; 2],
    /// Change of texture coordinates.
    pub transform: Option<UvTransform>,
    /// What else the format knows.
    pub extras: Extras,
}

/// A material.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name.
    pub name: String,
    /// Colour and opacity.
    pub base_color: [f32; 4],
    /// Own light.
    pub emissive: [f32; 3],
    /// 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// Textures; of several with one slot the first counts.
    pub textures: Vec<Texture>,
    /// How it mixes with what is behind.
    pub alpha: AlphaMode,
    /// Whether it is seen from behind.
    pub two_sided: bool,
    /// Whether light does not matter.
    pub unlit: bool,
    /// Materials drawn over this one, in order.
    pub layers: Vec<MaterialId>,
    /// Engine parameters and what else the format knows.
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
    /// The first texture in a slot.
    pub fn texture(&self, slot: &Slot) -> Option<&Texture> {
        self.textures.iter().find(|t| t.slot == *slot)
    }
}
