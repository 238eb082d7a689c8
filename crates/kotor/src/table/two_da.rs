//! 2DA: a table of text, as `appearance.2da` is.

use std::borrow::Cow;

use galatea_wire::{Error, ErrorKind, Limits, Reader, Result, Source};

use crate::extra::latin;

/// What both forms write in a cell without a value; an empty one means the same.
const BLANK: &str = "****";
const BINARY: &[u8] = b"2DA V2.b";
const TEXT: &[u8] = b"2DA V2.0";

/// A 2DA table, from its binary form (`V2.b`) or its text (`V2.0`). Names of columns do not depend on letter case.
///
/// ```
/// use galatea_kotor::table::TwoDa;
/// let text = b"2DA V2.0\n\n      label   modeltype modela\n0 Bastila B PFBAM\n1 \"A rock\" F ****\n";
/// let table = TwoDa::read(text, &Default::default())?;
/// assert_eq!((table.rows(), table.columns().len()), (2, 3));
/// assert_eq!(table.cell(0, "ModelA").as_deref(), Some("PFBAM"));
/// assert_eq!(table.cell(1, "label").as_deref(), Some("A rock"));
/// assert_eq!((table.cell(1, "modela"), table.cell(0, "modelb"), table.cell(2, "label")), (None, None, None));
/// # Ok::<(), galatea_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TwoDa {
    columns: Vec<String>,
    labels: Vec<String>,
    /// Where the text of each cell begins, row by row.
    cells: Vec<u32>,
    /// Texts, each with a NUL behind it.
    pool: Vec<u8>,
}

impl TwoDa {
    /// Returns `true` if bytes begin like a 2DA.
    pub fn detect(bytes: &[u8]) -> bool {
        bytes.starts_with(BINARY) || bytes.starts_with(TEXT)
    }

    /// Reads either form.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<TwoDa> {
        let source = Source::new(bytes, limits);
        if bytes.starts_with(TEXT) {
            return text(source.reader());
        }
        if !bytes.starts_with(BINARY) {
            return Err(Error::at(ErrorKind::NotThisFormat, 0));
        }
        binary(source.reader())
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns how many rows there are. Other files name them by their numbers, from 0; their labels mean nothing to the games.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Returns the label of a row, usually its number.
    pub fn label(&self, row: usize) -> Option<&str> {
        self.labels.get(row).map(String::as_str)
    }

    /// Returns what a cell says; `None` if it is blank, or if there is no such row or column.
    pub fn cell(&self, row: usize, column: &str) -> Option<Cow<'_, str>> {
        let column = self.columns.iter().position(|name| name.eq_ignore_ascii_case(column))?;
        let at = *self.cells.get(row.checked_mul(self.columns.len())?.checked_add(column)?)?;
        let text = self.pool.get(at as usize..)?.split(|b| *b == 0).next()?;
        let text: Cow<'_, str> = match std::str::from_utf8(text) {
            Ok(text) if text.is_ascii() => text.into(),
            _ => latin(text).into(),
        };
        (!text.is_empty() && text != BLANK).then_some(text)
    }

    /// Returns the number in a cell; `None` if it has none.
    pub fn number(&self, row: usize, column: &str) -> Option<i64> {
        let text = self.cell(row, column)?;
        match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        }
    }
}

/// Returns the text up to a byte, and where the next one begins; `None` if there is no such byte.
fn until(bytes: &[u8], at: usize, end: impl Fn(u8) -> bool) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..)?;
    let len = rest.iter().position(|b| end(*b))?;
    Some((rest.get(..len)?, at + len + 1))
}

/// Takes a name from the budget and returns it.
fn name(reader: Reader<'_>, text: &[u8], at: usize, what: &'static str) -> Result<String> {
    reader.spend((size_of::<String>() + 2 * text.len()) as u64, at, what)?;
    Ok(latin(text))
}

