//! The records of PFTXS.

use galatea_wire::wire;

wire! {
    /// The header of a PFTXS.
    pub struct PftxsHead(32) {
        /// `PFTX`.
        pub magic: [u8; 4] = 0,
        /// 0x40000000.
        pub version: u32 = 4,
        /// Place of the list: 16.
        pub list_offset: u32 = 8,
        /// Lists: 1.
        pub list_count: u32 = 12,
        /// `TEXL`.
        pub list_magic: [u8; 4] = 16,
        /// Bytes of the list: those of the file less 16.
        pub list_size: u32 = 20,
        /// Textures.
        pub texture_count: u32 = 24,
        /// Zero.
        pub unknown_0x1c: u32 = 28,
    }
}

wire! {
    /// The head of a texture; its parts follow, then their bytes.
    pub struct PftxsTexture(32) {
        /// `FTEX`.
        pub magic: [u8; 4] = 0,
        /// Bytes of the texture, from here.
        pub size: u32 = 4,
        /// The path code of the texture: the one that models have.
        pub hash: u64 = 8,
        /// Parts.
        pub part_count: u32 = 16,
        /// Zero.
        pub reserved: [u8; 12] = 20,
    }
}

wire! {
    /// A file of a texture: the FTEX, or one of its FTEXS.
    pub struct PftxsPart(16) {
        /// The path code of the file.
        pub hash: u64 = 0,
        /// Where its bytes begin, from the head of the texture.
        pub offset: u32 = 8,
        /// How many there are.
        pub size: u32 = 12,
    }
}
