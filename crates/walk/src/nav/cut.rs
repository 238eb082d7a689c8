//! Removes from the plan what obstacles cover and what is too close to a border for the agent's radius.

use super::half_edge_mesh::{HalfEdgeMesh, NONE};
use crate::bvh::Aabb;
use crate::mesh::Walkmesh;
use crate::vector::{V2, add2, at, distance2, dot2, lerp2, orient, plan, sub2};

/// A convex, counter-clockwise region of the plan that is blocked between two heights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cut {
    pub(crate) ring: Vec<V2>,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Maximum height difference within one storey.
const STOREY: f64 = 1.5;
/// Directions to the corners of a regular polygon with sixteen sides, in the first quarter turn.
const QUARTER: [V2; 4] = [
    [0.980_785_280_403_230_4, 0.195_090_322_016_128_25],
    [0.831_469_612_302_545_2, 0.555_570_233_019_602_2],
    [0.555_570_233_019_602_2, 0.831_469_612_302_545_2],
    [0.195_090_322_016_128_25, 0.980_785_280_403_230_4],
];

impl Cut {
    /// Returns a rectangle to the left of the line from `a` to `b`, to its right, or on both sides.
    pub(crate) fn beside(a: V2, b: V2, left: f64, right: f64, low: f64, high: f64) -> Option<Cut> {
        let d = sub2(b, a);
        let len = dot2(d, d).sqrt();
        if len <= 0.0 || !len.is_finite() {
            return None;
        }
        let side = |p: V2, by: f64| [p[0] - d[1] / len * by, p[1] + d[0] / len * by];
        Some(Cut { ring: vec![side(a, -right), side(b, -right), side(b, left), side(a, left)], low, high })
    }

    /// Returns a polygon around a disc.
    pub(crate) fn around(center: V2, radius: f64, low: f64, high: f64) -> Cut {
        let size = radius / QUARTER[0][0];
        let turn = |k: usize, [x, y]: V2| match k {
            0 => [x, y],
            1 => [-y, x],
            2 => [-x, -y],
            _ => [y, -x],
        };
        let ring =
            (0..4).flat_map(|k| QUARTER.map(|q| add2(center, turn(k, [q[0] * size, q[1] * size])))).collect();
        Cut { ring, low, high }
    }

    /// Returns everything within `radius` of a triangle, as convex regions. Vertical triangles get a small width.
    pub(crate) fn triangle(corners: [[f64; 3]; 3], radius: f64, height: f64) -> Vec<Cut> {
        let low = corners.iter().map(|c| c[2]).fold(f64::INFINITY, f64::min) - height;
        let high = corners.iter().map(|c| c[2]).fold(f64::NEG_INFINITY, f64::max) + height;
        let [a, b, c] = corners.map(|c| [c[0], c[1]]);
        let mut out = Vec::new();
        let area = orient(a, b, c);
        let longest = distance2(a, b).max(distance2(b, c)).max(distance2(c, a));
        let wide = area.abs() > 0.01 * longest;
        if wide {
            out.push(Cut { ring: if area > 0.0 { vec![a, b, c] } else { vec![a, c, b] }, low, high });
        }
        let margin = if wide { radius } else { radius.max(0.05) };
        if margin > 0.0 {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                out.extend(Cut::beside(p, q, margin, margin, low, high));
            }
            if radius > 0.0 {
                out.extend([a, b, c].map(|p| Cut::around(p, radius, low, high)));
            }
        }
        out
    }

    fn bounds(&self) -> Aabb {
        let mut out = Aabb::EMPTY;
        for p in &self.ring {
            let corner = |z: f64| [p[0] as f32, p[1] as f32, z as f32];
            out.add(&Aabb { min: corner(self.low), max: corner(self.high) });
        }
        out
    }
}

