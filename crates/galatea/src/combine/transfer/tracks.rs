//! Tracks of Warcraft III: parts of one put into another, which has one kind of interpolation for all of its keys.

use crate::mdlx::{Curve, Interpolation, Key, Keys, Sequence, Tangents, Track};

/// A part of a timeline, both ends included.
pub(in crate::combine) type Window = (i64, i64);

pub(in crate::combine) fn window(sequence: &Sequence) -> Window {
    (i64::from(sequence.start), i64::from(sequence.end))
}

/// Values that can be added and multiplied, for tangents.
trait Value: Copy {
    /// Whether tangents are values between which a curve passes, as those of rotations are, and not directions.
    const TURNS: bool;
    /// Returns `a + (b - a) * t`.
    fn towards(a: Self, b: Self, t: f32) -> Self;
    /// Returns `a + (b - c) * t`.
    fn plus(a: Self, b: Self, c: Self, t: f32) -> Self;
    /// Nothing.
    const ZERO: Self;
}

impl Value for f32 {
    const TURNS: bool = false;
    fn towards(a: f32, b: f32, t: f32) -> f32 {
        a + (b - a) * t
    }
    fn plus(a: f32, b: f32, c: f32, t: f32) -> f32 {
        a + (b - c) * t
    }
    const ZERO: f32 = 0.0;
}

impl<const N: usize> Value for [f32; N] {
    // Only rotations have four numbers.
    const TURNS: bool = N == 4;
    fn towards(a: Self, b: Self, t: f32) -> Self {
        std::array::from_fn(|i| {
            let at = |v: &Self| v.get(i).copied().unwrap_or(0.0);
            f32::towards(at(&a), at(&b), t)
        })
    }
    fn plus(a: Self, b: Self, c: Self, t: f32) -> Self {
        std::array::from_fn(|i| {
            let at = |v: &Self| v.get(i).copied().unwrap_or(0.0);
            f32::plus(at(&a), at(&b), at(&c), t)
        })
    }
    const ZERO: Self = [0.0; N];
}

impl Value for u32 {
    // Never interpolated.
    const TURNS: bool = true;
    fn towards(a: u32, _: u32, _: f32) -> u32 {
        a
    }
    fn plus(a: u32, _: u32, _: u32, _: f32) -> u32 {
        a
    }
    const ZERO: u32 = 0;
}

/// Runs an expression with the curve of any kind of keys.
macro_rules! each {
    ($keys:expr, $curve:ident => $body:expr) => {
        match $keys {
            Keys::Float($curve) => $body,
            Keys::Vector($curve) => $body,
            Keys::Rotation($curve) => $body,
            Keys::Integer($curve) => $body,
        }
    };
}

/// Returns the keys inside a window, with their times moved by a function. Keys that do not fit are left out.
pub(in crate::combine) fn part(keys: &Keys, (start, end): Window, time: &dyn Fn(i64) -> i64) -> Keys {
    let mut out = keys.clone();
    out.retain(|_, time| (start..=end).contains(&i64::from(time)));
    each!(&mut out, c => c.keys.iter_mut().for_each(|key| {
        key.time = time(i64::from(key.time)).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
    }));
    out
}

/// Multiplies all values, and their tangents.
pub(in crate::combine) fn scale(keys: &mut Keys, factor: f32) {
    if let Keys::Vector(curve) = keys {
        curve.keys.iter_mut().flat_map(|key| &mut key.value).for_each(|v| *v *= factor);
        let tangents = curve.tangents.iter_mut().flat_map(|t| t.incoming.iter_mut().chain(&mut t.outgoing));
        tangents.for_each(|v| *v *= factor);
    }
}

/// Adds keys to a track. Where both have another interpolation, the simpler one is written in the words of the other, so that nothing
/// moves differently. `windows` are the sequences.
pub(in crate::combine) fn join(track: &mut Track, mut new: Track, windows: &[Window]) {
    let common = track.interpolation.max_of(new.interpolation);
    enrich(track, common, windows);
    enrich(&mut new, common, windows);
    match (&mut track.keys, new.keys) {
        (Keys::Float(a), Keys::Float(b)) => extend(a, b),
        (Keys::Vector(a), Keys::Vector(b)) => extend(a, b),
        (Keys::Rotation(a), Keys::Rotation(b)) => extend(a, b),
        (Keys::Integer(a), Keys::Integer(b)) => extend(a, b),
        _ => {}
    }
    track.keys.sort();
}

