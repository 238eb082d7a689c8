//! Many inputs on all cores, results in the order of the inputs, a failure never stops the rest.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use clap::Args;
use galatea::disk::{self, Games, Job, Loaded};
use galatea::{Category, Character, Document, Limits, Look, texture, wire};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::Exit;
use crate::terminal::{complain, reason, show};

/// The inputs of a verb, and how to go through them.
#[derive(Args, Clone)]
pub(crate) struct Inputs {
    /// Files, folders and archives (searched recursively), patterns such as 'map.w3x/*.mdx', or `-` for standard input
    #[arg(required_unless_present = "appearance", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Take creatures of KotOR by their rows in appearance.2da: body, head and textures by the tables of the game
    #[arg(long, value_name = "ROW", value_delimiter = ',')]
    pub(crate) appearance: Vec<u32>,
    /// What these creatures wear: the letter of a body variation, and the number of its texture
    #[arg(long, value_name = "LETTER[N]", default_value = "a1", value_parser = wear, requires = "appearance")]
    pub(crate) wear: (char, u32),
    /// One JSON object per input, one line each
    #[arg(long)]
    pub(crate) json: bool,
    /// How many inputs to work on at the same time [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub(crate) jobs: Option<usize>,
    /// Of all inputs only the part I of N, from 0/N: for N machines that share the work. It depends on each name alone
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Of folders, only files that hold this
    #[arg(skip)]
    pub(crate) only: Option<Category>,
    /// Archives are inputs themselves, each before its files
    #[arg(skip)]
    pub(crate) archives: bool,
    /// What the paths hold, listed once
    #[arg(skip)]
    pub(crate) listed: OnceLock<Listed>,
}

/// Inputs, and paths that could not be read.
pub(crate) type Listed = Arc<Vec<Result<Job, (PathBuf, io::Error)>>>;

/// A part of all inputs: its number, and how many parts there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u64,
    count: u64,
}

fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((index, count)) if index < count => Ok(Shard { index, count }),
        _ => Err("needs a part and the number of parts, such as 0/4 to 3/4".into()),
    }
}

impl Shard {
    /// Returns `true` if an input belongs to this part, by its path below what the user named: machines may have it elsewhere.
    fn holds(self, below: &Path) -> bool {
        let name = below.to_string_lossy().replace('\\', "/");
        disk::checksum(name.as_bytes()) % self.count == self.index
    }
}

/// The most threads that make sense: more only take memory.
fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).saturating_mul(4).max(256)
}

fn threads(text: &str) -> Result<usize, String> {
    let most = most_threads();
    match text.parse() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => Err(format!("needs a number from 1 to {most}")),
    }
}

fn wear(text: &str) -> Result<(char, u32), String> {
    let wrong = || "needs a letter and the number of a texture, such as b2".to_owned();
    let mut letters = text.chars();
    let body = letters.next().filter(char::is_ascii_alphabetic).ok_or_else(wrong)?.to_ascii_lowercase();
    let number = letters.as_str();
    let texture = if number.is_empty() { 1 } else { number.parse().map_err(|_| wrong())? };
    Ok((body, texture))
}

/// Why an input gave no result.
#[derive(Debug)]
pub(crate) enum Failure {
    Io(io::Error),
    Unknown,
    Format(wire::Error),
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => f.write_str("no such file or folder"),
                io::ErrorKind::PermissionDenied => f.write_str("permission denied"),
                _ => f.write_str(&reason(error)),
            },
            Failure::Unknown => f.write_str("not a supported format; `galatea formats` lists them"),
            Failure::Format(error) => write!(f, "{error}"),
            Failure::Other(what) => f.write_str(what),
        }
    }
}

impl From<wire::Error> for Failure {
    fn from(error: wire::Error) -> Self {
        Failure::Format(error)
    }
}

/// The error as JSON: a message, and place and path where known.
pub(crate) fn error_json(failure: &Failure) -> Value {
    match failure {
        Failure::Format(error) => {
            json!({ "message": error.to_string(), "offset": error.offset(), "path": error.path() })
        }
        other => json!({ "message": other.to_string() }),
    }
}

