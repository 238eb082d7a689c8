//! The textures of directories or of files in memory: found by the engines' rules of names, decoded when they are first
//! asked for.

use std::borrow::Cow;
#[cfg(feature = "disk")]
use std::collections::HashSet;
#[cfg(feature = "disk")]
use std::io;
#[cfg(feature = "disk")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use galatea_texture::find::{Found, Game, Index};
use galatea_texture::{Image, Kind, Part, Texture, Txi};
use galatea_wire::Limits;

use super::cache::Cache;
#[cfg(feature = "disk")]
use crate::disk;
#[cfg(feature = "disk")]
use crate::store::{Store, StoreTextures};

/// A texture that was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Decoded {
    /// The largest image available.
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
    /// Returns the bytes of memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, |(_, bytes)| bytes.len());
        self.image.rgba.len() + file + self.path.len() + size_of::<Decoded>()
    }
}

/// The textures below directories, or those of files in memory.
#[derive(Debug)]
pub struct Library {
    folders: Vec<PathBuf>,
    index: Index,
    /// The files by their numbers, if they are not read from the directories.
    memory: Option<Vec<Vec<u8>>>,
    /// The layers of a game, which are searched instead of the index.
    #[cfg(feature = "disk")]
    store: Option<StoreTextures>,
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
    /// Returns a library without folders.
    pub(super) fn new(cache: Arc<Cache>) -> Library {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Library {
            folders: Vec::new(),
            index: Index::new(),
            memory: None,
            #[cfg(feature = "disk")]
            store: None,
            number,
            cache,
        }
    }

    /// Returns the textures among files in memory, given by path and content.
    ///
    /// ```
    /// use galatea::texture::find::Game;
    /// use galatea::textures::{Library, Textures};
    /// let library = Library::from_files([("stone.tga".to_owned(), vec![0; 18])]);
    /// let textures = Textures::in_library(Game::Kotor, library);
    /// assert!(textures.find("Stone").1.id().is_some());
    /// ```
    pub fn from_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Library {
        let mut library = Library::default();
        library.folders.push(PathBuf::new());
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort();
        let mut memory = Vec::new();
        for (path, bytes) in files {
            library.add_file(0, &path);
            memory.push(bytes);
        }
        library.memory = Some(memory);
        library
    }

    /// Returns the textures of a game, by its layers.
    #[cfg(feature = "disk")]
    pub(super) fn of_store(store: Arc<Store>, cache: Arc<Cache>) -> Library {
        Library { store: Some(StoreTextures::new(store)), ..Library::new(cache) }
    }

    fn add_file(&mut self, folder: u32, path: &str) {
        let id = self.index.add(folder, path);
        #[cfg(feature = "fox")]
        if let Some(code) = fox_code(path) {
            self.index.add_hash(code, id);
        }
        #[cfg(not(feature = "fox"))]
        let _ = id;
    }

    /// Returns the textures that lie in one folder, without those of folders in it.
    #[cfg(feature = "disk")]
    pub fn beside(folder: &Path) -> Library {
        Library::beside_with(folder, Arc::default(), None)
    }

    #[cfg(feature = "disk")]
    pub(super) fn beside_with(folder: &Path, cache: Arc<Cache>, store: Option<&Store>) -> Library {
        let mut library = Library::new(cache);
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if let Some(archive) = disk::archive_around(here) {
            library.add_archives(&archive, store);
            return library;
        }
        let entries = std::fs::read_dir(here).into_iter().flatten().flatten();
        let files = entries.filter(disk::is_file).map(|e| e.path());
        library.add(here, files.collect());
        library
    }

    /// Adds the textures of an archive. Those of a package of the Fox Engine are in the one of the same name, which may be in any layer
    /// of the game, and in others beside it.
    #[cfg(feature = "disk")]
    fn add_archives(&mut self, archive: &disk::ArchiveFolder, store: Option<&Store>) {
        self.add_archive(archive);
        if archive.archive().kind() != galatea_archive::Kind::Fpk {
            return;
        }
        let name = archive.path().with_extension("pftxs");
        let name = name.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let in_game = store.and_then(|store| disk::archive(&store.find(&name)?.path).ok()?);
        let mut seen = HashSet::new();
        for packed in in_game.into_iter().chain(disk::archives_beside(archive, "pftxs")) {
            if seen.insert(packed.path().to_path_buf()) {
                self.add_archive(&packed);
            }
        }
    }

    /// Adds the textures of an archive as one more folder.
    #[cfg(feature = "disk")]
    pub(super) fn add_archive(&mut self, archive: &disk::ArchiveFolder) {
        let number = self.folders.len() as u32;
        self.folders.push(archive.path().to_path_buf());
        let mut names: Vec<String> = (0..archive.archive().len())
            .filter_map(|index| archive.name(index))
            .filter(|name| is_texture(name))
            .collect();
        names.sort();
        names.iter().for_each(|name| self.add_file(number, name));
    }

