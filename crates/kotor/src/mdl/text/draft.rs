//! What the plain lines of a text say, before carried data and derived values complete it.

use crate::mdl::{Model, NodeId};
use crate::text::lex::Spot;

/// A model as the plain lines tell it. Lists of drafts run parallel to the lists of nodes.
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

/// What the plain lines say about a node, beside the node itself.
#[derive(Debug, Default)]
pub(crate) struct NodeDraft<'a> {
    /// The name as it is written.
    pub(crate) name: &'a [u8],
    /// Tells the node from all others of its tree: a checksum of its written name and how often that came before.
    pub(crate) key: u64,
    pub(crate) spot: Spot,
    /// The parent's name as it is written; `None` for no parent.
    pub(crate) parent: Option<(&'a [u8], Spot)>,
    /// In animations: the node of the model that it moves.
    pub(crate) moves: Option<NodeId>,
    /// The position as it is written, to which the positions of animations refer.
    pub(crate) position: [f64; 3],
    pub(crate) mesh: Option<Box<MeshDraft<'a>>>,
}

/// What the plain lines say about an animation, beside the animation itself.
#[derive(Debug, Default)]
pub(crate) struct AnimationDraft<'a> {
    /// Tells the animation from all others.
    pub(crate) key: u64,
    pub(crate) nodes: Vec<NodeDraft<'a>>,
}

/// What the plain lines say about a mesh, beside the mesh itself.
#[derive(Debug, Default)]
pub(crate) struct MeshDraft<'a> {
    /// Smoothing groups of the faces, one bit each.
    pub(crate) masks: Vec<u32>,
    /// Names of bones, as they are written.
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
    /// Whether the inverted counters are told.
    pub(crate) counted: bool,
    /// Whether box, radius and average point are told.
    pub(crate) bounded: bool,
}

/// Bones and weights of a vertex.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WeightRow {
    pub(crate) bones: [u16; 4],
    pub(crate) weights: [f32; 4],
    pub(crate) count: u8,
}
