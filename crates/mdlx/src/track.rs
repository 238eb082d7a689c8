//! Tracks: keyframed values.

use std::fmt;

use galatea_wire::{Field, Kind, Schema, Wire};

use crate::{Tag, ValueKind};

/// The interpolation between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
pub enum Interpolation {
    /// The value of the earlier key is held.
    #[default]
    None = 0,
    /// Linear; spherical for quaternions.
    Linear = 1,
    /// A Hermite curve through the keys, with tangents.
    Hermite = 2,
    /// A Bézier curve through the keys, with control points.
    Bezier = 3,
}

impl Interpolation {
    /// Returns the interpolation with this number in the file.
    pub fn from_raw(raw: u32) -> Option<Self> {
        [Self::None, Self::Linear, Self::Hermite, Self::Bezier].get(raw as usize).copied()
    }

    /// Returns `true` if each key has an incoming and an outgoing tangent.
    pub fn has_tangents(self) -> bool {
        matches!(self, Self::Hermite | Self::Bezier)
    }
}

/// One key: a value at a time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Key<T> {
    /// Milliseconds on the model's one timeline, or in the global sequence.
    pub time: i32,
    /// The value at that time.
    pub value: T,
}

/// The tangents, or control points, of one key.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tangents<T> {
    /// Incoming tangent.
    pub incoming: T,
    /// Outgoing tangent.
    pub outgoing: T,
}

/// The keys of a track, and their tangents where the interpolation has any.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve<T> {
    /// The keys, in file order.
    pub keys: Vec<Key<T>>,
    /// One per key for Hermite and Bézier, otherwise empty.
    pub tangents: Vec<Tangents<T>>,
}

impl<T> Default for Curve<T> {
    fn default() -> Self {
        Curve { keys: Vec::new(), tangents: Vec::new() }
    }
}

impl<T: Copy> Curve<T> {
    /// Returns a curve without tangents from pairs of time and value.
    pub fn new(keys: impl IntoIterator<Item = (i32, T)>) -> Self {
        let keys = keys.into_iter().map(|(time, value)| Key { time, value }).collect();
        Curve { keys, tangents: Vec::new() }
    }

    /// Returns each key with its tangents, if it has any.
    pub fn iter(&self) -> impl Iterator<Item = (Key<T>, Option<Tangents<T>>)> + '_ {
        self.keys.iter().enumerate().map(|(i, key)| (*key, self.tangents.get(i).copied()))
    }
}

/// The keys of a track, by value type.
#[derive(Debug, Clone, PartialEq)]
pub enum Keys {
    /// Floats.
    Float(Curve<f32>),
    /// Three floats: positions, scales, colours.
    Vector(Curve<[f32; 3]>),
    /// Quaternions: x, y, z, w. World of Warcraft packs them into 64 bits; packing again gives the same bits.
    Rotation(Curve<[f32; 4]>),
    /// Integers: texture ids and slots.
    Integer(Curve<u32>),
}

/// Runs an expression with the curve of any kind of keys.
macro_rules! each_curve {
    ($keys:expr, $curve:ident => $body:expr) => {
        match $keys {
            $crate::Keys::Float($curve) => $body,
            $crate::Keys::Vector($curve) => $body,
            $crate::Keys::Rotation($curve) => $body,
            $crate::Keys::Integer($curve) => $body,
        }
    };
}

impl Keys {
    /// Returns an empty list of keys of this kind; `None` for events, which have no values.
    pub fn empty(kind: ValueKind) -> Option<Keys> {
        match kind {
            ValueKind::Float => Some(Keys::Float(Curve::default())),
            ValueKind::Vector => Some(Keys::Vector(Curve::default())),
            ValueKind::Rotation => Some(Keys::Rotation(Curve::default())),
            ValueKind::Integer => Some(Keys::Integer(Curve::default())),
            ValueKind::Event => None,
        }
    }

