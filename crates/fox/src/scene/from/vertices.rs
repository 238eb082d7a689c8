//! Vertex columns from the scene: in the types they had, or in the game's usual ones.

use galatea_scene::{Extras, Vertices as SceneVertices, read_floats};

use super::tangents;
use crate::mesh::{Column, Usage, Values, Vertices};
use crate::scene::extra::{index, int, ints, objects};
use crate::scene::to::vertices::{MASK, NORMAL_W, other, places};

/// A column that a mesh should have.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) usage: Usage,
    kind: Kind,
}

impl Wanted {
    /// Returns `true` for colours that the scene has as [`MASK`].
    pub(super) fn is_mask(&self) -> bool {
        self.usage == Usage::Colour && matches!(self.kind, Kind::Format(8))
    }
}

#[derive(Debug, Clone)]
enum Kind {
    /// In a type that the scene can say.
    Format(u8),
    /// Sharing the bytes of another column.
    Same(usize),
    /// In a way that the scene has no word for.
    Other { format: u8, width: usize, raw: bool, values: Option<Vec<f32>> },
}

/// Returns the columns that were noted; `None` for a mesh that was none of ours.
pub(super) fn noted(map: &Extras) -> Option<Vec<Wanted>> {
    map.get("usages")?;
    let (usages, formats) = (ints(map, "usages"), ints(map, "formats"));
    let mut out: Vec<Wanted> = Vec::with_capacity(usages.len());
    for (usage, format) in usages.iter().zip(&formats) {
        let kind = match usize::try_from(-1 - *format) {
            Ok(of) => Kind::Same(of),
            Err(_) => Kind::Format(*format as u8),
        };
        out.push(Wanted { usage: Usage::from_id(*usage as u8), kind });
    }
    for stored in objects(map, "others") {
        let slot = index(stored, "column").and_then(|c| out.get_mut(c));
        // A vertex is never wider than a byte can tell.
        if let (Some(slot), Some(width)) = (slot, index(stored, "width").filter(|w| *w <= 0xFF))
            && let Kind::Format(format) = slot.kind
        {
            let raw = stored.contains_key("raw");
            let values = stored.get("values").and_then(read_floats);
            slot.kind = Kind::Other { format, width, raw, values };
        }
    }
    Some(out)
}

/// Returns the columns that a new mesh gets, in the order and types of the games' own files.
pub(super) fn usual(from: &SceneVertices, skinned: bool) -> Vec<Wanted> {
    let mut out = vec![(Usage::Position, 1), (Usage::Normal, 6)];
    if !from.uvs.is_empty() {
        out.push((Usage::Tangent, 6));
    }
    if !from.attribute(MASK).is_empty() {
        out.push((Usage::Colour, 8));
    }
    if skinned {
        out.extend([(Usage::Weights, 8), (Usage::BoneIndices, 9)]);
    }
    out.extend((0..from.uvs.len().min(4)).map(|set| (Usage::Uv(set as u8), 7)));
    out.into_iter().map(|(usage, format)| Wanted { usage, kind: Kind::Format(format) }).collect()
}

/// Columns for a mesh that is put together anew, where bones are known by other numbers.
pub(super) fn without_indices(wanted: Vec<Wanted>) -> Vec<Wanted> {
    let gone = |w: &Wanted| {
        matches!(w.usage, Usage::BoneIndices | Usage::BoneIndices2 | Usage::Weights2)
            || matches!(w.kind, Kind::Other { .. })
    };
    let mut next = 0;
    let places: Vec<Option<usize>> = wanted
        .iter()
        .map(|w| {
            let place = (!gone(w)).then_some(next);
            next += usize::from(!gone(w));
            place
        })
        .collect();
    let mut out = Vec::new();
    for mut column in wanted.into_iter().filter(|w| !gone(w)) {
        if let Kind::Same(of) = column.kind {
            match places.get(of).copied().flatten() {
                Some(place) => column.kind = Kind::Same(place),
                None => continue,
            }
        }
        out.push(column);
    }
    out
}

/// Weights as bytes, with the numbers of bones in a bone group.
#[derive(Debug, Default)]
pub(super) struct Weights {
    pub(super) weights: Vec<[u8; 4]>,
    pub(super) indices: Vec<[u8; 4]>,
    pub(super) weights2: Vec<[u8; 4]>,
    pub(super) indices2: Vec<[u16; 4]>,
}

/// Returns the weights as bytes: as they are where they stand for bytes, else scaled to sum to 255.
pub(super) fn weight_bytes(row: &[f32]) -> Vec<u8> {
    let near = |w: &f32| (w * 255.0 - (w * 255.0).round()).abs() < 1e-3 && (0.0..=1.001).contains(w);
    if row.iter().all(near) {
        return row.iter().map(|w| (w * 255.0).round() as u8).collect();
    }
    if let [a, b, c, d] = row {
        return crate::normalised([*a, *b, *c, *d]).to_vec();
    }
    let sum: f32 = row.iter().filter(|w| w.is_finite() && **w > 0.0).sum();
    let mut out: Vec<u8> = row.iter().map(|w| (w / sum * 255.0) as u8).collect();
    let left = 255u32.saturating_sub(out.iter().map(|w| u32::from(*w)).sum());
    if let Some(strongest) = out.iter_mut().max_by_key(|w| **w) {
        *strongest = strongest.saturating_add(left.min(255) as u8);
    }
    out
}

