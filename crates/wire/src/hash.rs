//! Hashes that are the same on every machine and in every version, because their values are stored in files: a hash of words,
//! and a checksum of bytes.
//!
//! Both detect accidents. Neither resists attacks, so data that is found by them must be compared.

/// A hash of a sequence of 32-bit words.
///
/// Every step can be undone, so two sequences of one length that differ in a single word never have the same hash.
///
/// ```
/// use galatea_wire::StableHash;
/// let mut hash = StableHash::new();
/// hash.word(1);
/// assert_eq!(hash, StableHash::new().words([1]));
/// assert_ne!(hash, StableHash::new().words([1, 0]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StableHash(u64);

impl Default for StableHash {
    fn default() -> Self {
        StableHash(0x243F_6A88_85A3_08D3)
    }
}

impl StableHash {
    /// Returns the hash of no words.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a word.
    #[inline]
    pub fn word(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(MULTIPLIER);
        self.0 ^= self.0 >> 32;
    }

    /// Returns the hash with more words.
    #[must_use]
    pub fn words(mut self, words: impl IntoIterator<Item = u32>) -> Self {
        words.into_iter().for_each(|word| self.word(word));
        self
    }

    /// Returns the hash with bytes, of which each is a word, and their number before them.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Self {
        self.words([bytes.len() as u32]).words(bytes.iter().map(|b| u32::from(*b)))
    }

    /// Returns the hash with the bits of numbers, row by row.
    #[must_use]
    pub fn floats<'a>(self, rows: impl IntoIterator<Item = &'a [f32]>) -> Self {
        rows.into_iter().fold(self, |hash, row| hash.words(row.iter().map(|v| v.to_bits())))
    }

    /// Returns the hash that has this value, to continue it.
    pub fn resume(value: u64) -> Self {
        StableHash(value)
    }

    /// Returns the value of the hash.
    pub fn finish(self) -> u64 {
        self.0
    }

    /// Returns 32 bits that depend on all 64 of the value.
    pub fn folded(self) -> u32 {
        (self.0 ^ self.0 >> 32) as u32
    }
}

/// 2^64 divided by the golden ratio, which is odd.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns a checksum of 64 bits, at several bytes per cycle.
///
/// ```
/// assert_eq!(galatea_wire::checksum(b"abc"), 0x3aaf_4ca3_0e9e_0a7a);
/// ```
pub fn checksum(bytes: &[u8]) -> u64 {
    let mix =
        |sum: u64, word: [u8; 8]| (sum ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER).rotate_left(29);
    // Four lanes, which can be computed in parallel.
    let mut lanes = [1u64, 2, 3, 4];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mix(*lane, *word);
        }
    }
    let (words, last) = rest.as_chunks::<8>();
    let mut tail = [0u8; 8];
    tail.iter_mut().zip(last).for_each(|(to, from)| *to = *from);
    let rest = words.iter().copied().chain([tail, (bytes.len() as u64).to_le_bytes()]);
    let lanes = lanes.map(u64::to_le_bytes).into_iter();
    let sum = lanes.chain(rest).fold(MULTIPLIER, mix);
    sum ^ (sum >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected values were computed by another implementation. They are in users' files and must not change.

    #[test]
    fn known_checksums() {
        let all: Vec<u8> = (0..=255).collect();
        for (bytes, expected) in [
            (&b""[..], 0x1264_6fca_54b2_00ed),
            (b"abc", 0x3aaf_4ca3_0e9e_0a7a),
            (b"The quick brown fox jumps over the lazy dog", 0x94a2_532a_4526_75b3),
            (&all, 0x9796_0698_a4de_7b6a),
        ] {
            assert_eq!(checksum(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn known_hashes() {
        for (words, expected) in [
            (&[][..], 0x243f_6a88_85a3_08d3),
            (&[0], 0xf7e2_7bea_df41_96a5),
            (&[1], 0x59ab_0230_f0f2_730a),
            (&[1, 2, 3], 0x3a74_0d73_36b9_1e8f),
            (&[u32::MAX, u32::MAX], 0x5280_3f23_8f75_5d69),
        ] {
            assert_eq!(StableHash::new().words(words.iter().copied()).finish(), expected, "{words:?}");
        }
        assert_eq!(StableHash::new().bytes(b"abc").finish(), 0xdd5b_cb91_a767_44e1);
        let numbers = [1.0f32, -0.0];
        let begun = StableHash::new().words([1.0f32.to_bits()]).finish();
        assert_eq!(StableHash::new().floats([&numbers[..]]), StableHash::resume(begun).words([1 << 31]));
        assert_ne!(StableHash::resume(1 << 32).folded(), StableHash::resume(1 << 33).folded());
    }

    #[test]
    fn lengths_and_places_count_in_checksums() {
        let mut seen = std::collections::HashSet::new();
        for len in 0..200 {
            let mut bytes = vec![0u8; len];
            assert!(seen.insert(checksum(&bytes)), "{len} zeros");
            for at in 0..len {
                bytes[at] = 1;
                assert!(seen.insert(checksum(&bytes)), "{len}, one at {at}");
                bytes[at] = 0;
            }
        }
    }

    #[test]
    fn every_single_word_counts() {
        let words = [7u32, 0, u32::MAX, 12];
        let hash = |words: [u32; 4]| StableHash::new().words(words);
        for at in 0..words.len() {
            for bit in 0..32 {
                let mut other = words;
                other[at] ^= 1 << bit;
                assert_ne!(hash(other), hash(words), "bit {bit} of word {at}");
            }
        }
    }
}
