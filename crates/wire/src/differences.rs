//! What differs between two documents, in words. Values are compared by their bytes, so that NaN equals itself and -0
//! differs from 0.

use crate::Wire;
use crate::inspect::value;

/// Collects differences line by line.
#[derive(Debug, Default)]
pub struct Differences {
    lines: Vec<String>,
    prefix: String,
}

fn bytes_of<T: Wire>(value: &T) -> Vec<u8> {
    let mut bytes = vec![0; T::SIZE];
    value.put(&mut bytes);
    bytes
}

impl Differences {
    /// Nothing differs yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `body` with `step` in front of every name.
    pub fn within(&mut self, step: impl AsRef<str>, body: impl FnOnce(&mut Self)) {
        let len = self.prefix.len();
        self.prefix.push_str(step.as_ref());
        self.prefix.push_str(" > ");
        body(self);
        self.prefix.truncate(len);
    }

    /// Adds a line of one's own.
    pub fn line(&mut self, what: impl AsRef<str>) {
        self.lines.push(format!("{}{}", self.prefix, what.as_ref()));
    }

    /// Compares one value.
    pub fn value<T: Wire>(&mut self, name: &str, left: &T, right: &T) {
        let (a, b) = (bytes_of(left), bytes_of(right));
        if a != b {
            self.line(format!("{name}: {} -> {}", value(T::SCHEMA, &a), value(T::SCHEMA, &b)));
        }
    }

    /// Compares two tables entry by entry: how many differ, and the first one.
    pub fn table<T: Wire>(&mut self, name: &str, left: &[T], right: &[T]) {
        if left.len() != right.len() {
            self.line(format!("{name}: {} -> {} entries", left.len(), right.len()));
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
            self.line(format!("{name}[{index}]: {a} -> {b}{more}"));
        }
    }

    /// The lines; empty if nothing differs.
    pub fn into_lines(self) -> Vec<String> {
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
}
