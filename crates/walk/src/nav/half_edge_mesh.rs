//! Convex pieces of the walkable plan, joined along their edges: the ground a path search runs on.

use crate::vector::{V2, at, cross2, distance2, dot2, lerp2, nearest_on_segment, orient, put, sub2};

/// No edge, vertex or polygon.
pub(crate) const NONE: u32 = u32::MAX;
/// Maximum number of corners of a merged polygon.
const MOST_CORNERS: u32 = 24;

/// Pieces under construction, as half-edges with their piece on the left.
#[derive(Debug, Default)]
pub(crate) struct HalfEdgeMesh {
    pub(crate) points: Vec<V2>,
    start: Vec<u32>,
    twin: Vec<u32>,
    next: Vec<u32>,
    prev: Vec<u32>,
    owner: Vec<u32>,
    pieces: Vec<Piece>,
    /// Smallest relevant length: narrower triangles are degenerate, and shorter edges cannot be crossed.
    pub(crate) slack: f64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Piece {
    /// The face it is a part of.
    pub(crate) face: u32,
    /// Cost per metre.
    pub(crate) cost: f64,
    /// Whether it has no area in the plan, as vertical and degenerate faces.
    pub(crate) flat: bool,
    first: u32,
    corners: u32,
    merged_into: u32,
}

impl HalfEdgeMesh {
    pub(crate) fn new(points: Vec<V2>) -> HalfEdgeMesh {
        let extent = points
            .iter()
            .flatten()
            .fold(0.0f64, |m, c| if c.abs() < f64::from(crate::ray::FARTHEST) { m.max(c.abs()) } else { m });
        HalfEdgeMesh { points, slack: extent * 1e-6, ..HalfEdgeMesh::default() }
    }

    /// Adds a convex piece; its corners are indices into `points`, counter-clockwise. Returns its first half-edge; the
    /// others follow in order.
    pub(crate) fn add(&mut self, ring: &[u32], face: u32, cost: f64, flat: bool) -> u32 {
        let (first, n) = (self.start.len() as u32, ring.len() as u32);
        let piece = self.pieces.len() as u32;
        for (i, &vertex) in (0u32..).zip(ring) {
            self.start.push(vertex);
            self.twin.push(NONE);
            self.next.push(first + (i + 1) % n);
            self.prev.push(first + (i + n - 1) % n);
            self.owner.push(piece);
        }
        self.pieces.push(Piece { face, cost, flat, first, corners: n, merged_into: piece });
        first
    }

    /// Joins two half-edges of opposite direction.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (from, to) = self.ends(a);
        if distance2(at(&self.points, from as usize), at(&self.points, to as usize)) <= self.slack {
            return;
        }
        put(&mut self.twin, a as usize, b);
        put(&mut self.twin, b as usize, a);
    }

    /// Returns the ends of a half-edge, as indices of points.
    pub(crate) fn ends(&self, edge: u32) -> (u32, u32) {
        (at(&self.start, edge as usize), at(&self.start, at(&self.next, edge as usize) as usize))
    }

    fn point(&self, edge: u32) -> V2 {
        at(&self.points, at(&self.start, edge as usize) as usize)
    }

    fn find(&mut self, mut piece: u32) -> u32 {
        loop {
            let up = self.pieces.get(piece as usize).map_or(piece, |p| p.merged_into);
            if up == piece {
                return piece;
            }
            let above = self.pieces.get(up as usize).map_or(up, |p| p.merged_into);
            if let Some(p) = self.pieces.get_mut(piece as usize) {
                p.merged_into = above;
            }
            piece = up;
        }
    }

    /// Merges neighbours of equal cost as long as the result is convex: across the longest sides of triangles first, then
    /// across edges that run along y, then across all others. Regular grids thus become strips, and strips become blocks.
    pub(crate) fn merge(&mut self) {
        let mut order: Vec<(u8, u32)> = (0u32..)
            .zip(&self.twin)
            .filter(|(e, t)| **t != NONE && *e < **t)
            .map(|(e, t)| {
                let (a, b) = self.ends(e);
                let d = sub2(at(&self.points, b as usize), at(&self.points, a as usize));
                let longest = self.is_longest(e, dot2(d, d)) && self.is_longest(*t, dot2(d, d));
                let rank = if longest { 0 } else { 1 + u8::from(d[0].abs() > d[1].abs()) };
                (rank, e)
            })
            .collect();
        order.sort_unstable();
        for _ in 0..4 {
            let mut changed = false;
            for &(_, edge) in &order {
                changed |= self.merge_across(edge);
            }
            if !changed {
                break;
            }
            order.retain(|&(_, e)| at(&self.twin, e as usize) != NONE);
        }
    }

