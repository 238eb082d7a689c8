//! `galatea roundtrip`: read, write, compare. Documents that only keep the bytes of their file are counted apart.

use std::fmt;
use std::io::{self, Write};

use clap::{Args, ValueEnum};
use galatea::{ConvertOptions, FormatId, SceneContext, disk, fox};
use serde_json::json;

use crate::Exit;
use crate::batch::{self, Failure, Inputs};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Convert to another form and back, and compare the documents in everything but layout and padding
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
    if job.archive {
        return roundtrip_archive(job);
    }
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

/// Writes an archive again, and compares it with its bytes. Those that are only read are counted apart.
fn roundtrip_archive(job: &galatea::disk::Job) -> Result<Outcome, Failure> {
    let open = batch::open_archive(job)?;
    let (archive, kind) = (open.archive(), open.archive().kind().format());
    let stored = !kind.writable();
    let mut outcome = Outcome {
        format: kind.name,
        version: archive.version(),
        bytes: 0,
        stored,
        difference: None,
        changed: Vec::new(),
    };
    if !stored {
        let bytes = disk::read(&job.path).map_err(Failure::Io)?;
        outcome.difference = first_difference(&bytes, &archive.write()?).map(|at| (at, None));
        outcome.bytes = bytes.len();
    }
    Ok(outcome)
}

/// Through the text form and back. A format without one is left out of the count.
fn through_text(opened: &batch::Opened, names: &fox::Dictionary) -> Result<Option<Outcome>, Failure> {
    let Some(text) = opened.document.format().text else { return Ok(None) };
    let context = SceneContext::new("model").with_names(names);
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
    let context = SceneContext::new(&stem).with_names(names);
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
    let limits = galatea::Limits::default().with_ratio(16);
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

/// How many files came back, and how.
#[derive(Default)]
struct Count {
    identical: usize,
    different: usize,
    unreadable: usize,
    stored: usize,
}

impl Count {
    /// Counts a result. Returns the word for it.
    fn add(&mut self, result: &Result<Outcome, Failure>) -> &'static str {
        let (count, status) = match result {
            Ok(Outcome { stored: true, .. }) => (&mut self.stored, "stored"),
            Ok(Outcome { difference: None, changed, .. }) if changed.is_empty() => {
                (&mut self.identical, "identical")
            }
            Ok(_) => (&mut self.different, "different"),
            Err(_) => (&mut self.unreadable, "unreadable"),
        };
        *count += 1;
        status
    }

    fn files(&self) -> usize {
        self.identical + self.different + self.unreadable + self.stored
    }

    fn json(&self) -> serde_json::Value {
        json!({ "summary": {
            "files": self.files(),
            "identical": self.identical,
            "different": self.different,
            "unreadable": self.unreadable,
            "stored": self.stored,
        } })
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { identical, different, unreadable, stored } = self;
        let files = self.files();
        write!(f, "{files} files: {identical} identical, {different} different, {unreadable} unreadable")?;
        match stored {
            0 => Ok(()),
            _ => write!(f, ", {stored} kept as they are (not re-encoded)"),
        }
    }
}

/// One file as JSON.
fn json_line(path: &str, status: &str, result: &Result<Outcome, Failure>) -> serde_json::Value {
    let outcome = result.as_ref().ok();
    let difference = outcome.and_then(|o| o.difference);
    json!({
        "path": path,
        "format": outcome.map(|o| o.format),
        "version": outcome.map(|o| &o.version),
        "bytes": outcome.map(|o| o.bytes),
        "status": status,
        "first_difference": difference.map(|(at, _)| at),
        "in": difference.and_then(|(_, file)| file),
        "changed": outcome.map(|o| &o.changed).filter(|c| !c.is_empty()),
        "error": result.as_ref().err().map(|e| e.to_string()),
    })
}

/// What differs, in words; `None` if nothing does. Errors are printed by the batch.
fn difference_line(result: &Result<Outcome, Failure>) -> Option<String> {
    match result {
        Ok(Outcome { difference: Some((at, file)), .. }) => {
            let file = file.map(|f| format!(" of the {f}")).unwrap_or_default();
            Some(format!("different from 0x{at:X}{file} on"))
        }
        Ok(Outcome { changed, .. }) => match changed.as_slice() {
            [] => None,
            [one] => Some(format!("different: {one}")),
            [first, rest @ ..] => Some(format!("different: {first} (and {} more)", rest.len())),
        },
        Err(_) => None,
    }
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let mut count = Count::default();
        let names = fox::Dictionary::new();
        let work = |job: &galatea::disk::Job| match self.via {
            None => roundtrip(job, &names).map(Some),
            Some(Via::Text) => through_text(&batch::open(job)?, &names),
            Some(Via::Glb) => through_glb(job, &batch::open(job)?, &names),
        };
        // Archives have no other form.
        let inputs = if self.via.is_none() { self.inputs.with_archives() } else { self.inputs.clone() };
        let tally = inputs.run(work, |path, result, out| {
            let Some(result) = result.transpose() else { return Ok(()) };
            let status = count.add(&result);
            if self.inputs.json {
                return writeln!(out, "{}", json_line(path, status, &result));
            }
            match difference_line(&result) {
                Some(line) => writeln!(out, "{path}: {line}"),
                None => Ok(()),
            }
        })?;
        let summary = if self.inputs.json { count.json().to_string() } else { count.to_string() };
        writeln!(io::stdout().lock(), "{summary}")?;
        Ok(tally.exit(count.different > 0))
    }
}
