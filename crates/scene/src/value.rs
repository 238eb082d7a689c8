//! Values of extras: what JSON can represent, in a form that is cheap to build and to drop.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A key of [`Extras`]. Literals are not copied.
pub type Key = Cow<'static, str>;

/// A JSON value.
///
/// ```
/// use galatea_scene::{Extras, Value};
/// let hook = Extras::from([("name", Value::from("hand")), ("slot", 3.into())]);
/// assert_eq!(Value::from(hook).get("slot"), Some(&Value::Int(3)));
/// ```
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without a decimal point.
    Int(i64),
    /// A number with a decimal point. Two are equal if they round to the same `f32`.
    Float(f64),
    /// A text. Literals are not copied.
    String(Cow<'static, str>),
    /// A list.
    Array(Vec<Value>),
    /// Values by name.
    Object(Extras),
}

impl Value {
    /// Returns the value of a `Bool`.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the value of any number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the value of an `Int` that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// Returns the value of a `String`.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the items of an `Array`.
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        match self {
            Value::Array(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the members of an `Object`.
    pub fn as_object(&self) -> Option<&Extras> {
        match self {
            Value::Object(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the members of an `Object`, mutably.
    pub fn as_object_mut(&mut self) -> Option<&mut Extras> {
        match self {
            Value::Object(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the member with this key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || *a as f32 == *b as f32,
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a == b,
            (Value::Object(a), Value::Object(b)) => a == b,
            _ => false,
        }
    }
}

macro_rules! whole {
    ($($int:ty),*) => { $(
        impl From<$int> for Value {
            fn from(value: $int) -> Value {
                Value::Int(i64::from(value))
            }
        }
    )* };
}
whole!(u8, u16, u32, i32, i64);

impl From<usize> for Value {
    fn from(value: usize) -> Value {
        Value::Int(value as i64)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<&'static str> for Value {
    fn from(value: &'static str) -> Value {
        Value::String(Cow::Borrowed(value))
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::String(Cow::Owned(value))
    }
}

impl From<Vec<Value>> for Value {
    fn from(value: Vec<Value>) -> Value {
        Value::Array(value)
    }
}

impl From<Extras> for Value {
    fn from(value: Extras) -> Value {
        Value::Object(value)
    }
}

impl<const N: usize> From<[(&'static str, Value); N]> for Value {
    fn from(members: [(&'static str, Value); N]) -> Value {
        Value::Object(Extras::from(members))
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Value {
        Value::Array(values.into_iter().collect())
    }
}

/// Data of a part of the scene besides its typed fields: values by key, in insertion order. There are seldom more than a few,
/// so lookup is linear.
#[derive(Debug, Clone, Default)]
pub struct Extras(Vec<(Key, Value)>);

/// Most members that are searched for duplicates in quadratic time.
const FEW: usize = 16;

impl Extras {
    /// Returns empty extras.
    pub const fn new() -> Extras {
        Extras(Vec::new())
    }

    /// Returns `true` if there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the member with this key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Returns the member with this key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.0.iter_mut().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Returns `true` if there is a member with this key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Inserts a value, replacing one with the same key.
    pub fn insert(&mut self, key: impl Into<Key>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        match self.0.iter_mut().find(|(k, _)| *k == key) {
            Some((_, slot)) => *slot = value,
            None => self.add(key, value),
        }
    }

    /// Removes and returns a value.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.0.iter().position(|(k, _)| k == key)?;
        Some(self.0.remove(at).1)
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Appends a value with a key that is not in use, which is not checked.
    pub fn add(&mut self, key: impl Into<Key>, value: impl Into<Value>) {
        let key = key.into();
        debug_assert!(!self.contains_key(&key), "{key} is there already");
        if self.0.is_empty() {
            self.0.reserve(6);
        }
        self.0.push((key, value.into()));
    }

    /// Returns all members.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    /// Builds extras of pairs. Of several values with one key the last is kept, in the place of the first.
    fn of_pairs(mut pairs: Vec<(Key, Value)>) -> Extras {
        if pairs.len() > FEW {
            let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
            let key = |at: u32| pairs.get(at as usize).map(|(key, _)| key);
            order.sort_by(|a, b| key(*a).cmp(&key(*b)).then(a.cmp(b)));
            if order.windows(2).any(|w| matches!(w, [a, b] if key(*a) == key(*b))) {
                let mut last: std::collections::BTreeMap<Key, (usize, Value)> =
                    std::collections::BTreeMap::new();
                for (at, (key, value)) in pairs.into_iter().enumerate() {
                    let place = last.entry(key).or_insert((at, Value::Null));
                    place.1 = value;
                }
                let mut back: Vec<(usize, Key, Value)> =
                    last.into_iter().map(|(key, (at, value))| (at, key, value)).collect();
                back.sort_by_key(|(at, ..)| *at);
                pairs = back.into_iter().map(|(_, key, value)| (key, value)).collect();
            }
            return Extras(pairs);
        }
        let mut out = Extras(Vec::with_capacity(pairs.len()));
        pairs.into_iter().for_each(|(key, value)| out.insert(key, value));
        out
    }
}

impl PartialEq for Extras {
    fn eq(&self, other: &Extras) -> bool {
        self.len() == other.len()
            && self.iter().zip(other.iter()).all(|((key, value), (twin, same))| {
                if key == twin { value == same } else { other.get(key) == Some(value) }
            })
    }
}

/// The keys must be different.
impl<const N: usize> From<[(&'static str, Value); N]> for Extras {
    fn from(members: [(&'static str, Value); N]) -> Extras {
        Extras(members.into_iter().map(|(key, value)| (Key::Borrowed(key), value)).collect())
    }
}

impl<K: Into<Key>> FromIterator<(K, Value)> for Extras {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(members: I) -> Extras {
        Extras::of_pairs(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl<K: Into<Key>> Extend<(K, Value)> for Extras {
    fn extend<I: IntoIterator<Item = (K, Value)>>(&mut self, members: I) {
        let members = members.into_iter();
        let (more, _) = members.size_hint();
        if self.0.len() + more > FEW {
            let mut all = std::mem::take(&mut self.0);
            all.extend(members.map(|(key, value)| (key.into(), value)));
            *self = Extras::of_pairs(all);
        } else {
            members.for_each(|(key, value)| self.insert(key, value));
        }
    }
}

impl IntoIterator for Extras {
    type Item = (Key, Value);
    type IntoIter = std::vec::IntoIter<(Key, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::String(value) => serializer.serialize_str(value),
            Value::Array(list) => serializer.collect_seq(list),
            Value::Object(members) => members.serialize(serializer),
        }
    }
}

impl Serialize for Extras {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Extras, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(members),
            _ => Err(D::Error::custom("extras that are not an object")),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Float(value as f64), Value::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.to_owned().into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(value) = list.next_element()? {
            out.push(value);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut out: Vec<(Key, Value)> = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            out.push((Key::Owned(key), value));
        }
        Ok(Value::Object(Extras::of_pairs(out)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_it_is_written() {
        let text = r#"{"z":[1,-2,0.5,1.0,1e300,null,true],"a":{"ü\"\\":"\u0001"},"":18446744073709551615}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let list = [
            1.into(),
            Value::Int(-2),
            Value::Float(0.5),
            Value::Float(1.0),
            Value::Float(1e300),
            Value::Null,
            true.into(),
        ];
        let expected = Value::from([
            ("z", list.into_iter().collect()),
            ("a", Value::Object(Extras::from_iter([("ü\"\\", Value::from("\u{1}"))]))),
            // Beyond the integers of 64 bits with a sign.
            ("", Value::Float(18_446_744_073_709_551_615.0)),
        ]);
        assert_eq!(value, expected);
        assert_ne!(value, Value::Null);
        let written = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), expected);
        assert!(serde_json::from_str::<Extras>("[1]").is_err());
    }

    #[test]
    fn of_twins_the_last_counts_and_order_does_not() {
        for count in [2, 40] {
            let mut text = String::from("{\"k\":1,");
            for i in 0..count {
                text.push_str(&format!("\"n{i}\":{i},"));
            }
            let value: Value = serde_json::from_str(&format!("{text}\"k\":2}}")).unwrap();
            let map = value.as_object().unwrap();
            assert_eq!((map.len(), map.get("k")), (count + 1, Some(&Value::Int(2))));
            assert_eq!(map.iter().next().unwrap().0, "k");
            let turned: Extras = map
                .iter()
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .map(|(k, v)| (k.to_owned(), v.clone()))
                .collect();
            assert_eq!(*map, turned);
        }
    }
}