/// Returns a JSON object with the members of both.
pub(crate) fn joined(mut line: Value, more: Value) -> Value {
    if let (Some(line), Value::Object(more)) = (line.as_object_mut(), more) {
        line.extend(more);
    }
    line
}

/// An input that opened.
pub(crate) struct Opened {
    pub(crate) loaded: Loaded,
    pub(crate) document: Box<dyn Document>,
}

/// Opens an archive that is an input itself.
pub(crate) fn open_archive(job: &Job) -> Result<Arc<disk::ArchiveFolder>, Failure> {
    disk::archive(&job.path).map_err(Failure::Io)?.ok_or(Failure::Unknown)
}

/// The games that files of this run belong to.
static GAMES: OnceLock<Arc<Games>> = OnceLock::new();

/// Sets the games of this run, unless they are known already.
pub(crate) fn use_games(games: &Arc<Games>) {
    let _ = GAMES.set(Arc::clone(games));
}

fn games() -> &'static Arc<Games> {
    GAMES.get_or_init(|| Arc::new(Games::default()))
}

/// Puts a creature of KotOR together.
fn open_creature(job: &Job, look: &Look) -> Result<Opened, Failure> {
    let store = job.path.parent().and_then(|folder| games().store(texture::find::Game::Kotor, folder));
    let store = store.ok_or_else(|| Failure::Other("its game is gone".into()))?;
    let character = Character::read(look, store.as_ref(), &Limits::default())?;
    let loaded = Loaded { path: Some(job.path.clone()), ..Loaded::default() };
    Ok(Opened { loaded: loaded.with_games(Arc::clone(games())), document: Box::new(character) })
}

/// Reads one input, whose format is known.
pub(crate) fn load(job: &Job) -> Result<Loaded, Failure> {
    let games = games();
    let loaded = disk::load(job).map_err(Failure::Io)?.with_games(Arc::clone(games));
    if galatea::detect(&loaded.bytes).is_none() {
        if let Some(archive) = galatea::archive::detect(&loaded.bytes) {
            let what =
                format!("is an archive ({}); name a file in it: `galatea list` shows them", archive.name);
            return Err(Failure::Other(what));
        }
        return Err(Failure::Other(disk::why_unknown(&job.path, &loaded.bytes)));
    }
    Ok(loaded)
}

/// Reads and opens one input.
pub(crate) fn open(job: &Job) -> Result<Opened, Failure> {
    if let Some(look) = &job.creature {
        return open_creature(job, look);
    }
    let loaded = load(job)?;
    let document = galatea::open(&loaded.input(), &Limits::default())?;
    Ok(Opened { loaded, document })
}

/// How many inputs there were, and how many of them failed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) inputs: usize,
    pub(crate) failed: usize,
}

impl Tally {
    /// The exit code: failures first, then what the verb found.
    pub(crate) fn exit(self, found: bool) -> Exit {
        match (self.failed, found) {
            (failed, _) if self.inputs > 0 && failed == self.inputs => Exit::AllFailed,
            (0, false) => Exit::Fine,
            (0, true) => Exit::Findings,
            _ => Exit::SomeFailed,
        }
    }
}

impl Inputs {
    /// The same inputs, but of folders only the files that hold this.
    pub(crate) fn only(&self, category: Category) -> Inputs {
        Inputs { only: Some(category), listed: OnceLock::new(), ..self.clone() }
    }

    /// Other paths, gone through in the same way.
    pub(crate) fn of(&self, paths: Vec<PathBuf>) -> Inputs {
        Inputs { paths, listed: OnceLock::new(), ..self.clone() }
    }

    /// The same inputs, and the archives among them.
    pub(crate) fn with_archives(&self) -> Inputs {
        Inputs { archives: true, listed: OnceLock::new(), ..self.clone() }
    }

    /// Returns `true` if an input belongs to the part of all inputs that was asked for.
    pub(crate) fn is_in_shard(&self, path: &Path) -> bool {
        self.shard.is_none_or(|shard| shard.holds(crate::outputs::below(&self.paths, path)))
    }

    /// The inputs of this run, folders searched. Files are looked into only at the first call.
    pub(crate) fn list(&self) -> Vec<Result<Job, (PathBuf, io::Error)>> {
        let mut all = self.list_all();
        all.retain(|job| match job {
            Ok(job) => self.is_in_shard(&job.path),
            Err((path, _)) => self.is_in_shard(path),
        });
        all
    }

