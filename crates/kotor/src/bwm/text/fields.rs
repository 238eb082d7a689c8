//! The tables of a walkmesh as fields of the sidecar.

use super::parse::NodeDraft;
use crate::bwm::{AabbNode, Edge, Kind, Walkmesh};
use crate::text::encode::{Field, Kind as How, Words, put_list, take_list};
use crate::text::sidecar::{Guard, Sidecar};
use galatea_wire::StableHash;

macro_rules! whole {
    ($name:ident, $tag:literal, $how:ident, $field:ident) => {
        static $name: Field<Walkmesh> = Field {
            tag: $tag,
            kind: How::$how,
            get: |m, out| put_list(&m.$field, out),
            set: |m, words| {
                m.$field = take_list(words)?;
                Some(())
            },
        };
    };
}
whole!(VERTICES, "VERT", Whole, vertices);
whole!(FACES, "FACE", Whole, faces);
whole!(MATERIALS, "MATE", Whole, materials);
whole!(NORMALS, "NORM", Whole, normals);
whole!(DISTANCES, "DIST", Whole, distances);
whole!(ADJACENCY, "ADJA", Whole, adjacency);
whole!(PERIMETERS, "PERI", Whole, perimeters);

static EDGES: Field<Walkmesh> = Field {
    tag: "EDGE",
    kind: How::Whole,
    get: |m, out| m.edges.iter().for_each(|e| out.extend([e.edge, e.transition as u32])),
    set: |m, words| {
        let pairs = words.chunks_exact(2).filter_map(|p| p.first_chunk::<2>());
        m.edges = pairs.map(|[edge, room]| Edge { edge: *edge, transition: *room as i32 }).collect();
        Some(())
    },
};

static TREE: Field<Walkmesh> = Field {
    tag: "AABB",
    kind: How::Whole,
    get: |m, out| {
        for node in &m.aabb {
            node.min.put(out);
            node.max.put(out);
            out.extend([node.face as u32, node.unknown_0x1c, node.plane, node.left, node.right]);
        }
    },
    set: |m, words| {
        if !words.len().is_multiple_of(11) {
            return None;
        }
        let mut nodes = Vec::new();
        let mut words = words;
        while !words.is_empty() {
            let (min, max) = (Words::take(&mut words)?, Words::take(&mut words)?);
            let [face, unknown_0x1c, plane, left, right] = Words::take(&mut words)?;
            let face: u32 = face;
            nodes.push(AabbNode { min, max, face: face as i32, unknown_0x1c, plane, left, right });
        }
        m.aabb = nodes;
        Some(())
    },
};

static HEADER: Field<Walkmesh> = Field {
    tag: "HEAD",
    kind: How::Scalars,
    get: |m, out| {
        out.push(m.kind.code());
        m.relative_use.put(out);
        m.absolute_use.put(out);
        m.position.put(out);
        out.push(m.aabb_root);
    },
    set: |m, mut words| {
        let kind: u32 = Words::take(&mut words)?;
        m.kind = Kind::from(kind);
        m.relative_use = Words::take(&mut words)?;
        m.absolute_use = Words::take(&mut words)?;
        m.position = Words::take(&mut words)?;
        m.aabb_root = Words::take(&mut words)?;
        Some(())
    },
};

/// Completes a walkmesh from the sidecar, or records where it differs from the real one.
pub(super) fn complete(
    mesh: &mut Walkmesh,
    node: &NodeDraft<'_>,
    index: usize,
    real: Option<&Walkmesh>,
    sidecar: &mut Sidecar<'_>,
) {
    let shape = StableHash::new()
        .floats(node.verts.iter().map(|v| &v[..]))
        .words(node.faces.iter().flatten().copied())
        .words(node.materials.iter().copied());
    let border = shape.words(node.links.iter().flat_map(|(edge, room)| [*edge, *room as u32]));
    sidecar.enter(0, StableHash::new().bytes(&node.name).words([index as u32]).finish());
    sidecar.field(mesh, real, &HEADER, Guard::Own);
    for field in [&VERTICES, &FACES, &MATERIALS, &NORMALS, &DISTANCES, &ADJACENCY, &TREE] {
        sidecar.field(mesh, real, field, Guard::Lines(shape.finish()));
    }
    for field in [&EDGES, &PERIMETERS] {
        sidecar.field(mesh, real, field, Guard::Lines(border.finish()));
    }
}
