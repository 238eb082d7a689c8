//! Converts models to another version: `convert VERSION OUT_DIR FILE...`. Losses are printed to stderr.

use std::path::Path;
use std::process::ExitCode;

use galatea_mdlx::{ConvertOptions, Limits, Model, Version};

fn convert(path: &str, to: Version, out: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::read(&std::fs::read(path)?, &Limits::default())?;
    let (model, losses) = model.convert(to, &ConvertOptions::default())?;
    for loss in losses {
        eprintln!("{path}: {loss}");
    }
    let name = Path::new(path).file_name().ok_or("no file name")?;
    std::fs::write(out.join(name), model.write()?)?;
    Ok(())
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some(version), Some(out)) = (args.next().and_then(|v| v.parse().ok()), args.next()) else {
        eprintln!("usage: convert VERSION OUT_DIR FILE...");
        return ExitCode::from(2);
    };
    let mut failed = false;
    for path in args {
        if let Err(error) = convert(&path, Version(version), Path::new(&out)) {
            eprintln!("{path}: {error}");
            failed = true;
        }
    }
    ExitCode::from(u8::from(failed))
}
