//! Passes over the blocks of a model, for planning and writing.
//!
//! A block is a range of the MDL that an offset refers to. [`BlockWalk`](super::BlockWalk) visits the blocks always in
//! the order of the game's compiler: the first pass measures them, the second writes them to their planned places.

use galatea_wire::Wire;

use crate::mdl::layout::Slot;
use crate::mdl::wire::{ArrayDef, FileHeader};

/// How the place of a block is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// A list. The offset of an empty one is 0.
    List,
    /// A list whose offset is written by the game's compiler even if it is empty.
    PlacedList,
    /// A record that is read once only (a node, an animation, a box of a scattered tree), so that no two share a place.
    Record,
    /// Bytes that no offset refers to.
    Gap,
}

/// A pass over the blocks of a model.
pub(super) trait Pass {
    /// Moves on to the next block: `count` items of `size` bytes, which were at `old`. Returns its place.
    fn block(&mut self, kind: BlockKind, old: &Slot, size: usize, count: usize) -> u32;

    /// Moves on to the next block, the header of a node. `index` counts the nodes of the model, then those of its animations.
    fn node_block(&mut self, index: usize, old: &Slot, len: usize) -> u32;

    /// Returns the place of the header of a node.
    fn node_place(&self, index: usize) -> u32;

    /// Writes `len` bytes of the current block or of an earlier one.
    fn fill(&mut self, at: usize, len: usize, fill: impl FnOnce(&mut [u8]));

    /// Writes the file header, which is before all blocks.
    fn file_header(&mut self, header: &FileHeader);

    /// Returns the length of the data: the MDL without its file header.
    fn data_len(&self) -> usize;

    /// Writes a value.
    #[inline(always)]
    fn put<T: Wire>(&mut self, at: usize, value: &T) {
        self.fill(at, T::SIZE, |bytes| value.put(bytes));
    }

    /// Writes a record at `end` and advances it.
    #[inline(always)]
    fn append<T: Wire>(&mut self, end: &mut usize, value: &T) {
        self.put(*end, value);
        *end += T::SIZE;
    }

    /// Writes a list of values as the next block.
    #[inline(always)]
    fn list<T: Wire>(&mut self, kind: BlockKind, old: &Slot, values: &[T]) -> ArrayDef {
        let at = self.block(kind, old, T::SIZE, values.len());
        self.fill(at as usize, values.len() * T::SIZE, |bytes| T::put_all(values, bytes));
        old.def(at, values.len() as u32)
    }

    /// Writes a name with the NUL byte that ends it as the next block, which was at `old`. Returns its place.
    fn name(&mut self, old: Option<&u32>, name: &[u8]) -> u32 {
        // The old length is not stored. A name of a different length no longer fits between its neighbours.
        let len = name.len() + 1;
        let old = old.map(|at| Slot::plain(*at, len)).unwrap_or_default();
        let at = self.block(BlockKind::List, &old, 1, len);
        self.fill(at as usize, len, |bytes| {
            if let Some((nul, text)) = bytes.split_last_mut() {
                text.copy_from_slice(name);
                *nul = 0;
            }
        });
        at
    }
}
