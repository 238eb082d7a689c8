//! Fields of a document encoded as words of 32 bits: the form in which [`super::sidecar`] compares and stores them.

/// A value encoded as a fixed number of words.
pub(crate) trait Words: Copy + Default {
    fn put(&self, out: &mut Vec<u32>);
    fn take(words: &mut &[u32]) -> Option<Self>;
}

/// Takes the next word.
pub(crate) fn next(words: &mut &[u32]) -> Option<u32> {
    let (first, rest) = words.split_first()?;
    *words = rest;
    Some(*first)
}

macro_rules! whole {
    ($($t:ty),*) => {$(
        impl Words for $t {
            fn put(&self, out: &mut Vec<u32>) { out.push(*self as u32); }
            fn take(words: &mut &[u32]) -> Option<Self> { Some(next(words)? as $t) }
        }
    )*};
}
whole!(u8, u16, u32, i16, i32);

impl Words for f32 {
    fn put(&self, out: &mut Vec<u32>) {
        out.push(self.to_bits());
    }
    fn take(words: &mut &[u32]) -> Option<Self> {
        next(words).map(f32::from_bits)
    }
}

impl Words for bool {
    fn put(&self, out: &mut Vec<u32>) {
        out.push(u32::from(*self));
    }
    fn take(words: &mut &[u32]) -> Option<Self> {
        next(words).map(|w| w != 0)
    }
}

impl<T: Words, const N: usize> Words for [T; N]
where
    [T; N]: Default,
{
    fn put(&self, out: &mut Vec<u32>) {
        self.iter().for_each(|v| v.put(out));
    }
    fn take(words: &mut &[u32]) -> Option<Self> {
        let mut out = Self::default();
        for slot in &mut out {
            *slot = T::take(words)?;
        }
        Some(out)
    }
}

/// Encodes bytes, preceded by their count.
pub(crate) fn put_bytes(bytes: &[u8], out: &mut Vec<u32>) {
    out.push(bytes.len() as u32);
    out.extend(bytes.chunks(4).map(|c| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))));
}

/// Decodes bytes that [`put_bytes`] encoded.
pub(crate) fn take_bytes(words: &mut &[u32]) -> Option<Vec<u8>> {
    let len = next(words)? as usize;
    let (packed, rest) = words.split_at_checked(len.div_ceil(4))?;
    *words = rest;
    let mut bytes: Vec<u8> = packed.iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.truncate(len);
    Some(bytes)
}

/// Encodes a list that takes up all words.
pub(crate) fn put_list<T: Words>(list: &[T], out: &mut Vec<u32>) {
    out.reserve(size_of_val(list) / 4);
    list.iter().for_each(|v| v.put(out));
}

/// Decodes a list that takes up all words. Returns `None` if they do not fit.
pub(crate) fn take_list<T: Words>(mut words: &[u32]) -> Option<Vec<T>> {
    let mut out = Vec::with_capacity(words.len() * 4 / size_of::<T>().max(1));
    while !words.is_empty() {
        out.push(T::take(&mut words)?);
    }
    Some(out)
}

/// How a field is stored in the sidecar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Single values, each stored on its own where the text differs.
    Scalars,
    /// A unit, stored where the text differs.
    Whole,
    /// A unit without a text form, always stored.
    Silent,
}

/// A field, or a few fields that are stored together.
pub(crate) struct Field<T> {
    pub(crate) tag: &'static str,
    pub(crate) kind: Kind,
    pub(crate) get: fn(&T, &mut Vec<u32>),
    /// Returns `None` and changes nothing if the words do not fit.
    pub(crate) set: fn(&mut T, &[u32]) -> Option<()>,
}
