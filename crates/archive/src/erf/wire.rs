//! The records of ERF.

use galatea_wire::{Offset, Text, Wire, wire};

use super::ErfType;

wire! {
    /// The header of an ERF.
    pub struct ErfHead(160) {
        /// `ERF `, `MOD `, `SAV ` or `HAK `. The extension of the file may say something else.
        pub magic: [u8; 4] = 0,
        /// `V1.0`.
        pub version: [u8; 4] = 4,
        /// Localized descriptions.
        pub language_count: u32 = 8,
        /// Bytes of the localized descriptions.
        pub strings_size: u32 = 12,
        /// Entries.
        pub entry_count: u32 = 16,
        /// Place of the localized descriptions; 0 in some files without any.
        pub strings_offset: Offset = 20,
        /// Place of the keys.
        pub keys_offset: Offset = 24,
        /// Place of the resources.
        pub resources_offset: Offset = 28,
        /// Year in which it was made, less 1900.
        pub year: u32 = 32,
        /// Day of that year.
        pub day: u32 = 36,
        /// Number of the description in the game's texts.
        pub description: u32 = 40,
        /// Zero.
        pub reserved: [u8; 116] = 44,
    }
}

wire! {
    /// The name of an entry.
    pub struct ErfKey(24) {
        /// The name, padded with zeros; without a NUL if it has 16 characters.
        pub resref: Text<16> = 0,
        /// Number of the entry.
        pub id: u32 = 16,
        /// Number of the file type.
        pub kind: u16 = 20,
        /// Zero.
        pub unused: u16 = 22,
    }
}

wire! {
    /// The place of an entry.
    pub struct ErfResource(8) {
        /// Where its bytes begin.
        pub offset: Offset = 0,
        /// How many there are.
        pub size: u32 = 4,
    }
}

impl ErfHead {
    /// Returns the header of an archive without entries.
    pub(super) fn new(kind: ErfType) -> ErfHead {
        let end = Offset(ErfHead::SIZE as u32);
        ErfHead {
            magic: kind.magic(),
            version: *b"V1.0",
            strings_offset: end,
            keys_offset: end,
            resources_offset: end,
            description: u32::MAX,
            ..ErfHead::ZERO
        }
    }
}
