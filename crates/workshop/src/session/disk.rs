//! Files on disk and in archives.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use galatea::disk::{self, Games, Job, Loaded, Occupied, Policy, Supermodels};
use galatea::kotor::mdl::Model;
use galatea::texture::find::Game;
use galatea::textures::Libraries;
use galatea::{Output, SiblingFiles};

use super::files::{Entry, Files, Unsaved, WithTextures, companions_of};
use super::jobs::Progress;

/// Files on disk and in archives, with the games of this machine.
pub(crate) struct Disk {
    games: Arc<Games>,
    libraries: Mutex<Arc<Libraries>>,
    supermodels: Option<Supermodels>,
}

impl Disk {
    /// Returns the files of this machine.
    pub(crate) fn new() -> Disk {
        let games = Arc::new(Games::default());
        let supermodels = Supermodels::new(None, Arc::clone(&games)).ok();
        Disk { libraries: Mutex::new(Disk::libraries(&games)), games, supermodels }
    }

    fn libraries(games: &Arc<Games>) -> Arc<Libraries> {
        Arc::new(Libraries::new(&[]).0.with_games(Arc::clone(games)))
    }
}

/// Says what went wrong, and what to do about it.
pub(crate) fn reason(path: &Path, error: &io::Error) -> String {
    let name = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => format!("{name}: is not there any more"),
        io::ErrorKind::PermissionDenied => {
            format!("{name}: permission denied; choose another folder or change its permissions")
        }
        io::ErrorKind::ReadOnlyFilesystem => format!("{name}: the disk is read-only; choose another folder"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("{name}: the disk is full; free some space and save again, nothing was changed")
        }
        _ => format!("{name}: {error}"),
    }
}

impl Files for Disk {
    fn list(&self, roots: &[PathBuf], progress: &Progress) -> Result<Vec<Entry>, String> {
        let _ = disk::recover(roots);
        let all = disk::jobs(roots, &|_| true);
        let count = all.len();
        let mut entries = Vec::with_capacity(count);
        let mut first = None;
        for (done, job) in all.into_iter().enumerate() {
            if done % 256 == 0 {
                progress.set(done, count);
            }
            let path = match job {
                Ok(job) => job.path,
                Err((path, error)) => {
                    first.get_or_insert_with(|| reason(&path, &error));
                    continue;
                }
            };
            let below = roots.iter().find_map(|root| path.strip_prefix(root).ok());
            let below = below.filter(|below| !below.as_os_str().is_empty());
            let name =
                below.map_or_else(|| super::files::name_of(&path), |below| below.display().to_string());
            entries.push(Entry { path, name });
        }
        match first {
            Some(error) if entries.is_empty() => Err(error),
            _ => Ok(entries),
        }
    }

    fn load(&self, path: &Path) -> Result<Output, String> {
        let loaded = disk::load(&Job::new(path)).map_err(|error| reason(path, &error))?;
        let mut output = Output::single(loaded.bytes);
        output.companions = loaded.companions;
        Ok(output)
    }

    fn siblings(&self, path: &Path) -> Box<dyn SiblingFiles> {
        let loaded = Loaded { path: Some(path.to_path_buf()), ..Loaded::default() };
        Box::new(loaded.with_games(Arc::clone(&self.games)))
    }

    fn with_textures(&self, game: Option<Game>, path: &Path, with: &mut WithTextures<'_>) {
        let libraries = Arc::clone(&self.libraries.lock().unwrap_or_else(PoisonError::into_inner));
        let folder = path.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
        let textures = game.map(|game| libraries.textures(game, folder));
        with(textures.as_ref());
    }

    fn supermodel(&self, path: &Path, name: &str) -> Option<Model> {
        self.supermodels.as_ref()?.find_beside(path, name)
    }

    fn save(&self, path: &Path, output: &Output, replace: bool) -> Result<(), Unsaved> {
        let policy = Policy::default().with_replace(replace);
        let written = match disk::entries(path, output) {
            Ok(Some(_)) if !replace => return Err(Unsaved::Exists(super::files::name_of(path))),
            Ok(Some((archive, edits))) => disk::edit(&archive, &edits, &policy),
            // Not there yet, or an ordinary file.
            Ok(None) | Err(_) => disk::write_output_with(path, output, &policy),
        };
        written.map_err(|error| match Occupied::of(&error) {
            Some(occupied) if !occupied.read_only => {
                Unsaved::Exists(occupied.name.clone().unwrap_or_else(|| super::files::name_of(path)))
            }
            Some(_) => Unsaved::Failed(format!(
                "{}: nobody may write to it (it is read-only); save under another name or change its mode",
                path.display()
            )),
            None => Unsaved::Failed(reason(path, &error)),
        })
    }

    fn is_folder(&self, path: &Path) -> bool {
        disk::is_folder(path)
    }

    fn stamp(&self, path: &Path) -> Option<u64> {
        let of = |path: &Path| {
            let meta = std::fs::metadata(path).ok()?;
            let time = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos() as u64;
            Some(time ^ meta.len().rotate_left(40))
        };
        let Some(mut stamp) = of(path) else {
            // Inside of an archive nothing changes but with the archive.
            let above = path.ancestors().skip(1).find(|above| above.is_file());
            return above.and_then(of).filter(|_| disk::locate(path).is_ok());
        };
        // The start of the file tells its format, and that its companions.
        let mut start = vec![0; 4096];
        let read = std::fs::File::open(path).and_then(|mut file| io::Read::read(&mut file, &mut start));
        start.truncate(read.unwrap_or(0));
        for extension in companions_of(&start) {
            let companion = path.with_extension(extension);
            stamp = stamp.rotate_left(3) ^ of(&companion).filter(|_| companion != path).unwrap_or(0);
        }
        Some(stamp)
    }

    fn games(&self) -> Vec<(String, PathBuf)> {
        self.games.list().into_iter().map(|game| (game.id.name().to_owned(), game.root)).collect()
    }

    fn refresh(&self) {
        let fresh = Disk::libraries(&self.games);
        *self.libraries.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }
}