    /// The inputs of all parts.
    pub(crate) fn list_all(&self) -> Vec<Result<Job, (PathBuf, io::Error)>> {
        let wanted = |format: &galatea::Format| self.only.is_none_or(|category| format.category == category);
        let listed = self.listed.get_or_init(|| {
            crate::outputs::recover(&self.paths);
            let search = disk::Search { wanted: &wanted, archives: self.archives };
            let mut all = self.creatures();
            all.extend(disk::jobs_with(&self.paths, &search));
            Arc::new(all)
        });
        let one = |job: &Result<Job, (PathBuf, io::Error)>| match job {
            Ok(job) => Ok(job.clone()),
            Err((path, error)) => Err((path.clone(), again(error))),
        };
        listed.iter().map(one).collect()
    }

    /// The creatures that were asked for.
    pub(crate) fn creatures(&self) -> Vec<Result<Job, (PathBuf, io::Error)>> {
        let here = std::env::current_dir().unwrap_or_default();
        let creature = |row: &u32| {
            let (body, texture) = self.wear;
            games().creature(Look { body, texture, ..Look::row(*row) }, &here).ok_or_else(|| {
                let why = "no KotOR is found; name its folder with --game-dir, or set $GALATEA_KOTOR";
                (PathBuf::from(format!("appearance_{row}")), io::Error::new(io::ErrorKind::InvalidInput, why))
            })
        };
        self.appearance.iter().map(creature).collect()
    }

    /// Works on every input and hands each result, in order, to `each`. Failures go to stderr unless JSON is asked for,
    /// where `each` prints them.
    pub(crate) fn run<T: Send>(
        &self,
        work: impl Fn(&Job) -> Result<T, Failure> + Sync,
        mut each: impl FnMut(&str, Result<T, Failure>, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Tally> {
        let jobs = self.list();
        let mut tally = Tally { inputs: jobs.len(), failed: 0 };
        if jobs.is_empty() && (self.shard.is_none() || self.list_all().is_empty()) {
            let paths: Vec<String> = self.paths.iter().map(|p| show(p)).collect();
            complain(format_args!(
                "{}: no models found; `galatea formats` lists the supported formats",
                paths.join(", ")
            ));
            return Ok(Tally { inputs: 1, failed: 1 });
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs.unwrap_or(0))
            .build()
            .map_err(io::Error::other)?;
        let bar = progress(jobs.len());
        listen();
        let mut out = io::stdout().lock();
        let window = pool.current_num_threads() * 8;
        for part in jobs.chunks(window) {
            if STOP.load(Ordering::Relaxed) {
                break;
            }
            let results: Vec<_> = pool.install(|| {
                part.par_iter()
                    .map(|job| match job {
                        Ok(job) => (show(&job.path), work(job)),
                        Err((path, error)) => (show(path), Err(Failure::Io(again(error)))),
                    })
                    .collect()
            });
            for (path, result) in results {
                if let Err(failure) = &result {
                    tally.failed += 1;
                    bar.set_message(format!(", {} failed", tally.failed));
                    if !self.json {
                        bar.suspend(|| complain(format_args!("{path}: {failure}")));
                    }
                }
                bar.suspend(|| each(&path, result, &mut out))?;
            }
            bar.inc(part.len() as u64);
        }
        bar.finish_and_clear();
        out.flush()?;
        if STOP.load(Ordering::Relaxed) {
            complain(format_args!("stopped; everything written so far is complete"));
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(tally)
    }
}

/// The same error once more.
fn again(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

/// Whether the user wants it to end.
static STOP: AtomicBool = AtomicBool::new(false);

/// Ctrl-C ends a batch after the files it is working on, so that nothing is left half-written; a second one ends it at once.
fn listen() {
    // Set once; where it cannot be set, Ctrl-C does what it always does.
    let _ = ctrlc::try_set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// A bar on a terminal when there is enough to wait for.
pub(crate) fn progress(len: usize) -> ProgressBar {
    if len < 50 || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {per_sec}, {eta} left{msg}");
    ProgressBar::new(len as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
