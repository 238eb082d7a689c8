//! Parsing a block, and applying its sidecar lines.

use galatea_wire::Result;

use super::{Block, INHERIT, NODE, NODE_FLAGS, State, flag_words, flags_mut, guard, implied, mask};
use crate::text::field::{Field, How, fill, within};
use crate::text::lex::{Lexer, is, quote};
use crate::text::sidecar::Line;
use crate::text::track;
use crate::{Owner, Tag, Tracks};

/// Parses a block after its keyword, up to its `}`. `lines` are the sidecar lines above it.
pub(in crate::text) fn parse<'a, T: Block>(lex: &mut Lexer<'a>, lines: Vec<Line<'a>>) -> Result<T> {
    let opened = lex.pos();
    let mut t = T::default();
    lex.spend_block::<T>()?;
    let mut named = None;
    if let Some(slot) = t.name_mut() {
        // A missing name is an empty one.
        if lex.peek() == Some(b'"') {
            let at = lex.pos();
            let name = lex.string()?;
            fill(lex, at, slot, name)?;
            named = Some(name);
        }
    }
    let mut state = State { lines, ..State::default() };
    let body = |lex: &mut Lexer<'a>, t: &mut T, state: &mut State<'a>| -> Result<()> {
        lex.open()?;
        parse_body(lex, opened, t, state)?;
        apply(lex, t, state)?;
        t.finish(lex, opened, state.bits)
    };
    match body(lex, &mut t, &mut state) {
        Ok(()) => Ok(t),
        Err(error) => Err(error.within(match named {
            Some(name) => format!("{} \"{}\"", T::WORD, galatea_wire::escape_bytes(name)),
            None => T::WORD.to_owned(),
        })),
    }
}

fn parse_body<'a, T: Block>(
    lex: &mut Lexer<'a>,
    opened: usize,
    t: &mut T,
    state: &mut State<'a>,
) -> Result<()> {
    loop {
        let done = lex.close(opened, T::WORD)?;
        state.lines.append(&mut lex.take_lines()?);
        if done {
            return Ok(());
        }
        let at = lex.pos();
        let mut word = lex.word()?;
        let fixed = is(word, "static");
        if fixed {
            word = lex.word()?;
        }
        if !parse_word(lex, at, t, state, word, fixed)? {
            return Err(lex.fail(at, format!("unknown word {} in `{}`", quote(word), T::WORD)));
        }
    }
}

fn parse_word<'a, T: Block>(
    lex: &mut Lexer<'a>,
    at: usize,
    t: &mut T,
    state: &mut State<'a>,
    word: &[u8],
    fixed: bool,
) -> Result<bool> {
    if t.parse_more(lex, word, fixed, &mut state.bits)? {
        return Ok(true);
    }
    if let Some(group) = T::GROUPS.iter().find(|g| state.group.is_empty() && is(word, g)) {
        let opened = lex.pos();
        lex.open()?;
        let outer = std::mem::replace(&mut state.group, group);
        parse_body(lex, opened, t, state).map_err(|e| e.within(group))?;
        state.group = outer;
        return Ok(true);
    }
    if T::KIND.is_some() && is(word, INHERIT) {
        lex.open()?;
        while !lex.eat(b'}') {
            let at = lex.pos();
            let word = lex.word()?;
            let Some(flag) = NODE_FLAGS.iter().find(|f| f.inherit && is(word, f.word)) else {
                return Err(lex.fail(at, format!("unknown word {} in `{INHERIT}`", quote(word))));
            };
            state.bits |= flag.bit;
        }
        return Ok(true);
    }
    if !fixed && parse_track(lex, at, t, state, word)? {
        return Ok(true);
    }
    // A field of the current inner block takes precedence over one of the same name elsewhere.
    let rank = |f: &Field<T>| (f.group == state.group, within(lex.version, f.versions));
    let own = T::FIELDS
        .iter()
        .enumerate()
        .filter(|(_, f)| f.accepts(word))
        .max_by_key(|(i, f)| (rank(f), usize::MAX - i));
    if let Some((index, field)) = own {
        state.seen |= 1 << (index as u32 & 63);
        field.parse(lex, t)?;
        return Ok(true);
    }
    if let Some(node) = t.node_mut()
        && let Some(field) = NODE.iter().find(|f| f.accepts(word))
    {
        field.parse(lex, node)?;
        return Ok(true);
    }
    if let Some(flag) = flag_words::<T>().into_iter().flatten().find(|f| !f.inherit && is(word, f.word)) {
        state.bits |= flag.bit;
        return Ok(true);
    }
    Ok(parse_pick(t, state, word))
}

/// Parses a bare keyword that stands for a value.
fn parse_pick<T: Block>(t: &mut T, state: &mut State<'_>, word: &[u8]) -> bool {
    for (index, field) in T::FIELDS.iter().enumerate() {
        if let How::Pick(at, words) = &field.how
            && let Some(value) = words.iter().position(|w| is(word, w))
        {
            state.seen |= 1 << (index as u32 & 63);
            *(at.set)(t) = value as u32;
            return true;
        }
    }
    false
}

fn parse_track<T: Block>(
    lex: &mut Lexer<'_>,
    at: usize,
    t: &mut T,
    state: &State<'_>,
    word: &[u8],
) -> Result<bool> {
    if !matches!(lex.peek(), Some(b'{' | b'0'..=b'9')) || !track::comes(lex)? {
        return Ok(false);
    }
    if T::KIND.is_some()
        && let Some(info) = track::find(lex, at, Owner::Node, word, "")?
    {
        let track = track::parse(lex, info)?;
        if let Some(node) = t.node_mut() {
            node.tracks.push(track);
        }
        return Ok(true);
    }
    if let Some(owner) = T::OWNER
        && let Some(info) = track::find(lex, at, owner, word, state.group)?
    {
        let track = track::parse(lex, info)?;
        if let Some(tracks) = t.tracks_mut() {
            tracks.push(track);
        }
        return Ok(true);
    }
    Ok(false)
}

