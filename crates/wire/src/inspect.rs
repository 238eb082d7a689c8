//! The inspector: the field tree with offsets, and the field of any byte, for every format.

use std::fmt::Write;

use crate::coverage::Rows;
use crate::{Claim, Coverage, Kind, Schema, Wire};

/// A file's bytes with the claims of its reader.
#[derive(Debug, Clone, Copy)]
pub struct Inspector<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) coverage: &'a Coverage,
}

/// The field of a byte.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FieldAt {
    /// Path of the field, outermost step first.
    pub path: String,
    /// Its type.
    pub ty: String,
    /// Its shape.
    pub schema: &'static Schema,
    /// First byte of the field.
    pub offset: usize,
    /// Bytes of the field.
    pub size: usize,
    /// Its value as text.
    pub value: String,
    /// Its documentation, if the record has any.
    pub doc: &'static str,
    /// Whether this is layout (an offset), not content.
    pub layout: bool,
    /// The claim that it is part of, as an index into [`Coverage::claims`].
    pub claim: u32,
}

/// A range of bytes and its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The path of its owner; `None` for a gap.
    pub owner: Option<String>,
    /// Type and count, such as `240 x [f32; 3]`.
    pub ty: String,
}

/// One line of the field tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// Nesting, from 0.
    pub depth: usize,
    /// First byte.
    pub offset: usize,
    /// Bytes; 0 for a scope.
    pub size: usize,
    /// Name with index and label.
    pub name: String,
    /// Type; empty for a scope.
    pub ty: String,
    /// Value as text; empty for scopes and records whose fields follow.
    pub value: String,
    /// Whether this is layout (an offset), not content.
    pub layout: bool,
}

impl<'a> Inspector<'a> {
    /// Returns an inspector of these bytes and the claims of their reader.
    pub fn new(data: &'a [u8], coverage: &'a Coverage) -> Self {
        Inspector { data, coverage }
    }

    /// Returns the field of the byte at this offset; `None` if it is unclaimed.
    pub fn at(&self, offset: usize) -> Option<FieldAt> {
        let claims = self.coverage.claims();
        let (id, claim) = claims
            .iter()
            .enumerate()
            .filter(|(_, c)| (c.start as usize..c.end as usize).contains(&offset))
            .min_by_key(|(_, c)| c.end - c.start)?;
        self.field(id as u32, claim, offset)
    }

    /// Returns the field of a byte inside the claim with this number; `None` if the byte is outside it.
    pub fn at_in(&self, id: u32, offset: usize) -> Option<FieldAt> {
        let claim = self.coverage.claims().get(id as usize)?;
        (claim.start as usize..claim.end as usize).contains(&offset).then_some(())?;
        self.field(id, claim, offset)
    }

    fn field(&self, id: u32, claim: &Claim, offset: usize) -> Option<FieldAt> {
        let mut path = self.coverage.path(id, self.data);
        let mut schema = claim.schema?;
        let mut start = claim.start as usize;
        let mut doc = schema.doc;
        if let Some(rows) = self.coverage.rows(id).filter(|rows| rows.size > 0) {
            let (index, byte) = ((offset - start) / rows.size, (offset - start) % rows.size);
            if (claim.end - claim.start) as usize > rows.size {
                let _ = write!(path, "[{index}]");
            }
            let holds = |at: usize, schema: &Schema| (at..at + schema.size).contains(&byte);
            start = offset;
            match rows.columns.iter().find(|c| holds(c.offset, c.schema)) {
                Some(column) => {
                    let _ = write!(path, ".{}", column.name);
                    start = offset - byte + column.offset;
                    schema = column.schema;
                    doc = column.doc;
                }
                None => path.push_str(".no column"),
            }
        } else if (claim.end - claim.start) as usize > schema.size && schema.size > 0 {
            let index = (offset - start) / schema.size;
            start += index * schema.size;
            let _ = write!(path, "[{index}]");
        }
        loop {
            match schema.kind {
                Kind::Struct(fields) => {
                    let field = fields.iter().rev().find(|f| start + f.offset <= offset)?;
                    let _ = write!(path, ".{}", field.name);
                    start += field.offset;
                    schema = field.schema;
                    doc = field.doc;
                }
                Kind::Array(item, _) if item.size > 0 => {
                    let index = (offset - start) / item.size;
                    let _ = write!(path, "[{index}]");
                    start += index * item.size;
                    schema = item;
                }
                _ => break,
            }
        }
        let bytes = self.data.get(start..start + schema.size).unwrap_or(&[]);
        Some(FieldAt {
            path,
            ty: type_name(schema),
            schema,
            offset: start,
            size: schema.size,
            value: value(schema, bytes),
            doc,
            layout: is_layout(schema),
            claim: id,
        })
    }

