//! Tracks: `Word n { Linear, GlobalSeqId g, time: value, ... }`.

use galatea_wire::{Error, Result};

use super::lex::{Lexer, is, quote};
use super::out::Out;
use crate::{
    Curve, EventTrack, Interpolation, Key, Keys, Owner, TRACKS, Tangents, Track, TrackInfo, ValueKind,
    track_info, tracks_of,
};

/// Keywords for [`Interpolation`], by its number.
const INTERPOLATIONS: [(&str, Interpolation); 4] = [
    ("DontInterp", Interpolation::None),
    ("Linear", Interpolation::Linear),
    ("Hermite", Interpolation::Hermite),
    ("Bezier", Interpolation::Bezier),
];

const GLOBAL: &str = "GlobalSeqId";

/// A value of a key.
trait Value: Copy {
    /// The number of components.
    const NUMBERS: usize;
    fn parse(lex: &mut Lexer<'_>) -> Result<Self>;
    fn print(self, out: &mut Out);
}

impl Value for f32 {
    const NUMBERS: usize = 1;
    #[inline]
    fn parse(lex: &mut Lexer<'_>) -> Result<Self> {
        lex.float()
    }
    #[inline]
    fn print(self, out: &mut Out) {
        out.float(self);
    }
}

impl Value for u32 {
    const NUMBERS: usize = 1;
    #[inline]
    fn parse(lex: &mut Lexer<'_>) -> Result<Self> {
        lex.bits32()
    }
    #[inline]
    fn print(self, out: &mut Out) {
        out.int(i64::from(self));
    }
}

impl<const N: usize> Value for [f32; N] {
    const NUMBERS: usize = N;
    #[inline]
    fn parse(lex: &mut Lexer<'_>) -> Result<Self> {
        lex.row()
    }
    #[inline]
    fn print(self, out: &mut Out) {
        out.floats(&self);
    }
}

/// Returns the keyword of a track; in a camera's `Target` it is only `Translation`.
pub(super) fn keyword(info: &TrackInfo) -> &'static str {
    info.keyword.strip_prefix("Target").unwrap_or(info.keyword)
}

/// Returns the inner block of its owner that a track is part of.
pub(super) fn group(info: &TrackInfo) -> &'static str {
    match &info.tag.0 {
        b"KPEL" | b"KPES" => "Particle",
        b"KTTR" => "Target",
        _ => "",
    }
}

/// Returns the track of an owner with this keyword, inside this inner block.
pub(super) fn find(
    lex: &Lexer<'_>,
    at: usize,
    owner: Owner,
    word: &[u8],
    in_group: &str,
) -> Result<Option<&'static TrackInfo>> {
    let fits = |info: &&TrackInfo| {
        let target = (group(info) == "Target") == (in_group == "Target");
        target && is(word, keyword(info)) && info.value != ValueKind::Event
    };
    if let Some(info) = tracks_of(owner, lex.version).find(fits) {
        return Ok(Some(info));
    }
    if TRACKS.iter().any(|t| t.owner == owner && fits(&t)) {
        return Err(lex.fail(at, format!("version {} has no track {}", lex.version, quote(word))));
    }
    Ok(None)
}

/// Returns `true` if a track follows the keyword, rather than a value.
pub(super) fn comes(lex: &mut Lexer<'_>) -> Result<bool> {
    let start = lex.pos();
    let counted = lex.is_number();
    if counted && lex.float().is_err() {
        lex.rewind(start);
        return Ok(false);
    }
    if lex.eat_pair(b"<=") {
        lex.int()?;
    }
    let comes = lex.eat(b'{') && (counted || matches!(lex.peek(), Some(b'}' | b'A'..=b'Z' | b'a'..=b'z')));
    lex.rewind(start);
    Ok(comes)
}

