//! The textures of a store, numbered in the order in which they are asked for.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use galatea_texture::find::{Found, How, Why};

use super::Store;
use crate::disk;

/// Textures that were found in the layers of a store.
#[derive(Debug)]
pub(crate) struct StoreTextures {
    store: Arc<Store>,
    found: Mutex<Numbered>,
}

/// Paths by their numbers and the other way round.
#[derive(Debug, Default)]
struct Numbered {
    paths: Vec<PathBuf>,
    numbers: HashMap<PathBuf, usize>,
}

impl Numbered {
    fn number(&mut self, path: PathBuf) -> usize {
        let next = self.paths.len();
        let number = *self.numbers.entry(path.clone()).or_insert(next);
        if number == next {
            self.paths.push(path);
        }
        number
    }
}

impl StoreTextures {
    pub(crate) fn new(store: Arc<Store>) -> StoreTextures {
        StoreTextures { store, found: Mutex::default() }
    }

    /// Returns the file that a name means; those of lower layers come after it.
    pub(crate) fn find(&self, name: &str) -> Found {
        let found = self.store.textures(name);
        let mut numbered = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let mut numbers: Vec<usize> = found.into_iter().map(|f| numbered.number(f.path)).collect();
        numbers.dedup();
        match numbers.split_first() {
            Some((id, also)) => Found::File { id: *id, how: How::Exact, also: also.to_vec() },
            None => Found::Missing(Why::Absent),
        }
    }

    /// Returns the file of a model that another one names.
    pub(crate) fn find_model(&self, name: &str) -> Found {
        match self.store.model(name) {
            Some(found) => {
                let mut numbered = self.found.lock().unwrap_or_else(PoisonError::into_inner);
                Found::File { id: numbered.number(found.path), how: How::Exact, also: Vec::new() }
            }
            None => Found::Missing(Why::Absent),
        }
    }

    /// Returns the path of a texture.
    pub(crate) fn path(&self, id: usize) -> Option<PathBuf> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).paths.get(id).cloned()
    }

    /// Returns the files that belong to an FTEX, with their numbers.
    pub(crate) fn parts(&self, id: usize) -> Vec<(u8, PathBuf)> {
        let Some(path) = self.path(id).filter(|path| has_ending(path, "ftex")) else { return Vec::new() };
        let part = |number: u8| (number, path.with_extension(format!("{number}.ftexs")));
        (1..=9).map(part).take_while(|(_, path)| disk::size(path).is_some()).collect()
    }

    /// Returns the text that tells KotOR how to use a texture.
    pub(crate) fn txi(&self, id: usize) -> Option<PathBuf> {
        let path = self.path(id).filter(|path| !has_ending(path, "tpc"))?;
        let stem = path.file_stem()?.to_str()?;
        self.store.find(&format!("{stem}.txi")).map(|found| found.path)
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}
