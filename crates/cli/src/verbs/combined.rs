//! What the verbs that make a model of others have in common: opening the inputs, writing the result, telling what is lost.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::combine::{CombineError, Combined};
use galatea::disk::{self, Job};
use galatea::{Document, Loss};
use serde_json::{Value, json};

use crate::Exit;
use crate::batch::{self, Opened};
use crate::terminal::{complain, note, reason, show};

/// Where the result goes, and what may be lost.
#[derive(Args)]
pub(crate) struct Outcome {
    /// The file to write, in the format of the model that is changed
    #[arg(short, long, value_name = "OUT", required_unless_present = "dry_run")]
    pub(crate) output: Option<PathBuf>,
    /// Print what would be done, without writing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write the result even if it has no place for something; what is lost is always named
    #[arg(long)]
    lossy: bool,
    /// Replace an existing file; a replaced input is kept as FILE.bak
    #[arg(long)]
    force: bool,
    /// One JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// What was done, for people and for programs.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) lines: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) losses: Vec<Loss>,
    /// More members of the JSON object.
    pub(crate) more: Option<Value>,
    /// The folder of the results, made if it is missing.
    pub(crate) folder: Option<PathBuf>,
}

impl Told {
    pub(crate) fn of(done: Combined) -> Told {
        Told { lines: done.done, notes: done.notes, losses: done.losses, ..Told::default() }
    }
}

/// Opens an input; the error names it.
pub(crate) fn open(path: &Path) -> Result<Opened, String> {
    batch::open(&Job::new(path)).map_err(|error| format!("{}: {error}", show(path)))
}

/// Returns what is wrong, with the input that it is about.
pub(crate) fn explain(error: &CombineError, inputs: &[&Path]) -> String {
    let about = error.document().and_then(|number| inputs.get(number));
    about.map_or_else(|| error.to_string(), |path| format!("{}: {error}", show(path)))
}

/// Ends a verb with an error.
pub(crate) fn failed(error: &str) -> Exit {
    complain(format_args!("{error}"));
    Exit::AllFailed
}

impl Outcome {
    /// Writes one result, and tells what was done.
    pub(crate) fn finish(&self, document: &dyn Document, inputs: &[&Path], told: &Told) -> io::Result<Exit> {
        let Some(output) = &self.output else { return self.tell(told, &[]).map(|()| Exit::Fine) };
        let results = [(output.clone(), document)];
        self.finish_all(&results, inputs, told)
    }

    /// Writes all results, or none of them if one cannot be written or something is lost that may not be.
    pub(crate) fn finish_all(
        &self,
        results: &[(PathBuf, &dyn Document)],
        inputs: &[&Path],
        told: &Told,
    ) -> io::Result<Exit> {
        let seen = told.losses.iter().filter(|loss| loss.visible).count();
        if seen > 0 && !self.lossy && !self.dry_run {
            for group in Loss::grouped(&told.losses) {
                note(format_args!("lost: {group}"));
            }
            return Ok(failed(
                "the result has no place for what is lost; nothing is written without --lossy",
            ));
        }
        let mut written = Vec::new();
        for (path, document) in results {
            match document.write() {
                Ok(files) => written.push((path, files)),
                Err(error) => return Ok(failed(&format!("{}: {error}", show(path)))),
            }
        }
        if self.dry_run {
            return self.tell(told, &[]).map(|()| Exit::Fine);
        }
        let inputs: Vec<PathBuf> = inputs.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let precious = |path: &Path| inputs.iter().any(|input| input == path);
        let policy = disk::Policy::force(self.force).with_precious(Some(&precious));
        for (path, files) in &written {
            let all = match disk::files(path, files) {
                Ok(all) => all,
                Err(error) => return Ok(failed(&format!("{}: {error}", show(path)))),
            };
            if let Some((there, _)) = all.iter().find(|(path, _)| !self.force && path.exists()) {
                return Ok(failed(&format!("{}: exists already; use --force to replace it", show(there))));
            }
        }
        if let Some(folder) = &told.folder
            && let Err(error) = std::fs::create_dir_all(folder)
        {
            return Ok(failed(&format!("{}: {error}", show(folder))));
        }
        for (path, files) in &written {
            if let Err(error) = disk::write_output_with(path, files, &policy) {
                return Ok(failed(&format!("{}: {}", show(path), reason(&error))));
            }
        }
        let paths: Vec<&PathBuf> = written.iter().map(|(path, _)| *path).collect();
        self.tell(told, &paths)?;
        Ok(Exit::Fine)
    }

    fn tell(&self, told: &Told, written: &[&PathBuf]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            let losses: Vec<Value> = told
                .losses
                .iter()
                .map(|loss| json!({ "loss": loss.to_string(), "visible": loss.visible }))
                .collect();
            let written: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
            let line = json!({ "written": written, "notes": told.notes, "losses": losses });
            let line = told.more.clone().map_or(line.clone(), |more| batch::joined(line, more));
            return writeln!(out, "{line}");
        }
        for line in &told.lines {
            writeln!(out, "{line}")?;
        }
        for path in written {
            writeln!(out, "wrote {}", show(path))?;
        }
        out.flush()?;
        told.notes.iter().for_each(|line| note(format_args!("{line}")));
        for group in Loss::grouped(&told.losses) {
            note(format_args!("lost: {group}"));
        }
        Ok(())
    }
}

/// Reads `OLD=NEW`.
pub(crate) fn renaming(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok((old.to_owned(), new.to_owned())),
        _ => Err("needs the form OLD=NEW".into()),
    }
}

/// Reads `X,Y,Z`.
pub(crate) fn vector(text: &str) -> Result<[f32; 3], String> {
    let numbers: Option<Vec<f32>> =
        text.split(',').map(|n| n.trim().parse::<f32>().ok().filter(|n| n.is_finite())).collect();
    let three = numbers.and_then(|numbers| <[f32; 3]>::try_from(numbers).ok());
    three.ok_or_else(|| "needs three numbers with commas, such as 0,0,5".into())
}
