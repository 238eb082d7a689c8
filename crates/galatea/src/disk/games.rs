//! Games on this machine: where they are, and what their layers are.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use galatea_archive::Kind;
use galatea_texture::find::Game;

use super::layers::{ArchiveLayer, FolderLayer, NamesLayer};
use super::place::archive_around;
use super::places::Graphics;
use super::source::without_case;
use super::{places, steam};
use crate::store::Store;

/// A game whose files are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum GameId {
    /// Knights of the Old Republic.
    Kotor1,
    /// Knights of the Old Republic II: The Sith Lords.
    Kotor2,
    /// Warcraft III up to 1.29, in MPQ archives.
    Warcraft3Mpq,
    /// Warcraft III since 1.30 and Reforged, in a CASC storage.
    Warcraft3,
    /// Metal Gear Solid V: Ground Zeroes, whose archives are not read.
    GroundZeroes,
    /// Metal Gear Solid V: The Phantom Pain.
    PhantomPain,
    /// Pro Evolution Soccer 2015 to eFootball PES 2021.
    Pes,
}

impl GameId {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            GameId::Kotor1 => "Knights of the Old Republic",
            GameId::Kotor2 => "Knights of the Old Republic II",
            GameId::Warcraft3Mpq => "Warcraft III (MPQ)",
            GameId::Warcraft3 => "Warcraft III (CASC)",
            GameId::GroundZeroes => "MGSV: Ground Zeroes",
            GameId::PhantomPain => "MGSV: The Phantom Pain",
            GameId::Pes => "Pro Evolution Soccer",
        }
    }

    /// Returns whose rules of names hold.
    pub fn rules(self) -> Game {
        match self {
            GameId::Kotor1 | GameId::Kotor2 => Game::Kotor,
            GameId::Warcraft3Mpq | GameId::Warcraft3 => Game::Warcraft,
            GameId::GroundZeroes | GameId::PhantomPain | GameId::Pes => Game::Fox,
        }
    }
}

/// A game in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Installed {
    /// Which it is.
    pub id: GameId,
    /// The folder with its archives.
    pub root: PathBuf,
    /// How it was found, for people.
    pub found: String,
}

/// Returns the game whose files are in a folder; `None` if there is none.
pub fn identify(folder: &Path) -> Option<Installed> {
    // Most folders are none: their names are looked at once.
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().to_lowercase());
    if !names.any(|name| places::SIGNS.contains(&name.as_str())) {
        return None;
    }
    let at = |root: &Path| {
        let has = |name: &str| without_case(root, name).is_some_and(|path| path.exists());
        let id = if has("chitin.key") {
            let second =
                has("swkotor2.exe") || has("streamvoice") || has("weapons.erf") || has("supermodels");
            if second { GameId::Kotor2 } else { GameId::Kotor1 }
        } else if has("War3.mpq") {
            GameId::Warcraft3Mpq
        } else if has(".build.info") && has("Data/data") {
            GameId::Warcraft3
        } else if has("master/chunk0.dat") || has("mgsvtpp.exe") && has("master") {
            GameId::PhantomPain
        } else if has("data_02.g0s") {
            GameId::GroundZeroes
        } else if has("Data/dt00_x64.cpk") || has("Data/dt00_win.cpk") || has("download/DpFileList.bin") {
            GameId::Pes
        } else {
            return None;
        };
        Some(Installed { id, root: root.to_path_buf(), found: String::new() })
    };
    at(folder).or_else(|| places::BELOW.iter().find_map(|below| at(&without_case(folder, below)?)))
}

/// The folder of a game, the module, map or campaign above its layers, and the graphics of Warcraft III.
type Layered = (PathBuf, Option<PathBuf>, Graphics);

/// The games that inputs belong to, each opened once in a run.
#[derive(Debug, Default)]
pub struct Games {
    /// The folder that the user named.
    named: Option<Installed>,
    stores: Mutex<HashMap<Layered, Arc<Store>>>,
    usual: OnceLock<Vec<Installed>>,
    above: Mutex<HashMap<PathBuf, Option<Installed>>>,
}

