//! Conversions: their options as Python gives them, and what they give.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use galatea::disk::Policy;
use galatea::kotor::authoring::{Authoring, Class, Smoothing};
use galatea::kotor::surface;
use galatea::scene::{Account, Scene};
use galatea::texture::find::Game;
use galatea::textures::Images;
use galatea::{
    ConvertOptions, ConvertedOnto, Encoding, FormatId, Loss, Output, SceneContext, TargetGame, file_names,
    fox, kotor, mdlx,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::document::{self, Document};
use crate::error::{Failure, Outcome};
use crate::sources::Sources;

/// The options of a conversion, as a dictionary of Python holds them. One must be there: the derive macro wants that.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Conversion {
    /// The name of the new model; that of the document without.
    #[pyo3(default)]
    name: Option<String>,
    #[pyo3(default)]
    version: Option<u32>,
    #[pyo3(default)]
    game: Option<String>,
    #[pyo3(default)]
    platform: Option<String>,
    #[pyo3(default)]
    weights: Option<String>,
    #[pyo3(default)]
    texture_folder: Option<String>,
    #[pyo3(default)]
    preset: Option<String>,
    #[pyo3(default)]
    drop_unused_bones: bool,
    #[pyo3(default)]
    lod: Option<u32>,
    #[pyo3(default)]
    as_new: bool,
    #[pyo3(default)]
    bake_effects: bool,
    strict: bool,
    #[pyo3(default)]
    encoding: Option<String>,
    #[pyo3(default)]
    ftexs: u8,
    #[pyo3(default)]
    images: Option<String>,
    #[pyo3(default)]
    team_color: u32,
    #[pyo3(default)]
    model_class: Option<String>,
    #[pyo3(default)]
    supermodel: Option<String>,
    #[pyo3(default)]
    animation_scale: Option<f32>,
    #[pyo3(default)]
    smooth: Option<f32>,
    #[pyo3(default)]
    surfaces: BTreeMap<String, String>,
    #[pyo3(default)]
    with_walkmesh: bool,
    #[pyo3(default)]
    texture_format: Option<String>,
}

/// Returns the value of a word, or fails with all that are known.
fn choice<T: Copy>(what: &str, word: &str, known: &[(&str, T)]) -> Outcome<T> {
    let found = known.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Failure::Value(format!("{what}: {word:?} is unknown; it can be {}", names.join(", ")))
    })
}

/// Returns the format of a name that can be written.
pub(crate) fn target(name: &str) -> Outcome<FormatId> {
    let known: Vec<(&str, FormatId)> = FormatId::targets().map(|id| (id.name(), id)).collect();
    choice("to", name, &known)
}

/// Returns the format that the name of a file to write asks for.
pub(crate) fn target_of(path: &Path, from: FormatId) -> Outcome<FormatId> {
    file_names::format_to_write(path, from.format()).ok_or_else(|| {
        Failure::Value(format!("{}: cannot tell which format to write; name it with `to`", path.display()))
    })
}

impl Conversion {
    fn options(&self) -> Outcome<ConvertOptions> {
        let games = [
            ("k1", TargetGame::Kotor(kotor::mdl::Game::K1)),
            ("k2", TargetGame::Kotor(kotor::mdl::Game::K2)),
            ("gz", TargetGame::Fox(fox::Game::Gz)),
            ("tpp", TargetGame::Fox(fox::Game::Tpp)),
            ("pes", TargetGame::Fox(fox::Game::Pes)),
        ];
        let platforms = [("pc", kotor::mdl::Platform::Pc), ("xbox", kotor::mdl::Platform::Xbox)];
        let weights = [("equal", mdlx::GroupWeights::Equal), ("shares", mdlx::GroupWeights::Shares)];
        let images = [("embed", Images::Embed), ("beside", Images::Beside), ("none", Images::None)];
        let encodings = Encoding::ALL.map(|(encoding, name)| (name, encoding));
        let of = |word: &Option<String>| word.clone();
        Ok(ConvertOptions::default()
            .with_version(self.version)
            .with_game(of(&self.game).map(|word| choice("game", &word, &games)).transpose()?)
            .with_platform(of(&self.platform).map(|word| choice("platform", &word, &platforms)).transpose()?)
            .with_weights(of(&self.weights).map(|word| choice("weights", &word, &weights)).transpose()?)
            .with_images(of(&self.images).map(|word| choice("images", &word, &images)).transpose()?)
            .with_encoding(of(&self.encoding).map(|word| choice("encoding", &word, &encodings)).transpose()?)
            .with_drop_unused_bones(self.drop_unused_bones)
            .with_level(self.lod)
            .with_as_new(self.as_new)
            .with_bake_effects(self.bake_effects)
            .with_ftexs(self.ftexs))
    }

