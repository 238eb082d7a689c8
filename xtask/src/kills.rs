//! `cargo xtask kills`: ends `check --fix`, `convert --force`, `put`, `pack` and `extract` at random moments, and fills up the disk
//! under them. Nothing may be lost or mixed, and a second run leaves nothing of ours behind.

mod archives;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use galatea::disk::{is_backup, is_ours};
use galatea::scene::Random;
use galatea::{Companion, Input, Limits, kotor};

use crate::{Outcome, root, target};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Runs that are killed, of each kind
    #[arg(long, default_value_t = 200)]
    rounds: usize,
    /// Pairs of files in the folder
    #[arg(long, default_value_t = 24)]
    pairs: usize,
    /// The program [default: the newer of target/release/galatea and target/debug/galatea]
    #[arg(long)]
    program: Option<PathBuf>,
    /// Number that the random moments derive from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// An MDL and its MDX.
#[derive(Clone, PartialEq, Eq)]
struct Pair([Vec<u8>; 2]);

const ENDINGS: [&str; 2] = ["mdl", "mdx"];

/// What is run, and what it does to every pair of the folder.
struct Trial {
    name: &'static str,
    dir: PathBuf,
    arguments: Vec<String>,
    before: Pair,
    after: Pair,
    /// Whether the files are somebody's originals, which must not be lost.
    originals: bool,
    /// How many times its size a pair takes up for good, and how many for a while.
    room: (f64, f64),
}

