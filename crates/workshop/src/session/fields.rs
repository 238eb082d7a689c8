//! The fields of a file as a tree of lines, and the way between lines, bytes and nodes.

use galatea::wire::{Coverage, FieldAt, Inspector};

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldLine {
    /// Nesting, from 0.
    pub(crate) depth: usize,
    /// First byte.
    pub(crate) offset: usize,
    /// Bytes; 0 for what only groups others.
    pub(crate) size: usize,
    /// Name, with number and label.
    pub(crate) name: String,
    /// Type; empty for a group.
    pub(crate) ty: String,
    /// Value as text; empty for groups and records.
    pub(crate) value: String,
    /// One past the last line below this one.
    pub(crate) end: usize,
}

/// The fields of a file.
#[derive(Debug, Default)]
pub(crate) struct FieldTree {
    /// The lines, each before those below it.
    pub(crate) lines: Vec<FieldLine>,
    /// Whether there were more than are kept.
    pub(crate) is_cut: bool,
}

/// How many items of each table are opened.
const ITEMS: usize = 3;

impl FieldTree {
    /// Lists the fields of a file, at most this many.
    pub(crate) fn new(bytes: &[u8], coverage: &Coverage, most: usize) -> FieldTree {
        let mut tree = FieldTree::default();
        Inspector::new(bytes, coverage).walk(ITEMS, &mut |item| {
            if tree.lines.len() >= most {
                tree.is_cut = true;
                return;
            }
            tree.lines.push(FieldLine {
                depth: item.depth,
                offset: item.offset,
                size: item.size,
                name: item.name,
                ty: item.ty,
                value: item.value,
                end: 0,
            });
        });
        tree.close();
        tree
    }

    /// Finds out where what is below each line ends.
    fn close(&mut self) {
        let count = self.lines.len();
        let mut open: Vec<(usize, usize)> = Vec::new();
        for at in 0..=count {
            let depth = self.lines.get(at).map_or(0, |line| line.depth);
            while let Some((line, _)) = open.pop_if(|(_, above)| at == count || *above >= depth) {
                if let Some(line) = self.lines.get_mut(line) {
                    line.end = at;
                }
            }
            open.push((at, depth));
        }
    }

    /// Returns the lines that belong to a node, by its name: the first group with that label, and what is in it.
    pub(crate) fn of_node(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let wanted =
            |line: &FieldLine| label(&line.name).is_some_and(|label| label.eq_ignore_ascii_case(name));
        let starts = self.lines.iter().enumerate().filter(|(_, line)| wanted(line));
        // Of several, the one with most to say: names also occur in tables of names.
        let best = starts.max_by_key(|(at, line)| line.end - at)?;
        Some(best.0..best.1.end)
    }

    /// Returns the line of a byte: the smallest field that holds it.
    pub(crate) fn of_byte(&self, offset: usize) -> Option<usize> {
        let holds =
            |line: &FieldLine| line.size > 0 && (line.offset..line.offset + line.size).contains(&offset);
        let all = self.lines.iter().enumerate().filter(|(_, line)| holds(line));
        all.min_by_key(|(at, line)| (line.size, std::cmp::Reverse(*at))).map(|(at, _)| at)
    }

    /// Returns the label of the innermost group around a line that has one: the name of the node that a field belongs to.
    pub(crate) fn labels_above(&self, line: usize) -> Vec<&str> {
        let around = self.lines.get(..=line).into_iter().flatten().filter(|above| above.end > line);
        let mut labels: Vec<&str> = around.filter_map(|above| label(&above.name)).collect();
        labels.reverse();
        labels
    }
}

/// Returns the label of a step of a path: `torso` of `nodes[7] "torso"`.
pub(crate) fn label(step: &str) -> Option<&str> {
    step.strip_suffix('"')?.split_once('"').map(|(_, label)| label)
}

/// Returns the labels in a path, innermost first.
pub(crate) fn labels(path: &str) -> Vec<&str> {
    let mut parts = path.split('"');
    let mut out = Vec::new();
    while let (Some(_), Some(label)) = (parts.next(), parts.next()) {
        out.push(label);
    }
    out.reverse();
    out
}

/// Returns the field that a line stands for, with its path for `--set`.
pub(crate) fn field_of(bytes: &[u8], coverage: &Coverage, line: &FieldLine) -> Option<(FieldAt, String)> {
    let field = Inspector::new(bytes, coverage).at(line.offset)?;
    let mut path = field.path.as_str();
    // The innermost value is what a byte belongs to; the line may mean the whole array or record.
    if line.size > field.size {
        while let Some(shorter) = path.strip_suffix("[0]") {
            path = shorter;
        }
    }
    let path = path.to_owned();
    Some((field, path))
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use super::*;

    fn line(depth: usize, offset: usize, size: usize, name: &str) -> FieldLine {
        FieldLine { depth, offset, size, name: name.into(), ty: String::new(), value: String::new(), end: 0 }
    }

    fn tree() -> FieldTree {
        let lines = vec![
            line(0, 0, 8, "header"),
            line(1, 0, 4, "magic"),
            line(1, 4, 4, "count"),
            line(0, 8, 0, "nodes[0] \"torso\""),
            line(1, 8, 12, "position"),
            line(0, 20, 0, "nodes[1] \"arm\""),
            line(1, 20, 12, "position"),
        ];
        let mut tree = FieldTree { lines, is_cut: false };
        tree.close();
        tree
    }

    #[test]
    fn lines_know_what_is_below_them() {
        let ends: Vec<usize> = tree().lines.iter().map(|line| line.end).collect();
        assert_eq!(ends, [3, 2, 3, 5, 5, 7, 7]);
    }

    #[test]
    fn a_node_is_found_by_its_label_and_a_byte_by_its_place() {
        let tree = tree();
        assert_eq!(tree.of_node("ARM"), Some(5..7));
        assert_eq!(tree.of_node("leg"), None);
        assert_eq!((tree.of_byte(5), tree.of_byte(25), tree.of_byte(99)), (Some(2), Some(6), None));
        assert_eq!(tree.labels_above(6), ["arm"]);
    }

    #[test]
    fn labels_are_read_from_paths() {
        assert_eq!(labels(r#"nodes[7] "torso" > mesh > faces[1]"#), ["torso"]);
        assert!(labels("header.count").is_empty());
    }
}
