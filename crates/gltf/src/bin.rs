//! The binary part: one buffer view for all data of a kind, tight accessors in it, equal ones written once.

use std::collections::HashMap;

use galatea_text::push_int;
use galatea_wire::checksum;

use crate::json::{List, push_floats, push_literal};

/// A kind of data, which shares a buffer view.
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
    /// An image.
    Image(u32),
}

/// The type of an accessor's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Component {
    U8,
    U16,
    U32,
    F32,
}

#[derive(Debug)]
struct View {
    kind: Kind,
    bytes: Vec<u8>,
}

/// An estimate of the amount of data, to allocate it once.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Room {
    pub(crate) accessors: usize,
    pub(crate) vertices: usize,
    pub(crate) indices: usize,
    /// Numbers of keys.
    pub(crate) keys: usize,
}

impl Room {
    /// Returns the bytes for the view of a kind.
    fn of(&self, kind: Kind) -> usize {
        match kind {
            // Positions and normals share one, and so do joints and weights.
            Kind::Vertex(stride) => self.vertices * usize::from(stride) * 2,
            Kind::Short => self.indices * 2,
            Kind::Long => self.indices * 4,
            Kind::Keys => self.keys * 4,
            Kind::Binds | Kind::Image(_) => 0,
        }
    }
}

/// The buffer, its views and its accessors.
#[derive(Debug)]
pub(crate) struct Bin {
    room: Room,
    views: Vec<View>,
    pub(crate) accessors: List,
    /// The last accessor with a checksum.
    seen: HashMap<u64, usize, foldhash::fast::FixedState>,
    written: Vec<Place>,
}

/// Where an accessor's data is, and how it is described.
#[derive(Debug)]
struct Place {
    view: usize,
    start: usize,
    len: usize,
    described: u64,
    /// The accessor before this one with the same checksum.
    twin: Option<usize>,
}

/// The description of an accessor.
pub(crate) struct Shape<'a> {
    pub(crate) component: Component,
    pub(crate) width: usize,
    pub(crate) count: usize,
    pub(crate) normalized: bool,
    pub(crate) bounds: Option<(&'a [f32], &'a [f32])>,
}

impl Bin {
    /// Returns an empty buffer with space for an amount of data.
    pub(crate) fn with_room(room: Room) -> Self {
        Bin {
            room,
            views: Vec::new(),
            accessors: List::with_capacity(room.accessors * 112),
            seen: HashMap::with_capacity_and_hasher(room.accessors, Default::default()),
            written: Vec::with_capacity(room.accessors),
        }
    }

    fn view(&mut self, kind: Kind) -> usize {
        // There are few.
        let known = self.views.iter().position(|v| v.kind == kind);
        known.unwrap_or_else(|| {
            self.views.push(View { kind, bytes: Vec::with_capacity(self.room.of(kind)) });
            self.views.len() - 1
        })
    }

    /// Adds an image, and returns its view.
    pub(crate) fn image(&mut self, number: u32, bytes: &[u8]) -> u32 {
        let view = self.view(Kind::Image(number));
        if let Some(view) = self.views.get_mut(view) {
            view.bytes.extend_from_slice(bytes);
        }
        view as u32
    }

    /// Adds an accessor whose data `fill` appends, or finds an equal one; returns its index.
    pub(crate) fn accessor(&mut self, kind: Kind, shape: &Shape<'_>, fill: impl FnOnce(&mut Vec<u8>)) -> u32 {
        let index = self.view(kind);
        let Some(view) = self.views.get_mut(index) else { return 0 };
        let start = view.bytes.len();
        fill(&mut view.bytes);
        let end = view.bytes.len();
        let new = view.bytes.get(start..).unwrap_or(&[]);
        let described = (shape.component as u64) << 8
            | (shape.width as u64) << 2
            | u64::from(shape.normalized) << 1
            | u64::from(shape.bounds.is_some());
        let key = checksum(new) ^ described ^ (index as u64).rotate_right(8);
        let newest = self.seen.get(&key).copied();
        let mut twin = newest;
        while let Some((at, place)) = twin.and_then(|at| Some((at, self.written.get(at)?))) {
            let same = (place.view, place.described) == (index, described)
                && view.bytes.get(place.start..).and_then(|b| b.get(..place.len)) == Some(new);
            if same {
                view.bytes.truncate(start);
                return at as u32;
            }
            twin = place.twin;
        }
        view.bytes.resize(end.next_multiple_of(4), 0);
        self.seen.insert(key, self.written.len());
        self.written.push(Place { view: index, start, len: end - start, described, twin: newest });
        self.accessors.push_text(|out| describe(out, index, start, shape))
    }

