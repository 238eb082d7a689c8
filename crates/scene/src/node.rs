//! Nodes: the tree, its transforms, and what is attached to it.

use glam::{Mat4, Quat, Vec3};

use crate::{CameraId, EmitterId, Extras, LightId, MeshId, NodeId, SkinId};

/// A transform relative to the parent: scale first, then rotation, then translation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Transform {
    /// Translation.
    pub translation: [f32; 3],
    /// Rotation x, y, z, w.
    pub rotation: [f32; 4],
    /// Scale.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Transform { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

impl Transform {
    /// Returns the matrix. The rotation is normalized; one of length 0 counts as none.
    pub fn matrix(&self) -> Mat4 {
        let rotation = Quat::from_array(self.rotation);
        let rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { Quat::IDENTITY };
        Mat4::from_scale_rotation_translation(Vec3::from(self.scale), rotation, Vec3::from(self.translation))
    }
}

/// What a node inherits from its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Inherit {
    /// The parent's translation.
    pub translation: bool,
    /// The parent's rotation.
    pub rotation: bool,
    /// The parent's scale.
    pub scale: bool,
}

impl Default for Inherit {
    fn default() -> Self {
        Inherit { translation: true, rotation: true, scale: true }
    }
}

/// How a node turns to the camera.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Billboard {
    /// About all axes.
    Full,
    /// Only about its own X axis.
    AboutX,
    /// Only about its own Y axis.
    AboutY,
    /// Only about its own Z axis.
    AboutZ,
}

/// An attachment point for weapons, effects or the camera.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Attachment {
    /// Its number in the format.
    pub id: Option<i32>,
    /// Model or effect attached by default; empty for none.
    pub path: String,
}

/// A simple shape for hit tests and collisions, in the space of its node.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Shape {
    /// A box between two corners.
    Box {
        /// One corner.
        min: [f32; 3],
        /// The other.
        max: [f32; 3],
    },
    /// A sphere.
    Sphere {
        /// Centre.
        center: [f32; 3],
        /// Radius.
        radius: f32,
    },
    /// A cylinder around the line between two points.
    Cylinder {
        /// Middle of the base.
        from: [f32; 3],
        /// Middle of the top.
        to: [f32; 3],
        /// Radius.
        radius: f32,
    },
    /// A rectangle around the node's origin, across the format's up axis.
    Plane {
        /// Its two sides.
        size: [f32; 2],
    },
}

/// A node.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Node {
    /// Name. Names may repeat.
    pub name: String,
    /// The parent, unless this is a root.
    pub parent: Option<NodeId>,
    /// The children, in order.
    pub children: Vec<NodeId>,
    /// Transform relative to the parent, at rest.
    pub transform: Transform,
    /// Whether it and its descendants are visible at rest.
    pub visible: bool,
    /// Colour and opacity that its mesh is multiplied by.
    pub tint: [f32; 4],
    /// The mesh drawn here.
    pub mesh: Option<MeshId>,
    /// The skin that moves the mesh. The transform of this node is then ignored.
    pub skin: Option<SkinId>,
    /// The light. If it has a direction, that is the node's negative Z axis.
    pub light: Option<LightId>,
    /// The camera, which looks along the node's negative Z axis.
    pub camera: Option<CameraId>,
    /// The emitter.
    pub emitter: Option<EmitterId>,
    /// The attachment point.
    pub attachment: Option<Attachment>,
    /// A shape for hit tests and collisions.
    pub shape: Option<Shape>,
    /// How it turns to the camera.
    pub billboard: Option<Billboard>,
    /// What it inherits from its parent.
    pub inherit: Inherit,
    /// Whether it only converts axes and units: see [`Scene::add_axes`](crate::Scene::add_axes).
    pub axes: bool,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

impl Default for Node {
    fn default() -> Self {
        Node {
            name: String::new(),
            parent: None,
            children: Vec::new(),
            transform: Transform::default(),
            visible: true,
            tint: [1.0; 4],
            mesh: None,
            skin: None,
            light: None,
            camera: None,
            emitter: None,
            attachment: None,
            shape: None,
            billboard: None,
            inherit: Inherit::default(),
            axes: false,
            extras: Extras::default(),
        }
    }
}

impl Node {
    /// Returns a node with this name and default values.
    pub fn new(name: &str) -> Node {
        Node { name: name.to_owned(), ..Node::default() }
    }
}
