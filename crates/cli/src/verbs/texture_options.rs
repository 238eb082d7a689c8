//! Options on textures that several verbs share.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use galatea::disk::{Job, Supermodels};
use galatea::textures::{Images, Libraries, Textures};
use galatea::{ConvertOptions, Encoding, Format};

use super::games::GameDir;
use super::textures::folder_of;
use crate::terminal::show;

/// How textures are written.
#[derive(Args)]
pub(crate) struct Written {
    /// How a texture stores its pixels: raw, grey, bc1, bc3, bc5, bc7, jpeg or palette [default: by format and alpha]
    #[arg(long, value_name = "ENCODING", value_parser = encoding)]
    encoding: Option<Encoding>,
    /// Spread an FTEX over this many FTEXS files, as in MGSV; 0 keeps everything in one file, as in PES
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=5))]
    ftexs: u8,
    /// Where the images of a glTF go [default: embed for glb, beside for gltf]
    #[arg(long, value_enum, value_name = "WHERE")]
    images: Option<ImagesAt>,
}

fn encoding(text: &str) -> Result<Encoding, String> {
    let known = || Encoding::ALL.map(|(_, name)| name).join(", ");
    Encoding::named(text).ok_or_else(|| format!("can be {}", known()))
}

impl Written {
    pub(crate) fn options(&self) -> ConvertOptions {
        let images = self.images.map(Images::from);
        ConvertOptions::default().with_encoding(self.encoding).with_ftexs(self.ftexs).with_images(images)
    }
}

/// Where textures are looked for besides the folder of the model.
#[derive(Args)]
pub(crate) struct Folders {
    /// Search these folders and archives for textures before all others, in this order
    #[arg(long, value_name = "DIR", num_args = 1..)]
    textures: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) game: GameDir,
}

impl Folders {
    /// The textures of a run: those below the folders, and in the folder of every model.
    pub(crate) fn library(&self) -> Result<Libraries, String> {
        if let Some(bad) = self.textures.iter().find(|d| !galatea::disk::is_folder(d)) {
            return Err(format!("{}: no such folder", show(bad)));
        }
        let (libraries, failed) = Libraries::new(&self.textures);
        match failed.first() {
            Some((path, error)) => Err(format!("{}: {error}", show(path))),
            None => Ok(libraries.with_games(self.game.games()?)),
        }
    }
}

/// The models that KotOR models inherit from: those of a folder that the user named, and of the game.
pub(crate) fn supermodels(folder: Option<&Path>, game: &GameDir) -> Result<Supermodels, String> {
    let named = || folder.map(show).unwrap_or_default();
    Supermodels::new(folder, game.games()?).map_err(|error| format!("{}: {error}", named()))
}

/// How models are shown with their textures.
#[derive(Args)]
pub(crate) struct TextureSources {
    #[command(flatten)]
    pub(crate) folders: Folders,
    /// The player whose colour Warcraft III units have: 0 red, 1 blue, 2 teal and so on
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) team_colour: u32,
}

impl TextureSources {
    /// Where the textures of a model are looked for; none for formats that name none.
    pub(crate) fn textures<'a>(
        &self,
        job: &Job,
        format: &Format,
        libraries: &'a Libraries,
    ) -> Option<Textures<'a>> {
        Some(libraries.textures(format.game?, folder_of(job)))
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ImagesAt {
    /// In the document
    Embed,
    /// In files in the same folder
    Beside,
    /// Nowhere; only their names are kept
    None,
}

impl From<ImagesAt> for Images {
    fn from(at: ImagesAt) -> Images {
        match at {
            ImagesAt::Embed => Images::Embed,
            ImagesAt::Beside => Images::Beside,
            ImagesAt::None => Images::None,
        }
    }
}