    /// Returns owned ranges and gaps in order, with every byte once. Of overlapping claims, the one with the lower offset wins.
    pub fn map(&self) -> Vec<Span> {
        let claims = self.coverage.claims();
        let mut order: Vec<u32> = (0..claims.len() as u32).collect();
        let get = |id: u32| claims.get(id as usize).copied();
        order.retain(|id| get(*id).is_some_and(|c| c.end > c.start));
        order.sort_by_key(|id| get(*id).map(|c| (c.start, c.end)));
        let mut out = Vec::new();
        let mut at = 0usize;
        let gap = |from: usize, to: usize| Span {
            start: from,
            end: to,
            owner: None,
            ty: format!("{} x u8", to - from),
        };
        for id in order {
            let Some(claim) = get(id) else { continue };
            let (start, end) = (claim.start as usize, claim.end as usize);
            if start > at {
                out.push(gap(at, start));
            }
            if end > at {
                let owner = Some(self.coverage.path(id, self.data));
                let ty = claim_type(&claim, self.coverage.rows(id));
                out.push(Span { start: start.max(at), end, owner, ty });
                at = end;
            }
        }
        if at < self.data.len() {
            out.push(gap(at, self.data.len()));
        }
        out
    }

    /// Returns the field tree, line by line, in the order of reading. Of each array the first `most` items are opened.
    pub fn walk(&self, most: usize, each: &mut dyn FnMut(Item)) {
        let claims = self.coverage.claims();
        let mut depths: Vec<usize> = Vec::with_capacity(claims.len());
        for (id, claim) in claims.iter().enumerate() {
            let depth = depths.get(claim.parent as usize).map_or(0, |d| d + 1);
            depths.push(depth);
            let name = claim.step(self.data);
            let Some(schema) = claim.schema else {
                each(Item {
                    depth,
                    offset: claim.start as usize,
                    size: 0,
                    name,
                    ty: String::new(),
                    value: String::new(),
                    layout: false,
                });
                continue;
            };
            match self.coverage.rows(id as u32) {
                Some(rows) => self.walk_rows(claim, rows, name, depth, most, each),
                None => self.walk_claim(claim, schema, name, depth, most, each),
            }
        }
    }

    fn walk_rows(
        &self,
        claim: &Claim,
        rows: &Rows,
        name: String,
        depth: usize,
        most: usize,
        each: &mut dyn FnMut(Item),
    ) {
        let (start, size) = (claim.start as usize, (claim.end - claim.start) as usize);
        let line = |depth, offset, size, name, ty| Item {
            depth,
            offset,
            size,
            name,
            ty,
            value: String::new(),
            layout: false,
        };
        each(line(depth, start, size, name, claim_type(claim, Some(rows))));
        for index in 0..size.checked_div(rows.size).unwrap_or(0).min(most) {
            let at = start + index * rows.size;
            each(line(depth + 1, at, rows.size, format!("[{index}]"), String::new()));
            for column in &rows.columns {
                let name = column.name.to_owned();
                self.walk_value(column.schema, at + column.offset, name, depth + 2, false, each);
            }
        }
    }

    fn walk_claim(
        &self,
        claim: &Claim,
        schema: &'static Schema,
        name: String,
        depth: usize,
        most: usize,
        each: &mut dyn FnMut(Item),
    ) {
        let (start, size) = (claim.start as usize, (claim.end - claim.start) as usize);
        if size == schema.size || schema.size == 0 {
            self.walk_value(schema, start, name, depth, false, each);
            return;
        }
        let count = size / schema.size;
        let bytes = self.data.get(start..start + size).unwrap_or(&[]);
        let plain = matches!(schema.kind, Kind::U8);
        each(Item {
            depth,
            offset: start,
            size,
            name,
            ty: claim_type(claim, None),
            value: if plain { value_bytes(bytes) } else { String::new() },
            layout: matches!(schema.kind, Kind::Offset),
        });
        if !plain {
            for index in 0..count.min(most) {
                self.walk_value(
                    schema,
                    start + index * schema.size,
                    format!("[{index}]"),
                    depth + 1,
                    false,
                    each,
                );
            }
        }
    }

