//! Fewer triangles with the same vertices: edge collapses in the order of their quadric error.
//!
//! A vertex only ever moves onto a neighbour, so that all levels of detail share one vertex array, as the format wants it.
//! Vertices at one place (seams of UVs or normals) move together, each along its own side of the seam; borders stay
//! borders; no triangle is turned over.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Sum of squared distances to planes, as a symmetric 4x4 matrix.
#[derive(Debug, Clone, Copy, Default)]
struct Quadric([f64; 10]);

type Point = [f64; 3];

fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Quadric {
    /// Returns the plane through a point, with a normal of length 1.
    fn plane(normal: Point, point: Point, weight: f64) -> Quadric {
        let [a, b, c] = normal;
        let d = -dot(normal, point);
        let all = [a * a, a * b, a * c, a * d, b * b, b * c, b * d, c * c, c * d, d * d];
        Quadric(all.map(|x| x * weight))
    }

    fn add(&mut self, other: Quadric) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }

    fn error(&self, p: Point) -> f64 {
        let [x, y, z] = p;
        let [aa, ab, ac, ad, bb, bc, bd, cc, cd, dd] = self.0;
        let cross = ab * x * y + ac * x * z + bc * y * z + ad * x + bd * y + cd * z;
        aa * x * x + bb * y * y + cc * z * z + 2.0 * cross + dd
    }
}

/// How strongly borders are held, compared to surfaces.
const BORDER: f64 = 10.0;
/// The least cosine between a triangle's normal before and after a collapse.
const TURN: f64 = 0.2;

/// Returns the triangles left when there are no more than each of these numbers, from large to small. Levels that
/// cannot be reached stop where nothing more can be taken away without harm.
///
/// ```
/// // Two triangles that make a flat square cannot do with one.
/// let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
/// let levels = galatea_scene::simplify(&positions, &[[0, 1, 2], [2, 1, 3]], &[2]);
/// assert_eq!(levels, [vec![[0, 1, 2], [2, 1, 3]]]);
/// ```
pub fn simplify(positions: &[[f32; 3]], faces: &[[u32; 3]], targets: &[usize]) -> Vec<Vec<[u32; 3]>> {
    let mut work = Collapse::new(positions, faces);
    targets
        .iter()
        .map(|target| {
            work.reduce(*target);
            work.faces.iter().flatten().copied().collect()
        })
        .collect()
}

/// Cost of a collapse as bits, which place goes onto which, and their stamps when that was computed; cheapest first.
type Candidate = Reverse<(u64, u32, u32, u32, u32)>;

/// A mesh being reduced. A corner is a vertex of the file; a place is where one or several corners are.
struct Collapse {
    /// Place of each corner.
    place: Vec<u32>,
    /// Where each place is.
    points: Vec<Point>,
    /// Triangles by their corners; `None` when collapsed.
    faces: Vec<Option<[u32; 3]>>,
    /// Triangles at each place; may still list some that are gone.
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    border: Vec<bool>,
    /// Places that must not move: edges with more than two triangles.
    locked: Vec<bool>,
    /// Counts changes of each place, so that outdated candidates are known.
    stamp: Vec<u32>,
    heap: BinaryHeap<Candidate>,
    left: usize,
}

impl Collapse {
    fn new(positions: &[[f32; 3]], faces: &[[u32; 3]]) -> Collapse {
        let mut known: HashMap<[u32; 3], u32> = HashMap::new();
        let mut points: Vec<Point> = Vec::new();
        let mut place = Vec::with_capacity(positions.len());
        for p in positions {
            let key = p.map(|x| (x + 0.0).to_bits());
            let next = points.len() as u32;
            place.push(*known.entry(key).or_insert(next));
            if known.len() > points.len() {
                points.push(p.map(f64::from));
            }
        }
        let n = points.len();
        let mut out = Collapse {
            place,
            points,
            faces: Vec::new(),
            around: vec![Vec::new(); n],
            quadrics: vec![Quadric::default(); n],
            border: vec![false; n],
            locked: vec![false; n],
            stamp: vec![0; n],
            heap: BinaryHeap::new(),
            left: 0,
        };
        // Triangles without surface are not worth keeping at any lower level.
        out.faces = faces.iter().filter(|f| out.normal(**f).is_some()).map(|f| Some(*f)).collect();
        out.left = out.faces.len();
        out.begin();
        out
    }

    fn places(&self, face: [u32; 3]) -> [u32; 3] {
        face.map(|corner| self.place.get(corner as usize).copied().unwrap_or(0))
    }

    fn point(&self, place: u32) -> Point {
        self.points.get(place as usize).copied().unwrap_or_default()
    }

    /// Returns the normal of a triangle, as long as twice its area; `None` without surface.
    fn normal(&self, face: [u32; 3]) -> Option<Point> {
        if face.iter().any(|c| *c as usize >= self.place.len()) {
            return None;
        }
        let places = self.places(face);
        let [a, b, c] = places.map(|p| self.point(p));
        let normal = cross(sub(b, a), sub(c, a));
        let length = dot(normal, normal);
        (length > 0.0 && length.is_finite()).then_some(normal)
    }

