//! Blocks: records whose fields are described by a table. They are parsed in any order and printed in the table's order.

use galatea_wire::Result;

use super::field::{ALL, At, Field, FlagWord, How, Show, WARCRAFT, always, changed, fill, flag, within};
use super::lex::{Lexer, is, quote};
use super::out::Out;
use super::sidecar::{Line, guard_of, hex_of};
use super::track;
use crate::{Extra, Node, NodeKind, Owner, Tag, Tracks, Version, track_info};

/// The state of parsing a block, besides its fields.
#[derive(Default)]
pub(super) struct State<'a> {
    /// Sidecar lines of the block.
    pub(super) lines: Vec<Line<'a>>,
    /// Fields that have a value in the plain text, as bits by their index in the table.
    seen: u64,
    /// Flag bits set by keywords.
    bits: u32,
    /// The inner block that is being parsed.
    group: &'static str,
}

/// A record that is printed as a block.
pub(super) trait Block: Default + 'static {
    const WORD: &'static str;
    const FIELDS: &'static [Field<Self>];
    /// The owner of the tracks, other than those of the node.
    const OWNER: Option<Owner> = None;
    const KIND: Option<NodeKind> = None;
    /// Inner blocks with fields and tracks.
    const GROUPS: &'static [&'static str] = &[];
    /// Keywords for bits of the node's flags that only this kind of node has.
    const NODE_FLAGS: &'static [FlagWord] = &[];
    /// Whether [`print_more`](Self::print_more) comes before the fields of the table.
    const MORE_FIRST: bool = false;

    /// Returns the string after the block's keyword.
    fn name(&self) -> Option<&[u8]> {
        None
    }
    fn name_mut(&mut self) -> Option<&mut [u8]> {
        None
    }
    fn node(&self) -> Option<&Node> {
        None
    }
    fn node_mut(&mut self) -> Option<&mut Node> {
        None
    }
    fn tracks(&self) -> Option<&Tracks> {
        None
    }
    fn tracks_mut(&mut self) -> Option<&mut Tracks> {
        None
    }
    /// Returns bits of the flags that are set without a keyword.
    fn implied(&self, _version: Version) -> u32 {
        0
    }
    /// Parses what the table cannot describe. Returns `true` if the keyword was known. `fixed` is `true` after `static`; `bits` are
    /// the flag bits set by keywords.
    fn parse_more(
        &mut self,
        _lex: &mut Lexer<'_>,
        _word: &[u8],
        _fixed: bool,
        _bits: &mut u32,
    ) -> Result<bool> {
        Ok(false)
    }
    /// Prints what the table cannot describe.
    fn print_more(&self, _out: &mut Out) -> Result<()> {
        Ok(())
    }
    /// Applies a sidecar line that the table does not describe. Returns `true` if it was known.
    fn take_line(&mut self, _lex: &mut Lexer<'_>, _line: Line<'_>, _bits: u32) -> Result<bool> {
        Ok(false)
    }
    /// Completes the record after everything was parsed.
    fn finish(&mut self, _lex: &mut Lexer<'_>, _opened: usize, _bits: u32) -> Result<()> {
        Ok(())
    }
}

/// Fields of every node.
const NODE: &[Field<Node>] = &[
    always("ObjectId", How::Uint(At { get: |n| &n.object_id, set: |n| &mut n.object_id })),
    changed("Parent", How::Int(At { get: |n| &n.parent_id, set: |n| &mut n.parent_id })),
];

/// Keywords for bits that any node may have.
const NODE_FLAGS: &[FlagWord] = &[
    FlagWord { word: "Translation", bit: 0x1, versions: ALL, inherit: true },
    FlagWord { word: "Rotation", bit: 0x4, versions: ALL, inherit: true },
    FlagWord { word: "Scaling", bit: 0x2, versions: ALL, inherit: true },
    flag("Billboarded", 0x8, ALL),
    flag("BillboardedLockX", 0x10, ALL),
    flag("BillboardedLockY", 0x20, ALL),
    flag("BillboardedLockZ", 0x40, ALL),
    flag("CameraAnchored", 0x80, WARCRAFT),
];

const INHERIT: &str = "DontInherit";

/// Returns the bits that have keywords in this version.
fn mask(words: &[&[FlagWord]], version: Version) -> u32 {
    words.iter().copied().flatten().filter(|f| within(version, f.versions)).fold(0, |mask, f| mask | f.bit)
}

/// Returns the keywords for the flag bits of a record: of its node, or of its own flags.
fn flag_words<T: Block>() -> [&'static [FlagWord]; 2] {
    if T::KIND.is_some() {
        return [NODE_FLAGS, T::NODE_FLAGS];
    }
    let words = T::FIELDS.iter().find_map(|f| match &f.how {
        How::Flags(_, words) => Some(*words),
        _ => None,
    });
    [words.unwrap_or(&[]), &[]]
}

fn flags_mut<T: Block>(t: &mut T) -> Option<&mut u32> {
    if T::KIND.is_some() {
        return t.node_mut().map(|n| &mut n.flags);
    }
    T::FIELDS
        .iter()
        .find_map(|f| match &f.how {
            How::Flags(at, _) => Some(at.set),
            _ => None,
        })
        .map(|set| set(t))
}

fn flags_of<T: Block>(t: &T) -> Option<u32> {
    if T::KIND.is_some() {
        return t.node().map(|n| n.flags);
    }
    T::FIELDS.iter().find_map(|f| match &f.how {
        How::Flags(at, _) => Some(*(at.get)(t)),
        _ => None,
    })
}

