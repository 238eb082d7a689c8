//! Documents: what is opened, and what can be done with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use galatea::disk::{self, Games, Job, Loaded, Place, Policy};
use galatea::wire::Inspector;
use galatea::{
    Companion, Comparison, ConvertOptions, Format, Input, Limits, Output, SceneContext, SiblingFiles,
};
use numpy::PyArray3;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::array;
use crate::convert::{Conversion, Converted};
use crate::error::{Failure, Outcome};
use crate::render::{self, View};
use crate::scene::SceneParts;
use crate::sources::Sources;

/// A document. The lock is held only while other Python threads may run.
#[pyclass(frozen, module = "galatea._galatea")]
pub(crate) struct Document {
    inner: Mutex<Box<dyn galatea::Document>>,
    format: &'static Format,
    source: Source,
}

/// A document that no other thread works on.
type Locked<'a> = MutexGuard<'a, Box<dyn galatea::Document>>;

/// Where a document came from.
pub(crate) struct Source {
    /// Its file, if it came from one.
    pub(crate) path: Option<PathBuf>,
    /// The name of its file; empty if it has none.
    pub(crate) name: String,
    /// Bytes of its file and of its companions.
    bytes: usize,
    /// Other files of its folder, if it came from memory.
    memory: Memory,
    pub(crate) games: Arc<Games>,
}

/// Files by name, in the place of a folder on disk.
#[derive(Debug, Default, Clone)]
struct Memory(BTreeMap<String, Vec<u8>>);

impl SiblingFiles for Memory {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).cloned()
    }
}

impl Source {
    /// Returns the name without extension.
    pub(crate) fn stem(&self) -> String {
        if self.name.is_empty() { "model".to_owned() } else { disk::stem(Path::new(&self.name)) }
    }

    /// Calls with the other files of the document's folder.
    fn with_siblings<T>(&self, work: impl FnOnce(&dyn SiblingFiles) -> T) -> T {
        match &self.path {
            None => work(&self.memory),
            Some(path) => {
                let folder = Loaded { path: Some(path.clone()), ..Loaded::default() };
                work(&folder.with_games(Arc::clone(&self.games)))
            }
        }
    }
}

/// The findings of a check as tuples (code, message, path, offset), and how often each rule was broken.
type Findings = (Vec<(&'static str, String, String, Option<u64>)>, Vec<(&'static str, usize)>);

/// An output as bytes, companions by extension, and other files by name.
type Files<'py> =
    (Bound<'py, PyBytes>, Vec<(&'static str, Bound<'py, PyBytes>)>, Vec<(String, Bound<'py, PyBytes>)>);

/// Returns the files of an output as Python's bytes.
pub(crate) fn files<'py>(py: Python<'py>, output: &Output) -> Files<'py> {
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
    let companions = output.companions.iter().map(|c| (c.extension, bytes(&c.bytes))).collect();
    let siblings = output.siblings.iter().map(|(name, file)| (name.clone(), bytes(file))).collect();
    (bytes(&output.bytes), companions, siblings)
}

