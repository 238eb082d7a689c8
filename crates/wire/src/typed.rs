//! The values of fields as people write them, and back.

use std::fmt;

use crate::inspect::{half_to_f32, value};
use crate::text::unescape;
use crate::{FieldAt, Kind, Schema, Wire, escape_bytes};

/// Why a text is not a value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAValue {
    /// It is something else.
    Wrong {
        /// What was written.
        text: String,
        /// What is needed.
        want: &'static str,
    },
    /// The number is too great or too small.
    OutOfRange {
        /// What was written.
        text: String,
        /// The range of the type.
        range: &'static str,
    },
    /// More or fewer numbers than the field has.
    Count {
        /// Numbers in the field.
        want: usize,
        /// Numbers that were written.
        found: usize,
    },
    /// The text does not fit into the field.
    TooLong {
        /// Bytes of the field.
        room: usize,
        /// Bytes of the text.
        found: usize,
    },
    /// The field is a record, whose fields have values of their own.
    Record,
}

impl fmt::Display for NotAValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAValue::Wrong { text, want } => write!(f, "\"{}\" is not {want}", crate::escape(text)),
            NotAValue::OutOfRange { text, range } => {
                write!(f, "{} is out of range; it must be {range}", crate::escape(text))
            }
            NotAValue::Count { want, found } => write!(f, "needs {want} numbers, found {found}"),
            NotAValue::TooLong { room, found } => {
                write!(f, "has room for {room} bytes; the text has {found}")
            }
            NotAValue::Record => f.write_str("is a record; name one of its fields"),
        }
    }
}

impl std::error::Error for NotAValue {}

/// Returns the value of these bytes as text that [`encode_value`] takes: like the inspector, but never shortened. Of bytes that are
/// longer than the schema, all items are shown.
pub fn shown_value(schema: &Schema, bytes: &[u8]) -> String {
    let plain = match schema.kind {
        Kind::Array(item, _) => matches!(item.kind, Kind::U8),
        Kind::U8 => bytes.len() > 1,
        _ => false,
    };
    if plain {
        return shown_bytes(bytes);
    }
    if bytes.len() > schema.size && schema.size > 0 {
        let parts: Vec<String> = bytes.chunks_exact(schema.size).map(|b| value(schema, b)).collect();
        return format!("({})", parts.join(", "));
    }
    value(schema, bytes)
}

