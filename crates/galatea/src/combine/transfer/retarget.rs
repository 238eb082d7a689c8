//! The turns of the bones of one skeleton on another, by way of the scene.

use std::collections::{HashMap, HashSet};

use galatea_scene::{Channel, Clip, Interpolation, NodeId, Pose, Property, Scene, Target};
use galatea_wire::Loss;
use glam::{Quat, Vec3};

use super::ground::Scale;
use super::{Chosen, TransferPlan};
use crate::combine::bones::{BONE, Pair};

/// Keys a second.
pub(super) const RATE: f32 = 30.0;

/// By how much bones of a limb may point elsewhere at rest: more is a difference of pose, not of build.
const SAME_POSE: f32 = 0.12;

/// Keys that linear interpolation gives within this much are left out: turns in quaternion components, and lengths in heights.
const FLAT: f32 = 2e-4;

/// Returns the nodes that the clips move.
pub(super) fn moved_nodes(scene: &Scene, chosen: &[Chosen]) -> HashSet<NodeId> {
    let clips = chosen.iter().filter_map(|clip| scene.clips.get(clip.index));
    let still = |channel: &Channel| {
        matches!(channel.property, Property::Visibility | Property::Color | Property::Alpha)
    };
    let target = |channel: &Channel| match channel.target {
        Target::Node(node) if !still(channel) => Some(node),
        _ => None,
    };
    clips.flat_map(|clip| clip.channels.iter().filter_map(target)).collect()
}

/// The moments of a clip at which keys are made: 30 a second, and the end.
pub(super) fn moments(length: f32) -> Vec<f32> {
    let length = if length.is_finite() { length.clamp(0.0, 3600.0) } else { 0.0 };
    let count = (length * RATE).round().max(1.0) as usize;
    (0..=count).map(|i| length * i as f32 / count as f32).collect()
}

/// Returns the rotation that brings the front of one scene to that of another.
pub(super) fn to_front(from: &Scene, to: &Scene) -> Quat {
    let flat = |scene: &Scene| {
        let [x, _, z] = scene.front();
        Vec3::new(x, 0.0, z).normalize_or(Vec3::Z)
    };
    let (a, b) = (flat(from), flat(to));
    // About the vertical, even if they are opposite.
    if a.dot(b) < -0.9999 {
        Quat::from_rotation_y(std::f32::consts::PI)
    } else {
        Quat::from_rotation_arc(a, b)
    }
}

/// A bone with its counterpart.
struct Joint {
    from: NodeId,
    to: NodeId,
    /// What turns the counterpart at rest to where the bone points at rest.
    straighten: Quat,
    /// Whether no bone above it has a counterpart.
    top: bool,
}

fn rotation(pose: &Pose, node: NodeId) -> Quat {
    pose.world_of(node).to_scale_rotation_translation().1.normalize()
}

fn place(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world_of(node).w_axis.truncate()
}

