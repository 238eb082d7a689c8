//! Lights, cameras and emitters.

use crate::{Extras, MaterialId, NodeId};

/// The kind of a light.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LightKind {
    /// In all directions from a point.
    #[default]
    Point,
    /// From far away, along the node's negative Z axis.
    Directional,
    /// In a cone along the node's negative Z axis.
    Spot {
        /// Angle from the axis where it begins to fade, in radians.
        inner: f32,
        /// Angle from the axis where it ends.
        outer: f32,
    },
    /// Everywhere, without a direction.
    Ambient,
}

/// A light.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Light {
    /// Name.
    pub name: String,
    /// Its kind.
    pub kind: LightKind,
    /// Colour. Some games have lights with negative colours, which darken.
    pub color: [f32; 3],
    /// Factor for the colour.
    pub intensity: f32,
    /// Distance at which it ends.
    pub range: Option<f32>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

impl Default for Light {
    fn default() -> Self {
        Light {
            name: String::new(),
            kind: LightKind::Point,
            color: [1.0; 3],
            intensity: 1.0,
            range: None,
            extras: Extras::default(),
        }
    }
}

/// The projection of a camera.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Projection {
    /// Perspective.
    Perspective {
        /// Vertical angle in radians.
        yfov: f32,
        /// Width over height, if it is fixed.
        aspect: Option<f32>,
    },
    /// Orthographic.
    Orthographic {
        /// Half the width and half the height.
        size: [f32; 2],
    },
}

/// A camera. It looks along the negative Z axis of its node, or at another node.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Camera {
    /// Name.
    pub name: String,
    /// Its projection.
    pub projection: Projection,
    /// Distance of the near plane.
    pub near: f32,
    /// Distance of the far plane.
    pub far: Option<f32>,
    /// The node it looks at.
    pub target: Option<NodeId>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

impl Default for Camera {
    fn default() -> Self {
        Camera {
            name: String::new(),
            projection: Projection::Perspective { yfov: 0.8, aspect: None },
            near: 0.1,
            far: None,
            target: None,
            extras: Extras::default(),
        }
    }
}

/// What an emitter emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum EmitterKind {
    /// Particles.
    #[default]
    Particles,
    /// A ribbon along its path.
    Ribbon,
    /// Models.
    Models,
    /// Lightning between two places.
    Lightning,
    /// An effect of another program, named by its path.
    Effect,
}

/// An emitter, with the parameters that all engines share. The rest is in `extras`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Emitter {
    /// Name.
    pub name: String,
    /// What it emits.
    pub kind: EmitterKind,
    /// Particles per second.
    pub rate: f32,
    /// Lifetime in seconds.
    pub life: f32,
    /// Initial speed, along the node's up axis.
    pub speed: f32,
    /// Angle in radians by which directions spread.
    pub spread: f32,
    /// Acceleration downwards.
    pub gravity: f32,
    /// Sides of the rectangle in which particles are emitted.
    pub area: [f32; 2],
    /// Colours over the lifetime: at the start, in the middle, at the end.
    pub colors: Vec<[f32; 4]>,
    /// Sizes at the same times.
    pub sizes: Vec<f32>,
    /// Columns and rows of frames in the texture.
    pub grid: [u32; 2],
    /// Material of the particles.
    pub material: Option<MaterialId>,
    /// Path of the emitted model or effect.
    pub path: String,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}
