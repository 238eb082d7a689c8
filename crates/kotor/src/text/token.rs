//! Words that every tool can read: keywords in lower case, names without blanks.

/// A keyword in lower case, cut to a length beyond any keyword.
pub(crate) struct Keyword([u8; 40], usize);

impl Keyword {
    pub(crate) fn of(word: &[u8]) -> Keyword {
        let mut lower = [0; 40];
        let len = word.len().min(40);
        for (to, from) in lower.iter_mut().zip(word) {
            *to = from.to_ascii_lowercase();
        }
        Keyword(lower, len)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.get(..self.1).unwrap_or(&[])
    }
}

/// Returns a name as a single word that no tool misreads.
pub(crate) fn token(name: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> =
        name.iter().map(|b| if *b <= b' ' || *b == b'#' || *b == 0x7F { b'_' } else { *b }).collect();
    if out.is_empty() {
        out.push(b'_');
    }
    if out.eq_ignore_ascii_case(b"null") || matches!(out.as_slice(), b"{" | b"}") {
        out.push(b'_');
    }
    if out.starts_with(b"2081__") {
        out.insert(0, b'_');
    }
    out
}
