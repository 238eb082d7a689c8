//! Differences between two documents. Values are compared by their bytes: NaN equals itself, and -0 differs from 0.

use std::fmt::Display;

use crate::Wire;
use crate::inspect::value;

/// Most differences that are listed; the rest is counted.
const MOST: usize = 200;

/// A list of differences, a line each.
///
/// ```
/// use galatea_wire::Differences;
/// let mut differences = Differences::new();
/// differences.within("node 3", |differences| differences.change("name", "hand", "foot"));
/// assert_eq!(differences.into_lines(), ["node 3 > name: hand -> foot"]);
/// ```
#[derive(Debug, Default)]
pub struct Differences {
    lines: Vec<String>,
    /// Differences beyond [`MOST`].
    more: usize,
    prefix: String,
}

fn bytes_of<T: Wire>(value: &T) -> Vec<u8> {
    let mut bytes = vec![0; T::SIZE];
    value.put(&mut bytes);
    bytes
}

impl Differences {
    /// Returns an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `body` with `step` before every name.
    pub fn within(&mut self, step: impl AsRef<str>, body: impl FnOnce(&mut Self)) {
        let len = self.prefix.len();
        self.prefix.push_str(step.as_ref());
        self.prefix.push_str(" > ");
        body(self);
        self.prefix.truncate(len);
    }

    /// Adds a line.
    pub fn line(&mut self, what: impl Display) {
        if self.lines.len() < MOST {
            self.lines.push(format!("{}{what}", self.prefix));
        } else {
            self.more += 1;
        }
    }

    /// Adds a line for two values that differ.
    pub fn change(&mut self, name: impl Display, left: impl Display, right: impl Display) {
        self.line(format_args!("{name}: {left} -> {right}"));
    }

    /// Compares one value.
    pub fn value<T: Wire>(&mut self, name: &str, left: &T, right: &T) {
        let (a, b) = (bytes_of(left), bytes_of(right));
        if a != b {
            self.change(name, value(T::SCHEMA, &a), value(T::SCHEMA, &b));
        }
    }

    /// Compares two tables entry by entry. The line has the first difference and the number of all.
    pub fn table<T: Wire>(&mut self, name: &str, left: &[T], right: &[T]) {
        if left.len() != right.len() {
            self.change(name, left.len(), format_args!("{} entries", right.len()));
        }
        let mut first = None;
        let mut count = 0usize;
        let (mut a, mut b) = (vec![0; T::SIZE], vec![0; T::SIZE]);
        for (index, (l, r)) in left.iter().zip(right).enumerate() {
            l.put(&mut a);
            r.put(&mut b);
            if a != b {
                count += 1;
                first.get_or_insert_with(|| (index, value(T::SCHEMA, &a), value(T::SCHEMA, &b)));
            }
        }
        if let Some((index, a, b)) = first {
            let of = left.len().min(right.len());
            let more = if count > 1 { format!(" ({count} of {of} entries differ)") } else { String::new() };
            self.change(format_args!("{name}[{index}]"), a, format_args!("{b}{more}"));
        }
    }

    /// Returns the lines; empty if nothing differs.
    pub fn into_lines(mut self) -> Vec<String> {
        if self.more > 0 {
            self.lines.push(format!("and {} more", self.more));
        }
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_tell_the_first_difference_and_the_count() {
        let mut diff = Differences::new();
        diff.within("mesh", |diff| diff.table("xs", &[1u32, 2, 3, 4], &[1, 9, 3, 8]));
        diff.value("same", &f32::NAN, &f32::NAN);
        diff.value("zero", &0.0f32, &-0.0f32);
        assert_eq!(diff.into_lines(), ["mesh > xs[1]: 2 -> 9 (2 of 4 entries differ)", "zero: 0.0 -> -0.0"]);
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let mut diff = Differences::new();
        (0..MOST + 3).for_each(|i| diff.change(i, 0, 1));
        let lines = diff.into_lines();
        assert_eq!((lines.len(), lines[0].as_str()), (MOST + 1, "0: 0 -> 1"));
        assert_eq!(lines[MOST], "and 3 more");
    }
}
