//! Warcraft III and WoW alpha models.

use galatea_mdlx::{self as mdlx, Model};

use super::document;
use crate::{Format, Holds, Inspection, Output};

pub(super) static FORMAT: Format = Format {
    name: "mdx",
    title: "Warcraft III, Reforged and WoW alpha model, versions 800 to 1500",
    extensions: &["mdx"],
    companions: &[],
    holds: Holds::Model,
    whole: false,
    stored: false,
    text: Some("mdl"),
    detect: mdlx::detect,
    read: |input, limits| Ok(Box::new(Model::read(input.bytes, limits)?)),
    inspect: |input, limits| Inspection::single("mdx", mdlx::inspect(input.bytes, limits)),
    rules: mdlx::RULES,
    records: mdlx::RECORDS,
    from_scene: Some(|scene, options| {
        let options = mdlx::SceneOptions::default().with_version(options.version.map(mdlx::Version));
        let (model, losses) = Model::from_scene(scene, &options)?;
        Ok((Box::new(model), losses))
    }),
};

document!(
    Model,
    &FORMAT,
    write: |model| Ok(Output::single(model.write()?)),
    scene: |model, context| Some(model.to_scene(context.name)),
);
