//! Box, mean point, radius and area of a mesh.

use std::collections::HashSet;

use super::super::{Face, Mesh};
use super::vector::{V, add, cross, f, length, scale, sub, v};

/// Returns the box around points. Without points, a box at the origin.
pub fn bounds(positions: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let mut points = positions.iter();
    let Some(first) = points.next() else { return [[0.0; 3]; 2] };
    points.fold([*first; 2], |[[ax, ay, az], [bx, by, bz]], [x, y, z]| {
        [[ax.min(*x), ay.min(*y), az.min(*z)], [bx.max(*x), by.max(*y), bz.max(*z)]]
    })
}

/// Returns the mean of the distinct positions, as computed by the game's compiler.
pub fn average(positions: &[[f32; 3]]) -> [f32; 3] {
    let mut seen = HashSet::with_capacity(positions.len());
    let mut sum: V = [0.0; 3];
    for p in positions {
        if seen.insert(p.map(f32::to_bits)) {
            sum = add(sum, v(*p));
        }
    }
    if seen.is_empty() { [0.0; 3] } else { f(scale(sum, 1.0 / seen.len() as f64)) }
}

/// Returns the greatest distance of a position from a point.
pub fn radius(positions: &[[f32; 3]], from: [f32; 3]) -> f32 {
    positions.iter().map(|p| length(sub(v(*p), v(from)))).fold(0.0, f64::max) as f32
}

/// Returns the corners of a face; `None` if one does not exist.
pub(crate) fn corners(positions: &[[f32; 3]], face: &Face) -> Option<[V; 3]> {
    let [a, b, c] = face.vertices;
    let at = |i: u16| positions.get(usize::from(i)).map(|p| v(*p));
    Some([at(a)?, at(b)?, at(c)?])
}

/// Returns the area of one triangle.
pub(crate) fn face_area([a, b, c]: [V; 3]) -> f64 {
    length(cross(sub(b, a), sub(c, a))) / 2.0
}

/// Returns the sum of the areas of the faces.
pub fn area(positions: &[[f32; 3]], faces: &[Face]) -> f32 {
    faces.iter().filter_map(|face| corners(positions, face)).map(face_area).sum::<f64>() as f32
}

impl Mesh {
    /// Derives box, mean point, radius and area from positions and faces.
    ///
    /// ```
    /// let mut mesh = galatea_kotor::mdl::Mesh::default();
    /// mesh.vertices.positions = vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    /// mesh.derive_bounds();
    /// assert_eq!(mesh.bounds[1], [2.0, 2.0, 0.0]);
    /// ```
    pub fn derive_bounds(&mut self) {
        let positions = &self.vertices.positions;
        self.bounds = bounds(positions);
        self.average = average(positions);
        self.radius = radius(positions, self.average);
        self.area = area(positions, &self.faces);
    }
}