fn extend<T>(curve: &mut Curve<T>, new: Curve<T>) {
    curve.keys.extend(new.keys);
    curve.tangents.extend(new.tangents);
}

/// The richer of two interpolations.
trait MaxOf {
    fn max_of(self, other: Self) -> Self;
}

impl MaxOf for Interpolation {
    fn max_of(self, other: Self) -> Self {
        if (other as u32) > (self as u32) { other } else { self }
    }
}

/// Writes a track with a richer interpolation.
pub(in crate::combine) fn enrich(track: &mut Track, to: Interpolation, windows: &[Window]) {
    use Interpolation::{Bezier, Hermite, Linear, None as Held};
    if (to as u32) <= (track.interpolation as u32) {
        return;
    }
    let from = track.interpolation;
    track.keys.sort();
    each!(&mut track.keys, c => {
        if from == Held {
            hold(c, windows);
        }
        match (from, to) {
            (Held | Linear, Hermite) => straight(c, windows, 1.0),
            (Held | Linear, Bezier) => straight(c, windows, 1.0 / 3.0),
            (Hermite, Bezier) => controls(c),
            _ => {}
        }
    });
    track.interpolation = to;
}

/// Repeats each value just before the next one, so that it is held although values between are interpolated.
fn hold<T: Value>(curve: &mut Curve<T>, windows: &[Window]) {
    let mut out: Vec<Key<T>> = Vec::with_capacity(curve.keys.len() * 2);
    let inside = |time: i32| windows.iter().find(|(a, b)| (*a..=*b).contains(&i64::from(time)));
    for (at, key) in curve.keys.iter().enumerate() {
        let own = inside(key.time);
        let first = !curve.keys.iter().take(at).any(|k| own.is_some() && inside(k.time) == own);
        if let Some((start, end)) = own.filter(|_| first) {
            // Before the first key, the last one of the round before is held.
            let last = curve.keys.iter().rev().find(|k| (*start..=*end).contains(&i64::from(k.time)));
            if let (Some(last), true) = (last, *start < i64::from(key.time)) {
                out.push(Key { time: *start as i32, value: last.value });
                if i64::from(key.time) - 1 > *start {
                    out.push(Key { time: key.time - 1, value: last.value });
                }
            }
        }
        out.push(*key);
        let next = curve.keys.get(at + 1);
        let until = match (next, own) {
            (Some(next), _) if own.is_none() || inside(next.time) == own => Some(next.time.saturating_sub(1)),
            (_, Some((_, end))) => i32::try_from(*end).ok(),
            _ => None,
        };
        if let Some(time) = until.filter(|time| *time > key.time) {
            out.push(Key { time, value: key.value });
        }
    }
    curve.keys = out;
}

/// Gives keys tangents along straight lines to their neighbors in the same sequence.
fn straight<T: Value>(curve: &mut Curve<T>, windows: &[Window], share: f32) {
    let inside = |time: i32| windows.iter().position(|(a, b)| (*a..=*b).contains(&i64::from(time)));
    let groups: Vec<Option<usize>> = curve.keys.iter().map(|key| inside(key.time)).collect();
    // The first and last key of each sequence: the game goes from the last to the first.
    let end_of = |group: Option<usize>, last: bool| {
        let mut members = groups.iter().enumerate().filter(|(_, g)| **g == group).map(|(at, _)| at);
        if last { members.next_back() } else { members.next() }
    };
    let value = |at: Option<usize>| at.and_then(|at| curve.keys.get(at)).map(|key| key.value);
    let tangents = curve.keys.iter().enumerate().map(|(at, key)| {
        if T::TURNS {
            return Tangents { incoming: key.value, outgoing: key.value };
        }
        let group = groups.get(at).copied().flatten();
        let same = |other: usize| groups.get(other).copied().flatten() == group;
        let before = at.checked_sub(1).filter(|other| same(*other)).or_else(|| end_of(group, true));
        let after = Some(at + 1).filter(|o| *o < groups.len() && same(*o)).or_else(|| end_of(group, false));
        let (before, after) = (value(before).unwrap_or(key.value), value(after).unwrap_or(key.value));
        if share < 1.0 {
            Tangents {
                incoming: T::towards(key.value, before, share),
                outgoing: T::towards(key.value, after, share),
            }
        } else {
            Tangents {
                incoming: T::plus(T::ZERO, key.value, before, 1.0),
                outgoing: T::plus(T::ZERO, after, key.value, 1.0),
            }
        }
    });
    curve.tangents = tangents.collect();
}

