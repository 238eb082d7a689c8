//! Where verbs that change files put them: into files or folders of their own, in place, or back into archives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::disk::{self, Job, Loaded};
use galatea::{Format, Output, archive};

use crate::batch::{Failure, Inputs, Tally};
use crate::outputs::{self, Originals, Saving};
use crate::terminal::{complain, reason, show};

/// What is to be put into an archive when all inputs are done.
pub(super) type Entries = (PathBuf, Vec<archive::Edit>);

#[derive(Args)]
pub(super) struct Target {
    /// The output file or, for folders and several inputs, the output folder
    #[arg(short, long, value_name = "OUT", conflicts_with = "in_place")]
    pub(super) output: Option<PathBuf>,
    /// Replace the files, also in archives that can be written; originals are kept as FILE.bak
    #[arg(long)]
    pub(super) in_place: bool,
    /// Print what would change without writing anything
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Also replace existing outputs and read-only files; a replaced input is kept as FILE.bak
    #[arg(long)]
    pub(super) force: bool,
}

impl Target {
    /// Returns `true` if nothing says where changed files go.
    pub(super) fn is_missing(&self) -> bool {
        self.output.is_none() && !self.in_place && !self.dry_run
    }

    /// Returns `true` if files are to be written somewhere.
    pub(super) fn writes(&self) -> bool {
        self.output.is_some() || self.in_place
    }

    /// Returns where the inputs go, or why that makes no sense. `verb` is what is done to them.
    pub(super) fn places<'a>(
        &'a self,
        inputs: &'a Inputs,
        verb: &str,
        changes: bool,
    ) -> Result<Places<'a>, String> {
        let file = match (inputs.paths.as_slice(), self.output.as_deref()) {
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
        let saving = Saving { named: &inputs.paths, folder, force: self.force };
        let jobs: Vec<Job> = inputs.list().into_iter().flatten().collect();
        if changes && !self.dry_run {
            let mut paths: Vec<&Path> = jobs.iter().map(|job| job.path.as_path()).collect();
            paths.sort();
            if let Some(twice) =
                paths.windows(2).find_map(|two| (two.first() == two.last()).then_some(two.first()?))
            {
                return Err(format!("{}: is named twice, and has one output", show(twice)));
            }
            let places = saving.places(jobs.iter().cloned(), verb)?;
            outputs::recover(&places);
        }
        let originals = Originals::new(jobs.into_iter().map(|job| job.path).collect());
        Ok(Places { target: self, saving, file, originals })
    }
}

/// Where the inputs of a run go.
pub(super) struct Places<'a> {
    target: &'a Target,
    saving: Saving<'a>,
    /// The output, if it is a file.
    file: Option<&'a Path>,
    originals: Originals,
}

impl Places<'_> {
    /// Puts an input where it goes. Returns what is to be put into an archive later.
    pub(super) fn put(
        &self,
        job: &Job,
        output: &Output,
        format: &Format,
        changed: bool,
    ) -> Result<Option<Entries>, Failure> {
        if self.target.dry_run {
            return Ok(None);
        }
        if self.target.in_place {
            if !changed {
                return Ok(None);
            }
            self.saving.own_place(job).map_err(Failure::Io)?;
            let entries = disk::entries(&job.path, output).map_err(Failure::Io)?;
            if entries.is_none() {
                self.saving.save(job, output, format).map_err(Failure::Io)?;
            }
            return Ok(entries);
        }
        match self.file {
            Some(file) => self.write(file, output)?,
            None => self.saving.save(job, output, format).map_err(Failure::Io)?,
        }
        Ok(None)
    }

    /// Copies an input that nothing is done to into the folder, if there is one.
    pub(super) fn copy(&self, job: &Job, loaded: Loaded) -> Result<(), Failure> {
        if self.target.output.is_none() || self.target.dry_run {
            return Ok(());
        }
        let format = galatea::detect(&loaded.bytes).ok_or(Failure::Unknown)?;
        let mut output = Output::single(loaded.bytes);
        output.companions = loaded.companions;
        self.saving.save(job, &output, format).map_err(Failure::Io)
    }

    fn write(&self, path: &Path, output: &Output) -> Result<(), Failure> {
        let precious = |path: &Path| self.originals.contains(path);
        let policy = disk::Policy::force(self.target.force).with_precious(Some(&precious));
        disk::write_output_with(path, output, &policy)
            .map_err(|error| Failure::Other(format!("{}: {}", show(path), reason(&error))))
    }
}

/// What is to be put back into archives, each of which is written once.
#[derive(Default)]
pub(super) struct Archives(BTreeMap<PathBuf, (Vec<archive::Edit>, usize)>);

impl Archives {
    pub(super) fn add(&mut self, entries: Option<Entries>) {
        let Some((archive, edits)) = entries else { return };
        let (all, inputs) = self.0.entry(archive).or_default();
        all.extend(edits);
        *inputs += 1;
    }

    /// Writes the archives. Returns how many inputs failed by that.
    pub(super) fn put_back(self, force: bool, tally: &mut Tally) -> usize {
        let before = tally.failed;
        for (path, (edits, inputs)) in self.0 {
            let all = |_: &Path| true;
            let policy = disk::Policy::force(force).with_replace(true).with_precious(Some(&all));
            if let Err(error) = disk::edit(&path, &edits, &policy) {
                complain(format_args!("{}: {}", show(&path), reason(&error)));
                tally.failed += inputs;
            }
        }
        tally.failed - before
    }
}
