//! Numbers in extras, encoded so that they come back bit for bit.
//!
//! Extras hold only what the properties of common editors hold too: numbers (integers of 32 bits), texts, lists of
//! numbers, dictionaries and lists of dictionaries. They have no lists of texts or of mixed values, and no `null`.

use crate::{Extras, Value};

/// Returns a value that [`read_float`] turns back into the same bits. NaN and infinity, which JSON does not have, become a
/// text with the bits in hexadecimal.
///
/// ```
/// use galatea_scene::{Value, float, read_float};
/// assert_eq!(float(0.5), Value::Float(0.5));
/// assert_eq!(float(f32::INFINITY), Value::from("0x7F800000"));
/// for bits in [0u32, 0x8000_0000, 1, 0x7FC0_1234, 0xFF80_0000, 0x3DCC_CCCD, 0x7F7F_FFFF] {
///     assert_eq!(read_float(&float(f32::from_bits(bits))).unwrap().to_bits(), bits);
/// }
/// ```
pub fn float(value: f32) -> Value {
    if value.is_finite() {
        Value::Float(f64::from(value))
    } else {
        format!("0x{:08X}", value.to_bits()).into()
    }
}

/// Returns the number that [`float`] encoded, or any other number.
pub fn read_float(value: &Value) -> Option<f32> {
    match value {
        Value::String(s) => u32::from_str_radix(s.strip_prefix("0x")?, 16).ok().map(f32::from_bits),
        other => other.as_f64().map(|v| v as f32),
    }
}

/// Returns numbers as a list; if one of them is not finite, as a dictionary with the bits of all.
///
/// ```
/// use galatea_scene::{Value, floats, read_floats};
/// assert_eq!(floats(&[1.0, 0.5]), Value::from_iter([Value::Float(1.0), Value::Float(0.5)]));
/// let odd = [f32::NAN, -0.0];
/// let back = read_floats(&floats(&odd)).unwrap();
/// assert_eq!(back.iter().map(|f| f.to_bits()).collect::<Vec<_>>(), odd.map(f32::to_bits));
/// ```
pub fn floats(values: &[f32]) -> Value {
    if values.iter().all(|v| v.is_finite()) {
        Value::Array(values.iter().map(|v| Value::Float(f64::from(*v))).collect())
    } else {
        Value::from([("bits", encode_u32_iter(values.iter().map(|v| v.to_bits())))])
    }
}

/// Returns the numbers that [`floats`] encoded.
pub fn read_floats(value: &Value) -> Option<Vec<f32>> {
    match value {
        Value::Array(list) => list.iter().map(read_float).collect(),
        Value::Object(map) => Some(decode_u32s(map.get("bits")?)?.into_iter().map(f32::from_bits).collect()),
        _ => None,
    }
}

/// Most words that are stored as a list of numbers; more become a text.
const FEW: usize = 8;

/// The base64 alphabet.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes 32-bit words: up to eight as a list of signed numbers, more as a text in the base64 VLQ of source maps. There a
/// number is a sequence of base64 digits. Each has five bits, the lowest first, and 32 is added if more digits follow; the
/// lowest bit of the number is its sign.
///
/// ```
/// use galatea_scene::{Value, decode_u32s, encode_u32s};
/// assert_eq!(encode_u32s(&[1, u32::MAX]), Value::from_iter([Value::Int(1), Value::Int(-1)]));
/// let many = [0, 1, u32::MAX, 15, 16, 1 << 31, u32::MAX >> 1, 0, 7];
/// assert_eq!(encode_u32s(&many), Value::from("ACDegBhgggggE+/////DAO"));
/// assert_eq!(decode_u32s(&encode_u32s(&many)).unwrap(), many);
/// ```
pub fn encode_u32s(values: &[u32]) -> Value {
    encode_u32_iter(values.iter().copied())
}

/// Does what [`encode_u32s`] does for an iterator.
pub fn encode_u32_iter(values: impl ExactSizeIterator<Item = u32>) -> Value {
    if values.len() <= FEW {
        return values.map(|v| Value::Int(i64::from(v as i32))).collect();
    }
    let mut out = Vec::with_capacity(values.len() * 3 + 8);
    values.for_each(|value| push_vlq(&mut out, value as i32));
    String::from_utf8(out).unwrap_or_default().into()
}

fn push_vlq(out: &mut Vec<u8>, value: i32) {
    let mut rest = u64::from(value.unsigned_abs()) << 1 | u64::from(value < 0);
    loop {
        let more = if rest >= 32 { 32 } else { 0 };
        out.push(LETTERS.get((rest & 31 | more) as usize).copied().unwrap_or(b'A'));
        rest >>= 5;
        if more == 0 {
            return;
        }
    }
}

/// Returns the words that [`encode_u32s`] encoded.
pub fn decode_u32s(value: &Value) -> Option<Vec<u32>> {
    match value {
        Value::Array(list) => list.iter().map(|v| v.as_f64().map(|v| v as i64 as u32)).collect(),
        Value::String(text) => {
            let mut out = Vec::with_capacity(text.len() / 2);
            let (mut number, mut shift) = (0u64, 0u32);
            for byte in text.bytes() {
                let worth = match byte {
                    b'A'..=b'Z' => byte - b'A',
                    b'a'..=b'z' => byte - b'a' + 26,
                    b'0'..=b'9' => byte - b'0' + 52,
                    b'+' => 62,
                    b'/' => 63,
                    _ => return None,
                };
                number |= u64::from(worth & 31).checked_shl(shift).filter(|_| shift <= 30)?;
                shift += 5;
                if worth < 32 {
                    let size = (number >> 1) as i64;
                    out.push(if number & 1 == 1 { -size } else { size } as u32);
                    (number, shift) = (0, 0);
                }
            }
            (shift == 0).then_some(out)
        }
        _ => None,
    }
}

