//! Clips: keys that were changed from the edit, the original's exact keys otherwise.

use std::collections::HashMap;

use super::{Fate, Merge, ORIGIN, Part, match_names};
use crate::{Channel, Clip, Event, Interpolation, NodeId, Property, Scene, Target, Transform};

/// The longest a frame of an editing program lasts, in seconds.
const FRAME: f32 = 1.0 / 20.0;

/// How much a program may change rotations and scales of keys by itself.
const KEY: f32 = 2e-3;

impl Merge<'_> {
    /// Takes over the clips, and adds new ones.
    pub(super) fn clips(&mut self) {
        let named = self.edited.clips.iter().map(|c| (c.name.as_str(), &c.extras));
        let pairs = match_names(named, self.original.clips.iter().map(|c| c.name.as_str()));
        let mut there = vec![false; self.original.clips.len()];
        for (clip, pair) in self.edited.clips.iter().zip(pairs) {
            match pair {
                Some(original) => {
                    there.get_mut(original).into_iter().for_each(|slot| *slot = true);
                    self.take_clip(original, clip);
                }
                None => {
                    let new = self.new_clip(clip);
                    self.account.add(Part::Clip, Fate::New, &clip.name, "");
                    self.out.clips.push(new);
                }
            }
        }
        let none = self.edited.clips.is_empty();
        for (at, _) in there.iter().enumerate().filter(|(_, there)| !**there) {
            let Some(clip) = self.original.clips.get(at) else { continue };
            if none || !is_carried(clip) {
                let why = if none { "no clip was exported" } else { "it moves nothing" };
                self.account.add(Part::Clip, Fate::Kept, &clip.name, why);
            } else {
                self.account.add(Part::Clip, Fate::Gone, &clip.name, "");
                self.gone_clips.get_mut(at).into_iter().for_each(|gone| *gone = true);
            }
        }
    }

    fn new_clip(&self, clip: &Clip) -> Clip {
        let mut new = clip.clone();
        new.extras.remove(ORIGIN);
        new.channels.retain_mut(|channel| match channel.target {
            Target::Node(node) => self.node_id(node).map(|id| channel.target = Target::Node(id)).is_some(),
            _ => false,
        });
        new.events.retain_mut(|event: &mut Event| {
            event.node = event.node.and_then(|n| self.node_id(n));
            true
        });
        new
    }

    /// Takes over what was changed in a clip.
    fn take_clip(&mut self, original: usize, edited: &Clip) {
        let Some(was) = self.original.clips.get(original) else { return };
        let mut now: HashMap<(NodeId, &Property), &Channel> = HashMap::new();
        for channel in edited.channels.iter().filter(|c| place(&c.property)) {
            if let Target::Node(node) = channel.target
                && let Some(node) = self.node_id(node)
            {
                now.entry((node, &channel.property)).or_insert(channel);
            }
        }
        let flat = Flat::new(self.original, was);
        let mut counts = [0usize; 3];
        let mut channels = Vec::with_capacity(was.channels.len());
        for channel in &was.channels {
            let node = match channel.target {
                Target::Node(node) if place(&channel.property) => node,
                _ => {
                    channels.push(channel.clone());
                    continue;
                }
            };
            match now.remove(&(node, &channel.property)) {
                Some(other) => match self.take_channel(channel, other, &flat.of(node, &channel.property)) {
                    None => channels.push(channel.clone()),
                    Some(changed) => {
                        counts[0] += 1;
                        channels.push(changed);
                    }
                },
                None if self.is_still(channel, node, &|_| false) || self.is_missing(node) => {
                    channels.push(channel.clone())
                }
                None => counts[1] += 1,
            }
        }
        let mut more: Vec<(NodeId, &Channel)> = now.into_iter().map(|((node, _), c)| (node, c)).collect();
        more.sort_by_key(|(node, c)| (*node, c.property.name().to_owned()));
        for (node, channel) in more {
            let scales = flat.of(node, &channel.property);
            if !self.is_still(channel, node, &|time| scales.iter().any(|scales| scales.vanish(time))) {
                counts[2] += 1;
                channels.push(Channel { target: Target::Node(node), ..channel.clone() });
            }
        }
        let end = |c: &Clip| {
            let moved = c.channels.iter().filter(|c| place(&c.property));
            moved.filter_map(|c| c.times.last()).copied().fold(0.0f32, f32::max)
        };
        let (was_end, is_end) = (end(was).max(was.length), end(edited).max(edited.length));
        let changed = counts != [0; 3];
        let longer = changed && (is_end - was_end).abs() > FRAME && (is_end - end(was)).abs() > FRAME;
        let renamed =
            super::base_name(&edited.name) != super::base_name(&was.name) && !edited.name.is_empty();
        let mut what = Vec::new();
        for (count, text) in counts.iter().zip(["channels changed", "channels gone", "channels new"]) {
            if *count > 0 {
                what.push(format!("{count} {text}"));
            }
        }
        let Some(out) = self.out.clips.get_mut(original) else { return };
        if changed {
            out.channels = channels;
        }
        if longer {
            what.push(format!("{} s long", is_end));
            out.length = is_end;
        }
        if renamed {
            what.push("renamed".to_owned());
            out.name.clone_from(&edited.name);
        }
        let fate = if what.is_empty() { Fate::Kept } else { Fate::Changed };
        self.account.add(Part::Clip, fate, &was.name, what.join(", "));
    }

    /// Returns `true` if the edit does not have a node that was not deleted.
    fn is_missing(&self, node: NodeId) -> bool {
        self.twins.get(node as usize) == Some(&None) && self.gone_nodes.get(node as usize) == Some(&false)
    }

    /// Returns a channel with what was changed; `None` if nothing was.
    fn take_channel(&self, was: &Channel, edited: &Channel, flat: &[Scales<'_>]) -> Option<Channel> {
        let tolerance = self.tolerance(&was.property);
        // Moments at which programs cannot tell what the value is.
        let unknown = |time: f32| flat.iter().any(|scales| scales.vanish(time));
        if agree(was, edited, tolerance, &unknown) {
            return None;
        }
        let sampled = edited.times.len() != was.times.len()
            || edited.times.iter().zip(&was.times).any(|(a, b)| (a - b).abs() > 1e-4);
        if sampled && let Some(keys) = resampled(was, edited, tolerance, &unknown) {
            return Some(keys);
        }
        let mut new = edited.clone();
        new.target = was.target;
        new.extras = was.extras.clone();
        Some(new)
    }

    fn tolerance(&self, property: &Property) -> f32 {
        if *property == Property::Translation { self.size * 1e-4 } else { KEY }
    }

    /// Returns `true` if a channel holds a node where it rests, or where it is bound, whenever it is known: programs drop and add
    /// such channels.
    fn is_still(&self, channel: &Channel, node: NodeId, unknown: &dyn Fn(f32) -> bool) -> bool {
        let tolerance = self.tolerance(&channel.property);
        let rest = self.out.node(node).map(|n| n.transform);
        let there = self.original.node(node).map(|n| n.transform);
        let known = || channel.times.iter().filter(|time| !unknown(**time));
        let first = known().next().and_then(|t| channel.sample(*t));
        let value = |t: &Transform| match channel.property {
            Property::Translation => t.translation.to_vec(),
            Property::Rotation => t.rotation.to_vec(),
            _ => t.scale.to_vec(),
        };
        let candidates = [rest, there].into_iter().flatten().map(|t| value(&t));
        let mut candidates = candidates.chain(self.binds(node).map(|t| value(&t)));
        let Some(first) = first else { return true };
        let constant = known().all(|time| {
            channel.sample(*time).is_some_and(|v| same(&channel.property, &v, &first, tolerance))
        });
        constant && candidates.any(|candidate| same(&channel.property, &candidate, &first, tolerance))
    }

    /// Returns the transforms of a joint when bound, relative to its parent.
    fn binds(&self, node: NodeId) -> impl Iterator<Item = Transform> + '_ {
        let parent = self.original.node(node).and_then(|n| n.parent);
        self.original.skins.iter().filter_map(move |skin| {
            let own = skin.joints.iter().position(|j| *j == node)?;
            let above = parent.and_then(|p| skin.joints.iter().position(|j| *j == p))?;
            let local = skin.bind(above) * skin.bind(own).inverse();
            let (scale, rotation, translation) = local.to_scale_rotation_translation();
            Some(Transform {
                translation: translation.into(),
                rotation: rotation.to_array(),
                scale: scale.into(),
            })
        })
    }
}

