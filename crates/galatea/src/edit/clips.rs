//! Other clips: `--rename-clip`, `--remove-clip`, `--keep-clips` and `--clip-order`.

use super::Refusal;
use super::documents::not_for;
use super::nodes::missing;
use super::pattern::Pattern;
use super::text::set_text;
use crate::Document;

/// Returns the names of the clips; `None` for formats without clips.
fn names(document: &dyn Document) -> Option<Vec<String>> {
    let any = document.as_any();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_ref::<crate::mdlx::Model>() {
        return Some(model.sequences.iter().map(|clip| clip.name.lossy().into_owned()).collect());
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_ref::<crate::kotor::mdl::Model>() {
        return Some(model.animations.iter().map(|clip| clip.name.lossy().into_owned()).collect());
    }
    let _ = any;
    None
}

fn known(document: &dyn Document) -> Result<Vec<String>, Refusal> {
    names(document).ok_or_else(|| not_for(document, "clips are in mdl and mdx"))
}

/// Keeps the clips with these numbers, in this order; returns how many things changed.
fn pick(document: &mut dyn Document, order: &[usize]) -> usize {
    fn picked<T: Clone>(list: &mut Vec<T>, order: &[usize]) {
        *list = order.iter().filter_map(|index| list.get(*index).cloned()).collect();
    }
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        let count = model.sequences.len();
        picked(&mut model.sequences, order);
        // Geosets have an extent for every sequence.
        for geoset in model.geosets.iter_mut().filter(|geoset| geoset.sequence_bounds.len() == count) {
            picked(&mut geoset.sequence_bounds, order);
        }
        return count;
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        let count = model.animations.len();
        picked(&mut model.animations, order);
        return count;
    }
    let _ = (any, order);
    0
}

/// The numbers of the clips that fit one of the names. A name without `*` must be there.
fn chosen(all: &[String], wanted: &[String]) -> Result<Vec<usize>, Refusal> {
    let mut out = Vec::new();
    for name in wanted {
        let pattern = Pattern::new(name);
        let before = out.len();
        let fitting = all.iter().enumerate().filter(|(_, clip)| pattern.fits(clip));
        for (index, _) in fitting {
            if !out.contains(&index) {
                out.push(index);
            }
        }
        let found = out.len() > before || all.iter().any(|clip| pattern.fits(clip));
        if !found && pattern.is_plain() {
            return Err(missing("clip", name, all.iter().map(String::as_str)));
        }
    }
    Ok(out)
}

pub(super) fn remove(document: &mut dyn Document, clips: &[String]) -> Result<usize, Refusal> {
    let all = known(document)?;
    let gone = chosen(&all, clips)?;
    let left: Vec<usize> = (0..all.len()).filter(|index| !gone.contains(index)).collect();
    if !gone.is_empty() {
        pick(document, &left);
    }
    Ok(gone.len())
}

pub(super) fn keep(document: &mut dyn Document, clips: &[String]) -> Result<usize, Refusal> {
    let all = known(document)?;
    let mut kept = chosen(&all, clips)?;
    kept.sort_unstable();
    if kept.len() < all.len() {
        pick(document, &kept);
    }
    Ok(all.len() - kept.len())
}

/// Puts the named clips first, in the order of their names; the others follow in theirs.
pub(super) fn order(document: &mut dyn Document, clips: &[String]) -> Result<usize, Refusal> {
    let all = known(document)?;
    let mut order = chosen(&all, clips)?;
    let rest: Vec<usize> = (0..all.len()).filter(|index| !order.contains(index)).collect();
    order.extend(rest);
    let moved = order.iter().enumerate().filter(|(new, old)| new != *old).count();
    if moved > 0 {
        pick(document, &order);
    }
    Ok(moved)
}

pub(super) fn rename(document: &mut dyn Document, old: &str, new: &str) -> Result<usize, Refusal> {
    let all = known(document)?;
    let found: Vec<usize> = all
        .iter()
        .enumerate()
        .filter(|(_, name)| name.eq_ignore_ascii_case(old))
        .map(|(index, _)| index)
        .collect();
    let index = match found[..] {
        [index] => index,
        [] => return Err(missing("clip", old, all.iter().map(String::as_str))),
        _ => return Err(Refusal::Ambiguous { what: "clip", name: old.to_owned(), count: found.len() }),
    };
    if all.iter().any(|name| name.eq_ignore_ascii_case(new)) && !old.eq_ignore_ascii_case(new) {
        return Err(Refusal::Taken { what: "clip", name: new.to_owned() });
    }
    let any = document.as_any_mut();
    let what = "the name of a clip";
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        let clip = model.sequences.get_mut(index);
        return clip.map_or(Ok(0), |clip| set_text(&mut clip.name, what, new.as_bytes()).map(usize::from));
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        let clip = model.animations.get_mut(index);
        return clip.map_or(Ok(0), |clip| set_text(&mut clip.name, what, new.as_bytes()).map(usize::from));
    }
    let _ = (any, index, what);
    Ok(0)
}