/// Applies the sidecar lines where the plain text has no value.
fn apply<'a, T: Block>(lex: &mut Lexer<'a>, t: &mut T, state: &mut State<'a>) -> Result<()> {
    let version = lex.version;
    let mut flags = implied(t, version);
    let mut order = None;
    let guard = guard(t, version);
    let mut void = false;
    for line in std::mem::take(&mut state.lines) {
        match line.key() {
            b"for" => void = line.voids(lex, guard)?,
            _ if void => {}
            b"flags" => flags = line.number(lex)?,
            b"order" => order = Some(line),
            b"static" => apply_static(lex, t, state, line)?,
            _ => apply_line(lex, t, line, state.bits)?,
        }
    }
    let mask = mask(&flag_words::<T>(), version);
    if let Some(slot) = flags_mut(t) {
        *slot = flags & !mask | state.bits;
    }
    if let Some(line) = order
        && let Some(tracks) = t.tracks_mut()
    {
        reorder(tracks, line);
    }
    Ok(())
}

/// Applies one sidecar line.
pub(in crate::text) fn apply_line<T: Block>(
    lex: &mut Lexer<'_>,
    t: &mut T,
    line: Line<'_>,
    bits: u32,
) -> Result<()> {
    match line.key() {
        b"flags" => {
            let mask = mask(&flag_words::<T>(), lex.version);
            let stored = line.number(lex)?;
            if let Some(slot) = flags_mut(t) {
                *slot = stored & !mask | *slot & mask;
            }
            Ok(())
        }
        b"bytes" => apply_bytes(lex, t, line),
        b"before" | b"after" | b"node-before" | b"node-after" => apply_extra(lex, t, line),
        key => {
            let field = T::FIELDS.iter().find(|f| f.word.as_bytes() == key);
            match field {
                Some(field) => field.apply(lex, t, line),
                None if t.take_line(lex, line, bits)? => Ok(()),
                None => Err(line.wrong(lex)),
            }
        }
    }
}

fn apply_bytes<T: Block>(lex: &mut Lexer<'_>, t: &mut T, line: Line<'_>) -> Result<()> {
    let word = line.value();
    let field = T::FIELDS.iter().find_map(|f| match &f.how {
        How::Text(at) if f.word.as_bytes() == word => Some(at.set),
        _ => None,
    });
    match field {
        Some(set) => line.patch(lex, set(t)),
        None if word == b"Name" => match t.name_mut() {
            Some(name) => line.patch(lex, name),
            None => Err(line.wrong(lex)),
        },
        None => Err(line.wrong(lex)),
    }
}

fn apply_extra<T: Block>(lex: &mut Lexer<'_>, t: &mut T, line: Line<'_>) -> Result<()> {
    let bytes = line.hex(lex)?;
    let key = line.key();
    let tracks = match key.strip_prefix(b"node-") {
        Some(_) => t.node_mut().map(|n| &mut n.tracks),
        None => t.tracks_mut(),
    };
    let Some(tracks) = tracks else { return Err(line.wrong(lex)) };
    let extra = tracks.extra.get_or_insert_default();
    match key.ends_with(b"before") {
        true => extra.before = bytes,
        false => extra.after = bytes,
    }
    Ok(())
}

/// Applies `static Word value`: the static value of an animated field.
fn apply_static<T: Block>(lex: &mut Lexer<'_>, t: &mut T, state: &State<'_>, line: Line<'_>) -> Result<()> {
    let word = line.value();
    let Some((index, field)) = T::FIELDS.iter().enumerate().find(|(_, f)| f.word.as_bytes() == word) else {
        return if t.take_line(lex, line, state.bits)? { Ok(()) } else { Err(line.wrong(lex)) };
    };
    let moves =
        T::OWNER.zip(t.tracks()).is_some_and(|(owner, tracks)| field.moves(owner, tracks, lex.version));
    // An edit may have removed the track, or added the value to the plain text.
    if moves && state.seen & 1 << (index as u32 & 63) == 0 {
        parse_sidecar(lex, line, |inner| field.parse(inner, t))?;
    }
    Ok(())
}

/// Parses the value after the first two words of a sidecar line.
pub(in crate::text) fn parse_sidecar(
    lex: &mut Lexer<'_>,
    line: Line<'_>,
    parse: impl FnOnce(&mut Lexer<'_>) -> Result<()>,
) -> Result<()> {
    let mut inner = Lexer::new(line.after(2).text, &galatea_wire::Limits::default());
    inner.stand_ins = std::mem::take(&mut lex.stand_ins);
    let result = parse(&mut inner);
    lex.stand_ins = inner.stand_ins;
    result.map_err(|_| line.wrong(lex))
}

/// Sorts tracks in the order of the tags in a sidecar line, if it lists the same tracks.
fn reorder(tracks: &mut Tracks, line: Line<'_>) {
    let mut wanted: Vec<Tag> = line.values().filter_map(|w| w.first_chunk().map(Tag::from)).collect();
    let mut have: Vec<Tag> = tracks.iter().map(|t| t.tag).collect();
    let order = wanted.clone();
    wanted.sort();
    have.sort();
    if wanted != have {
        return;
    }
    let mut left: Vec<Option<_>> = std::mem::take(&mut tracks.list).into_iter().map(Some).collect();
    for tag in order {
        let slot = left.iter_mut().find(|t| t.as_ref().is_some_and(|t| t.tag == tag));
        tracks.list.extend(slot.and_then(Option::take));
    }
}
