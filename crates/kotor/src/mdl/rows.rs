//! MDX rows: interleaved on disk, columns in the document.

use std::borrow::Cow;

use galatea_wire::{Error, Field, Result, Wire};

use super::layout::{RowLayout, Sentinel};
use super::mesh::{Mesh, TangentSpace, Vertices, pack_normal, unpack_normal};

/// The number of columns: eleven in the mesh header, weights and bones in the skin header.
pub(crate) const COLUMNS: usize = 13;
const WEIGHTS: usize = 11;
const BONES: usize = 12;
/// The bit of each column in the header's flags; weights and bones have none.
const FLAGS: [u32; COLUMNS] = [0x01, 0x20, 0x40, 0x02, 0x04, 0x08, 0x10, 0x80, 0x100, 0x200, 0x400, 0, 0];

/// Returns the size of a column in a row.
fn width(column: usize, packed: bool) -> usize {
    match (column, packed) {
        (0 | 2, _) | (1, false) => 12,
        (1, true) => 4,
        (3..=6, _) => 8,
        (7..=10, false) => 36,
        (7..=10, true) => 12,
        (WEIGHTS, _) | (BONES, false) => 16,
        (BONES, true) => 8,
        _ => 0,
    }
}

/// A column in the file and in the document.
trait Cell: Copy {
    type Disk: Wire;
    fn load(disk: Self::Disk) -> Self;
    fn store(self) -> Self::Disk;
}

macro_rules! plain {
    ($($name:ident($t:ty)),*) => {$(
        #[derive(Clone, Copy)]
        struct $name($t);
        impl Cell for $name {
            type Disk = $t;
            #[inline(always)]
            fn load(disk: $t) -> Self { $name(disk) }
            #[inline(always)]
            fn store(self) -> $t { self.0 }
        }
    )*};
}
plain!(Two([f32; 2]), Three([f32; 3]), Four([f32; 4]), Nine(TangentSpace));

macro_rules! packed {
    ($name:ident($t:ty) as $disk:ty, $load:expr, $store:expr) => {
        #[derive(Clone, Copy)]
        struct $name($t);
        impl Cell for $name {
            type Disk = $disk;
            #[inline(always)]
            fn load(disk: $disk) -> Self {
                $name($load(disk))
            }
            #[inline(always)]
            fn store(self) -> $disk {
                $store(self.0)
            }
        }
    };
}
packed!(PackedNormal([f32; 3]) as u32, unpack_normal, pack_normal);
packed!(
    PackedTangents(TangentSpace) as [u32; 3],
    |words: [u32; 3]| words.map(unpack_normal),
    |vectors: TangentSpace| vectors.map(pack_normal)
);
packed!(ShortBones([f32; 4]) as [u16; 4], |bones: [u16; 4]| bones.map(short_to_slot), |bones: [f32; 4]| {
    bones.map(slot_to_short)
});

/// Decodes a bone slot of the Xbox from 16 bits.
#[inline(always)]
pub(crate) fn short_to_slot(short: u16) -> f32 {
    if short == u16::MAX { -1.0 } else { f32::from(short) }
}

/// Encodes a bone slot of the Xbox in 16 bits.
#[inline(always)]
pub(crate) fn slot_to_short(slot: f32) -> u16 {
    if slot < 0.0 { u16::MAX } else { slot as u16 }
}

// A cell has a known length, so that the compiler copies a fixed number of bytes per row.
fn load<C: Cell, T>(rows: &[u8], stride: usize, at: usize, each: impl Fn(C) -> T) -> Vec<T> {
    let cell = move |row: &[u8]| match row.get(at..).and_then(|cell| cell.get(..C::Disk::SIZE)) {
        Some(cell) => C::Disk::get(cell),
        None => C::Disk::ZERO,
    };
    rows.chunks_exact(stride).map(move |row| each(C::load(cell(row)))).collect()
}

fn store<C: Cell, T: Copy>(rows: &mut [u8], stride: usize, at: usize, column: &[T], each: impl Fn(T) -> C) {
    for (row, value) in rows.chunks_exact_mut(stride).zip(column) {
        if let Some(cell) = row.get_mut(at..).and_then(|cell| cell.get_mut(..C::Disk::SIZE)) {
            each(*value).store().put(cell);
        }
    }
}

