//! The window of Galatea, and the page: see, check, change and save models and walkmeshes of four game engines.
//!
//! # How it is built
//!
//! * `session` is plain Rust without egui: documents, selection, time, history, and the actions that change them. It is what unit
//!   tests test. It reads files through [`files`](session::files), which is the disk in the window, and dropped files on the page.
//! * `panels` has one file per panel. A panel reads the session and sends actions; it changes nothing itself.
//! * [`painter`] draws a [`Drawing`] with OpenGL. Where there is none, and in tests, `galatea::preview` draws the same on the CPU.
//! * `app` puts the panels into a window.
//!
//! The viewport panel calls it in an `egui_glow::CallbackFn`, with the painter behind `Arc<Mutex<Option<Painter>>>`.

pub use galatea_painter::{self as painter, Drawing, Subject};

use std::process::ExitCode;

#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Opens the window with the paths that the program was given, and returns when it is closed.
#[cfg(not(target_arch = "wasm32"))]
pub fn main() -> ExitCode {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_inner_size([1280.0, 800.0])
            .with_app_id("galatea-workshop"),
        renderer: eframe::Renderer::Glow,
        depth_buffer: 24,
        multisampling: 4,
        ..Default::default()
    };
    match eframe::run_native("Galatea", options, Box::new(|_| Ok(Box::new(App)))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "error: the window could not be opened: {error}; see docs/workshop.md for the libraries it needs"
            );
            ExitCode::FAILURE
        }
    }
}

/// The page starts by itself.
#[cfg(target_arch = "wasm32")]
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}

struct App;

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        ui.heading("Galatea");
    }
}
