//! `galatea convert`: one file, or whole folders on all cores.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use galatea::disk::{self, Job};
use galatea::textures::Libraries;
use galatea::{
    ConvertError, ConvertOption, ConvertOptions, Converted, FormatId, Loss, Output, SceneContext, TargetGame,
    fox, kotor,
};
use serde_json::{Value, json};

use super::names::Dictionaries;
use super::supermodels::Supermodels;
use super::targets::{
    Walkmeshes, by_ending, holds_walkmeshes, is_walkmesh, names_a_file, new_name, target, walkmeshes,
};
use super::texture_options::{TextureSources, Written};
use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::outputs::{self, Claims, Originals, Report};
use crate::terminal::{complain, reason, show};

#[derive(Args)]
#[command(after_help = "One file: galatea convert model.mdx model.mdl\n\
    Many:     galatea convert models --to glb -o out")]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The format to write, such as glb or mdx [default: by the extension of OUT]
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<FormatId>,
    /// The output folder or, for a single input, the output file
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Template for names of output files: {dir} and {stem} of the input, {ext} of the output
    #[arg(long, value_name = "TEMPLATE", default_value = "{dir}/{stem}.{ext}")]
    name: String,
    /// Version of the Warcraft III or WoW alpha model to write: 800 to 1500
    #[arg(long, value_name = "N")]
    version: Option<u32>,
    /// The game to write a KotOR model (k1, k2) or FMDL (gz, tpp, pes) for
    #[arg(long, value_enum)]
    game: Option<Game>,
    /// The machine to write a KotOR model for
    #[arg(long, value_enum)]
    platform: Option<Platform>,
    /// Folder with the supermodels from which KotOR models inherit animations
    #[arg(long, value_name = "DIR")]
    supermodels: Option<PathBuf>,
    /// Replace existing files; replaced inputs are kept as FILE.bak
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Skip inputs whose output already exists
    #[arg(long)]
    resume: bool,
    /// Print what would be written without writing anything
    #[arg(long)]
    dry_run: bool,
    /// Write one JSON line per input into this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    textures: Written,
    #[command(flatten)]
    sources: TextureSources,
    #[command(flatten)]
    dictionaries: Dictionaries,
}

#[derive(Clone, Copy, ValueEnum)]
enum Game {
    K1,
    K2,
    Gz,
    Tpp,
    Pes,
}

#[derive(Clone, Copy, ValueEnum)]
enum Platform {
    Pc,
    Xbox,
}

/// What became of one input.
struct Done {
    output: PathBuf,
    format: Option<FormatId>,
    losses: Vec<Loss>,
    status: Status,
}

impl Done {
    /// Returns the name of the format; empty if the input was skipped.
    fn format(&self) -> &'static str {
        self.format.map_or("", FormatId::name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Converted,
    /// The output was there.
    Skipped,
    /// It has no counterpart in the target format and was copied.
    Copied,
    /// It has no counterpart in the target format and none of its files has.
    Left,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Converted => "converted",
            Status::Skipped => "skipped",
            Status::Copied => "copied",
            Status::Left => "left",
        }
    }
}

/// How many inputs ended in which way.
#[derive(Default)]
struct Counts([usize; 4]);

impl Counts {
    fn add(&mut self, status: Status) {
        if let Some(count) = self.0.get_mut(status as usize) {
            *count += 1;
        }
    }

    /// One line for people.
    fn line(&self, failed: usize, dry_run: bool) -> String {
        let [converted, skipped, copied, left] = self.0;
        let would = if dry_run { "would be " } else { "" };
        let mut line = format!("{converted} {would}converted, {failed} failed");
        for (count, what) in
            [(skipped, "there already"), (copied, "copied as they are"), (left, "left as they are")]
        {
            if count > 0 {
                line += &format!(", {count} {what}");
            }
        }
        line
    }
}

/// What all workers share.
struct Shared<'a> {
    names: fox::Dictionary,
    models: Option<Supermodels>,
    library: Libraries,
    outputs: HashMap<PathBuf, PathBuf>,
    originals: Originals,
    claims: Claims,
    inputs: &'a Inputs,
}

