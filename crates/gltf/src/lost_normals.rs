//! Normals that Blender cannot keep. It stores them relative to the faces around a vertex, which says nothing where these have no
//! area, cancel each other, as the two sides of a leaf do, or face along one of their own edges. Meshes note such normals, with the
//! corners and the place of their vertices. They come back where neither the triangles nor the place have changed.

use foldhash::HashMap;
use galatea_scene::{
    Extras, Primitive, Scene, Value, Vertices, VerticesId, decode_u32s, encode_u32s, floats, read_floats,
};
use glam::Vec3;

use crate::dropped;

/// The key of the note in the extras of a mesh.
pub(crate) const KEY: &str = "normals";

/// Most vertices of a mesh that are noted.
const MOST: usize = 1 << 12;

/// A sum of normals below this part of what it would be on a plane is not precise; Blender was seen to lose normals up to 0.49.
const SHORT: f32 = 0.5;

/// An edge in this direction is along the normal.
const ALONG: f32 = 0.999;

/// The cosine of 40 degrees. Faces around a vertex that are all within this angle of the first one neither cancel each other nor
/// have an edge along their sum, which is within the same angle of the first, and so within 80 degrees of each face.
const ALIKE: f32 = 0.766_05;

/// A triangle of less area, as a part of the square of its longest edge, has none.
const FLAT: f32 = 1e-6;

/// The faces around a vertex.
#[derive(Clone, Copy, Default)]
struct Around {
    /// The sum of their normals, by their angles.
    sum: Vec3,
    angles: f32,
    /// The normal of the first of them.
    one: Vec3,
    /// Whether another one faces elsewhere, so that their sum has to be looked at.
    uneven: bool,
    lost: bool,
}

/// Returns a note about the normals of a mesh that will be lost; `None` if there are none. Each primitive comes with its vertices.
pub(crate) fn note<'p>(primitives: impl Iterator<Item = (&'p Primitive, &'p Vertices)>) -> Option<Value> {
    let (mut corners, mut of, mut rows): (Vec<u32>, Vec<u32>, Vec<f32>) = Default::default();
    let (mut kept, mut last, mut count) = (0u32, 0u32, 0u32);
    for (primitive, vertices) in primitives {
        let triangles = dropped::kept(primitive);
        let number = kept;
        kept = kept.checked_add(triangles.len() as u32)?;
        if vertices.normals.len() != vertices.positions.len() {
            continue;
        }
        let Some((first, around)) = around(&triangles, &vertices.positions) else { continue };
        if !around.iter().any(|a| a.lost) {
            continue;
        }
        let mut numbers: HashMap<u32, u32> = HashMap::default();
        for (vertex, corner) in triangles.as_flattened().iter().zip(number.checked_mul(3)?..) {
            if !around.get((*vertex - first) as usize).is_some_and(|a| a.lost) {
                continue;
            }
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

/// Returns the faces around each vertex of some triangles, from the vertex with the lowest index on; `None` if the indices are
/// spread too far.
fn around(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> Option<(u32, Vec<Around>)> {
    around_unless(ALIKE, triangles, positions)
}

/// Does what [`around`] does; what the faces of a vertex add up to is left out if their cosines with the first are this much.
fn around_unless(alike: f32, triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> Option<(u32, Vec<Around>)> {
    let all = triangles.as_flattened();
    let (first, last) = (*all.iter().min()?, *all.iter().max()?);
    let span = (last - first) as usize + 1;
    if span > all.len() * 8 || last as usize >= positions.len() {
        return None;
    }
    let mut out = vec![Around::default(); span];
    let place = |vertex: u32| positions.get(vertex as usize).copied().map_or(Vec3::ZERO, Vec3::from);
    let corners = |triangle: &[u32; 3]| {
        let [a, b, c] = *triangle;
        [[a, b, c], [b, c, a], [c, a, b]]
    };
    let mut normals = Vec::with_capacity(triangles.len());
    for triangle in triangles {
        let [a, b, c] = triangle.map(place);
        let cross = (b - a).cross(c - a);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        let (area, least) = (cross.length(), FLAT * longest);
        // What is not a number has no area, either.
        let flat = area.is_nan() || least.is_nan() || area <= least;
        let normal = if flat { Vec3::ZERO } else { cross.normalize_or_zero() };
        for vertex in triangle {
            let Some(slot) = out.get_mut((vertex - first) as usize) else { continue };
            slot.lost |= flat;
            if slot.one == Vec3::ZERO {
                slot.one = normal;
            }
            // A normal of an area that is too large to be a number is zero, and so is uneven.
            slot.uneven |= !flat && slot.one.dot(normal) < alike;
        }
        normals.push((normal, flat));
    }
    for (triangle, (normal, _)) in triangles.iter().zip(&normals).filter(|(_, (_, flat))| !flat) {
        for [vertex, next, before] in corners(triangle) {
            if let Some(slot) = out.get_mut((vertex - first) as usize).filter(|slot| slot.uneven) {
                let angle = (place(next) - place(vertex)).angle_between(place(before) - place(vertex));
                slot.sum += *normal * angle;
                slot.angles += angle;
            }
        }
    }
    for around in out.iter_mut().filter(|around| around.uneven) {
        around.lost |= around.sum.length() < SHORT * around.angles;
        around.sum = around.sum.normalize_or_zero();
    }
    for [vertex, next, before] in triangles.iter().flat_map(corners) {
        if let Some(slot) = out.get_mut((vertex - first) as usize).filter(|slot| slot.uneven) {
            let edges = [place(next) - place(vertex), place(before) - place(vertex)];
            slot.lost |= edges.iter().any(|edge| edge.normalize_or_zero().dot(slot.sum).abs() > ALONG);
        }
    }
    Some((first, out))
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
        .flat_map(|p| dropped::triangles(p).as_flattened().iter().map(|vertex| (p.vertices, *vertex)))
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

/// How far a vertex may be from where it was, as a part of the size of its mesh.
const NEAR: f32 = 1e-4;

/// Restores the normals of vertices that are where they were.
pub(crate) fn restore(scene: &mut Scene, lost: &[Lost]) {
    let mut sizes: HashMap<VerticesId, f32> = HashMap::default();
    for Lost { vertex: (vertices, row), place, normal } in lost {
        let Some(columns) = scene.vertices.get_mut(*vertices as usize) else { continue };
        let size = *sizes.entry(*vertices).or_insert_with(|| {
            let all = columns.positions.as_flattened().iter().map(|c| c.abs()).filter(|c| c.is_finite());
            all.fold(0.0, f32::max)
        });
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
            let (_, short) = around(&triangles, &positions).unwrap();
            let (_, whole) = around_unless(2.0, &triangles, &positions).unwrap();
            let of = |all: &[Around]| all.iter().map(|a| a.lost).collect::<Vec<_>>();
            assert_eq!(of(&short), of(&whole), "round {round}");
            lost += whole.iter().filter(|a| a.lost).count();
            even += short.iter().filter(|a| !a.uneven).count();
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
}
