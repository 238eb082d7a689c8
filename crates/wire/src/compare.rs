//! Equality of values in comparisons of documents: by bits, or for floats within a tolerance.

use std::fmt::{self, Formatter};

use crate::inspect::{float, half_to_f32};
use crate::{Kind, Schema, Text, Wire, escape, escape_bytes};

/// A value that [`Differences`](crate::Differences) can compare and show.
///
/// With a tolerance of 0, floats are compared by their bits: NaN equals itself, and -0 differs from 0. Otherwise they are
/// also equal if they differ by no more than the tolerance.
///
/// [`compare_fields!`](crate::compare_fields) and [`compare_by_eq!`](crate::compare_by_eq) implement it for types of other
/// crates.
pub trait Compare {
    /// Returns `true` if both values are equal.
    fn same(&self, other: &Self, tolerance: f32) -> bool;
    /// Writes the value as text.
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

/// Implements [`Compare`](crate::Compare) for types whose `==` and `Debug` serve: those without floats.
///
/// ```
/// use galatea_wire::{Differences, compare_by_eq};
/// #[derive(Debug, PartialEq)]
/// enum Game { First, Second }
/// compare_by_eq!(Game);
/// let lines = Differences::collect(|out| out.value("game", &Game::First, &Game::Second));
/// assert_eq!(lines, ["game: First -> Second"]);
/// ```
#[macro_export]
macro_rules! compare_by_eq {
    ($($t:ty),* $(,)?) => {$(
        impl $crate::Compare for $t {
            #[inline]
            fn same(&self, other: &Self, _: f32) -> bool {
                self == other
            }
            fn show(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(self, f)
            }
        }
    )*};
}

/// Implements [`Compare`](crate::Compare) for a record by the listed fields. The others are ignored.
///
/// ```
/// use galatea_wire::{Differences, compare_fields};
/// struct Key { time: f32, padding: u8 }
/// compare_fields!(Key: time);
/// let keys = [Key { time: 0.5, padding: 1 }, Key { time: 0.5, padding: 2 }, Key { time: 1.0, padding: 1 }];
/// let lines = Differences::collect(|out| {
///     out.value("first", &keys[0], &keys[1]);
///     out.value("last", &keys[1], &keys[2]);
/// });
/// assert_eq!(lines, ["last: {time 0.5} -> {time 1.0}"]);
/// # let _ = keys[0].padding;
/// ```
#[macro_export]
macro_rules! compare_fields {
    ($t:ty: $($field:ident),+ $(,)?) => {
        impl $crate::Compare for $t {
            #[inline]
            fn same(&self, other: &Self, tolerance: f32) -> bool {
                $($crate::Compare::same(&self.$field, &other.$field, tolerance))&&+
            }
            fn show(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let mut before = "{";
                $(
                    ::std::write!(f, "{}{} ", ::std::mem::replace(&mut before, ", "), stringify!($field))?;
                    $crate::Compare::show(&self.$field, f)?;
                )+
                f.write_str("}")
            }
        }
    };
}

compare_by_eq!(bool, u8, i8, u16, i16, u32, i32, i64, usize);

impl Compare for f32 {
    #[inline]
    fn same(&self, other: &Self, tolerance: f32) -> bool {
        self.to_bits() == other.to_bits() || tolerance > 0.0 && (self - other).abs() <= tolerance
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&float(*self))
    }
}

impl Compare for u64 {
    fn same(&self, other: &Self, _: f32) -> bool {
        self == other
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "0x{self:016x}")
    }
}

impl Compare for str {
    fn same(&self, other: &Self, _: f32) -> bool {
        self == other
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", escape(self))
    }
}

impl Compare for String {
    fn same(&self, other: &Self, _: f32) -> bool {
        self == other
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.as_str().show(f)
    }
}

/// By the text before the NUL.
impl<const N: usize> Compare for Text<N> {
    fn same(&self, other: &Self, _: f32) -> bool {
        self.0 == other.0 || self.bytes() == other.bytes()
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", escape_bytes(self.bytes()))
    }
}

impl<T: Compare> Compare for Option<T> {
    #[inline]
    fn same(&self, other: &Self, tolerance: f32) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b, tolerance),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Some(value) => value.show(f),
            None => f.write_str("none"),
        }
    }
}