    /// Returns the value type of the keys.
    pub fn kind(&self) -> ValueKind {
        match self {
            Keys::Float(_) => ValueKind::Float,
            Keys::Vector(_) => ValueKind::Vector,
            Keys::Rotation(_) => ValueKind::Rotation,
            Keys::Integer(_) => ValueKind::Integer,
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        each_curve!(self, c => c.keys.len())
    }

    /// Returns `true` if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the time of a key.
    pub fn time(&self, index: usize) -> Option<i32> {
        each_curve!(self, c => c.keys.get(index).map(|k| k.time))
    }

    /// Returns the times of all keys, in file order.
    pub fn times(&self) -> impl Iterator<Item = i32> + '_ {
        (0..self.len()).filter_map(|i| self.time(i))
    }

    /// Keeps the keys for which `keep` returns `true`, given index and time, with their tangents.
    pub fn retain(&mut self, mut keep: impl FnMut(usize, i32) -> bool) {
        each_curve!(self, c => {
            let wanted: Vec<bool> = c.keys.iter().enumerate().map(|(i, k)| keep(i, k.time)).collect();
            let mut flags = wanted.iter();
            c.keys.retain(|_| *flags.next().unwrap_or(&true));
            let mut flags = wanted.iter();
            c.tangents.retain(|_| *flags.next().unwrap_or(&true));
        });
    }

    /// Sorts the keys by time; keys of the same time keep their order.
    pub fn sort(&mut self) {
        each_curve!(self, c => {
            let mut order: Vec<usize> = (0..c.keys.len()).collect();
            order.sort_by_key(|i| c.keys.get(*i).map(|k| k.time));
            c.keys = order.iter().filter_map(|i| c.keys.get(*i).copied()).collect();
            c.tangents = order.iter().filter_map(|i| c.tangents.get(*i).copied()).collect();
        });
    }
}

/// A track: the keys of one animated value.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Its tag, such as `KGTR`. The animated value follows from the tag and the owner.
    pub tag: Tag,
    /// The interpolation between keys.
    pub interpolation: Interpolation,
    /// Index of the global sequence whose clock the track follows; -1 for the model's own timeline.
    pub global_sequence: i32,
    /// The keys.
    pub keys: Keys,
}

impl Track {
    /// Returns a track on the model's timeline.
    pub fn new(tag: impl Into<Tag>, interpolation: Interpolation, keys: Keys) -> Self {
        Track { tag: tag.into(), interpolation, global_sequence: -1, keys }
    }
}

/// Bytes that a newer version added, kept without being interpreted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extra {
    /// Between the fields and the tracks.
    pub before: Vec<u8>,
    /// After the tracks.
    pub after: Vec<u8>,
}

/// The tracks of one owner, in file order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tracks {
    /// The tracks.
    pub list: Vec<Track>,
    /// Bytes around them that a version newer than 1200 added.
    pub extra: Option<Box<Extra>>,
}

impl Tracks {
    /// Returns the first track with this tag.
    pub fn get(&self, tag: impl Into<Tag>) -> Option<&Track> {
        let tag = tag.into();
        self.list.iter().find(|t| t.tag == tag)
    }

    /// Returns the first track with this tag.
    pub fn get_mut(&mut self, tag: impl Into<Tag>) -> Option<&mut Track> {
        let tag = tag.into();
        self.list.iter_mut().find(|t| t.tag == tag)
    }

    /// Returns all tracks.
    pub fn iter(&self) -> std::slice::Iter<'_, Track> {
        self.list.iter()
    }

    /// Returns all tracks.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Track> {
        self.list.iter_mut()
    }

    /// Adds a track at the end.
    pub fn push(&mut self, track: Track) {
        self.list.push(track);
    }

    /// Removes all tracks with this tag.
    pub fn take(&mut self, tag: impl Into<Tag>) -> Vec<Track> {
        let tag = tag.into();
        let (taken, kept) = std::mem::take(&mut self.list).into_iter().partition(|t| t.tag == tag);
        self.list = kept;
        taken
    }

    /// Returns `true` if there are no tracks.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl From<Vec<Track>> for Tracks {
    fn from(list: Vec<Track>) -> Self {
        Tracks { list, extra: None }
    }
}

