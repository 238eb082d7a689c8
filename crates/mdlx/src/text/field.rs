//! Tables of fields: the keyword and the notation of each. The same table serves the parser and the printer.

use galatea_wire::Result;

use super::lex::{Lexer, is, quote};
use super::out::Out;
use super::sidecar::Line;
use super::track;
use crate::{Owner, Tracks, Version, track_info};

/// Accessors of a value inside a record.
pub(super) struct At<T, V: ?Sized> {
    pub(super) get: fn(&T) -> &V,
    pub(super) set: fn(&mut T) -> &mut V,
}

/// Makes an [`At`] for a path of fields.
macro_rules! at {
    ($($path:tt)+) => {
        $crate::text::field::At { get: |t: &Self| &t.$($path)+, set: |t: &mut Self| &mut t.$($path)+ }
    };
}
pub(super) use at;

/// The versions whose text has a keyword.
pub(super) type Versions = (u32, u32);
pub(super) const ALL: Versions = (800, 1500);
pub(super) const WARCRAFT: Versions = (800, 1299);
pub(super) const REFORGED: Versions = (900, 1299);
pub(super) const WOW: Versions = (1300, 1500);

pub(super) fn within(version: Version, (first, last): Versions) -> bool {
    (first..=last).contains(&version.0)
}

/// A keyword for one bit.
pub(super) struct FlagWord {
    pub(super) word: &'static str,
    pub(super) bit: u32,
    pub(super) versions: Versions,
    /// Whether it is printed as `DontInherit { Word }`.
    pub(super) inherit: bool,
}

pub(super) const fn flag(word: &'static str, bit: u32, versions: Versions) -> FlagWord {
    FlagWord { word, bit, versions, inherit: false }
}

/// The notation of a field.
pub(super) enum How<T> {
    /// Keywords for bits; other bits go to the sidecar.
    Flags(At<T, u32>, &'static [FlagWord]),
    /// A bare keyword per value. Other values are shown as the nearest one, and go to the sidecar.
    Pick(At<T, u32>, &'static [&'static str]),
    /// `Word Value`, a keyword per value. Other values are shown as the first one, and go to the sidecar.
    Named(At<T, u32>, &'static [&'static str]),
    /// A bare keyword for 1, none for 0. Other values go to the sidecar.
    Switch(At<T, u32>),
    /// `Word n`.
    Int(At<T, i32>),
    /// `Word n`.
    Uint(At<T, u32>),
    /// `Word n`.
    Byte(At<T, u8>),
    /// `Word n`, or a keyword for -1.
    Id(At<T, i32>, &'static str),
    /// `Word f`.
    Float(At<T, f32>),
    /// `Word { f, ... }`.
    Floats(At<T, [f32]>),
    /// `Word { n, ... }`.
    Uints(At<T, [u32]>),
    /// `Word { n, ... }`.
    Bytes(At<T, [u8]>),
    /// `Word { Color { b, g, r }, ... }`.
    Colors(At<T, [[f32; 3]]>),
    /// `Word "text"`.
    Text(At<T, [u8]>),
    /// `static Word f`, or a track.
    Moving(At<T, f32>),
    /// `static Word n`, or a track.
    MovingInt(At<T, i32>),
    /// `static Word n`, or a track.
    MovingUint(At<T, u32>),
    /// `static Word { b, g, r }`, or a track.
    Color(At<T, [f32; 3]>),
}

/// When a field is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    Always,
    /// Unless it has its default value.
    Changed,
    /// Never in the plain text; values other than the default go to the sidecar.
    Sidecar,
}

/// One row of a table.
pub(super) struct Field<T> {
    pub(super) word: &'static str,
    pub(super) versions: Versions,
    /// The inner block that it is part of.
    pub(super) group: &'static str,
    pub(super) show: Show,
    pub(super) how: How<T>,
}

pub(super) const fn always<T>(word: &'static str, how: How<T>) -> Field<T> {
    Field { word, versions: ALL, group: "", show: Show::Always, how }
}

pub(super) const fn changed<T>(word: &'static str, how: How<T>) -> Field<T> {
    Field { word, versions: ALL, group: "", show: Show::Changed, how }
}

pub(super) const fn sidecar<T>(word: &'static str, how: How<T>) -> Field<T> {
    Field { word, versions: ALL, group: "", show: Show::Sidecar, how }
}

impl<T> Field<T> {
    pub(super) const fn versions(mut self, versions: Versions) -> Self {
        self.versions = versions;
        self
    }

