//! Keys that change nothing.
//!
//! In each window the first and the last key stay, and of those between them the key that is farthest from the curve without it, until
//! none is farther than the tolerance. What that leaves is what it would leave of it again.

use super::Trace;
use super::budget::Budget;
use super::windows::{Span, Windows};
use crate::mdlx::play::Value;
use crate::mdlx::{Curve, Interpolation, Keys, Model, Tangents, Track};
use crate::optimize::measure;

/// Where a curve with tangents is compared between two keys.
const BETWEEN: [f32; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// A value of keys that can be compared with another one.
pub(super) trait Measure: Value + PartialEq {
    /// Whether values between two keys can differ where the keys between them do not: an arc has several halves.
    const ON_ARCS: bool = false;
    /// Returns how far two values are from each other.
    fn distance(self, other: Self) -> f32;
    /// Returns a tangent for a segment that is this many times as long.
    fn stretched(self, tangent: Self, ratio: f32, how: Interpolation) -> Self;
}

fn stretch(value: f32, tangent: f32, ratio: f32, how: Interpolation) -> f32 {
    if how == Interpolation::Bezier { value + (tangent - value) * ratio } else { tangent * ratio }
}

impl Measure for f32 {
    fn distance(self, other: f32) -> f32 {
        if self.to_bits() == other.to_bits() { 0.0 } else { (self - other).abs() }
    }
    fn stretched(self, tangent: f32, ratio: f32, how: Interpolation) -> f32 {
        stretch(self, tangent, ratio, how)
    }
}

impl Measure for [f32; 3] {
    fn distance(self, other: [f32; 3]) -> f32 {
        measure::distance(self, other)
    }
    fn stretched(self, [x, y, z]: [f32; 3], ratio: f32, how: Interpolation) -> [f32; 3] {
        let [a, b, c] = self;
        [stretch(a, x, ratio, how), stretch(b, y, ratio, how), stretch(c, z, ratio, how)]
    }
}

impl Measure for [f32; 4] {
    const ON_ARCS: bool = true;
    fn distance(self, other: [f32; 4]) -> f32 {
        measure::angle(self, other)
    }
    fn stretched(self, tangent: [f32; 4], _: f32, _: Interpolation) -> [f32; 4] {
        tangent
    }
}

impl Measure for u32 {
    fn distance(self, other: u32) -> f32 {
        if self == other { 0.0 } else { f32::INFINITY }
    }
    fn stretched(self, tangent: u32, _: f32, _: Interpolation) -> u32 {
        tangent
    }
}

/// Returns `true` for tracks that the game never interpolates.
pub(super) fn is_stepped(tag: &[u8; 4]) -> bool {
    matches!(tag, b"KLAV" | b"KATV" | b"KPEV" | b"KP2V" | b"KRVS" | b"KVIS" | b"KPPV")
}

/// Returns the value that a sequence without keys has, where everybody agrees on it.
pub(super) fn usual(tag: &[u8; 4]) -> Option<Keys> {
    match tag {
        b"KGTR" | b"KTAT" => Some(Keys::Vector(Curve::new([(0, [0.0; 3])]))),
        b"KGSC" | b"KTAS" => Some(Keys::Vector(Curve::new([(0, [1.0; 3])]))),
        b"KGRT" | b"KTAR" => Some(Keys::Rotation(Curve::new([(0, [0.0, 0.0, 0.0, 1.0])]))),
        _ => None,
    }
}

/// Thins all tracks of a model; returns how many keys were removed, and tangents made superfluous.
pub(super) fn thin_all(model: &mut Model, windows: &Windows, budget: &Budget, trace: &Trace) -> usize {
    // The rate of an emitter in bursts triggers them.
    let squirts: Vec<bool> = model.particle_emitters2.iter().map(|emitter| emitter.squirt != 0).collect();
    let mut count = 0;
    for (_, _, node) in model.nodes_mut() {
        let original = trace.nodes.get(node.object_id as usize).copied().unwrap_or(node.object_id);
        for track in node.tracks.iter_mut() {
            count += thin(track, windows, budget.of_node(original, track.tag.0));
        }
        node.tracks.list.retain(|track| !is_silent(track));
    }
    let layers = model.materials.iter_mut().flat_map(|material| &mut material.layers);
    for layer in layers {
        let slots = layer.textures.iter_mut().map(|slot| &mut slot.tracks);
        for track in slots.chain([&mut layer.tracks]).flat_map(|tracks| &mut tracks.list) {
            count += thin(track, windows, budget.of_other(track.tag.0));
        }
    }
    for anim in &mut model.texture_anims {
        for track in anim.tracks.iter_mut() {
            count += thin(track, windows, budget.of_other(track.tag.0));
        }
        anim.tracks.list.retain(|track| !is_silent(track));
    }
    let particles = model.particle_emitters2.iter_mut().zip(squirts);
    for (emitter, squirts) in particles {
        for track in emitter.tracks.iter_mut().filter(|track| !squirts || track.tag.0 != *b"KP2E") {
            count += thin(track, windows, budget.of_other(track.tag.0));
        }
    }
    let others = (model.geoset_anims.iter_mut().map(|o| &mut o.tracks))
        .chain(model.lights.iter_mut().map(|o| &mut o.tracks))
        .chain(model.attachments.iter_mut().map(|o| &mut o.tracks))
        .chain(model.particle_emitters.iter_mut().map(|o| &mut o.tracks))
        .chain(model.ribbon_emitters.iter_mut().map(|o| &mut o.tracks))
        .chain(model.popcorn_emitters.iter_mut().map(|o| &mut o.tracks))
        .chain(model.cameras.iter_mut().map(|o| &mut o.tracks));
    for track in others.flat_map(|tracks| &mut tracks.list) {
        count += thin(track, windows, budget.of_other(track.tag.0));
    }
    count
}

/// Returns `true` for tracks of nodes and texture animations without keys, which are as those that are not there.
pub(super) fn is_silent(track: &Track) -> bool {
    track.keys.is_empty() && usual(&track.tag.0).is_some()
}

/// Removes keys of a track that change nothing; returns how many, and one more if it needs no tangents.
fn thin(track: &mut Track, windows: &Windows, tolerance: f32) -> usize {
    let tag = track.tag.0;
    let spans = match windows.of(track) {
        Some(Span::Windows(spans)) => spans,
        _ => return 0,
    };
    // Tangents are stretched, which is right for one window alone.
    let apart = spans.iter().zip(spans.iter().skip(1)).all(|(a, b)| a.1 <= b.0);
    if track.interpolation.has_tangents() && !apart {
        return 0;
    }
    let usual = usual(&tag);
    let stepped = is_stepped(&tag) || matches!(track.keys, Keys::Integer(_));
    let mut how = track.interpolation;
    let mut count = 0;
    macro_rules! each {
        ($($kind:ident)*) => {
            match (&mut track.keys, &usual) {
                $((Keys::$kind(curve), usual) => {
                    let usual = match usual {
                        Some(Keys::$kind(curve)) => curve.keys.first().map(|key| key.value),
                        _ => None,
                    };
                    if !is_plain(curve, how) {
                        return 0;
                    }
                    if how.has_tangents() && (stepped || is_straight(curve, how, &spans, tolerance)) {
                        curve.tangents.clear();
                        how = if stepped { Interpolation::None } else { Interpolation::Linear };
                        count += 1;
                    }
                    let plays = if stepped { Interpolation::None } else { how };
                    count += thin_curve(curve, plays, &spans, tolerance, usual);
                })*
            }
        };
    }
    each!(Float Vector Rotation Integer);
    track.interpolation = how;
    count
}

/// Returns `true` if the keys are in order and have the tangents that they need.
fn is_plain<T: Measure>(curve: &Curve<T>, how: Interpolation) -> bool {
    let tangents = if how.has_tangents() { curve.keys.len() } else { 0 };
    curve.tangents.len() == tangents
        && curve.keys.is_sorted_by(|a, b| a.time < b.time)
        && curve.keys.iter().all(|key| key.value.distance(key.value) == 0.0)
}

/// Returns the value between two keys.
fn between<T: Measure>(how: Interpolation, (a, out): (T, Option<T>), (b, into): (T, Option<T>), t: f32) -> T {
    match (how, out, into) {
        (Interpolation::None, ..) => a,
        (Interpolation::Hermite, Some(out), Some(into)) => T::hermite(a, out, into, b, t),
        (Interpolation::Bezier, Some(out), Some(into)) => T::bezier(a, out, into, b, t),
        _ => T::linear(a, b, t),
    }
}

/// A part of a curve between two of its keys.
#[derive(Clone, Copy)]
struct Segment<T> {
    start: (i32, T, Option<T>),
    end: (i32, T, Option<T>),
}

impl<T: Measure> Segment<T> {
    /// Returns the part between two keys as if those between them were not there.
    fn new(curve: &Curve<T>, how: Interpolation, from: usize, to: usize) -> Option<Segment<T>> {
        let (a, b) = (curve.keys.get(from)?, curve.keys.get(to)?);
        let length = |from: usize, to: usize| -> Option<f32> {
            let time = |index: usize| curve.keys.get(index).map(|key| f64::from(key.time));
            Some((time(to)? - time(from)?) as f32)
        };
        let (mut out, mut into) = (None, None);
        if how.has_tangents() {
            let whole = length(from, to)?;
            let (first, last) = (length(from, from + 1)?, length(to.checked_sub(1)?, to)?);
            out = Some(a.value.stretched(curve.tangents.get(from)?.outgoing, whole / first, how));
            into = Some(b.value.stretched(curve.tangents.get(to)?.incoming, whole / last, how));
        }
        Some(Segment { start: (a.time, a.value, out), end: (b.time, b.value, into) })
    }

    fn at(&self, how: Interpolation, time: f64) -> T {
        let (start, end) = (f64::from(self.start.0), f64::from(self.end.0));
        let t = ((time - start) / (end - start)) as f32;
        between(how, (self.start.1, self.start.2), (self.end.1, self.end.2), t)
    }
}

/// Returns `true` if a curve with tangents is the same without them.
fn is_straight<T: Measure>(
    curve: &Curve<T>,
    how: Interpolation,
    spans: &[(i32, i32)],
    tolerance: f32,
) -> bool {
    spans.iter().all(|span| {
        let range = keys_of(curve, *span);
        let Some(last) = range.clone().last() else { return true };
        // And around, from the last key to the first.
        let pairs = range.clone().zip(range.clone().skip(1)).chain([(last, range.start)]);
        pairs.filter(|(a, b)| a != b).all(|(a, b)| {
            let key = |index: usize| Some((curve.keys.get(index)?.value, *curve.tangents.get(index)?));
            let (Some((a, left)), Some((b, right))) = (key(a), key(b)) else { return false };
            BETWEEN.iter().all(|t| {
                let curved = between(how, (a, Some(left.outgoing)), (b, Some(right.incoming)), *t);
                curved.distance(T::linear(a, b, *t)) <= tolerance
            })
        })
    })
}

/// Returns the keys inside of a window.
fn keys_of<T: Copy>(curve: &Curve<T>, (start, end): (i32, i32)) -> std::ops::Range<usize> {
    let from = curve.keys.partition_point(|key| key.time < start);
    let to = curve.keys.partition_point(|key| key.time <= end);
    from..to.max(from)
}

fn thin_curve<T: Measure>(
    curve: &mut Curve<T>,
    how: Interpolation,
    spans: &[(i32, i32)],
    tolerance: f32,
    usual: Option<T>,
) -> usize {
    let mut keep = vec![false; curve.keys.len()];
    let mut counts = vec![false; curve.keys.len()];
    let mut tangents: Vec<Tangents<T>> = curve.tangents.clone();
    for span in spans {
        let range = keys_of(curve, *span);
        counts.get_mut(range.clone()).into_iter().flatten().for_each(|counts| *counts = true);
        let kept = chosen(curve, how, range, tolerance, usual);
        for index in &kept {
            keep.get_mut(*index).into_iter().for_each(|keep| *keep = true);
        }
        if how.has_tangents() {
            for (from, to) in kept.iter().zip(kept.iter().skip(1)) {
                let Some(segment) = Segment::new(curve, how, *from, *to) else { continue };
                if let (Some(out), Some(tangent)) = (segment.start.2, tangents.get_mut(*from)) {
                    tangent.outgoing = out;
                }
                if let (Some(into), Some(tangent)) = (segment.end.2, tangents.get_mut(*to)) {
                    tangent.incoming = into;
                }
            }
        }
    }
    // What is outside of all windows is the concern of another step.
    let wanted: Vec<bool> = keep.iter().zip(&counts).map(|(keep, counts)| *keep || !counts).collect();
    let count = wanted.iter().filter(|wanted| !**wanted).count();
    if count > 0 {
        let mut flags = wanted.iter();
        curve.keys.retain(|_| *flags.next().unwrap_or(&true));
        let mut flags = wanted.iter();
        tangents.retain(|_| *flags.next().unwrap_or(&true));
        curve.tangents = tangents;
    }
    count
}

/// Returns the keys of a window that are needed.
fn chosen<T: Measure>(
    curve: &Curve<T>,
    how: Interpolation,
    range: std::ops::Range<usize>,
    tolerance: f32,
    usual: Option<T>,
) -> Vec<usize> {
    let Some((first, last)) = range.clone().next().zip(range.clone().last()) else { return Vec::new() };
    let value = |index: usize| curve.keys.get(index).map(|key| key.value);
    let Some(start) = value(first) else { return Vec::new() };
    if is_constant(curve, how, range.clone(), start, tolerance) {
        return match usual {
            Some(usual) if start.distance(usual) <= tolerance => Vec::new(),
            _ => vec![first],
        };
    }
    if how == Interpolation::None {
        let mut kept = vec![first];
        let mut current = start;
        for index in range.skip(1) {
            if let Some(value) = value(index).filter(|value| value.distance(current) > tolerance) {
                current = value;
                kept.push(index);
            }
        }
        return kept;
    }
    measure::needed(first, last, |from, to| farthest(curve, how, from, to, tolerance))
}

/// Returns `true` if all keys of a window are one value, and nothing between them is another one.
fn is_constant<T: Measure>(
    curve: &Curve<T>,
    how: Interpolation,
    range: std::ops::Range<usize>,
    value: T,
    tolerance: f32,
) -> bool {
    let inside = curve.keys.get(range.clone()).unwrap_or(&[]);
    if !inside.iter().all(|key| key.value.distance(value) <= tolerance) {
        return false;
    }
    if !how.has_tangents() || inside.len() < 2 {
        return true;
    }
    let pairs =
        range.clone().zip(range.clone().skip(1)).chain(range.clone().last().map(|l| (l, range.start)));
    pairs.into_iter().all(|(a, b)| {
        let key = |index: usize| Some((curve.keys.get(index)?.value, *curve.tangents.get(index)?));
        let (Some((a, left)), Some((b, right))) = (key(a), key(b)) else { return false };
        BETWEEN.iter().all(|t| {
            let at = between(how, (a, Some(left.outgoing)), (b, Some(right.incoming)), *t);
            at.distance(value) <= tolerance
        })
    })
}

/// Returns the key that is farthest from the curve without those between two keys; `None` if all are within the tolerance.
fn farthest<T: Measure>(
    curve: &Curve<T>,
    how: Interpolation,
    from: usize,
    to: usize,
    tolerance: f32,
) -> Option<usize> {
    let whole = Segment::new(curve, how, from, to)?;
    let mut worst: Option<(f32, usize)> = None;
    let mut between = 0.0f32;
    for index in from + 1..to {
        let key = curve.keys.get(index)?;
        let far = whole.at(how, f64::from(key.time)).distance(key.value);
        // What is no number is kept.
        let far = if far.is_nan() { f32::INFINITY } else { far };
        if worst.is_none_or(|(most, _)| far > most) {
            worst = Some((far, index));
        }
    }
    let (far, index) = worst?;
    if how.has_tangents() || T::ON_ARCS {
        for left in from..to {
            let part = Segment::new(curve, how, left, left + 1)?;
            for t in BETWEEN {
                let time = f64::from(part.start.0) + f64::from(t) * f64::from(part.end.0 - part.start.0);
                between = between.max(part.at(how, time).distance(whole.at(how, time)));
            }
        }
    }
    (far.max(between) > tolerance).then_some(index)
}
