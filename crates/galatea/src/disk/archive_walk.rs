//! The inputs in an archive: by their names, so that nothing is unpacked that is not asked for.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use galatea_archive::{Kind, Storage};

use super::archive_folder::{ArchiveFolder, below};
use super::input::{Job, Jobs, Search};
use super::place;
use crate::{FORMATS, Format, detect};

/// Archives inside of archives that are opened below one path.
const MOST: usize = 50_000;
/// Bytes that may be unpacked to open them, for each byte of the archive on disk, and in any case.
const RATIO: u64 = 64;
const LEAST: u64 = 1 << 30;

/// Extensions that say too little: such entries are taken by their content.
const VAGUE: [&str; 2] = ["txi", "ascii"];

/// A walk through an archive and those inside of it.
pub(super) struct Walk<'w> {
    search: &'w Search<'w>,
    out: &'w mut Jobs,
    opened: usize,
    unpacked: u64,
    budget: u64,
}

impl<'w> Walk<'w> {
    pub(super) fn new(search: &'w Search<'w>, out: &'w mut Jobs) -> Self {
        Walk { search, out, opened: 0, unpacked: 0, budget: LEAST }
    }

    /// Adds what an archive holds, itself first if archives are asked for.
    pub(super) fn archive(&mut self, archive: &Arc<ArchiveFolder>) {
        if self.search.archives {
            self.out.push(Ok(Job { archive: true, ..Job::found(archive.path()) }));
        }
        self.folder(archive, "");
    }

    /// Adds what a folder of an archive holds.
    pub(super) fn folder(&mut self, archive: &Arc<ArchiveFolder>, folder: &str) {
        let packed = |index| archive.archive().entry(index).map_or(0, |entry| entry.packed);
        let size: u64 = (0..archive.archive().len()).map(packed).fold(0, u64::saturating_add);
        self.budget = self.budget.max(size.saturating_mul(RATIO));
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for index in 0..archive.archive().len() {
            let Some(name) = archive.name(index).filter(|name| below(name, folder)) else { continue };
            let lower = name.to_ascii_lowercase();
            // Of two entries of one name a path means the first.
            if seen.insert(lower.clone()) {
                found.push((lower, name, index));
            }
        }
        found.sort();
        self.missing(archive, folder, &mut found);
        for (lower, name, index) in found {
            let Some((stem, extension)) = lower.rsplit_once('.') else { continue };
            if is_archive(extension) {
                self.nested(archive, &name, index);
            } else if self.is_input(archive, (stem, extension), index, &seen) {
                self.out.push(Ok(Job::found(archive.path().join(name))));
            }
        }
    }

    /// Leaves out the files in parts of the archive that are not there, of which one error tells.
    fn missing(&mut self, archive: &ArchiveFolder, folder: &str, found: &mut Vec<(String, String, usize)>) {
        let all = found.len();
        let there =
            |index| archive.archive().entry(index).is_some_and(|entry| entry.storage != Storage::Missing);
        found.retain(|(.., index)| there(*index));
        if found.len() < all {
            let lost = all - found.len();
            let why = format!(
                "{lost} of {all} files are in other files that belong to the archive and are missing"
            );
            let path =
                if folder.is_empty() { archive.path().to_path_buf() } else { archive.path().join(folder) };
            self.out.push(Err((path, io::Error::other(why))));
        }
    }

    fn nested(&mut self, outer: &Arc<ArchiveFolder>, name: &str, index: usize) {
        let path = outer.path().join(name);
        self.opened += 1;
        self.unpacked += outer.archive().entry(index).map_or(0, |entry| entry.size);
        if self.opened > MOST || self.unpacked > self.budget {
            let why = "too many or too large nested archives; name this one to open it";
            return self.out.push(Err((path, io::Error::new(io::ErrorKind::InvalidData, why))));
        }
        match place::open_entry(outer, index) {
            Ok(Some(archive)) => self.archive(&archive),
            Ok(None) => {}
            Err(error) => self.out.push(Err((path, error))),
        }
    }

    fn is_input(
        &self,
        archive: &ArchiveFolder,
        (stem, extension): (&str, &str),
        index: usize,
        names: &HashSet<String>,
    ) -> bool {
        let wanted = |format: &&&Format| (self.search.wanted)(format);
        if !FORMATS.iter().filter(wanted).any(|format| format.extensions.contains(&extension)) {
            return false;
        }
        if VAGUE.contains(&extension) {
            let bytes = archive.read_input(index).unwrap_or_default();
            return detect(&bytes).is_some_and(|format| (self.search.wanted)(format));
        }
        // The extension of Warcraft III's models is that of a KotOR model's second file, too.
        let owner = FORMATS.iter().filter(|format| format.companions.contains(&extension)).any(|format| {
            format.extensions.iter().any(|of| *of != extension && names.contains(&format!("{stem}.{of}")))
        });
        match archive.archive().kind() {
            _ if !owner => true,
            Kind::Mpq | Kind::Casc => true,
            Kind::Zip => archive.read_input(index).is_ok_and(|bytes| detect(&bytes).is_some()),
            _ => false,
        }
    }
}

/// Returns whether files of this extension in an archive are opened as archives.
fn is_archive(extension: &str) -> bool {
    let inside = [Kind::Erf, Kind::Rim, Kind::Fpk, Kind::Pftxs, Kind::Zip, Kind::Mpq];
    inside.iter().any(|kind| kind.format().extensions.contains(&extension))
}
