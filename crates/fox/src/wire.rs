//! Every record of an FMDL file, as it lies on disk. Little-endian.

use galatea_wire::{Offset, Schema, Wire, wire};

wire! {
    /// The first 64 bytes. Two sections follow: section 0 holds tables of fixed records, section 1 bulk data.
    pub struct Header(64) {
        /// `FMDL`.
        pub signature: [u8; 4] = 0,
        /// 2.03 (Ground Zeroes, PES: names are strings) or 2.04 (The Phantom Pain, Survive: names are hashes).
        pub version: f32 = 4,
        /// Where the block descriptors begin: section 0's, then section 1's. 0x40 in every game file.
        pub descriptors: u64 = 8,
        /// Bit i is set when section 0 has a block with id i.
        pub section_0_blocks: u64 = 16,
        /// Bit i is set when section 1 has a block with id i.
        pub section_1_blocks: u64 = 24,
        /// Number of section-0 descriptors.
        pub section_0_count: u32 = 32,
        /// Number of section-1 descriptors.
        pub section_1_count: u32 = 36,
        /// Where section 0 begins.
        pub section_0: Offset = 40,
        /// Length of section 0 with its padding to 16.
        pub section_0_length: u32 = 44,
        /// Where section 1 begins.
        pub section_1: Offset = 48,
        /// Length of section 1.
        pub section_1_length: u32 = 52,
        /// Zero.
        pub padding: u64 = 56,
    }
}

wire! {
    /// Where one table of section 0 is.
    pub struct TableDescriptor(8) {
        /// Which table.
        pub id: u8 = 0,
        /// What the count has above 65535: the real count is overflow * 65536 + count.
        pub overflow: u8 = 1,
        /// Records in the table, low 16 bits.
        pub count: u16 = 2,
        /// Where it begins, counted from section 0.
        pub offset: Offset = 4,
    }
}

wire! {
    /// Where one block of section 1 is.
    pub struct DataDescriptor(12) {
        /// 0 vectors, 1 bone matrices, 2 vertex and index buffers, 3 strings.
        pub id: u32 = 0,
        /// Where it begins, counted from section 1.
        pub offset: Offset = 4,
        /// Bytes.
        pub length: u32 = 8,
    }
}

wire! {
    /// Table 0x0: a bone.
    pub struct Bone(48) {
        /// Index of its name.
        pub name: u16 = 0,
        /// Index of the parent, which always comes earlier; 0xFFFF for a root.
        pub parent: u16 = 2,
        /// Index of its box in table 0xD.
        pub bounds: u16 = 4,
        /// 1: the box is real; 0: the box is the empty one.
        pub flags: u16 = 6,
        /// Zero.
        pub padding: u64 = 8,
        /// Position relative to the parent, w = 1. (PES: one end of the bone.)
        pub local: [f32; 4] = 16,
        /// Position in the model, w = 1. (PES: the other end of the bone.)
        pub world: [f32; 4] = 32,
    }
}

wire! {
    /// Table 0x1: a mesh group, the unit that the game shows and hides.
    pub struct Group(8) {
        /// Index of its name.
        pub name: u16 = 0,
        /// 1: invisible at first; 2: destruction fragment with a pivot; 4: blend shape (said, never seen).
        pub flags: u16 = 2,
        /// Index of the parent group, which comes earlier; 0xFFFF for the root.
        pub parent: u16 = 4,
        /// Index of the fragment's pivot among the vectors of section 1; 0xFFFF for none.
        pub pivot: u16 = 6,
    }
}

wire! {
    /// Table 0x2: a run of meshes that belong to one group.
    pub struct Run(32) {
        /// Zero.
        pub unknown_0x00: u32 = 0,
        /// Index of the group.
        pub group: u16 = 4,
        /// Meshes in the run.
        pub mesh_count: u16 = 6,
        /// Index of the first mesh.
        pub first_mesh: u16 = 8,
        /// Index of the run's box in table 0xD: the exact box of its vertices.
        pub bounds: u16 = 10,
        /// Zero.
        pub unknown_0x0c: u32 = 12,
        /// Index of the first face window: LOD count * first mesh.
        pub first_window: u16 = 16,
        /// Zero.
        pub padding: [u8; 14] = 18,
    }
}