impl Options {
    fn options(&self) -> ConvertOptions {
        let game = self.game.map(|game| match game {
            Game::K1 => TargetGame::Kotor(kotor::mdl::Game::K1),
            Game::K2 => TargetGame::Kotor(kotor::mdl::Game::K2),
            Game::Gz => TargetGame::Fox(fox::Game::Gz),
            Game::Tpp => TargetGame::Fox(fox::Game::Tpp),
            Game::Pes => TargetGame::Fox(fox::Game::Pes),
        });
        let platform = self.platform.map(|platform| match platform {
            Platform::Pc => kotor::mdl::Platform::Pc,
            Platform::Xbox => kotor::mdl::Platform::Xbox,
        });
        self.textures.options().with_version(self.version).with_game(game).with_platform(platform)
    }

    fn work(&self, job: &Job, shared: &Shared<'_>) -> Result<Done, Failure> {
        let output = shared.outputs.get(&job.path).ok_or(Failure::Unknown)?;
        let done = |format, losses, status| Done { output: output.clone(), format, losses, status };
        if self.resume && self.is_there(output) {
            return Ok(done(None, Vec::new(), Status::Skipped));
        }
        let opened = batch::open(job)?;
        let from = opened.document.format();
        let Some(format) = self.to.or_else(|| by_ending(output, from)) else {
            return Err(Failure::Other(format!(
                "{}: cannot tell which format to write; name it with --to",
                show(output)
            )));
        };
        let own: Vec<PathBuf> =
            disk::companion_paths(&job.path, from).into_iter().map(|(_, path)| path).collect();
        if !job.named && holds_walkmeshes(from.id) && walkmeshes(format) != Walkmeshes::Convert {
            let copied = walkmeshes(format) == Walkmeshes::Copy && is_walkmesh(&job.path);
            if !copied {
                return Ok(done(Some(from.id), Vec::new(), Status::Left));
            }
            let whole = Output::single(opened.loaded.bytes);
            self.write(job, output, &whole, &own, shared)?;
            return Ok(done(Some(from.id), Vec::new(), Status::Copied));
        }
        // A .gltf names its other file after itself; every other form is named as its source is.
        let named = if format == FormatId::Gltf { output } else { &job.path };
        let stem = disk::stem(named);
        let options = self.options();
        let find = |name: &str| shared.models.as_ref().and_then(|m| m.find(name));
        let supermodel = shared.models.as_ref().map(|_| &find as &galatea::FindModel<'_>);
        let textures = self.sources.textures(job, from, &shared.library);
        let context = SceneContext::new(&stem)
            .with_names(&shared.names)
            .with_supermodel(supermodel)
            .with_textures(textures.as_ref())
            .with_team(self.sources.team_colour)
            .with_siblings(opened.loaded.input().siblings);
        let Converted { output: mut written, losses, .. } =
            galatea::convert(opened.document.as_ref(), format, &options, &context)
                .map_err(|e| Failure::Other(with_flag(&e)))?;
        // A texture that shows the same is somebody's original: it stays.
        let folder = output.parent().unwrap_or(Path::new(""));
        let differs = |(name, bytes): &(String, Vec<u8>)| {
            disk::inside(folder, name).is_none_or(|path| !outputs::same_image(&path, bytes))
        };
        written.siblings.retain(differs);
        self.write(job, output, &written, &own, shared)?;
        Ok(done(Some(format), losses, Status::Converted))
    }

    /// Whether an output of an earlier run is complete.
    fn is_there(&self, output: &Path) -> bool {
        let pair = self.to == Some(FormatId::KotorMdl);
        output.exists() && (!pair || output.with_extension("mdx").exists()) && disk::finish(output).is_ok()
    }

    /// Writes an output unless it would replace what another input has become. `own` are the companions of the input.
    fn write(
        &self,
        job: &Job,
        output: &Path,
        written: &Output,
        own: &[PathBuf],
        shared: &Shared<'_>,
    ) -> Result<(), Failure> {
        let wrong = |error: io::Error| Failure::Other(format!("{}: {}", show(output), reason(&error)));
        let files = disk::files(output, written).map_err(wrong)?;
        shared.claims.claim(&job.path, &files).map_err(Failure::Other)?;
        if self.dry_run {
            return Ok(());
        }
        let precious = |path: &Path| {
            let mut own = own.iter().filter_map(|p| p.canonicalize().ok());
            shared.originals.contains(path) || own.any(|own| own == path)
        };
        let policy = disk::Policy::force(self.force).with_same(self.resume).with_precious(Some(&precious));
        disk::write_output_with(output, written, &policy).map_err(wrong)
    }

    /// Where each input goes below the output folder: as it lies below the folder that was named, with a new ending. Two
    /// inputs that would land on one name get a number.
    fn plan(&self, inputs: &Inputs, dir: &Path, to: FormatId) -> Vec<(Job, PathBuf)> {
        let mut taken: HashSet<PathBuf> = HashSet::new();
        // The number that the next input of a name gets, so that those before are not tried again.
        let mut next: HashMap<PathBuf, usize> = HashMap::new();
        let roots: Vec<PathBuf> = self.inputs.paths.iter().filter(|p| p.is_dir()).cloned().collect();
        let mut out = Vec::new();
        for job in inputs.list().into_iter().flatten() {
            let inside = outputs::below(&roots, &job.path);
            let folder = inside.parent().map_or(String::new(), |p| p.to_string_lossy().into_owned());
            let as_it_is = !job.named && is_walkmesh(inside) && walkmeshes(to) != Walkmeshes::Convert;
            let (stem, ending) = if as_it_is { own_name(inside) } else { new_name(to, inside) };
            let name = |n: usize| {
                let stem = if n == 0 { stem.clone() } else { format!("{stem}~{n}") };
                let name = self.name.replace("{dir}", &folder);
                let name = name.replace("{stem}", &stem).replace("{ext}", &ending);
                dir.join(name.trim_start_matches('/'))
            };
            let first = next.entry(name(0)).or_default();
            if let Some((n, path)) = (*first..).map(|n| (n, name(n))).find(|(_, p)| !taken.contains(p)) {
                *first = n + 1;
                taken.insert(path.clone());
                out.push((job, path));
            }
        }
        out
    }

    /// What all workers need, and what was asked for, or why it makes no sense.
    fn prepare(&self) -> Result<(Inputs, Vec<(Job, PathBuf)>), String> {
        if !self.name.contains("{stem}") || self.name.split('/').any(|step| step == "..") {
            return Err("--name must contain {stem}, and stay below the folder".into());
        }
        let one = |input: &PathBuf, output: &PathBuf| {
            let job = Job { path: input.clone(), named: true };
            (Inputs { paths: vec![input.clone()], ..self.inputs.clone() }, vec![(job, output.clone())])
        };
        match (&self.output, self.to, self.inputs.paths.as_slice()) {
            (Some(output), _, [input]) if !input.is_dir() && names_a_file(output) => Ok(one(input, output)),
            (Some(dir), Some(to), _) => {
                let inputs = self.inputs.only(to.format().category);
                let plan = self.plan(&inputs, dir, to);
                Ok((inputs, plan))
            }
            (Some(_), None, _) => Err("-o is a folder; name the format to write with --to".into()),
            (None, _, [input, output]) if !input.is_dir() => Ok(one(input, output)),
            _ => Err("use `convert IN OUT` or `convert PATH... --to FORMAT -o DIR`".into()),
        }
    }

    fn report(&self, shared: &Shared<'_>) -> Result<Option<Report>, String> {
        let Some(path) = &self.report else { return Ok(None) };
        let used = shared.outputs.iter().flat_map(|(input, output)| [input.as_path(), output.as_path()]);
        Report::new(path, self.force, used).map(Some)
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let usage = |error: String| {
            complain(format_args!("{error}"));
            Ok(Exit::Usage)
        };
        let (inputs, plan) = match self.prepare() {
            Ok(prepared) => prepared,
            Err(error) => return usage(error),
        };
        let shared = self.shared(&inputs, plan);
        let (shared, mut report) = match shared.and_then(|s| Ok((self.report(&s)?, s))) {
            Ok((report, shared)) => (shared, report),
            Err(error) => return usage(error),
        };
        let outputs: Vec<PathBuf> = shared.outputs.values().cloned().collect();
        if !self.dry_run {
            for dir in outputs.iter().filter_map(|o| o.parent()).collect::<HashSet<_>>() {
                if self.output.is_some() {
                    std::fs::create_dir_all(dir)?;
                }
            }
            outputs::recover(&outputs);
        }
        let mut counts = Counts::default();
        let tally = shared.inputs.run(
            |job| self.work(job, &shared),
            |path, result, out| {
                let line = line(path, &result);
                if let Some(report) = &mut report {
                    report.line(&line);
                }
                if let Ok(done) = &result {
                    counts.add(done.status);
                }
                self.print(path, &result, &line, out)
            },
        );
        if !self.dry_run {
            // Once per directory, rather than for each new file. What cannot be synced is complete nevertheless.
            let dirs: HashSet<_> = outputs.iter().filter_map(|o| o.parent()).collect();
            dirs.into_iter().for_each(|dir| drop(disk::sync(&dir.join("output"))));
        }
        // Of a run that was stopped, too.
        if let Some(report) = &report {
            report.write()?;
        }
        let tally = tally?;
        if !self.inputs.json {
            writeln!(io::stdout().lock(), "{}", counts.line(tally.failed, self.dry_run))?;
        }
        Ok(tally.exit(false))
    }

    fn shared<'a>(&self, inputs: &'a Inputs, plan: Vec<(Job, PathBuf)>) -> Result<Shared<'a>, String> {
        let models = self.supermodels.as_deref().map(Supermodels::new).transpose();
        let outputs: HashMap<PathBuf, PathBuf> =
            plan.into_iter().map(|(job, output)| (job.path, output)).collect();
        Ok(Shared {
            names: self.dictionaries.load().map_err(|error| error.to_string())?,
            models: models.map_err(|error| error.to_string())?,
            library: self.sources.folders.library()?,
            originals: Originals::new(outputs.keys().cloned().collect()),
            outputs,
            claims: Claims::default(),
            inputs,
        })
    }

    fn print(
        &self,
        path: &str,
        result: &Result<Done, Failure>,
        line: &Value,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.inputs.json {
            return writeln!(out, "{line}");
        }
        let Ok(done) = result else { return Ok(()) };
        for loss in &done.losses {
            writeln!(out, "{path}: lost: {loss}")?;
        }
        if self.dry_run && done.status != Status::Left {
            writeln!(out, "{path} -> {}", show(&done.output))?;
        }
        Ok(())
    }
}

