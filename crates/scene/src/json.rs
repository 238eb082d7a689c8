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

/// The digits of the numbers below a hundred.
const TWO_DIGITS: &[[u8; 2]] = b"\
    00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960\
    616263646566676869707172737475767778798081828384858687888990919293949596979899"
    .as_chunks()
    .0;

/// A number below ten thousand as four digits, the first in the lowest byte.
fn four_digits(value: u32) -> u32 {
    let two = |v: u32| TWO_DIGITS.get(v as usize).map_or(0, |two| u32::from(u16::from_le_bytes(*two)));
    two(value / 100) | two(value % 100) << 16
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
    if let Some(whole) = whole(value) {
        int(out, whole.into());
        out.extend_from_slice(b".0");
        return;
    }
    let value = if value.is_finite() { value } else { 0.0 };
    let mut room = zmij::Buffer::new();
    let text = if value.to_bits() & !(1 << 31) == TWICE_ROUNDED {
        room.format_finite(f64::from(value))
    } else {
        room.format_finite(value)
    };
    out.extend_from_slice(text.as_bytes());
}

/// Numbers of up to seven digits that are whole, as most are. -0 is not one of them: no whole number stands for it.
#[inline]
fn whole(value: f32) -> Option<i32> {
    let whole = value as i32;
    ((whole as f32).to_bits() == value.to_bits() && whole.unsigned_abs() < 10_000_000).then_some(whole)
}

/// [`decimal`], but for whole numbers, which are written as such.
pub fn float(out: &mut Vec<u8>, value: f32) {
    match whole(value) {
        Some(whole) => int(out, whole.into()),
        None => decimal(out, value),
    }
}

/// What [`value`] writes for [`floats`](crate::floats) of these, at once.
pub fn exact_floats(out: &mut Vec<u8>, values: &[f32]) {
    if !values.iter().all(|v| v.is_finite()) {
        return value(out, &crate::floats(values));
    }
    out.push(b'[');
    for value in values {
        decimal(out, *value);
        out.push(b',');
    }
    close(out, b'[', b']');
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
    match short(text.as_bytes()) {
        Some(word) => quoted(out, word, text.len(), u128::from(b'"'), 1),
        None => long_text(out, text),
    }
}

/// A text in quotation marks, and the colon behind a key.
pub fn key(out: &mut Vec<u8>, text: &str) {
    match short(text.as_bytes()) {
        Some(word) => quoted(out, word, text.len(), u128::from(u16::from_le_bytes(*b"\":")), 2),
        None => {
            long_text(out, text);
            out.push(b':');
        }
    }
}

/// The most letters that have room in a word together with what is around them.
const SHORT: usize = 13;

/// A short text in which nothing must be escaped, the first letter in the lowest byte. Most are: these are read and written
/// without a loop.
#[inline]
fn short(text: &[u8]) -> Option<u128> {
    let len = text.len();
    let (word, odd) = if let (Some(first), Some(last), ..=SHORT) =
        (text.first_chunk(), text.last_chunk(), len)
    {
        let low = u128::from(u64::from_le_bytes(*first));
        (low | u128::from(u64::from_le_bytes(*last)) << (8 * (len - 8)), odd(*first) | odd(*last))
    } else if let (Some(first), Some(last), ..8) = (text.first_chunk(), text.last_chunk(), len) {
        let (first, last) = (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)));
        (u128::from(first | last << (8 * (len - 4))), odd((first | last << 32).to_le_bytes()))
    } else if let [first, .., last] = text
        && len < 4
    {
        let middle = text.get(len / 2).copied().unwrap_or(b' ');
        let word =
            u32::from(*first) | u32::from(middle) << (8 * (len / 2)) | u32::from(*last) << (8 * (len - 1));
        let all = [*first, middle, *last, b' ', b' ', b' ', b' ', b' '];
        (u128::from(word), odd(all))
    } else {
        return None;
    };
    (odd == 0).then_some(word)
}

/// Writes a short text between a quotation mark and what ends it.
#[inline]
fn quoted(out: &mut Vec<u8>, word: u128, len: usize, end: u128, end_len: usize) {
    let all = u128::from(b'"') | word << 8 | end << (8 * (len + 1));
    let stop = out.len() + len + 1 + end_len;
    out.extend_from_slice(&all.to_le_bytes());
    out.truncate(stop);
}

/// Any text in quotation marks.
fn long_text(out: &mut Vec<u8>, text: &str) {
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
                self::key(out, key);
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
            for (before, tail) in (0..20).flat_map(|before| (0..3).map(move |tail| (before, tail))) {
                let was = format!("{}{letter}{}", "x".repeat(before), "tail".repeat(tail));
                let mut out = Vec::new();
                text(&mut out, &was);
                assert!(!out.contains(&0x7F) && out.iter().all(|b| *b >= b' '), "{code:x}");
                assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), was);
                let mut as_key = Vec::new();
                key(&mut as_key, &was);
                out.push(b':');
                assert_eq!(as_key, out);
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
    fn numbers_at_once_are_those_of_values() {
        for values in [&[][..], &[0.0], &[1.0, -0.0, 0.1, 1e-40, 3e38], &[1.0, f32::NAN], &[f32::INFINITY; 9]]
        {
            let (mut at_once, mut as_value) = (Vec::new(), Vec::new());
            exact_floats(&mut at_once, values);
            value(&mut as_value, &crate::floats(values));
            assert_eq!(into_text(at_once), into_text(as_value));
        }
    }

    #[test]
    fn whole_numbers_are_written_as_others_are() {
        let edges =
            [0, 1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 999_999, 1_000_000, 9_999_999, 10_000_000];
        for number in edges.into_iter().chain((0..200_000).map(|i| i * 61)) {
            for value in [number as f32, -(number as f32), number as f32 + 0.5] {
                let mut out = Vec::new();
                decimal(&mut out, value);
                assert_eq!(into_text(out), zmij::Buffer::new().format_finite(value));
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
