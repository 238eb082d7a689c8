//! What plain text has no word for, carried in comment lines after `donemodel`, where every tool skips it.
//!
//! ```text
//! #! GALATEA 1
//! #! A 8C0F3A5D11E2B497             records that follow belong to this animation
//! #! N 51E0A7734AD1C08B             ... to this node, told by a checksum of its written name
//! #! F NORM = 0F3A5D11E2B4978C 6    six words of a field, with a checksum of the plain lines they go with
//! #! + 3F800000000000003F800000000000000000000000000000
//! ```
//! `=` is a whole field, `~` pairs of index and word that replace some of its words, `*` triples of index, word that the
//! plain lines say, and word that is meant. A record whose checksum (or whose said word) is no longer that of the plain
//! lines is dropped: an edit in the plain lines always wins.

use std::collections::HashMap;

use super::checksum::Sum;
use super::encode::{Field, Kind};

/// First line of the carried data.
pub(crate) const OPENING: &[u8] = b"#! GALATEA 1";
/// Words of one line: lines stay below 4,000 characters.
const WORDS_PER_LINE: usize = 480;

/// A record as it stands in the text.
#[derive(Debug)]
struct Record<'a> {
    tag: &'a [u8],
    how: u8,
    guard: u64,
    count: usize,
    lines: Vec<&'a [u8]>,
}

/// Where a record belongs: animation (0 for the model itself) and node (0 for none).
type Scope = (u64, u64);

/// The carried data of a text.
#[derive(Debug, Default)]
pub(crate) struct Carried<'a> {
    records: HashMap<Scope, Vec<Record<'a>>>,
    /// Records whose plain lines have been edited.
    pub(crate) dropped: usize,
}

fn hex(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 {
        return None;
    }
    text.iter().try_fold(0u64, |n, c| Some(n << 4 | u64::from((*c as char).to_digit(16)?)))
}

/// Where the carried data begin.
fn opening(text: &[u8]) -> Option<usize> {
    // From the end, since the data are nearly as long as the rest; a line that only looks alike is taken too.
    let (first, _) = OPENING.split_first()?;
    let mut end = text.len();
    loop {
        let at = text.get(..end)?.iter().rposition(|b| b == first)?;
        let line_start = at == 0 || text.get(at - 1).is_some_and(|b| *b == b'\n' || *b == b'\r');
        if line_start && text.get(at..)?.starts_with(OPENING) {
            return Some(at);
        }
        // Carried lines are skipped as they come; a plain line ends the search.
        if line_start && !text.get(at..)?.starts_with(b"#!") {
            return None;
        }
        end = at;
    }
}

impl<'a> Carried<'a> {
    /// Splits a text into its plain lines and its carried data.
    pub(crate) fn split(text: &'a [u8]) -> (&'a [u8], Carried<'a>) {
        let Some(at) = opening(text) else { return (text, Carried::default()) };
        let (plain, data) = text.split_at(at);
        let mut carried = Carried::default();
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
                    if let Some(record) = carried.records.get_mut(&scope).and_then(|l| l.last_mut()) {
                        record.lines.push(data);
                    }
                }
                (Some(b"F"), Some(tag)) => {
                    let how = words.next().and_then(|w| w.first()).copied();
                    let guard = words.next().and_then(hex);
                    let count = words.next().and_then(|w| galatea_text::parse_int(w, 0, i64::from(u32::MAX)));
                    if let (Some(how), Some(guard), Some(count)) = (how, guard, count) {
                        let record = Record { tag, how, guard, count: count as usize, lines: Vec::new() };
                        carried.records.entry(scope).or_default().push(record);
                    }
                }
                _ => {}
            }
        }
        (plain, carried)
    }
}

impl Record<'_> {
    /// The words; `None` if they are not as many as told.
    fn words(&self) -> Option<Vec<u32>> {
        let there: usize = self.lines.iter().map(|l| l.len() / 8).sum();
        if there != self.count {
            return None;
        }
        let mut words = Vec::with_capacity(there);
        for line in &self.lines {
            for digits in line.chunks_exact(8) {
                let word = word_of(*digits.first_chunk()?)?;
                words.push(word);
            }
        }
        Some(words)
    }
}

/// Completes a draft with what is carried, or finds out what has to be carried.
#[derive(Debug)]
pub(crate) enum Carry<'a> {
    /// Reading: the carried data of the text.
    Restore(Carried<'a>, Scope),
    /// Writing: the lines so far.
    Record(Recorder),
}

/// The lines of carried data in the making.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) out: Vec<u8>,
    scope: Scope,
    /// What the last record belongs to.
    written: Scope,
    said: Vec<u32>,
    meant: Vec<u32>,
}

/// What a record depends on, beside what the plain lines say of the field itself.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Guard {
    /// On nothing.
    Own,
    /// On plain lines with this checksum, instead of the field itself.
    Lines(u64),
}

impl<'a> Carry<'a> {
    pub(crate) fn recorder() -> Carry<'a> {
        Carry::Record(Recorder::default())
    }

    /// Sets what the next fields belong to.
    pub(crate) fn enter(&mut self, animation: u64, node: u64) {
        match self {
            Carry::Restore(_, scope) => *scope = (animation, node),
            Carry::Record(recorder) => recorder.scope = (animation, node),
        }
    }

    /// One field of `draft`: takes what is carried for it, or, given the `real` one, carries what differs. Tells whether
    /// the field now has its real value for certain.
    pub(crate) fn field<T>(
        &mut self,
        draft: &mut T,
        real: Option<&T>,
        field: &Field<T>,
        guard: Guard,
    ) -> bool {
        match self {
            Carry::Restore(carried, scope) => restore(carried, *scope, draft, field, guard),
            Carry::Record(recorder) => {
                let Some(real) = real else { return false };
                recorder.record(draft, real, field, guard);
                true
            }
        }
    }
}

