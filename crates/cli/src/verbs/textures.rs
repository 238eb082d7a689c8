//! `galatea textures`: which textures models ask for, and which are missing.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::disk::{self, Job};
use galatea::textures::{Audited, Libraries, Why, audit};
use galatea::{Category, Format, FormatId, SceneContext, fox};
use serde_json::{Value, json};

use super::names::Dictionaries;
use super::texture_options::Folders;
use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::terminal::{complain, plain, show};

#[derive(Args)]
#[command(
    after_help = "Textures are looked for below every --textures folder, in the folder or archive of each model, then in its game.\n\
    Exit code 1 if any name is missing or ambiguous."
)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    folders: Folders,
    /// List the textures that were found, too
    #[arg(long)]
    all: bool,
    /// List the textures in the same folders and archives that none of the models asks for
    #[arg(long)]
    unused: bool,
    #[command(flatten)]
    dictionaries: Dictionaries,
}

/// What is wrong with a name, in one word; none if nothing is.
fn word(why: &Why) -> &'static str {
    match why {
        Why::Found { broken: Some(_), .. } => "unreadable",
        Why::Found { .. } => "found",
        Why::Ambiguous(_) => "ambiguous",
        Why::Missing | Why::NotLoaded(_) => "missing",
        Why::Unsafe => "unsafe",
        Why::BuiltIn => "built in",
    }
}

fn is_fine(why: &Why) -> bool {
    matches!(why, Why::Found { broken: None, .. } | Why::BuiltIn)
}

/// How many names of each kind.
#[derive(Default, Clone, Copy)]
struct Count {
    models: usize,
    found: usize,
    missing: usize,
    ambiguous: usize,
    unreadable: usize,
}

impl Count {
    fn add(&mut self, audited: &[Audited]) {
        self.models += 1;
        for one in audited {
            match &one.why {
                Why::Missing | Why::NotLoaded(_) | Why::Unsafe => self.missing += 1,
                Why::Ambiguous(_) => self.ambiguous += 1,
                Why::Found { broken: Some(_), .. } => self.unreadable += 1,
                Why::Found { .. } | Why::BuiltIn => self.found += 1,
            }
        }
    }

    fn words(&self) -> String {
        let mut words = vec![format!("{} found", self.found)];
        for (count, what) in
            [(self.missing, "missing"), (self.ambiguous, "ambiguous"), (self.unreadable, "unreadable")]
        {
            if count > 0 {
                words.push(format!("{count} {what}"));
            }
        }
        words.join(", ")
    }

    fn json(&self) -> Value {
        json!({
            "models": self.models, "found": self.found, "missing": self.missing,
            "ambiguous": self.ambiguous, "unreadable": self.unreadable,
        })
    }

    fn wrong(&self) -> usize {
        self.missing + self.ambiguous + self.unreadable
    }
}

fn entry(one: &Audited) -> Value {
    let line = json!({ "name": one.name, "for": one.what, "status": word(&one.why) });
    let more = match &one.why {
        Why::Found { path, name_only, also, broken } => json!({
            "path": show(path), "name_only": name_only, "also": also.iter().map(|p| show(p)).collect::<Vec<_>>(),
            "error": broken,
        }),
        Why::Ambiguous(paths) => json!({ "paths": paths.iter().map(|p| show(p)).collect::<Vec<_>>() }),
        Why::NotLoaded(path) => json!({ "not_loaded": show(path) }),
        _ => json!({}),
    };
    with(line, more)
}

/// One object with the fields of another.
fn with(mut line: Value, more: Value) -> Value {
    if let (Some(line), Value::Object(more)) = (line.as_object_mut(), more) {
        line.extend(more);
    }
    line
}

fn print(one: &Audited, out: &mut dyn Write) -> io::Result<()> {
    let name = plain(&one.name);
    write!(out, "  {:<10} {name} ({})", word(&one.why), one.what)?;
    match &one.why {
        Why::Found { path, name_only, also, broken } => {
            write!(out, ": {}", show(path))?;
            if *name_only {
                write!(out, ", in another folder than the model names")?;
            }
            if !also.is_empty() {
                write!(out, ", before {}", also.iter().map(|p| show(p)).collect::<Vec<_>>().join(", "))?;
            }
            if let Some(broken) = broken {
                write!(out, ": {broken}")?;
            }
        }
        Why::Ambiguous(paths) => {
            write!(out, ": {}", paths.iter().map(|p| show(p)).collect::<Vec<_>>().join(", "))?;
        }
        Why::Unsafe => write!(out, ": points outside of the folders, or is not a valid file name")?,
        Why::NotLoaded(path) => write!(out, ": there is {}, which the game does not load", show(path))?,
        Why::Missing | Why::BuiltIn => {}
    }
    writeln!(out)
}

/// What was seen over all models.
struct Seen {
    folders: BTreeMap<PathBuf, Count>,
    whole: Count,
    /// Names that are missing, with the number of models that ask for them.
    absent: BTreeMap<String, usize>,
    used: Used,
}

/// The files that names were found in.
#[derive(Default)]
struct Used {
    paths: HashSet<PathBuf>,
    /// How many there are in each folder or archive.
    places: BTreeMap<PathBuf, usize>,
}

impl Used {
    fn add(&mut self, audited: &[Audited]) {
        for one in audited {
            let (path, also) = match &one.why {
                Why::Found { path, also, .. } => (path, also.as_slice()),
                Why::Ambiguous(paths) => match paths.split_first() {
                    Some((first, rest)) => (first, rest),
                    None => continue,
                },
                Why::NotLoaded(path) => (path, [].as_slice()),
                Why::Missing | Why::Unsafe | Why::BuiltIn => continue,
            };
            self.paths.extend(also.iter().cloned());
            if self.paths.insert(path.clone()) {
                let place = disk::archive(path.parent().unwrap_or(path)).ok().flatten();
                let folder = place
                    .map_or_else(|| path.parent().map(Path::to_path_buf), |a| Some(a.path().to_path_buf()));
                *self.places.entry(folder.unwrap_or_default()).or_default() += 1;
            }
        }
    }

