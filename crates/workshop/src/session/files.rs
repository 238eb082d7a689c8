//! Where files come from and go to: the disk, or what was dropped on the page.

use std::path::{Path, PathBuf};

use galatea::kotor::mdl::Model;
use galatea::texture::find::Game;
use galatea::textures::Textures;
use galatea::{Input, Output, SiblingFiles};

use super::jobs::Progress;

/// A file that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its path; it may go on inside of an archive.
    pub(crate) path: PathBuf,
    /// Its path below the folder that is shown.
    pub(crate) name: String,
}

/// Why something was not saved.
#[cfg_attr(
    target_arch = "wasm32",
    expect(dead_code, reason = "downloads replace nothing, and the browser says if they fail")
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unsaved {
    /// A file is in the way that nobody said may be replaced.
    Exists(String),
    /// Anything else, with what to do about it.
    Failed(String),
}

/// What is done with the textures of a model.
pub(crate) type WithTextures<'a> = dyn FnMut(Option<&Textures<'_>>) + 'a;

/// Files to open and a place to save to.
pub(crate) trait Files: Send + Sync {
    /// Lists what can be opened in files, folders and archives.
    fn list(&self, roots: &[PathBuf], progress: &Progress) -> Result<Vec<Entry>, String>;
    /// Reads a file with its companions.
    fn load(&self, path: &Path) -> Result<Output, String>;
    /// Returns the other files of the directory of a file.
    fn siblings(&self, path: &Path) -> Box<dyn SiblingFiles>;
    /// Calls with the textures of a model by the rules of a game.
    fn with_textures(&self, game: Option<Game>, path: &Path, with: &mut WithTextures<'_>);
    /// Finds the model that a KotOR model inherits from.
    fn supermodel(&self, path: &Path, name: &str) -> Option<Model>;
    /// Writes a file with all that belongs to it, completely or not at all.
    fn save(&self, path: &Path, output: &Output, replace: bool) -> Result<(), Unsaved>;
    /// Returns `true` if a path is that of a folder or an archive.
    fn is_folder(&self, path: &Path) -> bool;
    /// Returns a number that is another one when the file or its companions have changed; `None` if the file is not there.
    fn stamp(&self, path: &Path) -> Option<u64>;
    #[cfg(not(target_arch = "wasm32"))]
    /// Returns the games that are installed here: what each is, and its folder.
    fn games(&self) -> Vec<(String, PathBuf)> {
        Vec::new()
    }
    /// Forgets what was remembered about folders: their files may have changed.
    fn refresh(&self) {}
}

/// Returns the extensions of the files that belong to a file with this content.
pub(crate) fn companions_of(bytes: &[u8]) -> &'static [&'static str] {
    galatea::detect(bytes).map_or(&[], |format| format.companions)
}

/// Returns the name of a file without its folders.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Returns files as input, with a name and the other files of their directory.
pub(crate) fn input_of<'a>(output: &'a Output, name: &'a str, siblings: &'a dyn SiblingFiles) -> Input<'a> {
    output.input().with_name(name).with_siblings(siblings)
}
