//! Comparisons of documents in which small differences, or the order of vertices, do not count.

use std::collections::{BTreeMap, BTreeSet};

use galatea_scene::{Fate, Part, Scene, Topology};
use galatea_wire::Differences;

use crate::{Document, SceneContext};

/// What counts in a comparison of two documents.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Comparison {
    /// By how much numbers may differ; 0 to compare their bits.
    pub tolerance: f32,
    /// Whether the order of vertices and triangles does not count, nor which triangles share a vertex. Triangles are then
    /// compared as sets, each with the positions, normals, coordinates, colours and weights of its corners, but for rounding;
    /// weights belong to bones by name.
    pub unordered: bool,
    /// Maximum number of lines.
    pub limit: usize,
}

galatea_wire::setters! {
    Comparison {
        with_tolerance: tolerance: f32,
        with_unordered: unordered: bool,
        with_limit: limit: usize,
    }
}

impl Default for Comparison {
    fn default() -> Self {
        Comparison { tolerance: 0.0, unordered: false, limit: 200 }
    }
}

/// Returns the differences between two documents, a line each; `None` if they are not of the same format.
///
/// ```
/// use galatea::{Comparison, compare, kotor::mdl::Model};
/// let a = Model::new("box");
/// let b = Model { radius: 7.001, ..a.clone() };
/// assert_eq!(compare(&a, &b, &Comparison::default()).unwrap().len(), 1);
/// let near = Comparison::default().with_tolerance(0.01).with_unordered(true);
/// assert!(compare(&a, &b, &near).unwrap().is_empty());
/// ```
pub fn compare(a: &dyn Document, b: &dyn Document, how: &Comparison) -> Option<Vec<String>> {
    let limit = if how.unordered { usize::MAX } else { how.limit };
    let mut out = Differences::new().with_tolerance(how.tolerance).with_limit(limit);
    if !a.compare(b, &mut out) {
        return None;
    }
    let mut lines = out.into_lines();
    if !how.unordered {
        return Some(lines);
    }
    let skipped = a.format().unordered;
    let is_in = |line: &str, part: &str| part.split('/').all(|name| steps(line).any(|step| step == name));
    lines.retain(|line| !skipped.iter().any(|part| is_in(line, part)));
    let context = SceneContext::new("");
    if let (Some(before), Some(after)) = (a.scene(&context), b.scene(&context)) {
        let account = after.onto(&before).account;
        let meshes = account.changes.iter().filter(|c| c.part == Part::Mesh && c.fate != Fate::Kept);
        lines.extend(meshes.map(ToString::to_string));
        lines.extend(lines_apart(&before, &after));
        lines.extend(attributes_apart(&before, &after));
    }
    if lines.len() > how.limit {
        let more = lines.len() - how.limit;
        lines.truncate(how.limit);
        lines.push(format!("and {more} more"));
    }
    Some(lines)
}

/// A line of a mesh: its ends, and its material.
type Segment = ([[i64; 3]; 2], String);

/// Returns the lines of all meshes, such as the border of a walkmesh with its transitions, and how often there is each.
fn segments(scene: &Scene) -> BTreeMap<Segment, i64> {
    let mut out = BTreeMap::new();
    for primitive in scene.drawn().flat_map(|(_, _, mesh)| &mesh.primitives) {
        let Some(vertices) = scene.vertices_of(primitive).filter(|_| primitive.topology == Topology::Lines)
        else {
            continue;
        };
        let material = primitive.material.and_then(|m| scene.materials.get(m as usize));
        let name = material.map_or("", |m| m.name.as_str());
        for ends in primitive.indices.as_chunks::<2>().0 {
            let place = |i: u32| vertices.positions.get(i as usize).map(|p| p.map(rounded));
            if let [Some(a), Some(b)] = ends.map(place) {
                *out.entry(([a.min(b), a.max(b)], name.to_owned())).or_default() += 1;
            }
        }
    }
    out
}

/// Returns a number in thousandths.
fn rounded(value: f32) -> i64 {
    (f64::from(value) * 1000.0).round() as i64
}

/// Returns how the lines of two scenes differ, by material.
fn lines_apart(before: &Scene, after: &Scene) -> Vec<String> {
    let mut apart: BTreeMap<String, [i64; 2]> = BTreeMap::new();
    let (before, after) = (segments(before), segments(after));
    let all: BTreeSet<&Segment> = before.keys().chain(after.keys()).collect();
    for segment in all {
        let [was, is] = [&before, &after].map(|list| list.get(segment).copied().unwrap_or(0));
        let counts = apart.entry(segment.1.clone()).or_default();
        counts.iter_mut().zip([was - is, is - was]).for_each(|(slot, count)| *slot += count.max(0));
    }
    let told = apart.into_iter().filter(|(_, counts)| *counts != [0, 0]);
    told.map(|(name, [gone, new])| format!("lines of {name:?}: {gone} gone, {new} new")).collect()
}

/// The values of an attribute of a mesh, as a set, by the name of the node.
type Values = BTreeMap<(String, String), BTreeSet<i64>>;

fn attributes(scene: &Scene) -> Values {
    let mut out = Values::new();
    for (_, node, mesh) in scene.drawn() {
        for primitive in &mesh.primitives {
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            for attribute in vertices.attributes.iter().filter(|a| a.width > 0) {
                let set = out.entry((node.name.clone(), attribute.name.clone())).or_default();
                let rows = primitive
                    .indices
                    .iter()
                    .filter_map(|i| attribute.values.chunks_exact(attribute.width).nth(*i as usize));
                set.extend(rows.flatten().map(|v| rounded(*v)));
            }
        }
    }
    out
}

/// Returns the attributes of vertices whose values differ as a whole.
fn attributes_apart(before: &Scene, after: &Scene) -> Vec<String> {
    let (before, after) = (attributes(before), attributes(after));
    let all: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let none = BTreeSet::new();
    let values = |all: &Values, key: &(String, String)| all.get(key).unwrap_or(&none).clone();
    let apart = all.into_iter().filter(|key| values(&before, key) != values(&after, key));
    apart.map(|(node, name)| format!("node {node:?}: other values of {name}")).collect()
}

/// Returns the names of the parts that a line is about, without indices and names of entries.
fn steps(line: &str) -> impl Iterator<Item = &str> {
    let path = line.split_once(": ").map_or(line, |(path, _)| path);
    path.split(" > ").map(|step| step.split(['[', ' ']).next().unwrap_or(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_names_without_indices() {
        let line = r#"nodes[3] "torso" > mesh > vertices > positions[2]: (1.0) -> (2.0)"#;
        assert_eq!(steps(line).collect::<Vec<_>>(), ["nodes", "mesh", "vertices", "positions"]);
    }
}
