//! Squad curves of rotations as cubic curves, and back.
//!
//! The format interpolates rotations by squad (a slerp of slerps on the unit sphere); glTF has cubic curves of the four
//! components. Both agree at the keys and in their tangents there.
//!
//! Bits matter here: files hold ULP deltas relative to these results, so they must be the same on every platform and in every
//! version. Trigonometry comes from libm instead of the platform, and a test holds the bits.

/// A quaternion, x, y, z, w.
pub(super) type Q = [f64; 4];

fn dot(a: Q, b: Q) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns `a * x + b * y`.
fn mix(a: Q, x: f64, b: Q, y: f64) -> Q {
    let [a0, a1, a2, a3] = a;
    let [b0, b1, b2, b3] = b;
    [a0 * x + b0 * y, a1 * x + b1 * y, a2 * x + b2 * y, a3 * x + b3 * y]
}

/// The cosine above which an angle is small enough for a short series, which needs no division by a sine near 0.
const LITTLE: f64 = 0.85;

/// Returns `angle / sin(angle)`, given `1 - cos(angle)`.
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

/// Returns the tangent vector at one rotation that points to another along the shorter arc.
fn log_map(from: Q, to: Q) -> Q {
    let cosine = dot(from, to);
    let (to, cosine) = if cosine < 0.0 { (to.map(|c| -c), -cosine) } else { (to, cosine) };
    let factor = if cosine > LITTLE {
        by_sine(1.0 - cosine)
    } else {
        let angle = libm::acos(cosine);
        angle / libm::sin(angle)
    };
    mix(to, factor, from, -cosine * factor)
}

/// Returns the rotation that a tangent vector points to: the inverse of [`log_map`].
fn exp_map(from: Q, way: Q) -> Q {
    let angle = dot(way, way).sqrt();
    let (sine, cosine) = libm::sincos(angle);
    let factor = if angle > 1e-9 { sine / angle } else { 1.0 };
    mix(from, cosine, way, factor)
}

/// Spherical interpolation along the shorter arc.
#[derive(Clone, Copy)]
struct Slerp {
    from: Q,
    to: Q,
    bow: Bow,
}

/// The angle between two rotations.
#[derive(Clone, Copy)]
enum Bow {
    /// A small angle, as `1 - cos(angle)`.
    Little(f64),
    /// Angle, cotangent and 1 / sine.
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
            Bow::Angle([libm::acos(cosine), cosine * part, part])
        };
        Slerp { from, to, bow }
    }

    fn at(&self, t: f64) -> Q {
        match self.bow {
            Bow::Little(less) => mix(self.from, share(1.0 - t, less), self.to, share(t, less)),
            Bow::Angle([angle, cotangent, part]) => {
                let (sine, cosine) = libm::sincos(t * angle);
                mix(self.from, cosine - cotangent * sine, self.to, sine * part)
            }
        }
    }
}

/// Returns `sin(t * angle) / sin(angle)`, given `1 - cos(angle)`.
fn share(t: f64, less: f64) -> f64 {
    /// `n * n` and `1 / (n * (2 * n + 1))`.
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
    // Most angles are very small and need few terms.
    match STEPS.last_chunk::<4>() {
        Some(few) if less < 0.004 => sum(few),
        _ => sum(&STEPS),
    }
}

/// The format's curve between two keys.
#[derive(Clone, Copy)]
pub(super) struct Squad {
    keys: Slerp,
    controls: Slerp,
}

impl Squad {
    pub(super) fn new(a: Q, out: Q, into: Q, b: Q) -> Self {
        Squad { keys: Slerp::new(a, b), controls: Slerp::new(out, into) }
    }

    /// Returns the rotation at `t`, normalised.
    pub(super) fn at(&self, t: f64) -> Q {
        unit(Slerp::new(self.keys.at(t), self.controls.at(t)).at(2.0 * t * (1.0 - t)))
    }

    /// Returns rotation and tangent at `t`, in the same hemisphere as `near`. The tangent is scaled to the whole interval.
    pub(super) fn sample(&self, t: f64, near: Q) -> (Q, Q) {
        const STEP: f64 = 1e-5;
        let aligned = |q: Q| if opposite(q, near) { q.map(|c| -c) } else { q };
        let (low, high) = (aligned(self.at(t - STEP)), aligned(self.at(t + STEP)));
        (unit(mix(low, 0.5, high, 0.5)), mix(high, 0.5 / STEP, low, -0.5 / STEP))
    }
}

