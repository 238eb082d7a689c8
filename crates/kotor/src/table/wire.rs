//! The records of GFF.

use galatea_wire::{Offset, wire};

wire! {
    /// The header of a GFF.
    pub struct GffHead(56) {
        /// What the file is: `GIT `, `UTD ` and so on.
        pub kind: [u8; 4] = 0,
        /// `V3.2`.
        pub version: [u8; 4] = 4,
        /// Place of the structs.
        pub structs: Offset = 8,
        /// Structs.
        pub struct_count: u32 = 12,
        /// Place of the fields.
        pub fields: Offset = 16,
        /// Fields.
        pub field_count: u32 = 20,
        /// Place of the labels.
        pub labels: Offset = 24,
        /// Labels.
        pub label_count: u32 = 28,
        /// Place of the values that do not fit a field.
        pub data: Offset = 32,
        /// Bytes of those values.
        pub data_size: u32 = 36,
        /// Place of the field numbers of structs.
        pub indices: Offset = 40,
        /// Bytes of those numbers.
        pub indices_size: u32 = 44,
        /// Place of the lists.
        pub lists: Offset = 48,
        /// Bytes of the lists.
        pub lists_size: u32 = 52,
    }
}

wire! {
    /// A struct of a GFF.
    pub struct GffStruct(12) {
        /// Its type, which means what its list says.
        pub kind: u32 = 0,
        /// The number of its field if it has one, else where its field numbers begin.
        pub data: u32 = 4,
        /// Its fields.
        pub field_count: u32 = 8,
    }
}

wire! {
    /// A field of a GFF.
    pub struct GffField(12) {
        /// The type of its value.
        pub kind: u32 = 0,
        /// The number of its label.
        pub label: u32 = 4,
        /// The value, or where it is.
        pub data: u32 = 8,
    }
}
