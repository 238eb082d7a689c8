//! Several models as one: their parts over one skeleton, by the names of its bones.

mod fox;
mod kotor;
mod warcraft;

use super::graft::same_kind;
use super::{CombineError, Combined};
use crate::{Document, fox::Fmdl, kotor::mdl, mdlx};

/// Adds the parts of other models to the first. Bones of the same name are the same bone, equal materials and textures are there once, and
/// levels of detail stay levels. If that cannot be done, the first model stays as it was.
///
/// ```
/// use galatea::combine::merge;
/// use galatea::fox::{Fmdl, Group};
/// let part = |name: &str| {
///     let mut model = Fmdl::new(2.04);
///     model.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
///     model.groups.push(Group { name: name.into(), parent: Some(0), ..Group::default() });
///     model
/// };
/// let mut body = part("MESH_body");
/// merge(&mut body, &[&part("MESH_hat")]).unwrap();
/// assert_eq!(body.groups.len(), 3);
/// ```
pub fn merge(first: &mut dyn Document, others: &[&dyn Document]) -> Result<Combined, CombineError> {
    let mut out = Combined::default();
    let format = first.format().id;
    if others.is_empty() {
        return Err(CombineError::Nothing {
            what: "there is only one model; name those to add to it".to_owned(),
        });
    }
    let any = first.as_any();
    if let Some(model) = any.downcast_ref::<mdlx::Model>() {
        let mut model = model.clone();
        for (number, other) in (1..).zip(others) {
            let other = same_kind(*other, first, &mut out).map_err(|e| at(e, number))?;
            warcraft::merge(other.get(first)?, &mut model, &mut out).map_err(|e| at(e, number))?;
        }
        first.as_any_mut().downcast_mut().into_iter().for_each(|to: &mut mdlx::Model| *to = model.clone());
    } else if let Some(model) = any.downcast_ref::<mdl::Model>() {
        let mut model = model.clone();
        for (number, other) in (1..).zip(others) {
            let other = same_kind(*other, first, &mut out).map_err(|e| at(e, number))?;
            kotor::merge(other.get(first)?, &mut model, &mut out).map_err(|e| at(e, number))?;
        }
        first.as_any_mut().downcast_mut().into_iter().for_each(|to: &mut mdl::Model| *to = model.clone());
    } else if let Some(model) = any.downcast_ref::<Fmdl>() {
        let mut model = model.clone();
        for (number, other) in (1..).zip(others) {
            let other = same_kind(*other, first, &mut out).map_err(|e| at(e, number))?;
            fox::merge(other.get(first)?, &mut model, &mut out).map_err(|e| at(e, number))?;
        }
        first.as_any_mut().downcast_mut().into_iter().for_each(|to: &mut Fmdl| *to = model.clone());
    } else {
        return Err(CombineError::Format { format, why: super::MODELS }.of(0));
    }
    Ok(out)
}

/// Returns an error about another document than the one it was found in as the first of two.
fn at(error: CombineError, number: usize) -> CombineError {
    match error {
        CombineError::Of { error, .. } => error.of(number),
        error => error.of(number),
    }
}
