//! The records of DDS.

use galatea_wire::wire;

wire! {
    /// The magic and header of a DDS.
    pub struct DdsHead(128) {
        /// `DDS `.
        pub magic: [u8; 4] = 0,
        /// 124: bytes of the header without the magic.
        pub size: u32 = 4,
        /// Which fields count: 0x1 caps, 0x2 height, 0x4 width, 0x8 pitch, 0x1000 pixel format, 0x20000 mips, 0x80000 linear size, 0x800000 depth.
        pub flags: u32 = 8,
        /// Rows.
        pub height: u32 = 12,
        /// Pixels per row.
        pub width: u32 = 16,
        /// Bytes of a row, or of the first level for compressed formats. Often wrong, never needed.
        pub pitch: u32 = 20,
        /// Slices of a volume.
        pub depth: u32 = 24,
        /// Levels of detail; 0 means 1.
        pub mips: u32 = 28,
        /// Unused; tools leave their names here.
        pub reserved: [u32; 11] = 32,
        /// 32: bytes of the pixel format that follows.
        pub format_size: u32 = 76,
        /// 0x1 has alpha, 0x2 alpha only, 0x4 four-character code, 0x40 RGB, 0x20000 luminance.
        pub format_flags: u32 = 80,
        /// `DXT1`, `DXT5`, `ATI2`, `DX10` and others.
        pub four_cc: [u8; 4] = 84,
        /// Bits of an uncompressed pixel.
        pub bits: u32 = 88,
        /// Which bits are red.
        pub red: u32 = 92,
        /// Which bits are green.
        pub green: u32 = 96,
        /// Which bits are blue.
        pub blue: u32 = 100,
        /// Which bits are alpha.
        pub alpha: u32 = 104,
        /// 0x1000 texture, 0x8 complex, 0x400000 mips.
        pub caps: u32 = 108,
        /// 0x200 cube map and 0x400 to 0x8000 its faces, 0x200000 volume.
        pub caps2: u32 = 112,
        /// Unused.
        pub caps3: u32 = 116,
        /// Unused.
        pub caps4: u32 = 120,
        /// Unused.
        pub reserved2: u32 = 124,
    }
}

wire! {
    /// What follows the header when its code is `DX10`.
    pub struct Dx10(20) {
        /// Pixel format by its DXGI number: 71 BC1, 77 BC3, 83 BC5, 98 BC7, one more for sRGB.
        pub format: u32 = 0,
        /// 2: one-dimensional, 3: ordinary texture, 4: volume.
        pub dimension: u32 = 4,
        /// 0x4: cube map.
        pub misc: u32 = 8,
        /// Layers; for a cube map, cubes.
        pub layers: u32 = 12,
        /// How alpha is meant: 0 unknown, 1 straight, 2 premultiplied, 3 opaque. Files say anything here.
        pub alpha_mode: u32 = 16,
    }
}
