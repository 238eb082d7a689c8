//! Where names lead: the hash table, by hashes.

use super::crypt::{HashKind, hashes};
use super::wire::HashEntry;

/// Slots with the same hashes that are looked at: there are fewer languages.
const MOST: usize = 32;
/// Bits of a block's index that matter; protected maps set the others.
const BLOCK_BITS: u32 = 0x0FFF_FFFF;

/// The slots of the hash table in the order of the hashes they store. The game probes the table instead, which takes quadratic time in
/// a table without free slots.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// Slots that lead to blocks, by their hashes.
    order: Vec<u32>,
    /// Where the slots of each group begin in `order`; the upper bits of the first hash select the group.
    groups: Vec<u32>,
    /// Bits of the first hash below those that select the group.
    shift: u32,
}

/// The hashes of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameHash {
    /// Where probing begins.
    pub(crate) slot: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

impl NameHash {
    pub(crate) fn new(name: &[u8]) -> Self {
        let [slot, a, b] = hashes(name, [HashKind::Slot, HashKind::A, HashKind::B]);
        NameHash { slot, a, b }
    }

    /// Returns how many slots the game tries before this one, in a table of so many.
    pub(crate) fn steps(self, slot: u32, count: usize) -> usize {
        let count = count.max(1);
        (slot as usize + count - self.slot as usize % count) % count
    }

    /// Returns `true` if an entry is of this name.
    pub(crate) fn is_of(self, entry: &HashEntry) -> bool {
        (entry.a, entry.b) == (self.a, self.b)
    }
}

/// Returns the index of the block that a slot leads to, if there is one.
pub(crate) fn block_of(entry: &HashEntry, blocks: usize) -> Option<usize> {
    [entry.block, entry.block & BLOCK_BITS]
        .into_iter()
        .map(|block| block as usize)
        .find(|block| entry.block < HashEntry::DELETED && *block < blocks)
}

impl Index {
    pub(crate) fn new(entries: &[HashEntry], blocks: usize) -> Self {
        let live = entries.iter().enumerate().filter(|(_, entry)| block_of(entry, blocks).is_some());
        let mut keys: Vec<(u64, u32)> = Vec::with_capacity(live.clone().count());
        keys.extend(live.map(|(slot, entry)| (key(entry.a, entry.b), slot as u32)));
        keys.sort_unstable();
        // As many groups as slots, so that most have one.
        let bits = usize::BITS - keys.len().leading_zeros();
        let bits = bits.clamp(1, 24);
        let shift = 32 - bits;
        let mut groups = Vec::with_capacity((1 << bits) + 1);
        let mut at = 0;
        for group in 0..1u64 << bits {
            groups.push(at as u32);
            let of_group = |(key, _): &(u64, u32)| key >> (32 + shift) == group;
            at += keys.get(at..).unwrap_or(&[]).iter().take_while(|key| of_group(key)).count();
        }
        groups.push(at as u32);
        Index { order: keys.into_iter().map(|(_, slot)| slot).collect(), groups, shift }
    }

    /// Returns the slots of a name, of all languages.
    pub(crate) fn slots(&self, name: NameHash, entries: &[HashEntry]) -> &[u32] {
        let group = (name.a >> self.shift.min(31)) as usize;
        let &[start, end] = self.groups.get(group..group.saturating_add(2)).unwrap_or(&[0, 0]) else {
            return &[];
        };
        let group = self.order.get(start as usize..end as usize).unwrap_or(&[]);
        let wanted = key(name.a, name.b);
        let of = |slot: &u32| entries.get(*slot as usize).map_or(0, |entry| key(entry.a, entry.b));
        let first = group.partition_point(|slot| of(slot) < wanted);
        let rest = group.get(first..).unwrap_or(&[]);
        let count = rest.iter().take(MOST).take_while(|slot| of(slot) == wanted).count();
        rest.get(..count).unwrap_or(&[])
    }
}

fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_found_by_its_hashes() {
        let entry = |i: u32| HashEntry {
            a: i.wrapping_mul(0x9E37_79B9),
            b: i / 2,
            block: i % 5,
            ..HashEntry::default()
        };
        for count in [0, 1, 2, 3, 100, 1000] {
            let entries: Vec<_> = (0..count).map(entry).collect();
            let index = Index::new(&entries, 4);
            for (slot, entry) in entries.iter().enumerate() {
                let name = NameHash { slot: 0, a: entry.a, b: entry.b };
                let expected: &[u32] = if entry.block < 4 { &[slot as u32] } else { &[] };
                assert_eq!(index.slots(name, &entries), expected, "{slot} of {count}");
                assert!(index.slots(NameHash { b: !entry.b, ..name }, &entries).is_empty());
            }
        }
        let same = vec![HashEntry { a: u32::MAX, b: 7, block: 0, ..HashEntry::default() }; 100];
        let index = Index::new(&same, 1);
        assert_eq!(index.slots(NameHash { slot: 0, a: u32::MAX, b: 7 }, &same).len(), MOST);
    }
}
