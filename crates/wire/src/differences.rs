//! Differences between two documents, reported in the same way for every format.

use std::fmt::Display;

use crate::compare::{lazy, same_encoded};
use crate::inspect::value;
use crate::{Compare, Schema, Wire};

/// Maximum number of listed differences by default; the rest is counted.
const MOST: usize = 200;

/// A list of differences, a line each.
///
/// Values are compared as [`Compare`] says: by their bits, unless a tolerance is given. Nothing is allocated for values that
/// are equal.
///
/// ```
/// use galatea_wire::Differences;
/// let lines = Differences::collect(|out| {
///     out.within("node 3", |out| out.value("name", "hand", "foot"));
/// });
/// assert_eq!(lines, ["node 3 > name: \"hand\" -> \"foot\""]);
/// ```
#[derive(Debug)]
pub struct Differences {
    lines: Vec<String>,
    /// Maximum number of lines.
    limit: usize,
    /// Differences beyond the limit.
    more: usize,
    tolerance: f32,
    /// Space for the bytes of two records.
    records: [Vec<u8>; 2],
}

fn shown<T: Compare + ?Sized>(value: &T) -> impl Display {
    lazy(|f| value.show(f))
}

fn present<T>(value: Option<&T>) -> &'static str {
    if value.is_some() { "present" } else { "absent" }
}

impl Default for Differences {
    fn default() -> Self {
        Differences { lines: Vec::new(), limit: MOST, more: 0, tolerance: 0.0, records: Default::default() }
    }
}

