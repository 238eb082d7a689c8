//! Ground queries: the face below a point, and the nearest point of the surface.

use crate::bvh::EMPTY;
use crate::material::Materials;
use crate::mesh::{Walkmesh, plane_height};
use crate::ray::Exact;
use crate::traverse::{Column, span};
use crate::vector::{V3, dot3, f32s, nearest_on_triangle, plan, sub3, v3};

/// The vertical range in which ground is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// Maximum height of a face above the point.
    pub step: f32,
    /// Maximum depth of a face below the point.
    pub drop: f32,
}

impl Default for Reach {
    /// Returns a range of half a metre above and any distance below.
    fn default() -> Self {
        Reach { step: 0.5, drop: f32::INFINITY }
    }
}

/// The ground at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footing {
    /// The face.
    pub face: u32,
    /// Its height at the point.
    pub height: f32,
}

/// The nearest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The face it is on.
    pub face: u32,
    /// The point.
    pub point: [f32; 3],
    /// Its distance.
    pub distance: f64,
}

impl Walkmesh {
    /// Returns the walkable face at a point: the highest one within reach. Its normal is [`Walkmesh::normal`].
    ///
    /// ```
    /// # use galatea_walk::{Materials, Reach, Surface, Walkmesh};
    /// # let mesh = Walkmesh::new(Surface { positions: vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 2.0], [0.0, 4.0, 2.0]],
    /// #     faces: vec![[0, 1, 2], [0, 2, 3]], ..Surface::default() })?;
    /// let footing = mesh.locate([3.0, 1.0, 0.7], Reach::default()).expect("on the ramp");
    /// assert_eq!((footing.face, footing.height), (0, 0.5));
    /// assert!(mesh.locate([5.0, 1.0, 0.7], Reach::default()).is_none());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn locate(&self, point: [f32; 3], reach: Reach) -> Option<Footing> {
        self.locate_among(point, reach, self.walkable)
    }

    /// Returns the same, over faces of any given materials.
    pub fn locate_among(&self, point: [f32; 3], reach: Reach, of: Materials) -> Option<Footing> {
        let [x, y, z] = v3(point);
        let (above, below) = (z + f64::from(reach.step), z - f64::from(reach.drop));
        // A ray down from the upper end of the reach; distances are depths below it.
        let top = above.min(f64::from(self.bvh().extent) + 1.0);
        let exact = Exact::downward([x, y, top], top - below)?;
        let mut best = (f64::INFINITY, EMPTY);
        let heights = span(top, below);
        let column = Column { x: point[0], y: point[1], heights, downward: true };
        self.bvh().walk_column(column, &mut |face| {
            let depth = self.exact_hit(&exact, face, of)?;
            if depth < best.0 || (depth == best.0 && face < best.1) {
                best = (depth, face);
                return Some(span(top, top - depth));
            }
            None
        });
        (best.1 != EMPTY).then_some(Footing { face: best.1, height: (top - best.0) as f32 })
    }

    /// Returns the ground for a moving point: the last face and its neighbours are tried first. If one of them is below the
    /// point and within reach, it is returned even if another storey is nearer.
    pub fn locate_from(&self, hint: u32, point: [f32; 3], reach: Reach) -> Option<Footing> {
        if let Some(footing) = self.standing_on(hint, point, reach) {
            return Some(footing);
        }
        for edge in 0..3 {
            if let Some((next, _)) = self.neighbour(hint, edge)
                && let Some(footing) = self.standing_on(next, point, reach)
            {
                return Some(footing);
            }
        }
        self.locate(point, reach)
    }

    /// Returns the footing on this face, if it is walkable, below the point and within reach.
    #[inline]
    fn standing_on(&self, face: u32, point: [f32; 3], reach: Reach) -> Option<Footing> {
        let material = *self.materials.get(face as usize)?;
        let [ca, cb, cc] = self.corners(face)?;
        let (a, b, c, p) = (plan(ca), plan(cb), plan(cc), plan(point));
        let side = |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        let (w, u, v) = (side(a, b), side(b, c), side(c, a));
        let outside = (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0);
        let sum = u + v + w;
        if outside || sum == 0.0 || !self.walkable.contains(material) {
            return None;
        }
        let height = (u * f64::from(ca[2]) + v * f64::from(cb[2]) + w * f64::from(cc[2])) / sum;
        let z = f64::from(point[2]);
        let reached = height <= z + f64::from(reach.step) && height >= z - f64::from(reach.drop);
        reached.then_some(Footing { face, height: height as f32 })
    }

    /// Returns the point of the walkable surface nearest to a point, not farther than `within`. Of faces equally near,
    /// the one with the lowest number.
    ///
    /// ```
    /// # use galatea_walk::{Surface, Walkmesh};
    /// # let mesh = Walkmesh::new(Surface { positions: vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]],
    /// #     faces: vec![[0, 1, 2], [0, 2, 3]], ..Surface::default() })?;
    /// let nearest = mesh.closest_point([6.0, 1.0, 0.0], f32::INFINITY).expect("there is a surface");
    /// assert_eq!((nearest.point, nearest.distance), ([4.0, 1.0, 0.0], 2.0));
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn closest_point(&self, point: [f32; 3], within: f32) -> Option<Nearest> {
        self.closest_point_among(point, within, self.walkable)
    }

    /// Returns the same, over faces of any given materials.
    pub fn closest_point_among(&self, point: [f32; 3], within: f32, of: Materials) -> Option<Nearest> {
        if !point.iter().all(|c| c.is_finite()) || within.is_nan() || within < 0.0 {
            return None;
        }
        let p = v3(point);
        let mut best = (f64::from(within) * f64::from(within), EMPTY, p);
        self.bvh().walk_near(point, within, &mut |face| {
            if of.contains(*self.materials.get(face as usize)?) {
                let q: V3 = nearest_on_triangle(p, self.corners64(face));
                let d = sub3(p, q);
                let d = dot3(d, d);
                if d < best.0 || (d == best.0 && face < best.1) {
                    best = (d, face, q);
                    return Some(d.sqrt());
                }
            }
            None
        });
        (best.1 != EMPTY).then(|| Nearest { face: best.1, point: f32s(best.2), distance: best.0.sqrt() })
    }
}

impl Footing {
    /// Returns the footing on a known face.
    pub(crate) fn on(mesh: &Walkmesh, face: u32, x: f64, y: f64) -> Footing {
        Footing { face, height: plane_height(mesh.corners64(face), x, y) as f32 }
    }
}