/// Writes an output through the rules of [`disk`], and returns the paths of its files.
pub(crate) fn save(path: &Path, output: &Output, policy: &Policy<'_>) -> Outcome<Vec<PathBuf>> {
    if matches!(disk::locate(path), Ok(Place::Entry(..))) {
        let what = "is in an archive; save it elsewhere, then `galatea put` puts it back";
        return Err(Failure::Io(std::io::Error::other(what), path.to_path_buf()));
    }
    let files = disk::files(path, output).map_err(Failure::io(path))?;
    disk::write_output_with(path, output, policy).map_err(Failure::io(path))?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

impl Document {
    /// Reads a document.
    fn read(input: &Input<'_>, source: Source) -> Outcome<Document> {
        let Some(format) = galatea::detect(input.bytes) else {
            let why = match galatea::archive::detect(input.bytes) {
                Some(archive) => format!("is an archive ({}); name a file in it", archive.name),
                None => disk::why_unknown(Path::new(&source.name), input.bytes),
            };
            return Err(Failure::Other("not-this-format", why));
        };
        let document = (format.read)(input, &Limits::default())?;
        Ok(Document { inner: Mutex::new(document), format, source })
    }

    fn open_path(path: &Path, sources: Option<&Sources>) -> Outcome<Document> {
        // The name is a file's here, and never standard input.
        let plain = if path.as_os_str() == "-" { Path::new("./-") } else { path };
        let games = sources.map_or_else(Arc::default, |sources| Arc::clone(&sources.games));
        let loaded = disk::load(&Job::new(plain)).map_err(Failure::io(path))?;
        let loaded = loaded.with_games(Arc::clone(&games));
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let source = Source {
            path: Some(path.to_path_buf()),
            name,
            bytes: loaded.size(),
            memory: Memory::default(),
            games,
        };
        Document::read(&loaded.input(), source)
    }

    /// Returns the document for the work of this thread.
    pub(crate) fn lock(&self) -> Locked<'_> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns two documents for the work of this thread. They are locked in the same order by every thread, so that two threads
    /// never wait for each other; a document on its own is no second one.
    pub(crate) fn lock_with<'a>(&'a self, other: Option<&'a Document>) -> (Locked<'a>, Option<Locked<'a>>) {
        let Some(other) = other.filter(|other| !std::ptr::eq(self, *other)) else {
            return (self.lock(), None);
        };
        if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
            let first = self.lock();
            (first, Some(other.lock()))
        } else {
            let second = other.lock();
            (self.lock(), Some(second))
        }
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Calls with what the scene of the document and its conversions may want to know.
    pub(crate) fn with_context<T>(
        &self,
        sources: &Sources,
        work: impl FnOnce(&SceneContext<'_>, Option<&galatea::textures::Textures<'_>>) -> T,
    ) -> T {
        let stem = self.source.stem();
        let folder = self.source.path.as_deref().and_then(Path::parent);
        let textures = self.format.game.map(|game| sources.textures(game, folder));
        self.source.with_siblings(|siblings| {
            let context = SceneContext::new(&stem)
                .with_names(&sources.names)
                .with_textures(textures.as_ref())
                .with_siblings(siblings);
            work(&context, textures.as_ref())
        })
    }

    /// Returns the sources that were given, or those of whoever names none.
    pub(crate) fn with_sources<T>(
        given: Option<&Sources>,
        work: impl FnOnce(&Sources) -> Outcome<T>,
    ) -> Outcome<T> {
        match given {
            Some(sources) => work(sources),
            None => work(&Sources::usual()?),
        }
    }

    fn wants(only: &[String], ignore: &[String], code: &str) -> bool {
        let among = |codes: &[String]| codes.iter().any(|other| other.eq_ignore_ascii_case(code));
        (only.is_empty() || among(only)) && !among(ignore)
    }
}

#[pymethods]
impl Document {
    /// Opens a file on disk or in an archive, with its companions.
    #[staticmethod]
    #[pyo3(signature = (path, sources = None))]
    fn open(py: Python<'_>, path: PathBuf, sources: Option<&Sources>) -> PyResult<Document> {
        Ok(py.detach(|| Document::open_path(&path, sources))?)
    }

