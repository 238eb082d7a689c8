//! Sidecar lines, `// galatea: ...`: what MDL cannot express, kept in comments.
//!
//! A line is above the block it belongs to, or inside it. It applies only as far as it does not contradict the plain text:
//! everything that MDL can express is taken from the plain text.
//!
//! `for CHECKSUM` precedes the lines of a block that has a name, or at least a string. They are void if the keyword or the name
//! of the block has changed, as when a block was deleted or moved and its lines were not. The checksum covers no more than
//! that: each line has a condition on the fields it belongs to, so that an edit voids what it contradicts and nothing else.
//! Without `for`, as in texts of earlier versions and in blocks without any string, lines apply to the block that follows.

use galatea_scene::unhex;
use galatea_wire::{Error, Result, StableHash};

use super::lex::Lexer;

/// One sidecar statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The text after `// galatea:`.
    pub(super) text: &'a [u8],
    /// Its position.
    pub(super) at: usize,
}

impl<'a> Line<'a> {
    /// Returns its first word.
    pub(super) fn key(&self) -> &'a [u8] {
        self.words().next().unwrap_or(&[])
    }

    /// Returns its words.
    pub(super) fn words(&self) -> impl Iterator<Item = &'a [u8]> {
        self.text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty())
    }

    /// Returns its words after the key.
    pub(super) fn values(&self) -> impl Iterator<Item = &'a [u8]> {
        self.words().skip(1)
    }

    /// Returns the word after the key.
    pub(super) fn value(&self) -> &'a [u8] {
        self.values().next().unwrap_or(&[])
    }

    /// Returns `true` if this is `for` with the checksum of another block.
    pub(super) fn voids(&self, lex: &Lexer<'_>, guard: Option<u32>) -> Result<bool> {
        Ok(Some(self.number(lex)?) != guard)
    }

    /// Returns the line without its first `n` words.
    pub(super) fn after(&self, n: usize) -> Line<'a> {
        let mut text = self.text;
        for _ in 0..n {
            text = text.trim_ascii_start();
            let len = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
            text = text.get(len..).unwrap_or(&[]);
        }
        Line { text: text.trim_ascii(), at: self.at }
    }

    /// Returns the one number after the key.
    pub(super) fn number(&self, lex: &Lexer<'_>) -> Result<u32> {
        number(self.value()).ok_or_else(|| self.wrong(lex))
    }

    /// Returns all numbers after the key; `3*7` is seven threes.
    pub(super) fn numbers(&self, lex: &mut Lexer<'_>) -> Result<Vec<u32>> {
        let mut out = Vec::new();
        for word in self.values() {
            let mut parts = word.split(|b| *b == b'*');
            let value = parts.next().and_then(number).ok_or_else(|| self.wrong(lex))?;
            let times = match parts.next() {
                None => 1,
                Some(times) => number(times).ok_or_else(|| self.wrong(lex))?,
            };
            lex.spend(2 * 4 * times as usize)?;
            out.extend(std::iter::repeat_n(value, times as usize));
        }
        Ok(out)
    }

    /// Returns the bytes after the key, in hexadecimal digits.
    pub(super) fn hex(&self, lex: &mut Lexer<'_>) -> Result<Vec<u8>> {
        lex.spend(self.text.len())?;
        bytes_of(self.value()).ok_or_else(|| self.wrong(lex))
    }

    /// Returns the error for a line that is not understood.
    #[cold]
    pub(super) fn wrong(&self, lex: &Lexer<'_>) -> Error {
        let text =
            String::from_utf8_lossy(self.text.get(..60).unwrap_or(self.text)).escape_debug().to_string();
        lex.fail(self.at, format!("invalid `// galatea:` line: `{text}`"))
    }

    /// Applies `bytes WORD 12:00ff 40:31`: bytes of a fixed string that the plain text cannot show.
    pub(super) fn patch(&self, lex: &Lexer<'_>, raw: &mut [u8]) -> Result<()> {
        let plain = raw.iter().position(|b| *b == 0).unwrap_or(raw.len());
        for word in self.values().skip(1) {
            let mut parts = word.splitn(2, |b| *b == b':');
            let at = parts.next().and_then(number).ok_or_else(|| self.wrong(lex))? as usize;
            let bytes = parts.next().and_then(bytes_of).ok_or_else(|| self.wrong(lex))?;
            for (place, byte) in (at..).zip(bytes) {
                let Some(slot) = raw.get_mut(place) else { return Err(self.wrong(lex)) };
                // Bytes of the visible part apply only if the text shows the character that represents them.
                let fits = if place < plain { byte != 0 && *slot == shown(byte) } else { place > plain };
                if fits {
                    *slot = byte;
                }
            }
        }
        Ok(())
    }
}