/// Returns the rows of stored numbers that differ from computed ones, and the differences of their bits:
/// `{"at": rows, "by": differences}`; `None` if no row differs.
pub fn ulp_deltas(stored: &[f32], computed: &[f32], width: usize) -> Option<Value> {
    let width = width.max(1);
    let (mut at, mut by) = (Vec::new(), Vec::new());
    for (row, (was, is)) in stored.chunks_exact(width).zip(computed.chunks_exact(width)).enumerate() {
        if !same_bits(was, is) {
            at.push(row as u32);
            by.extend(was.iter().zip(is).map(|(was, is)| was.to_bits().wrapping_sub(is.to_bits())));
        }
    }
    (!at.is_empty()).then(|| Value::from([("at", encode_u32s(&at)), ("by", encode_u32s(&by))]))
}

/// Calls `each` for every row of [`ulp_deltas`], with the differences of its bits.
pub fn each_ulp_delta(notes: &Value, width: usize, mut each: impl FnMut(usize, &[u32])) {
    let list = |key: &str| notes.get(key).and_then(decode_u32s).unwrap_or_default();
    for (row, steps) in list("at").into_iter().zip(list("by").chunks_exact(width.max(1))) {
        each(row as usize, steps);
    }
}

/// Returns bytes as text, one character each. Old formats have no encoding; this way every byte comes back.
pub fn latin(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.is_ascii() => text.to_owned(),
        _ => bytes.iter().map(|b| *b as char).collect(),
    }
}

/// Returns the bytes of a text that [`latin`] made. Characters that do not fit into a byte become `?`.
pub fn unlatin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
}

/// Returns bytes as hexadecimal text.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |d: u8| char::from_digit(u32::from(d), 16).unwrap_or('0');
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// Returns the bytes that [`hex`] encoded; `None` for anything but pairs of digits.
///
/// ```
/// use galatea_scene::{hex, unhex};
/// assert_eq!(unhex(&hex(b"\x0AZ")).as_deref(), Some(&b"\x0AZ"[..]));
/// assert!(unhex("0").is_none() && unhex("0g").is_none());
/// ```
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |b: u8| char::from(b).to_digit(16);
    let pair = |[a, b]: &[u8; 2]| Some((digit(*a)? << 4 | digit(*b)?) as u8);
    if rest.is_empty() { pairs.iter().map(pair).collect() } else { None }
}

/// Returns `true` if numbers are the same bit for bit.
pub fn same_bits(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

impl Extras {
    /// Returns an integer.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.get(key)?.as_f64().map(|v| v as i64)
    }

    /// Returns a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// Returns numbers that [`floats`] encoded.
    pub fn floats(&self, key: &str) -> Option<Vec<f32>> {
        read_floats(self.get(key)?)
    }

    /// Returns words that [`encode_u32s`] encoded.
    pub fn u32s(&self, key: &str) -> Option<Vec<u32>> {
        decode_u32s(self.get(key)?)
    }

    /// Returns [`Extras::u32s`] as signed numbers.
    pub fn ints(&self, key: &str) -> Option<Vec<i64>> {
        Some(self.u32s(key)?.into_iter().map(|v| i64::from(v as i32)).collect())
    }

    /// Returns a nested object.
    pub fn object(&self, key: &str) -> Option<&Extras> {
        self.get(key)?.as_object()
    }

    /// Returns the objects of a list.
    pub fn objects(&self, key: &str) -> impl Iterator<Item = &Extras> {
        self.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
    }

    /// Returns empty extras that live forever.
    pub fn none() -> &'static Extras {
        static NONE: Extras = Extras::new();
        &NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_come_back() {
        let mut seed = 1u32;
        for round in 0..200_000u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = match round % 3 {
                0 => f32::from_bits(seed),
                1 => (seed as i32 as f32) / 1e6,
                _ => (seed >> 12) as f32 / 1024.0,
            };
            assert_eq!(read_float(&float(value)).map(f32::to_bits), Some(value.to_bits()), "{value}");
        }
    }

    #[test]
    fn words_that_are_none_are_refused() {
        for text in ["g", "A g", "ä", "gggggggA", "/////////"] {
            assert_eq!(decode_u32s(&Value::from(text)), None, "{text}");
        }
        assert_eq!(decode_u32s(&Value::from("")), Some(Vec::new()));
        let all: Vec<u32> =
            (0..32).flat_map(|bit| [1 << bit, !(1 << bit), (1u32 << bit).wrapping_neg()]).collect();
        assert_eq!(decode_u32s(&encode_u32s(&all)), Some(all));
        let near: Vec<u32> = (-40_000..40_000).map(|v: i32| v as u32).collect();
        assert_eq!(decode_u32s(&encode_u32s(&near)), Some(near));
    }

    #[test]
    fn steps_lead_back() {
        let (stored, computed) = ([1.0f32, 2.0, f32::NAN, -0.0], [1.0f32, 2.0, 3.0, 0.0]);
        let notes = ulp_deltas(&stored, &computed, 2).unwrap();
        let mut again = computed;
        each_ulp_delta(&notes, 2, |row, steps| {
            for (slot, step) in again[row * 2..].iter_mut().zip(steps) {
                *slot = f32::from_bits(slot.to_bits().wrapping_add(*step));
            }
        });
        assert!(same_bits(&again, &stored));
        assert_eq!(ulp_deltas(&computed, &computed, 2), None);
    }
}