    /// Returns the textures of folders and of all folders in them; folders named first are searched first. Also returns what could
    /// not be read.
    #[cfg(feature = "disk")]
    pub fn below(folders: &[PathBuf]) -> (Library, Vec<(PathBuf, io::Error)>) {
        let mut library = Library::default();
        let failed = library.add_below(folders);
        (library, failed)
    }

    #[cfg(feature = "disk")]
    pub(super) fn add_below(&mut self, folders: &[PathBuf]) -> Vec<(PathBuf, io::Error)> {
        let mut failed = Vec::new();
        for folder in folders {
            match disk::archive_around(folder) {
                Some(archive) => self.add_archive(&archive),
                None => {
                    let mut files = Vec::new();
                    failed.extend(disk::walk(folder, &mut |path| files.push(path)));
                    self.add(folder, files);
                }
            }
        }
        failed
    }

    #[cfg(feature = "disk")]
    fn add(&mut self, folder: &Path, mut files: Vec<PathBuf>) {
        let number = self.folders.len() as u32;
        self.folders.push(folder.to_path_buf());
        files.sort();
        for file in files {
            let Some(path) = file.strip_prefix(folder).ok().and_then(Path::to_str) else { continue };
            self.add_file(number, path);
        }
    }

    /// Returns which file a name means. A name that leads out of the folders means none.
    pub fn find(&self, game: Game, name: &str) -> Found {
        #[cfg(feature = "disk")]
        if let Some(store) = &self.store {
            return store.find(name);
        }
        match hash(name) {
            Some(code) if game == Game::Fox => self.index.find_hash(code),
            _ => self.find_path(game, name),
        }
    }

    /// Returns the file that a model's name means, by the rules for names of textures: Warcraft III's models name others as `.mdl` and
    /// mean `.mdx`.
    fn find_model(&self, game: Game, name: &str) -> Found {
        #[cfg(feature = "disk")]
        if let Some(store) = &self.store {
            return store.find_model(name);
        }
        self.index.find_model(game, name)
    }

    /// Returns which file a name means that is no hash. Archives of the Fox Engine have the hash of its path instead.
    fn find_path(&self, game: Game, name: &str) -> Found {
        let found = self.index.find(game, name);
        #[cfg(feature = "fox")]
        if game == Game::Fox && found == Found::Missing(galatea_texture::find::Why::Absent) {
            let path = format!("/{}", name.trim_start_matches('/'));
            return self.index.find_hash(galatea_fox::path_code64(&path));
        }
        found
    }

    /// Returns where a file lies.
    pub fn path(&self, id: usize) -> Option<PathBuf> {
        #[cfg(feature = "disk")]
        if let Some(store) = &self.store {
            return store.path(id);
        }
        let entry = self.index.entry(id)?;
        Some(self.folders.get(entry.folder as usize)?.join(&entry.path))
    }

    /// Returns the bytes of the file of a texture and of its parts; 0 if it is gone.
    pub(crate) fn size(&self, id: usize) -> u64 {
        #[cfg(feature = "disk")]
        if let Some(store) = &self.store {
            let parts = store.parts(id).into_iter().map(|(_, path)| path);
            return store.path(id).into_iter().chain(parts).filter_map(|path| disk::size(&path)).sum();
        }
        let ids = std::iter::once(id).chain(self.index.parts(id).into_iter().map(|(_, part)| part));
        ids.map(|id| self.len(id).unwrap_or(0)).sum()
    }

    fn len(&self, id: usize) -> Option<u64> {
        match &self.memory {
            Some(memory) => Some(memory.get(id)?.len() as u64),
            None => file_size(&self.path(id)?),
        }
    }

