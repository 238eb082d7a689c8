//! The records of BLP0, BLP1 and BLP2.

use galatea_wire::{Offset, wire};

wire! {
    /// The head of a BLP0 or BLP1. BLP1: the table of levels follows; BLP0: its levels are files of their own (`.b00`, `.b01`, ...).
    pub struct BlpHead(28) {
        /// `BLP0` or `BLP1`.
        pub magic: [u8; 4] = 0,
        /// 0: JPEG with raw B, G, R, A components; 1: palette.
        pub content: u32 = 4,
        /// Bits of alpha: 0, 1, 4, 8 with a palette; with JPEG 0 is opaque, and anything else means 8.
        pub alpha_bits: u32 = 8,
        /// Pixels per row.
        pub width: u32 = 12,
        /// Rows.
        pub height: u32 = 16,
        /// A hint of 3, 4 (with alpha) or 5 (without); not reliable, not needed.
        pub hint: u32 = 20,
        /// Whether there are smaller levels; some files hold junk.
        pub has_mips: u32 = 24,
    }
}

wire! {
    /// The head of a BLP2; the table of levels follows, then a palette of 256 colours, used or not.
    pub struct Blp2Head(20) {
        /// `BLP2`.
        pub magic: [u8; 4] = 0,
        /// 1 (0 would be JPEG).
        pub content: u32 = 4,
        /// 1: palette, 2: DXT, 3: BGRA.
        pub encoding: u8 = 8,
        /// Bits of alpha: 0, 1, 4 or 8.
        pub alpha_bits: u8 = 9,
        /// DXT: 0 is DXT1, 1 is DXT3, 7 is DXT5.
        pub alpha_type: u8 = 10,
        /// Whether there are smaller levels.
        pub has_mips: u8 = 11,
        /// Pixels per row.
        pub width: u32 = 12,
        /// Rows.
        pub height: u32 = 16,
    }
}

wire! {
    /// Where the levels are.
    pub struct MipTable(128) {
        /// First byte of each level from the start of the file; 0 where there is none.
        pub offsets: [Offset; 16] = 0,
        /// Bytes of each level; 0 where there is none.
        pub sizes: [u32; 16] = 64,
    }
}
