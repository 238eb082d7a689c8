//! The checksum that ties a record of the sidecar to the lines it depends on. Its values are stored in text files.

/// A checksum that detects every change of a single word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sum(pub(crate) u64);

impl Sum {
    pub(crate) fn new() -> Sum {
        Sum(0x243F_6A88_85A3_08D3)
    }

    #[inline]
    pub(crate) fn word(&mut self, word: u32) {
        // Each step is invertible, so two different sums stay different for equal words.
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }

    pub(crate) fn words(mut self, words: impl IntoIterator<Item = u32>) -> Sum {
        for word in words {
            self.word(word);
        }
        self
    }

    pub(crate) fn floats<'a>(mut self, rows: impl IntoIterator<Item = &'a [f32]>) -> Sum {
        for row in rows {
            for v in row {
                self.word(v.to_bits());
            }
        }
        self
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Sum {
        self.words([bytes.len() as u32]).words(bytes.iter().map(|b| u32::from(*b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_single_change_changes_the_sum() {
        let words: Vec<u32> = (0..200).collect();
        let sum = Sum::new().words(words.iter().copied());
        for i in 0..200 {
            for bit in 0..32 {
                let mut other = words.clone();
                other[i] ^= 1 << bit;
                assert_ne!(Sum::new().words(other), sum);
            }
        }
        assert_ne!(Sum::new().words([0]), Sum::new());
        assert_ne!(Sum::new().bytes(b"a"), Sum::new().bytes(b"a\0"));
    }
}
