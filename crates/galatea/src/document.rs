//! What every format can do, and how to find the right one.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::io;

use galatea_scene::{Performance, Scene};
use galatea_wire::{
    Coverage, Differences, Error, ErrorKind, Fixed, Limits, Loss, Report, Result, Rule, Summary, WriteError,
};

#[cfg(feature = "walk")]
use crate::Ground;
use crate::textures::{TextureName, Textures};
use crate::{
    ConvertError, ConvertOptions, Converted, EmbeddedImages, EmittedModels, FORMATS, Format, FormatId,
};

/// The files in the directory of a document, for formats that are spread over several: a .gltf with its .bin and images.
pub trait SiblingFiles: fmt::Debug {
    /// Returns the bytes of a file, by its path relative to that directory, separated by `/`. A path that leads
    /// out of the directory finds nothing.
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
#[non_exhaustive]
pub struct Input<'a> {
    /// The file itself.
    pub bytes: &'a [u8],
    /// Those of its companions that are there.
    pub companions: Vec<Companion<&'a [u8]>>,
    /// Its name without folders; empty if it has none.
    pub name: &'a str,
    /// The other files of its directory, if it has one.
    pub siblings: Option<&'a dyn SiblingFiles>,
}

impl<'a> Input<'a> {
    /// Returns a file on its own.
    pub fn new(bytes: &'a [u8]) -> Self {
        Input { bytes, companions: Vec::new(), name: "", siblings: None }
    }

    /// Returns the same input with these companions.
    #[must_use]
    pub fn with_companions(self, companions: Vec<Companion<&'a [u8]>>) -> Self {
        Input { companions, ..self }
    }

    /// Returns the same input with this name, without directories.
    #[must_use]
    pub fn with_name(self, name: &'a str) -> Self {
        Input { name, ..self }
    }

    /// Returns the same input with the other files of its directory.
    #[must_use]
    pub fn with_siblings(self, siblings: &'a dyn SiblingFiles) -> Self {
        Input { siblings: Some(siblings), ..self }
    }

    /// Returns its name without the extension.
    pub fn stem(&self) -> &'a str {
        self.name.rsplit_once('.').map_or(self.name, |(stem, _)| stem)
    }

    /// Returns the companion with this extension.
    pub fn companion(&self, extension: &str) -> Option<&'a [u8]> {
        self.companions.iter().find(|c| c.extension == extension).map(|c| c.bytes)
    }
}

/// What writing gives: the file, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Output {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// Its companions.
    pub companions: Vec<Companion<Vec<u8>>>,
    /// More files of the same directory, by name.
    pub siblings: Vec<(String, Vec<u8>)>,
}

impl Output {
    /// Returns the output of a file without companion.
    pub fn single(bytes: Vec<u8>) -> Self {
        Output { bytes, ..Output::default() }
    }

    /// Returns the output of a file with one companion.
    pub fn with_companion(bytes: Vec<u8>, extension: &'static str, companion: Vec<u8>) -> Self {
        let companions = vec![Companion { extension, bytes: companion }];
        Output { bytes, companions, ..Output::default() }
    }

    /// Returns the same output with more files of its directory, by name.
    #[must_use]
    pub fn with_siblings(self, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        Output { siblings: self.siblings.into_iter().chain(files).collect(), ..self }
    }

    /// Writes the file to a stream. Fails if more files belong to it, which one stream cannot take; nothing is written then.
    ///
    /// ```
    /// use galatea::Output;
    /// let mut out = Vec::new();
    /// Output::single(b"file".to_vec()).write_to(&mut out)?;
    /// assert_eq!(out, b"file");
    /// assert!(Output::with_companion(vec![1], "mdx", vec![2]).write_to(&mut out).is_err());
    /// assert_eq!(out, b"file");
    /// # Ok::<(), galatea::WriteError>(())
    /// ```
    pub fn write_to(&self, mut out: impl io::Write) -> Result<(), WriteError> {
        let more = self.companions.len() + self.siblings.len();
        if more > 0 {
            let what = format!("{} files as a single one; `Document::write` returns them all", more + 1);
            return Err(Error::unrepresentable(what).into());
        }
        Ok(out.write_all(&self.bytes)?)
    }

