//! `galatea roundtrip`: read, write, compare.

use std::io;

use clap::Args;
use serde_json::json;

use crate::Exit;
use crate::batch::{self, Failure, Inputs};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
}

struct Outcome {
    format: &'static str,
    version: String,
    bytes: usize,
    /// The first byte that differs, in the file or, with the extension, in its companion.
    difference: Option<(usize, Option<&'static str>)>,
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    if a == b {
        return None;
    }
    Some(a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len())))
}

fn roundtrip(job: &galatea::disk::Job) -> Result<Outcome, Failure> {
    let opened = batch::open(job)?;
    let (loaded, document) = (&opened.loaded, &opened.document);
    let output = document.write()?;
    let format = document.format();
    let main = first_difference(&loaded.bytes, &output.bytes).map(|at| (at, None));
    let companion = || {
        let (had, has) = (loaded.companion.as_deref()?, output.companion.as_deref().unwrap_or(&[]));
        first_difference(had, has).map(|at| (at, format.companion))
    };
    Ok(Outcome {
        format: format.name,
        version: document.summary().version,
        bytes: loaded.bytes.len() + loaded.companion.as_ref().map_or(0, Vec::len),
        difference: main.or_else(companion),
    })
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let (mut identical, mut different, mut unreadable) = (0usize, 0usize, 0usize);
        let tally = self.inputs.run(roundtrip, |path, result, out| {
            let status = match &result {
                Ok(Outcome { difference: None, .. }) => {
                    identical += 1;
                    "identical"
                }
                Ok(_) => {
                    different += 1;
                    "different"
                }
                Err(_) => {
                    unreadable += 1;
                    "unreadable"
                }
            };
            if self.inputs.json {
                let outcome = result.as_ref().ok();
                let difference = outcome.and_then(|o| o.difference);
                let line = json!({
                    "path": path,
                    "format": outcome.map(|o| o.format),
                    "version": outcome.map(|o| &o.version),
                    "bytes": outcome.map(|o| o.bytes),
                    "status": status,
                    "first_difference": difference.map(|(at, _)| at),
                    "in": difference.and_then(|(_, file)| file),
                    "error": result.as_ref().err().map(|e| e.to_string()),
                });
                return writeln!(out, "{line}");
            }
            match result {
                Ok(Outcome { difference: Some((at, file)), .. }) => {
                    let file = file.map(|f| format!(" of the {f}")).unwrap_or_default();
                    writeln!(out, "{path}: different from 0x{at:X}{file} on")
                }
                _ => Ok(()),
            }
        })?;
        let files = identical + different + unreadable;
        if self.inputs.json {
            let summary = json!({ "files": files, "identical": identical, "different": different, "unreadable": unreadable });
            println_or_stop(&json!({ "summary": summary }).to_string())?;
        } else {
            println_or_stop(&format!(
                "{files} files: {identical} identical, {different} different, {unreadable} unreadable"
            ))?;
        }
        Ok(tally.exit(different > 0))
    }
}

fn println_or_stop(line: &str) -> io::Result<()> {
    use io::Write;
    writeln!(io::stdout().lock(), "{line}")
}
