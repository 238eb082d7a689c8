//! The value of one track at one moment.

use crate::{Curve, Interpolation, Key, Keys, Model, Tangents, Track};

/// The behaviour before the first and after the last key inside a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edge {
    /// The value of the nearest key is held.
    Clamp,
    /// The value is interpolated from the last key to the first, as in the game.
    #[default]
    Wrap,
}

/// A moment of playback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The sequence that is played; only keys inside it are used. `None`: all keys are used, and the first and last are held.
    pub sequence: Option<usize>,
    /// Milliseconds on the model's timeline.
    pub time: f64,
    /// Milliseconds since playing began; the clock of the global sequences.
    pub clock: f64,
}

impl Moment {
    /// Returns the moment this many milliseconds after a sequence began. A looping sequence starts again, another one stays at its
    /// end.
    pub fn in_sequence(model: &Model, sequence: usize, elapsed: f64) -> Self {
        let Some(found) = model.sequences.get(sequence) else {
            return Moment { sequence: None, time: elapsed, clock: elapsed };
        };
        let (start, end) = (f64::from(found.start), f64::from(found.end));
        let length = (end - start).max(0.0);
        let inside = if length == 0.0 {
            0.0
        } else if found.non_looping() {
            elapsed.clamp(0.0, length)
        } else {
            elapsed.rem_euclid(length)
        };
        Moment { sequence: Some(sequence), time: start + inside, clock: elapsed }
    }
}

/// A value of keys, and its interpolation.
pub trait Value: Copy {
    /// Returns the curve of a track, if it has this value type.
    fn curve(keys: &Keys) -> Option<&Curve<Self>>;
    /// Interpolates linearly from `a` to `b`.
    fn linear(a: Self, b: Self, t: f32) -> Self;
    /// Interpolates along the Hermite curve with these tangents.
    fn hermite(a: Self, out: Self, into: Self, b: Self, t: f32) -> Self;
    /// Interpolates along the Bézier curve with these control points.
    fn bezier(a: Self, out: Self, into: Self, b: Self, t: f32) -> Self;
}

fn hermite(a: f32, out: f32, into: f32, b: f32, t: f32) -> f32 {
    let (t2, t3) = (t * t, t * t * t);
    a * (2.0 * t3 - 3.0 * t2 + 1.0) + out * (t3 - 2.0 * t2 + t) + into * (t3 - t2) + b * (3.0 * t2 - 2.0 * t3)
}

fn bezier(a: f32, out: f32, into: f32, b: f32, t: f32) -> f32 {
    let s = 1.0 - t;
    a * s * s * s + out * 3.0 * t * s * s + into * 3.0 * t * t * s + b * t * t * t
}

impl Value for f32 {
    fn curve(keys: &Keys) -> Option<&Curve<f32>> {
        if let Keys::Float(curve) = keys { Some(curve) } else { None }
    }
    fn linear(a: f32, b: f32, t: f32) -> f32 {
        a + (b - a) * t
    }
    fn hermite(a: f32, out: f32, into: f32, b: f32, t: f32) -> f32 {
        hermite(a, out, into, b, t)
    }
    fn bezier(a: f32, out: f32, into: f32, b: f32, t: f32) -> f32 {
        bezier(a, out, into, b, t)
    }
}

type V3 = [f32; 3];

fn each(
    [a, b, c]: V3,
    [d, e, f]: V3,
    [g, h, i]: V3,
    [j, k, l]: V3,
    mix: impl Fn(f32, f32, f32, f32) -> f32,
) -> V3 {
    [mix(a, d, g, j), mix(b, e, h, k), mix(c, f, i, l)]
}

impl Value for V3 {
    fn curve(keys: &Keys) -> Option<&Curve<V3>> {
        if let Keys::Vector(curve) = keys { Some(curve) } else { None }
    }
    fn linear(a: V3, b: V3, t: f32) -> V3 {
        each(a, a, b, b, |a, _, _, b| a + (b - a) * t)
    }
    fn hermite(a: V3, out: V3, into: V3, b: V3, t: f32) -> V3 {
        each(a, out, into, b, |a, o, i, b| hermite(a, o, i, b, t))
    }
    fn bezier(a: V3, out: V3, into: V3, b: V3, t: f32) -> V3 {
        each(a, out, into, b, |a, o, i, b| bezier(a, o, i, b, t))
    }
}

