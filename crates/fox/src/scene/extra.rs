//! What the scene has no word for, as JSON under `fmdl`, and the ways back.

use galatea_scene::{Extras, Value, float, floats, read_float, read_floats, words};

use crate::name::Name;
use crate::wire::Bounds;

/// What this format put into the extras of a part.
pub(super) fn own(extras: &Extras) -> &Extras {
    static NONE: std::sync::OnceLock<Extras> = std::sync::OnceLock::new();
    extras.get("fmdl").and_then(Value::as_object).unwrap_or_else(|| NONE.get_or_init(Extras::new))
}

/// Extras that hold what this format has to say.
pub(super) fn wrap(own: Extras) -> Extras {
    if own.is_empty() { own } else { Extras::from_iter([("fmdl".to_owned(), Value::Object(own))]) }
}

/// Puts a value into extras.
pub(super) fn put(map: &mut Extras, key: &str, value: impl Into<Value>) {
    map.insert(key.to_owned(), value.into());
}

/// A whole number of extras.
pub(super) fn int(map: &Extras, key: &str) -> Option<i64> {
    map.get(key)?.as_f64().map(|v| v as i64)
}

/// A number of extras that counts something.
pub(super) fn index(map: &Extras, key: &str) -> Option<usize> {
    int(map, key).and_then(|v| usize::try_from(v).ok())
}

/// Whole numbers of extras.
pub(super) fn ints(map: &Extras, key: &str) -> Vec<i64> {
    let list = map.get(key).and_then(Value::as_array).map_or(&[][..], |l| l);
    list.iter().filter_map(Value::as_f64).map(|v| v as i64).collect()
}

/// A fixed number of numbers.
pub(super) fn array<const N: usize>(map: &Extras, key: &str) -> Option<[f32; N]> {
    read_floats(map.get(key)?)?.first_chunk().copied()
}

/// A text of extras.
pub(super) fn text<'a>(map: &'a Extras, key: &str) -> Option<&'a str> {
    map.get(key)?.as_str()
}

/// Dictionaries of extras.
pub(super) fn objects<'a>(map: &'a Extras, key: &str) -> impl Iterator<Item = &'a Extras> {
    map.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// Whole numbers as a list.
pub(super) fn list(values: impl IntoIterator<Item = usize>) -> Value {
    words(&values.into_iter().map(|v| v as u32).collect::<Vec<_>>())
}

/// Notes stored numbers that are not those we derive. They hold as long as we derive the same again.
pub(super) fn note(map: &mut Extras, key: &str, stored: &[f32], derived: &[f32]) {
    if !same(stored, derived) {
        put(map, key, floats(stored));
        put(map, &format!("{key}_for"), floats(derived));
    }
}

/// The stored numbers, if we derive now what we derived when they were noted; else what we derive.
pub(super) fn noted<const N: usize>(map: &Extras, key: &str, derived: [f32; N]) -> [f32; N] {
    let was: Option<[f32; N]> = array(map, &format!("{key}_for"));
    match was.filter(|w| same(w, &derived)) {
        Some(_) => array(map, key).unwrap_or(derived),
        None => derived,
    }
}

/// The same for a whole number.
pub(super) fn note_int(map: &mut Extras, key: &str, stored: u16, derived: u16) {
    if stored != derived {
        put(map, key, stored);
        put(map, &format!("{key}_for"), derived);
    }
}

/// The same for a whole number.
pub(super) fn noted_int(map: &Extras, key: &str, derived: u16) -> u16 {
    let holds = int(map, &format!("{key}_for")) == Some(i64::from(derived));
    int(map, key).filter(|_| holds).map_or(derived, |v| v as u16)
}

/// The numbers of a box.
pub(super) fn corners(bounds: &Bounds) -> [f32; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (bounds.max, bounds.min);
    [a, b, c, d, e, f, g, h]
}

/// The box that is noted, or the one we derive.
pub(super) fn noted_box(map: &Extras, key: &str, derived: &Bounds) -> Bounds {
    let [a, b, c, d, e, f, g, h] = noted(map, key, corners(derived));
    Bounds { max: [a, b, c, d], min: [e, f, g, h] }
}

/// Whether numbers are the same bit for bit.
pub(super) fn same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Bytes as a text of hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The bytes that [`hex`] wrote.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    digits.map(|d| d.as_chunks::<2>().0.iter().map(|[a, b]| a << 4 | b).collect())
}

/// A name as the scene shows it. In a file of hashes `0x…` is a hash.
pub(super) fn spelled(text: &str, hashes: bool) -> Name {
    if hashes { Name::parse(text) } else { Name::from(text) }
}

/// Notes a name whose text does not say it: bytes that are no text.
pub(super) fn put_bytes(map: &mut Extras, key: &str, name: &Name, shown: &str, hashes: bool) {
    let back = spelled(shown, hashes);
    let holds = if hashes { back.code() == name.code() } else { back == *name };
    if let (false, Name::Text(bytes)) = (holds, name) {
        put(map, &format!("{key}_bytes"), hex(bytes));
    }
}

/// The name that a text shows, unless somebody has changed the text.
pub(super) fn read_name(map: &Extras, key: &str, shown: &str, hashes: bool) -> Name {
    let bytes = text(map, &format!("{key}_bytes")).and_then(unhex);
    let noted = bytes.map(Name::Text).filter(|name| name.to_string() == shown);
    noted.unwrap_or_else(|| spelled(shown, hashes))
}

/// A number of extras.
pub(super) fn number(map: &Extras, key: &str) -> Option<f32> {
    read_float(map.get(key)?)
}

/// Puts a number into extras.
pub(super) fn put_float(map: &mut Extras, key: &str, value: f32) {
    put(map, key, float(value));
}
