//! The textures of a whole run, each directory listed once.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use galatea_texture::find::Game;

use super::cache::Cache;
use super::{Library, Textures};
use crate::disk::{self, Games};
use crate::store::Store;

/// Folders whose index is kept: the models of a batch come folder by folder.
const FOLDERS: usize = 64;

/// The textures of a whole run: the folders that the user named, and the folder of every model, each listed once and shared
/// by all threads.
#[derive(Debug, Default)]
pub struct Libraries {
    named: Option<Library>,
    folders: Mutex<HashMap<PathBuf, FolderTextures>>,
    clock: AtomicU64,
    cache: Arc<Cache>,
    /// The games that models belong to, if they are looked for.
    games: Option<Arc<Games>>,
    /// The textures of their layers.
    installed: Mutex<Vec<(Arc<Store>, Arc<Library>)>>,
}

/// The textures of a folder, listed by the first who asks while others wait.
#[derive(Debug, Default)]
struct FolderTextures {
    library: Arc<OnceLock<Arc<Library>>>,
    used: u64,
}

impl Libraries {
    /// Returns the libraries of a run in which textures are looked for below these folders too. Also returns what could not be read.
    pub fn new(named: &[PathBuf]) -> (Libraries, Vec<(PathBuf, io::Error)>) {
        let cache = Arc::<Cache>::default();
        let mut library = Library::new(Arc::clone(&cache));
        let failed = library.add_below(named);
        let named = (!named.is_empty()).then_some(library);
        (Libraries { named, cache, ..Libraries::default() }, failed)
    }

    /// Returns the same run, in which textures are looked for in the games that the models belong to as well.
    #[must_use]
    pub fn with_games(self, games: Arc<Games>) -> Libraries {
        Libraries { games: Some(games), ..self }
    }

    /// Returns the layers of the game that models in a folder belong to.
    fn store(&self, game: Game, folder: &Path) -> Option<Arc<Store>> {
        self.games.as_ref()?.store(game, folder)
    }

    /// Returns the textures of the layers of a game.
    fn installed(&self, store: Arc<Store>) -> Arc<Library> {
        let mut known = self.installed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, library)) = known.iter().find(|(of, _)| Arc::ptr_eq(of, &store)) {
            return Arc::clone(library);
        }
        let library = Arc::new(Library::of_store(Arc::clone(&store), Arc::clone(&self.cache)));
        known.push((store, Arc::clone(&library)));
        library
    }

    /// Returns where the textures of a model in this folder are looked for, by the rules of a game.
    pub fn textures(&self, game: Game, folder: Option<&Path>) -> Textures<'_> {
        // The textures of an archive belong to all its models.
        let archive = folder.and_then(disk::archive_around);
        let store = folder.and_then(|folder| self.store(game, folder));
        let installed = store.clone().map(|store| self.installed(store));
        // What is a layer of the game is searched in its place among them.
        let is_layer = |folder: &&Path| self.games.as_ref().is_some_and(|games| games.is_layer(game, folder));
        let beside = folder.filter(|folder| installed.is_none() || !is_layer(folder));
        let beside = beside.map(|folder| archive.as_ref().map_or(folder, |archive| archive.path()));
        let own = beside.map_or_else(Arc::default, |folder| self.of_folder(folder, store.as_deref()));
        Textures { own, shared: self.named.as_ref(), installed, game }
    }

    /// Returns the textures in one folder.
    fn of_folder(&self, folder: &Path, store: Option<&Store>) -> Arc<Library> {
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let place = {
            let mut known = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= FOLDERS && !known.contains_key(folder) {
                let oldest = known.iter().min_by_key(|(_, folder)| folder.used).map(|(path, _)| path.clone());
                oldest.and_then(|path| known.remove(&path));
            }
            let entry = known.entry(folder.to_path_buf()).or_default();
            entry.used = used;
            Arc::clone(&entry.library)
        };
        let list = || Arc::new(Library::beside_with(folder, Arc::clone(&self.cache), store));
        Arc::clone(place.get_or_init(list))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail loudly")]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a folder of this test's own with a texture in it.
    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("galatea-library-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/statue.tga");
        fs::copy(example, dir.join("statue.tga")).unwrap();
        dir
    }

    #[test]
    fn models_of_a_folder_share_its_index_and_its_textures() {
        let dir = folder("shared");
        let (libraries, failed) = Libraries::new(&[]);
        assert!(failed.is_empty());
        let first = libraries.textures(Game::Kotor, Some(&dir));
        // Listed once: what comes later is not seen.
        fs::write(dir.join("late.tga"), b"").unwrap();
        let second = libraries.textures(Game::Warcraft, Some(&dir));
        assert!(Arc::ptr_eq(&first.own, &second.own));
        assert_eq!(second.find("late").1.id(), None);
        let [one, two] = [&first, &second].map(|textures| textures.load("statue").unwrap());
        assert!(Arc::ptr_eq(&one, &two));
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn the_folders_that_were_used_last_are_kept() {
        let dir = folder("many");
        let (libraries, _) = Libraries::new(&[]);
        let own = libraries.textures(Game::Kotor, Some(&dir)).own;
        for number in 0..3 * FOLDERS {
            libraries.textures(Game::Kotor, Some(&dir.join(format!("none{number}"))));
            let again = libraries.textures(Game::Kotor, Some(&dir)).own;
            assert!(Arc::ptr_eq(&own, &again), "after {number}");
        }
        assert_eq!(libraries.folders.lock().unwrap().len(), FOLDERS);
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn textures_of_named_folders_go_before_those_beside_the_model() {
        let (own, named) = (folder("own"), folder("named"));
        fs::write(named.join("other.tga"), b"").unwrap();
        fs::write(own.join("only.tga"), b"").unwrap();
        let (libraries, _) = Libraries::new(std::slice::from_ref(&named));
        let textures = libraries.textures(Game::Kotor, Some(&own));
        let place = |name: &str| {
            let (library, found) = textures.find(name);
            library.path(found.id().unwrap()).unwrap()
        };
        assert_eq!(place("statue"), named.join("statue.tga"));
        assert_eq!(place("only"), own.join("only.tga"));
        assert_eq!(place("other"), named.join("other.tga"));
        fs::remove_dir_all(own).unwrap();
        fs::remove_dir_all(named).unwrap();
    }
}
