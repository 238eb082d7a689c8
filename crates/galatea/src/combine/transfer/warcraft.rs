//! Keys of Warcraft's sequences on another model, behind what its timeline has.

use std::collections::{HashMap, HashSet};

use galatea_scene::{NodeId as SceneNode, Scene};
use galatea_wire::Loss;
use glam::{Quat, Vec3};

use super::ground::Scale;
use super::target::{PositionKeys, text};
use super::tracks::{Window, enrich, join, part, scale as scale_keys, window};
use super::{Chosen, Transferred};
use crate::combine::CombineError;
use crate::combine::bones::{BONE, Skeleton};
use crate::combine::warcraft::{global_of, held, own_tracks, own_tracks_mut, stand};
use crate::mdlx::play::{Moment, Player};
use crate::mdlx::{
    Bounds, Curve, EventTrack, Interpolation, Key, Keys, Model, Node, NodeKind, Sequence, Tangents, Track,
    Tracks,
};

/// Milliseconds between sequences on the timeline.
const GAP: i64 = 100;

/// Moments of a sequence at which its extents are measured.
const MOMENTS: u32 = 16;

/// Returns the position in [`Model::nodes`] of a node of the scene.
fn index_of(node: SceneNode) -> Option<usize> {
    node.checked_sub(1).map(|index| index as usize)
}

pub(super) fn skeleton(model: &Model, scene: &Scene) -> Skeleton {
    let kinds: Vec<&'static str> = model
        .nodes()
        .map(
            |(kind, ..)| {
                if matches!(kind, NodeKind::Bone | NodeKind::Helper) { BONE } else { kind.list_name() }
            },
        )
        .collect();
    Skeleton::of_kinds(scene, &|node| kinds.get(index_of(node)?).copied())
}

/// Returns the first free millisecond of the timeline.
fn end_of(model: &Model) -> i64 {
    let sequences = model.sequences.iter().map(|s| i64::from(s.end.max(s.start)));
    let tracks = model.all_tracks().into_iter().flat_map(Tracks::iter).filter(|t| t.global_sequence < 0);
    let keys = tracks.flat_map(|t| t.keys.times()).map(i64::from);
    let events = model
        .events
        .iter()
        .filter_map(|e| e.track.as_ref())
        .chain(model.sound_emitters.iter().filter_map(|e| e.track.as_ref()));
    let times = events.filter(|t| t.global_sequence < 0).flat_map(|t| t.times.iter().copied()).map(i64::from);
    sequences.chain(keys).chain(times).max().map_or(0, |last| last.max(0) + GAP)
}

/// A sequence that is copied: where it was, and where it begins now.
#[derive(Clone, Copy)]
struct Span {
    from: Window,
    start: i64,
}

/// Copies sequences with the keys of the nodes that match.
pub(super) fn copy(
    from: &Model,
    to: &mut Model,
    chosen: &[Chosen],
    scale: Option<&Scale>,
    out: &mut Transferred,
) -> Result<(), CombineError> {
    let count = to.sequences.len();
    let mut start = end_of(to);
    let mut spans: Vec<Span> = Vec::new();
    for clip in chosen {
        let Some(sequence) = from.sequences.get(clip.index) else { continue };
        let from = window(sequence);
        let length = (from.1 - from.0).max(0);
        let (Ok(first), Ok(end)) = (i32::try_from(start), i32::try_from(start + length)) else {
            let what = "the timeline has no room for more sequences: it ends at 2,147,483,647 ms".to_owned();
            return Err(CombineError::NoRoom { what });
        };
        let factor = scale.map_or(1.0, |scale| scale.all);
        to.sequences.push(Sequence {
            name: text(&clip.name),
            start: first as u32,
            end: end as u32,
            move_speed: sequence.move_speed * factor,
            ..sequence.clone()
        });
        spans.push(Span { from, start });
        start += length + GAP;
    }
    for geoset in to.geosets.iter_mut().filter(|geoset| geoset.sequence_bounds.len() == count) {
        geoset.sequence_bounds.resize(count + spans.len(), Bounds::default());
    }
    let windows: Vec<Window> = to.sequences.iter().map(window).collect();
    let mut copier =
        Copier { from, spans, windows, globals: to.global_sequences.clone(), losses: Vec::new() };
    let pairs: Vec<(usize, usize, u32)> =
        out.plan.nodes().into_iter().filter_map(|(a, b)| Some((index_of(a)?, index_of(b)?, b))).collect();
    let mut of: HashMap<usize, (usize, u32)> = pairs.iter().map(|(a, b, node)| (*b, (*a, *node))).collect();
    let sources: Vec<(NodeKind, usize, &Node)> = from.nodes().collect();
    let mut owners: Vec<((NodeKind, usize), (NodeKind, usize))> = Vec::new();
    for (index, (kind, number, node)) in to.nodes_mut().enumerate() {
        let Some((source, scene_node)) = of.remove(&index) else { continue };
        let Some((source_kind, source_number, source)) = sources.get(source) else { continue };
        let change = scale.map(|scale| Change {
            factor: scale.of_node(scene_node),
            turns: scale.turns.get(&scene_node).copied(),
        });
        let name = node.name.lossy().into_owned();
        copier.tracks(&source.tracks, &mut node.tracks, change.as_ref(), &name);
        if *source_kind == kind {
            owners.push(((kind, *source_number), (kind, number)));
        }
    }
    for (source, target) in owners {
        copier.own(to, source, target);
    }
    to.global_sequences = copier.globals;
    out.losses.extend(copier.losses);
    let shown = from.geoset_anims.iter().filter(|anim| has_keys(&anim.tracks, &copier.spans)).count();
    if shown > 0 {
        out.notes.push(format!("{shown} geosets of the original are shown, hidden or colored by its clips: geosets have no counterparts"));
    }
    Ok(())
}

