//! Smaller models that look the same.
//!
//! [`optimize()`] removes what a model does not need: each [`Step`] is one kind of waste, and any of them can be left out. The poses of
//! all clips, and everything else that is seen, are compared with those of the original; if anything differs by more than the
//! [`Tolerance`], nothing is changed. What has been optimized once is not made smaller by doing it again. Nothing here reads or
//! writes files.
//!
//! ```
//! use galatea::mdlx::{Model, Texture, Version};
//! use galatea::optimize::{OptimizeOptions, Step, optimize};
//! let mut model = Model::new(Version(800));
//! model.textures.push(Texture::default());
//! let bytes = model.write()?;
//! let optimized = optimize(&galatea::Input::new(&bytes), &OptimizeOptions::default()).unwrap();
//! assert_eq!((optimized.saved[0].step, optimized.saved[0].count), (Step::Textures, 1));
//! assert_eq!(optimized.before - optimized.after, 276);
//! # Ok::<(), galatea::Error>(())
//! ```

mod error;
#[cfg(feature = "fox")]
mod fox;
#[cfg(feature = "kotor")]
mod kotor;
#[cfg_attr(not(any(feature = "kotor", feature = "mdlx")), allow(dead_code))]
mod measure;
mod run;
mod step;
#[cfg(feature = "mdlx")]
mod warcraft;

pub use error::{Difference, OptimizeError};
use galatea_wire::Limits;
pub use step::{NotAStep, Step};

use crate::{Companion, Document, Input, Output};

/// How far poses of an optimized model may be from those of the original.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Distance, as a share of the model's size: of the longest side of the box around it.
    pub position: f32,
    /// Rotation, in degrees.
    pub angle: f32,
}

impl Default for Tolerance {
    /// Half a pixel of an image with 500.
    fn default() -> Self {
        Tolerance { position: 0.001, angle: 0.25 }
    }
}

impl Tolerance {
    /// Only what is exactly the same is removed.
    pub const NONE: Tolerance = Tolerance { position: 0.0, angle: 0.0 };
}

/// How [`optimize()`] goes about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// The limits for reading.
    pub limits: Limits,
    /// How far poses may be from those of the original.
    pub tolerance: Tolerance,
    /// The steps that are done.
    pub steps: Vec<Step>,
}

impl Default for OptimizeOptions {
    fn default() -> Self {
        let steps = Step::ALL.iter().map(|(step, ..)| *step).filter(|step| step.is_usual()).collect();
        OptimizeOptions { limits: Limits::default(), tolerance: Tolerance::default(), steps }
    }
}

galatea_wire::setters! {
    OptimizeOptions {
        with_limits: limits: Limits,
        with_tolerance: tolerance: Tolerance,
        with_steps: steps: Vec<Step>,
    }
}

/// What a step saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saved {
    /// The step.
    pub step: Step,
    /// How many things it removed.
    pub count: usize,
    /// How many bytes the file is smaller by. Now and then a step makes a file larger so that another one can do more.
    pub bytes: i64,
}

/// What [`optimize()`] gives.
#[non_exhaustive]
pub struct Optimized {
    /// The file, and what belongs to it: the original bytes if nothing is saved.
    pub output: Output,
    /// The document.
    pub document: Box<dyn Document>,
    /// What each step saved, without those that saved nothing.
    pub saved: Vec<Saved>,
    /// Bytes of the original, with what belongs to it.
    pub before: usize,
    /// Bytes of the result.
    pub after: usize,
    /// The largest distance of a point from where it was in the original, in any of the compared poses, as a share of the size; and
    /// the largest rotation, in degrees.
    pub deviation: Tolerance,
    /// The number of poses that were compared.
    pub poses: usize,
    /// What was left as it is, and why.
    pub notes: Vec<String>,
}

impl Optimized {
    /// Returns `true` if anything was saved.
    pub fn changed(&self) -> bool {
        self.after < self.before
    }
}

impl std::fmt::Debug for Optimized {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Optimized").field("saved", &self.saved).finish_non_exhaustive()
    }
}

/// Makes a model smaller without changing what is seen.
pub fn optimize(input: &Input<'_>, options: &OptimizeOptions) -> Result<Optimized, OptimizeError> {
    let mut document = crate::open(input, &options.limits)?;
    let before = input.bytes.len() + input.companions.iter().map(|c| c.bytes.len()).sum::<usize>();
    let outcome = match run::run(document.as_mut(), options, options.tolerance) {
        // Errors of single keys add up now and then. Keys that change nothing at all can go in any case.
        Err(OptimizeError::Differs(difference)) if options.tolerance != Tolerance::NONE => {
            document = crate::open(input, &options.limits)?;
            let mut outcome = run::run(document.as_mut(), options, Tolerance::NONE)?;
            outcome.notes.push(format!("keys that change little: with all of them gone, {difference}"));
            outcome
        }
        outcome => outcome?,
    };
    let output = document.write()?;
    let after = size(&output);
    if after >= before {
        let companions = input.companions.iter();
        let output = Output {
            bytes: input.bytes.to_vec(),
            companions: companions
                .map(|c| Companion { extension: c.extension, bytes: c.bytes.to_vec() })
                .collect(),
            ..Output::default()
        };
        let document = crate::open(input, &options.limits)?;
        let deviation = Tolerance::NONE;
        let (poses, notes) = (outcome.poses, outcome.notes);
        return Ok(Optimized {
            output,
            document,
            saved: Vec::new(),
            before,
            after: before,
            deviation,
            poses,
            notes,
        });
    }
    // What is returned is what the file says.
    let written = Input { name: input.name, siblings: input.siblings, ..output.input() };
    let document = crate::open(&written, &options.limits)?;
    let run::Outcome { saved, deviation, poses, notes } = outcome;
    Ok(Optimized { output, document, saved, before, after, deviation, poses, notes })
}

/// Returns the bytes of a file and of what belongs to it.
fn size(output: &Output) -> usize {
    output.bytes.len() + output.companions.iter().map(|c| c.bytes.len()).sum::<usize>()
}
