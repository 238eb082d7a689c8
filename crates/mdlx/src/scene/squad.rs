//! Squad rotations as cubic curves and back.
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
    const ODD: [f64; 9] =
        [1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0];
    // Halving the angle three times leaves at most a thirty-second of a turn's quarter.
    let half = |x: f64| x / (1.0 + (1.0 + x * x).sqrt());
    let x = half(half(half(x)));
    let y = x * x;
    8.0 * x * ODD.iter().fold(0.0, |sum, part| part - y * sum)
}

/// Sine and cosine of an angle from 0 to a turn.
fn sine_cosine(angle: f64) -> (f64, f64) {
    /// One part of 17 * 16, 15 * 14 and so on: a division takes several times as long as all the rest.
    const ODD: [f64; 8] =
        [1.0 / 272.0, 1.0 / 210.0, 1.0 / 156.0, 1.0 / 110.0, 1.0 / 72.0, 1.0 / 42.0, 1.0 / 20.0, 1.0 / 6.0];
    /// The same of 16 * 15, 14 * 13 and so on.
    const EVEN: [f64; 8] =
        [1.0 / 240.0, 1.0 / 182.0, 1.0 / 132.0, 1.0 / 90.0, 1.0 / 56.0, 1.0 / 30.0, 1.0 / 12.0, 1.0 / 2.0];
    let x = angle * 0.125;
    let y = x * x;
    let mut sine = ODD.iter().fold(1.0, |sum, part| 1.0 - (y * part) * sum) * x;
    let mut cosine = EVEN.iter().fold(1.0, |sum, part| 1.0 - (y * part) * sum);
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

/// Cosines of angles that are so small that short series tell what there is to know.
const LITTLE: f64 = 0.85;

/// An angle by its sine, if its cosine is so much less than 1.
fn by_sine(less: f64) -> f64 {
    const STEPS: [f64; 13] = [
        13.0 / 27.0,
        12.0 / 25.0,
        11.0 / 23.0,
        10.0 / 21.0,
        9.0 / 19.0,
        8.0 / 17.0,
        7.0 / 15.0,
        6.0 / 13.0,
        5.0 / 11.0,
        4.0 / 9.0,
        3.0 / 7.0,
        2.0 / 5.0,
        1.0 / 3.0,
    ];
    STEPS.iter().fold(1.0, |sum, part| 1.0 + part * less * sum)
}

/// How far and which way it is from one rotation to another, the shorter way.
fn log_map(from: Q, to: Q) -> Q {
    let cosine = dot(from, to);
    let (to, cosine) = if cosine < 0.0 { (to.map(|c| -c), -cosine) } else { (to, cosine) };
    let factor = if cosine > LITTLE {
        by_sine(1.0 - cosine)
    } else {
        let angle = angle_of(cosine);
        angle / sine_cosine(angle).0
    };
    mix(to, factor, from, -cosine * factor)
}

/// Where one comes to: the inverse of [`log_map`].
fn exp_map(from: Q, way: Q) -> Q {
    let angle = dot(way, way).sqrt();
    let (sine, cosine) = sine_cosine(angle);
    let factor = if angle > 1e-9 { sine / angle } else { 1.0 };
    mix(from, cosine, way, factor)
}

/// The shorter way from one rotation to another.
#[derive(Clone, Copy)]
struct Slerp {
    from: Q,
    to: Q,
    bow: Bow,
}

/// How much the way between two rotations is bent.
#[derive(Clone, Copy)]
enum Bow {
    /// By an angle whose cosine is so much less than 1, so little that a short series tells the way.
    Little(f64),
    /// By an angle, with its cotangent and one part of its sine.
    Angle([f64; 3]),
}

impl Slerp {
    fn new(from: Q, to: Q) -> Self {
        let cosine = dot(from, to);
        let (to, cosine) = if cosine < 0.0 { (to.map(|c| -c), -cosine) } else { (to, cosine) };
        let bow = if cosine > LITTLE {
            Bow::Little(1.0 - cosine)
        } else {
            let part = 1.0 / (1.0 - cosine * cosine).sqrt();
            Bow::Angle([angle_of(cosine), cosine * part, part])
        };
        Slerp { from, to, bow }
    }

    fn at(&self, t: f64) -> Q {
        match self.bow {
            Bow::Little(less) => mix(self.from, share(1.0 - t, less), self.to, share(t, less)),
            Bow::Angle([angle, cotangent, part]) => {
                let (sine, cosine) = sine_cosine(t * angle);
                mix(self.from, cosine - cotangent * sine, self.to, sine * part)
            }
        }
    }
}

/// The sine of a part of an angle by the sine of the angle, whose cosine is so much less than 1.
fn share(t: f64, less: f64) -> f64 {
    /// The square of a number and one part of it times one more than its double.
    const STEPS: [(f64, f64); 10] = [
        (100.0, 1.0 / 210.0),
        (81.0, 1.0 / 171.0),
        (64.0, 1.0 / 136.0),
        (49.0, 1.0 / 105.0),
        (36.0, 1.0 / 78.0),
        (25.0, 1.0 / 55.0),
        (16.0, 1.0 / 36.0),
        (9.0, 1.0 / 21.0),
        (4.0, 1.0 / 10.0),
        (1.0, 1.0 / 3.0),
    ];
    let square = t * t;
    let sum = |steps: &[(f64, f64)]| {
        t * steps.iter().fold(1.0, |sum, (n, part)| 1.0 + (n - square) * (part * less) * sum)
    };
    // Most are very short, and need but few of them.
    match STEPS.last_chunk::<4>() {
        Some(few) if less < 0.004 => sum(few),
        _ => sum(&STEPS),
    }
}

/// The format's smooth way between two keys.
#[derive(Clone, Copy)]
pub(super) struct Squad {
    keys: Slerp,
    controls: Slerp,
}

impl Squad {
    pub(super) fn new(a: Q, out: Q, into: Q, b: Q) -> Self {
        Squad { keys: Slerp::new(a, b), controls: Slerp::new(out, into) }
    }

    /// Where it is, of unit length.
    pub(super) fn at(&self, t: f64) -> Q {
        unit(Slerp::new(self.keys.at(t), self.controls.at(t)).at(2.0 * t * (1.0 - t)))
    }

    /// Where it is and where it is going, for the whole way, on the same half of the sphere as another.
    pub(super) fn sample(&self, t: f64, near: Q) -> (Q, Q) {
        const STEP: f64 = 1e-5;
        let aligned = |q: Q| if opposite(q, near) { q.map(|c| -c) } else { q };
        let (low, high) = (aligned(self.at(t - STEP)), aligned(self.at(t + STEP)));
        (unit(mix(low, 0.5, high, 0.5)), mix(high, 0.5 / STEP, low, -0.5 / STEP))
    }
}

/// The same direction with unit length, if there is any.
fn unit(q: Q) -> Q {
    let length = dot(q, q).sqrt();
    if length > 0.0 { q.map(|c| c / length) } else { q }
}

/// Half way between two rotations, the shorter way, of unit length.
fn half(a: Q, b: Q) -> Q {
    unit(mix(a, 1.0, b, if opposite(a, b) { -1.0 } else { 1.0 }))
}

/// The middle of the smooth way between two keys, without any angle.
pub(super) fn middle(a: Q, out: Q, into: Q, b: Q) -> Q {
    half(half(a, b), half(out, into))
}

/// The tangent with which the smooth way leaves a key towards another, given the control point. Without another key only the
/// control point counts.
pub(super) fn tangent(key: Q, control: Q, other: Option<Q>) -> Q {
    let twice = log_map(key, control).map(|c| c * 2.0);
    other.map_or(twice, |other| mix(twice, 1.0, log_map(key, other), 1.0))
}

/// The control point for a tangent: the inverse of [`tangent`].
pub(super) fn control(key: Q, tangent: Q, other: Option<Q>) -> Q {
    let way = other.map_or(tangent, |other| mix(tangent, 1.0, log_map(key, other), -1.0));
    exp_map(key, way.map(|c| c * 0.5))
}

/// Whether two rotations are on different halves of the sphere.
pub(super) fn opposite(a: Q, b: Q) -> bool {
    dot(a, b) < 0.0
}

/// A cubic curve between two rotations, tangents for the whole span, of unit length.
pub(super) fn cubic(a: Q, out: Q, into: Q, b: Q, t: f64) -> Q {
    let (t2, t3) = (t * t, t * t * t);
    let ends = mix(a, 2.0 * t3 - 3.0 * t2 + 1.0, b, 3.0 * t2 - 2.0 * t3);
    unit(mix(ends, 1.0, mix(out, t3 - 2.0 * t2 + t, into, t3 - t2), 1.0))
}

/// The greatest difference of any of the four numbers.
pub(super) fn max_difference(a: Q, b: Q) -> f64 {
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
    fn small_angles_are_like_others() {
        for i in 0..=100 {
            let cosine = LITTLE + (1.0 - LITTLE) * f64::from(i) / 100.0;
            let angle = (1.0 - cosine * cosine).sqrt().asin();
            let want = if angle > 0.0 { angle / angle.sin() } else { 1.0 };
            assert!((by_sine(1.0 - cosine) - want).abs() < 1e-13, "{cosine}");
        }
    }

    #[test]
    fn ways_are_even() {
        for angle in [1e-9, 1e-3, 0.03, 0.5, 0.55, 0.56, 1.0, 1.5] {
            let (from, to) = ([1.0, 0.0, 0.0, 0.0], [f64::cos(angle), f64::sin(angle), 0.0, 0.0]);
            for i in 0..=16 {
                let t = f64::from(i) / 16.0;
                let want = [f64::cos(angle * t), f64::sin(angle * t), 0.0, 0.0];
                assert!(max_difference(Slerp::new(from, to).at(t), want) < 1e-11, "{angle} {t}");
                assert!(max_difference(Slerp::new(from, to.map(|c| -c)).at(t), want) < 1e-11, "{angle} {t}");
            }
        }
    }

    #[test]
    fn control_points_follow_from_tangents() {
        let (a, b, c) =
            (unit([0.1, 0.2, -0.3, 0.9]), unit([0.3, 0.1, 0.2, 0.8]), unit([0.0, 0.4, -0.3, 0.7]));
        for other in [None, Some(b)] {
            assert!(max_difference(control(a, tangent(a, c, other), other), c) < 1e-12);
        }
        let d = unit([0.2, 0.3, 0.1, 0.7]);
        let smooth = Squad::new(a, c, d, b);
        assert!(max_difference(smooth.at(0.5), middle(a, c, d, b)) < 1e-9);
        // The curves leave the key alike.
        let (out, into) = (tangent(a, c, Some(b)), tangent(b, d, Some(a)).map(|c| -c));
        for t in [0.001, 0.999] {
            assert!(max_difference(smooth.at(t), cubic(a, out, into, b, t)) < 1e-6);
        }
    }
}
