//! A model as written in the text, before sidecar and derived values complete it.

use crate::mdl::{Model, NodeId};
use crate::text::lex::Spot;

/// A model as written in the text. The lists of drafts are parallel to the lists of nodes.
#[derive(Debug, Default)]
pub(crate) struct Draft<'a> {
    pub(crate) model: Model,
    pub(crate) nodes: Vec<NodeDraft<'a>>,
    pub(crate) animations: Vec<AnimationDraft<'a>>,
    /// Whether orientations of animations are packed.
    pub(crate) compress: bool,
    /// Whether inherited animations begin at the node `neck_g`.
    pub(crate) headlink: bool,
}

/// Data of a node in the text, in addition to the node itself.
#[derive(Debug, Default)]
pub(crate) struct NodeDraft<'a> {
    /// The name in the text.
    pub(crate) name: &'a [u8],
    /// Identifies the node in its tree: a checksum of its name in the text and of how often that occurred before.
    pub(crate) key: u64,
    pub(crate) spot: Spot,
    /// The parent's name in the text; `None` for no parent.
    pub(crate) parent: Option<(&'a [u8], Spot)>,
    /// In animations: the node of the model that it moves.
    pub(crate) moves: Option<NodeId>,
    /// The position in the text, to which the positions of animations are relative.
    pub(crate) position: [f64; 3],
    pub(crate) mesh: Option<Box<MeshDraft<'a>>>,
}

/// Data of an animation in the text, in addition to the animation itself.
#[derive(Debug, Default)]
pub(crate) struct AnimationDraft<'a> {
    /// Identifies the animation.
    pub(crate) key: u64,
    pub(crate) nodes: Vec<NodeDraft<'a>>,
}

/// Data of a mesh in the text, in addition to the mesh itself.
#[derive(Debug, Default)]
pub(crate) struct MeshDraft<'a> {
    /// Smoothing groups of the faces, one bit each.
    pub(crate) masks: Vec<u32>,
    /// Names of bones in the text.
    pub(crate) bones: Vec<&'a [u8]>,
    /// The nodes of these names.
    pub(crate) bone_nodes: Vec<Option<NodeId>>,
    /// Bones (indices of `bones`) and weights of each vertex, and how many there are.
    pub(crate) weights: Vec<WeightRow>,
    /// Checksum of vertex positions, faces and smoothing groups.
    pub(crate) shape: u64,
    /// Checksum of `shape` and texture coordinates.
    pub(crate) mapping: u64,
    /// Checksum of the rows of weights.
    pub(crate) binding: u64,
    /// Checksum of `shape` and the rows of boxes.
    pub(crate) boxes: u64,
    /// Which textures have tangents.
    pub(crate) tangents: [bool; 4],
    /// Whether the text has inverted counters.
    pub(crate) counted: bool,
    /// Whether the text has box, radius and mean point.
    pub(crate) bounded: bool,
}

/// Bones and weights of a vertex.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WeightRow {
    pub(crate) bones: [u16; 4],
    pub(crate) weights: [f32; 4],
    pub(crate) count: u8,
}
