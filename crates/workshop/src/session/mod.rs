//! The session: documents, selection, time and history, and the actions that change them. It knows neither egui nor windows.

pub(crate) mod action;
pub(crate) mod browser;
pub(crate) mod change;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod disk;
pub(crate) mod document;
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) mod dropped;
pub(crate) mod export;
pub(crate) mod fields;
pub(crate) mod files;
pub(crate) mod jobs;
pub(crate) mod open;
pub(crate) mod play;
mod saving;
pub(crate) mod settings;
pub(crate) mod stand;
#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
pub(crate) mod tests;
pub(crate) mod thumbnails;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod unsaved;
pub(crate) mod view;
pub(crate) mod walking;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use galatea::{Output, Severity};

use self::action::{Action, Arrangement};
use self::browser::{Browser, Only};
use self::change::Wish;
use self::document::{Document, Fresh, OnDisk, Step};
use self::export::Export;
use self::files::Files;
use self::jobs::{Executor, Task, finished};
use self::open::Opened;
use self::saving::Written;
use self::settings::Settings;
use self::stand::Around;
use self::thumbnails::Thumbnails;
use self::walking::Land;

/// Something that was done, or went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// How bad it is.
    pub(crate) severity: Severity,
    /// What happened, and what to do about it.
    pub(crate) text: String,
}

/// Most messages that are kept.
const MESSAGES: usize = 500;
/// Seconds between looks at the files that are open.
const LOOK: f32 = 0.5;
/// Seconds after which time does not pass on: a window that was hidden does not jump.
const LONGEST: f32 = 0.25;
/// Most files that are drawn for the list at the same time.
const DRAWN: usize = 8;

/// What is known of a file that is open: the document, and the number of [`Files::stamp`].
type Stamp = (u64, Option<u64>);

/// The session.
pub(crate) struct Session {
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) files: Arc<dyn Files>,
    /// What is remembered between runs.
    pub(crate) settings: Settings,
    /// The list of files.
    pub(crate) browser: Browser,
    /// The open documents.
    pub(crate) documents: Vec<Document>,
    /// The one that is shown.
    pub(crate) current: usize,
    /// How documents share the viewport.
    pub(crate) arrangement: Arrangement,
    /// What was done, and what went wrong.
    pub(crate) messages: Vec<Message>,
    /// What follows `galatea` on the command line to do what was done last.
    pub(crate) last_command: Option<String>,
    /// A text for the clipboard, for the window to take.
    pub(crate) clipboard: Option<String>,
    /// What waits for a yes before it is written.
    pub(crate) pending: Option<Export>,
    /// The document that is to be closed and has unsaved changes.
    pub(crate) closing: Option<usize>,
    /// The games that are installed here: what each is, and its folder.
    pub(crate) games: Vec<(String, PathBuf)>,
    /// Looks for them.
    finding_games: Option<Task<Vec<(String, PathBuf)>>>,
    /// Makes what is to be written.
    making: Option<Task<Export>>,
    /// Writes it.
    writing: Option<Task<Written>>,
    /// Where small images of files are kept.
    pub(crate) thumbnails: Thumbnails,
    /// Where unsaved changes are kept.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) shelf: Option<unsaved::Shelf>,
    /// Changes that runs have left.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) left: Vec<unsaved::Left>,
    /// Looks at the files that are open.
    looking: Option<Task<Vec<Stamp>>>,
    /// Seconds since they were looked at.
    since_look: f32,
    next_id: u64,
}

impl Session {
    /// Returns a session without documents.
    pub(crate) fn new(executor: Arc<dyn Executor>, files: Arc<dyn Files>, settings: Settings) -> Session {
        Session {
            executor,
            files,
            settings,
            browser: Browser::default(),
            documents: Vec::new(),
            current: 0,
            arrangement: Arrangement::One,
            messages: Vec::new(),
            last_command: None,
            clipboard: None,
            pending: None,
            closing: None,
            games: Vec::new(),
            finding_games: None,
            making: None,
            writing: None,
            thumbnails: Thumbnails::default(),
            #[cfg(not(target_arch = "wasm32"))]
            shelf: None,
            #[cfg(not(target_arch = "wasm32"))]
            left: Vec::new(),
            looking: None,
            since_look: 0.0,
            next_id: 1,
        }
    }

