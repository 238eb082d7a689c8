//! Converts documents between formats and names every loss.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use galatea_scene::{MaterialId, Scene};
use galatea_wire::{Error, Limits, Loss};

use crate::bake::{Baked, bake};
use crate::format::{FromScene, WriteScene};
use crate::textures::{DocumentImages, Files};
use crate::{
    ConvertOption, ConvertOptions, Document, EmittedModels, Encoding, FormatId, Output, SceneContext,
};

/// What a conversion gives.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Converted {
    /// The new file, and what belongs to it.
    pub output: Output,
    /// What the new form has no place for.
    pub losses: Vec<Loss>,
}

impl Converted {
    /// Returns a conversion without losses.
    pub fn lossless(output: Output) -> Self {
        Converted { output, losses: Vec::new() }
    }

    /// Returns a conversion with its losses.
    pub fn new(output: Output, losses: Vec<Loss>) -> Self {
        Converted { output, losses }
    }
}

/// Why a conversion failed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ConvertError {
    /// Nothing leads from one of these formats to the other.
    UnsupportedConversion {
        /// The format there is.
        from: FormatId,
        /// The format that was asked for.
        to: FormatId,
    },
    /// An option that means nothing for the format that was asked for.
    UnsupportedOption {
        /// The option.
        option: ConvertOption,
        /// The format that was asked for.
        to: FormatId,
    },
    /// An encoding that the format that was asked for does not have.
    UnsupportedEncoding {
        /// The encoding.
        encoding: Encoding,
        /// The format that was asked for.
        to: FormatId,
    },
    /// A text with all walkmeshes of a door, which only KotOR's own formats hold.
    SeveralWalkmeshes,
    /// A glTF that Galatea made has lost its extras, and with them all that glTF cannot say.
    LostExtras,
    /// The model could not be written.
    Format(Error),
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::UnsupportedConversion { from, to } => write!(f, "{from} cannot become {to}"),
            ConvertError::UnsupportedOption { option, to } => {
                let users = FormatId::ALL.iter().filter(|id| id.format().options.contains(option));
                let users: Vec<&str> = users.map(|id| id.name()).collect();
                write!(f, "{option} does not apply to {to}, only to {}", users.join(", "))
            }
            ConvertError::UnsupportedEncoding { encoding, to } => {
                let known: Vec<&str> = to.format().encodings.iter().map(|e| e.name()).collect();
                match known.is_empty() {
                    true => write!(f, "{to} has only one encoding, and it is not {}", encoding.name()),
                    false => write!(f, "{to} can be {}, not {}", known.join(", "), encoding.name()),
                }
            }
            ConvertError::SeveralWalkmeshes => f.write_str(
                "a text with all walkmeshes of a door becomes kotor-bwm; convert those, each on its own",
            ),
            ConvertError::LostExtras => f.write_str(
                "this glTF was made from a game model and has lost its custom properties: a model made from it would lack \
                 everything that glTF cannot say",
            ),
            ConvertError::Format(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ConvertError {}

impl From<Error> for ConvertError {
    fn from(error: Error) -> Self {
        ConvertError::Format(error)
    }
}

/// Writes a document in another format.
///
/// ```
/// use galatea::{ConvertOptions, FormatId, SceneContext, convert, fox::Dictionary, kotor::mdl::Model};
/// let names = Dictionary::new();
/// let context = SceneContext::new("box").with_names(&names);
/// let text = convert(&Model::new("box"), FormatId::KotorMdlAscii, &ConvertOptions::default(), &context)?;
/// assert!(text.output.bytes.windows(8).any(|w| w == b"newmodel"));
/// # Ok::<(), galatea::ConvertError>(())
/// ```
pub fn convert(
    document: &dyn Document,
    to: FormatId,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Converted, ConvertError> {
    options.check(to)?;
    context.check(to)?;
    if let Some(converted) = document.convert_to(to, options, context)? {
        return Ok(converted);
    }
    let from = document.format().id;
    let images = DocumentImages::of(document, context);
    if from == to {
        let Files { files, losses, .. } = images.map(|images| images.files()).unwrap_or_default();
        return Ok(Converted { output: document.write()?.with_siblings(files), losses });
    }
    let unsupported = || ConvertError::UnsupportedConversion { from, to };
    let scene = document.scene(context).ok_or_else(unsupported)?;
    if let Some(write_scene) = to.format().write_scene {
        // Who opens a page has no game to see the effects in.
        let bakes = options.bake_effects || to == FormatId::Html;
        let scene = at_level(scene, options.level);
        return if bakes {
            write_baked(write_scene, document, scene, options, context)
        } else {
            write_scene(&scene, document, options, context)
        };
    }
    let from_scene = to.format().from_scene.ok_or_else(unsupported)?;
    if document.has_lost_extras() && !options.as_new {
        return Err(ConvertError::LostExtras);
    }
    if scene.axes().is_none() {
        check_positions(&scene)?;
    }
    let source = Source { scene: &scene, images: images.as_ref(), to, options, context, from_scene };
    let author = to.format().author.unwrap_or(|source| Ok(source.build(source.scene)?));
    let Built { document: built, siblings, completed, losses: lost } = author(&source)?;
    let images = images.filter(|images| !images.is_empty());
    let files = images.map(|images| images.textures(&scene, &completed, built.as_ref(), options, context));
    let Files { files, losses: images, kept } = files.unwrap_or_default();
    let lost = lost.into_iter().filter(|loss| !kept.contains(loss));
    let losses = document.losses().iter().cloned().chain(lost).chain(images).collect();
    Ok(Converted { output: built.write()?.with_siblings(siblings).with_siblings(files), losses })
}

/// Writes the scene of a document with its effects as meshes, also the models that its emitters throw as far as they are found where its
/// textures are.
fn write_baked(
    write_scene: WriteScene,
    document: &dyn Document,
    scene: Cow<'_, Scene>,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Converted, ConvertError> {
    let emitted =
        context.textures.map(|textures| EmittedModels::find(document, textures, &Limits::default()));
    let performance = document.performance(&scene, emitted.as_ref());
    let Some(mut performance) = performance.filter(|performance| performance.has_effects()) else {
        return write_scene(&scene, document, options, context);
    };
    let Baked { scene, losses } = bake(&scene, performance.as_mut());
    let mut converted = write_scene(&scene, document, options, context)?;
    converted.losses.extend(losses);
    let unreadable = emitted.iter().flat_map(EmittedModels::unreadable);
    converted.losses.extend(unreadable.map(|(name, why)| Loss::new(name, format!("a thrown model: {why}"))));
    Ok(converted)
}

/// Fails if a vertex of a scene from another program has no valid position. Game files that have such vertices keep them.
fn check_positions(scene: &Scene) -> Result<(), ConvertError> {
    for (_, node, mesh) in scene.drawn() {
        for vertices in mesh.primitives.iter().filter_map(|primitive| scene.vertices_of(primitive)) {
            let bad = vertices.positions.iter().position(|p| !p.iter().all(|v| v.is_finite()));
            if let Some(bad) = bad {
                let name = if node.name.is_empty() { &mesh.name } else { &node.name };
                let what = format!("mesh {name:?}: the position of vertex {bad} is not a number");
                return Err(ConvertError::Format(Error::unrepresentable(what)));
            }
        }
    }
    Ok(())
}

/// A scene to build a document from, and everything that the builder may look at.
#[cfg_attr(
    not(all(feature = "kotor", feature = "fox")),
    allow(dead_code, reason = "builders of different formats look at different things")
)]
pub(crate) struct Source<'a> {
    pub(crate) scene: &'a Scene,
    /// The images of the document that the scene came from.
    pub(crate) images: Option<&'a DocumentImages<'a>>,
    /// The format to build.
    pub(crate) to: FormatId,
    pub(crate) options: &'a ConvertOptions,
    pub(crate) context: &'a SceneContext<'a>,
    /// The plain builder of that format.
    pub(crate) from_scene: FromScene,
}

