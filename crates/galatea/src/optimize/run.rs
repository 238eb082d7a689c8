//! The steps in turn, until none of them finds anything, and the comparison at the end.

use std::collections::BTreeMap;

use super::{Difference, OptimizeError, OptimizeOptions, Saved, Step, Tolerance, size};
use crate::Document;

/// How often all steps are run at most. What one of them removes can make room for another one; three rounds are usual.
const ROUNDS: usize = 12;

/// What the comparison of two models found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Compared {
    pub(super) position: f32,
    pub(super) angle: f32,
    pub(super) poses: usize,
}

/// The steps of a format.
pub(super) trait Optimizer {
    /// Does a step; returns how many things it removed.
    fn step(&mut self, document: &mut dyn Document, step: Step) -> usize;
    /// Compares the optimized model with the original.
    fn compare(&self, document: &dyn Document) -> Result<Compared, Difference>;
    /// Returns what was left as it is, and why.
    fn notes(&self) -> Vec<&'static str>;
}

/// What was saved.
pub(super) struct Outcome {
    pub(super) saved: Vec<Saved>,
    pub(super) deviation: Tolerance,
    pub(super) poses: usize,
    pub(super) notes: Vec<String>,
}

fn optimizer(
    document: &dyn Document,
    options: &OptimizeOptions,
    thin: Tolerance,
) -> Option<Box<dyn Optimizer>> {
    let any = document.as_any();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_ref::<crate::mdlx::Model>() {
        return Some(Box::new(super::warcraft::Warcraft::new(model, options, thin)));
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_ref::<crate::kotor::mdl::Model>() {
        return Some(Box::new(super::kotor::Kotor::new(model, options, thin)));
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_ref::<crate::fox::Fmdl>() {
        return Some(Box::new(super::fox::Fox::new(model, options)));
    }
    let _ = (any, options, thin);
    None
}

/// Runs the steps on a document. Keys are removed within the tolerance `thin`.
pub(super) fn run(
    document: &mut dyn Document,
    options: &OptimizeOptions,
    thin: Tolerance,
) -> Result<Outcome, OptimizeError> {
    let Some(mut optimizer) = optimizer(document, options, thin) else {
        return Err(OptimizeError::NotInFormat(document.format().id));
    };
    let mut saved: BTreeMap<Step, (usize, i64)> = BTreeMap::new();
    let mut bytes = size(&document.write()?) as i64;
    for _ in 0..ROUNDS {
        let mut any = false;
        for (step, ..) in Step::ALL.iter().filter(|(step, ..)| options.steps.contains(step)) {
            let count = optimizer.step(document, *step);
            if count == 0 {
                continue;
            }
            any = true;
            let now = size(&document.write()?) as i64;
            let sum = saved.entry(*step).or_default();
            sum.0 += count;
            sum.1 += bytes - now;
            bytes = now;
        }
        if !any {
            break;
        }
    }
    let compared =
        optimizer.compare(document).map_err(|difference| OptimizeError::Differs(Box::new(difference)))?;
    let saved = saved.into_iter().map(|(step, (count, bytes))| Saved { step, count, bytes }).collect();
    let deviation = Tolerance { position: compared.position, angle: compared.angle };
    Ok(Outcome {
        saved,
        deviation,
        poses: compared.poses,
        notes: optimizer.notes().into_iter().map(str::to_owned).collect(),
    })
}
