//! Invisible walls of a floor: edges that lie on each other without sharing their vertices, such as where a vertex of one
//! triangle is in the middle of another's edge. The game sees a border on both sides of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use galatea_wire::Loss;
use glam::Vec3;

use super::Floor;
use crate::surface::Walkability;

/// How far from an edge a vertex may be to lie on it, in metres.
pub(super) const NEAR: f32 = 0.01;

/// Most pairs of a vertex and an edge that are compared.
const MOST: usize = 20_000_000;

type Pair = (u32, u32);

/// An edge that only one walkable triangle has, in the direction of that triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    from: u32,
    to: u32,
}

impl Side {
    fn key(self) -> Pair {
        (self.from.min(self.to), self.from.max(self.to))
    }
}

/// A vertex on a side that it is no end of, where another side runs along this one.
struct Touch {
    side: Side,
    vertex: u32,
    /// Where they run along each other.
    along: Vec<[Vec3; 2]>,
    /// How far the vertex is along the side, from 0 to 1.
    at: f32,
}

/// Finds the invisible walls of a floor, or joins the triangles there (`join`). Returns what was found or done.
pub(super) fn treat(floor: &mut Floor, join: bool) -> Vec<Loss> {
    let sides = sides(floor);
    let Some(touches) = touches(floor, &sides) else {
        let what =
            format!("the edges of its border were not compared with each other: there are {}", sides.len());
        return vec![Loss::new("walkmesh", what).invisible()];
    };
    if join {
        split(floor, &touches);
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    for ends in touches.iter().flat_map(|touch| &touch.along) {
        let [a, b] = ends.map(|p| format!("{:.2},{:.2},{:.2}", p.x + 0.0, p.y + 0.0, p.z + 0.0));
        seen.insert(if a <= b { (a, b) } else { (b, a) });
    }
    let what = "an invisible wall: edges lie on each other there without sharing their vertices";
    seen.into_iter().map(|(a, b)| Loss::new(format!("from {a} to {b}"), what)).collect()
}

/// Returns the edges that only one walkable triangle has.
fn sides(floor: &Floor) -> Vec<Side> {
    let walkable = Walkability::default();
    let mut all: HashMap<Pair, (Side, usize)> = HashMap::new();
    let faces =
        floor.faces.iter().zip(&floor.surfaces).filter(|(_, surface)| walkable.is_walkable(**surface));
    for ([a, b, c], _) in faces {
        for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
            let side = Side { from, to };
            all.entry(side.key()).or_insert((side, 0)).1 += 1;
        }
    }
    let mut out: Vec<Side> =
        all.into_values().filter(|(_, count)| *count == 1).map(|(side, _)| side).collect();
    out.sort_unstable();
    out
}

/// Finds vertices on sides; `None` if there are too many pairs to compare.
fn touches(floor: &Floor, sides: &[Side]) -> Option<Vec<Touch>> {
    let at = |id: u32| floor.vertices.get(id as usize).map_or(Vec3::NAN, |p| Vec3::from(*p));
    let mut at_vertex: BTreeMap<u32, Vec<Side>> = BTreeMap::new();
    for side in sides {
        at_vertex.entry(side.from).or_default().push(*side);
        at_vertex.entry(side.to).or_default().push(*side);
    }
    let points: Vec<(u32, Vec3)> = at_vertex.keys().map(|id| (*id, at(*id))).collect();
    let around = points
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), (_, p)| (low.min(*p), high.max(*p)));
    let size = around.1 - around.0;
    let axis = usize::from(size.y > size.x);
    let along = |p: Vec3| p.to_array().get(axis).copied().unwrap_or(0.0);
    let mut points = points;
    points.sort_by(|a, b| along(a.1).total_cmp(&along(b.1)));
    let near = NEAR;
    let mut compared = 0usize;
    let mut out = Vec::new();
    for side in sides {
        let (a, b) = (at(side.from), at(side.to));
        let (low, high) = (along(a).min(along(b)) - near, along(a).max(along(b)) + near);
        let first = points.partition_point(|(_, p)| along(*p) < low);
        for (vertex, p) in points.iter().skip(first).take_while(|(_, p)| along(*p) <= high) {
            compared += 1;
            if compared > MOST {
                return None;
            }
            if *vertex == side.from || *vertex == side.to || distance(*p, a, b) > near {
                continue;
            }
            let others = at_vertex.get(vertex).map_or(&[][..], |list| list);
            let beside =
                others.iter().filter_map(|other| overlap([a, b], [at(other.from), at(other.to)], near));
            let along: Vec<_> = beside.collect();
            if !along.is_empty() {
                let at = (*p - a).dot(b - a) / (b - a).length_squared();
                out.push(Touch { side: *side, vertex: *vertex, along, at });
            }
        }
    }
    Some(out)
}

/// Returns where two edges run along each other in opposite directions, as those of neighbours do.
fn overlap([a, b]: [Vec3; 2], [p, q]: [Vec3; 2], near: f32) -> Option<[Vec3; 2]> {
    let (length, direction) = ((b - a).length(), (b - a).normalize_or_zero());
    let (from, to) = ((q - a).dot(direction), (p - a).dot(direction));
    let (low, high) = (from.max(0.0), to.min(length));
    if high - low <= near {
        return None;
    }
    let ends = [low, high].map(|t| a + direction * t);
    ends.iter().all(|end| distance(*end, p, q) <= near).then_some(ends)
}

