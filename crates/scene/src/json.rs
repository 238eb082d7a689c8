//! JSON text, written front to back.

use crate::Value;

/// A whole number.
#[inline]
pub fn int(out: &mut Vec<u8>, value: i64) {
    match u32::try_from(value) {
        Ok(small) => small_int(out, small),
        Err(_) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
    }
}

/// A whole number of 32 bits.
#[inline]
pub fn small_int(out: &mut Vec<u8>, value: u32) {
    if value < 10 {
        out.push(b'0' + value as u8);
    } else if value < 10_000 {
        let skip = u32::from(value < 1000) + u32::from(value < 100);
        append(out, u64::from(four_digits(value) >> (8 * skip)), 4 - skip as usize);
    } else {
        // The last four digits, behind those before them.
        let (high, low) = (value / 10_000, value % 10_000);
        small_int(out, high);
        append(out, four_digits(low).into(), 4);
    }
}

/// A number below ten thousand as four digits, the first in the lowest byte.
fn four_digits(value: u32) -> u32 {
    let (high, low) = (value / 100, value % 100);
    let two = |v: u32| (v / 10) | ((v % 10) << 8);
    two(high) | two(low) << 16 | 0x3030_3030
}

/// So many bytes of a word, the lowest first. All of them and back again costs less than a copy of a few.
#[inline]
pub(crate) fn append(out: &mut Vec<u8>, word: u64, bytes: usize) {
    let end = out.len() + bytes;
    out.extend_from_slice(&word.to_le_bytes());
    out.truncate(end);
}

/// Numbers whose shortest decimal, read as a number of 64 bits, becomes another one of 32: of all there is only this
/// one, and its negative.
const TWICE_ROUNDED: u32 = 0x15AE_43FD;

/// The shortest decimal that reads back to the same bits, with a point. What is not finite has no place in JSON and
/// becomes 0.
pub fn decimal(out: &mut Vec<u8>, value: f32) {
    let value = if value.is_finite() { value } else { 0.0 };
    let mut room = zmij::Buffer::new();
    let text = if value.to_bits() & !(1 << 31) == TWICE_ROUNDED {
        room.format_finite(f64::from(value))
    } else {
        room.format_finite(value)
    };
    out.extend_from_slice(text.as_bytes());
}

/// [`decimal`], but for whole numbers, which are written as such.
pub fn float(out: &mut Vec<u8>, value: f32) {
    if value.fract() == 0.0 && value.abs() < 1e7 && (value != 0.0 || value.is_sign_positive()) {
        int(out, value as i64);
    } else {
        decimal(out, value);
    }
}

/// Not 0 if one of eight bytes is a letter that JSON does not take as it is.
fn odd(bytes: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = ONES << 7;
    let word = u64::from_le_bytes(bytes);
    // The top bit of each byte that is below a number, as long as neither has its own top bit.
    let below = |word: u64, least: u64| word.wrapping_sub(ONES * least) & !word & TOPS;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | is(b'"') | is(b'\\') | is(0x7F)
}

/// [`odd`] for more of them, one by one, which the compiler does side by side.
fn odd_row(bytes: &[u8; 32]) -> bool {
    let odd = |b: u8| (b < 0x20) | (b == b'"') | (b == b'\\') | (b == 0x7F);
    bytes.iter().fold(0u8, |any, b| any | u8::from(odd(*b))) != 0
}

/// A text in quotation marks.
pub fn text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let (rows, rest) = text.as_bytes().as_chunks::<32>();
    let (words, rest) = rest.as_chunks::<8>();
    // What is left over is looked at together with what is before it, if anything is.
    let last = text.as_bytes().last_chunk::<8>().copied().unwrap_or_else(|| {
        let mut last = [b' '; 8];
        last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
        last
    });
    let odd_word = words.iter().fold(odd(last), |any, word| any | odd(*word)) != 0;
    if !odd_word && !rows.iter().any(odd_row) {
        out.extend_from_slice(text.as_bytes());
    } else {
        for byte in text.bytes() {
            match byte {
                b'"' => out.extend_from_slice(b"\\\""),
                b'\\' => out.extend_from_slice(b"\\\\"),
                b if b < b' ' || b == 0x7F => out.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
                b => out.push(b),
            }
        }
    }
    out.push(b'"');
}

/// Any value.
pub fn value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Int(value) => int(out, *value),
        Value::Float(value) => {
            let narrow = *value as f32;
            if f64::from(narrow).to_bits() == value.to_bits() {
                decimal(out, narrow);
            } else {
                let finite = if value.is_finite() { *value } else { 0.0 };
                out.extend_from_slice(zmij::Buffer::new().format_finite(finite).as_bytes());
            }
        }
        Value::String(value) => text(out, value),
        Value::Array(list) => {
            out.push(b'[');
            for item in list {
                self::value(out, item);
                out.push(b',');
            }
            close(out, b'[', b']');
        }
        Value::Object(map) => {
            out.push(b'{');
            for (key, item) in map.iter() {
                text(out, key);
                out.push(b':');
                self::value(out, item);
                out.push(b',');
            }
            close(out, b'{', b'}');
        }
    }
}

/// Ends a list or an object whose every item has a comma behind it.
#[inline]
pub fn close(out: &mut Vec<u8>, open: u8, close: u8) {
    match out.last_mut() {
        Some(last) if *last != open => *last = close,
        _ => out.push(close),
    }
}

/// Bytes as text. Everything written here is.
pub fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_written_as_serde_does_or_plainer() {
        for code in (0..0x500).chain([0x2028, 0xFFFF, 0x1F600]) {
            let Some(letter) = char::from_u32(code) else { continue };
            for before in 0..9 {
                let was = format!("{}{letter}tail", "x".repeat(before));
                let mut out = Vec::new();
                text(&mut out, &was);
                assert!(!out.contains(&0x7F) && out.iter().all(|b| *b >= b' '), "{code:x}");
                assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), was);
            }
        }
    }

    #[test]
    fn whole_numbers() {
        for base in
            [0i64, 9, 10, 99, 100, 65535, 999_999_999, 1_000_000_000, u32::MAX.into(), i64::MAX, i64::MIN]
        {
            for value in [base, base.wrapping_add(1), base.wrapping_neg()] {
                let mut out = Vec::new();
                int(&mut out, value);
                assert_eq!(into_text(out), value.to_string());
            }
        }
    }

    #[test]
    fn lists_end() {
        let mut out = Vec::new();
        value(
            &mut out,
            &Value::Array(vec![Value::Array(Vec::new()), Value::Object(crate::Extras::new()), 1.into()]),
        );
        assert_eq!(into_text(out), "[[],{},1]");
    }
}