    /// Returns the document that is shown.
    pub(crate) fn document(&self) -> Option<&Document> {
        self.documents.get(self.current)
    }

    /// Returns the document that is shown, to change it.
    pub(crate) fn document_mut(&mut self) -> Option<&mut Document> {
        self.documents.get_mut(self.current)
    }

    /// Says that something was done, or went wrong.
    pub(crate) fn say(&mut self, severity: Severity, text: impl Into<String>) {
        if self.messages.len() >= MESSAGES {
            self.messages.remove(0);
        }
        self.messages.push(Message { severity, text: text.into() });
    }

    fn around(&self, path: &Path) -> Around {
        Around { files: Arc::clone(&self.files), path: path.to_path_buf(), team: self.settings.show.team }
    }

    /// Returns what is being done, with how much of it is done if that is known.
    pub(crate) fn busy(&self) -> Vec<(String, Option<f32>)> {
        let mut out = Vec::new();
        let mut add = |what: &str, part| out.push((what.to_owned(), part));
        if let Some(task) = &self.browser.listing {
            add(&task.what, task.part());
        }
        if let Some(task) = &self.making {
            add(&task.what, task.part());
        }
        if let Some(task) = &self.writing {
            add(&task.what, task.part());
        }
        for document in &self.documents {
            if let Some(task) = &document.opening {
                add(&task.what, task.part());
            }
            if let Some(task) = &document.changing {
                add(&task.what, task.part());
            }
        }
        out
    }

    /// Stops what is being done and can be stopped.
    pub(crate) fn stop(&mut self) {
        (self.browser.listing, self.making) = (None, None);
        self.browser.stop();
        for document in &mut self.documents {
            document.changing = None;
        }
        self.say(Severity::Info, "Stopped");
    }

    /// Does what a panel asks for.
    pub(crate) fn act(&mut self, action: Action) {
        match action {
            Action::Open(path) => self.open(&path, false),
            Action::OpenBeside(path) => self.open(&path, true),
            Action::Step(by) => self.step(by),
            Action::Refresh => self.refresh(),
            Action::Thumbnails(paths) => self.draw(paths),
            Action::Switch(at) => self.current = at.min(self.documents.len().saturating_sub(1)),
            Action::Close(at) => self.close(at, false),
            Action::CloseAnyway(at) => self.close(at, true),
            Action::Change { wish, asks } => self.change(wish, asks),
            Action::Apply => self.apply(),
            Action::Undo | Action::Redo => self.travel(&action),
            Action::Reload => self.reload(self.current),
            Action::Show(show) => self.show(show),
            Action::Side(side) => (self.settings.side, self.settings.right) = (side, true),
            Action::Bottom(bottom) => (self.settings.bottom, self.settings.lower) = (bottom, true),
            Action::Arrange(arrangement) => self.arrange(arrangement),
            Action::Copy(text) => self.clipboard = Some(text),
            Action::ClearLog => self.messages.clear(),
            #[cfg(not(target_arch = "wasm32"))]
            Action::Recover(number) => self.recover(number),
            #[cfg(not(target_arch = "wasm32"))]
            Action::DiscardLeft(number) => {
                if number < self.left.len() {
                    unsaved::Shelf::discard(&self.left.remove(number));
                }
            }
            Action::Save
            | Action::SaveAs { .. }
            | Action::Shoot { .. }
            | Action::Write
            | Action::DoNotWrite => self.act_on_files(action),
            other => {
                if let Some(document) = self.documents.get_mut(self.current) {
                    document.act(other);
                }
            }
        }
    }

