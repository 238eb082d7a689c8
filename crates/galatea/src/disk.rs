//! Files: finding inputs with their companions, and writing outputs that appear only when whole.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::document::borrowed;
use crate::{Beside, Companion, FORMATS, Format, Input, Output, detect};

/// One input: a path, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// Whether the user named this very file, rather than a folder that holds it.
    pub named: bool,
}

/// The bytes of one input and of its companions.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// Those of its companions that are there.
    pub companions: Vec<Companion<Vec<u8>>>,
    /// Where it lies, unless it came through standard input.
    pub path: Option<PathBuf>,
}

impl Loaded {
    /// As input for [`open`](crate::open).
    pub fn input(&self) -> Input<'_> {
        let name = self.path.as_ref().and_then(|p| p.file_name()?.to_str()).unwrap_or("");
        let beside = self.path.is_some().then_some(self as &dyn Beside);
        Input { bytes: &self.bytes, companions: borrowed(&self.companions), name, beside }
    }

    /// Bytes of all files together.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.companions.iter().map(|c| c.bytes.len()).sum::<usize>()
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

/// The name of a file without its ending. Texts have two.
///
/// ```
/// use galatea::disk::stem;
/// use std::path::Path;
/// assert_eq!(stem(Path::new("rooms/hall.wok")), "hall");
/// assert_eq!(stem(Path::new("hall.wok.ascii")), "hall");
/// assert_eq!(stem(Path::new("hall.v2.wok")), "hall.v2");
/// ```
pub fn stem(path: &Path) -> String {
    let text = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned());
    let Some(stem) = text(path.file_stem()) else { return "model".into() };
    let ending = Path::new(&stem).extension().map(|e| e.to_ascii_lowercase());
    let twice = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ascii"))
        && ending.is_some_and(|e| ["mdl", "wok", "pwk", "dwk"].iter().any(|known| e == *known));
    if twice { text(Path::new(&stem).file_stem()).unwrap_or(stem) } else { stem }
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
/// From folders only files of known formats that are `wanted` are taken, and companions are left to the file they belong to.
/// Links to folders are not followed.
pub fn jobs(paths: &[PathBuf], wanted: &dyn Fn(&Format) -> bool) -> Vec<Result<Job, (PathBuf, io::Error)>> {
    let mut out = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            out.push(Ok(Job { path: path.clone(), named: true }));
            continue;
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => folder(path, wanted, &mut out),
            Ok(_) => out.push(Ok(Job { path: path.clone(), named: true })),
            Err(error) => out.push(Err((path.clone(), error))),
        }
    }
    out
}

fn folder(root: &Path, wanted: &dyn Fn(&Format) -> bool, out: &mut Vec<Result<Job, (PathBuf, io::Error)>>) {
    let mut found = Vec::new();
    let failed = walk(root, &mut |path| {
        if let Some(format) = format_in_folder(&path) {
            found.push((path, format));
        }
    });
    out.extend(failed.into_iter().map(Err));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let belong = |(path, format): &(PathBuf, &Format)| companion_paths(path, format);
    let companions: HashSet<PathBuf> = found.iter().flat_map(belong).map(|(_, path)| path).collect();
    let jobs = found.into_iter().filter(|(path, format)| wanted(format) && !companions.contains(path));
    out.extend(jobs.map(|(path, _)| Ok(Job { path, named: false })));
}

/// Calls for every file below a folder, in no order; links to folders are not followed. Returns the folders that could not
/// be read.
pub(crate) fn walk(root: &Path, file: &mut dyn FnMut(PathBuf)) -> Vec<(PathBuf, io::Error)> {
    let mut todo = vec![root.to_path_buf()];
    let mut failed = Vec::new();
    while let Some(dir) = todo.pop() {
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) => {
                failed.push((dir, error));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => todo.push(path),
                Ok(_) => file(path),
                _ => {}
            }
        }
    }
    failed
}

/// The format of a file found in a folder. What has no magic must have the right extension too, so that no other file is
/// read whole, and none is mistaken.
fn format_in_folder(path: &Path) -> Option<&'static Format> {
    let mut start = Vec::new();
    fs::File::open(path).and_then(|file| file.take(ENOUGH).read_to_end(&mut start)).ok()?;
    if let Some(format) = FORMATS.iter().find(|f| !f.whole && (f.detect)(&start)) {
        return Some(format);
    }
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    FORMATS.iter().find(|f| f.whole && f.extensions.contains(&extension.as_str()))?;
    let format = detect(&fs::read(path).ok()?)?;
    format.extensions.contains(&extension.as_str()).then_some(format)
}

/// Reads an input and its companions.
pub fn load(job: &Job) -> io::Result<Loaded> {
    let mut bytes = Vec::new();
    if job.path.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(Loaded { bytes, ..Loaded::default() });
    }
    bytes = fs::read(&job.path)?;
    let mut companions = Vec::new();
    if let Some(format) = detect(&bytes) {
        for (extension, path) in companion_paths(&job.path, format) {
            companions.push(Companion { extension, bytes: fs::read(path)? });
        }
    }
    Ok(Loaded { bytes, companions, path: Some(job.path.clone()) })
}

/// The companions of a file that are there, letter case of the extension ignored.
pub fn companion_paths(path: &Path, format: &Format) -> Vec<(&'static str, PathBuf)> {
    let there = |extension: &&'static str| {
        let upper = extension.to_uppercase();
        let mut names = [*extension, &upper].into_iter().map(|e| path.with_extension(e));
        names.find(|p| p.is_file() && p != path).map(|p| (*extension, p))
    };
    format.companions.iter().filter_map(there).collect()
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
