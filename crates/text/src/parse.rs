//! Reading decimals with a single rounding.

use crate::scale;

/// A number as it stands in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number<'a> {
    text: &'a [u8],
    value: Value,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Decimal(Decimal),
    /// Infinity or NaN, which tools spell in words.
    Word(f32),
}

/// `mantissa` x 10^`exponent`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Decimal {
    negative: bool,
    mantissa: u64,
    exponent: i32,
    /// Whether `mantissa` holds every digit.
    complete: bool,
    /// Whether the text has an exponent of its own.
    scientific: bool,
}

/// Digits that always fit into 64 bits.
const MOST_DIGITS: usize = 19;

impl<'a> Number<'a> {
    /// Reads the number at the start of `bytes`. What follows it is not looked at.
    #[inline]
    pub fn scan(bytes: &'a [u8]) -> Option<Number<'a>> {
        let signed = matches!(bytes.first(), Some(b'-' | b'+'));
        let negative = bytes.first() == Some(&b'-');
        let mut cursor = Cursor { bytes, at: usize::from(signed), mantissa: 0, digits: 0 };
        cursor.take_digits();
        let mut exponent = 0;
        if cursor.peek() == Some(b'.') {
            cursor.at += 1;
            let start = cursor.at;
            cursor.take_digits();
            exponent = -i32::try_from(cursor.at - start).unwrap_or(i32::MAX);
        }
        // C runtimes used to print `1.#QNAN` and `-1.#IND00`.
        if cursor.digits == 0 || cursor.peek() == Some(b'#') {
            return Number::word(bytes);
        }
        let scientific = matches!(cursor.peek(), Some(b'e' | b'E'));
        if scientific {
            exponent = exponent.saturating_add(cursor.take_exponent()?);
        }
        let complete = cursor.digits <= MOST_DIGITS;
        let decimal = Decimal { negative, mantissa: cursor.mantissa, exponent, complete, scientific };
        Some(Number { text: bytes.get(..cursor.at)?, value: Value::Decimal(decimal) })
    }

    /// Reads a word that is a number and nothing else.
    #[inline]
    pub fn parse(word: &'a [u8]) -> Option<Number<'a>> {
        Number::scan(word).filter(|number| number.len() == word.len())
    }

    /// Returns what tools write for infinity and for NaN.
    #[cold]
    fn word(bytes: &'a [u8]) -> Option<Number<'a>> {
        let start = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
        let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'#' | b'(' | b')');
        let len = bytes.iter().skip(start).position(|b| !part(b)).map_or(bytes.len(), |len| start + len);
        let word = bytes.get(start..len)?.to_ascii_lowercase();
        let size = match word.as_slice() {
            b"inf" | b"infinity" => f32::INFINITY,
            b"nan" | b"nan(ind)" | b"nan(snan)" => f32::NAN,
            word if word.starts_with(b"1.#inf") => f32::INFINITY,
            word if [&b"1.#qnan"[..], b"1.#snan", b"1.#ind"].iter().any(|w| word.starts_with(w)) => f32::NAN,
            _ => return None,
        };
        let value = if bytes.first() == Some(&b'-') { -size } else { size };
        Some(Number { text: bytes.get(..len)?, value: Value::Word(value) })
    }

    /// Returns how many bytes the number takes.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // No number is empty.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the nearest `f64`.
    #[inline]
    pub fn to_f64(&self) -> f64 {
        let decimal = match self.value {
            Value::Word(value) => return value.into(),
            Value::Decimal(decimal) => decimal,
        };
        let size = match scale(decimal.mantissa as f64, decimal.exponent) {
            Some(size) if decimal.complete && decimal.mantissa >> 53 == 0 => size,
            _ => return self.digits().and_then(|text| text.parse().ok()).unwrap_or(0.0),
        };
        if decimal.negative { -size } else { size }
    }

    /// Returns the nearest `f32`, rounding once.
    #[inline]
    pub fn to_f32(&self) -> f32 {
        if let Value::Word(value) = self.value {
            return value;
        }
        let wide = self.to_f64();
        // Rounding twice goes wrong only where the double is halfway between two floats (the 29 bits it has more are
        // 1000...), or where floats get coarser towards zero.
        let halfway = wide.to_bits() & 0x1FFF_FFFF == 0x1000_0000;
        if halfway || (wide != 0.0 && wide.abs() < f64::from(f32::MIN_POSITIVE)) {
            return self.digits().and_then(|text| text.parse().ok()).unwrap_or(0.0);
        }
        wide as f32
    }

    /// Returns the exponent of a positive zero that has one, such as 7 for `0e7`.
    ///
    /// No tool prints such a number for its own sake, so that it can stand for one without a decimal form.
    pub fn zero_exponent(&self) -> Option<u32> {
        match self.value {
            Value::Decimal(Decimal {
                mantissa: 0,
                negative: false,
                complete: true,
                scientific: true,
                ..
            }) => self.digits()?.rsplit(['e', 'E']).next()?.parse().ok(),
            _ => None,
        }
    }

    fn digits(&self) -> Option<&'a str> {
        std::str::from_utf8(self.text).ok()
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    mantissa: u64,
    digits: usize,
}

impl Cursor<'_> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn take_digits(&mut self) {
        while let Some(digit) = self.peek().map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            self.mantissa = self.mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            // Zeros in front take no room.
            self.digits += usize::from(self.mantissa != 0 || self.digits == 0);
            self.at += 1;
        }
    }

    /// Takes `e`, a sign and digits; `None` if digits are missing.
    fn take_exponent(&mut self) -> Option<i32> {
        self.at += 1;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(matches!(self.peek(), Some(b'-' | b'+')));
        let start = self.at;
        let mut size = 0i32;
        while let Some(digit) = self.peek().map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            size = size.saturating_mul(10).saturating_add(digit.into());
            self.at += 1;
        }
        (self.at > start).then_some(if negative { -size } else { size })
    }
}

