//! Visual comparison of two scenes: triangles in place, weights, and clips.

use std::collections::{HashMap, HashSet};

use glam::{Mat3, Mat4, Quat, Vec3};

use crate::{Clip, NodeId, Pose, Property, Scene, Target, Topology};

/// How much two scenes may differ and still look the same.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Tolerance {
    /// Distance of positions, relative to the model's size or to its largest coordinate if that is more.
    pub place: f32,
    /// Difference of weights.
    pub weight: f32,
    /// Number of joints per vertex that are compared: the strongest, with their weights normalized.
    pub influences: usize,
    /// Distance of nodes in clips relative to the model's size, and difference of their rotations.
    pub clip: f32,
    /// Seconds to which times of keys are rounded; 0 for no rounding.
    pub tick: f32,
    /// Whether clips are compared.
    pub clips: bool,
    /// Whether duplicate and two-sided triangles must occur as often in both scenes.
    pub twins: bool,
}

galatea_wire::setters! {
    Tolerance {
        with_place: place: f32,
        with_weight: weight: f32,
        with_influences: influences: usize,
        with_clip: clip: f32,
        with_tick: tick: f32,
        with_clips: clips: bool,
        with_twins: twins: bool,
    }
}

impl Default for Tolerance {
    fn default() -> Self {
        Tolerance {
            place: 1e-5,
            weight: 1.0 / 255.0,
            influences: usize::MAX,
            clip: 1e-4,
            tick: 0.0,
            clips: true,
            twins: true,
        }
    }
}

/// A corner of a triangle, with the nodes of the second scene that move it.
struct Corner {
    at: Vec3,
    weights: Vec<(Option<NodeId>, f32)>,
    skinned: bool,
}

impl Scene {
    /// Returns the visible differences of another scene from this one, a line each; empty if they look the same. The scenes are
    /// compared facing the same direction. Nodes are matched by name, or else by position.
    ///
    /// ```
    /// use galatea_scene::{Tolerance, example};
    /// let scene = example();
    /// let mut other = scene.clone();
    /// assert!(scene.looks_like(&other, &Tolerance::default()).is_empty());
    /// other.vertices[0].positions[0][1] += 1.0;
    /// assert!(scene.looks_like(&other, &Tolerance::default())[0].contains("triangles"));
    /// ```
    pub fn looks_like(&self, other: &Scene, tolerance: &Tolerance) -> Vec<String> {
        let bounds = Pose::rest(self).bounds(self);
        let size = bounds.map_or(1.0, |b| b.size()).max(1e-6);
        // Numbers are less precise far from the origin.
        let far = |b: crate::Bounds| Vec3::from(b.min).abs().max(Vec3::from(b.max).abs()).max_element();
        let reach = bounds.map_or(1.0, far).max(size);
        let turn = Mat4::from_quat(turn_between(self.front(), other.front()));
        let pair = Pair { a: self, b: other, twins: twins(self, other, turn), turn, size, reach, tolerance };
        let mut lines = Vec::new();
        pair.geometry(&mut lines);
        if tolerance.clips {
            pair.clips(&mut lines);
        }
        lines
    }
}

/// Returns the rotation about the up axis from one direction to another.
pub(crate) fn turn_between(from: [f32; 3], to: [f32; 3]) -> Quat {
    let angle = |[x, _, z]: [f32; 3]| x.atan2(z);
    let level = |[x, _, z]: [f32; 3]| x.abs() + z.abs() > 1e-3;
    let turn = angle(to) - angle(from);
    if !level(from) || !level(to) || turn.abs() < 1e-6 {
        return Quat::IDENTITY;
    }
    // Half turns are frequent, and can be exact.
    if (turn.abs() - std::f32::consts::PI).abs() < 1e-6 {
        return Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
    }
    Quat::from_rotation_y(turn)
}

