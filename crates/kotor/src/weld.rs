//! Vertices that were one list and that other programs have given to each material of a mesh, or to each face.

use std::collections::HashMap;

use galatea_scene::{Attribute, Influences, Mesh, Scene, Vertices, VerticesId};
use glam::Vec3;

/// How far apart vertices may be that become one, as a share of how far they are from the origin.
pub(crate) const CLOSE: f32 = 1e-6;

/// Returns for each position the first one at the same place: the same bits or, if there is none, within a tolerance that is a share of
/// how far they are from the origin.
pub(crate) fn same_places(positions: &[[f32; 3]], close: f32) -> Vec<u32> {
    let reach =
        positions.iter().flatten().filter(|v| v.is_finite()).fold(0.0f32, |most, v| most.max(v.abs()));
    let close = close * reach.max(1e-3);
    let cell =
        |p: [f32; 3]| (Vec3::from(p) / close.max(f32::MIN_POSITIVE)).floor().to_array().map(|v| v as i64);
    let mut exact: HashMap<[u32; 3], u32> = HashMap::new();
    let mut cells: HashMap<[i64; 3], u32> = HashMap::new();
    let mut out = Vec::with_capacity(positions.len());
    for (at, position) in positions.iter().enumerate() {
        let bits = position.map(|v| (v + 0.0).to_bits());
        if let Some(first) = exact.get(&bits) {
            out.push(*first);
            continue;
        }
        let here = cell(*position);
        let near = |first: &&u32| {
            let there = positions.get(**first as usize).copied().unwrap_or_default();
            (Vec3::from(there) - Vec3::from(*position)).abs().max_element() <= close
        };
        let steps = (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]);
        let around = steps.take(if close > 0.0 { 27 } else { 0 }).map(|[x, y, z]: [i64; 3]| {
            let [a, b, c] = here;
            [a.saturating_add(x), b.saturating_add(y), c.saturating_add(z)]
        });
        let found = around.filter_map(|cell| cells.get(&cell)).find(near).copied();
        let first = found.unwrap_or(at as u32);
        exact.insert(bits, first);
        if found.is_none() {
            cells.entry(here).or_insert(first);
        }
        out.push(first);
    }
    out
}

/// Returns the vertices of all primitives of a mesh in one list, and where those of each list begin in it.
pub(crate) fn joined(scene: &Scene, mesh: &Mesh) -> (Vertices, HashMap<VerticesId, u32>) {
    let mut lists: Vec<VerticesId> = Vec::new();
    for primitive in &mesh.primitives {
        if !lists.contains(&primitive.vertices) {
            lists.push(primitive.vertices);
        }
    }
    let parts: Vec<&Vertices> = lists.iter().filter_map(|id| scene.vertices.get(*id as usize)).collect();
    let mut first = HashMap::new();
    let mut count = 0u32;
    for (id, part) in lists.iter().zip(&parts) {
        first.insert(*id, count);
        count = count.saturating_add(part.positions.len() as u32);
    }
    let mut out = Vertices { positions: column(&parts, |v| Some(&v.positions)), ..Vertices::default() };
    out.normals = column(&parts, |v| Some(&v.normals));
    out.tangents = column(&parts, |v| Some(&v.tangents));
    let sets = |count: fn(&Vertices) -> usize| parts.iter().map(|v| count(v)).min().unwrap_or(0);
    out.uvs = (0..sets(|v| v.uvs.len())).map(|set| column(&parts, |v| v.uvs.get(set))).collect();
    out.colors = (0..sets(|v| v.colors.len())).map(|set| column(&parts, |v| v.colors.get(set))).collect();
    let width = parts.first().map_or(0, |v| v.influences.width);
    if parts.iter().all(|v| v.influences.width == width) {
        out.influences = Influences {
            width,
            joints: parts.iter().flat_map(|v| v.influences.joints.iter().copied()).collect(),
            weights: parts.iter().flat_map(|v| v.influences.weights.iter().copied()).collect(),
        };
    }
    for attribute in parts.first().map_or(&[][..], |v| &v.attributes) {
        let whole = |v: &&Vertices| v.attribute(&attribute.name).len() == v.positions.len() * attribute.width;
        if parts.iter().all(whole) {
            let values = parts.iter().flat_map(|v| v.attribute(&attribute.name)).copied().collect();
            out.attributes.push(Attribute { name: attribute.name.clone(), width: attribute.width, values });
        }
    }
    (out, first)
}

