//! Channels for plain viewers, which play one clip at a time and let every node inherit everything.

use std::collections::{HashMap, HashSet};

use glam::{Mat4, Quat, Vec3};

use crate::{Channel, Clip, Interpolation, NodeId, Playback, Pose, Property, Scene, Target, Transform};

/// The smallest distance between keys, in seconds. Editors merge keys that are closer than half of it.
const APART: f32 = 1e-3;

/// Seconds between the samples of a node that does not inherit everything.
const SAMPLE: f32 = 1.0 / 30.0;

/// How far a part of a transform may be off, as a share of the model's size or of 1.
const CLOSE: f32 = 1e-4;

/// The number of keys that may be added: a multiple of those that are there.
#[derive(Debug)]
struct Budget(usize);

impl Budget {
    fn of(scene: &Scene) -> Budget {
        let keys = scene.clips.iter().flat_map(|c| &c.channels).map(|c| c.times.len()).sum::<usize>();
        Budget((1 << 14) + 8 * keys)
    }

    fn take(&mut self, keys: usize) -> bool {
        let left = self.0.checked_sub(keys);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

fn is_move(property: &Property) -> bool {
    matches!(property, Property::Translation | Property::Rotation | Property::Scale)
}

impl Scene {
    /// Returns, for each clip, the channels that a plain viewer needs beside the clip's own, or instead of them, to show what the
    /// game shows: the movements of clips that always play, repeated over its length, those of nodes that do not inherit everything
    /// from their parents, and a last key where it ends.
    ///
    /// ```
    /// use galatea_scene::{Channel, Clip, Interpolation, Playback, Property, Scene};
    /// let mut scene = Scene::new("mill");
    /// scene.add_node(None, Default::default());
    /// let turn = Channel::node(0, Property::Translation, Interpolation::Linear, vec![0.0, 1.0], vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    /// scene.clips = vec![
    ///     Clip { name: "stand".into(), length: 2.5, ..Clip::default() },
    ///     Clip { length: 1.0, playback: Playback::Always, channels: vec![turn], ..Clip::default() },
    /// ];
    /// let added = scene.viewer_channels();
    /// assert_eq!(added[0][0].sample(2.25).unwrap(), [0.25, 0.0, 0.0]);
    /// assert!(added[1].is_empty());
    /// ```
    pub fn viewer_channels(&self) -> Vec<Vec<Channel>> {
        let mut out: Vec<Vec<Channel>> = vec![Vec::new(); self.clips.len()];
        let always: Vec<&Clip> = self.clips.iter().filter(|c| c.playback == Playback::Always).collect();
        let partial = self.partial_nodes();
        let mut budget = Budget::of(self);
        for (clip, out) in self.clips.iter().zip(&mut out).filter(|(c, _)| c.playback != Playback::Always) {
            let own: HashSet<(Target, &Property)> =
                clip.channels.iter().map(|c| (c.target, &c.property)).collect();
            for other in &always {
                for channel in other.channels.iter().filter(|c| is_move(&c.property)) {
                    if !own.contains(&(channel.target, &channel.property)) {
                        out.extend(repeated(channel, other.length, clip.length, &mut budget));
                    }
                }
            }
            if !partial.is_empty() {
                self.stand_alone(clip, &partial, out, &mut budget);
            }
        }
        for (clip, out) in self.clips.iter().zip(&mut out) {
            let end = self.end_of(clip, out);
            out.extend(end);
        }
        out
    }

    /// Returns a channel that holds a node where it is until the clip ends, if its movements end before: a viewer plays a clip up to its
    /// last key.
    fn end_of(&self, clip: &Clip, added: &[Channel]) -> Option<Channel> {
        let moves = || added.iter().chain(&clip.channels).filter(|c| is_move(&c.property));
        let last = moves().filter_map(|c| c.times.last()).copied().fold(0.0, f32::max);
        if !(clip.length.is_finite() && clip.length > last) {
            return None;
        }
        let moved: HashSet<Target> =
            moves().filter(|c| c.property == Property::Translation).map(|c| c.target).collect();
        let (node, still) = (0..).zip(&self.nodes).find(|(id, _)| !moved.contains(&Target::Node(*id)))?;
        let values = [still.transform.translation; 2].concat();
        let times = vec![0.0, clip.length];
        Some(Channel::node(node, Property::Translation, Interpolation::Step, times, values))
    }

    /// Returns the nodes that do not inherit everything and move something that is drawn.
    fn partial_nodes(&self) -> Vec<NodeId> {
        let whole = |id: &NodeId| {
            self.node(*id).is_none_or(|n| n.inherit.translation && n.inherit.rotation && n.inherit.scale)
        };
        let all = 0..self.nodes.len() as NodeId;
        let partial: Vec<NodeId> = all.filter(|id| !whole(id)).collect();
        if partial.is_empty() {
            return partial;
        }
        let mut drawn: HashSet<NodeId> = self.skins.iter().flat_map(|s| s.joints.iter().copied()).collect();
        drawn.extend((0..).zip(&self.nodes).filter(|(_, n)| n.mesh.is_some()).map(|(id, _)| id));
        // Everything above what is drawn moves it.
        for id in self.depth_first().into_iter().rev() {
            if drawn.contains(&id) {
                drawn.extend(self.node(id).and_then(|n| n.parent));
            }
        }
        partial.into_iter().filter(|id| drawn.contains(id)).collect()
    }

    /// Adds sampled channels for nodes that do not inherit everything, if the clip moves them otherwise than a viewer would.
    fn stand_alone(&self, clip: &Clip, nodes: &[NodeId], out: &mut Vec<Channel>, budget: &mut Budget) {
        let played = Clip {
            channels: out.iter().chain(&clip.channels).cloned().collect(),
            length: clip.length,
            ..Clip::default()
        };
        let times = self.sample_times(&played, nodes);
        let size = Pose::rest(self).bounds(self).map_or(1.0, |b| b.size()).max(1e-6);
        let unit = self.axes().and_then(|id| self.node(id)).map_or(1.0, |n| n.transform.scale[0].abs());
        let room = [CLOSE * size / unit.max(1e-9), CLOSE, CLOSE];
        let mut found: HashMap<NodeId, Vec<Transform>> = HashMap::new();
        let mut differ: HashSet<NodeId> = HashSet::new();
        for time in &times {
            let pose = Pose::at(self, &played, *time);
            for id in nodes {
                let Some(local) = pose.local.get(*id as usize) else { continue };
                let parent =
                    self.node(*id).and_then(|n| n.parent).map_or(Mat4::IDENTITY, |p| pose.world_of(p));
                let seen = relative(&parent, &pose.world_of(*id)).unwrap_or(*local);
                if !near(&seen, local, room) {
                    differ.insert(*id);
                }
                found.entry(*id).or_default().push(seen);
            }
        }
        for id in nodes.iter().filter(|id| differ.contains(id)) {
            let Some(rows) = found.get(id).filter(|_| budget.take(times.len() * 3)) else { continue };
            out.retain(|c| c.target != Target::Node(*id) || !is_move(&c.property));
            out.extend(sampled(*id, &times, rows));
        }
    }

    /// Returns the times at which to sample nodes: all keys of the clip that move them or their ancestors, and times between.
    fn sample_times(&self, clip: &Clip, nodes: &[NodeId]) -> Vec<f32> {
        let mut moving: HashSet<NodeId> = HashSet::new();
        for id in nodes {
            let mut at = Some(*id);
            while let Some(id) = at.filter(|id| moving.insert(*id)) {
                at = self.node(id).and_then(|n| n.parent);
            }
        }
        let moves = |c: &&Channel| {
            is_move(&c.property) && matches!(c.target, Target::Node(id) if moving.contains(&id))
        };
        let keys = clip.channels.iter().filter(moves).flat_map(|c| &c.times).copied();
        let steps = (clip.length / SAMPLE).clamp(0.0, 1800.0).ceil() as usize;
        let even = (0..=steps).map(|i| clip.length * i as f32 / steps.max(1) as f32);
        let mut times: Vec<f32> = keys.chain(even).filter(|t| t.is_finite() && *t >= 0.0).collect();
        times.sort_by(f32::total_cmp);
        times.dedup_by(|b, a| *b - *a < APART);
        times
    }
}

/// Returns the transform from one space to another; `None` if there is none.
fn relative(parent: &Mat4, world: &Mat4) -> Option<Transform> {
    let matrix = parent.inverse() * *world;
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let fine = scale.is_finite() && rotation.is_finite() && translation.is_finite();
    fine.then(|| Transform {
        translation: translation.into(),
        rotation: rotation.normalize().to_array(),
        scale: scale.into(),
    })
}

fn near(a: &Transform, b: &Transform, [place, turn, scale]: [f32; 3]) -> bool {
    let unit = |t: &Transform| Quat::from_array(t.rotation).normalize();
    let (p, q) = (unit(a), unit(b));
    Vec3::from(a.translation).abs_diff_eq(b.translation.into(), place)
        && (p.abs_diff_eq(q, turn) || p.abs_diff_eq(-q, turn))
        && Vec3::from(a.scale).abs_diff_eq(b.scale.into(), scale)
}

/// Returns the channels of a node whose transform is known at each of these times.
fn sampled(id: NodeId, times: &[f32], rows: &[Transform]) -> [Channel; 3] {
    let channel =
        |property, values| Channel::node(id, property, Interpolation::Linear, times.to_vec(), values);
    let mut last = Quat::IDENTITY;
    let turns = rows.iter().flat_map(|row| {
        let turn = Quat::from_array(row.rotation);
        last = if turn.dot(last) < 0.0 { -turn } else { turn };
        last.to_array()
    });
    let turns: Vec<f32> = turns.collect();
    [
        channel(Property::Translation, rows.iter().flat_map(|r| r.translation).collect()),
        channel(Property::Rotation, turns),
        channel(Property::Scale, rows.iter().flat_map(|r| r.scale).collect()),
    ]
}

/// Returns a channel of a clip that always plays, repeated over the length of another clip.
fn repeated(channel: &Channel, period: f32, length: f32, budget: &mut Budget) -> Option<Channel> {
    let stride = channel.values.len().checked_div(channel.times.len()).filter(|s| *s > 0)?;
    let first = channel.values.get(..stride)?;
    let still = channel.values.chunks_exact(stride).all(|row| row == first);
    if channel.times.len() == 1 || still || !(period >= APART && length > 0.0) {
        let value = channel.sample(0.0)?;
        let held = Channel { interpolation: Interpolation::Step, ..empty(channel) };
        return budget.take(1).then(|| Channel { times: vec![0.0], values: value, ..held });
    }
    let turns = (length / period).ceil().max(1.0);
    if !budget.take((turns as usize).saturating_mul(channel.times.len())) {
        return None;
    }
    let mut out = empty(channel);
    // Where the end of a period makes room for a beginning that differs, it is what the curve passes there.
    let early = channel.key_at((period - APART).max(0.0))?;
    for turn in 0..turns as u32 {
        let start = turn as f32 * period;
        for (time, row) in channel.times.iter().zip(channel.values.chunks_exact(stride)) {
            let time = start + time;
            if time >= length - APART * 0.5 {
                break;
            }
            push(&mut out, time, row, &early, turn > 0 && time - start < APART * 0.5);
        }
    }
    let end = channel.key_at((length - (turns - 1.0) * period).min(period))?;
    push(&mut out, length, &end, &early, false);
    Some(out)
}

fn empty(channel: &Channel) -> Channel {
    Channel {
        target: channel.target,
        property: channel.property.clone(),
        interpolation: channel.interpolation,
        times: Vec::new(),
        values: Vec::new(),
        extras: Default::default(),
    }
}

/// Adds a key. Where a period ends and the next begins, two keys of the same value become one, and of two that differ the first is
/// moved, where it is `early`.
fn push(out: &mut Channel, time: f32, row: &[f32], early: &[f32], begins: bool) {
    let last = out.times.last().copied();
    if last.is_some_and(|last| time - last < APART * 0.5) {
        let width = row.len();
        let before = out.values.len().saturating_sub(width);
        let cubic = out.interpolation == Interpolation::Cubic;
        let third = width / 3;
        let value =
            |row: &[f32]| if cubic { row.get(third..third * 2) } else { row.get(..) }.map(<[f32]>::to_vec);
        let same = out.values.get(before..).and_then(value) == value(row);
        if begins && same {
            // The incoming tangent is that of the end, the outgoing one that of the beginning.
            if let (true, Some(slot), Some(new)) =
                (cubic, out.values.get_mut(before + third * 2..), row.get(third * 2..))
            {
                slot.copy_from_slice(new);
            }
            return;
        }
        let count = out.times.len();
        let room =
            count.checked_sub(2).and_then(|i| out.times.get(i)).is_none_or(|t| time - t >= APART * 2.0);
        if let Some(slot) = out.times.last_mut().filter(|_| room && time >= APART) {
            *slot = time - APART;
            let step = out.interpolation == Interpolation::Step;
            if let Some(moved) =
                out.values.get_mut(before..).filter(|v| begins && !step && v.len() == early.len())
            {
                moved.copy_from_slice(early);
            }
        } else {
            out.times.pop();
            out.values.truncate(before);
        }
    }
    out.times.push(time);
    out.values.extend_from_slice(row);
}

impl Channel {
    /// Returns `true` if this channel shows what another one of a clip of this length does, over and over: then
    /// [`Scene::viewer_channels`] may have made it.
    pub fn repeats(&self, other: &Channel, period: f32) -> bool {
        let step = (self.times.len() / 48).max(1);
        let near = |time: &f32| {
            let inside = if period >= APART { time % period } else { 0.0 };
            let (Some(a), Some(b)) = (self.sample(*time), other.sample(inside)) else { return false };
            let size = a.iter().chain(&b).fold(1.0f32, |most, v| most.max(v.abs()));
            let by = |sign: f32| a.iter().zip(&b).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
            let far = if self.property == Property::Rotation { by(1.0).min(by(-1.0)) } else { by(1.0) };
            // Where a period ends, a hair makes all the difference.
            far <= 1e-3 * size || inside < APART * 1.5 || period - inside < APART * 1.5
        };
        self.property == other.property && !self.times.is_empty() && self.times.iter().step_by(step).all(near)
    }

    /// Returns the key that this channel would have at a time without changing its course: the value or, for a cubic channel,
    /// incoming tangent, value and outgoing tangent. `None` without keys.
    pub fn key_at(&self, time: f32) -> Option<Vec<f32>> {
        let value = self.sample(time)?;
        if self.interpolation != Interpolation::Cubic {
            return Some(value);
        }
        let slope = self.slope_at(time, value.len()).unwrap_or_else(|| vec![0.0; value.len()]);
        Some([slope.as_slice(), &value, &slope].concat())
    }

    /// Returns the change per second of a cubic channel; `None` outside its keys.
    fn slope_at(&self, time: f32, width: usize) -> Option<Vec<f32>> {
        let next = self.times.partition_point(|t| *t <= time);
        let left = next.checked_sub(1)?;
        let part = |key: usize, which: usize| self.values.get((key * 3 + which) * width..)?.get(..width);
        if next == self.times.len() {
            return part(left, 0).map(<[f32]>::to_vec);
        }
        let (t0, t1) = (*self.times.get(left)?, *self.times.get(next)?);
        let (span, s) = (t1 - t0, (time - t0) / (t1 - t0));
        let (a, m0, m1, b) = (part(left, 1)?, part(left, 2)?, part(next, 0)?, part(next, 1)?);
        let [w0, w1, w2] = [6.0 * s * s - 6.0 * s, 3.0 * s * s - 4.0 * s + 1.0, 3.0 * s * s - 2.0 * s];
        let slope = a.iter().zip(m0).zip(b.iter().zip(m1));
        let slope = slope.map(|((a, m0), (b, m1))| w0 / span * (a - b) + w1 * m0 + w2 * m1);
        Some(slope.collect()).filter(|s: &Vec<f32>| s.iter().all(|v| v.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inherit, Node};

    fn line(times: Vec<f32>, x: Vec<f32>) -> Channel {
        let values = x.iter().flat_map(|x| [*x, 0.0, 0.0]).collect();
        Channel::node(1, Property::Translation, Interpolation::Linear, times, values)
    }

    fn scene(always: Channel, period: f32, length: f32) -> Scene {
        let mut scene = Scene::new("test");
        let top = scene.add_node(None, Node::new("top"));
        scene.add_node(Some(top), Node::new("wheel"));
        scene.clips = vec![
            Clip { name: "walk".into(), length, ..Clip::default() },
            Clip { length: period, playback: Playback::Always, channels: vec![always], ..Clip::default() },
        ];
        scene
    }

    #[test]
    fn what_always_plays_is_repeated_over_other_clips() {
        // A jump at the end of each period, and a length that is not a multiple of it.
        let always = line(vec![0.0, 0.2, 0.4], vec![0.0, 1.0, 3.0]);
        let scene = scene(always.clone(), 0.4, 1.1);
        let added = scene.viewer_channels();
        assert_eq!(added[0].len(), 1);
        let channel = &added[0][0];
        assert!(channel.times.is_sorted_by(|a, b| a < b), "{:?}", channel.times);
        assert_eq!(channel.times.last(), Some(&1.1));
        assert!(channel.repeats(&always, 0.4) && !channel.repeats(&always, 0.3));
        for i in 0..110 {
            let time = i as f32 / 100.0;
            let inside = (i % 40) as f32 / 100.0;
            let (want, have) = (always.sample(inside).unwrap(), channel.sample(time).unwrap());
            assert!((want[0] - have[0]).abs() < 2e-2, "{time}: {want:?} {have:?}");
        }
    }

    #[test]
    fn curves_keep_their_course() {
        let values = vec![0.0, 0.0, 1.0, 5.0, 1.0, -2.0, -1.0, 0.0, 0.0];
        let mut always =
            Channel::node(1, Property::Translation, Interpolation::Cubic, vec![0.0, 0.3, 0.5], vec![]);
        always.values = values.iter().flat_map(|v| [*v, 0.0, 0.0]).collect();
        let scene = scene(always.clone(), 0.5, 1.37);
        let channel = &scene.viewer_channels()[0][0];
        for i in 0..137 {
            let time = i as f32 / 100.0;
            let (want, have) =
                (always.sample((i % 50) as f32 / 100.0).unwrap(), channel.sample(time).unwrap());
            assert!((want[0] - have[0]).abs() < 1e-4, "{time}: {want:?} {have:?}");
        }
    }

    #[test]
    fn a_fast_turn_that_jumps_at_the_end_of_its_period_keeps_its_speed() {
        // A hundredth of a second, of which a step is a tenth.
        let always = line(vec![0.0, 0.01], vec![0.0, 1.0]);
        let scene = scene(always, 0.01, 1.0);
        let channel = &scene.viewer_channels()[0][0];
        for i in 0..99 {
            let have = channel.sample(i as f32 / 100.0 + 0.005).unwrap();
            assert!((have[0] - 0.5).abs() < 1e-3, "{i}: {have:?}");
        }
    }

    #[test]
    fn a_clip_with_its_own_channel_keeps_it() {
        let mut scene = scene(line(vec![0.0, 0.4], vec![0.0, 1.0]), 0.4, 1.0);
        scene.clips[0].channels.push(line(vec![0.0, 1.0], vec![7.0, 8.0]));
        assert!(scene.viewer_channels()[0].is_empty());
        // One that ends early is held until its end, by a node that does not move.
        scene.clips[0].length = 3.0;
        let added = scene.viewer_channels();
        assert_eq!((added[0].len(), added[0][0].target, added[0][0].times[1]), (1, Target::Node(0), 3.0));
    }

    #[test]
    fn the_number_of_keys_is_bounded() {
        let scene = scene(line(vec![0.0, 0.001], vec![0.0, 1.0]), 0.001, 1e9);
        assert!(scene.viewer_channels()[0].iter().all(|c| c.times.len() == 2));
    }

    #[test]
    fn a_node_that_does_not_inherit_stands_where_the_game_has_it() {
        let mut scene = Scene::new("test");
        let top = scene.add_node(None, Node::new("top"));
        let mut hand = Node::new("hand");
        hand.inherit = Inherit { rotation: false, scale: false, ..Inherit::default() };
        hand.transform.translation = [1.0, 0.0, 0.0];
        hand.mesh = Some(0);
        scene.meshes.push(Default::default());
        let hand = scene.add_node(Some(top), hand);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let turn = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half];
        let turn = Channel::node(top, Property::Rotation, Interpolation::Linear, vec![0.0, 1.0], turn);
        let grow = vec![1.0, 1.0, 1.0, 3.0, 3.0, 3.0];
        let grow = Channel::node(top, Property::Scale, Interpolation::Linear, vec![0.0, 1.0], grow);
        scene.clips = vec![Clip { length: 1.0, channels: vec![turn, grow], ..Clip::default() }];
        let added = scene.viewer_channels();
        assert_eq!(added[0].len(), 3);
        let mut plain = scene.clone();
        plain.nodes[hand as usize].inherit = Inherit::default();
        plain.clips[0].channels.extend(added[0].clone());
        for i in 0..=20 {
            let time = i as f32 / 20.0;
            let (want, have) =
                (Pose::at(&scene, &scene.clips[0], time), Pose::at(&plain, &plain.clips[0], time));
            let (want, have) = (want.world_of(hand), have.world_of(hand));
            assert!(want.abs_diff_eq(have, 5e-3), "{time}: {want} {have}");
        }
        // At rest there is nothing to do but to last.
        scene.clips[0].channels.clear();
        assert_eq!(scene.viewer_channels()[0].len(), 1);
    }
}
