//! An archive as a folder: names that are safe as paths, looked up without regard to letter case.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use galatea_archive::{Archive, Entry, Files, ReadAt};
use galatea_wire::Limits;

use super::cache;
use super::index_file::{FileStamp, Subject, name_hash};
use super::remembered::{Known, Remembered};
use crate::file_names::{file_name, inside};

/// An archive that is open, as a folder.
#[derive(Debug)]
pub struct ArchiveFolder {
    path: PathBuf,
    opened: Opened,
    /// What its index is kept under, if it is on disk.
    origin: Option<Origin>,
    pub(super) inside: Inside,
    /// Tells it from all others, also from another version of the same file.
    pub(super) number: u64,
    /// Hashes of the names with the entries that have them, in order.
    by_name: OnceLock<Vec<(u64, u32)>>,
}

/// How much of an archive is known.
#[derive(Debug)]
enum Opened {
    Whole(Box<dyn Archive>),
    Remembered(Box<Remembered>),
}

/// When an archive on disk was opened, and what it was like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    pub(super) stamp: FileStamp,
    pub(super) opened: SystemTime,
}

/// Where an archive is inside of others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Inside {
    /// Bytes of memory that its source takes.
    pub(super) memory: u64,
    /// How many archives it is inside of.
    pub(super) depth: usize,
}

impl ArchiveFolder {
    pub(super) fn new(path: PathBuf, archive: Box<dyn Archive>, inside: Inside) -> ArchiveFolder {
        ArchiveFolder::of(path, Opened::Whole(archive), inside)
    }

    /// Returns an archive that is known by its index.
    pub(super) fn remembered(path: PathBuf, known: Remembered) -> ArchiveFolder {
        ArchiveFolder::of(path, Opened::Remembered(Box::new(known)), Inside::default())
    }

    fn of(path: PathBuf, opened: Opened, inside: Inside) -> ArchiveFolder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        ArchiveFolder { path, opened, origin: None, inside, number, by_name: OnceLock::new() }
    }

    /// Returns the same archive, whose index is kept when it is made.
    pub(super) fn with_origin(self, origin: Option<Origin>) -> ArchiveFolder {
        ArchiveFolder { origin, ..self }
    }

    /// Returns its path, which goes on inside of other archives.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the archive itself.
    pub fn archive(&self) -> &dyn Archive {
        match &self.opened {
            Opened::Whole(archive) => archive.as_ref(),
            Opened::Remembered(known) => known.as_ref(),
        }
    }

    /// Returns the path of an entry below the archive, separated by `/`, fit for a path on disk: what no file name can hold is
    /// replaced.
    pub fn name(&self, index: usize) -> Option<String> {
        self.archive().entry(index).map(|entry| safe(&entry))
    }

    /// Returns the path of an entry.
    pub fn path_of(&self, index: usize) -> PathBuf {
        self.path.join(self.name(index).unwrap_or_default())
    }

    /// Returns the entry of this path below the archive, ignoring case. Archives that are searched by hash also find entries
    /// whose names they do not list.
    pub fn find(&self, name: &str) -> Option<usize> {
        let mut known_to_last = true;
        if let Opened::Remembered(known) = &self.opened
            && !known.is_whole()
        {
            match known.look_up(name) {
                Known::Entry(index) => return Some(index),
                Known::Nothing => return None,
                Known::Unclear => {}
                Known::Broken => known_to_last = false,
            }
        }
        let wanted = key(name);
        let by_name = self.by_name.get_or_init(|| {
            if matches!(self.opened, Opened::Whole(_)) || !known_to_last {
                self.keep_index();
            }
            self.index()
        });
        let hash = name_hash(&wanted);
        let start = by_name.partition_point(|(known, _)| *known < hash);
        let same = by_name.iter().skip(start).take_while(|(known, _)| *known == hash);
        let mut same = same.map(|(_, index)| *index as usize);
        let listed = same.find(|index| self.name(*index).is_some_and(|name| key(&name) == wanted));
        listed.or_else(|| self.archive().find_unlisted(name))
    }

    /// Keeps the index for later runs.
    fn keep_index(&self) {
        if let Some(Origin { stamp, opened }) = self.origin {
            cache::keep(&Subject { archive: self.archive(), path: &self.path, stamp, opened });
        }
    }

    fn index(&self) -> Vec<(u64, u32)> {
        let hash = |index: usize| name_hash(&key(&self.name(index).unwrap_or_default()));
        let mut out: Vec<(u64, u32)> =
            (0..self.archive().len()).map(|index| (hash(index), index as u32)).collect();
        out.sort_unstable();
        out
    }

    /// Returns `true` if entries are in the folder of this name; the empty name is the archive itself.
    pub fn has_folder(&self, name: &str) -> bool {
        name.is_empty()
            || (0..self.archive().len()).any(|index| self.name(index).is_some_and(|n| below(&n, name)))
    }

    /// Reads an entry.
    pub fn read(&self, index: usize) -> io::Result<Vec<u8>> {
        self.archive().read_entry(index, &Limits::default()).map_err(failed)
    }

    /// Reads an entry as an input, which is unpacked to no more than models and textures ever are.
    pub(super) fn read_input(&self, index: usize) -> io::Result<Vec<u8>> {
        self.archive().read_entry(index, &self.sane(index)).map_err(failed)
    }

    /// Opens an entry without reading more of it than necessary.
    pub(super) fn open(&self, index: usize) -> io::Result<Arc<dyn ReadAt>> {
        self.archive().open_entry(index, &self.sane(index)).map_err(failed)
    }

    /// Returns limits under which a few packed bytes do not become a gigabyte.
    fn sane(&self, index: usize) -> Limits {
        let (limits, entry) = (Limits::default(), self.archive().entry(index));
        let most = entry.map_or(0, |entry| entry.packed.saturating_mul(SWELLING)).max(PLAIN);
        limits.with_entry(most.min(limits.entry))
    }
}