/// Returns a column of all parts; none if a part lacks it.
fn column<T: Copy>(parts: &[&Vertices], of: impl Fn(&Vertices) -> Option<&Vec<T>>) -> Vec<T> {
    let whole = |part: &&Vertices| of(part).is_some_and(|list| list.len() == part.positions.len());
    if !parts.iter().all(whole) {
        return Vec::new();
    }
    parts.iter().filter_map(|part| of(part)).flatten().copied().collect()
}

/// Returns vertices without those that equal an earlier one in all columns, and the new index of each.
pub(crate) fn without_copies(vertices: &Vertices) -> (Vertices, Vec<u32>) {
    let places = same_places(&vertices.positions, CLOSE);
    let mut rows: HashMap<u32, Vec<(usize, u32)>> = HashMap::new();
    let (mut kept, mut new) = (Vec::new(), Vec::with_capacity(places.len()));
    for (at, place) in places.iter().enumerate() {
        let list = rows.entry(*place).or_default();
        let found = list.iter().find(|(other, _)| is_copy(vertices, *other, at)).map(|(_, index)| *index);
        new.push(found.unwrap_or_else(|| {
            list.push((at, kept.len() as u32));
            kept.push(at);
            kept.len() as u32 - 1
        }));
    }
    (picked(vertices, &kept), new)
}

/// Returns `true` if two vertices at one place are equal but for rounding.
fn is_copy(vertices: &Vertices, a: usize, b: usize) -> bool {
    fn near<const N: usize>(list: &[[f32; N]], a: usize, b: usize, tolerance: f32) -> bool {
        match (list.get(a), list.get(b)) {
            (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * a.abs().max(1.0)),
            _ => true,
        }
    }
    let attribute = |x: &Attribute| {
        let row = |at: usize| x.values.get(at * x.width..(at + 1) * x.width).unwrap_or(&[]);
        row(a).iter().zip(row(b)).all(|(a, b)| (a - b).abs() <= 1e-4)
    };
    near(&vertices.normals, a, b, 1e-4)
        && near(&vertices.tangents, a, b, 1e-4)
        && vertices.uvs.iter().all(|set| near(set, a, b, 2e-6))
        && vertices.colors.iter().all(|set| near(set, a, b, 2e-6))
        && vertices.influences.of(a).eq(vertices.influences.of(b))
        && vertices.attributes.iter().all(attribute)
}

/// Returns some rows of vertices.
fn picked(vertices: &Vertices, rows: &[usize]) -> Vertices {
    fn pick<T: Copy>(list: &[T], rows: &[usize]) -> Vec<T> {
        rows.iter().filter_map(|row| list.get(*row).copied()).collect()
    }
    fn pick_wide<T: Copy>(list: &[T], width: usize, rows: &[usize]) -> Vec<T> {
        rows.iter().filter_map(|row| list.get(row * width..(row + 1) * width)).flatten().copied().collect()
    }
    let from = &vertices.influences;
    Vertices {
        positions: pick(&vertices.positions, rows),
        normals: pick(&vertices.normals, rows),
        tangents: pick(&vertices.tangents, rows),
        uvs: vertices.uvs.iter().map(|set| pick(set, rows)).collect(),
        colors: vertices.colors.iter().map(|set| pick(set, rows)).collect(),
        influences: Influences {
            width: from.width,
            joints: pick_wide(&from.joints, from.width, rows),
            weights: pick_wide(&from.weights, from.width, rows),
        },
        attributes: vertices
            .attributes
            .iter()
            .map(|a| Attribute { values: pick_wide(&a.values, a.width, rows), ..a.clone() })
            .collect(),
        extras: vertices.extras.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_the_same_within_rounding() {
        let at =
            [[0.0, 0.0, 0.0], [100.0, 0.0, 0.0], [-0.0, 0.0, 0.0], [100.00001, 0.0, 0.0], [100.01, 0.0, 0.0]];
        assert_eq!(same_places(&at, CLOSE), [0, 1, 0, 1, 4]);
        assert_eq!(same_places(&at, 0.0), [0, 1, 0, 3, 4]);
    }

    #[test]
    fn copies_differ_in_no_column() {
        let vertices = Vertices {
            positions: vec![[1.0, 0.0, 0.0]; 3],
            uvs: vec![vec![[0.0, 0.0], [0.5, 0.0], [0.0, 0.0]]],
            ..Vertices::default()
        };
        let (kept, new) = without_copies(&vertices);
        assert_eq!((kept.positions.len(), new), (2, vec![0, 1, 0]));
    }
}
