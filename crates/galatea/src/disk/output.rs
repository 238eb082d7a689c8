//! Writing files that appear only when whole.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::inside;
use crate::Output;

/// Writes a file under a temporary name beside its place and renames it when it is whole. An existing file is replaced
/// only if `force`.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder; name a file"));
    }
    if !force && path.exists() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "exists already; use --force to replace it",
        ));
    }
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    // Two threads may write one file at the same time: each has a name of its own for it.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!(".{name}.{}.{count}.tmp", std::process::id()));
    let result = fs::File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // Nothing half-written stays; the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// [`write()`] for a file and all that belongs to it, the file itself last, so that it is there only with the rest.
pub fn write_output(path: &Path, output: &Output, force: bool) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let named = |error: io::Error, name: &str| io::Error::new(error.kind(), format!("{name} {error}"));
    for companion in &output.companions {
        let place = path.with_extension(companion.extension);
        write(&place, &companion.bytes, force)
            .map_err(|e| named(e, &place.file_name().unwrap_or_default().to_string_lossy()))?;
    }
    for (name, bytes) in &output.beside {
        let place = inside(folder, name).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("\"{name}\" is no file name"))
        })?;
        // Models may share a picture.
        if fs::read(&place).is_ok_and(|there| there == *bytes) {
            continue;
        }
        write(&place, bytes, force).map_err(|e| named(e, name))?;
    }
    write(path, &output.bytes, force)
}
