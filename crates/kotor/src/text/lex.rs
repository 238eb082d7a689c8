//! Lines and words of a text model.
//!
//! A line is a statement. Words are separated by blanks or tabs; `#` at the start of a word begins a comment. Line ends may
//! be LF, CRLF or CR.

use galatea_wire::{Error, ErrorKind, Result, escape_bytes};

use galatea_text::{Number, looks_numeric, parse_int};

/// The position of a word: line and column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Spot {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Spot {
    /// Returns a syntax error at this position.
    #[cold]
    pub(crate) fn syntax(self, what: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::syntax(what, self.line, self.column)
    }

    /// Returns the error of a limit that is reached at this position.
    #[cold]
    pub(crate) fn limit(self, which: &'static str) -> Error {
        Error::at_line(ErrorKind::Limit(which), self.line, self.column)
    }
}

/// A word and its position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) spot: Spot,
}

impl Word<'_> {
    /// Returns whether this is the given keyword, ignoring case.
    pub(crate) fn is(&self, keyword: &[u8]) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }
}

/// Reads a text word by word.
#[derive(Debug, Clone)]
pub(crate) struct Lex<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    /// Whether the next [`Lex::next_line`] repeats the current line.
    held: bool,
    /// Where the words of the current line begin.
    first: usize,
}

fn is_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