/// Interpolates along the shorter arc between two rotations. One without length does not turn: the matrix that engines make of it
/// is the identity.
fn slerp(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    let [a, b] = [a, b].map(|q| if q == [0.0; 4] { [0.0, 0.0, 0.0, 1.0] } else { q });
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let (dot, sign) = if dot < 0.0 { (-dot, -1.0) } else { (dot, 1.0) };
    let (from, to) = if dot > 0.9995 {
        (1.0 - t, t)
    } else {
        let angle = libm::acosf(dot.min(1.0));
        let sine = libm::sinf(angle);
        (libm::sinf((1.0 - t) * angle) / sine, libm::sinf(t * angle) / sine)
    };
    let mut out = a;
    for (x, y) in out.iter_mut().zip(b) {
        *x = *x * from + y * to * sign;
    }
    out
}

/// Interpolates rotations smoothly. Hermite and Bézier are the same for rotations: a slerp of slerps.
fn squad(a: [f32; 4], out: [f32; 4], into: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    slerp(slerp(a, b, t), slerp(out, into, t), 2.0 * t * (1.0 - t))
}

impl Value for [f32; 4] {
    fn curve(keys: &Keys) -> Option<&Curve<[f32; 4]>> {
        if let Keys::Rotation(curve) = keys { Some(curve) } else { None }
    }
    fn linear(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
        slerp(a, b, t)
    }
    fn hermite(a: [f32; 4], out: [f32; 4], into: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
        squad(a, out, into, b, t)
    }
    fn bezier(a: [f32; 4], out: [f32; 4], into: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
        squad(a, out, into, b, t)
    }
}

impl Value for u32 {
    fn curve(keys: &Keys) -> Option<&Curve<u32>> {
        if let Keys::Integer(curve) = keys { Some(curve) } else { None }
    }
    fn linear(a: u32, _: u32, _: f32) -> u32 {
        a
    }
    fn hermite(a: u32, _: u32, _: u32, _: u32, _: f32) -> u32 {
        a
    }
    fn bezier(a: u32, _: u32, _: u32, _: u32, _: f32) -> u32 {
        a
    }
}

/// Returns `true` for tracks that the game never interpolates.
fn is_stepped(tag: &[u8; 4]) -> bool {
    matches!(tag, b"KLAV" | b"KATV" | b"KPEV" | b"KP2V" | b"KRVS" | b"KVIS" | b"KPPV")
}

pub(super) fn sample<T: Value>(model: &Model, track: &Track, moment: &Moment, edge: Edge) -> Option<T> {
    let curve = T::curve(&track.keys)?;
    let interpolation = if is_stepped(&track.tag.0) { Interpolation::None } else { track.interpolation };
    if let Ok(global) = usize::try_from(track.global_sequence) {
        let length = f64::from(model.global_sequences.get(global).copied().unwrap_or(0));
        let first = curve.keys.first()?;
        // If the clock does not run or never reaches the first key, the value of that key is held.
        if length == 0.0 || f64::from(first.time) > length {
            return Some(first.value);
        }
        return sample_in(curve, interpolation, (0.0, length), moment.clock.rem_euclid(length), edge);
    }
    match moment.sequence.and_then(|i| model.sequences.get(i)) {
        Some(s) => sample_in(curve, interpolation, (f64::from(s.start), f64::from(s.end)), moment.time, edge),
        None => sample_in(curve, interpolation, (f64::MIN, f64::MAX), moment.time, Edge::Clamp),
    }
}

/// Returns the time of the key at or before a moment among those that count in its sequence; before the first one, that of the
/// last if the track wraps around, otherwise of the first.
pub(super) fn key_before(model: &Model, track: &Track, moment: &Moment, edge: Edge) -> Option<i32> {
    let (window, time) = match usize::try_from(track.global_sequence) {
        Ok(global) => {
            let length = f64::from(model.global_sequences.get(global).copied().unwrap_or(0));
            let time = if length > 0.0 { moment.clock.rem_euclid(length) } else { 0.0 };
            ((0.0, length), time)
        }
        Err(_) => match moment.sequence.and_then(|i| model.sequences.get(i)) {
            Some(s) => ((f64::from(s.start), f64::from(s.end)), moment.time),
            None => ((f64::MIN, f64::MAX), moment.time),
        },
    };
    let inside = || track.keys.times().filter(|t| (window.0..=window.1).contains(&f64::from(*t)));
    let before = inside().filter(|t| f64::from(*t) <= time).max();
    before.or_else(|| if edge == Edge::Wrap { inside().max() } else { inside().min() })
}

