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

/// Escapes bytes as [`escape`] does text: what is not UTF-8 shows as `\xNN`.
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

/// Returns `true` if a name from a file can be the name of a file below a folder: no `..`, no drive, no device, no
/// control characters.
///
/// ```
/// use galatea_wire::is_safe_path;
/// assert!(is_safe_path(r"Textures\Footman.blp") && is_safe_path("/Assets/tpp/a_bsm.tga"));
/// for bad in ["../x", r"a\..\b", "C:\\x", "//server/x", "con", "a/NUL.tga", "com1.blp", "a\nb"] {
///     assert!(!is_safe_path(bad), "{bad}");
/// }
/// ```
pub fn is_safe_path(name: &str) -> bool {
    let name = name.replace('\\', "/");
    if name.starts_with("//") || name.contains(':') || name.chars().any(char::is_control) {
        return false;
    }
    name.split('/').all(|step| {
        let base = step.split('.').next().unwrap_or("").trim().to_ascii_lowercase();
        let numbered = ["com", "lpt"].iter().any(|d| {
            base.strip_prefix(d).is_some_and(|n| n.len() == 1 && n.starts_with(|c: char| c.is_ascii_digit()))
        });
        let device =
            numbered || ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"].contains(&base.as_str());
        step != ".." && step != "." && !device
    })
}

/// Undoes [`escape_bytes`]; `None` if there is an escape that it never writes.
pub(crate) fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, after) = rest.split_at_checked(at)?;
        out.extend_from_slice(before.as_bytes());
        let mut chars = after.get(1..)?.chars();
        let code = chars.next()?;
        rest = chars.as_str();
        match code {
            'n' => out.push(b'\n'),
            'r' => out.push(b'\r'),
            't' => out.push(b'\t'),
            '"' | '\\' => out.push(code as u8),
            'x' => {
                let (hex, after) = rest.split_at_checked(2)?;
                out.push(u8::from_str_radix(hex, 16).ok()?);
                rest = after;
            }
            'u' => {
                let (hex, after) = rest.strip_prefix('{')?.split_once('}')?;
                let c = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
            }
            _ => return None,
        }
    }
    out.extend_from_slice(rest.as_bytes());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        let all: Vec<u8> = (0..=255).chain("é\u{1b}\u{fffd}".bytes()).collect();
        assert_eq!(unescape(&escape_bytes(&all)), Some(all));
        for bad in ["\\", "\\q", "\\x4", "\\xzz", "\\u{110000}", "\\u{12"] {
            assert_eq!(unescape(bad), None, "{bad}");
        }
    }
}
