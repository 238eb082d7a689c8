//! What every format can do, and how to find the right one.

use std::any::Any;
use std::fmt;

use galatea_scene::Scene;
use galatea_wire::{Coverage, Error, ErrorKind, Fixed, Limits, Loss, Report, Result, Rule, Schema, Summary};

use crate::textures::Textures;
use crate::{ConvertOptions, FORMATS};

/// The folder a file lies in, for formats that are spread over several files: a .gltf with its .bin and pictures.
pub trait Beside: fmt::Debug {
    /// The bytes of a file, by its path relative to that folder, with `/` between the steps. A path that leads out of the
    /// folder finds nothing.
    fn file(&self, path: &str) -> Option<Vec<u8>>;
}

/// A file that belongs to another of the same name: a KotOR model's MDX, the numbered parts of an FTEX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Companion<B> {
    /// Its extension: one of [`Format::companions`].
    pub extension: &'static str,
    /// Its bytes.
    pub bytes: B,
}

/// The bytes of a file and of the files that belong to it.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    /// The file itself.
    pub bytes: &'a [u8],
    /// Those of its companions that are there.
    pub companions: Vec<Companion<&'a [u8]>>,
    /// Its name without folders; empty if it has none.
    pub name: &'a str,
    /// The folder it lies in, if it lies in one.
    pub beside: Option<&'a dyn Beside>,
}

impl<'a> Input<'a> {
    /// A file on its own.
    pub fn new(bytes: &'a [u8]) -> Self {
        Input { bytes, companions: Vec::new(), name: "", beside: None }
    }

    /// The companion with this extension.
    pub fn companion(&self, extension: &str) -> Option<&'a [u8]> {
        self.companions.iter().find(|c| c.extension == extension).map(|c| c.bytes)
    }
}

/// What writing gives: the file, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// Its companions.
    pub companions: Vec<Companion<Vec<u8>>>,
    /// More files of the same folder, by name.
    pub beside: Vec<(String, Vec<u8>)>,
}

impl Output {
    /// A file without companion.
    pub fn single(bytes: Vec<u8>) -> Self {
        Output { bytes, ..Output::default() }
    }

    /// A file with one companion.
    pub fn with_companion(bytes: Vec<u8>, extension: &'static str, companion: Vec<u8>) -> Self {
        let companions = vec![Companion { extension, bytes: companion }];
        Output { bytes, companions, ..Output::default() }
    }

    /// As input for [`open`].
    pub fn input(&self) -> Input<'_> {
        Input { companions: borrowed(&self.companions), ..Input::new(&self.bytes) }
    }

    /// The companion with this extension.
    pub fn companion(&self, extension: &str) -> Option<&[u8]> {
        self.companions.iter().find(|c| c.extension == extension).map(|c| c.bytes.as_slice())
    }
}

pub(crate) fn borrowed(companions: &[Companion<Vec<u8>>]) -> Vec<Companion<&[u8]>> {
    companions.iter().map(|c| Companion { extension: c.extension, bytes: c.bytes.as_slice() }).collect()
}

/// Which byte is what, for one file of the input.
#[derive(Debug)]
pub struct Inspection {
    /// The extension of the file this is about.
    pub file: &'static str,
    /// What reading claimed.
    pub coverage: Coverage,
    /// Why reading stopped early, if it did.
    pub error: Option<Error>,
}

impl Inspection {
    /// That of a format without companion.
    pub(crate) fn single(file: &'static str, (coverage, error): (Coverage, Option<Error>)) -> Vec<Self> {
        vec![Inspection { file, coverage, error }]
    }
}

/// What a format is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Models and walkmeshes.
    Model,
    /// Textures and what belongs to them.
    Texture,
}

