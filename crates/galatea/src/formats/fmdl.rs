//! Fox Engine models.

use galatea_fox::{self as fox, Fmdl};
use galatea_texture::find::Game;

use super::document;
use crate::convert::{Built, Source};
use crate::textures::{Completed, complete};
use crate::{
    ConvertError, ConvertOption, ConvertOptions, Converted, Format, FormatId, Inspection, Output,
    SceneContext,
};

/// What depends on the order of vertices and faces, and on which bones are in a bone group.
static UNORDERED: &[&str] = &[
    "vertices",
    "indices",
    "windows",
    "bone_group",
    "bone_groups",
    "statistics",
    "position",
    "weights",
    "normal",
    "bone",
    "uv0",
    "uv1",
    "uv2",
    "uv3",
    "second",
    "tangent",
    "colour",
];

pub(super) static FORMAT: Format = Format {
    extensions: &["fmdl"],
    write_extension: Some("fmdl"),
    game: Some(Game::Fox),
    options: &[ConvertOption::FoxGame, ConvertOption::DropUnusedBones],
    detect: fox::detect,
    read: |input, limits| Ok(Box::new(Fmdl::read(input.bytes, limits)?)),
    inspect: |input, limits| Inspection::single("fmdl", fox::inspect(input.bytes, limits)),
    rules: fox::RULES,
    unordered: UNORDERED,
    records: fox::RECORDS,
    from_scene: Some(|scene, options| {
        let scene_options = fox::SceneOptions::default().with_game(options.fox());
        let (mut model, losses) = Fmdl::from_scene(scene, &scene_options)?;
        if options.drop_unused_bones {
            model.drop_unused_bones();
        }
        Ok((Box::new(model), losses))
    }),
    author: Some(author),
    ..Format::model(
        FormatId::Fmdl,
        "fmdl",
        "Fox Engine model (MGSV Ground Zeroes, The Phantom Pain, Survive, PES)",
    )
};

document!(
    Fmdl,
    &FORMAT,
    write: |model| Ok(Output::single(model.write()?)),
    scene: |model, context| Some(model.to_scene(context.name, context.names())),
    convert: convert,
    also: {
        fn texture_format(&self) -> Option<FormatId> {
            Some(FormatId::Ftex)
        }
    },
);

/// Converts between games, and drops bones.
fn convert(
    model: &Fmdl,
    to: FormatId,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Option<Converted>, ConvertError> {
    if to != FormatId::Fmdl || (options.fox().is_none() && !options.drop_unused_bones) {
        return Ok(None);
    }
    let mut model = model.clone();
    let game = options.fox();
    let losses = game.map_or_else(Vec::new, |game| model.convert(game.version(), context.names()));
    if options.drop_unused_bones {
        model.drop_unused_bones();
    }
    Ok(Some(Converted::new(Output::single(model.write()?), losses)))
}

/// Builds a model, with presets and textures for the materials of another program.
fn author(source: &Source<'_>) -> Result<Built, ConvertError> {
    let Completed { scene, files, done } =
        complete(source.scene, source.images, source.options, source.context)?;
    let mut built = source.build(&scene)?;
    built.losses.splice(..0, files.losses);
    built.siblings.extend(files.files);
    built.completed = done;
    Ok(built)
}