/// Returns one bit for every column that is not empty.
pub(crate) fn present(vertices: &Vertices) -> u16 {
    let v = vertices;
    let [uv0, uv1, uv2, uv3] = &v.uvs;
    let [t0, t1, t2, t3] = &v.tangents;
    let filled = [
        !v.positions.is_empty(),
        !v.normals.is_empty(),
        !v.colors.is_empty(),
        !uv0.is_empty(),
        !uv1.is_empty(),
        !uv2.is_empty(),
        !uv3.is_empty(),
        !t0.is_empty(),
        !t1.is_empty(),
        !t2.is_empty(),
        !t3.is_empty(),
        !v.weights.is_empty(),
        !v.bones.is_empty(),
    ];
    filled.iter().enumerate().fold(0, |bits, (i, on)| bits | u16::from(*on) << i)
}

/// The names of the columns, in the order of the bits of [`present`].
pub(crate) const COLUMN_NAMES: [&str; COLUMNS] = [
    "positions",
    "normals",
    "colors",
    "uvs[0]",
    "uvs[1]",
    "uvs[2]",
    "uvs[3]",
    "tangents[0]",
    "tangents[1]",
    "tangents[2]",
    "tangents[3]",
    "weights",
    "bones",
];

/// Descriptions of the columns for the inspector.
const MEANINGS: [&str; COLUMNS] = [
    "Position of the vertex.",
    "Normal; on the Xbox packed into one word.",
    "Colour.",
    "Texture coordinates of the first texture.",
    "Texture coordinates of the second texture, usually the lightmap.",
    "Texture coordinates of the third texture.",
    "Texture coordinates of the fourth texture.",
    "Bitangent, tangent and normal for the first texture; on the Xbox packed into one word each.",
    "Bitangent, tangent and normal for the second texture.",
    "Bitangent, tangent and normal for the third texture.",
    "Bitangent, tangent and normal for the fourth texture.",
    "How much each of up to four bones moves the vertex; unused ones are 0.",
    "Bone slots that the weights belong to; unused ones are -1.",
];

/// Returns how many entries each column has, in the order of the bits of [`present`].
pub(crate) fn lengths(vertices: &Vertices) -> [usize; COLUMNS] {
    let v = vertices;
    let [uv0, uv1, uv2, uv3] = &v.uvs;
    let [t0, t1, t2, t3] = &v.tangents;
    [
        v.positions.len(),
        v.normals.len(),
        v.colors.len(),
        uv0.len(),
        uv1.len(),
        uv2.len(),
        uv3.len(),
        t0.len(),
        t1.len(),
        t2.len(),
        t3.len(),
        v.weights.len(),
        v.bones.len(),
    ]
}