/// Returns `true` for properties that every program animates.
fn place(property: &Property) -> bool {
    matches!(property, Property::Translation | Property::Rotation | Property::Scale)
}

/// Returns `true` if a clip moves a node, so that programs have it.
fn is_carried(clip: &Clip) -> bool {
    clip.channels.iter().any(|c| place(&c.property) && !c.times.is_empty())
}

/// Returns `true` if two values are equal but for a tolerance.
fn same(property: &Property, a: &[f32], b: &[f32], tolerance: f32) -> bool {
    match (property, a.first_chunk(), b.first_chunk()) {
        (Property::Rotation, Some(a), Some(b)) => super::turned_alike(*a, *b, tolerance),
        _ => {
            let largest = if *property == Property::Scale {
                a.iter().fold(1.0f32, |most, v| most.max(v.abs()))
            } else {
                1.0
            };
            super::close(a, b, tolerance * largest)
        }
    }
}

/// Returns `true` if an edited curve is the original one, perhaps sampled at every frame.
fn agree(was: &Channel, edited: &Channel, tolerance: f32, unknown: &dyn Fn(f32) -> bool) -> bool {
    let smooth = was.with_spline_tangents();
    let at = |time: f32| {
        let Some(value) = edited.sample(time) else { return false };
        // Where values jump, a hair makes all the difference.
        let near = if was.interpolation == Interpolation::Step { &[0.0, -1e-3, 1e-3][..] } else { &[0.0] };
        let mut near = near.iter().filter_map(|step| was.sample(time + step));
        let smooth = || smooth.as_ref().and_then(|smooth| smooth.sample(time));
        near.any(|there| same(&was.property, &there, &value, tolerance))
            || mixed(was, time).is_some_and(|mixed| same(&was.property, &mixed, &value, tolerance))
            || smooth().is_some_and(|smooth| same(&was.property, &smooth, &value, tolerance))
    };
    edited.times.iter().all(|time| at(*time) || unknown(*time)) && covers(was, edited, tolerance, unknown)
}

