//! The lexer: words, numbers, strings and braces.

use std::borrow::Cow;
use std::collections::HashMap;

use galatea_text::Number;
use galatea_wire::{Error, ErrorKind, Limits, Result, escape_bytes};

use super::sidecar::Line;
use crate::Version;

/// The marker of a sidecar line.
pub(super) const CARRIED: &[u8] = b"// galatea:";

/// Maximum length of a string: that of the longest field.
const LONGEST: usize = 260;

/// Maximum length of a quotation in an error message.
const QUOTED: usize = 40;

pub(super) struct Lexer<'a> {
    src: &'a [u8],
    pos: usize,
    /// Sidecar lines that were not taken yet.
    lines: Vec<Line<'a>>,
    /// Numbers without a decimal form, by the exponent of the zero that represents them.
    pub(super) stand_ins: HashMap<u32, u32>,
    /// The version of the model, once it is known.
    pub(super) version: Version,
    budget: u64,
    /// Whether there were more sidecar lines than the budget allows.
    overrun: bool,
    blocks: u32,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(src: &'a [u8], limits: &Limits) -> Self {
        let pos = if src.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        // Lists may use up to twice their size while they grow.
        let budget = limits.budget(src.len()).saturating_mul(2);
        Lexer {
            src,
            pos,
            lines: Vec::new(),
            stand_ins: HashMap::new(),
            version: Version::default(),
            budget,
            overrun: false,
            blocks: limits.nodes,
        }
    }

    /// Returns the current position.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Goes back to an earlier position. Sidecar lines passed since then are not seen twice.
    pub(super) fn rewind(&mut self, pos: usize) {
        self.pos = pos;
        self.lines.retain(|line| line.at < pos);
    }

    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.src.get(self.pos..).unwrap_or(&[])
    }

    /// Returns the number of remaining bytes.
    pub(super) fn left(&self) -> usize {
        self.src.len().saturating_sub(self.pos)
    }

    /// Returns an error at a position.
    #[cold]
    pub(super) fn fail(&self, at: usize, what: impl Into<Cow<'static, str>>) -> Error {
        self.error(at, ErrorKind::Syntax(what.into()))
    }

    #[cold]
    pub(super) fn error(&self, at: usize, kind: ErrorKind) -> Error {
        let before = self.src.get(..at).unwrap_or(self.src);
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        // Bytes that continue a character of UTF-8 do not count.
        let column = 1 + before.iter().skip(start).filter(|b| **b & 0xC0 != 0x80).count();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Error::at_line(kind, number(line), number(column))
    }

    /// Returns the error "expected ..., found ..." at the next token.
    #[cold]
    pub(super) fn expected(&mut self, want: &str) -> Error {
        self.skip();
        let found = self.describe();
        self.fail(self.pos, format!("expected {want}, found {found}"))
    }

    /// Returns the next token, quoted.
    #[cold]
    fn describe(&self) -> String {
        let rest = self.rest();
        let end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b'{' | b'}' | b':' | b'"');
        let len = match rest.first() {
            None => return "the end of the file".to_owned(),
            Some(b'"') => {
                rest.iter().skip(1).position(|b| matches!(b, b'"' | b'\n')).map_or(rest.len(), |n| n + 2)
            }
            Some(b'{' | b'}') => 1,
            _ => rest.iter().position(end).unwrap_or(rest.len()).max(1),
        };
        let quoted = rest.get(..len.min(QUOTED)).unwrap_or(rest);
        format!(
            "`{}{}`",
            String::from_utf8_lossy(quoted).escape_debug(),
            if len > QUOTED { "..." } else { "" }
        )
    }

    /// Charges memory that is about to be allocated to the budget.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<()> {
        match self.budget.checked_sub(bytes as u64) {
            Some(left) => self.budget = left,
            None => return Err(self.error(self.pos, ErrorKind::Limit("memory"))),
        }
        Ok(())
    }

    /// Charges one more block in a list that doubles when it is full.
    pub(super) fn spend_block<T>(&mut self) -> Result<()> {
        match self.blocks.checked_sub(1) {
            Some(left) => self.blocks = left,
            None => return Err(self.error(self.pos, ErrorKind::Limit("nodes"))),
        }
        self.spend(3 * size_of::<T>())
    }

    /// Skips space, separators and comments.
    #[inline]
    pub(super) fn skip(&mut self) {
        while let Some(byte) = self.src.get(self.pos) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => self.pos += 1,
                b'/' => {
                    if !self.skip_comment() {
                        return;
                    }
                }
                0x0B | 0x0C | b';' | 0x1A => self.pos += 1,
                _ => return,
            }
        }
    }

    #[cold]
    fn skip_comment(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with(b"//") {
            let len = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            if let Some(text) = rest.get(..len).and_then(|line| line.strip_prefix(CARRIED)) {
                let mut at = self.pos + CARRIED.len();
                for part in text.split(|b| *b == b';') {
                    self.push_line(Line { text: part.trim_ascii(), at });
                    at += part.len() + 1;
                }
            }
            self.pos += len;
            return true;
        }
        if rest.starts_with(b"/*") {
            let len = rest.windows(2).skip(2).position(|w| w == b"*/").map_or(rest.len(), |n| n + 4);
            self.pos += len;
            return true;
        }
        false
    }

    fn push_line(&mut self, line: Line<'a>) {
        if line.text.is_empty() {
            return;
        }
        match self.budget.checked_sub(3 * size_of::<Line<'_>>() as u64) {
            Some(left) => {
                self.budget = left;
                self.lines.push(line);
            }
            None => self.overrun = true,
        }
    }

    /// Takes the sidecar lines passed so far.
    pub(super) fn take_lines(&mut self) -> Result<Vec<Line<'a>>> {
        if self.overrun {
            return Err(self.error(self.pos, ErrorKind::Limit("memory")));
        }
        Ok(std::mem::take(&mut self.lines))
    }

    /// Returns the next byte that is not space, a separator or part of a comment.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.src.get(self.pos).copied()
    }

    /// Takes this byte if it comes next.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let comes = self.peek() == Some(byte);
        self.pos += usize::from(comes);
        comes
    }

    /// Takes these two bytes if they come next.
    pub(super) fn eat_pair(&mut self, pair: &[u8; 2]) -> bool {
        self.skip();
        let comes = self.rest().starts_with(pair);
        self.pos += if comes { 2 } else { 0 };
        comes
    }

    /// Parses `{`.
    #[inline]
    pub(super) fn open(&mut self) -> Result<()> {
        if self.eat(b'{') { Ok(()) } else { Err(self.expected("`{`")) }
    }

    /// Takes `}` if it comes next, and returns `true` then. The end of the file is an error that names the line where the block
    /// begins.
    pub(super) fn close(&mut self, opened: usize, block: &str) -> Result<bool> {
        match self.peek() {
            Some(b'}') => {
                self.pos += 1;
                Ok(true)
            }
            Some(_) => Ok(false),
            None => {
                let line = 1 + self.src.iter().take(opened).filter(|b| **b == b'\n').count();
                Err(self
                    .fail(self.pos, format!("the file ends inside `{block}`, which begins in line {line}")))
            }
        }
    }

    /// Parses `}`.
    #[inline]
    pub(super) fn end(&mut self) -> Result<()> {
        if self.eat(b'}') { Ok(()) } else { Err(self.expected("`}`")) }
    }

    /// Parses a word: letters and digits, beginning with a letter.
    pub(super) fn word(&mut self) -> Result<&'a [u8]> {
        match self.maybe_word() {
            Some(word) => Ok(word),
            None => Err(self.expected("a word")),
        }
    }

    /// Parses a word, if one comes next.
    pub(super) fn maybe_word(&mut self) -> Option<&'a [u8]> {
        self.peek().filter(u8::is_ascii_alphabetic)?;
        let rest = self.rest();
        let len = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'_')).unwrap_or(rest.len());
        self.pos += len;
        rest.get(..len)
    }

    /// Returns the next word without taking it.
    pub(super) fn peek_word(&mut self) -> Option<&'a [u8]> {
        self.skip();
        let start = self.pos;
        let word = self.maybe_word();
        self.pos = start;
        word
    }

    /// Parses a string. Backslashes are ordinary characters; a quote after one is part of the string if another quote follows on
    /// the same line.
    pub(super) fn string(&mut self) -> Result<&'a [u8]> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a string"));
        }
        let start = self.pos + 1;
        let mut at = start;
        loop {
            match self.src.get(at) {
                Some(b'"') => {
                    let escaped = at > start && self.src.get(at - 1) == Some(&b'\\');
                    if !escaped || self.ends_string(at + 1) {
                        break;
                    }
                    at += 1;
                }
                None | Some(b'\n') => {
                    return Err(self.fail(self.pos, "the string is not closed before the end of its line"));
                }
                Some(_) => at += 1,
            }
        }
        self.pos = at + 1;
        Ok(self.src.get(start..at).unwrap_or(&[]))
    }

    fn ends_string(&self, at: usize) -> bool {
        match self.src.get(at) {
            None | Some(b',' | b'{' | b'}' | b'/') => true,
            Some(byte) if byte.is_ascii_whitespace() => {
                // Another quote on the same line: the string continues.
                let line =
                    self.src.get(at..).unwrap_or(&[]).iter().take(LONGEST).take_while(|b| **b != b'\n');
                line.filter(|b| **b == b'"').count() % 2 == 0
            }
            _ => false,
        }
    }

    /// Parses a float.
    #[inline]
    pub(super) fn float(&mut self) -> Result<f32> {
        self.skip();
        let Some(number) = Number::scan(self.rest()) else { return Err(self.expected("a number")) };
        self.pos += number.len();
        match number.zero_exponent() {
            None => Ok(number.to_f32()),
            Some(exponent) => Ok(self.stand_in(exponent).unwrap_or_else(|| number.to_f32())),
        }
    }

    #[cold]
    fn stand_in(&self, exponent: u32) -> Option<f32> {
        self.stand_ins.get(&exponent).map(|bits| f32::from_bits(*bits))
    }

    /// Parses an integer.
    #[inline]
    pub(super) fn int(&mut self) -> Result<i64> {
        self.skip();
        let rest = self.rest();
        let negative = rest.first() == Some(&b'-');
        let start = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
        let mut at = start;
        let mut value = 0i64;
        while let Some(digit) = rest.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            value = value.saturating_mul(10).saturating_add(i64::from(digit));
            at += 1;
        }
        if at == start || matches!(rest.get(at), Some(b'.' | b'e' | b'E')) {
            return self.int_with_fraction();
        }
        self.pos += at;
        Ok(if negative { -value } else { value })
    }

    /// Returns `150.000000` for 150.
    #[cold]
    fn int_with_fraction(&mut self) -> Result<i64> {
        let start = self.pos;
        let Some(number) = Number::scan(self.rest()) else { return Err(self.expected("a whole number")) };
        self.pos += number.len();
        let value = number.to_f32();
        if value.fract() != 0.0 || value.abs() > 16_777_216.0 {
            self.pos = start;
            return Err(self.expected("a whole number"));
        }
        Ok(value as i64)
    }

    /// Parses an integer from -2147483648 to 4294967295, as the 32 bits in which it is stored.
    #[inline]
    pub(super) fn bits32(&mut self) -> Result<u32> {
        self.skip();
        let start = self.pos;
        let value = self.int()?;
        match u32::try_from(value).or_else(|_| i32::try_from(value).map(|v| v as u32)) {
            Ok(bits) => Ok(bits),
            Err(_) => Err(self.fail(start, format!("{value} does not fit in 32 bits"))),
        }
    }

    /// Parses an integer in this range.
    #[inline]
    pub(super) fn small<T: TryFrom<i64>>(&mut self, most: u32) -> Result<T> {
        self.skip();
        let start = self.pos;
        let value = self.int()?;
        T::try_from(value)
            .map_err(|_| self.fail(start, format!("expected a number from 0 to {most}, found {value}")))
    }

    /// Returns `{ 1, 2, 3 }`.
    #[inline]
    pub(super) fn row<const N: usize>(&mut self) -> Result<[f32; N]> {
        self.open()?;
        let mut row = [0.0; N];
        for value in &mut row {
            *value = self.float()?;
        }
        self.end()?;
        Ok(row)
    }

    /// Returns `true` if a number comes next.
    pub(super) fn is_number(&mut self) -> bool {
        matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'+' | b'.'))
    }

    /// Parses the number of items that a block announces, if there is one.
    pub(super) fn count(&mut self) -> Result<Option<usize>> {
        if !self.is_number() {
            return Ok(None);
        }
        Ok(Some(usize::try_from(self.int()?).unwrap_or(0)))
    }

    /// Estimates how many numbers come before the next two closing braces in a row; at least one.
    pub(super) fn count_numbers(&self) -> usize {
        let mut count = 0usize;
        let mut inside = false;
        let mut closed = false;
        for byte in self.rest() {
            let number = matches!(byte, b'0'..=b'9' | b'-' | b'.' | b'+' | b'e' | b'E');
            count += usize::from(number && !inside);
            inside = number;
            match byte {
                b'}' if closed => break,
                b'}' => closed = true,
                b'{' => closed = false,
                b'0'..=b'9' => closed = false,
                b'A'..=b'D' | b'F'..=b'Z' if count > 0 => break,
                _ => {}
            }
        }
        count.max(1)
    }

    /// Skips an unknown block up to its `}`, after its `{`.
    pub(super) fn skip_block(&mut self, opened: usize, block: &str) -> Result<()> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.peek() {
                Some(b'{') => depth += 1,
                Some(b'}') => depth -= 1,
                Some(b'"') => {
                    self.string()?;
                    continue;
                }
                Some(_) => {}
                None => {
                    self.close(opened, block)?;
                }
            }
            self.pos += 1;
        }
        Ok(())
    }
}

/// Returns `true` if a word is this keyword, ignoring case.
pub(super) fn is(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}

/// Returns a word quoted for messages.
pub(super) fn quote(word: &[u8]) -> String {
    format!("`{}`", escape_bytes(word))
}
