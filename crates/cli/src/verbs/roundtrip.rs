//! `galatea roundtrip`: read, write, compare. Documents that only keep the bytes of their file are counted apart.

use std::io;

use clap::{Args, ValueEnum};
use galatea::{ConvertOptions, FormatId, SceneContext, disk, fox};
use serde_json::json;

use crate::Exit;
use crate::batch::{self, Failure, Inputs};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Through another form and back; documents are compared, in everything but layout and padding
    #[arg(long, value_enum, value_name = "FORM")]
    via: Option<Via>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Via {
    /// The text form; formats without one are left out
    Text,
    /// A GLB
    Glb,
}

struct Outcome {
    format: &'static str,
    version: String,
    bytes: usize,
    /// Whether the document keeps the bytes of its file, so that there is nothing to compare.
    stored: bool,
    /// The first byte that differs, in the file or, with the extension, in its companion.
    difference: Option<(usize, Option<&'static str>)>,
    /// What differs after a way through another form.
    changed: Vec<String>,
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    if a == b {
        return None;
    }
    Some(a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len())))
}

fn roundtrip(job: &galatea::disk::Job, names: &fox::Dictionary) -> Result<Outcome, Failure> {
    let opened = batch::open(job)?;
    let (loaded, document) = (&opened.loaded, &opened.document);
    let format = document.format();
    // A text is written in our own words: what has to come back is the document.
    if format.text == Some(format.id)
        && let Some(outcome) = through_text(&opened, names)?
    {
        return Ok(outcome);
    }
    if format.stored {
        return Ok(Outcome {
            format: format.name,
            version: document.summary().version,
            bytes: loaded.size(),
            stored: true,
            difference: None,
            changed: Vec::new(),
        });
    }
    let output = document.write()?;
    let main = first_difference(&loaded.bytes, &output.bytes).map(|at| (at, None));
    let companion = || {
        loaded.companions.iter().find_map(|had| {
            let has = output.companion(had.extension).unwrap_or(&[]);
            first_difference(&had.bytes, has).map(|at| (at, Some(had.extension)))
        })
    };
    Ok(Outcome {
        format: format.name,
        version: document.summary().version,
        bytes: loaded.size(),
        stored: false,
        difference: main.or_else(companion),
        changed: Vec::new(),
    })
}

/// Through the text form and back. A format without one is left out of the count.
fn through_text(opened: &batch::Opened, names: &fox::Dictionary) -> Result<Option<Outcome>, Failure> {
    let Some(text) = opened.document.format().text else { return Ok(None) };
    let context = SceneContext::new("model", names);
    let written = galatea::convert(opened.document.as_ref(), text, &ConvertOptions::default(), &context)
        .map_err(other)?;
    let back = reopened(&written)?;
    Ok(Some(compared(opened, back.as_ref())))
}

/// Through a GLB and back, to the binary form where there are two. glTF itself is left out of the count.
fn through_glb(
    job: &galatea::disk::Job,
    opened: &batch::Opened,
    names: &fox::Dictionary,
) -> Result<Option<Outcome>, Failure> {
    let format = opened.document.format();
    if matches!(format.id, FormatId::Glb | FormatId::Gltf) || format.from_scene.is_none() {
        return Ok(None);
    }
    let stem = disk::stem(&job.path);
    let context = SceneContext::new(&stem, names);
    let options = ConvertOptions::default();
    let glb = galatea::convert(opened.document.as_ref(), FormatId::Glb, &options, &context).map_err(other)?;
    let glb = reopened(&glb)?;
    let back = galatea::convert(glb.as_ref(), format.id, &options, &context).map_err(other)?;
    let back = reopened(&back)?;
    Ok(Some(compared(opened, back.as_ref())))
}

fn other(error: galatea::ConvertError) -> Failure {
    Failure::Other(error.to_string())
}

/// Opens what was written. It is our own, and may be longer than what was read, so the limits need not hold it back.
fn reopened(written: &galatea::Converted) -> Result<Box<dyn galatea::Document>, Failure> {
    let limits = galatea::Limits { ratio: 16, ..galatea::Limits::default() };
    let output = &written.output;
    let input = output.input();
    Ok(galatea::open(&input, &limits)?)
}

fn compared(opened: &batch::Opened, back: &dyn galatea::Document) -> Outcome {
    let document = &opened.document;
    Outcome {
        format: document.format().name,
        version: document.summary().version,
        bytes: opened.loaded.size(),
        stored: false,
        difference: None,
        changed: document.differences(back).unwrap_or_else(|| vec!["another format came back".into()]),
    }
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let (mut identical, mut different, mut unreadable, mut stored) = (0usize, 0usize, 0usize, 0usize);
        let names = fox::Dictionary::new();
        let work = |job: &galatea::disk::Job| match self.via {
            None => roundtrip(job, &names).map(Some),
            Some(Via::Text) => through_text(&batch::open(job)?, &names),
            Some(Via::Glb) => through_glb(job, &batch::open(job)?, &names),
        };
        let tally = self.inputs.run(work, |path, result, out| {
            let result = match result {
                Ok(None) => return Ok(()),
                Ok(Some(outcome)) => Ok(outcome),
                Err(failure) => Err(failure),
            };
            let status = match &result {
                Ok(Outcome { stored: true, .. }) => {
                    stored += 1;
                    "stored"
                }
                Ok(Outcome { difference: None, changed, .. }) if changed.is_empty() => {
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
                    "changed": outcome.map(|o| &o.changed).filter(|c| !c.is_empty()),
                    "error": result.as_ref().err().map(|e| e.to_string()),
                });
                return writeln!(out, "{line}");
            }
            match result {
                Ok(Outcome { difference: Some((at, file)), .. }) => {
                    let file = file.map(|f| format!(" of the {f}")).unwrap_or_default();
                    writeln!(out, "{path}: different from 0x{at:X}{file} on")
                }
                Ok(Outcome { changed, .. }) if !changed.is_empty() => {
                    let more = if changed.len() > 1 {
                        format!(" (and {} more)", changed.len() - 1)
                    } else {
                        String::new()
                    };
                    writeln!(out, "{path}: different: {}{more}", changed.first().map_or("", String::as_str))
                }
                _ => Ok(()),
            }
        })?;
        let files = identical + different + unreadable + stored;
        if self.inputs.json {
            let summary = json!({
                "files": files,
                "identical": identical,
                "different": different,
                "unreadable": unreadable,
                "stored": stored,
            });
            println_or_stop(&json!({ "summary": summary }).to_string())?;
        } else {
            let kept = match stored {
                0 => String::new(),
                _ => format!(", {stored} kept as they are (not re-encoded)"),
            };
            println_or_stop(&format!(
                "{files} files: {identical} identical, {different} different, {unreadable} unreadable{kept}"
            ))?;
        }
        Ok(tally.exit(different > 0))
    }
}

fn println_or_stop(line: &str) -> io::Result<()> {
    use io::Write;
    writeln!(io::stdout().lock(), "{line}")
}
