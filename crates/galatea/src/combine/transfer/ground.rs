//! Proportions: how much larger one skeleton is than another, and its feet on the ground.

use std::collections::{BTreeMap, HashMap, HashSet};

use galatea_scene::{Clip, NodeId, Pose, Property, Purpose, Scene, Target as Animated};
use glam::{Mat4, Vec3};

use super::retarget::{Turns, moments};
use super::target::{PositionKeys, Target};
use super::{Chosen, TransferPlan};
use crate::combine::CombineError;
use crate::combine::bones::{BONE, Skeleton, part};

/// Points of a foot that are followed, at most.
const POINTS: usize = 4096;
/// How far above its lowest point what a model without feet stands on reaches, in heights.
const SOLE: f32 = 0.02;
/// Bones whose lengths differ by more have nothing to do with each other.
const WILD: f32 = 8.0;

/// By how much a foot may be off between two keys, in heights.
const EVEN: f32 = 2e-3;
/// Seconds between keys, at least: times of Warcraft are whole milliseconds.
const SHORTEST: f32 = 1e-3;
/// Keys in a second, at most, besides those at the usual moments.
const MOST: f32 = 240.0;

/// A point that bones carry.
#[derive(Debug, Clone)]
struct Point {
    /// The node whose mesh it belongs to.
    mesh: NodeId,
    /// Where it is in the space of each bone, and how much each counts.
    bones: Vec<(NodeId, f32, Vec3)>,
}

/// The soles of the feet of a model.
#[derive(Debug, Clone, Default)]
pub(super) struct Feet {
    points: Vec<Point>,
    /// The nodes that carry them.
    carriers: HashSet<NodeId>,
}

fn at(pose: &Pose, point: &Point) -> Vec3 {
    let bones = point.bones.iter();
    bones.map(|(node, weight, place)| pose.world_of(*node).transform_point3(*place) * *weight).sum()
}

/// Returns the vertices that are drawn, each with its bones; of level 0.
fn vertices(scene: &Scene, pose: &Pose) -> Vec<Point> {
    let mut out = Vec::new();
    let seen = |id: NodeId| pose.visible.get(id as usize).copied().unwrap_or(false);
    for (id, node, mesh) in scene.drawn().filter(|(id, ..)| seen(*id)) {
        if mesh.purpose != Purpose::Render || mesh.lod.unwrap_or(0) > 0 {
            continue;
        }
        let mut done = HashSet::new();
        for primitive in mesh.primitives.iter().filter(|p| done.insert(p.vertices)) {
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let skin = node.skin.and_then(|skin| scene.skins.get(skin as usize));
            for (index, place) in vertices.positions.iter().enumerate() {
                let place = Vec3::from(*place);
                let Some(skin) = skin.filter(|_| !vertices.influences.is_empty()) else {
                    out.push(Point { mesh: id, bones: vec![(id, 1.0, place)] });
                    continue;
                };
                let bones = vertices.influences.of(index).filter(|(_, weight)| *weight > 0.0);
                let carried = bones.filter_map(|(joint, weight)| {
                    let node = skin.joints.get(usize::from(joint))?;
                    Some((*node, weight, skin.bind(usize::from(joint)).transform_point3(place)))
                });
                let mut bones: Vec<(NodeId, f32, Vec3)> = carried.collect();
                let total: f32 = bones.iter().map(|(_, weight, _)| weight).sum();
                if total > 0.0 {
                    bones.iter_mut().for_each(|(_, weight, _)| *weight /= total);
                    out.push(Point { mesh: id, bones });
                }
            }
        }
    }
    out
}

impl Feet {
    /// Finds what both models stand on. If feet match, these are meant: a model may have other bodies, such as one that rides.
    pub(super) fn of_both(plan: &TransferPlan, [from, to]: [&Scene; 2]) -> [Feet; 2] {
        let node = |skeleton: &Skeleton, at: usize| skeleton.bones.get(at).map(|bone| bone.node);
        let name = |at: usize| plan.from.bones.get(at).map_or("", |bone| bone.name.as_str());
        let name_to = |at: usize| plan.to.bones.get(at).map_or("", |bone| bone.name.as_str());
        let pairs = plan.matching.pairs.iter().filter(|p| is_foot(name(p.from)) || is_foot(name_to(p.to)));
        let matched: Vec<[NodeId; 2]> =
            pairs.filter_map(|p| Some([node(&plan.from, p.from)?, node(&plan.to, p.to)?])).collect();
        let own = [matched.iter().map(|[a, _]| *a).collect(), matched.iter().map(|[_, b]| *b).collect()];
        let found: Vec<Feet> =
            [from, to].into_iter().zip(&own).filter_map(|(scene, tops)| Feet::below(scene, tops)).collect();
        // Feet are compared with feet that match, or all with all.
        <[Feet; 2]>::try_from(found).unwrap_or_else(|_| [Feet::of(from), Feet::of(to)])
    }