impl Weights {
    /// Returns the weights from joints that are known as bones; `None` if a vertex is moved by a bone that the group does not have.
    pub(super) fn exact(
        from: &SceneVertices,
        bone_of: &dyn Fn(u16) -> Option<u16>,
        group: &[u16],
        map: &Extras,
    ) -> Option<Weights> {
        let width = from.influences.width;
        let place = places(group);
        let mut indices = vec![0u16; from.influences.joints.len()];
        let mut bytes = Vec::with_capacity(indices.len());
        for row in from.influences.weights.chunks_exact(width.max(1)) {
            bytes.extend(weight_bytes(row));
        }
        let mut notes = std::collections::HashMap::new();
        for (at, to) in ints(map, "indices_at").iter().zip(ints(map, "indices_to")) {
            notes.insert(usize::try_from(*at).ok()?, to as u16);
        }
        let entries = indices.iter_mut().zip(&bytes).zip(&from.influences.joints).enumerate();
        for (at, ((index, weight), joint)) in entries {
            let note = notes.get(&at).copied();
            if *weight == 0 {
                *index = note.unwrap_or(0);
                continue;
            }
            let bone = bone_of(*joint);
            // A note tells of an index that leads nowhere, or of one of two that lead to the same bone.
            let there = note.map(|n| group.get(usize::from(n)).copied());
            *index = match (note, there) {
                (Some(note), Some(there)) if there.is_none() || there == bone => note,
                _ => *place.get(&bone?)?,
            };
        }
        let mut out = Weights::default();
        for row in bytes.chunks_exact(width.max(1)) {
            out.weights.push(four(row, 0));
            out.weights2.push(four(row, 4));
        }
        for row in indices.chunks_exact(width.max(1)) {
            out.indices.push(four(row, 0).map(|i| i as u8));
            out.indices2.push(four(row, 4));
        }
        Some(out)
    }
}

/// Returns four values of a row.
fn four<T: Copy + Default>(row: &[T], from: usize) -> [T; 4] {
    let mut out = [T::default(); 4];
    for (slot, value) in out.iter_mut().zip(row.get(from..).unwrap_or(&[])) {
        *slot = *value;
    }
    out
}

/// What columns are made of.
pub(super) struct Source<'a> {
    pub(super) vertices: &'a SceneVertices,
    pub(super) positions: &'a [[f32; 3]],
    pub(super) normals: &'a [[f32; 3]],
    pub(super) tangents: &'a [[f32; 4]],
    /// Counter-clockwise, to make normals and tangents of.
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) weights: Option<&'a Weights>,
}

/// Builds the columns. What the scene no longer has is made (normals, tangents), zero with `fill`, or left out.
pub(super) fn build(wanted: &[Wanted], count: usize, from: &Source<'_>, fill: bool) -> Vertices {
    let mut sets: Vec<u8> = Vec::new();
    for column in wanted.iter().filter(|w| !matches!(w.kind, Kind::Other { .. })) {
        if let Usage::Uv(set) = column.usage {
            sets.push(set);
        }
    }
    sets.sort_unstable();
    sets.dedup();
    let made: Vec<[f32; 3]> = if from.normals.len() == count {
        Vec::new()
    } else {
        galatea_scene::smooth_normals(from.positions, from.triangles)
    };
    let normals = if from.normals.len() == count { from.normals } else { &made };
    let values = |usage: Usage, format: u8| column(usage, format, count, from, normals, &sets, fill);
    let mut out = Vertices { count, columns: Vec::new() };
    let mut places: Vec<Option<usize>> = Vec::with_capacity(wanted.len());
    for (i, want) in wanted.iter().enumerate() {
        let made = match &want.kind {
            Kind::Format(format) => values(want.usage, *format),
            Kind::Other { format, width, raw, values } => {
                let stored = values.clone();
                let numbers = stored.unwrap_or_else(|| gather(from.vertices, i, *width, count));
                pack(*format, *width, *raw, &numbers)
            }
            Kind::Same(of) => {
                let place = places.get(*of).copied().flatten();
                let there = place.and_then(|p| out.columns.get(p)).map(|c| &c.values);
                let own = there.and_then(|t| values(want.usage, t.format()?));
                match (own, there, place) {
                    (Some(own), Some(there), _) if !own.same_bits(there) => Some(own),
                    (_, Some(_), Some(place)) => Some(Values::Same(place)),
                    _ => None,
                }
            }
        };
        places.push(made.is_some().then_some(out.columns.len()));
        out.columns.extend(made.map(|values| Column { usage: want.usage, values }));
    }
    out
}

fn half(value: f32) -> u16 {
    half::f16::from_f32(value).to_bits()
}

