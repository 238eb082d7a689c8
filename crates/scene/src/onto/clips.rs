//! Clips: keys that were changed from the edit, the original's exact keys otherwise.

use std::collections::HashMap;

use super::{Fate, Merge, ORIGIN, Part, match_names};
use crate::{Channel, Clip, Event, Interpolation, NodeId, Property, Target, Transform};

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
                Some(other) => match self.take_channel(channel, other) {
                    None => channels.push(channel.clone()),
                    Some(changed) => {
                        counts[0] += 1;
                        channels.push(changed);
                    }
                },
                None if self.is_still(channel, node) => channels.push(channel.clone()),
                None => counts[1] += 1,
            }
        }
        let mut more: Vec<(NodeId, &Channel)> = now.into_iter().map(|((node, _), c)| (node, c)).collect();
        more.sort_by_key(|(node, c)| (*node, c.property.name().to_owned()));
        for (node, channel) in more {
            if !self.is_still(channel, node) {
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

    /// Returns a channel with what was changed; `None` if nothing was.
    fn take_channel(&self, was: &Channel, edited: &Channel) -> Option<Channel> {
        let tolerance = self.tolerance(&was.property);
        if agree(was, edited, tolerance) {
            return None;
        }
        let sampled = edited.times.len() != was.times.len()
            || edited.times.iter().zip(&was.times).any(|(a, b)| (a - b).abs() > 1e-4);
        if sampled && let Some(keys) = resampled(was, edited, tolerance) {
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

    /// Returns `true` if a channel holds a node where it rests, or where it is bound: programs drop and add such channels.
    fn is_still(&self, channel: &Channel, node: NodeId) -> bool {
        let tolerance = self.tolerance(&channel.property);
        let rest = self.out.node(node).map(|n| n.transform);
        let there = self.original.node(node).map(|n| n.transform);
        let first = channel.times.first().and_then(|t| channel.sample(*t));
        let value = |t: &Transform| match channel.property {
            Property::Translation => t.translation.to_vec(),
            Property::Rotation => t.rotation.to_vec(),
            _ => t.scale.to_vec(),
        };
        let candidates = [rest, there].into_iter().flatten().map(|t| value(&t));
        let mut candidates = candidates.chain(self.binds(node).map(|t| value(&t)));
        let Some(first) = first else { return true };
        let constant = channel.times.iter().all(|time| {
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
fn agree(was: &Channel, edited: &Channel, tolerance: f32) -> bool {
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
    edited.times.iter().all(|time| at(*time)) && covers(was, edited, tolerance)
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
fn covers(was: &Channel, edited: &Channel, tolerance: f32) -> bool {
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
    })
}

/// Returns the original keys with the values that an edited curve has there, if these say the same as its frames.
fn resampled(was: &Channel, edited: &Channel, tolerance: f32) -> Option<Channel> {
    if was.interpolation == Interpolation::Cubic {
        return None;
    }
    let width = was.width();
    let mut out = was.clone();
    for (key, time) in was.times.iter().enumerate() {
        let (old, new) = (was.sample(*time)?, edited.sample(*time)?);
        if !same(&was.property, &old, &new, tolerance) {
            out.values.get_mut(key * width..(key + 1) * width)?.copy_from_slice(new.get(..width)?);
        }
    }
    let near = |time: &f32| {
        let (Some(a), Some(b)) = (out.sample(*time), edited.sample(*time)) else { return false };
        let mixed = || mixed(&out, *time).is_some_and(|m| same(&was.property, &m, &b, tolerance * 8.0));
        same(&was.property, &a, &b, tolerance * 8.0) || mixed()
    };
    edited.times.iter().all(near).then_some(out)
}
