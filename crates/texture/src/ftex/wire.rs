//! The records of FTEX and FTEXS.

use galatea_wire::{Offset, wire};

wire! {
    /// The head of an FTEX. One [`MipInfo`] per level and face follows.
    pub struct FtexHead(64) {
        /// `FTEX`.
        pub magic: [u8; 4] = 0,
        /// 2.03; 2.04 in PES 2019.
        pub version: f32 = 4,
        /// 0 BGRA, 1 one byte, 2 DXT1, 3 DXT3, 4 DXT5; later games: 8 BC4, 9 BC5, 10 BC6H, 11 BC7 and floats.
        pub pixel_format: u16 = 8,
        /// Pixels per row.
        pub width: u16 = 10,
        /// Rows.
        pub height: u16 = 12,
        /// Slices; 1.
        pub depth: u16 = 14,
        /// Levels of detail of each face.
        pub mips: u8 = 16,
        /// 2; 0 for names with `_nrt`.
        pub unknown_0x11: u8 = 17,
        /// 0x111 or 0x011; 0 for clamped textures (`_clp`).
        pub flags: u16 = 18,
        /// 1.
        pub unknown_0x14: u32 = 20,
        /// 0.
        pub unknown_0x18: u32 = 24,
        /// Bit 0 always, bit 1 sRGB, bit 2 cube map, bit 3 normal map, bit 24 streamed: the pixels are in FTEXS files.
        pub kind: u32 = 28,
        /// Number of FTEXS files.
        pub parts: u8 = 32,
        /// That, less one.
        pub parts_less_one: u8 = 33,
        /// 0.
        pub unknown_0x22: [u8; 14] = 34,
        /// Hashes of the content; zero is accepted.
        pub hashes: [u8; 16] = 48,
    }
}

wire! {
    /// Where a level is.
    pub struct MipInfo(16) {
        /// First byte in its file.
        pub offset: Offset = 0,
        /// Bytes of the level when unpacked.
        pub raw: u32 = 4,
        /// Bytes of the level as stored; with chunks only a hint.
        pub packed: u32 = 8,
        /// Level of detail, 0 is the largest.
        pub mip: u8 = 12,
        /// Number of the FTEXS file; 0 is this file.
        pub part: u8 = 13,
        /// Chunks; 0 means one piece, stored or zlib.
        pub chunks: u16 = 14,
    }
}

wire! {
    /// One chunk of a level: up to 16 KB of pixels, stored or as zlib.
    pub struct ChunkInfo(8) {
        /// Bytes as stored.
        pub packed: u16 = 0,
        /// Bytes when unpacked; equal means stored as they are.
        pub raw: u16 = 2,
        /// Where it begins, from the start of the level; bit 31 marks chunks stored as they are, mostly.
        pub offset: Offset = 4,
    }
}
