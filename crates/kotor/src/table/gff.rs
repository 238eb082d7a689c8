//! GFF: trees of labelled values, as the instances of an area (GIT) and the templates of its objects (UTD, UTP, UTC, UTI) are.

use std::borrow::Cow;

use galatea_wire::{Error, ErrorKind, Limits, Result, Source};

use super::wire::{GffField, GffHead, GffStruct};
use crate::extra::latin;

/// Fields of one struct that are looked at. The largest of the games' own have about 120.
const FIELDS: u32 = 1024;

/// A GFF file of version 3.2. Its values are decoded when they are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Gff {
    /// The header.
    pub head: GffHead,
    /// The structs. The first is the root.
    pub structs: Vec<GffStruct>,
    /// The fields.
    pub fields: Vec<GffField>,
    /// The labels, filled up with zeros.
    pub labels: Vec<[u8; 16]>,
    /// Values that do not fit a field.
    pub data: Vec<u8>,
    /// The field numbers of structs with several fields.
    pub indices: Vec<u32>,
    /// Lists: each a count and as many struct numbers.
    pub lists: Vec<u32>,
}

impl Gff {
    /// Returns `true` if bytes begin like a GFF of this kind, such as `GIT `.
    pub fn detect(bytes: &[u8], kind: &[u8; 4]) -> bool {
        bytes.starts_with(kind) && bytes.get(4..8) == Some(b"V3.2")
    }

    /// Reads all tables. Offsets inside of them are checked when they are followed.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Gff> {
        if bytes.get(4..8) != Some(b"V3.2") {
            return Err(Error::at(ErrorKind::NotThisFormat, 0));
        }
        let source = Source::new(bytes, limits);
        let reader = source.reader();
        let head: GffHead = reader.at(0, "header")?;
        let out = Gff {
            head,
            structs: reader.array(head.structs.0 as usize, head.struct_count as usize, "structs")?,
            fields: reader.array(head.fields.0 as usize, head.field_count as usize, "fields")?,
            labels: reader.array(head.labels.0 as usize, head.label_count as usize, "labels")?,
            data: reader.array(head.data.0 as usize, head.data_size as usize, "field data")?,
            indices: reader.array(
                head.indices.0 as usize,
                head.indices_size as usize / 4,
                "field indices",
            )?,
            lists: reader.array(head.lists.0 as usize, head.lists_size as usize / 4, "list indices")?,
        };
        if out.structs.is_empty() {
            return Err(reader.mismatch(12, "structs", "at least one", "none"));
        }
        Ok(out)
    }

    /// Returns the root.
    pub fn root(&self) -> Record<'_> {
        Record { gff: self, number: 0 }
    }
}

/// A struct of a GFF, to look up its values by their labels.
#[derive(Debug, Clone, Copy)]
pub struct Record<'g> {
    gff: &'g Gff,
    number: u32,
}

impl<'g> Record<'g> {
    fn row(&self) -> Option<&'g GffStruct> {
        self.gff.structs.get(self.number as usize)
    }

    /// Returns the type of the struct.
    pub fn kind(&self) -> u32 {
        self.row().map_or(u32::MAX, |row| row.kind)
    }

    fn field(&self, label: &str) -> Option<&'g GffField> {
        let row = self.row()?;
        let first = row.data as usize / 4;
        (0..row.field_count.min(FIELDS)).find_map(|i| {
            let number =
                if row.field_count == 1 { row.data } else { *self.gff.indices.get(first + i as usize)? };
            let field = self.gff.fields.get(number as usize)?;
            let found = self.gff.labels.get(field.label as usize)?.split(|b| *b == 0).next()?;
            (found == label.as_bytes()).then_some(field)
        })
    }

    /// Returns bytes of the value of a field.
    fn data(&self, field: &GffField, skip: usize, len: usize) -> Option<&'g [u8]> {
        let at = (field.data as usize).checked_add(skip)?;
        self.gff.data.get(at..)?.get(..len)
    }

    /// Returns a whole number, of any size.
    pub fn number(&self, label: &str) -> Option<i64> {
        let field = self.field(label)?;
        let value = field.data;
        match field.kind {
            0 => Some((value as u8).into()),
            1 => Some((value as i8).into()),
            2 => Some((value as u16).into()),
            3 => Some((value as i16).into()),
            4 => Some(value.into()),
            5 => Some((value as i32).into()),
            6 | 7 => Some(i64::from_le_bytes(self.data(field, 0, 8)?.try_into().ok()?)),
            _ => None,
        }
    }

    /// Returns a number with a fraction; whole ones are converted.
    pub fn float(&self, label: &str) -> Option<f32> {
        let field = self.field(label)?;
        match field.kind {
            8 => Some(f32::from_bits(field.data)),
            9 => Some(f64::from_le_bytes(self.data(field, 0, 8)?.try_into().ok()?) as f32),
            _ => self.number(label).map(|number| number as f32),
        }
    }

    /// Returns a text: a string, or the name of a file.
    pub fn text(&self, label: &str) -> Option<Cow<'g, str>> {
        let field = self.field(label)?;
        let bytes = match field.kind {
            10 => {
                let len = u32::from_le_bytes(self.data(field, 0, 4)?.try_into().ok()?);
                self.data(field, 4, len as usize)?
            }
            11 => self.data(field, 1, usize::from(*self.data(field, 0, 1)?.first()?))?,
            _ => return None,
        };
        Some(match std::str::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => text.into(),
            _ => latin(bytes).into(),
        })
    }

    /// Returns the structs of a list; none if there is no such list.
    pub fn list(&self, label: &str) -> impl Iterator<Item = Record<'g>> + use<'g> {
        let gff = self.gff;
        let numbers = self.field(label).filter(|field| field.kind == 15).and_then(|field| {
            let rest = gff.lists.get(field.data as usize / 4..)?;
            let (count, rest) = rest.split_first()?;
            Some(rest.get(..*count as usize).unwrap_or(rest))
        });
        numbers.unwrap_or(&[]).iter().map(move |number| Record { gff, number: *number })
    }

    /// Returns a struct inside of this one.
    pub fn record(&self, label: &str) -> Option<Record<'g>> {
        let field = self.field(label).filter(|field| field.kind == 14)?;
        Some(Record { gff: self.gff, number: field.data })
    }
}
