//! Orientations: axis and angle in the text, quaternions in the file.

use galatea_text::push_rounded;

/// The cosine of the `f64` nearest to a right angle; smaller values are zero.
const NO_COSINE: f64 = 6.2e-17;

/// Returns the quaternion x, y, z, w of an axis and an angle. An axis of almost unit length is used unchanged, as by
/// other tools; any other is normalized.
pub(crate) fn from_axis_angle([x, y, z, angle]: [f64; 4]) -> [f32; 4] {
    let (mut sin, cos) = (angle / 2.0).sin_cos();
    let length = (x * x + y * y + z * z).sqrt();
    if (length - 1.0).abs() > 1e-3 && length > 1e-9 {
        sin /= length;
    }
    let cos = if cos.abs() < NO_COSINE { 0.0 } else { cos };
    [(x * sin) as f32, (y * sin) as f32, (z * sin) as f32, cos as f32]
}

/// Returns axis and angle of a quaternion x, y, z, w, such that they restore the same bits if possible.
fn to_axis_angle([x, y, z, w]: [f32; 4]) -> [f64; 4] {
    let [x, y, z, w] = [x, y, z, w].map(f64::from);
    let length = (x * x + y * y + z * z).sqrt();
    if length == 0.0 && w.abs() == 1.0 {
        // No rotation: any axis will do; it keeps the signs of zeros.
        let axis = [1.0f64.copysign(x), 0.0f64.copysign(y), 0.0f64.copysign(z)];
        let [ax, ay, az] = axis;
        return if w > 0.0 { [ax, ay, az, 0.0] } else { [0.0, 0.0, 0.0, std::f64::consts::TAU] };
    }
    let mut half = length.atan2(w);
    if half.cos() as f32 != w as f32 {
        // Not a unit quaternion: the angle is that of w, and the axis is scaled.
        half = w.clamp(-1.0, 1.0).acos();
        if half.sin() < 1e-9 {
            half = 1e-4f64.copysign(half);
        }
    }
    let sin = half.sin();
    let divide = |c: f64| if sin == 0.0 { c } else { c / sin };
    [divide(x), divide(y), divide(z), half * 2.0]
}

/// Returns the exponent of the power of ten just below a number, or one less.
fn tens(v: f64) -> i32 {
    let exponent = ((v.to_bits() >> 52) & 0x7FF) as i32 - 1023;
    (exponent.max(-40) * 1233) >> 12
}

/// Appends axis and angle of a quaternion x, y, z, w with enough decimals to restore the same bits, if possible.
pub(crate) fn push_orientation(out: &mut Vec<u8>, q: [f32; 4]) {
    if !q.iter().all(|c| c.is_finite()) {
        out.extend_from_slice(b"1.0 0.0 0.0 0.0");
        return;
    }
    let wanted = q.map(f32::to_bits);
    let axis_angle = to_axis_angle(q);
    let start = out.len();
    // Rotations about a coordinate axis are printed with a unit axis.
    let about_one = q.iter().take(3).filter(|c| **c != 0.0).count() == 1;
    let rounded = axis_angle.map(|c| if (c.abs() - 1.0).abs() < 1e-6 { c.signum() } else { c });
    for digits in [8, 9, 11, 13, 16] {
        if digits == 8 && !about_one {
            continue;
        }
        out.truncate(start);
        let mut printed = [0.0; 4];
        let axis_angle = if digits == 8 { rounded } else { axis_angle };
        for (i, (printed, v)) in printed.iter_mut().zip(axis_angle).enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            *printed = push_rounded(out, v, digits - 1 - tens(v));
        }
        if from_axis_angle(printed).map(f32::to_bits) == wanted {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use galatea_robustness::Random;
    use galatea_text::parse_f64;

    fn restored(q: [f32; 4]) -> [f32; 4] {
        let mut out = Vec::new();
        push_orientation(&mut out, q);
        let parts: Vec<f64> = out.split(|b| *b == b' ').map(|w| parse_f64(w).unwrap()).collect();
        from_axis_angle([parts[0], parts[1], parts[2], parts[3]])
    }

    #[test]
    fn nearly_all_orientations_come_back_bit_by_bit() {
        let mut random = Random(11);
        let mut lost = 0;
        for i in 0..50_000 {
            let raw: [f64; 4] = std::array::from_fn(|_| random.unit() * 2.0 - 1.0);
            let raw = if i % 3 == 0 { [raw[0] * 1e-4, raw[1] * 1e-5, 0.0, raw[3]] } else { raw };
            let length = raw.iter().map(|c| c * c).sum::<f64>().sqrt();
            let q = raw.map(|c| (c / length) as f32);
            lost += usize::from(restored(q).map(f32::to_bits) != q.map(f32::to_bits));
        }
        assert!(lost < 20, "{lost} of 50,000 orientations changed");
    }

    #[test]
    fn plain_orientations_come_back_and_look_plain() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        for (q, text) in [
            ([0.0, 0.0, 0.0, 1.0], "1.0 0.0 0.0 0.0"),
            ([0.0, 0.0, half, half], "0.0 0.0 1.0 1.5707963"),
            ([0.0, 0.0, 1.0, 0.0], "0.0 0.0 1.0 3.141592653589793"),
        ] {
            let mut out = Vec::new();
            push_orientation(&mut out, q);
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert_eq!(restored(q).map(f32::to_bits), q.map(f32::to_bits));
        }
        assert_eq!(restored([0.0, 0.0, 0.0, -1.0])[3], -1.0);
    }
}