    fn walk_value(
        &self,
        schema: &'static Schema,
        start: usize,
        name: String,
        depth: usize,
        layout: bool,
        each: &mut dyn FnMut(Item),
    ) {
        let bytes = self.data.get(start..start.saturating_add(schema.size)).unwrap_or(&[]);
        let fields = match schema.kind {
            Kind::Struct(fields) => fields,
            _ => &[],
        };
        each(Item {
            depth,
            offset: start,
            size: schema.size,
            name,
            ty: type_name(schema),
            value: if fields.is_empty() { value(schema, bytes) } else { String::new() },
            layout: layout || is_layout(schema),
        });
        for field in fields {
            self.walk_value(
                field.schema,
                start + field.offset,
                field.name.to_owned(),
                depth + 1,
                layout,
                each,
            );
        }
    }
}

pub(crate) fn is_layout(schema: &Schema) -> bool {
    match schema.kind {
        Kind::Offset => true,
        Kind::Array(item, _) => is_layout(item),
        _ => false,
    }
}

pub(crate) fn claim_type(claim: &Claim, rows: Option<&Rows>) -> String {
    let Some(schema) = claim.schema else { return String::new() };
    let size = (claim.end - claim.start) as usize;
    if let Some(rows) = rows.filter(|rows| rows.size > 0) {
        return format!("{} x {} bytes", size / rows.size, rows.size);
    }
    if size == schema.size || schema.size == 0 {
        type_name(schema)
    } else {
        format!("{} x {}", size / schema.size, type_name(schema))
    }
}

/// Returns the type as it is shown in tables: `u32`, `[f32; 3]`, `Header`.
pub(crate) fn type_name(schema: &Schema) -> String {
    match schema.kind {
        Kind::Array(item, n) => format!("[{}; {n}]", type_name(item)),
        Kind::Text => format!("text[{}]", schema.size),
        _ => schema.name.to_owned(),
    }
}

fn value_bytes(bytes: &[u8]) -> String {
    const MOST: usize = 32;
    let printable = |b: &u8| (0x20..0x7F).contains(b);
    let trimmed = bytes.split(|b| *b == 0).next().unwrap_or(&[]);
    let rest = bytes.get(trimmed.len()..).unwrap_or(&[]);
    if trimmed.len() >= 2 && trimmed.iter().all(printable) && rest.iter().all(|b| *b == 0) {
        return format!("\"{}\"", crate::escape_bytes(trimmed));
    }
    let mut out = String::new();
    for byte in bytes.iter().take(MOST) {
        let _ = write!(out, "{}{byte:02x}", if out.is_empty() { "" } else { " " });
    }
    if bytes.len() > MOST {
        out.push_str(" ...");
    }
    out
}

