//! Models to the scene and back.
//!
//! Every node of the model becomes a node of the scene with the same name; meshes, skins, lights and clips become those
//! of the scene. What the scene cannot express is in extras under `kotor`: controllers beyond the rest pose, header
//! fields, emitters. Derived tables are stored as differences from what we derive.

mod from;
mod to;

use super::{Game, Platform};

/// Controllers that every node or mesh can have.
const POSITION: u32 = 8;
const ORIENTATION: u32 = 20;
const SCALE: u32 = 36;
const SELF_ILLUMINATION: u32 = 100;
const ALPHA: u32 = 132;
/// Controllers of lights.
const LIGHT_COLOR: u32 = 76;
const LIGHT_RADIUS: u32 = 88;
const LIGHT_MULTIPLIER: u32 = 140;

/// Writes the fields that differ from those of a new record.
macro_rules! put_fields {
    ($map:expr, $value:expr, $base:expr, $($field:ident),* $(,)?) => {
        $(if crate::extra::differ(&$value.$field, &$base.$field) {
            crate::extra::put($map, stringify!($field), crate::extra::json(&$value.$field));
        })*
    };
}
/// Reads the fields that are present.
macro_rules! read_fields {
    ($map:expr, $value:expr, $($field:ident),* $(,)?) => {
        $(if let Some(value) = $map.get(stringify!($field)) {
            $value.$field = crate::extra::from_json(value, &$value.$field);
        })*
    };
}
/// Passes the header fields of a model that the scene cannot express to [`put_fields`] or [`read_fields`].
macro_rules! model_fields {
    ($to:ident, $($first:expr),*) => {
        $to!(
            $($first,)* classification, subclassification, unknown_0x52, fog, child_models, bounds, radius,
            animation_scale, supermodel
        )
    };
}
/// Passes the fields of a light that the scene cannot express to [`put_fields`] or [`read_fields`].
macro_rules! light_fields {
    ($to:ident, $($first:expr),*) => {
        $to!(
            $($first,)* flare_radius, priority, ambient_only, dynamic_type, affect_dynamic, shadow, flare, fading
        )
    };
}
use {light_fields, model_fields, put_fields, read_fields};

/// Options of [`Model::from_scene`](super::Model::from_scene).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The target game; `None` for that of the scene, by default KotOR 1.
    pub game: Option<Game>,
    /// The target platform; `None` for that of the scene, by default the PC.
    pub platform: Option<Platform>,
}

impl SceneOptions {
    /// Returns the same options with this game.
    #[must_use]
    pub fn with_game(self, game: impl Into<Option<Game>>) -> Self {
        SceneOptions { game: game.into(), ..self }
    }

    /// Returns the same options with this platform.
    #[must_use]
    pub fn with_platform(self, platform: impl Into<Option<Platform>>) -> Self {
        SceneOptions { platform: platform.into(), ..self }
    }
}
