//! @UTF: the tables of CRI's formats, big-endian, with columns that the file describes.

use galatea_wire::{Error, ErrorKind, Result};

/// A value of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Number(u64),
    Text(String),
    Other,
}

/// A column: where its value is, or the value that all rows share.
#[derive(Debug)]
struct Column {
    name: String,
    kind: u8,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Absent,
    /// The same in all rows, at this place.
    Shared(usize),
    /// At this place of every row.
    Row(usize),
}

/// A table.
#[derive(Debug)]
pub(super) struct Utf {
    bytes: Vec<u8>,
    columns: Vec<Column>,
    rows_at: usize,
    row_size: usize,
    rows: usize,
    texts_at: usize,
    /// Where the table begins in the file, for errors.
    base: u64,
}

/// Most columns: those of real tables are below 50.
const COLUMNS: usize = 1000;

impl Utf {
    /// Reads a table, removing the obfuscation if it has one.
    pub(super) fn read(mut bytes: Vec<u8>, base: u64) -> Result<Utf> {
        if !bytes.starts_with(b"@UTF") {
            let mut mask = 0x5Fu8;
            for byte in &mut bytes {
                *byte ^= mask;
                mask = mask.wrapping_mul(0x15);
            }
        }
        if !bytes.starts_with(b"@UTF") {
            return Err(fault(base, "\"@UTF\"", "something else"));
        }
        let mut table = Utf {
            rows_at: offset(&bytes, 8),
            texts_at: offset(&bytes, 12),
            row_size: usize::from(u16_at(&bytes, 26).unwrap_or(0)),
            rows: u32_at(&bytes, 28).unwrap_or(0) as usize,
            columns: Vec::new(),
            base,
            bytes,
        };
        let count = usize::from(u16_at(&table.bytes, 24).unwrap_or(0));
        if count > COLUMNS {
            return Err(Error::at(ErrorKind::Limit("columns"), at(base)).within("table"));
        }
        table.read_columns(count)?;
        let have = table.bytes.len().saturating_sub(table.rows_at);
        if table.rows.checked_mul(table.row_size).is_none_or(|size| size > have) {
            let (count, size) = (table.rows as u64, table.row_size as u64);
            let kind = ErrorKind::Truncated { count, size, have: have as u64 };
            return Err(Error::at(kind, at(base) + table.rows_at).within("rows"));
        }
        // Rows without bytes could be any number.
        if table.row_size == 0 && table.rows > 1 {
            return Err(fault(base, "rows with values", "rows of 0 bytes"));
        }
        Ok(table)
    }

    fn read_columns(&mut self, count: usize) -> Result<()> {
        let mut place = 32;
        let mut in_row = 0;
        for _ in 0..count {
            let flags = self.bytes.get(place).copied();
            let name_at = u32_at(&self.bytes, place + 1);
            let (Some(flags), Some(name_at)) = (flags, name_at) else {
                return Err(fault(self.base, "columns", "the end of the table"));
            };
            place += 5;
            let kind = flags & 0xF;
            let size = size_of_kind(kind)
                .ok_or_else(|| fault(self.base, "a type from 0 to 12", &kind.to_string()))?;
            let where_to = match flags & 0x60 {
                0x20 => {
                    place += size;
                    Place::Shared(place - size)
                }
                0x40 => {
                    in_row += size;
                    Place::Row(in_row - size)
                }
                0 => Place::Absent,
                _ => return Err(fault(self.base, "a shared value or one per row", "both")),
            };
            let name = self.text(name_at);
            self.columns.push(Column { name, kind, place: where_to });
        }
        if in_row > self.row_size {
            return Err(fault(self.base, &format!("rows of {in_row} bytes"), &self.row_size.to_string()));
        }
        Ok(())
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Returns the value of a column in a row; `None` if it has none.
    pub(super) fn value(&self, row: usize, column: usize) -> Option<Value> {
        let column = self.columns.get(column)?;
        let place = match column.place {
            Place::Absent => return None,
            Place::Shared(place) => place,
            Place::Row(place) => {
                self.rows_at.checked_add(row.checked_mul(self.row_size)?)?.checked_add(place)?
            }
        };
        let bytes = self.bytes.get(place..)?.get(..size_of_kind(column.kind)?)?;
        Some(match column.kind {
            0..=7 => Value::Number(bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))),
            0xA => Value::Text(self.text(u32_at(bytes, 0)?)),
            _ => Value::Other,
        })
    }

    /// Returns the number in a column of a row.
    pub(super) fn number(&self, row: usize, column: &str) -> Option<u64> {
        match self.value(row, self.column(column)?)? {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    fn text(&self, at: u32) -> String {
        let start = self.texts_at.saturating_add(at as usize);
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        // Names of files are short; a text without end would be copied for every row.
        let text = rest.split(|b| *b == 0).next().unwrap_or(&[]);
        String::from_utf8_lossy(text.get(..text.len().min(1024)).unwrap_or(text)).into_owned()
    }
}

fn size_of_kind(kind: u8) -> Option<usize> {
    Some(match kind {
        0 | 1 => 1,
        2 | 3 => 2,
        4 | 5 | 8 | 0xA => 4,
        6 | 7 | 9 | 0xB => 8,
        0xC => 16,
        _ => return None,
    })
}

/// Offsets count from after the first eight bytes.
fn offset(bytes: &[u8], place: usize) -> usize {
    (u32_at(bytes, place).unwrap_or(0) as usize).saturating_add(8)
}

fn u16_at(bytes: &[u8], place: usize) -> Option<u16> {
    bytes.get(place..)?.first_chunk().map(|b| u16::from_be_bytes(*b))
}

fn u32_at(bytes: &[u8], place: usize) -> Option<u32> {
    bytes.get(place..)?.first_chunk().map(|b| u32::from_be_bytes(*b))
}

fn at(base: u64) -> usize {
    usize::try_from(base).unwrap_or(usize::MAX)
}

fn fault(base: u64, want: &str, found: &str) -> Error {
    let kind = ErrorKind::Mismatch { want: want.to_owned().into(), found: found.to_owned().into() };
    Error::at(kind, at(base)).within("table")
}
