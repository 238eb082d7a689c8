//! `galatea walk rebuild`: derived tables thrown away and derived again.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use galatea::disk::{self, Job};
use galatea::kotor::bwm::Walkmesh;
use galatea::kotor::surface::{self, Walkability};
use serde_json::json;

use crate::Exit;
use crate::batch;
use crate::terminal::{complain, reason, show};

#[derive(Args)]
pub(crate) struct Rebuild {
    /// The walkmesh (WOK, PWK or DWK)
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Where to write it
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Treat this material as walkable (name or number)
    #[arg(long, value_name = "MATERIAL", value_parser = material)]
    walkable: Vec<u32>,
    /// Treat this material as not walkable (name or number), such as 16, the bottomless pit
    #[arg(long, value_name = "MATERIAL", value_parser = material)]
    not_walkable: Vec<u32>,
    /// Join vertices that are no further apart than this
    #[arg(long, value_name = "DISTANCE")]
    weld: Option<f32>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

fn material(text: &str) -> Result<u32, String> {
    surface::by_name(text)
        .ok_or_else(|| format!("no material is called `{text}`; try Dirt, Metal, Lava or a number"))
}

impl Rebuild {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let mut opened = match batch::open(&Job::new(self.input.clone())) {
            Ok(opened) => opened,
            Err(_) if self.input.is_dir() => {
                complain(format_args!("{}: is a folder; `walk rebuild` takes one file", show(&self.input)));
                return Ok(Exit::Usage);
            }
            Err(failure) => {
                complain(format_args!("{}: {failure}", show(&self.input)));
                return Ok(Exit::AllFailed);
            }
        };
        let format = opened.document.format();
        let Some(mesh) = opened.document.as_any_mut().downcast_mut::<Walkmesh>() else {
            complain(format_args!("{}: is {}, not a walkmesh", show(&self.input), format.name));
            return Ok(Exit::Usage);
        };
        let walkability = self.walkable.iter().fold(Walkability::default(), |w, m| w.with(*m, true));
        let walkability = self.not_walkable.iter().fold(walkability, |w, m| w.with(*m, false));
        let before = mesh.clone();
        if let Some(tolerance) = self.weld
            && let Err(error) = mesh.weld(tolerance, &walkability)
        {
            complain(format_args!("{error}"));
            return Ok(Exit::Usage);
        }
        let lost = mesh.rebuild(&walkability);
        let written = mesh.write().map_err(io::Error::other)?;
        crate::outputs::recover(std::slice::from_ref(&self.output));
        if let Err(error) = disk::write(&self.output, &written, self.force) {
            complain(format_args!("{}: {}", show(&self.output), reason(&error)));
            return Ok(Exit::AllFailed);
        }
        let differences = before.differences(mesh);
        let mut out = io::stdout().lock();
        if self.json {
            let lost: Vec<_> =
                lost.iter().map(|e| json!({ "edge": e.edge, "transition": e.transition })).collect();
            let line = json!({
                "path": show(&self.input), "output": show(&self.output), "changes": differences,
                "lost_transitions": lost,
            });
            writeln!(out, "{line}")?;
        } else {
            for line in &differences {
                writeln!(out, "{line}")?;
            }
            for edge in &lost {
                writeln!(
                    out,
                    "lost: transition {} of edge {}, which is no border edge",
                    edge.transition, edge.edge
                )?;
            }
            let (faces, edges, nodes) = (mesh.faces.len(), mesh.edges.len(), mesh.aabb.len());
            let (walkable, loops) = (mesh.adjacency.len(), mesh.perimeters.len());
            writeln!(
                out,
                "{}: {faces} faces ({walkable} walkable), {edges} border edges in {loops} loops, {nodes} boxes",
                show(&self.output)
            )?;
        }
        Ok(Exit::Fine)
    }
}
