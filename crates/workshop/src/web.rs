//! The page: the session of the window with files that were dropped, and downloads for what is saved.
//!
//! `web/page.js` makes a [`Page`], starts it on a canvas and hands it the files. Nothing leaves the computer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use eframe::WebOptions;
use galatea::{Category, FormatId, Severity};
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

use crate::app::Workbench;
use crate::session::action::Action;
use crate::session::dropped::Dropped;
use crate::session::jobs::OnTheSpot;
use crate::session::settings::Settings;
use galatea_painter::Painter;

/// The key of the settings.
const SETTINGS: &str = "settings";

/// What the page asks of the session.
enum Wish {
    Open(Vec<String>),
    Convert(FormatId),
}

/// What the page and the session share.
#[derive(Default)]
struct Shared {
    wishes: Mutex<Vec<Wish>>,
    /// What is shown, as JSON.
    state: Mutex<String>,
    /// Wakes the session.
    context: Mutex<Option<egui::Context>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn ask(&self, wish: Wish) {
        locked(&self.wishes).push(wish);
        if let Some(context) = locked(&self.context).as_ref() {
            context.request_repaint();
        }
    }
}

/// The workshop on a page.
#[wasm_bindgen]
pub struct Page {
    files: Arc<Dropped>,
    shared: Arc<Shared>,
    runner: eframe::WebRunner,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").finish_non_exhaustive()
    }
}

#[wasm_bindgen]
impl Page {
    /// Returns a page without files.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::new_without_default, reason = "it is called from JavaScript")]
    pub fn new() -> Page {
        let runner = eframe::WebRunner::new();
        Page { files: Arc::default(), shared: Arc::default(), runner }
    }

    /// Starts it on a canvas.
    pub async fn start(&self, canvas: HtmlCanvasElement) -> Result<(), JsValue> {
        let (files, shared) = (Arc::clone(&self.files), Arc::clone(&self.shared));
        let create: eframe::AppCreator<'static> =
            Box::new(move |creation| Ok(Box::new(Sheet::new(creation, files, shared))));
        self.runner.start(canvas, WebOptions::default(), create).await
    }

    /// Adds a file, or replaces the one of the same name.
    pub fn put(&self, name: &str, bytes: Vec<u8>) {
        self.files.put(name, bytes);
    }

    /// Opens the first model among files of these names; a texture if there is none.
    pub fn open(&self, names: Vec<String>) {
        self.shared.ask(Wish::Open(names));
    }

    /// Converts what is shown to a format, by its name, and offers the files as downloads.
    pub fn convert(&self, format: &str) -> Result<(), JsValue> {
        let format: FormatId = format.parse().map_err(|_| JsValue::from_str("no format has this name"))?;
        self.shared.ask(Wish::Convert(format));
        Ok(())
    }

    /// Returns what is shown, as JSON: the file, its format, triangles, clip and time, and an error.
    pub fn state(&self) -> String {
        locked(&self.shared.state).clone()
    }
}

/// The app behind the page.
struct Sheet {
    bench: Workbench,
    files: Arc<Dropped>,
    shared: Arc<Shared>,
    /// Whether what waits for a yes is written without one: the page was asked to convert.
    converts: bool,
    title: String,
}

impl Sheet {
    fn new(creation: &eframe::CreationContext<'_>, files: Arc<Dropped>, shared: Arc<Shared>) -> Sheet {
        let stored = creation.storage.and_then(|storage| storage.get_string(SETTINGS));
        let mut settings = stored.map_or_else(Settings::default, |text| Settings::parse(&text));
        // What was dropped then is not here now.
        settings.recent.clear();
        let mut bench = Workbench::new(
            Arc::new(OnTheSpot),
            Arc::clone(&files) as Arc<dyn crate::session::files::Files>,
            settings,
        );
        if let Some(gl) = &creation.gl {
            match Painter::new(gl) {
                Ok(painter) => bench.canvas.painter = Some(Arc::new(Mutex::new(Some(painter)))),
                Err(error) => bench.session.say(
                    Severity::Warning,
                    format!("models are drawn without the graphics card, which is slower: {error}"),
                ),
            }
        }
        *locked(&shared.context) = Some(creation.egui_ctx.clone());
        Sheet { bench, files, shared, converts: false, title: String::new() }
    }