/// Reads a word as a number, rounded once to `f32`.
pub fn parse_f32(word: &[u8]) -> Option<f32> {
    Number::parse(word).map(|number| number.to_f32())
}

/// Reads a word as a number.
pub fn parse_f64(word: &[u8]) -> Option<f64> {
    Number::parse(word).map(|number| number.to_f64())
}

/// Reads a word as an integer in `low..=high`. A fraction of zeros is accepted.
pub fn parse_int(word: &[u8], low: i64, high: i64) -> Option<i64> {
    let number = Number::parse(word)?;
    let value = match number.value {
        Value::Decimal(Decimal { negative, mantissa, exponent: 0, complete: true, .. }) => {
            let size = i64::try_from(mantissa).ok()?;
            if negative { -size } else { size }
        }
        _ => {
            let wide = number.to_f64();
            // Beyond 2^53 a double no longer holds every integer.
            if wide.fract() != 0.0 || wide.abs() > 9e15 {
                return None;
            }
            wide as i64
        }
    };
    (low..=high).contains(&value).then_some(value)
}

/// Returns `true` if a word begins like a number, whether or not all of it is one.
pub fn looks_numeric(word: &[u8]) -> bool {
    match word {
        [b'0'..=b'9', ..] | [b'-' | b'+' | b'.', b'0'..=b'9' | b'.', ..] => true,
        _ => matches!(Number::parse(word), Some(Number { value: Value::Word(_), .. })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_number_is_read() {
        for (word, expected) in [
            ("-.5", -0.5),
            ("2.5E+1", 25.0),
            ("1e-007", 1e-7),
            ("0.971000015735626", 0.971),
            ("7.", 7.0),
            ("+3", 3.0),
            ("00012.50", 12.5),
            ("000000000000000000000000001", 1.0),
        ] {
            assert_eq!(parse_f32(word.as_bytes()), Some(expected), "{word}");
        }
        for word in ["", "-", ".", "1,5", "e5", "1e", "1e+", "0x10", "--1", "1.2.3", "abc", "1 "] {
            assert_eq!(parse_f32(word.as_bytes()), None, "{word}");
        }
        assert_eq!(parse_f64(b"99999999999999999999999999"), Some(1e26));
    }

    #[test]
    fn what_follows_a_number_is_left_alone() {
        assert_eq!(Number::scan(b"-1.5, 2").map(|n| (n.to_f32(), n.len())), Some((-1.5, 4)));
        assert_eq!(Number::scan(b"Infinity }").map(|n| (n.to_f32(), n.len())), Some((f32::INFINITY, 8)));
    }

    #[test]
    fn a_number_is_as_wide_as_it_is_asked_for() {
        let number = |word: &'static str| Number::parse(word.as_bytes()).unwrap();
        assert_eq!((number("-0.1").to_f64(), number("-0.1").to_f32()), (-0.1f64, -0.1f32));
        assert_eq!(
            (number("-inf").to_f64(), number("-inf").to_f32()),
            (f64::NEG_INFINITY, f32::NEG_INFINITY)
        );
        // Half of the smallest float that is not 0, and a little more.
        assert_eq!(number("7.006492321624085e-46").to_f32(), 0.0);
        assert_eq!(number("7.1e-46").to_f32().to_bits(), 1);
        assert_eq!((number("1e400").to_f64(), number("1e39").to_f32()), (f64::INFINITY, f32::INFINITY));
        assert_eq!(number("inf").zero_exponent(), None);
    }

    #[test]
    fn infinity_and_nan_are_read_in_every_spelling() {
        for word in ["nan", "NaN", "1.#QNAN", "1.#IND00", "-1.#SNAN", "nan(ind)"] {
            assert!(parse_f32(word.as_bytes()).is_some_and(f32::is_nan), "{word}");
            assert!(looks_numeric(word.as_bytes()), "{word}");
        }
        assert_eq!(parse_f32(b"-1.#INF"), Some(f32::NEG_INFINITY));
        assert_eq!(parse_f32(b"-inf"), Some(f32::NEG_INFINITY));
        assert!(!looks_numeric(b"nothing") && !looks_numeric(b"e5") && looks_numeric(b"-.5x"));
    }

    #[test]
    fn numbers_round_as_in_the_standard_library() {
        let mut seed = 7u64;
        let mut next = |n: u64| {
            seed = seed.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1);
            (seed >> 33) % n
        };
        for _ in 0..200_000 {
            let digits = 1 + next(24);
            let mut text = if next(2) == 0 { "-".to_owned() } else { String::new() };
            let point = next(digits + 1);
            for i in 0..digits {
                if i == point {
                    text.push('.');
                }
                text.push((b'0' + next(10) as u8) as char);
            }
            if next(4) == 0 {
                text.push_str(&format!("e{}", next(90) as i64 - 45));
            }
            let (narrow, wide): (f32, f64) = (text.parse().unwrap(), text.parse().unwrap());
            assert_eq!(parse_f32(text.as_bytes()).map(f32::to_bits), Some(narrow.to_bits()), "{text}");
            assert_eq!(parse_f64(text.as_bytes()).map(f64::to_bits), Some(wide.to_bits()), "{text}");
        }
        // Halfway cases, which a double in between would round twice.
        for text in ["16777217", "16777219", "0.500000029802322387695312", "7.0064923216240854e-46"] {
            let expected: f32 = text.parse().unwrap();
            assert_eq!(parse_f32(text.as_bytes()).map(f32::to_bits), Some(expected.to_bits()), "{text}");
        }
    }

    #[test]
    fn integers_keep_to_their_bounds() {
        assert_eq!(parse_int(b"4294967295", 0, u32::MAX.into()), Some(4_294_967_295));
        assert_eq!(parse_int(b"-1", 0, 5), None);
        assert_eq!(parse_int(b"3.0", 0, 5), Some(3));
        assert_eq!(parse_int(b"3.5", 0, 5), None);
        assert_eq!(parse_int(b"99999999999999999999", 0, i64::MAX), None);
        assert_eq!(parse_int(b"nan", i64::MIN, i64::MAX), None);
    }

    #[test]
    fn a_positive_zero_keeps_its_exponent() {
        let exponent = |word: &[u8]| Number::parse(word).unwrap().zero_exponent();
        assert_eq!(exponent(b"0e12"), Some(12));
        assert_eq!(exponent(b"0.0"), None);
        assert_eq!(exponent(b"-0e12"), None);
        assert_eq!(exponent(b"0e-005"), None);
        assert_eq!(exponent(b"1e5"), None);
    }
}