fn own_guard(words: &[u32]) -> u64 {
    Sum::new().words(words.iter().copied()).0
}

fn restore<T>(
    carried: &mut Carried<'_>,
    scope: Scope,
    draft: &mut T,
    field: &Field<T>,
    guard: Guard,
) -> bool {
    let found = carried.records.get(&scope).and_then(|l| l.iter().find(|r| r.tag == field.tag.as_bytes()));
    let Some(record) = found else { return false };
    let done = apply(record, draft, field, guard).is_some();
    carried.dropped += usize::from(!done);
    done
}

fn apply<T>(record: &Record<'_>, draft: &mut T, field: &Field<T>, guard: Guard) -> Option<()> {
    let mut now = Vec::new();
    // What text has no word for depends on its guard alone.
    if field.kind != Kind::Silent || record.how != b'=' {
        (field.get)(draft, &mut now);
    }
    let expected = match guard {
        // Single values are compared one by one.
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
                if let [index, said, meant] = triple
                    && let Some(slot) = now.get_mut(*index as usize)
                    && *slot == *said
                {
                    *slot = *meant;
                }
            }
        }
        _ => return None,
    }
    (field.set)(draft, &now)
}

impl Recorder {
    fn record<T>(&mut self, draft: &mut T, real: &T, field: &Field<T>, guard: Guard) {
        let (mut said, mut meant) = (std::mem::take(&mut self.said), std::mem::take(&mut self.meant));
        said.clear();
        meant.clear();
        (field.get)(real, &mut meant);
        if field.kind != Kind::Silent {
            (field.get)(draft, &mut said);
        }
        if field.kind == Kind::Silent || said != meant {
            self.differing(draft, field, guard, &said, &meant);
        }
        (self.said, self.meant) = (said, meant);
    }

    fn differing<T>(&mut self, draft: &mut T, field: &Field<T>, guard: Guard, said: &[u32], meant: &[u32]) {
        let sum = match guard {
            Guard::Own => own_guard(said),
            Guard::Lines(sum) => sum,
        };
        let differ = || said.iter().zip(meant).enumerate().filter(|(_, (a, b))| a != b);
        let same_length = said.len() == meant.len();
        if field.kind == Kind::Silent {
            // Nothing else depends on what text has no word for, so the draft need not have it.
            return self.push(field.tag, b'=', sum, meant);
        }
        if field.kind == Kind::Scalars && same_length {
            let triples: Vec<u32> = differ().flat_map(|(i, (a, b))| [i as u32, *a, *b]).collect();
            self.push(field.tag, b'*', if matches!(guard, Guard::Own) { 0 } else { sum }, &triples);
        } else if field.kind == Kind::Whole && same_length && differ().count() * 2 < meant.len() {
            let pairs: Vec<u32> = differ().flat_map(|(i, (_, b))| [i as u32, *b]).collect();
            self.push(field.tag, b'~', sum, &pairs);
        } else {
            self.push(field.tag, b'=', sum, meant);
        }
        let set = (field.set)(draft, meant);
        debug_assert!(set.is_some(), "{} does not take its own words", field.tag);
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
                out.extend_from_slice(&hex_word(*word));
            }
            out.push(b'\n');
        }
    }
}

/// The eight digits of a word: all of them at once, four bits to a byte.
fn hex_word(word: u32) -> [u8; 8] {
    let mut spread = u64::from(word);
    spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF;
    spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF;
    spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    // Digits above 9 are letters, seven places further on.
    let letters = ((spread + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101;
    (spread + 0x3030_3030_3030_3030 + letters * 7).to_be_bytes()
}

/// The word of eight digits.
fn word_of(digits: [u8; 8]) -> Option<u32> {
    let text = u64::from_be_bytes(digits);
    // Letters have bit 6 set; their value is nine more than their low bits.
    let letters = (text >> 6) & 0x0101_0101_0101_0101;
    let mut spread = (text & 0x0F0F_0F0F_0F0F_0F0F) + letters * 9;
    spread = (spread | spread >> 4) & 0x00FF_00FF_00FF_00FF;
    spread = (spread | spread >> 8) & 0x0000_FFFF_0000_FFFF;
    spread |= spread >> 16;
    let word = spread as u32;
    // Anything that is no digit does not come back.
    (hex_word(word) == digits).then_some(word)
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn push_hex(out: &mut Vec<u8>, value: u64, digits: u32) {
    for i in (0..digits).rev() {
        out.push(HEX.get((value >> (i * 4)) as usize & 15).copied().unwrap_or(b'0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_their_digits() {
        let mut random = galatea_robustness::Random(1);
        for _ in 0..10_000 {
            let word = random.next_u64() as u32;
            let digits = hex_word(word);
            assert_eq!(digits.as_slice(), format!("{word:08X}").as_bytes());
            assert_eq!(word_of(digits), Some(word));
        }
        for bad in [b"0000000G", b"0000 000", b"0x000000", b"\xFF0000000", b"0000000@", b"0000000a"] {
            assert_eq!(word_of(*bad), None);
        }
    }
}