/// Returns the cuts along the borders of the open faces.
pub(crate) fn margins(mesh: &Walkmesh, open: &dyn Fn(u32) -> bool, radius: f64) -> Vec<Cut> {
    let mut out = Vec::new();
    let border = |face: u32, edge: u32| mesh.neighbour(face, edge).is_none_or(|n| !open(n.0));
    for face in (0..mesh.len() as u32).filter(|f| open(*f)) {
        let corners = mesh.corners64(face);
        let [a, b, c] = corners.map(|c| [c[0], c[1]]);
        let turned = orient(a, b, c) < 0.0;
        for edge in (0..3u32).filter(|e| border(face, *e)) {
            let (from, to) = match edge {
                0 => (corners[0], corners[1]),
                1 => (corners[1], corners[2]),
                _ => (corners[2], corners[0]),
            };
            let (low, high) = (from[2].min(to[2]) - STOREY, from[2].max(to[2]) + STOREY);
            let (p, q) = ([from[0], from[1]], [to[0], to[1]]);
            let (left, right) = if turned { (0.0, radius) } else { (radius, 0.0) };
            out.extend(Cut::beside(p, q, left, right, low, high));
            for (p, z) in [(p, from[2]), (q, to[2])] {
                out.push(Cut::around(p, radius, z - STOREY, z + STOREY));
            }
        }
    }
    // One disc per corner, however many borders end there.
    out.sort_by(|a, b| {
        let key = |c: &Cut| c.ring.iter().flatten().map(|v| v.to_bits()).collect::<Vec<_>>();
        key(a).cmp(&key(b))
    });
    out.dedup();
    out
}

/// Maximum number of cuts that touch a face; a face with more is not walkable.
pub(crate) const MOST_CUTS: usize = 4096;

/// Returns the cuts that may touch each face, up to one more than the maximum.
pub(crate) fn by_face(mesh: &Walkmesh, cuts: &[Cut]) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new(); mesh.len()];
    for (i, cut) in (0u32..).zip(cuts) {
        mesh.bvh().walk_box(&cut.bounds(), &mut |face| {
            if let Some(list) = out.get_mut(face as usize).filter(|l: &&mut Vec<u32>| l.len() <= MOST_CUTS) {
                list.push(i);
            }
        });
    }
    out
}

/// The line of an edge of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Line {
    /// An edge of the mesh, by the lower of its two numbers.
    Mesh(u32),
    /// A side of a cut, within a face.
    Cut(u32, u32, u32),
}

/// A convex part of a face, with the line each of its edges lies on.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) ring: Vec<(V2, Line)>,
    pub(crate) face: u32,
    pub(crate) cost: f64,
    pub(crate) flat: bool,
}

/// Budget for cutting all faces. Valid meshes need a small part of it; many faces on top of each other would each be cut by
/// the borders of all others.
#[derive(Debug)]
pub(crate) struct Budget {
    tests: usize,
    parts: usize,
}

impl Budget {
    pub(crate) fn for_faces(faces: usize) -> Budget {
        Budget { tests: 1_000_000 + 1000 * faces, parts: 200_000 + 64 * faces }
    }
}

/// Returns the parts of a face outside all cuts; none once the budget is spent.
pub(crate) fn subtract(
    part: Part,
    cuts: &[Cut],
    which: &[u32],
    slack: f64,
    budget: &mut Budget,
) -> Vec<Part> {
    if which.len() > MOST_CUTS {
        return Vec::new();
    }
    let mut parts = vec![part];
    for &number in which {
        let Some(cut) = cuts.get(number as usize) else { continue };
        let (low, high) = extent(cut.ring.iter().copied());
        let mut next = Vec::with_capacity(parts.len());
        for part in parts {
            let Some(left) = budget.tests.checked_sub(1) else { return Vec::new() };
            budget.tests = left;
            if !overlap(&part, cut, [low, high], slack) {
                next.push(part);
                continue;
            }
            let mut rest = Some(part);
            for side in 0..cut.ring.len() {
                let Some(inside) = rest.take() else { break };
                let (a, b) = (at(&cut.ring, side), at(&cut.ring, (side + 1) % cut.ring.len()));
                let line = Line::Cut(inside.face, number, side as u32);
                let (kept, left) = split(inside, a, b, line, slack);
                next.extend(kept);
                rest = left;
            }
        }
        parts = next;
    }
    let Some(left) = budget.parts.checked_sub(parts.len()) else { return Vec::new() };
    budget.parts = left;
    parts
}

/// Returns the minimum and maximum coordinates.
fn extent(points: impl Iterator<Item = V2>) -> (V2, V2) {
    points.fold(([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]), |(low, high), p| {
        ([low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])])
    })
}

