//! Files in memory and the document opened from them.

use std::collections::BTreeMap;

use galatea::fox::Dictionary;
use galatea::preview::{self, Options as View};
use galatea::{
    Companion, ConvertOptions, Document, Format, FormatId, Input, Limits, SceneContext, SiblingFiles, convert,
};
use serde_json::{Value, json};

/// Why a call failed, for a person.
pub type Failure = String;

/// Files in memory, the document opened from them, and the files of the last conversion.
#[derive(Default)]
pub struct Session {
    folder: Folder,
    opened: Option<Opened>,
    converted: Vec<(String, Vec<u8>)>,
}

/// Files by name, in the place of a folder on disk.
#[derive(Debug, Default)]
struct Folder(BTreeMap<String, Vec<u8>>);

struct Opened {
    stem: String,
    bytes: usize,
    document: Box<dyn Document>,
}

impl SiblingFiles for Folder {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).cloned()
    }
}

impl Folder {
    /// Returns the companions of a file that are there, ignoring case.
    fn companions(&self, stem: &str, format: &Format) -> Vec<Companion<&[u8]>> {
        let find = |extension: &&'static str| {
            let name = format!("{stem}.{extension}");
            let (_, bytes) = self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name))?;
            Some(Companion { extension, bytes: bytes.as_slice() })
        };
        format.companions.iter().filter_map(find).collect()
    }
}

impl Session {
    /// Adds a file, or replaces the one of the same name.
    pub fn put(&mut self, name: &str, bytes: Vec<u8>) {
        self.folder.0.insert(name.to_owned(), bytes);
    }

    /// Opens one of the files, together with its companions among the others.
    pub fn open(&mut self, name: &str) -> Result<(), Failure> {
        self.opened = None;
        let bytes = self.folder.0.get(name).ok_or_else(|| format!("no file is called `{name}`"))?;
        let format = galatea::detect(bytes).ok_or_else(|| format!("{name}: not a known format"))?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let companions = self.folder.companions(stem, format);
        let size = bytes.len() + companions.iter().map(|c| c.bytes.len()).sum::<usize>();
        let input = Input::new(bytes).with_companions(companions).with_name(name).with_siblings(&self.folder);
        let document = (format.read)(&input, &Limits::default()).map_err(|e| format!("{name}: {e}"))?;
        self.opened = Some(Opened { stem: stem.to_owned(), bytes: size, document });
        Ok(())
    }

    /// Returns the figures of the opened document as JSON, with the keys of `galatea info --json`.
    pub fn info(&self) -> Result<String, Failure> {
        let Opened { document, bytes, .. } = self.opened()?;
        let mut line = json!(document.summary());
        if let Some(line) = line.as_object_mut() {
            line.insert("format".into(), document.format().name.into());
            line.insert("bytes".into(), (*bytes).into());
        }
        Ok(line.to_string())
    }

    /// Returns what the rules find in the opened document as JSON, with the keys of `galatea check --json`.
    pub fn check(&self) -> Result<String, Failure> {
        Ok(json!(self.opened()?.document.check()).to_string())
    }

    /// Converts the opened document to the format of this name. Returns the names and sizes of the new files and what got
    /// lost as JSON; [`Session::file`] returns the files.
    pub fn convert(&mut self, to: &str) -> Result<String, Failure> {
        self.converted.clear();
        let to: FormatId = to.parse().map_err(|e| format!("`{to}`: {e}"))?;
        let Opened { stem, document, .. } = self.opened()?;
        let (names, stem) = (Dictionary::new(), stem.clone());
        let context = SceneContext::new(&stem).with_names(&names);
        let done = convert(document.as_ref(), to, &ConvertOptions::default(), &context);
        let done = done.map_err(|e| e.to_string())?;
        let extension = to.format().extensions.first().copied().unwrap_or(to.name());
        let mut files = vec![(format!("{stem}.{extension}"), done.output.bytes)];
        files
            .extend(done.output.companions.into_iter().map(|c| (format!("{stem}.{}", c.extension), c.bytes)));
        files.extend(done.output.siblings);
        let list: Vec<Value> =
            files.iter().map(|(name, bytes)| json!({ "name": name, "bytes": bytes.len() })).collect();
        self.converted = files;
        let losses: Vec<String> = done.losses.iter().map(ToString::to_string).collect();
        Ok(json!({ "files": list, "losses": losses }).to_string())
    }

    /// Returns a file of the last conversion, by its place in the list.
    pub fn file(&self, index: usize) -> Result<&[u8], Failure> {
        match self.converted.get(index) {
            Some((_, bytes)) => Ok(bytes),
            None => Err(format!("the last conversion gave {} files", self.converted.len())),
        }
    }

    /// Draws the opened document without textures. Returns a PNG.
    pub fn render(&self, width: u32, height: u32) -> Result<Vec<u8>, Failure> {
        let Opened { stem, document, .. } = self.opened()?;
        let names = Dictionary::new();
        let scene = document.scene(&SceneContext::new(stem).with_names(&names));
        let scene = scene.ok_or_else(|| format!("{} has no geometry to draw", document.format().name))?;
        let view = View::default().with_size(width, height);
        let drawn = preview::render(&scene, &view, &|_| None).and_then(|image| image.png());
        drawn.map_err(|e| e.to_string())
    }

    fn opened(&self) -> Result<&Opened, Failure> {
        self.opened.as_ref().ok_or_else(|| "no file is open; call `open` first".to_owned())
    }
}
