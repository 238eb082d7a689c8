//! How much a reader may do before it gives up. The defaults are generous for any real file.

/// Bounds that every reader keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deepest nesting of nodes, chunks or text blocks.
    pub depth: u32,
    /// Most nodes, chunks, tracks and other scopes in one file.
    pub nodes: u32,
    /// Bytes of decoded data, as a multiple of the input's length (in addition to `spare`).
    pub ratio: u32,
    /// Bytes of decoded data that even the smallest input may ask for.
    pub spare: u64,
    /// Most pixels that one picture may be decoded to.
    pub pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 512, nodes: 4_000_000, ratio: 2, spare: 1 << 20, pixels: 1 << 26 }
    }
}

impl Limits {
    /// The bytes that decoding an input of this length may allocate.
    pub fn budget(&self, input: usize) -> u64 {
        (input as u64).saturating_mul(u64::from(self.ratio)).saturating_add(self.spare)
    }
}
