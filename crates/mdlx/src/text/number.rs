//! Decimal numbers: read exactly and fast, printed as short as reads back to the same bits.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A number as it stands in the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decimal {
    /// The value; exact rounding.
    pub(super) value: f32,
    /// How many bytes it takes.
    pub(super) len: usize,
    /// The exponent of a zero that has one: `0e7`. Stands for a number without decimal form.
    pub(super) stand_in: Option<u32>,
}

/// Reads the number at the start of these bytes.
#[inline]
pub(super) fn float(bytes: &[u8]) -> Option<Decimal> {
    let mut at = 0usize;
    let negative = match bytes.first() {
        Some(b'-') => {
            at = 1;
            true
        }
        Some(b'+') => {
            at = 1;
            false
        }
        _ => false,
    };
    let mut mantissa = 0u64;
    let start = at;
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let mut digits = at - start;
    let mut exponent = 0i32;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let fraction = at;
        while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        digits += at - fraction;
        exponent = -(i32::try_from(at - fraction).unwrap_or(i32::MAX));
    }
    if digits == 0 {
        return named(bytes);
    }
    match bytes.get(at) {
        Some(b'e' | b'E') => return with_exponent(bytes, at, mantissa, digits, negative),
        // The way C runtimes of old print what is no number: 1.#QNAN, -1.#IND00.
        Some(b'#') => return named(bytes),
        _ => {}
    }
    // Up to 19 digits fit.
    let exact = if digits <= 19 { scaled(mantissa, exponent) } else { None };
    let value = match exact {
        Some(value) if negative => -value,
        Some(value) => value,
        None => std::str::from_utf8(bytes.get(..at)?).ok()?.parse().ok()?,
    };
    Some(Decimal { value, len: at, stand_in: None })
}

/// The float nearest to `mantissa` times ten to the power of `exponent`, where that can be found with one operation on
/// doubles.
#[inline]
fn scaled(mantissa: u64, exponent: i32) -> Option<f32> {
    if mantissa >> 53 != 0 {
        return None;
    }
    let power = *POWERS.get(exponent.unsigned_abs() as usize)?;
    let double = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
    if exponent == 0 && mantissa >> 24 == 0 {
        return Some(double as f32);
    }
    // Rounding twice goes wrong only where the double lies halfway between two floats (whose 29 bits fewer then are 1000...),
    // or where floats get coarser towards zero.
    let halfway = double.to_bits() & 0x1FFF_FFFF == 0x1000_0000;
    let ordinary = (f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX)).contains(&double) || mantissa == 0;
    (!halfway && ordinary).then_some(double as f32)
}

#[cold]
fn with_exponent(bytes: &[u8], e: usize, mantissa: u64, digits: usize, negative: bool) -> Option<Decimal> {
    let mut at = e + 1;
    if matches!(bytes.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let first = at;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    if at == first {
        return None;
    }
    let value: f32 = std::str::from_utf8(bytes.get(..at)?).ok()?.parse().ok()?;
    let zero = mantissa == 0 && digits <= 19 && !negative && first == e + 1;
    let exponent = || std::str::from_utf8(bytes.get(first..at)?).ok()?.parse().ok();
    Some(Decimal { value, len: at, stand_in: if zero { exponent() } else { None } })
}

/// What other tools write for infinity and for what is no number.
#[cold]
fn named(bytes: &[u8]) -> Option<Decimal> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let len = bytes
        .iter()
        .skip(start)
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'.' | b'#' | b'(' | b')')))
        .map_or(bytes.len(), |len| start + len);
    let word = bytes.get(start..len)?.to_ascii_lowercase();
    let infinite = [&b"inf"[..], b"infinity"].contains(&word.as_slice()) || word.starts_with(b"1.#inf");
    let no_number = [&b"nan"[..], b"nan(ind)", b"nan(snan)"].contains(&word.as_slice())
        || [&b"1.#qnan"[..], b"1.#snan", b"1.#ind"].iter().any(|w| word.starts_with(w));
    let value = match (infinite, no_number) {
        (true, _) => f32::INFINITY,
        (_, true) => f32::from_bits(0x7FC0_0000),
        _ => return None,
    };
    Some(Decimal { value: if negative { -value } else { value }, len, stand_in: None })
}

