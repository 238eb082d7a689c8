//! JSON text written front to back, without building it in memory first.

use std::fmt::Write as _;

use galatea_scene::Extras;
use serde_json::Value;

/// An object being written.
pub(crate) struct Object<'a> {
    out: &'a mut String,
    empty: bool,
}

impl Object<'_> {
    /// A key of our own, which has nothing that must be escaped.
    fn key(&mut self, key: &'static str) {
        self.out.push_str(if self.empty { "{\"" } else { ",\"" });
        self.empty = false;
        self.out.push_str(key);
        self.out.push_str("\":");
    }

    /// Any key.
    fn any_key(&mut self, key: &str) {
        self.out.push(if self.empty { '{' } else { ',' });
        self.empty = false;
        text(self.out, key);
        self.out.push(':');
    }

    /// A number under any key.
    pub(crate) fn int_of(&mut self, key: &str, value: u64) {
        self.any_key(key);
        int(self.out, value);
    }

    /// Members of a map beside those of another, in order; of two with the same key, the other's.
    pub(crate) fn members(&mut self, map: &Extras, other: &Extras) {
        let mut map = map.iter().filter(|(key, _)| !other.contains_key(*key)).peekable();
        let mut other = other.iter().peekable();
        loop {
            let first = match (map.peek(), other.peek()) {
                (Some(a), Some(b)) => a.0 < b.0,
                (a, _) => a.is_some(),
            };
            let Some((key, value)) = (if first { map.next() } else { other.next() }) else { break };
            self.value(key, value);
        }
    }

    pub(crate) fn text(&mut self, key: &'static str, value: &str) {
        self.key(key);
        text(self.out, value);
    }

    pub(crate) fn int(&mut self, key: &'static str, value: u64) {
        self.key(key);
        int(self.out, value);
    }

    pub(crate) fn flag(&mut self, key: &'static str, value: bool) {
        self.key(key);
        self.out.push_str(if value { "true" } else { "false" });
    }

    pub(crate) fn float(&mut self, key: &'static str, value: f32) {
        self.key(key);
        float(self.out, value);
    }

    pub(crate) fn floats(&mut self, key: &'static str, values: &[f32]) {
        self.key(key);
        let mut sep = '[';
        for value in values {
            self.out.push(sep);
            float(self.out, *value);
            sep = ',';
        }
        self.close(sep);
    }

    pub(crate) fn ints(&mut self, key: &'static str, values: impl IntoIterator<Item = u32>) {
        self.key(key);
        let mut sep = '[';
        for value in values {
            self.out.push(sep);
            int(self.out, value);
            sep = ',';
        }
        self.close(sep);
    }

    pub(crate) fn texts<'t>(&mut self, key: &'static str, values: impl IntoIterator<Item = &'t str>) {
        self.key(key);
        let mut sep = '[';
        for value in values {
            self.out.push(sep);
            text(self.out, value);
            sep = ',';
        }
        self.close(sep);
    }

    fn close(&mut self, sep: char) {
        self.out.push_str(if sep == '[' { "[]" } else { "]" });
    }

    pub(crate) fn value(&mut self, key: &str, value: &Value) {
        self.any_key(key);
        put(self.out, value);
    }

    pub(crate) fn object(&mut self, key: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        object(self.out, fill);
    }

    pub(crate) fn list<T>(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(&mut Object<'_>, T),
    ) {
        self.key(key);
        let mut sep = '[';
        for item in items {
            self.out.push(sep);
            object(self.out, |o| fill(o, item));
            sep = ',';
        }
        self.close(sep);
    }

    /// A list that was written before.
    pub(crate) fn ready(&mut self, key: &'static str, list: &List) {
        if list.count > 0 {
            self.key(key);
            self.out.push_str(&list.text);
            self.out.push(']');
        }
    }
}

/// Writes an object.
pub(crate) fn object(out: &mut String, fill: impl FnOnce(&mut Object<'_>)) {
    let mut object = Object { out, empty: true };
    fill(&mut object);
    let empty = object.empty;
    out.push_str(if empty { "{}" } else { "}" });
}

/// A list of objects that grows.
#[derive(Debug, Default)]
pub(crate) struct List {
    text: String,
    pub(crate) count: u32,
}

impl List {
    /// How long its text is so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds an object and tells its index.
    pub(crate) fn push(&mut self, fill: impl FnOnce(&mut Object<'_>)) -> u32 {
        self.text.push(if self.count == 0 { '[' } else { ',' });
        object(&mut self.text, fill);
        self.count += 1;
        self.count - 1
    }
}

fn int(out: &mut String, value: impl itoa::Integer) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// The shortest decimal that reads back to the same bits. What is not finite has no place in JSON and becomes 0.
fn float(out: &mut String, value: f32) {
    let value = if value.is_finite() { value } else { 0.0 };
    if value.fract() == 0.0 && value.abs() < 1e7 && (value != 0.0 || value.is_sign_positive()) {
        int(out, value as i32);
    } else {
        out.push_str(zmij::Buffer::new().format_finite(value));
    }
}

/// Any value, as `serde_json` would write it.
fn put(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => {
            if let Some(value) = number.as_i64() {
                int(out, value);
            } else if let Some(value) = number.as_u64() {
                int(out, value);
            } else {
                out.push_str(zmij::Buffer::new().format_finite(number.as_f64().unwrap_or(0.0)));
            }
        }
        Value::String(value) => text(out, value),
        Value::Array(list) => {
            out.push('[');
            for (i, value) in list.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                put(out, value);
            }
            out.push(']');
        }
        Value::Object(map) => object(out, |o| map.iter().for_each(|(key, value)| o.value(key, value))),
    }
}

fn text(out: &mut String, text: &str) {
    out.push('"');
    let plain = |b: u8| b >= b' ' && b != b'"' && b != b'\\' && b != 0x7F;
    if text.bytes().fold(true, |all, b| all & plain(b)) {
        out.push_str(text);
    } else {
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                c if c < ' ' || c == '\u{7F}' => {
                    let _ = write!(out, "\\u{:04x}", c as u32);
                }
                c => out.push(c),
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let mut out = String::new();
        object(&mut out, |o| {
            o.value("name\n", &"\u{1}\"\\ü".into());
            o.floats("f", &[1.0, -0.0, 0.1, 1e-40, 3e38, f32::NAN, -7.0]);
            o.ints("none", []);
            o.object("empty", |_| {});
            o.list("list", [1, 2], |o, v| o.int("v", v));
        });
        let value: Value = serde_json::from_str(&out).unwrap();
        let floats = galatea_scene::read_floats(&value["f"]).unwrap();
        let bits: Vec<u32> = floats.iter().map(|f| f.to_bits()).collect();
        let want = [1.0f32, -0.0, 0.1, 1e-40, 3e38, 0.0, -7.0].map(f32::to_bits);
        assert_eq!(bits, want);
        assert_eq!(value["name\n"], "\u{1}\"\\ü");
        assert_eq!(value["list"][1]["v"], 2);
    }
}
