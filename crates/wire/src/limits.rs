//! Limits of readers. The defaults are generous for any real file.

/// Limits that every reader observes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Deepest nesting of nodes, chunks or text blocks.
    pub depth: u32,
    /// Most nodes, chunks, tracks and other scopes in one file.
    pub nodes: u32,
    /// Bytes of decoded data, as a multiple of the input's length (in addition to `base_allowance`).
    pub ratio: u32,
    /// Bytes of decoded data that the smallest input may have.
    pub base_allowance: u64,
    /// Most pixels that one image may be decoded to; see also [`Limits::of_image`].
    pub pixels: u64,
    /// Most bytes that one entry of an archive may be unpacked to.
    pub entry: u64,
}

crate::setters! {
    Limits {
        with_depth: depth: u32,
        with_nodes: nodes: u32,
        with_ratio: ratio: u32,
        with_base_allowance: base_allowance: u64,
        with_pixels: pixels: u64,
        with_entry: entry: u64,
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: 512,
            nodes: 4_000_000,
            ratio: 2,
            base_allowance: 1 << 20,
            pixels: 1 << 26,
            entry: 1 << 30,
        }
    }
}

/// Pixels that the smallest file may have: 4096 x 4096.
const PLAIN_PIXELS: u64 = 1 << 24;
/// Pixels for each byte of a file. Blocks of BC1 have two, JPEG and PNG about as many.
const PIXELS_PER_BYTE: u64 = 4;

impl Limits {
    /// Returns the limits for an image that is compressed to this many bytes. A single color compresses a thousandfold, so the
    /// size of the image is limited by the length of the file.
    ///
    /// ```
    /// use galatea_wire::Limits;
    /// let limits = Limits::default();
    /// assert_eq!(limits.of_image(1000).pixels, (1 << 24) + 4000);
    /// assert_eq!(limits.of_image(100 << 20), limits);
    /// ```
    pub fn of_image(&self, packed: usize) -> Limits {
        let pixels = (packed as u64).saturating_mul(PIXELS_PER_BYTE).saturating_add(PLAIN_PIXELS);
        Limits { pixels: self.pixels.min(pixels), ..*self }
    }

    /// Returns the bytes that decoding an input of this length may allocate.
    pub fn budget(&self, input: usize) -> u64 {
        (input as u64).saturating_mul(u64::from(self.ratio)).saturating_add(self.base_allowance)
    }
}
