//! `galatea pack`: an archive from the files of a folder.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use galatea::disk;

use crate::Exit;
use crate::outputs;
use crate::terminal::{complain, reason, show};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder with the files; their paths below it become their names
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The archive to make; its extension selects the kind: erf, mod, rim, fpk, fpkd, pftxs, mpq, w3x, zip
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        if !self.folder.is_dir() {
            complain(format_args!("{}: no such folder", show(&self.folder)));
            return Ok(Exit::Usage);
        }
        outputs::recover(std::slice::from_ref(&self.output));
        let packed = disk::pack(&self.folder, &self.output).and_then(|(bytes, files)| {
            disk::write(&self.output, &bytes, self.force)?;
            Ok((bytes.len(), files))
        });
        match packed {
            Ok((bytes, files)) => {
                writeln!(io::stdout().lock(), "{}: {files} files, {bytes} bytes", show(&self.output))?;
                Ok(Exit::Fine)
            }
            Err(error) => {
                complain(format_args!("{}: {}", show(&self.output), reason(&error)));
                Ok(Exit::AllFailed)
            }
        }
    }
}
