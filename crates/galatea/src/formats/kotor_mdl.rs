//! KotOR models.

use galatea_kotor::mdl::{self, Model};
use galatea_scene::{Performance, Scene};
use galatea_texture::find::Game;
use galatea_wire::{Loss, Result};

use super::{document, kotor_room};
use crate::{
    ConvertError, ConvertOption, ConvertOptions, Converted, EmittedModels, Format, FormatId, Input,
    Inspection, Output, Report, SceneContext,
};

/// What depends on the order of vertices and faces.
pub(super) static UNORDERED: &[&str] = &[
    "faces",
    "vertices",
    "indices",
    "mdl_positions",
    "inverted_counters",
    "skin",
    "constraints",
    "positions",
    "aabb",
    "saber",
];

pub(super) static FORMAT: Format = Format {
    extensions: &["mdl"],
    companions: &["mdx"],
    text: Some(FormatId::KotorMdlAscii),
    write_extension: Some("mdl"),
    game: Some(Game::Kotor),
    options: &[
        ConvertOption::KotorGame,
        ConvertOption::Platform,
        ConvertOption::KotorAuthoring,
        ConvertOption::KotorWalkmesh,
    ],
    detect: mdl::detect,
    read: |input, limits| Ok(Box::new(Model::read(input.bytes, input.companion("mdx"), limits)?)),
    inspect: |input, limits| {
        let seen = mdl::inspect(input.bytes, input.companion("mdx"), limits);
        vec![
            Inspection { file: "mdl", coverage: seen.mdl, error: seen.error },
            Inspection { file: "mdx", coverage: seen.mdx, error: None },
        ]
    },
    rules: mdl::RULES,
    rules_beside: kotor_room::RULES,
    unordered: UNORDERED,
    records: mdl::RECORDS,
    from_scene: Some(|scene, options| {
        let (model, losses) = kotor_model(scene, options)?;
        Ok((Box::new(model), losses))
    }),
    author: Some(super::kotor_new::author),
    ..Format::model(FormatId::KotorMdl, "kotor-mdl", "KotOR 1 and 2 model, PC and Xbox")
};

document!(
    Model,
    &FORMAT,
    write: write,
    scene: |model, context| Some(kotor_scene(model, context)),
    convert: |model, to, options, context| convert(model, FormatId::KotorMdl, to, options, context),
    also: {
        fn check_beside(&self, input: &Input<'_>) -> Report {
            kotor_room::check_beside(self, input)
        }

        fn texture_format(&self) -> Option<FormatId> {
            Some(FormatId::Tga)
        }

        fn performance<'a>(
            &'a self,
            scene: &Scene,
            _: Option<&'a EmittedModels>,
        ) -> Option<Box<dyn Performance + 'a>> {
            Some(Box::new(galatea_kotor::mdl::play::ModelPerformance::new(self, scene)))
        }
    },
);

fn write(model: &Model) -> Result<Output> {
    let pair = model.write()?;
    Ok(Output::with_companion(pair.mdl, "mdx", pair.mdx))
}

/// Converts between the binary and the text form, and between games and machines.
pub(super) fn convert(
    model: &Model,
    from: FormatId,
    to: FormatId,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Option<Converted>, ConvertError> {
    if !matches!(to, FormatId::KotorMdl | FormatId::KotorMdlAscii) {
        return Ok(None);
    }
    let game = options.kotor().unwrap_or(model.game);
    let platform = options.platform.unwrap_or(model.platform);
    let mut changed = None;
    let mut losses = Vec::new();
    if (game, platform) != (model.game, model.platform) {
        losses = changed.insert(model.clone()).convert(game, platform);
    }
    if to == FormatId::KotorMdl && from == FormatId::KotorMdlAscii {
        losses.extend(number_by_supermodel(model, &mut changed, context)?);
    }
    let model = changed.as_ref().unwrap_or(model);
    let output =
        if to == FormatId::KotorMdl { write(model)? } else { Output::single(mdl::text::print(model)?) };
    Ok(Some(Converted::new(output, losses)))
}

/// Gives the nodes of a model that came from text the numbers of its supermodel's nodes, unless the text has numbers. Says so
/// if the supermodel cannot be found.
fn number_by_supermodel(
    model: &Model,
    changed: &mut Option<Model>,
    context: &SceneContext<'_>,
) -> Result<Vec<Loss>> {
    let Some(name) = model.supermodel().map(|name| String::from_utf8_lossy(name).into_owned()) else {
        return Ok(Vec::new());
    };
    let alone = model.nodes.iter().zip(0u16..).all(|(node, number)| node.number == number);
    if !alone || model.nodes.len() < 2 {
        return Ok(Vec::new());
    }
    let Some(above) = context.supermodel.and_then(|find| find(&name)) else {
        let what =
            "it was not found: nodes are numbered without it, so that its animations may move the wrong ones";
        return Ok(vec![Loss::new(format!("supermodel {name:?}"), what)]);
    };
    let numbered = changed.get_or_insert_with(|| model.clone());
    numbered.derive_numbers(Some(&above))?;
    numbered.node_count = numbered.derived_node_count(Some(&above)).unwrap_or(numbered.node_count);
    Ok(Vec::new())
}

/// Returns the scene with the clips of its supermodels, where they can be found.
pub(super) fn kotor_scene(model: &Model, context: &SceneContext<'_>) -> Scene {
    let Some(find) = context.supermodel else { return model.to_scene() };
    let chain = model.supermodels(&|name| find(&String::from_utf8_lossy(name)));
    model.to_scene_with(&chain.iter().collect::<Vec<_>>())
}

/// Builds a model from a scene, for the game and the machine that the options name.
pub(super) fn kotor_model(scene: &Scene, options: &ConvertOptions) -> Result<(Model, Vec<Loss>)> {
    let options = mdl::SceneOptions::default().with_game(options.kotor()).with_platform(options.platform);
    Model::from_scene(scene, &options)
}