/// Returns the character that represents a byte in the plain text.
pub(super) fn shown(byte: u8) -> u8 {
    match byte {
        b'"' => b'\'',
        b'\n' | b'\r' => b' ',
        byte => byte,
    }
}

/// Returns the checksum that ties lines to a block: of its keyword and its name, as the plain text shows them.
pub(super) fn guard_of(word: &str, name: &[u8]) -> u32 {
    let name: Vec<u8> = name.iter().take_while(|b| **b != 0).map(|b| shown(*b)).collect();
    StableHash::new().bytes(word.as_bytes()).bytes(&name).folded()
}

/// Returns the patch that turns the plain text of a fixed string into its raw bytes; empty if they are the same.
pub(super) fn patch_of(raw: &[u8]) -> String {
    use std::fmt::Write;
    let plain = raw.iter().position(|b| *b == 0).unwrap_or(raw.len());
    let mut out = String::new();
    let mut last = None;
    for (place, byte) in raw.iter().enumerate() {
        let implied = if place < plain { shown(*byte) } else { 0 };
        if implied == *byte {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = if last == place.checked_sub(1) && last.is_some() {
            write!(out, "{byte:02x}")
        } else {
            write!(out, " {place}:{byte:02x}")
        };
        last = Some(place);
    }
    out
}

/// Prints numbers for a line, repetitions as `3*7`.
pub(super) fn numbers_of(values: &[u32]) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for run in values.chunk_by(|a, b| a == b) {
        let Some(value) = run.first() else { continue };
        let _ = match run.len() {
            1 => write!(out, " {value}"),
            times => write!(out, " {value}*{times}"),
        };
    }
    out
}

fn number(word: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(word).ok()?;
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok().or_else(|| text.parse::<i32>().ok().map(|v| v as u32)),
    }
}

fn bytes_of(digits: &[u8]) -> Option<Vec<u8>> {
    unhex(std::str::from_utf8(digits).ok()?)
}

#[cfg(test)]
mod tests {
    use galatea_scene::hex;
    use galatea_wire::Limits;

    use super::*;

    fn line(text: &str) -> Line<'_> {
        Line { text: text.as_bytes(), at: 0 }
    }

    #[test]
    fn a_patch_restores_what_a_string_cannot_show() {
        let lex = Lexer::new(b"", &Limits::default());
        let raw = *b"a\"b\nc\0\0junk\0\0";
        let patch = format!("bytes Image{}", patch_of(&raw));
        assert_eq!(patch, "bytes Image 1:22 3:0a 7:6a756e6b");
        let mut back = *b"a'b c\0\0\0\0\0\0\0\0";
        line(&patch).patch(&lex, &mut back).unwrap();
        assert_eq!(back, raw);
    }

    #[test]
    fn a_patch_gives_way_to_an_edited_string() {
        let lex = Lexer::new(b"", &Limits::default());
        let mut edited = *b"axb c and so\0";
        line("bytes Image 1:22 3:0a 7:6a756e6b").patch(&lex, &mut edited).unwrap();
        assert_eq!(&edited, b"axb\nc and so\0");
    }

    #[test]
    fn repeats_are_written_once() {
        let mut lex = Lexer::new(b"", &Limits::default());
        let text = format!("faces{}", numbers_of(&[3, 3, 3, 4, 9, 9]));
        assert_eq!(text, "faces 3*3 4 9*2");
        assert_eq!(line(&text).numbers(&mut lex).unwrap(), [3, 3, 3, 4, 9, 9]);
        assert!(line("faces 1*4294967295").numbers(&mut lex).is_err());
    }

    #[test]
    fn bytes_survive_as_hexadecimal_digits() {
        let mut lex = Lexer::new(b"", &Limits::default());
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(line(&format!("extra {}", hex(&bytes))).hex(&mut lex).unwrap(), bytes);
        assert!(line("extra 0").hex(&mut lex).is_err() && line("extra 0g").hex(&mut lex).is_err());
    }
}