    fn begin(&mut self) {
        let mut edges: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
        let faces: Vec<(u32, [u32; 3])> =
            self.faces.iter().enumerate().filter_map(|(i, f)| Some((i as u32, (*f)?))).collect();
        for (i, face) in &faces {
            let places = self.places(*face);
            let Some(normal) = self.normal(*face) else { continue };
            let length = dot(normal, normal).sqrt();
            let unit = normal.map(|x| x / length);
            let quadric = Quadric::plane(unit, self.point(places[0]), length / 2.0);
            for (k, p) in places.iter().enumerate() {
                if let Some(around) = self.around.get_mut(*p as usize) {
                    around.push(*i);
                }
                if let Some(own) = self.quadrics.get_mut(*p as usize) {
                    own.add(quadric);
                }
                let q = places.get((k + 1) % 3).copied().unwrap_or(*p);
                let edge = edges.entry((*p.min(&q), *p.max(&q))).or_insert((0, *i));
                edge.0 += 1;
            }
        }
        let mut sorted: Vec<((u32, u32), (u32, u32))> = edges.into_iter().collect();
        sorted.sort_unstable();
        for ((p, q), (count, face)) in &sorted {
            if *count == 1 {
                let face = self.faces.get(*face as usize).copied().flatten();
                if let Some(normal) = face.and_then(|f| self.normal(f)) {
                    let way = sub(self.point(*q), self.point(*p));
                    let side = cross(way, normal);
                    let length = dot(side, side).sqrt();
                    let weight = dot(way, way) * BORDER;
                    let quadric = Quadric::plane(side.map(|x| x / length), self.point(*p), weight);
                    for place in [p, q] {
                        if let Some(own) = self.quadrics.get_mut(*place as usize) {
                            own.add(quadric);
                        }
                    }
                }
            }
            for place in [p, q] {
                if let (Some(border), Some(locked)) =
                    (self.border.get_mut(*place as usize), self.locked.get_mut(*place as usize))
                {
                    *border |= *count == 1;
                    *locked |= *count > 2;
                }
            }
        }
        for ((p, q), _) in sorted {
            self.propose(p, q);
            self.propose(q, p);
        }
    }

    /// Puts the collapse of `p` onto `q` on the list.
    fn propose(&mut self, p: u32, q: u32) {
        let (a, b) = (p as usize, q as usize);
        if self.locked.get(a).copied().unwrap_or(true) {
            return;
        }
        let (Some(mut quadric), Some(other)) = (self.quadrics.get(a).copied(), self.quadrics.get(b)) else {
            return;
        };
        quadric.add(*other);
        let cost = quadric.error(self.point(q)).max(0.0);
        if let (true, Some(x), Some(y)) = (cost.is_finite(), self.stamp.get(a), self.stamp.get(b)) {
            // Floats that are not negative sort like their bits.
            self.heap.push(Reverse((cost.to_bits(), p, q, *x, *y)));
        }
    }

    fn reduce(&mut self, target: usize) {
        while self.left > target {
            let Some(Reverse((_, p, q, x, y))) = self.heap.pop() else { return };
            let fresh = |place: u32, stamp: u32| self.stamp.get(place as usize) == Some(&stamp);
            if fresh(p, x) && fresh(q, y) {
                self.collapse(p, q);
            }
        }
    }

    /// Returns the triangles that are still at a place.
    fn live(&self, place: u32) -> Vec<(u32, [u32; 3])> {
        let around = self.around.get(place as usize).map_or(&[][..], |a| a);
        around.iter().filter_map(|i| Some((*i, self.faces.get(*i as usize).copied().flatten()?))).collect()
    }

    /// Collapses `p` onto `q` if that does no harm.
    fn collapse(&mut self, p: u32, q: u32) {
        let here = self.live(p);
        let there = self.live(q);
        // Each corner at p goes to the corner at q on its own side of any seam.
        let mut moves: Vec<(u32, u32)> = Vec::new();
        let mut shared = 0;
        for (_, face) in &here {
            let places = self.places(*face);
            let at = |place: u32| places.iter().position(|x| *x == place).and_then(|i| face.get(i));
            if let (Some(from), Some(to)) = (at(p), at(q)) {
                shared += 1;
                match moves.iter().find(|(f, _)| f == from) {
                    Some((_, known)) if known != to => return,
                    Some(_) => {}
                    None => moves.push((*from, *to)),
                }
            }
        }
        let border = |place: u32| self.border.get(place as usize).copied().unwrap_or(true);
        if shared == 0 || shared > 2 || border(p) && (shared != 1 || !border(q)) {
            return;
        }
        if !self.link_is_sound(p, q, &here, &there, shared) {
            return;
        }
        let mut moved: Vec<(u32, [u32; 3])> = Vec::with_capacity(here.len());
        for (i, face) in &here {
            let places = self.places(*face);
            if places.contains(&q) {
                continue;
            }
            let mut new = *face;
            for (corner, place) in new.iter_mut().zip(places) {
                if place == p {
                    let Some((_, to)) = moves.iter().find(|(from, _)| from == corner) else { return };
                    *corner = *to;
                }
            }
            let (Some(before), Some(after)) = (self.normal(*face), self.normal(new)) else { return };
            let lengths = (dot(before, before) * dot(after, after)).sqrt();
            if dot(before, after) < TURN * lengths {
                return;
            }
            moved.push((*i, new));
        }
        self.apply(p, q, &here, &moved);
    }

