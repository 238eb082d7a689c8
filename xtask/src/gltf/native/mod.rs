//! Models through Blender and back into their own format, judged against the source in that format's words.

mod arrived;
mod stand_in;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use galatea::disk::{self, Job};
use galatea::textures::{Libraries, Textures};
use galatea::wire::{Limits, checksum};
use galatea::{
    Category, Comparison, ConvertError, ConvertOptions, Document, FormatId, Input, Output, SceneContext,
    Severity,
};
use serde_json::{Value, json};

use super::blender;
use crate::{Outcome, root, target};

/// The options of Blender's export dialog.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Ticks {
    /// As docs/gltf.md asks for
    Documented,
    /// As Blender presets them
    Default,
}

/// How models are sent through Blender.
pub(super) struct Trip<'a> {
    pub(super) folder: &'a Path,
    pub(super) ticks: Ticks,
    /// Whether what comes back is laid onto the source.
    pub(super) onto: bool,
    pub(super) limit: usize,
    /// How many models to leave out before them.
    pub(super) skip: usize,
    /// Whether the models are edited in Blender; then what comes back is compared with what an ideal editor makes.
    pub(super) edit: bool,
    /// Keep everything in this folder.
    pub(super) keep: Option<&'a Path>,
    /// Judge what was kept there, without Blender.
    pub(super) again: bool,
}

/// A model, and where its forms are.
struct Model {
    number: usize,
    job: Job,
    format: FormatId,
    sent: PathBuf,
    back: PathBuf,
    /// What should come back, if the model is edited.
    ideal: PathBuf,
    /// What Blender made of it.
    told: PathBuf,
    /// How what came back differs.
    differences: PathBuf,
}

/// What Blender made of a model: the edits, or an error.
type Told = Result<Vec<Value>, String>;

/// What became of a model.
enum Fate {
    Same,
    Refused,
    Wrong(String),
}

/// How far numbers may be from the source's: what Blender rounds.
const TOLERANCE: f32 = 2e-4;

/// How far places may be, as a part of the largest coordinate: Blender computes them with numbers of 24 bits.
const PLACES: f32 = 5e-6;

/// Models per process: Blender keeps some memory of each.
const BATCH: usize = 40;