fn has_keys(tracks: &Tracks, spans: &[Span]) -> bool {
    let inside = |time: i32| spans.iter().any(|s| (s.from.0..=s.from.1).contains(&i64::from(time)));
    tracks.iter().filter(|t| t.global_sequence < 0).any(|t| t.keys.times().any(inside))
}

/// What is done to the keys of a node besides.
struct Change {
    /// How much longer its bone is.
    factor: f32,
    /// What its rotations are multiplied with.
    turns: Option<(Quat, Quat)>,
}

/// Copies keys from one model to another.
struct Copier<'a> {
    from: &'a Model,
    spans: Vec<Span>,
    /// The sequences of the target, with the new ones.
    windows: Vec<Window>,
    globals: Vec<u32>,
    losses: Vec<Loss>,
}

impl Change {
    fn apply(&self, keys: &mut Keys, tag: &[u8; 4]) {
        if tag == b"KGTR" {
            scale_keys(keys, self.factor);
        }
        match (keys, self.turns) {
            (Keys::Rotation(curve), Some((before, after))) if tag == b"KGRT" => {
                let turned = |q: &mut [f32; 4]| *q = (before * Quat::from_array(*q) * after).to_array();
                curve.keys.iter_mut().for_each(|key| turned(&mut key.value));
                curve.tangents.iter_mut().flat_map(|t| [&mut t.incoming, &mut t.outgoing]).for_each(turned);
            }
            // Places beside the parent turn with it.
            (Keys::Vector(curve), Some((before, _))) if tag == b"KGTR" => {
                let turned = |v: &mut [f32; 3]| *v = (before * Vec3::from(*v)).into();
                curve.keys.iter_mut().for_each(|key| turned(&mut key.value));
                curve.tangents.iter_mut().flat_map(|t| [&mut t.incoming, &mut t.outgoing]).for_each(turned);
            }
            _ => {}
        }
    }
}

