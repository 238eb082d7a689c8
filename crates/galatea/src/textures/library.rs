//! The textures of folders: found by the engines' rules of names, read and decoded when they are first asked for.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use galatea_texture::find::{Found, Game, Index};
use galatea_texture::{Image, Kind, Part, Texture, Txi};
use galatea_wire::Limits;

use super::cache::Cache;
use crate::{disk, fox};

/// A texture that was read.
#[derive(Debug)]
pub struct Decoded {
    /// The largest picture at hand.
    pub image: Arc<Image>,
    /// The text that tells KotOR how to use it; empty without one.
    pub txi: Txi,
    /// The alpha value of a TPC's head; 1 for others.
    pub alpha_mean: f32,
    /// Whether only red and green are stored, as in BC5.
    pub two_channels: bool,
    /// Its path in its folder.
    pub path: String,
    /// The file itself, if glTF can hold it as it is, with its media type.
    pub(crate) file: Option<(&'static str, Vec<u8>)>,
}

impl Decoded {
    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, |(_, bytes)| bytes.len());
        self.image.rgba.len() + file + self.path.len() + size_of::<Decoded>()
    }
}

/// The textures below folders.
#[derive(Debug)]
pub struct Library {
    folders: Vec<PathBuf>,
    index: Index,
    /// Tells its textures from those of other libraries in a cache that they share.
    number: u64,
    cache: Arc<Cache>,
}

impl Default for Library {
    fn default() -> Self {
        Library::new(Arc::default())
    }
}

impl Library {
    /// One without folders.
    fn new(cache: Arc<Cache>) -> Library {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Library { folders: Vec::new(), index: Index::new(), number, cache }
    }

    /// The textures that lie in one folder, without those of folders in it.
    pub fn beside(folder: &Path) -> Library {
        Library::beside_with(folder, Arc::default())
    }

    fn beside_with(folder: &Path, cache: Arc<Cache>) -> Library {
        let mut library = Library::new(cache);
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = fs::read_dir(here).into_iter().flatten().flatten();
        let files = entries.filter(disk::is_file).map(|e| e.path());
        library.add(here, files.collect());
        library
    }

    /// The textures of folders and of all folders in them; folders named first are searched first. Also returns what could
    /// not be read.
    pub fn below(folders: &[PathBuf]) -> (Library, Vec<(PathBuf, io::Error)>) {
        let mut library = Library::default();
        let failed = library.add_below(folders);
        (library, failed)
    }

    fn add_below(&mut self, folders: &[PathBuf]) -> Vec<(PathBuf, io::Error)> {
        let mut failed = Vec::new();
        for folder in folders {
            let mut files = Vec::new();
            failed.extend(disk::walk(folder, &mut |path| files.push(path)));
            self.add(folder, files);
        }
        failed
    }

    fn add(&mut self, folder: &Path, mut files: Vec<PathBuf>) {
        let number = self.folders.len() as u32;
        self.folders.push(folder.to_path_buf());
        files.sort();
        for file in files {
            let Some(path) = file.strip_prefix(folder).ok().and_then(Path::to_str) else { continue };
            let id = self.index.add(number, path);
            if let Some(code) = fox_code(path) {
                self.index.add_hash(code, id);
            }
        }
    }

    /// Which file a name means. A name that leads out of the folders means none.
    pub fn find(&self, game: Game, name: &str) -> Found {
        match hash(name) {
            Some(code) if game == Game::Fox => self.index.find_hash(code),
            _ => self.index.find(game, name),
        }
    }

    /// Where a file lies.
    pub fn path(&self, id: usize) -> Option<PathBuf> {
        let entry = self.index.entry(id)?;
        Some(self.folders.get(entry.folder as usize)?.join(&entry.path))
    }

    /// Bytes of the file of a texture and of its parts; 0 if it is gone.
    pub(crate) fn size(&self, id: usize) -> u64 {
        let ids = std::iter::once(id).chain(self.index.parts(id).into_iter().map(|(_, part)| part));
        ids.filter_map(|id| fs::metadata(self.path(id)?).ok()).map(|m| m.len()).sum()
    }

