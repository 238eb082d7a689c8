//! JSON text written front to back, without building it in memory first.

use galatea_scene::{Extras, Value};
use galatea_text::{Notation, push_f32, push_f64, push_int};

/// An object being written. Every member has a comma after it, until the end takes the place of the last.
pub(crate) struct Object<'a> {
    out: &'a mut Vec<u8>,
}

impl Object<'_> {
    /// Appends a key that needs no escaping.
    #[inline(always)]
    fn key(&mut self, key: &'static str) {
        self.out.reserve(key.len() + 3);
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Ends a member.
    #[inline(always)]
    fn end(&mut self) {
        self.out.push(b',');
    }

    /// Appends a number under any key.
    pub(crate) fn int_of(&mut self, key: &str, value: u32) {
        push_key(self.out, key);
        push_int(self.out, value);
        self.end();
    }

    /// Appends the members of a map.
    pub(crate) fn members(&mut self, map: &Extras) {
        map.iter().for_each(|(key, value)| self.value(key, value));
    }

    /// Appends the members of a map whose keys `skip` does not match.
    pub(crate) fn members_except(&mut self, map: &Extras, skip: impl Fn(&str) -> bool) {
        map.iter().filter(|(key, _)| !skip(key)).for_each(|(key, value)| self.value(key, value));
    }

    #[inline]
    pub(crate) fn text(&mut self, key: &'static str, value: &str) {
        self.key(key);
        push_string(self.out, value);
        self.end();
    }

    #[inline]
    pub(crate) fn int(&mut self, key: &'static str, value: u64) {
        self.key(key);
        push_int(self.out, value);
        self.end();
    }

    pub(crate) fn flag(&mut self, key: &'static str, value: bool) {
        self.key(key);
        self.out.extend_from_slice(if value { b"true," } else { b"false," });
    }

    pub(crate) fn float(&mut self, key: &'static str, value: f32) {
        self.key(key);
        push_float(self.out, value);
        self.end();
    }

    pub(crate) fn floats(&mut self, key: &'static str, values: &[f32]) {
        self.key(key);
        push_floats(self.out, values);
        self.end();
    }

    /// Appends numbers that must come back bit for bit, NaN and infinity included.
    pub(crate) fn exact_floats(&mut self, key: &'static str, values: &[f32]) {
        self.key(key);
        push_exact_floats(self.out, values);
        self.end();
    }

    pub(crate) fn ints(&mut self, key: &'static str, values: impl IntoIterator<Item = u32>) {
        self.each(key, values, push_int);
    }

    pub(crate) fn texts<'t>(&mut self, key: &'static str, values: impl IntoIterator<Item = &'t str>) {
        self.each(key, values, push_string);
    }

    /// Appends a list whose items `push` appends.
    pub(crate) fn each<T>(
        &mut self,
        key: &'static str,
        values: impl IntoIterator<Item = T>,
        push: impl FnMut(&mut Vec<u8>, T),
    ) {
        self.key(key);
        push_list(self.out, values, push);
        self.end();
    }

    pub(crate) fn value(&mut self, key: &str, value: &Value) {
        push_key(self.out, key);
        push_value(self.out, value);
        self.end();
    }

    pub(crate) fn object(&mut self, key: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        push_object(self.out, fill);
        self.end();
    }

    pub(crate) fn list<T>(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(&mut Object<'_>, T),
    ) {
        self.each(key, items, |out, item| push_object(out, |o| fill(o, item)));
    }

    /// Appends a finished list, unless it is empty.
    pub(crate) fn ready(&mut self, key: &'static str, list: &List) {
        if list.count > 0 {
            self.key(key);
            self.out.extend_from_slice(&list.text);
            close(self.out, b'[', b']');
            self.end();
        }
    }
}

/// Appends JSON text as it is.
#[inline(always)]
pub(crate) fn push_literal(out: &mut Vec<u8>, text: &'static str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends the shortest decimal of a number. Integers of up to seven digits have no point.
pub(crate) fn push_float(out: &mut Vec<u8>, value: f32) {
    let whole = value as i32;
    // Minus zero is no integer.
    if (whole as f32).to_bits() == value.to_bits() && whole.unsigned_abs() < 10_000_000 {
        push_int(out, whole);
    } else {
        push_f32(out, value, Notation::Json);
    }
}

/// Appends a list of numbers.
pub(crate) fn push_floats(out: &mut Vec<u8>, values: &[f32]) {
    push_list(out, values, |out, value| push_float(out, *value));
}

/// Appends what [`push_value`] appends for [`floats`](galatea_scene::floats) of these, without building the value.
fn push_exact_floats(out: &mut Vec<u8>, values: &[f32]) {
    if values.iter().all(|v| v.is_finite()) {
        push_list(out, values, |out, value| push_f32(out, *value, Notation::Json));
    } else {
        push_value(out, &galatea_scene::floats(values));
    }
}

/// Appends a text in quotation marks.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    let is_escaped = |byte: u8| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x7F);
    out.push(b'"');
    // Without an early exit, the compiler compares many bytes at once.
    if text.bytes().fold(false, |any, byte| any | is_escaped(byte)) {
        for byte in text.bytes() {
            match byte {
                b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
                control if is_escaped(byte) => out.extend_from_slice(format!("\\u{control:04x}").as_bytes()),
                plain => out.push(plain),
            }
        }
    } else {
        out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
}

/// Appends a key and its colon.
fn push_key(out: &mut Vec<u8>, key: &str) {
    push_string(out, key);
    out.push(b':');
}

/// Appends any value. NaN and infinity, which JSON does not have, become 0.
pub(crate) fn push_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => push_literal(out, "null"),
        Value::Bool(true) => push_literal(out, "true"),
        Value::Bool(false) => push_literal(out, "false"),
        Value::Int(value) => push_int(out, *value),
        Value::Float(value) if f64::from(*value as f32).to_bits() == value.to_bits() => {
            push_f32(out, *value as f32, Notation::Json);
        }
        Value::Float(value) => push_f64(out, *value),
        Value::String(value) => push_string(out, value),
        Value::Array(list) => push_list(out, list, push_value),
        Value::Object(map) => push_object(out, |o| o.members(map)),
    }
}

