//! Normals that Blender cannot keep. It stores them relative to the faces around a vertex that share edges, which says nothing where
//! these have no area, cancel each other, as the two sides of a leaf do, or face along one of their own edges. Meshes note such normals, with the
//! corners and the place of their vertices. They come back where neither the triangles nor the place have changed.

use foldhash::HashMap;
use galatea_scene::{
    Extras, Primitive, Scene, Value, Vertices, VerticesId, decode_u32s, encode_u32s, floats, read_floats,
};
use glam::Vec3;

use crate::twins;

/// The key of the note in the extras of a mesh.
pub(crate) const KEY: &str = "normals";

/// Most vertices of a mesh that are noted.
const MOST: usize = 1 << 12;

/// A sum of normals below this part of what it would be on a plane is not precise; Blender was seen to lose normals up to 0.49.
const SHORT: f32 = 0.5;

/// An edge in this direction is along the normal.
const ALONG: f32 = 0.999;

/// The cosine of 40 degrees. Faces around a vertex that are all within this angle of the first one neither cancel each other nor
/// have an edge along their sum, which is within the same angle of the first, and so within 80 degrees of each face. The same holds
/// for some of them.
const ALIKE: f32 = 0.766_05;

/// A triangle of less area, as a part of the square of its longest edge, has none.
const FLAT: f32 = 1e-6;

/// The faces around a vertex.
#[derive(Clone, Copy, Default)]
struct Around {
    /// The sum of their normals, by their angles.
    sum: Vec3,
    angles: f32,
    lost: bool,
}

/// Returns a note about the normals of a mesh that will be lost; `None` if there are none. Each primitive comes with its vertices.
pub(crate) fn note<'p>(primitives: impl Iterator<Item = (&'p Primitive, &'p Vertices)>) -> Option<Value> {
    let (mut corners, mut of, mut rows): (Vec<u32>, Vec<u32>, Vec<f32>) = Default::default();
    let (mut kept, mut last, mut count) = (0u32, 0u32, 0u32);
    for (primitive, vertices) in primitives {
        let triangles = twins::imported(primitive);
        let number = kept;
        kept = kept.checked_add(triangles.len() as u32)?;
        if vertices.normals.len() != vertices.positions.len() {
            continue;
        }
        let Some(lost) = lost_corners(&triangles, &vertices.positions) else { continue };
        if !lost.contains(&true) {
            continue;
        }
        let mut numbers: HashMap<u32, u32> = HashMap::default();
        let all = triangles.as_flattened().iter().zip(number.checked_mul(3)?..).zip(lost);
        for ((vertex, corner), _) in all.filter(|(_, lost)| *lost) {
            let (Some(place), Some(normal)) =
                (vertices.positions.get(*vertex as usize), vertices.normals.get(*vertex as usize))
            else {
                continue;
            };
            let known = *numbers.entry(*vertex).or_insert_with(|| {
                rows.extend(place.iter().chain(normal));
                count += 1;
                count - 1
            });
            corners.push(corner.wrapping_sub(last));
            of.push(known);
            last = corner;
        }
    }
    if corners.is_empty() || count as usize > MOST {
        return None;
    }
    Some(Value::Object(Extras::from_iter([
        ("kept", kept.into()),
        ("corners", encode_u32s(&corners)),
        ("of", encode_u32s(&of)),
        ("rows", floats(&rows)),
    ])))
}

impl Around {
    fn add(&mut self, normal: Vec3, angle: f32) {
        self.sum += normal * angle;
        self.angles += angle;
    }

    /// Finds out whether the normals cancel each other.
    fn close(&mut self) {
        self.lost |= self.sum.length() < SHORT * self.angles;
        self.sum = self.sum.normalize_or_zero();
    }

    /// Returns `true` if these faces face along one of their edges.
    fn is_along(&self, edges: [Vec3; 2]) -> bool {
        edges.iter().any(|edge| edge.normalize_or_zero().dot(self.sum).abs() > ALONG)
    }
}

/// A corner of a triangle with area.
#[derive(Clone, Copy)]
struct Corner {
    /// The normal of the triangle; 0 if it has no area.
    normal: Vec3,
    /// To the next corner and to the one before.
    edges: [Vec3; 2],
    /// Whether a face of the vertex faces elsewhere, so that all of them have to be looked at.
    uneven: bool,
}

impl Corner {
    fn angle(&self) -> f32 {
        let [next, before] = self.edges;
        next.angle_between(before)
    }
}

