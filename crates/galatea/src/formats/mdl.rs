//! Warcraft III and WoW alpha models as text.

use galatea_mdlx::{self as mdlx, Model, text};
use galatea_wire::Coverage;

use super::document;
use crate::{Document, Format, Holds, Inspection, Output};

/// A Warcraft III model that came from text and is written as text. Its document is that of the binary form.
#[derive(Debug, Clone)]
pub struct MdlText(pub Model);

pub(super) static FORMAT: Format = Format {
    name: "mdl",
    title: "Warcraft III model as text",
    extensions: &["mdl"],
    companions: &[],
    holds: Holds::Model,
    whole: false,
    stored: false,
    text: Some("mdl"),
    detect: text::detect,
    read: |input, limits| Ok(Box::new(MdlText(text::parse(input.bytes, limits)?)) as Box<dyn Document>),
    // Text has no fixed places; the error is worth showing all the same.
    inspect: |input, limits| {
        Inspection::single("mdl", (Coverage::default(), text::parse(input.bytes, limits).err()))
    },
    rules: mdlx::RULES,
    records: &[],
    from_scene: Some(|scene, options| {
        let options = mdlx::SceneOptions::default().with_version(options.version.map(mdlx::Version));
        let (model, losses) = Model::from_scene(scene, &options)?;
        Ok((Box::new(MdlText(model)), losses))
    }),
};

document!(
    MdlText as Model,
    &FORMAT,
    inner: |model| &model.0,
    |model| &mut model.0,
    write: |model| Ok(Output::single(text::print(model)?)),
    scene: |model, context| Some(model.to_scene(context.name)),
);
