//! `galatea convert`: one file, or whole folders on all cores.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use galatea::disk::{self, Job};
use galatea::textures::Libraries;
use galatea::{ConvertOptions, Converted, Format, SceneContext, TargetGame, fox, kotor};
use serde_json::json;

use super::names::Dictionaries;
use super::pictures::{Dress, Written};
use super::supermodels::Supermodels;
use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::terminal::{complain, show};

#[derive(Args)]
#[command(after_help = "One file: galatea convert model.mdx model.mdl\n\
    Many:     galatea convert models --to glb -o out")]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The format to write, such as glb or mdx; without it the ending of OUT decides
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<&'static str>,
    /// The folder to write into; for one input, a file with the ending of its format will do
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// How files in the folder are named: {dir}, {stem} and {ext} stand for those of the input and the new ending
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
    /// Folder where the supermodels of KotOR models are found, whose animations they inherit
    #[arg(long, value_name = "DIR")]
    supermodels: Option<PathBuf>,
    /// Replace existing files
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Leave out inputs whose output is there already
    #[arg(long)]
    resume: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write one JSON line per input into this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    textures: Written,
    #[command(flatten)]
    dress: Dress,
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

/// What can be written, with its usual ending.
const TARGETS: &[(&str, &str)] = &[
    ("kotor-mdl", "mdl"),
    ("kotor-mdl-ascii", "mdl.ascii"),
    ("kotor-bwm", "wok"),
    ("kotor-bwm-ascii", "wok.ascii"),
    ("mdx", "mdx"),
    ("mdl", "mdl"),
    ("fmdl", "fmdl"),
    ("glb", "glb"),
    ("gltf", "gltf"),
    ("obj", "obj"),
    ("png", "png"),
    ("tga", "tga"),
    ("tpc", "tpc"),
    ("blp", "blp"),
    ("dds", "dds"),
    ("ftex", "ftex"),
];

fn target(text: &str) -> Result<&'static str, String> {
    let known = || TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    TARGETS.iter().map(|(n, _)| *n).find(|n| *n == text).ok_or_else(|| format!("can write {}", known()))
}

/// The endings of walkmeshes: they tell whose one is.
const WALKMESHES: [&str; 3] = ["wok", "pwk", "dwk"];

/// Whether a name is that of a walkmesh as text.
fn walkmesh_of(name: &str) -> bool {
    WALKMESHES.iter().any(|ending| name.ends_with(&format!(".{ending}.ascii")))
}

/// The name and the ending of what becomes of a file.
fn new_name(to: &str, from: &Path) -> (String, String) {
    let name = from.to_string_lossy().to_lowercase();
    let plain = name.strip_suffix(".ascii").unwrap_or(&name);
    let whose = WALKMESHES.into_iter().find(|ending| plain.ends_with(&format!(".{ending}")));
    let (stem, usual) = (disk::stem(from), TARGETS.iter().find(|(n, _)| *n == to).map_or("out", |(_, e)| *e));
    match (to, whose) {
        // The text of a door holds three walkmeshes, of which the first has this number.
        ("kotor-bwm", Some("dwk")) if plain != name && !stem.ends_with(|c: char| c.is_ascii_digit()) => {
            (format!("{stem}0"), "dwk".into())
        }
        ("kotor-bwm", Some(whose)) => (stem, whose.into()),
        ("kotor-bwm-ascii", Some(whose)) => (stem, format!("{whose}.ascii")),
        _ => (stem, usual.into()),
    }
}

/// Whether an output is meant as a file: no folder of that name is there, and it ends as files that are written do.
fn names_a_file(output: &Path) -> bool {
    let ending = output.extension().map(|e| e.to_string_lossy().to_lowercase());
    let known = |e: &str| {
        let of_format = galatea::FORMATS.iter().any(|f| f.extensions.contains(&e));
        of_format || e == "obj" || galatea::TEXTURE_TARGETS.contains(&e)
    };
    !output.is_dir() && ending.is_some_and(|e| known(&e))
}

