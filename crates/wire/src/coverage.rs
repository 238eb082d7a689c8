//! Which bytes were claimed, and by what. Unclaimed bytes are a [`Gap`], which documents keep.

use std::ops::Range;

use crate::{Field, Schema};

/// One claimed range, or a scope that other claims belong to.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// First byte.
    pub start: u32,
    /// One past the last byte. Equal to `start` for a scope, whose extent is that of its members.
    pub end: u32,
    /// Name of the field, table or scope.
    pub name: &'static str,
    /// Which one of several, or [`Claim::NO_INDEX`].
    pub index: u32,
    /// Where in the file the name of this scope is written, as (start, length); length 0 if nowhere.
    pub label: (u32, u32),
    /// The shape of one item; `None` for scopes and plain bytes.
    pub schema: Option<&'static Schema>,
    /// The scope this belongs to, as an index into [`Coverage::claims`], or [`Claim::ROOT`].
    pub parent: u32,
}

impl Claim {
    /// `index` of a claim that is not one of several.
    pub const NO_INDEX: u32 = u32::MAX;
    /// `parent` of claims of the file itself.
    pub const ROOT: u32 = u32::MAX;

    /// Returns a scope that begins here.
    pub(crate) fn scope(name: &'static str, index: Option<usize>, at: usize, parent: u32) -> Self {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let index = index.and_then(|i| u32::try_from(i).ok()).unwrap_or(Claim::NO_INDEX);
        Claim { start: at, end: at, name, index, label: (0, 0), schema: None, parent }
    }

    /// Returns `true` if this is a scope, not a range of bytes.
    pub fn is_scope(&self) -> bool {
        self.schema.is_none() && self.start == self.end
    }

    /// Returns the step this claim adds to a path: `nodes[7] "torso"`.
    pub fn step(&self, data: &[u8]) -> String {
        let mut out = self.name.to_owned();
        if self.index != Self::NO_INDEX {
            out.push_str(&format!("[{}]", self.index));
        }
        let (at, len) = self.label;
        if let Some(label) =
            data.get(at as usize..).and_then(|d| d.get(..len as usize)).filter(|l| !l.is_empty())
        {
            out.push_str(&format!(" \"{}\"", crate::escape_bytes(label)));
        }
        out
    }
}

/// Bytes that no record claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// First byte.
    pub offset: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Returns the gaps below `len` between ranges that are sorted by their start.
pub(crate) fn between(sorted: impl IntoIterator<Item = Range<usize>>, len: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    for range in sorted {
        if range.start > at {
            out.push(at..range.start.min(len));
        }
        at = at.max(range.end);
    }
    if at < len {
        out.push(at..len);
    }
    out
}

/// Everything a reader claimed, in the order of reading.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    claims: Vec<Claim>,
    /// The claims of rows, in their order.
    rows: Vec<(u32, Rows)>,
}

/// The shape of rows that is only known from the file.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// Bytes of one row.
    pub(crate) size: usize,
    /// The fields of a row.
    pub(crate) columns: Vec<Field>,
}

impl Coverage {
    pub(crate) fn push(&mut self, claim: Claim) -> u32 {
        let id = self.claims.len() as u32;
        self.claims.push(claim);
        id
    }

    pub(crate) fn push_rows(&mut self, claim: Claim, rows: Rows) {
        let id = self.push(claim);
        self.rows.push((id, rows));
    }

    /// Returns the shape of the rows that a claim consists of, if it does.
    pub(crate) fn rows(&self, id: u32) -> Option<&Rows> {
        let found = self.rows.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.rows.get(found).map(|(_, rows)| rows)
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.claims.truncate(len);
        self.rows.retain(|(id, _)| (*id as usize) < len);
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut Claim> {
        self.claims.get_mut(id as usize)
    }

    /// Returns all claims and scopes in the order of reading; a scope comes before its members.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// Returns the path of a claim or scope, outermost step first.
    pub fn path(&self, id: u32, data: &[u8]) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        while let Some(claim) = self.claims.get(at as usize) {
            steps.push(claim.step(data));
            at = claim.parent;
        }
        steps.reverse();
        steps.join(" > ")
    }

    /// Returns the claimed ranges, sorted and merged.
    fn merged(&self) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> =
            self.claims.iter().filter(|c| c.end > c.start).map(|c| (c.start, c.end)).collect();
        ranges.sort_unstable();
        ranges.dedup_by(|next, kept| {
            let touches = next.0 <= kept.1;
            if touches {
                kept.1 = kept.1.max(next.1);
            }
            touches
        });
        ranges
    }

    /// Returns the ranges of a file of `len` bytes that nobody claimed.
    pub fn gaps(&self, len: usize) -> Vec<Range<usize>> {
        between(self.merged().into_iter().map(|(start, end)| start as usize..end as usize), len)
    }

    /// Returns the unclaimed ranges with their bytes, as a document keeps them.
    pub fn keep_gaps(&self, data: &[u8]) -> Vec<Gap> {
        self.gaps(data.len())
            .into_iter()
            .filter_map(|range| {
                let offset = u32::try_from(range.start).ok()?;
                Some(Gap { offset, bytes: data.get(range)?.to_vec() })
            })
            .collect()
    }

    /// Returns pairs of claims that share bytes, by their ids, in the order of their offsets. At most `most` pairs.
    pub fn overlaps(&self, most: usize) -> Vec<(u32, u32)> {
        let mut order: Vec<u32> = (0..self.claims.len() as u32)
            .filter(|id| self.claims.get(*id as usize).is_some_and(|c| c.end > c.start))
            .collect();
        let range = |id: u32| self.claims.get(id as usize).map_or((0, 0), |c| (c.start, c.end));
        order.sort_unstable_by_key(|id| range(*id));
        let mut out = Vec::new();
        let mut reach: Option<(u32, u32)> = None;
        for id in order {
            let (start, end) = range(id);
            if let Some((held_by, held_to)) = reach
                && start < held_to
            {
                out.push((held_by, id));
                if out.len() >= most {
                    break;
                }
            }
            if reach.is_none_or(|(_, to)| end > to) {
                reach = Some((id, end));
            }
        }
        out
    }
}