impl Trip<'_> {
    pub(super) fn run(&self) -> Outcome {
        let home = self.keep.map_or_else(|| target().join("blender"), Path::to_path_buf);
        fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
        let jobs = self.jobs();
        let folder = home.join("textures");
        stand_in::write(&jobs, &folder)?;
        let (bare, full) = (Libraries::new(&[]).0, Libraries::new(&[folder]).0);
        // Every second model goes without the textures that are not at hand, unless pictures are to be swapped.
        let libraries = |number: usize| if self.edit || number.is_multiple_of(2) { &full } else { &bare };
        let mut models = Vec::new();
        // The numbers stay the same whatever the limit is, so that a part can be judged again.
        for (number, job) in jobs.into_iter().enumerate() {
            match self.send(&job, &home, number, libraries(number)) {
                Ok(model) => models.push(model),
                Err(error) => println!("{}: not sent: {error}", job.path.display()),
            }
        }
        if !self.again {
            self.through(&models, &home)?;
        }
        let (mut same, mut refused) = (0usize, 0usize);
        let mut edits: BTreeMap<String, usize> = BTreeMap::new();
        let mut causes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for model in &models {
            let told = told(model);
            for edit in told.iter().flatten().filter_map(|edit| edit.get("edit")?.as_str()) {
                *edits.entry(edit.to_owned()).or_default() += 1;
            }
            let fate = match told {
                Err(error) => Fate::Wrong(format!("Blender: {error}")),
                Ok(edits) => self.judge(model, &edits, libraries(model.number)).unwrap_or_else(Fate::Wrong),
            };
            match fate {
                Fate::Same => same += 1,
                Fate::Refused => refused += 1,
                Fate::Wrong(why) => {
                    println!("{}: {why}", model.job.path.display());
                    let name = model.job.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    causes.entry(format!("{} {}", model.format, cause(&why))).or_default().push(name);
                }
            }
        }
        let mut list: Vec<_> = causes.iter().collect();
        list.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
        for (cause, names) in &list {
            println!("{:4}  {cause}  (such as {})", names.len(), names.first().map_or("", String::as_str));
        }
        if self.edit {
            println!("edits made: {edits:?}");
        }
        println!("{} models, {same} as they should be, {refused} refused", models.len());
        let wanted = if self.ticks == Ticks::Default && !self.onto { refused } else { same };
        if wanted == models.len() && !models.is_empty() { Ok(()) } else { Err("not all came back".into()) }
    }

    /// Returns the models of the folder, a sample of them that is the same every time.
    fn jobs(&self) -> Vec<Job> {
        let wanted = |format: &galatea::Format| {
            format.category == Category::Model && format.game.is_some() || format.id == FormatId::KotorBwm
        };
        let mut jobs: Vec<Job> =
            disk::jobs(&[self.folder.to_path_buf()], &wanted).into_iter().flatten().collect();
        let native = |job: &Job| {
            let ending = job.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            matches!(ending.as_str(), "mdl" | "mdx" | "wok" | "pwk" | "dwk" | "fmdl")
        };
        jobs.retain(native);
        jobs.sort_by_key(|job| {
            checksum(job.path.strip_prefix(self.folder).unwrap_or(&job.path).as_os_str().as_encoded_bytes())
        });
        jobs.drain(..self.skip.min(jobs.len()));
        jobs.truncate(self.limit);
        jobs
    }

    fn send(&self, job: &Job, home: &Path, number: usize, libraries: &Libraries) -> Result<Model, String> {
        let (document, _loaded) = open(job)?;
        let format = document.format();
        let place = |what: &str| home.join(format!("{number}.{what}"));
        let model = Model {
            number,
            job: job.clone(),
            format: format.id,
            sent: place("sent.glb"),
            back: place("back.glb"),
            ideal: place("ideal.glb"),
            told: place("told.txt"),
            differences: place("differences.txt"),
        };
        if self.again {
            return Ok(model);
        }
        let textures = textures(job, document.as_ref(), libraries);
        let stem = disk::stem(&job.path);
        let context = SceneContext::new(&stem).with_textures(textures.as_ref());
        let glb = galatea::convert(document.as_ref(), FormatId::Glb, &ConvertOptions::default(), &context);
        fs::write(&model.sent, glb.map_err(|e| e.to_string())?.output.bytes).map_err(|e| e.to_string())?;
        Ok(model)
    }

    /// Sends all models through Blender, and writes down what became of each.
    fn through(&self, models: &[Model], home: &Path) -> Outcome {
        let python = blender()?;
        let mut left = models;
        while !left.is_empty() {
            let batch = left.get(..BATCH).unwrap_or(left);
            let (jobs, results) = (home.join("jobs.jsonl"), home.join("results.txt"));
            let mut lines = String::new();
            for model in batch {
                let ticks = if self.ticks == Ticks::Documented { "documented" } else { "default" };
                let mut line = json!({ "input": model.sent, "output": model.back, "ticks": ticks });
                if let (true, Some(map)) = (self.edit, line.as_object_mut()) {
                    map.insert("ideal".into(), json!(model.ideal));
                }
                let _ = fs::remove_file(&model.back);
                let _ = writeln!(lines, "{line}");
            }
            fs::write(&jobs, lines).map_err(|e| e.to_string())?;
            fs::write(&results, "").map_err(|e| e.to_string())?;
            let log = fs::File::create(home.join("log.txt")).map_err(|e| e.to_string())?;
            let mut script = Command::new(&python);
            script.arg(root().join("xtask/gltf/through.py")).arg(&jobs).arg(&results);
            script.stderr(log.try_clone().map_err(|e| e.to_string())?).stdout(log);
            script.status().map_err(|e| format!("Blender could not be started: {e}"))?;
            let told = fs::read_to_string(&results).map_err(|e| e.to_string())?;
            let words = told.lines().map(|line| line.split_once('\t').map_or(line, |(_, word)| word));
            // The one at which the process ended has crashed.
            let mut done = 0;
            for (model, word) in batch.iter().zip(words.chain(["the process ended"])) {
                fs::write(&model.told, word).map_err(|e| e.to_string())?;
                done += 1;
            }
            left = left.get(done..).unwrap_or_default();
        }
        Ok(())
    }

    fn judge(&self, model: &Model, edits: &[Value], libraries: &Libraries) -> Result<Fate, String> {
        let (source, _loaded) = open(&model.job)?;
        let Some(output) = self.convert(model, &model.back, source.as_ref(), libraries)? else {
            return Ok(Fate::Refused);
        };
        let back = reopen(&output)?;
        let mut lines = Vec::new();
        if edits.iter().any(|e| e.get("edit").is_some_and(|name| name == "swap_picture")) {
            let picture = |file: &str| file.to_ascii_lowercase().contains("swapped");
            if !output.siblings.iter().any(|(name, _)| picture(name)) {
                lines.push("edit: the new picture was not written".to_owned());
            }
        }
        lines.extend(arrived::missing(source.as_ref(), back.as_ref(), edits));
        if self.edit {
            let wanted = self.convert(model, &model.ideal, source.as_ref(), libraries)?;
            let wanted = reopen(&wanted.ok_or("the ideal edit was refused")?)?;
            if differences(source.as_ref(), wanted.as_ref())?.is_empty() {
                return Err("the edits change nothing".into());
            }
            lines.extend(differences(wanted.as_ref(), back.as_ref())?);
        } else {
            lines.extend(differences(source.as_ref(), back.as_ref())?);
        }
        lines.extend(new_errors(source.as_ref(), back.as_ref()));
        if self.keep.is_some() {
            fs::write(&model.differences, lines.join("\n")).map_err(|e| e.to_string())?;
        }
        Ok(lines.into_iter().next().map_or(Fate::Same, Fate::Wrong))
    }

    /// Converts a GLB back into the format of the source; `None` if that is refused.
    fn convert(
        &self,
        model: &Model,
        glb: &Path,
        source: &dyn Document,
        libraries: &Libraries,
    ) -> Result<Option<Output>, String> {
        let textures = textures(&model.job, source, libraries);
        let stem = disk::stem(&model.job.path);
        let context = SceneContext::new(&stem);
        let around = context.with_textures(textures.as_ref());
        let bytes = fs::read(glb).map_err(|e| e.to_string())?;
        let name = format!("{stem}.glb");
        let edited = galatea::open(&Input::new(&bytes).with_name(&name), &Limits::default());
        let edited = edited.map_err(|e| e.to_string())?;
        let options = ConvertOptions::default();
        let output = if self.onto {
            let onto =
                galatea::convert_onto(edited.as_ref(), source, model.format, &options, &context, &around);
            onto.map(|onto| onto.converted.output)
        } else {
            galatea::convert(edited.as_ref(), model.format, &options, &context).map(|c| c.output)
        };
        match output {
            Err(ConvertError::LostExtras) => Ok(None),
            other => other.map(Some).map_err(|e| e.to_string()),
        }
    }
}