fn sample_in<T: Value>(
    curve: &Curve<T>,
    interpolation: Interpolation,
    window: (f64, f64),
    time: f64,
    edge: Edge,
) -> Option<T> {
    if !curve.keys.is_sorted_by_key(|k| k.time) {
        let mut order: Vec<usize> = (0..curve.keys.len()).collect();
        order.sort_by_key(|i| curve.keys.get(*i).map(|k| k.time));
        let sorted = Curve {
            keys: order.iter().filter_map(|i| curve.keys.get(*i).copied()).collect(),
            tangents: order.iter().filter_map(|i| curve.tangents.get(*i).copied()).collect(),
        };
        return sample_sorted(&sorted, interpolation, window, time, edge);
    }
    sample_sorted(curve, interpolation, window, time, edge)
}

fn sample_sorted<T: Value>(
    curve: &Curve<T>,
    interpolation: Interpolation,
    (start, end): (f64, f64),
    time: f64,
    edge: Edge,
) -> Option<T> {
    let from = curve.keys.partition_point(|k| f64::from(k.time) < start);
    let to = curve.keys.partition_point(|k| f64::from(k.time) <= end);
    let keys = curve.keys.get(from..to)?;
    let (first, last) = (keys.first()?, keys.last()?);
    if keys.len() == 1 {
        return Some(first.value);
    }
    let after = keys.partition_point(|k| f64::from(k.time) <= time);
    let pair = |left: usize, right: usize, t: f64| -> Option<T> {
        let (a, b) = (keys.get(left)?, keys.get(right)?);
        let tangents = |i: usize| curve.tangents.get(from + i).copied();
        Some(mix(interpolation, a, tangents(left), b, tangents(right), t as f32))
    };
    if after > 0 && after < keys.len() {
        let (a, b) = (keys.get(after - 1)?, keys.get(after)?);
        let (ta, tb) = (f64::from(a.time), f64::from(b.time));
        return pair(after - 1, after, if tb > ta { (time - ta) / (tb - ta) } else { 1.0 });
    }
    if edge == Edge::Clamp {
        return Some(if after == 0 { first.value } else { last.value });
    }
    // From the last key around to the first.
    let (tf, tl) = (f64::from(first.time), f64::from(last.time));
    let gap = (end - tl) + (tf - start);
    let passed = if after == 0 { (end - tl) + (time - start) } else { time - tl };
    pair(keys.len() - 1, 0, if gap > 0.0 { (passed / gap).clamp(0.0, 1.0) } else { 0.0 })
}