/// What was seen over all rounds.
#[derive(Default)]
struct Seen {
    rounds: usize,
    /// Ended before they were done.
    stopped: usize,
    /// Ended with some pairs done and some not.
    midway: usize,
    violations: Vec<String>,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let program = self.program.clone().map_or_else(built, Ok)?;
        println!("{}, {} pairs", program.display(), self.pairs);
        let dir = std::env::temp_dir().join(format!("galatea-kills-{}", std::process::id()));
        let result = self.trials(&program, &dir);
        // Left there for whoever wants to see what went wrong.
        if result.is_ok() {
            let _ = fs::remove_dir_all(&dir);
        }
        result
    }

    fn trials(&self, program: &Path, dir: &Path) -> Outcome {
        let mut random = Random::new(self.seed);
        let mut rows = Vec::new();
        for trial in [fix(&dir.join("fix"))?, convert(&dir.join("convert"), self.pairs)?] {
            let what = format!("{}, killed", trial.name);
            rows.push((what, self.kill(&trial, program, &mut random)?));
        }
        // Four models for each pair, so that there is something to write.
        let models = 4 * self.pairs;
        for trial in archives::trials(program, &dir.join("archives"), models)? {
            rows.push((format!("{}, killed", trial.name), trial.kill(program, self.rounds, &mut random)?));
        }
        let full = dir.join("full");
        fs::create_dir_all(&full).map_err(|e| e.to_string())?;
        let mounted = Mounted::new(&full);
        for trial in [fix(&full.join("fix"))?, convert(&full.join("convert"), self.pairs)?] {
            let how = if mounted.is_some() { "full disk" } else { "file size limit" };
            let what = format!("{}, {how}", trial.name);
            rows.push((what, self.fill(&trial, program, mounted.is_some(), &full, &mut random)?));
            let _ = fs::remove_dir_all(&trial.dir);
        }
        if mounted.is_some() {
            for trial in archives::trials(program, &full.join("archives"), models)? {
                let seen = trial.fill(program, self.rounds.div_ceil(5), &full, &mut random)?;
                rows.push((format!("{}, full disk", trial.name), seen));
            }
        }
        drop(mounted);
        println!("{:<28} {:>7} {:>8} {:>7} {:>10}", "what", "rounds", "stopped", "midway", "violations");
        for (what, seen) in &rows {
            let Seen { rounds, stopped, midway, violations } = seen;
            println!("{what:<28} {rounds:>7} {stopped:>8} {midway:>7} {:>10}", violations.len());
        }
        let violations: Vec<_> = rows.iter().flat_map(|(_, seen)| &seen.violations).collect();
        violations.iter().take(20).for_each(|line| println!("{line}"));
        // A full disk stops `pack` before its only file appears: it has no middle, and nothing may be left of it.
        let idle = rows.iter().find(|(what, seen)| {
            let telling = if what.ends_with("full disk") { seen.stopped } else { seen.midway };
            seen.rounds >= 20 && telling * 10 < seen.rounds
        });
        match (violations.len(), idle) {
            (0, None) => Ok(()),
            (0, Some((what, _))) => Err(format!("{what}: too few runs were stopped midway to tell anything")),
            (count, _) => Err(format!("{count} violations; see {}", dir.display())),
        }
    }

    fn kill(&self, trial: &Trial, program: &Path, random: &mut Random) -> Result<Seen, String> {
        trial.reset(self.pairs)?;
        let started = Instant::now();
        trial.finish(program)?;
        let whole = started.elapsed();
        let mut seen = Seen::default();
        for round in 0..self.rounds {
            trial.reset(self.pairs)?;
            let mut child = trial.command(program).spawn().map_err(|e| e.to_string())?;
            std::thread::sleep(whole.mul_f64(f64::from(random.unit())));
            let running = child.try_wait().map_err(|e| e.to_string())?.is_none();
            child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
            seen.stopped += usize::from(running);
            trial.judge(program, round, self.pairs, &mut seen, &mut || ())?;
        }
        Ok(seen)
    }

    /// Runs with little room: on a small disk that is filled up to a random degree, or with a limit on the size of files.
    fn fill(
        &self,
        trial: &Trial,
        program: &Path,
        disk: bool,
        full: &Path,
        random: &mut Random,
    ) -> Result<Seen, String> {
        let mut seen = Seen::default();
        let filler = full.join("filler");
        for round in 0..self.rounds.div_ceil(5) {
            let _ = fs::remove_file(&filler);
            trial.reset(self.pairs)?;
            let status = if disk {
                let pair: usize = trial.after.0.iter().map(Vec::len).sum();
                let (more, meanwhile) = trial.room;
                let need = pair as f64 * (more * self.pairs as f64 + meanwhile);
                fill_up(&filler, (need * f64::from(random.unit())) as u64)?;
                trial.command(program).status()
            } else {
                let largest = trial.after.0.iter().map(Vec::len).max().unwrap_or(0) / 512;
                let blocks = 1 + (largest as f64 * 1.1 * f64::from(random.unit())) as u64;
                let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
                let mut shell = Command::new("sh");
                shell.args(["-c", &limited]).arg(program).args(&trial.arguments);
                shell.stdout(Stdio::null()).stderr(Stdio::null()).status()
            };
            seen.stopped += usize::from(!status.map_err(|e| e.to_string())?.success());
            trial.judge(program, round, self.pairs, &mut seen, &mut || drop(fs::remove_file(&filler)))?;
        }
        Ok(seen)
    }
}

impl Trial {
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Does the second run. Findings that are left do not matter, failures do.
    fn finish(&self, program: &Path) -> Outcome {
        let status = self.command(program).status().map_err(|e| e.to_string())?;
        if status.code().is_some_and(|code| code <= 1) {
            Ok(())
        } else {
            Err(format!("{}: {status}", self.name))
        }
    }

    fn reset(&self, pairs: usize) -> Outcome {
        let write = || {
            let _ = fs::remove_dir_all(&self.dir);
            fs::create_dir_all(&self.dir)?;
            for i in 0..pairs {
                for (ending, bytes) in ENDINGS.iter().zip(&self.before.0) {
                    fs::write(self.dir.join(format!("m{i}.{ending}")), bytes)?;
                }
            }
            Ok(())
        };
        write().map_err(|e: std::io::Error| format!("{}: {e}", self.dir.display()))
    }