/// Returns a value as JSON, for messages.
pub(crate) fn print(value: &Value) -> String {
    let mut out = Vec::new();
    push_value(&mut out, value);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends a list whose items `push` appends.
#[inline]
fn push_list<T>(
    out: &mut Vec<u8>,
    values: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for value in values {
        push(out, value);
        out.push(b',');
    }
    close(out, b'[', b']');
}

/// Appends an object whose members `fill` appends.
#[inline]
pub(crate) fn push_object(out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    fill(&mut Object { out });
    close(out, b'{', b'}');
}

/// Ends a list or an object whose every item has a comma after it.
#[inline]
fn close(out: &mut Vec<u8>, open: u8, close: u8) {
    match out.last_mut() {
        Some(last) if *last != open => *last = close,
        _ => out.push(close),
    }
}

/// A list of objects that grows.
#[derive(Debug, Default)]
pub(crate) struct List {
    text: Vec<u8>,
    pub(crate) count: u32,
}

impl List {
    /// Returns an empty list with space for a text of this many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        List { text: Vec::with_capacity(bytes), count: 0 }
    }

    /// Returns the length of the text so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Appends an object and returns its index.
    #[inline]
    pub(crate) fn push(&mut self, fill: impl FnOnce(&mut Object<'_>)) -> u32 {
        self.push_text(|out| push_object(out, fill))
    }

    /// Appends an item whose text `push` appends, and returns its index.
    #[inline]
    pub(crate) fn push_text(&mut self, push: impl FnOnce(&mut Vec<u8>)) -> u32 {
        if self.count == 0 {
            self.text.reserve(1 << 12);
            self.text.push(b'[');
        }
        push(&mut self.text);
        self.text.push(b',');
        self.count += 1;
        self.count - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        push(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut out = Vec::new();
        push_object(&mut out, |o| {
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

    #[test]
    fn strings_come_back_and_control_characters_are_escaped() {
        for code in (0..0x500).chain([0x2028, 0xFFFF, 0x1F600]) {
            let Some(letter) = char::from_u32(code) else { continue };
            for (before, after) in [("", ""), ("x", ""), ("", "tail"), ("head", "tail"), ("\"", "\\\n")] {
                let was = format!("{before}{letter}{after}");
                let out = text(|out| push_string(out, &was));
                assert!(out.bytes().all(|b| b >= b' ' && b != 0x7F), "{code:x}");
                assert_eq!(serde_json::from_str::<String>(&out).unwrap(), was);
            }
        }
        assert_eq!(text(|out| push_string(out, "a\"b\\c\n\u{7f}")), r#""a\"b\\c\u000a\u007f""#);
        assert_eq!(text(|out| push_key(out, "a\"")), r#""a\"":"#);
    }

    #[test]
    fn numbers_are_short_and_seven_digits_need_no_point() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0.0"),
            (-12.0, "-12"),
            (9_999_999.0, "9999999"),
            (1e7, "10000000.0"),
            (0.1, "0.1"),
            (3e38, "3e+38"),
            (f32::NAN, "0.0"),
            (f32::NEG_INFINITY, "0.0"),
        ] {
            assert_eq!(text(|out| push_float(out, value)), expected);
        }
    }

    #[test]
    fn values_print_as_json() {
        let json = r#"{"z":[1,-2,0.5,1.0,1e+300,null,true,false],"a":{"ü\"":"\u0001"},"":[[],{}]}"#;
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(text(|out| push_value(out, &value)), json);
        assert_eq!(text(|out| push_value(out, &Value::Float(f64::NAN))), "0.0");
        // A number of 32 bits is printed as one.
        assert_eq!(text(|out| push_value(out, &Value::Float(0.1f32.into()))), "0.1");
        assert_eq!(text(|out| push_value(out, &Value::Float(0.1))), "0.1");
        assert_eq!(text(|out| push_value(out, &Value::Float(1.0 / 3.0))), "0.3333333333333333");
    }

    #[test]
    fn exact_floats_are_those_of_values() {
        for values in [&[][..], &[0.0], &[1.0, -0.0, 0.1, 1e-40, 3e38], &[1.0, f32::NAN], &[f32::INFINITY; 9]]
        {
            let as_value = text(|out| push_value(out, &galatea_scene::floats(values)));
            assert_eq!(text(|out| push_exact_floats(out, values)), as_value);
        }
    }
}
