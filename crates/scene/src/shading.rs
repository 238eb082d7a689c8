//! Where editing programs cannot say how a surface is shaded.

use glam::Vec3;

use crate::Bounds;

/// Returns for each vertex whether programs that store normals relative to faces, such as Blender, lose its normal: those of triangles
/// without area to speak of, and those whose triangles face each other's backs.
///
/// ```
/// use galatea_scene::weak_vertices;
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]];
/// assert_eq!(weak_vertices(&corners, &[[0, 1, 2]]), [false; 4]);
/// // A line, and a leaf that is folded.
/// assert_eq!(weak_vertices(&corners, &[[0, 2, 3]]), [true, false, true, true]);
/// assert_eq!(weak_vertices(&corners, &[[0, 1, 2], [0, 3, 1]]), [true, true, false, false]);
/// ```
pub fn weak_vertices(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<bool> {
    let size = Bounds::around(positions.iter().copied()).map_or(0.0, |bounds| bounds.size());
    let mut weak = vec![false; positions.len()];
    // The sum of the directions in which the triangles of each vertex face, and their number.
    let mut facing: Vec<(Vec3, f32)> = vec![(Vec3::ZERO, 0.0); positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| positions.get(i as usize).map_or(Vec3::NAN, |p| Vec3::from(*p)));
        let normal = (b - a).cross(c - a);
        let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
        let area = normal.length();
        // Not a number, as well.
        let flat = !(area > FLAT * longest && area > SMALL * size * size);
        for i in triangle.map(|i| i as usize) {
            match (weak.get_mut(i), facing.get_mut(i)) {
                (Some(weak), _) if flat => *weak = true,
                (_, Some((sum, count))) => {
                    *sum += normal / area;
                    *count += 1.0;
                }
                _ => {}
            }
        }
    }
    for (weak, (sum, count)) in weak.iter_mut().zip(facing) {
        *weak |= sum.length() < count * FOLDED;
    }
    weak
}

/// Triangles of less height than this share of their length have no area to speak of.
const FLAT: f32 = 1e-4;

/// Neither have those of less area than this share of the square around the mesh.
const SMALL: f32 = 1e-6;

/// A vertex is folded if the directions of its triangles sum up to less than this share of their number.
const FOLDED: f32 = 0.5;