fn column(
    usage: Usage,
    format: u8,
    count: usize,
    from: &Source<'_>,
    normals: &[[f32; 3]],
    sets: &[u8],
    fill: bool,
) -> Option<Values> {
    let zero = |values: Values| fill.then_some(values);
    match (usage, format) {
        (Usage::Position, 1) => Some(Values::F32x3(from.positions.to_vec())),
        (Usage::Normal, 6) => {
            let w = from.vertices.attribute(NORMAL_W);
            let row =
                |(i, [x, y, z]): (usize, &[f32; 3])| [*x, *y, *z, w.get(i).copied().unwrap_or(1.0)].map(half);
            Some(Values::F16x4(normals.iter().enumerate().map(row).collect()))
        }
        (Usage::Tangent, 6) if from.tangents.len() == count => {
            Some(Values::F16x4(from.tangents.iter().map(|t| t.map(half)).collect()))
        }
        (Usage::Tangent, 6) => {
            let uvs = from.vertices.uvs.first()?;
            let made = tangents::tangents(from.positions, normals, uvs, from.triangles);
            Some(Values::F16x4(made.iter().map(|t| t.map(half)).collect()))
        }
        (Usage::Colour, 8) => {
            let mask = from.vertices.attribute(MASK);
            if mask.len() != count * 4 {
                return zero(Values::Unorm8x4(vec![[0; 4]; count]));
            }
            let byte = |c: f32| (c.clamp(0.0, 1.0) * 255.0).round() as u8;
            Some(Values::Unorm8x4(mask.as_chunks().0.iter().map(|c: &[f32; 4]| c.map(byte)).collect()))
        }
        (Usage::Uv(set), 2 | 7) => {
            let uvs = sets.iter().position(|s| *s == set).and_then(|s| from.vertices.uvs.get(s));
            let Some(uvs) = uvs.filter(|uvs| uvs.len() == count) else {
                return zero(Values::F16x2(vec![[0; 2]; count]));
            };
            Some(match format {
                2 => Values::F32x2(uvs.clone()),
                _ => Values::F16x2(uvs.iter().map(|uv| uv.map(half)).collect()),
            })
        }
        (Usage::Weights, 8) => from.weights.map(|w| Values::Unorm8x4(w.weights.clone())),
        (Usage::Weights, 9) => from.weights.map(|w| Values::U8x4(w.weights.clone())),
        (Usage::BoneIndices, 9) => from.weights.map(|w| Values::U8x4(w.indices.clone())),
        (Usage::BoneIndices, 8) => from.weights.map(|w| Values::Unorm8x4(w.indices.clone())),
        (Usage::Weights2, 8) => from.weights.map(|w| Values::Unorm8x4(w.weights2.clone())),
        (Usage::Weights2, 9) => from.weights.map(|w| Values::U8x4(w.weights2.clone())),
        (Usage::BoneIndices2, 4) => from.weights.map(|w| Values::U16x4(w.indices2.clone())),
        (Usage::BoneIndices2, 9) => {
            from.weights.map(|w| Values::U8x4(w.indices2.iter().map(|i| i.map(|i| i as u8)).collect()))
        }
        _ => None,
    }
}

/// Returns the numbers of a column that was written as attributes of its own; zeros where they are gone.
fn gather(from: &SceneVertices, column: usize, width: usize, count: usize) -> Vec<f32> {
    let parts: Vec<&[f32]> =
        (0..width.div_ceil(4)).map(|part| from.attribute(&other(column, part))).collect();
    let mut out = Vec::new();
    for row in 0..count {
        for (part, numbers) in parts.iter().enumerate() {
            let wide = (width - part * 4).min(4);
            out.extend((0..wide).map(|c| numbers.get(row * wide + c).copied().unwrap_or(0.0)));
        }
    }
    out
}

/// Returns the numbers as stored in a type.
fn pack(format: u8, width: usize, raw: bool, numbers: &[f32]) -> Option<Values> {
    let words = || numbers.iter().map(|n| *n as u16).collect::<Vec<u16>>();
    let bytes = || numbers.iter().map(|n| *n as u8).collect::<Vec<u8>>();
    Some(match format {
        _ if raw => Values::Raw { format, width, bytes: bytes() },
        1 => Values::F32x3(numbers.as_chunks().0.to_vec()),
        2 => Values::F32x2(numbers.as_chunks().0.to_vec()),
        4 => Values::U16x4(words().as_chunks().0.to_vec()),
        6 => Values::F16x4(words().as_chunks().0.to_vec()),
        7 => Values::F16x2(words().as_chunks().0.to_vec()),
        8 => Values::Unorm8x4(bytes().as_chunks().0.to_vec()),
        9 => Values::U8x4(bytes().as_chunks().0.to_vec()),
        _ => return None,
    })
}

/// Returns a number of vertices that was noted because there are no positions to count.
pub(super) fn noted_count(map: &Extras) -> usize {
    int(map, "count").and_then(|c| usize::try_from(c).ok()).filter(|c| *c <= 0xFFFF).unwrap_or(0)
}
