//! URIs in glTF: data, or a file in the document's directory or below.

/// The target of a URI.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Uri {
    /// Embedded bytes.
    Data(Vec<u8>),
    /// A file, by its path relative to the document, with `/` between components.
    File(String),
}

/// Parses a URI. Absolute URIs, other schemes and paths that leave the directory are errors.
pub(crate) fn parse(uri: &str) -> Result<Uri, &'static str> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (head, body) = data.split_once(',').ok_or("a data URI without data")?;
        let bytes = if head.ends_with(";base64") { base64(body) } else { percent(body) };
        return bytes.map(Uri::Data).ok_or("a data URI that cannot be decoded");
    }
    let path = percent(uri).and_then(|b| String::from_utf8(b).ok()).ok_or("a URI that is not text")?;
    safe(&path).map(|()| Uri::File(path))
}

/// Returns `true` if a relative path stays in its directory.
fn safe(path: &str) -> Result<(), &'static str> {
    if path.is_empty() || path.starts_with(['/', '\\']) {
        return Err("an absolute path");
    }
    if path.contains(':') {
        return Err("a URI with a scheme or drive");
    }
    if path.chars().any(char::is_control) {
        return Err("a path with control characters");
    }
    if path.split(['/', '\\']).any(|step| step.trim_end_matches([' ', '.']).is_empty() && step.contains(".."))
    {
        return Err("a path that leaves the folder");
    }
    Ok(())
}

fn percent(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |b: Option<u8>| (b? as char).to_digit(16);
            let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
            out.push((high * 16 + low) as u8);
        } else {
            out.push(byte);
        }
    }
    Some(out)
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut bits) = (0u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b'\r' | b'\n' => continue,
            _ => return None,
        };
        word = word << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    Some(out)
}

/// Returns a file name as a URI.
pub(crate) fn escape(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/!$'()*+,;=@".contains(&b);
    path.bytes().map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Returns the name of an image by its path: the last component, without extension.
pub(crate) fn stem(path: &str) -> &str {
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    last.rsplit_once('.').map_or(last, |(stem, _)| if stem.is_empty() { last } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_neighbours_are_read() {
        let data = parse("data:application/octet-stream;base64,AAEC/w==").unwrap();
        assert_eq!(data, Uri::Data(vec![0, 1, 2, 255]));
        assert_eq!(parse("data:text/plain,a%20b").unwrap(), Uri::Data(b"a b".to_vec()));
        assert_eq!(parse("tex/a%20b.bin").unwrap(), Uri::File("tex/a b.bin".into()));
        assert_eq!(parse(&escape("ü b#.bin")).unwrap(), Uri::File("ü b#.bin".into()));
        assert!(parse("..a/b..c").is_ok());
    }

    #[test]
    fn ways_out_of_the_folder_are_refused() {
        let out = [
            "/etc/passwd",
            "../x",
            "a/../../x",
            "..\\x",
            "%2e%2e/x",
            "a/%2E%2E%2Fx",
            "C:\\x",
            "c:x",
            "file:///x",
            "http://host/x",
            "\\\\host\\x",
            "",
            ".. /x",
            "a\nb",
            "%00",
            "%zz",
            "...",
            "data:x",
        ];
        for uri in out {
            assert!(parse(uri).is_err(), "{uri}");
        }
    }
}
