//! What people see: errors on stderr, tables aligned on a terminal and tab-separated when piped.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use galatea::disk;
use galatea::wire::escape;

/// One line on stderr.
pub(crate) fn complain(what: fmt::Arguments<'_>) {
    let mut stderr = io::stderr().lock();
    let colour = stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let (on, off) = if colour { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
    // With stderr gone there is nobody left to tell.
    let _ = writeln!(stderr, "{on}error:{off} {what}");
}

/// One line on stderr about what is missing from a result that is there all the same.
pub(crate) fn note(what: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "note: {what}");
}

/// A path fit for one line of a terminal.
pub(crate) fn show(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".into() } else { escape_path(path) }
}

fn escape_path(path: &Path) -> String {
    plain(&path.display().to_string())
}

/// Returns why a file could not be read or written, with the flag that helps.
pub(crate) fn reason(error: &io::Error) -> String {
    match disk::Occupied::of(error) {
        Some(occupied) => format!("{occupied}; use --force to replace it"),
        None => error.to_string(),
    }
}

/// A name or path as it is: backslashes are separators, only what could upset a terminal is escaped.
pub(crate) fn plain(text: &str) -> String {
    if text.chars().any(char::is_control) { escape(text) } else { text.to_owned() }
}

/// Rows of cells, printed when all are known (terminal) or at once (pipe).
pub(crate) struct Table {
    head: &'static [&'static str],
    rows: Vec<Vec<String>>,
    aligned: bool,
}

impl Table {
    pub(crate) fn new(head: &'static [&'static str]) -> Self {
        Table { head, rows: Vec::new(), aligned: io::stdout().is_terminal() }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>, out: &mut dyn Write) -> io::Result<()> {
        if self.aligned {
            self.rows.push(cells);
            return Ok(());
        }
        writeln!(out, "{}", cells.join("\t"))
    }

    pub(crate) fn finish(self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let head: Vec<String> = self.head.iter().map(|h| (*h).to_owned()).collect();
        let rows = || std::iter::once(&head).chain(&self.rows);
        let width = |column: usize| {
            rows().filter_map(|r| r.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        for row in rows() {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let number = cell.chars().all(|c| c.is_ascii_digit()) && !cell.is_empty();
                let pad = " ".repeat(width.saturating_sub(cell.chars().count()));
                line += &if number { format!("{pad}{cell}  ") } else { format!("{cell}{pad}  ") };
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
