//! Keys of animations.

use super::Kotor;
use crate::kotor::mdl::{Controller, Controllers, Interpolation, Model, Node, Track};
use crate::optimize::measure;

const ORIENTATION: u32 = 20;
/// A controller whose keys trigger something.
const DETONATE: u32 = 502;

/// A controller taken out of its node.
struct Taken {
    like: Controller,
    interpolation: Interpolation,
    width: usize,
    times: Vec<f32>,
    values: Vec<f32>,
}

impl Taken {
    fn per_key(&self) -> usize {
        if self.interpolation == Interpolation::Bezier { self.width * 3 } else { self.width }
    }

    fn track(&self) -> Track<'_> {
        Track {
            kind: self.like.kind,
            interpolation: self.interpolation,
            width: self.width,
            times: &self.times,
            values: &self.values,
        }
    }

    /// Keeps these keys.
    fn keep(&mut self, kept: &[usize]) {
        let per_key = self.per_key();
        let row = |index: &usize| self.values.get(index * per_key..(index + 1) * per_key).unwrap_or(&[]);
        self.values = kept.iter().flat_map(|index| row(index).to_vec()).collect();
        self.times = kept.iter().filter_map(|index| self.times.get(*index).copied()).collect();
    }

    /// Returns how far two values are from each other.
    fn far(&self, a: [f32; 4], b: [f32; 4]) -> f32 {
        if self.like.kind == ORIENTATION && self.width != 3 {
            return measure::angle(a, b);
        }
        let far = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
        if far.is_nan() { f32::INFINITY } else { far }
    }
}

/// Returns the controllers of a node; `None` if one of them points outside of the data.
fn taken(controllers: &Controllers) -> Option<Vec<Taken>> {
    let mut out = Vec::new();
    for (index, like) in controllers.list().iter().enumerate() {
        let track = controllers.track(index)?;
        out.push(Taken {
            like: *like,
            interpolation: track.interpolation,
            width: track.width,
            times: track.times.to_vec(),
            values: track.values.to_vec(),
        });
    }
    Some(out)
}

/// Puts controllers back, each with data of its own or, with `shared`, with what is there already.
fn put(controllers: &mut Controllers, all: &[Taken], shared: bool) -> bool {
    let mut new = Controllers::default();
    let mut data: Vec<f32> = Vec::new();
    let mut place = |values: &[f32]| -> Option<u16> {
        let same = |window: &[f32]| window.iter().zip(values).all(|(a, b)| a.to_bits() == b.to_bits());
        let there =
            if shared && !values.is_empty() { data.windows(values.len()).position(same) } else { None };
        let at = there.unwrap_or_else(|| {
            data.extend_from_slice(values);
            data.len() - values.len()
        });
        u16::try_from(at).ok()
    };
    for one in all {
        let (Some(time_index), Some(data_index)) = (place(&one.times), place(&one.values)) else {
            return false;
        };
        let Ok(rows) = u16::try_from(one.times.len()) else { return false };
        new.list_mut().push(Controller { rows, time_index, data_index, ..one.like });
    }
    new.data_mut().extend_from_slice(&data);
    *controllers = new;
    true
}

/// Changes the keys of all animations; `f` gets the node of the model, the length of the animation and a controller, and returns the keys
/// that stay. Returns how many are gone.
fn each(model: &mut Model, f: impl Fn(Option<usize>, f32, &Taken) -> Option<Vec<usize>>) -> usize {
    let targets: Vec<Vec<Option<usize>>> = model
        .animations
        .iter()
        .map(|animation| {
            animation.nodes.iter().map(|node| model.target_of(node).map(|id| id as usize)).collect()
        })
        .collect();
    let mut count = 0;
    for (animation, targets) in model.animations.iter_mut().zip(&targets) {
        let length = animation.length;
        for (node, target) in animation.nodes.iter_mut().zip(targets) {
            let Some(mut all) = taken(&node.controllers) else { continue };
            let mut gone = 0;
            for one in &mut all {
                let plain = one.times.is_sorted_by(|a, b| a < b)
                    && one.values.iter().all(|v| one.width == 1 || v.is_finite());
                if !plain || one.like.kind == DETONATE {
                    continue;
                }
                if let Some(kept) = f(*target, length, one).filter(|kept| kept.len() < one.times.len()) {
                    gone += one.times.len() - kept.len();
                    one.keep(&kept);
                }
            }
            if gone > 0 && put(&mut node.controllers, &all, false) {
                count += gone;
            }
        }
    }
    count
}

/// Removes keys before the last one that is not after the start, and behind the first one that is not before the end.
pub(super) fn outside(model: &mut Model) -> usize {
    each(model, |_, length, one| {
        if length.is_nan() || length <= 0.0 {
            return None;
        }
        let first = one.times.iter().rposition(|time| *time <= 0.0).unwrap_or(0);
        let last =
            one.times.iter().position(|time| *time >= length).unwrap_or(one.times.len().checked_sub(1)?);
        Some((first..=last.max(first)).collect())
    })
}

/// Removes keys that change nothing within the tolerance.
pub(super) fn thin(model: &mut Model, of: &Kotor) -> usize {
    each(model, |target, _, one| {
        let last = one.times.len().checked_sub(1).filter(|last| *last > 1)?;
        if one.interpolation == Interpolation::Bezier {
            return None;
        }
        let tolerance = of.allowed(target, one.like.kind);
        let track = one.track();
        let per_key = one.per_key();
        let row = |index: usize| one.values.get(index * per_key..(index + 1) * per_key).unwrap_or(&[]);
        Some(measure::needed(0, last, |from, to| {
            let times = [*one.times.get(from)?, *one.times.get(to)?];
            let values = [row(from), row(to)].concat();
            let whole = Track { times: &times, values: &values, ..track };
            let far =
                |index: usize| Some(one.far(track.value(index)?, whole.sample(*one.times.get(index)?)?));
            let worst = (from + 1..to).map(|index| (far(index).unwrap_or(f32::INFINITY), index));
            worst
                .reduce(|a, b| if b.0 > a.0 { b } else { a })
                .filter(|(far, _)| *far > tolerance)
                .map(|(_, index)| index)
        }))
    })
}

/// Leaves one key of controllers that never change.
pub(super) fn constant(model: &mut Model, of: &Kotor) -> usize {
    each(model, |target, _, one| {
        let tolerance = of.allowed(target, one.like.kind);
        let track = one.track();
        let first = track.value(0)?;
        let same = |index: usize| track.value(index).is_some_and(|value| one.far(value, first) <= tolerance);
        let flat = one.interpolation != Interpolation::Bezier;
        (flat && one.times.len() > 1 && (0..one.times.len()).all(same)).then(|| vec![0])
    })
}

/// Stores equal times and values of a node once, and drops data that no controller uses; returns how many nodes are smaller.
pub(super) fn share(model: &mut Model) -> usize {
    let animated = model.animations.iter_mut().flat_map(|animation| &mut animation.nodes);
    animated.chain(&mut model.nodes).map(share_node).sum()
}

fn share_node(node: &mut Node) -> usize {
    let before = node.controllers.data().len();
    let Some(all) = taken(&node.controllers) else { return 0 };
    let mut new = node.controllers.clone();
    if !put(&mut new, &all, true) || new.data().len() >= before {
        return 0;
    }
    node.controllers = new;
    1
}
