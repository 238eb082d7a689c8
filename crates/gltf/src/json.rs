//! JSON text written front to back, without building it in memory first.

use galatea_scene::json::{close, float, small_int, text};
use galatea_scene::{Extras, Value, json};

/// An object being written. Every member has a comma behind it, until the end takes the place of the last.
pub(crate) struct Object<'a> {
    out: &'a mut Vec<u8>,
}

impl Object<'_> {
    /// A key of our own, which has nothing that must be escaped. Where the key is known, this is a few moves.
    #[inline(always)]
    fn key(&mut self, key: &'static str) {
        self.out.reserve(key.len() + 3);
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Any key.
    fn any_key(&mut self, key: &str) {
        json::key(self.out, key);
    }

    /// Ends a member.
    #[inline(always)]
    fn end(&mut self) {
        self.out.push(b',');
    }

    /// A number under any key.
    pub(crate) fn int_of(&mut self, key: &str, value: u32) {
        self.any_key(key);
        small_int(self.out, value);
        self.end();
    }

    /// Members of a map.
    pub(crate) fn members(&mut self, map: &Extras) {
        map.iter().for_each(|(key, value)| self.value(key, value));
    }

    /// Members of a map but for some.
    pub(crate) fn members_but(&mut self, map: &Extras, but: impl Fn(&str) -> bool) {
        map.iter().filter(|(key, _)| !but(key)).for_each(|(key, value)| self.value(key, value));
    }

    #[inline]
    pub(crate) fn text(&mut self, key: &'static str, value: &str) {
        self.key(key);
        text(self.out, value);
        self.end();
    }

    #[inline]
    pub(crate) fn int(&mut self, key: &'static str, value: u64) {
        self.key(key);
        json::int(self.out, value as i64);
        self.end();
    }

    pub(crate) fn flag(&mut self, key: &'static str, value: bool) {
        self.key(key);
        self.out.extend_from_slice(if value { b"true," } else { b"false," });
    }

    pub(crate) fn float(&mut self, key: &'static str, value: f32) {
        self.key(key);
        float(self.out, value);
        self.end();
    }

    pub(crate) fn floats(&mut self, key: &'static str, values: &[f32]) {
        self.each(key, values, |out, value| float(out, *value));
    }

    /// Numbers that must come back bit for bit, whatever they are.
    pub(crate) fn exact_floats(&mut self, key: &'static str, values: &[f32]) {
        self.key(key);
        json::exact_floats(self.out, values);
        self.end();
    }

    pub(crate) fn ints(&mut self, key: &'static str, values: impl IntoIterator<Item = u32>) {
        self.each(key, values, small_int);
    }

    pub(crate) fn texts<'t>(&mut self, key: &'static str, values: impl IntoIterator<Item = &'t str>) {
        self.each(key, values, text);
    }

    /// A list of whatever can be written.
    pub(crate) fn each<T>(
        &mut self,
        key: &'static str,
        values: impl IntoIterator<Item = T>,
        put: impl FnMut(&mut Vec<u8>, T),
    ) {
        self.key(key);
        each(self.out, values, put);
        self.end();
    }

    pub(crate) fn value(&mut self, key: &str, value: &Value) {
        self.any_key(key);
        json::value(self.out, value);
        self.end();
    }

    pub(crate) fn object(&mut self, key: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        object(self.out, fill);
        self.end();
    }

    pub(crate) fn list<T>(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(&mut Object<'_>, T),
    ) {
        self.each(key, items, |out, item| object(out, |o| fill(o, item)));
    }

    /// A list that was written before.
    pub(crate) fn ready(&mut self, key: &'static str, list: &List) {
        if list.count > 0 {
            self.key(key);
            self.out.extend_from_slice(&list.text);
            close(self.out, b'[', b']');
            self.end();
        }
    }
}

/// Text that is always the same.
#[inline(always)]
pub(crate) fn said(out: &mut Vec<u8>, text: &'static str) {
    out.extend_from_slice(text.as_bytes());
}

/// Writes a list of numbers.
pub(crate) fn floats(out: &mut Vec<u8>, values: &[f32]) {
    each(out, values, |out, value| float(out, *value));
}

/// Writes a list of whatever can be written.
#[inline]
fn each<T>(out: &mut Vec<u8>, values: impl IntoIterator<Item = T>, mut put: impl FnMut(&mut Vec<u8>, T)) {
    out.push(b'[');
    for value in values {
        put(out, value);
        out.push(b',');
    }
    close(out, b'[', b']');
}

/// Writes an object.
#[inline]
pub(crate) fn object(out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    fill(&mut Object { out });
    close(out, b'{', b'}');
}

/// A list of objects that grows.
#[derive(Debug, Default)]
pub(crate) struct List {
    text: Vec<u8>,
    pub(crate) count: u32,
}

impl List {
    /// A list whose text will have about so many bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        List { text: Vec::with_capacity(bytes), count: 0 }
    }

    /// How long its text is so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds an object and tells its index.
    #[inline]
    pub(crate) fn push(&mut self, fill: impl FnOnce(&mut Object<'_>)) -> u32 {
        self.push_text(|out| object(out, fill))
    }

    /// Adds an object whose text is written here, and tells its index.
    #[inline]
    pub(crate) fn push_text(&mut self, put: impl FnOnce(&mut Vec<u8>)) -> u32 {
        if self.count == 0 {
            self.text.reserve(1 << 12);
            self.text.push(b'[');
        }
        put(&mut self.text);
        self.text.push(b',');
        self.count += 1;
        self.count - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let mut out = Vec::new();
        object(&mut out, |o| {
            o.value("name\n", &"\u{1}\"\\ü".into());
            o.floats("f", &[1.0, -0.0, 0.1, 1e-40, 3e38, f32::NAN, -7.0]);
            o.ints("none", []);
            o.object("empty", |_| {});
            o.list("list", [1, 2], |o, v| o.int("v", v));
        });
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let floats = value["f"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32);
        let bits: Vec<u32> = floats.map(f32::to_bits).collect();
        let want = [1.0f32, -0.0, 0.1, 1e-40, 3e38, 0.0, -7.0].map(f32::to_bits);
        assert_eq!(bits, want);
        assert_eq!(value["name\n"], "\u{1}\"\\ü");
        assert_eq!(value["list"][1]["v"], 2);
    }
}
