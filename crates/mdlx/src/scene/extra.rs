//! Values in extras: fields that the scene does not define, and ULP deltas of numbers.

use galatea_scene::{Extras, Value, encode_u32s, float, floats, read_float, read_floats};
pub(super) use galatea_scene::{hex, latin, same_bits as same, unhex, unlatin};
use galatea_wire::{StableHash, Text};

/// Returns a fixed string, truncated if necessary.
pub(super) fn text<const N: usize>(name: &str) -> Text<N> {
    let bytes = unlatin(name);
    Text::new(bytes.get(..N).unwrap_or(&bytes)).unwrap_or_default()
}

/// A value that can be stored in extras.
pub(super) trait ExtraValue: Sized {
    fn json(&self) -> Value;
    fn read(value: &Value) -> Option<Self>;
    /// Returns `true` if two values have the same bits.
    fn same(&self, other: &Self) -> bool;
}

fn number(value: &Value) -> Option<i64> {
    value.as_f64().map(|v| v as i64)
}

macro_rules! extra_int {
    ($($int:ty as $kept:ty),*) => { $(
        impl ExtraValue for $int {
            fn json(&self) -> Value {
                // Signed, because Blender supports no other integers.
                Value::from(*self as $kept)
            }
            fn read(value: &Value) -> Option<Self> {
                number(value).map(|v| v as $int)
            }
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
        impl<const N: usize> ExtraValue for [$int; N] {
            fn json(&self) -> Value {
                Value::Array(self.iter().map(ExtraValue::json).collect())
            }
            fn read(value: &Value) -> Option<Self> {
                let list: Option<Vec<$int>> = value.as_array()?.iter().map(<$int>::read).collect();
                list?.try_into().ok()
            }
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )* };
}
extra_int!(u8 as u8, u16 as u16, u32 as i32, i32 as i32);

impl ExtraValue for f32 {
    fn json(&self) -> Value {
        float(*self)
    }
    fn read(value: &Value) -> Option<Self> {
        read_float(value)
    }
    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl<const N: usize> ExtraValue for [f32; N] {
    fn json(&self) -> Value {
        floats(self)
    }
    fn read(value: &Value) -> Option<Self> {
        read_floats(value)?.try_into().ok()
    }
    fn same(&self, other: &Self) -> bool {
        same(self, other)
    }
}

impl<const N: usize, const M: usize> ExtraValue for [[f32; M]; N] {
    fn json(&self) -> Value {
        floats(self.as_flattened())
    }
    fn read(value: &Value) -> Option<Self> {
        read_floats(value)?.as_chunks::<M>().0.to_vec().try_into().ok()
    }
    fn same(&self, other: &Self) -> bool {
        same(self.as_flattened(), other.as_flattened())
    }
}

impl<const N: usize> ExtraValue for Text<N> {
    fn json(&self) -> Value {
        latin(self.bytes()).into()
    }
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(text)
    }
    fn same(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl ExtraValue for Vec<u8> {
    fn json(&self) -> Value {
        hex(self).into()
    }
    fn read(value: &Value) -> Option<Self> {
        unhex(value.as_str()?)
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl ExtraValue for crate::Bounds {
    fn json(&self) -> Value {
        floats(&bounds_row(self))
    }
    fn read(value: &Value) -> Option<Self> {
        row_bounds(&read_floats(value)?)
    }
    fn same(&self, other: &Self) -> bool {
        same(&bounds_row(self), &bounds_row(other))
    }
}

/// Returns bounds as radius, minimum and maximum.
pub(super) fn bounds_row(bounds: &crate::Bounds) -> [f32; 7] {
    let crate::Bounds { radius, min: [a, b, c], max: [d, e, f] } = *bounds;
    [radius, a, b, c, d, e, f]
}

/// Returns the bounds with this radius, minimum and maximum.
pub(super) fn row_bounds(row: &[f32]) -> Option<crate::Bounds> {
    let [radius, a, b, c, d, e, f] = *row.first_chunk()?;
    Some(crate::Bounds { radius, min: [a, b, c], max: [d, e, f] })
}

/// Stores the fields that differ from the default.
macro_rules! put_fields {
    ($map:expr, $value:expr, $base:expr, $($field:ident),* $(,)?) => {
        $(if !$crate::scene::extra::ExtraValue::same(&$value.$field, &$base.$field) {
            $map.add(stringify!($field), $crate::scene::extra::ExtraValue::json(&$value.$field));
        })*
    };
}
/// Reads the fields that are stored.
macro_rules! read_fields {
    ($map:expr, $value:expr, $($field:ident),* $(,)?) => {
        $(if let Some(value) = $map.get(stringify!($field)).and_then($crate::scene::extra::ExtraValue::read) {
            $value.$field = value;
        })*
    };
}
pub(super) use {put_fields, read_fields};

/// Returns the extras of this format.
pub(super) fn own(extras: &Extras) -> &Extras {
    extras.object("mdx").unwrap_or(Extras::none())
}

/// Wraps extras under the key of this format.
pub(super) fn wrap(own: Extras) -> Extras {
    if own.is_empty() { own } else { Extras::from([("mdx", own.into())]) }
}

/// Differences between stored and computed numbers, in ULPs, by row.
#[derive(Debug, Default)]
pub(super) struct UlpDeltas {
    at: Vec<u32>,
    by: Vec<u32>,
}

impl UlpDeltas {
    /// Adds a row of two parts, if it differs.
    pub(super) fn note(&mut self, row: usize, stored: [&[f32]; 2], computed: [&[f32]; 2]) {
        let [a, b] = stored;
        let [c, d] = computed;
        if !(same(a, c) && same(b, d)) {
            self.at.push(row as u32);
            let step = |(s, c): (&f32, &f32)| s.to_bits().wrapping_sub(c.to_bits());
            self.by.extend(a.iter().zip(c).map(step));
            self.by.extend(b.iter().zip(d).map(step));
        }
    }

    /// Stores the deltas in extras: by row number, or for all rows if most of them differ.
    pub(super) fn put(self, map: &mut Extras, rows: usize, width: usize) {
        if self.at.is_empty() {
            return;
        }
        if self.at.len() * 4 < rows * 3 {
            map.add("at", encode_u32s(&self.at));
            map.add("by", encode_u32s(&self.by));
            return;
        }
        let mut all = vec![0u32; rows * width];
        for (row, by) in self.at.iter().zip(self.by.chunks_exact(width.max(1))) {
            if let Some(slot) = all.get_mut(*row as usize * width..).and_then(|s| s.get_mut(..width)) {
                slot.copy_from_slice(by);
            }
        }
        map.add("by", encode_u32s(&all));
    }

    /// Returns the deltas of every row, as stored by [`UlpDeltas::put`]; 0 for rows that are not listed.
    pub(super) fn read(map: &Extras, rows: usize, width: usize) -> Option<Vec<u32>> {
        let by = map.u32s("by")?;
        let Some(at) = map.u32s("at") else { return (by.len() == rows * width).then_some(by) };
        let mut all = vec![0u32; rows * width];
        for (row, by) in at.iter().zip(by.chunks_exact(width.max(1))) {
            let from = (*row as usize).saturating_mul(width);
            if let Some(slot) = all.get_mut(from..).and_then(|s| s.get_mut(..width)) {
                slot.copy_from_slice(by);
            }
        }
        Some(all)
    }
}

/// Adds a difference in ULPs to a number.
pub(super) fn add_ulps(number: f32, step: u32) -> f32 {
    f32::from_bits(number.to_bits().wrapping_add(step))
}

/// Returns a checksum of rows of numbers.
pub(super) fn checksum_of<'a>(rows: impl IntoIterator<Item = &'a [f32]>) -> i32 {
    StableHash::new().floats(rows).folded() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_survive_json() {
        fn through<T: ExtraValue>(value: T) {
            assert!(T::read(&value.json()).unwrap().same(&value));
        }
        through(0xFFFF_FFF0u32);
        through(-7i32);
        through([[1.0f32, -0.0, f32::NAN], [f32::INFINITY, 0.0, 0.1], [0.0; 3]]);
        through(text::<80>("a\u{FF}b"));
        through(vec![0u8, 0x7F, 0xFF]);
        through(crate::Bounds { radius: f32::NAN, min: [1.0; 3], max: [-0.0; 3] });
    }

    #[test]
    fn steps_come_back_whether_many_or_few() {
        for many in [false, true] {
            let stored: Vec<f32> =
                (0..40).map(|i| if many || i == 8 { i as f32 + 0.1 } else { i as f32 }).collect();
            let computed: Vec<f32> = (0..40).map(|i| i as f32).collect();
            let mut steps = UlpDeltas::default();
            for (row, (s, c)) in stored.chunks(2).zip(computed.chunks(2)).enumerate() {
                steps.note(row, [s, &[]], [c, &[]]);
            }
            let mut map = Extras::new();
            steps.put(&mut map, 20, 2);
            assert_eq!(map.contains_key("at"), !many);
            let back = UlpDeltas::read(&map, 20, 2).unwrap();
            let again: Vec<f32> = computed.iter().zip(back).map(|(c, s)| add_ulps(*c, s)).collect();
            assert!(same(&again, &stored));
        }
    }
}
