//! Printing decimals: the fewest digits that read back to the same bits.

use crate::{parse_f64, scale};

/// How a format spells numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notation {
    /// JSON, with a point in every number: `1.0`, `0.1`, `3.4e+38`.
    Json,
    /// Warcraft III MDL, without a point in whole numbers: `1`, `0.1`, `3.4e+38`.
    Bare,
    /// KotOR ASCII models: `1.0`, `0.1`, `3.4e38`.
    Point,
    /// As [`Notation::Point`], but never with an exponent, which some readers of walkmeshes misread.
    Fixed,
}

/// Appends the shortest decimal that reads back to the same bits. NaN and infinity have no decimal form and become 0.
#[inline]
pub fn push_f32(out: &mut Vec<u8>, value: f32, notation: Notation) {
    let value = if value.is_finite() { value } else { 0.0 };
    let whole = value as i32;
    // Minus zero is no integer.
    if (whole as f32).to_bits() == value.to_bits() && whole.unsigned_abs() < 1 << 24 {
        push_int(out, whole);
        if notation != Notation::Bare {
            out.extend_from_slice(b".0");
        }
        return;
    }
    match notation {
        Notation::Json => push_json(out, value),
        Notation::Bare => {
            let mut buffer = zmij::Buffer::new();
            let text = buffer.format_finite(value).as_bytes();
            out.extend_from_slice(text.strip_suffix(b".0").unwrap_or(text));
        }
        Notation::Point | Notation::Fixed => {
            if value.is_sign_negative() {
                out.push(b'-');
            }
            let (digits, exponent) = shortest_digits(value.abs());
            push_digits(out, digits, exponent, notation);
        }
    }
}

/// The only float (with its negative) whose shortest decimal becomes another float when it is read as a double first, as
/// readers of JSON do. All 2^31 were tried.
const ROUNDED_TWICE: u32 = 0x15AE_43FD;

fn push_json(out: &mut Vec<u8>, value: f32) {
    let mut buffer = zmij::Buffer::new();
    let text = if value.to_bits() & !(1 << 31) == ROUNDED_TWICE {
        buffer.format_finite(f64::from(value))
    } else {
        buffer.format_finite(value)
    };
    out.extend_from_slice(text.as_bytes());
}

/// Appends the shortest decimal of a double, as JSON spells it. NaN and infinity become 0.
pub fn push_f64(out: &mut Vec<u8>, value: f64) {
    let value = if value.is_finite() { value } else { 0.0 };
    out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
}

/// Appends an integer of any type.
#[inline]
pub fn push_int(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Returns the shortest digits of a finite number, without zeros at the end, and the power of ten they are multiplied by.
fn shortest_digits(value: f32) -> (u64, i32) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let places = mantissa.find('.').map_or(0, |point| mantissa.len() - point - 1) as i32;
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).fold(0, |n, d| n * 10 + u64::from(d - b'0'));
    without_zeros(digits, exponent.parse::<i32>().unwrap_or(0) - places)
}

/// Moves zeros at the end of the digits into the exponent.
fn without_zeros(mut digits: u64, mut exponent: i32) -> (u64, i32) {
    while digits != 0 && digits.is_multiple_of(10) {
        digits /= 10;
        exponent += 1;
    }
    (digits, exponent)
}

/// Appends `digits` x 10^`exponent`.
fn push_digits(out: &mut Vec<u8>, digits: u64, exponent: i32, notation: Notation) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(digits).as_bytes();
    if digits == 0 {
        out.extend_from_slice(b"0.0");
        return;
    }
    let before_point = text.len() as i32 + exponent;
    if notation == Notation::Point && !(-4..=9).contains(&before_point) {
        let (first, rest) = text.split_at(1);
        out.extend_from_slice(first);
        if !rest.is_empty() {
            out.push(b'.');
            out.extend_from_slice(rest);
        }
        out.push(b'e');
        push_int(out, before_point - 1);
    } else if before_point <= 0 {
        out.extend_from_slice(b"0.");
        push_zeros(out, before_point);
        out.extend_from_slice(text);
    } else if exponent >= 0 {
        out.extend_from_slice(text);
        push_zeros(out, exponent);
        out.extend_from_slice(b".0");
    } else {
        let (before, after) = text.split_at((before_point as usize).min(text.len()));
        out.extend_from_slice(before);
        out.push(b'.');
        out.extend_from_slice(after);
    }
}

fn push_zeros(out: &mut Vec<u8>, count: i32) {
    out.resize(out.len() + count.unsigned_abs() as usize, b'0');
}