/// Returns what Blender made of a model.
fn told(model: &Model) -> Told {
    let word = fs::read_to_string(&model.told).map_err(|_| "not run".to_owned())?;
    let Some(edits) = word.strip_prefix("ok") else { return Err(word) };
    if edits.is_empty() { Ok(Vec::new()) } else { serde_json::from_str(edits).map_err(|e| e.to_string()) }
}

fn differences(a: &dyn Document, b: &dyn Document) -> Result<Vec<String>, String> {
    let compare = |tolerance: f32| {
        let how = Comparison::default().with_tolerance(tolerance).with_unordered(true).with_limit(usize::MAX);
        galatea::compare(a, b, &how).ok_or_else(|| "another format came back".to_owned())
    };
    let mut lines = compare(TOLERANCE)?;
    let far = reach(a) * PLACES;
    if far > TOLERANCE && lines.iter().any(|line| track(line).is_some()) {
        let coarse = compare(far)?;
        let still: Vec<&str> = coarse.iter().filter_map(|line| track(line)).collect();
        lines.retain(|line| track(line).is_none_or(|track| still.contains(&track)));
    }
    Ok(lines)
}

/// Returns the part of a line that names a track of places.
fn track(line: &str) -> Option<&str> {
    let end = ["KGTR", "KCTR", "KTTR", "PIVT"].iter().find_map(|tag| Some(line.find(tag)? + tag.len()))?;
    line.get(..end)
}

/// Returns the largest coordinate of a model in its own units.
fn reach(document: &dyn Document) -> f32 {
    let Some(scene) = document.scene(&SceneContext::new("")) else { return 0.0 };
    let vertices = scene.vertices.iter().flat_map(|v| v.positions.as_flattened());
    let nodes = scene.nodes.iter().flat_map(|node| &node.transform.translation);
    vertices.chain(nodes).map(|c| c.abs()).filter(|c| c.is_finite()).fold(0.0, f32::max)
}

/// Returns the errors of `check` that the source does not have.
fn new_errors(source: &dyn Document, back: &dyn Document) -> Vec<String> {
    let errors = |document: &dyn Document| -> Vec<&'static str> {
        let report = document.check();
        let bad = report.findings().iter().filter(|f| f.rule.severity == Severity::Error);
        bad.map(|f| f.rule.code).collect()
    };
    let before = errors(source);
    let mut new: Vec<&str> = errors(back).into_iter().filter(|code| !before.contains(code)).collect();
    new.dedup();
    new.into_iter().map(|code| format!("check: {code}")).collect()
}

fn open(job: &Job) -> Result<(Box<dyn Document>, disk::Loaded), String> {
    let loaded = disk::load(job).map_err(|e| e.to_string())?;
    let document = galatea::open(&loaded.input(), &Limits::default()).map_err(|e| e.to_string())?;
    Ok((document, loaded))
}

fn reopen(output: &Output) -> Result<Box<dyn Document>, String> {
    galatea::open(&output.input(), &Limits::default()).map_err(|e| e.to_string())
}

fn textures<'a>(job: &Job, document: &dyn Document, libraries: &'a Libraries) -> Option<Textures<'a>> {
    Some(libraries.textures(document.format().game?, job.path.parent()))
}

/// Returns a difference without names and numbers, so that equal ones can be counted.
fn cause(line: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                if quoted {
                    out.push_str("\"..\"");
                }
            }
            _ if quoted => {}
            '0'..='9' => {
                if !out.ends_with('N') {
                    out.push('N');
                }
            }
            c => out.push(c),
        }
    }
    out.chars().take(100).collect()
}
