//! The records of ZIP.

use galatea_wire::wire;

wire! {
    /// The head of an entry, before its bytes; name and extra fields follow.
    pub struct ZipLocal(30) {
        /// `PK\x03\x04`.
        pub magic: [u8; 4] = 0,
        /// Version needed to extract.
        pub needed: u16 = 4,
        /// Bit 0: encrypted; bit 3: sizes follow the bytes; bit 11: the name is UTF-8.
        pub flags: u16 = 6,
        /// 0 stored, 8 deflated.
        pub method: u16 = 8,
        /// Time in DOS form.
        pub time: u16 = 10,
        /// Date in DOS form.
        pub date: u16 = 12,
        /// CRC-32 of the unpacked bytes.
        pub crc: u32 = 14,
        /// Bytes in the archive.
        pub packed: u32 = 18,
        /// Bytes unpacked.
        pub size: u32 = 22,
        /// Bytes of the name.
        pub name_size: u16 = 26,
        /// Bytes of the extra fields.
        pub extra_size: u16 = 28,
    }
}

wire! {
    /// An entry of the central directory; name, extra fields and comment follow.
    pub struct ZipCentral(46) {
        /// `PK\x01\x02`.
        pub magic: [u8; 4] = 0,
        /// Version and system that made it.
        pub made_by: u16 = 4,
        /// Version needed to extract.
        pub needed: u16 = 6,
        /// As in the head of the entry.
        pub flags: u16 = 8,
        /// 0 stored, 8 deflated.
        pub method: u16 = 10,
        /// Time in DOS form.
        pub time: u16 = 12,
        /// Date in DOS form.
        pub date: u16 = 14,
        /// CRC-32 of the unpacked bytes.
        pub crc: u32 = 16,
        /// Bytes in the archive.
        pub packed: u32 = 20,
        /// Bytes unpacked.
        pub size: u32 = 24,
        /// Bytes of the name.
        pub name_size: u16 = 28,
        /// Bytes of the extra fields.
        pub extra_size: u16 = 30,
        /// Bytes of the comment.
        pub comment_size: u16 = 32,
        /// Disk of the entry: 0.
        pub disk: u16 = 34,
        /// Attributes.
        pub internal: u16 = 36,
        /// Attributes of the system that made it.
        pub external: u32 = 38,
        /// Place of the entry's head.
        pub offset: u32 = 42,
    }
}

wire! {
    /// The end of the central directory; a comment follows.
    pub struct ZipEnd(22) {
        /// `PK\x05\x06`.
        pub magic: [u8; 4] = 0,
        /// This disk: 0.
        pub disk: u16 = 4,
        /// Disk of the directory: 0.
        pub directory_disk: u16 = 6,
        /// Entries on this disk.
        pub entries_here: u16 = 8,
        /// Entries.
        pub entry_count: u16 = 10,
        /// Bytes of the directory.
        pub directory_size: u32 = 12,
        /// Place of the directory.
        pub directory_offset: u32 = 16,
        /// Bytes of the comment.
        pub comment_size: u16 = 20,
    }
}