/// The format that a file name asks for, given what there is.
fn by_ending(path: &Path, from: &Format) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let warcraft = matches!(from.name, "mdx" | "mdl");
    Some(match name.rsplit('.').next()? {
        "ascii" if from.name.starts_with("kotor-bwm") || walkmesh_of(&name) => "kotor-bwm-ascii",
        "ascii" => "kotor-mdl-ascii",
        "mdl" if warcraft => "mdl",
        "mdl" if name.ends_with("-ascii.mdl") || from.name == "kotor-mdl" => "kotor-mdl-ascii",
        "mdl" => "kotor-mdl",
        "mdx" => "mdx",
        "wok" | "pwk" | "dwk" => "kotor-bwm",
        "fmdl" => "fmdl",
        "glb" => "glb",
        "gltf" => "gltf",
        "obj" => "obj",
        ending => return galatea::TEXTURE_TARGETS.into_iter().find(|t| *t == ending),
    })
}

/// What became of one input.
struct Done {
    output: PathBuf,
    format: &'static str,
    losses: Vec<String>,
    skipped: bool,
}

impl Options {
    fn options(&self) -> ConvertOptions {
        ConvertOptions {
            version: self.version,
            game: self.game.map(|game| match game {
                Game::K1 => TargetGame::Kotor(kotor::mdl::Game::K1),
                Game::K2 => TargetGame::Kotor(kotor::mdl::Game::K2),
                Game::Gz => TargetGame::Fox(fox::Game::Gz),
                Game::Tpp => TargetGame::Fox(fox::Game::Tpp),
                Game::Pes => TargetGame::Fox(fox::Game::Pes),
            }),
            platform: self.platform.map(|platform| match platform {
                Platform::Pc => kotor::mdl::Platform::Pc,
                Platform::Xbox => kotor::mdl::Platform::Xbox,
            }),
            ..self.textures.options()
        }
    }

