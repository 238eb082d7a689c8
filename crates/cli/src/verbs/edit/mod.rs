//! `galatea edit`: changes without an editor.

mod operations;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::disk::{self, Job, Loaded};
use galatea::edit::{EditOptions, Edited, FieldValue, Operation, Refusal};
use galatea::{Output, archive, fox};
use serde_json::{Value, json};

use self::operations::Operations;
use super::names::Dictionaries;
use crate::Exit;
use crate::batch::{self, Failure, Inputs, Tally};
use crate::outputs::{self, Originals, Saving};
use crate::terminal::{complain, note, plain, reason, show};

#[derive(Args)]
#[command(after_help = "One file: galatea edit a.mdl -o b.mdl --set 'nodes[torso].mesh.diffuse=1,0.5,0'\n\
    Many:     galatea edit models --in-place --set 'materials[*].layers[*].alpha=1'\n\
    Read:     galatea edit models --get 'sequences[*].name'")]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The output file or, for folders and several inputs, the output folder
    #[arg(short, long, value_name = "OUT", conflicts_with = "in_place")]
    output: Option<PathBuf>,
    /// Replace the files, also in archives that can be written; originals are kept as FILE.bak
    #[arg(long)]
    in_place: bool,
    /// Print what would differ, as `diff` does, without writing anything
    #[arg(long)]
    dry_run: bool,
    /// Also replace existing outputs and read-only files; a replaced input is kept as FILE.bak
    #[arg(long)]
    force: bool,
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
    entries: Option<(PathBuf, Vec<archive::Edit>)>,
}

/// What all workers share.
struct Shared<'a> {
    operations: Vec<Operation>,
    names: fox::Dictionary,
    /// Whether any of them changes anything.
    changes: bool,
    saving: Saving<'a>,
    /// The output, if it is a file.
    file: Option<&'a Path>,
    originals: Originals,
}

impl Options {
    fn work(&self, job: &Job, shared: &Shared<'_>) -> Result<Done, Failure> {
        let loaded = batch::load(job)?;
        let told = self.dry_run || self.inputs.json;
        let options = EditOptions::default().with_differences(told).with_names(Some(&shared.names));
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
        if self.dry_run || !shared.changes {
            return Ok(done);
        }
        if self.in_place {
            if !changed {
                return Ok(done);
            }
            shared.saving.own_place(job).map_err(Failure::Io)?;
            done.entries = disk::entries(&job.path, &output).map_err(Failure::Io)?;
            if done.entries.is_none() {
                shared.saving.save(job, &output, format).map_err(Failure::Io)?;
            }
            return Ok(done);
        }
        match shared.file {
            Some(file) => self.write(file, &output, shared)?,
            None => shared.saving.save(job, &output, format).map_err(Failure::Io)?,
        }
        Ok(done)
    }

    /// Leaves a file as it is.
    fn leave(&self, job: &Job, loaded: Loaded, shared: &Shared<'_>) -> Result<Done, Failure> {
        if self.output.is_some() && !self.dry_run {
            let format = galatea::detect(&loaded.bytes).ok_or(Failure::Unknown)?;
            let mut output = Output::single(loaded.bytes);
            output.companions = loaded.companions;
            shared.saving.save(job, &output, format).map_err(Failure::Io)?;
        }
        let idle = (0..shared.operations.len()).collect();
        Ok(Done { changed: false, differences: Vec::new(), fields: Vec::new(), idle, entries: None })
    }

    fn write(&self, path: &Path, output: &Output, shared: &Shared<'_>) -> Result<(), Failure> {
        let precious = |path: &Path| shared.originals.contains(path);
        let policy = disk::Policy::force(self.force).with_precious(Some(&precious));
        disk::write_output_with(path, output, &policy)
            .map_err(|error| Failure::Other(format!("{}: {}", show(path), reason(&error))))
    }

    /// What is asked for, or why it makes no sense.
    fn prepare(&self) -> Result<Shared<'_>, String> {
        let operations = self.operations.load()?;
        let changes = operations.iter().any(Operation::changes);
        if changes && self.output.is_none() && !self.in_place && !self.dry_run {
            return Err(
                "say where the changed files go: -o OUT, --in-place, or --dry-run to look first".into()
            );
        }
        if !changes && (self.output.is_some() || self.in_place) {
            return Err("nothing is changed, so that there is nothing to write".into());
        }
        let file = match (self.inputs.paths.as_slice(), self.output.as_deref()) {
            ([input], Some(output)) if !disk::is_folder(input) && disk::search_root(input) == *input => {
                let named = output.to_string_lossy();
                (!output.is_dir() && !named.ends_with(['/', std::path::MAIN_SEPARATOR])).then_some(output)
            }
            _ => None,
        };
        if self.output.as_ref().is_some_and(|output| file.is_none() && output.is_file()) {
            return Err("-o names a file; for several inputs a folder is needed".into());
        }
        let folder = self.output.as_deref().filter(|_| file.is_none());
        let saving = Saving { named: &self.inputs.paths, folder, force: self.force };
        let jobs: Vec<Job> = self.inputs.list().into_iter().flatten().collect();
        if changes && !self.dry_run {
            let mut paths: Vec<&Path> = jobs.iter().map(|job| job.path.as_path()).collect();
            paths.sort();
            if let Some(twice) =
                paths.windows(2).find_map(|two| (two.first() == two.last()).then_some(two.first()?))
            {
                return Err(format!("{}: is named twice, and has one output", show(twice)));
            }
            let places = saving.places(jobs.iter().cloned(), "edit")?;
            outputs::recover(&places);
        }
        let originals = Originals::new(jobs.into_iter().map(|job| job.path).collect());
        let names = self.dictionaries.load()?;
        Ok(Shared { operations, names, changes, saving, file, originals })
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
        let mut archives: BTreeMap<PathBuf, (Vec<archive::Edit>, usize)> = BTreeMap::new();
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
                if let Some((archive, edits)) = done.entries {
                    let (all, inputs) = archives.entry(archive).or_default();
                    all.extend(edits);
                    *inputs += 1;
                }
                let json = self.inputs.json;
                if json {
                    Ok(())
                } else {
                    print(path, &done.fields, &done.differences, several, self.dry_run, out)
                }
            },
        )?;
        let done = changed + unchanged;
        let without = idle.iter().zip(&shared.operations).filter(|(count, _)| done > 0 && **count == done);
        without.for_each(|(_, operation)| note(format_args!("{operation}: changes nothing in any input")));
        let failed = self.put_back(archives, &mut tally);
        if shared.changes && !self.inputs.json {
            let would = if self.dry_run { "would be " } else { "" };
            let changed = changed - failed;
            let failed = tally.failed;
            writeln!(
                io::stdout().lock(),
                "{changed} {would}changed, {unchanged} unchanged, {failed} failed"
            )?;
        }
        Ok(tally.exit(false))
    }

    /// Puts changed files back into their archives, each of which is written once. Returns how many inputs failed by that.
    fn put_back(&self, archives: BTreeMap<PathBuf, (Vec<archive::Edit>, usize)>, tally: &mut Tally) -> usize {
        let before = tally.failed;
        for (path, (edits, inputs)) in archives {
            let all = |_: &Path| true;
            let policy = disk::Policy::force(self.force).with_replace(true).with_precious(Some(&all));
            if let Err(error) = disk::edit(&path, &edits, &policy) {
                complain(format_args!("{}: {}", show(&path), reason(&error)));
                tally.failed += inputs;
            }
        }
        tally.failed - before
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