    /// Returns the parts of the buffer, each padded, and the list of its views.
    pub(crate) fn finish(&mut self) -> (Vec<Vec<u8>>, List) {
        let mut parts = Vec::with_capacity(self.views.len());
        let mut list = List::default();
        let mut start = 0;
        for mut view in std::mem::take(&mut self.views) {
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
            view.bytes.resize(view.bytes.len().next_multiple_of(4), 0);
            start += view.bytes.len();
            parts.push(view.bytes);
        }
        (parts, list)
    }
}

/// Appends the text of an accessor.
fn describe(out: &mut Vec<u8>, view: usize, start: usize, shape: &Shape<'_>) {
    push_literal(out, "{\"bufferView\":");
    push_int(out, view);
    if start > 0 {
        push_literal(out, ",\"byteOffset\":");
        push_int(out, start);
    }
    match shape.component {
        Component::U8 => push_literal(out, ",\"componentType\":5121,\"count\":"),
        Component::U16 => push_literal(out, ",\"componentType\":5123,\"count\":"),
        Component::U32 => push_literal(out, ",\"componentType\":5125,\"count\":"),
        Component::F32 => push_literal(out, ",\"componentType\":5126,\"count\":"),
    }
    push_int(out, shape.count);
    match shape.width {
        1 => push_literal(out, ",\"type\":\"SCALAR\""),
        2 => push_literal(out, ",\"type\":\"VEC2\""),
        3 => push_literal(out, ",\"type\":\"VEC3\""),
        4 => push_literal(out, ",\"type\":\"VEC4\""),
        _ => push_literal(out, ",\"type\":\"MAT4\""),
    }
    if shape.normalized {
        push_literal(out, ",\"normalized\":true");
    }
    if let Some((min, max)) = shape.bounds {
        push_literal(out, ",\"min\":");
        push_floats(out, min);
        push_literal(out, ",\"max\":");
        push_floats(out, max);
    }
    push_literal(out, "}");
}

/// Appends numbers in little-endian order.
pub(crate) fn put_floats(out: &mut Vec<u8>, values: &[f32]) {
    if cfg!(target_endian = "little") {
        out.extend_from_slice(bytemuck::cast_slice(values));
    } else {
        put_each(out, values.iter().map(|v| v.to_le_bytes()));
    }
}

/// Appends the bytes of many items, into space that is made at once: this is several times as fast as one by one.
pub(crate) fn put_each<const N: usize>(out: &mut Vec<u8>, items: impl ExactSizeIterator<Item = [u8; N]>) {
    let start = out.len();
    out.resize(start + items.len() * N, 0);
    let room = out.get_mut(start..).unwrap_or(&mut []);
    for (slot, item) in room.as_chunks_mut().0.iter_mut().zip(items) {
        *slot = item;
    }
}

/// Returns the minimum and maximum of every column.
pub(crate) fn bounds<const N: usize>(rows: &[[f32; N]]) -> ([f32; N], [f32; N]) {
    // Four rows at a time, so that the compiler can compare many numbers at once.
    let first = rows.first().copied().unwrap_or([0.0; N]);
    let (fours, rest) = rows.as_chunks::<4>();
    let mut wide = ([first; 4], [first; 4]);
    for four in fours {
        let (min, max) = &mut wide;
        stretch(min.as_flattened_mut(), max.as_flattened_mut(), four.as_flattened());
    }
    let (mut min, mut max) = (first, first);
    for row in wide.0.iter().chain(&wide.1).chain(rest) {
        stretch(&mut min, &mut max, row);
    }
    (min, max)
}

#[inline(always)]
fn stretch(min: &mut [f32], max: &mut [f32], values: &[f32]) {
    for (low, (high, value)) in min.iter_mut().zip(max.iter_mut().zip(values)) {
        // Not `f32::min`, which may return either of -0 and 0.
        *low = if value < low { *value } else { *low };
        *high = if value > high { *value } else { *high };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_the_lowest_and_highest_of_any_number_of_rows() {
        let mut seed = 5u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / 65536.0 - 128.0
        };
        for count in 1..40 {
            let rows: Vec<[f32; 3]> = (0..count).map(|_| [next(), next(), next()]).collect();
            let (min, max) = bounds(&rows);
            for column in 0..3 {
                let values = || rows.iter().map(|row| row[column]);
                assert_eq!(min[column], values().fold(f32::MAX, f32::min));
                assert_eq!(max[column], values().fold(f32::MIN, f32::max));
            }
        }
        assert_eq!(bounds::<3>(&[]), ([0.0; 3], [0.0; 3]));
    }
}
