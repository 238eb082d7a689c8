//! `cargo xtask fuzz TARGET`: cargo-fuzz on the stable toolchain, installed on first use.

use std::path::Path;
use std::process::Command;

use clap::Args;
use galatea::texture::{self, encode::DdsFormat};
use galatea::wire::Limits;

use crate::{Outcome, cargo, root, run};

#[derive(Args)]
pub(crate) struct Options {
    /// A target under `fuzz/fuzz_targets`, such as `bwm_read` or `walk_queries`; a wrong name lists them
    target: String,
    /// How long to run
    #[arg(long, default_value_t = 600)]
    seconds: u32,
    /// Largest input in bytes
    #[arg(long, default_value_t = 65536)]
    max_len: u32,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let source = root().join("fuzz/fuzz_targets").join(format!("{}.rs", self.target));
        if !source.is_file() {
            return Err(format!("no target `{}`; there are {}", self.target, targets().join(", ")));
        }
        // Found inputs are kept under fuzz/corpus; the examples are where to begin.
        let found = root().join("fuzz/corpus").join(&self.target);
        std::fs::create_dir_all(&found).map_err(|e| format!("{}: {e}", found.display()))?;
        match self.target.as_str() {
            "dds_read" => dds(&found)?,
            name if name.starts_with("kotor_mdl") => pairs(&found)?,
            _ => {}
        }
        let installed = cargo(&["fuzz", "--version"]).output().is_ok_and(|o| o.status.success());
        if !installed {
            run(&mut cargo(&["install", "--locked", "cargo-fuzz"]), "installing cargo-fuzz")?;
        }
        let mut command = Command::new("cargo");
        command
            .args(["fuzz", "run", &self.target])
            .args([&found, &root().join("examples")])
            .args(["--", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"])
            .arg(format!("-max_total_time={}", self.seconds))
            .arg(format!("-max_len={}", self.max_len))
            .env("RUSTC_BOOTSTRAP", "1")
            .current_dir(root());
        run(&mut command, "the fuzzer")
    }
}

/// Targets of a format with companions begin with both files in one: where the first ends, the first, the second.
fn pairs(found: &Path) -> Outcome {
    let fixtures = root().join("crates/kotor/tests/mdl_fixtures/files");
    for path in galatea_corpus::files(&fixtures, &[".mdl"]) {
        let model = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        // What has no vertices has no MDX.
        let rows = std::fs::read(path.with_extension("mdx")).unwrap_or_default();
        let Ok(len) = u16::try_from(model.len()) else { continue };
        let seed = found.join(path.file_name().unwrap_or_default());
        write(&seed, &[&len.to_le_bytes()[..], &model, &rows].concat())?;
    }
    Ok(())
}

/// No example is a DDS: one of each kind is made from one.
fn dds(found: &Path) -> Outcome {
    let limits = Limits::default();
    let path = root().join("examples/statue.tga");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let picture = texture::decode(&bytes, &[], &limits).map_err(|e| e.to_string())?;
    for format in [DdsFormat::Bc1, DdsFormat::Bc3, DdsFormat::Bc5, DdsFormat::Bc7, DdsFormat::Bgra] {
        let made = texture::encode::dds(&picture, format, true).and_then(|dds| dds.write());
        write(&found.join(format!("{format:?}.dds")), &made.map_err(|e| e.to_string())?)?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Outcome {
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// The names of all targets, in order.
fn targets() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("fuzz/fuzz_targets")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|e| Some(e.path().file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}
