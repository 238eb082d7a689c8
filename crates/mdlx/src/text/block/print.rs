//! Printing a block.

use galatea_scene::hex;
use galatea_wire::Result;

use super::{Block, INHERIT, NODE, flag_words, flags_of, guard, implied, mask};
use crate::text::field::{Field, within};
use crate::text::out::Out;
use crate::text::track;
use crate::{Extra, Node, Owner, track_info};

/// Prints a block; its sidecar lines are queued in `out`.
pub(in crate::text) fn print<T: Block>(out: &mut Out, t: &T) -> Result<()> {
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
pub(in crate::text) fn print_top<T: Block>(out: &mut Out, t: &T) -> Result<()> {
    let start = out.len();
    print(out, t)?;
    out.place_sidecar(start);
    Ok(())
}

pub(in crate::text) fn print_body<T: Block>(out: &mut Out, t: &T) -> Result<()> {
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
    out.sidecar(format!("{prefix}before {}", hex(before)));
    out.sidecar(format!("{prefix}after {}", hex(after)));
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
