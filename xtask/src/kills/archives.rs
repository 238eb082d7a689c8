//! `put`, `pack` and `extract`, ended at random moments and on a full disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use galatea::archive::mpq::Mpq;
use galatea::archive::{Archive, Edit, open_bytes};
use galatea::disk::{is_backup, is_ours};

use super::{Random, Seen, fill_up};
use crate::{Outcome, root};

type Files = BTreeMap<String, Vec<u8>>;

/// A verb, the files that it finds and those that it leaves.
pub(super) struct ArchiveTrial {
    pub(super) name: &'static str,
    /// The folder that is written to.
    dir: PathBuf,
    arguments: Vec<String>,
    before: Files,
    after: Files,
}

/// Returns the trials below a folder, with so many models in the archives.
pub(super) fn trials(program: &Path, dir: &Path, models: usize) -> Result<Vec<ArchiveTrial>, String> {
    let example = root().join("examples/statue_800.mdx");
    let model = fs::read(&example).map_err(|e| format!("{}: {e}", example.display()))?;
    let names: Vec<String> = (0..models).map(|number| format!("units/m{number}.mdx")).collect();
    // Models that differ, so that one in the place of another is seen.
    let content = |number: usize| [model.as_slice(), &(number as u32).to_le_bytes()].concat();
    let files: Files = names.iter().zip(0..).map(|(name, number)| (name.clone(), content(number))).collect();
    let edits: Vec<Edit> =
        files.iter().map(|(name, bytes)| Edit::put(name.as_str(), bytes.clone())).collect();
    let map = Mpq::new().edited(&edits).map_err(|e| e.to_string())?;
    let (sources, work) = (dir.join("in"), |name: &str| dir.join(name));
    let write = |path: PathBuf, bytes: &[u8]| -> Outcome {
        let folder = path.parent().unwrap_or(dir);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|e| format!("{}: {e}", path.display()))
    };
    write(sources.join("map.w3x"), &map)?;
    write(sources.join("new/m0.mdx"), &content(models).repeat(2))?;
    for (name, bytes) in &files {
        let flat = name.replace('/', "_");
        write(sources.join("models").join(flat), bytes)?;
    }
    let word = |path: PathBuf| path.to_string_lossy().into_owned();
    let trial = |name, verb: &str, arguments: Vec<String>, before: Files| -> Result<ArchiveTrial, String> {
        let arguments = [vec![verb.to_owned()], arguments].concat();
        let mut trial = ArchiveTrial { name, dir: work(verb), arguments, before, after: Files::new() };
        trial.reset()?;
        trial.run(program)?;
        trial.after = trial.listed()?.into_iter().filter(|(name, _)| !is_backup(name)).collect();
        Ok(trial)
    };
    let put = [
        word(work("put").join("map.w3x")),
        word(sources.join("new/m0.mdx")),
        "--into".into(),
        "units".into(),
    ];
    let pack = [word(sources.join("models")), word(work("pack").join("models.mod"))];
    let extract = [word(sources.join("map.w3x")), "-o".into(), word(work("extract")), "--force".into()];
    let all = vec![
        trial("put", "put", put.into(), Files::from([("map.w3x".to_owned(), map)]))?,
        trial("pack", "pack", pack.into(), Files::new())?,
        trial("extract", "extract", extract.into(), Files::new())?,
    ];
    sound(&all, &files, &content(models).repeat(2))?;
    Ok(all)
}

/// Fails if the verbs do not leave what they should even where nothing ends them.
fn sound(all: &[ArchiveTrial], files: &Files, new: &[u8]) -> Outcome {
    let inside = |trial: &ArchiveTrial, archive: &str| -> Result<Files, String> {
        let bytes = trial.after.get(archive).cloned().unwrap_or_default();
        let archive = open_bytes(bytes, &Default::default()).map_err(|e| format!("{}: {e}", trial.name))?;
        let entry = |index| {
            let bytes = archive.read_entry(index, &Default::default()).ok()?;
            Some((archive.entry(index)?.name.replace('\\', "/"), bytes))
        };
        Ok((0..archive.len()).filter_map(entry).filter(|(name, _)| !name.starts_with('(')).collect())
    };
    let [put, pack, extract] = all else { return Err("three trials are expected".into()) };
    let mut changed = files.clone();
    changed.insert("units/m0.mdx".into(), new.to_vec());
    let flat: Files = files.iter().map(|(name, bytes)| (name.replace('/', "_"), bytes.clone())).collect();
    let extracted: Files = extract
        .after
        .iter()
        .filter(|(name, _)| name.starts_with("units/"))
        .map(|(n, b)| (n.clone(), b.clone()))
        .collect();
    if inside(put, "map.w3x")? != changed || inside(pack, "models.mod")? != flat || extracted != *files {
        return Err("a verb does not leave what it should".into());
    }
    Ok(())
}