/// Returns the distance of a point from the line between two others.
fn distance(point: Vec3, a: Vec3, b: Vec3) -> f32 {
    let length = (b - a).length_squared();
    let t = if length > 0.0 { ((point - a).dot(b - a) / length).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(a + (b - a) * t)
}

/// Splits triangles at the vertices that lie on their sides.
fn split(floor: &mut Floor, touches: &[Touch]) {
    let mut on: HashMap<Pair, Vec<(f32, u32)>> = HashMap::new();
    for touch in touches {
        on.entry((touch.side.from, touch.side.to)).or_default().push((touch.at, touch.vertex));
    }
    on.values_mut().for_each(|list| list.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let old = std::mem::take(&mut floor.faces).into_iter().zip(std::mem::take(&mut floor.surfaces));
    for (face, surface) in old {
        let mut todo = vec![face];
        // Sides that this triangle was split at, so that none is split twice.
        let mut done: HashSet<Pair> = HashSet::new();
        while let Some([a, b, c]) = todo.pop() {
            let turns = [[a, b, c], [b, c, a], [c, a, b]];
            let found = turns
                .iter()
                .find(|[from, to, _]| on.contains_key(&(*from, *to)) && !done.contains(&(*from, *to)));
            let Some([from, to, tip]) = found else {
                floor.faces.push([a, b, c]);
                floor.surfaces.push(surface);
                continue;
            };
            done.insert((*from, *to));
            let between =
                on.get(&(*from, *to)).map_or(&[][..], |list| list).iter().map(|(_, vertex)| *vertex);
            let corners: Vec<u32> =
                [*from].into_iter().chain(between.filter(|v| v != tip)).chain([*to]).collect();
            // The last first, since the list is taken from its end.
            todo.extend(
                corners.windows(2).rev().filter_map(|pair| Some([*pair.first()?, *pair.last()?, *tip])),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a quad of 4 by 4 beside two of 4 by 2: a T in the middle of its right side.
    fn t(shift: f32) -> Floor {
        let vertices = vec![
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [4.0, 4.0, 0.0],
            [0.0, 4.0, 0.0],
            [4.0 + shift, 2.0, 0.0],
            [8.0, 0.0, 0.0],
            [8.0, 2.0, 0.0],
            [8.0, 4.0, 0.0],
        ];
        let faces = vec![[0, 1, 2], [0, 2, 3], [1, 5, 6], [1, 6, 4], [4, 6, 7], [4, 7, 2]];
        Floor { vertices, surfaces: vec![3; faces.len()], faces, ..Floor::default() }
    }

    fn places(floor: &Floor) -> Vec<String> {
        treat(
            &mut Floor {
                vertices: floor.vertices.clone(),
                faces: floor.faces.clone(),
                surfaces: floor.surfaces.clone(),
                ..Floor::default()
            },
            false,
        )
        .into_iter()
        .map(|l| l.path)
        .collect()
    }

    #[test]
    fn a_vertex_on_another_triangles_edge_is_named_with_its_place() {
        assert_eq!(
            places(&t(0.0)),
            ["from 4.00,0.00,0.00 to 4.00,2.00,0.00", "from 4.00,2.00,0.00 to 4.00,4.00,0.00"]
        );
        assert_eq!(places(&t(0.009)).len(), 2);
        assert!(places(&t(0.02)).is_empty(), "a gap is meant");
        // Nobody walks on one of the sides.
        let mut blocked = t(0.0);
        blocked.surfaces.iter_mut().skip(2).for_each(|s| *s = 7);
        assert!(places(&blocked).is_empty());
        // One floor above another, with edges in the same direction.
        let mut twice = t(0.0);
        twice.faces.truncate(2);
        twice.faces.push([0, 4, 3]);
        twice.surfaces.truncate(3);
        assert!(places(&twice).is_empty(), "{:?}", places(&twice));
    }

    #[test]
    fn joined_triangles_share_their_edges() {
        for shift in [0.0, 0.005] {
            let mut floor = t(shift);
            assert!(treat(&mut floor, true).is_empty());
            assert_eq!((floor.faces.len(), floor.surfaces.len()), (7, 7));
            assert!(
                floor.faces.contains(&[1, 4, 0]) && floor.faces.contains(&[4, 2, 0]),
                "{:?}",
                floor.faces
            );
            assert!(treat(&mut floor, false).is_empty(), "nothing is left");
            assert_eq!(sides(&floor).len(), 7);
        }
    }

    #[test]
    fn edges_that_overlap_in_part_are_joined_at_both_ends() {
        let vertices = vec![
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [2.0, 3.0, 0.0],
            [1.0, 0.0, 0.0],
            [6.0, 0.0, 0.0],
            [3.0, -3.0, 0.0],
        ];
        let mut floor =
            Floor { vertices, faces: vec![[0, 1, 2], [3, 5, 4]], surfaces: vec![3, 3], ..Floor::default() };
        assert_eq!(places(&floor), ["from 1.00,0.00,0.00 to 4.00,0.00,0.00"]);
        treat(&mut floor, true);
        assert_eq!(floor.faces, [[0, 3, 2], [3, 1, 2], [4, 1, 5], [1, 3, 5]]);
    }
}
