//! Layers of files, of which the first that has a name gives its bytes, as a game's own layers do: folders that override, modules,
//! maps, patches, archives. Nothing here touches a disk; `disk` makes layers of folders and archives, and [`Memory`] is one of bytes.
//!
//! ```
//! use galatea::store::{Memory, Store};
//! use galatea::texture::find::Game;
//! let mut store = Store::new(Game::Kotor);
//! store.push(Memory::new("override", [("hero.tga".to_owned(), vec![1])]));
//! store.push(Memory::new("base", [("hero.tga".to_owned(), vec![2]), ("hero.mdl".to_owned(), vec![3])]));
//! assert_eq!(store.read("HERO.TGA")?, Some(vec![1]));
//! assert_eq!(store.read("hero.mdl")?, Some(vec![3]));
//! assert_eq!(store.all("hero.tga").len(), 2);
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(feature = "disk")]
mod textures;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use galatea_texture::find::Game;

use crate::SiblingFiles;
#[cfg(feature = "disk")]
pub(crate) use textures::StoreTextures;

/// Files by their names: a folder, an archive, or memory.
pub trait Layer: fmt::Debug + Send + Sync {
    /// Returns what it is, for people.
    fn label(&self) -> String;

    /// Returns the path of the file of this name, ignoring case. KotOR's names are those of files alone, those of the other games
    /// are paths from the root of the game, separated by `/`.
    fn find(&self, name: &str) -> Option<PathBuf>;

    /// Reads a file by the path that [`Layer::find`] gave.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// A file, and the layer that has it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Located<'s> {
    /// The layer.
    pub layer: &'s dyn Layer,
    /// Its path.
    pub path: PathBuf,
}

impl Located<'_> {
    /// Reads the file.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        self.layer.read(&self.path)
    }
}

/// The files of a game, in layers: those pushed first come first.
#[derive(Debug)]
pub struct Store {
    game: Game,
    layers: Vec<Box<dyn Layer>>,
}

impl Store {
    /// Returns a store without layers, by the rules of a game.
    pub fn new(game: Game) -> Store {
        Store { game, layers: Vec::new() }
    }

    /// Adds a layer after the others.
    pub fn push(&mut self, layer: impl Layer + 'static) {
        self.layers.push(Box::new(layer));
    }

    /// Returns whose rules hold.
    pub fn game(&self) -> Game {
        self.game
    }

    /// Returns the layers in order of priority.
    pub fn layers(&self) -> impl Iterator<Item = &dyn Layer> {
        self.layers.iter().map(AsRef::as_ref)
    }

    /// Returns the file of this name in the first layer that has one.
    pub fn find(&self, name: &str) -> Option<Located<'_>> {
        self.layers().find_map(|layer| Some(Located { layer, path: layer.find(name)? }))
    }

    /// Returns the files of this name in all layers, the one that the game loads first.
    pub fn all(&self, name: &str) -> Vec<Located<'_>> {
        self.layers().filter_map(|layer| Some(Located { layer, path: layer.find(name)? })).collect()
    }

    /// Reads the file of this name; `None` if no layer has one.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.find(name).map(|found| found.read()).transpose()
    }

    /// Returns the file that the name of a model in another model means: in Warcraft III `.mdl` means `.mdx`.
    pub fn model(&self, name: &str) -> Option<Located<'_>> {
        let names = model_names(name);
        let in_layer = |layer| names.iter().find_map(move |name| Some((layer, Layer::find(layer, name)?)));
        self.layers().find_map(in_layer).map(|(layer, path)| Located { layer, path })
    }

    /// Returns the files that a texture name means, the one that the game loads first. In each layer the endings are tried in the
    /// order in which the game prefers them, before the next layer is asked.
    pub fn textures(&self, name: &str) -> Vec<Located<'_>> {
        let names = texture_names(self.game, name);
        let in_layer = |layer| names.iter().filter_map(move |name| Some((layer, Layer::find(layer, name)?)));
        let found = self.layers().flat_map(in_layer);
        found.map(|(layer, path)| Located { layer, path }).collect()
    }
}

/// Returns the names of files that the name of a model may mean, the best first.
fn model_names(name: &str) -> Vec<String> {
    let name = name.trim_matches('\0').replace('\\', "/");
    let name = name.trim_start_matches('/');
    if name.is_empty() || !galatea_wire::is_safe_path(name) {
        return Vec::new();
    }
    let known = |ending: &str| ["mdl", "mdx"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    let stem = name.rsplit_once('.').filter(|(_, ending)| known(ending)).map_or(name, |(stem, _)| stem);
    ["mdx", "mdl"].map(|ending| format!("{stem}.{ending}")).into()
}

impl SiblingFiles for Store {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        self.read(path).ok().flatten()
    }
}