/// Returns the bones, parents first, and how each is straightened.
fn joints(plan: &TransferPlan, rests: [&Pose; 2], turn: Quat) -> Vec<Joint> {
    let node = |skeleton: &super::Skeleton, at: usize| skeleton.bones.get(at).map_or(0, |bone| bone.node);
    let nearest = |skeleton: &super::Skeleton, at: usize, known: &HashSet<usize>| {
        skeleton.ancestors(at).find(|above| known.contains(above))
    };
    let known: HashSet<usize> = plan.matching.pairs.iter().map(|p| p.from).collect();
    let known_to: HashSet<usize> = plan.matching.pairs.iter().map(|p| p.to).collect();
    let to_of: HashMap<usize, usize> = plan.matching.pairs.iter().map(|p| (p.from, p.to)).collect();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let is_bone = |at: usize| plan.from.bones.get(at).is_some_and(|bone| bone.kind == BONE);
    for pair in plan.matching.pairs.iter().filter(|pair| is_bone(pair.from)) {
        if let Some(above) = nearest(&plan.from, pair.from, &known) {
            children.entry(above).or_default().push(pair.from);
        }
    }
    let mut straight: HashMap<usize, Quat> = HashMap::new();
    let mut out = Vec::new();
    let [source, target] = rests;
    let mut pairs: Vec<_> = plan.matching.pairs.iter().collect();
    // Skeletons list parents before their children.
    pairs.sort_by_key(|pair| pair.from);
    for pair in pairs {
        let above = nearest(&plan.from, pair.from, &known);
        let single = match children.get(&pair.from).map(Vec::as_slice) {
            Some([child]) => to_of
                .get(child)
                .filter(|to| nearest(&plan.to, **to, &known_to) == Some(pair.to))
                .map(|to| (*child, *to)),
            _ => None,
        };
        let direction = |pose: &Pose, skeleton: &super::Skeleton, at: usize, child: usize| {
            (place(pose, node(skeleton, child)) - place(pose, node(skeleton, at))).normalize_or_zero()
        };
        let own = single.map(|(child, child_to)| {
            let want = turn * direction(source, &plan.from, pair.from, child);
            let have = direction(target, &plan.to, pair.to, child_to);
            let apart = want.angle_between(have);
            if want == Vec3::ZERO || have == Vec3::ZERO || apart.is_nan() || apart < SAME_POSE {
                Quat::IDENTITY
            } else {
                Quat::from_rotation_arc(have, want)
            }
        });
        // The last bones of a limb follow the one above.
        let leaf = !children.contains_key(&pair.from);
        let inherited = above.filter(|_| leaf).and_then(|above| straight.get(&above)).copied();
        let straighten = own.or(inherited).unwrap_or(Quat::IDENTITY);
        straight.insert(pair.from, straighten);
        out.push(Joint {
            from: node(&plan.from, pair.from),
            to: node(&plan.to, pair.to),
            straighten,
            top: above.is_none(),
        });
    }
    out
}

/// What makes the key of a bone that of its counterpart: the turn before it and the one behind it.
pub(super) type Turns = HashMap<NodeId, (Quat, Quat)>;

/// Returns what keys are multiplied with so that bones point where those of the original do although they are at rest elsewhere, for
/// skeletons with the same tree. Bones for which `same` is true have keys that mean the same on both.
pub(super) fn turns(plan: &TransferPlan, [from, to]: [&Scene; 2], same: &dyn Fn(&Pair) -> bool) -> Turns {
    let rests = [Pose::rest(from), Pose::rest(to)];
    let joints = joints(plan, [&rests[0], &rests[1]], to_front(from, to));
    let mut kept: HashSet<NodeId> = HashSet::new();
    for pair in plan.matching.pairs.iter().filter(|pair| same(pair)) {
        kept.extend(plan.to.bones.get(pair.to).map(|bone| bone.node));
    }
    // By how much each bone is turned from where that of the original is.
    let mut apart: HashMap<NodeId, Quat> = HashMap::new();
    for joint in &joints {
        let rest = rotation(&rests[0], joint.from).inverse();
        let turn = rest * joint.straighten * rotation(&rests[1], joint.to);
        apart.insert(joint.to, if kept.contains(&joint.to) { Quat::IDENTITY } else { turn.normalize() });
    }
    let mut out = HashMap::new();
    for joint in &joints {
        let parent = |id: &NodeId| to.node(*id).and_then(|node| node.parent);
        let above = std::iter::successors(parent(&joint.to), parent).take(to.nodes.len());
        let above = above.into_iter().find_map(|id| apart.get(&id)).copied().unwrap_or(Quat::IDENTITY);
        let own = apart.get(&joint.to).copied().unwrap_or(Quat::IDENTITY);
        let flat = |turn: Quat| turn.w.abs() > 1.0 - 1e-6;
        if !flat(above) || !flat(own) {
            out.insert(joint.to, (above.inverse(), own));
        }
    }
    out
}