impl<'a> IntoIterator for &'a Tracks {
    type Item = &'a Track;
    type IntoIter = std::slice::Iter<'a, Track>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

/// The times at which an event is triggered, without values or interpolation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventTrack {
    /// Index of the global sequence whose clock it follows; -1 for the model's own timeline.
    pub global_sequence: i32,
    /// Milliseconds.
    pub times: Vec<i32>,
}

impl Default for EventTrack {
    fn default() -> Self {
        EventTrack { global_sequence: -1, times: Vec::new() }
    }
}

const fn time_field() -> Field {
    Field {
        name: "time",
        offset: 0,
        schema: i32::SCHEMA,
        ty: "i32",
        doc: "Milliseconds on the timeline, or in the global sequence.",
    }
}

const fn value_field<T: Wire>(name: &'static str, offset: usize, doc: &'static str) -> Field {
    Field { name, offset, schema: T::SCHEMA, ty: T::SCHEMA.name, doc }
}

impl<T: Wire> Wire for Key<T> {
    const SIZE: usize = 4 + T::SIZE;
    const ZERO: Self = Key { time: 0, value: T::ZERO };
    const SCHEMA: &'static Schema = &Schema {
        name: "Key",
        size: 4 + T::SIZE,
        kind: Kind::Struct(Self::FIELDS),
        doc: "One key of a track: a value at a time.",
    };
    const FIELDS: &'static [Field] = &[time_field(), value_field::<T>("value", 4, "The value at that time.")];
    #[inline(always)]
    fn get(bytes: &[u8]) -> Self {
        match bytes.split_at_checked(4) {
            Some((time, value)) => Key { time: i32::get(time), value: T::get(value) },
            None => Self::ZERO,
        }
    }
    #[inline(always)]
    fn put(&self, bytes: &mut [u8]) {
        if let Some((time, value)) = bytes.split_at_mut_checked(4) {
            self.time.put(time);
            self.value.put(value);
        }
    }
}

/// A key with tangents, as stored in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TangentKey<T> {
    /// Time and value.
    pub key: Key<T>,
    /// Its tangents.
    pub tangents: Tangents<T>,
}

impl<T: Wire> Wire for TangentKey<T> {
    const SIZE: usize = 4 + 3 * T::SIZE;
    const ZERO: Self =
        TangentKey { key: Key::ZERO, tangents: Tangents { incoming: T::ZERO, outgoing: T::ZERO } };
    const SCHEMA: &'static Schema = &Schema {
        name: "TangentKey",
        size: 4 + 3 * T::SIZE,
        kind: Kind::Struct(Self::FIELDS),
        doc: "One key of a Hermite or Bézier track.",
    };
    const FIELDS: &'static [Field] = &[
        time_field(),
        value_field::<T>("value", 4, "The value at that time."),
        value_field::<T>("in_tangent", 4 + T::SIZE, "Incoming tangent."),
        value_field::<T>("out_tangent", 4 + 2 * T::SIZE, "Outgoing tangent."),
    ];
    #[inline(always)]
    fn get(bytes: &[u8]) -> Self {
        let Some((key, tangents)) = bytes.split_at_checked(Key::<T>::SIZE) else { return Self::ZERO };
        let Some((incoming, outgoing)) = tangents.split_at_checked(T::SIZE) else { return Self::ZERO };
        let tangents = Tangents { incoming: T::get(incoming), outgoing: T::get(outgoing) };
        TangentKey { key: Key::get(key), tangents }
    }
    #[inline(always)]
    fn put(&self, bytes: &mut [u8]) {
        if let Some((key, tangents)) = bytes.split_at_mut_checked(Key::<T>::SIZE)
            && let Some((incoming, outgoing)) = tangents.split_at_mut_checked(T::SIZE)
        {
            self.key.put(key);
            self.tangents.incoming.put(incoming);
            self.tangents.outgoing.put(outgoing);
        }
    }
}

/// A quaternion in 64 bits, as World of Warcraft stores it: x in 22 bits, y and z in 21 each; w follows from unit length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PackedQuaternion(pub u64);