    /// Finds what a model stands on: the vertices of its feet, by the names that feet have; of models without such names, the lowest of all.
    fn of(scene: &Scene) -> Feet {
        let named = scene.depth_first().into_iter();
        let tops = named.filter(|id| scene.node(*id).is_some_and(|node| is_foot(&node.name))).collect();
        Feet::below(scene, &tops).unwrap_or_else(|| Feet::lowest(scene))
    }

    /// Returns the feet at some nodes with all below them: what these carry alone or for the most part. `None` if they carry nothing.
    fn below(scene: &Scene, tops: &HashSet<NodeId>) -> Option<Feet> {
        let mut foot: HashMap<NodeId, NodeId> = HashMap::new();
        for id in scene.depth_first() {
            let above = scene.node(id).and_then(|node| node.parent).and_then(|parent| foot.get(&parent));
            if let Some(top) = above.copied().or(tops.contains(&id).then_some(id)) {
                foot.insert(id, top);
            }
        }
        let pose = Pose::rest(scene);
        let mut groups: BTreeMap<NodeId, Vec<(f32, Point)>> = BTreeMap::new();
        for point in vertices(scene, &pose) {
            let mut shares: BTreeMap<NodeId, f32> = BTreeMap::new();
            for (node, weight, _) in &point.bones {
                foot.get(node).into_iter().for_each(|top| *shares.entry(*top).or_default() += weight);
            }
            let y = at(&pose, &point).y;
            if let Some((top, _)) =
                shares.into_iter().find(|(_, share)| *share > 0.5).filter(|_| y.is_finite())
            {
                groups.entry(top).or_default().push((y, point));
            }
        }
        (!groups.is_empty()).then(|| Feet::made_of(groups.into_values()))
    }

    /// Returns the lowest vertices of a model.
    fn lowest(scene: &Scene) -> Feet {
        let pose = Pose::rest(scene);
        let all = vertices(scene, &pose).into_iter().map(|point| (at(&pose, &point).y, point));
        let mut all: Vec<(f32, Point)> = all.filter(|(y, _)| y.is_finite()).collect();
        let ys = || all.iter().map(|(y, _)| *y);
        let (lowest, highest) = (ys().fold(f32::MAX, f32::min), ys().fold(f32::MIN, f32::max));
        all.retain(|(y, _)| *y <= lowest + (highest - lowest).max(1e-4) * SOLE);
        Feet::made_of([all])
    }

    fn made_of(groups: impl IntoIterator<Item = Vec<(f32, Point)>>) -> Feet {
        let mut points = Vec::new();
        for mut group in groups {
            group.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A foot that is put down with its toe or its heel first has another lowest point: all of them are followed.
            let step = group.len().div_ceil(POINTS).max(1);
            points.extend(group.into_iter().step_by(step).map(|(_, point)| point));
        }
        let carriers = points.iter().flat_map(|point| &point.bones).map(|(node, ..)| *node).collect();
        Feet { points, carriers }
    }

    /// Returns how high the lowest foot is, in meters, of what is seen; `None` for models without vertices.
    pub(super) fn height(&self, pose: &Pose) -> Option<f32> {
        let seen = |point: &&Point| pose.visible.get(point.mesh as usize).copied().unwrap_or(true);
        let lowest = |points: &mut dyn Iterator<Item = &Point>| {
            points.map(|point| at(pose, point).y).filter(|y| y.is_finite()).reduce(f32::min)
        };
        lowest(&mut self.points.iter().filter(seen)).or_else(|| lowest(&mut self.points.iter()))
    }
}

/// Returns `true` for the names of feet and toes.
fn is_foot(name: &str) -> bool {
    part(name).is_some_and(|part| part.ends_with(" foot") || part.ends_with(" toe"))
}

/// How much longer the bones of one skeleton are than those of another.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    /// The whole skeleton, by its legs.
    pub(super) all: f32,
    /// Each bone, by its node.
    nodes: HashMap<NodeId, f32>,
    /// The height in meters.
    height: f32,
    /// What rotations are multiplied with, for bones that are at rest elsewhere.
    pub(super) turns: Turns,
}

