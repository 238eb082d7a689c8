//! What the scene cannot express, as extras: records by their field tables, texts, and numbers as differences.

use galatea_scene::{Extras, Key, Value, float, floats, read_float, read_floats};
pub(crate) use galatea_scene::{latin, same_bits as same, ulp_deltas, unlatin};
use galatea_wire::{Field, Kind, Schema, Wire};

/// The size up to which the bytes of a record need no allocation.
const ROOM: usize = 128;

/// Calls a function with the bytes of a value or record.
fn with_bytes<T: Wire, R>(value: &T, then: impl FnOnce(&[u8]) -> R) -> R {
    let mut room = [0; ROOM];
    match room.get_mut(..T::SIZE) {
        Some(bytes) => {
            value.put(bytes);
            then(bytes)
        }
        None => {
            let mut bytes = vec![0; T::SIZE];
            value.put(&mut bytes);
            then(&bytes)
        }
    }
}

/// Returns a value or record as extras, without offsets and padding.
pub(crate) fn json<T: Wire>(value: &T) -> Value {
    with_bytes(value, |bytes| encode(T::SCHEMA, bytes))
}

/// Returns the value or record that [`json`] wrote; missing fields are taken from `base`.
pub(crate) fn from_json<T: Wire>(value: &Value, base: &T) -> T {
    let mut bytes = vec![0; T::SIZE];
    base.put(&mut bytes);
    decode(T::SCHEMA, value, &mut bytes);
    T::get(&bytes)
}

/// Returns whether two values differ in any bit.
pub(crate) fn differ<T: Wire>(a: &T, b: &T) -> bool {
    with_bytes(a, |a| with_bytes(b, |b| a != b))
}

fn means_something(field: &Field) -> bool {
    !field.name.starts_with("padding") && field.schema.kind != Kind::Offset
}

/// Returns the element type of nested arrays.
fn leaf(schema: &Schema) -> &Schema {
    let mut schema = schema;
    while let Kind::Array(inner, _) = schema.kind {
        schema = inner;
    }
    schema
}

fn integer(kind: Kind, bytes: &[u8]) -> i64 {
    match kind {
        Kind::U8 => i64::from(u8::get(bytes)),
        Kind::I8 => i64::from(i8::get(bytes)),
        Kind::U16 => i64::from(u16::get(bytes)),
        Kind::I16 => i64::from(i16::get(bytes)),
        // Signed, because Blender has no unsigned integers.
        _ => i64::from(i32::get(bytes)),
    }
}

fn encode(schema: &Schema, bytes: &[u8]) -> Value {
    match schema.kind {
        Kind::F32 => float(f32::get(bytes)),
        Kind::Text => latin(bytes.split(|b| *b == 0).next().unwrap_or(&[])).into(),
        Kind::Struct(fields) => {
            let known = fields.iter().filter(|f| means_something(f));
            let pairs = known.map(|f| {
                let part = bytes.get(f.offset..).and_then(|b| b.get(..f.schema.size)).unwrap_or(&[]);
                (f.name, encode(f.schema, part))
            });
            Value::Object(pairs.collect())
        }
        Kind::Array(..) => {
            let inner = leaf(schema);
            let parts = bytes.chunks_exact(inner.size.max(1));
            match inner.kind {
                Kind::F32 => floats(&parts.map(f32::get).collect::<Vec<_>>()),
                Kind::Struct(_) | Kind::Text => Value::Array(parts.map(|p| encode(inner, p)).collect()),
                kind => Value::Array(parts.map(|p| integer(kind, p).into()).collect()),
            }
        }
        kind => integer(kind, bytes).into(),
    }
}

fn put_integer(schema: &Schema, value: &Value, bytes: &mut [u8]) {
    let Some(number) = value.as_f64() else { return };
    let all = (number as i64).to_le_bytes();
    if let (Some(slot), Some(new)) = (bytes.get_mut(..schema.size), all.get(..schema.size)) {
        slot.copy_from_slice(new);
    }
}