    fn open(&mut self, path: &Path, beside: bool) {
        if self.files.is_folder(path) {
            self.list(vec![path.to_path_buf()]);
            self.settings.remember(path);
            return;
        }
        if let Some(known) = self.documents.iter().position(|document| document.path == path) {
            self.current = known;
            return;
        }
        if self.browser.roots.is_empty() && self.browser.listing.is_none() {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            self.list(vec![folder.unwrap_or(Path::new(".")).to_path_buf()]);
        }
        self.next_id += 1;
        let mut document = Document::new(self.next_id, path);
        // Who walks through a folder keeps looking from the same side; what was changed is not taken away.
        let replaces =
            !beside && self.document().is_some_and(|now| !now.is_dirty() && now.changing.is_none());
        if let Some(now) = self.document() {
            (document.orbit.yaw, document.orbit.pitch) = (now.orbit.yaw, now.orbit.pitch);
            document.clock.speed = now.clock.speed;
        }
        if replaces {
            if let Some(place) = self.documents.get_mut(self.current) {
                *place = document;
            }
        } else {
            self.documents.push(document);
            self.current = self.documents.len() - 1;
        }
        self.settings.remember(path);
        self.last_command = Some(format!("view {}", change::quoted(&path.display().to_string())));
        self.reload(self.current);
    }

