//! KotOR models as text.

use galatea_kotor::mdl::{self, Model, text};
use galatea_wire::Coverage;

use super::document;
use crate::{Document, Format, Holds, Inspection, Output};

/// A KotOR model that came from text and is written as text. Its document is that of the binary form.
#[derive(Debug, Clone)]
pub struct AsciiModel(pub Model);

pub(super) static FORMAT: Format = Format {
    name: "kotor-mdl-ascii",
    title: "KotOR model as text (MDLOps, MDLEdit, KOTORmax)",
    extensions: &["mdl", "ascii"],
    companions: &[],
    holds: Holds::Model,
    whole: false,
    stored: false,
    text: Some("kotor-mdl-ascii"),
    detect: text::detect,
    read: |input, limits| Ok(Box::new(AsciiModel(text::parse(input.bytes, limits)?)) as Box<dyn Document>),
    // Text has no fixed places; the error is worth showing all the same.
    inspect: |input, limits| {
        Inspection::single("mdl", (Coverage::default(), text::parse(input.bytes, limits).err()))
    },
    rules: mdl::RULES,
    records: &[],
    from_scene: Some(|scene, options| {
        let (model, losses) = super::kotor_mdl::kotor_model(scene, options)?;
        Ok((Box::new(AsciiModel(model)), losses))
    }),
};

document!(
    AsciiModel as Model,
    &FORMAT,
    inner: |model| &model.0,
    |model| &mut model.0,
    write: |model| Ok(Output::single(text::print(model)?)),
    scene: |model, context| Some(super::kotor_mdl::kotor_scene(model, context)),
);