/// Returns the names of files that a texture name may mean, the preferred one first; none for names that mean no texture or lead elsewhere.
fn texture_names(game: Game, name: &str) -> Vec<String> {
    let name = name.trim_matches('\0').replace('\\', "/");
    let name = name.trim_start_matches('/');
    if name.is_empty() || !galatea_wire::is_safe_path(name) || name.eq_ignore_ascii_case("null") {
        return Vec::new();
    }
    let split = name.rsplit_once('.').filter(|(_, ending)| !ending.contains('/'));
    let known = |ending: &str| ["tpc", "tga", "dds", "blp", "tif", "ftex", "bmp", "psd"].contains(&ending);
    let split =
        split.map(|(stem, ending)| (stem, ending.to_ascii_lowercase())).filter(|(_, ending)| known(ending));
    let (stem, written) = split.unwrap_or((name, String::new()));
    match game {
        Game::Kotor => ["tpc", "tga", "dds"].map(|ending| format!("{stem}.{ending}")).into(),
        Game::Warcraft => {
            let mut endings = vec!["dds", "blp", "tga"];
            // The ending that was asked for goes first where there is such a file.
            endings.sort_by_key(|ending| *ending != written);
            endings.into_iter().map(|ending| format!("{stem}.{ending}")).collect()
        }
        Game::Fox => match name.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()) {
            Some(code) => vec![format!("{:013x}.ftex", code & ((1 << 51) - 1))],
            None => vec![format!("{stem}.ftex"), format!("{stem}.dds")],
        },
    }
}

/// A layer of files in memory.
#[derive(Debug, Default)]
pub struct Memory {
    label: String,
    /// By names in lower case, separated by `/`.
    files: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// Returns a layer of these files, by their names.
    pub fn new(label: impl Into<String>, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Memory {
        let files = files.into_iter().map(|(name, bytes)| (key(&name), bytes)).collect();
        Memory { label: label.into(), files }
    }
}

impl Layer for Memory {
    fn label(&self) -> String {
        self.label.clone()
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        let name = key(name);
        self.files.contains_key(&name).then(|| PathBuf::from(name))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let found = path.to_str().and_then(|name| self.files.get(name));
        found.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Returns a name as names are compared.
fn key(name: &str) -> String {
    name.trim_start_matches(['/', '\\']).replace('\\', "/").to_lowercase()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail loudly")]
mod tests {
    use super::*;

    fn store(game: Game, layers: &[&[&str]]) -> Store {
        let mut store = Store::new(game);
        for (number, names) in layers.iter().enumerate() {
            let files = names.iter().map(|name| ((*name).to_owned(), vec![number as u8]));
            store.push(Memory::new(number.to_string(), files));
        }
        store
    }

    fn first(store: &Store, name: &str) -> Option<(u8, String)> {
        let all = store.textures(name);
        let found = all.first()?;
        Some((found.read().unwrap().first().copied()?, found.path.to_str()?.to_owned()))
    }

    #[test]
    fn a_layer_is_searched_for_all_endings_before_the_next_one() {
        let kotor = store(Game::Kotor, &[&["a.tga"], &["a.tpc", "b.tga", "b.tpc"]]);
        assert_eq!(first(&kotor, "A"), Some((0, "a.tga".into())));
        assert_eq!(first(&kotor, "b"), Some((1, "b.tpc".into())));
        assert_eq!((first(&kotor, "c"), first(&kotor, "../a"), first(&kotor, "NULL")), (None, None, None));
        let warcraft = store(Game::Warcraft, &[&["x.blp"], &["textures/x.blp", "textures/x.dds"]]);
        assert_eq!(first(&warcraft, r"Textures\x.blp"), Some((1, "textures/x.blp".into())));
        assert_eq!(first(&warcraft, r"Textures\x.tif"), Some((1, "textures/x.dds".into())));
        assert_eq!(first(&warcraft, "x.tga"), Some((0, "x.blp".into())));
    }

    #[test]
    fn models_that_others_name_are_binary_before_text() {
        let warcraft = store(Game::Warcraft, &[&["a.mdl"], &["shared/b.mdl", "shared/b.mdx", "a.mdx"]]);
        let found = |name: &str| Some(warcraft.model(name)?.path.to_str()?.to_owned());
        assert_eq!(found(r"Shared\B.MDL"), Some("shared/b.mdx".into()));
        assert_eq!(found("a"), Some("a.mdl".into()));
        assert_eq!((found("../a.mdl"), found(""), found("c.mdx")), (None, None, None));
    }

    #[test]
    fn hashed_names_are_those_of_archives() {
        let fox = store(Game::Fox, &[&["3d9abd617e2f9.ftex"]]);
        assert_eq!(first(&fox, "0x156bd9abd617e2f9"), Some((0, "3d9abd617e2f9.ftex".into())));
    }
}
