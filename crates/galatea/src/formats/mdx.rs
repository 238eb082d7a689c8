//! Warcraft III and WoW alpha models.

use galatea_mdlx::{self as mdlx, Model};
use galatea_scene::Scene;
use galatea_texture::find::Game;
use galatea_wire::{Loss, Result};

use super::document;
use crate::textures::TextureName;
use crate::{
    ConvertError, ConvertOption, ConvertOptions, Converted, Document, Format, FormatId, Inspection, Output,
};

pub(super) static FORMAT: Format = Format {
    extensions: &["mdx"],
    text: Some(FormatId::Mdl),
    write_extension: Some("mdx"),
    game: Some(Game::Warcraft),
    options: &[ConvertOption::Version],
    detect: mdlx::detect,
    read: |input, limits| Ok(Box::new(Model::read(input.bytes, limits)?)),
    inspect: |input, limits| Inspection::single("mdx", mdlx::inspect(input.bytes, limits)),
    rules: mdlx::RULES,
    records: mdlx::RECORDS,
    from_scene: Some(|scene, options| {
        let (model, losses) = from_scene(scene, options)?;
        Ok((Box::new(model), losses))
    }),
    convert: Some(|document, to, options, _| convert(document, to, options)),
    ..Format::model(FormatId::Mdx, "mdx", "Warcraft III, Reforged and WoW alpha model, versions 800 to 1500")
};

document!(
    Model,
    &FORMAT,
    write: |model| Ok(Output::single(model.write()?)),
    scene: |model, context| Some(model.to_scene(context.name)),
    also: {
        fn texture_format(&self) -> Option<FormatId> {
            Some(texture_format(self))
        }

        fn texture_names(&self) -> Option<Vec<TextureName>> {
            Some(self.textures.iter().map(TextureName::of_warcraft).collect())
        }

        #[cfg(feature = "walk")]
        fn ground(&self) -> Option<crate::Ground> {
            self.collision_mesh.as_deref().map(crate::Ground::of_collision_mesh)
        }
    },
);

/// Returns the texture format that the game of this version reads.
pub(super) fn texture_format(model: &Model) -> FormatId {
    if model.version.0 >= 1000 { FormatId::Dds } else { FormatId::Blp }
}

/// Builds a model from a scene, of the version that the options name.
pub(super) fn from_scene(scene: &Scene, options: &ConvertOptions) -> Result<(Model, Vec<Loss>)> {
    let options = mdlx::SceneOptions::default().with_version(options.version.map(mdlx::Version));
    Model::from_scene(scene, &options)
}

/// Converts between the binary and the text form, and between versions.
pub(super) fn convert(
    document: &dyn Document,
    to: FormatId,
    options: &ConvertOptions,
) -> Result<Option<Converted>, ConvertError> {
    let Some(model) = document.as_any().downcast_ref::<Model>() else { return Ok(None) };
    if !matches!(to, FormatId::Mdx | FormatId::Mdl) {
        return Ok(None);
    }
    let version = options.version.map_or(model.version, mdlx::Version);
    let (model, losses) = model.in_version(version, &mdlx::ConvertOptions::default())?;
    let bytes = if to == FormatId::Mdx { model.write()? } else { mdlx::text::print(&model)? };
    Ok(Some(Converted::new(Output::single(bytes), losses)))
}
