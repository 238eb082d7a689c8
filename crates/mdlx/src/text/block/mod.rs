//! Blocks: records whose fields are described by a table. They are parsed in any order and printed in the table's order.

mod parse;
mod print;

use galatea_wire::Result;

pub(in crate::text) use parse::{apply_line, parse, parse_sidecar};
pub(in crate::text) use print::{print, print_body, print_top};

use crate::text::field::{ALL, At, Field, FlagWord, How, Show, WARCRAFT, always, changed, flag, within};
use crate::text::lex::Lexer;
use crate::text::out::Out;
use crate::text::sidecar::{Line, guard_of};
use crate::{Node, NodeKind, Owner, Tracks, Version};

/// The state of parsing a block, besides its fields.
#[derive(Default)]
pub(in crate::text) struct State<'a> {
    /// Sidecar lines of the block.
    pub(in crate::text) lines: Vec<Line<'a>>,
    /// Fields that have a value in the plain text, as bits by their index in the table.
    seen: u64,
    /// Flag bits set by keywords.
    bits: u32,
    /// The inner block that is being parsed.
    group: &'static str,
}

/// A record that is printed as a block.
pub(in crate::text) trait Block: Default + 'static {
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

/// Returns the checksum for the sidecar lines of a block: of its name, or else of its first string; `None` without either.
pub(in crate::text) fn guard<T: Block>(t: &T, version: Version) -> Option<u32> {
    let fields = || T::FIELDS.iter().filter(|f| within(version, f.versions) && f.show != Show::Sidecar);
    let text = fields().find_map(|f| match &f.how {
        How::Text(at) => Some((at.get)(t)),
        _ => None,
    });
    let name = t.name().or(text)?;
    name.first().is_some_and(|b| *b != 0).then(|| guard_of(T::WORD, name))
}
