//! One bit for every byte of a file.

/// A set of byte offsets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Returns an empty set with space for the offsets below `len`.
    pub(crate) fn with_len(len: usize) -> Self {
        Bits { words: vec![0; len.div_ceil(64)] }
    }

    /// Returns `true` if nothing was ever added.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds one offset below `len`, and returns `true` if it is new. Allocates on first use.
    pub(crate) fn insert(&mut self, at: usize, len: usize) -> bool {
        if self.words.is_empty() {
            *self = Self::with_len(len);
        }
        let Some(word) = self.words.get_mut(at / 64) else { return false };
        let bit = 1 << (at % 64);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    /// Adds a range of the offsets below `len`. Allocates on first use.
    #[inline]
    pub(crate) fn set(&mut self, start: usize, end: usize, len: usize) {
        if self.words.is_empty() {
            *self = Self::with_len(len);
        }
        let Some(words) = self.words.get_mut(start / 64..end.div_ceil(64)) else { return };
        let (head, tail) = (u64::MAX << (start % 64), u64::MAX >> (end.wrapping_neg() % 64));
        match words {
            [] => {}
            [only] => *only |= head & tail,
            [first, middle @ .., last] => {
                *first |= head;
                middle.fill(u64::MAX);
                *last |= tail;
            }
        }
    }

    /// Returns the ranges below `len` that are not in the set.
    pub(crate) fn gaps(&self, len: usize) -> Vec<std::ops::Range<usize>> {
        let mut out: Vec<std::ops::Range<usize>> = Vec::new();
        // Nearly everything is claimed, so full words are skipped many at a time.
        let full = |group: &[u64]| group.iter().fold(u64::MAX, |all, word| all & word) == u64::MAX;
        let groups = self.words.chunks(32).enumerate().filter(|(_, g)| !full(g));
        for (i, word) in groups.flat_map(|(i, g)| g.iter().enumerate().map(move |(j, w)| (i * 32 + j, w))) {
            let mut clear = !word;
            while clear != 0 {
                let start = clear.trailing_zeros();
                let run = (clear >> start).trailing_ones();
                let at = i * 64 + start as usize;
                let end = (at + run as usize).min(len);
                match out.last_mut() {
                    Some(last) if last.end == at => last.end = end,
                    _ if at < len => out.push(at..end),
                    _ => {}
                }
                if start + run >= 64 {
                    break;
                }
                clear &= u64::MAX << (start + run);
            }
        }
        out
    }
}