fn decode(schema: &Schema, value: &Value, bytes: &mut [u8]) {
    match schema.kind {
        Kind::F32 => {
            if let Some(number) = read_float(value) {
                number.put(bytes);
            }
        }
        Kind::Text => {
            if let Some(text) = value.as_str() {
                bytes.fill(0);
                let text = unlatin(text);
                let room = bytes.len().saturating_sub(usize::from(text.len() < bytes.len()));
                bytes.iter_mut().zip(text.iter().take(room.max(text.len()))).for_each(|(b, t)| *b = *t);
            }
        }
        Kind::Struct(fields) => {
            for field in fields.iter().filter(|f| means_something(f)) {
                let part = bytes.get_mut(field.offset..).and_then(|b| b.get_mut(..field.schema.size));
                if let (Some(part), Some(value)) = (part, value.get(field.name)) {
                    decode(field.schema, value, part);
                }
            }
        }
        Kind::Array(..) => {
            let inner = leaf(schema);
            let parts = bytes.chunks_exact_mut(inner.size.max(1));
            if inner.kind == Kind::F32 {
                for (part, number) in parts.zip(read_floats(value).unwrap_or_default()) {
                    number.put(part);
                }
            } else {
                let list = value.as_array().map_or(&[][..], |l| l);
                parts.zip(list).for_each(|(part, value)| decode(inner, value, part));
            }
        }
        _ => put_integer(schema, value, bytes),
    }
}

/// Adds a value to extras that do not have its key yet.
pub(crate) fn put(map: &mut Extras, key: impl Into<Key>, value: impl Into<Value>) {
    map.add(key, value);
}

/// Returns an integer of extras.
pub(crate) fn int(map: &Extras, key: &str) -> Option<i64> {
    map.int(key)
}

/// Returns a list of integers of extras.
pub(crate) fn ints(map: &Extras, key: &str) -> Option<Vec<i64>> {
    map.ints(key)
}

/// Returns a list of floats of extras.
pub(crate) fn list(map: &Extras, key: &str) -> Option<Vec<f32>> {
    map.floats(key)
}

/// Returns a list of objects of extras.
pub(crate) fn objects<'a>(map: &'a Extras, key: &str) -> impl Iterator<Item = &'a Extras> {
    map.objects(key)
}

/// Returns the extras of this format.
pub(crate) fn own(extras: &Extras) -> &Extras {
    extras.object("kotor").unwrap_or(Extras::none())
}

/// Wraps the extras of this format.
pub(crate) fn wrap(own: Extras) -> Extras {
    if own.is_empty() { own } else { Extras::from([("kotor", own.into())]) }
}

/// Calls a function for every row that [`ulp_deltas`] recorded.
pub(crate) fn each_ulp_delta(notes: Option<&Value>, width: usize, each: impl FnMut(usize, &[u32])) {
    if let Some(notes) = notes {
        galatea_scene::each_ulp_delta(notes, width, each);
    }
}

/// Adds differences in units of the last place to numbers.
pub(crate) fn add_ulps(numbers: &[f32], deltas: &[u32]) -> Vec<f32> {
    numbers.iter().zip(deltas).map(|(n, s)| f32::from_bits(n.to_bits().wrapping_add(*s))).collect()
}

/// Adds the stored differences to every row that has some, if `holds` accepts the sum.
pub(crate) fn apply_ulp_deltas(
    numbers: &mut [f32],
    value: Option<&Value>,
    width: usize,
    holds: impl Fn(usize, &[f32]) -> bool,
) {
    each_ulp_delta(value, width, |row, deltas| {
        let Some(from) = row.checked_mul(width) else { return };
        let Some(slot) = numbers.get_mut(from..).and_then(|n| n.get_mut(..width)) else { return };
        let sum = add_ulps(slot, deltas);
        if holds(row, &sum) {
            slot.copy_from_slice(&sum);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdl::{Dirt, Emitter};
    use galatea_wire::Text;

    #[test]
    fn records_survive_json() {
        let emitter = Emitter {
            update: Text::new(b"Fountain").unwrap(),
            dead_space: f32::NAN,
            flags: 0xFFFF_FFF0,
            render_order: 65535,
            ..Emitter::ZERO
        };
        let back = from_json(&json(&emitter), &Emitter::ZERO);
        assert_eq!(format!("{back:?}"), format!("{emitter:?}"));
        let dirt = Dirt { texture: 7, ..Dirt::ZERO };
        assert_eq!(from_json(&json(&dirt), &Dirt::ZERO), dirt);
        let pair = [[1.0f32, -0.0, 3.5], [f32::INFINITY, 0.0, 0.1]];
        let back = from_json(&json(&pair), &[[0.0f32; 3]; 2]);
        assert!(same(back.as_flattened(), pair.as_flattened()));
        assert_eq!(unlatin(&latin(&[0x80, 0xFF, b'a'])), [0x80, 0xFF, b'a']);
    }
}