impl Source<'_> {
    /// Builds the document from a scene alone.
    pub(crate) fn build(&self, scene: &Scene) -> Result<Built, Error> {
        let (document, losses) = (self.from_scene)(scene, self.options)?;
        Ok(Built { document, siblings: Vec::new(), completed: HashSet::new(), losses })
    }
}

/// Builds a document for which a scene alone does not suffice. One hook per format: [`Format::author`](crate::Format).
pub(crate) type Author = fn(&Source<'_>) -> Result<Built, ConvertError>;

/// A document built from a scene.
pub(crate) struct Built {
    pub(crate) document: Box<dyn Document>,
    /// Files for its directory, by name.
    pub(crate) siblings: Vec<(String, Vec<u8>)>,
    /// The materials whose textures are among these files.
    pub(crate) completed: HashSet<MaterialId>,
    pub(crate) losses: Vec<Loss>,
}

impl SceneContext<'_> {
    /// Checks that what was decided means something for the format to write.
    fn check(&self, to: FormatId) -> Result<(), ConvertError> {
        #[cfg(feature = "kotor")]
        let authoring = self.authoring.map(|_| ConvertOption::KotorAuthoring);
        #[cfg(not(feature = "kotor"))]
        let authoring = None;
        let beside = self.with_walkmesh || self.new_textures.is_some();
        let beside = beside.then_some(ConvertOption::KotorWalkmesh);
        let mut given = [authoring, beside].into_iter().flatten();
        match given.find(|option| !to.format().options.contains(option)) {
            Some(option) => Err(ConvertError::UnsupportedOption { option, to }),
            None => Ok(()),
        }
    }
}

/// Returns a scene with one level of detail, if only that is wanted.
fn at_level(mut scene: Cow<'_, Scene>, level: Option<u32>) -> Cow<'_, Scene> {
    if let Some(level) = level.filter(|_| scene.meshes.iter().any(|m| m.lod.is_some())) {
        scene.to_mut().keep_level(level);
    }
    scene
}