    /// Returns the output as input for [`open`].
    pub fn input(&self) -> Input<'_> {
        Input { companions: borrowed(&self.companions), ..Input::new(&self.bytes) }
    }

    /// Returns the companion with this extension.
    pub fn companion(&self, extension: &str) -> Option<&[u8]> {
        self.companions.iter().find(|c| c.extension == extension).map(|c| c.bytes.as_slice())
    }
}

pub(crate) fn borrowed(companions: &[Companion<Vec<u8>>]) -> Vec<Companion<&[u8]>> {
    companions.iter().map(|c| Companion { extension: c.extension, bytes: c.bytes.as_slice() }).collect()
}

/// Which byte is what, for one file of the input.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// The extension of the file this is about.
    pub file: &'static str,
    /// What reading claimed.
    pub coverage: Coverage,
    /// Why reading stopped early, if it did.
    pub error: Option<Error>,
}

impl Inspection {
    /// Returns the inspection of a format without companion.
    pub(crate) fn single(file: &'static str, (coverage, error): (Coverage, Option<Error>)) -> Vec<Self> {
        vec![Inspection { file, coverage, error }]
    }
}

/// Finds a KotOR model by its name.
#[cfg(feature = "kotor")]
pub type FindModel<'a> = dyn Fn(&str) -> Option<galatea_kotor::mdl::Model> + 'a;

/// What turning a document into a scene may want to know.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct SceneContext<'a> {
    /// Name of the model; usually that of its file.
    pub name: &'a str,
    /// Texts of the Fox Engine's hashed names; `None` for the built-in ones.
    #[cfg(feature = "fox")]
    pub names: Option<&'a galatea_fox::Dictionary>,
    /// Finds the KotOR model of a name, whose animations a model inherits.
    #[cfg(feature = "kotor")]
    pub supermodel: Option<&'a FindModel<'a>>,
    /// Where the model's textures are looked for.
    pub textures: Option<&'a Textures<'a>>,
    /// The player whose colour Warcraft III units have.
    pub team: u32,
    /// The other files of the document's directory, where a glTF has its images.
    pub siblings: Option<&'a dyn SiblingFiles>,
    /// The folder of new textures in the paths of a Warcraft III or Fox Engine model, such as `war3mapImported`.
    pub texture_folder: Option<&'a str>,
    /// The presets of new Fox Engine materials; `None` for the built-in ones.
    #[cfg(feature = "fox")]
    pub presets: Option<&'a galatea_fox::Presets>,
    /// The preset of Fox Engine materials that name none.
    #[cfg(feature = "fox")]
    pub preset: Option<&'a str>,
    /// What the author of a new KotOR model or walkmesh decides.
    #[cfg(feature = "kotor")]
    pub authoring: Option<&'a galatea_kotor::authoring::Authoring>,
    /// Whether the walkmesh of a new KotOR model is written beside it.
    pub with_walkmesh: bool,
    /// The format of the textures of a new KotOR model: TGA, or TPC.
    pub new_textures: Option<FormatId>,
}

impl<'a> SceneContext<'a> {
    /// Returns a context that knows a name and nothing else.
    pub fn new(name: &'a str) -> Self {
        SceneContext {
            name,
            #[cfg(feature = "fox")]
            names: None,
            #[cfg(feature = "kotor")]
            supermodel: None,
            textures: None,
            team: 0,
            siblings: None,
            texture_folder: None,
            #[cfg(feature = "fox")]
            presets: None,
            #[cfg(feature = "fox")]
            preset: None,
            #[cfg(feature = "kotor")]
            authoring: None,
            with_walkmesh: false,
            new_textures: None,
        }
    }

    /// Returns the same context with these texts for the Fox Engine's hashed names.
    #[cfg(feature = "fox")]
    #[must_use]
    pub fn with_names(self, names: &'a galatea_fox::Dictionary) -> Self {
        SceneContext { names: Some(names), ..self }
    }

