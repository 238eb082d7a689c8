//! KotOR models as text.

use galatea_kotor::mdl::{self, Model, text};
use galatea_scene::{Performance, Scene};
use galatea_texture::find::Game;
use galatea_wire::Coverage;

use super::{document, kotor_mdl};
use crate::{ConvertOption, Document, EmittedModels, Format, FormatId, Inspection, Output};

/// A KotOR model that came from text and is written as text. Its document is that of the binary form.
#[derive(Debug, Clone)]
pub struct AsciiModel(pub Model);

pub(super) static FORMAT: Format = Format {
    extensions: &["mdl", "ascii"],
    text: Some(FormatId::KotorMdlAscii),
    write_extension: Some("mdl.ascii"),
    game: Some(Game::Kotor),
    options: &[
        ConvertOption::KotorGame,
        ConvertOption::Platform,
        ConvertOption::KotorAuthoring,
        ConvertOption::KotorWalkmesh,
    ],
    detect: text::detect,
    read: |input, limits| Ok(Box::new(AsciiModel(text::parse(input.bytes, limits)?)) as Box<dyn Document>),
    // Text has no fixed places; the error is worth showing all the same.
    inspect: |input, limits| {
        Inspection::single("mdl", (Coverage::default(), text::parse(input.bytes, limits).err()))
    },
    rules: mdl::RULES,
    unordered: super::kotor_mdl::UNORDERED,
    from_scene: Some(|scene, options| {
        let (model, losses) = kotor_mdl::kotor_model(scene, options)?;
        Ok((Box::new(AsciiModel(model)), losses))
    }),
    author: Some(super::kotor_new::author),
    ..Format::model(
        FormatId::KotorMdlAscii,
        "kotor-mdl-ascii",
        "KotOR model as text (MDLOps, MDLEdit, KOTORmax)",
    )
};

document!(
    AsciiModel as Model,
    &FORMAT,
    inner: |model| &model.0,
    |model| &mut model.0,
    write: |model| Ok(Output::single(text::print(model)?)),
    scene: |model, context| Some(kotor_mdl::kotor_scene(model, context)),
    convert: |model, to, options, context| {
        kotor_mdl::convert(model, FormatId::KotorMdlAscii, to, options, context)
    },
    also: {
        fn texture_format(&self) -> Option<FormatId> {
            self.0.texture_format()
        }

        fn performance<'a>(
            &'a self,
            scene: &Scene,
            emitted: Option<&'a EmittedModels>,
        ) -> Option<Box<dyn Performance + 'a>> {
            self.0.performance(scene, emitted)
        }
    },
);
