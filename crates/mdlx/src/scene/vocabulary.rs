//! Flags, numbers and names of the format and their equivalents in the scene.

use galatea_scene::{AlphaMode, Billboard, Inherit, LightKind, Slot, Wrap};

use super::extra::latin;
use crate::{NodeKind, Texture, Version, node_flags};

/// Names of node kinds in extras.
pub(super) const KINDS: [(NodeKind, &str); 11] = [
    (NodeKind::Bone, "bone"),
    (NodeKind::Light, "light"),
    (NodeKind::Helper, "helper"),
    (NodeKind::Attachment, "attachment"),
    (NodeKind::ParticleEmitter, "particle_emitter"),
    (NodeKind::ParticleEmitter2, "particle_emitter2"),
    (NodeKind::PopcornEmitter, "popcorn_emitter"),
    (NodeKind::RibbonEmitter, "ribbon_emitter"),
    (NodeKind::Event, "event"),
    (NodeKind::CollisionShape, "collision_shape"),
    (NodeKind::SoundEmitter, "sound_emitter"),
];

const BILLBOARDS: [(u32, Billboard); 4] = [
    (node_flags::BILLBOARDED, Billboard::Full),
    (node_flags::BILLBOARDED_LOCK_X, Billboard::AboutX),
    (node_flags::BILLBOARDED_LOCK_Y, Billboard::AboutY),
    (node_flags::BILLBOARDED_LOCK_Z, Billboard::AboutZ),
];

/// Returns the billboard mode for these node flags.
pub(super) fn billboard_of(flags: u32) -> Option<Billboard> {
    BILLBOARDS.iter().find(|(bit, _)| flags & bit != 0).map(|(_, b)| *b)
}

/// Returns what a node with these flags inherits from its parent.
pub(super) fn inherit_of(flags: u32) -> Inherit {
    Inherit {
        translation: flags & node_flags::DONT_INHERIT_TRANSLATION == 0,
        rotation: flags & node_flags::DONT_INHERIT_ROTATION == 0,
        scale: flags & node_flags::DONT_INHERIT_SCALING == 0,
    }
}

/// Returns the node flags for inheritance and billboard mode.
pub(super) fn flags_of(inherit: Inherit, billboard: Option<Billboard>) -> u32 {
    let bit = |off: bool, bit: u32| if off { bit } else { 0 };
    bit(!inherit.translation, node_flags::DONT_INHERIT_TRANSLATION)
        | bit(!inherit.rotation, node_flags::DONT_INHERIT_ROTATION)
        | bit(!inherit.scale, node_flags::DONT_INHERIT_SCALING)
        | BILLBOARDS.iter().find(|(_, b)| Some(*b) == billboard).map_or(0, |(bit, _)| *bit)
}

/// Returns the flag bit of a kind of node in this version.
pub(super) fn kind_bit(kind: NodeKind, version: Version) -> u32 {
    if version.is_wow() { kind.wow_bit() } else { kind.warcraft_bit() }
}

/// Returns the kind of a light. One converter adds 512 to the type.
pub(super) fn light_kind(kind: u32) -> LightKind {
    match kind & 0xFF {
        1 => LightKind::Directional,
        2 => LightKind::Ambient,
        _ => LightKind::Point,
    }
}

/// Returns the bind pose of a node without rotation at this position.
pub(super) fn plain_bind([x, y, z]: [f32; 3]) -> [f32; 12] {
    [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x, y, z]
}

/// The opacity at which the game draws a pixel of a transparent layer.
pub(super) const CUTOFF: f32 = 0.75;

/// Returns the purposes of the slots of a HD layer.
pub(super) fn slots() -> [Slot; 6] {
    [
        Slot::Base,
        Slot::Normal,
        Slot::OcclusionRoughnessMetallic,
        Slot::Emissive,
        Slot::TeamColor,
        Slot::Environment,
    ]
}

/// Returns the alpha mode for a filter mode.
pub(super) fn alpha_of(filter_mode: u32) -> AlphaMode {
    match filter_mode {
        1 => AlphaMode::Mask { cutoff: CUTOFF },
        2 => AlphaMode::Blend,
        3 | 4 => AlphaMode::Additive,
        5 => AlphaMode::Modulate,
        6 => AlphaMode::Modulate2x,
        _ => AlphaMode::Opaque,
    }
}

/// Returns the usual filter mode for an alpha mode.
pub(super) fn filter_of(alpha: AlphaMode) -> u32 {
    match alpha {
        AlphaMode::Mask { .. } => 1,
        AlphaMode::Blend => 2,
        AlphaMode::Additive => 3,
        AlphaMode::Modulate => 5,
        AlphaMode::Modulate2x => 6,
        _ => 0,
    }
}

/// Returns the path of a texture, or that of the game's replaceable texture.
pub(crate) fn texture_name(texture: &Texture) -> String {
    let path = latin(texture.path.bytes());
    if !path.is_empty() {
        return path;
    }
    let name = match texture.replaceable_id {
        1 => "ReplaceableTextures\\TeamColor\\TeamColor00.blp",
        2 => "ReplaceableTextures\\TeamGlow\\TeamGlow00.blp",
        11 => "ReplaceableTextures\\Cliff\\Cliff0.blp",
        31 => "ReplaceableTextures\\LordaeronTree\\LordaeronFallTree.blp",
        32 => "ReplaceableTextures\\AshenvaleTree\\AshenTree.blp",
        33 => "ReplaceableTextures\\BarrensTree\\BarrensTree.blp",
        34 => "ReplaceableTextures\\NorthrendTree\\NorthTree.blp",
        35 => "ReplaceableTextures\\Mushroom\\MushroomTree.blp",
        36 => "ReplaceableTextures\\RuinsTree\\RuinsTree.blp",
        37 => "ReplaceableTextures\\OutlandMushroomTree\\MushroomTree.blp",
        other => return format!("replaceable {other}"),
    };
    name.to_owned()
}

/// Returns the wrap modes for texture flags.
pub(crate) fn wrap_of(flags: u32) -> [Wrap; 2] {
    let wrap = |bit: u32| if flags & bit != 0 { Wrap::Repeat } else { Wrap::Clamp };
    [wrap(1), wrap(2)]
}

/// Returns the layer flags for these properties of a scene material.
pub(super) fn layer_flags(two_sided: bool, unlit: bool) -> u32 {
    u32::from(unlit) | if two_sided { 0x10 } else { 0 }
}

/// Returns `true` if a layer with these flags is not lit.
pub(super) fn is_unlit(flags: u32) -> bool {
    flags & 0x101 != 0
}

/// Returns the vertical field of view for a diagonal one, at an aspect ratio of 4 to 3.
pub(super) fn height_of(diagonal: f32) -> f32 {
    2.0 * ((diagonal * 0.5).tan() * 0.6).atan()
}

pub(super) fn diagonal_of(height: f32) -> f32 {
    2.0 * ((height * 0.5).tan() / 0.6).atan()
}

/// Returns `true` if the colour of a geoset animation is used.
pub(super) fn color_applies(flags: u32, wow: bool) -> bool {
    flags & 2 != 0 || wow && flags & 1 != 0
}

/// Returns `true` for the default name of a geoset.
pub(super) fn is_plain_name(name: &str) -> bool {
    name.strip_prefix("geoset ")
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}
