//! Materials, their layers and texture animations.

use galatea_wire::Text;

use crate::Tracks;

/// A material: layers drawn over each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Material {
    /// Drawing order; lower planes are drawn first.
    pub priority_plane: i32,
    /// 1 constant colour, 2 two-sided, 8 and 0x10 sort near or far first, 0x20 full resolution. Warcraft III only.
    pub flags: u32,
    /// The shader, in 900 and 1000.
    pub shader: Text<80>,
    /// The layers. With a HD shader before 1100, each holds one of the six textures.
    pub layers: Vec<Layer>,
    /// Bytes after the layers that a version newer than 1200 added.
    pub extra: Vec<u8>,
}

/// One layer of a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// 0 none, 1 transparent, 2 blend, 3 additive, 4 add alpha, 5 modulate, 6 modulate 2x.
    pub filter_mode: u32,
    /// 1 unshaded, 2 sphere environment map, 4 and 8 wrap, 0x10 two-sided, 0x20 unfogged, 0x40 no depth test, 0x80 no depth
    /// set, 0x100 unlit (from 900 on) or no fallback (1500).
    pub flags: u32,
    /// Index of the texture; -1 for none. From 1100 on, the slots are used instead.
    pub texture_id: i32,
    /// Index of the texture animation; -1 for none.
    pub texture_anim_id: i32,
    /// Index of the set of texture coordinates.
    pub coord_id: u32,
    /// Alpha.
    pub alpha: f32,
    /// Emissive gain. From 900 on.
    pub emissive_gain: f32,
    /// Fresnel colour: red, green, blue. From 1000 on.
    pub fresnel_color: [f32; 3],
    /// Fresnel opacity. From 1000 on.
    pub fresnel_opacity: f32,
    /// Fresnel team colour. From 1000 on.
    pub fresnel_team_color: f32,
    /// 0 SD, 1 HD. From 1100 on.
    pub shader_type: u32,
    /// The textures and their slots. From 1100 on.
    pub textures: Vec<LayerTexture>,
    /// `KMTA`, `KMTF` (not from 1100 to 1299), `KMTE`, `KFC3`, `KFCA`, `KFTC`.
    pub tracks: Tracks,
}

impl Default for Layer {
    fn default() -> Self {
        Layer {
            filter_mode: 0,
            flags: 0,
            texture_id: 0,
            texture_anim_id: -1,
            coord_id: 0,
            alpha: 1.0,
            emissive_gain: 1.0,
            fresnel_color: [1.0; 3],
            fresnel_opacity: 0.0,
            fresnel_team_color: 0.0,
            shader_type: 0,
            textures: Vec::new(),
            tracks: Tracks::default(),
        }
    }
}

/// A texture in a slot of a layer, from 1100 on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerTexture {
    /// Index of the texture.
    pub texture_id: i32,
    /// 0 diffuse, 1 normal, 2 occlusion/roughness/metal, 3 emissive, 4 team colour, 5 reflections.
    pub slot: u32,
    /// `KMTF`: the texture over time.
    pub tracks: Tracks,
}

/// An animation of texture coordinates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextureAnim {
    /// `KTAT`, `KTAR`, `KTAS`.
    pub tracks: Tracks,
}
