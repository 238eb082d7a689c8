//! `galatea optimize`: smaller models that look the same.

use std::collections::BTreeMap;
use std::io::{self, Write};

use clap::Args;
use galatea::disk::Job;
use galatea::optimize::{OptimizeError, OptimizeOptions, Optimized, Saved, Step, Tolerance};
use serde_json::{Value, json};

use super::rewrite::{Archives, Entries, Places, Target};
use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::terminal::{complain, plain};

#[derive(Args)]
#[command(after_help = "One file: galatea optimize a.mdx b.mdx\n\
    Many:     galatea optimize models -o smaller\n\
    Look:     galatea optimize models --dry-run --without keys,nodes")]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    target: Target,
    /// How far poses may be from those of the original: a share of the size, then degrees
    #[arg(long, value_name = "SHARE[,DEGREES]", value_parser = tolerance, default_value = "0.001,0.25")]
    tolerance: Tolerance,
    /// Leave out steps, with commas between: vertices, groups, texture-anims, textures, materials, meshes, outside, keys,
    /// constants, nodes, shared, padding
    #[arg(long, value_name = "STEPS", value_delimiter = ',', value_parser = step, conflicts_with = "only")]
    without: Vec<Step>,
    /// Do these steps alone
    #[arg(long, value_name = "STEPS", value_delimiter = ',', value_parser = step)]
    only: Vec<Step>,
    /// Also remove triangles of which two corners are in the same place in every pose
    #[arg(long)]
    degenerate: bool,
}

fn step(name: &str) -> Result<Step, String> {
    Step::parse(name).map_err(|error| error.to_string())
}

fn tolerance(text: &str) -> Result<Tolerance, String> {
    let (position, angle) =
        text.split_once(',').map_or((text, None), |(position, angle)| (position, Some(angle)));
    let number = |text: &str, most: f32| {
        let number = text.trim().parse().ok().filter(|number| (0.0..=most).contains(number));
        number.ok_or_else(|| format!("\"{text}\" is no number from 0 to {most}"))
    };
    let position = number(position, 0.1)?;
    // As the default ones are to each other.
    let usual = position * 250.0;
    Ok(Tolerance { position, angle: angle.map_or(Ok(usual), |angle| number(angle, 45.0))? })
}

/// What became of one input.
struct Done {
    saved: Vec<Saved>,
    before: usize,
    after: usize,
    deviation: Tolerance,
    poses: usize,
    notes: Vec<String>,
    entries: Option<Entries>,
    /// Not a model.
    skipped: bool,
}

/// The sums of a run.
#[derive(Default)]
struct Sums {
    smaller: usize,
    same: usize,
    before: usize,
    after: usize,
    steps: BTreeMap<Step, (usize, i64)>,
}

impl Sums {
    fn add(&mut self, done: &Done) {
        *if done.after < done.before { &mut self.smaller } else { &mut self.same } += 1;
        self.before += done.before;
        self.after += done.after;
        for saved in &done.saved {
            let sum = self.steps.entry(saved.step).or_default();
            sum.0 += saved.count;
            sum.1 += saved.bytes;
        }
    }

    fn print(&self, dry_run: bool, failed: usize, late: usize) -> io::Result<()> {
        let mut out = io::stdout().lock();
        for (step, (count, bytes)) in &self.steps {
            writeln!(out, "{bytes:>12} bytes  {count:>8} {}", step.what())?;
        }
        writeln!(out, "{} -> {} bytes{}", self.before, self.after, share(self.before, self.after))?;
        let would = if dry_run { "would be " } else { "" };
        writeln!(out, "{} {would}smaller, {} unchanged, {failed} failed", self.smaller - late, self.same)
    }
}

impl Options {
    fn options(&self) -> OptimizeOptions {
        let wanted = |step: &Step| match step {
            Step::Triangles => self.degenerate || self.only.contains(step),
            step if self.only.is_empty() => !self.without.contains(step),
            step => self.only.contains(step),
        };
        let steps = Step::ALL.iter().map(|(step, ..)| *step).filter(wanted).collect();
        OptimizeOptions::default().with_tolerance(self.tolerance).with_steps(steps)
    }