/// Appends a number rounded to at most `places` decimal places. Returns what the text reads back as.
pub fn push_rounded(out: &mut Vec<u8>, value: f64, places: i32) -> f64 {
    let places = places.clamp(0, 22);
    let count = scale(value.abs(), places).unwrap_or(f64::NAN).round();
    if count.is_nan() || count >= 9e15 {
        let start = out.len();
        out.extend_from_slice(format!("{value:e}").as_bytes());
        return out.get(start..).and_then(parse_f64).unwrap_or(0.0);
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let (digits, exponent) = without_zeros(count as u64, -places);
    push_digits(out, digits, exponent, Notation::Point);
    scale(digits as f64, exponent).unwrap_or(0.0).copysign(value)
}

/// Returns how many decimal places the shortest form of a number has.
pub fn decimal_places(value: f32) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { (-shortest_digits(value.abs()).1).max(0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_f32;

    fn print(value: f32, notation: Notation) -> String {
        let mut out = Vec::new();
        push_f32(&mut out, value, notation);
        String::from_utf8(out).unwrap()
    }

    /// A generator of the same numbers on every machine.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1);
            self.0 >> 32
        }
    }

    #[test]
    fn each_notation_spells_numbers_its_way() {
        use Notation::{Bare, Fixed, Json, Point};
        for (value, notation, expected) in [
            (0.0, Point, "0.0"),
            (-0.0, Point, "-0.0"),
            (1.0, Point, "1.0"),
            (-5.0, Point, "-5.0"),
            (183.465, Point, "183.465"),
            (0.00012, Point, "0.00012"),
            (1e-7, Point, "1e-7"),
            (-1.25e-9, Point, "-1.25e-9"),
            (123456.7, Point, "123456.7"),
            (1e7, Point, "10000000.0"),
            (3.4028235e38, Point, "3.4028235e38"),
            (f32::NAN, Point, "0.0"),
            (1e-7, Fixed, "0.0000001"),
            (1.5e12, Fixed, "1500000000000.0"),
            (0.0, Bare, "0"),
            (-0.0, Bare, "-0"),
            (-12.5, Bare, "-12.5"),
            (1000.0, Bare, "1000"),
            (f32::MAX, Bare, "3.4028235e+38"),
            (1e-45, Bare, "1e-45"),
            (2.0, Json, "2.0"),
            (-0.0, Json, "-0.0"),
            (0.1, Json, "0.1"),
            (f32::INFINITY, Json, "0.0"),
            (12_345_678.0, Json, "12345678.0"),
            (16_777_215.0, Bare, "16777215"),
        ] {
            assert_eq!(print(value, notation), expected);
        }
    }

    #[test]
    fn all_bits_come_back_with_the_fewest_digits() {
        let mut random = Random(7);
        let digits = |text: &str| {
            let mantissa = text.split('e').next().unwrap_or("").replace(['.', '-'], "");
            mantissa.trim_start_matches('0').trim_end_matches('0').len()
        };
        for i in 0..300_000u32 {
            let value = match i % 3 {
                0 => f32::from_bits(random.next() as u32),
                1 => (random.next() as f32 / 4e9 - 0.5) * 600.0,
                _ => (random.next() % 2_000_000) as f32 / 1000.0 - 1e3,
            };
            if !value.is_finite() {
                continue;
            }
            for notation in [Notation::Json, Notation::Bare, Notation::Point, Notation::Fixed] {
                let text = print(value, notation);
                assert_eq!(parse_f32(text.as_bytes()).map(f32::to_bits), Some(value.to_bits()), "{text}");
                assert_eq!(text.parse::<f32>().unwrap().to_bits(), value.to_bits(), "{text}");
                // Of two that are equally near any will do, so only their number is compared.
                if value.to_bits() & !(1 << 31) != ROUNDED_TWICE {
                    assert_eq!(digits(&text), digits(&format!("{value:e}")), "{text}");
                }
            }
        }
    }

    #[test]
    fn json_survives_readers_that_use_doubles() {
        for value in [f32::from_bits(ROUNDED_TWICE), -f32::from_bits(ROUNDED_TWICE), 0.1, 1e-30] {
            assert_eq!(print(value, Notation::Json).parse::<f64>().unwrap() as f32, value);
        }
    }

    #[test]
    fn rounding_says_what_the_text_reads_back_as() {
        let mut random = Random(3);
        for _ in 0..100_000 {
            let size = 10f64.powi((random.next() % 12) as i32 - 4);
            let value = (random.next() as f64 / 4e9 - 0.5) * size;
            let mut out = Vec::new();
            let read_back = push_rounded(&mut out, value, (random.next() % 16) as i32);
            assert_eq!(parse_f64(&out).map(f64::to_bits), Some(read_back.to_bits()), "{value}");
        }
    }

    #[test]
    fn doubles_are_as_short_as_they_can_be() {
        for (value, expected) in
            [(0.1, "0.1"), (1.0 / 3.0, "0.3333333333333333"), (2.0, "2.0"), (f64::NAN, "0.0")]
        {
            let mut out = Vec::new();
            push_f64(&mut out, value);
            assert_eq!(out, expected.as_bytes());
        }
    }

    #[test]
    fn places_are_those_of_the_shortest_form() {
        for (value, places) in [(0.0, 0), (1.0, 0), (0.5, 1), (-0.125, 3), (1e7, 0), (1e-7, 7), (f32::NAN, 0)]
        {
            assert_eq!(decimal_places(value), places, "{value}");
        }
    }
}
