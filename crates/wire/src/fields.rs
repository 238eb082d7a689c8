//! Finding the fields that a path means.

use std::collections::BTreeSet;
use std::fmt;

use crate::coverage::Rows;
use crate::field_path::{FieldPath, Pick, Step, near, plain};
use crate::inspect::{Inspector, is_layout, type_name};
use crate::typed::shown_value;
use crate::{Claim, FieldAt, Kind, Schema};

/// Most fields that one path may mean.
const MOST: usize = 1 << 22;
/// Most names that are kept to suggest one.
const MOST_NAMES: usize = 1 << 12;

/// Why a path means no field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoField {
    /// Nothing has this name there.
    Unknown {
        /// The step of the path that nothing fits, as it was written.
        step: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// The path ends at a group of fields or a record.
    Group {
        /// The names of what is in it.
        members: Vec<String>,
    },
    /// More fields than are ever changed at once.
    TooMany,
}

impl fmt::Display for NoField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoField::Unknown { step, near: Some(near) } => {
                write!(f, "no field fits \"{step}\"; did you mean \"{near}\"?")
            }
            NoField::Unknown { step, near: None } => {
                write!(f, "no field fits \"{step}\"; `galatea inspect` lists the fields")
            }
            NoField::Group { members } => {
                write!(f, "is a group of fields; name one of them: {}", members.join(", "))
            }
            NoField::TooMany => f.write_str("means too many fields; name fewer"),
        }
    }
}

impl std::error::Error for NoField {}

impl Inspector<'_> {
    /// Returns the fields that a path means, in the order of reading; never an empty list.
    ///
    /// ```
    /// use galatea_wire::{FieldPath, Inspector, Limits, Source, Text, wire};
    /// wire! { pub struct Pin(16) { pub place: [f32; 3] = 0, pub name: Text<4> = 12 } }
    /// let bytes = [0; 32];
    /// let source = Source::new(&bytes, &Limits::default());
    /// source.reader().array::<Pin>(0, 2, "pins")?;
    /// let coverage = source.into_coverage();
    /// let inspector = Inspector::new(&bytes, &coverage);
    /// let found = |path: &str| inspector.fields(&path.parse::<FieldPath>().unwrap());
    /// assert_eq!(found("pins[1].place[2]").unwrap()[0].offset, 24);
    /// assert_eq!(found("pins[*].name").unwrap().len(), 2);
    /// assert!(found("pins[0].nam").unwrap_err().to_string().contains("did you mean \"name\"?"));
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn fields(&self, path: &FieldPath) -> Result<Vec<FieldAt>, NoField> {
        let mut search =
            Search { inspector: *self, steps: &path.steps, found: Vec::new(), missed: Missed::default() };
        search.run();
        if search.found.len() > MOST {
            return Err(NoField::TooMany);
        }
        if search.found.is_empty() { Err(search.missed.why(&path.steps)) } else { Ok(search.found) }
    }
}

/// The names that were compared with the first step that nothing fits.
#[derive(Default)]
struct Missed {
    /// Steps before it.
    reached: usize,
    names: BTreeSet<String>,
    /// The indices or labels that the step could have had, if only those do not fit.
    picks: BTreeSet<String>,
    /// Whether the path ends before a field.
    short: bool,
    members: Vec<String>,
}

impl Missed {
    fn name(&mut self, step: usize, name: &str) {
        if step > self.reached {
            (self.reached, self.short) = (step, false);
            self.names.clear();
            self.picks.clear();
            self.members.clear();
        }
        if step == self.reached && self.names.len() < MOST_NAMES && !self.names.contains(name) {
            self.names.insert(name.to_owned());
        }
    }

    fn pick(&mut self, step: usize, have: &str) {
        if step == self.reached && self.picks.len() < MOST_NAMES {
            self.picks.insert(have.to_owned());
        }
    }

    /// Visits a member of the group at which the path ends.
    fn member(&mut self, steps: usize, name: &str) {
        self.name(steps, name);
        self.short = self.reached == steps;
        if self.short && self.members.len() < 12 && !self.members.iter().any(|m| m == name) {
            self.members.push(name.to_owned());
        }
    }

    fn why(self, steps: &[Step]) -> NoField {
        if self.short {
            return NoField::Group { members: self.members };
        }
        let Some(step) = steps.get(self.reached) else {
            return NoField::Unknown { step: steps.last().map_or(String::new(), written), near: None };
        };
        let label = step.picks.iter().find_map(|pick| match pick {
            Pick::Label(label) => Some(label.as_str()),
            _ => None,
        });
        let near = match label.filter(|_| !self.picks.is_empty()) {
            Some(label) => near(label, self.picks.iter().map(String::as_str)),
            None => near(&step.name, self.names.iter().map(String::as_str))
                .filter(|near| plain(near) != step.name),
        };
        NoField::Unknown { step: written(step), near: near.map(str::to_owned) }
    }
}

