//! The sidecar: what the text form cannot express, stored in comment lines after the text, which other tools skip.
//!
//! ```text
//! #! GALATEA 1
//! #! A 8C0F3A5D11E2B497             the following records belong to this animation
//! #! N 51E0A7734AD1C08B             ... to this node, identified by a checksum of its name in the text
//! #! F NORM = 0F3A5D11E2B4978C 6    six words of a field, with a checksum of the text lines it depends on
//! #! + 3F800000000000003F800000000000000000000000000000
//! ```
//! `=` is a whole field. `~` is a list of pairs (index, word) that replace some of its words. `*` is a list of triples
//! (index, word in the text, actual word). A record whose checksum (or whose word in the text) no longer matches the text
//! is dropped: an edit of the text always wins.

use std::collections::HashMap;

use super::encode::{Field, Kind};
use galatea_wire::StableHash;

/// First line of the sidecar.
pub(crate) const OPENING: &[u8] = b"#! GALATEA 1";
/// Words per line, so that lines stay below 4,000 characters.
const WORDS_PER_LINE: usize = 480;

/// A record of a sidecar, not decoded yet.
#[derive(Debug)]
struct Record<'a> {
    tag: &'a [u8],
    how: u8,
    guard: u64,
    count: usize,
    lines: Vec<&'a [u8]>,
}

/// What a record belongs to: animation (0 for the model itself) and node (0 for none).
type Scope = (u64, u64);

/// The records of a sidecar.
#[derive(Debug, Default)]
pub(crate) struct Records<'a> {
    by_scope: HashMap<Scope, Vec<Record<'a>>>,
    /// Records that were dropped because the text they depend on has been edited.
    pub(crate) dropped: usize,
}

fn hex(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 {
        return None;
    }
    text.iter().try_fold(0u64, |n, c| Some(n << 4 | u64::from((*c as char).to_digit(16)?)))
}

/// Returns where the sidecar begins.
fn opening(text: &[u8]) -> Option<usize> {
    // Searched from the end: a sidecar is nearly as long as the text before it.
    let (first, _) = OPENING.split_first()?;
    let mut end = text.len();
    loop {
        let at = text.get(..end)?.iter().rposition(|b| b == first)?;
        let line_start = at == 0 || text.get(at - 1).is_some_and(|b| *b == b'\n' || *b == b'\r');
        if line_start && text.get(at..)?.starts_with(OPENING) {
            return Some(at);
        }
        // Any line that is not part of a sidecar ends the search.
        if line_start && !text.get(at..)?.starts_with(b"#!") {
            return None;
        }
        end = at;
    }
}

impl<'a> Records<'a> {
    /// Splits a file into the text proper and the records of its sidecar.
    pub(crate) fn split(text: &'a [u8]) -> (&'a [u8], Records<'a>) {
        let Some(at) = opening(text) else { return (text, Records::default()) };
        let (plain, data) = text.split_at(at);
        let mut records = Records::default();
        let mut scope = (0, 0);
        for line in data.split(|b| *b == b'\n' || *b == b'\r').skip(1) {
            let Some(rest) = line.strip_prefix(b"#! ") else { continue };
            let mut words = rest.split(|b| *b == b' ').filter(|w| !w.is_empty());
            let (kind, first) = (words.next(), words.next());
            match (kind, first) {
                (Some(b"A"), Some(key)) => scope = (hex(key).unwrap_or(u64::MAX), 0),
                (Some(b"N"), Some(key)) => scope.1 = hex(key).unwrap_or(u64::MAX),
                (Some(b"M"), _) => scope = (0, 0),
                (Some(b"+"), Some(data)) => {
                    if let Some(record) = records.by_scope.get_mut(&scope).and_then(|l| l.last_mut()) {
                        record.lines.push(data);
                    }
                }
                (Some(b"F"), Some(tag)) => {
                    let how = words.next().and_then(|w| w.first()).copied();
                    let guard = words.next().and_then(hex);
                    let count = words.next().and_then(|w| galatea_text::parse_int(w, 0, i64::from(u32::MAX)));
                    if let (Some(how), Some(guard), Some(count)) = (how, guard, count) {
                        let record = Record { tag, how, guard, count: count as usize, lines: Vec::new() };
                        records.by_scope.entry(scope).or_default().push(record);
                    }
                }
                _ => {}
            }
        }
        (plain, records)
    }
}