/// Bytes that any entry may be unpacked to, and for each of its packed bytes. Models and textures are packed to a tenth at best.
const PLAIN: u64 = 128 << 20;
const SWELLING: u64 = 64;

/// The files beside an archive that is in another one.
#[derive(Debug)]
pub(super) struct EntryFiles {
    pub(super) archive: Arc<ArchiveFolder>,
    /// The folder in the archive, with a `/` after it unless it is the archive itself.
    pub(super) folder: String,
}

impl Files for EntryFiles {
    fn file(&self, path: &str) -> io::Result<Option<Arc<dyn ReadAt>>> {
        let found = self.archive.find(&format!("{}{path}", self.folder));
        found.map(|index| self.archive.open(index)).transpose()
    }

    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        let folder = key(&format!("{}{folder}", self.folder));
        let names = (0..self.archive.archive().len()).filter_map(|index| self.archive.name(index));
        let here = names.filter_map(|name| {
            let rest = if folder.is_empty() { Some(name.as_str()) } else { rest_below(&name, &folder) };
            rest.filter(|rest| !rest.contains('/')).map(str::to_owned)
        });
        Ok(here.collect())
    }
}

/// Returns an error of an archive as one of reading a file.
pub(super) fn failed(error: galatea_wire::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

/// Returns a path as paths in archives are compared.
pub(super) fn key(name: &str) -> String {
    name.trim_matches(['/', '\\']).replace('\\', "/").to_ascii_lowercase()
}

/// Returns `true` if a name is that of a file below this folder.
pub(super) fn below(name: &str, folder: &str) -> bool {
    folder.is_empty() || rest_below(name, folder).is_some()
}

/// Returns what a name says after that of a folder, ignoring case.
pub(super) fn rest_below<'n>(name: &'n str, folder: &str) -> Option<&'n str> {
    let (start, rest) = (name.get(..folder.len())?, name.get(folder.len()..)?);
    rest.strip_prefix('/').filter(|_| start.eq_ignore_ascii_case(folder))
}

/// Returns the name of an entry as a path that stays below a folder on every system.
pub(super) fn safe(entry: &Entry<'_>) -> String {
    let name = entry.name.trim_start_matches(['/', '\\']);
    if is_plain(name) || inside(Path::new(""), name).is_some() {
        return name.to_owned();
    }
    let name = name.replace('\\', "/");
    let steps = name.split('/').filter(|step| !step.is_empty()).map(file_name);
    let name = steps.collect::<Vec<_>>().join("/");
    if name.is_empty() { "_".into() } else { name }
}

/// Returns `true` for most names that are safe, without looking at them step by step: letters, digits and few signs, and no step as
/// short as the name of a device.
fn is_plain(name: &str) -> bool {
    let usual = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/');
    name.len() <= 255
        && name.bytes().all(usual)
        && name.split('/').all(|step| {
            let stem = step.find('.').unwrap_or(step.len());
            stem > 4 && !step.ends_with('.')
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail loudly")]
mod tests {
    use galatea_archive::Edit;
    use galatea_archive::zip::Zip;

    use super::*;

    /// Returns an archive with files of these names.
    fn folder(names: &[&str]) -> ArchiveFolder {
        let edits: Vec<Edit> = names.iter().map(|name| Edit::put(*name, name.as_bytes().to_vec())).collect();
        let bytes = Zip::new().edited(&edits).unwrap();
        let archive = galatea_archive::open_bytes(bytes, &Limits::default()).unwrap();
        ArchiveFolder::new(PathBuf::from("a.zip"), archive, Inside::default())
    }

    #[test]
    fn names_are_found_without_regard_to_letter_case() {
        let folder = folder(&["Models/Hero.mdx", "b.tga"]);
        for name in ["models/hero.MDX", r"Models\Hero.mdx", "/Models/Hero.mdx"] {
            assert_eq!(folder.find(name), Some(0), "{name}");
        }
        assert_eq!((folder.find("hero.mdx"), folder.find("b.tga")), (None, Some(1)));
        assert!(folder.has_folder("models") && !folder.has_folder("model") && folder.has_folder(""));
    }

    #[test]
    fn names_that_lead_out_become_names_that_do_not() {
        for (name, safe_name) in [
            ("../../etc/passwd", "_/_/etc/passwd"),
            ("/abs/file_name.mdl", "abs/file_name.mdl"),
            ("C:/x.mdl", "C_/x.mdl"),
            ("a//b.mdl", "a/b.mdl"),
            ("con.mdl", "_con.mdl"),
            ("..", "_"),
        ] {
            let found = safe(&Entry::stored(name, 0, 0));
            assert_eq!(found, safe_name);
            assert!(inside(Path::new("out"), &found).is_some(), "{found}");
        }
    }
}
