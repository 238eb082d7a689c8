//! Tables that a compiler derives from triangles, stored as differences from what we derive: they are restored bit for
//! bit while a triangle is unchanged, and derived again otherwise.

use std::collections::{HashMap, VecDeque};

use galatea_scene::{Extras, Material, Value, decode_u32s, encode_u32s, float, read_float};
use galatea_wire::StableHash;
use glam::Vec3;

use crate::box_tree::TreeBox;
use crate::extra::{apply_ulp_deltas, int, ints, put, ulp_deltas, wrap};
use crate::geometry;

/// Returns the corners of a triangle; `None` if one does not exist.
pub(crate) fn corners(positions: &[[f32; 3]], [a, b, c]: [u32; 3]) -> Option<[[f32; 3]; 3]> {
    let at = |i: u32| positions.get(i as usize).copied();
    Some([at(a)?, at(b)?, at(c)?])
}

/// Returns a hash of the corner positions of a triangle. Stored in files.
pub(crate) fn key(positions: &[[f32; 3]], triangle: [u32; 3]) -> u32 {
    match corners(positions, triangle) {
        Some(corners) => StableHash::new().floats([corners.as_flattened()]).folded(),
        None => StableHash::new().words(triangle).folded(),
    }
}

/// Returns the [`key`] of every triangle.
pub(crate) fn keys(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<u32> {
    triangles.iter().map(|t| key(positions, *t)).collect()
}

/// Returns a hash of all positions and of the triangles with these keys. Stored in files.
pub(crate) fn whole_key(positions: &[[f32; 3]], keys: &[u32]) -> u32 {
    let keys = StableHash::new().words([keys.len() as u32]).words(keys.iter().copied());
    keys.floats([positions.as_flattened()]).folded()
}

/// Returns the corners of the box around triangles, the middle of their surface and its area, which do not depend on the order of
/// vertices and triangles.
pub(crate) fn measure(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> [f32; 10] {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (mut middle, mut area) = ([0.0f64; 3], 0.0f64);
    for corners in triangles.iter().filter_map(|t| corners(positions, *t)) {
        let [a, b, c] = corners.map(Vec3::from);
        (low, high) = (low.min(a).min(b).min(c), high.max(a).max(b).max(c));
        let twice = f64::from((b - a).cross(c - a).length());
        for (axis, slot) in middle.iter_mut().enumerate() {
            let sum: f64 = corners.iter().filter_map(|p| p.get(axis)).map(|v| f64::from(*v)).sum();
            *slot += sum * twice;
        }
        area += twice;
    }
    let middle = middle.map(|v| if area > 0.0 { (v / (area * 3.0)) as f32 } else { 0.0 });
    let [[x0, y0, z0], [x1, y1, z1], [x, y, z]] = [low.to_array(), high.to_array(), middle];
    [x0, y0, z0, x1, y1, z1, x, y, z, (area * 0.5) as f32]
}

/// Returns `true` if triangles have a [`measure`] but for rounding.
pub(crate) fn same_measure(was: &[f32], positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> bool {
    let is = measure(positions, triangles);
    let reach = is.iter().take(6).fold(0.0f32, |most, v| most.max(v.abs()));
    let near = |(i, (a, b)): (usize, (&f32, &f32))| {
        let size = if i == 9 { a.abs().max(b.abs()) } else { reach };
        (a - b).abs() <= 5e-5 * size || a.to_bits() == b.to_bits()
    };
    was.len() == is.len() && was.iter().zip(&is).enumerate().all(near)
}

/// Normals and distances of triangles.
pub(crate) struct Planes {
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) distances: Vec<f32>,
}

fn normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    triangles.iter().map(|t| corners(positions, *t).map_or([0.0; 3], geometry::normal)).collect()
}

fn distances(positions: &[[f32; 3]], triangles: &[[u32; 3]], normals: &[[f32; 3]]) -> Vec<f32> {
    let each = triangles.iter().zip(normals);
    each.map(|(t, n)| corners(positions, *t).map_or(0.0, |[a, ..]| geometry::plane(*n, a))).collect()
}

/// Writes planes, and the key of every triangle, by which it is recognized later.
pub(crate) fn put_planes(
    map: &mut Extras,
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
    keys: &[u32],
    planes: &Planes,
) {
    put(map, "keys", encode_u32s(keys));
    let derived = normals(positions, triangles);
    if let Some(deltas) = ulp_deltas(planes.normals.as_flattened(), derived.as_flattened(), 3) {
        put(map, "normals", deltas);
    }
    let derived = distances(positions, triangles, &planes.normals);
    if let Some(deltas) = ulp_deltas(&planes.distances, &derived, 1) {
        put(map, "distances", deltas);
    }
}

/// Returns, for every triangle, which of the written triangles it is.
pub(crate) fn recognise(map: &Extras, positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<Option<usize>> {
    let keys = ints(map, "keys").unwrap_or_default();
    let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, key) in keys.iter().enumerate().rev() {
        places.entry(*key as u32).or_default().push(i);
    }
    let now = self::keys(positions, triangles);
    // Triangles at their old index are matched first, so that duplicates are not swapped.
    let mut found: Vec<Option<usize>> = vec![None; triangles.len()];
    for (i, (slot, key)) in found.iter_mut().zip(&now).enumerate() {
        if keys.get(i).is_some_and(|k| *k as u32 == *key)
            && let Some(list) = places.get_mut(key)
            && let Some(at) = list.iter().rposition(|p| *p == i)
        {
            list.remove(at);
            *slot = Some(i);
        }
    }
    for (slot, key) in found.iter_mut().zip(&now).filter(|(slot, _)| slot.is_none()) {
        *slot = places.get_mut(key).and_then(Vec::pop);
    }
    found
}

/// Writes the surfaces of triangles as runs: surface, length, surface, length.
pub(crate) fn put_surfaces(map: &mut Extras, surfaces: &[u32]) {
    let runs = surfaces.chunk_by(|a, b| a == b);
    let words: Vec<u32> =
        runs.flat_map(|run| [run.first().copied().unwrap_or(0), run.len() as u32]).collect();
    put(map, "surfaces", encode_u32s(&words));
}

/// Returns which of the written triangles each one is if another program has put those of each surface together: triangles with the
/// same corners, and the others in their order within each surface, if there are as many as before.
pub(crate) fn numbers(
    map: &Extras,
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
    surfaces: &[u32],
) -> Vec<Option<u32>> {
    let mut found = recognise(map, positions, triangles);
    if ints(map, "keys").is_some_and(|keys| keys.len() == triangles.len()) {
        let mut free = vec![true; found.len()];
        found.iter().flatten().for_each(|was| free.get_mut(*was).into_iter().for_each(|f| *f = false));
        let runs = ints(map, "surfaces").unwrap_or_default();
        let runs = runs.chunks_exact(2).filter_map(|run| Some((*run.first()? as u32, *run.get(1)? as u32)));
        let was = runs.flat_map(|(surface, count)| std::iter::repeat_n(surface, count as usize));
        let mut left: HashMap<u32, VecDeque<usize>> = HashMap::new();
        for ((number, surface), _) in was.take(free.len()).enumerate().zip(&free).filter(|(_, free)| **free) {
            left.entry(surface).or_default().push_back(number);
        }
        for (slot, surface) in found.iter_mut().zip(surfaces).filter(|(slot, _)| slot.is_none()) {
            *slot = left.get_mut(surface).and_then(VecDeque::pop_front);
        }
        // The surface was changed as well.
        let mut left: Vec<usize> = left.into_values().flatten().collect();
        left.sort_unstable_by(|a, b| b.cmp(a));
        found.iter_mut().filter(|slot| slot.is_none()).for_each(|slot| *slot = left.pop());
    }
    found.into_iter().map(|was| was.and_then(|was| u32::try_from(was).ok())).collect()
}

/// Returns triangles whose vertices are numbered by their first use, and where vertices with the same bits are one: the same for all
/// meshes of one shape, whatever the order of their vertices and wherever programs tear them.
pub(crate) fn shape(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut numbers: HashMap<[u32; 3], u32> = HashMap::new();
    let mut number = |corner: &u32| {
        let place = positions.get(*corner as usize).map(|p| p.map(|v| (v + 0.0).to_bits()));
        let next = numbers.len() as u32;
        *numbers.entry(place.unwrap_or([u32::MAX, u32::MAX, *corner])).or_insert(next)
    };
    triangles.iter().map(|triangle| triangle.each_ref().map(&mut number)).collect()
}

/// Returns a hash of the [`shape`] of triangles.
pub(crate) fn shape_key(shape: &[[u32; 3]]) -> u32 {
    whole_key(&[], &keys(&[], shape))
}

/// Returns the planes of triangles: as written for known triangles, derived for others.
pub(crate) fn planes(
    map: &Extras,
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
    known: &[Option<usize>],
) -> Planes {
    let place: HashMap<usize, usize> =
        known.iter().enumerate().filter_map(|(now, was)| was.map(|was| (was, now))).collect();
    let mut normals = normals(positions, triangles);
    crate::extra::each_ulp_delta(map.get("normals"), 3, |was, deltas| {
        if let Some(slot) = place.get(&was).and_then(|now| normals.get_mut(*now)) {
            let sum = crate::extra::add_ulps(slot, deltas);
            slot.iter_mut().zip(sum).for_each(|(slot, new)| *slot = new);
        }
    });
    let mut distances = distances(positions, triangles, &normals);
    crate::extra::each_ulp_delta(map.get("distances"), 1, |was, deltas| {
        if let (Some(slot), Some(step)) =
            (place.get(&was).and_then(|now| distances.get_mut(*now)), deltas.first())
        {
            *slot = f32::from_bits(slot.to_bits().wrapping_add(*step));
        }
    });
    Planes { normals, distances }
}

/// Returns the boxes of a tree, derived from its leaves, which are enlarged by a margin.
fn boxes(tree: &[TreeBox], positions: &[[f32; 3]], triangles: &[[u32; 3]], grow: f32) -> Vec<[f32; 6]> {
    let mut out = vec![[0.0f32; 6]; tree.len()];
    for (i, node) in tree.iter().enumerate().rev() {
        let leaf = usize::try_from(node.face).ok().and_then(|f| corners(positions, *triangles.get(f)?));
        let below = |child: Option<u32>| {
            child.map(|c| c as usize).filter(|c| *c > i).and_then(|c| out.get(c)).copied()
        };
        let new = match (leaf, below(node.left), below(node.right)) {
            (Some([a, b, c]), ..) => {
                let mut new = [0.0; 6];
                for (slot, ((a, b), c)) in new.iter_mut().zip(a.iter().zip(&b).zip(&c)) {
                    *slot = a.min(*b).min(*c) - grow;
                }
                for (slot, ((a, b), c)) in new.iter_mut().skip(3).zip(a.iter().zip(&b).zip(&c)) {
                    *slot = a.max(*b).max(*c) + grow;
                }
                new
            }
            (None, Some(l), Some(r)) => {
                let mut new = l;
                for (i, (slot, r)) in new.iter_mut().zip(&r).enumerate() {
                    *slot = if i < 3 { slot.min(*r) } else { slot.max(*r) };
                }
                new
            }
            (None, Some(one), None) | (None, None, Some(one)) => one,
            _ => [0.0; 6],
        };
        if let Some(slot) = out.get_mut(i) {
            *slot = new;
        }
    }
    out
}

/// Returns the children of each box of a tree in preorder: the next box, and the one after all its descendants.
fn implied(faces: &[i64]) -> Vec<[Option<u32>; 2]> {
    let mut out = vec![[None; 2]; faces.len()];
    // Inner boxes whose second child is yet to come.
    let mut open: Vec<usize> = Vec::new();
    for i in 0..faces.len() {
        if let Some(parent) = open.pop().filter(|_| i > 0)
            && let Some([left, right]) = out.get_mut(parent)
        {
            if left.is_none() {
                *left = Some(i as u32);
                open.push(parent);
            } else {
                *right = Some(i as u32);
            }
        }
        if faces.get(i).is_some_and(|f| *f < 0) {
            open.push(i);
        }
    }
    out
}

fn no_child(child: Option<u32>) -> u32 {
    child.unwrap_or(u32::MAX)
}

/// Writes a tree: the triangles of its leaves, its split planes, and how its boxes differ from derived ones.
pub(crate) fn put_tree(map: &mut Extras, tree: &[TreeBox], positions: &[[f32; 3]], triangles: &[[u32; 3]]) {
    let faces: Vec<i64> = tree.iter().map(|n| i64::from(n.face)).collect();
    put(map, "faces", encode_u32s(&tree.iter().map(|n| n.face as u32).collect::<Vec<_>>()));
    put(map, "planes", encode_u32s(&tree.iter().map(|n| n.plane).collect::<Vec<_>>()));
    if implied(&faces).iter().zip(tree).any(|(i, n)| *i != [n.left, n.right]) {
        let children = tree.iter().flat_map(|n| [no_child(n.left), no_child(n.right)]);
        put(map, "children", encode_u32s(&children.collect::<Vec<_>>()));
    }
    let stored: Vec<f32> = tree.iter().flat_map(|n| n.min.into_iter().chain(n.max)).collect();
    // The game's tools enlarge leaves by 0.01, other tools do not.
    let differences =
        |grow: f32| ulp_deltas(&stored, boxes(tree, positions, triangles, grow).as_flattened(), 6);
    let rows =
        |v: &Option<Value>| v.as_ref().and_then(|v| decode_u32s(v.get("at")?)).map_or(0, |at| at.len());
    let (tight, grown) = (differences(0.0), differences(0.01));
    let (grow, best) = if rows(&grown) < rows(&tight) { (0.01, grown) } else { (0.0, tight) };
    put(map, "grow", float(grow));
    if let Some(best) = best {
        put(map, "boxes", best);
    }
}

/// Returns the tree that [`put_tree`] wrote, over the same triangles. If they have `moved`, the boxes are derived
/// again.
pub(crate) fn tree(
    map: &Extras,
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
    moved: bool,
) -> Vec<TreeBox> {
    let faces = ints(map, "faces").unwrap_or_default();
    let planes = ints(map, "planes").unwrap_or_default();
    let mut children = implied(&faces);
    if let Some(stored) = ints(map, "children") {
        let child = |v: &i64| Some(*v as u32).filter(|v| *v != u32::MAX);
        for (slot, pair) in children.iter_mut().zip(stored.chunks_exact(2)) {
            *slot = [pair.first().and_then(child), pair.get(1).and_then(child)];
        }
    }
    let nodes = faces.iter().zip(children).zip(planes.into_iter().chain(std::iter::repeat(0)));
    let mut tree: Vec<TreeBox> = nodes
        .map(|((face, [left, right]), plane)| TreeBox {
            min: [0.0; 3],
            max: [0.0; 3],
            left,
            right,
            face: *face as i32,
            plane: plane as u32,
        })
        .collect();
    let grow = map.get("grow").and_then(read_float).unwrap_or(0.0);
    let mut all = boxes(&tree, positions, triangles, grow);
    let derived = all.clone();
    apply_ulp_deltas(all.as_flattened_mut(), map.get("boxes"), 6, |row, sum| {
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 0.05;
        !moved || derived.get(row).is_some_and(|d| d.iter().zip(sum).all(near))
    });
    for (node, [a, b, c, d, e, f]) in tree.iter_mut().zip(all) {
        (node.min, node.max) = ([a, b, c], [d, e, f]);
    }
    tree
}

/// Returns faces by surface material, in the order in which materials first appear.
pub(crate) fn by_material(materials: impl Iterator<Item = u32>) -> Vec<(u32, Vec<u32>)> {
    let mut groups: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    for (face, material) in materials.enumerate() {
        let place = *places.entry(material).or_insert_with(|| {
            groups.push((material, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, faces)) = groups.get_mut(place) {
            faces.push(face as u32);
        }
    }
    groups
}

/// Writes face numbers as runs: start, length, start, length.
pub(crate) fn put_runs(map: &mut Extras, faces: &[u32]) {
    let mut runs: Vec<u32> = Vec::new();
    for run in faces.chunk_by(|a, b| a + 1 == *b) {
        runs.extend([run.first().copied().unwrap_or(0), run.len() as u32]);
    }
    put(map, "faces", encode_u32s(&runs));
}

/// Returns the numbers of `count` faces, as far as they were written.
pub(crate) fn runs(map: &Extras, count: usize) -> Vec<Option<u32>> {
    let stored = ints(map, "faces").unwrap_or_default();
    let mut out = Vec::new();
    for run in stored.chunks_exact(2) {
        if let [start, len] = *run {
            let left = count.saturating_sub(out.len());
            out.extend((0..len.clamp(0, left as i64)).map(|i| u32::try_from(start.saturating_add(i)).ok()));
        }
    }
    let lengths = stored.chunks_exact(2).filter_map(|r| r.get(1));
    let whole = lengths.fold(0i64, |sum, len| sum.saturating_add(*len)) == count as i64;
    if !whole {
        out.clear();
    }
    out.resize(count, None);
    out
}

/// Returns a recognizable color for a surface material, in linear light.
pub(crate) fn surface_color(material: u32) -> [f32; 4] {
    let [r, g, b] = crate::surface::colour(material).map(|v| {
        let v = f32::from(v) / 255.0;
        v * v
    });
    [r, g, b, 1.0]
}

/// Returns the display name of a surface material.
pub(crate) fn surface_name(material: u32) -> String {
    crate::surface::name(material).map_or_else(|| format!("surface {material}"), str::to_owned)
}

/// Returns the surface that a material of the scene stands for: that of its extras while it still has the matching
/// name, otherwise that of its name.
pub(crate) fn surface_of(material: &galatea_scene::Material) -> Option<u32> {
    let stored = int(crate::extra::own(&material.extras), "surface").map(|s| s as u32);
    let name = material.name.split('.').next().unwrap_or("");
    if let Some(stored) = stored.filter(|t| surface_name(*t) == name) {
        return Some(stored);
    }
    let number = name.strip_prefix("surface ").unwrap_or(name);
    crate::surface::by_name(number).or(stored)
}

/// Returns the material by which a surface is shown.
pub(crate) fn surface_material(surface: u32) -> Material {
    let mut map = Extras::new();
    put(&mut map, "surface", surface as i32);
    Material {
        name: surface_name(surface),
        base_color: surface_color(surface),
        extras: wrap(map),
        ..Material::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let positions = (0..9).map(|i| [(i % 3) as f32, (i / 3) as f32, 0.1 * i as f32]).collect();
        let quads = [0u32, 1, 3, 4].into_iter();
        (positions, quads.flat_map(|a| [[a, a + 1, a + 4], [a, a + 4, a + 3]]).collect())
    }

    #[test]
    fn planes_survive_and_follow_edits() {
        let (mut positions, triangles) = grid();
        let mut stored =
            Planes { normals: normals(&positions, &triangles), distances: vec![0.0; triangles.len()] };
        stored.normals[2] = [9.0, f32::NAN, 0.0];
        stored.distances[5] = 3.25;
        let mut map = Extras::new();
        put_planes(&mut map, &positions, &triangles, &keys(&positions, &triangles), &stored);
        let known = recognise(&map, &positions, &triangles);
        let back = planes(&map, &positions, &triangles, &known);
        assert!(crate::extra::same(back.normals.as_flattened(), stored.normals.as_flattened()));
        assert!(crate::extra::same(&back.distances, &stored.distances));
        positions[8][2] = 7.0;
        let known = recognise(&map, &positions, &triangles);
        assert_eq!(known.iter().filter(|k| k.is_none()).count(), 2);
        let turned: Vec<[u32; 3]> = triangles.iter().rev().copied().collect();
        let known = recognise(&map, &positions, &turned);
        assert_eq!(known.last(), Some(&Some(0)));
    }

    #[test]
    fn trees_survive() {
        let (positions, triangles) = grid();
        let stored = crate::box_tree::build(&positions, &triangles);
        let mut map = Extras::new();
        put_tree(&mut map, &stored, &positions, &triangles);
        assert!(!map.contains_key("children"));
        assert_eq!(tree(&map, &positions, &triangles, false), stored);
    }

    #[test]
    fn runs_and_surfaces() {
        let groups = by_material([3, 3, 7, 3, 7].into_iter());
        assert_eq!(groups, [(3, vec![0, 1, 3]), (7, vec![2, 4])]);
        let mut map = Extras::new();
        put_runs(&mut map, &[0, 1, 3]);
        assert_eq!(runs(&map, 3), [Some(0), Some(1), Some(3)]);
        assert_eq!(runs(&map, 2), [None, None]);
        let material = galatea_scene::Material { name: "Lava".into(), ..Default::default() };
        assert_eq!(surface_of(&material), Some(15));
    }
}
