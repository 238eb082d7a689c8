//! Warcraft III and WoW alpha models.

use galatea_mdlx::{self as mdlx, Model};

use galatea_scene::Scene;
use galatea_wire::Result;

use super::document;
use crate::{ConvertOptions, Format, Inspection, Output};

pub(super) static FORMAT: Format = Format {
    name: "mdx",
    title: "Warcraft III, Reforged and WoW alpha model, versions 800 to 1500",
    extensions: &["mdx"],
    companion: None,
    text: Some("mdl"),
    detect: mdlx::detect,
    read: |input, limits| Ok(Box::new(Model::read(input.bytes, limits)?)),
    inspect: |input, limits| Inspection::single("mdx", mdlx::inspect(input.bytes, limits)),
    rules: mdlx::RULES,
    records: mdlx::RECORDS,
    from_scene: Some(|scene, options| {
        let (model, losses) = mdlx_model(scene, options)?;
        Ok((Box::new(model), losses))
    }),
};

document!(
    Model,
    &FORMAT,
    write: |model| Ok(Output::single(model.write()?)),
    scene: |model, context| Some(model.to_scene(context.name)),
);

/// From a scene, of the version that is asked for.
pub(super) fn mdlx_model(scene: &Scene, options: &ConvertOptions) -> Result<(Model, Vec<String>)> {
    Model::from_scene(scene, options.version.map(mdlx::Version))
}
