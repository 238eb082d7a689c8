//! KotOR models by name: from a folder that the user names, and from the game that a model belongs to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use galatea::disk::{self, Games, Job};
use galatea::texture::find::Game;
use galatea::{FormatId, Limits, kotor::mdl::Model};

use super::textures::folder_of;
use crate::terminal::show;

/// Models that others inherit from, each read when it is first asked for.
pub(crate) struct Supermodels {
    /// Those of the folder that the user named.
    named: HashMap<String, PathBuf>,
    games: Arc<Games>,
    read: Mutex<HashMap<PathBuf, Option<Arc<Model>>>>,
}

impl Supermodels {
    pub(crate) fn new(folder: Option<&Path>, games: Arc<Games>) -> Result<Supermodels, String> {
        let mut named = HashMap::new();
        if let Some(folder) = folder {
            if !disk::is_folder(folder) {
                return Err(format!("{}: no such folder", show(folder)));
            }
            for job in
                disk::jobs(&[folder.to_path_buf()], &|f| f.id == FormatId::KotorMdl).into_iter().flatten()
            {
                if let Some(stem) = job.path.file_stem() {
                    named.entry(stem.to_string_lossy().to_lowercase()).or_insert(job.path.clone());
                }
            }
        }
        Ok(Supermodels { named, games, read: Mutex::default() })
    }

    /// Returns `true` if there is anywhere to look for the supermodels of an input.
    pub(crate) fn serves(&self, job: &Job) -> bool {
        !self.named.is_empty()
            || folder_of(job).is_some_and(|folder| self.games.of(Game::Kotor, folder).is_some())
    }

    /// The model of this name that an input inherits from, ignoring case; none if there is none, or it does not read.
    pub(crate) fn find(&self, job: &Job, name: &str) -> Option<Model> {
        let named = self.named.get(&name.to_lowercase()).cloned();
        self.open(named.or_else(|| self.in_game(job, name))?)
    }

    /// The same, also beside the input.
    pub(crate) fn find_beside(&self, job: &Job, name: &str) -> Option<Model> {
        let beside = || disk::names_beside(&job.path).remove(&format!("{}.mdl", name.to_lowercase()));
        self.find(job, name).or_else(|| self.open(beside()?))
    }

    fn in_game(&self, job: &Job, name: &str) -> Option<PathBuf> {
        let store = self.games.store(Game::Kotor, folder_of(job)?)?;
        store.find(&format!("{name}.mdl")).map(|found| found.path)
    }

    fn open(&self, path: PathBuf) -> Option<Model> {
        if let Some(known) = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(&path) {
            return known.as_deref().cloned();
        }
        // Not under the lock: others may want other models meanwhile.
        let read = || {
            let loaded = disk::load(&Job::new(path.clone())).ok()?;
            let document = galatea::open(&loaded.input(), &Limits::default()).ok()?;
            document.as_any().downcast_ref::<Model>().cloned().map(Arc::new)
        };
        let model = read();
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path, model.clone());
        model.as_deref().cloned()
    }
}
