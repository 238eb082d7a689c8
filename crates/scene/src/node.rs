//! Nodes: the tree, places, and what hangs at them.

use glam::{Mat4, Quat, Vec3};

use crate::{CameraId, EmitterId, Extras, LightId, MeshId, NodeId, SkinId};

/// A place relative to the parent: scale first, then rotation, then translation.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// The matrix. A rotation that is not of unit length is taken as its direction; one without length as none.
    pub fn matrix(&self) -> Mat4 {
        let rotation = Quat::from_array(self.rotation);
        let rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { Quat::IDENTITY };
        Mat4::from_scale_rotation_translation(Vec3::from(self.scale), rotation, Vec3::from(self.translation))
    }
}

/// What a node takes over from its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inherit {
    /// The parent's place.
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
pub enum Billboard {
    /// All around.
    Full,
    /// Only about its own X axis.
    AboutX,
    /// Only about its own Y axis.
    AboutY,
    /// Only about its own Z axis.
    AboutZ,
}

/// A place where the game hangs other things: weapons, effects, the camera.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attachment {
    /// The format's number of it.
    pub id: Option<i32>,
    /// Model or effect that hangs there by default; empty for none.
    pub path: String,
}

/// A simple body for hits and collisions, in the space of its node.
#[derive(Debug, Clone, Copy, PartialEq)]
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
pub struct Node {
    /// Name. Names may repeat.
    pub name: String,
    /// The parent, unless this is a root.
    pub parent: Option<NodeId>,
    /// The children, in order.
    pub children: Vec<NodeId>,
    /// Place relative to the parent, at rest.
    pub transform: Transform,
    /// Whether it is seen at rest, with everything below it.
    pub visible: bool,
    /// Colour and opacity its mesh is multiplied with.
    pub tint: [f32; 4],
    /// The mesh drawn here.
    pub mesh: Option<MeshId>,
    /// The skin that moves the mesh. The place of this node then does not matter.
    pub skin: Option<SkinId>,
    /// The light that shines here. It shines along the node's negative Z axis, if it has a direction.
    pub light: Option<LightId>,
    /// The camera that stands here, looking along the node's negative Z axis.
    pub camera: Option<CameraId>,
    /// The emitter.
    pub emitter: Option<EmitterId>,
    /// Where other things hang.
    pub attachment: Option<Attachment>,
    /// A body for hits and collisions.
    pub shape: Option<Shape>,
    /// Whether it turns to the camera.
    pub billboard: Option<Billboard>,
    /// What it takes over from its parent.
    pub inherit: Inherit,
    /// Whether it is there only to turn axes and units: see [`Scene::add_axes`](crate::Scene::add_axes).
    pub axes: bool,
    /// What else the format knows.
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
    /// A node of this name and nothing else.
    pub fn new(name: &str) -> Node {
        Node { name: name.to_owned(), ..Node::default() }
    }
}