/// Parses a track after its keyword.
pub(super) fn parse(lex: &mut Lexer<'_>, info: &TrackInfo) -> Result<Track> {
    let opened = lex.pos();
    let count = lex.count()?;
    if lex.eat_pair(b"<=") {
        // The slot of a layer's texture, which the layer has handled.
        lex.int()?;
    }
    let name = keyword(info);
    let mut track = Track {
        tag: info.tag,
        interpolation: Interpolation::None,
        global_sequence: -1,
        keys: Keys::empty(info.value).unwrap_or(Keys::Float(Curve::default())),
    };
    lex.spend_block::<Track>()?;
    lex.open()?;
    let Track { interpolation, global_sequence, keys, .. } = &mut track;
    let result = match keys {
        Keys::Float(curve) => parse_keys(lex, opened, name, count, interpolation, global_sequence, curve),
        Keys::Vector(curve) => parse_keys(lex, opened, name, count, interpolation, global_sequence, curve),
        Keys::Rotation(curve) => parse_keys(lex, opened, name, count, interpolation, global_sequence, curve),
        Keys::Integer(curve) => parse_keys(lex, opened, name, count, interpolation, global_sequence, curve),
    };
    result.map_err(|e| e.within(name))?;
    Ok(track)
}

fn parse_keys<T: Value>(
    lex: &mut Lexer<'_>,
    opened: usize,
    name: &str,
    count: Option<usize>,
    interpolation: &mut Interpolation,
    global_sequence: &mut i32,
    curve: &mut Curve<T>,
) -> Result<()> {
    let item = Item { size: size_of::<Key<T>>(), least: 2 + 2 * T::NUMBERS, numbers: 1 + T::NUMBERS };
    let mut room = 0usize;
    loop {
        while lex.is_number() {
            if curve.keys.len() == room {
                room = grow(lex, count, room, item, |n| curve.keys.reserve_exact(n))?;
            }
            let time = lex.bits32()? as i32;
            let value = T::parse(lex)?;
            curve.keys.push(Key { time, value });
            if !interpolation.has_tangents() {
                continue;
            }
            if curve.tangents.len() == curve.tangents.capacity() {
                let spare = room.saturating_sub(curve.tangents.len()).max(1);
                lex.spend(spare * size_of::<Tangents<T>>())?;
                curve.tangents.reserve_exact(spare);
            }
            curve
                .tangents
                .push(Tangents { incoming: tangent(lex, "InTan")?, outgoing: tangent(lex, "OutTan")? });
        }
        if lex.close(opened, name)? {
            return Ok(());
        }
        lex.skip();
        let at = lex.pos();
        let word = lex.word()?;
        if let Some((_, found)) = INTERPOLATIONS.iter().find(|(w, _)| is(word, w)) {
            if !curve.keys.is_empty() {
                return Err(lex.fail(at, format!("{} must come before the keys", quote(word))));
            }
            *interpolation = *found;
        } else if is(word, GLOBAL) {
            *global_sequence = lex.bits32()? as i32;
        } else if is(word, "InTan") || is(word, "OutTan") {
            let what = format!("{} where the keys are {}", quote(word), words_of(*interpolation));
            return Err(lex.fail(at, what));
        } else {
            return Err(lex.fail(at, format!("expected a key, found {}", quote(word))));
        }
    }
}

fn words_of(interpolation: Interpolation) -> &'static str {
    INTERPOLATIONS.iter().find(|(_, i)| *i == interpolation).map_or("", |(word, _)| word)
}

fn tangent<T: Value>(lex: &mut Lexer<'_>, word: &'static str) -> Result<T> {
    match lex.peek_word() {
        Some(found) if is(found, word) => {
            lex.word()?;
            T::parse(lex)
        }
        _ => Err(lex.expected(&format!("`{word}`"))),
    }
}

/// The space that a list item needs.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// Bytes in memory.
    pub(super) size: usize,
    /// Minimum number of bytes in the text.
    pub(super) least: usize,
    /// Numbers in the text.
    pub(super) numbers: usize,
}