/// Interpolates the numbers of a rotation one by one, as some programs do.
fn mixed(was: &Channel, time: f32) -> Option<Vec<f32>> {
    if was.property != Property::Rotation || was.interpolation != Interpolation::Linear {
        return None;
    }
    let next = was.times.partition_point(|t| *t <= time);
    let left = next.checked_sub(1)?;
    let (t0, t1) = (was.times.get(left)?, was.times.get(next)?);
    let (a, b) = (was.sample(*t0)?, was.sample(*t1)?);
    let dot: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    let (s, sign) = ((time - t0) / (t1 - t0), if dot < 0.0 { -1.0 } else { 1.0 });
    Some(a.iter().zip(&b).map(|(a, b)| a + (b * sign - a) * s).collect())
}

/// Returns `true` if the original's keys are where the edited curve passes, as far as its frames can tell.
fn covers(was: &Channel, edited: &Channel, tolerance: f32, unknown: &dyn Fn(f32) -> bool) -> bool {
    let end = edited.times.last().copied().unwrap_or(0.0);
    let start = edited.times.first().copied().unwrap_or(0.0);
    was.times.iter().all(|time| {
        // Between two frames a curve may turn.
        let next = edited.times.partition_point(|t| *t <= *time);
        let left = next.checked_sub(1).and_then(|i| edited.times.get(i));
        let on_frame = left.is_some_and(|t| (t - time).abs() < 1e-4);
        if !on_frame && *time >= start && *time <= end {
            return true;
        }
        let (Some(a), Some(b)) = (was.sample(*time), edited.sample(*time)) else { return true };
        // Whole frames end early or late.
        !on_frame && (*time - end).abs() < FRAME
            || was.interpolation == Interpolation::Step
            || same(&was.property, &a, &b, tolerance)
            || unknown(*time)
    })
}

