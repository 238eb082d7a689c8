//! The places of the blocks of a model.
//!
//! A model that still has the blocks it was read with keeps their places. Otherwise blocks are consecutive, in the
//! order they had in the file; new ones follow the block before them in the compiler's order. So an edit moves bytes
//! but changes only what depends on it.

use std::ops::Range;

use galatea_wire::{Error, Result};

use super::BlockWalk;
use super::blocks::{BlockKind, Pass};
use super::rows::RowPlan;
use crate::mdl::Model;
use crate::mdl::layout::{DATA_START, HEADERS, ModelLayout, Slot};
use crate::mdl::wire::FileHeader;

/// A range of the data of an MDL.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Its place: the old one until the blocks are laid out.
    place: u32,
    /// Length in bytes.
    len: u32,
    /// Length in the file that was read.
    old_len: u32,
    /// Whether it was read from a file.
    known: bool,
    kind: BlockKind,
}

/// The blocks of a model and their places.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// In the order of the game's compiler.
    blocks: Vec<Block>,
    /// Which block is the header of each node: those of the model, then those of its animations.
    nodes: Vec<u32>,
    /// Length of the data.
    pub(super) len: usize,
    /// Whether blocks share bytes, as in the file that was read. Then writing has to check whether they still agree on
    /// them.
    pub(super) shared: bool,
    too_long: bool,
}

impl Pass for Plan {
    #[inline]
    fn block(&mut self, kind: BlockKind, old: &Slot, size: usize, count: usize) -> u32 {
        let len = count.checked_mul(size).and_then(|len| u32::try_from(len).ok());
        self.too_long |= len.is_none();
        self.blocks.push(Block {
            place: old.at,
            len: len.unwrap_or(0),
            old_len: old.count.saturating_mul(size as u32),
            known: old.known,
            kind,
        });
        0
    }

    #[inline]
    fn node_block(&mut self, index: usize, old: &Slot, len: usize) -> u32 {
        if let Some(node) = self.nodes.get_mut(index) {
            *node = self.blocks.len() as u32;
        }
        self.block(BlockKind::Record, old, 1, len)
    }

    #[inline]
    fn node_place(&self, _: usize) -> u32 {
        0
    }

    #[inline]
    fn fill(&mut self, _: usize, _: usize, _: impl FnOnce(&mut [u8])) {}

    fn file_header(&mut self, _: &FileHeader) {}

    fn data_len(&self) -> usize {
        0
    }
}

impl Plan {
    /// Plans a model. Fails if its nodes are not trees, or if something is too long for the format.
    pub(super) fn of(model: &Model, rows: &RowPlan<'_>) -> Result<Plan> {
        let mut plan = Plan::measure(model, rows)?;
        if plan.too_long {
            return Err(Error::unrepresentable("a part of the model is longer than 4 GiB"));
        }
        if !plan.keeps_places(&model.layout) {
            plan.stack()?;
        }
        Ok(plan)
    }

    /// Lists the blocks at their old places.
    fn measure(model: &Model, rows: &RowPlan<'_>) -> Result<Plan> {
        let nodes = model.trees().map(<[_]>::len).sum();
        let others = 64 + model.names.len() + model.layout.gaps.len() + 2 * model.animations.len();
        let mut plan =
            Plan { blocks: Vec::with_capacity(others + 5 * nodes), nodes: vec![0; nodes], ..Plan::default() };
        BlockWalk::new(model, rows, &mut plan).run()?;
        Ok(plan)
    }

    /// Returns the blocks with their places, in the order of a pass.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|block| block.place)
    }

    /// Returns the place of the header of a node.
    #[inline]
    pub(super) fn node_place(&self, index: usize) -> u32 {
        let block = self.nodes.get(index).and_then(|block| self.blocks.get(*block as usize));
        block.map_or(0, |block| block.place)
    }

    /// Keeps the old places if the blocks are those that were read: of the same length, and together covering the data.
    /// Returns `false` if they are not.
    fn keeps_places(&mut self, layout: &ModelLayout) -> bool {
        let changed = |block: &Block| !block.known || block.len != block.old_len;
        if layout.headers.is_none() || self.blocks.iter().any(changed) {
            return false;
        }
        self.len = (layout.mdl_len as usize).saturating_sub(DATA_START);
        let blocks = self.blocks.iter().map(|block| (u64::from(block.place), u64::from(block.len)));
        let coverage = coverage([(0, u64::from(HEADERS))].into_iter().chain(blocks), self.len as u64, 0);
        self.shared = coverage == Coverage::Shared;
        match coverage {
            Coverage::Exact => true,
            Coverage::Shared => layout.overlaps && self.records_are_apart(),
            Coverage::Partial => false,
        }
    }

    /// Returns `true` if no two records have the same place.
    fn records_are_apart(&self) -> bool {
        let records = self.blocks.iter().filter(|block| block.kind == BlockKind::Record);
        let mut places: Vec<u32> = records.map(|block| block.place).collect();
        places.sort_unstable();
        places.is_sorted_by(|a, b| a < b)
    }

    /// Makes the blocks consecutive, in their old order.
    pub(super) fn stack(&mut self) -> Result<()> {
        // New blocks, and blocks that were empty before, follow the previous block in the list.
        let mut order: Vec<(u32, bool, u32)> = Vec::with_capacity(self.blocks.len());
        let mut last = 0;
        for (id, block) in self.blocks.iter().enumerate() {
            let old = block.known && block.old_len > 0;
            last = if old { block.place } else { last };
            order.push((last, !old, id as u32));
        }
        order.sort();
        let mut end = u64::from(HEADERS);
        let mut moves: Vec<(u32, u32)> = vec![(0, 0)];
        for (_, _, id) in order {
            let Some(block) = self.blocks.get_mut(id as usize) else { continue };
            let place =
                u32::try_from(end).map_err(|_| Error::unrepresentable("the model is longer than 4 GiB"))?;
            if block.known && block.old_len > 0 {
                moves.push((block.place, place));
            }
            end += u64::from(block.len);
            // The offsets of other empty blocks are set once all moves are known.
            if block.len > 0 || block.old_len > 0 || !block.known {
                block.place = place;
            }
        }
        for block in self.blocks.iter_mut().filter(|block| block.len == 0) {
            block.place = empty_place(block, &moves);
        }
        self.len = usize::try_from(end).map_err(|_| Error::unrepresentable("the model is too long"))?;
        self.shared = false;
        Ok(())
    }
}