/// Returns a step as it is written.
fn written(step: &Step) -> String {
    let picks = step.picks.iter().map(|pick| match pick {
        Pick::Index(index) => format!("[{index}]"),
        Pick::Label(label) => format!("[{label}]"),
        Pick::All => "[*]".to_owned(),
    });
    step.name.clone() + &picks.collect::<String>()
}

/// Returns `true` if a name of the file is the one that is meant. The end of `mesh head` may be left out.
fn same_name(have: &str, want: &str) -> bool {
    let have = plain(have);
    let short = ["_header", "_head", "_tail"].iter().find_map(|end| have.strip_suffix(end));
    have == want || short == Some(want)
}

/// Bytes that may be a field.
#[derive(Clone, Copy)]
struct Value {
    claim: u32,
    start: usize,
    count: usize,
    schema: &'static Schema,
    doc: &'static str,
}

struct Search<'s> {
    inspector: Inspector<'s>,
    steps: &'s [Step],
    found: Vec<FieldAt>,
    missed: Missed,
}

impl<'s> Search<'s> {
    fn run(&mut self) {
        let coverage = self.inspector.coverage;
        let claims = coverage.claims();
        // For each claim the numbers of steps that lead to it, as bits.
        let mut reached: Vec<u64> = Vec::with_capacity(claims.len());
        for (id, claim) in claims.iter().enumerate() {
            let from = reached.get(claim.parent as usize).copied().unwrap_or(1);
            let mut here = 0;
            for step in (0..=self.steps.len()).filter(|step| from >> step & 1 == 1) {
                if claim.schema.is_none() {
                    here |= self.scope(claim, step);
                } else if self.found.len() <= MOST {
                    self.claim(id as u32, claim, step);
                }
            }
            reached.push(here);
        }
    }

    /// Compares a scope with a step; returns how far the path has come inside of it.
    fn scope(&mut self, claim: &Claim, at: usize) -> u64 {
        let indexed = claim.index != Claim::NO_INDEX;
        let left_out = if indexed { 0 } else { 1 << at };
        let Some(step) = self.steps.get(at) else {
            self.missed.member(at, claim.name);
            return left_out;
        };
        self.missed.name(at, claim.name);
        if !same_name(claim.name, &step.name) {
            return left_out;
        }
        let label = self.label(claim);
        let labelled = |want: &str| label.as_deref().is_some_and(|have| have.eq_ignore_ascii_case(want));
        let fits = match (step.picks.as_slice(), indexed) {
            ([], _) | ([Pick::All], true) => true,
            ([Pick::Index(index)], true) => *index == claim.index as usize,
            ([Pick::Label(want)], true) => labelled(want),
            _ => false,
        };
        if !fits {
            self.missed.pick(at, label.as_deref().unwrap_or(""));
        }
        let also = step.label.as_deref().is_none_or(labelled);
        left_out | if fits && also { 1 << (at + 1) } else { 0 }
    }

