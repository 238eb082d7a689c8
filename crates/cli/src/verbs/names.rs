//! `galatea names` and `galatea hash`: the Fox Engine's hashed names.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use galatea::disk;
use galatea::fox::{Dictionary, Fmdl, hash_word};
use serde_json::json;

use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::terminal::{complain, show};

#[derive(Args)]
pub(crate) struct Names {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    dictionaries: Dictionaries,
    /// List only names that no dictionary resolves
    #[arg(long)]
    unresolved: bool,
}

/// Where texts for hashes come from.
#[derive(Args)]
pub(crate) struct Dictionaries {
    /// More dictionaries: text files with one name or path per line
    #[arg(long, value_name = "FILE", num_args = 1..)]
    names: Vec<PathBuf>,
}

impl Dictionaries {
    /// Built-in words, the user's folder, then the files given. The error names the file that could not be read.
    pub(crate) fn load(&self) -> Result<Dictionary, String> {
        disk::dictionary(&self.names).map_err(|(path, e)| format!("{}: {}", show(&path), Failure::Io(e)))
    }
}

impl Names {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let dictionary = match self.dictionaries.load() {
            Ok(dictionary) => dictionary,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let (mut total, mut known) = (0usize, 0usize);
        let tally = self.inputs.run(
            |job| {
                let opened = batch::open(job)?;
                let format = opened.document.format().name;
                match opened.document.as_any().downcast_ref::<Fmdl>() {
                    Some(model) => Ok(model.names()),
                    None => Err(Failure::Other(format!("is {format}; only Fox Engine models have hashed names"))),
                }
            },
            |path, result, out| {
                let names = match result {
                    Ok(names) => names,
                    Err(failure) if self.inputs.json => {
                        return writeln!(out, "{}", json!({ "path": path, "error": batch::error_json(&failure) }));
                    }
                    Err(_) => return Ok(()),
                };
                let resolved: Vec<Option<String>> = names.iter().map(|n| n.resolve(&dictionary)).collect();
                total += names.len();
                known += resolved.iter().flatten().count();
                if self.inputs.json {
                    let list: Vec<_> = names
                        .iter()
                        .zip(&resolved)
                        .filter(|(_, text)| !self.unresolved || text.is_none())
                        .map(|(n, text)| json!({ "kind": n.kind.to_string(), "hash": format!("0x{:x}", n.code()), "name": text }))
                        .collect();
                    return writeln!(out, "{}", json!({ "path": path, "names": list }));
                }
                for (name, text) in names.iter().zip(&resolved).filter(|(_, text)| !self.unresolved || text.is_none()) {
                    let text = text.as_deref().map_or("?".into(), galatea::wire::escape);
                    writeln!(out, "{path}\t{}\t0x{:x}\t{text}", name.kind, name.code())?;
                }
                Ok(())
            },
        )?;
        if !self.inputs.json && total > 0 {
            eprintln!("{known} of {total} names known; --names FILE adds a dictionary");
        }
        Ok(tally.exit(false))
    }
}

#[derive(Args)]
pub(crate) struct Hash {
    /// Names or paths
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// One JSON object per word
    #[arg(long)]
    json: bool,
}

impl Hash {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let mut out = io::stdout().lock();
        for word in &self.words {
            let hashes = hash_word(word);
            let [name, short, path] = [hashes.str_code64, hashes.str_code32.into(), hashes.path_code64]
                .map(|h: u64| format!("0x{h:x}"));
            if self.json {
                let line =
                    json!({ "word": word, "str_code64": name, "str_code32": short, "path_code64": path });
                writeln!(out, "{line}")?;
            } else {
                let word = galatea::wire::escape(word);
                writeln!(out, "{word}\tStrCode64 {name}\tStrCode32 {short}\tPathCode64 {path}")?;
            }
        }
        Ok(Exit::Fine)
    }
}
