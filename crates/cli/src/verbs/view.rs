//! `galatea view`: opens the workshop, the window of Galatea, if it is installed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::Exit;
use crate::terminal::{complain, reason, show};

/// The name of the program that has the window.
const PROGRAM: &str = "galatea-workshop";

#[derive(Args)]
#[command(
    after_help = "The window is a program of its own, `galatea-workshop`, beside `galatea` or on the PATH."
)]
pub(crate) struct Options {
    /// Files, folders, archives or the folder of a game
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Wait until the window is closed
    #[arg(long)]
    wait: bool,
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        if let Some(missing) = self.paths.iter().find(|path| galatea::disk::locate(path).is_err()) {
            complain(format_args!("{}: no such file or folder", show(missing)));
            return Ok(Exit::Usage);
        }
        let mut command = Command::new(program());
        // A path that begins with a dash is no option.
        command.args(
            self.paths
                .iter()
                .map(|path| if path.is_relative() { Path::new(".").join(path) } else { path.clone() }),
        );
        let started = if self.wait { command.status().map(|_| ()) } else { command.spawn().map(|_| ()) };
        match started {
            Ok(()) => Ok(Exit::Fine),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                complain(format_args!(
                    "the window is not installed: `cargo install --path crates/workshop` in a checkout of Galatea builds it, \
                     and it is found beside `galatea` or on the PATH; `galatea render` draws images without it"
                ));
                Ok(Exit::AllFailed)
            }
            Err(error) => {
                complain(format_args!("{PROGRAM} could not be started: {}", reason(&error)));
                Ok(Exit::AllFailed)
            }
        }
    }
}

/// Returns the program beside this one, or its name for the PATH.
fn program() -> PathBuf {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|here| Some(here.parent()?.join(&name)));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name))
}