/// The line of a report.
fn line(path: &str, result: &Result<Done, Failure>) -> Value {
    match result {
        Ok(done) if done.status == Status::Left => {
            json!({ "path": path, "status": "left", "format": done.format() })
        }
        Ok(done) => json!({
            "path": path, "output": show(&done.output), "format": done.format(), "status": done.status.name(),
            "losses": done.losses.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }),
        Err(failure) => json!({ "path": path, "status": "failed", "error": batch::error_json(failure) }),
    }
}

/// Returns why a conversion failed, in the words of the command line.
fn with_flag(error: &ConvertError) -> String {
    let ConvertError::UnsupportedOption { option, .. } = error else { return error.to_string() };
    match option {
        ConvertOption::Version => "--version is for Warcraft III and WoW alpha models (mdx, mdl)".into(),
        ConvertOption::KotorGame | ConvertOption::FoxGame => {
            "--game is k1 or k2 for KotOR models, gz, tpp or pes for fmdl, and does not apply to other formats"
                .into()
        }
        ConvertOption::Platform => "--platform is for KotOR models".into(),
        ConvertOption::Ftexs => "--ftexs is for ftex".into(),
        _ => error.to_string(),
    }
}

/// The name and the ending that a file has.
fn own_name(path: &Path) -> (String, String) {
    let stem = disk::stem(path);
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = name.get(stem.len() + 1..).unwrap_or_default().to_owned();
    (stem, ending)
}
