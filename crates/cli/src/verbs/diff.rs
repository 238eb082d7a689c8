//! `galatea diff`: what differs between two files.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use galatea::Comparison;
use galatea::disk::Job;
use serde_json::json;

use crate::Exit;
use crate::batch;
use crate::terminal::{complain, show};

#[derive(Args)]
pub(crate) struct Options {
    /// The first file
    #[arg(value_name = "A")]
    left: PathBuf,
    /// The second file
    #[arg(value_name = "B")]
    right: PathBuf,
    /// By how much numbers may differ
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    tolerance: f32,
    /// Compare triangles as sets: the order of vertices and triangles does not count, and weights belong to bones by name
    #[arg(long)]
    unordered: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let mut opened = Vec::new();
        for path in [&self.left, &self.right] {
            if path.is_dir() {
                complain(format_args!("{}: is a folder; `diff` compares two files", show(path)));
                return Ok(Exit::Usage);
            }
            match batch::open(&Job::new(path.clone())) {
                Ok(o) => opened.push(o),
                Err(failure) => complain(format_args!("{}: {failure}", show(path))),
            }
        }
        let [left, right] = opened.as_slice() else {
            return Ok(if opened.is_empty() { Exit::AllFailed } else { Exit::SomeFailed });
        };
        let (a, b) = (left.document.format().name, right.document.format().name);
        let how = Comparison::default().with_tolerance(self.tolerance).with_unordered(self.unordered);
        let differences = galatea::compare(left.document.as_ref(), right.document.as_ref(), &how);
        let Some(differences) = differences else {
            complain(format_args!(
                "{} is {a}, {} is {b}: convert one of them first",
                show(&self.left),
                show(&self.right)
            ));
            return Ok(Exit::Usage);
        };
        let same_bytes =
            left.loaded.bytes == right.loaded.bytes && left.loaded.companions == right.loaded.companions;
        let mut out = io::stdout().lock();
        if self.json {
            let line = json!({
                "left": show(&self.left), "right": show(&self.right), "format": a, "identical": same_bytes,
                "differences": differences,
            });
            writeln!(out, "{line}")?;
        } else {
            for line in &differences {
                writeln!(out, "{line}")?;
            }
            if differences.is_empty() && !same_bytes {
                let loose = self.unordered || self.tolerance > 0.0;
                let what = if loose { "no difference that counts" } else { "only the layout differs" };
                writeln!(out, "{what}")?;
            }
        }
        let same = differences.is_empty() && (same_bytes || self.unordered || self.tolerance > 0.0);
        Ok(if same { Exit::Fine } else { Exit::Findings })
    }
}
