//! `cargo xtask mpq`: MPQ archives as StormLib sees them, as they are and after an edit.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use clap::Args;
use galatea::Limits;
use galatea::archive::mpq::Mpq;
use galatea::archive::{Archive, Edit};
use serde_json::{Value, json};

use crate::gltf::packages;
use crate::{Outcome, root, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder, searched recursively
    folder: PathBuf,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let home = packages("stormjs", &["@wowserhq/stormjs@0.4.1"])?;
        let out = target().join("mpq");
        let mut index = Vec::new();
        for path in galatea_corpus::files(&self.folder, &[".mpq", ".w3m", ".w3x", ".w3n"]) {
            let title = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let mpq = match Mpq::open(Arc::new(bytes.clone()), &Limits::default()) {
                Ok(mpq) => mpq,
                Err(error) => {
                    println!("{title}: {error}");
                    continue;
                }
            };
            let place = out.join(index.len().to_string());
            index.push(dump(&out, &place, &title, bytes)?);
            let (edited, what) = edit(&mpq).map_err(|e| format!("{title}: {e}"))?;
            let place = out.join(index.len().to_string());
            index.push(dump(&out, &place, &format!("{title} with {what}"), edited)?);
        }
        std::fs::write(out.join("index.json"), json!(index).to_string()).map_err(|e| e.to_string())?;
        let mut node = Command::new("node");
        node.arg(root().join("xtask/mpq/compare.mjs")).arg(&out).env("STORMJS", &home);
        run(&mut node, "the comparison with StormLib")
    }
}

/// Replaces the first file that is not the archive's own, and adds one.
fn edit(mpq: &Mpq) -> galatea::Result<(Vec<u8>, String)> {
    let entries = (0..mpq.len()).filter_map(|index| mpq.entry(index));
    let own = |name: &str| name.starts_with('(');
    let first = entries
        .filter(|entry| !entry.nameless && !own(&entry.name))
        .map(|entry| entry.name.into_owned())
        .next();
    let mut edits = vec![Edit::put("war3mapImported/galatea.mdx", b"MDLX".repeat(2000))];
    edits.extend(first.iter().map(|name| Edit::put(name.clone(), b"replaced ".repeat(1000))));
    Ok((mpq.edited(&edits)?, format!("{} replaced", first.unwrap_or_default())))
}

/// Writes an archive and all its files, for the other reader to compare.
fn dump(out: &Path, place: &Path, title: &str, bytes: Vec<u8>) -> Result<Value, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", place.display());
    let relative = |name: &str| -> String {
        let path = place.join(name);
        path.strip_prefix(out).unwrap_or(&path).to_string_lossy().replace('\\', "/")
    };
    std::fs::create_dir_all(place).map_err(failed)?;
    std::fs::write(place.join("archive"), &bytes).map_err(failed)?;
    let limits = Limits::default();
    let mut mpq = Mpq::open(Arc::new(bytes), &limits).map_err(|e| format!("{title}: {e}"))?;
    mpq.recover_names(&limits);
    let mut files = Vec::new();
    for index in 0..mpq.len() {
        let Some(entry) = mpq.entry(index).filter(|entry| !entry.nameless) else { continue };
        let bytes = mpq.read_entry(index, &limits).map_err(|e| format!("{title}: {e}"))?;
        std::fs::write(place.join(index.to_string()), bytes).map_err(failed)?;
        files.push(json!({ "name": entry.name, "path": relative(&index.to_string()) }));
    }
    Ok(json!({ "title": title, "archive": relative("archive"), "files": files }))
}