    /// Returns `true` if no side of the edge's triangle is longer.
    fn is_longest(&self, edge: u32, square: f64) -> bool {
        let mut now = edge;
        (0..3).all(|_| {
            let (a, b) = self.ends(now);
            let d = sub2(at(&self.points, b as usize), at(&self.points, a as usize));
            now = at(&self.next, now as usize);
            dot2(d, d) <= square
        })
    }

    fn merge_across(&mut self, edge: u32) -> bool {
        let mate = self.twin.get(edge as usize).copied().unwrap_or(NONE);
        if mate == NONE {
            return false;
        }
        let (p, q) = (at(&self.owner, edge as usize), at(&self.owner, mate as usize));
        let (p, q) = (self.find(p), self.find(q));
        self.straighten(edge);
        self.straighten(mate);
        let (one, two) = (at_piece(&self.pieces, p), at_piece(&self.pieces, q));
        let corners = (one.corners + two.corners).saturating_sub(2);
        if p == q || one.flat || two.flat || one.cost != two.cost || corners > MOST_CORNERS {
            return false;
        }
        let (before, after) = (at(&self.prev, edge as usize), at(&self.next, edge as usize));
        let (mate_before, mate_after) = (at(&self.prev, mate as usize), at(&self.next, mate as usize));
        // A second shared section of the border would be inside the merged piece.
        if at(&self.twin, before as usize) == mate_after || at(&self.twin, after as usize) == mate_before {
            return false;
        }
        let here =
            orient(self.point(before), self.point(edge), self.point(at(&self.next, mate_after as usize)));
        let there =
            orient(self.point(mate_before), self.point(mate), self.point(at(&self.next, after as usize)));
        if here < 0.0 || there < 0.0 {
            return false;
        }
        self.link(before, mate_after);
        self.link(mate_before, after);
        put(&mut self.twin, edge as usize, NONE);
        put(&mut self.twin, mate as usize, NONE);
        put(&mut self.owner, edge as usize, NONE);
        put(&mut self.owner, mate as usize, NONE);
        if let Some(piece) = self.pieces.get_mut(p as usize) {
            piece.first = before;
            piece.corners = corners;
        }
        if let Some(piece) = self.pieces.get_mut(q as usize) {
            piece.merged_into = p;
        }
        true
    }

    fn link(&mut self, a: u32, b: u32) {
        put(&mut self.next, a as usize, b);
        put(&mut self.prev, b as usize, a);
    }

    /// Merges the edge with collinear edges that follow it along the same neighbour.
    fn straighten(&mut self, edge: u32) {
        loop {
            let mate = at(&self.twin, edge as usize);
            let (after, mate_before) = (at(&self.next, edge as usize), at(&self.prev, mate as usize));
            let end = at(&self.next, after as usize);
            let (p, q) = (at(&self.owner, edge as usize), at(&self.owner, mate as usize));
            let (p, q) = (self.find(p), self.find(q));
            let one_line = at(&self.twin, after as usize) == mate_before
                && at_piece(&self.pieces, p).corners > 3
                && at_piece(&self.pieces, q).corners > 3
                && orient(self.point(edge), self.point(after), self.point(end)) == 0.0;
            if !one_line {
                break;
            }
            // The twin gets the far end, so that it covers the whole line again.
            self.link(edge, end);
            let far = at(&self.prev, mate_before as usize);
            self.link(far, mate);
            let start = at(&self.start, mate_before as usize);
            put(&mut self.start, mate as usize, start);
            for gone in [after, mate_before] {
                put(&mut self.twin, gone as usize, NONE);
                let owner = at(&self.owner, gone as usize);
                let owner = self.find(owner);
                if let Some(piece) = self.pieces.get_mut(owner as usize) {
                    piece.corners -= 1;
                    if piece.first == gone {
                        piece.first = if gone == after { edge } else { mate };
                    }
                }
                put(&mut self.owner, gone as usize, NONE);
            }
        }
    }

