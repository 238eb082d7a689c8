//! A mesh: vertices as columns, faces as windows over one index list.

use half::f16;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};

use crate::wire::Window;

/// What an attribute of a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Usage {
    /// Where the vertex is.
    Position,
    /// How much each of its bones moves it; four shares that sum to 255.
    Weights,
    /// Unit normal, w = 1.
    Normal,
    /// Colour.
    Colour,
    /// Which bones of the bone group move it.
    BoneIndices,
    /// Texture coordinates, set 0 to 3.
    Uv(u8),
    /// Second set of weights.
    Weights2,
    /// Second set of bone indices.
    BoneIndices2,
    /// Unit tangent; w = 1 or -1 is the side of the bitangent.
    Tangent,
    /// An unknown usage.
    Unknown(u8),
}

impl Usage {
    /// Returns the usage of a number in the file.
    pub fn from_id(id: u8) -> Usage {
        match id {
            0 => Usage::Position,
            1 => Usage::Weights,
            2 => Usage::Normal,
            3 => Usage::Colour,
            7 => Usage::BoneIndices,
            8..=11 => Usage::Uv(id - 8),
            12 => Usage::Weights2,
            13 => Usage::BoneIndices2,
            14 => Usage::Tangent,
            _ => Usage::Unknown(id),
        }
    }

    /// Returns the number in the file.
    pub fn id(self) -> u8 {
        match self {
            Usage::Position => 0,
            Usage::Weights => 1,
            Usage::Normal => 2,
            Usage::Colour => 3,
            Usage::BoneIndices => 7,
            Usage::Uv(set) => set.saturating_add(8),
            Usage::Weights2 => 12,
            Usage::BoneIndices2 => 13,
            Usage::Tangent => 14,
            Usage::Unknown(id) => id,
        }
    }

    /// Returns the stream slot that the game binds it to.
    pub fn slot(self) -> u8 {
        match self {
            Usage::Position => 0,
            Usage::Normal | Usage::Tangent => 1,
            Usage::Colour => 2,
            _ => 3,
        }
    }

    /// Returns its place in the order of the game's own files.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Usage::Position => 0,
            Usage::Normal => 1,
            Usage::Tangent => 2,
            Usage::Colour => 3,
            Usage::Weights => 4,
            Usage::BoneIndices => 5,
            other => other.id(),
        }
    }

    /// Returns its name in messages, such as `uv0`.
    pub fn name(self) -> String {
        match self {
            Usage::Position => "position".into(),
            Usage::Weights => "weights".into(),
            Usage::Normal => "normal".into(),
            Usage::Colour => "colour".into(),
            Usage::BoneIndices => "bone indices".into(),
            Usage::Uv(set) => format!("uv{set}"),
            Usage::Weights2 => "second weights".into(),
            Usage::BoneIndices2 => "second bone indices".into(),
            Usage::Tangent => "tangent".into(),
            Usage::Unknown(id) => format!("usage {id}"),
        }
    }
}

/// The values of one attribute, one per vertex, as stored: nothing is converted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// Type 1: three floats.
    F32x3(Vec<[f32; 3]>),
    /// Type 2: two floats (high-precision UVs of PES).
    F32x2(Vec<[f32; 2]>),
    /// Type 4: four 16-bit integers.
    U16x4(Vec<[u16; 4]>),
    /// Type 6: four half floats, as bits.
    F16x4(Vec<[u16; 4]>),
    /// Type 7: two half floats, as bits.
    F16x2(Vec<[u16; 2]>),
    /// Type 8: four bytes that stand for 0 to 1.
    Unorm8x4(Vec<[u8; 4]>),
    /// Type 9: four bytes.
    U8x4(Vec<[u8; 4]>),
    /// The same bytes as the column with this number: two UV sets often share one place.
    Same(usize),
    /// An unknown type, or one that sticks out of its vertex: raw bytes.
    Raw {
        /// Number of the type.
        format: u8,
        /// Bytes per vertex.
        width: usize,
        /// The bytes of all vertices.
        bytes: Vec<u8>,
    },
}

impl Values {
    /// Returns the type's number in the file; `None` for [`Values::Same`], whose type is that of the column it shares.
    pub fn format(&self) -> Option<u8> {
        Some(match self {
            Values::F32x3(_) => 1,
            Values::F32x2(_) => 2,
            Values::U16x4(_) => 4,
            Values::F16x4(_) => 6,
            Values::F16x2(_) => 7,
            Values::Unorm8x4(_) => 8,
            Values::U8x4(_) => 9,
            Values::Raw { format, .. } => *format,
            Values::Same(_) => return None,
        })
    }

    /// Returns the bytes per vertex; 0 for [`Values::Same`].
    pub fn size(&self) -> usize {
        match self {
            Values::F32x3(_) => 12,
            Values::F32x2(_) | Values::U16x4(_) | Values::F16x4(_) => 8,
            Values::F16x2(_) | Values::Unorm8x4(_) | Values::U8x4(_) => 4,
            Values::Same(_) => 0,
            Values::Raw { width, .. } => *width,
        }
    }