    /// Looks for the games that are installed here.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn find_games(&mut self) {
        let files = Arc::clone(&self.files);
        self.finding_games =
            Some(Task::start(self.executor.as_ref(), "Looking for games", move |_| Ok(files.games())));
    }

    /// Lists files, and opens the first one if nothing is open.
    pub(crate) fn list(&mut self, roots: Vec<PathBuf>) {
        self.browser.roots.clone_from(&roots);
        self.browser.failed = None;
        self.browser.stop();
        let files = Arc::clone(&self.files);
        let what =
            format!("Listing {}", roots.first().map_or_else(String::new, |root| root.display().to_string()));
        let task = Task::start(self.executor.as_ref(), what, move |progress| files.list(&roots, progress));
        self.browser.listing = Some(task);
    }

    fn refresh(&mut self) {
        self.files.refresh();
        if !self.browser.roots.is_empty() {
            self.list(self.browser.roots.clone());
        }
        self.reload(self.current);
    }

    fn step(&mut self, by: isize) {
        let from = self.document().map(|document| document.path.clone());
        if let Some(path) = self.browser.step(from.as_deref(), by) {
            self.open(&path, false);
        }
    }

    fn draw(&mut self, paths: Vec<PathBuf>) {
        for path in paths {
            let known = self.browser.look(&path).is_some() || self.browser.is_drawing(&path);
            if known || self.browser.drawing() >= DRAWN {
                continue;
            }
            let (around, thumbnails) = (self.around(&path), self.thumbnails.clone());
            let what = format!("Drawing {}", path.display());
            let task = Task::start_later(self.executor.as_ref(), what, move |_| thumbnails.look(&around));
            self.browser.draw(&path, task);
        }
    }

    fn close(&mut self, at: usize, anyway: bool) {
        let Some(document) = self.documents.get(at) else { return };
        if document.is_dirty() && !anyway {
            self.closing = Some(at);
            self.current = at;
            return;
        }
        let _path = document.path.clone();
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(shelf) = &mut self.shelf {
            shelf.forget(&_path);
        }
        self.documents.remove(at);
        self.closing = None;
        if self.current > at || self.current >= self.documents.len() {
            self.current = self.current.saturating_sub(1);
        }
    }

    /// Reads a document from disk again.
    fn reload(&mut self, at: usize) {
        let Some(path) = self.documents.get(at).map(|document| document.path.clone()) else { return };
        let around = self.around(&path);
        let what = format!("Opening {}", files::name_of(&path));
        let task = Task::start(self.executor.as_ref(), what, move |_| {
            let stamp = around.files.stamp(&around.path);
            let output = Arc::new(around.files.load(&around.path)?);
            let opened = Opened::new(around, Arc::clone(&output));
            Ok(Fresh { read: Some((output, stamp)), opened })
        });
        if let Some(document) = self.documents.get_mut(at) {
            document.opening = Some(task);
        }
    }

    /// Opens the state of a document that is to be shown.
    fn reopen(&mut self, at: usize) {
        let Some(document) = self.documents.get(at) else { return };
        let Some(output) = document.output().cloned() else { return };
        let around = self.around(&document.path);
        let what = format!("Opening {}", document.name());
        let task = Task::start(self.executor.as_ref(), what, move |_| {
            Ok(Fresh { read: None, opened: Opened::new(around, output) })
        });
        if let Some(document) = self.documents.get_mut(at) {
            document.opening = Some(task);
        }
    }

    fn change(&mut self, wish: Wish, asks: bool) {
        let Some(document) = self.document() else { return };
        let Some(output) = document.output().cloned() else { return };
        let around = self.around(&document.path);
        let task =
            Task::start(self.executor.as_ref(), "Changing", move |_| wish.work(&around, &output, asks));
        if let Some(document) = self.document_mut() {
            (document.changing, document.proposal) = (Some(task), None);
        }
    }

    /// Makes the change that is shown.
    fn apply(&mut self) {
        let current = self.current;
        let Some(change) = self.document_mut().and_then(|document| document.proposal.take()) else { return };
        self.make(current, change);
    }

    fn make(&mut self, at: usize, change: change::Change) {
        let Some(document) = self.documents.get_mut(at) else { return };
        self.last_command = Some(change.command.clone());
        let lines = change.differences.len();
        let text = format!("{}: {}: {lines} differences", document.name(), change.label);
        document.push(Step { label: change.label, command: change.command, output: change.output });
        self.say(Severity::Info, text);
        self.keep_unsaved(at);
        self.reopen(at);
    }

    fn travel(&mut self, action: &Action) {
        let Some(document) = self.document_mut() else { return };
        let (label, word) = match action {
            Action::Undo => (document.undo(), "Undone"),
            _ => (document.redo(), "Done again"),
        };
        let Some(label) = label else { return };
        document.proposal = None;
        self.say(Severity::Info, format!("{word}: {label}"));
        self.keep_unsaved(self.current);
        self.reopen(self.current);
    }

    fn show(&mut self, show: view::Show) {
        let team = self.settings.show.team != show.team;
        self.settings.show = show;
        if team {
            (0..self.documents.len()).for_each(|at| self.reopen(at));
        }
    }

    fn arrange(&mut self, arrangement: Arrangement) {
        self.arrangement = arrangement;
        if !matches!(arrangement, Arrangement::Wipe(_)) {
            return;
        }
        let Some(document) = self.document() else { return };
        let Some(saved) = document.saved().cloned() else { return };
        let known = document.before.as_ref().is_some_and(|before| Arc::ptr_eq(&before.output, &saved));
        if known || document.opening_before.is_some() {
            return;
        }
        let around = self.around(&document.path);
        let task = Task::start(self.executor.as_ref(), "Opening the saved state", move |_| {
            Ok(Opened::new(around, saved))
        });
        if let Some(document) = self.document_mut() {
            document.opening_before = Some(task);
        }
    }

    /// Lets time pass and takes what was finished. Returns `true` if something moves by itself.
    pub(crate) fn tick(&mut self, seconds: f32) -> bool {
        self.take_lists();
        for at in 0..self.documents.len() {
            self.take_opened(at);
            self.take_changed(at);
            self.find_ground(at);
        }
        self.take_made();
        self.look_at_files(seconds);
        let beside = self.arrangement == Arrangement::Beside;
        let current = self.current;
        let mut moves = false;
        for (at, document) in self.documents.iter_mut().enumerate() {
            moves |= (beside || at == current) && document.pass(seconds.min(LONGEST));
        }
        moves
    }

    fn take_lists(&mut self) {
        match finished(&mut self.browser.listing) {
            Some(Ok(entries)) => {
                let none = entries.is_empty();
                self.browser.take(entries);
                if none {
                    self.browser.failed = Some("no files of known formats in here".into());
                } else if self.documents.is_empty() {
                    self.step(0);
                }
            }
            Some(Err(error)) => {
                self.browser.take(Vec::new());
                self.browser.failed = Some(error.clone());
                self.say(Severity::Error, error);
            }
            None => {}
        }
        if let Some(Ok(games)) = finished(&mut self.finding_games) {
            self.games = games;
        }
        self.browser.collect();
        if self.browser.only != Only::All {
            // To know in which files something is found, all have to be looked at.
            let unknown =
                |path: &PathBuf| self.browser.look(path).is_none() && !self.browser.is_drawing(path);
            let entries = self.browser.entries.iter().map(|entry| entry.path.clone());
            let next: Vec<PathBuf> = entries.filter(unknown).take(DRAWN).collect();
            self.draw(next);
        }
    }

    fn take_opened(&mut self, at: usize) {
        let plays = self.settings.plays;
        let Some(document) = self.documents.get_mut(at) else { return };
        if let Some(outcome) = finished(&mut document.opening_before) {
            document.before = outcome.ok();
        }
        let Some(outcome) = finished(&mut document.opening) else { return };
        let fresh = match outcome {
            Ok(fresh) => fresh,
            Err(error) => {
                // What was read before stays: the file may be gone, its content is still here.
                if document.opened.is_none() {
                    document.failed = Some(error.clone());
                } else {
                    document.on_disk = OnDisk::Gone;
                }
                return self.say(Severity::Error, error);
            }
        };
        document.failed = None;
        if let Some((output, stamp)) = fresh.read {
            document.take_read(output);
            (document.stamp, document.seen) = (stamp, None);
        }
        let notes: Vec<String> = fresh.opened.stand.iter().flat_map(|stand| stand.notes.clone()).collect();
        let error = fresh.opened.error.clone();
        document.show(fresh.opened, plays);
        let name = document.name();
        if let Some(error) = error {
            self.say(Severity::Error, format!("{name}: {error}"));
        }
        for note in notes {
            self.say(Severity::Warning, format!("{name}: {note}"));
        }
    }

    fn take_changed(&mut self, at: usize) {
        let Some(document) = self.documents.get_mut(at) else { return };
        match finished(&mut document.changing) {
            Some(Ok(change)) if change.asks => document.proposal = Some(change),
            Some(Ok(change)) => self.make(at, change),
            Some(Err(error)) => self.say(Severity::Error, error),
            None => {}
        }
    }

    fn find_ground(&mut self, at: usize) {
        let Some(document) = self.documents.get_mut(at) else { return };
        let walking = &mut document.walking;
        if let Some(outcome) = finished(&mut walking.finding) {
            walking.land = Some(outcome);
            walking.search();
        }
        if !walking.on || walking.land.is_some() || walking.finding.is_some() || document.opening.is_some() {
            return;
        }
        let Some(output) = document.output().cloned() else { return };
        let path = document.path.clone();
        let around = self.around(&path);
        let task =
            Task::start(self.executor.as_ref(), "Finding the ground", move |_| Land::find(&around, &output));
        if let Some(document) = self.documents.get_mut(at) {
            document.walking.finding = Some(task);
        }
    }

    /// Looks at the files that are open at the next opportunity: something has changed in a folder.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn look_soon(&mut self) {
        self.since_look = LOOK;
    }

    fn look_at_files(&mut self, seconds: f32) {
        self.since_look += seconds.max(0.0);
        if let Some(Ok(stamps)) = finished(&mut self.looking) {
            for (id, stamp) in stamps {
                self.take_stamp(id, stamp);
            }
        }
        if self.since_look < LOOK || self.looking.is_some() {
            return;
        }
        self.since_look = 0.0;
        let idle = |document: &&Document| document.opening.is_none() && document.stamp.is_some();
        let paths: Vec<(u64, PathBuf)> =
            self.documents.iter().filter(idle).map(|document| (document.id, document.path.clone())).collect();
        let files = Arc::clone(&self.files);
        if !paths.is_empty() {
            self.looking = Some(Task::start(self.executor.as_ref(), "Looking", move |_| {
                Ok(paths.into_iter().map(|(id, path)| (id, files.stamp(&path))).collect())
            }));
        }
    }

    fn take_stamp(&mut self, id: u64, stamp: Option<u64>) {
        let Some(at) = self.documents.iter().position(|document| document.id == id) else { return };
        let Some(document) = self.documents.get_mut(at) else { return };
        if document.opening.is_some() || stamp == document.stamp {
            document.seen = None;
            if document.on_disk == OnDisk::Gone {
                document.on_disk = OnDisk::Same;
            }
            return;
        }
        let Some(stamp) = stamp else {
            if document.on_disk != OnDisk::Gone {
                document.on_disk = OnDisk::Gone;
                let text =
                    format!("{}: is not there any more; what is shown can still be saved", document.name());
                self.say(Severity::Warning, text);
            }
            return;
        };
        // Twice the same: it was written completely.
        if document.seen != Some(stamp) {
            document.seen = Some(stamp);
            self.since_look = LOOK * 0.5;
            return;
        }
        let path = document.path.clone();
        if document.is_dirty() {
            if document.on_disk != OnDisk::Changed {
                document.on_disk = OnDisk::Changed;
                let text = format!("{}: another program has changed the file", document.name());
                self.say(Severity::Warning, text);
            }
            return;
        }
        self.files.refresh();
        self.browser.forget(&path);
        let text = format!("{}: read again, another program has changed it", files::name_of(&path));
        self.say(Severity::Info, text);
        self.reload(at);
    }

    /// Keeps the unsaved changes of a document for the next run.
    fn keep_unsaved(&mut self, _at: usize) {
        #[cfg(not(target_arch = "wasm32"))]
        {
            let Some(document) = self.documents.get(_at) else { return };
            let Some(shelf) = &mut self.shelf else { return };
            let kept = match document.output() {
                Some(output) if document.is_dirty() => shelf.keep(&document.path, output),
                _ => {
                    shelf.forget(&document.path);
                    Ok(())
                }
            };
            if let Err(error) = kept {
                let text = format!("unsaved changes could not be kept for the next run ({error}); save soon");
                self.say(Severity::Warning, text);
            }
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn recover(&mut self, number: usize) {
        if number >= self.left.len() {
            return;
        }
        let left = self.left.remove(number);
        self.next_id += 1;
        let mut document = Document::new(self.next_id, &left.path);
        if let Ok(output) = self.files.load(&left.path) {
            document.take_read(Arc::new(output));
            document.stamp = self.files.stamp(&left.path);
        }
        document.take_recovered(Arc::new(left.output.clone()));
        self.documents.push(document);
        self.current = self.documents.len() - 1;
        self.keep_unsaved(self.current);
        unsaved::Shelf::discard(&left);
        self.say(Severity::Info, format!("{}: recovered; it is not saved yet", files::name_of(&left.path)));
        self.reopen(self.current);
    }

    /// Returns `true` if any document has unsaved changes.
    pub(crate) fn has_unsaved(&self) -> bool {
        self.documents.iter().any(Document::is_dirty)
    }

    /// Returns the bytes of the document that is shown.
    pub(crate) fn output(&self) -> Option<&Arc<Output>> {
        self.document()?.output()
    }
}

#[cfg(test)]
impl Session {
    /// Returns the panels that are shown.
    pub(crate) fn panels(&self) -> (settings::Side, settings::Bottom) {
        (self.settings.side, self.settings.bottom)
    }
}