    /// Reads a file.
    fn read(&self, id: usize) -> Result<Cow<'_, [u8]>, String> {
        match &self.memory {
            Some(memory) => {
                memory.get(id).map(|bytes| Cow::Borrowed(bytes.as_slice())).ok_or("no such file".into())
            }
            None => {
                let path = self.path(id).ok_or("no such file")?;
                read_file(&path).map(Cow::Owned).map_err(|e| e.to_string())
            }
        }
    }

    /// Returns a texture by its number, decoded, or why it could not be.
    pub fn load(&self, id: usize, limits: &Limits) -> Result<Arc<Decoded>, String> {
        self.cache.get_or_decode((self.number, id), *limits == Limits::default(), || self.decode(id, limits))
    }

    /// Reads a texture without decoding it, and the text that tells KotOR how to use it.
    pub(crate) fn open(&self, id: usize, limits: &Limits) -> Result<(Texture, Txi, Vec<u8>), String> {
        let bytes = self.read(id)?;
        let parts = self.parts(id)?;
        let parts: Vec<Part<'_>> =
            parts.iter().map(|(number, bytes)| Part { number: *number, bytes }).collect();
        let texture = Texture::read_with(&bytes, &parts, limits).map_err(|e| e.to_string())?;
        let beside = self.txi(id)?;
        let inside = || match &texture {
            Texture::Tpc(tpc) => tpc.txi.clone(),
            _ => Txi::default(),
        };
        let txi = beside.map_or_else(inside, |text| Txi::parse(&text));
        Ok((texture, txi, bytes.into_owned()))
    }

    /// Returns the faces of a cube map of KotOR below each other, in the order +X -X +Y -Y +Z -Z.
    pub(crate) fn cube(&self, id: usize, limits: &Limits) -> Option<Image> {
        let (Texture::Tpc(tpc), _, _) = self.open(id, limits).ok()? else { return None };
        let faces: Vec<Image> =
            (0..6).map(|face| tpc.decode_cube_face(face, limits).ok()).collect::<Option<_>>()?;
        let width = faces.first()?.width;
        let rgba = faces.into_iter().flat_map(|face| face.rgba).collect();
        Image::new(width, width * 6, rgba)
    }

    /// Returns the path of a texture in its folder.
    fn path_in_folder(&self, id: usize) -> String {
        #[cfg(feature = "disk")]
        if let Some(store) = &self.store {
            let name = store.path(id).and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
            return name.unwrap_or_default();
        }
        self.index.entry(id).map_or(String::new(), |e| e.path.clone())
    }

    /// Reads the files that belong to a texture, with their numbers.
    fn parts(&self, id: usize) -> Result<Vec<Numbered<'_>>, String> {
        #[cfg(feature = "disk")]
        if let Some(store) = &self.store {
            let parts = store.parts(id).into_iter();
            let read = |path: &Path| read_file(path).map(Cow::Owned).map_err(|e| e.to_string());
            return parts.map(|(number, path)| Ok((number, read(&path)?))).collect();
        }
        self.index.parts(id).into_iter().map(|(number, part)| Ok((number, self.read(part)?))).collect()
    }

    /// Reads the text that tells KotOR how to use a texture, if there is one.
    fn txi(&self, id: usize) -> Result<Option<Cow<'_, [u8]>>, String> {
        #[cfg(feature = "disk")]
        if let Some(store) = &self.store {
            let read = |path: PathBuf| read_file(&path).map(Cow::Owned).map_err(|e| e.to_string());
            return store.txi(id).map(read).transpose();
        }
        self.index.txi(id).map(|txi| self.read(txi)).transpose()
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
            path: self.path_in_folder(id),
            file: file.map(|mime| (mime, bytes)),
        })
    }
}

/// The bytes of a part of a texture, with its number.
type Numbered<'a> = (u8, Cow<'a, [u8]>);

/// Returns `true` for the names of textures and of what belongs to them, and of models, which may be thrown by others.
#[cfg(feature = "disk")]
fn is_texture(name: &str) -> bool {
    let extension = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let level = extension.len() == 3 && extension.starts_with("b0");
    let known = ["tpc", "tga", "dds", "png", "jpg", "jpeg", "blp", "ftex", "ftexs", "txi", "mdx", "mdl"];
    level || known.contains(&extension.as_str())
}

/// Reads a file on disk or in an archive.
#[cfg(feature = "disk")]
fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    disk::read(path)
}

/// There are no files without a disk: everything is in memory.
#[cfg(not(feature = "disk"))]
fn read_file(_: &std::path::Path) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(feature = "disk")]
fn file_size(path: &Path) -> Option<u64> {
    disk::size(path)
}

#[cfg(not(feature = "disk"))]
fn file_size(_: &std::path::Path) -> Option<u64> {
    None
}

/// Returns the hash that a Fox Engine model names a texture by, where its path is unknown.
fn hash(name: &str) -> Option<u64> {
    u64::from_str_radix(name.strip_prefix("0x")?, 16).ok()
}

/// Returns the path code of a file that lies below `Assets`, as unpackers leave it.
#[cfg(feature = "fox")]
fn fox_code(path: &str) -> Option<u64> {
    let path = path.replace('\\', "/");
    let stem = path.strip_suffix(".ftex")?;
    let file = stem.rsplit('/').next().unwrap_or(stem);
    // Archives name them by their path codes.
    if file.len() == 13
        && let Ok(code) = u64::from_str_radix(file, 16)
    {
        return Some(code);
    }
    let at = stem.to_lowercase().find("assets/")?;
    stem.get(at + 7..).map(|rest| galatea_fox::path_code64(&format!("/Assets/{rest}")))
}