/// The variables of the environment that name the folders of games.
const VARIABLES: [(&str, Game); 4] = [
    ("GALATEA_KOTOR", Game::Kotor),
    ("GALATEA_WC3", Game::Warcraft),
    ("GALATEA_TPP", Game::Fox),
    ("GALATEA_PES", Game::Fox),
];

impl Games {
    /// Returns the games of this machine, of which one in a folder that the user named comes first; `None` if there is no game in it.
    pub fn new(folder: Option<&Path>) -> Option<Games> {
        let named = match folder {
            Some(folder) => Some(Installed { found: "named".into(), ..identify(folder)? }),
            None => None,
        };
        Some(Games { named, ..Games::default() })
    }

    /// Returns every game that is found without an input: by the folder that was named, by the environment, and in the usual places.
    pub fn list(&self) -> Vec<Installed> {
        let mut all: Vec<Installed> = self.named.iter().cloned().collect();
        all.extend(VARIABLES.iter().filter_map(|(name, _)| of_variable(name)));
        all.extend(self.usual().iter().cloned());
        let mut seen = std::collections::HashSet::new();
        all.retain(|game| seen.insert(game.root.clone()));
        all
    }

    fn usual(&self) -> &[Installed] {
        self.usual.get_or_init(|| {
            let found = steam::games().into_iter().map(|path| (path, "Steam"));
            let found = found.chain(places::folders().into_iter().map(|path| (path, "usual place")));
            found
                .filter_map(|(path, how)| Some(Installed { found: how.into(), ..identify(&path)? }))
                .collect()
        })
    }

    /// Returns the game that a file in this folder belongs to.
    pub fn of(&self, rules: Game, folder: &Path) -> Option<Installed> {
        let fits = |game: &Installed| game.id.rules() == rules;
        if let Some(named) = &self.named {
            return Some(named.clone()).filter(fits);
        }
        if let Some(above) = self.above(folder).filter(fits) {
            return Some(above);
        }
        let of_environment = VARIABLES.iter().filter(|(_, game)| *game == rules);
        let mut of_environment = of_environment.filter_map(|(name, _)| of_variable(name)).filter(fits);
        of_environment.next().or_else(|| self.usual().iter().find(|game| fits(game)).cloned())
    }

    /// Returns the game in one of the folders above.
    fn above(&self, folder: &Path) -> Option<Installed> {
        let mut known = self.above.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = whole(folder);
        let one = |path: &Path| {
            let identified =
                || identify(path).map(|game| Installed { found: "above the input".into(), ..game });
            known.entry(path.to_path_buf()).or_insert_with(identified).clone()
        };
        folder.ancestors().filter(|path| path.is_dir()).find_map(one)
    }

    /// Returns the layers of the game that a file in this folder belongs to. The module or map that the file is in is one of them.
    pub fn store(&self, rules: Game, folder: &Path) -> Option<Arc<Store>> {
        let game = self.of(rules, folder)?;
        let inside = archive_around(folder).filter(|archive| match archive.archive().kind() {
            Kind::Erf | Kind::Rim => !is_base(&game, archive.path()),
            Kind::Mpq => !is_base(&game, archive.path()),
            _ => false,
        });
        let inside = inside.map(|archive| archive.path().to_path_buf());
        let graphics = if rules == Game::Warcraft { Graphics::of(folder) } else { Graphics::default() };
        let key = (game.root.clone(), inside, graphics);
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&key) {
            return Some(Arc::clone(store));
        }
        let store = Arc::new(store(&game, key.1.as_deref(), graphics));
        stores.insert(key, Arc::clone(&store));
        Some(store)
    }

    /// Returns the creature of a row, by a path in the KotOR that a file in this folder belongs to.
    #[cfg(feature = "kotor")]
    pub fn creature(&self, look: crate::Look, folder: &Path) -> Option<super::Job> {
        let game = self.of(Game::Kotor, folder)?;
        let key = without_case(&game.root, "chitin.key").unwrap_or(game.root);
        Some(super::Job::creature(key.join(format!("appearance_{}", look.row)), look))
    }

    /// Returns `true` if files of this folder are found through the layers of the game anyway, in the game's order.
    pub(crate) fn is_layer(&self, rules: Game, folder: &Path) -> bool {
        if rules == Game::Fox {
            return false;
        }
        let Some(game) = self.of(rules, folder) else { return false };
        match archive_around(folder) {
            Some(archive) => is_base(&game, archive.path()) || rules == Game::Kotor,
            None => {
                let below =
                    |name: &str| without_case(&game.root, name).is_some_and(|path| same_start(folder, &path));
                rules == Game::Kotor && below("override")
            }
        }
    }
}

