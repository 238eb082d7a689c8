//! Another size: `--scale`. All lengths of a model are multiplied, so that it looks the same from as many times as far away.

#[cfg(feature = "fox")]
mod fox;
#[cfg(feature = "kotor")]
mod kotor;

use super::Refusal;
use super::documents::not_for;
use crate::Document;

/// Multiplies all lengths; returns how many parts have some.
pub(super) fn scale(document: &mut dyn Document, factor: f32) -> Result<usize, Refusal> {
    if factor.to_bits() == 1.0f32.to_bits() {
        return Ok(0);
    }
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        model.scale(factor);
        return Ok(1);
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        kotor::scale(model, factor);
        return Ok(1);
    }
    #[cfg(feature = "kotor")]
    if let Some(walkmesh) = any.downcast_mut::<crate::kotor::bwm::Walkmesh>() {
        kotor::scale_walkmesh(walkmesh, factor);
        return Ok(1);
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        return fox::scale(model, factor).map(|()| 1);
    }
    let _ = (any, factor);
    Err(not_for(document, "models and walkmeshes of games are scaled: mdl, mdx, fmdl, wok, pwk and dwk"))
}

/// Numbers from here on are no lengths: they mark boxes around nothing, and would become infinite.
const NOWHERE: f32 = 1e30;

/// Multiplies numbers, as far as they are lengths.
fn times<'v>(values: impl IntoIterator<Item = &'v mut f32>, factor: f32) {
    values.into_iter().filter(|value| value.abs() < NOWHERE).for_each(|value| *value *= factor);
}
