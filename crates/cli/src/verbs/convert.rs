//! `galatea convert`: one file, or whole folders on all cores.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use galatea::disk::{self, Job, Supermodels};
use galatea::scene::{Account, Change, Fate};
use galatea::texture::find;
use galatea::textures::Libraries;
use galatea::{
    ConvertError, ConvertOption, ConvertOptions, Converted, ConvertedOnto, Document, FormatId, Loss, Output,
    SceneContext, TargetGame, file_names, fox, kotor, mdlx,
};
use serde_json::{Value, json};

use super::kotor_options::{self, KotorOptions};
use super::names::Dictionaries;
use super::shaders::PresetFiles;
use super::targets::{Walkmeshes, holds_walkmeshes, is_walkmesh, names_a_file, new_name, target, walkmeshes};
use super::texture_options::{TextureSources, Written, supermodels};
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
    /// How weights become the bones of a Warcraft III model without weights (version 800)
    #[arg(long, value_enum)]
    weights: Option<Weights>,
    /// Folder of new textures in the paths of a Warcraft III or Fox Engine model, such as war3mapImported
    #[arg(long, value_name = "FOLDER")]
    texture_folder: Option<String>,
    /// Write OUT_portrait.mdx too: the head of a Warcraft III unit, as the game shows it beside a selected unit
    #[arg(long)]
    portrait: bool,
    #[command(flatten)]
    kotor: KotorOptions,
    /// Preset of Fox Engine materials whose names give none, such as tpp-static; `galatea shaders` lists them
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    #[command(flatten)]
    presets: PresetFiles,
    /// Leave out bones of a Fox Engine model that move nothing
    #[arg(long)]
    drop_unused_bones: bool,
    /// Write only this level of detail into a glTF; 0 is the finest
    #[arg(long, value_name = "N")]
    lod: Option<u32>,
    /// Folder with the supermodels from which KotOR models inherit animations, before those of the game
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
    /// Lay the edited glTF onto this model: whatever glTF or the editing program could not carry comes from it
    #[arg(long, value_name = "ORIGINAL")]
    onto: Option<PathBuf>,
    /// With --onto: print the rule, and every part that was changed, added, deleted or kept by the rule
    #[arg(long, requires = "onto")]
    explain: bool,
    /// Make a new model of a glTF that was made from a game model and has lost its custom properties
    #[arg(long, conflicts_with = "onto")]
    as_new: bool,
    /// Add particles and ribbons to a glTF as animated meshes, for other programs; they are left out when it is read
    #[arg(long)]
    bake_effects: bool,
    /// Fail, and write nothing, if anything visible would be lost
    #[arg(long)]
    strict: bool,
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

#[derive(Clone, Copy, ValueEnum)]
enum Weights {
    /// At most four bones with equal shares, as in the game's own files
    Equal,
    /// Up to eight entries, heavy bones several times: closer, but not tried in the game
    Shares,
}

