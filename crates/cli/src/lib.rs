//! The program `galatea`: thin glue over the library. Each verb is one file under `verbs`.
//!
//! [`run`] is the whole program, for its binary and for `python -m galatea`. Everything else of it is for people, not for
//! programs: those use the crate `galatea`.

mod batch;
mod outputs;
mod terminal;
mod verbs;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{CommandFactory, Parser};
use galatea::disk;

/// Opens the 3D models of KotOR, Warcraft III, WoW alpha and the Fox Engine, and keeps every byte.
#[derive(Parser)]
#[command(name = "galatea", version, arg_required_else_help = true)]
#[command(after_help = "`galatea FILE` alone means `galatea info FILE`.\n\
    Exit codes: 0 fine, 1 findings or differences, 2 wrong usage, 3 some inputs failed, 4 all inputs failed.")]
struct Program {
    #[command(subcommand)]
    verb: verbs::Verb,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    Fine = 0,
    Findings = 1,
    Usage = 2,
    SomeFailed = 3,
    AllFailed = 4,
}

/// Runs the program with these arguments, of which the first is its name, and returns its exit code.
///
/// It writes to standard output and standard error. Where nothing else handles Ctrl-C yet, a batch handles it from then on: it ends
/// behind the files that it is working on.
///
/// ```
/// assert_eq!(galatea_cli::run(["galatea", "explain", "KBWM0009"]), 0);
/// assert_eq!(galatea_cli::run(["galatea", "explain", "nothing"]), 2);
/// ```
pub fn run(args: impl IntoIterator<Item = impl Into<OsString>>) -> u8 {
    let code = exit_code(with_default_verb(args.into_iter().map(Into::into).collect()));
    // A library has no end of the program at which this would happen. Nobody is left to be told of a failure.
    let _ = io::stdout().flush();
    code
}

fn exit_code(args: Vec<OsString>) -> u8 {
    disk::keep_indices(disk::cache_folder());
    let program = match Program::try_parse_from(args) {
        Ok(program) => program,
        Err(error) => {
            // Help and version are not errors and go to standard output; a closed pipe there is no concern.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage as u8 } else { Exit::Fine as u8 };
        }
    };
    match program.verb.run() {
        Ok(exit) => exit as u8,
        // Whoever read our output has enough of it: not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Fine as u8,
        // The user stopped it, and was told so.
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 130,
        Err(error) => {
            terminal::complain(format_args!("{error}"));
            Exit::AllFailed as u8
        }
    }
}

/// Puts `info` in front of a first argument that is a path rather than a verb.
fn with_default_verb(mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = args.get(1).map(|a| a.to_string_lossy().into_owned()) else { return args };
    let is_verb = first == "help" || Program::command().find_subcommand(&first).is_some();
    let is_path = first == "-" || first.contains(['.', '/', '\\']) || std::path::Path::new(&first).exists();
    if !is_verb && is_path && (first == "-" || !first.starts_with('-')) {
        args.insert(1, "info".into());
    }
    args
}