/// Returns clips for the second scene in which its bones turn as those of the first do.
pub(super) fn clips(
    [from, to]: [&Scene; 2],
    plan: &TransferPlan,
    chosen: &[Chosen],
    scale: &Scale,
    uniform: bool,
    losses: &mut Vec<Loss>,
) -> Vec<Clip> {
    let rests = [Pose::rest(from), Pose::rest(to)];
    let turn = to_front(from, to);
    let joints = joints(plan, [&rests[0], &rests[1]], turn);
    let order: HashMap<NodeId, usize> = (0..).zip(to.depth_first()).map(|(at, id)| (id, at)).collect();
    let mut sorted: Vec<&Joint> = joints.iter().collect();
    sorted.sort_by_key(|joint| order.get(&joint.to));
    let mut out = Vec::new();
    for one in chosen {
        let Some(clip) = from.clips.get(one.index) else { continue };
        let times = moments(clip.length);
        let mut keys: HashMap<NodeId, Keys> = sorted.iter().map(|j| (j.to, Keys::default())).collect();
        let mut stretched = 0usize;
        for time in &times {
            let source = Pose::at(from, clip, *time);
            let mut moment =
                Moment { scenes: [from, to], rests: &rests, source, turn, scale, target: rests[1].clone() };
            for joint in &sorted {
                let Some(grown) = moment.follow(joint, uniform) else { continue };
                stretched += usize::from(uniform && (grown - Vec3::ONE).abs().max_element() > 1e-3);
                let local = moment.target.local.get(joint.to as usize);
                if let Some((keys, local)) = keys.get_mut(&joint.to).zip(local) {
                    keys.rotations.push(Quat::from_array(local.rotation));
                    keys.translations.push(Vec3::from(local.translation));
                    keys.scales.push(Vec3::from(local.scale));
                }
            }
        }
        if stretched > 0 {
            let why = "a node of KotOR has one scale, which its children do not inherit";
            losses.push(
                Loss::new(format!("clip \"{}\"", galatea_wire::escape(&one.name)), "scales of bones")
                    .because(why),
            );
        }
        let mut channels = Vec::new();
        for joint in &sorted {
            let (Some(keys), Some(rest)) = (keys.remove(&joint.to), rests[1].local.get(joint.to as usize))
            else {
                continue;
            };
            keys.channels(joint.to, &times, rest, scale.unit(to), &mut channels);
        }
        out.push(Clip {
            name: one.name.clone(),
            length: clip.length,
            playback: clip.playback,
            channels,
            ..Clip::default()
        });
    }
    out
}

/// One moment of a clip: the source as it is then, and the target as far as it follows.
struct Moment<'a> {
    scenes: [&'a Scene; 2],
    rests: &'a [Pose; 2],
    source: Pose,
    /// Brings the front of the source to that of the target.
    turn: Quat,
    scale: &'a Scale,
    target: Pose,
}

impl Moment<'_> {
    /// Lets a bone of the target follow; those above it have followed before. Returns by how much the bone of the source has grown.
    fn follow(&mut self, joint: &Joint, uniform: bool) -> Option<Vec3> {
        let ([from, to], [rest_from, rest_to]) = (self.scenes, self.rests);
        let (source, turn) = (&self.source, self.turn);
        let parent = to.node(joint.to).and_then(|node| node.parent);
        let above = parent.map_or(glam::Mat4::IDENTITY, |parent| self.target.world_of(parent));
        let changed = rotation(source, joint.from) * rotation(rest_from, joint.from).inverse();
        let world = turn * changed * turn.inverse() * joint.straighten * rotation(rest_to, joint.to);
        let local = (above.to_scale_rotation_translation().1.inverse() * world).normalize();
        let moved = if joint.top {
            turn * (place(source, joint.from) - place(rest_from, joint.from)) * self.scale.all
        } else {
            // What a bone moves besides is seen in the frame of its parent, as that turns.
            let stretch = turn * stretch(from, source, rest_from, joint.from) * self.scale.of_node(joint.to);
            changed_above(source, rest_from, from, joint, turn) * stretch
        };
        let moved = above.inverse().transform_vector3(moved);
        let rest = rest_to.local.get(joint.to as usize)?;
        let slot = self.target.local.get_mut(joint.to as usize)?;
        slot.rotation = local.to_array();
        slot.translation = (Vec3::from(rest.translation) + moved).into();
        let own = source.local.get(joint.from as usize).zip(rest_from.local.get(joint.from as usize));
        let grown = own.map_or(Vec3::ONE, |(now, rest)| Vec3::from(now.scale) / Vec3::from(rest.scale));
        if !uniform {
            slot.scale = (Vec3::from(rest.scale) * grown).into();
        }
        // Bones between two that have counterparts are at rest, but are moved along.
        self.target.place(to);
        Some(grown)
    }
}

