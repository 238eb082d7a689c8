//! Changes that are not saved yet are kept in a folder of the user, from where the next run takes them if this one ends badly.
//!
//! Not beside the file itself: games load what they find in their folders, and some places are read-only or inside of archives.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use galatea::disk;
use galatea::wire::checksum;
use galatea::{Companion, Output};
use serde::{Deserialize, Serialize};

/// The unsaved changes of a run.
#[derive(Debug)]
pub(crate) struct Shelf {
    /// The folder of all runs.
    root: PathBuf,
    /// That of this run.
    own: PathBuf,
    /// Locked as long as this run lasts.
    lock: Option<File>,
}

/// What is written beside the bytes.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    path: PathBuf,
    companions: Vec<String>,
}

/// Changes that another run has left.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    /// Where the document came from.
    pub(crate) path: PathBuf,
    /// The folder that they are kept in.
    pub(crate) folder: PathBuf,
    /// The changed bytes.
    pub(crate) output: Output,
}

impl Shelf {
    /// Returns a place for the changes of this run, below a folder of the user.
    pub(crate) fn new(root: &Path) -> Shelf {
        let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let number = started.map_or(0, |time| time.as_nanos() as u64);
        let own = root.join(format!("{}-{number:x}", std::process::id()));
        Shelf { root: root.to_path_buf(), own, lock: None }
    }

    fn place(&self, path: &Path) -> PathBuf {
        self.own.join(format!("{:016x}", checksum(path.as_os_str().as_encoded_bytes())))
    }

    /// Keeps the changes of a document.
    pub(crate) fn keep(&mut self, path: &Path, output: &Output) -> std::io::Result<()> {
        fs::create_dir_all(&self.own)?;
        if self.lock.is_none() {
            let file = File::create(self.own.join("lock"))?;
            file.try_lock().map_err(std::io::Error::from)?;
            self.lock = Some(file);
        }
        let folder = self.place(path);
        fs::create_dir_all(&folder)?;
        let companions = output.companions.iter().map(|c| c.extension.to_owned()).collect();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let about = serde_json::to_vec(&About { path, companions }).map_err(std::io::Error::other)?;
        let mut all = Output::single(output.bytes.clone());
        all.siblings = vec![("about.json".into(), about)];
        let companion = |c: &Companion<Vec<u8>>| (format!("companion.{}", c.extension), c.bytes.clone());
        all.siblings.extend(output.companions.iter().map(companion));
        disk::write_output(&folder.join("document"), &all, true)
    }

    /// Forgets the changes of a document, which are saved or not wanted.
    pub(crate) fn forget(&mut self, path: &Path) {
        let _ = fs::remove_dir_all(self.place(path));
    }

    /// Returns the changes that runs have left which have ended.
    pub(crate) fn left(&self) -> Vec<Left> {
        let runs = fs::read_dir(&self.root).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut out = Vec::new();
        for run in runs.filter(|run| *run != self.own && run.is_dir()) {
            // Who lives holds the lock.
            let ended = File::open(run.join("lock")).is_ok_and(|file| file.try_lock().is_ok());
            let documents = fs::read_dir(&run).into_iter().flatten().flatten().map(|entry| entry.path());
            let documents: Vec<PathBuf> = documents.filter(|path| path.is_dir()).collect();
            if ended && documents.is_empty() {
                let _ = fs::remove_dir_all(&run);
            }
            out.extend(documents.into_iter().filter(|_| ended).filter_map(|folder| read(&folder)));
        }
        out
    }

    /// Leaves everything as a run does that is killed.
    #[cfg(test)]
    pub(crate) fn abandon(mut self) {
        self.lock = None;
    }

    /// Forgets changes that another run has left.
    pub(crate) fn discard(left: &Left) {
        let _ = fs::remove_dir_all(&left.folder);
    }
}

fn read(folder: &Path) -> Option<Left> {
    disk::recover(&[folder.to_path_buf()]);
    let about: About = serde_json::from_slice(&fs::read(folder.join("about.json")).ok()?).ok()?;
    let bytes = fs::read(folder.join("document")).ok()?;
    let known = galatea::detect(&bytes).map_or(&[][..], |format| format.companions);
    let mut output = Output::single(bytes);
    for extension in known.iter().filter(|e| about.companions.iter().any(|have| have == *e)) {
        let bytes = fs::read(folder.join(format!("companion.{extension}"))).ok()?;
        output.companions.push(Companion { extension, bytes });
    }
    Some(Left { path: about.path, folder: folder.to_path_buf(), output })
}

impl Drop for Shelf {
    fn drop(&mut self) {
        // Whoever closes the window was asked about unsaved changes.
        if self.lock.is_some() {
            let _ = fs::remove_dir_all(&self.own);
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_leaves_is_found_and_what_lives_is_left_alone() {
        let root = std::env::temp_dir().join(format!("galatea-shelf-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let output = Output::single(b"changed".to_vec());
        let mut first = Shelf::new(&root);
        first.keep(Path::new("/models/a.mdx"), &output).unwrap();
        let second = Shelf::new(&root);
        assert!(second.left().is_empty(), "its run lives");
        // A run that is killed leaves its folder, but no lock.
        first.lock = None;
        let left = second.left();
        assert_eq!(left.len(), 1);
        assert_eq!((left[0].path.as_path(), &left[0].output), (Path::new("/models/a.mdx"), &output));
        Shelf::discard(&left[0]);
        assert!(second.left().is_empty());
        let _ = fs::remove_dir_all(&root);
    }
}