/// Appends a finite number: the shortest decimal that reads back to the same bits.
#[inline]
pub(super) fn print_float(out: &mut Vec<u8>, value: f32) {
    let whole = value as i32;
    if whole as f32 == value && whole.unsigned_abs() < 1 << 24 {
        // Minus zero is no integer.
        if whole != 0 || value.is_sign_positive() {
            print_int(out, i64::from(whole));
        } else {
            out.extend_from_slice(b"-0");
        }
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value).as_bytes();
    out.extend_from_slice(text.strip_suffix(b".0").unwrap_or(text));
}

/// Appends an integer.
#[inline]
pub(super) fn print_int(out: &mut Vec<u8>, value: i64) {
    let mut left = value.unsigned_abs();
    if left < 10 {
        if value < 0 {
            out.push(b'-');
        }
        out.push(b'0' + left as u8);
        return;
    }
    let mut digits = [0u8; 20];
    let mut used = 0usize;
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + (left % 10) as u8;
        left /= 10;
        used += 1;
        if left == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(digits.get(20 - used..).unwrap_or(&[]));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(value: f32) -> String {
        let mut out = Vec::new();
        print_float(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_read_back_to_the_same_bits() {
        let mut bits = 0x9E37_79B9u32;
        for _ in 0..400_000 {
            bits = bits.wrapping_mul(0x915F_77F5).wrapping_add(0x2545_F491);
            let value = f32::from_bits(bits);
            if !value.is_finite() {
                continue;
            }
            let text = printed(value);
            let back = float(text.as_bytes()).unwrap();
            assert_eq!((back.value.to_bits(), back.len), (bits, text.len()), "{text}");
        }
    }

    #[test]
    fn floats_are_read_like_the_standard_library_does() {
        let mut seed = 7u64;
        let mut next = |n: u64| {
            seed = seed.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1);
            (seed >> 33) % n
        };
        for _ in 0..200_000 {
            let digits = 1 + next(21);
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
            let want: f32 = text.parse().unwrap();
            assert_eq!(float(text.as_bytes()).unwrap().value.to_bits(), want.to_bits(), "{text}");
        }
        // Halfway cases, which a double in between would round twice.
        for text in [
            "16777217",
            "16777219",
            "0.500000029802322387695312",
            "1.00000017881393432617187",
            "7.0064923216240854e-46",
        ] {
            let want: f32 = text.parse().unwrap();
            assert_eq!(float(text.as_bytes()).unwrap().value.to_bits(), want.to_bits(), "{text}");
        }
    }

    #[test]
    fn short_numbers_stay_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-12.5, "-12.5"),
            (0.1, "0.1"),
            (1000.0, "1000"),
            (f32::MAX, "3.4028235e+38"),
            (1e-45, "1e-45"),
        ] {
            assert_eq!(printed(value), text);
        }
    }

    #[test]
    fn what_other_tools_print_for_no_number_is_read() {
        for text in ["nan", "NaN", "1.#QNAN", "1.#IND00"] {
            assert!(float(text.as_bytes()).unwrap().value.is_nan(), "{text}");
        }
        assert_eq!(float(b"-1.#INF,").unwrap().value, f32::NEG_INFINITY);
        assert_eq!(float(b"Infinity }").unwrap(), Decimal { value: f32::INFINITY, len: 8, stand_in: None });
        assert_eq!(float(b"x"), None);
        assert_eq!(float(b"-"), None);
        assert_eq!(float(b"1e"), None);
    }

    #[test]
    fn a_zero_with_an_exponent_stands_for_something_else() {
        assert_eq!(float(b"0e12").unwrap().stand_in, Some(12));
        assert_eq!(float(b"0.0").unwrap().stand_in, None);
        assert_eq!(float(b"-0e12").unwrap().stand_in, None);
        assert_eq!(float(b"0e-005").unwrap().stand_in, None);
    }
}
