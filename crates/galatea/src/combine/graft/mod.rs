//! A part of one model in another: a weapon, an attachment, a head on a body.

mod fox;
mod kotor;
mod warcraft;

pub(super) use kotor::in_game;
pub(super) use warcraft::{below, find, in_version};

use super::{CombineError, Combined};
use crate::{ConvertOptions, Document, Limits, SceneContext, convert, fox::Fmdl, kotor::mdl, mdlx};

/// What is grafted, and where.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GraftOptions {
    /// The node of the first model that is taken with all below it; `None` for the whole model. In FMDL a mesh group.
    pub node: Option<String>,
    /// The node of the second model that it is put on. In FMDL a bone or a mesh group.
    pub at: String,
    /// How far it is moved besides, in the units of the second model.
    pub offset: [f32; 3],
    /// Whether it stays where it is in its model, instead of being as far from its new parent as from the old one.
    pub keep_place: bool,
}

galatea_wire::setters! {
    GraftOptions {
        with_node: node: Option<String>,
        with_at: at: String,
        with_offset: offset: [f32; 3],
        with_keep_place: keep_place: bool,
    }
}

/// Puts a part of a model on a node of another, with its materials, textures, bones and emitters, and with its keys in clips of the same
/// name. If that cannot be done, the second model stays as it was.
///
/// ```
/// use galatea::combine::{GraftOptions, graft};
/// use galatea::kotor::mdl::Model;
/// let (mut sword, mut guard) = (Model::new("sword"), Model::new("guard"));
/// sword.add_node(Some(0), b"blade", Default::default());
/// guard.add_node(Some(0), b"rhand", Default::default());
/// let options = GraftOptions::default().with_node(Some("blade".into())).with_at("rhand".into());
/// graft(&sword, &mut guard, &options).unwrap();
/// assert_eq!(guard.nodes[2].parent, Some(1));
/// assert_eq!(guard.name_of(&guard.nodes[2]), b"blade");
/// ```
pub fn graft(
    from: &dyn Document,
    to: &mut dyn Document,
    options: &GraftOptions,
) -> Result<Combined, CombineError> {
    let mut out = Combined::default();
    let format = to.format().id;
    let any = to.as_any();
    if let Some(model) = any.downcast_ref::<mdlx::Model>() {
        let from = same_kind(from, to, &mut out)?;
        let source = from.get::<mdlx::Model>(to)?;
        let mut model = model.clone();
        warcraft::graft(source, &mut model, options, &mut out)?;
        to.as_any_mut().downcast_mut().into_iter().for_each(|to: &mut mdlx::Model| *to = model.clone());
    } else if let Some(model) = any.downcast_ref::<mdl::Model>() {
        let from = same_kind(from, to, &mut out)?;
        let source = from.get::<mdl::Model>(to)?;
        let mut model = model.clone();
        kotor::graft(source, &mut model, options, &mut out)?;
        to.as_any_mut().downcast_mut().into_iter().for_each(|to: &mut mdl::Model| *to = model.clone());
    } else if let Some(model) = any.downcast_ref::<Fmdl>() {
        let from = same_kind(from, to, &mut out)?;
        let source = from.get::<Fmdl>(to)?;
        let mut model = model.clone();
        fox::graft(source, &mut model, options, &mut out)?;
        to.as_any_mut().downcast_mut().into_iter().for_each(|to: &mut Fmdl| *to = model.clone());
    } else {
        return Err(CombineError::Format { format, why: super::MODELS }.of(1));
    }
    Ok(out)
}

/// A document, or what it was converted to.
pub(super) enum Source<'a> {
    Own(&'a dyn Document),
    Converted(Box<dyn Document>),
}

impl Source<'_> {
    /// Returns the model.
    pub(super) fn get<T: 'static>(&self, to: &dyn Document) -> Result<&T, CombineError> {
        let any = match self {
            Source::Own(document) => document.as_any(),
            Source::Converted(document) => document.as_any(),
        };
        let why = "models of this format cannot be combined";
        any.downcast_ref().ok_or(CombineError::Format { format: to.format().id, why })
    }
}

/// Returns a document in the format of another one, converted if need be.
pub(super) fn same_kind<'a>(
    from: &'a dyn Document,
    to: &dyn Document,
    out: &mut Combined,
) -> Result<Source<'a>, CombineError> {
    let same = |a: &dyn Document, b: &dyn Document| {
        let (a, b) = (a.as_any(), b.as_any());
        a.is::<mdlx::Model>() && b.is::<mdlx::Model>()
            || a.is::<mdl::Model>() && b.is::<mdl::Model>()
            || a.is::<Fmdl>() && b.is::<Fmdl>()
    };
    if same(from, to) {
        return Ok(Source::Own(from));
    }
    let format = to.format().id;
    let options = ConvertOptions::default();
    let converted = convert(from, format, &options, &SceneContext::new("part"))
        .map_err(|e| CombineError::from(e).of(0))?;
    out.losses.extend(converted.losses);
    let textures = converted.output.siblings.len();
    if textures > 0 {
        let why = "convert it to the format of the other model first to have them".to_owned();
        let what = format!("{textures} textures are not written");
        out.losses.push(galatea_wire::Loss::new("", what).because(why));
    }
    let document = crate::open(&converted.output.input(), &Limits::default())?;
    if !same(document.as_ref(), to) {
        return Err(CombineError::Format { format: from.format().id, why: super::MODELS }.of(0));
    }
    Ok(Source::Converted(document))
}
