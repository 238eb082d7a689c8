//! Which operation means what in which format.

use super::pattern::Pattern;
use super::{
    EditOptions, Operation, Refusal, attach, clips, motion, nodes, recolor, recompute, remove, scale, smooth,
    team_color, textures, traits,
};
use crate::Document;

/// Changes a document; returns how many things of it.
pub(super) fn apply(
    document: &mut dyn Document,
    operation: &Operation,
    options: &EditOptions<'_>,
) -> Result<usize, Refusal> {
    match operation {
        // Fields are those of files, not of documents.
        Operation::Get { .. } | Operation::Set { .. } => Ok(0),
        Operation::Texture { old, new } => {
            let pattern = Pattern::new(old);
            textures::rename(document, options, &|path| pattern.replaced(path, new), Some(old))
        }
        Operation::Regex { pattern, new } => {
            // It was read before.
            let Ok(expression) = textures::expression(pattern) else { return Ok(0) };
            let replaced = |path: &str| {
                expression.is_match(path).then(|| expression.replace_all(path, new.as_str()).into_owned())
            };
            textures::rename(document, options, &replaced, None)
        }
        Operation::TexturePrefix { prefix } => {
            textures::rename(document, options, &|path| Some(format!("{prefix}{path}")), None)
        }
        Operation::RenameNode { old, new } => nodes::rename(document, old, new, options),
        Operation::RemoveNode { name } => remove::remove(document, name, options),
        Operation::TeamColorLayer { material } => team_color::add(document, *material),
        Operation::RenameClip { old, new } => clips::rename(document, old, new),
        Operation::RemoveClip { clips } => clips::remove(document, clips),
        Operation::KeepClips { clips } => clips::keep(document, clips),
        Operation::ClipOrder { clips } => clips::order(document, clips),
        Operation::Supermodel { name } => traits::supermodel(document, name),
        Operation::Class { class } => traits::class(document, class),
        Operation::TwoSided { on } => traits::two_sided(document, *on),
        Operation::Visibility { node, on } => traits::visibility(document, node, *on, options),
        Operation::Recompute { what } => {
            what.iter().try_fold(0, |sum, what| Ok(sum + recompute::recompute(document, *what)?))
        }
        Operation::Scale { factor } => scale::scale(document, *factor),
        Operation::Move { by } => motion::apply(document, &motion::Motion::by(*by), options),
        Operation::Rotate { axis, degrees } => {
            motion::apply(document, &motion::Motion::about(*axis, *degrees), options)
        }
        Operation::Mirror { axis } => motion::apply(document, &motion::Motion::across(*axis), options),
        Operation::Recolor { color } => recolor::recolor(document, *color),
        Operation::Smooth { degrees } => smooth::smooth(document, *degrees),
        Operation::Attach { name, to, at } => attach::attach(document, name, to, *at),
    }
}

/// Returns the refusal of an operation that means nothing in the format of a document.
pub(super) fn not_for(document: &dyn Document, why: &'static str) -> Refusal {
    Refusal::NotInFormat { format: document.format().id, why }
}
