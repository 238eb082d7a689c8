//! Numbers as text: the shortest digits that read back to the same bits, and reading without rounding twice.

use std::io::Write;

/// The powers of ten that an `f64` holds exactly.
const POW10: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

fn pow10(n: i32) -> Option<f64> {
    usize::try_from(n).ok().and_then(|n| POW10.get(n)).copied()
}

/// `v` times a power of ten, rounded once.
fn scaled(v: f64, n: i32) -> Option<f64> {
    if n >= 0 { pow10(n).map(|p| v * p) } else { pow10(-n).map(|p| v / p) }
}

/// How a number is written where digits alone do not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// Exponents for very large and very small numbers.
    Short,
    /// Never an exponent: some walkmesh readers misread it.
    Fixed,
}

/// The shortest digits of a finite number above zero, as an integer and a power of ten.
fn digits(v: f32) -> (u64, i32) {
    fast_digits(v).unwrap_or_else(|| slow_digits(v))
}

/// Nine digits hold any `f32`; fewer do if a rounder number still lies nearer to this one than to its neighbours. `None`
/// where that is too close to call with the precision of an `f64`.
fn fast_digits(v: f32) -> Option<(u64, i32)> {
    let bits = v.to_bits();
    // Subnormals and powers of two have neighbours at unequal distances.
    if !(1e-13..1e15).contains(&v) || bits & 0x7F_FFFF == 0 {
        return None;
    }
    let wide = f64::from(v);
    let half_gap = (f64::from(f32::from_bits(bits + 1)) - wide) / 2.0;
    let exponent = (bits >> 23) as i32 - 127;
    let mut scale = 8 - ((exponent * 1233) >> 12);
    let mut value = scaled(wide, scale)?;
    if value >= 1e9 {
        scale -= 1;
        value = scaled(wide, scale)?;
    }
    // Thousandths of the ninth digit: the error of the multiplications is below one of them.
    let reach = (scaled(half_gap, scale)? * 1000.0) as u64;
    let value = (value * 1000.0) as u64;
    let mut best = None;
    let mut unit = 1000u64;
    let mut exponent = -scale;
    loop {
        let count = (value + unit / 2) / unit;
        let off = (count * unit).abs_diff(value);
        if off.abs_diff(reach) <= 4 {
            return None;
        }
        if off > reach || count == 0 {
            return best;
        }
        best = Some((count, exponent));
        unit *= 10;
        exponent += 1;
    }
}

