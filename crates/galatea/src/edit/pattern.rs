//! Patterns of names: `*`, `**` and `?`, and what they stood for.

/// A pattern. `*` stands for any part of a step of a path, `**` for any part of a path, `?` for one character. Letter case does not count,
/// and `\` is the same as `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Char(char),
    /// `?`.
    One,
    /// `*`.
    Star,
    /// `**`.
    Deep,
}

/// A character as it is compared.
fn plain(c: char) -> char {
    if c == '\\' { '/' } else { c.to_lowercase().next().unwrap_or(c) }
}

/// Splits a text at its stars: what is before each, and whether it is `**`; at last what is behind them.
fn stars(text: &str) -> (Vec<(&str, bool)>, &str) {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('*') {
        out.push((before, after.starts_with('*')));
        rest = after.strip_prefix('*').unwrap_or(after);
    }
    (out, rest)
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Pattern {
        let mut tokens = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            tokens.push(match c {
                '*' if chars.next_if_eq(&'*').is_some() => Token::Deep,
                '*' => Token::Star,
                '?' => Token::One,
                c => Token::Char(plain(c)),
            });
        }
        Pattern { tokens }
    }

    /// Returns `true` if the pattern stands for one name alone.
    pub(crate) fn is_plain(&self) -> bool {
        self.tokens.iter().all(|token| matches!(token, Token::Char(_)))
    }

    pub(crate) fn fits(&self, text: &str) -> bool {
        self.captures(text).is_some()
    }

    /// Returns what the stars stand for, each as little as possible, and whether they are `**`; `None` if the text does not fit.
    fn captures(&self, text: &str) -> Option<Vec<(String, bool)>> {
        let text: Vec<char> = text.chars().collect();
        let (rows, columns) = (self.tokens.len() + 1, text.len() + 1);
        // Whether the tokens from the one fit the text from the other: the work is the product of the lengths.
        let mut fits = vec![false; rows * columns];
        let at = |fits: &[bool], t: usize, c: usize| fits.get(t * columns + c).copied().unwrap_or(false);
        for t in (0..rows).rev() {
            for c in (0..columns).rev() {
                let here = match (self.tokens.get(t), text.get(c)) {
                    (None, None) => true,
                    (Some(Token::Char(want)), Some(have)) => plain(*have) == *want && at(&fits, t + 1, c + 1),
                    (Some(Token::One), Some(have)) => plain(*have) != '/' && at(&fits, t + 1, c + 1),
                    (Some(star @ (Token::Star | Token::Deep)), have) => {
                        at(&fits, t + 1, c)
                            || have.is_some_and(|have| *star == Token::Deep || plain(*have) != '/')
                                && at(&fits, t, c + 1)
                    }
                    _ => false,
                };
                if let Some(slot) = fits.get_mut(t * columns + c) {
                    *slot = here;
                }
            }
        }
        if !at(&fits, 0, 0) {
            return None;
        }
        let mut out = Vec::new();
        let mut c = 0;
        for (t, token) in self.tokens.iter().enumerate() {
            if matches!(token, Token::Star | Token::Deep) {
                let start = c;
                while !at(&fits, t + 1, c) {
                    c += 1;
                }
                out.push((text.get(start..c).unwrap_or(&[]).iter().collect(), *token == Token::Deep));
            } else {
                c += 1;
            }
        }
        Some(out)
    }

    /// Returns `new` with each star replaced by what the star of the same kind and number stands for; `None` if the text does not fit.
    pub(super) fn replaced(&self, text: &str, new: &str) -> Option<String> {
        let captures = self.captures(text)?;
        let of_kind = |deep: bool| captures.iter().filter(move |(_, d)| *d == deep).map(|(text, _)| text);
        let (mut singles, mut deeps) = (of_kind(false), of_kind(true));
        let (parts, end) = stars(new);
        let mut out = String::new();
        for (before, deep) in parts {
            out.push_str(before);
            let next = if deep { deeps.next() } else { singles.next() };
            out.push_str(next.map_or("", String::as_str));
        }
        Some(out + end)
    }

    /// Returns `true` if a new name has no more stars of each kind than the pattern.
    pub(super) fn can_become(&self, new: &str) -> bool {
        let own = |token: Token| self.tokens.iter().filter(|t| **t == token).count();
        let (parts, _) = stars(new);
        let deep = parts.iter().filter(|(_, deep)| *deep).count();
        deep <= own(Token::Deep) && parts.len() - deep <= own(Token::Star)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_what_they_have_to() {
        for (pattern, text, new, want) in [
            ("a.blp", "A.BLP", "b.blp", Some("b.blp")),
            (r"Textures\*.blp", "textures/Stone.blp", r"mod\*.blp", Some(r"mod\Stone.blp")),
            ("*_*", "a_b_c", "*-*", Some("a-b_c")),
            ("**/x.tga", "/a/b/x.tga", "**/y.tga", Some("/a/b/y.tga")),
            ("**/*.tga", "a/b/c.tga", "/mod/*.dds", Some("/mod/c.dds")),
            ("*.tga", "a/b.tga", "x", None),
            ("a?c", "abc", "d", Some("d")),
            ("*", "", "*x", Some("x")),
            ("a*", "b", "x", None),
        ] {
            assert_eq!(Pattern::new(pattern).replaced(text, new).as_deref(), want, "{pattern} {text}");
        }
        assert!(!Pattern::new("a*").can_become("*b*") && !Pattern::new("a*").can_become("**b"));
        assert!(Pattern::new("**/a*").can_become("*b**"));
    }

    #[test]
    fn the_work_does_not_explode() {
        assert!(!Pattern::new(&format!("{}b", "*a".repeat(60))).fits(&"a".repeat(2000)));
    }
}
