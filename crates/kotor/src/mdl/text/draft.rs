//! What the plain lines of a text say, before carried data and derived values complete it.

use super::lex::Spot;
use crate::mdl::{Model, NodeId};

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

/// A checksum in which every change of one word shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sum(pub(crate) u64);

impl Sum {
    pub(crate) fn new() -> Sum {
        Sum(0x243F_6A88_85A3_08D3)
    }

    #[inline]
    pub(crate) fn word(&mut self, word: u32) {
        // Each step can be undone, so two sums that differ stay different until the next word.
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }

    pub(crate) fn words(mut self, words: impl IntoIterator<Item = u32>) -> Sum {
        for word in words {
            self.word(word);
        }
        self
    }

    pub(crate) fn floats<'a>(mut self, rows: impl IntoIterator<Item = &'a [f32]>) -> Sum {
        for row in rows {
            for v in row {
                self.word(v.to_bits());
            }
        }
        self
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Sum {
        self.words([bytes.len() as u32]).words(bytes.iter().map(|b| u32::from(*b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_single_change_changes_the_sum() {
        let words: Vec<u32> = (0..200).collect();
        let sum = Sum::new().words(words.iter().copied());
        for i in 0..200 {
            for bit in 0..32 {
                let mut other = words.clone();
                other[i] ^= 1 << bit;
                assert_ne!(Sum::new().words(other), sum);
            }
        }
        assert_ne!(Sum::new().words([0]), Sum::new());
        assert_ne!(Sum::new().bytes(b"a"), Sum::new().bytes(b"a\0"));
    }
}