impl Differences {
    /// Returns an empty list of up to 200 lines, for comparisons by bits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the list with this number of lines at most. Further differences are counted.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Differences { limit, ..self }
    }

    /// Returns the list for comparisons in which floats may differ by this much.
    ///
    /// ```
    /// use galatea_wire::Differences;
    /// let mut differences = Differences::new().with_tolerance(0.01);
    /// differences.table("times", &[0.0, 0.5, 1.0], &[-0.0, 0.505, 1.5]);
    /// assert_eq!(differences.into_lines(), ["times[2]: 1.0 -> 1.5"]);
    /// ```
    #[must_use]
    pub fn with_tolerance(self, tolerance: f32) -> Self {
        Differences { tolerance, ..self }
    }

    /// Returns the lines of a comparison by bits.
    pub fn collect(body: impl FnOnce(&mut Self)) -> Vec<String> {
        let mut differences = Self::new();
        body(&mut differences);
        differences.into_lines()
    }

    /// Returns by how much floats may differ; 0 if they are compared by their bits.
    pub fn tolerance(&self) -> f32 {
        self.tolerance
    }

    /// Runs `body` and puts `step` before every line it adds. The step is formatted only if there are any.
    pub fn within(&mut self, step: impl Display, body: impl FnOnce(&mut Self)) {
        let before = self.lines.len();
        body(self);
        if let Some(added @ [_, ..]) = self.lines.get_mut(before..) {
            let step = format!("{step} > ");
            added.iter_mut().for_each(|line| line.insert_str(0, &step));
        }
    }

    /// Adds a line.
    pub fn line(&mut self, what: impl Display) {
        if self.lines.len() < self.limit {
            self.lines.push(what.to_string());
        } else {
            self.more += 1;
        }
    }

    /// Adds a line for two values that differ.
    pub fn change(&mut self, name: impl Display, left: impl Display, right: impl Display) {
        self.line(format_args!("{name}: {left} -> {right}"));
    }

    /// Compares one value.
    #[inline]
    pub fn value<T: Compare + ?Sized>(&mut self, name: impl Display, left: &T, right: &T) {
        if !left.same(right, self.tolerance) {
            self.change(name, shown(left), shown(right));
        }
    }

    /// Compares two tables entry by entry. The line has the first difference and the number of all.
    pub fn table<T: Compare>(&mut self, name: impl Display, left: &[T], right: &[T]) {
        self.lengths(&name, left, right);
        let tolerance = self.tolerance;
        let mut differ =
            left.iter().zip(right).enumerate().filter(|(_, (left, right))| !left.same(right, tolerance));
        if let Some((index, (a, b))) = differ.next() {
            let (count, of) = (1 + differ.count(), left.len().min(right.len()));
            let more = lazy(|f| match count {
                1 => Ok(()),
                _ => write!(f, " ({count} of {of} entries differ)"),
            });
            self.change(format_args!("{name}[{index}]"), shown(a), format_args!("{}{more}", shown(b)));
        }
    }

    /// Compares two lists of tables, each with [`table`](Self::table).
    pub fn tables<T: Compare, L: AsRef<[T]>>(&mut self, name: impl Display, left: &[L], right: &[L]) {
        self.lengths(&name, left, right);
        for (index, (a, b)) in left.iter().zip(right).enumerate() {
            self.table(format_args!("{name}[{index}]"), a.as_ref(), b.as_ref());
        }
    }

    /// Compares two lists entry by entry with `body`, each entry within its name and index. Entries beyond the end of the
    /// shorter list are only counted.
    pub fn each<T>(
        &mut self,
        name: impl Display,
        left: &[T],
        right: &[T],
        mut body: impl FnMut(&mut Self, &T, &T),
    ) {
        self.lengths(&name, left, right);
        for (index, (a, b)) in left.iter().zip(right).enumerate() {
            self.within(format_args!("{name}[{index}]"), |out| body(out, a, b));
        }
    }

    /// Compares two lists like [`each`](Self::each), with the entry's own name, taken from the left one, after its index.
    ///
    /// ```
    /// use galatea_wire::Differences;
    /// let (left, right) = ([("hand", 1u8), ("foot", 2)], [("hand", 1u8), ("foot", 3)]);
    /// let lines = Differences::collect(|out| {
    ///     out.each_named("nodes", &left, &right, |node| node.0.as_bytes(), |out, a, b| out.value("size", &a.1, &b.1));
    /// });
    /// assert_eq!(lines, ["nodes[1] \"foot\" > size: 2 -> 3"]);
    /// ```
    pub fn each_named<'a, T>(
        &mut self,
        name: impl Display,
        left: &'a [T],
        right: &[T],
        name_of: impl Fn(&'a T) -> &'a [u8],
        mut body: impl FnMut(&mut Self, &T, &T),
    ) {
        self.lengths(&name, left, right);
        for (index, (a, b)) in left.iter().zip(right).enumerate() {
            let step = lazy(|f| write!(f, "{name}[{index}] \"{}\"", crate::escape_bytes(name_of(a))));
            self.within(step, |out| body(out, a, b));
        }
    }

    fn lengths<T>(&mut self, name: &impl Display, left: &[T], right: &[T]) {
        if left.len() != right.len() {
            self.change(name, left.len(), format_args!("{} entries", right.len()));
        }
    }

    /// Compares parts that need not be there. `body` compares them within `name` if they are in both.
    pub fn part<T>(
        &mut self,
        name: impl Display,
        left: Option<&T>,
        right: Option<&T>,
        body: impl FnOnce(&mut Self, &T, &T),
    ) {
        match (left, right) {
            (Some(left), Some(right)) => self.within(name, |out| body(out, left, right)),
            (None, None) => {}
            _ => self.change(name, present(left), present(right)),
        }
    }

    /// Compares bytes without meaning of their own, such as those of an image.
    pub fn bytes(&mut self, name: impl Display, left: &[u8], right: &[u8]) {
        if left.len() != right.len() {
            self.change(name, left.len(), format_args!("{} bytes", right.len()));
        } else if left != right
            && let Some(at) = left.iter().zip(right).position(|(a, b)| a != b)
        {
            self.line(format_args!("{name}: different from byte {at} on"));
        }
    }

    /// Returns `true` if two encoded values of the same shape are equal. Offsets and what follows the NUL of a text are
    /// ignored.
    pub fn are_same(&self, schema: &Schema, left: &[u8], right: &[u8]) -> bool {
        same_encoded(schema, left, right, self.tolerance)
    }

    /// Compares two encoded values of the same shape. Offsets and what follows the NUL of a text are ignored.
    pub fn encoded(&mut self, name: impl Display, schema: &Schema, left: &[u8], right: &[u8]) {
        if !self.are_same(schema, left, right) {
            self.change(name, value(schema, left), value(schema, right));
        }
    }

    /// Compares two records field by field, but for those named in `ignored` and for offsets.
    pub fn record<T: Wire>(&mut self, left: &T, right: &T, ignored: &[&str]) {
        let mut records = std::mem::take(&mut self.records);
        let [a, b] = &mut records;
        for (bytes, record) in [(&mut *a, left), (&mut *b, right)] {
            bytes.clear();
            bytes.resize(T::SIZE, 0);
            record.put(bytes);
        }
        for field in T::FIELDS.iter().filter(|f| !ignored.contains(&f.name)) {
            self.encoded(field.name, field.schema, field.of(a), field.of(b));
        }
        self.records = records;
    }

    /// Returns the lines; empty if nothing differs.
    pub fn into_lines(mut self) -> Vec<String> {
        if self.more > 0 {
            self.lines.push(format!("and {} more", self.more));
        }
        self.lines
    }
}

