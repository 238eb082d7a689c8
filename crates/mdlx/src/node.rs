//! Nodes, and the objects that consist of little else: bones, lights, attachments, events, shapes, cameras.

use galatea_wire::Text;

use crate::{EventTrack, Tracks};

/// Bits of [`Node::flags`] that mean the same in every version.
pub mod node_flags {
    /// The parent's translation is not inherited.
    pub const DONT_INHERIT_TRANSLATION: u32 = 0x1;
    /// The parent's scaling is not inherited.
    pub const DONT_INHERIT_SCALING: u32 = 0x2;
    /// The parent's rotation is not inherited.
    pub const DONT_INHERIT_ROTATION: u32 = 0x4;
    /// Always faces the camera.
    pub const BILLBOARDED: u32 = 0x8;
    /// Faces the camera by rotating around X only.
    pub const BILLBOARDED_LOCK_X: u32 = 0x10;
    /// Faces the camera by rotating around Y only.
    pub const BILLBOARDED_LOCK_Y: u32 = 0x20;
    /// Faces the camera by rotating around Z only.
    pub const BILLBOARDED_LOCK_Z: u32 = 0x40;
    /// Warcraft III: moves with the camera.
    pub const CAMERA_ANCHORED: u32 = 0x80;
    /// Particle emitter: emits models.
    pub const EMITTER_USES_MDL: u32 = 0x8000;
    /// Particle emitter: emits textures.
    pub const EMITTER_USES_TGA: u32 = 0x1_0000;
    /// Particle emitter 2: particles are not lit.
    pub const UNSHADED: u32 = 0x8000;
    /// Particle emitter 2: particles are drawn from far to near.
    pub const SORT_PRIMS_FAR_Z: u32 = 0x1_0000;
    /// Particle emitter 2: particles stay in one plane.
    pub const LINE_EMITTER: u32 = 0x2_0000;
    /// Particle emitter 2: particles are not fogged.
    pub const UNFOGGED: u32 = 0x4_0000;
    /// Particle emitter 2: particles move with the model.
    pub const MODEL_SPACE: u32 = 0x8_0000;
    /// Particle emitter 2 of Warcraft III: particles lie flat.
    pub const XY_QUAD: u32 = 0x10_0000;
}

/// What kind of object a node belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A bone.
    Bone,
    /// A light.
    Light,
    /// A helper.
    Helper,
    /// An attachment point.
    Attachment,
    /// A particle emitter that emits models.
    ParticleEmitter,
    /// A particle emitter that emits quads.
    ParticleEmitter2,
    /// A PopcornFX emitter.
    PopcornEmitter,
    /// A ribbon emitter.
    RibbonEmitter,
    /// An event object.
    Event,
    /// A collision or hit-test shape.
    CollisionShape,
    /// A sound emitter.
    SoundEmitter,
}

impl NodeKind {
    /// All kinds, in the order of [`Model::nodes`](crate::Model::nodes).
    pub const ALL: [NodeKind; 11] = [
        NodeKind::Bone,
        NodeKind::Light,
        NodeKind::Helper,
        NodeKind::Attachment,
        NodeKind::ParticleEmitter,
        NodeKind::ParticleEmitter2,
        NodeKind::PopcornEmitter,
        NodeKind::RibbonEmitter,
        NodeKind::Event,
        NodeKind::CollisionShape,
        NodeKind::SoundEmitter,
    ];

    /// Returns the name of the list in paths: `bones`, `lights` and so on.
    pub fn list_name(self) -> &'static str {
        match self {
            NodeKind::Bone => "bones",
            NodeKind::Light => "lights",
            NodeKind::Helper => "helpers",
            NodeKind::Attachment => "attachments",
            NodeKind::ParticleEmitter => "particle_emitters",
            NodeKind::ParticleEmitter2 => "particle_emitters2",
            NodeKind::PopcornEmitter => "popcorn_emitters",
            NodeKind::RibbonEmitter => "ribbon_emitters",
            NodeKind::Event => "events",
            NodeKind::CollisionShape => "collision_shapes",
            NodeKind::SoundEmitter => "sound_emitters",
        }
    }

    /// Returns the flag bit of this kind in Warcraft III files; helpers and sound emitters have none.
    pub fn warcraft_bit(self) -> u32 {
        match self {
            NodeKind::Bone => 0x100,
            NodeKind::Light => 0x200,
            NodeKind::Event => 0x400,
            NodeKind::Attachment => 0x800,
            NodeKind::ParticleEmitter | NodeKind::ParticleEmitter2 | NodeKind::PopcornEmitter => 0x1000,
            NodeKind::CollisionShape => 0x2000,
            NodeKind::RibbonEmitter => 0x4000,
            NodeKind::Helper | NodeKind::SoundEmitter => 0,
        }
    }

    /// Returns the flag bit of this kind in World of Warcraft files, one lower than in Warcraft III; bones have none.
    pub fn wow_bit(self) -> u32 {
        match self {
            NodeKind::Light => 0x100,
            NodeKind::Event => 0x200,
            NodeKind::Attachment => 0x400,
            NodeKind::ParticleEmitter2 => 0x800,
            NodeKind::CollisionShape => 0x1000,
            NodeKind::RibbonEmitter => 0x2000,
            _ => 0,
        }
    }
}

/// The part that all objects of the hierarchy have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Name.
    pub name: Text<80>,
    /// The number by which parents, matrix groups and pivots refer to it.
    pub object_id: u32,
    /// Object id of the parent; -1 for none.
    pub parent_id: i32,
    /// See [`node_flags`]; includes the bit of its kind.
    pub flags: u32,
    /// `KGTR`, `KGRT`, `KGSC`.
    pub tracks: Tracks,
}

