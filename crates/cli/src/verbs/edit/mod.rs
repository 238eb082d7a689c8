//! `galatea edit`: changes without an editor.

mod operations;

use std::io::{self, Write};

use clap::Args;
use galatea::disk::{Job, Loaded};
use galatea::edit::{EditOptions, Edited, FieldValue, Operation, Refusal};
use galatea::fox;
use serde_json::{Value, json};

use self::operations::Operations;
use super::names::Dictionaries;
use super::rewrite::{Archives, Entries, Places, Target};
use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::terminal::{complain, note, plain};

#[derive(Args)]
#[command(after_help = "One file: galatea edit a.mdl -o b.mdl --set 'nodes[torso].mesh.diffuse=1,0.5,0'\n\
    Many:     galatea edit models --in-place --set 'materials[*].layers[*].alpha=1'\n\
    Read:     galatea edit models --get 'sequences[*].name'")]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    target: Target,
    /// Also do what loses something that the format cannot hold
    #[arg(long)]
    lossy: bool,
    #[command(flatten)]
    dictionaries: Dictionaries,
    #[command(flatten)]
    operations: Operations,
}

/// What became of one input.
struct Done {
    changed: bool,
    differences: Vec<String>,
    fields: Vec<FieldValue>,
    /// Operations that found nothing to change.
    idle: Vec<usize>,
    /// What is to be put into an archive when all inputs are done.
    entries: Option<Entries>,
}

/// What all workers share.
struct Shared<'a> {
    operations: Vec<Operation>,
    names: fox::Dictionary,
    /// Whether any of them changes anything.
    changes: bool,
    places: Places<'a>,
}

impl Options {
    fn work(&self, job: &Job, shared: &Shared<'_>) -> Result<Done, Failure> {
        let loaded = batch::load(job)?;
        let told = self.target.dry_run || self.inputs.json;
        let options = EditOptions::default().with_differences(told).with_lossy(self.lossy);
        let options = options.with_names(Some(&shared.names));
        let edited = match galatea::edit::edit(&loaded.input(), &shared.operations, &options) {
            // Walkmeshes and textures lie beside models everywhere: they stay as they are, unless they were asked for.
            Err(error) if !job.named && matches!(*error.refusal, Refusal::NotInFormat { .. }) => {
                return self.leave(job, loaded, shared);
            }
            edited => edited.map_err(|error| Failure::Other(error.to_string()))?,
        };
        let Edited { output, document, differences, changed, fields, idle, .. } = edited;
        let format = document.format();
        let mut done = Done { changed, differences, fields, idle, entries: None };
        if shared.changes {
            done.entries = shared.places.put(job, &output, format, changed)?;
        }
        Ok(done)
    }

    /// Leaves a file as it is.
    fn leave(&self, job: &Job, loaded: Loaded, shared: &Shared<'_>) -> Result<Done, Failure> {
        shared.places.copy(job, loaded)?;
        let idle = (0..shared.operations.len()).collect();
        Ok(Done { changed: false, differences: Vec::new(), fields: Vec::new(), idle, entries: None })
    }

    /// What is asked for, or why it makes no sense.
    fn prepare(&self) -> Result<Shared<'_>, String> {
        let operations = self.operations.load()?;
        let changes = operations.iter().any(Operation::changes);
        if changes && self.target.is_missing() {
            return Err(
                "say where the changed files go: -o OUT, --in-place, or --dry-run to look first".into()
            );
        }
        if !changes && self.target.writes() {
            return Err("nothing is changed, so that there is nothing to write".into());
        }
        let places = self.target.places(&self.inputs, "edit", changes)?;
        let names = self.dictionaries.load()?;
        Ok(Shared { operations, names, changes, places })
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let shared = match self.prepare() {
            Ok(shared) => shared,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let several = self.inputs.list().len() > 1;
        let (mut changed, mut unchanged) = (0usize, 0usize);
        // How many inputs each operation found nothing to change in.
        let mut idle = vec![0usize; shared.operations.len()];
        let mut archives = Archives::default();
        let mut tally = self.inputs.run(
            |job| self.work(job, &shared),
            |path, result, out| {
                if let Ok(done) = &result {
                    *if done.changed { &mut changed } else { &mut unchanged } += 1;
                    for number in &done.idle {
                        idle.get_mut(*number).into_iter().for_each(|count| *count += 1);
                    }
                }
                if self.inputs.json {
                    writeln!(out, "{}", line(path, &result))?;
                }
                let Ok(done) = result else { return Ok(()) };
                archives.add(done.entries);
                let json = self.inputs.json;
                if json {
                    Ok(())
                } else {
                    print(path, &done.fields, &done.differences, several, self.target.dry_run, out)
                }
            },
        )?;
        let done = changed + unchanged;
        let without = idle.iter().zip(&shared.operations).filter(|(count, _)| done > 0 && **count == done);
        without.for_each(|(_, operation)| note(format_args!("{operation}: changes nothing in any input")));
        let failed = archives.put_back(self.target.force, &mut tally);
        if shared.changes && !self.inputs.json {
            let would = if self.target.dry_run { "would be " } else { "" };
            let changed = changed - failed;
            let failed = tally.failed;
            writeln!(
                io::stdout().lock(),
                "{changed} {would}changed, {unchanged} unchanged, {failed} failed"
            )?;
        }
        Ok(tally.exit(false))
    }
}

fn print(
    path: &str,
    fields: &[FieldValue],
    differences: &[String],
    several: bool,
    dry_run: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let start = if several { format!("{path}: ") } else { String::new() };
    for field in fields {
        writeln!(out, "{start}{} = {}", plain(&field.path), field.value)?;
    }
    for line in differences.iter().filter(|_| dry_run) {
        writeln!(out, "{start}{line}")?;
    }
    Ok(())
}

fn line(path: &str, result: &Result<Done, Failure>) -> Value {
    match result {
        Ok(done) => {
            let field = |f: &FieldValue| json!({ "path": f.path, "type": f.ty, "value": f.value });
            json!({
                "path": path, "status": if done.changed { "changed" } else { "unchanged" },
                "differences": done.differences, "fields": done.fields.iter().map(field).collect::<Vec<_>>(),
            })
        }
        Err(failure) => json!({ "path": path, "status": "failed", "error": batch::error_json(failure) }),
    }
}