    /// Converts the pieces into a plan for searching.
    pub(crate) fn finish(mut self, faces: usize) -> Nav {
        let twins: Vec<u32> = (0u32..).zip(&self.twin).filter(|(_, t)| **t != NONE).map(|(e, _)| e).collect();
        for edge in twins {
            if at(&self.twin, edge as usize) != NONE && at(&self.owner, edge as usize) != NONE {
                self.straighten(edge);
            }
        }
        let mut nav = Nav { points: std::mem::take(&mut self.points), ..Nav::default() };
        let mut place = vec![NONE; self.start.len()];
        let mut number = vec![NONE; self.pieces.len()];
        for i in 0..self.pieces.len() {
            let piece = at_piece(&self.pieces, i as u32);
            if piece.merged_into != i as u32 {
                continue;
            }
            put(&mut number, i, nav.polys.len() as u32);
            let first = nav.ring.len() as u32;
            let mut edge = piece.first;
            for _ in 0..piece.corners {
                put(&mut place, edge as usize, nav.ring.len() as u32);
                nav.ring.push(at(&self.start, edge as usize));
                nav.mate.push(at(&self.twin, edge as usize));
                nav.owner.push(nav.polys.len() as u32);
                edge = at(&self.next, edge as usize);
            }
            let count = nav.ring.len() as u32 - first;
            nav.polys.push(Poly { first, count, cost: piece.cost, flat: piece.flat });
        }
        for mate in &mut nav.mate {
            if *mate != NONE {
                *mate = at(&place, *mate as usize);
            }
        }
        let mut owned: Vec<(u32, u32)> = Vec::with_capacity(self.pieces.len());
        for i in 0..self.pieces.len() as u32 {
            let owner = self.find(i);
            owned.push((at_piece(&self.pieces, i).face, at(&number, owner as usize)));
        }
        owned.sort_unstable();
        owned.dedup();
        nav.of_face = vec![0; faces + 1];
        for &(face, _) in &owned {
            if let Some(n) = nav.of_face.get_mut(face as usize + 1) {
                *n += 1;
            }
        }
        let mut sum = 0;
        for n in &mut nav.of_face {
            sum += *n;
            *n = sum;
        }
        nav.face_polys = owned.into_iter().map(|o| o.1).collect();
        nav.slack = self.slack;
        nav.split_points();
        nav.find_corners();
        nav.find_parts();
        nav.list_gates();
        nav
    }
}

fn at_piece(pieces: &[Piece], i: u32) -> Piece {
    pieces.get(i as usize).copied().unwrap_or_default()
}

/// A convex polygon of the plan.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Poly {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) cost: f64,
    pub(crate) flat: bool,
}

/// An edge through which a polygon can be left, with all data a search needs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gate {
    /// Its ends, counter-clockwise around the polygon that is left.
    pub(crate) a: V2,
    pub(crate) b: V2,
    pub(crate) va: u32,
    pub(crate) vb: u32,
    pub(crate) edge: u32,
    /// The twin edge in the polygon that is entered, and that polygon.
    pub(crate) mate: u32,
    pub(crate) into: u32,
    /// Whether it leads into a dead end.
    pub(crate) dead_end: bool,
}

/// The plan, ready for searching.
#[derive(Debug, Default)]
pub(crate) struct Nav {
    pub(crate) points: Vec<V2>,
    /// Whether a path may turn at a point: the free space around it spans more than 180 degrees.
    pub(crate) corner: Vec<bool>,
    pub(crate) polys: Vec<Poly>,
    /// First point of each edge, polygon after polygon.
    pub(crate) ring: Vec<u32>,
    /// The twin edge in the neighbour, or `NONE`.
    pub(crate) mate: Vec<u32>,
    /// The polygon of each edge.
    pub(crate) owner: Vec<u32>,
    /// Where the polygons of each face begin in `face_polys`.
    of_face: Vec<u32>,
    face_polys: Vec<u32>,
    /// The connected component of each polygon.
    pub(crate) part: Vec<u32>,
    /// For polygons in a dead end, the next one on the way out.
    pub(crate) way_out: Vec<u32>,
    /// Points within this distance of an edge are on it.
    pub(crate) slack: f64,
    gates: Vec<Gate>,
    /// Where the gates of each polygon begin.
    first_gate: Vec<u32>,
}

impl Nav {
    #[inline]
    pub(crate) fn poly(&self, poly: u32) -> Poly {
        at(&self.polys, poly as usize)
    }

    /// Returns the edge after this one around its polygon.
    #[inline]
    pub(crate) fn after(&self, edge: u32) -> u32 {
        let poly = self.poly(at(&self.owner, edge as usize));
        if edge + 1 == poly.first + poly.count { poly.first } else { edge + 1 }
    }

    /// Returns the index of the point at which an edge starts.
    #[inline]
    pub(crate) fn vertex(&self, edge: u32) -> u32 {
        at(&self.ring, edge as usize)
    }