    /// Returns the texts for the Fox Engine's hashed names.
    #[cfg(feature = "fox")]
    pub(crate) fn names(&self) -> &'a galatea_fox::Dictionary {
        static BUILT_IN: std::sync::LazyLock<galatea_fox::Dictionary> =
            std::sync::LazyLock::new(galatea_fox::Dictionary::built_in);
        self.names.unwrap_or(&BUILT_IN)
    }

    /// Returns the same context with these presets of Fox Engine materials.
    #[cfg(feature = "fox")]
    #[must_use]
    pub fn with_presets(self, presets: &'a galatea_fox::Presets) -> Self {
        SceneContext { presets: Some(presets), ..self }
    }

    /// Returns the same context with this preset for Fox Engine materials that name none.
    #[cfg(feature = "fox")]
    #[must_use]
    pub fn with_preset(self, preset: impl Into<Option<&'a str>>) -> Self {
        SceneContext { preset: preset.into(), ..self }
    }

    /// Returns the presets of Fox Engine materials.
    #[cfg(feature = "fox")]
    pub(crate) fn presets(&self) -> &'a galatea_fox::Presets {
        self.presets.unwrap_or(galatea_fox::Presets::built_in())
    }

    /// Returns the same context with this way to find supermodels.
    #[cfg(feature = "kotor")]
    #[must_use]
    pub fn with_supermodel(self, find: impl Into<Option<&'a FindModel<'a>>>) -> Self {
        SceneContext { supermodel: find.into(), ..self }
    }

    /// Returns the same context with these textures.
    #[must_use]
    pub fn with_textures(self, textures: impl Into<Option<&'a Textures<'a>>>) -> Self {
        SceneContext { textures: textures.into(), ..self }
    }

    /// Returns the same context with the colour of this player.
    #[must_use]
    pub fn with_team(self, team: u32) -> Self {
        SceneContext { team, ..self }
    }

    /// Returns the same context with the other files of the document's directory.
    #[must_use]
    pub fn with_siblings(self, siblings: impl Into<Option<&'a dyn SiblingFiles>>) -> Self {
        SceneContext { siblings: siblings.into(), ..self }
    }
}

impl<'a> SceneContext<'a> {
    /// Returns the same context with this folder for new textures of a Warcraft III or Fox Engine model.
    #[must_use]
    pub fn with_texture_folder(self, folder: impl Into<Option<&'a str>>) -> Self {
        SceneContext { texture_folder: folder.into(), ..self }
    }

    /// Returns the same context with what the author of a new KotOR model decides.
    #[cfg(feature = "kotor")]
    #[must_use]
    pub fn with_authoring(
        self,
        authoring: impl Into<Option<&'a galatea_kotor::authoring::Authoring>>,
    ) -> Self {
        SceneContext { authoring: authoring.into(), ..self }
    }

    /// Returns the same context, with or without the walkmesh of a new KotOR model beside it.
    #[must_use]
    pub fn with_walkmesh(self, with_walkmesh: bool) -> Self {
        SceneContext { with_walkmesh, ..self }
    }

    /// Returns the same context with this format for the textures of a new KotOR model.
    #[must_use]
    pub fn with_new_textures(self, format: impl Into<Option<FormatId>>) -> Self {
        SceneContext { new_textures: format.into(), ..self }
    }
}

