//! Checks MPQ archives. Reads no files.

use galatea_wire::{Report, Wire};

use super::index::block_of;
use super::listing::{LISTFILE, Origin, SIGNATURE};
use super::place::{STEP, absolute};
use super::wire::{Block, HashEntry, MpqHead};
use super::{Mpq, rules};
use crate::check;

/// The start of the signature after an archive.
pub(super) const STRONG_SIGNATURE: [u8; 4] = *b"NGIS";

pub(super) fn check(mpq: &Mpq) -> Report {
    let mut report = Report::new();
    check::entries(mpq, &mut report);
    check::overlaps(mpq, mpq.start + MpqHead::SIZE as u64, &mut report);
    head(mpq, &mut report);
    names(mpq, &mut report);
    for (index, block) in mpq.blocks.iter().enumerate() {
        if block.is_file() && block.has(Block::PATCH) {
            report.add(&rules::UNREADABLE, Some(mpq.offset_of(index)), || {
                (format!("blocks[{index}]"), format!("flags 0x{:08X}", block.flags))
            });
        }
    }
    report
}

fn head(mpq: &Mpq, report: &mut Report) {
    let head = &mpq.head;
    let at = |field: u64| Some(mpq.start + field);
    let path = || "head".to_owned();
    let size = match (&mpq.tables64, head.version) {
        (None, _) => 32,
        (Some(_), 1) => 44,
        (Some(_), 2) => 68,
        _ => 208,
    };
    if head.head_size != size {
        report
            .add(&rules::HEAD_SIZE, at(4), || (path(), format!("0x{:X} instead of {size}", head.head_size)));
    }
    let end = mpq.tables_end().saturating_sub(mpq.start);
    if mpq.tables64.is_none() && u64::from(head.archive_size) != end {
        report.add(&rules::ARCHIVE_SIZE, at(8), || {
            (path(), format!("{} bytes, but the tables end at {end}", head.archive_size))
        });
    }
    let tables = [
        (24, "hash table", head.hash_count, mpq.hashes.len()),
        (28, "block table", head.block_count, mpq.blocks.len()),
    ];
    for (field, name, count, have) in tables {
        if count as usize != have {
            report.add(&rules::TABLE_CUT, at(field), || {
                (name.into(), format!("{count} rows, {have} of them are there"))
            });
        }
    }
    if !head.hash_count.is_power_of_two() {
        report.add(&rules::HASH_COUNT, at(24), || (path(), format!("{} entries", head.hash_count)));
    }
    let usual = if mpq.starts_with(*b"HM3W") { STEP } else { 0 };
    if mpq.start > usual {
        report
            .add(&rules::DECOY, Some(usual), || (path(), format!("the archive begins at 0x{:X}", mpq.start)));
    }
    let end = mpq.tables_end();
    let signed = mpq.lookup(SIGNATURE.as_bytes()).is_some() || mpq.peek(end) == Some(STRONG_SIGNATURE);
    if signed {
        report.add(&rules::SIGNED, Some(end), || (path(), "a change removes the signature".into()));
    }
}

fn names(mpq: &Mpq, report: &mut Report) {
    if mpq.lookup(LISTFILE.as_bytes()).is_none() {
        report.add(&rules::NO_LIST, None, || (LISTFILE.into(), "there is no file of this name".into()));
    }
    let (missing, first) = &mpq.listing.missing;
    if *missing > 0 {
        report.add(&rules::LISTED_MISSING, None, || {
            let first: Vec<_> = first.iter().map(|name| galatea_wire::escape(name).to_string()).collect();
            (
                LISTFILE.into(),
                format!(
                    "{missing}: {}{}",
                    first.join(", "),
                    if *missing > first.len() { ", ..." } else { "" }
                ),
            )
        });
    }
    let unnamed = mpq.listing.files.iter().filter(|file| file.origin == Origin::Made).count();
    if unnamed > 0 {
        report.add(&rules::UNNAMED, None, || {
            ("hash table".into(), format!("{unnamed} of {}", mpq.listing.files.len()))
        });
    }
    let leads_nowhere =
        |entry: &&HashEntry| entry.block < HashEntry::DELETED && block_of(entry, mpq.blocks.len()).is_none();
    let junk = mpq.hashes.iter().filter(leads_nowhere).count();
    if junk > 0 {
        let at = absolute(mpq.start, mpq.head.hash_offset, None);
        report.add(&rules::JUNK_SLOT, Some(at), || {
            ("hash table".into(), format!("{junk} of {}", mpq.hashes.len()))
        });
    }
}

impl Mpq {
    /// Returns where the later of the two tables ends.
    pub(super) fn tables_end(&self) -> u64 {
        let [hash, block] = self.table_places();
        let hash_end = hash + (self.hashes.len() * HashEntry::SIZE) as u64;
        let block_end = block + (self.blocks.len() * Block::SIZE) as u64;
        hash_end.max(block_end)
    }

    /// Returns the absolute offsets of the hash table and of the block table.
    pub(super) fn table_places(&self) -> [u64; 2] {
        let high = self.tables64.as_ref().map(|tables| tables.head);
        [
            absolute(self.start, self.head.hash_offset, high.map(|head| head.hash_offset_high)),
            absolute(self.start, self.head.block_offset, high.map(|head| head.block_offset_high)),
        ]
    }

    fn starts_with(&self, magic: [u8; 4]) -> bool {
        self.peek(0) == Some(magic)
    }

    /// Returns four bytes of the file.
    pub(super) fn peek(&self, at: u64) -> Option<[u8; 4]> {
        let mut found = [0; 4];
        self.source.read_at(at, &mut found).ok()?;
        Some(found)
    }
}