    /// Returns the point at which an edge starts.
    #[inline]
    pub(crate) fn point(&self, edge: u32) -> V2 {
        at(&self.points, self.vertex(edge) as usize)
    }

    pub(crate) fn edges(&self, poly: u32) -> std::ops::Range<u32> {
        let poly = self.poly(poly);
        poly.first..poly.first + poly.count
    }

    /// Returns `true` if two polygons are connected.
    pub(crate) fn may_join(&self, one: u32, two: u32) -> bool {
        at(&self.part, one as usize) == at(&self.part, two as usize)
    }

    /// Returns `true` if a point is on the segment whose ends are in these directions from it. Points other than corners may be
    /// on vertical faces, which are not perfectly flat.
    #[inline]
    pub(crate) fn is_between(&self, vertex: u32, to_left: V2, to_right: V2) -> bool {
        if dot2(to_left, to_right) > 0.0 {
            return false;
        }
        let (side, along) = (cross2(to_left, to_right), sub2(to_left, to_right));
        let slack = if vertex == NONE { 2.0 * self.slack } else { 0.01 * self.slack };
        side * side <= slack * slack * dot2(along, along)
    }

    /// Returns the polygon of a face that contains a point, or the nearest one, with the depth of the point inside it (negative
    /// outside).
    pub(crate) fn poly_at(&self, face: u32, p: V2) -> Option<(u32, f64)> {
        let (&first, &end) = (self.of_face.get(face as usize)?, self.of_face.get(face as usize + 1)?);
        let mut best: Option<(u32, f64)> = None;
        for &poly in self.face_polys.get(first as usize..end as usize)? {
            let mut depth = f64::INFINITY;
            for edge in self.edges(poly) {
                let (a, b) = (self.point(edge), self.point(self.after(edge)));
                let d = sub2(b, a);
                let len = dot2(d, d).sqrt();
                if len > 0.0 {
                    depth = depth.min(orient(a, b, p) / len);
                }
            }
            if best.is_none_or(|(_, d)| depth > d) {
                best = Some((poly, depth));
            }
        }
        best
    }

    /// Returns the nearest point in the polygons of a face, with its distance.
    pub(crate) fn nearest_in(&self, face: u32, p: V2) -> Option<(f64, u32, V2)> {
        let (&first, &end) = (self.of_face.get(face as usize)?, self.of_face.get(face as usize + 1)?);
        let mut best: Option<(f64, u32, V2)> = None;
        for &poly in self.face_polys.get(first as usize..end as usize)? {
            let mut inside = true;
            let mut near = (f64::INFINITY, p);
            for edge in self.edges(poly) {
                let (a, b) = (self.point(edge), self.point(self.after(edge)));
                inside &= orient(a, b, p) >= 0.0;
                let (t, square) = nearest_on_segment(p, a, b);
                if square < near.0 {
                    near = (square, lerp2(a, b, t));
                }
            }
            let (distance, place) = if inside { (0.0, p) } else { (near.0.sqrt(), near.1) };
            if best.is_none_or(|b| distance < b.0) {
                best = Some((distance, poly, place));
            }
        }
        best
    }

    /// Returns the edge before this one around its polygon.
    fn before(&self, edge: u32) -> u32 {
        let poly = self.poly(at(&self.owner, edge as usize));
        if edge == poly.first { poly.first + poly.count - 1 } else { edge - 1 }
    }

    /// Duplicates points for each separate region of free space around them: parts that only touch at a point are not
    /// connected.
    fn split_points(&mut self) {
        let mut points = Vec::with_capacity(self.points.len());
        let mut number = vec![NONE; self.ring.len()];
        for edge in 0..self.ring.len() as u32 {
            if at(&number, edge as usize) != NONE {
                continue;
            }
            let id = points.len() as u32;
            points.push(self.point(edge));
            let mut now = edge;
            while now != NONE && at(&number, now as usize) == NONE {
                put(&mut number, now as usize, id);
                now = at(&self.mate, self.before(now) as usize);
            }
            let clockwise = |edge: u32| {
                let mate = at(&self.mate, edge as usize);
                if mate == NONE { NONE } else { self.after(mate) }
            };
            let mut now = clockwise(edge);
            while now != NONE && at(&number, now as usize) == NONE {
                put(&mut number, now as usize, id);
                now = clockwise(now);
            }
        }
        self.points = points;
        self.ring = number;
    }

