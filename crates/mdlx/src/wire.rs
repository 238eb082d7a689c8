//! Records of fixed layout.

use galatea_wire::{Schema, Text, Wire, wire};

use crate::{Key, PackedQuaternion, TangentKey};

wire! {
    /// The extent of a model, sequence or geoset. The radius comes first in every version.
    pub struct Bounds(28) {
        /// Radius of the sphere around the origin; 0 if it was not computed.
        pub radius: f32 = 0,
        /// Lowest corner of the box.
        pub min: [f32; 3] = 4,
        /// Highest corner of the box.
        pub max: [f32; 3] = 16,
    }
}

wire! {
    /// A texture: a file, or a replaceable texture that the game provides.
    pub struct Texture(268) {
        /// 0 for the file named by `path`. In Warcraft III 1 is the team colour, 2 the team glow, 11 the cliff, 31 to 37 trees;
        /// in World of Warcraft a part of a creature's skin.
        pub replaceable_id: u32 = 0,
        /// The file, with backslashes, from the root of the game's data.
        pub path: Text<260> = 4,
        /// 1: the texture repeats horizontally; 2: vertically. Without them it is clamped to its edges.
        pub flags: u32 = 264,
    }
}

wire! {
    /// Facial animation (FaceFX) of a node.
    pub struct FaceEffect(340) {
        /// Name of the node.
        pub target: Text<80> = 0,
        /// The FaceFX file.
        pub path: Text<260> = 80,
    }
}

wire! {
    /// A sound of the sound emitters. No file that has one is known.
    pub struct Sound(272) {
        /// The sound file.
        pub path: Text<260> = 0,
        /// Volume.
        pub volume: f32 = 260,
        /// Pitch.
        pub pitch: f32 = 264,
        /// Unexplained.
        pub flags: u32 = 268,
    }
}

wire! {
    /// Bones and weights of a vertex.
    pub struct SkinWeight(8) {
        /// Object ids of four bones.
        pub bones: [u8; 4] = 0,
        /// Their weights, which add up to 255.
        pub weights: [u8; 4] = 4,
    }
}

wire! {
    /// The head of a geoset of version 1500. The vertices and indices of all geosets follow the heads of all.
    pub struct BufferHead(64) {
        /// Index of the material.
        pub material_id: u32 = 0,
        /// Centre of the bounding sphere.
        pub center: [f32; 3] = 4,
        /// Radius of the bounding sphere.
        pub radius: f32 = 16,
        /// Selection group.
        pub selection_group: u32 = 20,
        /// Index of the geoset.
        pub index: u32 = 24,
        /// 1: cannot be selected; 0x10: projected; 0x20: skinned by a shader.
        pub flags: u32 = 28,
        /// `PVTX`; ignored by the game.
        pub vertex_tag: [u8; 4] = 32,
        /// Number of vertices.
        pub vertex_count: u32 = 36,
        /// `PTYP`; ignored by the game.
        pub type_tag: [u8; 4] = 40,
        /// Number of primitive types.
        pub type_count: u32 = 44,
        /// `PVTX` again; ignored by the game.
        pub index_tag: [u8; 4] = 48,
        /// Number of vertex indices.
        pub index_count: u32 = 52,
        /// Zero.
        pub unused: u64 = 56,
    }
}

wire! {
    /// A vertex of version 1500.
    pub struct BufferVertex(48) {
        /// Position.
        pub position: [f32; 3] = 0,
        /// Weights of the bones, which add up to 255.
        pub weights: [u8; 4] = 12,
        /// Object ids of the bones.
        pub bones: [u8; 4] = 16,
        /// Normal.
        pub normal: [f32; 3] = 20,
        /// Two sets of texture coordinates.
        pub uvs: [[f32; 2]; 2] = 32,
    }
}

wire! {
    /// The record between the vertices and the indices of a geoset of version 1500.
    pub struct BufferIndices(16) {
        /// 3: triangles.
        pub primitive_type: u32 = 0,
        /// Zero.
        pub unknown_0x4: u32 = 4,
        /// Number of indices, its low 16 bits.
        pub count: u16 = 8,
        /// Lowest index.
        pub min_vertex: u16 = 10,
        /// Highest index.
        pub max_vertex: u16 = 12,
        /// Zero.
        pub unused: u16 = 14,
    }
}

/// All fixed records, for the documentation.
pub static RECORDS: &[&Schema] = &[
    Bounds::SCHEMA,
    Texture::SCHEMA,
    FaceEffect::SCHEMA,
    Sound::SCHEMA,
    SkinWeight::SCHEMA,
    Key::<f32>::SCHEMA,
    TangentKey::<f32>::SCHEMA,
    PackedQuaternion::SCHEMA,
    BufferHead::SCHEMA,
    BufferVertex::SCHEMA,
    BufferIndices::SCHEMA,
];