/// Returns bits that need no keyword, such as that of the node's kind.
fn implied<T: Block>(t: &T, version: Version) -> u32 {
    let kind = T::KIND.map_or(0, |k| if version.is_wow() { k.wow_bit() } else { k.warcraft_bit() });
    kind | t.implied(version)
}

/// Parses a block after its keyword, up to its `}`. `lines` are the sidecar lines above it.
pub(super) fn parse<'a, T: Block>(lex: &mut Lexer<'a>, lines: Vec<Line<'a>>) -> Result<T> {
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

/// Returns the checksum for the sidecar lines of a block: of its name, or else of its first string; `None` without either.
pub(super) fn guard<T: Block>(t: &T, version: Version) -> Option<u32> {
    let fields = || T::FIELDS.iter().filter(|f| within(version, f.versions) && f.show != Show::Sidecar);
    let text = fields().find_map(|f| match &f.how {
        How::Text(at) => Some((at.get)(t)),
        _ => None,
    });
    let name = t.name().or(text)?;
    name.first().is_some_and(|b| *b != 0).then(|| guard_of(T::WORD, name))
}

/// Applies one sidecar line.
pub(super) fn apply_line<T: Block>(lex: &mut Lexer<'_>, t: &mut T, line: Line<'_>, bits: u32) -> Result<()> {
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
pub(super) fn parse_sidecar(
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

/// Prints a block; its sidecar lines are queued in `out`.
pub(super) fn print<T: Block>(out: &mut Out, t: &T) -> Result<()> {
    let mut result = Ok(());
    let label = || match t.name() {
        Some(name) => format!(
            "{} \"{}\"",
            T::WORD,
            galatea_wire::escape_bytes(name.split(|b| *b == 0).next().unwrap_or(&[]))
        ),
        None => T::WORD.to_owned(),
    };
    let from = out.sidecar_len();
    out.named_block(T::WORD, t.name(), |out| result = print_body(out, t));
    out.guard_sidecar(from, guard(t, out.version));
    result.map_err(|e| e.within(label()))
}

/// Prints a top-level block with its sidecar lines above it.
pub(super) fn print_top<T: Block>(out: &mut Out, t: &T) -> Result<()> {
    let start = out.len();
    print(out, t)?;
    out.place_sidecar(start);
    Ok(())
}

pub(super) fn print_body<T: Block>(out: &mut Out, t: &T) -> Result<()> {
    let default = T::default();
    let version = out.version;
    if let Some(node) = t.node() {
        let plain = Node::default();
        for field in NODE {
            field.print(out, node, &plain, false);
        }
    }
    if T::MORE_FIRST {
        t.print_more(out)?;
    }
    print_flags(out, t);
    for field in T::FIELDS.iter().filter(|f| f.group.is_empty()) {
        print_field(out, t, &default, field);
    }
    if !T::MORE_FIRST {
        t.print_more(out)?;
    }
    if let Some(node) = t.node() {
        for track in &node.tracks {
            track::print(out, track, Owner::Node, None)?;
        }
        print_extra(out, node.tracks.extra.as_deref(), "node-");
    }
    let (Some(owner), Some(tracks)) = (T::OWNER, t.tracks()) else { return Ok(()) };
    print_extra(out, tracks.extra.as_deref(), "");
    let group_of = |track: &crate::Track| track_info(track.tag, owner, version).map_or("", track::group);
    let mut shown = Vec::with_capacity(tracks.list.len());
    for track in tracks.iter().filter(|t| group_of(t).is_empty()) {
        track::print(out, track, owner, None)?;
        shown.push(track.tag);
    }
    for group in T::GROUPS {
        let mut result = Ok(());
        out.block(group, |out| {
            for field in T::FIELDS.iter().filter(|f| f.group == *group) {
                print_field(out, t, &default, field);
            }
            for track in tracks.iter().filter(|t| group_of(t) == *group) {
                result = result.clone().and(track::print(out, track, owner, None));
                shown.push(track.tag);
            }
        });
        result?;
    }
    if !tracks.iter().map(|t| t.tag).eq(shown) {
        let tags: Vec<String> = tracks.iter().map(|t| t.tag.to_string()).collect();
        out.sidecar(format!("order {}", tags.join(" ")));
    }
    Ok(())
}

fn print_extra(out: &mut Out, extra: Option<&Extra>, prefix: &str) {
    let Some(Extra { before, after }) = extra else { return };
    out.sidecar(format!("{prefix}before {}", hex_of(before)));
    out.sidecar(format!("{prefix}after {}", hex_of(after)));
}

fn print_flags<T: Block>(out: &mut Out, t: &T) {
    let Some(flags) = flags_of(t) else { return };
    let words = flag_words::<T>();
    let version = out.version;
    for flag in words.into_iter().flatten() {
        if flags & flag.bit == flag.bit && within(version, flag.versions) {
            if flag.inherit {
                out.flag(&format!("{INHERIT} {{ {} }}", flag.word));
            } else {
                out.flag(flag.word);
            }
        }
    }
    let mask = mask(&words, version);
    if flags & !mask != implied(t, version) & !mask {
        out.sidecar(format!("flags 0x{flags:x}"));
    }
}

fn print_field<T: Block>(out: &mut Out, t: &T, default: &T, field: &Field<T>) {
    if !within(out.version, field.versions) {
        return;
    }
    let moves =
        T::OWNER.zip(t.tracks()).is_some_and(|(owner, tracks)| field.moves(owner, tracks, out.version));
    field.print(out, t, default, moves);
}