/// Returns `true` if a path is this folder or below it.
fn same_start(path: &Path, folder: &Path) -> bool {
    whole(path).starts_with(whole(folder))
}

/// Returns a path from the root, without `..`. Paths inside of archives stay as they are after the archive.
fn whole(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    if !path.components().any(|part| part == Component::ParentDir) {
        return path;
    }
    let real = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match real.and_then(|(above, real)| Some(real.join(path.strip_prefix(above).ok()?))) {
        Some(real) => real,
        None => path,
    }
}

/// Returns `true` for the archives that are layers of the game for every input.
fn is_base(game: &Installed, path: &Path) -> bool {
    let parent = path.parent().map(|parent| parent.file_name().map(|n| n.to_string_lossy().to_lowercase()));
    let folder = parent.flatten().unwrap_or_default();
    let name = path.file_name().map_or(String::new(), |n| n.to_string_lossy().to_lowercase());
    if !same_start(path, &game.root) {
        return false;
    }
    match game.id.rules() {
        Game::Kotor => {
            folder == "texturepacks" || folder == "rims" || name == "patch.erf" || name.ends_with(".key")
        }
        Game::Warcraft => {
            places::MPQS.iter().any(|mpq| mpq.eq_ignore_ascii_case(&name)) || name == ".build.info"
        }
        Game::Fox => true,
    }
}

fn of_variable(name: &str) -> Option<Installed> {
    let folder = std::env::var_os(name).filter(|folder| !folder.is_empty())?;
    Some(Installed { found: format!("${name}"), ..identify(Path::new(&folder))? })
}

/// Returns the layers of a game, with the module, map or campaign that an input is in.
fn store(game: &Installed, inside: Option<&Path>, graphics: Graphics) -> Store {
    let mut store = Store::new(game.id.rules());
    match game.id {
        GameId::Kotor1 | GameId::Kotor2 => kotor(game, inside, &mut store),
        GameId::Warcraft3Mpq | GameId::Warcraft3 => warcraft(game, inside, graphics, &mut store),
        GameId::PhantomPain => phantom_pain(&game.root, &mut store),
        GameId::Pes => pes(&game.root, &mut store),
        GameId::GroundZeroes => {}
    }
    store
}

/// Adds Override, the patch, the module, texture packs, and the KEY with everything else.
fn kotor(game: &Installed, module: Option<&Path>, store: &mut Store) {
    let there = |name: &str| without_case(&game.root, name).filter(|path| path.exists());
    if let Some(folder) = there("override") {
        store.push(NamesLayer::new(folder, game.id == GameId::Kotor2));
    }
    there("patch.erf").into_iter().for_each(|path| store.push(ArchiveLayer::new(path)));
    for part in module.map(module_parts).unwrap_or_default() {
        store.push(ArchiveLayer::new(part));
    }
    for pack in ["tpa", "tpb", "tpc", "gui"] {
        let path = there(&format!("texturepacks/swpc_tex_{pack}.erf"));
        path.into_iter().for_each(|path| store.push(ArchiveLayer::new(path)));
    }
    there("live1.key").into_iter().for_each(|path| store.push(ArchiveLayer::new(path)));
    for path in files_in(there("rims").as_deref(), &["rim"]) {
        store.push(ArchiveLayer::new(path));
    }
    there("chitin.key").into_iter().for_each(|path| store.push(ArchiveLayer::new(path)));
}

/// Returns the path of a file in another archive of the module that a folder is in.
pub(super) fn in_module(folder: &Path, name: &str) -> Option<PathBuf> {
    let archive = archive_around(folder).filter(|a| matches!(a.archive().kind(), Kind::Erf | Kind::Rim))?;
    let parts = module_parts(archive.path()).into_iter().filter(|part| part != archive.path());
    parts.into_iter().find_map(|part| {
        let other = super::archive(&part).ok().flatten()?;
        other.find(name).map(|index| other.path_of(index))
    })
}