    /// A texture by its number, decoded, or why it could not be.
    pub fn load(&self, id: usize, limits: &Limits) -> Result<Arc<Decoded>, String> {
        self.cache.get_or_decode((self.number, id), *limits == Limits::default(), || self.decode(id, limits))
    }

    /// Reads a texture without decoding it, and the text that tells KotOR how to use it.
    pub(crate) fn open(&self, id: usize, limits: &Limits) -> Result<(Texture, Txi, Vec<u8>), String> {
        let path = self.path(id).ok_or("no such file")?;
        let read = |path: &Path| fs::read(path).map_err(|e| e.to_string());
        let bytes = read(&path)?;
        let mut parts = Vec::new();
        for (number, part) in self.index.parts(id) {
            parts.extend(self.path(part).map(|p| read(&p).map(|b| (number, b))).transpose()?);
        }
        let parts: Vec<Part<'_>> =
            parts.iter().map(|(number, bytes)| Part { number: *number, bytes }).collect();
        let texture = Texture::read_with(&bytes, &parts, limits).map_err(|e| e.to_string())?;
        let beside = self.index.txi(id).and_then(|txi| self.path(txi)).map(|p| read(&p)).transpose()?;
        let inside = || match &texture {
            Texture::Tpc(tpc) => tpc.txi.clone(),
            _ => Txi::default(),
        };
        let txi = beside.map_or_else(inside, |text| Txi::parse(&text));
        Ok((texture, txi, bytes))
    }

    fn decode(&self, id: usize, limits: &Limits) -> Result<Decoded, String> {
        let (texture, txi, bytes) = self.open(id, limits)?;
        let image = texture.decode_best(limits).map_err(|e| e.to_string())?;
        let alpha_mean = match &texture {
            Texture::Tpc(tpc) => tpc.head.alpha_mean,
            _ => 1.0,
        };
        let file = match texture.kind() {
            Kind::Png => Some("image/png"),
            Kind::Jpeg => Some("image/jpeg"),
            _ => None,
        };
        Ok(Decoded {
            image: Arc::new(image),
            txi,
            alpha_mean,
            two_channels: texture.shape().pixels.starts_with("BC5"),
            path: self.index.entry(id).map_or(String::new(), |e| e.path.clone()),
            file: file.map(|mime| (mime, bytes)),
        })
    }
}

/// The hash that a Fox Engine model names a texture by, where nobody knows its path.
fn hash(name: &str) -> Option<u64> {
    u64::from_str_radix(name.strip_prefix("0x")?, 16).ok()
}

/// The path code of a file that lies below `Assets`, as unpackers leave it.
fn fox_code(path: &str) -> Option<u64> {
    let path = path.replace('\\', "/");
    let stem = path.strip_suffix(".ftex")?;
    let at = stem.to_lowercase().find("assets/")?;
    stem.get(at + 7..).map(|rest| fox::path_code64(&format!("/Assets/{rest}")))
}

/// Folders whose index is kept: the models of a batch come folder by folder.
const FOLDERS: usize = 64;

/// The textures of a whole run: the folders that the user named, and the folder of every model, each listed once and shared
/// by all threads.
#[derive(Debug, Default)]
pub struct Libraries {
    named: Option<Library>,
    beside: Mutex<HashMap<PathBuf, Beside>>,
    clock: AtomicU64,
    cache: Arc<Cache>,
}

/// The textures of a folder, listed by the first who asks while others wait.
#[derive(Debug, Default)]
struct Beside {
    library: Arc<OnceLock<Arc<Library>>>,
    used: u64,
}

impl Libraries {
    /// Those of a run in which textures are looked for below these folders too. Also returns what could not be read.
    pub fn new(named: &[PathBuf]) -> (Libraries, Vec<(PathBuf, io::Error)>) {
        let cache = Arc::<Cache>::default();
        let mut library = Library::new(Arc::clone(&cache));
        let failed = library.add_below(named);
        let named = (!named.is_empty()).then_some(library);
        (Libraries { named, cache, ..Libraries::default() }, failed)
    }

