//! How a material is drawn: what glTF shows of it, which may be more than the material itself says.

use galatea_scene::{AlphaMode, Extras, Material, Slot, UvTransform, Wrap};

/// What a picture does in a material.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Colour and opacity.
    BaseColor,
    /// Roughness in green, metalness in blue.
    MetallicRoughness,
    /// Normals in tangent space.
    Normal,
    /// Occlusion in red.
    Occlusion,
    /// Own light.
    Emissive,
    /// Strength of shine in alpha: `KHR_materials_specular`.
    Specular,
    /// Baked light: `MOZ_lightmap`.
    Lightmap,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 7] = [
        Role::BaseColor,
        Role::MetallicRoughness,
        Role::Normal,
        Role::Occlusion,
        Role::Emissive,
        Role::Specular,
        Role::Lightmap,
    ];

    /// One word.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::BaseColor => "base",
            Role::MetallicRoughness => "metallic_roughness",
            Role::Normal => "normal",
            Role::Occlusion => "occlusion",
            Role::Emissive => "emissive",
            Role::Specular => "specular",
            Role::Lightmap => "lightmap",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Role> {
        Self::ALL.into_iter().find(|r| r.name() == name)
    }

    /// The slot whose textures play this part.
    pub(crate) fn slot(self) -> Slot {
        match self {
            Role::BaseColor => Slot::Base,
            Role::MetallicRoughness => Slot::OcclusionRoughnessMetallic,
            Role::Normal => Slot::Normal,
            Role::Occlusion => Slot::Other("occlusion".to_owned()),
            Role::Emissive => Slot::Emissive,
            Role::Specular => Slot::Specular,
            Role::Lightmap => Slot::Lightmap,
        }
    }
}

/// A picture in a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// What it does.
    pub role: Role,
    /// Name of the picture; what [`Options::picture`](crate::Options::picture) is asked for. Each is written once.
    pub picture: String,
    /// Which of the material's textures it is; none if it only derives from them.
    pub texture: Option<usize>,
    /// Which set of texture coordinates it uses.
    pub uv_set: u32,
    /// Beyond its edges, across and down.
    pub wrap: [Wrap; 2],
    /// Change of texture coordinates.
    pub transform: Option<UvTransform>,
    /// What is told about the texture beside its name, for people and the way back: its file, its TXI.
    pub notes: Extras,
}

/// How a material is drawn. Where it differs from the material, reading what was written gives the material back, unless
/// somebody changed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Appearance {
    /// Colour and opacity.
    pub base_color: [f32; 4],
    /// Own light.
    pub emissive: [f32; 3],
    /// 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// How it mixes with what is behind.
    pub alpha: AlphaMode,
    /// Whether it is seen from behind.
    pub two_sided: bool,
    /// Whether light does not matter.
    pub unlit: bool,
    /// Its pictures; of several with one role the first counts.
    pub maps: Vec<Map>,
}

impl Appearance {
    /// The material as it says itself, with the first texture of each slot that glTF has a place for.
    ///
    /// ```
    /// use galatea_gltf::{Appearance, Role};
    /// use galatea_scene::{Material, Texture};
    /// let skin = Texture { name: "skin".into(), ..Texture::default() };
    /// let look = Appearance::of(&Material { textures: vec![skin], ..Material::default() });
    /// assert_eq!((look.maps[0].role, look.maps[0].picture.as_str()), (Role::BaseColor, "skin"));
    /// ```
    pub fn of(material: &Material) -> Appearance {
        let core = [Role::BaseColor, Role::MetallicRoughness, Role::Normal, Role::Emissive];
        let maps = core.into_iter().filter_map(|role| {
            let at = material.textures.iter().position(|t| t.slot == role.slot())?;
            let texture = material.textures.get(at)?;
            Some(Map {
                role,
                picture: texture.name.clone(),
                texture: Some(at),
                uv_set: texture.uv_set,
                wrap: texture.wrap,
                transform: texture.transform,
                notes: Extras::new(),
            })
        });
        Appearance {
            base_color: material.base_color,
            emissive: material.emissive,
            metallic: material.metallic,
            roughness: material.roughness,
            alpha: material.alpha,
            two_sided: material.two_sided,
            unlit: material.unlit,
            maps: maps.collect(),
        }
    }
}
