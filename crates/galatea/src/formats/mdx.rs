//! Warcraft III and WoW alpha models.

use std::borrow::Cow;

use galatea_mdlx::{self as mdlx, Model};
use galatea_scene::{Performance, Scene};
use galatea_texture::find::Game;
use galatea_wire::{Loss, Result};

use super::{MdlText, document};
use crate::convert::{Built, Source};
use crate::textures::{TextureName, classic_textures};
use crate::{
    ConvertError, ConvertOption, ConvertOptions, Converted, Document, EmittedModels, Format, FormatId,
    Inspection, Output, SceneContext,
};

/// What depends on the order of vertices and faces.
pub(super) static UNORDERED: &[&str] = &[
    "vertices",
    "normals",
    "uvs",
    "faces",
    "vertex_groups",
    "group_sizes",
    "matrices",
    "bone_indices",
    "bone_weights",
    "skin",
    "geosets/tangents",
];

pub(super) static FORMAT: Format = Format {
    extensions: &["mdx"],
    text: Some(FormatId::Mdl),
    write_extension: Some("mdx"),
    game: Some(Game::Warcraft),
    options: &[ConvertOption::Version, ConvertOption::Weights],
    detect: mdlx::detect,
    read: |input, limits| Ok(Box::new(Model::read(input.bytes, limits)?)),
    inspect: |input, limits| Inspection::single("mdx", mdlx::inspect(input.bytes, limits)),
    rules: mdlx::RULES,
    unordered: UNORDERED,
    records: mdlx::RECORDS,
    from_scene: Some(|scene, options| {
        let (model, losses) = from_scene(scene, options)?;
        Ok((Box::new(model), losses))
    }),
    author: Some(author),
    ..Format::model(FormatId::Mdx, "mdx", "Warcraft III, Reforged and WoW alpha model, versions 800 to 1500")
};

document!(
    Model,
    &FORMAT,
    write: |model| Ok(Output::single(model.write()?)),
    scene: |model, context| Some(model.to_scene(context.name)),
    convert: convert,
    also: {
        fn texture_format(&self) -> Option<FormatId> {
            Some(texture_format(self))
        }

        fn performance<'a>(
            &'a self,
            scene: &Scene,
            emitted: Option<&'a EmittedModels>,
        ) -> Option<Box<dyn Performance + 'a>> {
            let model = |document: &'a dyn Document| {
                let any = document.as_any();
                any.downcast_ref::<Model>().or_else(|| any.downcast_ref::<MdlText>().map(|text| &text.0))
            };
            let emitted = emitted.into_iter().flat_map(EmittedModels::iter);
            let models: Vec<(&str, &Model)> =
                emitted.filter_map(|(name, document)| Some((name, model(document)?))).collect();
            Some(Box::new(mdlx::play::ModelPerformance::with_models(self, scene, &models)))
        }

        fn emitted_models(&self) -> Vec<String> {
            let mut names: Vec<String> = Vec::new();
            for emitter in &self.particle_emitters {
                let name = galatea_scene::latin(emitter.path.bytes());
                if !name.is_empty() && !names.contains(&name) {
                    names.push(name);
                }
            }
            names
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
    let weights = options.weights.unwrap_or_default();
    let options = mdlx::SceneOptions::default().with_version(options.version.map(mdlx::Version));
    Model::from_scene(scene, &options.with_weights(weights))
}

/// Converts between the binary and the text form, and between versions.
pub(super) fn convert(
    model: &Model,
    to: FormatId,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Option<Converted>, ConvertError> {
    if !matches!(to, FormatId::Mdx | FormatId::Mdl) {
        return Ok(None);
    }
    let version = options.version.map_or(model.version, mdlx::Version);
    let way = mdlx::ConvertOptions::default().with_weights(options.weights.unwrap_or_default());
    let (mut made, mut losses) = model.in_version(version, &way)?;
    let mut files = Vec::new();
    let classic =
        model.version.has(mdlx::Feature::SkinWeights) && !made.version.has(mdlx::Feature::SkinWeights);
    if let Some(textures) = context.textures.filter(|_| classic) {
        let (images, lost) = classic_textures(model, made.to_mut(), textures);
        files = images;
        losses.extend(lost);
    }
    let bytes = if to == FormatId::Mdx { made.write()? } else { mdlx::text::print(&made)? };
    Ok(Some(Converted::new(Output::single(bytes).with_siblings(files), losses)))
}

/// Builds a model, of a scene from another program with its textures in the folder that the context names.
pub(super) fn author(source: &Source<'_>) -> Result<Built, ConvertError> {
    Ok(source.build(&in_texture_folder(source.scene, source.context))?)
}

/// Returns a scene whose new textures are in the folder that the context names.
fn in_texture_folder<'s>(scene: &'s Scene, context: &SceneContext<'_>) -> Cow<'s, Scene> {
    let mut scene = Cow::Borrowed(scene);
    let Some(folder) = context.texture_folder else { return scene };
    let folder = folder.trim_end_matches(['/', '\\']).replace('/', "\\");
    for texture in scene.to_mut().materials.iter_mut().flat_map(|m| &mut m.textures) {
        if !texture.extras.contains_key("mdx") && !texture.name.contains(['/', '\\']) {
            texture.name = format!("{folder}\\{}", texture.name);
        }
    }
    scene
}
