//! One file per verb.

mod check;
mod convert;
mod diff;
mod explain;
mod findings;
mod formats;
mod info;
mod inspect;
mod names;
mod pictures;
mod render;
mod roundtrip;
mod shell;
mod supermodels;
mod targets;
mod textures;
mod walk;

use std::io;

use clap::Subcommand;

use crate::Exit;

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// One line per file: format, version, nodes, meshes, vertices, triangles, bones, clips, size
    Info(info::Options),
    /// The field tree with offsets, what one byte is, or who owns every byte
    Inspect(inspect::Options),
    /// Read, write in memory, compare the bytes
    Roundtrip(roundtrip::Options),
    /// Check the rules of the format, and fix what can be fixed safely
    Check(check::Options),
    /// One form into another: binary, text, versions, glTF
    Convert(convert::Options),
    /// What differs between two files, in the document's words
    Diff(diff::Options),
    /// Pictures of models, as PNG
    Render(render::Options),
    /// Which textures models ask for, and which are missing or ambiguous
    Textures(textures::Options),
    /// Work on walkmeshes
    #[command(subcommand)]
    Walk(walk::Walk),
    /// The hashed names of Fox Engine models, resolved with dictionaries
    Names(names::Names),
    /// The hashes of a word: StrCode64 and PathCode64
    Hash(names::Hash),
    /// The formats Galatea knows
    Formats(formats::Options),
    /// What a rule means and what to do about it
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
            Verb::Diff(options) => options.run(),
            Verb::Render(options) => options.run(),
            Verb::Textures(options) => options.run(),
            Verb::Walk(verb) => verb.run(),
            Verb::Names(options) => options.run(),
            Verb::Hash(options) => options.run(),
            Verb::Formats(options) => options.run(),
            Verb::Explain(options) => options.run(),
            Verb::Completions(options) => options.run(),
            Verb::Man => shell::man(),
        }
    }
}