/// Turns the tangents of Hermite curves into the control points of the same Bézier curves.
fn controls<T: Value>(curve: &mut Curve<T>) {
    if T::TURNS {
        return;
    }
    for (key, tangents) in curve.keys.iter().zip(&mut curve.tangents) {
        tangents.incoming = T::plus(key.value, T::ZERO, tangents.incoming, 1.0 / 3.0);
        tangents.outgoing = T::plus(key.value, tangents.outgoing, T::ZERO, 1.0 / 3.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdlx::play::{Edge, Moment, Player};
    use crate::mdlx::{Model, Version};

    fn model() -> Model {
        let mut model = Model::new(Version(800));
        model.sequences.push(Sequence { start: 1000, end: 2000, ..Sequence::default() });
        model.sequences.push(Sequence { start: 3000, end: 3600, ..Sequence::default() });
        model
    }

    fn samples(model: &Model, track: &Track, sequence: usize) -> Vec<[f32; 3]> {
        let player = Player::new(model).edge(Edge::Wrap);
        let length = f64::from(model.sequences[sequence].end - model.sequences[sequence].start);
        let at = |i: u32| Moment::in_sequence(model, sequence, length * f64::from(i) / 97.0);
        (0..97).map(|i| player.sample::<[f32; 3]>(track, &at(i)).unwrap()).collect()
    }

    #[test]
    fn a_track_with_a_richer_interpolation_moves_the_same() {
        use Interpolation::{Bezier, Hermite, Linear, None as Held};
        let model = model();
        let windows: Vec<Window> = model.sequences.iter().map(window).collect();
        let values = [[0.0, 1.0, 2.0], [4.0, -1.0, 2.0], [3.0, 3.0, 3.0], [0.5, 1.0, 9.0], [7.0, 7.0, 1.0]];
        let times = [1100, 1500, 1900, 3000, 3300];
        for (from, to) in [
            (Held, Linear),
            (Held, Hermite),
            (Held, Bezier),
            (Linear, Hermite),
            (Linear, Bezier),
            (Hermite, Bezier),
        ] {
            let mut curve = Curve::new(times.into_iter().zip(values));
            if from == Hermite {
                curve.tangents = values
                    .iter()
                    .map(|v| Tangents { incoming: v.map(|v| v * 0.5), outgoing: v.map(|v| 1.0 - v) })
                    .collect();
            }
            let track = Track::new(b"KGTR", from, Keys::Vector(curve));
            let mut richer = track.clone();
            enrich(&mut richer, to, &windows);
            assert_eq!(richer.interpolation, to);
            for sequence in 0..2 {
                let pairs =
                    samples(&model, &track, sequence).into_iter().zip(samples(&model, &richer, sequence));
                for (at, (a, b)) in pairs.enumerate() {
                    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    // A held value takes a millisecond to change.
                    assert!(
                        apart < 1e-4 || from == Held && apart < 9.0 && at % 8 != 0,
                        "{from:?} {to:?} {at}: {a:?} {b:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn keys_keep_their_own_interpolation_when_joined() {
        let model = model();
        let windows: Vec<Window> = model.sequences.iter().map(window).collect();
        let line = Track::new(
            b"KGTR",
            Interpolation::Linear,
            Keys::Vector(Curve::new([(1000, [0.0; 3]), (2000, [8.0; 3])])),
        );
        let mut curve = Curve::new([(3000, [0.0; 3]), (3600, [8.0; 3])]);
        curve.tangents = vec![Tangents { incoming: [1.0; 3], outgoing: [20.0; 3] }; 2];
        let curved = Track::new(b"KGTR", Interpolation::Hermite, Keys::Vector(curve));
        let mut joined = line.clone();
        join(&mut joined, curved.clone(), &windows);
        assert_eq!((joined.interpolation, joined.keys.len()), (Interpolation::Hermite, 4));
        for (sequence, alone) in [(0, &line), (1, &curved)] {
            for (a, b) in samples(&model, alone, sequence).iter().zip(samples(&model, &joined, sequence)) {
                assert!((a[0] - b[0]).abs() < 1e-4, "{sequence}: {a:?} {b:?}");
            }
        }
    }
}
