//! The records of KEY and BIF.

use galatea_wire::{Offset, Text, wire};

wire! {
    /// The header of a KEY.
    pub struct KeyHead(64) {
        /// `KEY V1  `.
        pub magic: [u8; 8] = 0,
        /// BIF files.
        pub bif_count: u32 = 8,
        /// Names.
        pub key_count: u32 = 12,
        /// Place of the table of BIF files.
        pub bifs_offset: Offset = 16,
        /// Place of the names.
        pub keys_offset: Offset = 20,
        /// Year in which it was made, less 1900.
        pub year: u32 = 24,
        /// Day of that year.
        pub day: u32 = 28,
        /// Zero.
        pub reserved: [u8; 32] = 32,
    }
}

wire! {
    /// A BIF file that a KEY refers to.
    pub struct KeyBif(12) {
        /// Bytes of the file.
        pub size: u32 = 0,
        /// Place of its name.
        pub name_offset: Offset = 4,
        /// Bytes of its name, including the NUL.
        pub name_size: u16 = 8,
        /// On which disc it is: 1.
        pub drives: u16 = 10,
    }
}

wire! {
    /// A name, and where the resource is.
    pub struct KeyName(22) {
        /// The name, padded with zeros; without a NUL if it has 16 characters.
        pub resref: Text<16> = 0,
        /// Number of the file type.
        pub kind: u16 = 16,
        /// Number of the BIF file in the upper 12 bits, of the entry in it in the lower 20.
        pub id: u32 = 18,
    }
}

wire! {
    /// The header of a BIF.
    pub struct BifHead(20) {
        /// `BIFFV1  `.
        pub magic: [u8; 8] = 0,
        /// Entries.
        pub entry_count: u32 = 8,
        /// Entries of tilesets: 0.
        pub fixed_count: u32 = 12,
        /// Place of the table.
        pub table_offset: Offset = 16,
    }
}

wire! {
    /// An entry of a BIF. Its name is in the KEY.
    pub struct BifEntry(16) {
        /// As in the KEY; the place in the table is what counts.
        pub id: u32 = 0,
        /// Where its bytes begin.
        pub offset: Offset = 4,
        /// How many there are.
        pub size: u32 = 8,
        /// Number of the file type.
        pub kind: u32 = 12,
    }
}