fn binary(reader: Reader<'_>) -> Result<TwoDa> {
    let bytes = reader.data();
    let mut out = TwoDa::default();
    let open = |at, what| {
        let have = bytes.len().saturating_sub(at) as u64;
        reader.error(ErrorKind::Truncated { count: 1, size: have + 1, have }, at, what)
    };
    let mut at = BINARY.len() + 1;
    reader.bytes(0, at, "header")?;
    while bytes.get(at) != Some(&0) {
        let (text, next) = until(bytes, at, |b| b == b'\t' || b == 0).ok_or_else(|| open(at, "columns"))?;
        // A NUL in place of the tab ends the list, too.
        let ends = bytes.get(next - 1) == Some(&0);
        out.columns.push(name(reader, text, at, "columns")?);
        at = if ends { next - 1 } else { next };
    }
    at += 1;
    let rows: u32 = reader.at(at, "row count")?;
    at += 4;
    // Every row has at least the tab behind its label.
    let have = bytes.len().saturating_sub(at) as u64;
    if u64::from(rows) > have {
        return Err(reader.error(ErrorKind::Truncated { count: rows.into(), size: 1, have }, at, "rows"));
    }
    for _ in 0..rows {
        let (text, next) = until(bytes, at, |b| b == b'\t').ok_or_else(|| open(at, "row labels"))?;
        out.labels.push(name(reader, text, at, "row labels")?);
        at = next;
    }
    let count = out.labels.len().saturating_mul(out.columns.len());
    let cells: Vec<u16> = reader.array(at, count, "cells")?;
    at += cells.len() * 2;
    // Most programs write a wrong size of the pool, so that it is taken to reach to the end of the file.
    reader.bytes(at, 2, "pool size")?;
    at += 2;
    let pool = bytes.get(at..).unwrap_or(&[]);
    if let Some(bad) = cells.iter().position(|cell| usize::from(*cell) >= pool.len()) {
        let found = cells.get(bad).map_or(String::new(), ToString::to_string);
        return Err(reader.mismatch(at - 2, "cells", format!("an offset below {}", pool.len()), found));
    }
    reader.spend((cells.len() * 4 + pool.len()) as u64, at, "pool")?;
    out.cells = cells.into_iter().map(u32::from).collect();
    out.pool = pool.to_vec();
    Ok(out)
}

/// Returns the words of a line; quotation marks hold words together.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let quoted = rest.first() == Some(&b'"');
        let start = rest.get(usize::from(quoted)..).filter(|_| !rest.is_empty())?;
        let end = start.iter().position(|b| if quoted { *b == b'"' } else { b.is_ascii_whitespace() });
        let end = end.unwrap_or(start.len());
        rest = start.get(end + usize::from(quoted)..).unwrap_or(&[]);
        start.get(..end)
    })
}

fn text(reader: Reader<'_>) -> Result<TwoDa> {
    let mut out = TwoDa::default();
    let lines = (1u32..).zip(reader.data().split(|b| *b == b'\n'));
    // The first line is the head; the second is empty, or has the value of missing cells.
    let default = |line: &[u8]| line.get(..8).is_some_and(|word| word.eq_ignore_ascii_case(b"default:"));
    let mut missing = 0;
    for (number, line) in lines.skip(1).filter(|(_, line)| !line.trim_ascii().is_empty()) {
        if out.columns.is_empty() && default(line.trim_ascii_start()) {
            let value = words(line).nth(1).unwrap_or(b"");
            out.pool.push(0);
            missing = 1;
            out.pool.extend(value);
            out.pool.push(0);
            continue;
        }
        if out.columns.is_empty() {
            if out.pool.is_empty() {
                out.pool.push(0);
            }
            let columns = words(line).map(|word| name(reader, word, 0, "columns"));
            out.columns = columns.collect::<Result<_>>().map_err(|_| too_large(number))?;
            continue;
        }
        let mut words = words(line);
        let Some(label) = words.next() else { continue };
        let cells = out.columns.len();
        let spent = reader.spend((cells * 4 + line.len() + cells) as u64, 0, "rows");
        out.labels.push(
            name(reader, label, 0, "rows").and_then(|l| spent.map(|()| l)).map_err(|_| too_large(number))?,
        );
        for _ in 0..cells {
            let Some(word) = words.next() else {
                out.cells.push(missing);
                continue;
            };
            out.cells.push(u32::try_from(out.pool.len()).map_err(|_| too_large(number))?);
            out.pool.extend(word.iter().filter(|b| **b != 0));
            out.pool.push(0);
        }
    }
    if out.columns.is_empty() {
        let kind =
            ErrorKind::Mismatch { want: "a line with the names of columns".into(), found: "nothing".into() };
        return Err(Error::at_line(kind, 1, 1).within("columns"));
    }
    Ok(out)
}

#[cold]
fn too_large(line: u32) -> Error {
    Error::at_line(ErrorKind::Limit("decoded bytes"), line, 1).within("rows")
}