    /// Returns what the author of a new KotOR model decides; `None` if nothing was decided.
    fn authoring(&self) -> Outcome<Option<Authoring>> {
        let given = self.model_class.is_some()
            || self.supermodel.is_some()
            || self.animation_scale.is_some()
            || self.smooth.is_some()
            || !self.surfaces.is_empty();
        if !given {
            return Ok(None);
        }
        let classes = Class::ALL.map(|(class, name)| (name, class));
        let class =
            self.model_class.as_ref().map(|word| choice("model_class", word, &classes)).transpose()?;
        let mut surfaces = Vec::new();
        for (material, wanted) in &self.surfaces {
            let known = surface::by_name(wanted).filter(|id| surface::name(*id).is_some());
            let names = || surface::NAMES.iter().flatten().copied().collect::<Vec<_>>().join(", ");
            let known = known.ok_or_else(|| {
                Failure::Value(format!("surfaces: {wanted:?} is unknown; it can be {}", names()))
            })?;
            surfaces.push((material.clone(), known));
        }
        let smoothing = self.smooth.map_or(Smoothing::Keep, Smoothing::Angle);
        let authoring = Authoring::default().with_class(class).with_supermodel(self.supermodel.clone());
        let authoring = authoring.with_animation_scale(self.animation_scale).with_surfaces(surfaces);
        Ok(Some(authoring.with_smoothing(smoothing)))
    }

    fn new_textures(&self) -> Outcome<Option<FormatId>> {
        let known = [("tga", FormatId::Tga), ("tpc", FormatId::Tpc)];
        self.texture_format.as_ref().map(|word| choice("texture_format", word, &known)).transpose()
    }