    fn work(
        &self,
        job: &Job,
        output: &Path,
        names: &fox::Dictionary,
        models: Option<&Supermodels>,
        library: &Libraries,
    ) -> Result<Done, Failure> {
        if self.resume && output.exists() {
            return Ok(Done { output: output.into(), format: "", losses: Vec::new(), skipped: true });
        }
        let opened = batch::open(job)?;
        let from = opened.document.format();
        let Some(format) = self.to.or_else(|| by_ending(output, from)) else {
            return Err(Failure::Other(format!("{}: which format? Say it with --to", show(output))));
        };
        // A .gltf names its other file after itself; every other form is named as its source is.
        let named = if format == "gltf" { output } else { &job.path };
        let stem = disk::stem(named);
        let options = self.options();
        let find = |name: &str| models.and_then(|m| m.find(name));
        let supermodel = models.map(|_| &find as &galatea::FindModel<'_>);
        let textures = self.dress.textures(job, from, library);
        let context = SceneContext {
            supermodel,
            textures: textures.as_ref(),
            team: self.dress.team_colour,
            ..SceneContext::new(&stem, names)
        };
        let Converted { output: written, losses } =
            galatea::convert(opened.document.as_ref(), format, &options, &context)
                .map_err(|e| Failure::Other(e.to_string()))?;
        if !self.dry_run {
            disk::write_output(output, &written, self.force)
                .map_err(|e| Failure::Other(format!("{}: {e}", show(output))))?;
        }
        Ok(Done { output: output.into(), format, losses, skipped: false })
    }

    /// Where each input goes below the output folder: as it lies below the folder that was named, with a new ending. Two
    /// inputs that would land on one name get a number.
    fn plan(&self, inputs: &Inputs, dir: &Path, to: &str) -> Vec<(Job, PathBuf)> {
        let mut taken: HashSet<PathBuf> = HashSet::new();
        // The number that the next input of a name gets, so that those before are not tried again.
        let mut next: HashMap<PathBuf, usize> = HashMap::new();
        let roots: Vec<&PathBuf> = self.inputs.paths.iter().filter(|p| p.is_dir()).collect();
        let mut out = Vec::new();
        for job in inputs.list().into_iter().flatten() {
            let root = roots.iter().filter(|p| job.path.starts_with(p)).max();
            let inside = root
                .and_then(|r| job.path.strip_prefix(r).ok())
                .unwrap_or_else(|| Path::new(job.path.file_name().unwrap_or(job.path.as_os_str())));
            let folder = inside.parent().map_or(String::new(), |p| p.to_string_lossy().into_owned());
            let (stem, ending) = new_name(to, inside);
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

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let names = match self.dictionaries.load() {
            Ok(names) => names,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        if !self.name.contains("{stem}") || self.name.split('/').any(|step| step == "..") {
            complain(format_args!("--name must contain {{stem}}, and stay below the folder"));
            return Ok(Exit::Usage);
        }
        let models = match self.supermodels.as_deref().map(Supermodels::new).transpose() {
            Ok(models) => models,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let library = match self.dress.folders.library() {
            Ok(library) => library,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let one = |input: &PathBuf, output: &PathBuf| {
            let job = Job { path: input.clone(), named: true };
            (Inputs { paths: vec![input.clone()], ..self.inputs.clone() }, vec![(job, output.clone())])
        };
        let (inputs, plan) = match (&self.output, self.to, self.inputs.paths.as_slice()) {
            (Some(output), _, [input]) if !input.is_dir() && names_a_file(output) => one(input, output),
            (Some(dir), Some(to), _) => {
                let inputs = self.inputs.only(galatea::holds(to));
                let plan = self.plan(&inputs, dir, to);
                (inputs, plan)
            }
            (Some(_), None, _) => {
                complain(format_args!("-o names a folder: say with --to which format to write there"));
                return Ok(Exit::Usage);
            }
            (None, _, [input, output]) if !input.is_dir() => one(input, output),
            _ => {
                complain(format_args!("say `convert IN OUT`, or `convert PATH... --to FORMAT -o DIR`"));
                return Ok(Exit::Usage);
            }
        };
        let outputs: HashMap<PathBuf, PathBuf> =
            plan.into_iter().map(|(job, output)| (job.path, output)).collect();
        if !self.dry_run {
            for dir in outputs.values().filter_map(|o| o.parent()).collect::<HashSet<_>>() {
                if self.output.is_some() {
                    std::fs::create_dir_all(dir)?;
                }
            }
        }
        let mut report = self.report.as_ref().map(std::fs::File::create).transpose()?;
        let (mut written, mut skipped) = (0usize, 0usize);
        let tally = inputs.run(
            |job| match outputs.get(&job.path) {
                Some(output) => self.work(job, output, &names, models.as_ref(), &library),
                None => Err(Failure::Unknown),
            },
            |path, result, out| {
                let line = match &result {
                    Ok(done) => json!({
                        "path": path, "output": show(&done.output), "format": done.format,
                        "status": if done.skipped { "skipped" } else { "converted" }, "losses": done.losses,
                    }),
                    Err(failure) => {
                        json!({ "path": path, "status": "failed", "error": batch::error_json(failure) })
                    }
                };
                if let Some(file) = &mut report {
                    writeln!(file, "{line}")?;
                }
                if let Ok(done) = &result {
                    written += usize::from(!done.skipped);
                    skipped += usize::from(done.skipped);
                }
                if self.inputs.json {
                    return writeln!(out, "{line}");
                }
                if let Ok(done) = &result {
                    for loss in &done.losses {
                        writeln!(out, "{path}: lost: {loss}")?;
                    }
                    if self.dry_run {
                        writeln!(out, "{path} -> {}", show(&done.output))?;
                    }
                }
                Ok(())
            },
        )?;
        if !self.inputs.json {
            let would = if self.dry_run { "would be " } else { "" };
            let failed = tally.failed;
            let already = if skipped > 0 { format!(", {skipped} there already") } else { String::new() };
            writeln!(io::stdout().lock(), "{written} {would}converted, {failed} failed{already}")?;
        }
        Ok(tally.exit(false))
    }
}
