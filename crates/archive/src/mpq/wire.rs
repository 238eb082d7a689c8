//! The fixed records of MPQ archives and Warcraft III maps.

use galatea_wire::{Text, wire};

wire! {
    /// The head of an archive. It is at a multiple of 512 bytes, and offsets count from it, modulo 2³².
    pub struct MpqHead(32) {
        /// `MPQ\x1A`.
        pub magic: [u8; 4] = 0,
        /// Bytes of the head: 32 in version 0. Protected maps have nonsense here, and the game ignores it.
        pub head_size: u32 = 4,
        /// Bytes from the head to the end of the tables. Ignored.
        pub archive_size: u32 = 8,
        /// Version: 0 in maps, 1 with 64-bit offsets, 2 and 3 with further tables. The game ignores it in maps.
        pub version: u16 = 12,
        /// A sector has 512 << this many bytes: 3 in nearly all maps.
        pub sector_shift: u16 = 14,
        /// Place of the hash table.
        pub hash_offset: u32 = 16,
        /// Place of the block table.
        pub block_offset: u32 = 20,
        /// Entries of the hash table, a power of two.
        pub hash_count: u32 = 24,
        /// Entries of the block table.
        pub block_count: u32 = 28,
    }
}

wire! {
    /// What follows the head from version 1 on.
    pub struct MpqHead64(12) {
        /// Place of the table with bits 32 to 47 of the offsets of the blocks, 0 if there is none.
        pub high_block_offset: u64 = 0,
        /// Bits 32 to 47 of the place of the hash table.
        pub hash_offset_high: u16 = 8,
        /// Bits 32 to 47 of the place of the block table.
        pub block_offset_high: u16 = 10,
    }
}

wire! {
    /// An entry of the hash table: where a name leads to. The name itself is not stored.
    pub struct HashEntry(16) {
        /// First hash of the name.
        pub a: u32 = 0,
        /// Second hash of the name.
        pub b: u32 = 4,
        /// Language, 0 for all.
        pub locale: u16 = 8,
        /// Platform, 0 for all.
        pub platform: u16 = 10,
        /// Index of the block; 0xFFFFFFFF if the entry was never used, 0xFFFFFFFE if its file was deleted.
        pub block: u32 = 12,
    }
}

impl HashEntry {
    /// The block of an entry that was never used: a search ends here.
    pub const FREE: u32 = 0xFFFF_FFFF;
    /// The block of an entry whose file was deleted: a search goes on.
    pub const DELETED: u32 = 0xFFFF_FFFE;

    /// An entry that was never used.
    pub(crate) const UNUSED: HashEntry =
        HashEntry { a: u32::MAX, b: u32::MAX, locale: u16::MAX, platform: u16::MAX, block: Self::FREE };
}

wire! {
    /// An entry of the block table: one file.
    pub struct Block(16) {
        /// Where the file begins.
        pub offset: u32 = 0,
        /// Bytes in the archive.
        pub packed: u32 = 4,
        /// Bytes when unpacked.
        pub size: u32 = 8,
        /// How the file is kept.
        pub flags: u32 = 12,
    }
}

impl Block {
    /// Packed with PKWARE, sectors have no method byte.
    pub const IMPLODED: u32 = 0x100;
    /// Packed, the first byte of a sector tells how.
    pub const COMPRESSED: u32 = 0x200;
    /// Encrypted with a key made from the file's name.
    pub const ENCRYPTED: u32 = 0x1_0000;
    /// The key depends on offset and size of the file too.
    pub const FIX_KEY: u32 = 0x2_0000;
    /// A change to a file of another archive.
    pub const PATCH: u32 = 0x10_0000;
    /// One unit instead of sectors.
    pub const SINGLE_UNIT: u32 = 0x100_0000;
    /// Says that the file was deleted.
    pub const DELETED: u32 = 0x200_0000;
    /// Each sector has a checksum.
    pub const CHECKSUMS: u32 = 0x400_0000;
    /// The block is in use.
    pub const EXISTS: u32 = 0x8000_0000;

    /// Returns `true` if any of these flags is set.
    pub fn has(&self, flags: u32) -> bool {
        self.flags & flags != 0
    }

    /// Returns `true` if the block holds a file.
    pub fn is_file(&self) -> bool {
        self.has(Self::EXISTS) && !self.has(Self::DELETED)
    }
}

wire! {
    /// The block of 512 bytes that Warcraft III maps may begin with, without the zeros at its end. The name of the map, its flags
    /// and its number of players follow, the name ended by NUL.
    pub struct MapHead(8) {
        /// `HM3W`.
        pub magic: Text<4> = 0,
        /// 0.
        pub unknown_0x04: u32 = 4,
    }
}