/// Returns the place of an empty block. It has no meaning; if it was read from a file, it follows what it pointed to.
/// `moves` are the old and new places of blocks, sorted by the old ones.
fn empty_place(block: &Block, moves: &[(u32, u32)]) -> u32 {
    match block.place {
        none @ (0 | u32::MAX) if block.known && block.old_len == 0 => none,
        old if block.known && block.old_len == 0 => {
            let before = moves.partition_point(|(from, _)| *from <= old).saturating_sub(1);
            let (from, to) = moves.get(before).copied().unwrap_or((0, 0));
            to.wrapping_add(old.wrapping_sub(from))
        }
        place if block.kind == BlockKind::PlacedList => place,
        _ => 0,
    }
}

/// How ranges cover a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coverage {
    /// Every byte once.
    Exact,
    /// Every byte, some of them more than once.
    Shared,
    /// Not every byte, or bytes beyond the end.
    Partial,
}

/// Returns how ranges (start and length) cover `len` bytes. Up to `padding` bytes may be missing before a range and at
/// the end.
pub(super) fn coverage(ranges: impl Iterator<Item = (u64, u64)>, len: u64, padding: u64) -> Coverage {
    // The blocks are nearly sorted, so sorting is fast.
    let mut runs: Vec<Range<u64>> = Vec::new();
    for (start, len) in ranges.filter(|(_, len)| *len > 0) {
        match runs.last_mut() {
            Some(run) if run.end == start => run.end += len,
            _ => runs.push(start..start + len),
        }
    }
    runs.sort_unstable_by_key(|run| run.start);
    let (mut end, mut shared) = (0, false);
    for run in runs {
        if run.start > end + padding {
            return Coverage::Partial;
        }
        shared |= run.start < end;
        end = end.max(run.end);
    }
    match end <= len && len <= end + padding {
        false => Coverage::Partial,
        true if shared => Coverage::Shared,
        true => Coverage::Exact,
    }
}

impl Model {
    /// Returns whether the file has the block order of the game's compiler; `false` for a model that was not read from
    /// a file.
    pub fn has_compilers_order(&self) -> bool {
        let plan = RowPlan::of(self).and_then(|rows| Plan::measure(self, &rows));
        let Ok(plan) = plan else { return false };
        let mut end = 0;
        let filled = plan.blocks.iter().filter(|block| block.len > 0 && block.kind != BlockKind::Gap);
        let ascending = |block: &Block| {
            let follows = block.known && block.place >= end;
            end = block.place.saturating_add(block.len);
            follows
        };
        self.layout.headers.is_some() && filled.into_iter().all(ascending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_tells_holes_and_shared_bytes() {
        let of = |ranges: &[(u64, u64)], padding| coverage(ranges.iter().copied(), 10, padding);
        assert_eq!(of(&[(0, 4), (4, 6)], 0), Coverage::Exact);
        assert_eq!(of(&[(4, 6), (0, 0), (0, 4)], 0), Coverage::Exact);
        assert_eq!(of(&[(0, 5), (4, 6)], 0), Coverage::Shared);
        assert_eq!(of(&[(0, 10), (2, 3)], 0), Coverage::Shared);
        assert_eq!(of(&[(0, 3), (4, 6)], 0), Coverage::Partial);
        assert_eq!(of(&[(0, 4), (4, 5)], 0), Coverage::Partial);
        assert_eq!(of(&[(0, 4), (4, 7)], 0), Coverage::Partial);
        assert_eq!(of(&[(1, 3), (5, 4)], 1), Coverage::Exact);
        assert_eq!(of(&[(0, 4), (6, 4)], 1), Coverage::Partial);
    }
}
