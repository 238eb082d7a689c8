//! From one form to another, with every loss by name.

use std::collections::BTreeMap;
use std::fmt;

use galatea_scene::Scene;
use galatea_wire::{Error, Loss};

use crate::convert_texture::{Encoding, convert_texture};
use crate::textures::{Carried, Files, Images, dress};
use crate::{AsciiWalkmesh, Document, FORMATS, Output, SceneContext, TextureFile, disk, fox, kotor, mdlx};

/// The game a model is made for, where a format serves several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetGame {
    /// Knights of the Old Republic, or its successor.
    Kotor(kotor::mdl::Game),
    /// A game of the Fox Engine.
    Fox(fox::Game),
}

/// What a conversion may be told.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConvertOptions {
    /// Version of a Warcraft III or WoW alpha model.
    pub version: Option<u32>,
    /// How a texture stores its pixels; the format's own choice without.
    pub encoding: Option<Encoding>,
    /// FTEXS files that an FTEX is spread over; 0 for all in one file.
    pub ftexs: u8,
    /// Where the pictures of a glTF go; without, into a GLB, and beside a .gltf.
    pub images: Option<Images>,
    /// The game a KotOR or Fox Engine model is for.
    pub game: Option<TargetGame>,
    /// The machine a KotOR model is for.
    pub platform: Option<kotor::mdl::Platform>,
}

impl ConvertOptions {
    /// The KotOR game, if it is one.
    pub(crate) fn kotor(&self) -> Option<kotor::mdl::Game> {
        match self.game? {
            TargetGame::Kotor(game) => Some(game),
            TargetGame::Fox(_) => None,
        }
    }

    /// The Fox Engine game, if it is one.
    pub(crate) fn fox(&self) -> Option<fox::Game> {
        match self.game? {
            TargetGame::Fox(game) => Some(game),
            TargetGame::Kotor(_) => None,
        }
    }

    /// Whether every option means something for the format to write.
    fn suits(&self, to: &str) -> Result<(), ConvertError> {
        let kotor = matches!(to, "kotor-mdl" | "kotor-mdl-ascii");
        let game = match self.game {
            None => true,
            Some(TargetGame::Kotor(_)) => kotor,
            Some(TargetGame::Fox(_)) => to == "fmdl",
        };
        let what = if self.version.is_some() && !matches!(to, "mdx" | "mdl") {
            "--version is for Warcraft III and WoW alpha models (mdx, mdl)"
        } else if !game {
            "--game is k1 or k2 for KotOR models, gz, tpp or pes for fmdl, and means nothing for other formats"
        } else if self.platform.is_some() && !kotor {
            "--platform is for KotOR models"
        } else {
            return Ok(());
        };
        Err(ConvertError::Option(what.into()))
    }
}

/// What a conversion gives.
#[derive(Debug, Clone, Default)]
pub struct Converted {
    /// The new file, and its companion.
    pub output: Output,
    /// What the new form has no place for.
    pub losses: Vec<Loss>,
}