    fn label(&self, claim: &Claim) -> Option<String> {
        let (at, len) = claim.label;
        let bytes = self.inspector.data.get(at as usize..)?.get(..len as usize)?;
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Looks for the rest of the path in a claim.
    fn claim(&mut self, id: u32, claim: &Claim, at: usize) {
        let Some(schema) = claim.schema else { return };
        let (start, size) = (claim.start as usize, (claim.end - claim.start) as usize);
        let rows = self.inspector.coverage.rows(id).filter(|rows| rows.size > 0);
        let Some(step) = self.steps.get(at) else { return self.missed.member(at, claim.name) };
        self.missed.name(at, claim.name);
        let value = Value { claim: id, start, count: size / schema.size.max(1), schema, doc: schema.doc };
        let path = || self.inspector.coverage.path(id, self.inspector.data);
        if same_name(claim.name, &step.name) {
            let path = path();
            match rows {
                Some(rows) => self.rows(rows, value, size, &path, &step.picks, at + 1),
                None => self.many(value, path, &step.picks, at + 1),
            }
        } else if rows.is_none() && value.count == 1 && matches!(schema.kind, Kind::Struct(_)) {
            let path = path();
            self.one(value, path, &[], at);
        }
    }

    fn rows(&mut self, rows: &Rows, value: Value, size: usize, path: &str, picks: &[Pick], at: usize) {
        let count = size / rows.size;
        let Some(step) = self.steps.get(at) else {
            return rows.columns.iter().for_each(|column| self.missed.member(at, column.name));
        };
        for index in self.chosen(picks.first(), count, at) {
            let start = value.start + index * rows.size;
            for column in &rows.columns {
                // Some are called `uvs[1]`.
                let (name, number) = match column.name.strip_suffix(']').and_then(|n| n.split_once('[')) {
                    Some((name, number)) => (name, number.parse().ok().map(Pick::Index)),
                    None => (column.name, None),
                };
                self.missed.name(at, name);
                if !same_name(name, &step.name) {
                    continue;
                }
                let (first, rest) = step.picks.split_first().map_or((None, &[][..]), |(f, r)| (Some(f), r));
                let rest = match (&number, first) {
                    (None, _) => &step.picks,
                    (Some(number), Some(pick)) if *pick == *number || *pick == Pick::All => rest,
                    (Some(_), None) => rest,
                    _ => continue,
                };
                let whole = if count > 1 { format!("{path}[{index}]") } else { path.to_owned() };
                let inner = Value {
                    start: start + column.offset,
                    count: 1,
                    schema: column.schema,
                    doc: column.doc,
                    ..value
                };
                self.many(inner, format!("{whole}.{}", column.name), rest, at + 1);
            }
        }
    }

    /// Looks into a value, or into several that follow each other.
    fn many(&mut self, value: Value, path: String, picks: &[Pick], at: usize) {
        if value.count == 1 {
            // A list of one has no index where it is printed, but may have one where it is named.
            let rest = match (picks, value.schema.kind) {
                ([Pick::Index(0) | Pick::All], kind) if !matches!(kind, Kind::Array(..)) => &[],
                _ => picks,
            };
            return self.one(value, path, rest, at);
        }
        let is_record = matches!(value.schema.kind, Kind::Struct(_));
        if picks.is_empty() && !is_record {
            return self.end(value, path, at);
        }
        let (first, rest) = picks.split_first().map_or((None, picks), |(first, rest)| (Some(first), rest));
        if first.is_none() && at >= self.steps.len() {
            return self.one(Value { count: 1, ..value }, path, rest, at);
        }
        for index in self.chosen(first, value.count, at) {
            let start = value.start + index * value.schema.size;
            self.one(Value { start, count: 1, ..value }, format!("{path}[{index}]"), rest, at);
        }
    }

    /// Returns the indices that are meant, of so many.
    fn chosen(&mut self, pick: Option<&Pick>, count: usize, at: usize) -> std::ops::Range<usize> {
        match pick {
            None | Some(Pick::All) => 0..count,
            Some(Pick::Index(index)) if *index < count => *index..*index + 1,
            _ => {
                self.missed.pick(at.saturating_sub(1), "");
                0..0
            }
        }
    }

    fn one(&mut self, value: Value, path: String, picks: &[Pick], at: usize) {
        if self.found.len() > MOST {
            return;
        }
        match value.schema.kind {
            Kind::Struct(fields) if picks.is_empty() => {
                for field in fields {
                    let inner = Value {
                        start: value.start + field.offset,
                        schema: field.schema,
                        doc: field.doc,
                        ..value
                    };
                    let path = || format!("{path}.{}", field.name);
                    let Some(step) = self.steps.get(at) else {
                        self.missed.member(at, field.name);
                        continue;
                    };
                    self.missed.name(at, field.name);
                    if same_name(field.name, &step.name) {
                        self.one(inner, path(), &step.picks, at + 1);
                    } else if matches!(field.schema.kind, Kind::Struct(_)) {
                        self.one(inner, path(), &[], at);
                    }
                }
            }
            Kind::Array(item, count) => {
                let is_record = matches!(item.kind, Kind::Struct(_));
                let Some((first, rest)) = picks.split_first() else {
                    if is_record {
                        return self.many(Value { count, schema: item, ..value }, path, &[], at);
                    }
                    return self.end(value, path, at);
                };
                for index in self.chosen(Some(first), count, at) {
                    let inner = Value { start: value.start + index * item.size, schema: item, ..value };
                    self.one(inner, format!("{path}[{index}]"), rest, at);
                }
            }
            Kind::Struct(_) => {}
            _ if picks.is_empty() => self.end(value, path, at),
            _ => self.missed.pick(at.saturating_sub(1), ""),
        }
    }

    /// Visits a field, if the path ends here.
    fn end(&mut self, value: Value, path: String, at: usize) {
        if at < self.steps.len() {
            return;
        }
        let size = value.count * value.schema.size;
        let bytes = self.inspector.data.get(value.start..value.start + size).unwrap_or(&[]);
        let ty = match value.count {
            1 => type_name(value.schema),
            count => format!("{count} x {}", type_name(value.schema)),
        };
        self.found.push(FieldAt {
            path,
            ty,
            schema: value.schema,
            offset: value.start,
            size,
            value: shown_value(value.schema, bytes),
            doc: value.doc,
            layout: is_layout(value.schema),
            claim: value.claim,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coverage, Field, Limits, Offset, Source, Text, Wire, wire};

    wire! {
        struct Head(8) {
            size: u32 = 0,
            next: Offset = 4,
        }
    }
    wire! {
        struct Inner(8) {
            a: u16 = 0,
            b: [u16; 3] = 2,
        }
    }
    wire! {
        struct Record(28) {
            inner: Inner = 0,
            place: [[f32; 2]; 2] = 8,
            name: Text<4> = 24,
        }
    }

    fn covered(data: &[u8]) -> Coverage {
        let source = Source::new(data, &Limits::default());
        let r = source.reader();
        r.at::<Head>(0, "file header").unwrap();
        for index in 0..2 {
            let at = 8 + index * 28;
            let node = r.enter("nodes", Some(index), at).unwrap();
            node.at::<Record>(at, "mesh head").unwrap();
            node.label(at + 24, 2);
        }
        r.array::<Inner>(64, 2, "list").unwrap();
        r.array::<f32>(80, 3, "numbers").unwrap();
        let column = |name, offset| Field { name, offset, schema: f32::SCHEMA, ty: "f32", doc: "A column." };
        r.rows(92, 2, 8, "rows", || vec![column("uvs[0]", 0), column("uvs[1]", 4)]).unwrap();
        source.into_coverage()
    }

    fn data() -> Vec<u8> {
        let mut data: Vec<u8> = (0..108).collect();
        data[32..36].copy_from_slice(b"ab\0\0");
        data[60..64].copy_from_slice(b"cd\0\0");
        data
    }

    fn find(path: &str) -> Result<Vec<(usize, usize)>, NoField> {
        let (data, coverage) = (data(), covered(&data()));
        let fields = Inspector::new(&data, &coverage).fields(&path.parse().unwrap())?;
        Ok(fields.into_iter().map(|f| (f.offset, f.size)).collect())
    }

    #[test]
    fn fields_are_found_by_full_and_by_short_paths() {
        for (path, want) in [
            ("file header.size", vec![(0, 4)]),
            ("size", vec![(0, 4)]),
            (r#"nodes[0] "ab" > mesh head.place[1][0]"#, vec![(24, 4)]),
            ("nodes[AB].mesh.place", vec![(16, 16)]),
            ("nodes[cd].place[1]", vec![(52, 8)]),
            ("nodes[*].b[2]", vec![(14, 2), (42, 2)]),
            ("nodes.a", vec![(8, 2), (36, 2)]),
            ("list[1].b", vec![(74, 6)]),
            ("list[*].b[*]", vec![(66, 2), (68, 2), (70, 2), (74, 2), (76, 2), (78, 2)]),
            ("numbers", vec![(80, 12)]),
            ("numbers[2]", vec![(88, 4)]),
            ("rows[1].uvs[0]", vec![(100, 4)]),
            ("rows[0].uvs", vec![(92, 4), (96, 4)]),
        ] {
            assert_eq!(find(path).unwrap(), want, "{path}");
        }
    }

    #[test]
    fn every_field_is_found_by_the_path_that_is_printed_for_its_first_byte() {
        let (data, coverage) = (data(), covered(&data()));
        let inspector = Inspector::new(&data, &coverage);
        for at in 0..data.len() {
            let field = inspector.at(at).unwrap();
            let found = inspector.fields(&field.path.parse().unwrap()).unwrap();
            let [one] = &found[..] else { panic!("{}: {}", field.path, found.len()) };
            assert_eq!((one.offset, one.size, &one.path), (field.offset, field.size, &field.path));
        }
    }

    #[test]
    fn what_is_not_found_is_told_with_what_was_meant() {
        for (path, want) in [
            ("nodes[0].plaec", "no field fits \"plaec\"; did you mean \"place\"?"),
            ("node[0].place", "no field fits \"node[0]\"; did you mean \"nodes\"?"),
            ("nodes[ac].place", "no field fits \"nodes[ac]\"; did you mean \"ab\"?"),
            ("nodes[7].place", "no field fits \"nodes[7]\"; `galatea inspect` lists the fields"),
            ("zebra", "no field fits \"zebra\"; `galatea inspect` lists the fields"),
            ("nodes[0].place[9]", "no field fits \"place[9]\"; `galatea inspect` lists the fields"),
            ("nodes[0].inner", "is a group of fields; name one of them: a, b"),
            ("nodes[0]", "is a group of fields; name one of them: mesh head"),
            ("list[0]", "is a group of fields; name one of them: a, b"),
            ("rows[0]", "is a group of fields; name one of them: uvs[0], uvs[1]"),
        ] {
            assert_eq!(find(path).unwrap_err().to_string(), want, "{path}");
        }
    }

    #[test]
    fn offsets_are_marked_as_layout() {
        let (data, coverage) = (data(), covered(&data()));
        let fields = Inspector::new(&data, &coverage).fields(&"next".parse().unwrap()).unwrap();
        assert!(fields[0].layout);
    }
}
