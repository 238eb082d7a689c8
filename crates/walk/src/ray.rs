//! Rays: the nearest hit, any hit, all hits. Watertight: a ray through a shared edge or corner hits.

use crate::bvh::EMPTY;
use crate::material::Materials;
use crate::mesh::Walkmesh;
use crate::traverse::{Column, span};
use crate::vector::{V3, add_scaled3, f32s, sub3, v3};

/// Faces and rays with coordinates of this size or more are ignored.
pub(crate) const FARTHEST: f32 = 1e18;

/// A ray, or a segment if it has a `length`.
///
/// ```
/// use galatea_walk::Ray;
/// let down = Ray::new([1.0, 2.0, 10.0], [0.0, 0.0, -1.0]);
/// let sight = Ray::between([0.0, 0.0, 1.7], [8.0, 3.0, 1.7]);
/// assert_eq!((down.length, sight.length), (f32::INFINITY, 1.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Start point.
    pub origin: [f32; 3],
    /// Direction, of any length but zero.
    pub direction: [f32; 3],
    /// Length, in lengths of `direction`.
    pub length: f32,
}

impl Ray {
    /// Returns an infinite ray.
    pub const fn new(origin: [f32; 3], direction: [f32; 3]) -> Ray {
        Ray { origin, direction, length: f32::INFINITY }
    }

    /// Returns the segment from one point to another. Distances along it run from 0 to 1.
    pub fn between(from: [f32; 3], to: [f32; 3]) -> Ray {
        let direction = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        Ray { origin: from, direction, length: 1.0 }
    }

    /// Returns the ray limited to this many lengths of its direction.
    #[must_use]
    pub const fn up_to(mut self, length: f32) -> Ray {
        self.length = length;
        self
    }

    /// Returns the point at a distance.
    pub fn point(&self, distance: f64) -> [f32; 3] {
        f32s(add_scaled3(v3(self.origin), v3(self.direction), distance))
    }
}

/// An intersection of a ray with a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The face.
    pub face: u32,
    /// Distance along the ray, in lengths of its direction.
    pub distance: f64,
}

impl Walkmesh {
    /// Returns the nearest hit with a face of these materials, from either side. Of faces at the same distance, the one with
    /// the lowest index is hit. A ray that is not finite, starts 1e18 away or farther, or has no direction hits nothing.
    ///
    /// ```
    /// # use galatea_walk::{Materials, Ray, Surface, Walkmesh};
    /// # let mesh = Walkmesh::new(Surface { positions: vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]],
    /// #     faces: vec![[0, 1, 2], [0, 2, 3]], ..Surface::default() })?;
    /// let hit = mesh.nearest(&Ray::new([2.0, 2.0, 5.0], [0.0, 0.0, -1.0]), Materials::ALL);
    /// assert_eq!(hit.map(|h| (h.face, h.distance)), Some((0, 5.0)));
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn nearest(&self, ray: &Ray, of: Materials) -> Option<Hit> {
        let exact = Exact::new(ray)?;
        let mut best = Hit { face: EMPTY, distance: exact.length };
        if exact.is_vertical() {
            let (start, run) = (exact.origin[2], exact.direction[2]);
            self.bvh().walk_column(Column::along(&exact, best.distance), &mut |face| {
                if let Some(distance) = self.exact_hit(&exact, face, of)
                    && (distance < best.distance || (distance == best.distance && face < best.face))
                {
                    best = Hit { face, distance };
                    return Some(span(start, start + run * distance));
                }
                None
            });
            return (best.face != EMPTY).then_some(best);
        }
        self.bvh().walk(&exact, &mut |face| {
            if let Some(distance) = self.exact_hit(&exact, face, of)
                && (distance < best.distance || (distance == best.distance && face < best.face))
            {
                best = Hit { face, distance };
            }
            Some(best.distance)
        });
        (best.face != EMPTY).then_some(best)
    }

    /// Returns `true` if the ray hits any face of these materials. For a line of sight, `of` are the materials that block it.
    ///
    /// ```
    /// # use galatea_walk::{Materials, Ray, Surface, Walkmesh};
    /// # let mesh = Walkmesh::new(Surface { positions: vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]],
    /// #     faces: vec![[0, 1, 2], [0, 2, 3]], ..Surface::default() })?;
    /// let through_the_floor = Ray::between([1.0, 1.0, 1.0], [2.0, 1.0, -1.0]);
    /// assert!(mesh.any_hit(&through_the_floor, Materials::ALL));
    /// assert!(!mesh.any_hit(&through_the_floor, Materials::ALL.without(&[0])));
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn any_hit(&self, ray: &Ray, of: Materials) -> bool {
        let Some(exact) = Exact::new(ray) else { return false };
        let mut found = false;
        self.bvh().walk(&exact, &mut |face| {
            found = self.exact_hit(&exact, face, of).is_some();
            (!found).then_some(exact.length)
        });
        found
    }

