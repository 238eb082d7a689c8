//! Numbers in extras, written so that they come back bit for bit and so that Blender can keep them.
//!
//! Blender's custom properties hold numbers (integers of 32 bits), texts, lists of numbers, and dictionaries or lists of
//! dictionaries; no lists of texts or of mixed things, and nothing that is absent. Whoever writes extras keeps to that.

use crate::json::append;
use crate::{Extras, Value};

/// A number as short as possible that [`read_float`] turns back into the same bits. Numbers JSON has no word for become
/// a text with the bits in hexadecimal.
///
/// ```
/// use galatea_scene::{float, read_float};
/// assert_eq!(float(0.1).to_string(), "0.1");
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

/// The number that [`float`] wrote, or any JSON number.
pub fn read_float(value: &Value) -> Option<f32> {
    match value {
        Value::String(s) => u32::from_str_radix(s.strip_prefix("0x")?, 16).ok().map(f32::from_bits),
        other => other.as_f64().map(|v| v as f32),
    }
}

/// Numbers as a JSON list; where one of them is not finite, a dictionary with the bits of all of them.
///
/// ```
/// use galatea_scene::{floats, read_floats};
/// assert_eq!(floats(&[1.0, 0.5]).to_string(), "[1.0,0.5]");
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

/// The numbers that [`floats`] wrote.
pub fn read_floats(value: &Value) -> Option<Vec<f32>> {
    match value {
        Value::Array(list) => list.iter().map(read_float).collect(),
        Value::Object(map) => Some(decode_u32s(map.get("bits")?)?.into_iter().map(f32::from_bits).collect()),
        _ => None,
    }
}

/// Words in a list of numbers; more of them become a text.
const FEW: usize = 8;

/// The letters of [`words`], in the order of what they stand for.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// 32-bit words: a few as a list of signed numbers, which is all Blender can keep; many as a text, as the source maps of
/// browsers have it. There a number is a row of letters of the base64 alphabet, each worth five bits, the lowest first, and 32
/// more if others follow; the lowest bit of the number is its sign.
///
/// ```
/// use galatea_scene::{decode_u32s, encode_u32s};
/// assert_eq!(encode_u32s(&[1, u32::MAX]).to_string(), "[1,-1]");
/// let many = [0, 1, u32::MAX, 15, 16, 1 << 31, u32::MAX >> 1, 0, 7];
/// assert_eq!(encode_u32s(&many).to_string(), "\"ACDegBhgggggE+/////DAO\"");
/// assert_eq!(decode_u32s(&encode_u32s(&many)).unwrap(), many);
/// ```
pub fn encode_u32s(values: &[u32]) -> Value {
    encode_u32_iter(values.iter().copied())
}

/// [`words`] of whatever gives them.
pub fn encode_u32_iter(values: impl ExactSizeIterator<Item = u32>) -> Value {
    if values.len() <= FEW {
        return values.map(|v| Value::Int(i64::from(v as i32))).collect();
    }
    let mut out: Vec<u8> = Vec::with_capacity(values.len() * 3 + 8);
    for value in values {
        let value = i64::from(value as i32);
        // The sign goes to the lowest bit.
        let number = value.unsigned_abs() << 1 | u64::from(value < 0);
        let letter = |worth: u64| LETTERS.get((worth & 63) as usize).copied().unwrap_or(b'A');
        // Most are small.
        match number {
            0..32 => out.push(letter(number)),
            32..0x400 => out.extend_from_slice(&[letter(number & 31 | 32), letter(number >> 5)]),
            0x400..0x8000 => out.extend_from_slice(&[
                letter(number & 31 | 32),
                letter(number >> 5 & 31 | 32),
                letter(number >> 10),
            ]),
            _ => {
                let (letters, count) = letters(number);
                append(&mut out, letters, count);
            }
        }
    }
    String::from_utf8(out).unwrap_or_default().into()
}

/// A number of no more than 35 bits as letters of [`words`], the first in the lowest byte, and how many they are. Done to
/// all of them at once, each in a byte of its own.
fn letters(number: u64) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // A group for every five bits, but one at least.
    let count = (68 - (number | 1).leading_zeros() as usize) / 5;
    // Groups of twenty bits, of ten, of five.
    let worth = number & 0xF_FFFF | number >> 20 << 32;
    let worth = worth & 0x3FF_0000_03FF | (worth & 0xF_FC00_000F_FC00) << 6;
    let worth = worth & 0x1F_001F_001F_001F | (worth & 0x3E0_03E0_03E0_03E0) << 3;
    let more = (ONES << 5) & ((1u64 << (8 * (count - 1))) - 1);
    let worth = worth | more;
    // 1 in each byte that is no less.
    let least = |of: u64| (worth + ONES * (128 - of)) >> 7 & ONES;
    let up = worth + ONES * u64::from(b'A') + least(26) * 6 + least(63) * 3;
    (up - least(52) * 75 - least(62) * 15, count)
}

/// The words that [`words`] wrote.
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