/// What became of one input.
struct Done {
    output: PathBuf,
    format: Option<FormatId>,
    losses: Vec<Loss>,
    status: Status,
    /// What became of the parts of the original, with `--onto`.
    account: Option<Account>,
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
    presets: fox::Presets,
    models: Supermodels,
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
        let weights = self.weights.map(|weights| match weights {
            Weights::Equal => mdlx::GroupWeights::Equal,
            Weights::Shares => mdlx::GroupWeights::Shares,
        });
        let options = self.textures.options().with_version(self.version).with_weights(weights);
        let options = options.with_drop_unused_bones(self.drop_unused_bones).with_level(self.lod);
        options
            .with_game(game)
            .with_platform(platform)
            .with_as_new(self.as_new)
            .with_bake_effects(self.bake_effects)
    }

    fn work(&self, job: &Job, shared: &Shared<'_>) -> Result<Done, Failure> {
        let output = shared.outputs.get(&job.path).ok_or(Failure::Unknown)?;
        let done =
            |format, losses, status| Done { output: output.clone(), format, losses, status, account: None };
        if self.resume && self.is_there(output) {
            return Ok(done(None, Vec::new(), Status::Skipped));
        }
        let opened = batch::open(job)?;
        let from = opened.document.format();
        let Some(format) = self.to.or_else(|| file_names::format_to_write(output, from)) else {
            return Err(Failure::Other(format!(
                "{}: cannot tell which format to write; name it with --to",
                show(output)
            )));
        };
        let own: Vec<PathBuf> =
            disk::companion_paths(&job.path, from).into_iter().map(|(_, path)| path).collect();
        if !job.named && holds_walkmeshes(from.id) && walkmeshes(format) != Walkmeshes::Convert {
            let status = self.keep_walkmesh(job, format, opened.loaded.bytes, output, shared)?;
            return Ok(done(Some(from.id), Vec::new(), status));
        }
        // A .gltf names its other file after itself, and new KotOR models must have the name of their file; every other form
        // is named as its source is.
        let new = kotor_options::is_new(from.id, format);
        let named = if format == FormatId::Gltf || new { output } else { &job.path };
        let stem = disk::stem(named);
        let options = self.options();
        let authoring = self.kotor.authoring(output, format, new).map_err(Failure::Other)?;
        let find = |name: &str| {
            let found = shared.models.find(&job.path, name);
            found.or_else(|| kotor_options::supermodel_beside(name, [&job.path, output]))
        };
        let inherits = from.game == Some(find::Game::Kotor) && shared.models.serves(&job.path);
        let looked = inherits || self.kotor.needs_supermodel(from.id, format);
        let supermodel = looked.then_some(&find as &galatea::FindModel<'_>);
        let textures = self.sources.textures(job, from, &shared.library);
        let context = SceneContext::new(&stem)
            .with_names(&shared.names)
            .with_supermodel(supermodel)
            .with_textures(textures.as_ref())
            .with_team(self.sources.team_colour)
            .with_texture_folder(self.texture_folder.as_deref())
            .with_presets(&shared.presets)
            .with_preset(self.preset.as_deref())
            .with_authoring(authoring.as_ref())
            .with_walkmesh(self.kotor.with_walkmesh)
            .with_new_textures(self.kotor.texture_format())
            .with_siblings(opened.loaded.input().siblings);
        let (converted, account) = match &self.onto {
            Some(original) => {
                let onto = self.lay_onto(opened.document.as_ref(), original, format, &context, shared)?;
                (onto.converted, Some(onto.account))
            }
            None => {
                let converted = galatea::convert(opened.document.as_ref(), format, &options, &context);
                (converted.map_err(|e| Failure::Other(with_flag(&e)))?, None)
            }
        };
        let Converted { output: mut written, losses, .. } = converted;
        let visible: Vec<Loss> = losses.iter().filter(|loss| loss.visible).cloned().collect();
        if self.strict && !visible.is_empty() {
            let groups: Vec<String> = Loss::grouped(&visible).iter().map(ToString::to_string).collect();
            return Err(Failure::Other(format!("visible losses: {}", groups.join("; "))));
        }
        if self.portrait {
            written.siblings.push(portrait(&written.bytes, format, output)?);
        }
        // An existing texture with the same image is kept: it may be an original.
        let folder = output.parent().unwrap_or(Path::new(""));
        let differs = |(name, bytes): &(String, Vec<u8>)| {
            disk::inside(folder, name).is_none_or(|path| !outputs::same_image(&path, bytes))
        };
        written.siblings.retain(differs);
        let output = &kotor_options::door_file(output, &written);
        self.write(job, output, &written, &own, shared)?;
        let done = done(Some(format), losses, Status::Converted);
        Ok(Done { account, output: output.clone(), ..done })
    }

    /// Copies a walkmesh of a directory whose models are converted, or leaves it where it is.
    fn keep_walkmesh(
        &self,
        job: &Job,
        format: FormatId,
        bytes: Vec<u8>,
        output: &Path,
        shared: &Shared<'_>,
    ) -> Result<Status, Failure> {
        if walkmeshes(format) != Walkmeshes::Copy || !is_walkmesh(&job.path) {
            return Ok(Status::Left);
        }
        self.write(job, output, &Output::single(bytes), &[], shared)?;
        Ok(Status::Copied)
    }

    /// Lays an edited document onto its original.
    fn lay_onto(
        &self,
        edited: &dyn Document,
        original: &Path,
        format: FormatId,
        context: &SceneContext<'_>,
        shared: &Shared<'_>,
    ) -> Result<ConvertedOnto, Failure> {
        let job = Job::new(original.to_path_buf());
        let opened = batch::open(&job).map_err(|e| Failure::Other(format!("{}: {e}", show(original))))?;
        let document = opened.document.as_ref();
        let stem = disk::stem(original);
        let textures = self.sources.textures(&job, document.format(), &shared.library);
        let around = SceneContext::new(&stem)
            .with_names(&shared.names)
            .with_textures(textures.as_ref())
            .with_team(self.sources.team_colour)
            .with_siblings(opened.loaded.input().siblings);
        galatea::convert_onto(edited, document, format, &self.options(), context, &around)
            .map_err(|e| Failure::Other(with_flag(&e)))
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
        let mut out = Vec::new();
        for job in inputs.list_all().into_iter().flatten() {
            let inside = outputs::below(&self.inputs.paths, &job.path);
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
                // Names are given to all inputs, so that two parts never write the same file.
                if inputs.is_in_shard(&job.path) {
                    out.push((job, path));
                }
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
            let job = Job::new(input.clone());
            (Inputs { paths: vec![input.clone()], ..self.inputs.clone() }, vec![(job, output.clone())])
        };
        let of_creature = |output: &PathBuf| -> Result<_, String> {
            let job = self.inputs.creatures().swap_remove(0).map_err(|(_, error)| reason(&error))?;
            Ok((Inputs { paths: Vec::new(), ..self.inputs.clone() }, vec![(job, output.clone())]))
        };
        let one_creature = self.inputs.appearance.len() == 1;
        match (&self.output, self.to, self.inputs.paths.as_slice()) {
            (Some(output), _, []) | (None, _, [output]) if one_creature && names_a_file(output) => {
                of_creature(output)
            }
            (Some(output), _, [input]) if !disk::is_folder(input) && names_a_file(output) => {
                Ok(one(input, output))
            }
            (Some(dir), Some(to), _) => {
                let inputs = self.inputs.only(to.format().category);
                let plan = self.plan(&inputs, dir, to);
                Ok((inputs, plan))
            }
            (Some(_), None, _) => Err("-o is a folder; name the format to write with --to".into()),
            (None, _, [input, output]) if !disk::is_folder(input) => Ok(one(input, output)),
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
        if let Err(error) = self.sources.folders.game.games() {
            return usage(error);
        }
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
        let models = supermodels(self.supermodels.as_deref(), &self.sources.folders.game)?;
        let presets = self.presets.load()?;
        if let Some(name) = &self.preset {
            presets.named(name).map_err(|e| format!("--preset: {e}; `galatea shaders` lists them"))?;
        }
        let outputs: HashMap<PathBuf, PathBuf> =
            plan.into_iter().map(|(job, output)| (job.path, output)).collect();
        Ok(Shared {
            names: self.dictionaries.load().map_err(|error| error.to_string())?,
            presets,
            models,
            library: self.sources.folders.library()?,
            originals: Originals::new(outputs.keys().cloned().collect()),
            outputs,
            claims: Claims::default(),
            inputs,
        })
    }

    /// Prints what became of the parts of the original.
    fn print_account(&self, account: &Account, out: &mut dyn Write) -> io::Result<()> {
        if self.explain {
            writeln!(out, "{}", galatea::scene::RULE)?;
        }
        let told = |change: &&Change| self.explain || change.fate != Fate::Kept;
        let changes: Vec<&Change> = account.changes.iter().filter(told).collect();
        let most = if self.explain { changes.len() } else { FEW };
        for change in changes.iter().take(most) {
            writeln!(out, "{change}")?;
        }
        if changes.len() > most {
            writeln!(out, "and {} more; --explain lists all", changes.len() - most)?;
        }
        writeln!(out, "{account}")
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
        for group in Loss::grouped(&done.losses) {
            writeln!(out, "{path}: lost: {group}")?;
        }
        if let Some(account) = &done.account {
            self.print_account(account, out)?;
        }
        if self.dry_run && done.status != Status::Left {
            writeln!(out, "{path} -> {}", show(&done.output))?;
        }
        Ok(())
    }
}

/// Most changes of an account that are printed without `--explain`.
const FEW: usize = 20;

/// The line of a report.
fn line(path: &str, result: &Result<Done, Failure>) -> Value {
    match result {
        Ok(done) if done.status == Status::Left => {
            json!({ "path": path, "status": "left", "format": done.format() })
        }
        Ok(done) => json!({
            "path": path, "output": show(&done.output), "format": done.format(), "status": done.status.name(),
            "losses": done.losses.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "account": done.account.as_ref().map(account_json),
        }),
        Err(failure) => json!({ "path": path, "status": "failed", "error": batch::error_json(failure) }),
    }
}

/// Returns an account for a report.
fn account_json(account: &Account) -> Value {
    let changes = account.changes.iter().map(|change| {
        json!({
            "part": change.part.name(1), "name": change.name, "fate": change.fate.name(), "what": change.what,
        })
    });
    json!({ "unchanged": account.is_unchanged(), "changes": changes.collect::<Vec<_>>() })
}

/// Returns why a conversion failed, in the words of the command line.
fn with_flag(error: &ConvertError) -> String {
    if let ConvertError::LostExtras = error {
        return format!(
            "{error}. Export it again with Include > Custom Properties ticked, or name the model it came from with \
             --onto ORIGINAL, or make a new model of what is left with --as-new"
        );
    }
    let ConvertError::UnsupportedOption { option, .. } = error else { return error.to_string() };
    match option {
        ConvertOption::Version => "--version is for Warcraft III and WoW alpha models (mdx, mdl)".into(),
        ConvertOption::KotorGame | ConvertOption::FoxGame => {
            "--game is k1 or k2 for KotOR models, gz, tpp or pes for fmdl, and does not apply to other formats"
                .into()
        }
        ConvertOption::Platform => "--platform is for KotOR models".into(),
        ConvertOption::Ftexs => "--ftexs is for ftex".into(),
        ConvertOption::DropUnusedBones => "--drop-unused-bones is for fmdl".into(),
        ConvertOption::Level => "--lod is for glb and gltf".into(),
        ConvertOption::Weights => "--weights is for Warcraft III models (mdx, mdl)".into(),
        ConvertOption::KotorAuthoring => {
            "--class, --supermodel, --animation-scale, --smooth, --surface, --join-edges and --lyt are for new KotOR models and walkmeshes"
                .into()
        }
        ConvertOption::KotorWalkmesh => {
            "--with-walkmesh and --texture-format are for new KotOR models (mdl)".into()
        }
        _ => error.to_string(),
    }
}

/// The portrait of a model that is written to this path, and its name.
fn portrait(model: &[u8], format: FormatId, output: &Path) -> Result<(String, Vec<u8>), Failure> {
    if format != FormatId::Mdx {
        return Err(Failure::Other("--portrait is for Warcraft III models (mdx)".into()));
    }
    let wrong = |e: galatea::Error| Failure::Other(format!("{}: {e}", show(output)));
    let model = mdlx::Model::read(model, &galatea::Limits::default()).map_err(wrong)?;
    let bytes = model.portrait().write().map_err(wrong)?;
    Ok((format!("{}_portrait.mdx", disk::stem(output)), bytes))
}

/// The name and the ending that a file has.
fn own_name(path: &Path) -> (String, String) {
    let stem = disk::stem(path);
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = name.get(stem.len() + 1..).unwrap_or_default().to_owned();
    (stem, ending)
}