/// Returns how far a bone is from its place beside its parent, in the axes of the scene at rest.
fn stretch(scene: &Scene, pose: &Pose, rest: &Pose, node: NodeId) -> Vec3 {
    let (Some(now), Some(still)) = (pose.local.get(node as usize), rest.local.get(node as usize)) else {
        return Vec3::ZERO;
    };
    let moved = Vec3::from(now.translation) - Vec3::from(still.translation);
    let parent = scene.node(node).and_then(|node| node.parent);
    parent.map_or(moved, |parent| rest.world_of(parent).transform_vector3(moved))
}

/// Returns how the parent of a bone has turned, in the axes of the second scene.
fn changed_above(pose: &Pose, rest: &Pose, scene: &Scene, joint: &Joint, turn: Quat) -> Quat {
    let parent = scene.node(joint.from).and_then(|node| node.parent);
    let changed =
        parent.map_or(Quat::IDENTITY, |parent| rotation(pose, parent) * rotation(rest, parent).inverse());
    turn * changed * turn.inverse()
}

/// The keys of a bone.
#[derive(Default)]
struct Keys {
    rotations: Vec<Quat>,
    translations: Vec<Vec3>,
    scales: Vec<Vec3>,
}

impl Keys {
    /// Adds the channels of a bone that moves.
    fn channels(
        mut self,
        node: NodeId,
        times: &[f32],
        rest: &galatea_scene::Transform,
        unit: f32,
        out: &mut Vec<Channel>,
    ) {
        // Along the shorter arc from key to key.
        for at in 1..self.rotations.len() {
            if let (Some(before), Some(now)) =
                (self.rotations.get(at - 1).copied(), self.rotations.get_mut(at))
                && before.dot(*now) < 0.0
            {
                *now = -*now;
            }
        }
        let rotations: Vec<[f32; 4]> = self.rotations.iter().map(|q| q.to_array()).collect();
        let vectors = |list: &[Vec3]| list.iter().map(|v| v.to_array()).collect::<Vec<_>>();
        let (translations, scales) = (vectors(&self.translations), vectors(&self.scales));
        let mut add = |property: Property, values: Vec<f32>, width: usize, flat: f32, still: &[f32]| {
            let moves = values
                .chunks_exact(width)
                .any(|value| value.iter().zip(still).any(|(a, b)| (a - b).abs() > flat));
            if moves {
                let (times, values) = sparse(times, &values, width, flat);
                out.push(Channel::node(node, property, Interpolation::Linear, times, values));
            }
        };
        let [x, y, z, w] = rest.rotation;
        let sign = self
            .rotations
            .first()
            .map_or(1.0, |q| if q.dot(Quat::from_array(rest.rotation)) < 0.0 { -1.0 } else { 1.0 });
        add(Property::Rotation, rotations.concat(), 4, FLAT, &[x, y, z, w].map(|c| c * sign));
        add(Property::Translation, translations.concat(), 3, FLAT * unit, &rest.translation);
        add(Property::Scale, scales.concat(), 3, FLAT, &rest.scale);
    }
}

/// Leaves out keys that lie on the line between their neighbors.
fn sparse(times: &[f32], values: &[f32], width: usize, flat: f32) -> (Vec<f32>, Vec<f32>) {
    let value = |at: usize| values.get(at * width..(at + 1) * width).unwrap_or(&[]);
    let on_line = |from: usize, to: usize| {
        let span = times.get(to).zip(times.get(from)).map_or(1.0, |(b, a)| b - a);
        (from + 1..to).all(|at| {
            let t = times.get(at).zip(times.get(from)).map_or(0.0, |(b, a)| b - a) / span.max(1e-6);
            let mut ends = value(from).iter().zip(value(to)).zip(value(at));
            ends.all(|((a, b), here)| (a + (b - a) * t - here).abs() <= flat)
        })
    };
    let mut kept = vec![0usize];
    let mut last = 0;
    for at in 2..times.len() {
        // A stretch without keys of more than a second would cost too much to look through.
        if at - last > 32 || !on_line(last, at) {
            last = at - 1;
            kept.push(last);
        }
    }
    if times.len() > 1 {
        kept.push(times.len() - 1);
    }
    let pick = |at: &usize| times.get(*at).copied();
    (kept.iter().filter_map(pick).collect(), kept.iter().flat_map(|at| value(*at).iter().copied()).collect())
}
