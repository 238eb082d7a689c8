//! One file per verb.

mod check;
mod combined;
mod convert;
mod diff;
mod edit;
mod explain;
mod extract;
mod findings;
mod formats;
mod games;
mod graft;
mod info;
#[cfg(feature = "parquet")]
mod info_parquet;
mod inspect;
mod kotor_options;
mod list;
mod lod;
mod merge;
mod names;
mod optimize;
mod pack;
mod put;
mod render;
mod rewrite;
mod roundtrip;
mod shaders;
mod shell;
mod split;
mod targets;
mod texture_options;
mod textures;
mod transfer;
mod view;
mod walk;

use std::io;

use clap::Subcommand;

use crate::Exit;

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Print one line per file: format, version, nodes, meshes, vertices, triangles, bones, clips, size
    Info(info::Options),
    /// Print the field tree with offsets, or which field a byte belongs to
    Inspect(inspect::Options),
    /// Read and write in memory, and compare the bytes
    Roundtrip(roundtrip::Options),
    /// Check files against the rules of their format, and fix what can be fixed safely
    Check(check::Options),
    /// Convert between formats: binary, text, versions, glTF, textures
    Convert(convert::Options),
    /// Make levels of detail for Fox Engine models and Warcraft III models for Reforged
    Lod(lod::Options),
    /// Change fields, names, textures and more without an editor; everything else stays byte for byte
    Edit(edit::Options),
    /// Make models smaller without changing what is seen
    #[command(visible_alias = "optimise")]
    Optimize(optimize::Options),
    /// Put clips of one model on the skeleton of another
    Transfer(transfer::Options),
    /// Put a part of one model on a node of another: a weapon, an attachment, a head
    Graft(graft::Options),
    /// Make one model of several: parts over one skeleton, levels of detail level by level
    Merge(merge::Options),
    /// Make several models of one, by mesh, material or bone; portraits; FMDL meshes within the limits
    Split(split::Options),
    /// List what differs between two files, field by field
    Diff(diff::Options),
    /// Render models to PNG images
    Render(render::Options),
    /// Open the window, if it is installed: see, check, change and save
    View(view::Options),
    /// List the textures that models refer to, and which are missing or ambiguous
    Textures(textures::Options),
    /// Query and rebuild walkmeshes
    #[command(subcommand)]
    Walk(walk::Walk),
    /// List the files of archives: name, kind, size, packed size
    List(list::Options),
    /// Copy files out of archives
    Extract(extract::Options),
    /// Make an archive from the files of a folder
    Pack(pack::Options),
    /// Put files into an archive, or remove some
    Put(put::Options),
    /// List the games that are found on this machine
    Games(games::Options),
    /// List the hashed names of Fox Engine models, resolved with dictionaries
    Names(names::Names),
    /// Print the hashes of a word: StrCode64 and PathCode64
    Hash(names::Hash),
    /// List the shaders and presets of the Fox Engine with their texture slots and parameters
    Shaders(shaders::Options),
    /// List the formats that Galatea supports
    Formats(formats::Options),
    /// Explain a rule and what to do about it
    Explain(explain::Options),
    /// Print completions for a shell
    Completions(shell::Completions),
    /// Print the manual page
    Man,
}

impl Verb {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        match self {
            Verb::Info(options) => options.run(),
            Verb::Inspect(options) => options.run(),
            Verb::Roundtrip(options) => options.run(),
            Verb::Check(options) => options.run(),
            Verb::Convert(options) => options.run(),
            Verb::Lod(options) => options.run(),
            Verb::Edit(options) => options.run(),
            Verb::Optimize(options) => options.run(),
            Verb::Transfer(options) => options.run(),
            Verb::Graft(options) => options.run(),
            Verb::Merge(options) => options.run(),
            Verb::Split(options) => options.run(),
            Verb::Diff(options) => options.run(),
            Verb::Render(options) => options.run(),
            Verb::View(options) => options.run(),
            Verb::Textures(options) => options.run(),
            Verb::Walk(verb) => verb.run(),
            Verb::List(options) => options.run(),
            Verb::Extract(options) => options.run(),
            Verb::Pack(options) => options.run(),
            Verb::Put(options) => options.run(),
            Verb::Games(options) => options.run(),
            Verb::Names(options) => options.run(),
            Verb::Hash(options) => options.run(),
            Verb::Shaders(options) => options.run(),
            Verb::Formats(options) => options.run(),
            Verb::Explain(options) => options.run(),
            Verb::Completions(options) => options.run(),
            Verb::Man => shell::man(),
        }
    }
}
