//! The binary part: one buffer view for all data of a kind, tight accessors in it, equal ones written once.

use std::collections::HashMap;

use crate::json::{List, Object};

/// Data of a kind, which shares a buffer view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Vertex data with this many bytes per vertex.
    Vertex(u8),
    /// Indices of 16 bits.
    Short,
    /// Indices of 32 bits.
    Long,
    /// Keys of clips.
    Keys,
    /// Inverse bind matrices.
    Binds,
    /// A picture.
    Picture(u32),
}

/// What an accessor's numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Component {
    U8,
    U16,
    U32,
    F32,
}

impl Component {
    fn code(self) -> u64 {
        match self {
            Component::U8 => 5121,
            Component::U16 => 5123,
            Component::U32 => 5125,
            Component::F32 => 5126,
        }
    }
}

#[derive(Debug)]
struct View {
    kind: Kind,
    bytes: Vec<u8>,
}

/// The buffer, its views and its accessors.
#[derive(Debug, Default)]
pub(crate) struct Bin {
    views: Vec<View>,
    places: HashMap<Kind, usize>,
    pub(crate) accessors: List,
    seen: HashMap<Digest, Vec<Place>>,
}

/// View, description and digest of an accessor's data.
type Digest = (usize, u64, u64);
/// Start, length and index of an accessor.
type Place = (usize, usize, u32);

/// What is said about an accessor besides its data.
pub(crate) struct Shape<'a> {
    pub(crate) component: Component,
    pub(crate) width: usize,
    pub(crate) count: usize,
    pub(crate) normalized: bool,
    pub(crate) bounds: Option<(&'a [f32], &'a [f32])>,
}

impl Bin {
    fn view(&mut self, kind: Kind) -> usize {
        *self.places.entry(kind).or_insert_with(|| {
            self.views.push(View { kind, bytes: Vec::new() });
            self.views.len() - 1
        })
    }

    /// Adds data that no accessor describes; tells its view.
    pub(crate) fn picture(&mut self, number: u32, bytes: &[u8]) -> u32 {
        let view = self.view(Kind::Picture(number));
        if let Some(view) = self.views.get_mut(view) {
            view.bytes.extend_from_slice(bytes);
        }
        view as u32
    }

    /// Adds an accessor, or finds an equal one.
    pub(crate) fn accessor(&mut self, kind: Kind, shape: &Shape<'_>, fill: impl FnOnce(&mut Vec<u8>)) -> u32 {
        let index = self.view(kind);
        let Some(view) = self.views.get_mut(index) else { return 0 };
        let start = view.bytes.len();
        fill(&mut view.bytes);
        let end = view.bytes.len();
        let new = view.bytes.get(start..).unwrap_or(&[]);
        let told = shape.component.code() << 8
            | (shape.width as u64) << 2
            | u64::from(shape.normalized) << 1
            | u64::from(shape.bounds.is_some());
        let key = (index, told, digest(new));
        let twins = self.seen.entry(key).or_default();
        let twin = twins.iter().find(|(from, len, _)| view.bytes.get(*from..*from + *len) == Some(new));
        if let Some((_, _, accessor)) = twin {
            let accessor = *accessor;
            view.bytes.truncate(start);
            return accessor;
        }
        view.bytes.resize(end.next_multiple_of(4), 0);
        let accessor = self.accessors.push(|o| describe(o, index, start, shape));
        twins.push((start, end - start, accessor));
        accessor
    }

    /// The whole buffer and the list of its views.
    pub(crate) fn finish(&mut self) -> (Vec<u8>, List) {
        let total = self.views.iter().map(|v| v.bytes.len().next_multiple_of(4)).sum();
        let mut bytes = Vec::with_capacity(total);
        let mut list = List::default();
        for view in std::mem::take(&mut self.views) {
            let start = bytes.len();
            bytes.extend_from_slice(&view.bytes);
            list.push(|o| {
                o.int("buffer", 0);
                o.int("byteOffset", start as u64);
                o.int("byteLength", view.bytes.len() as u64);
                match view.kind {
                    Kind::Vertex(stride) => {
                        o.int("byteStride", u64::from(stride));
                        o.int("target", 34962);
                    }
                    Kind::Short | Kind::Long => o.int("target", 34963),
                    _ => {}
                }
            });
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        (bytes, list)
    }
}

fn describe(o: &mut Object<'_>, view: usize, start: usize, shape: &Shape<'_>) {
    o.int("bufferView", view as u64);
    if start > 0 {
        o.int("byteOffset", start as u64);
    }
    o.int("componentType", shape.component.code());
    o.int("count", shape.count as u64);
    let names = ["", "SCALAR", "VEC2", "VEC3", "VEC4"];
    o.text("type", names.get(shape.width).copied().unwrap_or("MAT4"));
    if shape.normalized {
        o.flag("normalized", true);
    }
    if let Some((min, max)) = shape.bounds {
        o.floats("min", min);
        o.floats("max", max);
    }
}

/// A digest of bytes, the same on every machine.
fn digest(bytes: &[u8]) -> u64 {
    let mut sum = bytes.len() as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let mut mix = |word: u64| sum = (sum ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(23);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        mix(chunk.first_chunk().map_or(0, |c| u64::from_le_bytes(*c)));
    }
    chunks.remainder().iter().for_each(|b| mix(u64::from(*b)));
    sum
}

/// Numbers in the order of bytes that glTF has.
pub(crate) fn put_floats(out: &mut Vec<u8>, values: &[f32]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}

/// The lowest and highest of every column.
pub(crate) fn bounds<const N: usize>(rows: &[[f32; N]]) -> ([f32; N], [f32; N]) {
    let first = rows.first().copied().unwrap_or([0.0; N]);
    rows.iter().fold((first, first), |(mut min, mut max), row| {
        for (low, (high, value)) in min.iter_mut().zip(max.iter_mut().zip(row)) {
            // Not `f32::min`: which of -0 and 0 it gives is not said.
            *low = if value < low { *value } else { *low };
            *high = if value > high { *value } else { *high };
        }
        (min, max)
    })
}
