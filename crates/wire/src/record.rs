//! Fixed records: [`Wire`], its [`Schema`], and the [`wire!`](crate::wire) macro that yields both from one table.

use std::fmt;

/// What the bytes of a schema mean.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Unsigned 8-bit integer.
    U8,
    /// Signed 8-bit integer.
    I8,
    /// Unsigned 16-bit integer.
    U16,
    /// Signed 16-bit integer.
    I16,
    /// Unsigned 32-bit integer.
    U32,
    /// Signed 32-bit integer.
    I32,
    /// Unsigned 64-bit integer.
    U64,
    /// 16-bit float.
    F16,
    /// 32-bit float.
    F32,
    /// 32-bit place of something else in the file: layout, not meaning.
    Offset,
    /// NUL-padded text in a field of fixed size.
    Text,
    /// So many times the same thing.
    Array(&'static Schema, usize),
    /// A record of fields.
    Struct(&'static [Field]),
}

/// The shape of a record or value on disk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schema {
    /// Name of the type.
    pub name: &'static str,
    /// Bytes on disk.
    pub size: usize,
    /// What the bytes mean.
    pub kind: Kind,
    /// What the record means in the format.
    pub doc: &'static str,
}

/// One field of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Name of the field.
    pub name: &'static str,
    /// Bytes from the start of the record.
    pub offset: usize,
    /// Its shape.
    pub schema: &'static Schema,
    /// Its type as written in the table.
    pub ty: &'static str,
    /// What it means in the format.
    pub doc: &'static str,
}

impl Field {
    /// Returns the bytes of the field in an encoded record; empty if that is too short.
    pub fn of<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        record.get(self.offset..self.offset + self.schema.size).unwrap_or(&[])
    }
}

/// A value with a fixed layout on disk, little-endian.
pub trait Wire: Copy + 'static {
    /// Bytes on disk.
    const SIZE: usize;
    /// The value whose bytes are all zero.
    const ZERO: Self;
    /// Its shape.
    const SCHEMA: &'static Schema;
    /// The fields of a record; empty for plain values.
    const FIELDS: &'static [Field] = &[];
    /// Decodes from exactly [`SIZE`](Wire::SIZE) bytes; bytes that are missing count as zero.
    fn get(bytes: &[u8]) -> Self;
    /// Encodes into exactly [`SIZE`](Wire::SIZE) bytes; nothing is written if there are fewer.
    fn put(&self, bytes: &mut [u8]);
    /// Decodes an array; what is missing counts as zero.
    #[inline(always)]
    fn get_array<const N: usize>(bytes: &[u8]) -> [Self; N] {
        let mut chunks = bytes.chunks_exact(Self::SIZE);
        std::array::from_fn(|_| chunks.next().map_or(Self::ZERO, Self::get))
    }
    /// Decodes values that follow each other, as many as there are bytes and room for.
    #[inline(always)]
    fn get_all(bytes: &[u8], values: &mut [Self]) {
        values
            .iter_mut()
            .zip(bytes.chunks_exact(Self::SIZE))
            .for_each(|(value, chunk)| *value = Self::get(chunk));
    }
    /// Encodes values one after the other, as many as there is room for.
    #[inline(always)]
    fn put_all(values: &[Self], bytes: &mut [u8]) {
        values.iter().zip(bytes.chunks_exact_mut(Self::SIZE)).for_each(|(value, chunk)| value.put(chunk));
    }
}

macro_rules! primitive {
    ($($t:ty => $kind:ident $({ $special:item })?),* $(,)?) => {$(
        impl Wire for $t {
            const SIZE: usize = size_of::<$t>();
            const ZERO: Self = 0 as $t;
            const SCHEMA: &'static Schema =
                &Schema { name: stringify!($t), size: size_of::<$t>(), kind: Kind::$kind, doc: "" };
            #[inline(always)]
            fn get(bytes: &[u8]) -> Self {
                match bytes.first_chunk() {
                    Some(b) => <$t>::from_le_bytes(*b),
                    None => Self::ZERO,
                }
            }
            #[inline(always)]
            fn put(&self, bytes: &mut [u8]) {
                if let Some(b) = bytes.first_chunk_mut() {
                    *b = self.to_le_bytes();
                }
            }
            $(#[inline(always)] $special)?
            // Functions of their own, because arguments are known to share no memory: so this becomes one copy.
            #[inline(never)]
            fn get_all(bytes: &[u8], values: &mut [Self]) {
                values.iter_mut().zip(bytes.as_chunks().0).for_each(|(v, b)| *v = <$t>::from_le_bytes(*b));
            }
            #[inline(never)]
            fn put_all(values: &[Self], bytes: &mut [u8]) {
                values.iter().zip(bytes.as_chunks_mut().0).for_each(|(v, b)| *b = v.to_le_bytes());
            }
        }
    )*};
}
primitive!(
    u8 => U8 {
        fn get_array<const N: usize>(bytes: &[u8]) -> [u8; N] {
            // In one piece.
            let short = || std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0));
            bytes.first_chunk().copied().unwrap_or_else(short)
        }
    },
    i8 => I8,
    u16 => U16,
    i16 => I16,
    u32 => U32,
    i32 => I32,
    u64 => U64,
    f32 => F32,
);

