//! The records of QAR.

use galatea_wire::wire;

wire! {
    /// The header of a QAR. All words but the magic are XORed with constants.
    pub struct QarHead(32) {
        /// `SQAR`.
        pub magic: [u8; 4] = 0,
        /// 0x800: blocks of 4096 bytes instead of 1024.
        pub flags: u32 = 4,
        /// Entries.
        pub entry_count: u32 = 8,
        /// Rows of a table that is not used.
        pub unknown_count: u32 = 12,
        /// Blocks of the file.
        pub end_block: u32 = 16,
        /// Where the first entry begins.
        pub data_offset: u32 = 20,
        /// 1 or 2.
        pub version: u32 = 24,
        /// Zero.
        pub unknown_0x1c: u32 = 28,
    }
}

wire! {
    /// The head of an entry. All words are XORed with constants.
    pub struct QarEntryHead(32) {
        /// The path code, lower word first.
        pub hash: [u32; 2] = 0,
        /// Bytes in the archive.
        pub packed: u32 = 8,
        /// Bytes unpacked.
        pub size: u32 = 12,
        /// MD5 of the unpacked bytes.
        pub md5: [u32; 4] = 16,
    }
}

wire! {
    /// What reading an entry takes beside its place.
    pub(super) struct QarLocator(28) {
        /// The path code.
        pub(super) hash: u64 = 0,
        /// MD5 of the unpacked bytes.
        pub(super) md5: [u8; 16] = 8,
        /// Version of the archive.
        pub(super) version: u32 = 24,
    }
}
