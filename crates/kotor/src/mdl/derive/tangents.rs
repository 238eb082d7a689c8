//! Tangent space of vertices.
//!
//! The rules of the games' models: every face has a unit tangent along u and a unit bitangent along v. A vertex sums
//! them with equal weight over all faces at its position whose vertex there has the same normal, whatever their texture
//! coordinates. Sums are normalized but not orthogonalized. The file stores the bitangent (negated where the texture is
//! mirrored), the negated tangent, and the sum of the unit normals of the same faces.

use std::collections::HashMap;

use super::super::{Face, Mesh, TangentSpace};
use super::bounds::corners;
use super::faces::face_normal;
use super::vector::{V, add, f, length, normalize, scale, sub};

/// Used instead of the reciprocal of the area if a texture triangle has none.
const FLAT: f64 = 2406.6388;

/// Returns bitangent, negated tangent and normal of a face, as summed in a vertex.
fn of_face(points: [V; 3], uvs: [[f32; 2]; 3]) -> [V; 3] {
    let [a, b, c] = points;
    let (e1, e2) = (sub(b, a), sub(c, a));
    let [[u0, v0], [u1, v1], [u2, v2]] = uvs.map(|uv| uv.map(f64::from));
    let ((u1, v1), (u2, v2)) = ((u1 - u0, v1 - v0), (u2 - u0, v2 - v0));
    let area = u1 * v2 - v1 * u2;
    let factor = if area == 0.0 { FLAT } else { 1.0 / area };
    let mirrored = if area < 0.0 { -1.0 } else { 1.0 };
    let unit = |vector: V, sign: f64| {
        if length(vector) > 0.0 { scale(normalize(vector), sign) } else { [1.0, 0.0, 0.0] }
    };
    let tangent = scale(sub(scale(e1, v2), scale(e2, v1)), factor);
    let bitangent = scale(sub(scale(e2, u1), scale(e1, u2)), factor);
    [unit(bitangent, mirrored), unit(tangent, -1.0), face_normal(points)]
}

/// Returns the tangent space of every vertex for one set of texture coordinates. Empty if columns are missing.
pub fn tangent_space(
    positions: &[[f32; 3]],
    normals: &[[f32; 3]],
    uvs: &[[f32; 2]],
    faces: &[Face],
) -> Vec<TangentSpace> {
    if normals.len() != positions.len() || uvs.len() != positions.len() {
        return Vec::new();
    }
    // Vertices with equal position and normal are treated as one.
    let mut known: HashMap<[u32; 6], u32> = HashMap::with_capacity(positions.len());
    let place: Vec<u32> = positions
        .iter()
        .zip(normals)
        .map(|([x, y, z], [a, b, c])| {
            let next = known.len() as u32;
            *known.entry([x, y, z, a, b, c].map(|n| (n + 0.0).to_bits())).or_insert(next)
        })
        .collect();
    let mut sums = vec![[[0.0; 3]; 3]; known.len()];
    for face in faces {
        let [a, b, c] = face.vertices.map(usize::from);
        let (Some(points), Some(ua), Some(ub), Some(uc)) =
            (corners(positions, face), uvs.get(a), uvs.get(b), uvs.get(c))
        else {
            continue;
        };
        let space = of_face(points, [*ua, *ub, *uc]);
        let mut places = [a, b, c].map(|i| place.get(i).copied());
        // A face with two equal corners counts once.
        places.sort();
        let [first, second, third] = places;
        for at in [Some(first), (second != first).then_some(second), (third != second).then_some(third)] {
            if let Some(sum) = at.flatten().and_then(|p| sums.get_mut(p as usize)) {
                for (sum, vector) in sum.iter_mut().zip(space) {
                    *sum = add(*sum, vector);
                }
            }
        }
    }
    place
        .iter()
        .map(|p| sums.get(*p as usize).map_or([[0.0; 3]; 3], |sum| sum.map(|vector| f(normalize(vector)))))
        .collect()
}

impl Mesh {
    /// Derives the tangent space for one of the four textures (0 to 3). Without normals or texture coordinates the
    /// column becomes empty.
    pub fn derive_tangents(&mut self, texture: usize) {
        let v = &self.vertices;
        let Some(uvs) = v.uvs.get(texture) else { return };
        let tangents = tangent_space(&v.positions, &v.normals, uvs, &self.faces);
        if let Some(column) = self.vertices.tangents.get_mut(texture) {
            *column = tangents;
        }
    }
}