/// Compares fields of two records by name: `values` with [`Differences::value`], `tables` with [`Differences::table`].
///
/// ```
/// use galatea_wire::{Differences, differences};
/// struct Mesh { radius: f32, faces: Vec<[u16; 3]> }
/// let (a, b) = (Mesh { radius: 1.0, faces: vec![[0, 1, 2]] }, Mesh { radius: 2.0, faces: vec![] });
/// let lines = Differences::collect(|out| differences!(out, a, b; values radius; tables faces));
/// assert_eq!(lines, ["radius: 1.0 -> 2.0", "faces: 1 -> 0 entries"]);
/// ```
#[macro_export]
macro_rules! differences {
    ($out:expr, $left:expr, $right:expr; $(values $($value:ident),+;)? tables $($table:ident),+) => {{
        $($crate::differences!($out, $left, $right; values $($value),+);)?
        $($out.table(stringify!($table), &$left.$table, &$right.$table);)+
    }};
    ($out:expr, $left:expr, $right:expr; values $($value:ident),+) => {
        { $($out.value(stringify!($value), &$left.$value, &$right.$value);)+ }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Offset, Text, wire};

    #[test]
    fn tables_tell_the_first_difference_and_the_count() {
        let lines = Differences::collect(|diff| {
            diff.within("mesh", |diff| diff.table("xs", &[1u32, 2, 3, 4], &[1, 9, 3, 8]));
            diff.value("same", &f32::NAN, &f32::NAN);
            diff.value("zero", &0.0f32, &-0.0f32);
        });
        assert_eq!(lines, ["mesh > xs[1]: 2 -> 9 (2 of 4 entries differ)", "zero: 0.0 -> -0.0"]);
    }

    #[test]
    fn lists_of_different_length_are_compared_as_far_as_both_go() {
        let lines = Differences::collect(|diff| {
            diff.table("xs", &[1u32, 2], &[1, 3, 4]);
            diff.each("parts", &[[1u8, 2]], &[], |_, _, _| {});
            diff.part("light", Some(&1), None, |_, _, _| {});
            diff.part("mesh", Some(&1u8), Some(&2), |diff, a, b| diff.value("faces", a, b));
            diff.bytes("tail", b"abc", b"abd");
            diff.bytes("tail", b"abc", b"ab");
        });
        assert_eq!(
            lines,
            [
                "xs: 2 -> 3 entries",
                "xs[1]: 2 -> 3",
                "parts: 1 -> 0 entries",
                "light: present -> absent",
                "mesh > faces: 1 -> 2",
                "tail: different from byte 2 on",
                "tail: 3 -> 2 bytes",
            ]
        );
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let mut diff = Differences::new();
        diff.within("list", |diff| (0..MOST + 3).for_each(|i| diff.change(i, 0, 1)));
        let lines = diff.into_lines();
        assert_eq!((lines.len(), lines[0].as_str()), (MOST + 1, "list > 0: 0 -> 1"));
        assert_eq!(lines[MOST], "and 3 more");
        let mut all = Differences::new().with_limit(usize::MAX);
        (0..MOST + 3).for_each(|i| all.change(i, 0, 1));
        assert_eq!(all.into_lines().len(), MOST + 3);
    }

    #[test]
    fn steps_of_equal_parts_are_never_formatted() {
        let step = lazy(|_| panic!("formatted"));
        let lines = Differences::collect(|diff| {
            diff.value("first", &1u8, &2);
            diff.within(&step, |diff| diff.within(&step, |diff| diff.value(&step, &1u8, &1)));
        });
        assert_eq!(lines, ["first: 1 -> 2"]);
    }

    wire! {
        struct Head(16) {
            magic: [u8; 4] = 0,
            scale: f32 = 4,
            name: Text<4> = 8,
            next: Offset = 12,
        }
    }

    #[test]
    fn records_are_compared_by_their_fields_without_layout() {
        let a = Head { magic: *b"HEAD", scale: 1.0, name: Text(*b"a\0xy"), next: Offset(1) };
        let b = Head { magic: *b"TAIL", scale: 1.5, name: Text(*b"a\0\0\0"), next: Offset(2) };
        assert_eq!(
            Differences::collect(|diff| diff.record(&a, &b, &[])),
            ["magic: \"HEAD\" -> \"TAIL\"", "scale: 1.0 -> 1.5"]
        );
        let mut near = Differences::new().with_tolerance(0.5);
        near.record(&a, &b, &["magic"]);
        assert_eq!(near.into_lines(), [""; 0]);
    }
}