    /// Returns `true` if p and q share only the neighbours across their common triangles; otherwise the surface would
    /// be pinched.
    fn link_is_sound(
        &self,
        p: u32,
        q: u32,
        here: &[(u32, [u32; 3])],
        there: &[(u32, [u32; 3])],
        shared: usize,
    ) -> bool {
        let ring = |faces: &[(u32, [u32; 3])]| {
            let mut out: Vec<u32> =
                faces.iter().flat_map(|(_, f)| self.places(*f)).filter(|x| *x != p && *x != q).collect();
            out.sort_unstable();
            out.dedup();
            out
        };
        let (a, b) = (ring(here), ring(there));
        a.iter().filter(|x| b.binary_search(x).is_ok()).count() == shared
    }

    fn apply(&mut self, p: u32, q: u32, here: &[(u32, [u32; 3])], moved: &[(u32, [u32; 3])]) {
        for (i, _) in here {
            if let Some(face) = self.faces.get_mut(*i as usize) {
                *face = None;
            }
        }
        for (i, new) in moved {
            if let Some(face) = self.faces.get_mut(*i as usize) {
                *face = Some(*new);
            }
        }
        self.left -= here.len() - moved.len();
        let quadric = self.quadrics.get(p as usize).copied().unwrap_or_default();
        if let Some(own) = self.quadrics.get_mut(q as usize) {
            own.add(quadric);
        }
        let mut around: Vec<u32> = self.live(q).into_iter().map(|(i, _)| i).collect();
        around.extend(moved.iter().map(|(i, _)| *i));
        if let Some(slot) = self.around.get_mut(q as usize) {
            *slot = around;
        }
        if let Some(slot) = self.around.get_mut(p as usize) {
            *slot = Vec::new();
        }
        for place in [p, q] {
            if let Some(stamp) = self.stamp.get_mut(place as usize) {
                *stamp += 1;
            }
        }
        let mut ring: Vec<u32> =
            self.live(q).iter().flat_map(|(_, f)| self.places(*f)).filter(|x| *x != q).collect();
        ring.sort_unstable();
        ring.dedup();
        for other in ring {
            self.propose(q, other);
            self.propose(other, q);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a flat grid of n x n quads.
    fn grid(n: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let side = n + 1;
        let positions = (0..side * side).map(|i| [(i % side) as f32, 0.0, (i / side) as f32]).collect();
        let mut faces = Vec::new();
        for z in 0..n {
            for x in 0..n {
                let at = z * side + x;
                faces.push([at, at + 1, at + side]);
                faces.push([at + 1, at + side + 1, at + side]);
            }
        }
        (positions, faces)
    }

    fn area(positions: &[[f32; 3]], faces: &[[u32; 3]]) -> f64 {
        let at = |i: u32| positions[i as usize];
        let triangle = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|i| at(i).map(f64::from));
            let normal = cross(sub(b, a), sub(c, a));
            dot(normal, normal).sqrt() / 2.0
        };
        faces.iter().map(|f| triangle(*f)).sum()
    }

    #[test]
    fn a_flat_grid_keeps_its_outline() {
        let (positions, faces) = grid(20);
        let levels = simplify(&positions, &faces, &[400, 100, 2]);
        assert!(levels[0].len() <= 400 && levels[1].len() <= 100, "{} {}", levels[0].len(), levels[1].len());
        assert!(levels[2].len() <= 8, "{}", levels[2].len());
        for level in &levels {
            assert!((area(&positions, level) - 400.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_seam_is_not_torn() {
        // Two halves that meet at x = 0 with vertices of their own.
        let (mut positions, mut faces) = grid(8);
        let n = positions.len() as u32;
        let (right, more) = grid(8);
        positions.extend(right.iter().map(|[x, y, z]| [x + 8.0, *y, *z]));
        faces.extend(more.iter().map(|f| f.map(|v| v + n)));
        let levels = simplify(&positions, &faces, &[20]);
        assert!(levels[0].len() <= 20, "{}", levels[0].len());
        assert!((area(&positions, &levels[0]) - 128.0).abs() < 1e-6);
        // No triangle has corners of both halves.
        assert!(levels[0].iter().all(|f| f.iter().all(|v| *v < n) || f.iter().all(|v| *v >= n)));
    }

    #[test]
    fn broken_input_is_survived() {
        assert_eq!(simplify(&[], &[[0, 1, 2]], &[0]), [Vec::<[u32; 3]>::new()]);
        let positions = [[f32::NAN; 3], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let faces = [[0, 1, 2], [1, 2, 3], [1, 2, 3], [1, 2, 3], [9, 9, 9], [1, 1, 1]];
        assert_eq!(simplify(&positions, &faces, &[1])[0].len(), 3);
    }
}