impl<'a> Lex<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Lex { bytes, at: start, line: 0, line_start: start, held: false, first: start }
    }

    /// Returns the current position.
    pub(crate) fn spot(&self) -> Spot {
        Spot {
            line: self.line.max(1),
            column: (self.at.saturating_sub(self.line_start) as u32).saturating_add(1),
        }
    }

    /// Makes the next [`Lex::next_line`] repeat the current line.
    pub(crate) fn hold(&mut self) {
        self.held = true;
    }

    /// Moves to the next line that has a word. Returns `false` at the end of the text.
    pub(crate) fn next_line(&mut self) -> bool {
        if std::mem::take(&mut self.held) {
            self.at = self.first;
            return self.at < self.bytes.len();
        }
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or(&[]);
            if self.line > 0 {
                let Some(end) = rest.iter().position(|b| is_end(*b)) else {
                    self.at = self.bytes.len();
                    self.first = self.at;
                    return false;
                };
                let crlf = rest.get(end..end + 2) == Some(b"\r\n");
                self.at += end + 1 + usize::from(crlf);
            } else if rest.is_empty() {
                return false;
            }
            self.line = self.line.saturating_add(1);
            self.line_start = self.at;
            self.blanks();
            match self.bytes.get(self.at) {
                Some(b'#') => {}
                Some(byte) if is_end(*byte) => {}
                Some(_) => {
                    self.first = self.at;
                    return true;
                }
                None => {
                    self.first = self.at;
                    return false;
                }
            }
        }
    }

    #[inline]
    fn blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            if *byte > b' ' || is_end(*byte) {
                break;
            }
            self.at += 1;
        }
    }

    /// Returns the next word of the line.
    #[inline]
    pub(crate) fn word(&mut self) -> Option<Word<'a>> {
        self.blanks();
        let rest = self.bytes.get(self.at..)?;
        let len = rest.iter().position(|b| *b <= b' ').unwrap_or(rest.len());
        if len == 0 || rest.first() == Some(&b'#') {
            return None;
        }
        let spot = Spot { line: self.line, column: (self.at - self.line_start) as u32 + 1 };
        self.at += len;
        Some(Word { text: rest.get(..len)?, spot })
    }

    /// Returns the next word without consuming it.
    pub(crate) fn peek(&self) -> Option<Word<'a>> {
        self.clone().word()
    }

    /// Returns whether the next word is a number.
    #[inline]
    pub(crate) fn at_number(&mut self) -> bool {
        self.blanks();
        match self.bytes.get(self.at) {
            Some(b'0'..=b'9') => true,
            None => false,
            Some(_) => self.peek().is_some_and(|w| looks_numeric(w.text)),
        }
    }

    /// Parses the next word as a number. Returns `None` and consumes nothing if it is none.
    #[inline]
    fn number(&mut self) -> Option<Number<'a>> {
        self.blanks();
        let number = Number::scan(self.bytes.get(self.at..)?)?;
        let end = self.at + number.len();
        // A word extends to the next blank.
        if self.bytes.get(end).is_some_and(|b| *b > b' ') {
            return None;
        }
        self.at = end;
        Some(number)
    }

    /// Returns the number of words left in the line.
    pub(crate) fn words_left(&self) -> usize {
        let mut ahead = self.clone();
        std::iter::from_fn(|| ahead.word()).count()
    }

    #[cold]
    fn expected(&self, what: &str, found: Option<Word<'_>>) -> Error {
        match found {
            Some(word) => {
                let shown = word.text.get(..40).unwrap_or(word.text);
                word.spot.syntax(format!("expected {what}, found `{}`", escape_bytes(shown)))
            }
            None => self.spot().syntax(format!("expected {what}, found the end of the line")),
        }
    }

    /// Returns the next word, or fails if there is none.
    pub(crate) fn need(&mut self, what: &str) -> Result<Word<'a>> {
        self.word().ok_or_else(|| self.expected(what, None))
    }

    /// Parses a number.
    #[inline]
    pub(crate) fn f32(&mut self) -> Result<f32> {
        match self.number() {
            Some(number) => Ok(number.to_f32()),
            None => {
                let word = self.word();
                Err(self.expected("a number", word))
            }
        }
    }

    /// Parses a number in double precision.
    #[inline]
    pub(crate) fn f64(&mut self) -> Result<f64> {
        match self.number() {
            Some(number) => Ok(number.to_f64()),
            None => {
                let word = self.word();
                Err(self.expected("a number", word))
            }
        }
    }

    /// Parses `N` numbers.
    #[inline]
    pub(crate) fn floats<const N: usize>(&mut self) -> Result<[f32; N]> {
        let mut out = [0.0; N];
        for slot in &mut out {
            *slot = self.f32()?;
        }
        Ok(out)
    }

    /// Parses an integer within bounds.
    #[inline]
    pub(crate) fn int(&mut self, low: i64, high: i64) -> Result<i64> {
        let word = self.word();
        match word.and_then(|w| parse_int(w.text, low, high)) {
            Some(v) => Ok(v),
            None => Err(self.expected(&format!("a whole number from {low} to {high}"), word)),
        }
    }

    /// Parses a 32-bit integer. Negative numbers wrap around, as tools write them.
    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.int(i64::from(i32::MIN), i64::from(u32::MAX)).map(|v| v as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_way_and_comments_vanish() {
        let mut lex = Lex::new(b"# hello\r\n\r\na b\tc # d\re#f\n  #g\n h");
        let mut lines = Vec::new();
        while lex.next_line() {
            let words: Vec<String> = std::iter::from_fn(|| lex.word())
                .map(|w| String::from_utf8_lossy(w.text).into_owned())
                .collect();
            lines.push((lex.spot().line, words.join(" ")));
        }
        assert_eq!(lines, [(3, "a b c".into()), (4, "e#f".into()), (6, "h".into())]);
    }

    #[test]
    fn errors_name_the_word_and_its_place() {
        let mut lex = Lex::new(b"\n  position 1.0 up 2.0");
        assert!(lex.next_line());
        lex.word();
        let error = lex.floats::<3>().unwrap_err();
        assert_eq!(error.to_string(), "line 2, column 16: expected a number, found `up`");
    }

    #[test]
    fn a_held_line_comes_again() {
        let mut lex = Lex::new(b"a b\nc");
        assert!(lex.next_line());
        lex.word();
        lex.hold();
        assert!(lex.next_line());
        assert_eq!(lex.word().unwrap().text, b"a");
        assert!(lex.next_line());
        assert_eq!(lex.word().unwrap().text, b"c");
        assert!(!lex.next_line());
        assert!(!lex.next_line());
    }
}
