//! Lightsaber blades: 176 vertices in the file, 16 in text.

use crate::mdl::{Face, Mesh, PositionCopy};

/// Vertices of a blade in the file.
pub(crate) const FULL: usize = 176;
/// Rows of the file that the text has; the others are copies.
const PRINTED: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 88, 89, 90, 91, 92, 93, 94, 95];

/// Returns the 16 of 176 rows that the text has.
pub(crate) fn printed<T: Copy>(full: &[T]) -> Vec<T> {
    PRINTED.iter().filter_map(|i| full.get(*i).copied()).collect()
}

/// Returns all 176 rows, given the 16 of the text: each half is an inner edge, an outer edge, and 20 copies of the
/// inner one.
fn full<T: Copy>(printed: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(FULL);
    for half in printed.chunks_exact(8) {
        let (inner, _) = half.split_at(4);
        out.extend_from_slice(half);
        for _ in 0..20 {
            out.extend_from_slice(inner);
        }
    }
    out
}

/// Builds a blade from 16 or 176 rows. Returns `false` for other numbers.
pub(crate) fn build(mesh: &mut Mesh, verts: &[[f32; 3]], uvs: &[[f32; 2]], faces: Vec<Face>) -> bool {
    let Some(saber) = mesh.saber.as_deref_mut() else { return false };
    (saber.positions, saber.uvs) = match (verts.len(), uvs.len()) {
        (16, 16) => (full(verts), full(uvs)),
        (FULL, FULL) => (verts.to_vec(), uvs.to_vec()),
        _ => return false,
    };
    mesh.vertices.positions = saber.positions.clone();
    mesh.mdl_positions = PositionCopy::Same;
    mesh.indices = crate::mdl::IndexLists::Own(Vec::new());
    mesh.texture_count = 1;
    mesh.faces = faces;
    if verts.len() == 16 {
        for corner in mesh.faces.iter_mut().flat_map(|f| &mut f.vertices) {
            *corner = PRINTED.get(usize::from(*corner)).map_or(0, |i| *i as u16);
        }
    }
    true
}