wire! {
    /// Table 0x3: a mesh: one material, one bone group, one vertex layout.
    pub struct Mesh(48) {
        /// Blend, two-sided, alpha test, shadow and draw order bits.
        pub flags: u32 = 0,
        /// Index of the material instance.
        pub material: u16 = 4,
        /// Index of the bone group; 0 when the mesh has no bones.
        pub bone_group: u16 = 6,
        /// Index of the vertex layout in table 0x9: the mesh's own index in every game file.
        pub layout: u16 = 8,
        /// Vertices.
        pub vertex_count: u16 = 10,
        /// Zero.
        pub unknown_0x0c: u32 = 12,
        /// Where its faces begin in the index buffer, in indices.
        pub first_index: u32 = 16,
        /// Indices of LOD 0.
        pub index_count: u32 = 20,
        /// Index of its first face window: mesh index * LOD count.
        pub first_window: u32 = 24,
        /// Zero.
        pub padding: [u32; 5] = 28,
    }
}

wire! {
    /// Table 0x4: a material instance: a material with its textures and parameters.
    pub struct MaterialInstance(16) {
        /// Index of its name.
        pub name: u16 = 0,
        /// Zero.
        pub unknown_0x02: u16 = 2,
        /// Index of the material in table 0x8.
        pub material: u16 = 4,
        /// Number of textures.
        pub texture_count: u8 = 6,
        /// Number of parameters.
        pub parameter_count: u8 = 7,
        /// Index of the first texture binding in table 0x7.
        pub first_texture: u16 = 8,
        /// Index of the first parameter binding in table 0x7; right after the textures.
        pub first_parameter: u16 = 10,
        /// Zero.
        pub unknown_0x0c: u32 = 12,
    }
}

wire! {
    /// Table 0x5: the bones that the vertices of some meshes can name.
    pub struct BoneGroup(68) {
        /// Most bones that any one vertex of these meshes uses, 1 to 4.
        pub max_weights: u16 = 0,
        /// Bones in the group, at most 32.
        pub count: u16 = 2,
        /// Indices of the bones; what is not used is 0.
        pub bones: [u16; 32] = 4,
    }
}

wire! {
    /// Table 0x6: a texture file.
    pub struct Texture(4) {
        /// Index of the source file's name, with its ending (.tga, .psd, .dds).
        pub file: u16 = 0,
        /// 2.03: index of the folder's name. 2.04: index into the path hashes of table 0x15.
        pub path: u16 = 2,
    }
}

wire! {
    /// Table 0x7: gives a texture slot its texture, or a parameter its value.
    pub struct Binding(4) {
        /// Index of the slot's or parameter's name.
        pub name: u16 = 0,
        /// Index of the texture in table 0x6, or of the value among the vectors of section 1.
        pub value: u16 = 2,
    }
}

wire! {
    /// Table 0x8: a material: shader and technique.
    pub struct Material(4) {
        /// Index of the shader's name, such as `fox_3ddf_basic`.
        pub shader: u16 = 0,
        /// Index of the technique's name, such as `fox3DDF_Blin_LNM`.
        pub technique: u16 = 2,
    }
}

wire! {
    /// Table 0x9: a vertex layout.
    pub struct VertexLayout(8) {
        /// Streams of this layout.
        pub stream_count: u8 = 0,
        /// Elements of this layout over all its streams.
        pub element_count: u8 = 1,
        /// 1 << (highest usage up to 11).
        pub usage_mask: u16 = 2,
        /// Index of the first stream in table 0xA.
        pub first_stream: u16 = 4,
        /// Index of the first element in table 0xB.
        pub first_element: u16 = 6,
    }
}

wire! {
    /// Table 0xA: a vertex stream: elements that the game binds together.
    pub struct Stream(8) {
        /// Index of the buffer in table 0xE: 0 positions, 1 all else.
        pub buffer: u8 = 0,
        /// Elements of this stream.
        pub element_count: u8 = 1,
        /// Bytes from one vertex to the next.
        pub stride: u8 = 2,
        /// Bind slot: 0 position, 1 normal and tangent, 2 colour, 3 weights, bone indices and UVs.
        pub slot: u8 = 3,
        /// Where the mesh's vertices begin in the buffer.
        pub offset: Offset = 4,
    }
}

