//! Values without a place in the scene: extras under `fmdl`, written and read.

use galatea_scene::{Extras, Key, Value, encode_u32s, float, floats, read_float};
pub(super) use galatea_scene::{hex, same_bits as same, unhex};

use crate::name::Name;
use crate::wire::Bounds;

/// Returns what this format put into the extras of a part.
pub(super) fn own(extras: &Extras) -> &Extras {
    extras.object("fmdl").unwrap_or(Extras::none())
}

/// Extras that hold what this format has to say.
pub(super) fn wrap(own: Extras) -> Extras {
    if own.is_empty() { own } else { Extras::from([("fmdl", own.into())]) }
}

/// Puts a value into extras that do not have it yet.
pub(super) fn put(map: &mut Extras, key: impl Into<Key>, value: impl Into<Value>) {
    map.add(key, value);
}

/// Returns a whole number of extras.
pub(super) fn int(map: &Extras, key: &str) -> Option<i64> {
    map.int(key)
}

/// Returns a number of extras that counts something.
pub(super) fn index(map: &Extras, key: &str) -> Option<usize> {
    int(map, key).and_then(|v| usize::try_from(v).ok())
}

/// Returns the whole numbers of extras.
pub(super) fn ints(map: &Extras, key: &str) -> Vec<i64> {
    map.ints(key).unwrap_or_default()
}

/// Returns a fixed number of numbers.
pub(super) fn array<const N: usize>(map: &Extras, key: &str) -> Option<[f32; N]> {
    map.floats(key)?.first_chunk().copied()
}

/// Returns a text of extras.
pub(super) fn text<'a>(map: &'a Extras, key: &str) -> Option<&'a str> {
    map.text(key)
}

/// Dictionaries of extras.
pub(super) fn objects<'a>(map: &'a Extras, key: &str) -> impl Iterator<Item = &'a Extras> {
    map.objects(key)
}

/// Returns the whole numbers as a list.
pub(super) fn list(values: impl IntoIterator<Item = usize>) -> Value {
    encode_u32s(&values.into_iter().map(|v| v as u32).collect::<Vec<_>>())
}

/// Returns `true` if numbers are equal but for rounding, as in sums over vertices in another order.
pub(super) fn near(a: &[f32], b: &[f32]) -> bool {
    same(a, b) || a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5 * (1e-3 + a.abs()))
}

/// Notes stored numbers that are not those we derive. They hold as long as we derive the same again, but for rounding.
pub(super) fn note(map: &mut Extras, key: &'static str, stored: &[f32], derived: &[f32]) {
    if !same(stored, derived) {
        put(map, key, floats(stored));
        put(map, format!("{key}_for"), floats(derived));
    }
}

/// Returns the stored numbers, if we derive now what we derived when they were noted; else what we derive.
pub(super) fn noted<const N: usize>(map: &Extras, key: &str, derived: [f32; N]) -> [f32; N] {
    let was: Option<[f32; N]> = array(map, &format!("{key}_for"));
    match was.filter(|w| near(w, &derived)) {
        Some(_) => array(map, key).unwrap_or(derived),
        None => derived,
    }
}

/// Does the same for a whole number.
pub(super) fn note_int(map: &mut Extras, key: &'static str, stored: u16, derived: u16) {
    if stored != derived {
        put(map, key, stored);
        put(map, format!("{key}_for"), derived);
    }
}

/// Returns the same for a whole number.
pub(super) fn noted_int(map: &Extras, key: &str, derived: u16) -> u16 {
    let holds = int(map, &format!("{key}_for")) == Some(i64::from(derived));
    int(map, key).filter(|_| holds).map_or(derived, |v| v as u16)
}

/// Returns the numbers of a box.
pub(super) fn corners(bounds: &Bounds) -> [f32; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (bounds.max, bounds.min);
    [a, b, c, d, e, f, g, h]
}

/// Returns the box that is noted, or the one we derive.
pub(super) fn noted_box(map: &Extras, key: &str, derived: &Bounds) -> Bounds {
    let [a, b, c, d, e, f, g, h] = noted(map, key, corners(derived));
    Bounds { max: [a, b, c, d], min: [e, f, g, h] }
}

/// Returns a name as the scene shows it. In a file of hashes `0x…` is a hash.
pub(super) fn spelled(text: &str, hashes: bool) -> Name {
    if hashes { Name::parse(text) } else { Name::from(text) }
}

/// Notes a name whose text does not say it: bytes that are no text.
pub(super) fn put_bytes(map: &mut Extras, key: &'static str, name: &Name, shown: &str, hashes: bool) {
    let back = spelled(shown, hashes);
    let holds = if hashes { back.code() == name.code() } else { back == *name };
    if let (false, Name::Text(bytes)) = (holds, name) {
        put(map, format!("{key}_bytes"), hex(bytes));
    }
}

/// Returns the name that a text shows, unless somebody has changed the text.
pub(super) fn read_name(map: &Extras, key: &str, shown: &str, hashes: bool) -> Name {
    let bytes = text(map, &format!("{key}_bytes")).and_then(unhex);
    let noted = bytes.map(Name::Text).filter(|name| name.to_string() == shown);
    noted.unwrap_or_else(|| spelled(shown, hashes))
}

/// Returns a number of extras.
pub(super) fn number(map: &Extras, key: &str) -> Option<f32> {
    read_float(map.get(key)?)
}

/// Puts a number into extras.
pub(super) fn put_float(map: &mut Extras, key: &'static str, value: f32) {
    put(map, key, float(value));
}