/// Returns the archives of a module: its MOD alone, or its RIMs.
fn module_parts(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().map_or(String::new(), |s| s.to_string_lossy().to_lowercase());
    let module = ["_s", "_dlg", "_a", "_adx"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(&stem);
    let beside = super::names_beside(path);
    let there = |name: String| beside.get(&name).cloned();
    if let Some(whole) = there(format!("{module}.mod")) {
        return vec![whole];
    }
    let parts =
        [".rim", "_s.rim", "_a.rim", "_adx.rim", "_dlg.erf"].map(|end| there(format!("{module}{end}")));
    let parts: Vec<PathBuf> = parts.into_iter().flatten().collect();
    let named = folder.join(path.file_name().unwrap_or_default());
    if parts.contains(&named) { parts } else { vec![path.to_path_buf()] }
}

/// Adds the map, its campaign, and the archives of the game.
fn warcraft(game: &Installed, map: Option<&Path>, graphics: Graphics, store: &mut Store) {
    if let Some(map) = map {
        for root in graphics.roots_of_map() {
            store.push(ArchiveLayer::new(map).with_root(*root));
        }
        let campaign = map.parent().filter(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("w3n")));
        campaign.into_iter().for_each(|path| store.push(ArchiveLayer::new(path)));
    }
    let there = |name: &str| without_case(&game.root, name).filter(|path| path.is_file());
    if game.id == GameId::Warcraft3Mpq {
        store.push(FolderLayer::new(&game.root));
        let archives = places::MPQS.iter().filter_map(|name| there(name));
        return archives.for_each(|path| store.push(ArchiveLayer::new(path)));
    }
    if let Some(folder) = without_case(&game.root, "_retail_").filter(|path| path.is_dir()) {
        store.push(FolderLayer::new(folder));
    }
    if let Some(path) = there(".build.info") {
        // One layer for each folder: all endings are tried there before the next one is asked.
        for root in graphics.roots() {
            store.push(ArchiveLayer::new(&path).with_root(root));
        }
    }
}

/// Adds loose files, the patch, the DLCs, and the archives of the game.
fn phantom_pain(root: &Path, store: &mut Store) {
    store.push(FolderLayer::new(root));
    let there = |name: &str| without_case(root, name).filter(|path| path.exists());
    let mut all = files_in(there("master/0").as_deref(), &["dat"]);
    let mut folders: Vec<PathBuf> = there("master/1")
        .and_then(|path| std::fs::read_dir(path).ok())
        .map_or_else(Vec::new, |entries| entries.flatten().map(|entry| entry.path().join("0")).collect());
    folders.sort();
    all.extend(folders.iter().flat_map(|folder| files_in(Some(folder), &["dat"])));
    all.extend(files_in(there("master").as_deref(), &["dat"]));
    all.into_iter().for_each(|path| store.push(ArchiveLayer::new(path)));
}

/// Adds loose files, the packs that were downloaded, and those of the game. A later one wins.
fn pes(root: &Path, store: &mut Store) {
    store.push(FolderLayer::new(root));
    let there = |name: &str| without_case(root, name).filter(|path| path.exists());
    let download = there("download");
    let active =
        there("download/DpFileList.bin").and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let rows = active.chunks_exact(48).map(|row| row.get(16..).unwrap_or(&[]));
    let names =
        rows.map(|name| String::from_utf8_lossy(name.split(|b| *b == 0).next().unwrap_or(&[])).into_owned());
    let mut packs: Vec<PathBuf> = names
        .take_while(|name| !name.is_empty())
        .filter_map(|name| without_case(download.as_deref()?, &name))
        .collect();
    packs.reverse();
    let mut own = files_in(there("Data").as_deref(), &["cpk"]);
    own.reverse();
    packs.into_iter().chain(own).for_each(|path| store.push(ArchiveLayer::new(path)));
}

/// Returns the files in a folder with one of these extensions, by name.
fn files_in(folder: Option<&Path>, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let fits = |path: &PathBuf| {
        path.extension().is_some_and(|e| extensions.iter().any(|known| e.eq_ignore_ascii_case(known)))
    };
    let mut paths: Vec<PathBuf> = entries.filter(super::is_file).map(|e| e.path()).filter(fits).collect();
    paths.sort();
    paths
}