impl ArchiveTrial {
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn run(&self, program: &Path) -> Outcome {
        let status = self.command(program).status().map_err(|e| e.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("{}: {status}", self.name)) }
    }

    fn reset(&self) -> Outcome {
        let write = || -> std::io::Result<()> {
            let _ = fs::remove_dir_all(&self.dir);
            fs::create_dir_all(&self.dir)?;
            self.before.iter().try_for_each(|(name, bytes)| fs::write(self.dir.join(name), bytes))
        };
        write().map_err(|e| format!("{}: {e}", self.dir.display()))
    }

    /// Returns all files below the folder, by their paths.
    fn listed(&self) -> Result<Files, String> {
        let mut out = Files::new();
        let mut todo = vec![self.dir.clone()];
        let failed = |e: std::io::Error| format!("{}: {e}", self.dir.display());
        while let Some(folder) = todo.pop() {
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                if path.is_dir() {
                    todo.push(path);
                    continue;
                }
                let name = path.strip_prefix(&self.dir).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                out.insert(name, fs::read(&path).map_err(failed)?);
            }
        }
        Ok(out)
    }

    /// Ends runs at random moments.
    pub(super) fn kill(&self, program: &Path, rounds: usize, random: &mut Random) -> Result<Seen, String> {
        self.reset()?;
        let started = Instant::now();
        self.run(program)?;
        let whole = started.elapsed();
        let mut seen = Seen::default();
        for round in 0..rounds {
            self.reset()?;
            let mut child = self.command(program).spawn().map_err(|e| e.to_string())?;
            std::thread::sleep(whole.mul_f64(f64::from(random.unit())));
            let running = child.try_wait().map_err(|e| e.to_string())?.is_none();
            child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
            seen.stopped += usize::from(running);
            self.judge(program, round, &mut seen)?;
        }
        Ok(seen)
    }

    /// Runs on a small disk that is filled up to a random degree.
    pub(super) fn fill(
        &self,
        program: &Path,
        rounds: usize,
        full: &Path,
        random: &mut Random,
    ) -> Result<Seen, String> {
        let mut seen = Seen::default();
        let filler = full.join("filler");
        let size = |files: &Files| files.values().map(Vec::len).sum::<usize>();
        // What is replaced is there three times for a while: itself, its backup, and what comes.
        let need = (size(&self.before) + size(&self.after)) as f64 * 1.1;
        for round in 0..rounds {
            let _ = fs::remove_file(&filler);
            self.reset()?;
            fill_up(&filler, (need * f64::from(random.unit())) as u64)?;
            seen.stopped += usize::from(self.run(program).is_err());
            fs::remove_file(&filler).map_err(|e| e.to_string())?;
            self.judge(program, round, &mut seen)?;
        }
        Ok(seen)
    }

    /// Judges what there is after a run that was stopped; then what a second run makes of it.
    fn judge(&self, program: &Path, round: usize, seen: &mut Seen) -> Outcome {
        seen.rounds += 1;
        let mut wrong = |what: String| seen.violations.push(format!("{}, round {round}: {what}", self.name));
        let files = self.listed()?;
        self.faults(&files).into_iter().for_each(&mut wrong);
        let done = |files: &Files| self.after.iter().all(|(name, bytes)| files.get(name) == Some(bytes));
        // Something was written, and not all of it.
        seen.midway += usize::from(files != self.before && !done(&files));
        // Reading the folder removes what is pending; whoever sees that a file is missing runs the verb again.
        let mut info = Command::new(program);
        info.arg("info").arg(&self.dir).stdout(Stdio::null()).stderr(Stdio::null());
        info.status().map_err(|e| e.to_string())?;
        let files = self.listed()?;
        self.faults(&files).into_iter().for_each(&mut wrong);
        if !done(&files)
            && let Err(error) = self.run(program)
        {
            wrong(format!("the second run fails: {error}"));
        }
        let files = self.listed()?;
        self.faults(&files).into_iter().for_each(&mut wrong);
        if !done(&files) {
            wrong("it is not finished".into());
        }
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        for path in files.keys().filter(|path| is_ours(name(path).as_ref()) && !is_backup(&name(path))) {
            wrong(format!("{path} is left over"));
        }
        Ok(())
    }

    /// Returns the files that are neither as they were nor as they should become, and originals that are gone.
    fn faults(&self, files: &Files) -> Vec<String> {
        let mut out = Vec::new();
        for (path, bytes) in files {
            let name = path.rsplit('/').next().unwrap_or(path);
            let known = |of: &Files| of.get(path) == Some(bytes);
            let copy = is_backup(name) && self.before.values().any(|original| original == bytes);
            if !known(&self.before)
                && !known(&self.after)
                && !copy
                && (is_backup(name) || !is_ours(name.as_ref()))
            {
                out.push(format!("{path} is half-written"));
            }
        }
        for (name, bytes) in &self.before {
            if !files.values().any(|found| found == bytes) {
                out.push(format!("{name} is lost"));
            }
        }
        out
    }
}