/// Returns the bytes as text if they are printable up to their NULs, else as hexadecimal digits.
fn shown_bytes(bytes: &[u8]) -> String {
    let text = bytes.split(|b| *b == 0).next().unwrap_or(&[]);
    let rest = bytes.get(text.len()..).unwrap_or(&[]);
    if text.len() >= 2 && text.iter().all(|b| (0x20..0x7F).contains(b)) && rest.iter().all(|b| *b == 0) {
        return format!("\"{}\"", escape_bytes(text));
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

/// Returns the bytes of a field with another value. `current` are its bytes now: where the value stays the same, so do they, with
/// what follows the NUL of a text and the bits of a NaN.
///
/// Numbers are decimal or, if integers, hexadecimal with `0x`; `true` and `false` are 1 and 0. Lists are written with commas, with or
/// without parentheses. Text may be quoted, with the escapes of the inspector, or not, without escapes. NaN must be written as
/// `nan` or as the inspector prints it.
///
/// ```
/// use galatea_wire::{Inspector, Limits, Source, encode_value};
/// let bytes = [0; 12];
/// let source = Source::new(&bytes, &Limits::default());
/// source.reader().at::<[f32; 3]>(0, "color")?;
/// let coverage = source.into_coverage();
/// let field = &Inspector::new(&bytes, &coverage).fields(&"color".parse().unwrap()).unwrap()[0];
/// let new = encode_value(field, &bytes, "1, 0.5, 0").unwrap();
/// assert_eq!(new[4..8], 0.5f32.to_le_bytes());
/// assert_eq!(encode_value(field, &bytes, "1,2").unwrap_err().to_string(), "needs 3 numbers, found 2");
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn encode_value(field: &FieldAt, current: &[u8], text: &str) -> Result<Vec<u8>, NotAValue> {
    encode(field.schema, current, text.trim())
}

fn encode(schema: &Schema, current: &[u8], text: &str) -> Result<Vec<u8>, NotAValue> {
    let single = current.len() == schema.size;
    match schema.kind {
        Kind::Struct(_) => Err(NotAValue::Record),
        Kind::Text if single => encode_text(current, text),
        Kind::Array(item, _) if single && matches!(item.kind, Kind::U8) => encode_bytes(current, text),
        Kind::U8 if !single => encode_bytes(current, text),
        _ => {
            let leaf = leaf(schema).ok_or(NotAValue::Record)?;
            let slots = current.chunks_exact(leaf.size.max(1));
            let listed: Vec<&str> = if current.len() == leaf.size {
                vec![text]
            } else {
                let without = text.trim_matches(['(', ')']);
                without.split(',').map(|part| part.trim().trim_matches(['(', ')'])).collect()
            };
            if listed.len() != slots.len() {
                return Err(NotAValue::Count { want: slots.len(), found: listed.len() });
            }
            let mut out = Vec::with_capacity(current.len());
            for (part, slot) in listed.into_iter().zip(slots) {
                out.extend(number(leaf, slot, part.trim())?);
            }
            Ok(out)
        }
    }
}

/// Returns the numbers that an array consists of, at all depths; `None` if they are records or texts.
fn leaf(schema: &Schema) -> Option<&Schema> {
    let mut schema = schema;
    while let Kind::Array(item, _) = schema.kind {
        schema = item;
    }
    (!matches!(schema.kind, Kind::Struct(_) | Kind::Text)).then_some(schema)
}

fn unquoted(text: &str) -> Result<Vec<u8>, NotAValue> {
    let wrong = || NotAValue::Wrong { text: text.to_owned(), want: "a quoted text" };
    match text.strip_prefix('"') {
        Some(rest) => unescape(rest.strip_suffix('"').ok_or_else(wrong)?).ok_or_else(wrong),
        None => Ok(text.as_bytes().to_vec()),
    }
}

fn encode_text(current: &[u8], text: &str) -> Result<Vec<u8>, NotAValue> {
    let mut bytes = unquoted(text)?;
    if bytes.contains(&0) {
        return Err(NotAValue::Wrong { text: text.to_owned(), want: "a text without NUL" });
    }
    if current.split(|b| *b == 0).next() == Some(&bytes) {
        return Ok(current.to_vec());
    }
    let (room, found) = (current.len(), bytes.len());
    if found > room {
        return Err(NotAValue::TooLong { room, found });
    }
    bytes.resize(room, 0);
    Ok(bytes)
}

/// Encodes plain bytes: a quoted text, hexadecimal digits with spaces, or numbers with commas.
fn encode_bytes(current: &[u8], text: &str) -> Result<Vec<u8>, NotAValue> {
    let room = current.len();
    if text.starts_with('"') {
        let mut bytes = unquoted(text)?;
        if bytes.len() > room {
            return Err(NotAValue::TooLong { room, found: bytes.len() });
        }
        bytes.resize(room, 0);
        return Ok(bytes);
    }
    let wrong = |part: &str| NotAValue::Wrong {
        text: part.to_owned(),
        want: "a byte; write \"text\", hexadecimal digits with spaces, or numbers with commas",
    };
    let bytes: Vec<u8> = if text.contains(',') {
        let parts = text.trim_matches(['(', ')']).split(',');
        parts.map(|part| part.trim().parse().map_err(|_| wrong(part))).collect::<Result<_, _>>()?
    } else {
        let digits = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
        let byte = |part: &str| Some(part).filter(digits).and_then(|p| u8::from_str_radix(p, 16).ok());
        let parts = text.split_whitespace();
        parts.map(|part| byte(part).ok_or_else(|| wrong(part))).collect::<Result<_, _>>()?
    };
    if bytes.len() == room { Ok(bytes) } else { Err(NotAValue::Count { want: room, found: bytes.len() }) }
}

fn number(schema: &Schema, current: &[u8], text: &str) -> Result<Vec<u8>, NotAValue> {
    macro_rules! integer {
        ($t:ty, $range:literal) => {{
            let value = integer(text)?;
            let out = <$t>::try_from(value);
            let out = out.map_err(|_| NotAValue::OutOfRange { text: text.to_owned(), range: $range })?;
            Ok(out.to_le_bytes().to_vec())
        }};
    }
    match schema.kind {
        Kind::U8 => integer!(u8, "0 to 255"),
        Kind::I8 => integer!(i8, "-128 to 127"),
        Kind::U16 => integer!(u16, "0 to 65535"),
        Kind::I16 => integer!(i16, "-32768 to 32767"),
        Kind::U32 | Kind::Offset => integer!(u32, "0 to 4294967295"),
        Kind::I32 => integer!(i32, "-2147483648 to 2147483647"),
        Kind::U64 => integer!(u64, "0 to 18446744073709551615"),
        Kind::F32 => {
            let value = float(text)?;
            let keep = text.eq_ignore_ascii_case("nan") && f32::get(current).is_nan();
            Ok(if keep { current.to_vec() } else { value.to_le_bytes().to_vec() })
        }
        Kind::F16 => {
            let value = float(text)?;
            if value.is_nan() && half_to_f32(u16::get(current)).is_nan() {
                return Ok(current.to_vec());
            }
            let bits = f32_to_half(value);
            if value.is_finite() && !half_to_f32(bits).is_finite() {
                return Err(NotAValue::OutOfRange { text: text.to_owned(), range: "-65504 to 65504" });
            }
            Ok(bits.to_le_bytes().to_vec())
        }
        _ => Err(NotAValue::Record),
    }
}

fn integer(text: &str) -> Result<i128, NotAValue> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let parsed = match (text, digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))) {
        ("true", _) => Some(1),
        ("false", _) => Some(0),
        // A sign behind the `0x` is none.
        (_, Some(hex)) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => i128::from_str_radix(hex, 16).ok(),
        (_, None) if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok(),
        _ => None,
    };
    let wrong = || NotAValue::Wrong { text: text.to_owned(), want: "an integer, `true` or `false`" };
    parsed.map(|value: i128| sign * value).ok_or_else(wrong)
}