/// Returns a normalised quaternion; zero stays zero.
fn unit(q: Q) -> Q {
    let length = dot(q, q).sqrt();
    if length > 0.0 { q.map(|c| c / length) } else { q }
}

/// Returns the midpoint of the shorter arc between two rotations.
fn half(a: Q, b: Q) -> Q {
    unit(mix(a, 1.0, b, if opposite(a, b) { -1.0 } else { 1.0 }))
}

/// Returns the midpoint of the curve between two keys, without trigonometry.
pub(super) fn middle(a: Q, out: Q, into: Q, b: Q) -> Q {
    half(half(a, b), half(out, into))
}

/// Returns the tangent at a key towards another key, given the control point. Without another key, it depends on the control
/// point only.
pub(super) fn tangent(key: Q, control: Q, other: Option<Q>) -> Q {
    let twice = log_map(key, control).map(|c| c * 2.0);
    other.map_or(twice, |other| mix(twice, 1.0, log_map(key, other), 1.0))
}

/// Returns the control point for a tangent: the inverse of [`tangent`].
pub(super) fn control(key: Q, tangent: Q, other: Option<Q>) -> Q {
    let way = other.map_or(tangent, |other| mix(tangent, 1.0, log_map(key, other), -1.0));
    exp_map(key, way.map(|c| c * 0.5))
}

/// Returns `true` if two quaternions are in opposite hemispheres.
pub(super) fn opposite(a: Q, b: Q) -> bool {
    dot(a, b) < 0.0
}

/// Returns the point at `t` of the cubic curve between two rotations, normalised. Tangents are scaled to the whole interval.
pub(super) fn cubic(a: Q, out: Q, into: Q, b: Q, t: f64) -> Q {
    let (t2, t3) = (t * t, t * t * t);
    let ends = mix(a, 2.0 * t3 - 3.0 * t2 + 1.0, b, 3.0 * t2 - 2.0 * t3);
    unit(mix(ends, 1.0, mix(out, t3 - 2.0 * t2 + t, into, t3 - t2), 1.0))
}

/// Returns the largest difference of any component.
pub(super) fn max_difference(a: Q, b: Q) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // The curves have the same tangents at the keys.
        let (out, into) = (tangent(a, c, Some(b)), tangent(b, d, Some(a)).map(|c| -c));
        for t in [0.001, 0.999] {
            assert!(max_difference(smooth.at(t), cubic(a, out, into, b, t)) < 1e-6);
        }
    }
    #[test]
    fn results_keep_their_bits() {
        let [a, b, c, d] =
            [[0.1, 0.2, -0.3, 0.9], [0.3, 0.1, 0.2, 0.8], [0.9, 0.4, -0.3, -0.7], [0.2, 0.3, 0.1, 0.7]];
        let [a, b, c, d] = [a, b, c, d].map(unit);
        let far = Squad::new(a, c, d, b);
        let near = Squad::new(a, d, d, b);
        let tangent = tangent(a, c, Some(b));
        let results = [far.at(0.3), near.at(0.3), tangent, control(b, tangent, Some(d))];
        let want = [
            [0xBFBE_4F56_2571_EC35, 0x3FB0_2C78_2A7A_B027, 0x3F96_B2E9_C591_70DD, 0x3FEF_B3DD_B8EE_A778],
            [0x3FCB_7884_FBEE_7693, 0x3FD1_445F_6248_9925, 0xBFA1_BFFE_6780_EB90, 0x3FEE_048C_0EB6_E420],
            [0xBFFB_9DA1_1C66_D844, 0xBFF1_3739_4826_F437, 0x3FF6_5A7C_6BB5_F294, 0x3FEC_B0C9_18DA_5AC3],
            [0xBFE0_BE0F_D478_6523, 0xBFDD_6B44_5B95_EB6C, 0x3FE2_6EAF_F689_2D6E, 0x3FDF_7D57_7B5C_0BF2],
        ];
        assert_eq!(results.map(|q| q.map(f64::to_bits)), want);
    }
}
