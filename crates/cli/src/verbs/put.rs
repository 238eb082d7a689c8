//! `galatea put`: files into an archive, and out of it.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use galatea::archive::Edit;
use galatea::disk;

use crate::Exit;
use crate::outputs;
use crate::terminal::{complain, reason, show};

#[derive(Args)]
#[command(after_help = "All other files keep their bytes. The archive as it was is kept as ARCHIVE.bak.")]
pub(crate) struct Options {
    /// The archive to change; it may be inside of another one
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
    /// Files to put in: they replace those of the same name, or are added
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder inside of the archive to put them in, such as war3mapImported
    #[arg(long, value_name = "FOLDER")]
    into: Option<String>,
    /// Remove the file of this name from the archive
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Also replace a read-only archive
    #[arg(long)]
    force: bool,
}

impl Options {
    fn edits(&self) -> Result<Vec<Edit>, String> {
        let folder = self.into.as_deref().map_or("", |into| into.trim_matches(['/', '\\']));
        let mut edits: Vec<Edit> = self.remove.iter().map(|name| Edit::remove(name.as_str())).collect();
        for path in &self.files {
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| format!("{}: has no file name", show(path)))?;
            let name = if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{}/{name}", folder.replace('\\', "/"))
            };
            let bytes = disk::read(path).map_err(|error| format!("{}: {error}", show(path)))?;
            edits.push(Edit::put(name, bytes));
        }
        if edits.is_empty() { Err("name files to put in, or --remove NAME".into()) } else { Ok(edits) }
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let edits = match self.edits() {
            Ok(edits) => edits,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        outputs::recover(std::slice::from_ref(&self.archive));
        let all = |_: &std::path::Path| true;
        let policy = disk::Policy::force(self.force).with_replace(true).with_precious(Some(&all));
        if let Err(error) = disk::edit(&self.archive, &edits, &policy) {
            complain(format_args!("{}: {}", show(&self.archive), reason(&error)));
            return Ok(Exit::AllFailed);
        }
        let (put, removed) = (self.files.len(), self.remove.len());
        writeln!(io::stdout().lock(), "{}: {put} files put in, {removed} removed", show(&self.archive))?;
        Ok(Exit::Fine)
    }
}
