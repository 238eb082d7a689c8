//! The records of FPK.

use galatea_wire::wire;

wire! {
    /// The header of an FPK or FPKD.
    pub struct FpkHead(48) {
        /// `foxfpk`.
        pub magic: [u8; 6] = 0,
        /// 0 for an FPK, `d` for an FPKD.
        pub kind: u8 = 6,
        /// `win`.
        pub platform: [u8; 3] = 7,
        /// Bytes of the file.
        pub file_size: u32 = 10,
        /// Zero.
        pub reserved: [u8; 18] = 14,
        /// 2.
        pub version: u32 = 32,
        /// Entries.
        pub entry_count: u32 = 36,
        /// Other archives that the game loads with this one.
        pub reference_count: u32 = 40,
        /// Zero.
        pub unknown_0x2c: u32 = 44,
    }
}

wire! {
    /// An entry of an FPK.
    pub struct FpkEntry(48) {
        /// Where its bytes begin: a multiple of 16.
        pub offset: u64 = 0,
        /// How many there are.
        pub size: u64 = 8,
        /// The place of its path.
        pub name: FpkText = 16,
        /// MD5 of the path.
        pub md5: [u8; 16] = 32,
    }
}

wire! {
    /// The place of a path, which ends with a NUL.
    pub struct FpkText(16) {
        /// Where it begins.
        pub offset: u64 = 0,
        /// How many bytes it has, without the NUL.
        pub size: u64 = 8,
    }
}
