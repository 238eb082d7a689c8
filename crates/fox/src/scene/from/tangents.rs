//! Tangents for meshes that come without them.

use glam::Vec3;

fn corners(positions: &[[f32; 3]], triangle: &[u32; 3]) -> Option<[Vec3; 3]> {
    let at = |i: &u32| positions.get(*i as usize).map(|p| Vec3::from(*p));
    let [a, b, c] = triangle;
    Some([at(a)?, at(b)?, at(c)?])
}

/// Tangents along U of unit length, square to the normals; the last number is the side of the bitangent.
pub(super) fn tangents(
    positions: &[[f32; 3]],
    normals: &[[f32; 3]],
    uvs: &[[f32; 2]],
    triangles: &[[u32; 3]],
) -> Vec<[f32; 4]> {
    let mut along = vec![(Vec3::ZERO, Vec3::ZERO); positions.len()];
    for triangle in triangles {
        let Some([p, q, r]) = corners(positions, triangle) else { continue };
        let uv = triangle.map(|i| uvs.get(i as usize).copied().unwrap_or_default());
        let [[au, av], [bu, bv], [cu, cv]] = uv;
        let (e, f) = (q - p, r - p);
        let ((s1, t1), (s2, t2)) = ((bu - au, bv - av), (cu - au, cv - av));
        let turn = if s1 * t2 - s2 * t1 < 0.0 { -1.0 } else { 1.0 };
        let (u, v) = ((e * t2 - f * t1) * turn, (f * s1 - e * s2) * turn);
        for i in triangle {
            if let Some(slot) = along.get_mut(*i as usize).filter(|_| u.is_finite() && v.is_finite()) {
                slot.0 += u;
                slot.1 += v;
            }
        }
    }
    let each = along.iter().zip(normals).map(|((u, v), normal)| {
        let n = Vec3::from(*normal);
        let flat = *u - n * n.dot(*u);
        let across = if n.x.abs() < 0.9 { Vec3::X } else { Vec3::Y };
        let t = flat.try_normalize().unwrap_or_else(|| n.cross(across).normalize_or(Vec3::X));
        // The bitangent points against V.
        let side = if n.cross(t).dot(*v) > 0.0 { -1.0 } else { 1.0 };
        [t.x, t.y, t.z, side]
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_on_the_ground_looks_up_and_runs_along_u() {
        let positions = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let normals = galatea_scene::smooth_normals(&positions, &triangles);
        assert_eq!(normals, [[0.0, 1.0, 0.0]; 4]);
        let uvs = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
        let tangents = tangents(&positions, &normals, &uvs, &triangles);
        // cross(N, T) points to -Z, which is against V.
        assert_eq!(tangents, [[1.0, 0.0, 0.0, 1.0]; 4]);
    }
}