wire! {
    /// Table 0xB: one attribute of a vertex.
    pub struct Element(4) {
        /// What it is: 0 position, 1 weights, 2 normal, 3 colour, 7 bone indices, 8-11 UV, 12/13 second weights and
        /// indices, 14 tangent.
        pub usage: u8 = 0,
        /// How it is stored: 1 f32 x 3, 2 f32 x 2, 4 u16 x 4, 6 f16 x 4, 7 f16 x 2, 8 unorm8 x 4, 9 u8 x 4.
        pub format: u8 = 1,
        /// Where it begins inside the stride.
        pub offset: u16 = 2,
    }
}

wire! {
    /// Table 0xC (2.03): where a name is in the string block.
    pub struct StringEntry(8) {
        /// Section-1 block of the text, always 3.
        pub block: u16 = 0,
        /// Bytes without the NUL.
        pub length: u16 = 2,
        /// Where it begins in that block.
        pub offset: Offset = 4,
    }
}

wire! {
    /// Table 0xD: a box along the axes. Box 0 holds the whole model; the empty box has max -1e10 and min 1e10.
    pub struct Bounds(32) {
        /// Highest corner, w = 1.
        pub max: [f32; 4] = 0,
        /// Lowest corner, w = 1.
        pub min: [f32; 4] = 16,
    }
}

wire! {
    /// Table 0xE: a part of section-1 block 2. Always three: positions, other attributes, indices.
    pub struct Buffer(16) {
        /// 0 vertices, 1 indices.
        pub kind: u32 = 0,
        /// Bytes, a multiple of 16.
        pub length: u32 = 4,
        /// Where it begins in the block.
        pub offset: Offset = 8,
        /// Zero.
        pub padding: u32 = 12,
    }
}

wire! {
    /// Table 0x10: how many levels of detail, and when they change.
    pub struct LodInfo(16) {
        /// Levels of detail; each mesh has so many face windows.
        pub count: u16 = 0,
        /// Zero.
        pub unknown_0x02: u16 = 2,
        /// Smaller triangle-area threshold in square metres; 1 without automatic LODs.
        pub threshold_a: f32 = 4,
        /// Larger triangle-area threshold; 1 without automatic LODs.
        pub threshold_b: f32 = 8,
        /// The reduction ratio of table 0x14; 1 without automatic LODs.
        pub ratio: f32 = 12,
    }
}

wire! {
    /// Table 0x11: the faces of one mesh at one level of detail: a window over the mesh's indices. Windows overlap.
    pub struct Window(8) {
        /// First index, counted from the mesh's first.
        pub first: u32 = 0,
        /// Indices; 0 makes the mesh vanish at this level.
        pub count: u32 = 4,
    }
}

wire! {
    /// Table 0x14: figures about the model that choose its level of detail.
    pub struct Statistics(128) {
        /// Zero.
        pub unknown_0x00: u32 = 0,
        /// Surface of all LOD-0 triangles in square metres. 0 makes the game show the lowest level always.
        pub area: f32 = 4,
        /// Metres per unit of UV 0: sqrt(surface / UV surface).
        pub texel_density: f32 = 8,
        /// Share of faces the LOD generator aimed at.
        pub ratio: f32 = 12,
        /// LodPolygonSize.
        pub polygon_size: f32 = 16,
        /// LodNearSize.
        pub near_size: f32 = 20,
        /// LodFarSize.
        pub far_size: f32 = 24,
        /// Draw-rejection level, 0 to 7; -1 for the default.
        pub rejection: i32 = 28,
        /// Whether far shadows are left out.
        pub reject_far_shadow: u32 = 32,
        /// Zero.
        pub padding: [u32; 23] = 36,
    }
}

/// Every record of the format, for the documentation.
pub static RECORDS: &[&Schema] = &[
    Header::SCHEMA,
    TableDescriptor::SCHEMA,
    DataDescriptor::SCHEMA,
    Bone::SCHEMA,
    Group::SCHEMA,
    Run::SCHEMA,
    Mesh::SCHEMA,
    MaterialInstance::SCHEMA,
    BoneGroup::SCHEMA,
    Texture::SCHEMA,
    Binding::SCHEMA,
    Material::SCHEMA,
    VertexLayout::SCHEMA,
    Stream::SCHEMA,
    Element::SCHEMA,
    StringEntry::SCHEMA,
    Bounds::SCHEMA,
    Buffer::SCHEMA,
    LodInfo::SCHEMA,
    Window::SCHEMA,
    Statistics::SCHEMA,
];
