//! Comparisons of documents in which small differences, or the order of vertices, do not count.

use galatea_scene::{Fate, Part};
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
    lines.retain(|line| !steps(line).any(|step| skipped.contains(&step)));
    let context = SceneContext::new("");
    if let (Some(before), Some(after)) = (a.scene(&context), b.scene(&context)) {
        let account = after.onto(&before).account;
        let meshes = account.changes.iter().filter(|c| c.part == Part::Mesh && c.fate != Fate::Kept);
        lines.extend(meshes.map(ToString::to_string));
    }
    if lines.len() > how.limit {
        let more = lines.len() - how.limit;
        lines.truncate(how.limit);
        lines.push(format!("and {more} more"));
    }
    Some(lines)
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