    /// Opens a file in memory.
    #[staticmethod]
    #[pyo3(signature = (bytes, name, companions, siblings, path = None, sources = None))]
    fn read_bytes(
        py: Python<'_>,
        bytes: PyBackedBytes,
        name: String,
        companions: Vec<(String, PyBackedBytes)>,
        siblings: BTreeMap<String, Vec<u8>>,
        path: Option<PathBuf>,
        sources: Option<&Sources>,
    ) -> PyResult<Document> {
        let games = sources.map_or_else(Arc::default, |sources| Arc::clone(&sources.games));
        Ok(py.detach(|| {
            let known = galatea::detect(&bytes).map_or(&[][..], |format| format.companions);
            let of = |extension: &&'static str| {
                let found = companions.iter().find(|(other, _)| other.eq_ignore_ascii_case(extension))?;
                Some(Companion { extension, bytes: &*found.1 })
            };
            let memory = Memory(siblings);
            let source = Source {
                path,
                name: name.clone(),
                bytes: bytes.len() + companions.iter().map(|(_, bytes)| bytes.len()).sum::<usize>(),
                memory: memory.clone(),
                games,
            };
            let input = Input::new(&bytes).with_companions(known.iter().filter_map(of).collect());
            Document::read(&input.with_name(&name).with_siblings(&memory), source)
        })?)
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.format.name
    }

    #[getter]
    fn title(&self) -> &'static str {
        self.format.title
    }

    #[getter]
    fn name(&self) -> &str {
        &self.source.name
    }

    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.source.path.clone()
    }

    /// Returns the figures of `galatea info --json`, in its order.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sum = py.detach(|| self.lock().summary());
        let line = PyDict::new(py);
        line.set_item("format", self.format.name)?;
        line.set_item("bytes", self.source.bytes)?;
        line.set_item("version", sum.version)?;
        line.set_item("nodes", sum.nodes)?;
        line.set_item("meshes", sum.meshes)?;
        line.set_item("vertices", sum.vertices)?;
        line.set_item("triangles", sum.triangles)?;
        line.set_item("bones", sum.bones)?;
        line.set_item("clips", sum.clips)?;
        Ok(line)
    }

    fn check(&self, py: Python<'_>, only: Vec<String>, ignore: Vec<String>) -> Findings {
        py.detach(|| {
            let mut report = self.lock().check();
            report.retain(|rule| Document::wants(&only, &ignore, rule.code));
            let findings = report.findings().iter();
            let found =
                findings.map(|f| (f.rule.code, f.message.clone(), f.path.clone(), f.offset)).collect();
            (found, report.counts().map(|(rule, count)| (rule.code, count)).collect())
        })
    }

    fn fix(&self, py: Python<'_>, only: Vec<String>, ignore: Vec<String>) -> Vec<(&'static str, String)> {
        py.detach(|| {
            let fixed = self.lock().fix(&|rule| Document::wants(&only, &ignore, rule.code));
            fixed.into_iter().map(|fixed| (fixed.rule.code, fixed.message)).collect()
        })
    }

    /// Returns the fields of a file of the document in the order of `galatea inspect`: depth, offset, size, name, type, value.
    #[allow(clippy::type_complexity, reason = "a row of plain values for one caller")]
    fn inspect(
        &self,
        py: Python<'_>,
        most: usize,
        companion: Option<String>,
    ) -> PyResult<Vec<(usize, usize, usize, String, String, String)>> {
        Ok(py.detach(|| {
            // What was read is what is written, byte for byte.
            let output = self.lock().write()?;
            let input = output.input().with_name(&self.source.name);
            let whole = self.source.with_siblings(|siblings| {
                (self.format.inspect)(&input.clone().with_siblings(siblings), &Limits::default())
            });
            let (inspection, bytes) = match &companion {
                None => (whole.into_iter().next(), Some(output.bytes.as_slice())),
                Some(extension) => {
                    let same = |other: &str| other.eq_ignore_ascii_case(extension);
                    let found = whole.into_iter().skip(1).find(|i| same(i.file));
                    let found = found.filter(|i| output.companion(i.file).is_some());
                    let bytes = found.as_ref().and_then(|i| output.companion(i.file));
                    (found, bytes)
                }
            };
            let (Some(inspection), Some(bytes)) = (inspection, bytes) else {
                // A layout has no fields with places.
                if companion.is_none() {
                    return Ok(Vec::new());
                }
                return Err(Failure::Value("there is no such companion file".to_owned()));
            };
            let mut rows = Vec::new();
            Inspector::new(bytes, &inspection.coverage).walk(most, &mut |item| {
                rows.push((item.depth, item.offset, item.size, item.name, item.ty, item.value));
            });
            Ok(rows)
        })?)
    }

    /// Returns what differs from another document; `None` if their formats differ.
    fn diff(
        &self,
        py: Python<'_>,
        other: &Document,
        tolerance: f32,
        unordered: bool,
        limit: usize,
    ) -> Option<Vec<String>> {
        if std::ptr::eq(self, other) {
            return Some(Vec::new());
        }
        let how = Comparison::default().with_tolerance(tolerance).with_unordered(unordered).with_limit(limit);
        py.detach(|| {
            let (first, second) = self.lock_with(Some(other));
            let second = second?;
            galatea::compare(first.as_ref(), second.as_ref(), &how)
        })
    }

    /// Returns the document's files.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Files<'py>> {
        let output = py.detach(|| self.lock().write()).map_err(Failure::from)?;
        Ok(files(py, &output))
    }

    /// Writes the document's files. Those that it was read from are replaced only with a backup.
    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<Vec<PathBuf>> {
        Ok(py.detach(|| {
            let output = self.lock().write()?;
            let read = self.source.path.iter();
            let companions = read.clone().flat_map(|path| disk::companion_paths(path, self.format));
            let own = read.cloned().chain(companions.map(|(_, path)| path));
            let own: Vec<PathBuf> = own.filter_map(|path| path.canonicalize().ok()).collect();
            let precious = |path: &Path| own.iter().any(|own| own == path);
            let in_place = path.canonicalize().is_ok_and(|path| precious(&path));
            let policy = Policy::force(force).with_precious(Some(&precious)).with_times(in_place);
            save(&path, &output, &policy)
        })?)
    }

    /// Returns the textures that the document asks for: name, what for, status, path, other paths, error.
    #[allow(clippy::type_complexity, reason = "a row of plain values for one caller")]
    fn textures(
        &self,
        py: Python<'_>,
        sources: Option<&Sources>,
    ) -> PyResult<Vec<(String, String, &'static str, Option<PathBuf>, Vec<PathBuf>, Option<String>)>> {
        Ok(py.detach(|| {
            Document::with_sources(sources, |sources| {
                let document = self.lock();
                self.with_context(sources, |context, textures| {
                    let textures = textures.ok_or_else(|| {
                        Failure::unsupported(format!("{} files do not refer to textures", self.format.name))
                    })?;
                    let all = galatea::textures::audit(document.as_ref(), context, textures);
                    Ok(all.into_iter().map(render::texture_row).collect())
                })
            })
        })?)
    }

    /// Returns the pixels of a texture.
    fn pixels<'py>(
        &self,
        py: Python<'py>,
        mip: u32,
        face: u32,
        layer: u32,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let image = py.detach(|| render::pixels(self.lock().as_ref(), mip, face, layer))?;
        array::image(py, image.width, image.height, image.rgba)
    }

    fn render<'py>(
        &self,
        py: Python<'py>,
        view: View,
        sources: Option<&Sources>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let image =
            py.detach(|| Document::with_sources(sources, |sources| render::render(self, &view, sources)))?;
        array::image(py, image.width, image.height, image.pixels)
    }

    fn convert(
        &self,
        py: Python<'_>,
        to: &str,
        options: Conversion,
        onto: Option<&Document>,
        sources: Option<&Sources>,
    ) -> PyResult<Converted> {
        Ok(py
            .detach(|| Document::with_sources(sources, |sources| options.convert(self, to, onto, sources)))?)
    }

    /// Returns the text form of the document.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        Ok(py.detach(|| {
            let document = self.lock();
            let to = self.format.text.filter(|_| document.format().text.is_some());
            let Some(to) = to else {
                return Err(Failure::unsupported(format!("{} has no text form", self.format.name)));
            };
            let stem = self.source.stem();
            let done = galatea::convert(
                document.as_ref(),
                to,
                &ConvertOptions::default(),
                &SceneContext::new(&stem),
            )?;
            Ok(String::from_utf8_lossy(&done.output.bytes).into_owned())
        })?)
    }

    /// Returns the scene of the document, with the clips that it inherits if that is asked for.
    fn scene(&self, py: Python<'_>, inherit: bool, sources: Option<&Sources>) -> PyResult<SceneParts> {
        let scene = py.detach(|| {
            Document::with_sources(sources, |sources| {
                let document = self.lock();
                self.with_context(sources, |context, _| {
                    let path = self.source.path.as_deref().unwrap_or(Path::new(""));
                    let find = |name: &str| sources.models.find_beside(path, name);
                    let find = inherit.then_some(&find as &galatea::FindModel<'_>);
                    document.to_scene(&context.with_supermodel(find)).ok_or_else(|| {
                        Failure::unsupported(format!("{} files have no scene", self.format.name))
                    })
                })
            })
        })?;
        Ok(SceneParts::new(scene))
    }

    /// Returns the document's tables to walk on.
    fn ground(
        &self,
        py: Python<'_>,
        walkable: Vec<String>,
        not_walkable: Vec<String>,
    ) -> PyResult<crate::ground::Ground> {
        Ok(py.detach(|| {
            Document::with_sources(None, |sources| {
                let document = self.lock();
                let found =
                    self.with_context(sources, |context, _| galatea::Ground::of(document.as_ref(), context));
                let found = found.ok_or_else(|| {
                    Failure::unsupported("the document has no triangles to walk on".to_owned())
                })?;
                crate::ground::Ground::new(found, &walkable, &not_walkable)
            })
        })?)
    }
}