impl Scale {
    pub(super) fn of(plan: &TransferPlan, scenes: [&Scene; 2], feet: &[Feet; 2]) -> Scale {
        let rests = scenes.map(Pose::rest);
        let bone = |skeleton: &Skeleton, at: usize| skeleton.bones.get(at).map_or(0, |bone| bone.node);
        let pairs: Vec<(NodeId, NodeId)> =
            plan.matching.pairs.iter().map(|p| (bone(&plan.from, p.from), bone(&plan.to, p.to))).collect();
        let all = larger(plan, &rests, feet);
        let [source, target] = &rests;
        let length = |scene: &Scene, pose: &Pose, node: NodeId| {
            let parent = scene.node(node).and_then(|node| node.parent)?;
            let between = pose.world_of(node).w_axis - pose.world_of(parent).w_axis;
            Some(between.truncate().length())
        };
        let known: HashSet<usize> = plan.matching.pairs.iter().map(|p| p.from).collect();
        let mut nodes = HashMap::new();
        for ((a, b), pair) in pairs.iter().zip(&plan.matching.pairs) {
            let top = !plan.from.ancestors(pair.from).any(|at| known.contains(&at));
            let lengths = length(scenes[0], source, *a).zip(length(scenes[1], target, *b)).filter(|_| !top);
            let long = |(a, b): &(f32, f32)| *a > 0.01 * plan.from.height && *b > 0.01 * plan.to.height;
            let ratio = lengths.filter(long).map(|(a, b)| b / a).filter(|r| (1.0 / WILD..WILD).contains(r));
            nodes.insert(*b, ratio.unwrap_or(all));
        }
        Scale { all, nodes, height: plan.to.height, turns: Turns::new() }
    }

    /// Returns how much longer a bone of the second skeleton is than its counterpart.
    pub(super) fn of_node(&self, node: NodeId) -> f32 {
        self.nodes.get(&node).copied().unwrap_or(self.all)
    }

    /// Returns the height of the skeleton in the units of its format.
    pub(super) fn unit(&self, scene: &Scene) -> f32 {
        let axes = scene.axes().and_then(|id| scene.node(id));
        let [scale, ..] = axes.map_or([1.0; 3], |node| node.transform.scale);
        self.height / scale.abs().max(1e-9)
    }
}

/// Returns how much larger the second skeleton is: by its legs, or by its height if these are not known.
pub(super) fn larger(plan: &TransferPlan, rests: &[Pose; 2], feet: &[Feet; 2]) -> f32 {
    legs(plan, rests, feet).unwrap_or(plan.to.height / plan.from.height.max(1e-4))
}

/// Returns how much longer the legs are: how high the hips are above the soles, at rest.
fn legs(plan: &TransferPlan, rests: &[Pose; 2], feet: &[Feet; 2]) -> Option<f32> {
    let hips = plan.matching.pairs.iter().find(|pair| {
        let name = plan.from.bones.get(pair.from).map_or("", |bone| bone.name.as_str());
        part(name).is_some_and(|part| part.ends_with(" thigh"))
    })?;
    let [source, target] = rests;
    let [theirs, ours] = feet;
    let leg = |pose: &Pose, feet: &Feet, skeleton: &Skeleton, at: usize| {
        let hip = pose.world_of(skeleton.bones.get(at)?.node).w_axis.y;
        let leg = hip - feet.height(pose)?;
        (leg > 0.05 * skeleton.height).then_some(leg)
    };
    let (a, b) = (leg(source, theirs, &plan.from, hips.from)?, leg(target, ours, &plan.to, hips.to)?);
    Some(b / a)
}

/// Returns the bone that carries nearly the whole body with both feet: what is moved up and down.
fn body(plan: &TransferPlan, scene: &Scene, feet: &Feet) -> Option<NodeId> {
    let above = |node: NodeId| {
        let parent = |id: &NodeId| scene.node(*id).and_then(|node| node.parent);
        let left = scene.nodes.len();
        std::iter::successors(Some(node), parent).take(left).collect::<Vec<NodeId>>()
    };
    let matched: Vec<NodeId> = plan
        .matching
        .pairs
        .iter()
        .filter_map(|pair| plan.to.bones.get(pair.to))
        .filter(|bone| bone.kind == BONE)
        .map(|bone| bone.node)
        .collect();
    let lines: Vec<Vec<NodeId>> = matched.iter().map(|node| above(*node)).collect();
    let mut carriers = feet.carriers.iter();
    let mut common: Vec<NodeId> = above(*carriers.next()?);
    for carrier in carriers {
        let line = above(*carrier);
        common.retain(|node| line.contains(node));
    }
    // A node without a counterpart carries the body as well as any, if there is no other.
    common.retain(|node| scene.node(*node).is_some_and(|node| !node.axes));
    if common.iter().any(|node| matched.contains(node)) {
        common.retain(|node| matched.contains(node));
    }
    // Bones of the body that are below each, apart from those above it.
    let share = |node: &NodeId| {
        let own = above(*node).len();
        let others = lines.iter().filter(|line| line.len() > own).count().max(1);
        let below = lines.iter().filter(|line| line.len() > own && line.contains(node)).count();
        below as f32 / others as f32
    };
    common.iter().find(|node| share(node) >= 0.9).or(common.last()).copied()
}

