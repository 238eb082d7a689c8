//! KotOR models by name, from a folder the user names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use galatea::disk::{self, Job};
use galatea::{Limits, kotor::mdl::Model};

use crate::terminal::show;

/// The models of a folder, each read when it is first asked for.
pub(crate) struct Supermodels {
    paths: HashMap<String, PathBuf>,
    read: Mutex<HashMap<String, Option<Model>>>,
}

impl Supermodels {
    pub(crate) fn new(folder: &Path) -> Result<Supermodels, String> {
        if !disk::is_folder(folder) {
            return Err(format!("{}: no such folder", show(folder)));
        }
        let mut paths = HashMap::new();
        for job in disk::jobs(&[folder.to_path_buf()], &|f| f.name == "kotor-mdl").into_iter().flatten() {
            if let Some(stem) = job.path.file_stem() {
                paths.entry(stem.to_string_lossy().to_lowercase()).or_insert(job.path.clone());
            }
        }
        Ok(Supermodels { paths, read: Mutex::default() })
    }

    /// The model of this name, letter case ignored; none if there is none, or it does not read.
    pub(crate) fn find(&self, name: &str) -> Option<Model> {
        let name = name.to_lowercase();
        let path = self.paths.get(&name)?;
        let mut read = self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let open = || {
            let loaded = disk::load(&Job::new(path.clone())).ok()?;
            let document = galatea::open(&loaded.input(), &Limits::default()).ok()?;
            document.as_any().downcast_ref::<Model>().cloned()
        };
        read.entry(name).or_insert_with(open).clone()
    }
}
