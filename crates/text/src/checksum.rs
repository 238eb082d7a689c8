//! The checksum that ties sidecar data to the plain text it belongs to.

/// A checksum of 32-bit words. Every change of a single word changes it.
///
/// ```
/// use galatea_text::Checksum;
/// let sum = Checksum::new().bytes(b"Bone").floats(&[1.0, -0.0]);
/// assert_ne!(sum, Checksum::new().bytes(b"Bone").floats(&[1.0, 0.0]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// Returns the checksum of nothing.
    #[expect(clippy::new_without_default, reason = "a checksum of nothing is a start, not a usual value")]
    pub fn new() -> Self {
        Checksum(0x243F_6A88_85A3_08D3)
    }

    /// Adds a word.
    #[inline]
    pub fn add(&mut self, word: u32) {
        // Each step is reversible, so two different checksums stay different until the next word.
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }

    /// Returns the checksum with these words added.
    #[must_use]
    pub fn words(mut self, words: impl IntoIterator<Item = u32>) -> Self {
        words.into_iter().for_each(|word| self.add(word));
        self
    }

    /// Returns the checksum with the bits of these numbers added.
    #[must_use]
    pub fn floats(self, numbers: &[f32]) -> Self {
        self.words(numbers.iter().map(|n| n.to_bits()))
    }

    /// Returns the checksum with a length and bytes added.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Self {
        self.words([bytes.len() as u32]).words(bytes.iter().map(|b| u32::from(*b)))
    }

    /// Returns all 64 bits.
    pub fn value(self) -> u64 {
        self.0
    }

    /// Returns 32 bits that depend on all 64.
    pub fn folded(self) -> u32 {
        (self.0 ^ self.0 >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_single_change_changes_the_checksum() {
        let words: Vec<u32> = (0..200).collect();
        let sum = Checksum::new().words(words.iter().copied());
        for i in 0..200 {
            for bit in 0..32 {
                let mut other = words.clone();
                other[i] ^= 1 << bit;
                assert_ne!(Checksum::new().words(other), sum);
            }
        }
        assert_ne!(Checksum::new().words([0]), Checksum::new());
        assert_ne!(Checksum::new().bytes(b"a"), Checksum::new().bytes(b"a\0"));
        assert_ne!(Checksum::new().bytes(b"a").folded(), Checksum::new().bytes(b"b").folded());
    }

    #[test]
    fn values_do_not_change_between_versions() {
        // They are stored in files.
        assert_eq!(Checksum::new().words([1, 2, 3]).value(), 4_212_006_339_988_758_159);
    }
}