/// Where the textures of one model are looked for: first below the folders that the user named, then beside it, then in the game.
#[derive(Debug)]
pub struct Textures<'a> {
    pub(super) own: Arc<Library>,
    pub(super) shared: Option<&'a Library>,
    pub(super) installed: Option<Arc<Library>>,
    pub(super) game: Game,
}

impl<'a> Textures<'a> {
    /// Returns the textures of one library, by the rules of a game.
    pub fn in_library(game: Game, library: Library) -> Self {
        Textures { own: Arc::new(library), shared: None, installed: None, game }
    }

    /// Returns the textures for a single model in this folder, by the rules of a game; [`Libraries::textures`] is for many.
    ///
    /// [`Libraries::textures`]: super::Libraries::textures
    #[cfg(feature = "disk")]
    pub fn new(game: Game, folder: Option<&Path>, shared: Option<&'a Library>) -> Self {
        let own = Arc::new(folder.map(Library::beside).unwrap_or_default());
        Textures { own, shared, installed: None, game }
    }

    /// Returns the game whose rules hold.
    pub fn game(&self) -> Game {
        self.game
    }

    /// Returns the libraries in the order in which they are searched.
    fn places(&self) -> impl Iterator<Item = &Library> {
        self.shared.into_iter().chain([self.own.as_ref()]).chain(self.installed.as_deref())
    }

    /// Returns which file the game itself loads for a name. Where it loads none, this is what [`Textures::find`] finds: perhaps an image
    /// that somebody has converted.
    pub fn find_loaded(&self, name: &str) -> (&Library, Found) {
        let loaded = self.places().find_map(|library| {
            let loads = |id: &usize| {
                let path = library.path(*id);
                path.is_some_and(|path| {
                    path.extension().is_some_and(|e| self.game.loads(&e.to_string_lossy()))
                })
            };
            let found = match library.find(self.game, name) {
                Found::File { id, how, also } => {
                    let mut ids = std::iter::once(id).chain(also).skip_while(|id| !loads(id));
                    ids.next().map(|id| Found::File { id, how, also: ids.collect() })
                }
                Found::Ambiguous(ids) => {
                    Some(Found::Ambiguous(ids)).filter(|found| found.id().is_some_and(|id| loads(&id)))
                }
                Found::Missing(_) => None,
            };
            Some((library, found?))
        });
        loaded.unwrap_or_else(|| self.find(name))
    }

    /// Returns which file a name means, and the library it is in.
    pub fn find(&self, name: &str) -> (&Library, Found) {
        let mut missing = None;
        for library in self.places() {
            let found = library.find(self.game, name);
            if found.id().is_some() {
                return (library, found);
            }
            // Why a name means no file at all, the first place knows as well as the last.
            missing.get_or_insert(found);
        }
        (self.own.as_ref(), missing.unwrap_or(Found::Missing(galatea_texture::find::Why::Absent)))
    }

    /// Returns the bytes of the model that a name means, found where textures are found: `None` if there is none, or why it could not be
    /// read.
    pub fn model(&self, name: &str) -> Option<Result<Vec<u8>, String>> {
        self.places().find_map(|library| {
            let id = library.find_model(self.game, name).id()?;
            Some(library.read(id).map(Cow::into_owned))
        })
    }

    /// Returns the texture of a name, decoded; none if there is no such file, or it cannot be read.
    pub fn load(&self, name: &str) -> Option<Arc<Decoded>> {
        let (library, found) = self.find(name);
        library.load(found.id()?, &Limits::default()).ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_serve_as_files_in_directories_do() {
        let example = include_bytes!("../../../../examples/statue.tga").to_vec();
        let (len, bad) = (example.len() as u64, b"not a texture".to_vec());
        let files = [
            ("textures/Statue.TGA", example),
            ("statue.txi", b"decal 1".to_vec()),
            ("textures/statue.txi", b"decal 0".to_vec()),
            ("bad.tga", bad),
        ];
        let library = Library::from_files(files.map(|(path, bytes)| (path.to_owned(), bytes)));
        let textures = Textures::in_library(Game::Kotor, library);
        let found = textures.load("statue").unwrap();
        assert!(found.image.width > 0);
        assert_eq!(found.path, "textures/Statue.TGA");
        assert_eq!(found.txi.number("decal"), Some(0.0));
        let (library, found) = textures.find("statue");
        assert_eq!(library.size(found.id().unwrap()), len);
        assert!(textures.load("bad").is_none() && textures.load("other").is_none());
    }
}
