//! Triangles that Blender does not import: those with the same three vertices as an earlier one, such as the back of a two-sided
//! leaf, and those with a vertex twice. A mesh notes them by the corners of triangles that stay, and they come back while those
//! are all there.

use foldhash::{HashMap, HashSet};
use galatea_scene::{
    Extras, Primitive, Topology, Value, Vertices, decode_u32s, encode_u32s, floats, read_floats,
};
use glam::Vec3;

/// The key of the note in the extras of a mesh.
pub(crate) const KEY: &str = "dropped";

/// Returns the triangles of a primitive; none if it has lines or points.
pub(crate) fn triangles(primitive: &Primitive) -> &[[u32; 3]] {
    if primitive.topology == Topology::Triangles { primitive.indices.as_chunks().0 } else { &[] }
}

fn sorted(mut triangle: [u32; 3]) -> [u32; 3] {
    triangle.sort_unstable();
    triangle
}

fn is_flat([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || a == c
}

/// Returns the triangles of a primitive that will not be dropped.
pub(crate) fn kept(primitive: &Primitive) -> Vec<[u32; 3]> {
    let all = triangles(primitive);
    let stays = stays(all);
    all.iter().zip(stays).filter(|(_, stays)| *stays).map(|(t, _)| *t).collect()
}

/// Returns which triangles stay.
fn stays(all: &[[u32; 3]]) -> Vec<bool> {
    let mut seen: HashSet<[u32; 3]> = HashSet::with_capacity_and_hasher(all.len(), Default::default());
    all.iter().map(|t| !is_flat(*t) && seen.insert(sorted(*t))).collect()
}

/// Returns a note about the triangles of a mesh that will be dropped; `None` if there are none.
pub(crate) fn note<'p>(primitives: impl Iterator<Item = (&'p Primitive, &'p Vertices)>) -> Option<Value> {
    let (mut words, mut shapes): (Vec<u32>, Vec<f32>) = Default::default();
    let (mut kept, mut last) = (0u32, 0u32);
    for (primitive, vertices) in primitives {
        let all = triangles(primitive);
        let stays = stays(all);
        if !stays.contains(&false) {
            kept = kept.checked_add(all.len() as u32)?;
            continue;
        }
        // For each vertex, a corner of a triangle that stays.
        let mut corners: HashMap<u32, u32> = HashMap::default();
        let mut whole: HashMap<[u32; 3], ([u32; 3], u32)> = HashMap::default();
        let (mut number, mut lost) = (kept, 0);
        for triangle in all.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(t, _)| *t) {
            let first = number.checked_mul(3)?;
            triangle.iter().zip(first..).for_each(|(vertex, corner)| {
                corners.entry(*vertex).or_insert(corner);
            });
            whole.insert(sorted(triangle), (triangle, first));
            number += 1;
        }
        for (at, triangle) in all.iter().enumerate().filter(|(at, _)| stays.get(*at) == Some(&false)) {
            // The twin's corners, if there is one, so that it has to be there.
            let twin = whole.get(&sorted(*triangle));
            let found = triangle.map(|vertex| match twin {
                Some((twin, first)) => twin.iter().position(|v| *v == vertex).map(|i| first + i as u32),
                None => corners.get(&vertex).copied(),
            });
            // Vertices of flat triangles alone are not carried: such a triangle does not count.
            let [Some(a), Some(b), Some(c)] = found else {
                lost += 1;
                continue;
            };
            words.extend([at as u32 - lost, a.wrapping_sub(last), b.wrapping_sub(a), c.wrapping_sub(b)]);
            last = c;
            // Blender may keep any of several twins: the shape tells where it is.
            let place = |v: u32| vertices.positions.get(v as usize).map_or(Vec3::NAN, |p| Vec3::from(*p));
            shapes.extend(if twin.is_some() { shape(triangle.map(place)) } else { [0.0; 2] });
        }
        kept = number;
    }
    (!words.is_empty()).then(|| {
        Value::Object(Extras::from_iter([
            ("kept", kept.into()),
            ("corners", encode_u32s(&words)),
            ("shapes", floats(&shapes)),
        ]))
    })
}

