//! `edit --texture` over a thousand files, beside `roundtrip` and the writing of as many files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use galatea::disk::{self, Policy};

use crate::{Outcome, root};

/// Files.
const FILES: usize = 1000;
/// Runs of each, of which the fastest counts.
const RUNS: usize = 5;
/// How many times as long as `roundtrip` and writing together an edit may take.
const MUST: f64 = 1.5;

/// A folder that is removed in the end.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Left over, it only takes space.
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn run() -> Outcome {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let program = program.with_file_name(format!("galatea{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        println!(
            "edit: no build of the program beside this one; `cargo build --profile dist -p galatea-cli` makes it"
        );
        return Ok(());
    }
    let place = Temporary(std::env::temp_dir().join(format!("galatea-edit-{}", std::process::id())));
    let (models, out) = (place.0.join("models"), place.0.join("out"));
    let failed = |e: std::io::Error| format!("{}: {e}", place.0.display());
    fs::create_dir_all(&models).map_err(failed)?;
    let model = fs::read(root().join("examples/statue_800.mdx")).map_err(failed)?;
    for number in 0..FILES {
        fs::write(models.join(format!("{number}.mdx")), &model).map_err(failed)?;
    }
    let (mut edit, mut roundtrip, mut writing) = (f64::MAX, f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        let to = out.to_string_lossy().into_owned();
        let arguments = ["--texture", "statue.blp=stone.blp", "-o", &to];
        edit = edit.min(timed(&program, "edit", &models, &arguments)?);
        fs::remove_dir_all(&out).map_err(failed)?;
        roundtrip = roundtrip.min(timed(&program, "roundtrip", &models, &[])?);
        fs::create_dir_all(&out).map_err(failed)?;
        let start = Instant::now();
        let files: Vec<usize> = (0..FILES).collect();
        write_all(&files, &out, &model)?;
        writing = writing.min(start.elapsed().as_secs_f64());
        fs::remove_dir_all(&out).map_err(failed)?;
    }
    let share = edit / (roundtrip + writing);
    println!(
        "edit --texture of {FILES} files: {:.0} ms; roundtrip {:.0} ms, writing {:.0} ms: {share:.2} x (at most {MUST}: {})",
        edit * 1e3,
        roundtrip * 1e3,
        writing * 1e3,
        if share <= MUST { "ok" } else { "ABOVE" }
    );
    Ok(())
}

/// Writes the files as the program does, on all cores.
fn write_all(files: &[usize], out: &Path, model: &[u8]) -> Outcome {
    use rayon::prelude::*;

    let output = galatea::Output::single(model.to_vec());
    files.par_iter().try_for_each(|number| {
        let path = out.join(format!("{number}.mdx"));
        disk::write_output_with(&path, &output, &Policy::force(false))
            .map_err(|e| format!("{}: {e}", path.display()))
    })
}

fn timed(program: &Path, verb: &str, folder: &Path, more: &[&str]) -> Result<f64, String> {
    let start = Instant::now();
    let status = Command::new(program).arg(verb).arg(folder).args(more).stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(start.elapsed().as_secs_f64()),
        Ok(status) => Err(format!("{verb}: {status}")),
        Err(error) => Err(format!("{verb}: {error}")),
    }
}