/// Returns the original keys with the values that an edited curve has there, if these say the same as its frames.
fn resampled(
    was: &Channel,
    edited: &Channel,
    tolerance: f32,
    unknown: &dyn Fn(f32) -> bool,
) -> Option<Channel> {
    if was.interpolation == Interpolation::Cubic {
        return None;
    }
    let width = was.width();
    let mut out = was.clone();
    for (key, time) in was.times.iter().enumerate() {
        let (old, new) = (was.sample(*time)?, edited.sample(*time)?);
        if !same(&was.property, &old, &new, tolerance) && !unknown(*time) {
            out.values.get_mut(key * width..(key + 1) * width)?.copy_from_slice(new.get(..width)?);
        }
    }
    let near = |time: &f32| {
        let (Some(a), Some(b)) = (out.sample(*time), edited.sample(*time)) else { return false };
        let mixed = || mixed(&out, *time).is_some_and(|m| same(&was.property, &m, &b, tolerance * 8.0));
        same(&was.property, &a, &b, tolerance * 8.0) || mixed()
    };
    edited.times.iter().all(|time| near(time) || unknown(*time)).then_some(out)
}

/// The scales of nodes that vanish in a clip: what is scaled to nothing has no rotation, and what is below it no place, so programs
/// that compute them from matrices cannot know them.
struct Flat<'a> {
    scene: &'a Scene,
    vanishing: HashMap<NodeId, Scales<'a>>,
}

/// Scales of a node over time.
#[derive(Clone)]
struct Scales<'a> {
    channel: &'a Channel,
    /// As a program has it that computes tangents again.
    smooth: Option<Channel>,
}

impl Scales<'_> {
    /// Returns `true` if a node has no size at this moment, or a step away.
    fn vanish(&self, time: f32) -> bool {
        let least = |channel: &Channel, time: f32| {
            channel.sample(time).map_or(1.0, |scale| scale.into_iter().fold(f32::MAX, f32::min))
        };
        let nothing = |scale: f32| scale.abs() < KEY;
        [0.0, -1e-3, 1e-3].into_iter().any(|step| nothing(least(self.channel, time + step)))
            // Tangents may lead below 0, where a mirrored node looks like a turned one.
            || self.smooth.as_ref().is_some_and(|smooth| least(smooth, time) < KEY && least(self.channel, time) >= 0.0)
    }
}

impl<'a> Flat<'a> {
    fn new(scene: &'a Scene, clip: &'a Clip) -> Flat<'a> {
        let mut vanishing = HashMap::new();
        for channel in clip.channels.iter().filter(|c| c.property == Property::Scale) {
            let Target::Node(node) = channel.target else { continue };
            let smooth = channel.with_spline_tangents();
            // Between keys of equal signs, only tangents lead to nothing.
            let small = channel.values.iter().any(|v| *v < KEY) || smooth.is_some();
            if small && channel.width() == 3 {
                vanishing.entry(node).or_insert(Scales { channel, smooth });
            }
        }
        Flat { scene, vanishing }
    }

    /// Returns the scales that decide whether a property of a node is known.
    fn of(&self, node: NodeId, property: &Property) -> Vec<Scales<'a>> {
        let mut out = Vec::new();
        if self.vanishing.is_empty() {
            return out;
        }
        let own = *property != Property::Translation;
        let mut at = if own { Some(node) } else { self.scene.node(node).and_then(|n| n.parent) };
        // Deeper trees are beyond any model.
        for _ in 0..DEEPEST {
            let Some(id) = at else { break };
            out.extend(self.vanishing.get(&id).cloned());
            at = self.scene.node(id).and_then(|n| n.parent);
        }
        out
    }
}