/// Returns for each node of the first scene the matching node of the second.
fn twins(a: &Scene, b: &Scene, turn: Mat4) -> Vec<Option<NodeId>> {
    let mut by_name: HashMap<&str, Vec<NodeId>> = HashMap::new();
    for (id, node) in b.nodes.iter().enumerate().rev() {
        by_name.entry(&node.name).or_default().push(id as NodeId);
    }
    let named = a.nodes.iter().map(|n| {
        let list = by_name.get_mut(n.name.as_str())?;
        // Of several with the same name, the one with the same extras; or else the first.
        let same = |id: &NodeId| b.node(*id).is_some_and(|other| other.extras == n.extras);
        let at = if list.len() > 1 { list.iter().rposition(same) } else { None };
        at.or(list.len().checked_sub(1)).map(|at| list.remove(at))
    });
    let mut found: Vec<Option<NodeId>> = named.collect();
    let mut free = vec![true; b.nodes.len()];
    for id in found.iter().flatten() {
        if let Some(slot) = free.get_mut(*id as usize) {
            *slot = false;
        }
    }
    let (here, there) = (Pose::rest(a), Pose::rest(b));
    let moves = (moved(a), moved(b));
    for (id, slot) in found.iter_mut().enumerate().filter(|(_, f)| f.is_none()) {
        let at = (turn * here.world_of(id as NodeId)).w_axis.truncate();
        // A truncated name has the same beginning.
        let begins = |other: &usize| {
            let (x, y) = (a.nodes.get(id), b.nodes.get(*other));
            let letters =
                x.into_iter().flat_map(|n| n.name.chars()).zip(y.into_iter().flat_map(|n| n.name.chars()));
            letters.take_while(|(x, y)| x == y).count() >= 8
        };
        let alike =
            |other: &usize| moves.0.contains(&(id as NodeId)) == moves.1.contains(&(*other as NodeId));
        let far = |other: &usize| at.distance_squared(there.world_of(*other as NodeId).w_axis.truncate());
        let nearest = (0..b.nodes.len()).filter(|i| free.get(*i) == Some(&true)).min_by(|x, y| {
            let name = alike(y).cmp(&alike(x)).then(begins(y).cmp(&begins(x)));
            name.then(far(x).total_cmp(&far(y)))
        });
        if let Some(other) = nearest {
            *slot = Some(other as NodeId);
            if let Some(free) = free.get_mut(other) {
                *free = false;
            }
        }
    }
    found
}

/// Returns the nodes that any clip moves.
fn moved(scene: &Scene) -> HashSet<NodeId> {
    let channels = scene.clips.iter().flat_map(|c| &c.channels);
    channels.filter_map(|c| if let Target::Node(id) = c.target { Some(id) } else { None }).collect()
}

struct Pair<'a> {
    a: &'a Scene,
    b: &'a Scene,
    twins: Vec<Option<NodeId>>,
    turn: Mat4,
    size: f32,
    reach: f32,
    tolerance: &'a Tolerance,
}