impl PackedQuaternion {
    /// Returns the quaternion x, y, z, w. `w` is never negative.
    ///
    /// ```
    /// use galatea_mdlx::PackedQuaternion;
    /// let q = PackedQuaternion(0x0123_4567_89AB_CDEF);
    /// assert_eq!(PackedQuaternion::pack(q.unpack()), q);
    /// ```
    pub fn unpack(self) -> [f32; 4] {
        let bits = self.0 as i64;
        // All three fit the 24 bits of a float's fraction, so nothing is rounded.
        let x = (bits >> 42) as f32 / 2_097_152.0;
        let y = ((bits << 22) >> 43) as f32 / 1_048_576.0;
        let z = ((bits << 43) >> 43) as f32 / 1_048_576.0;
        let rest = 1.0 - (f64::from(x).powi(2) + f64::from(y).powi(2) + f64::from(z).powi(2));
        let w = if rest >= 1.0 / 1_048_576.0 { rest.sqrt() as f32 } else { 0.0 };
        [x, y, z, w]
    }

    /// Packs a quaternion. Components are truncated to their bits, and `w` follows from the others.
    pub fn pack([x, y, z, w]: [f32; 4]) -> Self {
        let sign = if w >= 0.0 { 1.0 } else { -1.0 };
        let part = |value: f32, scale: f64, bits: u32| {
            let most = (1i64 << (bits - 1)) - 1;
            let whole = ((f64::from(value) * sign * scale) as i64).clamp(-most - 1, most);
            whole as u64 & ((1 << bits) - 1)
        };
        PackedQuaternion(
            part(x, 2_097_152.0, 22) << 42 | part(y, 1_048_576.0, 21) << 21 | part(z, 1_048_576.0, 21),
        )
    }
}

impl fmt::Debug for PackedQuaternion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.unpack())
    }
}

impl Wire for PackedQuaternion {
    const SIZE: usize = 8;
    const ZERO: Self = PackedQuaternion(0);
    const SCHEMA: &'static Schema = &Schema {
        name: "PackedQuaternion",
        size: 8,
        kind: Kind::U64,
        doc: "A quaternion in 64 bits: x in 22, y in 21, z in 21, w from the rest of the length.",
    };
    #[inline(always)]
    fn get(bytes: &[u8]) -> Self {
        PackedQuaternion(u64::get(bytes))
    }
    #[inline(always)]
    fn put(&self, bytes: &mut [u8]) {
        self.0.put(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_again_gives_the_same_bits() {
        let mut bits = 0x9E37_79B9_7F4A_7C15u64;
        for _ in 0..10_000 {
            bits = bits.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1);
            let packed = PackedQuaternion(bits);
            assert_eq!(PackedQuaternion::pack(packed.unpack()), packed, "{bits:x}");
        }
        for bits in [0, u64::MAX, 1 << 63, 1 << 42, 1 << 41, 1 << 20, (1 << 21) - 1] {
            assert_eq!(PackedQuaternion::pack(PackedQuaternion(bits).unpack()).0, bits);
        }
    }

    #[test]
    fn a_unit_quaternion_survives_packing_closely() {
        let q = [0.5f32, -0.5, 0.5, -0.5];
        let back = PackedQuaternion::pack(q).unpack();
        // The opposite quaternion is the same rotation.
        for (a, b) in q.iter().zip(back) {
            assert!((a + b).abs() < 2e-6);
        }
        assert_eq!(PackedQuaternion::pack([f32::NAN, 9.0, -9.0, 1.0]).unpack()[1], 1.0 - 1.0 / 1_048_576.0);
    }

    #[test]
    fn keys_sort_with_their_tangents() {
        let mut curve = Curve::new([(20, 2.0f32), (10, 1.0), (20, 3.0)]);
        curve.tangents = [2.0, 1.0, 3.0].map(|v| Tangents { incoming: v, outgoing: -v }).to_vec();
        let mut keys = Keys::Float(curve);
        keys.sort();
        let Keys::Float(curve) = &keys else { panic!() };
        assert!(curve.iter().all(|(k, t)| t.is_some_and(|t| t.incoming == k.value)));
        assert_eq!(keys.times().collect::<Vec<_>>(), [10, 20, 20]);
        keys.retain(|i, _| i > 0);
        assert_eq!(keys.len(), 2);
    }
}
