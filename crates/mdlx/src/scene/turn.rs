//! Smooth rotations as cubic curves and back.
//!
//! The format runs smoothly from rotation to rotation on the unit sphere (a slerp of slerps); glTF has cubic curves through
//! the four numbers. Both agree at the keys and in their tangents there. All of it is done with the four basic operations and square
//! roots only, so that every machine finds the same bits.

/// A quaternion, x, y, z, w.
pub(super) type Q = [f64; 4];

fn dot(a: Q, b: Q) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `a * x + b * y`.
fn mix(a: Q, x: f64, b: Q, y: f64) -> Q {
    let [a0, a1, a2, a3] = a;
    let [b0, b1, b2, b3] = b;
    [a0 * x + b0 * y, a1 * x + b1 * y, a2 * x + b2 * y, a3 * x + b3 * y]
}

/// The angle whose tangent this is, for numbers from 0 to 1.
fn arc_tangent(x: f64) -> f64 {
    // Halving the angle three times leaves at most a thirty-second of a turn's quarter.
    let half = |x: f64| x / (1.0 + (1.0 + x * x).sqrt());
    let x = half(half(half(x)));
    let y = x * x;
    let mut sum = 0.0;
    for odd in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = 1.0 / odd - y * sum;
    }
    8.0 * x * sum
}

/// Sine and cosine of an angle from 0 to a turn.
fn sine_cosine(angle: f64) -> (f64, f64) {
    let x = angle / 8.0;
    let y = x * x;
    let (mut sine, mut cosine) = (1.0, 1.0);
    for n in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        sine = 1.0 - y / (n * (n - 1.0)) * sine;
    }
    for n in [16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0] {
        cosine = 1.0 - y / (n * (n - 1.0)) * cosine;
    }
    sine *= x;
    for _ in 0..3 {
        (sine, cosine) = (2.0 * sine * cosine, cosine * cosine - sine * sine);
    }
    (sine, cosine)
}

/// The angle with this cosine, from 0 to 1.
fn angle_of(cosine: f64) -> f64 {
    let cosine = cosine.clamp(0.0, 1.0);
    2.0 * arc_tangent(((1.0 - cosine) / (1.0 + cosine)).sqrt())
}

/// How far and which way it is from one rotation to another, the shorter way.
fn away(from: Q, to: Q) -> Q {
    let cosine = dot(from, to);
    let (to, cosine) = if cosine < 0.0 { (to.map(|c| -c), -cosine) } else { (to, cosine) };
    let angle = angle_of(cosine);
    let factor = if angle > 1e-9 { angle / sine_cosine(angle).0 } else { 1.0 };
    mix(to, factor, from, -cosine * factor)
}

/// Where one comes to: the inverse of [`away`].
fn come(from: Q, way: Q) -> Q {
    let angle = dot(way, way).sqrt();
    let (sine, cosine) = sine_cosine(angle);
    let factor = if angle > 1e-9 { sine / angle } else { 1.0 };
    mix(from, cosine, way, factor)
}

/// The shorter way from one rotation to another.
fn slerp(a: Q, b: Q, t: f64) -> Q {
    let cosine = dot(a, b);
    let (b, cosine) = if cosine < 0.0 { (b.map(|c| -c), -cosine) } else { (b, cosine) };
    if cosine > 0.9995 {
        return mix(a, 1.0 - t, b, t);
    }
    let angle = angle_of(cosine);
    let sine = sine_cosine(angle).0;
    mix(a, sine_cosine((1.0 - t) * angle).0 / sine, b, sine_cosine(t * angle).0 / sine)
}

/// The format's smooth way between two keys, of unit length.
pub(super) fn smooth(a: Q, out: Q, into: Q, b: Q, t: f64) -> Q {
    let q = slerp(slerp(a, b, t), slerp(out, into, t), 2.0 * t * (1.0 - t));
    let length = dot(q, q).sqrt();
    if length > 0.0 { q.map(|c| c / length) } else { q }
}

/// Half way between two rotations, the shorter way, of unit length.
fn half(a: Q, b: Q) -> Q {
    let q = mix(a, 1.0, b, if opposite(a, b) { -1.0 } else { 1.0 });
    let length = dot(q, q).sqrt();
    if length > 0.0 { q.map(|c| c / length) } else { q }
}

/// The middle of the smooth way between two keys, without any angle.
pub(super) fn middle(a: Q, out: Q, into: Q, b: Q) -> Q {
    half(half(a, b), half(out, into))
}

/// The tangent with which the smooth way leaves a key towards another, given the control point. Without another key only the
/// control point counts.
pub(super) fn tangent(key: Q, control: Q, other: Option<Q>) -> Q {
    let twice = away(key, control).map(|c| c * 2.0);
    other.map_or(twice, |other| mix(twice, 1.0, away(key, other), 1.0))
}

/// The control point for a tangent: the inverse of [`tangent`].
pub(super) fn control(key: Q, tangent: Q, other: Option<Q>) -> Q {
    let way = other.map_or(tangent, |other| mix(tangent, 1.0, away(key, other), -1.0));
    come(key, way.map(|c| c * 0.5))
}

/// Whether two rotations are on different halves of the sphere.
pub(super) fn opposite(a: Q, b: Q) -> bool {
    dot(a, b) < 0.0
}

/// A cubic curve between two rotations, tangents for the whole span, of unit length.
pub(super) fn cubic(a: Q, out: Q, into: Q, b: Q, t: f64) -> Q {
    let (t2, t3) = (t * t, t * t * t);
    let ends = mix(a, 2.0 * t3 - 3.0 * t2 + 1.0, b, 3.0 * t2 - 2.0 * t3);
    let q = mix(ends, 1.0, mix(out, t3 - 2.0 * t2 + t, into, t3 - t2), 1.0);
    let length = dot(q, q).sqrt();
    if length > 0.0 { q.map(|c| c / length) } else { q }
}

/// The greatest difference of any of the four numbers.
pub(super) fn apart(a: Q, b: Q) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_the_standard_library() {
        for i in 0..=1000 {
            let x = f64::from(i) / 1000.0;
            assert!((arc_tangent(x) - x.atan()).abs() < 1e-14, "{x}");
            assert!((angle_of(x) - x.acos()).abs() < 1e-8, "{x}");
            let (sine, cosine) = sine_cosine(x * 6.0);
            assert!((sine - (x * 6.0).sin()).abs() < 1e-12 && (cosine - (x * 6.0).cos()).abs() < 1e-12);
        }
    }

    #[test]
    fn control_points_follow_from_tangents() {
        let unit = |q: Q| {
            let length = dot(q, q).sqrt();
            q.map(|c| c / length)
        };
        let (a, b, c) =
            (unit([0.1, 0.2, -0.3, 0.9]), unit([0.3, 0.1, 0.2, 0.8]), unit([0.0, 0.4, -0.3, 0.7]));
        for other in [None, Some(b)] {
            assert!(apart(control(a, tangent(a, c, other), other), c) < 1e-12);
        }
        let d = unit([0.2, 0.3, 0.1, 0.7]);
        assert!(apart(smooth(a, c, d, b, 0.5), middle(a, c, d, b)) < 1e-9);
        // The curves leave the key alike.
        let (out, into) = (tangent(a, c, Some(b)), tangent(b, d, Some(a)).map(|c| -c));
        for t in [0.001, 0.999] {
            assert!(apart(smooth(a, c, d, b, t), cubic(a, out, into, b, t)) < 1e-6);
        }
    }
}
