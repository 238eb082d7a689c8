//! Vertex columns to the scene.
//!
//! Half floats and bytes become floats that turn back into the same bits. The engine's vertex colours are masks for
//! wetness and tension, black on whole characters: they are an attribute of their own, so that no viewer darkens with them.

use galatea_scene::{Attribute, Extras, Influences, Value, Vertices as SceneVertices, encode_u32s, floats};

use crate::mesh::{Mesh, Usage, Values, widened};
use crate::model::BoneGroup;
use crate::scene::extra::put;

/// Attribute of the scene for vertex colours.
pub(in crate::scene) const MASK: &str = "MASK";
/// Attribute of the scene for the fourth number of normals, where it is not 1.
pub(in crate::scene) const NORMAL_W: &str = "NORMAL_W";

/// Returns the name of an attribute for a part of a column that the scene has no word for.
pub(in crate::scene) fn other(column: usize, part: usize) -> String {
    format!("COLUMN_{column}_{part}")
}

/// Returns `true` if half floats survive being made floats and halves again: all but some that are not numbers.
fn exact(halves: &[u16]) -> bool {
    // The others are signalling: making one a float makes it a quiet one.
    !halves.iter().fold(false, |any, h| any | (h & 0x7E00 == 0x7C00 && h & 0x01FF != 0))
}

/// The columns of a mesh as the scene has them.
pub(super) struct SceneColumns {
    pub(super) vertices: SceneVertices,
    /// How the columns are stored, for extras.
    pub(super) map: Extras,
}

/// Returns the columns of a mesh; `bones` is the number of bones there are.
pub(super) fn scene_columns(mesh: &Mesh, group: Option<&BoneGroup>, bones: usize) -> SceneColumns {
    let v = &mesh.vertices;
    let mut out = SceneVertices::default();
    let mut map = Extras::new();
    let usages: Vec<u32> = v.columns.iter().map(|c| u32::from(c.usage.id())).collect();
    let format = |values: &Values| match values {
        Values::Same(of) => (-1 - *of as i32) as u32,
        own => own.format().map_or(0, u32::from),
    };
    let formats: Vec<u32> = v.columns.iter().map(|c| format(&c.values)).collect();
    put(&mut map, "usages", encode_u32s(&usages));
    put(&mut map, "formats", encode_u32s(&formats));
    // A scene has no vertices without positions: then all columns are kept in extras.
    let grounded = v.positions().is_some_and(|p| p.len() == v.count && v.count > 0);
    let skin = group.filter(|_| grounded).and_then(|g| Skin::of(mesh, g, bones));
    let mut converted = vec![false; v.columns.len()];
    let mut seen: Vec<Usage> = Vec::with_capacity(v.columns.len());
    for (column, converted) in v.columns.iter().zip(&mut converted) {
        // There are few.
        let first = !seen.contains(&column.usage);
        seen.push(column.usage);
        if !first || !grounded {
            continue;
        }
        let Some(values) = v.resolve(&column.values).filter(|x| x.len() == Some(v.count)) else { continue };
        *converted = match (column.usage, values) {
            (Usage::Position, Values::F32x3(p)) => {
                out.positions.clone_from(p);
                true
            }
            (Usage::Normal, Values::F16x4(n)) if exact(n.as_flattened()) => {
                let wide = widened(n);
                out.normals = wide.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect();
                if wide.iter().any(|[.., w]| w.to_bits() != 1.0f32.to_bits()) {
                    let values = wide.iter().map(|[.., w]| *w).collect();
                    out.attributes.push(Attribute { name: NORMAL_W.into(), width: 1, values });
                }
                true
            }
            (Usage::Tangent, Values::F16x4(t)) if exact(t.as_flattened()) => {
                out.tangents = widened(t);
                true
            }
            (Usage::Colour, Values::Unorm8x4(c)) => {
                let values = c.as_flattened().iter().map(|c| f32::from(*c) / 255.0).collect();
                out.attributes.push(Attribute { name: MASK.into(), width: 4, values });
                true
            }
            // Sets of coordinates follow in the order of their numbers, below.
            (Usage::Uv(_), Values::F16x2(uv)) => exact(uv.as_flattened()),
            (Usage::Uv(_), Values::F32x2(_)) => true,
            (Usage::Weights | Usage::BoneIndices, _) => skin.is_some(),
            (Usage::Weights2 | Usage::BoneIndices2, _) => skin.as_ref().is_some_and(|s| s.second.is_some()),
            _ => false,
        };
    }
    let sets = (0..4u8).filter(|set| {
        let at = v.columns.iter().position(|c| c.usage == Usage::Uv(*set));
        at.and_then(|at| converted.get(at)).copied().unwrap_or(false)
    });
    out.uvs = sets.filter_map(|set| v.uvs(set)).collect();
    if let Some(skin) = skin {
        out.influences = skin.influences(bones, &mut map);
    }
    put_others(mesh, &converted, &mut out, &mut map);
    SceneColumns { vertices: out, map }
}