/// Reserves memory for more items: first as many as are announced, as far as the text is long enough for them, afterwards as
/// many as a look ahead finds. Returns the number of items that fit.
pub(super) fn grow(
    lex: &mut Lexer<'_>,
    announced: Option<usize>,
    room: usize,
    item: Item,
    reserve: impl FnOnce(usize),
) -> Result<usize> {
    let possible = lex.left() / item.least + 1;
    let more = match announced {
        Some(announced) if room == 0 && announced > 0 => announced,
        _ => (lex.count_numbers() / item.numbers).max(room / 4).max(4),
    };
    let more = more.min(possible);
    lex.spend(more.saturating_mul(item.size))?;
    reserve(more);
    Ok(room + more)
}

/// Prints a track. `head` replaces the keyword and the number of keys, if given.
pub(super) fn print(out: &mut Out, track: &Track, owner: Owner, head: Option<&str>) -> Result<()> {
    let Some(info) = track_info(track.tag, owner, out.version) else {
        let what = format!("{owner:?} has no track {} in version {}", track.tag, out.version);
        return Err(Error::unrepresentable(what));
    };
    let usual = || format!("{} {}", keyword(info), track.keys.len());
    let mut result = Ok(());
    out.block(&head.map_or_else(usual, str::to_owned), |out| {
        out.flag(words_of(track.interpolation));
        if track.global_sequence != -1 {
            out.line(GLOBAL, |out| out.int(i64::from(track.global_sequence)));
        }
        let tangents = track.interpolation.has_tangents();
        result = match &track.keys {
            Keys::Float(curve) => print_keys(out, curve, tangents),
            Keys::Vector(curve) => print_keys(out, curve, tangents),
            Keys::Rotation(curve) => print_keys(out, curve, tangents),
            Keys::Integer(curve) => print_keys(out, curve, tangents),
        };
    });
    result.map_err(|e| e.within(track.tag.to_string()))
}

fn print_keys<T: Value>(out: &mut Out, curve: &Curve<T>, tangents: bool) -> Result<()> {
    let want = if tangents { curve.keys.len() } else { 0 };
    if curve.tangents.len() != want {
        let what = format!("{} keys with {} tangents", curve.keys.len(), curve.tangents.len());
        return Err(Error::unrepresentable(what));
    }
    for (index, key) in curve.keys.iter().enumerate() {
        out.start();
        out.int(i64::from(key.time));
        out.raw(b": ");
        key.value.print(out);
        out.raw(b",\n");
        if let Some(Tangents { incoming, outgoing }) = curve.tangents.get(index) {
            out.start();
            out.raw(b"\tInTan ");
            incoming.print(out);
            out.raw(b",\n");
            out.start();
            out.raw(b"\tOutTan ");
            outgoing.print(out);
            out.raw(b",\n");
        }
    }
    Ok(())
}

/// Parses the times of an event after its keyword.
pub(super) fn parse_events(lex: &mut Lexer<'_>, word: &'static str) -> Result<EventTrack> {
    let opened = lex.pos();
    let count = lex.count()?;
    lex.open()?;
    let mut track = EventTrack::default();
    let mut room = 0usize;
    loop {
        while lex.is_number() {
            if track.times.len() == room {
                let item = Item { size: 4, least: 2, numbers: 1 };
                room = grow(lex, count, room, item, |n| track.times.reserve_exact(n))?;
            }
            track.times.push(lex.bits32()? as i32);
        }
        if lex.close(opened, word)? {
            return Ok(track);
        }
        match lex.maybe_word() {
            Some(found) if is(found, GLOBAL) => track.global_sequence = lex.bits32()? as i32,
            _ => return Err(lex.expected("a time")),
        }
    }
}

/// Prints the times of an event.
pub(super) fn print_events(out: &mut Out, word: &str, track: &EventTrack) {
    out.block(&format!("{word} {}", track.times.len()), |out| {
        if track.global_sequence != -1 {
            out.line(GLOBAL, |out| out.int(i64::from(track.global_sequence)));
        }
        for time in &track.times {
            out.start();
            out.int(i64::from(*time));
            out.raw(b",\n");
        }
    });
}
