//! `galatea split`: one model as several.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use galatea::combine::{Combined, Piece, SplitBy, SplitOptions, portrait, split, split_at_limits};
use galatea::fox::SplitLimits;
use galatea::{ConvertOptions, Document, Limits, SceneContext, convert, file_names};
use serde_json::json;

use super::combined::{Outcome, Told, explain, failed, open};
use crate::Exit;
use crate::batch::Opened;
use crate::terminal::show;

#[derive(Args)]
#[command(after_help = "Pieces:    galatea split footman.mdx -o pieces --by material\n\
    A head:    galatea split footman.mdx -o pieces --by bone --bones Bone_Head\n\
    Portrait:  galatea split footman.mdx -o footman_portrait.mdx --portrait\n\
    Limits:    galatea split body.fmdl -o new.fmdl --limits")]
pub(crate) struct Options {
    /// The model
    #[arg(value_name = "MODEL")]
    input: PathBuf,
    /// What the pieces are
    #[arg(long, value_name = "WHAT", default_value = "mesh")]
    by: By,
    /// Of these bones, with all below them, each is a piece, and the rest is another; with --by bone
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    bones: Vec<String>,
    /// Give every piece the whole skeleton, not only the bones that it needs
    #[arg(long)]
    skeleton: bool,
    /// Make the portrait of a Warcraft III model: its head as the camera sees it
    #[arg(long, conflicts_with_all = ["by", "bones", "skeleton", "limits"])]
    portrait: bool,
    /// Split the meshes of an FMDL that have more bones, vertices or triangles than the game draws; it stays one model
    #[arg(long, conflicts_with_all = ["by", "bones", "skeleton"])]
    limits: bool,
    /// With --limits: how many bones a mesh may have
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u32).range(1..=32), requires = "limits")]
    max_bones: u32,
    /// With --limits: how many vertices a mesh may have
    #[arg(long, value_name = "N", default_value = "65535", value_parser = clap::value_parser!(u32).range(3..=65535), requires = "limits")]
    max_vertices: u32,
    #[command(flatten)]
    outcome: Outcome,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// Every mesh: a node with a mesh, a geoset
    Mesh,
    /// All that has one material
    Material,
    /// All that one bone moves most
    Bone,
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let inputs: [&Path; 1] = [&self.input];
        let mut opened = match open(&self.input) {
            Ok(opened) => opened,
            Err(error) => return Ok(failed(&error)),
        };
        let document = opened.document.as_mut();
        let single = if self.portrait {
            Some(portrait(document))
        } else if self.limits {
            let limits = SplitLimits::default()
                .with_bones(self.max_bones as usize)
                .with_vertices(self.max_vertices as usize);
            let done = |count: usize| {
                let mut out = Combined::default();
                out.done.push(format!("{count} meshes were beyond the limits, and are split"));
                out
            };
            Some(split_at_limits(document, &limits).map(done))
        } else {
            None
        };
        match single {
            Some(Ok(done)) => self.outcome.finish(opened.document.as_ref(), &inputs, &Told::of(done)),
            Some(Err(error)) => Ok(failed(&explain(&error, &inputs))),
            None => self.pieces(&opened),
        }
    }

    fn pieces(&self, opened: &Opened) -> io::Result<Exit> {
        let inputs: [&Path; 1] = [&self.input];
        let by = match self.by {
            By::Mesh => SplitBy::Mesh,
            By::Material => SplitBy::Material,
            By::Bone => SplitBy::Bone,
        };
        let options =
            SplitOptions::default().with_by(by).with_bones(self.bones.clone()).with_skeleton(self.skeleton);
        let (pieces, done) = match split(opened.document.as_ref(), &options) {
            Ok(done) => done,
            Err(error) => return Ok(failed(&explain(&error, &inputs))),
        };
        let folder = self.outcome.output.clone().unwrap_or_default();
        if folder.is_file() {
            return Ok(failed(&format!("{}: is a file; the pieces go into a folder", show(&folder))));
        }
        let stem = file_names::stem(&self.input);
        let format = opened.document.format();
        let extension = format.write_extension.unwrap_or(format.name);
        let mut told = Told::of(done);
        let mut results: Vec<(PathBuf, Box<dyn Document>)> = Vec::new();
        let mut list = Vec::new();
        for piece in pieces {
            let Piece { name, document, .. } = piece;
            let summary = document.summary();
            told.lines.push(format!(
                "{name}: {} nodes, {} vertices, {} triangles",
                summary.nodes, summary.vertices, summary.triangles
            ));
            list.push(json!({ "name": name, "nodes": summary.nodes, "vertices": summary.vertices, "triangles": summary.triangles }));
            match self.in_format(document, opened) {
                Ok(document) => results.push((folder.join(format!("{stem}_{name}.{extension}")), document)),
                Err(error) => return Ok(failed(&format!("{}: {error}", show(&self.input)))),
            }
        }
        told.more = Some(json!({ "pieces": list }));
        told.folder = Some(folder);
        let results: Vec<(PathBuf, &dyn Document)> =
            results.iter().map(|(path, document)| (path.clone(), document.as_ref())).collect();
        self.outcome.finish_all(&results, &inputs, &told)
    }

    /// Returns a piece as text, if the model came from text.
    fn in_format(&self, piece: Box<dyn Document>, opened: &Opened) -> Result<Box<dyn Document>, String> {
        let format = opened.document.format().id;
        if piece.format().id == format {
            return Ok(piece);
        }
        let text = convert(piece.as_ref(), format, &ConvertOptions::default(), &SceneContext::new("piece"));
        let output = text.map_err(|error| error.to_string())?.output;
        galatea::open(&output.input(), &Limits::default()).map_err(|error| error.to_string())
    }
}