    /// Returns all files of the folder, by name.
    fn listed(&self) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let read = || -> std::io::Result<BTreeMap<String, Vec<u8>>> {
            let entries = fs::read_dir(&self.dir)?.collect::<Result<Vec<_>, _>>()?;
            let file =
                |e: fs::DirEntry| Ok((e.file_name().to_string_lossy().into_owned(), fs::read(e.path())?));
            entries.into_iter().map(file).collect()
        };
        read().map_err(|e| format!("{}: {e}", self.dir.display()))
    }

    /// Judges what there is after a run that was stopped; then what a reader and a second run make of it.
    fn judge(
        &self,
        program: &Path,
        round: usize,
        pairs: usize,
        seen: &mut Seen,
        make_room: &mut dyn FnMut(),
    ) -> Outcome {
        seen.rounds += 1;
        let mut wrong = |what: String| seen.violations.push(format!("{}, round {round}: {what}", self.name));
        let files = self.listed()?;
        let done = (0..pairs).filter(|i| self.pair(&files, *i).is_some_and(|p| p == self.after)).count();
        self.lost(&files, pairs).into_iter().for_each(&mut wrong);
        make_room();
        // A verb that only reads finishes what is pending, too.
        let info = Command::new(program).arg("info").arg(&self.dir).stdout(Stdio::null()).status();
        if !info.map_err(|e| e.to_string())?.success() {
            wrong("`info` fails".into());
        }
        let files = self.listed()?;
        for i in 0..pairs {
            let pair = self.pair(&files, i);
            if pair.as_ref() != Some(&self.before) && pair.as_ref() != Some(&self.after) {
                wrong(format!("m{i} is a mixed pair"));
            }
        }
        if let Err(error) = self.finish(program) {
            wrong(format!("the second run fails: {error}"));
        }
        let files = self.listed()?;
        self.lost(&files, pairs).into_iter().for_each(&mut wrong);
        for i in (0..pairs).filter(|i| self.pair(&files, *i).is_none_or(|p| p != self.after)) {
            wrong(format!("m{i} is not finished"));
        }
        for name in files.keys().filter(|name| is_ours(name.as_ref()) && !(self.originals && is_backup(name)))
        {
            wrong(format!("{name} is left over"));
        }
        seen.midway += usize::from(done > 0 && done < pairs);
        Ok(())
    }

    fn pair(&self, files: &BTreeMap<String, Vec<u8>>, i: usize) -> Option<Pair> {
        let [mdl, mdx] = ENDINGS.map(|ending| files.get(&format!("m{i}.{ending}")).cloned());
        Some(Pair([mdl?, mdx?]))
    }

    /// Originals that are neither in their place nor in a backup.
    fn lost(&self, files: &BTreeMap<String, Vec<u8>>, pairs: usize) -> Vec<String> {
        let mut out = Vec::new();
        for name in (0..pairs).filter(|_| self.originals).flat_map(|i| ENDINGS.map(|e| format!("m{i}.{e}"))) {
            let [mdl, mdx] = &self.before.0;
            let original = if name.ends_with("mdl") { mdl } else { mdx };
            let copy =
                |file: &String| *file == name || (is_backup(file) && file.starts_with(&format!("{name}.")));
            if !files.iter().any(|(file, bytes)| copy(file) && bytes == original) {
                out.push(format!("{name} is lost"));
            }
        }
        out
    }
}