/// Why a conversion failed.
#[derive(Debug, Clone)]
pub enum ConvertError {
    /// There is no way between these formats.
    NoWay {
        /// The format there is.
        from: &'static str,
        /// The format that was asked for.
        to: String,
    },
    /// An option that makes no sense here.
    Option(String),
    /// The model could not be written.
    Format(Error),
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::NoWay { from, to } => write!(f, "{from} cannot become {to}"),
            ConvertError::Option(what) => f.write_str(what),
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

/// Writes a document in another format, by the format's name.
///
/// ```
/// use galatea::{ConvertOptions, SceneContext, convert, fox::Dictionary, kotor::mdl::Model};
/// let names = Dictionary::new();
/// let context = SceneContext::new("box", &names);
/// let text = convert(&Model::new("box"), "kotor-mdl-ascii", &ConvertOptions::default(), &context)?;
/// assert!(text.output.bytes.windows(8).any(|w| w == b"newmodel"));
/// # Ok::<(), galatea::ConvertError>(())
/// ```
pub fn convert(
    document: &dyn Document,
    to: &str,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Converted, ConvertError> {
    options.suits(to)?;
    if let Some(file) = document.as_any().downcast_ref::<TextureFile>() {
        return convert_texture(file, to, options, context.name);
    }
    if let Some(converted) = within_family(document, to, options, context)? {
        return Ok(converted);
    }
    let carried = Carried::of(document, context);
    if document.format().name == to {
        let Files { files, losses } = carried.map(|images| images.files()).unwrap_or_default();
        let beside = files.into_iter().collect();
        return Ok(Converted { output: Output { beside, ..document.write()? }, losses });
    }
    let no_way = || ConvertError::NoWay { from: document.format().name, to: to.to_owned() };
    let scene = document.to_scene(context).ok_or_else(no_way)?;
    match to {
        "gltf" => {
            let bin = format!("{}.bin", disk::file_name(context.name));
            let write = |options: &galatea_gltf::Options<'_>| galatea_gltf::write_gltf(&scene, options, &bin);
            let ((json, bytes), Files { mut files, losses }) =
                dressed(&scene, document, context, options, Images::Beside, write);
            files.insert(bin.clone(), bytes);
            Ok(with_files(Output::single(json.into_bytes()), files, losses))
        }
        "glb" => {
            let write = |options: &galatea_gltf::Options<'_>| galatea_gltf::write_glb(&scene, options);
            let (bytes, Files { files, losses }) =
                dressed(&scene, document, context, options, Images::Embed, write);
            Ok(with_files(Output::single(bytes?), files, losses))
        }
        "obj" => {
            scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
            Ok(Converted { output: Output::single(crate::obj(&scene).into_bytes()), losses: Vec::new() })
        }
        _ => {
            let format = FORMATS.iter().find(|f| f.name == to);
            let from_scene = format.and_then(|f| f.from_scene).ok_or_else(no_way)?;
            let (built, lost) = from_scene(&scene, options)?;
            let images = carried.filter(|images| !images.is_empty());
            let files = images.map(|images| images.textures(&scene, built.as_ref(), options, context));
            let Files { files, losses: images } = files.unwrap_or_default();
            let losses = losses_of(document).into_iter().chain(lost).chain(images).collect();
            Ok(with_files(built.write()?, files, losses))
        }
    }
}

fn with_files(output: Output, files: BTreeMap<String, Vec<u8>>, losses: Vec<Loss>) -> Converted {
    let beside = output.beside.into_iter().chain(files).collect();
    Converted { output: Output { beside, ..output }, losses }
}

/// What was lost when the document was read.
fn losses_of(document: &dyn Document) -> Vec<Loss> {
    document.as_any().downcast_ref::<crate::Gltf>().map_or_else(Vec::new, |gltf| gltf.losses.clone())
}

/// Writes a glTF with the textures that are found, or that the document brings along; returns also the files for its
/// directory.
fn dressed<T>(
    scene: &Scene,
    document: &dyn Document,
    context: &SceneContext<'_>,
    options: &ConvertOptions,
    usual: Images,
    write: impl FnOnce(&galatea_gltf::Options<'_>) -> T,
) -> (T, Files) {
    let images = options.images.unwrap_or(usual);
    if let Some(carried) = Carried::of(document, context).filter(|carried| !carried.is_empty()) {
        let (written, mut files) = carried.with_options(images, write);
        files.losses.splice(..0, losses_of(document));
        return (written, files);
    }
    match context.textures {
        Some(textures) if images != Images::None => {
            let dressed = dress(scene, textures, context.team);
            let (written, beside) = dressed.with_options(images, write);
            (written, Files { files: beside.into_iter().collect(), losses: dressed.left_out().to_vec() })
        }
        _ => {
            let losses = losses_of(document);
            (write(&galatea_gltf::Options::default()), Files { losses, ..Files::default() })
        }
    }
}

/// Between the forms of one family, where no scene is needed in between.
fn within_family(
    document: &dyn Document,
    to: &str,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Option<Converted>, ConvertError> {
    let any = document.as_any();
    if let Some(model) = any.downcast_ref::<mdlx::Model>()
        && matches!(to, "mdx" | "mdl")
    {
        let version = options.version.map_or(model.version, mdlx::Version);
        let (model, losses) = model.convert(version, &mdlx::ConvertOptions::default())?;
        let bytes = if to == "mdx" { model.write()? } else { mdlx::text::print(&model)? };
        return Ok(Some(Converted { output: Output::single(bytes), losses }));
    }
    if let Some(model) = any.downcast_ref::<kotor::mdl::Model>()
        && matches!(to, "kotor-mdl" | "kotor-mdl-ascii")
    {
        let game = options.kotor().unwrap_or(model.game);
        let platform = options.platform.unwrap_or(model.platform);
        let mut changed = None;
        let mut losses = Vec::new();
        if (game, platform) != (model.game, model.platform) {
            losses = changed.insert(model.clone()).convert(game, platform);
        }
        let model = changed.as_ref().unwrap_or(model);
        let output = if to == "kotor-mdl" {
            let pair = model.write()?;
            Output::with_companion(pair.mdl, "mdx", pair.mdx)
        } else {
            Output::single(kotor::mdl::text::print(model)?)
        };
        return Ok(Some(Converted { output, losses }));
    }
    if let Some(mesh) = any.downcast_ref::<kotor::bwm::Walkmesh>()
        && matches!(to, "kotor-bwm" | "kotor-bwm-ascii")
    {
        let bytes =
            if to == "kotor-bwm" { mesh.write()? } else { kotor::bwm::text::print(mesh, context.name)? };
        return Ok(Some(Converted { output: Output::single(bytes), losses: Vec::new() }));
    }
    if let Some(door) = any.downcast_ref::<AsciiWalkmesh>() {
        return door_walkmeshes(door, to, context.name).map(Some);
    }
    if let Some(model) = any.downcast_ref::<fox::Fmdl>()
        && to == "fmdl"
        && let Some(game) = options.fox()
    {
        let mut model = model.clone();
        let losses = model.convert(game.version(), context.names);
        return Ok(Some(Converted { output: Output::single(model.write()?), losses }));
    }
    Ok(None)
}

/// The walkmeshes of a door, which a text holds together and the game has in files of their own.
fn door_walkmeshes(door: &AsciiWalkmesh, to: &str, name: &str) -> Result<Converted, ConvertError> {
    let mut output = match to {
        "kotor-bwm" => Output::single(door.first.walkmesh.write()?),
        "kotor-bwm-ascii" => return Ok(Converted { output: door.write()?, losses: Vec::new() }),
        _ => {
            let what =
                "a text with all walkmeshes of a door becomes kotor-bwm; convert those, each on its own";
            return Err(ConvertError::Option(what.into()));
        }
    };
    let mut free = 1;
    for part in &door.others {
        // The number of the state; where a text has one twice, one that nothing has.
        let number = part.door.map_or(0, kotor::bwm::text::Door::number).max(free);
        free = number + 1;
        let file = format!("{}{number}.dwk", disk::file_name(name));
        output.beside.push((file, part.walkmesh.write()?));
    }
    Ok(Converted { output, losses: Vec::new() })
}