    /// Where the textures of a model in this folder are looked for, by the rules of a game.
    pub fn textures(&self, game: Game, folder: Option<&Path>) -> Textures<'_> {
        let own = folder.map_or_else(Arc::default, |folder| self.beside(folder));
        Textures { own, shared: self.named.as_ref(), game }
    }

    /// The textures in one folder.
    fn beside(&self, folder: &Path) -> Arc<Library> {
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let place = {
            let mut known = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= FOLDERS && !known.contains_key(folder) {
                let oldest = known.iter().min_by_key(|(_, beside)| beside.used).map(|(path, _)| path.clone());
                oldest.and_then(|path| known.remove(&path));
            }
            let beside = known.entry(folder.to_path_buf()).or_default();
            beside.used = used;
            Arc::clone(&beside.library)
        };
        let list = || Arc::new(Library::beside_with(folder, Arc::clone(&self.cache)));
        Arc::clone(place.get_or_init(list))
    }
}

/// Where the textures of one model are looked for: first beside it, then below the folders that the user named.
#[derive(Debug)]
pub struct Textures<'a> {
    own: Arc<Library>,
    shared: Option<&'a Library>,
    game: Game,
}

impl<'a> Textures<'a> {
    /// For a single model in this folder, by the rules of a game; [`Libraries::textures`] is for many.
    pub fn new(game: Game, folder: Option<&Path>, shared: Option<&'a Library>) -> Self {
        Textures { own: Arc::new(folder.map(Library::beside).unwrap_or_default()), shared, game }
    }

    /// Whose rules hold.
    pub fn game(&self) -> Game {
        self.game
    }

    /// Which file a name means, and the library it is in.
    pub fn find(&self, name: &str) -> (&Library, Found) {
        let own = self.own.find(self.game, name);
        match self.shared {
            Some(shared) if own.id().is_none() => (shared, shared.find(self.game, name)),
            _ => (self.own.as_ref(), own),
        }
    }

    /// The texture of a name, decoded; none if there is no such file, or it cannot be read.
    pub fn load(&self, name: &str) -> Option<Arc<Decoded>> {
        let (library, found) = self.find(name);
        library.load(found.id()?, &Limits::default()).ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail loudly")]
mod tests {
    use super::*;

    /// A folder of this test's own with a texture in it.
    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("galatea-library-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/statue.tga");
        fs::copy(example, dir.join("statue.tga")).unwrap();
        dir
    }

    #[test]
    fn models_of_a_folder_share_its_index_and_its_textures() {
        let dir = folder("shared");
        let (libraries, failed) = Libraries::new(&[]);
        assert!(failed.is_empty());
        let first = libraries.textures(Game::Kotor, Some(&dir));
        // Listed once: what comes later is not seen.
        fs::write(dir.join("late.tga"), b"").unwrap();
        let second = libraries.textures(Game::Warcraft, Some(&dir));
        assert!(Arc::ptr_eq(&first.own, &second.own));
        assert_eq!(second.find("late").1.id(), None);
        let [one, two] = [&first, &second].map(|textures| textures.load("statue").unwrap());
        assert!(Arc::ptr_eq(&one, &two));
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn the_folders_that_were_used_last_are_kept() {
        let dir = folder("many");
        let (libraries, _) = Libraries::new(&[]);
        let own = libraries.textures(Game::Kotor, Some(&dir)).own;
        for number in 0..3 * FOLDERS {
            libraries.textures(Game::Kotor, Some(&dir.join(format!("none{number}"))));
            let again = libraries.textures(Game::Kotor, Some(&dir)).own;
            assert!(Arc::ptr_eq(&own, &again), "after {number}");
        }
        assert_eq!(libraries.beside.lock().unwrap().len(), FOLDERS);
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_texture_beside_the_model_goes_before_those_of_named_folders() {
        let (own, named) = (folder("own"), folder("named"));
        fs::write(named.join("other.tga"), b"").unwrap();
        let (libraries, _) = Libraries::new(std::slice::from_ref(&named));
        let textures = libraries.textures(Game::Kotor, Some(&own));
        let place = |name: &str| {
            let (library, found) = textures.find(name);
            library.path(found.id().unwrap()).unwrap()
        };
        assert_eq!(place("statue"), own.join("statue.tga"));
        assert_eq!(place("other"), named.join("other.tga"));
        fs::remove_dir_all(own).unwrap();
        fs::remove_dir_all(named).unwrap();
    }
}