/// Most nodes above another that are looked at.
const DEEPEST: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, Onto, example};

    /// A clip in which a node turns while it shrinks to nothing, and a node below it moves; and what Blender samples of it.
    fn shrinking() -> (Scene, Scene) {
        let mut scene = example();
        let parent = scene.add_node(scene.axes(), Node::new("shrinking"));
        let child = scene.add_node(Some(parent), Node::new("below"));
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let linear = Interpolation::Linear;
        let channels = vec![
            Channel::node(
                parent,
                Property::Scale,
                linear,
                vec![0.0, 0.5, 1.0],
                [[1.0; 3], [0.0; 3], [0.0; 3]].concat(),
            ),
            Channel::node(
                parent,
                Property::Rotation,
                linear,
                vec![0.0, 1.0],
                vec![0.0, 0.0, 0.0, 1.0, 0.0, half, 0.0, half],
            ),
            Channel::node(
                child,
                Property::Translation,
                linear,
                vec![0.0, 1.0],
                vec![0.0, 0.0, 0.0, 9.0, 0.0, 0.0],
            ),
        ];
        scene.clips = vec![Clip { name: "Death".into(), length: 1.0, channels, ..Clip::default() }];
        let mut back = scene.clone();
        for channel in &mut back.clips[0].channels {
            let times: Vec<f32> = (0..=24).map(|frame| frame as f32 / 24.0).collect();
            let rest: &[f32] =
                if channel.property == Property::Rotation { &[0.0, 0.0, 0.0, 1.0] } else { &[0.0; 3] };
            let lost = channel.property != Property::Scale;
            let row = |time: &f32| {
                if *time >= 0.5 && lost { rest.to_vec() } else { channel.sample(*time).unwrap_or_default() }
            };
            channel.values = times.iter().flat_map(row).collect();
            channel.times = times;
        }
        (scene, back)
    }

    #[test]
    fn what_is_scaled_to_nothing_keeps_its_keys() {
        let (scene, back) = shrinking();
        let Onto { scene: out, account, .. } = back.onto(&scene);
        assert!(account.is_unchanged(), "{account:?}");
        assert_eq!(out, scene);
        // An edit that can be seen arrives.
        let mut edited = back.clone();
        let turn =
            edited.clips[0].channels.iter_mut().find(|c| c.property == Property::Rotation).expect("there");
        turn.values[4 * 6..4 * 7].copy_from_slice(&[0.6, 0.0, 0.0, 0.8]);
        assert!(!edited.onto(&scene).account.is_unchanged());
    }

    #[test]
    fn a_program_cannot_add_a_rotation_that_is_only_unknown() {
        // It has no channel for the rotation, and samples the identity where the node has no size.
        let (mut scene, mut back) = shrinking();
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let Target::Node(node) = scene.clips[0].channels[0].target else { panic!("a node") };
        scene.clips[0].channels.retain(|c| c.property == Property::Scale);
        scene.nodes[node as usize].transform.rotation = [0.0, half, 0.0, half];
        back.nodes[node as usize].transform.rotation = [0.0, half, 0.0, half];
        back.clips[0].channels.retain(|c| c.property != Property::Translation);
        for channel in back.clips[0].channels.iter_mut().filter(|c| c.property == Property::Rotation) {
            let rows = channel.times.iter();
            let row = |t: &f32| if *t >= 0.5 { [0.0, 0.0, 0.0, 1.0] } else { [0.0, half, 0.0, half] };
            channel.values = rows.flat_map(row).collect();
        }
        let onto = back.onto(&scene);
        assert!(onto.account.is_unchanged(), "{:?}", onto.account);
        // Where it can be seen, it is an edit.
        let turn =
            back.clips[0].channels.iter_mut().find(|c| c.property == Property::Rotation).expect("there");
        turn.values[..4].copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
        assert_eq!(back.onto(&scene).scene.clips[0].channels.len(), 2);
    }

    #[test]
    fn channels_of_nodes_that_were_not_exported_stay() {
        let mut scene = example();
        let lamp = scene
            .add_node(scene.axes(), Node { light: Some(scene.lights.len() as u32), ..Node::new("lamp") });
        scene.lights.push(crate::Light { name: "lamp".into(), ..crate::Light::default() });
        let turn = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8];
        let channel = Channel::node(lamp, Property::Rotation, Interpolation::Linear, vec![0.0, 0.5], turn);
        scene.clips[0].channels.push(channel);
        let mut back = scene.clone();
        back.lights.clear();
        back.clips.iter_mut().for_each(|clip| clip.channels.retain(|c| c.target != Target::Node(lamp)));
        let gone: Vec<Option<u32>> =
            (0..scene.nodes.len() as u32).map(|id| (id != lamp).then_some(id)).collect();
        super::super::remove::remove_nodes(&mut back, &gone);
        let onto = back.onto(&scene);
        assert_eq!(onto.scene.clips, scene.clips);
    }
}
