//! Conversion of squad rotations to cubic keys, and back.

use super::{CurveForm, FormatKeys, SceneKeys, spans};
use crate::scene::squad::{self, Q, Squad};

/// The error of a rotation above which keys are inserted.
const SLACK: f64 = 1e-5;

impl CurveForm {
    pub(super) fn encode_squad(&self, rows: &FormatKeys, made: &mut SceneKeys) {
        let keys: Vec<Q> = rows.values.chunks_exact(4).map(wide).collect();
        let controls: Vec<Q> = rows.tangents.chunks_exact(4).map(wide).collect();
        let at = |list: &[Q], i: usize| list.get(i).copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
        made.times.clear();
        made.values.reserve(rows.values.len() * 3);
        let mut sign = 1.0;
        let mut into = keys.first().map_or([0.0; 4], |first| squad::tangent(*first, at(&controls, 0), None));
        for (i, [before, after]) in spans(&rows.times).enumerate() {
            let (key, out) = (at(&keys, i), at(&controls, i * 2 + 1));
            let last = i.checked_sub(1).and_then(|p| keys.get(p)).copied();
            let next = keys.get(i + 1).copied();
            if last.is_some_and(|last| squad::opposite(last, key)) {
                sign = -sign;
            }
            if sign < 0.0 {
                made.flipped.push(i as u32);
            }
            made.times.extend(rows.times.get(i));
            let leaving = squad::tangent(key, out, next);
            put_narrow(&mut made.values, into, -sign / f64::from(before));
            put_narrow(&mut made.values, key, sign);
            put_narrow(&mut made.values, leaving, sign / f64::from(after));
            if let (Some(next), Some(from), Some(to)) = (next, rows.times.get(i), rows.times.get(i + 1)) {
                let control = at(&controls, i * 2 + 2);
                into = squad::tangent(next, control, Some(key));
                between([key, out, control, next], [leaving, into], sign, [*from, *to], made);
            }
        }
    }
}

/// Inserts keys between two rotations until the cubic curves are close enough to the squad curve.
fn between(
    [a, out, into, b]: [Q; 4],
    [start, end]: [Q; 2],
    sign: f64,
    [from, to]: [f32; 2],
    made: &mut SceneKeys,
) {
    // If all points are close together, so are the curves.
    let far = [out, into, b].into_iter().map(|q| if squad::opposite(a, q) { q.map(|c| -c) } else { q });
    let far = far.map(|q| squad::max_difference(a, q)).fold(0.0, f64::max);
    if far < 0.05 || to <= from {
        return;
    }
    let flip = if squad::opposite(a, b) { -1.0 } else { 1.0 };
    let end = end.map(|c| -c * flip);
    // Both curves have the same tangents at the keys: for small angles it suffices to compare their midpoints.
    let middle = squad::cubic(a, start, end, b.map(|c| c * flip), 0.5);
    if far < 0.3 && squad::max_difference(squad::middle(a, out, into, b), middle) < SLACK * 0.5 {
        return;
    }
    let way = Squad::new(a, out, into, b);
    let span = f64::from(to) - f64::from(from);
    // Times are whole milliseconds, and Blender merges keys that are closer than half a millisecond.
    let most = (1..=5).map(|n| 1u32 << n).take_while(|n| span / f64::from(*n) >= 0.001).last().unwrap_or(1);
    let mut parts = 1u32;
    let keys = loop {
        let n = f64::from(parts);
        let mut keys: Vec<(f64, Q, Q)> = Vec::with_capacity(parts as usize + 1);
        keys.push((0.0, a, start));
        for i in 1..parts {
            let t = f64::from(i) / n;
            let (q, d) = way.sample(t, keys.last().map_or(a, |(_, q, _)| *q));
            keys.push((t, q, d));
        }
        keys.push((1.0, b.map(|c| c * flip), end));
        // For short curves the error is largest at the midpoint; for long ones it may be small there by chance.
        let probes: &[f64] = if parts == 1 { &[0.5, 0.25, 0.75] } else { &[0.5] };
        let mut far = 0.0f64;
        for (pair, s) in keys.windows(2).flat_map(|pair| probes.iter().map(move |s| (pair, s))) {
            let [(t0, q0, d0), (t1, q1, d1)] = pair else { continue };
            if parts > 1 || far < SLACK {
                let there = squad::cubic(*q0, d0.map(|c| c / n), d1.map(|c| c / n), *q1, *s);
                let q = way.at(t0 + (t1 - t0) * s);
                far = far.max(squad::max_difference(
                    there,
                    if squad::opposite(q, there) { q.map(|c| -c) } else { q },
                ));
            }
        }
        if far < SLACK || parts >= most {
            break keys;
        }
        // The error is proportional to the fourth power of the interval.
        let wanted = f64::from(parts) * (far / SLACK).sqrt().sqrt() * 0.8;
        parts *= 2;
        while parts < most && f64::from(parts) < wanted {
            parts *= 2;
        }
    };
    for (t, q, d) in keys.iter().skip(1).take(parts as usize - 1) {
        let time = (f64::from(from) + span * t) as f32;
        if time <= from || time >= to {
            continue;
        }
        made.inserted.push(made.times.len() as u32);
        made.times.push(time);
        put_narrow(&mut made.values, *d, sign / span);
        put_narrow(&mut made.values, *q, sign);
        put_narrow(&mut made.values, *d, sign / span);
    }
}

pub(super) fn decode_squad(times: &[f32], values: &[f32], flipped: &[u32], rows: &mut FormatKeys) {
    let sign = |i: usize| if flipped.binary_search(&(i as u32)).is_ok() { -1.0 } else { 1.0 };
    let part = |key: &[f32], i: usize, sign: f64| wide(key.get(i * 4..).unwrap_or(&[])).map(|c| c * sign);
    let keys: Vec<Q> = values.chunks_exact(12).enumerate().map(|(i, key)| part(key, 1, sign(i))).collect();
    for (i, (key, [before, after])) in values.chunks_exact(12).zip(spans(times)).enumerate() {
        let Some(here) = keys.get(i).copied() else { continue };
        let last = i.checked_sub(1).and_then(|p| keys.get(p)).copied();
        let (into, out) = (part(key, 0, -sign(i)), part(key, 2, sign(i)));
        put_narrow(&mut rows.values, here, 1.0);
        let into = squad::control(here, into.map(|c| c * f64::from(before)), last);
        let out = squad::control(here, out.map(|c| c * f64::from(after)), keys.get(i + 1).copied());
        put_narrow(&mut rows.tangents, into, 1.0);
        put_narrow(&mut rows.tangents, out, 1.0);
    }
}

pub(super) fn wide(row: &[f32]) -> Q {
    row.first_chunk::<4>().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]).map(f64::from)
}

fn put_narrow(out: &mut Vec<f32>, q: Q, factor: f64) {
    out.extend(q.map(|c| (c * factor) as f32));
}