impl RowLayout {
    /// Returns the declared columns that fit into the row, with their offsets.
    fn columns(&self, skin: bool) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.offsets.iter().zip(FLAGS).enumerate().filter_map(move |(column, (offset, flag))| {
            // Rows always have positions, even if a tool did not set the flag.
            let announced = if column >= WEIGHTS { skin } else { column == 0 || self.flags & flag != 0 };
            let at = usize::try_from(*offset).ok().filter(|_| announced)?;
            let fits = at.checked_add(width(column, self.packed))? <= self.stride as usize;
            fits.then_some((column, at))
        })
    }

    /// Returns the columns as fields for the inspector.
    pub(crate) fn fields(&self, skin: bool) -> Vec<Field> {
        let schema = |column| match (column, self.packed) {
            (1, true) => u32::SCHEMA,
            (3..=6, _) => <[f32; 2]>::SCHEMA,
            (7..=10, false) => TangentSpace::SCHEMA,
            (7..=10, true) => <[u32; 3]>::SCHEMA,
            (BONES, true) => <[u16; 4]>::SCHEMA,
            (WEIGHTS | BONES, _) => <[f32; 4]>::SCHEMA,
            _ => <[f32; 3]>::SCHEMA,
        };
        let field = |(column, offset): (usize, usize)| {
            let (name, doc) = (*COLUMN_NAMES.get(column)?, *MEANINGS.get(column)?);
            Some(Field { name, offset, schema: schema(column), ty: "", doc })
        };
        self.columns(skin).filter_map(field).collect()
    }

    /// Returns whether a declared column begins or ends outside the row.
    pub(crate) fn promises_too_much(&self) -> bool {
        let stride = i64::from(self.stride);
        self.offsets.iter().zip(FLAGS).enumerate().any(|(column, (offset, flag))| {
            let end = i64::from(*offset) + width(column, self.packed) as i64;
            self.flags & flag != 0 && (*offset < 0 || end > stride)
        })
    }

    /// Returns whether these columns cover every byte of the row exactly once. `false` for long rows, which are not
    /// examined.
    fn is_full(&self, columns: &[(usize, usize)]) -> bool {
        let (mut taken, mut claimed) = (0u128, 0);
        for &(column, at) in columns {
            let width = width(column, self.packed);
            if at + width > 128 {
                return false;
            }
            taken |= (u128::MAX >> (128 - width)) << at;
            claimed += width;
        }
        claimed == self.stride as usize && taken.count_ones() == self.stride
    }

    /// Returns the bytes of a row that belong to no column.
    fn loose(&self, skin: bool) -> Vec<usize> {
        let mut taken = vec![false; self.stride as usize];
        for (column, at) in self.columns(skin) {
            if let Some(range) = taken.get_mut(at..at + width(column, self.packed)) {
                range.fill(true);
            }
        }
        taken.iter().enumerate().filter(|(_, taken)| !**taken).map(|(i, _)| i).collect()
    }

    /// Reads the rows into empty columns, and records in the layout which columns there are and the bytes between them.
    pub(crate) fn decode(&mut self, rows: &[u8], skin: bool, v: &mut Vertices) {
        let stride = self.stride as usize;
        if stride == 0 || rows.is_empty() {
            return;
        }
        self.present = 0;
        let packed = self.packed;
        let mut columns = [(0, 0); COLUMNS];
        let mut count = 0;
        for (slot, column) in columns.iter_mut().zip(self.columns(skin)) {
            *slot = column;
            count += 1;
        }
        let columns = columns.get(..count).unwrap_or(&columns);
        for &(column, at) in columns {
            self.present |= 1 << column;
            let three = || load::<Three, _>(rows, stride, at, |c| c.0);
            match column {
                0 => v.positions = three(),
                1 if packed => v.normals = load::<PackedNormal, _>(rows, stride, at, |c| c.0),
                1 => v.normals = three(),
                2 => v.colors = three(),
                3..=6 => {
                    if let Some(uvs) = v.uvs.get_mut(column - 3) {
                        *uvs = load::<Two, _>(rows, stride, at, |c| c.0);
                    }
                }
                7..=10 => {
                    if let Some(tangents) = v.tangents.get_mut(column - 7) {
                        *tangents = if packed {
                            load::<PackedTangents, _>(rows, stride, at, |c| c.0)
                        } else {
                            load::<Nine, _>(rows, stride, at, |c| c.0)
                        };
                    }
                }
                WEIGHTS => v.weights = load::<Four, _>(rows, stride, at, |c| c.0),
                _ if packed => v.bones = load::<ShortBones, _>(rows, stride, at, |c| c.0),
                _ => v.bones = load::<Four, _>(rows, stride, at, |c| c.0),
            }
        }
        if self.is_full(columns) {
            return;
        }
        let loose = self.loose(skin);
        let claimed: usize = self.columns(skin).map(|(column, _)| width(column, packed)).sum();
        self.overlaps = claimed + loose.len() > stride;
        let residue = || rows.chunks_exact(stride).flat_map(|row| loose.iter().filter_map(|i| row.get(*i)));
        if !loose.is_empty() && residue().any(|b| *b != 0) {
            self.residue = residue().copied().collect();
        }
    }

    /// Writes columns into rows.
    pub(crate) fn encode(&self, v: &Vertices, skin: bool, rows: &mut [u8]) {
        let stride = self.stride as usize;
        if stride == 0 {
            return;
        }
        if !self.residue.is_empty() {
            let loose = self.loose(skin);
            for (row, kept) in
                rows.chunks_exact_mut(stride).zip(self.residue.chunks_exact(loose.len().max(1)))
            {
                for (at, byte) in loose.iter().zip(kept) {
                    if let Some(slot) = row.get_mut(*at) {
                        *slot = *byte;
                    }
                }
            }
        }
        let packed = self.packed;
        for (column, at) in self.columns(skin) {
            match column {
                0 => store(rows, stride, at, &v.positions, Three),
                1 if packed => store(rows, stride, at, &v.normals, PackedNormal),
                1 => store(rows, stride, at, &v.normals, Three),
                2 => store(rows, stride, at, &v.colors, Three),
                3..=6 => store(rows, stride, at, v.uvs.get(column - 3).map_or(&[], |c| c), Two),
                7..=10 => {
                    let tangents: &[TangentSpace] = v.tangents.get(column - 7).map_or(&[], |c| c);
                    if packed {
                        store(rows, stride, at, tangents, PackedTangents);
                    } else {
                        store(rows, stride, at, tangents, Nine);
                    }
                }
                WEIGHTS => store(rows, stride, at, &v.weights, Four),
                _ if packed => store(rows, stride, at, &v.bones, ShortBones),
                _ => store(rows, stride, at, &v.bones, Four),
            }
        }
    }

    /// Returns whether columns that share bytes agree on them.
    fn holds(&self, vertices: &Vertices, skin: bool) -> bool {
        let count = lengths(vertices).into_iter().max().unwrap_or(0);
        let mut rows = vec![0; count.saturating_mul(self.stride as usize)];
        self.encode(vertices, skin, &mut rows);
        let mut restored = Vertices::default();
        self.clone().decode(&rows, skin, &mut restored);
        let mut again = vec![0; rows.len()];
        // A column whose values were overwritten by another one differs when it is written alone.
        (0..COLUMNS).all(|column| {
            let alone = RowLayout {
                flags: FLAGS.get(column).copied().unwrap_or(0),
                offsets: std::array::from_fn(|i| {
                    if i == column { self.offsets.get(i).copied().unwrap_or(-1) } else { -1 }
                }),
                residue: Vec::new(),
                ..self.clone()
            };
            again.fill(0);
            alone.encode(vertices, skin, &mut again);
            let own = again.clone();
            again.fill(0);
            alone.encode(&restored, skin, &mut again);
            own == again
        })
    }

    /// Returns the layout that the game's compiler uses for rows with these columns.
    pub(crate) fn usual(present: u16, packed: bool) -> RowLayout {
        let mut rows = RowLayout { offsets: [-1; COLUMNS], present, packed, ..RowLayout::default() };
        // Positions, normals, texture coordinates, colors, tangents, weights, bones.
        for column in [0, 1, 3, 4, 5, 6, 2, 7, 8, 9, 10, WEIGHTS, BONES] {
            if present & (1 << column) != 0
                && let (Some(offset), Some(flag)) = (rows.offsets.get_mut(column), FLAGS.get(column))
            {
                *offset = rows.stride as i32;
                rows.stride += width(column, packed) as u32;
                rows.flags |= flag;
            }
        }
        rows
    }

    /// Returns the layout for writing these vertices: the one that was read if it has the same columns.
    pub(crate) fn for_writing(mesh: &Mesh, packed: bool) -> Cow<'_, RowLayout> {
        let old = &mesh.layout.rows;
        if !mesh.in_mdx {
            return if old.known {
                Cow::Borrowed(old)
            } else {
                Cow::Owned(RowLayout { offsets: [-1; COLUMNS], ..RowLayout::default() })
            };
        }
        let present = present(&mesh.vertices);
        // Positions may be in the MDL only; then they are not a column.
        let same =
            old.known && old.packed == packed && (old.present == present || old.present | 1 == present);
        if same {
            let mut rows = Cow::Borrowed(old);
            if rows.count as usize != mesh.vertex_count() && !rows.residue.is_empty() {
                rows.to_mut().residue.clear();
            }
            if !rows.overlaps || rows.holds(&mesh.vertices, mesh.skin.is_some()) {
                return rows;
            }
        }
        let mut rows = RowLayout::usual(present, packed);
        rows.sentinel = match &old.sentinel {
            Sentinel::Raw(_) => Sentinel::Usual,
            other => other.clone(),
        };
        Cow::Owned(rows)
    }

    /// Fails unless every column is empty or has one entry per vertex.
    pub(crate) fn columns_agree(vertices: &Vertices) -> Result<()> {
        let lengths = lengths(vertices);
        let count = lengths.iter().copied().max().unwrap_or(0);
        match COLUMN_NAMES.iter().zip(lengths).find(|(_, len)| *len != 0 && *len != count) {
            None => Ok(()),
            Some((name, len)) => {
                Err(Error::unrepresentable(format!("{name} has {len} entries, other columns have {count}")))
            }
        }
    }
}
