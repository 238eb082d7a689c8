//! `galatea inspect`: which byte is what.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use galatea::disk::{self, Job};
use galatea::wire::Inspector;
use galatea::{Inspection, Limits};
use serde_json::json;

use crate::Exit;
use crate::batch::Failure;
use crate::terminal::{complain, show};

#[derive(Args)]
pub(crate) struct Options {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Print what the byte at this offset is (decimal, or hexadecimal with 0x)
    #[arg(long, value_name = "OFFSET", value_parser = offset)]
    at: Option<usize>,
    /// Account for every byte: which record owns it, and which bytes no record owns
    #[arg(long, conflicts_with = "at")]
    map: bool,
    /// Inspect a companion file, such as a KotOR model's MDX; where there are several, name one: --companion=2.ftexs
    #[arg(long, value_name = "EXTENSION", num_args = 0..=1, require_equals = true)]
    companion: Option<Option<String>>,
    /// How many items of each table to open
    #[arg(long, value_name = "N", default_value_t = 3)]
    most: usize,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

fn offset(text: &str) -> Result<usize, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => usize::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is not an offset; expected one such as 6720 or 0x1A40"))
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        if self.path.is_dir() {
            complain(format_args!("{}: is a folder; `inspect` takes one file", show(&self.path)));
            return Ok(Exit::Usage);
        }
        let job = Job::new(self.path.clone());
        let loaded = match disk::load(&job) {
            Ok(loaded) => loaded,
            Err(error) => return self.failed(&Failure::Io(error)),
        };
        let Some(inspections) = galatea::inspect(&loaded.input(), &Limits::default()) else {
            return self.failed(&Failure::Unknown);
        };
        let mut inspections = inspections.into_iter();
        let (inspection, bytes) = match &self.companion {
            None => (inspections.next(), Some(loaded.bytes.as_slice())),
            Some(which) => {
                let wanted = |e: &str| which.as_ref().is_none_or(|w| w.eq_ignore_ascii_case(e));
                let companion = loaded.companions.iter().find(|c| wanted(c.extension));
                let inspection = companion.and_then(|c| inspections.find(|i| i.file == c.extension));
                (inspection, companion.map(|c| c.bytes.as_slice()))
            }
        };
        let (Some(inspection), Some(bytes)) = (inspection, bytes) else {
            complain(format_args!("{}: has no such companion file", show(&self.path)));
            return Ok(Exit::AllFailed);
        };
        let mut out = io::BufWriter::new(io::stdout().lock());
        let exit = match (self.at, self.map) {
            (Some(at), _) => self.print_at(at, bytes, &inspection, &mut out)?,
            (None, true) => self.print_map(bytes, &inspection, &mut out)?,
            (None, false) => self.print_tree(bytes, &inspection, &mut out)?,
        };
        out.flush()?;
        if let Some(error) = inspection.error {
            self.failed(&Failure::Format(error))?;
            return Ok(Exit::AllFailed);
        }
        Ok(exit)
    }

    fn failed(&self, failure: &Failure) -> io::Result<Exit> {
        complain(format_args!("{}: {failure}", show(&self.path)));
        Ok(Exit::AllFailed)
    }

    fn print_at(
        &self,
        at: usize,
        bytes: &[u8],
        inspection: &Inspection,
        out: &mut dyn Write,
    ) -> io::Result<Exit> {
        if at >= bytes.len() {
            complain(format_args!("0x{at:X} is past the end: the file has 0x{:X} bytes", bytes.len()));
            return Ok(Exit::Usage);
        }
        let found = Inspector::new(bytes, &inspection.coverage).at(at);
        match found {
            Some(field) if self.json => {
                let line = json!({
                    "at": at, "path": field.path, "type": field.ty, "offset": field.offset, "size": field.size,
                    "value": field.value, "doc": field.doc.trim(),
                });
                writeln!(out, "{line}")?;
            }
            Some(field) => {
                writeln!(out, "0x{at:X}: {} = {}", field.path, field.value)?;
                let byte = at - field.offset;
                writeln!(out, "  byte {byte} of {} at 0x{:X}, {}", field.size, field.offset, field.ty)?;
                if !field.doc.trim().is_empty() {
                    writeln!(out, "  {}", field.doc.trim())?;
                }
            }
            None if self.json => {
                writeln!(out, "{}", json!({ "at": at, "path": null, "value": bytes.get(at) }))?;
            }
            None => {
                let byte = bytes.get(at).copied().unwrap_or(0);
                writeln!(out, "0x{at:X}: belongs to no field (0x{byte:02X}); it is kept as it is")?;
            }
        }
        Ok(Exit::Fine)
    }

    fn print_map(&self, bytes: &[u8], inspection: &Inspection, out: &mut dyn Write) -> io::Result<Exit> {
        let mut gaps = 0;
        for span in Inspector::new(bytes, &inspection.coverage).map() {
            let len = span.end - span.start;
            gaps += if span.owner.is_none() { len } else { 0 };
            if self.json {
                let line =
                    json!({ "start": span.start, "end": span.end, "owner": span.owner, "type": span.ty });
                writeln!(out, "{line}")?;
            } else {
                let owner = span.owner.as_deref().unwrap_or("(gap)");
                writeln!(out, "0x{:08X}  {len:>8}  {owner}  {}", span.start, span.ty)?;
            }
        }
        let owned = bytes.len() - gaps;
        if self.json {
            let summary = json!({ "bytes": bytes.len(), "fields": owned, "gaps": gaps });
            writeln!(out, "{}", json!({ "summary": summary }))?;
        } else {
            let share = 100.0 * owned as f64 / bytes.len().max(1) as f64;
            writeln!(
                out,
                "{} bytes: {owned} in fields ({share:.3} %), {gaps} in gaps; all are kept",
                bytes.len()
            )?;
        }
        Ok(Exit::Fine)
    }

    fn print_tree(&self, bytes: &[u8], inspection: &Inspection, out: &mut dyn Write) -> io::Result<Exit> {
        let mut result = Ok(());
        Inspector::new(bytes, &inspection.coverage).walk(self.most, &mut |item| {
            if result.is_err() {
                return;
            }
            result = if self.json {
                let line = json!({
                    "depth": item.depth, "offset": item.offset, "size": item.size, "name": item.name,
                    "type": item.ty, "value": item.value,
                });
                writeln!(out, "{line}")
            } else {
                let indent = "  ".repeat(item.depth);
                let ty = if item.ty.is_empty() { String::new() } else { format!(": {}", item.ty) };
                let value = if item.value.is_empty() { String::new() } else { format!(" = {}", item.value) };
                writeln!(out, "0x{:08X}  {indent}{}{ty}{value}", item.offset, item.name)
            };
        });
        result.map(|()| Exit::Fine)
    }
}
