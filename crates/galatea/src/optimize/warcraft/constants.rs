//! Tracks that never change: their value becomes the static one. Where there is none, one key of a global sequence holds it.

use super::Trace;
use super::budget::Budget;
use super::fixed::{self, Fixed};
use super::keys::{Measure, is_stepped};
use super::windows::{Span, Windows};
use crate::mdlx::{Curve, Interpolation, Keys, Model, Track, Tracks};

/// Length of a new global sequence, in milliseconds. Any would do for tracks with one key.
const LENGTH: u32 = 1000;
/// Bytes of a new chunk with one global sequence.
const COST: usize = 12;

/// Makes values static; returns how many tracks are gone or have a single key left.
pub(super) fn make_static(model: &mut Model, budget: &Budget, trace: &Trace) -> usize {
    let windows = Windows::new(model);
    let mut count = 0;
    let mut visit = |tracks: &mut Tracks, tag: &'static [u8; 4], fixed: Fixed<'_>| {
        let Some(at) = tracks.list.iter().position(|track| track.tag.0 == *tag) else { return };
        let Some(track) = tracks.list.get(at) else { return };
        if settle(track, &windows, budget.of_other(*tag), fixed) {
            tracks.list.remove(at);
            count += 1;
        }
    };
    fixed::of_surfaces(model, &mut visit);
    fixed::of_objects(model, &mut visit);
    count + hold(model, &windows, budget, trace)
}

/// Gives a static value the only one of a track; `false` if there are several, or none.
fn settle(track: &Track, windows: &Windows, tolerance: f32, fixed: Fixed<'_>) -> bool {
    match (&track.keys, fixed) {
        (Keys::Float(curve), Fixed::Float(to)) => {
            let only = only(curve, track, windows, tolerance);
            only.map(|value| *to = value).is_some()
        }
        (Keys::Vector(curve), Fixed::Color(to)) => {
            let only = only(curve, track, windows, tolerance);
            only.map(|[b, g, r]| *to = [r, g, b]).is_some()
        }
        (Keys::Integer(curve), Fixed::Index(to)) => {
            let only = only(curve, track, windows, 0.0).and_then(|value| i32::try_from(value).ok());
            only.map(|value| *to = value).is_some()
        }
        (Keys::Integer(curve), Fixed::Count(to)) => {
            only(curve, track, windows, 0.0).map(|value| *to = value).is_some()
        }
        (Keys::Float(curve), Fixed::Shown) => {
            only(curve, track, windows, 0.0).is_some_and(|value| value > 0.0)
        }
        _ => false,
    }
}

/// Returns the value that a track always has; `None` if it changes, or if a sequence has no key.
fn only<T: Measure>(curve: &Curve<T>, track: &Track, windows: &Windows, tolerance: f32) -> Option<T> {
    let first = curve.keys.first()?;
    if curve.keys.len() == 1 && track.global_sequence >= 0 {
        return Some(first.value);
    }
    let stepped = is_stepped(&track.tag.0) || matches!(track.keys, Keys::Integer(_));
    // What is between keys with tangents was looked at when the keys were thinned.
    let Some(Span::Windows(spans)) = windows.of(track) else { return None };
    let single = |(start, end): &(i32, i32)| {
        let inside: Vec<_> = curve.keys.iter().filter(|key| (*start..=*end).contains(&key.time)).collect();
        (inside.len() == 1 || !inside.is_empty() && (stepped || curve.tangents.is_empty()))
            && inside.iter().all(|key| key.value.distance(first.value) <= tolerance)
    };
    let inside = |time: i32| spans.iter().any(|(start, end)| (*start..=*end).contains(&time));
    let known = spans.iter().all(single) && curve.keys.iter().all(|key| inside(key.time));
    (!spans.is_empty() && known).then_some(first.value)
}

/// Lets a global sequence hold the values that have no static one; returns how many.
fn hold(model: &mut Model, windows: &Windows, budget: &Budget, trace: &Trace) -> usize {
    let there = model.global_sequences.iter().position(|length| *length > 0);
    let clock = there.unwrap_or(model.global_sequences.len());
    let Ok(clock) = i32::try_from(clock) else { return 0 };
    let mut saved = 0usize;
    let mut held: Vec<(&mut Track, Keys)> = Vec::new();
    let ids: Vec<u32> = model.nodes().map(|(_, _, node)| node.object_id).collect();
    let of_nodes = model
        .nodes_mut()
        .zip(ids)
        .flat_map(|((_, _, node), id)| node.tracks.list.iter_mut().map(move |track| (track, Some(id))));
    let mut all: Vec<(&mut Track, Option<u32>)> = of_nodes.collect();
    // Borrowed apart from the nodes.
    for (track, id) in all.drain(..) {
        let tolerance = match id {
            Some(id) => {
                let original = trace.nodes.get(id as usize).copied().unwrap_or(id);
                budget.of_node(original, track.tag.0)
            }
            None => budget.of_other(track.tag.0),
        };
        if let Some((keys, bytes)) = held_keys(track, windows, tolerance) {
            saved += bytes;
            held.push((track, keys));
        }
    }
    if held.is_empty() || there.is_none() && saved <= COST {
        return 0;
    }
    let count = held.len();
    for (track, keys) in held {
        track.keys = keys;
        track.interpolation = Interpolation::None;
        track.global_sequence = clock;
    }
    if there.is_none() {
        model.global_sequences.push(LENGTH);
    }
    count
}

/// Returns the single key of a track that always has one value, and how many bytes that saves.
fn held_keys(track: &Track, windows: &Windows, tolerance: f32) -> Option<(Keys, usize)> {
    fn one<T: Measure>(
        curve: &Curve<T>,
        track: &Track,
        windows: &Windows,
        tolerance: f32,
    ) -> Option<(Curve<T>, usize)> {
        let value = only(curve, track, windows, tolerance)?;
        let saved = (curve.keys.len() - 1) * (4 + size_of::<T>()) + curve.tangents.len() * 2 * size_of::<T>();
        (saved > 0).then(|| (Curve::new([(0, value)]), saved))
    }
    match &track.keys {
        Keys::Vector(curve) => {
            one(curve, track, windows, tolerance).map(|(curve, saved)| (Keys::Vector(curve), saved))
        }
        Keys::Rotation(curve) => {
            one(curve, track, windows, tolerance).map(|(curve, saved)| (Keys::Rotation(curve), saved))
        }
        _ => None,
    }
}
