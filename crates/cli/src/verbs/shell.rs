//! `galatea completions` and `galatea man`: what a shell and a manual want.

use std::io::{self, Write};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{Exit, Program};

#[derive(Args)]
pub(crate) struct Completions {
    /// bash, elvish, fish, powershell or zsh
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Program::command(), "galatea", &mut text);
        io::stdout().lock().write_all(&text)?;
        Ok(Exit::Fine)
    }
}

pub(crate) fn man() -> io::Result<Exit> {
    let mut text = Vec::new();
    let mut command = Program::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for verb in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        clap_mangen::Man::new(verb.clone()).render(&mut text)?;
    }
    io::stdout().lock().write_all(&text)?;
    Ok(Exit::Fine)
}
