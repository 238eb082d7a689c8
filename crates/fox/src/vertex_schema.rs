//! Shapes of interleaved vertices for the inspector, so that a byte of a vertex buffer has a name.

use galatea_wire::{Field, Kind, Schema, Wire};

use crate::wire::Element;

const HALF: Schema = Schema { name: "f16", size: 2, kind: Kind::F16, doc: "" };
const HALF_X4: Schema = Schema { name: "f16", size: 8, kind: Kind::Array(&HALF, 4), doc: "" };
const HALF_X2: Schema = Schema { name: "f16", size: 4, kind: Kind::Array(&HALF, 2), doc: "" };

/// Returns one attribute as the game's files have it: usage, type, and its field.
const fn attribute(usage: u8) -> (u8, Field) {
    let (format, name, schema, ty, doc): (u8, _, &'static Schema, _, _) = match usage {
        2 => (6, "normal", &HALF_X4, "[f16; 4]", "Unit normal, w = 1."),
        14 => (6, "tangent", &HALF_X4, "[f16; 4]", "Unit tangent; w is the side of the bitangent."),
        3 => (8, "colour", <[u8; 4]>::SCHEMA, "[u8; 4]", "Colour, RGBA."),
        1 => (8, "weights", <[u8; 4]>::SCHEMA, "[u8; 4]", "Bone weights; they sum to 255."),
        7 => (9, "bone_indices", <[u8; 4]>::SCHEMA, "[u8; 4]", "Indices into the mesh's bone group."),
        8 => (7, "uv0", &HALF_X2, "[f16; 2]", "Texture coordinates, V down."),
        9 => (7, "uv1", &HALF_X2, "[f16; 2]", "Second texture coordinates."),
        10 => (7, "uv2", &HALF_X2, "[f16; 2]", "Third texture coordinates."),
        _ => (7, "uv3", &HALF_X2, "[f16; 2]", "Fourth texture coordinates."),
    };
    (format, Field { name, offset: 0, schema, ty, doc })
}

/// Usages in the order in which the game interleaves them.
const ORDER: [u8; 9] = [2, 14, 3, 1, 7, 8, 9, 10, 11];
/// Layouts: a bit each for tangent, colour, bones, and the four UV sets.
const LAYOUTS: usize = 1 << 7;

/// Returns `true` if layout number `i` has this usage.
const fn has(i: usize, usage: u8) -> bool {
    match usage {
        2 => true,
        14 => i & 1 != 0,
        3 => i & 2 != 0,
        1 | 7 => i & 4 != 0,
        uv => i >> (uv - 8 + 3) & 1 != 0,
    }
}

const NONE: Field = attribute(2).1;

/// Returns the fields of every layout, how many there are, and the bytes they take.
#[allow(clippy::indexing_slicing)] // Computed when compiling: an index out of range would not build.
const fn fields() -> [([Field; 9], usize, usize); LAYOUTS] {
    let mut out = [([NONE; 9], 0, 0); LAYOUTS];
    let mut i = 0;
    while i < LAYOUTS {
        let mut k = 0;
        while k < ORDER.len() {
            if has(i, ORDER[k]) {
                let (_, mut field) = attribute(ORDER[k]);
                field.offset = out[i].2;
                out[i].2 += field.schema.size;
                out[i].0[out[i].1] = field;
                out[i].1 += 1;
            }
            k += 1;
        }
        i += 1;
    }
    out
}

static FIELDS: [([Field; 9], usize, usize); LAYOUTS] = fields();

#[allow(clippy::indexing_slicing)] // Computed when compiling: an index out of range would not build.
const fn schemas() -> [Schema; LAYOUTS] {
    let mut out =
        [Schema { name: "Vertex", size: 0, kind: Kind::U8, doc: "A vertex without its position." }; LAYOUTS];
    let mut i = 0;
    while i < LAYOUTS {
        out[i].size = FIELDS[i].2;
        out[i].kind = Kind::Struct(FIELDS[i].0.split_at(FIELDS[i].1).0);
        i += 1;
    }
    out
}

static SCHEMAS: [Schema; LAYOUTS] = schemas();

/// Returns the shape of these elements, all at places of their own and in order, in a vertex of this many bytes; `None`
/// if no game file has it.
pub(crate) fn vertex_schema(
    elements: impl Iterator<Item = Element> + Clone,
    stride: usize,
) -> Option<&'static Schema> {
    let mut layout = 0;
    for element in elements.clone() {
        layout |= match element.usage {
            14 => 1,
            3 => 2,
            1 | 7 => 4,
            uv @ 8..=11 => 1 << (uv - 8 + 3),
            2 => 0,
            _ => return None,
        };
    }
    let (fields, count, size) = FIELDS.get(layout)?;
    let fits = |(e, f): (Element, &Field)| {
        let (format, own) = attribute(e.usage);
        (e.format, usize::from(e.offset), own.name) == (format, f.offset, f.name)
    };
    let right = *size == stride && elements.clone().count() == *count && elements.zip(fields).all(fits);
    right.then(|| SCHEMAS.get(layout)).flatten()
}

/// Position alone, as the first buffer has it.
pub(crate) const POSITION: &Schema = <[f32; 3]>::SCHEMA;

#[cfg(test)]
mod tests {
    use super::*;

    fn element(usage: u8, format: u8, offset: u16) -> Element {
        Element { usage, format, offset }
    }

    #[test]
    fn the_games_layouts_have_a_shape() {
        let skinned = [(2, 6, 0), (14, 6, 8), (3, 8, 16), (1, 8, 20), (7, 9, 24), (8, 7, 28), (9, 7, 32)];
        let all = skinned.map(|(u, f, o)| element(u, f, o));
        let schema = vertex_schema(all.into_iter(), 36).unwrap();
        let Kind::Struct(fields) = schema.kind else { panic!() };
        assert_eq!(
            fields.iter().map(|f| f.name).collect::<Vec<_>>().join(" "),
            "normal tangent colour weights bone_indices uv0 uv1"
        );
        assert_eq!((schema.size, fields[6].offset), (36, 32));
    }

    #[test]
    fn other_layouts_have_none() {
        assert!(vertex_schema([element(2, 6, 0)].into_iter(), 8).is_some());
        assert!(vertex_schema([element(2, 1, 0)].into_iter(), 12).is_none());
        assert!(vertex_schema([element(2, 6, 0), element(8, 7, 12)].into_iter(), 16).is_none());
        assert!(vertex_schema([element(12, 8, 0)].into_iter(), 4).is_none());
        assert!(vertex_schema([element(2, 6, 0), element(9, 7, 8)].into_iter(), 12).is_some());
        assert!(vertex_schema([element(2, 6, 0), element(1, 8, 8)].into_iter(), 12).is_none());
        assert!(vertex_schema(std::iter::empty(), 0).is_none());
    }
}
