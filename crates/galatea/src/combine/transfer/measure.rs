//! How far a clip on another skeleton is from the original.

use std::collections::{HashMap, HashSet};

use galatea_scene::{Clip, NodeId, Pose, Scene};
use glam::Vec3;

use super::ground::Feet;
use super::retarget::to_front;
use super::{Skeleton, TransferPlan};
use crate::combine::bones::BONE;

/// Moments of a clip at which it is compared.
const MOMENTS: u32 = 24;

/// How far a clip differs from the one that it was made of.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ClipError {
    /// The mean angle between bones and their counterparts, in degrees. Bones point from their joint to the next.
    pub mean: f32,
    /// The greatest such angle.
    pub worst: f32,
    /// The bone that it belongs to; empty if there is none.
    pub bone: String,
    /// How far the lower foot is from where that of the original is, at most, in parts of the height. Feet of the original are as high
    /// above the ground as they would be if its legs, from the hip down to the soles at rest, were as long as those of the model.
    /// `None` for models without vertices.
    pub feet: Option<f32>,
    /// How far the lower foot is below the ground, or above it at its lowest, in parts of the height.
    pub ground: Option<[f32; 2]>,
}

/// A bone from its joint to the only next one that matches, in both skeletons.
struct Limb {
    name: String,
    from: [NodeId; 2],
    to: [NodeId; 2],
}

fn limbs(plan: &TransferPlan) -> Vec<Limb> {
    let known: HashMap<usize, usize> = plan.matching.pairs.iter().map(|p| (p.from, p.to)).collect();
    let taken: HashSet<usize> = plan.matching.pairs.iter().map(|p| p.to).collect();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let is_bone = |at: usize| plan.from.bones.get(at).is_some_and(|bone| bone.kind == BONE);
    for pair in plan.matching.pairs.iter().filter(|pair| is_bone(pair.from)) {
        if let Some(above) = plan.from.ancestors(pair.from).find(|at| known.contains_key(at)) {
            children.entry(above).or_default().push(pair.from);
        }
    }
    let node = |skeleton: &Skeleton, at: usize| skeleton.bones.get(at).map(|bone| bone.node);
    let limb = |(above, below): (&usize, &Vec<usize>)| {
        let [below] = below[..] else { return None };
        let (above_to, below_to) = (*known.get(above)?, *known.get(&below)?);
        let direct = plan.to.ancestors(below_to).find(|at| taken.contains(at)) == Some(above_to);
        direct.then_some(())?;
        Some(Limb {
            name: plan.from.bones.get(*above)?.name.clone(),
            from: [node(&plan.from, *above)?, node(&plan.from, below)?],
            to: [node(&plan.to, above_to)?, node(&plan.to, below_to)?],
        })
    };
    let mut all: Vec<(usize, Limb)> =
        children.iter().filter_map(|entry| Some((*entry.0, limb(entry)?))).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, limb)| limb).collect()
}

fn direction(pose: &Pose, [a, b]: [NodeId; 2]) -> Vec3 {
    (pose.world_of(b).w_axis - pose.world_of(a).w_axis).truncate()
}

/// Compares a clip with the one that it was made of; `factor` is how much longer the legs are.
pub(super) fn compare(
    (from, original, theirs): (&Scene, &Clip, &Feet),
    (to, clip, ours): (&Scene, &Clip, &Feet),
    plan: &TransferPlan,
    factor: f32,
) -> ClipError {
    let limbs = limbs(plan);
    let turn = to_front(from, to);
    let mut out = ClipError::default();
    let (mut sum, mut count) = (0.0f64, 0u32);
    let (mut lowest, mut highest) = (f32::MAX, f32::MIN);
    for moment in 0..MOMENTS {
        let share = moment as f32 / (MOMENTS - 1) as f32;
        let a = Pose::at(from, original, original.length * share);
        let b = Pose::at(to, clip, clip.length * share);
        for limb in &limbs {
            let (have, want) = (direction(&b, limb.to), turn * direction(&a, limb.from));
            // Joints at one place point nowhere.
            if have.length() < 1e-3 * plan.to.height || want.length() < 1e-3 * plan.from.height {
                continue;
            }
            let angle = have.angle_between(want).to_degrees();
            if angle.is_nan() {
                continue;
            }
            sum += f64::from(angle);
            count += 1;
            if angle > out.worst {
                out.worst = angle;
                out.bone.clone_from(&limb.name);
            }
        }
        if let (Some(a), Some(b)) = (theirs.height(&a), ours.height(&b)) {
            let height = plan.to.height.max(1e-4);
            let (a, b) = (a * factor / height, b / height);
            out.feet = Some(out.feet.unwrap_or(0.0).max((a - b).abs()));
            (lowest, highest) = (lowest.min(b), highest.max(b));
        }
    }
    out.mean = if count > 0 { (sum / f64::from(count)) as f32 } else { 0.0 };
    out.ground = out.feet.map(|_| [lowest, highest]);
    out
}
