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

mod app;
mod panels;
mod session;
#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod ui_tests;
#[cfg(target_arch = "wasm32")]
mod web;
#[cfg(not(target_arch = "wasm32"))]
mod window;

pub use galatea_painter::{self as painter, Drawing, Subject};

use std::process::ExitCode;

#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What `--help` prints.
#[cfg(not(target_arch = "wasm32"))]
const HELP: &str = "\
The window of Galatea: see, check, change and save models and walkmeshes.

Usage: galatea-workshop [PATH...]

PATH is a file, a folder, an archive (also a path inside of one), or the folder of a game; several are listed together.
In the window, `?` shows the keys.
";

/// Opens the window with the paths that the program was given, and returns when it is closed.
#[cfg(not(target_arch = "wasm32"))]
pub fn main() -> ExitCode {
    let mut paths = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--help" | "-h") => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            Some("--version" | "-V") => {
                println!("galatea-workshop {}", env!("CARGO_PKG_VERSION"));
                return ExitCode::SUCCESS;
            }
            Some(option) if option.starts_with("--") => {
                eprintln!("error: {option} is no option; `galatea-workshop --help` lists them");
                return ExitCode::from(2);
            }
            _ => paths.push(std::path::PathBuf::from(argument)),
        }
    }
    window::run(paths)
}

/// The page starts by itself.
#[cfg(target_arch = "wasm32")]
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
