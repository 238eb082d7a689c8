//! Names from files are data: control characters never reach the terminal raw.

use std::fmt::Write;

/// Escapes control characters, backslashes and quotes, so that any name is safe to print on one line.
///
/// ```
/// assert_eq!(galatea_wire::escape("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
/// ```
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// [`escape`] for bytes: what is not UTF-8 shows as `\xNN`.
///
/// ```
/// assert_eq!(galatea_wire::escape_bytes(b"caf\xE9"), "caf\\xe9");
/// ```
pub fn escape_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(&escape(chunk.valid()));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}
