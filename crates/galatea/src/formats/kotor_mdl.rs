//! KotOR models.

use galatea_kotor::mdl::{self, Model};

use galatea_scene::Scene;
use galatea_wire::{Loss, Result};

use super::document;
use crate::{ConvertOptions, Format, Holds, Inspection, Output, SceneContext};

pub(super) static FORMAT: Format = Format {
    name: "kotor-mdl",
    title: "KotOR 1 and 2 model, PC and Xbox",
    extensions: &["mdl"],
    companions: &["mdx"],
    holds: Holds::Model,
    whole: false,
    stored: false,
    text: Some("kotor-mdl-ascii"),
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
    records: mdl::RECORDS,
    from_scene: Some(|scene, options| {
        let (model, losses) = kotor_model(scene, options)?;
        Ok((Box::new(model), losses))
    }),
};

document!(
    Model,
    &FORMAT,
    write: |model| {
        let pair = model.write()?;
        Ok(Output::with_companion(pair.mdl, "mdx", pair.mdx))
    },
    scene: |model, context| Some(kotor_scene(model, context)),
);

/// With the clips of its supermodels, where they can be found.
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
