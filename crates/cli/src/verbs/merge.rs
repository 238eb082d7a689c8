//! `galatea merge`: several models as one.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::Document;
use galatea::combine::merge;

use super::combined::{Outcome, Told, explain, failed, open};
use crate::Exit;
use crate::terminal::show;

#[derive(Args)]
#[command(after_help = "galatea merge body.fmdl head.fmdl arms.fmdl -o whole.fmdl\n\
    Bones of one name are one bone. Levels of detail stay levels. The clips are those of the first model.")]
pub(crate) struct Options {
    /// The models: the first one keeps all that it has, the parts of the others are added
    #[arg(value_name = "MODEL", num_args = 2.., required = true)]
    models: Vec<PathBuf>,
    #[command(flatten)]
    outcome: Outcome,
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let inputs: Vec<&Path> = self.models.iter().map(PathBuf::as_path).collect();
        for (at, path) in self.models.iter().enumerate() {
            let same = |other: &PathBuf| {
                other == path || path.canonicalize().is_ok_and(|p| other.canonicalize().ok() == Some(p))
            };
            if self.models.iter().take(at).any(same) {
                return Ok(failed(&format!("{}: is named twice", show(path))));
            }
        }
        let mut opened = Vec::new();
        for path in &self.models {
            match open(path) {
                Ok(one) => opened.push(one),
                Err(error) => return Ok(failed(&error)),
            }
        }
        let mut rest = opened.split_off(1);
        let Some(mut first) = opened.pop() else { return Ok(failed("name at least two models")) };
        let others: Vec<&dyn Document> = rest.iter_mut().map(|one| one.document.as_ref()).collect();
        match merge(first.document.as_mut(), &others) {
            Ok(done) => self.outcome.finish(first.document.as_ref(), &inputs, &Told::of(done)),
            Err(error) => Ok(failed(&explain(&error, &inputs))),
        }
    }
}