/// Rows of stored numbers that differ from computed ones, and by how many steps of the last bit: `{"at": rows, "by": steps}`; `None` if
/// none does.
pub fn ulp_deltas(stored: &[f32], computed: &[f32], width: usize) -> Option<Value> {
    let step = |was: f32, is: f32| was.to_bits().wrapping_sub(is.to_bits());
    // Where a row is as wide as it usually is, the compiler knows it.
    fn fixed<const W: usize>(
        stored: &[f32],
        computed: &[f32],
        step: impl Fn(f32, f32) -> u32,
    ) -> (Vec<u32>, Vec<u32>) {
        let rows = stored.as_chunks::<W>().0.iter().zip(computed.as_chunks::<W>().0);
        let other = |(was, is): &(&[f32; W], &[f32; W])| was.map(f32::to_bits) != is.map(f32::to_bits);
        let count = rows.clone().filter(other).count();
        let (mut at, mut by) = (Vec::with_capacity(count), Vec::with_capacity(count * W));
        if count == 0 {
            return (at, by);
        }
        for (row, (was, is)) in rows.enumerate() {
            let steps: [u32; W] = std::array::from_fn(|i| match (was.get(i), is.get(i)) {
                (Some(was), Some(is)) => step(*was, *is),
                _ => 0,
            });
            if steps.iter().fold(0, |any, step| any | step) != 0 {
                at.push(row as u32);
                by.extend_from_slice(&steps);
            }
        }
        (at, by)
    }
    let (at, by) = match width {
        0 | 1 => fixed::<1>(stored, computed, step),
        2 => fixed::<2>(stored, computed, step),
        3 => fixed::<3>(stored, computed, step),
        4 => fixed::<4>(stored, computed, step),
        6 => fixed::<6>(stored, computed, step),
        _ => {
            let (mut at, mut by) = (Vec::new(), Vec::new());
            for (row, (was, is)) in stored.chunks_exact(width).zip(computed.chunks_exact(width)).enumerate() {
                if !same_bits(was, is) {
                    at.push(row as u32);
                    by.extend(was.iter().zip(is).map(|(was, is)| step(*was, *is)));
                }
            }
            (at, by)
        }
    };
    (!at.is_empty()).then(|| Value::from([("at", encode_u32s(&at)), ("by", encode_u32s(&by))]))
}

/// Calls back for every row that [`steps`] noted, with its steps.
pub fn each_ulp_delta(notes: &Value, width: usize, mut each: impl FnMut(usize, &[u32])) {
    let list = |key: &str| notes.get(key).and_then(decode_u32s).unwrap_or_default();
    for (row, steps) in list("at").into_iter().zip(list("by").chunks_exact(width.max(1))) {
        each(row as usize, steps);
    }
}

/// Bytes as text, one letter each. Old formats have no encoding; this way every byte comes back.
pub fn latin(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.is_ascii() => text.to_owned(),
        _ => bytes.iter().map(|b| *b as char).collect(),
    }
}

/// The bytes of a text that [`latin`] made. Letters beyond a byte have no place in such a format and become `?`.
pub fn unlatin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
}

/// Bytes as hexadecimal text.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |d: u8| char::from_digit(u32::from(d), 16).unwrap_or('0');
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// The bytes that [`hex`] wrote.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let pair = |[a, b]: &[u8; 2]| Some((digit(*a)? << 4 | digit(*b)?) as u8);
    text.as_bytes().as_chunks::<2>().0.iter().map(pair).collect()
}

/// Whether numbers are the same bit for bit.
pub fn same_bits(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

impl Extras {
    /// A whole number.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.get(key)?.as_f64().map(|v| v as i64)
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// Numbers, as [`floats`] wrote them.
    pub fn floats(&self, key: &str) -> Option<Vec<f32>> {
        read_floats(self.get(key)?)
    }

    /// Words, as [`words`] wrote them.
    pub fn u32s(&self, key: &str) -> Option<Vec<u32>> {
        decode_u32s(self.get(key)?)
    }

    /// [`Extras::words`] with their signs.
    pub fn ints(&self, key: &str) -> Option<Vec<i64>> {
        Some(self.u32s(key)?.into_iter().map(|v| i64::from(v as i32)).collect())
    }

    /// What is inside.
    pub fn object(&self, key: &str) -> Option<&Extras> {
        self.get(key)?.as_object()
    }

    /// The list of what is inside.
    pub fn objects(&self, key: &str) -> impl Iterator<Item = &Extras> {
        self.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
    }

    /// Nothing at all, for whoever must borrow something.
    pub fn none() -> &'static Extras {
        static NONE: Extras = Extras::new();
        &NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_come_back() {
        let mut seed = 1u32;
        for round in 0..200_000u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = match round % 4 {
                0 => f32::from_bits(seed),
                1 => (seed as i32 as f32) / 1e6,
                2 => (seed >> 12) as f32 / 1024.0,
                // The one whose shortest decimal rounds twice.
                _ => f32::from_bits(0x15AE_43FD),
            };
            let text = float(value).to_string();
            let back: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read_float(&back).map(f32::to_bits), Some(value.to_bits()), "{text}");
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