    /// Returns the number of vertices; `None` where the column cannot tell.
    pub fn len(&self) -> Option<usize> {
        match self {
            Values::F32x3(v) => Some(v.len()),
            Values::F32x2(v) => Some(v.len()),
            Values::U16x4(v) | Values::F16x4(v) => Some(v.len()),
            Values::F16x2(v) => Some(v.len()),
            Values::Unorm8x4(v) | Values::U8x4(v) => Some(v.len()),
            Values::Raw { width, bytes, .. } if *width > 0 => Some(bytes.len() / width),
            Values::Same(_) | Values::Raw { .. } => None,
        }
    }

    /// Changes rows of four half floats, such as normals and tangents; other types stay as they are.
    pub fn map_halves(&mut self, f: impl Fn([f32; 4]) -> [f32; 4]) {
        if let Values::F16x4(rows) = self {
            for row in rows {
                *row = f(row.map(half_to_f32)).map(|value| f16::from_f32(value).to_bits());
            }
        }
    }

    /// Returns `true` if it holds no values.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// Returns `true` if both hold the same bits.
    pub fn same_bits(&self, other: &Values) -> bool {
        fn floats<const N: usize>(a: &[[f32; N]], b: &[[f32; N]]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.map(f32::to_bits) == b.map(f32::to_bits))
        }
        match (self, other) {
            (Values::F32x3(a), Values::F32x3(b)) => floats(a, b),
            (Values::F32x2(a), Values::F32x2(b)) => floats(a, b),
            _ => self == other,
        }
    }

    /// Keeps the vertices with these numbers, in this order. Numbers out of range give zeros.
    #[must_use]
    pub fn pick(&self, vertices: &[usize]) -> Values {
        fn of<T: Copy + Default>(values: &[T], vertices: &[usize]) -> Vec<T> {
            vertices.iter().map(|v| values.get(*v).copied().unwrap_or_default()).collect()
        }
        match self {
            Values::F32x3(v) => Values::F32x3(of(v, vertices)),
            Values::F32x2(v) => Values::F32x2(of(v, vertices)),
            Values::U16x4(v) => Values::U16x4(of(v, vertices)),
            Values::F16x4(v) => Values::F16x4(of(v, vertices)),
            Values::F16x2(v) => Values::F16x2(of(v, vertices)),
            Values::Unorm8x4(v) => Values::Unorm8x4(of(v, vertices)),
            Values::U8x4(v) => Values::U8x4(of(v, vertices)),
            Values::Same(of) => Values::Same(*of),
            Values::Raw { format, width, bytes } => {
                let mut out = Vec::with_capacity(vertices.len() * width);
                for v in vertices {
                    match bytes.get(v * width..(v + 1) * width) {
                        Some(b) => out.extend_from_slice(b),
                        None => out.extend(std::iter::repeat_n(0, *width)),
                    }
                }
                Values::Raw { format: *format, width: *width, bytes: out }
            }
        }
    }
}

/// One attribute of all vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What it is.
    pub usage: Usage,
    /// Its values.
    pub values: Values,
}

/// The vertices of a mesh, column by column, in the order of the file's elements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vertices {
    /// How many; every column has as many values.
    pub count: usize,
    /// The attributes.
    pub columns: Vec<Column>,
}

impl Vertices {
    /// Adds an attribute; the first one sets the number of vertices.
    ///
    /// ```
    /// use galatea_fox::{Usage, Values, Vertices};
    /// let mut vertices = Vertices::default();
    /// vertices.push(Usage::Position, Values::F32x3(vec![[0.0; 3]; 5]));
    /// assert_eq!(vertices.count, 5);
    /// ```
    pub fn push(&mut self, usage: Usage, values: Values) {
        if self.columns.is_empty() {
            self.count = values.len().unwrap_or(0);
        }
        self.columns.push(Column { usage, values });
    }

    /// Returns the values of the first column of this usage; shared columns give the values they share.
    pub fn get(&self, usage: Usage) -> Option<&Values> {
        let column = self.columns.iter().find(|c| c.usage == usage)?;
        self.resolve(&column.values)
    }

    /// Returns what a column holds, following [`Values::Same`] one step.
    pub fn resolve<'a>(&'a self, values: &'a Values) -> Option<&'a Values> {
        match values {
            Values::Same(of) => {
                self.columns.get(*of).map(|c| &c.values).filter(|v| !matches!(v, Values::Same(_)))
            }
            own => Some(own),
        }
    }

    /// Returns the positions in metres, Y up.
    pub fn positions(&self) -> Option<&[[f32; 3]]> {
        match self.get(Usage::Position)? {
            Values::F32x3(v) => Some(v),
            _ => None,
        }
    }