impl Default for Node {
    fn default() -> Self {
        Node { name: Text::default(), object_id: 0, parent_id: -1, flags: 0, tracks: Tracks::default() }
    }
}

impl Node {
    /// Returns `true` if all bits of this flag are set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag == flag
    }
}

/// A bone.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// The node.
    pub node: Node,
    /// Index of the geoset it moves; -1 for several.
    pub geoset_id: i32,
    /// Index of the geoset animation that shows and hides it; -1 for none.
    pub geoset_anim_id: i32,
}

impl Default for Bone {
    fn default() -> Self {
        Bone { node: Node::default(), geoset_id: -1, geoset_anim_id: -1 }
    }
}

/// A node that only groups other nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Helper {
    /// The node.
    pub node: Node,
}

/// A light.
#[derive(Debug, Clone, PartialEq)]
pub struct Light {
    /// The node.
    pub node: Node,
    /// 0 omnidirectional, 1 directional, 2 ambient.
    pub kind: u32,
    /// Distance at which it begins to fade.
    pub attenuation_start: f32,
    /// Distance at which it has faded out.
    pub attenuation_end: f32,
    /// Red, green, blue.
    pub color: [f32; 3],
    /// Intensity.
    pub intensity: f32,
    /// Red, green, blue of its ambient part.
    pub ambient_color: [f32; 3],
    /// Intensity of its ambient part.
    pub ambient_intensity: f32,
    /// Shadow intensity. From 1200 on.
    pub shadow_intensity: f32,
    /// `KLAS`, `KLAE`, `KLAC`, `KLAI`, `KLBC`, `KLBI`, and `KLAV` or `KVIS`.
    pub tracks: Tracks,
}

impl Default for Light {
    fn default() -> Self {
        Light {
            node: Node::default(),
            kind: 0,
            attenuation_start: 0.0,
            attenuation_end: 0.0,
            color: [1.0; 3],
            intensity: 1.0,
            ambient_color: [1.0; 3],
            ambient_intensity: 0.0,
            shadow_intensity: 0.4,
            tracks: Tracks::default(),
        }
    }
}

/// A point that other models are attached to.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// The node; its name determines what is attached (`Hand Right Ref`).
    pub node: Node,
    /// A model that is always attached, or empty.
    pub path: Text<260>,
    /// Its number; in World of Warcraft the slot.
    pub attachment_id: u32,
    /// An unused byte of World of Warcraft files.
    pub padding: u8,
    /// `KATV` or `KVIS`.
    pub tracks: Tracks,
}

impl Default for Attachment {
    fn default() -> Self {
        Attachment {
            node: Node::default(),
            path: Text::default(),
            attachment_id: 0,
            padding: 0xFF,
            tracks: Tracks::default(),
        }
    }
}

/// A sound, splat or footprint that is triggered at certain times. The name determines which.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// The node; the name is a type (`SND`, `SPN`, `SPL`, `FPT`, `UBR`), a variant and a code.
    pub node: Node,
    /// `KEVT`: when it is triggered.
    pub track: Option<EventTrack>,
}

/// A sound emitter. No file that has one is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SoundEmitter {
    /// The node.
    pub node: Node,
    /// `KESK`: when it plays.
    pub track: Option<EventTrack>,
}

/// The form of a collision or hit-test shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Type 0: two opposite corners.
    Box {
        /// The corners.
        corners: [[f32; 3]; 2],
    },
    /// Type 1, as Blizzard's own tools number shapes.
    Cylinder {
        /// Centre of the base.
        base: [f32; 3],
        /// Height.
        height: f32,
        /// Radius.
        radius: f32,
    },
    /// Type 1, as other tools write it into Warcraft III files.
    PlanePoints {
        /// Two opposite corners.
        points: [[f32; 3]; 2],
    },
    /// Type 2.
    Sphere {
        /// Centre.
        center: [f32; 3],
        /// Radius.
        radius: f32,
    },
    /// Type 3: a plane around the pivot.
    Plane {
        /// Length.
        length: f32,
        /// Width.
        width: f32,
    },
    /// Type 3, as other tools write it into Warcraft III files.
    CylinderPoints {
        /// The ends of its axis.
        points: [[f32; 3]; 2],
        /// Radius.
        radius: f32,
    },
}

impl Default for Shape {
    fn default() -> Self {
        Shape::Box { corners: [[0.0; 3]; 2] }
    }
}

/// A shape that can be clicked or hit: `CLID` in Warcraft III, `HTST` in World of Warcraft.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CollisionShape {
    /// The node.
    pub node: Node,
    /// The form, around the node's pivot.
    pub shape: Shape,
}

/// The collision mesh: `CLID` in World of Warcraft.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CollisionMesh {
    /// Positions.
    pub vertices: Vec<[f32; 3]>,
    /// Three indices per triangle.
    pub triangles: Vec<u16>,
    /// One normal per triangle.
    pub normals: Vec<[f32; 3]>,
}

/// A camera, usually for the portrait.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Camera {
    /// Name.
    pub name: Text<80>,
    /// Its position.
    pub position: [f32; 3],
    /// Field of view, diagonal, in radians.
    pub field_of_view: f32,
    /// Far clipping distance.
    pub far_clip: f32,
    /// Near clipping distance.
    pub near_clip: f32,
    /// The point it looks at.
    pub target: [f32; 3],
    /// `KCTR`, `KTTR`, `KCRL`, and `KVIS` in World of Warcraft.
    pub tracks: Tracks,
}
