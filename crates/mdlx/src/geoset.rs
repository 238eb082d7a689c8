//! Geosets, which are the meshes, and geoset animations, which show, hide and colour them.

use galatea_wire::Text;

use crate::{Bounds, SkinWeight, Tracks};

/// A mesh with one material.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Geoset {
    /// Vertex positions.
    pub vertices: Vec<[f32; 3]>,
    /// Vertex normals.
    pub normals: Vec<[f32; 3]>,
    /// The type of each face group; 4 is triangles.
    pub face_types: Vec<u32>,
    /// Number of [`faces`](Self::faces) of each face group.
    pub face_counts: Vec<u32>,
    /// Vertex indices of all face groups, one after the other.
    pub faces: Vec<u16>,
    /// The matrix group of each vertex.
    pub vertex_groups: Vec<u8>,
    /// Number of [`matrices`](Self::matrices) of each matrix group.
    pub group_sizes: Vec<u32>,
    /// Object ids of the bones of all matrix groups, one after the other. A vertex moves with the mean of its group's bones.
    pub matrices: Vec<u32>,
    /// Index of the material.
    pub material_id: u32,
    /// Selection group; in World of Warcraft which part of a character it is.
    pub selection_group: u32,
    /// 4: cannot be selected (1 in World of Warcraft).
    pub selection_flags: u32,
    /// Level of detail, 0 the finest; -1 for all. From 900 on.
    pub lod: i32,
    /// Name of the level of detail. From 900 on.
    pub lod_name: Text<80>,
    /// Its extent.
    pub bounds: Bounds,
    /// Its extent in each sequence.
    pub sequence_bounds: Vec<Bounds>,
    /// Tangents, with the side of the bitangent in w. From 900 on.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Bones and weights of each vertex: HD skinning. From 900 on, and in 1500.
    pub skin: Option<Vec<SkinWeight>>,
    /// Whether `SKIN` precedes `TANG`.
    pub skin_first: bool,
    /// Sets of texture coordinates.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// World of Warcraft: four bones per entry, ordered by matrix group. Not needed for skinning.
    pub bone_indices: Vec<u32>,
    /// World of Warcraft: their weights, bytes reversed.
    pub bone_weights: Vec<u32>,
    /// Fields that only version 1500 has.
    pub buffer: Option<Box<VertexBuffer>>,
    /// Bytes at the end that a version newer than 1200 added.
    pub extra: Vec<u8>,
}

/// Fields around the vertices and indices of a geoset in version 1500.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexBuffer {
    /// Centre of the bounding sphere; its radius is in [`Geoset::bounds`].
    pub center: [f32; 3],
    /// Index of the geoset.
    pub index: u32,
    /// The three tags of the head.
    pub tags: [[u8; 4]; 3],
    /// Number of primitive types.
    pub type_count: u32,
    /// Zero.
    pub unused: u64,
    /// 3: triangles.
    pub primitive_type: u32,
    /// Zero.
    pub unknown_0x4: u32,
    /// Lowest vertex index.
    pub min_vertex: u16,
    /// Highest vertex index.
    pub max_vertex: u16,
    /// Zero.
    pub unused_0xe: u16,
    /// Padding of the indices to a multiple of eight.
    pub padding: Vec<u16>,
}

impl Default for VertexBuffer {
    fn default() -> Self {
        VertexBuffer {
            center: [0.0; 3],
            index: 0,
            tags: [*b"PVTX", *b"PTYP", *b"PVTX"],
            type_count: 1,
            unused: 0,
            primitive_type: 3,
            unknown_0x4: 0,
            min_vertex: 0,
            max_vertex: 0,
            unused_0xe: 0,
            padding: Vec::new(),
        }
    }
}

/// Alpha and colour of a geoset over time.
#[derive(Debug, Clone, PartialEq)]
pub struct GeosetAnim {
    /// Alpha; 0 hides the geoset.
    pub alpha: f32,
    /// 1 drop shadow, 2 the colour is used.
    pub flags: u32,
    /// Red, green, blue.
    pub color: [f32; 3],
    /// Index of the geoset; -1 for none.
    pub geoset_id: i32,
    /// `KGAO`, `KGAC`.
    pub tracks: Tracks,
}

impl Default for GeosetAnim {
    fn default() -> Self {
        GeosetAnim { alpha: 1.0, flags: 0, color: [1.0; 3], geoset_id: -1, tracks: Tracks::default() }
    }
}

impl Geoset {
    /// Returns the faces as triangles. Face groups may be lists, strips, fans, quads or polygons; groups of points and lines have
    /// no triangles.
    ///
    /// ```
    /// use galatea_mdlx::Geoset;
    /// let strip = Geoset { face_types: vec![5], face_counts: vec![4], faces: vec![0, 1, 2, 3], ..Geoset::default() };
    /// assert_eq!(strip.triangles(), [[0, 1, 2], [2, 1, 3]]);
    /// ```
    pub fn triangles(&self) -> Vec<[u16; 3]> {
        if self.buffer.is_some() || self.face_types.iter().all(|t| *t == 4) {
            return self.faces.as_chunks::<3>().0.to_vec();
        }
        let mut out = Vec::new();
        let mut rest = self.faces.as_slice();
        for (kind, count) in self.face_types.iter().zip(&self.face_counts) {
            let (group, after) = rest.split_at_checked(*count as usize).unwrap_or((rest, &[]));
            rest = after;
            match kind {
                4 => out.extend_from_slice(group.as_chunks::<3>().0),
                5 => out.extend(group.windows(3).enumerate().filter_map(|(i, w)| match w {
                    [a, b, c] if i % 2 == 0 => Some([*a, *b, *c]),
                    [a, b, c] => Some([*b, *a, *c]),
                    _ => None,
                })),
                6 | 9 => {
                    let Some((first, fan)) = group.split_first() else { continue };
                    out.extend(
                        fan.windows(2)
                            .filter_map(|w| <[u16; 2]>::try_from(w).ok())
                            .map(|[a, b]| [*first, a, b]),
                    );
                }
                7 => out.extend(
                    group.as_chunks::<4>().0.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]),
                ),
                8 => {
                    out.extend(
                        group
                            .windows(4)
                            .step_by(2)
                            .filter_map(|w| <[u16; 4]>::try_from(w).ok())
                            .flat_map(|[a, b, c, d]| [[a, b, d], [a, d, c]]),
                    );
                }
                _ => {}
            }
        }
        out
    }

    /// Returns the object ids of the bones of each matrix group, as far as they are listed.
    pub fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let mut at = 0usize;
        self.group_sizes.iter().map(move |size| {
            let start = at.min(self.matrices.len());
            at = at.saturating_add(*size as usize);
            self.matrices.get(start..at.min(self.matrices.len())).unwrap_or(&[])
        })
    }
}
