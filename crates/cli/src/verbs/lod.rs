//! `galatea lod`: levels of detail.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use galatea::Document;
use galatea::disk::{self, Job};
use galatea::fox::Fmdl;
use galatea::mdlx::Model;

use crate::Exit;
use crate::batch;
use crate::terminal::{complain, reason, show};

#[derive(Args)]
#[command(
    after_help = "All levels of an FMDL share their vertices. In a Warcraft III model each level has geosets of its own."
)]
pub(crate) struct Options {
    /// A Fox Engine model (fmdl), or a Warcraft III model of version 900 or later (mdx)
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Number of levels to write, the finest included; 1 removes all others
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..=8))]
    levels: u32,
    /// Share of the triangles of a level that the next one keeps
    #[arg(long, value_name = "R", default_value = "0.5", value_parser = share)]
    ratio: f32,
    /// Replace an existing file; a replaced input is kept as FILE.bak
    #[arg(long)]
    force: bool,
}

fn share(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "a number between 0 and 1".to_owned())?;
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err("a number between 0 and 1".into()) }
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let failed = |error: String| {
            complain(format_args!("{error}"));
            Ok(Exit::AllFailed)
        };
        let job = Job::new(&self.input);
        let mut opened = match batch::open(&job) {
            Ok(opened) => opened,
            Err(error) => return failed(format!("{}: {error}", show(&self.input))),
        };
        let lines = match self.make(opened.document.as_mut()) {
            Ok(lines) => lines,
            Err(error) => return failed(format!("{}: {error}", show(&self.input))),
        };
        let written = match opened.document.write() {
            Ok(written) => written,
            Err(error) => return failed(format!("{}: {error}", show(&self.output))),
        };
        let same = |path: &std::path::Path| path.canonicalize().ok() == self.input.canonicalize().ok();
        let policy = disk::Policy::force(self.force).with_precious(Some(&same));
        if let Err(error) = disk::write_output_with(&self.output, &written, &policy) {
            return failed(format!("{}: {}", show(&self.output), reason(&error)));
        }
        let mut out = io::stdout().lock();
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(Exit::Fine)
    }

    /// Makes the levels, and returns a line for each.
    fn make(&self, document: &mut dyn Document) -> Result<Vec<String>, String> {
        let shares: Vec<f32> = (1..self.levels).map(|level| self.ratio.powi(level as i32)).collect();
        let format = document.format().name;
        let any = document.as_any_mut();
        let mut counts = vec![0usize; self.levels as usize];
        if let Some(model) = any.downcast_mut::<Fmdl>() {
            match shares.is_empty() {
                true => model.drop_levels(),
                false => model.generate_levels(&shares),
            }
            for mesh in &model.meshes {
                (0..).zip(&mut counts).for_each(|(level, count)| *count += mesh.faces(level).len());
            }
        } else if let Some(model) = any.downcast_mut::<Model>() {
            match shares.is_empty() {
                true => model.drop_levels(),
                false => model.generate_levels(&shares).map_err(|e| e.to_string())?,
            }
            for geoset in &model.geosets {
                let level = usize::try_from(geoset.lod.max(0)).unwrap_or(0);
                counts.get_mut(level).into_iter().for_each(|c| *c += geoset.faces.len() / 3);
            }
        } else {
            return Err(format!("is {format}; only fmdl and mdx have levels of detail"));
        }
        let line = |(level, count)| format!("level {level}: {count} triangles");
        Ok(counts.into_iter().enumerate().map(line).collect())
    }
}
