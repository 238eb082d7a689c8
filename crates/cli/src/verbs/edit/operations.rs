//! The operations of `galatea edit` in the order in which they stand on the command line.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use galatea::edit::{OPERATIONS, Operation, parse_list, parse_script};

use crate::terminal::show;

const SCRIPT: &str = "script";

/// The operations, and the scripts among them.
pub(super) struct Operations(Vec<Item>);

enum Item {
    Operation(String, String),
    Script(PathBuf),
}

impl Operations {
    /// Returns all operations in order, with those of the scripts.
    pub(super) fn load(&self) -> Result<Vec<Operation>, String> {
        let mut out = Vec::new();
        let mut list: Vec<(&str, &str)> = Vec::new();
        for item in &self.0 {
            match item {
                Item::Operation(name, value) => list.push((name, value)),
                Item::Script(path) => {
                    out.extend(parse_list(list.drain(..)).map_err(|error| error.to_string())?);
                    out.extend(script(path)?);
                }
            }
        }
        out.extend(parse_list(list).map_err(|error| error.to_string())?);
        Ok(out)
    }
}

fn script(path: &Path) -> Result<Vec<Operation>, String> {
    let bytes = galatea::disk::read(path).map_err(|error| format!("{}: {error}", show(path)))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{}: is not text in UTF-8", show(path)))?;
    parse_script(&text).map_err(|error| format!("{}: {error}", show(path)))
}

impl Args for Operations {
    fn augment_args(command: Command) -> Command {
        let mut command = command.next_help_heading("Operations, run in the order given");
        for info in OPERATIONS {
            let arg = Arg::new(info.name).long(info.name).value_name(info.value).help(info.help);
            command = command.arg(arg.action(ArgAction::Append).allow_hyphen_values(info.numbers));
        }
        let script = Arg::new(SCRIPT).long(SCRIPT).value_name("FILE").action(ArgAction::Append);
        let script = script.value_parser(clap::value_parser!(PathBuf));
        command.arg(script.help("Run the operations of a file, one per line, with or without the dashes"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Operations {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut found: Vec<(usize, Item)> = Vec::new();
        for info in OPERATIONS {
            let values = matches.get_many::<String>(info.name).into_iter().flatten();
            let places = matches.indices_of(info.name).into_iter().flatten();
            let item = |value: &String| Item::Operation(info.name.to_owned(), value.clone());
            found.extend(places.zip(values.map(item)));
        }
        let scripts = matches.get_many::<PathBuf>(SCRIPT).into_iter().flatten();
        let places = matches.indices_of(SCRIPT).into_iter().flatten();
        found.extend(places.zip(scripts.cloned().map(Item::Script)));
        if found.is_empty() {
            let what = "name what to change, such as --set FIELD=VALUE; `galatea edit --help` lists the operations\n";
            return Err(Error::raw(ErrorKind::MissingRequiredArgument, what));
        }
        found.sort_by_key(|(place, _)| *place);
        Ok(Operations(found.into_iter().map(|(_, item)| item).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
