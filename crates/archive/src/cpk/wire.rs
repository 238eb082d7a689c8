//! The records of CPK. Tables are big-endian and read by `utf.rs`.

use galatea_wire::wire;

wire! {
    /// The head of a chunk; a table follows.
    pub struct CpkChunk(16) {
        /// `CPK `, `TOC `, `ITOC`, `ETOC` or `GTOC`.
        pub magic: [u8; 4] = 0,
        /// 0xFF, or 0 if the table is obfuscated.
        pub flags: u32 = 4,
        /// Bytes of the table.
        pub size: u64 = 8,
    }
}