impl Copier<'_> {
    fn tracks(&mut self, from: &Tracks, to: &mut Tracks, change: Option<&Change>, name: &str) {
        // A bone that is at rest elsewhere needs a key even where the original has none.
        let turned = change.is_some_and(|change| change.turns.is_some());
        let mut still = from.clone();
        if turned && still.get(b"KGRT").is_none() {
            still.push(Track::new(b"KGRT", Interpolation::Linear, Keys::Rotation(Curve::default())));
        }
        for track in still.iter() {
            let mut new = track.clone();
            if let Ok(global) = usize::try_from(track.global_sequence) {
                let length = self.from.global_sequences.get(global).copied().unwrap_or(0);
                new.global_sequence = global_of(&mut self.globals, length);
            } else {
                new.keys.retain(|_, _| false);
                for span in &self.spans {
                    let moved = |time: i64| time - span.from.0 + span.start;
                    let mut keys = part(&track.keys, span.from, &moved);
                    if let (true, true, Keys::Rotation(curve)) = (turned, keys.is_empty(), &mut keys) {
                        let own = [0.0, 0.0, 0.0, 1.0];
                        curve.keys.push(Key { time: span.start as i32, value: own });
                        if track.interpolation.has_tangents() {
                            curve.tangents.push(Tangents { incoming: own, outgoing: own });
                        }
                    }
                    append(&mut new.keys, keys);
                }
            }
            if let Some(change) = change {
                change.apply(&mut new.keys, &track.tag.0);
            }
            if new.keys.is_empty() {
                continue;
            }
            match to.get_mut(track.tag) {
                None => to.push(new),
                Some(there) if there.global_sequence < 0 && new.global_sequence < 0 => {
                    join(there, new, &self.windows);
                }
                // The same motion that always plays.
                Some(there) if there.global_sequence == new.global_sequence && there.keys == new.keys => {}
                Some(_) => {
                    let what = format!("the keys of {}", track.tag);
                    let why = "one of the two follows a global sequence, the other the clips";
                    self.losses.push(
                        Loss::new(format!("node \"{}\"", galatea_wire::escape(name)), what).because(why),
                    );
                }
            }
        }
    }

    /// Copies the tracks of an object that is of the same kind: visibility, and what emitters and lights have.
    fn own(&mut self, to: &mut Model, source: (NodeKind, usize), target: (NodeKind, usize)) {
        if let (Some(from), Some(tracks)) = (own_tracks(self.from, source), own_tracks_mut(to, target)) {
            self.tracks(from, tracks, None, source.0.list_name());
        }
        if source.0 == NodeKind::Event {
            let times = self.from.events.get(source.1).and_then(|event| event.track.as_ref());
            let event = to.events.get_mut(target.1);
            if let (Some(times), Some(event)) = (times.filter(|t| t.global_sequence < 0), event) {
                let track = event.track.get_or_insert_with(EventTrack::default);
                for span in self.spans.iter().filter(|_| track.global_sequence < 0) {
                    let inside = times.times.iter().map(|t| i64::from(*t));
                    let inside = inside.filter(|t| (span.from.0..=span.from.1).contains(t));
                    track.times.extend(inside.map(|t| (t - span.from.0 + span.start) as i32));
                }
            }
        }
    }
}

/// Gives all that the new clips say nothing about a key in each of them, so that it is as in the model's own Stand: geosets that are
/// hidden then, emitters that are off, nodes that the original does not have. The clips are those from a number on; `matched` are the nodes
/// of the scene that they move.
pub(super) fn hold(model: &mut Model, first: usize, matched: &HashSet<SceneNode>) {
    let before = model.clone();
    let player = Player::new(&before);
    let Some(stand) = stand(&before).filter(|stand| *stand < first) else { return };
    let all: Vec<Window> = before.sequences.iter().map(window).collect();
    let new = all.get(first..).unwrap_or(&[]);
    let hold = |tracks: &mut Tracks| {
        for track in tracks.iter_mut().filter(|track| track.global_sequence < 0) {
            for window in new {
                let inside = |time: i32| (window.0..=window.1).contains(&i64::from(time));
                if track.keys.times().any(inside) {
                    continue;
                }
                if let Some(keys) = held(&player, stand, track, *window) {
                    let mut key = Track { interpolation: Interpolation::None, keys, ..track.clone() };
                    enrich(&mut key, track.interpolation, &all);
                    join(track, key, &all);
                }
            }
        }
    };
    let ids: Vec<(NodeKind, usize)> = before.nodes().map(|(kind, at, _)| (kind, at)).collect();
    for (index, (_, _, node)) in model.nodes_mut().enumerate() {
        if !matched.contains(&(index as SceneNode + 1)) {
            hold(&mut node.tracks);
        }
    }
    ids.into_iter().filter_map(|id| own_tracks_mut(model, id).map(&hold)).for_each(drop);
    for layer in model.materials.iter_mut().flat_map(|material| &mut material.layers) {
        hold(&mut layer.tracks);
        layer.textures.iter_mut().for_each(|slot| hold(&mut slot.tracks));
    }
    model.texture_anims.iter_mut().for_each(|anim| hold(&mut anim.tracks));
    model.geoset_anims.iter_mut().for_each(|anim| hold(&mut anim.tracks));
}

/// Adds keys of the same type behind others.
fn append(keys: &mut Keys, new: Keys) {
    fn add<T>(a: &mut Curve<T>, b: Curve<T>) {
        a.keys.extend(b.keys);
        a.tangents.extend(b.tangents);
    }
    match (keys, new) {
        (Keys::Float(a), Keys::Float(b)) => add(a, b),
        (Keys::Vector(a), Keys::Vector(b)) => add(a, b),
        (Keys::Rotation(a), Keys::Rotation(b)) => add(a, b),
        (Keys::Integer(a), Keys::Integer(b)) => add(a, b),
        _ => {}
    }
}