/// Returns the value of these bytes as text.
pub(crate) fn value(schema: &Schema, bytes: &[u8]) -> String {
    match schema.kind {
        Kind::U8 => u8::get(bytes).to_string(),
        Kind::I8 => i8::get(bytes).to_string(),
        Kind::U16 => u16::get(bytes).to_string(),
        Kind::I16 => i16::get(bytes).to_string(),
        Kind::U32 => u32::get(bytes).to_string(),
        Kind::I32 => i32::get(bytes).to_string(),
        Kind::U64 => format!("0x{:016x}", u64::get(bytes)),
        Kind::F16 => float(half_to_f32(u16::get(bytes))),
        Kind::F32 => float(f32::get(bytes)),
        Kind::Offset => format!("0x{:X}", u32::get(bytes)),
        Kind::Text => format!("\"{}\"", crate::escape_bytes(bytes.split(|b| *b == 0).next().unwrap_or(&[]))),
        Kind::Array(item, _) if matches!(item.kind, Kind::U8) => value_bytes(bytes),
        Kind::Array(item, _) => {
            let parts: Vec<String> = bytes.chunks_exact(item.size.max(1)).map(|b| value(item, b)).collect();
            format!("({})", parts.join(", "))
        }
        Kind::Struct(fields) => {
            let part = |f: &crate::Field| format!("{} {}", f.name, value(f.schema, f.of(bytes)));
            format!("{{{}}}", fields.iter().map(part).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Returns a float as the shortest decimal that reads back to the same bits, or its bits if it has no decimal form.
pub(crate) fn float(x: f32) -> String {
    if x.is_nan() { format!("NaN(0x{:08x})", x.to_bits()) } else { format!("{x:?}") }
}

pub(crate) fn half_to_f32(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0f32 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f32::from(bits & 0x3FF));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, Limits, Source, wire};

    wire! {
        /// A point with a name.
        struct Pin(20) {
            /// Where it is.
            place: [f32; 3] = 0,
            /// What it is called.
            name: crate::Text<4> = 12,
            next: crate::Offset = 16,
        }
    }

    fn file() -> Vec<u8> {
        let mut bytes = Vec::new();
        for i in 0..2u8 {
            let pin = Pin {
                place: [f32::from(i), 2.5, -0.0],
                name: crate::Text(*b"ab\0\0"),
                next: crate::Offset(20),
            };
            crate::put_array(&mut bytes, &[pin]);
        }
        bytes.extend([9, 9]);
        bytes
    }

    #[test]
    fn any_byte_has_a_name() {
        let bytes = file();
        let source = Source::new(&bytes, &Limits::default());
        source.reader().array::<Pin>(0, 2, "pins").unwrap();
        let coverage = source.into_coverage();
        let inspector = Inspector::new(&bytes, &coverage);
        let at = inspector.at(26).unwrap();
        assert_eq!((at.path.as_str(), at.value.as_str(), at.offset), ("pins[1].place[1]", "2.5", 24));
        assert_eq!(at.doc.trim(), "Where it is.");
        assert_eq!(inspector.at(33).unwrap().value, "\"ab\"");
        assert_eq!(inspector.at(40), None);
        assert!((0..40).all(|i| inspector.at(i).is_some()));
    }

    #[test]
    fn a_byte_of_a_row_is_named_by_its_column() {
        let bytes: Vec<u8> =
            [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|v| v.to_le_bytes()).chain([9; 2]).collect();
        let source = Source::new(&bytes, &Limits::default());
        let column = |name, offset| Field { name, offset, schema: f32::SCHEMA, ty: "f32", doc: "A number." };
        source.reader().rows(0, 2, 9, "rows", || vec![column("a", 0), column("b", 4)]).unwrap();
        let coverage = source.into_coverage();
        let inspector = Inspector::new(&bytes, &coverage);
        let at = inspector.at(5).unwrap();
        assert_eq!((at.path.as_str(), at.value.as_str(), at.offset), ("rows[0].b", "2.0", 4));
        assert_eq!((at.doc, inspector.at(9).unwrap().path.as_str()), ("A number.", "rows[1].a"));
        assert_eq!(inspector.at(17).unwrap().path, "rows[1].no column");
        assert!((0..18).all(|i| inspector.at(i).is_some()));
        assert_eq!(inspector.map()[0].ty, "2 x 9 bytes");
        let mut names = Vec::new();
        inspector.walk(1, &mut |i| names.push((i.depth, i.name, i.value)));
        let line = |depth, name: &str, value: &str| (depth, name.to_owned(), value.to_owned());
        assert_eq!(
            names,
            [line(0, "rows", ""), line(1, "[0]", ""), line(2, "a", "1.0"), line(2, "b", "2.0")]
        );
    }

    #[test]
    fn the_map_names_every_byte_once() {
        let bytes = file();
        let source = Source::new(&bytes, &Limits::default());
        source.reader().array::<Pin>(0, 2, "pins").unwrap();
        let coverage = source.into_coverage();
        let map = Inspector::new(&bytes, &coverage).map();
        assert_eq!(map.len(), 2);
        assert_eq!((map[0].owner.as_deref(), map[0].ty.as_str()), (Some("pins"), "2 x Pin"));
        assert_eq!((map[1].owner.as_deref(), map[1].start, map[1].end), (None, 40, 42));
    }

    #[test]
    fn the_tree_marks_layout() {
        let bytes = file();
        let source = Source::new(&bytes, &Limits::default());
        source.reader().array::<Pin>(0, 2, "pins").unwrap();
        let coverage = source.into_coverage();
        let mut items = Vec::new();
        Inspector::new(&bytes, &coverage).walk(1, &mut |i| items.push(i));
        assert_eq!(items.len(), 5);
        assert_eq!(items[2].value, "(0.0, 2.5, -0.0)");
        assert!(items[4].layout && !items[3].layout);
    }

    #[test]
    fn halves_decode() {
        for (bits, value) in [(0x3C00, 1.0), (0xC000, -2.0), (0x0001, 5.960_464_5e-8), (0x7BFF, 65504.0)] {
            assert_eq!(half_to_f32(bits), value);
        }
    }
}