/// Restores dropped triangles, if all others are there. Returns how many are lost. `place` gives the position of a vertex.
pub(crate) fn restore(
    primitives: &mut [Primitive],
    note: &Value,
    place: impl Fn(&Primitive, u32) -> Option<Vec3>,
) -> usize {
    let words = note.get("corners").and_then(decode_u32s).unwrap_or_default();
    let shapes = note.get("shapes").and_then(read_floats).unwrap_or_default();
    let (rows, (shapes, _)) = (words.as_chunks::<4>().0, shapes.as_chunks::<2>());
    let kept: usize = primitives.iter().map(|p| triangles(p).len()).sum();
    if note.get("kept").and_then(Value::as_u64) != Some(kept as u64) {
        return rows.len();
    }
    let mut last = 0u32;
    let mut dropped: Vec<Dropped> = Vec::with_capacity(rows.len());
    for (number, [at, steps @ ..]) in rows.iter().enumerate() {
        let corners = steps.map(|step| {
            last = last.wrapping_add(step);
            last as usize
        });
        dropped.push(Dropped {
            at: *at as usize,
            corners,
            shape: shapes.get(number).copied().unwrap_or_default(),
        });
    }
    let (mut before, mut lost, mut rest) = (0, 0, dropped.as_slice());
    for primitive in primitives {
        let count = triangles(primitive).len();
        let own = rest.iter().take_while(|d| d.corners[0] < (before + count) * 3).count();
        let (mine, others) = rest.split_at(own);
        rest = others;
        let mine: Vec<Dropped> = mine.iter().map(|d| d.from(before)).collect();
        before += count;
        if mine.is_empty() {
            continue;
        }
        let shape = |t: &[u32; 3]| shape(t.map(|v| place(primitive, v).unwrap_or(Vec3::NAN)));
        match whole(triangles(primitive), &mine, shape) {
            Some(all) => primitive.indices = all.into_flattened(),
            None => lost += mine.len(),
        }
    }
    lost + rest.len()
}

/// A triangle that was dropped.
#[derive(Debug, Clone, Copy)]
struct Dropped {
    /// Its index among all triangles.
    at: usize,
    /// For each of its corners, the corner of a triangle that stayed.
    corners: [usize; 3],
    /// Its shape, if it has a twin.
    shape: [f32; 2],
}

impl Dropped {
    /// Returns it with corners that are counted from another triangle on.
    fn from(&self, first: usize) -> Dropped {
        Dropped { corners: self.corners.map(|c| c.wrapping_sub(first * 3)), ..*self }
    }

    /// Returns the triangle that stayed and has the same vertices, by its number among those that stayed.
    fn twin(&self) -> Option<usize> {
        let [a, b, c] = self.corners.map(|c| c / 3);
        (a == b && b == c && self.shape != [0.0; 2]).then_some(a)
    }
}

/// Returns the lengths of the two shorter edges of a triangle, as parts of the longest.
fn shape([a, b, c]: [Vec3; 3]) -> [f32; 2] {
    let mut edges = [a.distance(b), b.distance(c), c.distance(a)];
    edges.sort_by(f32::total_cmp);
    let [short, middle, long] = edges;
    if long > 0.0 && long.is_finite() { [short / long, middle / long] } else { [1.0; 2] }
}

fn alike(a: [f32; 2], b: [f32; 2]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-3)
}