    pub(super) const fn group(mut self, group: &'static str) -> Self {
        self.group = group;
        self
    }
}

impl<T> Field<T> {
    /// Returns `true` if a keyword begins this field.
    pub(super) fn accepts(&self, word: &[u8]) -> bool {
        let worded = !matches!(self.how, How::Flags(..) | How::Pick(..)) && self.show != Show::Sidecar;
        worded && is(word, self.word)
    }

    /// Returns `true` if it is animated by a track.
    pub(super) fn moves(&self, owner: Owner, tracks: &Tracks, version: Version) -> bool {
        tracks.iter().any(|t| {
            track_info(t.tag, owner, version)
                .is_some_and(|info| track::keyword(info) == self.word && track::group(info) == self.group)
        })
    }

    pub(super) fn parse(&self, lex: &mut Lexer<'_>, t: &mut T) -> Result<()> {
        lex.skip();
        let start = lex.pos();
        match &self.how {
            How::Flags(..) | How::Pick(..) => {}
            How::Switch(at) => *(at.set)(t) = 1,
            How::Named(at, words) => {
                let word = lex.word()?;
                let Some(value) = words.iter().position(|w| is(word, w)) else {
                    let what = format!("expected one of {}, found {}", words.join(", "), quote(word));
                    return Err(lex.fail(start, what));
                };
                *(at.set)(t) = value as u32;
            }
            How::Int(at) | How::MovingInt(at) => *(at.set)(t) = lex.bits32()? as i32,
            How::Uint(at) | How::MovingUint(at) => *(at.set)(t) = lex.bits32()?,
            How::Byte(at) => *(at.set)(t) = lex.small(255)?,
            How::Id(at, _) => {
                let value = match lex.maybe_word() {
                    // Tools use both keywords for -1, for any field.
                    Some(word) if is(word, "None") || is(word, "Multiple") => -1,
                    Some(word) => {
                        return Err(lex.fail(
                            start,
                            format!("expected a number, None or Multiple, found {}", quote(word)),
                        ));
                    }
                    None => lex.bits32()? as i32,
                };
                *(at.set)(t) = value;
            }
            How::Float(at) | How::Moving(at) => *(at.set)(t) = lex.float()?,
            How::Floats(at) => {
                lex.open()?;
                for value in (at.set)(t) {
                    *value = lex.float()?;
                }
                lex.end()?;
            }
            How::Uints(at) => {
                lex.open()?;
                for value in (at.set)(t) {
                    *value = lex.bits32()?;
                }
                lex.end()?;
            }
            How::Bytes(at) => {
                lex.open()?;
                for value in (at.set)(t) {
                    *value = lex.small(255)?;
                }
                lex.end()?;
            }
            How::Color(at) => {
                let [b, g, r] = lex.row()?;
                *(at.set)(t) = [r, g, b];
            }
            How::Colors(at) => {
                lex.open()?;
                for value in (at.set)(t) {
                    if !lex.maybe_word().is_some_and(|word| is(word, "Color")) {
                        return Err(lex.expected("`Color`"));
                    }
                    let [b, g, r] = lex.row()?;
                    *value = [r, g, b];
                }
                lex.end()?;
            }
            How::Text(at) => {
                let text = lex.string()?;
                fill(lex, start, (at.set)(t), text)?;
            }
        }
        Ok(())
    }

    /// Applies a value that has no keyword, if the plain text shows what is printed for that value.
    pub(super) fn apply(&self, lex: &mut Lexer<'_>, t: &mut T, line: Line<'_>) -> Result<()> {
        let stored = line.number(lex)?;
        match &self.how {
            How::Pick(at, words) | How::Named(at, words) => {
                let slot = (at.set)(t);
                if *slot as usize == nearest(stored, words) {
                    *slot = stored;
                }
            }
            How::Switch(at) => {
                let slot = (at.set)(t);
                if (*slot != 0) == (stored != 0) {
                    *slot = stored;
                }
            }
            How::Int(at) | How::MovingInt(at) if self.show == Show::Sidecar => *(at.set)(t) = stored as i32,
            How::Uint(at) if self.show == Show::Sidecar => *(at.set)(t) = stored,
            How::Byte(at) if self.show == Show::Sidecar => *(at.set)(t) = stored as u8,
            _ => return Err(line.wrong(lex)),
        }
        Ok(())
    }