/// Returns the corners of triangles in order.
fn corners(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> Vec<Corner> {
    let place = |vertex: u32| positions.get(vertex as usize).copied().map_or(Vec3::ZERO, Vec3::from);
    let mut out = Vec::with_capacity(triangles.len() * 3);
    for triangle in triangles {
        let [a, b, c] = triangle.map(place);
        let cross = (b - a).cross(c - a);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        let (area, least) = (cross.length(), FLAT * longest);
        // What is not a number has no area, either.
        let flat = area.is_nan() || least.is_nan() || area <= least;
        let normal = if flat { Vec3::ZERO } else { cross.normalize_or_zero() };
        for (here, next, before) in [(a, b, c), (b, c, a), (c, a, b)] {
            out.push(Corner { normal, edges: [next - here, before - here], uneven: false });
        }
    }
    out
}

/// Finds the corners of vertices whose faces are not alike: their cosines with the first one are less than this.
fn find_uneven(
    alike: f32,
    corners: &mut [Corner],
    owners: impl Iterator<Item = usize> + Clone,
    count: usize,
) {
    let mut vertices = vec![(Vec3::ZERO, false); count];
    for (corner, owner) in corners.iter().zip(owners.clone()) {
        let Some((first, uneven)) = vertices.get_mut(owner) else { continue };
        if *first == Vec3::ZERO {
            *first = corner.normal;
        }
        // A face without area has no normal, and so is not like any other.
        *uneven |= first.dot(corner.normal) < alike;
    }
    for (corner, owner) in corners.iter_mut().zip(owners) {
        corner.uneven = vertices.get(owner).is_some_and(|(_, uneven)| *uneven);
    }
}

/// Returns for each corner whether its normal will be lost; `None` if the indices are spread too far.
fn lost_corners(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> Option<Vec<bool>> {
    lost_corners_unless(ALIKE, triangles, positions)
}

/// Does what [`lost_corners`] does, for vertices whose faces are less [alike](find_uneven) than this.
fn lost_corners_unless(alike: f32, triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> Option<Vec<bool>> {
    let all = triangles.as_flattened();
    let (first, last) = (*all.iter().min()?, *all.iter().max()?);
    let span = (last - first) as usize + 1;
    if span > all.len() * 8 || last as usize >= positions.len() {
        return None;
    }
    let mut corners = corners(triangles, positions);
    let owner = |vertex: &u32| (*vertex - first) as usize;
    find_uneven(alike, &mut corners, all.iter().map(owner), span);
    if !corners.iter().any(|corner| corner.uneven) {
        return Some(vec![false; corners.len()]);
    }
    let mut lost = mark(&corners, all.iter().map(owner), span);
    // Where faces look into different directions, those that share no edge are on their own.
    let mut mixed = vec![false; span];
    let mut sums = vec![Vec3::ZERO; span];
    for (corner, vertex) in corners.iter().zip(all) {
        sums.get_mut(owner(vertex)).into_iter().for_each(|sum| *sum += corner.normal);
    }
    for (corner, vertex) in corners.iter().zip(all).filter(|(corner, _)| corner.uneven) {
        let sum = sums.get(owner(vertex)).map_or(Vec3::ZERO, |sum| sum.normalize_or_zero());
        if corner.normal.dot(sum) < SHORT {
            mixed.get_mut(owner(vertex)).into_iter().for_each(|slot| *slot = true);
        }
    }
    if mixed.contains(&true) {
        let fans = fans(triangles, &|vertex| mixed.get(owner(&vertex)) == Some(&true));
        let alone = mark(&corners, fans.iter().copied(), corners.len());
        lost.iter_mut().zip(alone).for_each(|(lost, alone)| *lost |= alone);
    }
    Some(lost)
}

/// Returns for each corner whether the faces around it say nothing; `owners` tells which corners belong together.
fn mark(corners: &[Corner], owners: impl Iterator<Item = usize> + Clone, count: usize) -> Vec<bool> {
    let mut groups = vec![Around::default(); count];
    for (corner, owner) in corners.iter().zip(owners.clone()).filter(|(corner, _)| corner.uneven) {
        let Some(group) = groups.get_mut(owner) else { continue };
        if corner.normal == Vec3::ZERO {
            group.lost = true;
        } else {
            group.add(corner.normal, corner.angle());
        }
    }
    groups.iter_mut().for_each(Around::close);
    for (corner, owner) in corners.iter().zip(owners.clone()).filter(|(corner, _)| corner.uneven) {
        if let Some(group) = groups.get_mut(owner) {
            group.lost |= group.is_along(corner.edges);
        }
    }
    owners.map(|owner| groups.get(owner).is_some_and(|group| group.lost)).collect()
}

/// Returns for each corner the first of those at the same vertex that are connected with it by edges that two triangles share,
/// which run along them in opposite directions. Vertices that are not `wanted` have one group each.
fn fans(triangles: &[[u32; 3]], wanted: &dyn Fn(u32) -> bool) -> Vec<usize> {
    let all = triangles.as_flattened();
    let mut up: Vec<usize> = (0..all.len()).collect();
    // With shorter ways each time, so that the order of triangles does not matter.
    fn top(up: &mut [usize], mut at: usize) -> usize {
        while let Some(above) = up.get(at).copied().filter(|above| *above != at) {
            let higher = up.get(above).copied().unwrap_or(above);
            up.get_mut(at).into_iter().for_each(|slot| *slot = higher);
            at = higher;
        }
        at
    }
    // For each directed edge, its triangle's corner at its start and how many triangles have it.
    let mut edges: HashMap<(u32, u32), (usize, u32)> = HashMap::default();
    let mut firsts: HashMap<u32, usize> = HashMap::default();
    let each = || {
        triangles.iter().enumerate().flat_map(|(t, [a, b, c])| {
            [(*a, *b, t * 3, t * 3 + 1), (*b, *c, t * 3 + 1, t * 3 + 2), (*c, *a, t * 3 + 2, t * 3)]
        })
    };
    for (a, b, start, _) in each().filter(|(a, b, ..)| wanted(*a) || wanted(*b)) {
        edges.entry((a, b)).or_insert((start, 0)).1 += 1;
    }
    let next = |corner: usize| if corner % 3 == 2 { corner - 2 } else { corner + 1 };
    for (a, b, start, end) in each() {
        let (mine, other) = (edges.get(&(a, b)), edges.get(&(b, a)));
        if let (Some((_, 1)), Some((back, 1))) = (mine, other) {
            for (one, two) in [(start, next(*back)), (end, *back)] {
                let (one, two) = (top(&mut up, one), top(&mut up, two));
                up.get_mut(one.max(two)).into_iter().for_each(|slot| *slot = one.min(two));
            }
        }
        if !wanted(a) {
            let first = *firsts.entry(a).or_insert(start);
            up.get_mut(start).into_iter().for_each(|slot| *slot = first);
        }
    }
    (0..all.len()).map(|corner| top(&mut up, corner)).collect()
}

/// A vertex whose normal was noted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lost {
    vertex: (VerticesId, u32),
    place: [f32; 3],
    normal: [f32; 3],
}

/// Returns the vertices of a mesh that a note is about; none if its triangles were changed.
pub(crate) fn find(primitives: &[Primitive], note: &Value) -> Vec<Lost> {
    let list = |key: &str| note.get(key).and_then(decode_u32s).unwrap_or_default();
    let (corners, of) = (list("corners"), list("of"));
    let rows = note.get("rows").and_then(read_floats).unwrap_or_default();
    let all: Vec<(VerticesId, u32)> = primitives
        .iter()
        .flat_map(|p| twins::triangles(p).as_flattened().iter().map(|vertex| (p.vertices, *vertex)))
        .collect();
    if note.get("kept").and_then(Value::as_u64) != Some(all.len() as u64 / 3) {
        return Vec::new();
    }
    let (rows, _) = rows.as_chunks::<6>();
    let mut last = 0u32;
    let mut out = Vec::with_capacity(corners.len().min(all.len()));
    for (step, row) in corners.iter().zip(of) {
        last = last.wrapping_add(*step);
        if let (Some(vertex), Some([x, y, z, normal @ ..])) = (all.get(last as usize), rows.get(row as usize))
        {
            out.push(Lost { vertex: *vertex, place: [*x, *y, *z], normal: *normal });
        }
    }
    out
}

/// How far a vertex may be from where it was, as a part of the largest coordinate of the model.
const NEAR: f32 = 1e-4;

/// Restores the normals of vertices that are where they were.
pub(crate) fn restore(scene: &mut Scene, lost: &[Lost]) {
    if lost.is_empty() {
        return;
    }
    let all = scene.vertices.iter().flat_map(|v| v.positions.as_flattened());
    let size = all.map(|c| c.abs()).filter(|c| c.is_finite()).fold(0.0, f32::max);
    for Lost { vertex: (vertices, row), place, normal } in lost {
        let Some(columns) = scene.vertices.get_mut(*vertices as usize) else { continue };
        let there = columns.positions.get(*row as usize);
        let near =
            there.is_some_and(|there| there.iter().zip(place).all(|(a, b)| (a - b).abs() <= NEAR * size));
        if let Some(slot) = columns.normals.get_mut(*row as usize).filter(|_| near) {
            *slot = *normal;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_with_faces_alike_are_judged_as_all_others() {
        let mut random = galatea_scene::Random::new(7);
        let (mut lost, mut even) = (0, 0);
        for round in 0..200 {
            // Hills from nearly flat to jagged, some with triangles that cover each other.
            let height = round as f32 * 0.02;
            let positions: Vec<[f32; 3]> =
                (0..64).map(|i| [(i % 8) as f32, (i / 8) as f32, random.unit() * height]).collect();
            let mut triangles: Vec<[u32; 3]> = (0..56u32)
                .filter(|i| i % 8 != 7)
                .flat_map(|i| [[i, i + 1, i + 8], [i + 1, i + 9, i + 8]])
                .collect();
            if round % 3 == 0 {
                triangles.extend([[0, 8, 1], [20, 28, 21], [40, 40, 41]]);
            }
            let whole = lost_corners_unless(2.0, &triangles, &positions).unwrap();
            assert_eq!(lost_corners(&triangles, &positions).unwrap(), whole, "round {round}");
            lost += whole.iter().filter(|lost| **lost).count();
            let mut corners = corners(&triangles, &positions);
            find_uneven(ALIKE, &mut corners, triangles.as_flattened().iter().map(|v| *v as usize), 64);
            even += corners.iter().filter(|corner| !corner.uneven).count();
        }
        assert!(lost > 100 && even > 1000, "{lost} lost, {even} even");
    }

    /// A leaf with two sides of the same vertices, a triangle without area, and a plain one.
    fn leaf() -> (Primitive, Vertices) {
        let positions: Vec<[f32; 3]> = vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [5.0, 0.0, 0.0],
            [6.0, 0.0, 0.0],
            [7.0, 0.0, 0.0],
            [0.0, 0.0, 3.0],
            [1.0, 0.0, 3.0],
            [0.0, 1.0, 3.0],
            [1.0, 1.0, 0.0],
        ];
        let normals =
            (0..positions.len()).map(|i| Vec3::new(1.0, i as f32, 2.0).normalize().into()).collect();
        // The other side has the corner 9 instead of 0.
        let indices = vec![0, 1, 2, 2, 1, 0, 1, 2, 9, 3, 4, 5, 6, 7, 8, 9, 2, 1];
        (
            Primitive { indices, ..Primitive::default() },
            Vertices { positions, normals, ..Vertices::default() },
        )
    }

    #[test]
    fn normals_of_leaves_and_flat_triangles_come_back() {
        let (primitive, vertices) = leaf();
        let note = note([(&primitive, &vertices)].into_iter()).expect("some are lost");
        // Blender keeps one of two triangles with the same vertices.
        let left = Primitive { indices: vec![0, 1, 2, 1, 2, 9, 3, 4, 5, 6, 7, 8], ..Primitive::default() };
        let mut scene = Scene { vertices: vec![vertices.clone()], ..Scene::default() };
        let wrong = [0.0, 0.0, 1.0];
        scene.vertices[0].normals.fill(wrong);
        scene.vertices[0].positions[4][2] += 0.1;
        let lost = find(std::slice::from_ref(&left), &note);
        restore(&mut scene, &lost);
        for (vertex, normal) in scene.vertices[0].normals.iter().enumerate() {
            // The vertex 4 was moved; those of the plain triangle Blender keeps.
            match vertex {
                3 | 5 => assert_eq!(*normal, vertices.normals[vertex]),
                4 | 6..=8 => assert_eq!(*normal, wrong, "{vertex}"),
                _ => {}
            }
        }
        let more = Primitive { indices: [left.indices.as_slice(), &[0, 1, 7]].concat(), ..left };
        assert!(find(&[more], &note).is_empty());
    }

    #[test]
    fn two_sides_with_different_corners_cancel() {
        let (_, vertices) = leaf();
        // Two triangles with an edge in common, folded onto each other.
        let mut vertices = vertices;
        vertices.positions[9] = [0.1, 0.1, 0.0];
        let folded = Primitive { indices: vec![0, 1, 2, 2, 1, 9], ..Primitive::default() };
        let note = note([(&folded, &vertices)].into_iter());
        assert!(note.is_some());
        let plain = Primitive { indices: vec![6, 7, 8], ..Primitive::default() };
        assert_eq!(super::note([(&plain, &vertices)].into_iter()), None);
    }

    #[test]
    fn faces_that_share_no_edge_are_on_their_own() {
        // Two triangles folded onto each other, and a third that touches them in one vertex and outweighs them.
        let positions = vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 0.2, 0.0],
            [1.0, 0.1, 0.0],
            [-1.0, -1.0, 0.0],
            [-1.0, 1.0, 0.0],
        ];
        let normals = vec![[0.0, 0.6, 0.8]; 6];
        let vertices = Vertices { positions, normals, ..Vertices::default() };
        let folded = [[0, 1, 2], [3, 1, 0], [0, 5, 4]];
        let lost = lost_corners(&folded, &vertices.positions).expect("near each other");
        assert_eq!(lost, [true, true, false, false, true, true, false, false, false]);
        // The same three without a fold.
        let flat = [[0, 1, 3], [3, 2, 0], [0, 5, 4]];
        assert_eq!(lost_corners(&flat, &vertices.positions), Some(vec![false; 9]));
    }
}
