//! Warcraft III and WoW alpha models as text.

use galatea_mdlx::{self as mdlx, Model, text};
use galatea_scene::{Performance, Scene};
use galatea_texture::find::Game;
use galatea_wire::Coverage;

use super::{document, mdx};
use crate::textures::TextureName;
use crate::{ConvertOption, Document, EmittedModels, Format, FormatId, Inspection, Output};

/// A Warcraft III model that came from text and is written as text. Its document is that of the binary form.
#[derive(Debug, Clone)]
pub struct MdlText(pub Model);

pub(super) static FORMAT: Format = Format {
    extensions: &["mdl"],
    text: Some(FormatId::Mdl),
    write_extension: Some("mdl"),
    game: Some(Game::Warcraft),
    options: &[ConvertOption::Version, ConvertOption::Weights],
    detect: text::detect,
    read: |input, limits| Ok(Box::new(MdlText(text::parse(input.bytes, limits)?)) as Box<dyn Document>),
    // Text has no fixed places; the error is worth showing all the same.
    inspect: |input, limits| {
        Inspection::single("mdl", (Coverage::default(), text::parse(input.bytes, limits).err()))
    },
    rules: mdlx::RULES,
    unordered: super::mdx::UNORDERED,
    from_scene: Some(|scene, options| {
        let (model, losses) = mdx::from_scene(scene, options)?;
        Ok((Box::new(MdlText(model)), losses))
    }),
    author: Some(mdx::author),
    ..Format::model(FormatId::Mdl, "mdl", "Warcraft III model as text")
};

document!(
    MdlText as Model,
    &FORMAT,
    inner: |model| &model.0,
    |model| &mut model.0,
    write: |model| Ok(Output::single(text::print(model)?)),
    scene: |model, context| Some(model.to_scene(context.name)),
    convert: mdx::convert,
    also: {
        fn texture_format(&self) -> Option<FormatId> {
            self.0.texture_format()
        }

        fn texture_names(&self) -> Option<Vec<TextureName>> {
            self.0.texture_names()
        }

        fn performance<'a>(
            &'a self,
            scene: &Scene,
            emitted: Option<&'a EmittedModels>,
        ) -> Option<Box<dyn Performance + 'a>> {
            self.0.performance(scene, emitted)
        }

        fn emitted_models(&self) -> Vec<String> {
            self.0.emitted_models()
        }

        #[cfg(feature = "walk")]
        fn ground(&self) -> Option<crate::Ground> {
            self.0.ground()
        }
    },
);
