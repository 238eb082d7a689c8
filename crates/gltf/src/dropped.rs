//! Triangles that Blender does not import: those with the same three vertices as an earlier one, such as the back of a two-sided
//! leaf, and those with a vertex twice. A mesh notes them by the corners of triangles that stay, and they come back while those
//! are all there.

use foldhash::{HashMap, HashSet};
use galatea_scene::{Extras, Primitive, Topology, Value, decode_u32s, encode_u32s};

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
pub(crate) fn note<'p>(primitives: impl Iterator<Item = &'p Primitive>) -> Option<Value> {
    let mut words: Vec<u32> = Vec::new();
    let (mut kept, mut last) = (0u32, 0u32);
    for primitive in primitives {
        let all = triangles(primitive);
        let stays = stays(all);
        if !stays.contains(&false) {
            kept = kept.checked_add(all.len() as u32)?;
            continue;
        }
        // For each vertex, a corner of a triangle that stays.
        let mut corners: HashMap<u32, u32> = HashMap::default();
        let mut whole: HashMap<[u32; 3], ([u32; 3], u32)> = HashMap::default();
        let mut number = kept;
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
            // Vertices of flat triangles alone are not carried.
            let [Some(a), Some(b), Some(c)] = found else { continue };
            words.extend([at as u32, a.wrapping_sub(last), b.wrapping_sub(a), c.wrapping_sub(b)]);
            last = c;
        }
        kept = number;
    }
    (!words.is_empty())
        .then(|| Value::Object(Extras::from_iter([("kept", kept.into()), ("corners", encode_u32s(&words))])))
}

/// Restores dropped triangles, if all others are there. Returns how many are lost.
pub(crate) fn restore(primitives: &mut [Primitive], note: &Value) -> usize {
    let words = note.get("corners").and_then(decode_u32s).unwrap_or_default();
    let (rows, _) = words.as_chunks::<4>();
    let kept: Vec<(usize, [u32; 3])> = primitives
        .iter()
        .enumerate()
        .flat_map(|(part, primitive)| triangles(primitive).iter().map(move |t| (part, *t)))
        .collect();
    if note.get("kept").and_then(Value::as_u64) != Some(kept.len() as u64) {
        return rows.len();
    }
    let mut last = 0u32;
    let mut lost = 0;
    let mut added: Vec<Vec<(usize, [u32; 3])>> = vec![Vec::new(); primitives.len()];
    for [at, steps @ ..] in rows {
        let corners = steps.map(|step| {
            last = last.wrapping_add(step);
            let (part, triangle) = kept.get(last as usize / 3)?;
            Some((*part, *triangle.get(last as usize % 3)?))
        });
        match corners {
            [Some((part, a)), Some((same, b)), Some((too, c))] if part == same && part == too => {
                added.get_mut(part).into_iter().for_each(|list| list.push((*at as usize, [a, b, c])));
            }
            _ => lost += 1,
        }
    }
    for (primitive, added) in primitives.iter_mut().zip(added).filter(|(_, added)| !added.is_empty()) {
        let mut old = triangles(primitive).iter();
        let mut all: Vec<[u32; 3]> = Vec::with_capacity(old.len() + added.len());
        for (at, triangle) in added {
            let missing = at.saturating_sub(all.len());
            all.extend(old.by_ref().take(missing));
            all.push(triangle);
        }
        all.extend(old);
        primitive.indices = all.into_flattened();
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(triangles: &[[u32; 3]]) -> Primitive {
        Primitive { indices: triangles.concat(), ..Primitive::default() }
    }

    #[test]
    fn twins_and_flat_triangles_come_back() {
        let whole =
            [part(&[[0, 1, 2]]), part(&[[0, 1, 2], [2, 1, 0], [1, 3, 2], [3, 3, 1], [9, 9, 8], [0, 1, 2]])];
        let note = note(whole.iter()).expect("some are dropped");
        // Blender numbers the vertices anew, and loses what only flat triangles have.
        let mut left = [part(&[[5, 6, 7]]), part(&[[4, 2, 1], [2, 0, 1]])];
        assert_eq!(restore(&mut left, &note), 0);
        assert_eq!(left[0].indices, [5, 6, 7]);
        assert_eq!(left[1].indices, [4, 2, 1, 1, 2, 4, 2, 0, 1, 0, 0, 2, 4, 2, 1]);
        let mut edited = [part(&[[5, 6, 7]])];
        assert_eq!(restore(&mut edited, &note), 3);
        assert_eq!(super::note([part(&[[0, 1, 2], [1, 2, 3]])].iter()), None);
    }
}