fn slow_digits(v: f32) -> (u64, i32) {
    let text = format!("{v:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = mantissa.find('.').map_or(0, |p| mantissa.len() - p - 1) as i32;
    let count = mantissa.bytes().filter(u8::is_ascii_digit).fold(0, |n, d| n * 10 + u64::from(d - b'0'));
    (count, exponent.parse::<i32>().unwrap_or(0) - point)
}

/// Decimal digits of an integer, at the end of a buffer.
fn integer(mut n: u64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut start = buffer.len();
    for slot in buffer.iter_mut().rev() {
        *slot = b'0' + (n % 10) as u8;
        n /= 10;
        start -= 1;
        if n == 0 {
            break;
        }
    }
    buffer.get(start..).unwrap_or(&[])
}

/// Appends an integer.
pub(crate) fn push_int(out: &mut Vec<u8>, n: u64) {
    out.extend_from_slice(integer(n, &mut [0; 20]));
}

/// Appends an integer that may be negative.
pub(crate) fn push_signed(out: &mut Vec<u8>, n: i64) {
    if n < 0 {
        out.push(b'-');
    }
    push_int(out, n.unsigned_abs());
}

/// Appends a number in the shortest form that reads back to the same bits. What is no number has no text: it becomes 0.
pub(crate) fn push_f32(out: &mut Vec<u8>, v: f32, notation: Notation) {
    if !v.is_finite() {
        out.extend_from_slice(b"0.0");
        return;
    }
    if v.is_sign_negative() {
        out.push(b'-');
    }
    let v = v.abs();
    if v == 0.0 {
        out.extend_from_slice(b"0.0");
        return;
    }
    let (mut count, mut exponent) = digits(v);
    while count % 10 == 0 {
        count /= 10;
        exponent += 1;
    }
    push_decimal(out, count, exponent, notation);
}

const ZEROS: &[u8] = b"0000000000000000000000000000000000000000000000000000000000000000";

fn push_zeros(out: &mut Vec<u8>, n: usize) {
    out.extend_from_slice(ZEROS.get(..n).unwrap_or(ZEROS));
}

/// Appends `count` times ten to the power of `exponent`.
fn push_decimal(out: &mut Vec<u8>, count: u64, exponent: i32, notation: Notation) {
    let mut buffer = [0; 20];
    let text = integer(count, &mut buffer);
    // Digits before the point.
    let whole = text.len() as i32 + exponent;
    if notation == Notation::Short && !(-4..=9).contains(&whole) {
        let (first, rest) = text.split_at(1.min(text.len()));
        out.extend_from_slice(first);
        if !rest.is_empty() {
            out.push(b'.');
            out.extend_from_slice(rest);
        }
        out.push(b'e');
        push_signed(out, i64::from(whole) - 1);
    } else if whole <= 0 {
        out.extend_from_slice(b"0.");
        push_zeros(out, whole.unsigned_abs() as usize);
        out.extend_from_slice(text);
    } else if exponent >= 0 {
        out.extend_from_slice(text);
        push_zeros(out, exponent as usize);
        out.extend_from_slice(b".0");
    } else {
        let (before, after) = text.split_at((whole as usize).min(text.len()));
        out.extend_from_slice(before);
        out.push(b'.');
        out.extend_from_slice(after);
    }
}

/// Appends a number rounded to so many decimals, without zeros at the end. Returns what the text reads back as.
pub(crate) fn push_rounded(out: &mut Vec<u8>, v: f64, decimals: i32) -> f64 {
    let decimals = decimals.clamp(0, 22);
    let count = (v.abs() * pow10(decimals).unwrap_or(1.0)).round();
    if count.is_nan() || count >= 9e15 {
        let start = out.len();
        // Writing to memory cannot fail.
        let _ = write!(out, "{v:e}");
        return out.get(start..).and_then(f64_of).unwrap_or(0.0);
    }
    if v.is_sign_negative() {
        out.push(b'-');
    }
    let (mut n, mut exponent) = (count as u64, -decimals);
    if n == 0 {
        out.extend_from_slice(b"0.0");
        return if v.is_sign_negative() { -0.0 } else { 0.0 };
    }
    while n % 10 == 0 {
        n /= 10;
        exponent += 1;
    }
    push_decimal(out, n, exponent, Notation::Short);
    scaled(n as f64, exponent).unwrap_or(0.0).copysign(v)
}

/// Decimals of the shortest text of a number.
pub(crate) fn decimals(v: f32) -> i32 {
    if v == 0.0 || !v.is_finite() {
        return 0;
    }
    let (mut count, mut exponent) = digits(v.abs());
    while count % 10 == 0 {
        count /= 10;
        exponent += 1;
    }
    (-exponent).max(0)
}

struct Decimal {
    negative: bool,
    count: u64,
    exponent: i32,
    /// Whether `count` holds all digits.
    whole: bool,
}

fn decimal(text: &[u8]) -> Option<Decimal> {
    let (negative, mut rest) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    let (mut count, mut exponent, mut seen, mut whole) = (0u64, 0i32, false, true);
    let mut point = false;
    while let Some((c, tail)) = rest.split_first() {
        let digit = c.wrapping_sub(b'0');
        if digit < 10 {
            seen = true;
            if count < 1_000_000_000_000_000_000 {
                count = count * 10 + u64::from(digit);
                exponent -= i32::from(point);
            } else {
                whole &= digit == 0;
                exponent = exponent.saturating_add(i32::from(!point));
            }
        } else if *c == b'.' && !point {
            point = true;
        } else {
            break;
        }
        rest = tail;
    }
    if !seen {
        return None;
    }
    if let Some((b'e' | b'E', tail)) = rest.split_first() {
        let (minus, digits) = match tail.split_first()? {
            (b'-', digits) => (true, digits),
            (b'+', digits) => (false, digits),
            _ => (false, tail),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let size = digits.iter().fold(0i32, |n, d| n.saturating_mul(10).saturating_add(i32::from(d - b'0')));
        exponent = exponent.saturating_add(if minus { -size } else { size });
    } else if !rest.is_empty() {
        return None;
    }
    Some(Decimal { negative, count, exponent, whole })
}

/// Words that tools write for what is no number.
fn not_finite(text: &[u8]) -> Option<f32> {
    let (negative, word) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    let is = |known: &[u8]| word.get(..known.len()).is_some_and(|w| w.eq_ignore_ascii_case(known));
    let size = if is(b"1.#inf") || is(b"inf") {
        f32::INFINITY
    } else if is(b"1.#qnan") || is(b"1.#ind") || is(b"1.#snan") || is(b"nan") {
        f32::NAN
    } else {
        return None;
    };
    Some(if negative { -size } else { size })
}

/// Whether a word begins like a number.
pub(crate) fn is_number(text: &[u8]) -> bool {
    match text {
        [b'0'..=b'9', ..] => true,
        [b'-' | b'+' | b'.', b'0'..=b'9' | b'.', ..] => true,
        _ => not_finite(text).is_some() && text.len() < 10,
    }
}

/// A number of at most 15 digits, of which so many are decimals: exact up to one rounding.
#[inline]
pub(crate) fn short_f64(negative: bool, count: u64, decimals: usize) -> f64 {
    let size = count as f64 / POW10.get(decimals).copied().unwrap_or(1.0);
    if negative { -size } else { size }
}

/// [`short_f64`] as `f32`; `None` where the digits have to be looked at again to round but once.
#[inline]
pub(crate) fn short_f32(negative: bool, count: u64, decimals: usize) -> Option<f32> {
    let wide = short_f64(negative, count, decimals);
    (wide.to_bits() & 0x1FFF_FFFF != 0x1000_0000).then_some(wide as f32)
}

/// The number a word stands for.
pub(crate) fn f64_of(text: &[u8]) -> Option<f64> {
    let Some(d) = decimal(text) else { return not_finite(text).map(f64::from) };
    let size = match scaled(d.count as f64, d.exponent) {
        Some(size) if d.whole && d.count < 1 << 53 => size,
        _ => std::str::from_utf8(text).ok()?.parse::<f64>().ok()?.abs(),
    };
    Some(if d.negative { -size } else { size })
}

/// The number a word stands for, rounded once.
pub(crate) fn f32_of(text: &[u8]) -> Option<f32> {
    let wide = f64_of(text)?;
    let bits = wide.to_bits();
    let size = wide.abs();
    // Halfway between two numbers the digits decide; below the smallest normal number, too.
    if bits & 0x1FFF_FFFF == 0x1000_0000 || (size < 1.2e-38 && size != 0.0) {
        return std::str::from_utf8(text).ok()?.parse().ok();
    }
    Some(wide as f32)
}

/// The integer a word stands for, between these bounds; a fraction of zeros is fine.
pub(crate) fn int_of(text: &[u8], low: i64, high: i64) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    let mut n = 0i64;
    if digits.len() <= 18 && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        n = digits.iter().fold(n, |n, d| n * 10 + i64::from(d - b'0'));
        n = if negative { -n } else { n };
    } else {
        let wide = f64_of(text)?;
        if wide.fract() != 0.0 || wide.abs() > 9e15 {
            return None;
        }
        n = wide as i64;
    }
    (low..=high).contains(&n).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use galatea_trial::Random;

    fn text(v: f32, notation: Notation) -> String {
        let mut out = Vec::new();
        push_f32(&mut out, v, notation);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_look_as_people_write_them() {
        for (v, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-5.0, "-5.0"),
            (0.5, "0.5"),
            (0.1, "0.1"),
            (183.465, "183.465"),
            (0.00012, "0.00012"),
            (1e-7, "1e-7"),
            (-1.25e-9, "-1.25e-9"),
            (123456.7, "123456.7"),
            (1e7, "10000000.0"),
            (3.4028235e38, "3.4028235e38"),
            (f32::NAN, "0.0"),
        ] {
            assert_eq!(text(v, Notation::Short), expected);
        }
        assert_eq!(text(1e-7, Notation::Fixed), "0.0000001");
        assert_eq!(text(1.5e12, Notation::Fixed), "1500000000000.0");
    }

    /// Every number comes back, with as few digits as Rust's own formatting needs.
    #[test]
    fn any_bits_come_back_with_the_fewest_digits() {
        let mut random = Random(7);
        let mut slow = 0;
        for i in 0..400_000u32 {
            let v = match i % 4 {
                0 => f32::from_bits(random.next_u64() as u32),
                1 => (random.unit() * 2.0 - 1.0) as f32,
                2 => (random.below(2_000_000) as f32 - 1e6) / 1000.0,
                _ => ((random.unit() - 0.5) * 600.0) as f32,
            };
            if !v.is_finite() {
                continue;
            }
            let short = text(v, Notation::Short);
            assert_eq!(f32_of(short.as_bytes()).map(f32::to_bits), Some(v.to_bits()), "{v:e} as {short}");
            assert_eq!(short.parse::<f32>().unwrap().to_bits(), v.to_bits());
            let fixed = text(v, Notation::Fixed);
            assert_eq!(f32_of(fixed.as_bytes()).map(f32::to_bits), Some(v.to_bits()), "{v:e} as {fixed}");
            let digits = |s: &str| {
                let mantissa = s.split('e').next().unwrap_or("").replace(['.', '-'], "");
                mantissa.trim_start_matches('0').trim_end_matches('0').to_owned()
            };
            assert_eq!(digits(&short), digits(&format!("{v:e}")), "{v:e}");
            if i % 4 != 0 && v != 0.0 {
                slow += usize::from(fast_digits(v.abs()).is_none());
            }
        }
        assert!(slow < 3_000, "{slow} numbers took the slow way");
    }

    #[test]
    fn every_way_of_writing_a_number_is_read() {
        for (word, expected) in [
            ("-.5", -0.5),
            ("2.5E+1", 25.0),
            ("1e-007", 1e-7),
            ("0.971000015735626", 0.971),
            ("7.", 7.0),
            ("+3", 3.0),
            ("00012.50", 12.5),
        ] {
            assert_eq!(f32_of(word.as_bytes()), Some(expected), "{word}");
        }
        for word in ["", "-", ".", "1,5", "e5", "1e", "1e+", "0x10", "--1", "1.2.3", "abc"] {
            assert_eq!(f32_of(word.as_bytes()), None, "{word}");
        }
        assert!(f32_of(b"1.#QNAN").is_some_and(f32::is_nan));
        assert_eq!(f32_of(b"-inf"), Some(f32::NEG_INFINITY));
        assert_eq!(f64_of(b"99999999999999999999999999"), Some(1e26));
        assert_eq!(int_of(b"4294967295", 0, u32::MAX.into()), Some(4294967295));
        assert_eq!(int_of(b"-1", 0, 5), None);
        assert_eq!(int_of(b"3.0", 0, 5), Some(3));
        assert_eq!(int_of(b"3.5", 0, 5), None);
    }

    #[test]
    fn rounded_numbers_say_what_they_read_back_as() {
        let mut random = Random(3);
        for _ in 0..100_000 {
            let v = (random.unit() - 0.5) * 10f64.powi(random.below(12) as i32 - 4);
            let mut out = Vec::new();
            let said = push_rounded(&mut out, v, random.below(16) as i32);
            assert_eq!(
                f64_of(&out).map(f64::to_bits),
                Some(said.to_bits()),
                "{v} as {}",
                String::from_utf8_lossy(&out)
            );
        }
    }
}
