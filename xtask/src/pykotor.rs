//! `cargo xtask pykotor`: archives of KotOR as PyKotor reads them.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use galatea::Limits;
use galatea::archive::key::Key;
use galatea::archive::{Kind, open_bytes};
use serde_json::{Value, json};

use crate::gltf::tools;
use crate::{Outcome, root, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder, searched recursively
    folder: PathBuf,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let python = python()?;
        let out = target().join("pykotor");
        let mut index = Vec::new();
        for path in galatea_corpus::files(&self.folder, &[".erf", ".mod", ".sav", ".hak", ".rim", ".key"]) {
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            match dump(&out, index.len(), &path, bytes) {
                Ok(Some(line)) => index.push(line),
                Ok(None) => println!("{}: not an archive of KotOR", path.display()),
                Err(error) => println!("{}: {error}", path.display()),
            }
        }
        std::fs::write(out.join("index.json"), json!(index).to_string()).map_err(|e| e.to_string())?;
        run(
            Command::new(python).arg(root().join("xtask/kotor/compare.py")).arg(&out),
            "the comparison with PyKotor",
        )
    }
}

/// Returns a Python with PyKotor.
fn python() -> Result<PathBuf, String> {
    let home = tools("pykotor");
    let python = home.join("bin/python");
    if !home.join("ready").is_file() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&home), "python3 -m venv")?;
        run(
            Command::new(&python).args(["-m", "pip", "install", "-q", "pykotor==2.3.12"]),
            "installing PyKotor",
        )?;
        std::fs::write(home.join("ready"), "").map_err(|e| e.to_string())?;
    }
    Ok(python)
}

/// Writes the files of an archive, for the other reader to compare; of a KEY its names with their ids.
fn dump(out: &Path, number: usize, path: &Path, bytes: Vec<u8>) -> Result<Option<Value>, String> {
    let limits = Limits::default();
    let archive = open_bytes(bytes.clone(), &limits).map_err(|e| e.to_string())?;
    let kind = archive.kind();
    if !matches!(kind, Kind::Erf | Kind::Rim | Kind::Key) {
        return Ok(None);
    }
    let ids: Vec<u32> = match kind {
        Kind::Key => {
            Key::open(&bytes, None, &limits).map_err(|e| e.to_string())?.names.iter().map(|n| n.id).collect()
        }
        _ => Vec::new(),
    };
    let place = out.join(number.to_string());
    std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        let Some(entry) = archive.entry(index) else { continue };
        if let Some(id) = ids.get(index) {
            entries.push(json!({ "name": entry.name, "id": id }));
            continue;
        }
        let bytes = archive.read_entry(index, &limits).map_err(|e| e.to_string())?;
        let file = format!("{number}/{index}");
        std::fs::write(out.join(&file), bytes).map_err(|e| e.to_string())?;
        entries.push(json!({ "name": entry.name, "path": file }));
    }
    Ok(Some(json!({ "path": path, "kind": kind.name(), "entries": entries })))
}
