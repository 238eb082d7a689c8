//! A name of a bone, group, material, slot or texture: text (2.03), or its hash (2.04).

use std::borrow::Cow;
use std::fmt;

use crate::hash::{STR_MASK, str_code64};

/// A name: text where the file has it, else its StrCode64.
///
/// Shown as text it is the text itself, or `0x` and hex digits for a hash; [`Name::parse`] reads both back.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    /// Text, as 2.03 files hold it. A 2.04 file is given its hash.
    Text(Vec<u8>),
    /// The hash of a text that the file does not hold.
    Hash(u64),
}

impl Name {
    /// The empty name, number 0 of every file.
    pub const EMPTY: Name = Name::Text(Vec::new());

    /// Reads a name as it is shown: `0x` and up to 16 hex digits is a hash, all else is text.
    ///
    /// ```
    /// use galatea_fox::Name;
    /// assert_eq!(Name::parse("0xed0636c5b26b").code(), Name::from("SKL_000_WAIST").code());
    /// ```
    pub fn parse(text: &str) -> Name {
        match text.strip_prefix("0x").filter(|h| !h.starts_with('+')).map(|h| u64::from_str_radix(h, 16)) {
            Some(Ok(hash)) => Name::Hash(hash),
            _ => Name::from(text),
        }
    }

    /// Returns its StrCode64. Text that shows a hash (`0x…`) hashes to that hash, so that unresolved names survive 2.03.
    ///
    /// ```
    /// assert_eq!(galatea_fox::Name::from("Base_Tex_SRGB").code(), 0x41EA7BE81B61);
    /// ```
    pub fn code(&self) -> u64 {
        match self {
            Name::Hash(hash) => *hash,
            Name::Text(text) => match std::str::from_utf8(text).map(Name::parse) {
                Ok(Name::Hash(hash)) => hash,
                _ => str_code64(text),
            },
        }
    }

    /// Returns the text, if it is known.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Name::Text(text) => Some(String::from_utf8_lossy(text)),
            Name::Hash(_) => None,
        }
    }

    /// Returns the bytes that a 2.03 file holds: the text, or the hash in hex.
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Name::Text(text) => Cow::Borrowed(text),
            Name::Hash(_) if self.is_empty() => Cow::Borrowed(b""),
            Name::Hash(_) => Cow::Owned(self.to_string().into_bytes()),
        }
    }

    /// Returns `true` if this is the empty name, as text or as its hash.
    pub fn is_empty(&self) -> bool {
        match self {
            Name::Text(text) => text.is_empty(),
            Name::Hash(hash) => *hash & STR_MASK == str_code64(b""),
        }
    }
}

impl Default for Name {
    fn default() -> Self {
        Name::EMPTY
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name::Text(text.as_bytes().to_vec())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Text(text) => f.write_str(&String::from_utf8_lossy(text)),
            Name::Hash(hash) => write!(f, "0x{hash:012x}"),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Text(text) => write!(f, "\"{}\"", galatea_wire::escape_bytes(text)),
            Name::Hash(hash) => write!(f, "0x{hash:012x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_hash_hashes_back_to_itself() {
        let name = Name::Hash(0x1234_5678_9ABC);
        assert_eq!(Name::parse(&name.to_string()), name);
        assert_eq!(Name::Text(name.to_bytes().into_owned()).code(), 0x1234_5678_9ABC);
        assert_eq!(Name::parse("0x+1").text().as_deref(), Some("0x+1"));
        assert_eq!(Name::parse("0x"), Name::from("0x"));
    }

    #[test]
    fn the_empty_name_is_empty_in_both_forms() {
        assert!(Name::EMPTY.is_empty());
        assert!(Name::Hash(str_code64(b"")).is_empty());
        assert_eq!(Name::Hash(str_code64(b"")).to_bytes().as_ref(), b"");
    }
}
