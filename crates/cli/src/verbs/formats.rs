//! `galatea formats`: what Galatea knows.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use crate::Exit;
use crate::terminal::Table;

#[derive(Args)]
pub(crate) struct Options {
    /// One JSON object per format, one line each
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let mut out = io::stdout().lock();
        let mut table = Table::new(&["format", "extensions", "rules", "what it is"]);
        for format in galatea::FORMATS {
            if self.json {
                let line = json!({
                    "name": format.name, "title": format.title, "extensions": format.extensions,
                    "companions": format.companions, "rules": format.rules.len() + format.rules_beside.len(),
                });
                writeln!(out, "{line}")?;
            } else {
                let mut extensions: Vec<&str> = format.extensions.to_vec();
                extensions.extend(format.companions);
                let rules = (format.rules.len() + format.rules_beside.len()).to_string();
                table.row(
                    vec![format.name.into(), extensions.join(" "), rules, format.title.into()],
                    &mut out,
                )?;
            }
        }
        for archive in galatea::archive::FORMATS {
            if self.json {
                let line = json!({
                    "name": archive.name, "title": archive.title, "extensions": archive.extensions,
                    "rules": archive.rules.len(), "archive": true, "writable": archive.writable(),
                });
                writeln!(out, "{line}")?;
            } else {
                let (extensions, rules) = (archive.extensions.join(" "), archive.rules.len().to_string());
                let read_only = if archive.writable() { "" } else { "; read only" };
                let what = format!("archive: {}{read_only}", archive.title);
                table.row(vec![archive.name.into(), extensions, rules, what], &mut out)?;
            }
        }
        table.finish(&mut out)?;
        Ok(Exit::Fine)
    }
}
