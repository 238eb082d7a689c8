//! The list of files: what is in a folder, which of it is shown, and what it looks like.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use galatea::preview::Image;

use super::files::Entry;
use super::jobs::Task;

/// What is known of a file in the list.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    /// Its image, or why there is none.
    pub(crate) image: Result<Arc<Image>, String>,
    /// Errors, warnings and infos.
    pub(crate) counts: [usize; 3],
}

/// Which files are shown, by what was found in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Only {
    /// All.
    #[default]
    All,
    /// Those with errors, or that cannot be opened.
    Errors,
    /// Those with warnings or errors.
    Warnings,
}

/// The list of files.
#[derive(Default)]
pub(crate) struct Browser {
    /// The folder, archive or files that are listed.
    pub(crate) roots: Vec<PathBuf>,
    /// All files.
    pub(crate) entries: Vec<Entry>,
    /// Lists them.
    pub(crate) listing: Option<Task<Vec<Entry>>>,
    /// Why they could not be listed.
    pub(crate) failed: Option<String>,
    /// The extensions that occur, by name.
    pub(crate) extensions: Vec<String>,
    /// Only names with this text are shown.
    pub(crate) filter: String,
    /// Only files of this extension are shown.
    pub(crate) extension: Option<String>,
    /// Which files are shown, by what was found in them.
    pub(crate) only: Only,
    /// The files that are shown, by their places in the list.
    shown: Vec<usize>,
    /// What the list was narrowed by.
    narrowed: Option<(String, Option<String>, Only, usize)>,
    /// What is known of each file.
    looks: HashMap<PathBuf, Look>,
    /// The files that are being drawn.
    drawing: HashMap<PathBuf, Task<Look>>,
    /// Counts what became known, so that a list narrowed by it is made again.
    known: usize,
}

/// Most images of files that are kept.
const MOST: usize = 6000;

impl Browser {
    /// Takes a list of files.
    pub(crate) fn take(&mut self, entries: Vec<Entry>) {
        self.extensions = entries.iter().map(|entry| extension(&entry.path)).collect();
        self.extensions.sort_unstable();
        self.extensions.dedup();
        self.entries = entries;
        self.narrowed = None;
        self.failed = None;
    }

    /// Returns the files that are shown, by their places in the list.
    pub(crate) fn shown(&mut self) -> &[usize] {
        let known = if self.only == Only::All { 0 } else { self.known };
        let by = (self.filter.to_lowercase(), self.extension.clone(), self.only, known);
        if self.narrowed.as_ref() != Some(&by) {
            self.shown = (0..self.entries.len()).filter(|at| self.fits(*at, &by.0)).collect();
            self.narrowed = Some(by);
        }
        &self.shown
    }

    fn fits(&self, at: usize, filter: &str) -> bool {
        let Some(entry) = self.entries.get(at) else { return false };
        let counts = self.looks.get(&entry.path).map(|look| (look.counts, look.image.is_err()));
        let found = match self.only {
            Only::All => true,
            Only::Errors => counts.is_some_and(|([errors, ..], broken)| errors > 0 || broken),
            Only::Warnings => {
                counts.is_some_and(|([errors, warnings, _], broken)| errors + warnings > 0 || broken)
            }
        };
        let extension = self.extension.as_ref().is_none_or(|wanted| extension(&entry.path) == *wanted);
        found && extension && (filter.is_empty() || entry.name.to_lowercase().contains(filter))
    }

    /// Returns the path of the file that is this many files behind another one in the list as it is shown.
    pub(crate) fn step(&mut self, from: Option<&Path>, by: isize) -> Option<PathBuf> {
        let all = self.shown().to_vec();
        let path = |at: usize| Some(self.entries.get(*all.get(at)?)?.path.clone());
        let here =
            all.iter().position(|at| self.entries.get(*at).is_some_and(|e| Some(e.path.as_path()) == from));
        match here {
            Some(here) => path(here.checked_add_signed(by)?),
            None => path(0),
        }
    }

    /// Returns what is known of a file.
    pub(crate) fn look(&self, path: &Path) -> Option<&Look> {
        self.looks.get(path)
    }

    /// Returns `true` if a file is being drawn.
    pub(crate) fn is_drawing(&self, path: &Path) -> bool {
        self.drawing.contains_key(path)
    }

    /// Returns how many files are being drawn.
    pub(crate) fn drawing(&self) -> usize {
        self.drawing.len()
    }

    /// Remembers that a file is being drawn.
    pub(crate) fn draw(&mut self, path: &Path, task: Task<Look>) {
        self.drawing.insert(path.to_path_buf(), task);
    }

    /// Forgets what is known of a file.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.looks.remove(path);
        self.drawing.remove(path);
    }

    /// Takes what was drawn; returns `true` if anything was.
    pub(crate) fn collect(&mut self) -> bool {
        let before = self.known;
        let looks = &mut self.looks;
        let known = &mut self.known;
        self.drawing.retain(|path, task| {
            let Some(outcome) = task.take() else { return true };
            let look = outcome.unwrap_or_else(|error| Look { image: Err(error), counts: [1, 0, 0] });
            if looks.len() >= MOST {
                looks.clear();
            }
            looks.insert(path.clone(), look);
            *known += 1;
            false
        });
        self.known != before
    }

    /// Stops drawing.
    pub(crate) fn stop(&mut self) {
        self.drawing.clear();
    }
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
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

    fn browser() -> Browser {
        let mut browser = Browser::default();
        let entry = |name: &str| Entry { path: name.into(), name: name.into() };
        browser.take(["Cow.mdx", "cat.mdx", "floor.wok"].map(entry).to_vec());
        browser
    }

    #[test]
    fn names_and_extensions_narrow_the_list() {
        let mut browser = browser();
        assert_eq!(browser.shown(), [0, 1, 2]);
        browser.filter = "CO".into();
        assert_eq!(browser.shown(), [0]);
        browser.filter.clear();
        browser.extension = Some("wok".into());
        assert_eq!(browser.shown(), [2]);
        assert_eq!(browser.extensions, ["mdx", "wok"]);
    }

    #[test]
    fn arrow_keys_walk_through_what_is_shown_and_stop_at_its_ends() {
        let mut browser = browser();
        let at = |browser: &mut Browser, from: Option<&str>, by| {
            browser.step(from.map(Path::new), by).map(|path| path.display().to_string())
        };
        assert_eq!(at(&mut browser, None, 1).as_deref(), Some("Cow.mdx"));
        assert_eq!(at(&mut browser, Some("Cow.mdx"), 1).as_deref(), Some("cat.mdx"));
        assert_eq!(at(&mut browser, Some("Cow.mdx"), -1), None);
        browser.filter = "floor".into();
        assert_eq!(at(&mut browser, Some("Cow.mdx"), 1).as_deref(), Some("floor.wok"));
        assert_eq!(at(&mut browser, Some("floor.wok"), 1), None);
    }

    #[test]
    fn files_with_findings_are_shown_as_they_become_known() {
        let mut browser = browser();
        browser.only = Only::Errors;
        assert!(browser.shown().is_empty());
        let task = Task::start(&super::super::jobs::OnTheSpot, "draw", |_| Err("damaged".into()));
        browser.draw(Path::new("cat.mdx"), task);
        assert!(browser.collect());
        assert_eq!(browser.shown(), [1]);
    }
}