impl fmt::Debug for SceneContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SceneContext").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A document of any format.
pub trait Document: Any + Send + Sync {
    /// Returns its format.
    fn format(&self) -> &'static Format;
    /// Returns the figures of `galatea info`.
    fn summary(&self) -> Summary;
    /// Returns the bytes: the same as were read, if nothing was changed.
    fn write(&self) -> Result<Output>;
    /// Writes the file to a stream. Fails without writing anything if the document is more than one file, as a KotOR model
    /// with its MDX is: [`Document::write`] returns all of them.
    fn write_to(&self, out: &mut dyn io::Write) -> Result<(), WriteError> {
        self.write()?.write_to(out)
    }
    /// Checks the format's rules.
    fn check(&self) -> Report;
    /// Checks that the files beside the input that the document was read from belong to it.
    fn check_beside(&self, _input: &Input<'_>) -> Report {
        Report::new()
    }
    /// Fixes what the wanted rules find, where the rest of the file determines the right value.
    fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed>;
    /// Returns what differs from another document of the same format, in words; `None` if the formats differ.
    fn differences(&self, other: &dyn Document) -> Option<Vec<String>>;
    /// Adds the differences from another document of the same format to a list, within its tolerance; `false` if the formats
    /// differ. See [`compare`](crate::compare()) for comparisons in which the order of vertices does not count.
    fn compare(&self, other: &dyn Document, out: &mut Differences) -> bool {
        let Some(lines) = self.differences(other) else { return false };
        lines.into_iter().for_each(|line| out.line(line));
        true
    }
    /// Returns the neutral scene, for images and other formats; `None` if this format has none.
    fn to_scene(&self, context: &SceneContext<'_>) -> Option<Scene>;
    /// Returns [`Document::to_scene`], without a copy if the document itself holds that scene.
    fn scene(&self, context: &SceneContext<'_>) -> Option<Cow<'_, Scene>> {
        self.to_scene(context).map(Cow::Owned)
    }
    /// Returns what the document plays as the scene that was made from it: animated materials, particles and ribbons; `None` if
    /// the scene holds everything that moves. `emitted` are the models that its emitters throw, as far as they were found.
    fn performance<'a>(
        &'a self,
        _scene: &Scene,
        _emitted: Option<&'a EmittedModels>,
    ) -> Option<Box<dyn Performance + 'a>> {
        None
    }
    /// Returns the names of the models that its emitters throw, each once.
    fn emitted_models(&self) -> Vec<String> {
        Vec::new()
    }
    /// Writes the document in another format without a scene in between; `None` if the conversion needs a scene.
    /// [`convert`](crate::convert()) is for callers: it converts through a scene, too.
    fn convert_to(
        &self,
        _to: FormatId,
        _options: &ConvertOptions,
        _context: &SceneContext<'_>,
    ) -> Result<Option<Converted>, ConvertError> {
        Ok(None)
    }
    /// Returns what the file has and the document does not, for formats that are not read completely.
    fn losses(&self) -> &[Loss] {
        &[]
    }
    /// Returns the images that come with the document.
    fn embedded_images(&self) -> Option<&EmbeddedImages> {
        None
    }
    /// Returns `true` if the document was made by Galatea and a program has dropped what it noted in extras.
    fn has_lost_extras(&self) -> bool {
        false
    }
    /// Returns the texture format that the document's game reads; `None` for what has no textures.
    fn texture_format(&self) -> Option<FormatId> {
        None
    }
    /// Returns the textures that the document uses, where its scene does not have them.
    fn texture_names(&self) -> Option<Vec<TextureName>> {
        None
    }
    /// Returns the document's own tables for walking, if it has any besides its scene.
    #[cfg(feature = "walk")]
    fn ground(&self) -> Option<Ground> {
        None
    }
    /// Returns the format's own document type, for everything else.
    fn as_any(&self) -> &dyn Any;
    /// Returns the format's own document type, to change it.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// Finds the format of a file by its content; `None` if it is unknown.
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

/// Checks a document, and that the files beside the input that it was read from belong to it: of a KotOR room, its walkmesh.
///
/// ```
/// use galatea::{Input, check, open};
/// let glb = galatea::gltf::write_glb(&galatea::scene::example(), &Default::default())?;
/// let input = Input::new(&glb);
/// assert!(check(open(&input, &Default::default())?.as_ref(), &input).is_empty());
/// # Ok::<(), galatea::Error>(())
/// ```
pub fn check(document: &dyn Document, input: &Input<'_>) -> Report {
    let mut report = document.check();
    report.append(document.check_beside(input));
    report
}

/// Tells which byte is what in a file of any format, or in an archive; `None` if it is unknown.
pub fn inspect(input: &Input<'_>, limits: &Limits) -> Option<Vec<Inspection>> {
    if let Some(format) = detect(input.bytes).filter(|format| !format.needs_full_scan) {
        return Some((format.inspect)(input, limits));
    }
    if let Some(archive) = galatea_archive::detect(input.bytes) {
        return Some(Inspection::single(archive.name, (archive.inspect)(input.bytes, limits)));
    }
    Some((detect(input.bytes)?.inspect)(input, limits))
}

/// Returns the rules of all formats and containers. Those of one family share their rules, which then come more than once.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let containers = galatea_archive::FORMATS.iter().flat_map(|f| f.rules);
    let of_formats = FORMATS.iter().flat_map(|f| f.rules.iter().chain(f.rules_beside));
    of_formats.chain(galatea_archive::RULES).chain(containers)
}

/// Finds a rule of any format or container by its code, ignoring case.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.code.eq_ignore_ascii_case(code))
}
