//! Fox Engine models.

use galatea_fox::{self as fox, Fmdl};

use super::document;
use crate::{Format, Holds, Inspection, Output};

pub(super) static FORMAT: Format = Format {
    name: "fmdl",
    title: "Fox Engine model (MGSV Ground Zeroes, The Phantom Pain, Survive, PES)",
    extensions: &["fmdl"],
    companions: &[],
    holds: Holds::Model,
    whole: false,
    stored: false,
    text: None,
    detect: fox::detect,
    read: |input, limits| Ok(Box::new(Fmdl::read(input.bytes, limits)?)),
    inspect: |input, limits| Inspection::single("fmdl", fox::inspect(input.bytes, limits)),
    rules: fox::RULES,
    records: fox::RECORDS,
    from_scene: Some(|scene, options| {
        let (model, losses) =
            Fmdl::from_scene(scene, &fox::SceneOptions::default().with_game(options.fox()))?;
        Ok((Box::new(model), losses))
    }),
};

document!(
    Fmdl,
    &FORMAT,
    write: |model| Ok(Output::single(model.write()?)),
    scene: |model, context| Some(model.to_scene(context.name, context.names))
);