fn mix<T: Value>(
    interpolation: Interpolation,
    a: &Key<T>,
    left: Option<Tangents<T>>,
    b: &Key<T>,
    right: Option<Tangents<T>>,
    t: f32,
) -> T {
    match (interpolation, left, right) {
        (Interpolation::None, ..) => a.value,
        (Interpolation::Hermite, Some(l), Some(r)) => T::hermite(a.value, l.outgoing, r.incoming, b.value, t),
        (Interpolation::Bezier, Some(l), Some(r)) => T::bezier(a.value, l.outgoing, r.incoming, b.value, t),
        _ => T::linear(a.value, b.value, t),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sequence, Version};

    fn model() -> Model {
        let mut model = Model::new(Version(800));
        model.sequences.push(Sequence { start: 1000, end: 2000, ..Sequence::default() });
        model.global_sequences = vec![100, 0];
        model
    }

    fn at(interpolation: Interpolation, keys: &[(i32, f32)], time: f64, edge: Edge) -> Option<f32> {
        let track = Track::new(b"KGAO", interpolation, Keys::Float(Curve::new(keys.iter().copied())));
        sample(&model(), &track, &Moment { sequence: Some(0), time, clock: 0.0 }, edge)
    }

    #[test]
    fn only_keys_inside_the_sequence_count() {
        let keys = [(0, 9.0), (1000, 1.0), (2000, 3.0), (2001, 9.0)];
        assert_eq!(at(Interpolation::Linear, &keys, 1500.0, Edge::Clamp), Some(2.0));
        assert_eq!(at(Interpolation::None, &keys, 1999.0, Edge::Clamp), Some(1.0));
        assert_eq!(at(Interpolation::Linear, &[(0, 9.0), (3000, 9.0)], 1500.0, Edge::Clamp), None);
        assert_eq!(at(Interpolation::Linear, &[(0, 9.0), (1700, 4.0)], 1100.0, Edge::Wrap), Some(4.0));
    }

    #[test]
    fn edges_clamp_or_wrap() {
        let keys = [(1200, 0.0), (1800, 4.0)];
        assert_eq!(at(Interpolation::Linear, &keys, 1000.0, Edge::Clamp), Some(0.0));
        assert_eq!(at(Interpolation::Linear, &keys, 2000.0, Edge::Clamp), Some(4.0));
        // Half way round: 200 of 400 ms from 4 back to 0.
        assert_eq!(at(Interpolation::Linear, &keys, 2000.0, Edge::Wrap), Some(2.0));
        assert_eq!(at(Interpolation::Linear, &keys, 1000.0, Edge::Wrap), Some(2.0));
        assert_eq!(at(Interpolation::Linear, &keys, 1100.0, Edge::Wrap), Some(1.0));
    }

    #[test]
    fn unsorted_keys_play_as_if_sorted() {
        assert_eq!(at(Interpolation::Linear, &[(2000, 3.0), (1000, 1.0)], 1500.0, Edge::Clamp), Some(2.0));
    }

    #[test]
    fn curves_pass_through_their_control_points() {
        let tangents = |v: f32| Tangents { incoming: v, outgoing: v };
        let mut curve = Curve::new([(1000, 0.0f32), (2000, 1.0)]);
        curve.tangents = vec![tangents(1.0 / 3.0), tangents(2.0 / 3.0)];
        let sample_at = |i, curve: &Curve<f32>, time| {
            let track = Track::new(b"KGAO", i, Keys::Float(curve.clone()));
            sample::<f32>(&model(), &track, &Moment { sequence: Some(0), time, clock: 0.0 }, Edge::Clamp)
                .unwrap()
        };
        // Control points on the line make a line.
        for t in [0.0, 0.25, 0.5, 0.9] {
            assert!((sample_at(Interpolation::Bezier, &curve, 1000.0 + 1000.0 * t) - t as f32).abs() < 1e-6);
        }
        // Flat tangents make the smooth step.
        curve.tangents = vec![tangents(0.0); 2];
        assert!((sample_at(Interpolation::Hermite, &curve, 1250.0) - 0.15625).abs() < 1e-6);
        curve.tangents = vec![tangents(1.0); 2];
        assert!((sample_at(Interpolation::Hermite, &curve, 1250.0) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn rotations_take_the_shorter_way() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let q = slerp([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -half, -half], 0.5);
        let eighth = (std::f32::consts::PI / 8.0).sin_cos();
        assert!((q[2] - eighth.0).abs() < 1e-6 && (q[3] - eighth.1).abs() < 1e-6, "{q:?}");
    }

    #[test]
    fn a_rotation_without_length_does_not_turn() {
        let (sine, cosine) = (std::f32::consts::PI / 8.0).sin_cos();
        let q = slerp([0.0; 4], [0.0, 0.0, (sine * cosine) * 2.0, cosine * cosine - sine * sine], 0.5);
        assert!((q[2] - sine).abs() < 1e-6 && (q[3] - cosine).abs() < 1e-6, "{q:?}");
    }

    #[test]
    fn global_sequences_have_their_own_clock() {
        let keys = Keys::Float(Curve::new([(0, 0.0), (100, 10.0)]));
        let mut track = Track { global_sequence: 0, ..Track::new(b"KGAO", Interpolation::Linear, keys) };
        let moment = Moment { sequence: Some(0), time: 1000.0, clock: 1025.0 };
        assert_eq!(sample(&model(), &track, &moment, Edge::Wrap), Some(2.5f32));
        track.global_sequence = 1;
        assert_eq!(sample(&model(), &track, &moment, Edge::Wrap), Some(0.0f32));
        track.global_sequence = 0;
        track.keys = Keys::Float(Curve::new([(500, 7.0), (900, 8.0)]));
        assert_eq!(sample(&model(), &track, &moment, Edge::Wrap), Some(7.0f32));
    }

    #[test]
    fn visibility_is_never_between() {
        let keys = Keys::Float(Curve::new([(1000, 1.0), (2000, 0.0)]));
        let track = Track::new(b"KATV", Interpolation::Linear, keys);
        let moment = Moment { sequence: Some(0), time: 1900.0, clock: 0.0 };
        assert_eq!(sample(&model(), &track, &moment, Edge::Wrap), Some(1.0f32));
    }

    #[test]
    fn sequences_loop_or_stay_at_their_end() {
        let mut model = model();
        assert_eq!(Moment::in_sequence(&model, 0, 1250.0).time, 1250.0);
        model.sequences[0].flags = 1;
        assert_eq!(Moment::in_sequence(&model, 0, 1250.0).time, 2000.0);
    }
}
