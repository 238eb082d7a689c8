//! What both directions know of materials: which flags of a mesh and slots of a shader stand for what in the scene.

use galatea_scene::{AlphaMode, Material, Slot};

use crate::mesh::Mesh;

/// Flag bits that glass and decals have.
pub(super) const GLASS: u32 = 0x50;
/// The part of flags that is the way of blending.
pub(super) const BLEND: u32 = 0xF;

/// Returns how a mesh with these flags mixes with what is behind.
pub(super) fn alpha(flags: u32) -> AlphaMode {
    if flags & Mesh::ALPHA_TEST != 0 {
        AlphaMode::Mask { cutoff: 0.5 }
    } else if flags & BLEND == 1 {
        AlphaMode::Additive
    } else if flags & GLASS != 0 {
        AlphaMode::Blend
    } else {
        AlphaMode::Opaque
    }
}

/// Flags changed as little as a material asks for.
pub(super) fn flags_for(flags: u32, material: &Material) -> u32 {
    let two_sided = if material.two_sided { Mesh::TWO_SIDED } else { 0 };
    let flags = flags & !Mesh::TWO_SIDED | two_sided;
    if std::mem::discriminant(&alpha(flags)) == std::mem::discriminant(&material.alpha) {
        return flags;
    }
    let plain = flags & !(Mesh::ALPHA_TEST | BLEND | GLASS);
    match material.alpha {
        AlphaMode::Opaque => plain,
        AlphaMode::Additive => plain | 1,
        AlphaMode::Mask { .. } => plain | Mesh::ALPHA_TEST,
        _ => plain | 0x10,
    }
}

/// Returns the flags that make a material of its own.
pub(super) fn looks(flags: u32) -> u32 {
    flags & (Mesh::ALPHA_TEST | Mesh::TWO_SIDED | BLEND | GLASS)
}

/// Returns what the scene calls a slot of a shader.
pub(super) fn slot_kind(slot: &str) -> Slot {
    match slot {
        "Base_Tex_SRGB" | "Base_Tex_LIN" => Slot::Base,
        "NormalMap_Tex_NRM" => Slot::Normal,
        "SpecularMap_Tex_LIN" => Slot::Specular,
        other => Slot::Other(other.to_owned()),
    }
}

/// Returns the slot of a shader for a slot of the scene.
pub(super) fn slot_name(slot: &Slot) -> Option<&str> {
    match slot {
        Slot::Base => Some("Base_Tex_SRGB"),
        Slot::Normal => Some("NormalMap_Tex_NRM"),
        Slot::Specular => Some("SpecularMap_Tex_LIN"),
        Slot::Other(name) => Some(name),
        _ => None,
    }
}
