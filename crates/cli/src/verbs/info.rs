//! `galatea info`: one line per file.

use std::io;

use clap::Args;
use serde_json::json;

use crate::Exit;
use crate::batch::{self, Inputs};
use crate::terminal::Table;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
}

const HEAD: &[&str] =
    &["file", "format", "version", "nodes", "meshes", "vertices", "triangles", "bones", "clips", "bytes"];

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let mut table = Table::new(HEAD);
        let tally = self.inputs.run(
            |job| {
                let opened = batch::open(job)?;
                Ok((opened.document.format().name, opened.document.summary(), opened.loaded.size()))
            },
            |path, result, out| match result {
                Ok((format, s, bytes)) if self.inputs.json => {
                    let line = json!({
                        "path": path, "format": format, "version": s.version, "nodes": s.nodes, "meshes": s.meshes,
                        "vertices": s.vertices, "triangles": s.triangles, "bones": s.bones, "clips": s.clips,
                        "bytes": bytes,
                    });
                    writeln!(out, "{line}")
                }
                Ok((format, s, bytes)) => {
                    let numbers = [s.nodes, s.meshes, s.vertices, s.triangles, s.bones, s.clips, bytes];
                    let words = [path, format, &s.version].map(str::to_owned);
                    table.row(words.into_iter().chain(numbers.map(|n| n.to_string())).collect(), out)
                }
                Err(failure) if self.inputs.json => {
                    writeln!(out, "{}", json!({ "path": path, "error": batch::error_json(&failure) }))
                }
                Err(_) => Ok(()),
            },
        )?;
        table.finish(&mut io::stdout().lock())?;
        Ok(tally.exit(false))
    }
}