    /// Returns all hits with faces of these materials by distance, then by index. A ray through a shared edge hits both of its
    /// faces.
    pub fn all_hits(&self, ray: &Ray, of: Materials) -> Vec<Hit> {
        let mut out = Vec::new();
        let Some(exact) = Exact::new(ray) else { return out };
        self.bvh().walk(&exact, &mut |face| {
            if let Some(distance) = self.exact_hit(&exact, face, of) {
                out.push(Hit { face, distance });
            }
            Some(exact.length)
        });
        sort_hits(&mut out);
        out
    }

    #[inline]
    pub(crate) fn exact_hit(&self, exact: &Exact, face: u32, of: Materials) -> Option<f64> {
        let &[a, b, c] = self.faces.get(face as usize)?;
        if of != Materials::ALL && !of.contains(*self.materials.get(face as usize)?) {
            return None;
        }
        let corner = |v: u32| self.positions.get(v as usize).map(|p| v3(*p));
        exact.hit([corner(a)?, corner(b)?, corner(c)?])
    }
}

pub(crate) fn sort_hits(hits: &mut [Hit]) {
    hits.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.face.cmp(&b.face)));
}

/// The ray in f64, sheared so that it runs along one axis (Woop, Benthin, Wald: Watertight Ray/Triangle Intersection).
///
/// Shared corners are computed identically for each face, and the sign of a difference of two rounded products is never
/// wrong (at worst it is zero, which counts as inside), so a ray cannot pass between two faces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact {
    pub(crate) origin: V3,
    pub(crate) direction: V3,
    pub(crate) length: f64,
    axis: usize,
    shear: [f64; 3],
}

impl Exact {
    #[inline]
    pub(crate) fn new(ray: &Ray) -> Option<Exact> {
        let (origin, direction) = (v3(ray.origin), v3(ray.direction));
        let size = [direction[0].abs(), direction[1].abs(), direction[2].abs()];
        // Nothing is farther away, and the products of the f32 filter would overflow.
        let near = origin.iter().all(|c| c.abs() < f64::from(FARTHEST));
        let finite = near && direction.iter().all(|c| c.is_finite());
        let positive = size[0] > 0.0 || size[1] > 0.0 || size[2] > 0.0;
        if !finite || !positive || ray.length.is_nan() || ray.length < 0.0 {
            return None;
        }
        let axis = if size[2] >= size[0] && size[2] >= size[1] {
            2
        } else if size[0] >= size[1] {
            0
        } else {
            1
        };
        let d = turn(direction, axis);
        let inverse = 1.0 / d[2];
        let shear = [d[0] * inverse, d[1] * inverse, inverse];
        Some(Exact { origin, direction, length: f64::from(ray.length), axis, shear })
    }

    /// Returns a vertical ray downwards.
    #[inline]
    pub(crate) fn downward(origin: V3, length: f64) -> Option<Exact> {
        let sound = origin.iter().all(|c| c.is_finite()) && length >= 0.0;
        let down = Exact { origin, direction: [0.0, 0.0, -1.0], length, axis: 2, shear: [0.0, 0.0, -1.0] };
        sound.then_some(down)
    }

    #[inline]
    pub(crate) fn is_vertical(&self) -> bool {
        self.direction[0] == 0.0 && self.direction[1] == 0.0
    }

    /// Returns the distance at which the triangle is hit. Triangles seen edge-on are not hit.
    #[inline]
    pub(crate) fn hit(&self, corners: [V3; 3]) -> Option<f64> {
        let [a, b, c] = [
            turn(sub3(corners[0], self.origin), self.axis),
            turn(sub3(corners[1], self.origin), self.axis),
            turn(sub3(corners[2], self.origin), self.axis),
        ];
        let [sx, sy, sz] = self.shear;
        let (ax, ay) = (a[0] - sx * a[2], a[1] - sy * a[2]);
        let (bx, by) = (b[0] - sx * b[2], b[1] - sy * b[2]);
        let (cx, cy) = (c[0] - sx * c[2], c[1] - sy * c[2]);
        let u = cx * by - cy * bx;
        let v = ax * cy - ay * cx;
        let w = bx * ay - by * ax;
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let sum = u + v + w;
        if sum == 0.0 {
            return None;
        }
        // Adding 0 turns -0 into 0: the distance to a face at the start of the ray does not depend on the face's orientation.
        let distance = (u * a[2] + v * b[2] + w * c[2]) * sz / sum + 0.0;
        (distance >= 0.0 && distance <= self.length).then_some(distance)
    }
}

/// Returns the coordinates rotated so that `axis` is last.
#[inline]
fn turn(p: V3, axis: usize) -> V3 {
    match axis {
        0 => [p[1], p[2], p[0]],
        1 => [p[2], p[0], p[1]],
        _ => p,
    }
}