/// Returns `true` if a part and a cut with this bounding box overlap by more than a border.
fn overlap(part: &Part, cut: &Cut, [low, high]: [V2; 2], slack: f64) -> bool {
    if part.flat {
        return true;
    }
    let corners = || part.ring.iter().map(|r| r.0);
    let (least, most) = extent(corners());
    if least[0] > high[0] || least[1] > high[1] || most[0] < low[0] || most[1] < low[1] {
        return false;
    }
    let limit = |a: V2, b: V2| slack * distance2(a, b);
    let outside_part = corners().zip(corners().cycle().skip(1)).any(|(a, b)| {
        let limit = limit(a, b);
        cut.ring.iter().all(|p| orient(a, b, *p) <= limit)
    });
    let sides = || cut.ring.iter().zip(cut.ring.iter().cycle().skip(1));
    !outside_part
        && !sides().any(|(a, b)| {
            let limit = limit(*a, *b);
            corners().all(|p| orient(*a, *b, p) <= limit)
        })
}

/// Splits a part along a line into its right and left side.
fn split(part: Part, a: V2, b: V2, line: Line, slack: f64) -> (Option<Part>, Option<Part>) {
    let limit = slack * distance2(a, b);
    let side: Vec<f64> = part
        .ring
        .iter()
        .map(|r| {
            let s = orient(a, b, r.0);
            if s.abs() <= limit { 0.0 } else { s }
        })
        .collect();
    if side.iter().all(|s| *s >= 0.0) {
        return (None, Some(part));
    }
    if side.iter().all(|s| *s <= 0.0) {
        return (Some(part), None);
    }
    let (mut right, mut left) = (Vec::new(), Vec::new());
    let n = part.ring.len();
    for i in 0..n {
        let Some(&(p, own)) = part.ring.get(i) else { continue };
        let Some(&(q, _)) = part.ring.get((i + 1) % n) else { continue };
        let (s, t) = (at(&side, i), at(&side, (i + 1) % n));
        if s <= 0.0 {
            // Where the right side turns onto the line, its edge is on that line.
            right.push((p, if s == 0.0 && t > 0.0 { line } else { own }));
        }
        if s >= 0.0 {
            left.push((p, if s == 0.0 && t < 0.0 { line } else { own }));
        }
        if (s < 0.0 && t > 0.0) || (s > 0.0 && t < 0.0) {
            let cut = lerp2(p, q, s / (s - t));
            right.push((cut, if s < 0.0 { line } else { own }));
            left.push((cut, if s > 0.0 { line } else { own }));
        }
    }
    let make = |ring: Vec<(V2, Line)>| (ring.len() >= 3).then(|| Part { ring, ..part.clone() });
    (make(right), make(left))
}

/// An edge of a part on its line: start, end and direction.
struct Seam {
    line: Line,
    part: u32,
    edge: u32,
    low: f64,
    high: f64,
    forward: bool,
}

/// A section of an edge that is joined with another edge: start and end on their line, and the index of the pair.
type Section = (f64, f64, u32);

/// Adds the parts to the mesh, joined wherever they touch. `ends` gives the line of an edge of the mesh.
pub(crate) fn join(mesh: &mut HalfEdgeMesh, parts: &[Part], cuts: &[Cut], ends: &dyn Fn(u32) -> [V2; 2]) {
    let ends = |line: Line| line_ends(line, cuts, ends);
    let (mut sections, pairs) = sections(parts, &seams(parts, &ends), mesh.slack);
    let mut halves: Vec<[u32; 2]> = vec![[NONE; 2]; pairs as usize];
    for (part, lists) in parts.iter().zip(&mut sections) {
        let corners = corners(part, lists, mesh.slack, &ends);
        if corners.len() < 3 {
            continue;
        }
        let start = mesh.points.len() as u32;
        mesh.points.extend(corners.iter().map(|(point, _)| *point));
        let ring: Vec<u32> = (start..).take(corners.len()).collect();
        let first = mesh.add(&ring, part.face, part.cost, part.flat);
        for (edge, (_, pair)) in (first..).zip(corners) {
            if let Some([one, two]) = halves.get_mut(pair as usize) {
                *(if *one == NONE { one } else { two }) = edge;
            }
        }
    }
    for [a, b] in halves {
        if a != NONE && b != NONE {
            mesh.join(a, b);
        }
    }
}