/// A format Galatea knows: how to recognise it and what to do with it.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Usual extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Extensions of the files that may belong to it.
    pub companions: &'static [&'static str],
    /// What it is about.
    pub holds: Holds,
    /// Whether it can be told only by its whole content, having no magic. In folders such files are taken only if their
    /// extension agrees.
    pub whole: bool,
    /// Whether a document keeps the bytes of its file and writes those, so that writing it back proves nothing.
    pub stored: bool,
    /// The text form of the same model, by name; a text form names itself.
    pub text: Option<&'static str>,
    /// Whether bytes are of this format. The start of the file is enough, unless `whole`.
    pub detect: fn(&[u8]) -> bool,
    /// Reads a file.
    pub read: fn(&Input<'_>, &Limits) -> Result<Box<dyn Document>>,
    /// Tells which byte is what.
    pub inspect: fn(&Input<'_>, &Limits) -> Vec<Inspection>,
    /// What is checked.
    pub rules: &'static [Rule],
    /// Its fixed records.
    pub records: &'static [&'static Schema],
    /// Builds a document from a scene, if it can be done.
    pub from_scene: Option<FromScene>,
}

/// Builds a document from a scene; the losses say what of the scene it cannot hold.
pub type FromScene = fn(&Scene, &ConvertOptions) -> Result<(Box<dyn Document>, Vec<Loss>)>;

/// Finds a KotOR model by its name.
pub type FindModel<'a> = dyn Fn(&str) -> Option<galatea_kotor::mdl::Model> + 'a;

/// What turning a document into a scene may want to know.
#[derive(Clone, Copy)]
pub struct SceneContext<'a> {
    /// Name of the model; usually that of its file.
    pub name: &'a str,
    /// Texts of the Fox Engine's hashed names.
    pub names: &'a galatea_fox::Dictionary,
    /// Finds the KotOR model of a name, whose animations a model inherits.
    pub supermodel: Option<&'a FindModel<'a>>,
    /// Where the model's textures are looked for.
    pub textures: Option<&'a Textures<'a>>,
    /// The player whose colour Warcraft III units have.
    pub team: u32,
    /// The directory of the document, where a glTF has its images.
    pub beside: Option<&'a dyn Beside>,
}

impl<'a> SceneContext<'a> {
    /// One that knows a name, the dictionary, and nothing else.
    pub fn new(name: &'a str, names: &'a galatea_fox::Dictionary) -> Self {
        SceneContext { name, names, supermodel: None, textures: None, team: 0, beside: None }
    }
}

impl fmt::Debug for SceneContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SceneContext").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A document of any format.
pub trait Document: Any + Send {
    /// Its format.
    fn format(&self) -> &'static Format;
    /// The figures of `galatea info`.
    fn summary(&self) -> Summary;
    /// The bytes: the same as were read, if nothing was changed.
    fn write(&self) -> Result<Output>;
    /// Checks the format's rules.
    fn check(&self) -> Report;
    /// Mends what the wanted rules find and can be mended without guessing.
    fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed>;
    /// What differs from another document of the same format, in words; `None` if the formats differ.
    fn differences(&self, other: &dyn Document) -> Option<Vec<String>>;
    /// The neutral scene, for pictures and other forms; `None` if this format has none.
    fn to_scene(&self, context: &SceneContext<'_>) -> Option<Scene>;
    /// The format's own document type, for everything else.
    fn as_any(&self) -> &dyn Any;
    /// The format's own document type, to change it.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// Finds the format of a file by its content; `None` if nobody knows it.
pub fn detect(bytes: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.detect)(bytes)).copied()
}

/// Reads a file of any format.
pub fn open(input: &Input<'_>, limits: &Limits) -> Result<Box<dyn Document>> {
    match detect(input.bytes) {
        Some(format) => (format.read)(input, limits),
        None => Err(Error::at(ErrorKind::NotThisFormat, 0)),
    }
}

/// What a format of this name holds; everything unknown, glTF for one, holds models.
pub fn holds(format: &str) -> Holds {
    FORMATS.iter().find(|f| f.name == format).map_or(Holds::Model, |f| f.holds)
}

/// Finds a rule of any format by its code, letter case ignored.
pub fn rule(code: &str) -> Option<&'static Rule> {
    FORMATS.iter().flat_map(|f| f.rules).find(|rule| rule.code.eq_ignore_ascii_case(code))
}