impl Record<'_> {
    /// Returns the words; `None` if there are not as many as the record declares.
    fn words(&self) -> Option<Vec<u32>> {
        let found: usize = self.lines.iter().map(|l| l.len() / 8).sum();
        if found != self.count {
            return None;
        }
        let mut words = Vec::with_capacity(found);
        for line in &self.lines {
            for digits in line.chunks_exact(8) {
                let word = parse_word(digits)?;
                words.push(word);
            }
        }
        Some(words)
    }
}

/// One pass over the fields of a document: restores them from a sidecar, or records them into one.
#[derive(Debug)]
pub(crate) enum Sidecar<'a> {
    /// Reading: the records of the sidecar, and the current scope.
    Restore(Records<'a>, Scope),
    /// Writing.
    Record(Recorder),
}

/// The lines of a sidecar under construction.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) out: Vec<u8>,
    scope: Scope,
    /// Scope of the last record written.
    written: Scope,
    /// Buffers of [`Recorder::record`].
    plain: Vec<u32>,
    actual: Vec<u32>,
}

/// The part of the text that a record depends on: if it has been edited, the record is dropped.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Guard {
    /// The lines of the field itself.
    Own,
    /// Lines with this checksum.
    Lines(u64),
}

impl<'a> Sidecar<'a> {
    pub(crate) fn recorder() -> Sidecar<'a> {
        Sidecar::Record(Recorder::default())
    }

    /// Sets the scope of the following fields.
    pub(crate) fn enter(&mut self, animation: u64, node: u64) {
        match self {
            Sidecar::Restore(_, scope) => *scope = (animation, node),
            Sidecar::Record(recorder) => recorder.scope = (animation, node),
        }
    }

    /// Restores one field of `draft`, or, given the `real` document, records the field where `draft` differs. Returns
    /// whether the field is known to have its real value now.
    pub(crate) fn field<T>(
        &mut self,
        draft: &mut T,
        real: Option<&T>,
        field: &Field<T>,
        guard: Guard,
    ) -> bool {
        match self {
            Sidecar::Restore(records, scope) => restore(records, *scope, draft, field, guard),
            Sidecar::Record(recorder) => {
                let Some(real) = real else { return false };
                recorder.record(draft, real, field, guard);
                true
            }
        }
    }
}

fn own_guard(words: &[u32]) -> u64 {
    StableHash::new().words(words.iter().copied()).finish()
}

fn restore<T>(
    records: &mut Records<'_>,
    scope: Scope,
    draft: &mut T,
    field: &Field<T>,
    guard: Guard,
) -> bool {
    let found = records.by_scope.get(&scope).and_then(|l| l.iter().find(|r| r.tag == field.tag.as_bytes()));
    let Some(record) = found else { return false };
    let done = apply(record, draft, field, guard).is_some();
    records.dropped += usize::from(!done);
    done
}

fn apply<T>(record: &Record<'_>, draft: &mut T, field: &Field<T>, guard: Guard) -> Option<()> {
    let mut now = Vec::new();
    // Fields without a text form depend on their guard alone.
    if field.kind != Kind::Silent || record.how != b'=' {
        (field.get)(draft, &mut now);
    }
    let expected = match guard {
        // Scalars are compared one by one.
        Guard::Own if record.how == b'*' => 0,
        Guard::Own => own_guard(&now),
        Guard::Lines(sum) => sum,
    };
    if expected != record.guard {
        return None;
    }
    let words = record.words()?;
    match record.how {
        b'=' => return (field.set)(draft, &words),
        b'~' => {
            for pair in words.chunks_exact(2) {
                if let [index, word] = pair {
                    *now.get_mut(*index as usize)? = *word;
                }
            }
        }
        b'*' => {
            for triple in words.chunks_exact(3) {
                if let [index, plain, actual] = triple
                    && let Some(slot) = now.get_mut(*index as usize)
                    && *slot == *plain
                {
                    *slot = *actual;
                }
            }
        }
        _ => return None,
    }
    (field.set)(draft, &now)
}

