//! KotOR models by name: from a folder that the user names, and from the game that a model belongs to.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use galatea_kotor::mdl::Model;
use galatea_texture::find::Game;
use galatea_wire::Limits;

use super::{Games, Job, is_folder, jobs, load, names_beside};
use crate::FormatId;

/// Models that others inherit from, each read when it is first asked for.
#[derive(Debug)]
pub struct Supermodels {
    /// Those of the folder that the user named.
    named: HashMap<String, PathBuf>,
    games: Arc<Games>,
    read: Mutex<HashMap<PathBuf, Option<Arc<Model>>>>,
}

impl Supermodels {
    /// Returns the models below a folder and those of the games. Fails if there is no such folder.
    pub fn new(folder: Option<&Path>, games: Arc<Games>) -> io::Result<Supermodels> {
        let mut named = HashMap::new();
        if let Some(folder) = folder {
            if !is_folder(folder) {
                return Err(io::Error::new(io::ErrorKind::NotFound, "no such folder"));
            }
            let wanted = |format: &crate::Format| format.id == FormatId::KotorMdl;
            for job in jobs(&[folder.to_path_buf()], &wanted).into_iter().flatten() {
                if let Some(stem) = job.path.file_stem() {
                    named.entry(stem.to_string_lossy().to_lowercase()).or_insert(job.path.clone());
                }
            }
        }
        Ok(Supermodels { named, games, read: Mutex::default() })
    }

    /// Returns `true` if there is anywhere to look for the supermodels of an input.
    pub fn serves(&self, input: &Path) -> bool {
        !self.named.is_empty()
            || folder_of(input).is_some_and(|folder| self.games.of(Game::Kotor, folder).is_some())
    }

    /// Returns the model of this name that an input inherits from, ignoring case; none if there is none, or it does not read.
    pub fn find(&self, input: &Path, name: &str) -> Option<Model> {
        let named = self.named.get(&name.to_lowercase()).cloned();
        self.open(named.or_else(|| self.in_game(input, name))?)
    }

    /// Returns the same model, and looks beside the input too.
    pub fn find_beside(&self, input: &Path, name: &str) -> Option<Model> {
        let beside = || names_beside(input).remove(&format!("{}.mdl", name.to_lowercase()));
        self.find(input, name).or_else(|| self.open(beside()?))
    }

    fn in_game(&self, input: &Path, name: &str) -> Option<PathBuf> {
        let store = self.games.store(Game::Kotor, folder_of(input)?)?;
        store.find(&format!("{name}.mdl")).map(|found| found.path)
    }

    fn open(&self, path: PathBuf) -> Option<Model> {
        if let Some(known) = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(&path) {
            return known.as_deref().cloned();
        }
        // Not under the lock: others may want other models meanwhile.
        let read = || {
            let loaded = load(&Job::new(path.clone())).ok()?;
            let document = crate::open(&loaded.input(), &Limits::default()).ok()?;
            document.as_any().downcast_ref::<Model>().cloned().map(Arc::new)
        };
        let model = read();
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path, model.clone());
        model.as_deref().cloned()
    }
}

/// Returns the folder a file lies in; none for standard input.
fn folder_of(input: &Path) -> Option<&Path> {
    if input.as_os_str() == "-" { None } else { input.parent() }
}