/// Returns the edges of all parts, sorted by line and start.
fn seams(parts: &[Part], ends: &dyn Fn(Line) -> [V2; 2]) -> Vec<Seam> {
    let mut seams = Vec::new();
    for (part, Part { ring, .. }) in (0u32..).zip(parts) {
        for (k, &(p, line)) in ring.iter().enumerate() {
            let Some(&(q, _)) = ring.get((k + 1) % ring.len()) else { continue };
            let Some(place) = places(ends(line)) else { continue };
            let (s, t) = (place(p), place(q));
            let (low, high) = (s.min(t), s.max(t));
            seams.push(Seam { line, part, edge: k as u32, low, high, forward: s <= t });
        }
    }
    seams.sort_by(|a, b| a.line.cmp(&b.line).then(a.low.total_cmp(&b.low)).then(a.part.cmp(&b.part)));
    seams
}

/// Returns the position of a point along a line; `None` for a line without length.
fn places([a, b]: [V2; 2]) -> Option<impl Fn(V2) -> f64> {
    let d = sub2(b, a);
    let size = dot2(d, d).sqrt();
    (size > 0.0).then_some(move |p: V2| dot2(sub2(p, a), d) / size)
}

/// Returns the joined sections of each edge of each part, and the number of pairs.
fn sections(parts: &[Part], seams: &[Seam], slack: f64) -> (Vec<Vec<Vec<Section>>>, u32) {
    let mut out: Vec<Vec<Vec<Section>>> = parts.iter().map(|p| vec![Vec::new(); p.ring.len()]).collect();
    let mut pairs = 0u32;
    for group in seams.chunk_by(|a, b| a.line == b.line) {
        for (i, one) in group.iter().enumerate() {
            for two in group.iter().skip(i + 1) {
                if two.low >= one.high - slack {
                    break;
                }
                let (low, high) = (one.low.max(two.low), one.high.min(two.high));
                if one.forward == two.forward || one.part == two.part || high - low <= slack {
                    continue;
                }
                for seam in [one, two] {
                    let list = out.get_mut(seam.part as usize).and_then(|p| p.get_mut(seam.edge as usize));
                    list.into_iter().for_each(|list| list.push((low, high, pairs)));
                }
                pairs += 1;
            }
        }
    }
    (out, pairs)
}

/// Returns the corners of a part, including the ends of all sections, each with the pair of the edge that starts there.
fn corners(
    part: &Part,
    lists: &mut [Vec<Section>],
    slack: f64,
    ends: &dyn Fn(Line) -> [V2; 2],
) -> Vec<(V2, u32)> {
    let mut out = Vec::new();
    for ((&(p, line), list), k) in part.ring.iter().zip(lists).zip(1..) {
        let Some(&(q, _)) = part.ring.get(k % part.ring.len()) else { continue };
        let [a, b] = ends(line);
        let forward = dot2(sub2(q, p), sub2(b, a)) >= 0.0;
        let (from, to) = places([a, b]).map_or((0.0, 0.0), |place| (place(p), place(q)));
        list.sort_by(|x, y| x.0.total_cmp(&y.0));
        if !forward {
            list.reverse();
        }
        let point = |t: f64| {
            let part = if t == from || from == to { 0.0 } else { (t - from) / (to - from) };
            lerp2(p, q, part.clamp(0.0, 1.0))
        };
        let mut now = from;
        for &(low, high, pair) in list.iter() {
            let (begin, end) = if forward { (low, high) } else { (high, low) };
            if (begin - now).abs() > slack {
                out.push((point(now), NONE));
                out.push((point(begin), pair));
            } else {
                out.push((point(now), pair));
            }
            now = end;
        }
        if (to - now).abs() > slack || list.is_empty() {
            out.push((point(now), NONE));
        }
    }
    out
}

fn line_ends(line: Line, cuts: &[Cut], ends: &dyn Fn(u32) -> [V2; 2]) -> [V2; 2] {
    match line {
        Line::Mesh(edge) => ends(edge),
        Line::Cut(_, cut, side) => {
            let ring = cuts.get(cut as usize).map_or(&[][..], |c| c.ring.as_slice());
            let side = side as usize;
            [at(ring, side), at(ring, (side + 1) % ring.len().max(1))]
        }
    }
}

/// Returns the ends of an edge of the mesh (`3 * face + edge`) in the plan.
pub(crate) fn mesh_line(mesh: &Walkmesh, edge: u32) -> [V2; 2] {
    let [a, b, c] = mesh.corners(edge / 3).unwrap_or_default().map(plan);
    match edge % 3 {
        0 => [a, b],
        1 => [b, c],
        _ => [c, a],
    }
}
