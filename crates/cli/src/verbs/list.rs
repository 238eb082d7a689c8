//! `galatea list`: what archives hold.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use galatea::FormatId;
use galatea::archive::{Kind, Storage};
use galatea::disk::{self, ArchiveFolder, Glob, Place};
use serde_json::json;

use crate::Exit;
use crate::batch::{Failure, Tally};
use crate::terminal::{Table, complain, plain, show};

#[derive(Args)]
#[command(
    after_help = "An archive is a folder for all verbs: `galatea info map.w3x`, `galatea render chitin.key/c_bantha.mdl -o bantha.png`"
)]
pub(crate) struct Options {
    /// Archives, or folders inside of them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only files that match, such as '*.mdl' or 'data/**/*.mdl'
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// One JSON object per file, one line each
    #[arg(long)]
    json: bool,
}

const HEAD: &[&str] = &["file", "kind", "bytes", "packed"];

/// A file of an archive that a path means.
pub(super) struct Listed {
    pub(super) archive: Arc<ArchiveFolder>,
    pub(super) index: usize,
    /// Its path below the archive or folder that was named.
    pub(super) name: String,
}

/// Returns the files that a path means: all of an archive, those below a folder inside of one, or one.
pub(super) fn files(path: &Path, only: Option<&Glob>) -> Result<Vec<Listed>, Failure> {
    let (archive, folder) = match disk::locate(path).map_err(Failure::Io)? {
        Place::Folder(archive, folder) => (archive, folder),
        Place::Entry(archive, index) => match disk::archive(path).map_err(Failure::Io)? {
            Some(inner) => (inner, String::new()),
            None => {
                let name = archive.name(index).unwrap_or_default();
                let name = name.rsplit('/').next().unwrap_or("").to_owned();
                return Ok(vec![Listed { archive, index, name }]);
            }
        },
        _ if path.is_dir() => {
            return Err(Failure::Other("is a folder, not an archive".into()));
        }
        _ => match disk::archive(path).map_err(Failure::Io)? {
            Some(archive) => (archive, String::new()),
            None => {
                return Err(Failure::Other(
                    "is not an archive; `galatea formats` lists those that are read".into(),
                ));
            }
        },
    };
    let mut out = Vec::with_capacity(archive.archive().len());
    for index in 0..archive.archive().len() {
        let Some(name) = archive.name(index) else { continue };
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let inside = folder.is_empty()
            || name.get(..start - 1).is_some_and(|n| n.eq_ignore_ascii_case(&folder))
                && name.get(start - 1..start) == Some("/");
        let Some(name) = name.get(start..).filter(|_| inside) else { continue };
        if only.is_none_or(|glob| glob.fits_anywhere(name)) {
            out.push(Listed { archive: Arc::clone(&archive), index, name: name.to_owned() });
        }
    }
    Ok(out)
}

/// Returns what a file in an archive is, by its extension and the games that the archive belongs to; the extension itself for what
/// Galatea does not read.
fn kind(extension: &str, archive: Kind) -> String {
    let warcraft = matches!(archive, Kind::Mpq | Kind::Casc);
    let kotor = matches!(archive, Kind::Erf | Kind::Rim | Kind::Key | Kind::Bif);
    let by_game = match extension {
        "mdl" if warcraft => Some(FormatId::Mdl.name()),
        "mdl" if kotor => Some(FormatId::KotorMdl.name()),
        // It belongs to the MDL: not the format of this extension.
        "mdx" if kotor => Some(extension),
        "dds" if kotor => Some(FormatId::BiowareDds.name()),
        _ => None,
    };
    let archives =
        galatea::archive::FORMATS.iter().filter(|f| f.kind != Kind::Casc).map(|f| (f.extensions, f.name));
    let known = galatea::FORMATS.iter().map(|f| (f.extensions, f.name)).chain(archives);
    let known =
        || known.into_iter().find(|(extensions, _)| extensions.contains(&extension)).map(|(_, name)| name);
    by_game.or_else(known).unwrap_or(extension).to_owned()
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let only = self.only.as_deref().map(Glob::new);
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut table = Table::new(HEAD);
        let mut tally = Tally { inputs: self.paths.len(), failed: 0 };
        for path in &self.paths {
            match files(path, only.as_ref()) {
                Ok(files) => files.iter().try_for_each(|file| self.line(path, file, &mut table, &mut out))?,
                Err(failure) => {
                    tally.failed += 1;
                    complain(format_args!("{}: {failure}", show(path)));
                }
            }
        }
        table.finish(&mut out)?;
        out.flush()?;
        Ok(tally.exit(false))
    }

    fn line(&self, path: &Path, file: &Listed, table: &mut Table, out: &mut dyn Write) -> io::Result<()> {
        let Some(entry) = file.archive.archive().entry(file.index) else { return Ok(()) };
        let kind = kind(&entry.extension(), file.archive.archive().kind());
        if self.json {
            let storage = match entry.storage {
                Storage::Stored => "stored",
                Storage::Packed => "packed",
                Storage::Encrypted => "encrypted",
                _ => "missing",
            };
            let line = json!({
                "archive": show(path), "name": file.name, "kind": kind, "bytes": entry.size, "packed": entry.packed,
                "offset": entry.offset, "storage": storage, "nameless": entry.nameless,
            });
            return writeln!(out, "{line}");
        }
        // Of several archives, each file with its own.
        let name = if self.paths.len() > 1 { show(&path.join(&file.name)) } else { plain(&file.name) };
        table.row(vec![name, kind, entry.size.to_string(), entry.packed.to_string()], out)
    }
}