    fn do_wishes(&mut self) {
        let wishes = std::mem::take(&mut *locked(&self.shared.wishes));
        for wish in wishes {
            match wish {
                Wish::Open(names) => {
                    let first = self.first(&names);
                    self.bench.session.list(vec![PathBuf::new()]);
                    if let Some(first) = first {
                        self.bench.session.act(Action::Open(PathBuf::from(first)));
                    }
                }
                Wish::Convert(format) => {
                    let Some(document) = self.bench.session.document() else { continue };
                    let stem = galatea::file_names::stem(&document.path);
                    let ending = format.format().write_extension.unwrap_or("out");
                    let path = PathBuf::from(format!("{stem}.{ending}"));
                    self.converts = true;
                    self.bench.session.act(Action::SaveAs { path, format, replace: true });
                }
            }
        }
        if self.converts && self.bench.session.pending.is_some() {
            self.converts = false;
            self.bench.session.act(Action::Write);
        }
    }

    /// Returns the file to open among those that came together: a model rather than a texture, and no companion of another one.
    fn first(&self, names: &[String]) -> Option<String> {
        use crate::session::files::Files;
        let entries = self.files.list(&[], &crate::session::jobs::Progress::default()).ok()?;
        let listed = |name: &&String| entries.iter().any(|entry| entry.name == **name);
        let is_model = |name: &&String| {
            let loaded = self.files.load(std::path::Path::new(name.as_str())).ok();
            let format = loaded.and_then(|output| galatea::detect(&output.bytes));
            format.is_some_and(|format| format.category == Category::Model)
        };
        let candidates: Vec<&String> = names.iter().filter(listed).collect();
        let model = candidates.iter().copied().find(|name| is_model(name));
        model.or(candidates.first().copied()).or(names.first()).cloned()
    }

    /// Offers what was saved as downloads.
    fn download(&self) {
        for (name, bytes) in std::mem::take(&mut *locked(&self.files.saved)) {
            if let Err(error) = offer(&name, &bytes) {
                web_sys::console::error_1(&error);
            }
        }
    }

    fn describe(&self) -> String {
        let session = &self.bench.session;
        let Some(document) = session.document() else { return "{}".into() };
        let opened = document.opened.as_ref();
        let triangles = opened.and_then(|o| o.stand.as_ref()).map_or(0, |stand| {
            let meshes = stand.subject.scene.meshes.iter().flat_map(|mesh| &mesh.primitives);
            meshes.map(|primitive| primitive.indices.len() / 3).sum::<usize>()
        });
        serde_json::json!({
            "file": document.path.display().to_string(),
            "format": opened.and_then(|o| o.format).map(|f| f.name),
            "triangles": triangles,
            "textures": opened.and_then(|o| o.stand.as_ref()).map_or(0, |stand| stand.subject.textures.len()),
            "clip": document.clock.clip,
            "time": document.clock.time,
            "error": document.failed.clone().or_else(|| opened.and_then(|o| o.error.clone())),
            "painter": self.bench.canvas.painter.is_some(),
            "unsaved": session.has_unsaved(),
        })
        .to_string()
    }
}

impl eframe::App for Sheet {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.do_wishes();
        self.bench.ui(ui);
        self.download();
        let title = self.bench.title();
        if title != self.title
            && let Some(document) = web_sys::window().and_then(|window| window.document())
        {
            document.set_title(&title);
            self.title = title;
        }
        *locked(&self.shared.state) = self.describe();
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        storage.set_string(SETTINGS, self.bench.session.settings.print());
    }
}

/// Offers a file as a download.
fn offer(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let missing = || JsValue::from_str("the page has no document");
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("application/octet-stream");
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &options)?;
    let url = web_sys::Url::create_object_url_with_blob(&blob)?;
    let document = web_sys::window().and_then(|window| window.document()).ok_or_else(missing)?;
    let link: web_sys::HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    web_sys::Url::revoke_object_url(&url)
}
