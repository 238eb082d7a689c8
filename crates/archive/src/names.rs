//! Names of entries: how bytes become text and back, and how they are compared.

use crate::Archive;

/// Returns bytes as text, each byte as the character of that number, so that any name comes back as it was.
pub(crate) fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|b| char::from(*b)).collect()
}

/// Returns text as bytes, each character as the byte of that number; `None` if it has others.
pub(crate) fn to_latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// Returns `true` if two names mean the same entry: letter case is ignored, `\` is `/`, and so are slashes at the start.
///
/// ```
/// use galatea_archive::same_name;
/// assert!(same_name(r"Units\Footman.mdx", "units/footman.MDX"));
/// assert!(same_name("/Assets/a.fmdl", "Assets/a.fmdl"));
/// assert!(!same_name("a.mdl", "b.mdl"));
/// ```
pub fn same_name(a: &str, b: &str) -> bool {
    let plain = |name: &str| -> Vec<u8> {
        let name = name.trim_start_matches(['/', '\\']);
        name.bytes().map(|b| if b == b'\\' { b'/' } else { b.to_ascii_lowercase() }).collect()
    };
    plain(a) == plain(b)
}

/// Returns the index of the first entry of this name.
pub fn find_name(archive: &dyn Archive, name: &str) -> Option<usize> {
    archive.find(name)
}
