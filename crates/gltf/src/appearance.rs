//! How a material is drawn in glTF, which may differ from the material itself.

use galatea_scene::{AlphaMode, Extras, Material, Slot, UvTransform, Wrap};

/// The part that an image plays in a material.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// Colour and opacity.
    BaseColor,
    /// Roughness in green, metalness in blue.
    MetallicRoughness,
    /// Normals in tangent space.
    Normal,
    /// Occlusion in red.
    Occlusion,
    /// Emitted light.
    Emissive,
    /// Strength of reflections in alpha: `KHR_materials_specular`.
    Specular,
    /// Baked light: `MOZ_lightmap`.
    Lightmap,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 7] = [
        Role::BaseColor,
        Role::MetallicRoughness,
        Role::Normal,
        Role::Occlusion,
        Role::Emissive,
        Role::Specular,
        Role::Lightmap,
    ];

    /// Returns the name of the role in extras.
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

    /// Returns the slot of textures with this role.
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

/// An image in a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Its role.
    pub role: Role,
    /// Name of the image, for [`Options::image`](crate::Options::image). Each image is written once.
    pub image: String,
    /// Index of the material's texture it is made of; `None` if it only derives from several.
    pub texture: Option<usize>,
    /// Set of texture coordinates.
    pub uv_set: u32,
    /// Wrapping across and down.
    pub wrap: [Wrap; 2],
    /// Transform of texture coordinates.
    pub transform: Option<UvTransform>,
    /// Notes about the texture for people and for reading it again, such as its file and its TXI.
    pub notes: Extras,
}

/// How a material is drawn. Where this differs from the material, the material itself is kept in extras, and reading the
/// document restores it unless what is drawn was edited.
#[derive(Debug, Clone, PartialEq)]
pub struct Appearance {
    /// Colour and opacity.
    pub base_color: [f32; 4],
    /// Emitted light.
    pub emissive: [f32; 3],
    /// 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// Blending with the background.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub two_sided: bool,
    /// Whether it is drawn without lighting.
    pub unlit: bool,
    /// Its images; of several with one role the first counts.
    pub maps: Vec<Map>,
}

impl Appearance {
    /// Returns the appearance that a material describes itself, with the first texture of each slot that glTF has.
    ///
    /// ```
    /// use galatea_gltf::{Appearance, Role};
    /// use galatea_scene::{Material, Texture};
    /// let skin = Texture { name: "skin".into(), ..Texture::default() };
    /// let appearance = Appearance::of(&Material { textures: vec![skin], ..Material::default() });
    /// assert_eq!((appearance.maps[0].role, appearance.maps[0].image.as_str()), (Role::BaseColor, "skin"));
    /// ```
    pub fn of(material: &Material) -> Appearance {
        let core = [Role::BaseColor, Role::MetallicRoughness, Role::Normal, Role::Emissive];
        let maps = core.into_iter().filter_map(|role| {
            let at = material.textures.iter().position(|t| t.slot == role.slot())?;
            let texture = material.textures.get(at)?;
            Some(Map {
                role,
                image: texture.name.clone(),
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