impl<T: Wire, const N: usize> Wire for [T; N] {
    const SIZE: usize = T::SIZE * N;
    const ZERO: Self = [T::ZERO; N];
    const SCHEMA: &'static Schema = &Schema {
        name: T::SCHEMA.name,
        size: T::SIZE * N,
        kind: Kind::Array(T::SCHEMA, N),
        doc: T::SCHEMA.doc,
    };
    #[inline(always)]
    fn get(bytes: &[u8]) -> Self {
        T::get_array(bytes)
    }
    #[inline(always)]
    fn put(&self, bytes: &mut [u8]) {
        for (value, chunk) in self.iter().zip(bytes.chunks_exact_mut(T::SIZE)) {
            value.put(chunk);
        }
    }
    #[inline(always)]
    fn get_all(bytes: &[u8], values: &mut [Self]) {
        T::get_all(bytes, values.as_flattened_mut());
    }
    #[inline(always)]
    fn put_all(values: &[Self], bytes: &mut [u8]) {
        T::put_all(values.as_flattened(), bytes);
    }
}

/// A 32-bit place in the file. Layout, not meaning: comparisons of documents leave it out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Offset(pub u32);

impl fmt::Debug for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:X}", self.0)
    }
}

impl Wire for Offset {
    const SIZE: usize = 4;
    const ZERO: Self = Offset(0);
    const SCHEMA: &'static Schema = &Schema { name: "Offset", size: 4, kind: Kind::Offset, doc: "" };
    #[inline(always)]
    fn get(bytes: &[u8]) -> Self {
        Offset(u32::get(bytes))
    }
    #[inline(always)]
    fn put(&self, bytes: &mut [u8]) {
        self.0.put(bytes);
    }
}

/// Text in a field of `N` bytes, kept raw: what follows the NUL survives too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<const N: usize>(pub [u8; N]);

impl<const N: usize> Text<N> {
    /// Returns a NUL-padded field; `None` if the text does not fit into `N` bytes.
    pub fn new(text: &[u8]) -> Option<Self> {
        let mut raw = [0; N];
        raw.get_mut(..text.len())?.copy_from_slice(text);
        Some(Text(raw))
    }

    /// Returns the bytes before the first NUL.
    pub fn bytes(&self) -> &[u8] {
        self.0.split(|b| *b == 0).next().unwrap_or(&[])
    }

    /// Returns the text before the first NUL; bytes that are not UTF-8 become U+FFFD.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes())
    }

    /// Returns `true` if anything but NUL follows the first NUL.
    pub fn has_tail(&self) -> bool {
        self.0.iter().skip(self.bytes().len()).any(|b| *b != 0)
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Text([0; N])
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", crate::escape_bytes(self.bytes()))
    }
}

impl<const N: usize> Wire for Text<N> {
    const SIZE: usize = N;
    const ZERO: Self = Text([0; N]);
    const SCHEMA: &'static Schema = &Schema { name: "Text", size: N, kind: Kind::Text, doc: "" };
    #[inline(always)]
    fn get(bytes: &[u8]) -> Self {
        Text(u8::get_array(bytes))
    }
    #[inline(always)]
    fn put(&self, bytes: &mut [u8]) {
        if let Some(bytes) = bytes.first_chunk_mut() {
            *bytes = self.0;
        }
    }
}

/// Appends the bytes of all values.
pub fn put_array<T: Wire>(out: &mut Vec<u8>, values: &[T]) {
    let at = out.len();
    out.resize(at + values.len() * T::SIZE, 0);
    if let Some(tail) = out.get_mut(at..) {
        T::put_all(values, tail);
    }
}

