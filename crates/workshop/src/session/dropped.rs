//! Files in memory: those that were dropped on the page, and those of tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use galatea::file_names::stem;
use galatea::kotor::mdl::Model;
use galatea::texture::find::Game;
use galatea::textures::{Library, Textures};
use galatea::{Companion, FORMATS, Format, Limits, Output, SiblingFiles};

use super::files::{Entry, Files, Unsaved, WithTextures, companions_of, name_of};
use super::jobs::Progress;

/// Files in memory: those dropped on the page, and those of tests.
#[derive(Default)]
pub(crate) struct Dropped {
    files: Mutex<BTreeMap<String, Arc<Vec<u8>>>>,
    /// What was saved last: downloads of the page.
    pub(crate) saved: Mutex<Vec<(String, Vec<u8>)>>,
    /// Why saving fails, in tests.
    pub(crate) refuses: Mutex<Option<Unsaved>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Dropped {
    /// Adds a file, or replaces the one of the same name.
    pub(crate) fn put(&self, name: &str, bytes: Vec<u8>) {
        locked(&self.files).insert(name.to_owned(), Arc::new(bytes));
    }

    /// Removes a file.
    #[cfg(test)]
    pub(crate) fn remove(&self, name: &str) {
        locked(&self.files).remove(name);
    }

    fn get(&self, name: &str) -> Option<(String, Arc<Vec<u8>>)> {
        let files = locked(&self.files);
        let found =
            files.get_key_value(name).or_else(|| files.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)));
        found.map(|(name, bytes)| (name.clone(), Arc::clone(bytes)))
    }

    fn companions(&self, name: &str, bytes: &[u8]) -> Vec<(&'static str, String, Arc<Vec<u8>>)> {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let all = companions_of(bytes).iter();
        all.filter_map(|extension| {
            let (found, bytes) = self.get(&format!("{stem}.{extension}"))?;
            (!found.eq_ignore_ascii_case(name)).then_some((*extension, found, bytes))
        })
        .collect()
    }
}

/// The names of files in memory, all in one directory.
#[derive(Debug)]
struct Beside(BTreeMap<String, Arc<Vec<u8>>>);

impl SiblingFiles for Beside {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let found = self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(path));
        found.map(|(_, bytes)| bytes.as_ref().clone())
    }
}

impl Files for Dropped {
    fn list(&self, _: &[PathBuf], _: &Progress) -> Result<Vec<Entry>, String> {
        let files = locked(&self.files).clone();
        let mut taken = Vec::new();
        for (name, bytes) in &files {
            taken.extend(self.companions(name, bytes).into_iter().map(|(_, name, _)| name));
        }
        let extension = |name: &str| name.rsplit_once('.').map_or(String::new(), |(_, e)| e.to_lowercase());
        let known = |format: &&&Format, name: &str| format.extensions.contains(&extension(name).as_str());
        let wanted = |name: &String, bytes: &Arc<Vec<u8>>| {
            !taken.contains(name)
                && (galatea::detect(bytes).is_some() || FORMATS.iter().any(|f| known(&f, name)))
        };
        let entries = files.iter().filter(|(name, bytes)| wanted(name, bytes));
        Ok(entries.map(|(name, _)| Entry { path: PathBuf::from(name), name: name.clone() }).collect())
    }

    fn load(&self, path: &Path) -> Result<Output, String> {
        let name = path.to_string_lossy();
        let (name, bytes) = self.get(&name).ok_or_else(|| format!("{name}: no such file"))?;
        let companions = self.companions(&name, &bytes).into_iter();
        let mut output = Output::single(bytes.as_ref().clone());
        output.companions =
            companions.map(|(extension, _, b)| Companion { extension, bytes: b.as_ref().clone() }).collect();
        Ok(output)
    }

    fn siblings(&self, _: &Path) -> Box<dyn SiblingFiles> {
        Box::new(Beside(locked(&self.files).clone()))
    }

    fn with_textures(&self, game: Option<Game>, _: &Path, with: &mut WithTextures<'_>) {
        let files = locked(&self.files).clone();
        let owned = files.into_iter().map(|(name, bytes)| (name, bytes.as_ref().clone()));
        let textures = game.map(|game| Textures::in_library(game, Library::from_files(owned)));
        with(textures.as_ref());
    }

    fn supermodel(&self, _: &Path, name: &str) -> Option<Model> {
        let output = self.load(Path::new(&format!("{}.mdl", name.to_lowercase()))).ok()?;
        let document = galatea::open(&output.input(), &Limits::default()).ok()?;
        document.as_any().downcast_ref::<Model>().cloned()
    }

    fn save(&self, path: &Path, output: &Output, _: bool) -> Result<(), Unsaved> {
        if let Some(why) = locked(&self.refuses).clone() {
            return Err(why);
        }
        let name = name_of(path);
        let mut files = vec![(name.clone(), output.bytes.clone())];
        let companion = |c: &Companion<Vec<u8>>| (format!("{}.{}", stem(path), c.extension), c.bytes.clone());
        files.extend(output.companions.iter().map(companion));
        files.extend(output.siblings.iter().cloned());
        for (name, bytes) in &files {
            self.put(name, bytes.clone());
        }
        *locked(&self.saved) = files;
        Ok(())
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.as_os_str().is_empty()
    }

    fn stamp(&self, path: &Path) -> Option<u64> {
        let (name, bytes) = self.get(&path.to_string_lossy())?;
        let mut hash = galatea::wire::checksum(&bytes);
        for (_, _, companion) in self.companions(&name, &bytes) {
            hash = hash.rotate_left(1) ^ galatea::wire::checksum(&companion);
        }
        Some(hash)
    }
}
