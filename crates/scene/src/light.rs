//! What hangs at nodes besides meshes: lights, cameras, emitters.

use crate::{Extras, MaterialId, NodeId};

/// How a light shines.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LightKind {
    /// To all sides.
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
    /// Everywhere.
    Ambient,
}

/// A light.
#[derive(Debug, Clone, PartialEq)]
pub struct Light {
    /// Name.
    pub name: String,
    /// How it shines.
    pub kind: LightKind,
    /// Colour. Games have lights that take light away: numbers may be negative.
    pub color: [f32; 3],
    /// Factor for the colour.
    pub intensity: f32,
    /// Distance where it ends.
    pub range: Option<f32>,
    /// What else the format knows.
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

/// What a camera sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Projection {
    /// A pyramid.
    Perspective {
        /// Vertical angle in radians.
        yfov: f32,
        /// Width over height, where it is fixed.
        aspect: Option<f32>,
    },
    /// A box.
    Orthographic {
        /// Half the width and half the height.
        size: [f32; 2],
    },
}

/// A camera. It stands at its node and looks along its negative Z axis, or to another node.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    /// Name.
    pub name: String,
    /// What it sees.
    pub projection: Projection,
    /// Nearest distance seen.
    pub near: f32,
    /// Farthest distance seen.
    pub far: Option<f32>,
    /// The node it looks at.
    pub target: Option<NodeId>,
    /// What else the format knows.
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
pub enum EmitterKind {
    /// Small pictures.
    #[default]
    Particles,
    /// A band along its path.
    Ribbon,
    /// Whole models.
    Models,
    /// Lightning between two places.
    Lightning,
    /// An effect of another program, named by its path.
    Effect,
}

/// An emitter: the part of its parameters that all engines share. The rest is in `extras`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Emitter {
    /// Name.
    pub name: String,
    /// What it emits.
    pub kind: EmitterKind,
    /// Things per second.
    pub rate: f32,
    /// Seconds each of them lives.
    pub life: f32,
    /// Speed at birth, along the node's up axis.
    pub speed: f32,
    /// Angle in radians by which directions spread.
    pub spread: f32,
    /// Acceleration downwards.
    pub gravity: f32,
    /// Sides of the rectangle where things are born.
    pub area: [f32; 2],
    /// Colours over a life: at birth, in between, at the end.
    pub colors: Vec<[f32; 4]>,
    /// Sizes over a life, at the same times.
    pub sizes: Vec<f32>,
    /// Columns and rows of pictures in the texture.
    pub grid: [u32; 2],
    /// Material of the pictures.
    pub material: Option<MaterialId>,
    /// Model or effect thrown, where it is one.
    pub path: String,
    /// What else the format knows.
    pub extras: Extras,
}