    fn work(&self, job: &Job, options: &OptimizeOptions, places: &Places<'_>) -> Result<Done, Failure> {
        let loaded = batch::load(job)?;
        let optimized = match galatea::optimize::optimize(&loaded.input(), options) {
            // Walkmeshes and textures lie beside models everywhere: they stay as they are, unless they were asked for.
            Err(OptimizeError::NotInFormat(_)) if !job.named => {
                places.copy(job, loaded)?;
                return Ok(Done {
                    saved: Vec::new(),
                    before: 0,
                    after: 0,
                    deviation: Tolerance::NONE,
                    poses: 0,
                    notes: Vec::new(),
                    entries: None,
                    skipped: true,
                });
            }
            Err(OptimizeError::Format(error)) => return Err(Failure::Format(error)),
            optimized => optimized.map_err(|error| Failure::Other(error.to_string()))?,
        };
        let entries = places.put(job, &optimized.output, optimized.document.format(), optimized.changed())?;
        let Optimized { saved, before, after, deviation, poses, notes, .. } = optimized;
        Ok(Done { saved, before, after, deviation, poses, notes, entries, skipped: false })
    }

    /// Takes `IN OUT` apart.
    fn named(&self) -> Result<(Inputs, Target), String> {
        let Target { in_place, dry_run, force, .. } = self.target;
        let target = |output| Target { output, in_place, dry_run, force };
        if !self.target.is_missing() {
            return Ok((self.inputs.clone(), target(self.target.output.clone())));
        }
        match self.inputs.paths.as_slice() {
            [input, output] => Ok((self.inputs.of(vec![input.clone()]), target(Some(output.clone())))),
            _ => {
                Err("say where the smaller files go: IN OUT, -o OUT, --in-place, or --dry-run to look first"
                    .into())
            }
        }
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let usage = |error: String| {
            complain(format_args!("{error}"));
            Ok(Exit::Usage)
        };
        let (inputs, target) = match self.named() {
            Ok(named) => named,
            Err(error) => return usage(error),
        };
        let places = match target.places(&inputs, "optimize", true) {
            Ok(places) => places,
            Err(error) => return usage(error),
        };
        let options = self.options();
        let several = inputs.list().len() > 1;
        let mut sums = Sums::default();
        let mut archives = Archives::default();
        let mut tally = inputs.run(
            |job| self.work(job, &options, &places),
            |path, result, out| {
                result.iter().for_each(|done| sums.add(done));
                if inputs.json {
                    writeln!(out, "{}", line(path, &result))?;
                }
                let Ok(done) = result else { return Ok(()) };
                if !inputs.json && !done.skipped {
                    print(path, &done, several, out)?;
                }
                archives.add(done.entries);
                Ok(())
            },
        )?;
        let late = archives.put_back(target.force, &mut tally);
        if !inputs.json && several {
            sums.print(target.dry_run, tally.failed, late)?;
        }
        Ok(tally.exit(false))
    }
}

fn share(before: usize, after: usize) -> String {
    if before == 0 {
        return String::new();
    }
    format!(", {:.1} % saved", 100.0 * (before as f64 - after as f64) / before as f64)
}

fn print(path: &str, done: &Done, several: bool, out: &mut dyn Write) -> io::Result<()> {
    let (before, after) = (done.before, done.after);
    writeln!(out, "{}: {before} -> {after} bytes{}", plain(path), share(before, after))?;
    if !several {
        for saved in &done.saved {
            writeln!(out, "{:>12} bytes  {:>8} {}", saved.bytes, saved.count, saved.step.what())?;
        }
        if done.poses > 0 && after < before {
            let Tolerance { position, angle } = done.deviation;
            writeln!(
                out,
                "{} poses compared: at most {position:.5} of the size and {angle:.3} degrees elsewhere",
                done.poses
            )?;
        }
    }
    for note in &done.notes {
        writeln!(out, "  kept: {}", plain(note))?;
    }
    Ok(())
}

fn line(path: &str, result: &Result<Done, Failure>) -> Value {
    match result {
        Ok(done) => {
            let step = |s: &Saved| json!({ "step": s.step.name(), "count": s.count, "bytes": s.bytes });
            json!({
                "path": path,
                "status": if done.after < done.before { "changed" } else { "unchanged" },
                "before": done.before, "after": done.after,
                "saved": done.saved.iter().map(step).collect::<Vec<_>>(),
                "poses": done.poses,
                "deviation": { "position": done.deviation.position, "angle": done.deviation.angle },
                "notes": done.notes,
            })
        }
        Err(failure) => json!({ "path": path, "status": "failed", "error": batch::error_json(failure) }),
    }
}
