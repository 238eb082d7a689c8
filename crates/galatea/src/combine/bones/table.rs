//! Tables of bones as text: printed, edited, and given back.

use std::fmt::Write;

use galatea_wire::{escape, near};

use super::{How, Matching, Skeleton};
use crate::combine::CombineError;
use crate::edit::Refusal;

/// Which bone of one skeleton is which of another, by their names.
///
/// A line is `FROM = TO`; `-` in place of `TO` leaves a bone without a counterpart. What follows a `#` is a comment. Names with `=`,
/// `#`, quotes or spaces at their ends are in quotes, with the escapes of `galatea inspect`.
///
/// ```
/// use galatea::combine::BoneTable;
/// let table = BoneTable::parse("Bone_Chest = torsoUpr_g  # chest\n\"a = b\" = -\n").unwrap();
/// assert_eq!(table.pairs[0], ("Bone_Chest".to_owned(), Some("torsoUpr_g".to_owned())));
/// assert_eq!(table.pairs[1], ("a = b".to_owned(), None));
/// assert!(BoneTable::parse("Bone_Chest").is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoneTable {
    /// The bones with their counterparts.
    pub pairs: Vec<(String, Option<String>)>,
}

impl BoneTable {
    /// Reads a table from its text.
    pub fn parse(text: &str) -> Result<BoneTable, CombineError> {
        let mut pairs: Vec<(String, Option<String>)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |why: &str| CombineError::Table { line: number, why: why.to_owned() };
            let mut rest = line.trim();
            if rest.is_empty() || rest.starts_with('#') {
                continue;
            }
            let (from, _) = name(&mut rest).ok_or_else(|| wrong("a quote is not closed"))?;
            let after = rest.trim_start().strip_prefix('=');
            rest = after.ok_or_else(|| wrong("needs the form FROM = TO"))?.trim_start();
            let (to, quoted) = name(&mut rest).ok_or_else(|| wrong("a quote is not closed"))?;
            rest = rest.trim_start();
            if from.is_empty() || to.is_empty() && !quoted {
                return Err(wrong("needs the form FROM = TO, or FROM = - for no counterpart"));
            }
            if !rest.is_empty() && !rest.starts_with('#') {
                return Err(wrong("there is more than FROM = TO; names with = or # are in quotes"));
            }
            let to = if to == "-" && !quoted { None } else { Some(to) };
            let twice = pairs
                .iter()
                .any(|(name, other)| name.eq_ignore_ascii_case(&from) || to.is_some() && *other == to);
            if twice {
                return Err(wrong("one of the two was named in a line before"));
            }
            pairs.push((from, to));
        }
        Ok(BoneTable { pairs })
    }

    /// Returns the bones of two skeletons that the table names.
    pub(super) fn resolve(
        &self,
        from: &Skeleton,
        to: &Skeleton,
    ) -> Result<Vec<(usize, Option<usize>)>, CombineError> {
        let find = |skeleton: &Skeleton, name: &str, what: &'static str| {
            let names = skeleton.bones.iter().map(|bone| bone.name.as_str());
            skeleton.find(name).ok_or_else(|| Refusal::Missing {
                what,
                name: name.to_owned(),
                near: near(name, names).map(str::to_owned),
            })
        };
        let mut out = Vec::new();
        for (a, b) in &self.pairs {
            let from = find(from, a, "bone in the model that clips are taken of")?;
            let to =
                b.as_ref().map(|b| find(to, b, "bone in the model that clips are put on")).transpose()?;
            out.push((from, to));
        }
        Ok(out)
    }
}

/// Takes a name from the front of a line, and returns whether it was in quotes.
fn name(rest: &mut &str) -> Option<(String, bool)> {
    let Some(quoted) = rest.strip_prefix('"') else {
        let end = rest.find(['=', '#']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        *rest = after;
        return Some((name.trim().to_owned(), false));
    };
    let mut out = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                *rest = quoted.get(at + 1..)?;
                return Some((out, true));
            }
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    None
}

/// Returns a name as a line of the table has it.
fn shown(name: &str) -> String {
    let plain = !name.is_empty()
        && name.trim() == name
        && name != "-"
        && !name.starts_with('"')
        && !name.contains(|c: char| matches!(c, '=' | '#') || c.is_control());
    if plain { name.to_owned() } else { format!("\"{}\"", escape(name)) }
}

/// Prints which bones match, as a table that can be edited and read back by [`BoneTable::parse`].
pub(crate) fn print_table(matching: &Matching, from: &Skeleton, to: &Skeleton) -> String {
    let name =
        |skeleton: &Skeleton, at: usize| skeleton.bones.get(at).map_or_else(String::new, |b| shown(&b.name));
    let mut lines: Vec<(usize, String, String, String)> = Vec::new();
    for pair in &matching.pairs {
        let how = match &pair.how {
            How::Table => "as given".to_owned(),
            How::Name => "same name".to_owned(),
            How::Root => "root".to_owned(),
            How::Part(part) => part.clone(),
            How::Place => "by tree and place".to_owned(),
        };
        lines.push((pair.from, name(from, pair.from), name(to, pair.to), how));
    }
    for bone in &matching.left_from {
        lines.push((*bone, name(from, *bone), "-".to_owned(), "no counterpart".to_owned()));
    }
    lines.sort_by_key(|(at, ..)| *at);
    let left = lines.iter().map(|(_, left, ..)| left.chars().count()).max().unwrap_or(0);
    let right = lines.iter().map(|(_, _, right, _)| right.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (_, a, b, how) in &lines {
        let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.chars().count()));
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{a}{} = {b}{}  # {how}", pad(a, left), pad(b, right));
    }
    if !matching.left_to.is_empty() {
        let rest: Vec<String> = matching.left_to.iter().map(|at| name(to, *at)).collect();
        let _ = writeln!(out, "# at rest, without a counterpart: {}", rest.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Bone, Pair};
    use super::*;

    #[test]
    fn what_is_printed_is_read_back() {
        let bone =
            |name: &str| Bone { name: name.into(), kind: "bone", parent: None, place: [0.0; 3], node: 0 };
        let names = ["Bip01 L Hand", "a = b", "#1", " x", "-", "q\"uote", "back\\slash"];
        let skeleton = Skeleton { bones: names.iter().map(|n| bone(n)).collect(), height: 1.0 };
        let mut matching = Matching::default();
        for at in 0..names.len() - 1 {
            matching.pairs.push(Pair { from: at, to: at, how: How::Name });
        }
        matching.left_from.push(names.len() - 1);
        matching.left_to.push(0);
        let table = BoneTable::parse(&print_table(&matching, &skeleton, &skeleton)).unwrap();
        let mut want: Vec<(String, Option<String>)> =
            names.iter().map(|n| ((*n).to_owned(), Some((*n).to_owned()))).collect();
        want.last_mut().unwrap().1 = None;
        assert_eq!(table.pairs, want);
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, line) in [
            ("a = b\nc", 2),
            ("= b", 1),
            ("a =", 1),
            ("\"a = b", 1),
            ("a = b c = d", 1),
            ("a = b\na = c", 2),
            ("a = c\nb = c", 2),
        ] {
            match BoneTable::parse(text) {
                Err(CombineError::Table { line: found, .. }) => assert_eq!(found, line, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
