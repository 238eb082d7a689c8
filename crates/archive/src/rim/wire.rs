//! The records of RIM.

use galatea_wire::{Offset, Text, wire};

wire! {
    /// The header of a RIM.
    pub struct RimHead(120) {
        /// `RIM `.
        pub magic: [u8; 4] = 0,
        /// `V1.0`.
        pub version: [u8; 4] = 4,
        /// Zero.
        pub unknown_0x08: u32 = 8,
        /// Entries.
        pub entry_count: u32 = 12,
        /// Place of the table; 0 means 120.
        pub table_offset: Offset = 16,
        /// Zero.
        pub reserved: [u8; 100] = 20,
    }
}

wire! {
    /// An entry of a RIM.
    pub struct RimEntry(32) {
        /// The name, padded with zeros; without a NUL if it has 16 characters.
        pub resref: Text<16> = 0,
        /// Number of the file type.
        pub kind: u32 = 16,
        /// Number of the entry.
        pub id: u32 = 20,
        /// Where its bytes begin.
        pub offset: Offset = 24,
        /// How many there are.
        pub size: u32 = 28,
    }
}
