//! `galatea graft`: a part of one model in another.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::combine::{GraftOptions, graft};
use galatea::disk;

use super::combined::{Outcome, Told, explain, failed, open, vector};
use crate::Exit;

#[derive(Args)]
#[command(after_help = "A weapon:   galatea graft axe.mdx grunt.mdx --at 'Hand Right Ref' -o armed.mdx\n\
    A head:     galatea graft knight.mdx/Bone_Head footman.mdx --at Bone_Chest -o new.mdx\n\
    In KotOR:   galatea graft w_blstr_001.mdl n_guard.mdl --at rhand -o armed.mdl\n\
    In FMDL:    galatea graft hat.fmdl/MESH_hat body.fmdl --at SKL_004_HEAD -o new.fmdl")]
pub(crate) struct Options {
    /// The model that has the part; with /NODE behind, that node and all below it
    #[arg(value_name = "FROM[/NODE]")]
    from: PathBuf,
    /// The model that gets it
    #[arg(value_name = "TO")]
    to: PathBuf,
    /// The node of TO that the part goes on; in FMDL a bone or a mesh group
    #[arg(long, value_name = "NODE")]
    at: String,
    /// The node of FROM, if its name cannot stand behind the path
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Move the part besides, in the units of TO
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, default_value = "0,0,0", allow_hyphen_values = true)]
    offset: [f32; 3],
    /// Leave the part where it is in FROM, instead of as far from its new parent as from the old one
    #[arg(long)]
    keep_place: bool,
    #[command(flatten)]
    outcome: Outcome,
}

/// Splits a path at its last `/` before which there is a file.
pub(super) fn node_of(path: &Path) -> Option<(PathBuf, String)> {
    let text = path.to_str()?;
    let is_file = |path: &Path| {
        !disk::is_folder(path)
            && disk::locate(path).is_ok()
            && (path.is_file() || disk::load(&disk::Job::new(path)).is_ok())
    };
    if is_file(path) {
        return None;
    }
    text.rmatch_indices('/').find_map(|(at, _)| {
        let (file, node) = text.split_at_checked(at)?;
        let node = node.strip_prefix('/')?;
        (!node.is_empty() && is_file(Path::new(file))).then(|| (PathBuf::from(file), node.to_owned()))
    })
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let (path, node) = match (node_of(&self.from), &self.node) {
            (Some(_), Some(_)) => {
                return Ok(failed("the node is named behind FROM and by --node; one of them is enough"));
            }
            (Some((path, node)), None) => (path, Some(node)),
            (None, node) => (self.from.clone(), node.clone()),
        };
        let inputs: [&Path; 2] = [&path, &self.to];
        let opened = open(&path).and_then(|from| Ok((from, open(&self.to)?)));
        let (from, mut to) = match opened {
            Ok(opened) => opened,
            Err(error) => return Ok(failed(&error)),
        };
        let options = GraftOptions::default()
            .with_node(node)
            .with_at(self.at.clone())
            .with_offset(self.offset)
            .with_keep_place(self.keep_place);
        match graft(from.document.as_ref(), to.document.as_mut(), &options) {
            Ok(done) => self.outcome.finish(to.document.as_ref(), &inputs, &Told::of(done)),
            Err(error) => Ok(failed(&explain(&error, &inputs))),
        }
    }
}