/// Returns a damaged pair, and what `check --fix` makes of it.
fn fix(dir: &Path) -> Result<Trial, String> {
    let Pair([mut mdl, mut mdx]) = statue()?;
    // The weight of the first vertex is 0.5 instead of 1, and behind the model there is more.
    mdx.iter_mut().skip(0x22).take(1).for_each(|byte| *byte ^= 0x80);
    mdl.extend(*b"more");
    let companions = vec![Companion { extension: "mdx", bytes: mdx.as_slice() }];
    let input = Input::new(&mdl).with_companions(companions);
    let mut document = galatea::open(&input, &Limits::default()).map_err(|e| e.to_string())?;
    document.fix(&|_| true);
    let fixed = document.write().map_err(|e| e.to_string())?;
    let after = Pair([fixed.bytes.clone(), fixed.companion("mdx").unwrap_or_default().to_vec()]);
    let before = Pair([mdl, mdx]);
    if before.0.iter().zip(&after.0).any(|(a, b)| a == b) {
        return Err("the fix does not change both files of a pair".into());
    }
    let arguments = vec!["check".into(), "--fix".into(), dir.to_string_lossy().into_owned()];
    Ok(Trial {
        name: "check --fix",
        dir: dir.into(),
        arguments,
        before,
        after,
        originals: true,
        room: (1.0, 2.0),
    })
}

/// Returns a folder of pairs that are converted onto other pairs.
fn convert(dir: &Path, pairs: usize) -> Result<Trial, String> {
    let Pair([mdl, mdx]) = statue()?;
    let read = |mdl: &[u8], mdx: &[u8]| kotor::mdl::Model::read(mdl, Some(mdx), &Limits::default());
    let mut model = read(&mdl, &mdx).map_err(|e| e.to_string())?;
    model.convert(kotor::mdl::Game::K2, model.platform);
    let made = model.write().map_err(|e| e.to_string())?;
    let (source, target) = (dir.join("in"), dir.join("out"));
    fs::create_dir_all(&source).map_err(|e| e.to_string())?;
    for i in 0..pairs {
        for (ending, bytes) in ENDINGS.iter().zip([&mdl, &mdx]) {
            fs::write(source.join(format!("m{i}.{ending}")), bytes).map_err(|e| e.to_string())?;
        }
    }
    // What is there: a model without animations and with one mesh less, so that both files differ and every pair needs
    // more room: a disk can fill up midway.
    model.animations.clear();
    if let Some(node) = model.nodes.iter_mut().find(|node| node.mesh.is_some()) {
        node.mesh = None;
    }
    let old = model.write().map_err(|e| e.to_string())?;
    let word = |path: &Path| path.to_string_lossy().into_owned();
    let mut arguments = vec!["convert".to_owned(), word(&source), "-o".into(), word(&target)];
    arguments.extend(["--to", "kotor-mdl", "--game", "k2", "--force"].map(str::to_owned));
    let (before, after) = (Pair([old.mdl, old.mdx]), Pair([made.mdl, made.mdx]));
    Ok(Trial {
        name: "convert --force",
        dir: target,
        arguments,
        before,
        after,
        originals: false,
        room: (0.4, 1.25),
    })
}

/// Returns the KotOR model of the examples.
fn statue() -> Result<Pair, String> {
    let read = |ending: &str| {
        let path = root().join("examples/statue").with_extension(ending);
        fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))
    };
    Ok(Pair([read("mdl")?, read("mdx")?]))
}

fn built() -> Result<PathBuf, String> {
    let programs = ["release", "debug"]
        .map(|kind| target().join(kind).join(format!("galatea{}", std::env::consts::EXE_SUFFIX)));
    let changed = |path: &PathBuf| fs::metadata(path).and_then(|m| m.modified()).ok();
    let newest = programs.into_iter().filter(|p| p.is_file()).max_by_key(changed);
    newest.ok_or_else(|| "no program was built; run `cargo build -p galatea-cli` first".into())
}

/// Fills a disk up with one file until only so many bytes are left.
fn fill_up(path: &Path, left: u64) -> Outcome {
    let write = || -> std::io::Result<()> {
        let mut file = fs::File::create(path)?;
        while std::io::Write::write_all(&mut file, &[0; 4096]).is_ok() {}
        file.set_len(file.metadata()?.len().saturating_sub(left))
    };
    write().map_err(|e| format!("{}: {e}", path.display()))
}

/// A small disk in memory, where that is allowed.
struct Mounted(PathBuf);

impl Mounted {
    fn new(path: &Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=24m", "galatea-kills"]).arg(path).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success()).then(|| Mounted(path.into()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