    /// Returns the textures below these paths that are not among them.
    fn others(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let folders: Vec<PathBuf> = paths.iter().filter(|path| disk::is_folder(path)).cloned().collect();
        let image = |format: &Format| format.category == Category::Texture && format.id != FormatId::Txi;
        let found = disk::jobs(&folders, &image).into_iter().flatten().map(|job| job.path);
        found.filter(|path| !self.paths.contains(path)).collect()
    }
}

impl Options {
    fn work(
        &self,
        job: &Job,
        libraries: &Libraries,
        names: &fox::Dictionary,
    ) -> Result<Option<Vec<Audited>>, Failure> {
        let opened = batch::open(job)?;
        let format = opened.document.format();
        let Some(game) = format.game else {
            // Walkmeshes lie beside the models everywhere: worth a word only where one was asked for.
            let asked = || Err(Failure::Other(format!("{} files do not refer to textures", format.name)));
            return if job.named { asked() } else { Ok(None) };
        };
        let textures = libraries.textures(game, folder_of(job));
        let stem = disk::stem(&job.path);
        Ok(Some(audit(opened.document.as_ref(), &SceneContext::new(&stem).with_names(names), &textures)))
    }

    /// Prints what holds for all models together.
    fn summary(&self, seen: &Seen) -> io::Result<()> {
        let Seen { folders, whole, absent, used } = seen;
        let mut out = io::stdout().lock();
        let unused = if self.unused { used.others(&self.inputs.paths) } else { Vec::new() };
        if self.inputs.json {
            for (folder, count) in folders {
                writeln!(out, "{}", json!({ "folder": show(folder), "summary": count.json() }))?;
            }
            let places: BTreeMap<String, usize> = used.places.iter().map(|(p, n)| (show(p), *n)).collect();
            let mut line = json!({ "summary": whole.json(), "missing": absent, "found_in": places });
            if self.unused {
                line = with(line, json!({ "unused": unused.iter().map(|p| show(p)).collect::<Vec<_>>() }));
            }
            return writeln!(out, "{line}");
        }
        if folders.len() > 1 {
            writeln!(out, "\nby folder:")?;
            for (folder, count) in folders {
                writeln!(out, "  {}: {} models, {}", show(folder), count.models, count.words())?;
            }
        }
        if used.places.len() > 1 {
            writeln!(out, "\nfound in:")?;
            for (place, count) in &used.places {
                writeln!(out, "  {}: {count} files", show(place))?;
            }
        }
        let mut most: Vec<_> = absent.iter().filter(|(_, n)| **n > 1).collect();
        most.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        if !most.is_empty() {
            writeln!(out, "\nmissing in several models:")?;
            for (name, count) in most.into_iter().take(20) {
                writeln!(out, "  {} in {count} models", plain(name))?;
            }
        }
        if !unused.is_empty() {
            writeln!(out, "\nno model asks for:")?;
            unused.iter().try_for_each(|path| writeln!(out, "  {}", show(path)))?;
        }
        let unused = if self.unused { format!(", {} unused", unused.len()) } else { String::new() };
        writeln!(out, "{} models: {}{unused}", whole.models, whole.words())
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let (names, libraries) = match self.dictionaries.load().and_then(|n| Ok((n, self.folders.library()?)))
        {
            Ok(both) => both,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let mut folders: BTreeMap<PathBuf, Count> = BTreeMap::new();
        let mut whole = Count::default();
        let mut absent: BTreeMap<String, usize> = BTreeMap::new();
        let mut used = Used::default();
        let inputs = self.inputs.only(Category::Model);
        let tally = inputs.run(
            |job| Ok((job.path.clone(), self.work(job, &libraries, &names)?)),
            |path, result, out| match result {
                Ok((_, None)) => Ok(()),
                Ok((job, Some(audited))) => {
                    let folder = job.parent().map(Path::to_path_buf).unwrap_or_default();
                    folders.entry(folder).or_default().add(&audited);
                    whole.add(&audited);
                    used.add(&audited);
                    for one in audited.iter().filter(|a| matches!(a.why, Why::Missing | Why::NotLoaded(_))) {
                        *absent.entry(one.name.to_lowercase()).or_default() += 1;
                    }
                    let mut count = Count::default();
                    count.add(&audited);
                    if self.inputs.json {
                        let textures: Vec<Value> = audited.iter().map(entry).collect();
                        let line = with(count.json(), json!({ "path": path, "textures": textures }));
                        return writeln!(out, "{line}");
                    }
                    if count.wrong() > 0 || self.all || count.found == 0 {
                        let none =
                            if audited.is_empty() { "names no textures".into() } else { count.words() };
                        writeln!(out, "{path}: {none}")?;
                    }
                    let shown = audited.iter().filter(|a| self.all || !is_fine(&a.why));
                    shown.into_iter().try_for_each(|one| print(one, out))
                }
                Err(failure) if self.inputs.json => {
                    writeln!(out, "{}", json!({ "path": path, "error": batch::error_json(&failure) }))
                }
                Err(_) => Ok(()),
            },
        )?;
        self.summary(&Seen { folders, whole, absent, used })?;
        Ok(tally.exit(whole.wrong() > 0))
    }
}

/// The folder a file lies in; none for standard input.
pub(crate) fn folder_of(job: &Job) -> Option<&Path> {
    if job.path.as_os_str() == "-" { None } else { job.path.parent() }
}
