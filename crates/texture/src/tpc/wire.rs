//! The records of TPC.

use galatea_wire::wire;

wire! {
    /// The header of a TPC; the pixels follow it, and after them the TXI text to the end of the file.
    pub struct TpcHead(128) {
        /// Bytes of the first level of one face; 0 means that the pixels are not compressed.
        pub size: u32 = 0,
        /// Mean or threshold of alpha: the reference of the alpha test. 1.0 in nearly every file.
        pub alpha_mean: f32 = 4,
        /// Pixels per row.
        pub width: u16 = 8,
        /// Rows; six times the width for a cube map.
        pub height: u16 = 10,
        /// 1 grey, 2 RGB (or DXT1), 4 RGBA (or DXT5), 12 BGRA in the Xbox's order.
        pub encoding: u8 = 12,
        /// Levels of detail of each face.
        pub mips: u8 = 13,
        /// Zero in every file seen.
        pub unused: [u8; 114] = 14,
    }
}