    /// Calls with the context of a conversion, in which these options are.
    fn with_context<T>(
        &self,
        around: SceneContext<'_>,
        path: Option<&Path>,
        (from, to): (FormatId, FormatId),
        sources: &Sources,
        work: impl FnOnce(&SceneContext<'_>) -> Outcome<T>,
    ) -> Outcome<T> {
        let authoring = self.authoring()?;
        let at = path.unwrap_or(Path::new(""));
        let find = |name: &str| sources.models.find_beside(at, name);
        let numbered =
            self.supermodel.is_some() || (from == FormatId::KotorMdlAscii && to == FormatId::KotorMdl);
        let inherits = from.format().game == Some(Game::Kotor) && sources.models.serves(at);
        let looked = (numbered || inherits).then_some(&find as &galatea::FindModel<'_>);
        let context = around
            .with_supermodel(looked)
            .with_team(self.team_color)
            .with_texture_folder(self.texture_folder.as_deref())
            .with_preset(self.preset.as_deref())
            .with_authoring(authoring.as_ref())
            .with_walkmesh(self.with_walkmesh)
            .with_new_textures(self.new_textures()?);
        match &self.name {
            None => work(&context),
            Some(name) => {
                let mut named = context;
                named.name = name;
                work(&named)
            }
        }
    }

    /// Converts a document, or lays it onto an original.
    pub(crate) fn convert(
        &self,
        document: &Document,
        to: &str,
        onto: Option<&Document>,
        sources: &Sources,
    ) -> Outcome<Converted> {
        let to = target(to)?;
        let options = self.options()?;
        let (this, original) = document.lock_with(onto);
        let this = this.as_ref();
        let path = document.source().path.as_deref();
        document.with_context(sources, |around, _| {
            self.with_context(*around, path, (this.format().id, to), sources, |context| {
                let done = match (onto, original) {
                    (Some(before), Some(original)) => before.with_context(sources, |around, _| {
                        galatea::convert_onto(this, original.as_ref(), to, &options, context, around)
                    })?,
                    _ => {
                        let converted = galatea::convert(this, to, &options, context)?;
                        return self.done(converted.output, converted.losses, None, to, context.name);
                    }
                };
                self.laid(done, to, context.name)
            })
        })
    }

    /// Converts a scene, or lays it onto an original.
    pub(crate) fn convert_scene(
        &self,
        scene: Scene,
        to: &str,
        images: Vec<galatea::gltf::Image>,
        onto: Option<&Document>,
        sources: &Sources,
    ) -> Outcome<Converted> {
        let to = target(to)?;
        let options = self.options()?;
        let name = if scene.name.is_empty() { "scene".to_owned() } else { scene.name.clone() };
        if let Some(before) = onto {
            let original = before.lock();
            let path = before.source().path.as_deref();
            return before.with_context(sources, |around, _| {
                self.with_context(*around, path, (original.format().id, to), sources, |context| {
                    let done = galatea::from_scene_onto(original.as_ref(), &scene, to, &options, context)?;
                    self.laid(done, to, context.name)
                })
            });
        }
        let around = SceneContext::new(&name).with_names(&sources.names);
        self.with_context(around, None, (FormatId::Glb, to), sources, |context| {
            let document = galatea::Gltf::new(scene).with_images(images);
            let done = galatea::convert(&document, to, &options, context)?;
            self.done(done.output, done.losses, None, to, context.name)
        })
    }

    fn laid(&self, done: ConvertedOnto, to: FormatId, name: &str) -> Outcome<Converted> {
        self.done(done.converted.output, done.converted.losses, Some(done.account), to, name)
    }

    fn done(
        &self,
        output: Output,
        losses: Vec<Loss>,
        account: Option<Account>,
        format: FormatId,
        name: &str,
    ) -> Outcome<Converted> {
        let visible: Vec<Loss> = losses.iter().filter(|loss| loss.visible && self.strict).cloned().collect();
        if !visible.is_empty() {
            let groups: Vec<String> = Loss::grouped(&visible).iter().map(ToString::to_string).collect();
            return Err(Failure::Other("losses", format!("visible losses: {}", groups.join("; "))));
        }
        Ok(Converted { output, losses, account, format, name: name.to_owned() })
    }

    /// Writes an image as a texture.
    pub(crate) fn encode(&self, image: &galatea::texture::Image, to: &str) -> Outcome<Converted> {
        let to = target(to)?;
        let name = self.name.as_deref().unwrap_or("texture");
        let output = galatea::encode_image(image, to, &self.options()?, name)?;
        self.done(output, Vec::new(), None, to, name)
    }
}

/// What a conversion gave.
#[pyclass(frozen, module = "galatea._galatea")]
pub(crate) struct Converted {
    output: Output,
    losses: Vec<Loss>,
    account: Option<Account>,
    format: FormatId,
    name: String,
}

/// An account: its text, whether nothing was changed, and the changes as part, name, fate, what.
type AccountRow = (String, bool, Vec<(&'static str, String, &'static str, String)>);

#[pymethods]
impl Converted {
    #[getter]
    fn format(&self) -> &'static str {
        self.format.name()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn extension(&self) -> &'static str {
        self.format.format().write_extension.unwrap_or(self.format.name())
    }

    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.output.bytes)
    }

    #[getter]
    fn companions<'py>(&self, py: Python<'py>) -> Vec<(&'static str, Bound<'py, PyBytes>)> {
        document::files(py, &self.output).1
    }

    #[getter]
    fn siblings<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        document::files(py, &self.output).2
    }

    #[getter]
    fn losses(&self) -> Vec<(String, String, String, bool)> {
        let row = |loss: &Loss| (loss.path.clone(), loss.what.clone(), loss.why.clone(), loss.visible);
        self.losses.iter().map(row).collect()
    }

    #[getter]
    fn account(&self) -> Option<AccountRow> {
        let account = self.account.as_ref()?;
        let changes = account.changes.iter().map(|change| {
            (change.part.name(1), change.name.clone(), change.fate.name(), change.what.clone())
        });
        Some((account.to_string(), account.is_unchanged(), changes.collect()))
    }

    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<Vec<PathBuf>> {
        Ok(py.detach(|| document::save(&path, &self.output, &Policy::force(force)))?)
    }
}
