//! `cargo xtask web`: the workshop as a page: a folder of static files for any server.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use crate::gltf::packages;
use crate::wasm::{self, TARGET};
use crate::{Outcome, root, run, target};

/// Bytes of the module, at most.
const MOST: u64 = 10_000_000;
/// Bytes of the module as it is sent, at most.
const MOST_SENT: u64 = 3_500_000;

/// What is dropped on the page when it is tested, one of each kind.
const EXAMPLES: [&str; 4] = ["statue_800.mdx", "statue.mdl", "room.wok", "statue.fmdl"];

#[derive(Args)]
pub(crate) struct Options {
    /// Where the files go
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Only test the page that is there, in headless Chromium
    #[arg(long)]
    no_build: bool,
    /// Test the page in headless Chromium: examples are dropped on it, shown, played and converted
    #[arg(long)]
    test: bool,
    /// Drop these models instead of examples
    #[arg(requires = "test")]
    models: Vec<PathBuf>,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let out = self.out.clone().unwrap_or_else(|| target().join("web"));
        if !self.no_build {
            build(&out)?;
        }
        sizes(&out)?;
        if self.test { test(&out, &self.models) } else { Ok(()) }
    }
}

fn build(out: &Path) -> Outcome {
    let work = root().join("target/wasm");
    // A library of its own, which natively it is not: that would be linked at every build.
    wasm::build("rustc", "galatea-workshop", &["--lib", "--crate-type", "cdylib"], "web", &work)?;
    let module = work.join(TARGET).join("web/galatea_workshop.wasm");
    fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let mut bind = Command::new(bindgen(&work)?);
    // Names of functions are a fifth of the module.
    bind.args(["--target", "web", "--no-typescript", "--remove-name-section", "--remove-producers-section"])
        .args(["--out-name", "galatea", "--out-dir"])
        .arg(out)
        .arg(&module);
    run(&mut bind, "wasm-bindgen")?;
    for name in ["index.html", "page.js"] {
        let from = root().join("crates/workshop/web").join(name);
        fs::copy(&from, out.join(name)).map_err(|e| format!("{}: {e}", from.display()))?;
    }
    println!("the page is in {}; any server of static files can host it", out.display());
    Ok(())
}

/// Returns the tool of the version that the lock file names, installed on first use.
fn bindgen(work: &Path) -> Result<PathBuf, String> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    let after = lock.split("name = \"wasm-bindgen\"\nversion = \"").nth(1).unwrap_or_default();
    let version = after.split('"').next().unwrap_or_default();
    let says = |tool: &Path| {
        let asked = Command::new(tool).arg("--version").stderr(Stdio::null()).output();
        asked.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).trim().ends_with(version))
    };
    let installed = PathBuf::from("wasm-bindgen");
    if says(&installed) {
        return Ok(installed);
    }
    let home = work.join("tools");
    let own = home.join("bin/wasm-bindgen");
    if !says(&own) {
        let mut install = Command::new("cargo");
        install.args(["install", "wasm-bindgen-cli", "--version"]).arg(format!("={version}"));
        run(install.arg("--root").arg(&home), "installing wasm-bindgen-cli")?;
    }
    Ok(own)
}

/// Prints the size of the module, as it is and as servers send it.
fn sizes(out: &Path) -> Outcome {
    let module = out.join("galatea_bg.wasm");
    let bytes = fs::read(&module).map_err(|e| format!("{}: {e}", module.display()))?;
    let packed = brotli(&bytes);
    let shown =
        packed.map_or_else(|| "brotli is not installed".to_owned(), |size| format!("{size} with brotli"));
    println!("{}: {} bytes, {shown}", module.display(), bytes.len());
    let too_large = bytes.len() as u64 > MOST || packed.is_some_and(|size| size > MOST_SENT);
    if too_large { Err(format!("more than {MOST} bytes, or {MOST_SENT} as it is sent")) } else { Ok(()) }
}

/// Returns the size of bytes that Node has compressed as servers do.
fn brotli(bytes: &[u8]) -> Option<u64> {
    let program = "const z=require('zlib');const b=require('fs').readFileSync(0);\
        process.stdout.write(String(z.brotliCompressSync(b,{params:{[z.constants.BROTLI_PARAM_QUALITY]:9}}).length))";
    let mut node = Command::new("node");
    let mut child = node.args(["-e", program]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(bytes).ok()?;
    let out = child.wait_with_output().ok()?;
    String::from_utf8_lossy(&out.stdout).trim().parse().ok()
}

fn test(out: &Path, models: &[PathBuf]) -> Outcome {
    let examples = EXAMPLES.map(|name| root().join("examples").join(name));
    let models: &[PathBuf] = if models.is_empty() { &examples } else { models };
    let home = packages("web", &["playwright-core@1.65.0"])?;
    let shots = target().join("web-shots");
    let mut node = Command::new("node");
    node.arg(root().join("xtask/web/page.mjs")).arg(out).arg(&shots).args(models).env("WEB_HOME", &home);
    run(&mut node, "the page in Chromium (it needs Chromium: apt-get install chromium)")?;
    println!("screenshots are in {}", shots.display());
    Ok(())
}
