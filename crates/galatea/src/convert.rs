//! From one form to another, with every loss by name.

use std::fmt;

use galatea_wire::Error;

use crate::convert_texture::{Encoding, convert_texture};
use crate::{Document, Output, SceneContext, TextureFile, kotor, mdlx};

/// What a conversion may be told.
#[derive(Debug, Clone, Default)]
pub struct ConvertOptions {
    /// Version of a Warcraft III or WoW alpha model.
    pub version: Option<u32>,
    /// How a texture stores its pixels; the format's own choice without.
    pub encoding: Option<Encoding>,
    /// FTEXS files that an FTEX is spread over; 0 for all in one file.
    pub ftexs: u8,
}

/// What a conversion gives.
#[derive(Debug, Clone, Default)]
pub struct Converted {
    /// The new file, and its companion.
    pub output: Output,
    /// What the new form has no place for, in words.
    pub losses: Vec<String>,
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
/// let context = SceneContext { name: "box", names: &Dictionary::built_in() };
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
    let plain = |output: Output| Converted { output, losses: Vec::new() };
    if options.version.is_some() && !document.as_any().is::<mdlx::Model>() {
        return Err(ConvertError::Option("--version is for Warcraft III and WoW alpha models".into()));
    }
    if let Some(file) = document.as_any().downcast_ref::<TextureFile>() {
        return convert_texture(file, to, options, context.name);
    }
    if let Some(model) = document.as_any().downcast_ref::<mdlx::Model>()
        && matches!(to, "mdx" | "mdl")
    {
        let version = options.version.map_or(model.version, mdlx::Version);
        let (model, losses) = model.convert(version, &mdlx::ConvertOptions::default())?;
        let bytes = if to == "mdx" { model.write()? } else { mdlx::text::print(&model)? };
        let losses = losses.iter().map(ToString::to_string).collect();
        return Ok(Converted { output: Output::single(bytes), losses });
    }
    if let Some(model) = document.as_any().downcast_ref::<kotor::mdl::Model>() {
        match to {
            "kotor-mdl" => {
                let pair = model.write()?;
                return Ok(plain(Output::with_companion(pair.mdl, "mdx", pair.mdx)));
            }
            "kotor-mdl-ascii" => return Ok(plain(Output::single(kotor::mdl::text::print(model)?))),
            _ => {}
        }
    }
    if document.format().name == to {
        return Ok(plain(document.write()?));
    }
    let no_way = || ConvertError::NoWay { from: document.format().name, to: to.to_owned() };
    match to {
        "glb" => {
            let scene = document.to_scene(context).ok_or_else(no_way)?;
            Ok(plain(Output::single(galatea_gltf::write_glb(&scene, &galatea_gltf::Options::default())?)))
        }
        _ => Err(no_way()),
    }
}