impl Recorder {
    fn record<T>(&mut self, draft: &mut T, real: &T, field: &Field<T>, guard: Guard) {
        let (mut plain, mut actual) = (std::mem::take(&mut self.plain), std::mem::take(&mut self.actual));
        plain.clear();
        actual.clear();
        (field.get)(real, &mut actual);
        if field.kind != Kind::Silent {
            (field.get)(draft, &mut plain);
        }
        if field.kind == Kind::Silent || plain != actual {
            self.differing(draft, field, guard, &plain, &actual);
        }
        (self.plain, self.actual) = (plain, actual);
    }

    fn differing<T>(&mut self, draft: &mut T, field: &Field<T>, guard: Guard, plain: &[u32], actual: &[u32]) {
        let sum = match guard {
            Guard::Own => own_guard(plain),
            Guard::Lines(sum) => sum,
        };
        let differ = || plain.iter().zip(actual).enumerate().filter(|(_, (a, b))| a != b);
        let same_length = plain.len() == actual.len();
        if field.kind == Kind::Silent {
            // No other field depends on one without a text form, so the draft does not need it.
            return self.push(field.tag, b'=', sum, actual);
        }
        if field.kind == Kind::Scalars && same_length {
            let triples: Vec<u32> = differ().flat_map(|(i, (a, b))| [i as u32, *a, *b]).collect();
            self.push(field.tag, b'*', if matches!(guard, Guard::Own) { 0 } else { sum }, &triples);
        } else if field.kind == Kind::Whole && same_length && differ().count() * 2 < actual.len() {
            let pairs: Vec<u32> = differ().flat_map(|(i, (_, b))| [i as u32, *b]).collect();
            self.push(field.tag, b'~', sum, &pairs);
        } else {
            self.push(field.tag, b'=', sum, actual);
        }
        let set = (field.set)(draft, actual);
        debug_assert!(set.is_some(), "{} rejects its own words", field.tag);
    }

    fn push(&mut self, tag: &str, how: u8, guard: u64, words: &[u32]) {
        let (out, scope, written) = (&mut self.out, self.scope, &mut self.written);
        if scope.0 != written.0 {
            if scope.0 == 0 {
                out.extend_from_slice(b"#! M\n");
            } else {
                out.extend_from_slice(b"#! A ");
                push_hex(out, scope.0, 16);
                out.push(b'\n');
            }
            *written = (scope.0, 0);
        }
        if scope.1 != written.1 {
            out.extend_from_slice(b"#! N ");
            push_hex(out, scope.1, 16);
            out.push(b'\n');
            *written = scope;
        }
        out.extend_from_slice(b"#! F ");
        out.extend_from_slice(tag.as_bytes());
        out.extend_from_slice(&[b' ', how, b' ']);
        push_hex(out, guard, 16);
        out.push(b' ');
        galatea_text::push_int(out, words.len() as u64);
        out.push(b'\n');
        for line in words.chunks(WORDS_PER_LINE) {
            out.extend_from_slice(b"#! + ");
            for word in line {
                push_hex(out, (*word).into(), 8);
            }
            out.push(b'\n');
        }
    }
}

/// Digits above 9 are capitals.
const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn push_hex(out: &mut Vec<u8>, value: u64, digits: u32) {
    let digit = |place: u32| HEX.get((value >> (place * 4)) as usize & 15).copied().unwrap_or(b'0');
    out.extend((0..digits).rev().map(digit));
}

/// Parses the eight digits of a word.
fn parse_word(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |word: u32, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        Some(word << 4 | u32::from(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_their_digits() {
        let mut random = galatea_robustness::Random(1);
        for _ in 0..10_000 {
            let word = random.next_u64() as u32;
            let mut digits = Vec::new();
            push_hex(&mut digits, word.into(), 8);
            assert_eq!(digits, format!("{word:08X}").as_bytes());
            assert_eq!(parse_word(&digits), Some(word));
        }
        for bad in [b"0000000G", b"0000 000", b"0x000000", b"\xFF0000000", b"0000000@", b"0000000a"] {
            assert_eq!(parse_word(bad), None);
        }
    }
}