fn float(text: &str) -> Result<f32, NotAValue> {
    let wrong = || NotAValue::Wrong { text: text.to_owned(), want: "a number" };
    if let Some(bits) = text.strip_prefix("NaN(0x").and_then(|rest| rest.strip_suffix(')')) {
        let value = f32::from_bits(u32::from_str_radix(bits, 16).map_err(|_| wrong())?);
        return if value.is_nan() { Ok(value) } else { Err(wrong()) };
    }
    let value: f32 = text.parse().map_err(|_| wrong())?;
    let named = text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_alphabetic());
    if value.is_infinite() && !named {
        return Err(NotAValue::OutOfRange { text: text.to_owned(), range: "-3.4028235e38 to 3.4028235e38" });
    }
    Ok(value)
}

/// Returns the half float that is nearest to a number, the even one of two that are as near.
fn f32_to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7FFF_FFFF;
    if magnitude >= 0x7F80_0000 {
        return sign | if magnitude > 0x7F80_0000 { 0x7E00 } else { 0x7C00 };
    }
    // Subnormal halves are multiples of 2^-24: adding 0.5 leaves that multiple, rounded, in the lowest bits.
    if magnitude < 0x3880_0000 {
        let sum = f32::from_bits(magnitude) + 0.5;
        return sign | (sum.to_bits() - 0x3F00_0000) as u16;
    }
    let odd = magnitude >> 13 & 1;
    let rounded = (magnitude - 0x3800_0000 + 0xFFF + odd) >> 13;
    sign | rounded.min(0x7C00) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Offset, Text};

    fn of<T: Wire>(current: &[u8], text: &str) -> Result<Vec<u8>, String> {
        encode(T::SCHEMA, current, text).map_err(|e| e.to_string())
    }

    #[test]
    fn every_half_comes_back_from_its_own_text() {
        for bits in 0..=u16::MAX {
            let text = value(&Schema { name: "f16", size: 2, kind: Kind::F16, doc: "" }, &bits.to_le_bytes());
            let schema = Schema { name: "f16", size: 2, kind: Kind::F16, doc: "" };
            assert_eq!(
                encode(&schema, &bits.to_le_bytes(), &text),
                Ok(bits.to_le_bytes().to_vec()),
                "{text}"
            );
        }
    }

    #[test]
    fn halves_are_rounded_to_the_nearest_even() {
        for (value, bits) in [
            (1.0, 0x3C00),
            (1.0 + 1.0 / 2048.0, 0x3C00),
            (1.0 + 3.0 / 2048.0, 0x3C02),
            (65504.0, 0x7BFF),
            (65519.9, 0x7BFF),
            (65520.0, 0x7C00),
            (2f32.powi(-24), 1),
            (2f32.powi(-25), 0),
            (2f32.powi(-25) * 1.01, 1),
            (-0.0, 0x8000),
            (6.1035e-5, 0x0400),
        ] {
            assert_eq!(f32_to_half(value), bits, "{value}");
        }
    }

    #[test]
    fn numbers_are_read_and_held_to_their_range() {
        assert_eq!(of::<u8>(&[0], "true"), Ok(vec![1]));
        assert_eq!(of::<u8>(&[0], "0xFF"), Ok(vec![255]));
        assert_eq!(of::<i16>(&[0; 2], "-2"), Ok(vec![0xFE, 0xFF]));
        assert_eq!(of::<u64>(&[0; 8], "0xffffffffffffffff"), Ok(vec![0xFF; 8]));
        assert_eq!(of::<Offset>(&[0; 4], "0x10"), Ok(vec![16, 0, 0, 0]));
        assert_eq!(of::<u8>(&[0], "256").unwrap_err(), "256 is out of range; it must be 0 to 255");
        assert_eq!(of::<u32>(&[0; 4], "-1").unwrap_err(), "-1 is out of range; it must be 0 to 4294967295");
        for bad in ["", "1.5", "x", "+1", "0x", "0x+1", "--1", "1 2"] {
            assert!(of::<u32>(&[0; 4], bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn nan_must_be_written_and_keeps_its_bits() {
        let nan = 0x7FC0_1234u32.to_le_bytes();
        assert_eq!(of::<f32>(&nan, "NaN(0x7fc01234)"), Ok(nan.to_vec()));
        assert_eq!(of::<f32>(&nan, "nan"), Ok(nan.to_vec()));
        assert_eq!(of::<f32>(&[0; 4], "-inf"), Ok(f32::NEG_INFINITY.to_le_bytes().to_vec()));
        assert!(of::<f32>(&[0; 4], "1e50").unwrap_err().contains("out of range"));
        assert!(of::<f32>(&[0; 4], "NaN(0x3f800000)").is_err());
        assert!(of::<f32>(&[0; 4], "one").is_err());
    }

    #[test]
    fn lists_have_as_many_numbers_as_the_field() {
        let want: Vec<u8> = [1.0f32, 0.5, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        for text in ["1,0.5,0", "(1.0, 0.5, 0.0)", " 1 , 0.5 , 0 "] {
            assert_eq!(of::<[f32; 3]>(&[0; 12], text), Ok(want.clone()), "{text}");
        }
        assert_eq!(of::<[f32; 3]>(&[0; 12], "1").unwrap_err(), "needs 3 numbers, found 1");
        assert!(of::<[[f32; 2]; 2]>(&[0; 16], "((1, 2), (3, 4))").is_ok());
        assert_eq!(of::<u16>(&[0; 6], "1,2,3"), Ok(vec![1, 0, 2, 0, 3, 0]));
    }

    #[test]
    fn texts_fit_or_are_refused_and_keep_their_tail() {
        assert_eq!(of::<Text<6>>(b"ab\0cd\0", "ab"), Ok(b"ab\0cd\0".to_vec()));
        assert_eq!(of::<Text<6>>(b"ab\0cd\0", "x\\y"), Ok(b"x\\y\0\0\0".to_vec()));
        assert_eq!(of::<Text<6>>(b"ab\0cd\0", "\"x\\\\y\""), Ok(b"x\\y\0\0\0".to_vec()));
        assert_eq!(of::<Text<2>>(b"ab", "abc").unwrap_err(), "has room for 2 bytes; the text has 3");
        assert!(of::<Text<4>>(b"ab\0\0", "\"a").is_err());
    }

    #[test]
    fn bytes_are_text_digits_or_numbers() {
        assert_eq!(of::<[u8; 3]>(&[0; 3], "0a ff 00"), Ok(vec![10, 255, 0]));
        assert_eq!(of::<[u8; 3]>(&[0; 3], "10,255,0"), Ok(vec![10, 255, 0]));
        assert_eq!(of::<[u8; 3]>(&[0; 3], "\"ab\""), Ok(b"ab\0".to_vec()));
        assert!(of::<[u8; 3]>(&[0; 3], "0a ff").is_err());
        assert!(of::<[u8; 3]>(&[0; 3], "256,0,0").is_err());
        assert_eq!(of::<u8>(&[0; 2], "01 02"), Ok(vec![1, 2]));
        assert_eq!(shown_value(u8::SCHEMA, &[7; 40]).len(), 119);
    }
}