/// Takes away a sequence, and the keys that no other one plays.
pub(super) fn remove(model: &mut Model, at: usize) {
    let count = model.sequences.len();
    if at >= count {
        return;
    }
    let (start, end) = window(&model.sequences.remove(at));
    for geoset in model.geosets.iter_mut().filter(|geoset| geoset.sequence_bounds.len() == count) {
        geoset.sequence_bounds.remove(at);
    }
    let others: Vec<Window> = model.sequences.iter().map(window).collect();
    let kept = |time: i32| {
        let time = i64::from(time);
        !(start..=end).contains(&time) || others.iter().any(|(a, b)| (*a..=*b).contains(&time))
    };
    for tracks in model.all_tracks_mut() {
        for track in tracks.iter_mut().filter(|track| track.global_sequence < 0) {
            track.keys.retain(|_, time| kept(time));
        }
        // A track without keys is not the same as none: a value that is set once would be the usual one.
        tracks.list.retain(|track| !track.keys.is_empty() || track.global_sequence >= 0);
    }
    for event in &mut model.events {
        let track = event.track.as_mut().filter(|track| track.global_sequence < 0);
        track.into_iter().for_each(|track| track.times.retain(|time| kept(*time)));
    }
}

pub(super) fn set_position(model: &mut Model, clip: &str, keys: &PositionKeys) {
    let windows: Vec<Window> = model.sequences.iter().map(window).collect();
    let found = model.sequences.iter().rposition(|s| s.name.bytes().eq_ignore_ascii_case(clip.as_bytes()));
    let Some((start, end)) = found.and_then(|at| windows.get(at)).copied() else { return };
    let time = |seconds: f32| (start + (f64::from(seconds) * 1000.0).round() as i64).clamp(start, end) as i32;
    let mut curve: Curve<[f32; 3]> =
        Curve::new(keys.times.iter().map(|t| time(*t)).zip(keys.values.iter().copied()));
    curve.keys.dedup_by_key(|key| key.time);
    let new = Track::new(b"KGTR", Interpolation::Linear, Keys::Vector(curve));
    let Some((_, _, node)) = index_of(keys.node).and_then(|at| model.nodes_mut().nth(at)) else { return };
    match node.tracks.get_mut(b"KGTR") {
        Some(track) if track.global_sequence < 0 => {
            // Held values are written with keys around the window before those in it go.
            enrich(track, Interpolation::Linear, &windows);
            track.keys.retain(|_, time| !(start..=end).contains(&i64::from(time)));
            join(track, new, &windows);
        }
        Some(_) => {}
        None => node.tracks.push(new),
    }
}

/// Measures the extents of the sequences from a number on, as the vertices move.
pub(in crate::combine) fn measure_extents(model: &mut Model, first: usize) {
    let mut all: Vec<(Option<Bounds>, Vec<Option<Bounds>>)> = Vec::new();
    {
        let player = Player::new(model);
        for (number, sequence) in model.sequences.iter().enumerate().skip(first) {
            let length = f64::from(sequence.end.saturating_sub(sequence.start));
            let mut points: Vec<Vec<[f32; 3]>> = vec![Vec::new(); model.geosets.len()];
            for step in 0..MOMENTS {
                let elapsed = length * f64::from(step) / f64::from(MOMENTS);
                let pose = player.pose(&Moment::in_sequence(model, number, elapsed), None);
                for ((geoset, shown), points) in model.geosets.iter().zip(&pose.geosets).zip(&mut points) {
                    if shown.visible {
                        points.extend(player.vertices(geoset, &pose).into_iter().map(|(place, _)| place));
                    }
                }
            }
            let each: Vec<Option<Bounds>> = points.iter().map(|points| Bounds::around(points)).collect();
            all.push((Bounds::around(&points.concat()), each));
        }
    }
    for (number, (whole, each)) in (first..).zip(all) {
        if let (Some(sequence), Some(bounds)) = (model.sequences.get_mut(number), whole) {
            sequence.bounds = bounds;
        }
        for (geoset, bounds) in model.geosets.iter_mut().zip(each) {
            if let (Some(slot), Some(bounds)) = (geoset.sequence_bounds.get_mut(number), bounds) {
                *slot = bounds;
            }
        }
    }
}