    /// Returns the gates of a polygon.
    #[inline]
    pub(crate) fn gates(&self, poly: u32) -> &[Gate] {
        let from = at(&self.first_gate, poly as usize) as usize;
        let to = at(&self.first_gate, poly as usize + 1) as usize;
        self.gates.get(from..to).unwrap_or(&[])
    }

    /// Returns the gate at an edge, if the edge has a neighbour.
    pub(crate) fn gate(&self, edge: u32) -> Option<Gate> {
        let mate = at(&self.mate, edge as usize);
        let next = self.after(edge);
        let (from, into) = (at(&self.owner, edge as usize), self.owner.get(mate as usize).copied()?);
        Some(Gate {
            a: self.point(edge),
            b: self.point(next),
            va: self.vertex(edge),
            vb: self.vertex(next),
            edge,
            mate,
            into,
            dead_end: at(&self.way_out, into as usize) == from,
        })
    }

    fn list_gates(&mut self) {
        for poly in 0..self.polys.len() as u32 {
            self.first_gate.push(self.gates.len() as u32);
            let gates: Vec<Gate> = self.edges(poly).filter_map(|e| self.gate(e)).collect();
            self.gates.extend(gates);
        }
        self.first_gate.push(self.gates.len() as u32);
    }

    fn find_corners(&mut self) {
        let mut corner = vec![false; self.points.len()];
        for edge in 0..self.ring.len() as u32 {
            // Vertical faces continue the fan around a point without adding an angle.
            let Poly { flat, cost, .. } = self.poly(at(&self.owner, edge as usize));
            let mate = at(&self.mate, edge as usize);
            if flat || (mate == NONE && self.turns_more_than_half(edge)) {
                put(&mut corner, self.vertex(edge) as usize, true);
            }
            // Ground of another cost is treated as a hole.
            if mate != NONE && self.poly(at(&self.owner, mate as usize)).cost != cost {
                put(&mut corner, self.vertex(edge) as usize, true);
                put(&mut corner, self.vertex(self.after(edge)) as usize, true);
            }
        }
        self.corner = corner;
    }

    /// Rotates around the start of a border edge, through free space, until the next border.
    fn turns_more_than_half(&self, border: u32) -> bool {
        let center = self.point(border);
        let first = sub2(self.point(self.after(border)), center);
        let mut edge = border;
        for _ in 0..self.ring.len() {
            let incoming = self.before(edge);
            let now = sub2(self.point(incoming), center);
            let (side, along) = (cross2(first, now), dot2(first, now));
            let size = (dot2(first, first) * dot2(now, now)).sqrt();
            if side < -1e-12 * size || (side <= 1e-12 * size && along >= 0.0) {
                return true;
            }
            let mate = at(&self.mate, incoming as usize);
            if mate == NONE {
                return false;
            }
            edge = mate;
        }
        true
    }

    fn find_parts(&mut self) {
        let n = self.polys.len();
        let neighbours = |nav: &Nav, poly: u32| -> Vec<u32> {
            nav.edges(poly)
                .filter_map(|e| {
                    let mate = at(&nav.mate, e as usize);
                    (mate != NONE).then(|| at(&nav.owner, mate as usize))
                })
                .collect()
        };
        let mut part = vec![NONE; n];
        let mut degree = vec![0u32; n];
        for start in 0..n as u32 {
            if at(&part, start as usize) != NONE {
                continue;
            }
            let mut todo = vec![start];
            put(&mut part, start as usize, start);
            while let Some(poly) = todo.pop() {
                let near = neighbours(self, poly);
                put(&mut degree, poly as usize, near.len() as u32);
                for next in near {
                    if at(&part, next as usize) == NONE {
                        put(&mut part, next as usize, start);
                        todo.push(next);
                    }
                }
            }
        }
        // Dead ends are removed starting at their tips.
        let mut way_out = vec![NONE; n];
        let mut todo: Vec<u32> = (0..n as u32).filter(|&p| at(&degree, p as usize) == 1).collect();
        while let Some(poly) = todo.pop() {
            if at(&degree, poly as usize) != 1 {
                continue;
            }
            let Some(out) = neighbours(self, poly)
                .into_iter()
                .find(|&q| at(&way_out, q as usize) == NONE && at(&degree, q as usize) > 0)
            else {
                continue;
            };
            put(&mut way_out, poly as usize, out);
            put(&mut degree, poly as usize, 0);
            let left = at(&degree, out as usize).saturating_sub(1);
            put(&mut degree, out as usize, left);
            if left == 1 {
                todo.push(out);
            }
        }
        self.part = part;
        self.way_out = way_out;
    }
}