/// Moves the body in every new clip so that the lower foot is as high above the ground as that of the original, measured in legs.
pub(super) fn keep(
    target: &mut Target,
    source: &Scene,
    chosen: &[Chosen],
    plan: &TransferPlan,
    feet: &[Feet; 2],
) -> Result<(), CombineError> {
    let scene = target.scene();
    let Some(body) = body(plan, &scene, &feet[1]) else { return Ok(()) };
    let rests = [Pose::rest(source), Pose::rest(&scene)];
    let factor = larger(plan, &rests, feet);
    let Some(rest) = rests[1].local.get(body as usize).map(|local| Vec3::from(local.translation)) else {
        return Ok(());
    };
    let mut all: Vec<(String, PositionKeys)> = Vec::new();
    for one in chosen {
        let (Some(old), Some(new)) = (source.clips.get(one.index), target.clip(&scene, &one.name)) else {
            continue;
        };
        let lift = Lift { scenes: [source, &scene], clips: [old, new], feet, factor, body, rest };
        let unit = plan.to.height.max(1e-4);
        let keys: Option<Vec<(f32, Vec3, Vec3)>> =
            moments_of(new, body).into_iter().map(|time| lift.at(time)).collect();
        if let Some(keys) = keys.map(|keys| lift.between(keys, unit * EVEN)) {
            let (times, values) = keys.into_iter().map(|(time, local, _)| (time, local.to_array())).unzip();
            all.push((one.name.clone(), PositionKeys { node: body, times, values }));
        }
    }
    all.iter().try_for_each(|(clip, keys)| target.set_position(clip, keys))
}

/// A body that is moved up and down in a clip.
struct Lift<'a> {
    scenes: [&'a Scene; 2],
    clips: [&'a Clip; 2],
    feet: &'a [Feet; 2],
    factor: f32,
    body: NodeId,
    /// Where the body is beside its parent, at rest.
    rest: Vec3,
}

impl Lift<'_> {
    /// Returns where the body has to be at a time: relative to its rest, and in meters.
    fn at(&self, time: f32) -> Option<(f32, Vec3, Vec3)> {
        let ([source, scene], [old, new], [theirs, ours]) = (self.scenes, self.clips, self.feet);
        let (a, b) = (Pose::at(source, old, time), Pose::at(scene, new, time));
        let up = Vec3::Y * (theirs.height(&a)? * self.factor - ours.height(&b)?);
        let parent = scene.node(self.body).and_then(|node| node.parent);
        let above = parent.map_or(Mat4::IDENTITY, |parent| b.world_of(parent));
        let own = b.local.get(self.body as usize).map_or(self.rest, |local| Vec3::from(local.translation));
        let local = own + above.inverse().transform_vector3(up);
        Some((time, local - self.rest, above.transform_vector3(local - self.rest)))
    }

    /// Adds keys where a foot moves unevenly: until the way from key to key is within so many meters of what it has to be.
    fn between(&self, keys: Vec<(f32, Vec3, Vec3)>, even: f32) -> Vec<(f32, Vec3, Vec3)> {
        let mut todo: Vec<(f32, Vec3, Vec3)> = keys.into_iter().rev().collect();
        let mut out = Vec::with_capacity(todo.len());
        // Each second of a clip has room for so many keys.
        let mut left = (self.clips[1].length.clamp(1.0, 3600.0) * MOST) as usize;
        while let Some(key) = todo.pop() {
            if let Some(next) =
                todo.last().copied().filter(|next| next.0 - key.0 > 1.5 * SHORTEST && left > 0)
            {
                let middle = whole((key.0 + next.0) / 2.0).clamp(key.0, next.0);
                let share = (middle - key.0) / (next.0 - key.0);
                if let Some(new) =
                    self.at(middle).filter(|new| (key.2.lerp(next.2, share) - new.2).length() > even)
                {
                    left -= 1;
                    todo.push(new);
                    todo.push(key);
                    continue;
                }
            }
            out.push(key);
        }
        out
    }
}

/// Returns the nearest time at which there may be a key.
fn whole(seconds: f32) -> f32 {
    (seconds / SHORTEST).round() * SHORTEST
}

/// The moments of a clip, with those of the keys that a node has.
fn moments_of(clip: &Clip, node: NodeId) -> Vec<f32> {
    let own = clip
        .channels
        .iter()
        .filter(|c| c.target == Animated::Node(node) && c.property == Property::Translation);
    let keys = own.flat_map(|c| c.times.iter().copied()).filter(|t| (0.0..=clip.length).contains(t));
    let mut times: Vec<f32> = moments(clip.length).into_iter().map(whole).chain(keys).collect();
    times.sort_by(f32::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() < 5e-4);
    // The end is a key, even if another one is just before.
    if let Some(last) = times.last_mut() {
        *last = clip.length;
    }
    times
}
