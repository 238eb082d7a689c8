//! Files: finding inputs with their companions, and writing outputs that appear only when whole.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::{Beside, Format, Input, Output, detect};

/// One input: a path, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// Whether the user named this very file, rather than a folder that holds it.
    pub named: bool,
}

/// The bytes of one input and of its companion.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// Its companion, if the format has one and it is there.
    pub companion: Option<Vec<u8>>,
    /// Where it lies, unless it came through standard input.
    pub path: Option<PathBuf>,
}

impl Loaded {
    /// As input for [`open`](crate::open).
    pub fn input(&self) -> Input<'_> {
        let name = self.path.as_ref().and_then(|p| p.file_name()?.to_str()).unwrap_or("");
        let beside = self.path.is_some().then_some(self as &dyn Beside);
        Input { bytes: &self.bytes, companion: self.companion.as_deref(), name, beside }
    }
}

impl Beside for Loaded {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let folder = self.path.as_ref()?.parent()?;
        fs::read(inside(folder, path)?).ok()
    }
}

/// A path below a folder, steps divided by `/`; `None` if it would lead out of the folder or mean anything but a plain
/// file on any system.
///
/// ```
/// use galatea::disk::inside;
/// use std::path::Path;
/// let out = Path::new("out");
/// assert_eq!(inside(out, "maps/wall.png"), Some(out.join("maps").join("wall.png")));
/// for bad in ["../x", "/x", "a/../../x", "C:\\x", "C:/x", "a\\b", "con", "nul.txt", "a//b", "", "a\nb", "x.", "x "] {
///     assert_eq!(inside(out, bad), None, "{bad:?}");
/// }
/// ```
pub fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    path.split('/').try_fold(folder.to_path_buf(), |whole, step| plain(step).then(|| whole.join(step)))
}

/// Whether a name is that of an ordinary file on every system.
fn plain(name: &str) -> bool {
    const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
    let stem = name.split('.').next().unwrap_or("").trim_end().to_lowercase();
    let numbered = stem.strip_prefix("com").or(stem.strip_prefix("lpt"));
    let device =
        DEVICES.contains(&stem.as_str()) || numbered.is_some_and(|n| matches!(n.as_bytes(), [b'0'..=b'9']));
    !name.is_empty()
        && name.len() <= 255
        && !device
        && !name.ends_with(['.', ' '])
        && !name.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|'])
        && !name.chars().any(char::is_control)
}

/// Turns any text into a name that [`inside`] takes: what a file name cannot hold becomes `_`.
///
/// ```
/// use galatea::disk::file_name;
/// assert_eq!(file_name("wall 01"), "wall 01");
/// assert_eq!(file_name("../../x"), ".._.._x");
/// assert_eq!(file_name("C:\\x"), "C__x");
/// assert_eq!(file_name("con"), "_con");
/// assert_eq!(file_name(&"x".repeat(300)).len(), 200);
/// assert_eq!(file_name(""), "_");
/// ```
pub fn file_name(text: &str) -> String {
    let bad = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let mut name: String = text.chars().map(|c| if bad(c) { '_' } else { c }).collect();
    let end = (0..=200.min(name.len())).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    name.truncate(end);
    name.truncate(name.trim_end_matches(['.', ' ']).len());
    if plain(&name) { name } else { format!("_{name}") }
}

/// Bytes that suffice to recognise any format.
const ENOUGH: u64 = 4096;

/// Expands files and folders (recursively, in the order of names) into inputs.
///
/// From folders only files of known formats are taken, and companions are left to the file they belong to. Links to
/// folders are not followed.
pub fn jobs(paths: &[PathBuf]) -> Vec<Result<Job, (PathBuf, io::Error)>> {
    let mut out = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            out.push(Ok(Job { path: path.clone(), named: true }));
            continue;
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => folder(path, &mut out),
            Ok(_) => out.push(Ok(Job { path: path.clone(), named: true })),
            Err(error) => out.push(Err((path.clone(), error))),
        }
    }
    out
}

fn folder(root: &Path, out: &mut Vec<Result<Job, (PathBuf, io::Error)>>) {
    let mut todo = vec![root.to_path_buf()];
    let mut found = Vec::new();
    while let Some(dir) = todo.pop() {
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) => {
                out.push(Err((dir, error)));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => todo.push(path),
                Ok(_) if starts_like_a_model(&path) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    out.extend(found.into_iter().map(|path| Ok(Job { path, named: false })));
}

fn starts_like_a_model(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(ENOUGH).read_to_end(&mut start));
    read.is_ok() && detect(&start).is_some()
}

/// Reads an input and its companion.
pub fn load(job: &Job) -> io::Result<Loaded> {
    let mut bytes = Vec::new();
    if job.path.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(Loaded { bytes, ..Loaded::default() });
    }
    bytes = fs::read(&job.path)?;
    let companion = match detect(&bytes) {
        Some(format) => companion_path(&job.path, format).map(fs::read).transpose()?,
        None => None,
    };
    Ok(Loaded { bytes, companion, path: Some(job.path.clone()) })
}

/// The companion of a file, letter case of the extension ignored, if it is there.
pub fn companion_path(path: &Path, format: &Format) -> Option<PathBuf> {
    let extension = format.companion?;
    let upper = extension.to_uppercase();
    [extension, &upper].iter().map(|e| path.with_extension(e)).find(|p| p.is_file())
}

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
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
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
pub fn write_output(path: &Path, output: &Output, companion: Option<&str>, force: bool) -> io::Result<()> {
    if let (Some(bytes), Some(extension)) = (&output.companion, companion) {
        write(&path.with_extension(extension), bytes, force)?;
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    for (name, bytes) in &output.beside {
        let place = inside(folder, name).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("\"{name}\" is no file name"))
        })?;
        write(&place, bytes, force)?;
    }
    write(path, &output.bytes, force)
}
