//! Extras: JSON beside the typed parts, made so that it comes back bit for bit and so that Blender can keep it.
//!
//! Blender's custom properties hold numbers (integers of 32 bits), texts, lists of numbers, and dictionaries or lists of
//! dictionaries; no lists of texts or of mixed things, and nothing that is absent. Whoever writes extras keeps to that.

use serde_json::{Map, Number, Value};

/// What a part carries besides its typed fields.
pub type Extras = Map<String, Value>;

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
    finite(value).unwrap_or_else(|| Value::String(format!("0x{:08X}", value.to_bits())))
}

fn finite(value: f32) -> Option<Value> {
    if !value.is_finite() {
        return None;
    }
    let wide = f64::from(value);
    let same = |decimal: f64| (decimal as f32).to_bits() == value.to_bits();
    // The shortest decimal of the narrow number, where reading it as a wide one does not round twice.
    let decimal = short(wide, same).or_else(|| value.to_string().parse().ok().filter(|d| same(*d)));
    Number::from_f64(decimal.unwrap_or(wide)).map(Value::Number)
}

/// The number with the fewest decimal places that will do, for numbers that are neither small nor large: a quotient of
/// two whole numbers is the number nearest to its decimal.
fn short(wide: f64, same: impl Fn(f64) -> bool) -> Option<f64> {
    const TENS: [f64; 9] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
    let size = wide.abs();
    if size != 0.0 && !(1e-2..1e7).contains(&size) {
        return None;
    }
    // Adding and taking away so much leaves a whole number.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    TENS.iter().map(|ten| ((wide * ten + WHOLE) - WHOLE).copysign(wide) / ten).find(|decimal| same(*decimal))
}

/// The number that [`float`] wrote, or any JSON number.
pub fn read_float(value: &Value) -> Option<f32> {
    match value {
        Value::Number(n) => n.as_f64().map(|v| v as f32),
        Value::String(s) => u32::from_str_radix(s.strip_prefix("0x")?, 16).ok().map(f32::from_bits),
        _ => None,
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
    match values.iter().map(|v| finite(*v)).collect::<Option<Vec<Value>>>() {
        Some(list) => Value::Array(list),
        None => {
            let bits = words(&values.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
            Value::Object(Map::from_iter([("bits".to_owned(), bits)]))
        }
    }
}

/// The numbers that [`floats`] wrote.
pub fn read_floats(value: &Value) -> Option<Vec<f32>> {
    match value {
        Value::Array(list) => list.iter().map(read_float).collect(),
        Value::Object(map) => map
            .get("bits")?
            .as_array()?
            .iter()
            .map(|v| Some(f32::from_bits(v.as_f64()? as i64 as u32)))
            .collect(),
        _ => None,
    }
}

/// 32-bit words as signed numbers, which is all Blender can keep.
pub fn words(values: &[u32]) -> Value {
    Value::Array(values.iter().map(|v| Value::from(*v as i32)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_decimal_is_the_shortest() {
        let mut seed = 1u32;
        for round in 0..200_000u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = match round % 3 {
                0 => f32::from_bits(seed),
                1 => (seed as i32 as f32) / 1e6,
                _ => (seed >> 12) as f32 / 1024.0,
            };
            if !value.is_finite() {
                continue;
            }
            let slow: f64 = value.to_string().parse().unwrap();
            let fast = float(value).as_f64().unwrap();
            assert_eq!((fast as f32).to_bits(), value.to_bits());
            if (slow as f32).to_bits() == value.to_bits() {
                // Of two that are as near and as short, either will do.
                assert_eq!(fast.to_string().len(), slow.to_string().len(), "{value}");
            }
        }
    }
}