    /// Returns four floats per vertex of a half-float attribute: normals and tangents.
    fn halves4(&self, usage: Usage) -> Option<impl ExactSizeIterator<Item = [f32; 4]> + '_> {
        match self.get(usage)? {
            Values::F16x4(v) => Some(v.iter().map(|v| v.map(half_to_f32))),
            _ => None,
        }
    }

    /// Returns the normals; w is 1.
    pub fn normals(&self) -> Option<impl ExactSizeIterator<Item = [f32; 4]> + '_> {
        self.halves4(Usage::Normal)
    }

    /// Returns the tangents; w is the side of the bitangent, as glTF has it.
    pub fn tangents(&self) -> Option<impl ExactSizeIterator<Item = [f32; 4]> + '_> {
        self.halves4(Usage::Tangent)
    }

    /// Returns the texture coordinates of one set, V down.
    pub fn uvs(&self, set: u8) -> Option<Vec<[f32; 2]>> {
        match self.get(Usage::Uv(set))? {
            Values::F16x2(v) => Some(widened(v)),
            Values::F32x2(v) => Some(v.clone()),
            _ => None,
        }
    }

    fn bytes4(&self, usage: Usage) -> Option<&[[u8; 4]]> {
        match self.get(usage)? {
            Values::Unorm8x4(v) | Values::U8x4(v) => Some(v),
            _ => None,
        }
    }

    /// Returns the colours, RGBA.
    pub fn colours(&self) -> Option<&[[u8; 4]]> {
        self.bytes4(Usage::Colour)
    }

    /// Returns the bone weights; they sum to 255.
    pub fn weights(&self) -> Option<&[[u8; 4]]> {
        self.bytes4(Usage::Weights)
    }

    /// Indices into the mesh's bone group, one for each weight.
    pub fn bone_indices(&self) -> Option<&[[u8; 4]]> {
        self.bytes4(Usage::BoneIndices)
    }

    /// Keeps the vertices with these numbers, in this order.
    #[must_use]
    pub fn pick(&self, vertices: &[usize]) -> Vertices {
        let columns =
            self.columns.iter().map(|c| Column { usage: c.usage, values: c.values.pick(vertices) }).collect();
        Vertices { count: vertices.len(), columns }
    }
}

/// Rows of half floats as floats, many at a time where the processor can.
pub(crate) fn widened<const N: usize>(rows: &[[u16; N]]) -> Vec<[f32; N]> {
    let mut out = vec![[0.0; N]; rows.len()];
    let halves: &[f16] = rows.as_flattened().reinterpret_cast();
    halves.convert_to_f32_slice(out.as_flattened_mut());
    out
}

/// Returns a half float, from its bits.
pub(crate) fn half_to_f32(bits: u16) -> f32 {
    f16::from_bits(bits).to_f32()
}

/// A mesh: one material, one bone group, one vertex layout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Blend, two-sided, alpha test, shadow and draw order bits; see the `MESH_` constants.
    pub flags: u32,
    /// Index of its material instance.
    pub material: u16,
    /// Index of its bone group; of no meaning without bone indices.
    pub bone_group: u16,
    /// Its vertices.
    pub vertices: Vertices,
    /// The indices of all levels of detail. Front faces are clockwise.
    pub indices: Vec<u16>,
    /// One window over `indices` per level of detail; they overlap where levels share triangles.
    pub windows: Vec<Window>,
}

impl Mesh {
    /// Draws the back of each face too.
    pub const TWO_SIDED: u32 = 1 << 5;
    /// Pixels whose alpha is too low are left out.
    pub const ALPHA_TEST: u32 = 1 << 7;
    /// Casts no shadow.
    pub const NO_SHADOW: u32 = 1 << 8;
    /// Only its shadow is seen.
    pub const SHADOW_ONLY: u32 = 1 << 9;
    /// Flag bits that occur in the games' own files.
    pub const KNOWN_FLAGS: u32 = 0x07FF_E7FF;

    /// Returns `true` if bones move it.
    pub fn is_skinned(&self) -> bool {
        self.vertices.columns.iter().any(|c| c.usage == Usage::BoneIndices)
    }

    /// Returns the triangles of one level of detail.
    ///
    /// ```
    /// let mut mesh = galatea_fox::Mesh::default();
    /// mesh.set_faces(&[[0, 1, 2], [2, 1, 3]]);
    /// assert_eq!(mesh.faces(0).collect::<Vec<_>>(), [[0, 1, 2], [2, 1, 3]]);
    /// assert_eq!(mesh.faces(1).count(), 0);
    /// ```
    pub fn faces(&self, lod: usize) -> impl ExactSizeIterator<Item = [u16; 3]> + '_ {
        let range = self.windows.get(lod).map_or(0..0, |w| {
            let first = w.first as usize;
            first..first.saturating_add(w.count as usize)
        });
        let window = self.indices.get(range).unwrap_or(&[]);
        window.as_chunks::<3>().0.iter().copied()
    }

    /// Replaces all faces by these, with a single level of detail.
    pub fn set_faces(&mut self, faces: &[[u16; 3]]) {
        self.indices = faces.as_flattened().to_vec();
        self.windows = vec![Window { first: 0, count: self.indices.len() as u32 }];
    }
}