    pub(super) fn print(&self, out: &mut Out, t: &T, default: &T, moves: bool) {
        let word = self.word;
        let same = match &self.how {
            How::Flags(..) => return,
            How::Pick(at, words) => {
                let value = *(at.get)(t);
                let shown = nearest(value, words);
                out.flag(words.get(shown).copied().unwrap_or(word));
                if shown != value as usize {
                    out.sidecar(format!("{word} {value}"));
                }
                return;
            }
            How::Named(at, words) => {
                let value = *(at.get)(t);
                let shown = nearest(value, words);
                out.line(word, |out| out.raw(words.get(shown).copied().unwrap_or("").as_bytes()));
                if shown != value as usize {
                    out.sidecar(format!("{word} {value}"));
                }
                return;
            }
            How::Switch(at) => {
                let value = *(at.get)(t);
                if value != 0 {
                    out.flag(word);
                }
                if value > 1 {
                    out.sidecar(format!("{word} {value}"));
                }
                return;
            }
            How::Int(at) | How::MovingInt(at) | How::Id(at, _) => (at.get)(t) == (at.get)(default),
            How::Uint(at) | How::MovingUint(at) => (at.get)(t) == (at.get)(default),
            How::Byte(at) => (at.get)(t) == (at.get)(default),
            How::Float(at) | How::Moving(at) => (at.get)(t).to_bits() == (at.get)(default).to_bits(),
            How::Floats(at) => same_bits((at.get)(t), (at.get)(default)),
            How::Uints(at) => (at.get)(t) == (at.get)(default),
            How::Bytes(at) => (at.get)(t) == (at.get)(default),
            How::Color(at) => same_bits((at.get)(t), (at.get)(default)),
            How::Colors(_) => false,
            How::Text(at) => (at.get)(t) == (at.get)(default),
        };
        if (moves || self.show == Show::Sidecar) && !same {
            let lead = if moves { "static " } else { "" };
            out.sidecar_value(&format!("{lead}{word} "), |out| self.print_value(out, t));
        }
        if moves || self.show == Show::Sidecar || self.show == Show::Changed && same {
            return;
        }
        if let How::Colors(at) = &self.how {
            out.block(word, |out| {
                for [r, g, b] in (at.get)(t) {
                    out.line("Color", |out| out.floats(&[*b, *g, *r]));
                }
            });
            return;
        }
        out.start();
        if matches!(self.how, How::Moving(_) | How::MovingInt(_) | How::MovingUint(_) | How::Color(_)) {
            out.raw(b"static ");
        }
        out.raw(word.as_bytes());
        out.raw(b" ");
        self.print_value(out, t);
        out.raw(b",\n");
    }

    fn print_value(&self, out: &mut Out, t: &T) {
        match &self.how {
            How::Flags(..) | How::Pick(..) | How::Named(..) | How::Switch(_) | How::Colors(_) => {}
            How::Id(at, none) => match (at.get)(t) {
                -1 => out.raw(none.as_bytes()),
                id => out.int(i64::from(*id)),
            },
            How::Int(at) | How::MovingInt(at) => out.int(i64::from(*(at.get)(t))),
            How::Uint(at) | How::MovingUint(at) => out.int(i64::from(*(at.get)(t))),
            How::Byte(at) => out.int(i64::from(*(at.get)(t))),
            How::Float(at) | How::Moving(at) => out.float(*(at.get)(t)),
            How::Floats(at) => out.floats((at.get)(t)),
            How::Uints(at) => out.ints((at.get)(t).iter().map(|v| i64::from(*v))),
            How::Bytes(at) => out.ints((at.get)(t).iter().map(|v| i64::from(*v))),
            How::Color(at) => {
                let [r, g, b] = *(at.get)(t);
                out.floats(&[b, g, r]);
            }
            How::Text(at) => out.string(self.word, (at.get)(t)),
        }
    }
}

/// Returns the value whose keyword is shown: the value itself, its low byte if only that has a keyword, or 0.
fn nearest(value: u32, words: &[&str]) -> usize {
    let shown = |v: u32| (v as usize) < words.len();
    if shown(value) {
        value as usize
    } else if shown(value & 0xFF) {
        (value & 0xFF) as usize
    } else {
        0
    }
}

pub(super) fn same_bits(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Stores a string in a field of fixed size.
pub(super) fn fill(lex: &Lexer<'_>, at: usize, slot: &mut [u8], text: &[u8]) -> Result<()> {
    if text.len() > slot.len() {
        let what = format!("a string of {} bytes where {} fit", text.len(), slot.len());
        return Err(lex.fail(at, what));
    }
    slot.fill(0);
    for (slot, byte) in slot.iter_mut().zip(text) {
        *slot = *byte;
    }
    Ok(())
}