/// Describes a fixed record once: `name: type = offset`, then the total size.
///
/// Yields the struct and its [`Wire`](crate::Wire) implementation. The fields must follow each other without gap or
/// overlap and fill the record exactly; anything else does not compile.
///
/// ```
/// use galatea_wire::{Wire, wire};
/// wire! {
///     /// A box around a thing.
///     pub struct Bounds(24) {
///         /// Lowest corner.
///         pub min: [f32; 3] = 0,
///         /// Highest corner.
///         pub max: [f32; 3] = 12,
///     }
/// }
/// let mut bytes = [0; Bounds::SIZE];
/// Bounds { min: [1.0; 3], max: [2.0; 3] }.put(&mut bytes);
/// assert_eq!(Bounds::get(&bytes).max, [2.0; 3]);
/// assert_eq!(Bounds::FIELDS[1].offset, 12);
/// ```
///
/// ```compile_fail
/// galatea_wire::wire! { pub struct Gap(8) { pub a: u16 = 0, pub b: u32 = 4 } }
/// ```
#[macro_export]
macro_rules! wire {
    (
        $(#[$($meta:tt)*])*
        $vis:vis struct $name:ident($size:literal) {
            $($(#[$($fmeta:tt)*])* $fvis:vis $field:ident : $ty:ty = $offset:literal),* $(,)?
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        // As it is on disk, so that most records are copied as they are.
        #[repr(C)]
        $vis struct $name { $($(#[$($fmeta)*])* $fvis $field: $ty),* }

        impl $crate::Wire for $name {
            const SIZE: usize = $size;
            const ZERO: Self = $name { $($field: <$ty as $crate::Wire>::ZERO),* };
            const FIELDS: &'static [$crate::Field] = &[$($crate::Field {
                name: stringify!($field),
                offset: $offset,
                schema: <$ty as $crate::Wire>::SCHEMA,
                ty: stringify!($ty),
                doc: $crate::wire!(@doc $(#[$($fmeta)*])*),
            }),*];
            const SCHEMA: &'static $crate::Schema = &$crate::Schema {
                name: stringify!($name),
                size: $size,
                kind: $crate::Kind::Struct(<$name as $crate::Wire>::FIELDS),
                doc: $crate::wire!(@doc $(#[$($meta)*])*),
            };
            #[inline(always)]
            fn get(bytes: &[u8]) -> Self {
                let Some(bytes) = bytes.first_chunk::<$size>() else { return Self::ZERO };
                $(let $field = match bytes.get($offset..$offset + <$ty as $crate::Wire>::SIZE) {
                    Some(field) => <$ty as $crate::Wire>::get(field),
                    None => <$ty as $crate::Wire>::ZERO,
                };)*
                $name { $($field),* }
            }
            #[inline(always)]
            fn put(&self, bytes: &mut [u8]) {
                let Some(bytes) = bytes.first_chunk_mut::<$size>() else { return };
                $(if let Some(field) = bytes.get_mut($offset..$offset + <$ty as $crate::Wire>::SIZE) {
                    $crate::Wire::put(&self.$field, field);
                })*
            }
        }

        impl Default for $name {
            fn default() -> Self { <Self as $crate::Wire>::ZERO }
        }

        // The proof: fields touch each other and fill the record, so every byte survives.
        const _: () = {
            let mut at = 0usize;
            $(
                assert!(at == $offset, concat!(stringify!($name), ".", stringify!($field), ": gap or overlap"));
                at += <$ty as $crate::Wire>::SIZE;
            )*
            assert!(at == $size, concat!(stringify!($name), ": the fields do not fill the record"));
        };
    };
    (@doc) => { "" };
    (@doc #[doc = $text:literal] $(#[$($rest:tt)*])*) => { concat!($text, $crate::wire!(@doc $(#[$($rest)*])*)) };
    (@doc #[$($other:tt)*] $(#[$($rest:tt)*])*) => { $crate::wire!(@doc $(#[$($rest)*])*) };
}

#[cfg(test)]
mod tests {
    use super::*;

    wire! {
        /// A record with one of everything.
        struct All(57) {
            /// A byte.
            a: u8 = 0,
            b: i8 = 1,
            c: u16 = 2,
            d: i16 = 4,
            e: u32 = 6,
            f: i32 = 10,
            g: u64 = 14,
            h: f32 = 22,
            i: [f32; 3] = 26,
            j: Text<5> = 38,
            k: Offset = 43,
            l: [[u8; 2]; 5] = 47,
        }
    }

    #[test]
    fn every_byte_survives_a_record() {
        let bytes: Vec<u8> = (0..57).map(|i| i as u8 ^ 0xA5).collect();
        let mut back = vec![0; 57];
        All::get(&bytes).put(&mut back);
        assert_eq!(bytes, back);
    }

    #[test]
    fn fields_know_offset_type_and_meaning() {
        assert_eq!(All::FIELDS.len(), 12);
        assert_eq!(All::FIELDS[0].doc.trim(), "A byte.");
        assert_eq!(All::FIELDS[9].offset, 38);
        assert_eq!(All::FIELDS[11].ty, "[[u8; 2]; 5]");
        assert_eq!(All::SCHEMA.doc.trim(), "A record with one of everything.");
    }

    #[test]
    fn nan_payloads_and_negative_zero_survive() {
        for bits in [0x7FC0_1234u32, 0xFFA0_0001, 0x8000_0000, 0x0000_0001] {
            let mut back = [0; 4];
            f32::get(&bits.to_le_bytes()).put(&mut back);
            assert_eq!(u32::from_le_bytes(back), bits);
        }
    }

    #[test]
    fn text_keeps_what_follows_the_nul() {
        let text = Text::<6>(*b"ab\0cd\0");
        assert_eq!(text.bytes(), b"ab");
        assert!(text.has_tail());
        assert!(Text::<2>::new(b"abc").is_none());
    }
}
