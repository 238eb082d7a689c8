//! The window on the desk: its event loop, OpenGL, the places of the user, and the watch over files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use galatea_painter::Painter;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::app::Workbench;
use crate::session::disk::Disk;
use crate::session::jobs::Threads;
use crate::session::settings::Settings;
use crate::session::thumbnails::Thumbnails;
use crate::session::unsaved::Shelf;

/// The key of the settings.
const SETTINGS: &str = "settings";

/// Opens the window with these paths, and returns when it is closed.
pub(crate) fn run(paths: Vec<PathBuf>) -> ExitCode {
    let viewport = egui::ViewportBuilder::default()
        .with_title("Galatea")
        .with_inner_size([1360.0, 860.0])
        .with_min_inner_size([480.0, 320.0])
        .with_app_id("galatea-workshop");
    let options = eframe::NativeOptions {
        viewport,
        renderer: eframe::Renderer::Glow,
        depth_buffer: 24,
        ..Default::default()
    };
    let opened = eframe::run_native(
        "galatea-workshop",
        options,
        Box::new(|creation| Ok(Box::new(Window::new(creation, paths)))),
    );
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "error: the window could not be opened: {error}; `galatea` on the command line needs none, and docs/workshop.md \
                 lists the libraries that the window needs"
            );
            ExitCode::FAILURE
        }
    }
}

/// The window.
struct Window {
    bench: Workbench,
    /// Looks after the folders of open files, as far as the system can.
    watcher: Option<RecommendedWatcher>,
    watched: Vec<PathBuf>,
    /// Whether something has changed there.
    stirred: Arc<AtomicBool>,
    /// Whether the user has agreed to lose what is not saved.
    closes: bool,
    /// Whether it was asked already.
    asks: bool,
    title: String,
}

impl Window {
    fn new(creation: &eframe::CreationContext<'_>, paths: Vec<PathBuf>) -> Window {
        let stored = creation.storage.and_then(|storage| storage.get_string(SETTINGS));
        let settings = stored.map_or_else(Settings::default, |text| Settings::parse(&text));
        let ctx = creation.egui_ctx.clone();
        let woken = ctx.clone();
        let executor = Arc::new(Threads::new(Arc::new(move || woken.request_repaint())));
        let mut bench = Workbench::new(executor, Arc::new(Disk::new()), settings);
        if let Some(folder) = cache_folder() {
            bench.session.thumbnails = Thumbnails { folder: Some(folder.join("thumbnails")) };
            let shelf = Shelf::new(&folder.join("unsaved"));
            bench.session.left = shelf.left();
            bench.session.shelf = Some(shelf);
        }
        if let Some(gl) = &creation.gl {
            match Painter::new(gl) {
                Ok(painter) => bench.canvas.painter = Some(Arc::new(Mutex::new(Some(painter)))),
                Err(error) => bench.session.say(
                    galatea::Severity::Warning,
                    format!("models are drawn on the CPU, which is slower: {error}"),
                ),
            }
        }
        bench.session.find_games();
        bench.open(paths);
        let woken = ctx;
        let stirred = Arc::new(AtomicBool::new(false));
        let noted = Arc::clone(&stirred);
        let watcher = notify::recommended_watcher(move |_| {
            noted.store(true, Ordering::Relaxed);
            woken.request_repaint();
        });
        Window {
            bench,
            watcher: watcher.ok(),
            stirred,
            watched: Vec::new(),
            closes: false,
            asks: false,
            title: String::new(),
        }
    }

    /// Watches the folders of the files that are open.
    fn watch(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let documents = self.bench.session.documents.iter();
        let mut wanted: Vec<PathBuf> =
            documents.filter_map(|document| Some(document.path.parent()?.to_path_buf())).collect();
        wanted.retain(|folder| folder.is_dir() || folder.as_os_str().is_empty());
        wanted.sort();
        wanted.dedup();
        if wanted == self.watched {
            return;
        }
        for old in self.watched.iter().filter(|old| !wanted.contains(old)) {
            let _ = watcher.unwatch(old);
        }
        for new in wanted.iter().filter(|new| !self.watched.contains(new)) {
            let here = if new.as_os_str().is_empty() { std::path::Path::new(".") } else { new };
            // Where the system cannot watch, files are looked at now and then.
            let _ = watcher.watch(here, RecursiveMode::NonRecursive);
        }
        self.watched = wanted;
    }

    /// Asks before unsaved changes are lost with the window.
    fn guard(&mut self, ui: &egui::Ui) {
        let ctx = ui.ctx();
        if ctx.input(|input| input.viewport().close_requested())
            && self.bench.session.has_unsaved()
            && !self.closes
        {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.asks = true;
        }
        if !self.asks {
            return;
        }
        let response = egui::Modal::new(egui::Id::unique("quit")).show(ctx, |ui| {
            ui.heading("Unsaved changes");
            for document in self.bench.session.documents.iter().filter(|document| document.is_dirty()) {
                ui.label(document.path.display().to_string());
            }
            let mut keep = false;
            ui.horizontal(|ui| {
                if ui.button("Quit without saving").clicked() {
                    self.closes = true;
                    ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
                }
                keep = ui.button("Keep open").clicked();
            });
            keep
        });
        if response.inner || response.should_close() {
            self.asks = false;
        }
    }
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        if self.stirred.swap(false, Ordering::Relaxed) {
            self.bench.session.look_soon();
        }
        self.bench.ui(ui);
        let title = self.bench.title();
        if title != self.title {
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
        self.watch();
        self.guard(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        storage.set_string(SETTINGS, self.bench.session.settings.print());
    }

    fn on_exit(&mut self, gl: Option<&eframe::glow::Context>) {
        let painter = self.bench.canvas.painter.take();
        let painter = painter.and_then(|shared| shared.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let (Some(painter), Some(gl)) = (painter, gl) {
            painter.destroy(gl);
        }
    }
}

/// Returns the folder for what can be made again, and for unsaved changes, of this user.
fn cache_folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        of("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        of("HOME").map(|home| home.join("Library/Caches"))
    } else {
        of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache")))
    };
    Some(base?.join("galatea"))
}
