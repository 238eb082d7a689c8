//! The records of a walkmesh file.

use galatea_wire::{Offset, Schema, Wire, wire};

/// The first eight bytes of every walkmesh.
pub const MAGIC: [u8; 8] = *b"BWM V1.0";

wire! {
    /// The start of a walkmesh file: its kind, its hooks, and where the nine tables are.
    pub struct Header(136) {
        /// `BWM V1.0`.
        pub magic: [u8; 8] = 0,
        /// 0 for placeables and doors (PWK, DWK), 1 for areas (WOK).
        pub kind: u32 = 8,
        /// Where a character stands to use the object, relative to the object.
        pub relative_use: [[f32; 3]; 2] = 12,
        /// Where a character stands to use the object, in area space. Set for doors only.
        pub absolute_use: [[f32; 3]; 2] = 36,
        /// In a WOK the position of the room's walkmesh node; the vertices are absolute nonetheless.
        pub position: [f32; 3] = 60,
        /// Number of vertices.
        pub vertex_count: u32 = 72,
        /// Offset of the vertices, 12 bytes each.
        pub vertex_offset: Offset = 76,
        /// Number of faces, and of materials, normals and distances.
        pub face_count: u32 = 80,
        /// Offset of the faces, three vertex indices each.
        pub face_offset: Offset = 84,
        /// Offset of the surface materials, one per face.
        pub material_offset: Offset = 88,
        /// Offset of the face normals.
        pub normal_offset: Offset = 92,
        /// Offset of the plane distances: minus normal times first vertex.
        pub distance_offset: Offset = 96,
        /// Number of nodes of the box tree; 0 for placeables and doors.
        pub aabb_count: u32 = 100,
        /// Offset of the box tree.
        pub aabb_offset: Offset = 104,
        /// 0 in every known file; probably the index of the tree's root.
        pub aabb_root: u32 = 108,
        /// Number of walkable faces, which come first.
        pub adjacency_count: u32 = 112,
        /// Offset of the neighbours, three per walkable face.
        pub adjacency_offset: Offset = 116,
        /// Number of border edges.
        pub edge_count: u32 = 120,
        /// Offset of the border edges.
        pub edge_offset: Offset = 124,
        /// Number of border loops.
        pub perimeter_count: u32 = 128,
        /// Offset of the border loops.
        pub perimeter_offset: Offset = 132,
    }
}

wire! {
    /// A node of the box tree, stored in preorder: the left child is the next node.
    pub struct AabbNode(44) {
        /// Lowest corner of the box.
        pub min: [f32; 3] = 0,
        /// Highest corner of the box.
        pub max: [f32; 3] = 12,
        /// The face of a leaf; -1 for an inner node.
        pub face: i32 = 24,
        /// 4 in every known file.
        pub unknown_0x1c: u32 = 28,
        /// How an inner node splits its faces: 1, 2, 4 along +X, +Y, +Z (left is the lower side); 8, 16, 32 along -X,
        /// -Y, -Z (left is the upper side); 0 for a leaf.
        pub plane: u32 = 32,
        /// Index of the left child, or 0xFFFFFFFF.
        pub left: u32 = 36,
        /// Index of the right child, or 0xFFFFFFFF.
        pub right: u32 = 40,
    }
}

wire! {
    /// An edge of a walkable face with no walkable neighbour.
    pub struct Edge(8) {
        /// Three times the face, plus the edge's number in the face: 0, 1, 2 from corner 0, 1, 2 to the next.
        pub edge: u32 = 0,
        /// The room that this edge leads to, or -1.
        pub transition: i32 = 4,
    }
}

/// Every record, for the documentation.
pub static RECORDS: &[&Schema] = &[Header::SCHEMA, AabbNode::SCHEMA, Edge::SCHEMA];