impl<T: Compare> Compare for [T] {
    #[inline]
    fn same(&self, other: &Self, tolerance: f32) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b, tolerance))
    }
    /// Lists are cut after 16 entries, the largest array of a record: a 4 x 4 matrix.
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const MOST: usize = 16;
        f.write_str("(")?;
        for (i, value) in self.iter().take(MOST).enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            value.show(f)?;
        }
        f.write_str(if self.len() > MOST { ", ...)" } else { ")" })
    }
}

impl<T: Compare, const N: usize> Compare for [T; N] {
    #[inline]
    fn same(&self, other: &Self, tolerance: f32) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b, tolerance))
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.as_slice().show(f)
    }
}

impl<T: Compare> Compare for Vec<T> {
    fn same(&self, other: &Self, tolerance: f32) -> bool {
        self.as_slice().same(other, tolerance)
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.as_slice().show(f)
    }
}

/// Text that is made when it is displayed.
struct Lazy<F>(F);

impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> fmt::Display for Lazy<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

/// Returns text that `write` makes when it is displayed.
pub(crate) fn lazy(write: impl Fn(&mut Formatter<'_>) -> fmt::Result) -> impl fmt::Display {
    Lazy(write)
}

/// Returns `true` if two encoded values of the same shape are equal: texts up to their NUL, and without offsets.
pub(crate) fn same_encoded(schema: &Schema, a: &[u8], b: &[u8], tolerance: f32) -> bool {
    if a == b {
        return true;
    }
    let text = |bytes: &'_ [u8]| bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    match schema.kind {
        Kind::Offset => true,
        Kind::Text => a.get(..text(a)) == b.get(..text(b)),
        Kind::F32 => f32::get(a).same(&f32::get(b), tolerance),
        Kind::F16 if tolerance > 0.0 => half_to_f32(u16::get(a)).same(&half_to_f32(u16::get(b)), tolerance),
        Kind::Array(item, _) => {
            let size = item.size.max(1);
            a.chunks_exact(size).zip(b.chunks_exact(size)).all(|(a, b)| same_encoded(item, a, b, tolerance))
        }
        Kind::Struct(fields) => fields.iter().all(|f| same_encoded(f.schema, f.of(a), f.of(b), tolerance)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Offset, wire};

    fn shown<T: Compare + ?Sized>(value: &T) -> String {
        lazy(|f| value.show(f)).to_string()
    }

    #[test]
    fn floats_are_compared_by_bits_or_within_a_tolerance() {
        assert!(f32::NAN.same(&f32::NAN, 0.0) && !0.0f32.same(&-0.0, 0.0));
        assert!(!f32::NAN.same(&0.0, 1.0) && f32::INFINITY.same(&f32::INFINITY, 1.0));
        assert!(!f32::INFINITY.same(&f32::NEG_INFINITY, 1.0));
        assert!(0.0f32.same(&-0.0, 0.5) && 1.0f32.same(&1.5, 0.5) && !1.0f32.same(&1.75, 0.5));
        assert!(Some([1.0f32, 2.0]).same(&Some([1.25, 2.0]), 0.5) && !Some(1u8).same(&None, 0.5));
    }

    #[test]
    fn values_are_shown_as_the_inspector_shows_them() {
        assert_eq!(shown(&[1.0f32, -0.0, f32::NAN]), "(1.0, -0.0, NaN(0x7fc00000))");
        assert_eq!((shown(&None::<u8>), shown("a\n"), shown(&vec![7u8; 20])), {
            ("none".to_owned(), "\"a\\n\"".to_owned(), format!("({}...)", "7, ".repeat(16)))
        });
    }

    wire! {
        struct Pin(16) {
            place: [f32; 2] = 0,
            name: Text<4> = 8,
            next: Offset = 12,
        }
    }

    #[test]
    fn encoded_records_ignore_offsets_and_what_follows_a_nul() {
        let encoded = |pin: Pin| {
            let mut bytes = [0; Pin::SIZE];
            pin.put(&mut bytes);
            bytes
        };
        let pin = Pin { place: [0.0, f32::NAN], name: Text(*b"a\0bc"), next: Offset(4) };
        let same =
            |other: Pin, tolerance| same_encoded(Pin::SCHEMA, &encoded(pin), &encoded(other), tolerance);
        assert!(same(Pin { name: Text(*b"a\0\0\0"), next: Offset(8), ..pin }, 0.0));
        assert!(!same(Pin { name: Text(*b"b\0bc"), ..pin }, 0.0));
        let moved = Pin { place: [-0.0, f32::NAN], ..pin };
        assert!(!same(moved, 0.0) && same(moved, 0.1));
    }
}