impl Pair<'_> {
    fn twin(&self, id: NodeId) -> Option<NodeId> {
        self.twins.get(id as usize).copied().flatten()
    }

    fn triangles(
        &self,
        scene: &Scene,
        turn: Mat4,
        name: &dyn Fn(NodeId) -> Option<NodeId>,
    ) -> Vec<[Corner; 3]> {
        let pose = Pose::rest(scene);
        let mut out = Vec::new();
        for (id, node, mesh) in scene.drawn() {
            let skin = node.skin.and_then(|s| scene.skins.get(s as usize));
            for primitive in mesh.primitives.iter().filter(|p| p.topology == Topology::Triangles) {
                let placed = pose.deform(scene, id, primitive);
                let Some(vertices) = scene.vertices_of(primitive) else { continue };
                let skinned = skin.is_some() && !vertices.influences.is_empty();
                let first = skin.and_then(|s| Some(pose.world_of(*s.joints.first()?) * s.bind(0)));
                let moved = first.filter(|_| skinned).unwrap_or_else(|| pose.world_of(id));
                let mirrored = moved.determinant() < 0.0;
                let corner = |v: u32| {
                    let mut weights: Vec<(Option<NodeId>, f32)> = Vec::new();
                    let joints = skin.map_or(&[][..], |s| &s.joints);
                    for (joint, weight) in vertices.influences.of(v as usize).filter(|(_, w)| *w > 0.0) {
                        let node = joints.get(usize::from(joint)).and_then(|j| name(*j));
                        match weights.iter_mut().find(|(n, _)| *n == node) {
                            Some((_, sum)) => *sum += weight,
                            None => weights.push((node, weight)),
                        }
                    }
                    self.strongest(&mut weights);
                    let at = placed.positions.get(v as usize).copied().unwrap_or_default();
                    Corner { at: turn.transform_point3(at.into()), weights, skinned }
                };
                let distinct = |t: &[u32; 3]| matches!(t, [a, b, c] if a != b && b != c && a != c);
                let round = |[a, b, c]: [u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
                let all = primitive.triangles(placed.positions.len()).filter(distinct);
                out.extend(all.map(|t| round(t).map(corner)));
            }
        }
        out
    }

    fn strongest(&self, weights: &mut Vec<(Option<NodeId>, f32)>) {
        if weights.len() > self.tolerance.influences {
            weights.sort_by(|a, b| b.1.total_cmp(&a.1));
            weights.truncate(self.tolerance.influences);
        }
        let sum: f32 = weights.iter().map(|(_, w)| w).sum();
        weights.iter_mut().for_each(|(_, w)| *w /= sum.max(1e-6));
    }

    /// Compares triangles: each needs one in the other scene with the same corners and weights.
    fn geometry(&self, lines: &mut Vec<String>) {
        let a = self.triangles(self.a, self.turn, &|id| self.twin(id));
        let b = self.triangles(self.b, Mat4::IDENTITY, &Some);
        let tolerance = self.tolerance.place * self.reach;
        let cell = |p: Vec3| (p / (tolerance * 50.0)).floor().to_array().map(|x| x as i64);
        let middle = |[a, b, c]: &[Corner; 3]| (a.at + b.at + c.at) / 3.0;
        let mut places: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
        for (i, triangle) in b.iter().enumerate() {
            places.entry(cell(middle(triangle))).or_default().push(i);
        }
        let mut used = vec![false; b.len()];
        let turns = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        let corners = |t: &[Corner; 3]| {
            let mut all = [0, 1, 2].map(|i| t.get(i).map_or([0; 3], |c| c.at.to_array().map(f32::to_bits)));
            all.sort_unstable();
            all
        };
        let mut often: HashMap<[[u32; 3]; 3], usize> = HashMap::new();
        a.iter().for_each(|t| *often.entry(corners(t)).or_default() += 1);
        let (mut lost, mut apart) = (0usize, 0f32);
        for triangle in &a {
            let [x, y, z] = cell(middle(triangle));
            let around = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [i, j, k])));
            let near = around.filter_map(|[i, j, k]| places.get(&[x + i, y + j, z + k])).flatten();
            let mut best = None::<(f32, usize)>;
            // Of two triangles with opposite fronts, either one is enough.
            let either = !self.tolerance.twins && often.get(&corners(triangle)).is_some_and(|n| *n > 1);
            let ways = if either { 6 } else { 3 };
            for (at, turn) in near.flat_map(|i| turns.iter().take(ways).map(move |t| (*i, t))) {
                let Some(other) = b.get(at) else { continue };
                if self.tolerance.twins && used.get(at) == Some(&true) {
                    continue;
                }
                let pairs = || triangle.iter().zip(turn.iter().filter_map(|t| other.get(*t)));
                if pairs().all(|(a, b)| (a.at - b.at).abs().max_element() <= tolerance) {
                    let far = pairs().map(|(a, b)| weights_apart(a, b)).fold(0.0, f32::max);
                    if best.is_none_or(|(b, _)| far < b) {
                        best = Some((far, at));
                    }
                }
            }
            match best {
                Some((far, at)) => {
                    apart = apart.max(far);
                    if let Some(used) = used.get_mut(at) {
                        *used = true;
                    }
                }
                None => lost += 1,
            }
        }
        if lost > 0 {
            lines.push(format!("{lost} of {} triangles moved or lost", a.len()));
        }
        let new = used.iter().filter(|u| !**u).count();
        if new > 0 && self.tolerance.twins {
            lines.push(format!("{new} triangles that were not there"));
        }
        if apart > self.tolerance.weight {
            lines.push(format!("weights differ by {apart:.4}"));
        }
    }

    /// Compares clips: at the keys of the first, nodes must have the same position, and the same rotation relative to rest.
    fn clips(&self, lines: &mut Vec<String>) {
        for (i, clip) in self.a.clips.iter().enumerate() {
            let same_name = self.b.clips.iter().find(|c| c.name == clip.name);
            let same_place = || self.b.clips.get(i).filter(|_| self.a.clips.len() == self.b.clips.len());
            let Some(other) = same_name.or_else(same_place) else {
                lines.push(format!("clip {:?} is gone", clip.name));
                continue;
            };
            let (far, node) = self.farthest(clip, other);
            if far > self.tolerance.clip {
                lines.push(format!("clip {:?}: node {node:?} {far:.6} apart", clip.name));
            }
        }
    }

    fn farthest(&self, clip: &Clip, other: &Clip) -> (f32, &str) {
        let mut times: Vec<f32> = clip.channels.iter().flat_map(|c| c.times.iter().copied()).collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        let mut moved: Vec<NodeId> = Vec::new();
        for channel in &clip.channels {
            let moves =
                matches!(channel.property, Property::Translation | Property::Rotation | Property::Scale);
            if let Target::Node(id) = channel.target
                && moves
            {
                moved.push(id);
            }
        }
        moved.sort_unstable();
        moved.dedup();
        let rest = (Pose::rest(self.a), Pose::rest(self.b));
        let mut far = (0f32, "");
        // A sample of the keys is enough.
        for time in times.iter().step_by(times.len() / 32 + 1) {
            let tick = self.tolerance.tick;
            let rounded = if tick > 0.0 { (time / tick).round() * tick } else { *time };
            let (here, there) = (Pose::at(self.a, clip, *time), Pose::at(self.b, other, rounded));
            for id in &moved {
                let Some(twin) = self.twin(*id) else { continue };
                let (x, y) = (self.turn * here.world_of(*id), there.world_of(twin));
                let apart = (x.w_axis - y.w_axis).abs().max_element() / self.size;
                let since = |now: Mat4, then: Mat4| rotation(Mat3::from_mat4(now * then.inverse()));
                let turned = since(x, self.turn * rest.0.world_of(*id));
                let again = since(y, rest.1.world_of(twin));
                let name = self.a.node(*id).map_or("", |n| n.name.as_str());
                let swung = (turned - again).length().min((turned + again).length()) * 0.5;
                for apart in [apart, swung] {
                    if apart > far.0 || !apart.is_finite() {
                        far = (if apart.is_finite() { apart } else { f32::MAX }, name);
                    }
                }
            }
        }
        far
    }
}

/// Returns the rotation of a matrix as a quaternion of either sign.
fn rotation(linear: Mat3) -> glam::Vec4 {
    let (_, turn, _) = Mat4::from_mat3(linear).to_scale_rotation_translation();
    glam::Vec4::from(if turn.is_finite() { turn } else { Quat::IDENTITY })
}

fn weights_apart(a: &Corner, b: &Corner) -> f32 {
    // Vertices without a skin may be bound to a single joint instead.
    if !a.skinned && (!b.skinned || b.weights.len() <= 1) {
        return 0.0;
    }
    let of = |c: &Corner, node: Option<NodeId>| {
        c.weights.iter().find(|(n, _)| *n == node).map_or(0.0, |(_, w)| *w)
    };
    let nodes = a.weights.iter().chain(&b.weights).map(|(n, _)| *n);
    nodes.map(|n| (of(a, n) - of(b, n)).abs()).fold(0.0, f32::max)
}
