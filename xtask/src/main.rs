//! Everything CI does, runnable by anyone; `cargo xtask help` lists it.

mod beacon;
mod bench;
mod blender_addon;
mod book;
mod coverage;
mod deb;
mod docs;
mod effects;
mod examples;
mod fuzz;
mod gltf;
mod html;
mod kills;
mod mpq;
mod optimize;
mod package;
mod pykotor;
mod python;
mod statue;
mod tables;
mod test;
mod viewport;
mod wasm;
mod web;
mod workshop;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

/// What the program has, so that what is measured is what people get.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Everything CI does, runnable by anyone.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Task {
    /// Format, lints, tests, doc tests, generated files up to date; then the tests that need the corpus, if it is there
    Test(test::Options),
    /// Speed as ratios to memcpy, in one run
    Bench(bench::Options),
    /// Fuzz targets in turn with cargo-fuzz, which is installed on first use
    Fuzz(fuzz::Options),
    /// Line coverage per crate without a corpus, by a tool that is installed on first use
    Coverage(coverage::Options),
    /// Write the generated parts of the docs: byte tables and rule catalogues
    Docs(docs::Options),
    /// Print the measured tables of the docs, from the corpus
    Tables(tables::Options),
    /// Write the models under `examples/`
    Examples(examples::Options),
    /// Run Khronos' glTF validator, which is installed on first use, over a folder of GLBs
    GltfCheck(gltf::CheckOptions),
    /// Read the MPQ archives of a folder with StormLib too, which is installed on first use, as they are and after an edit
    Mpq(mpq::Options),
    /// Read the archives of KotOR in a folder with PyKotor too, which is installed on first use
    Pykotor(pykotor::Options),
    /// Kill `check --fix` and `convert --force` at random moments and fill up the disk: nothing may be lost or mixed
    Kills(kills::Options),
    /// Import GLBs of a folder into Blender, which is installed on first use, and compare with what `galatea info` says
    Blender(gltf::BlenderOptions),
    /// Build the extension for Blender, validate it with Blender's own tool, install it there and run it
    BlenderAddon(blender_addon::Options),
    /// Draw GLBs of a folder with three.js in headless Chromium too, and compare the silhouettes
    Three(gltf::ThreeOptions),
    /// Optimize the models of a folder: what is saved, poses, images, a second run, and war3-model as another reader
    Optimize(optimize::Options),
    /// Play effects of Warcraft III models with mdx-m3-viewer in headless Chromium too, and compare particles and images
    Effects(effects::EffectsOptions),
    /// Play the GLBs of Warcraft III models as a plain viewer does, and compare with the game's own playback
    Plays(gltf::PlayOptions),
    /// Author models and walkmeshes for KotOR and read them with PyKotor, which is installed on first use
    Kotor(gltf::KotorOptions),
    /// Author models for Warcraft III and read them with war3-model and mdx-m3-viewer, which are installed on first use
    Warcraft(gltf::WarcraftOptions),
    /// Author models for the Fox Engine and read them with a reader written from the public documentation alone
    Fox(gltf::FoxOptions),
    /// Make glTF files with Blender, convert each to every game's format and back, and compare
    Foreign(gltf::ForeignOptions),
    /// Package every crate as for crates.io, run its example, and compare its interface with the last release
    Package(package::Options),
    /// Build the WebAssembly module and compare its answers in Node with the native library
    Wasm(wasm::Options),
    /// Draw models with the workshop's painter on software OpenGL and with `render`, and compare the images
    Viewport(viewport::Options),
    /// Convert models to pages that show them, and open those in headless Chromium
    Html(html::Options),
    /// Build the Python package with maturin, which is installed on first use, and test it in a fresh environment
    Python(python::Options),
    /// Build the docs as a book with mdBook, which is installed on first use, and check every link
    Book(book::Options),
    /// Drive the window by keys and clicks on a display without a screen, with software OpenGL
    Workshop(workshop::Options),
    /// Build the workshop as a page, a folder of static files, and try it in headless Chromium
    Web(web::Options),
    /// Build the Debian package with cargo-deb, which is installed on first use, and try it in a clean tree
    Deb(deb::Options),
}

/// What a task gives: nothing, or what went wrong in words.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let outcome = match Task::parse() {
        Task::Test(options) => options.run(),
        Task::Bench(options) => options.run(),
        Task::Fuzz(options) => options.run(),
        Task::Coverage(options) => options.run(),
        Task::Docs(options) => options.run(),
        Task::Tables(options) => options.run(),
        Task::Examples(options) => options.run(),
        Task::GltfCheck(options) => options.run(),
        Task::Kills(options) => options.run(),
        Task::Mpq(options) => options.run(),
        Task::Pykotor(options) => options.run(),
        Task::Blender(options) => options.run(),
        Task::BlenderAddon(options) => options.run(),
        Task::Three(options) => options.run(),
        Task::Foreign(options) => options.run(),
        Task::Plays(options) => options.run(),
        Task::Optimize(options) => options.run(),
        Task::Effects(options) => options.run(),
        Task::Kotor(options) => options.run(),
        Task::Warcraft(options) => options.run(),
        Task::Fox(options) => options.run(),
        Task::Package(options) => options.run(),
        Task::Wasm(options) => options.run(),
        Task::Viewport(options) => options.run(),
        Task::Html(options) => options.run(),
        Task::Python(options) => options.run(),
        Task::Book(options) => options.run(),
        Task::Workshop(options) => options.run(),
        Task::Web(options) => options.run(),
        Task::Deb(options) => options.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns where cargo builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Returns a cargo command in the root of the checkout.
fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command and waits for it.
fn run(command: &mut Command, what: &str) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what} failed ({status})")),
        Err(error) => Err(format!("{what} could not be started: {error}")),
    }
}

/// Compares a generated file with what is there (`check`), or writes it.
fn generated(path: &Path, bytes: &[u8], check: bool) -> Outcome {
    let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let old = std::fs::read(path).unwrap_or_default();
    if old == bytes {
        return Ok(());
    }
    if check {
        return Err(format!("{shown} is out of date; run `cargo xtask docs` and `cargo xtask examples`"));
    }
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    std::fs::write(path, bytes).map_err(|e| format!("{shown}: {e}"))?;
    println!("wrote {shown}");
    Ok(())
}