/// Returns all triangles of a primitive. Of twins, Blender may have kept another one than the first; `None` if the note does not
/// fit.
fn whole(
    left: &[[u32; 3]],
    dropped: &[Dropped],
    shape: impl Fn(&[u32; 3]) -> [f32; 2],
) -> Option<Vec<[u32; 3]>> {
    let total = left.len() + dropped.len();
    let ascend = dropped.iter().zip(dropped.iter().skip(1)).all(|(a, b)| a.at < b.at);
    if !ascend || dropped.iter().any(|d| d.at >= total || d.corners.iter().any(|c| *c >= left.len() * 3)) {
        return None;
    }
    let mut twins: HashMap<usize, Vec<usize>> = HashMap::default();
    for (number, twin) in dropped.iter().enumerate().filter_map(|(n, d)| Some((n, d.twin()?))) {
        twins.entry(twin).or_default().push(number);
    }
    // For each triangle that should have stayed, its vertices; twins that stayed in its place.
    let mut firsts: Vec<Option<[u32; 3]>> = Vec::with_capacity(left.len());
    let mut instead: HashMap<usize, usize> = HashMap::default();
    let (mut here, mut next) = (0usize, dropped.iter().enumerate().peekable());
    for at in 0..total {
        let Some((number, gone)) = next.next_if(|(_, d)| d.at == at) else {
            let own = twins.get(&firsts.len()).and_then(|list| dropped.get(*list.first()?));
            let later = own.is_some_and(|twin| {
                let is = |place: usize| left.get(place).is_some_and(|t| alike(shape(t), twin.shape));
                let there = here + (twin.at - at).saturating_sub(1);
                !is(here) && (there.saturating_sub(4)..=there).any(is)
            });
            if later {
                let twin = *twins.get(&firsts.len())?.first()?;
                instead.insert(twin, firsts.len());
                firsts.push(None);
            } else {
                firsts.push(Some(*left.get(here)?));
                here += 1;
            }
            continue;
        };
        if let Some(first) = instead.get(&number) {
            let there = *left.get(here)?;
            here += 1;
            let mut vertices = [0; 3];
            for (corner, vertex) in gone.corners.iter().zip(there) {
                *vertices.get_mut(corner % 3)? = vertex;
            }
            *firsts.get_mut(*first)? = Some(vertices);
        }
    }
    let (mut out, mut rest) = (Vec::with_capacity(total), firsts.iter());
    let mut next = dropped.iter().peekable();
    for at in 0..total {
        out.push(match next.next_if(|d| d.at == at) {
            Some(gone) => {
                let corner =
                    |c: usize| firsts.get(c / 3).copied().flatten().and_then(|t| t.get(c % 3).copied());
                let [a, b, c] = gone.corners.map(corner);
                [a?, b?, c?]
            }
            None => (*rest.next()?)?,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(triangles: &[[u32; 3]]) -> Primitive {
        Primitive { indices: triangles.concat(), ..Primitive::default() }
    }

    const PLACES: [[f32; 3]; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 2.0, 0.0],
        [3.0, 3.0, 0.0],
        [4.0, 0.0, 1.0],
        [4.0, 1.0, 7.0],
        [0.0, 9.0, 2.0],
        [5.0, 5.0, 5.0],
    ];

    fn noted(parts: &[Primitive]) -> Option<Value> {
        let vertices = Vertices { positions: PLACES.to_vec(), ..Vertices::default() };
        note(parts.iter().map(|part| (part, &vertices)))
    }

    #[test]
    fn twins_and_flat_triangles_come_back() {
        let whole =
            [part(&[[0, 1, 2]]), part(&[[0, 1, 2], [2, 1, 0], [1, 3, 2], [3, 3, 1], [9, 9, 8], [0, 1, 2]])];
        let note = noted(&whole).expect("some are dropped");
        // Blender numbers the vertices anew, and loses what only flat triangles have.
        let mut left = [part(&[[0, 1, 2]]), part(&[[4, 2, 1], [2, 0, 1]])];
        let place = |_: &Primitive, vertex: u32| {
            let was = *[3, 2, 1, 7, 0].get(vertex as usize)?;
            PLACES.get(was as usize).copied().map(Vec3::from)
        };
        assert_eq!(restore(&mut left, &note, place), 0);
        assert_eq!(left[0].indices, [0, 1, 2]);
        assert_eq!(left[1].indices, [4, 2, 1, 1, 2, 4, 2, 0, 1, 0, 0, 2, 4, 2, 1]);
        let mut edited = [part(&[[5, 6, 7]])];
        assert_eq!(restore(&mut edited, &note, place), 3);
        assert_eq!(noted(&[part(&[[0, 1, 2], [1, 2, 3]])]), None);
    }

    #[test]
    fn of_twins_any_may_have_stayed() {
        let same = |_: &Primitive, vertex: u32| PLACES.get(vertex as usize).copied().map(Vec3::from);
        let all = [[0, 1, 2], [1, 3, 2], [3, 4, 5], [2, 1, 0], [4, 6, 5], [5, 3, 4], [6, 7, 5]];
        let note = noted(&[part(&all)]).expect("two are dropped");
        // The number of the one of each pair that is gone, and what comes back: the same corners in the same order around.
        for gone in [[3, 5], [0, 5], [3, 2], [0, 2]] {
            let left: Vec<[u32; 3]> = (0..7).filter(|i| !gone.contains(i)).map(|i| all[i]).collect();
            let mut left = [part(&left)];
            assert_eq!(restore(&mut left, &note, same), 0, "{gone:?}");
            let turned = |t: &[u32; 3]| {
                let [a, b, c] = *t;
                [[a, b, c], [b, c, a], [c, a, b]].into_iter().min()
            };
            let back: Vec<_> = left[0].indices.as_chunks::<3>().0.iter().map(turned).collect();
            assert_eq!(back, all.iter().map(turned).collect::<Vec<_>>(), "{gone:?}");
        }
    }
}