/// Columns that the scene has no word for become attributes of their own, or, without positions, lists in extras.
fn put_others(mesh: &Mesh, converted: &[bool], out: &mut SceneVertices, map: &mut Extras) {
    let mut others = Vec::new();
    for (i, column) in mesh.vertices.columns.iter().enumerate() {
        if converted.get(i) == Some(&true) || matches!(column.values, Values::Same(_)) {
            continue;
        }
        let (width, numbers) = numbers(&column.values);
        let count = mesh.vertices.count;
        let mut stored = Extras::new();
        put(&mut stored, "column", i);
        put(&mut stored, "width", width);
        if matches!(column.values, Values::Raw { .. }) {
            put(&mut stored, "raw", true);
        }
        if out.positions.is_empty() || numbers.len() != count * width || width == 0 {
            put(&mut stored, "values", floats(&numbers));
        } else {
            for part in 0..width.div_ceil(4) {
                let from = part * 4;
                let wide = (width - from).min(4);
                let rows = numbers.chunks_exact(width);
                let values = rows.flat_map(|r| r.iter().skip(from).take(wide)).copied().collect();
                out.attributes.push(Attribute { name: other(i, part), width: wide, values });
            }
        }
        others.push(Value::Object(stored));
    }
    if !others.is_empty() {
        put(map, "others", Value::Array(others));
    }
}

/// Returns a column as numbers, and how many there are per vertex. Halves as whole numbers: their bits.
fn numbers(values: &Values) -> (usize, Vec<f32>) {
    let bytes = |b: &[u8]| b.iter().map(|b| f32::from(*b)).collect();
    let words = |w: &[u16]| w.iter().map(|w| f32::from(*w)).collect();
    match values {
        Values::F32x3(v) => (3, v.as_flattened().to_vec()),
        Values::F32x2(v) => (2, v.as_flattened().to_vec()),
        Values::U16x4(v) | Values::F16x4(v) => (4, words(v.as_flattened())),
        Values::F16x2(v) => (2, words(v.as_flattened())),
        Values::Unorm8x4(v) | Values::U8x4(v) => (4, bytes(v.as_flattened())),
        Values::Raw { width, bytes: b, .. } => (*width, bytes(b)),
        Values::Same(_) => (0, Vec::new()),
    }
}

/// Second weights, and the bones that go with them.
type Second<'a> = (&'a [[u8; 4]], Vec<[u16; 4]>);

/// The weights of a mesh that a skin of the scene can say.
struct Skin<'a> {
    group: &'a BoneGroup,
    weights: &'a [[u8; 4]],
    indices: &'a [[u8; 4]],
    second: Option<Second<'a>>,
}

impl<'a> Skin<'a> {
    fn of(mesh: &'a Mesh, group: &'a BoneGroup, bones: usize) -> Option<Skin<'a>> {
        let v = &mesh.vertices;
        let single = |usage: Usage| v.columns.iter().filter(|c| c.usage == usage).count() == 1;
        let bytes = |usage: Usage| match v.get(usage).filter(|_| single(usage))? {
            Values::Unorm8x4(b) | Values::U8x4(b) => Some(b.as_slice()).filter(|b| b.len() == v.count),
            _ => None,
        };
        if bones == 0 {
            return None;
        }
        let (weights, indices) = (bytes(Usage::Weights)?, bytes(Usage::BoneIndices)?);
        let wide = match v.get(Usage::BoneIndices2).filter(|_| single(Usage::BoneIndices2)) {
            Some(Values::U16x4(b)) if b.len() == v.count => Some(b.clone()),
            Some(Values::U8x4(b)) if b.len() == v.count => Some(b.iter().map(|b| b.map(u16::from)).collect()),
            _ => None,
        };
        Some(Skin { group, weights, indices, second: bytes(Usage::Weights2).zip(wide) })
    }

    /// Joints and weights. An index that does not follow from the bone is noted: those of weight 0, mostly.
    fn influences(&self, bones: usize, map: &mut Extras) -> Influences {
        let width = if self.second.is_some() { 8 } else { 4 };
        let count = self.weights.len();
        let mut out = Influences {
            width,
            joints: Vec::with_capacity(count * width),
            weights: Vec::with_capacity(count * width),
        };
        let place = places(&self.group.bones);
        let (mut at, mut to) = (Vec::new(), Vec::new());
        for row in 0..count {
            let first = self.weights.get(row).into_iter().flatten();
            let first = first.zip(self.indices.get(row).into_iter().flatten().map(|i| u16::from(*i)));
            let second = self.second.as_ref().and_then(|(w, i)| Some((w.get(row)?, i.get(row)?)));
            let second = second.into_iter().flat_map(|(w, i)| w.iter().zip(i.iter().copied()));
            for (weight, index) in first.chain(second) {
                let bone = self.group.bones.get(usize::from(index)).copied();
                let bone = bone.filter(|b| *weight > 0 && usize::from(*b) < bones).unwrap_or(0);
                let follows = if *weight > 0 { place.get(&bone).copied().unwrap_or(0) } else { 0 };
                if index != follows {
                    at.push(out.joints.len() as u32);
                    to.push(u32::from(index));
                }
                out.joints.push(bone);
                out.weights.push(f32::from(*weight) / 255.0);
            }
        }
        if !at.is_empty() {
            put(map, "indices_at", encode_u32s(&at));
            put(map, "indices_to", encode_u32s(&to));
        }
        out
    }
}

/// Returns where each bone is in a bone group.
pub(in crate::scene) fn places(bones: &[u16]) -> std::collections::HashMap<u16, u16> {
    let mut out = std::collections::HashMap::new();
    for (i, bone) in bones.iter().enumerate() {
        out.entry(*bone).or_insert(i as u16);
    }
    out
}
