//! QAR: the `.dat` files of Metal Gear Solid V. Built from public descriptions and a few real entries; what they do not describe is
//! refused.

mod crypt;
mod extensions;
mod wire;

use std::sync::Arc;

use galatea_fox::path_code64;
use galatea_wire::{Coverage, Error, ErrorKind, Limits, Report, Result, Wire};
use md5::{Digest, Md5};

use wire::QarLocator;
pub use wire::{QarEntryHead, QarHead};

use crate::archive::{Locator, Recall, located, read_stored};
use crate::tables::{self, Tables};
use crate::unpack::inflate;
use crate::{Archive, Entry, Kind, ReadAt, Storage, check, rules};
use crypt::{A, B, C, D, layer_1, layer_2, table_key};

/// An entry of a QAR.
#[derive(Debug, Clone, Copy)]
pub struct QarEntry {
    /// The path code.
    pub hash: u64,
    /// Where its bytes begin, after its head.
    pub offset: u64,
    /// Bytes in the archive.
    pub packed: u32,
    /// Bytes unpacked.
    pub size: u32,
    /// MD5 of the unpacked bytes.
    pub md5: [u8; 16],
}

/// A QAR: its header and table, decrypted. Entries stay in the source.
#[derive(Debug, Clone)]
pub struct Qar {
    source: Arc<dyn ReadAt>,
    /// The header, decrypted.
    pub head: QarHead,
    /// The entries.
    pub entries: Vec<QarEntry>,
}

/// Reads entries without the table and the heads of the others.
pub(crate) static RECALL: Recall = Recall {
    read: |source, entry, data, limits| {
        let QarLocator { hash, md5, version } = QarLocator::get(data);
        decode(source.as_ref(), entry, Coding { hash, md5, version }, limits)
    },
    aliases: |name| vec![code_of(name)],
};

/// How an entry is encrypted.
#[derive(Clone, Copy)]
struct Coding {
    hash: u64,
    md5: [u8; 16],
    version: u32,
}

/// Returns `true` if these bytes begin like a QAR.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SQAR")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    tables::inspect(bytes, limits, Qar::read)
}

impl Qar {
    /// Reads the directory of an archive, and the heads of its entries.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Qar> {
        Qar::read(&Tables::new(source.as_ref(), limits), Arc::clone(&source))
    }

    fn read(tables: &Tables<'_>, source: Arc<dyn ReadAt>) -> Result<Qar> {
        let raw: QarHead = tables.at(0, "header")?;
        if !detect(&raw.magic) {
            return Err(tables.error(ErrorKind::NotThisFormat, 0, "header"));
        }
        let head = QarHead {
            magic: raw.magic,
            flags: raw.flags ^ A,
            entry_count: raw.entry_count ^ B,
            unknown_count: raw.unknown_count ^ C,
            end_block: raw.end_block ^ D,
            data_offset: raw.data_offset ^ A,
            version: raw.version ^ A,
            unknown_0x1c: raw.unknown_0x1c ^ B,
        };
        if !matches!(head.version, 1 | 2) {
            return Err(tables.mismatch(24, "header", "version 1 or 2".into(), head.version.to_string()));
        }
        let rows: Vec<[u32; 2]> = tables.array(QarHead::SIZE as u64, head.entry_count.into(), "table")?;
        let unused = QarHead::SIZE as u64 + rows.len() as u64 * 8;
        tables.bytes(unused, u64::from(head.unknown_count).saturating_mul(16), "unused table")?;
        let shift = head.block_shift();
        let mut entries = Vec::with_capacity(rows.len());
        // The first seed of version 2.
        let mut key = 0xA2C1_8EC3_u32;
        for (index, row) in rows.iter().enumerate() {
            let position = index as u64 * 8;
            let row_key = if head.version == 2 { u64::from(key) } else { index as u64 };
            let [low, high] =
                [row[0] ^ table_key(row_key, position), row[1] ^ table_key(row_key, position + 4)];
            key ^= low.rotate_right((high / 256) % 19);
            let word = u64::from(low) | u64::from(high) << 32;
            let at = (word >> 40) << shift;
            let entry = read_entry_head(tables, at)?;
            if word & 0xFF_FFFF_FFFF != (entry.hash & 0xFF) << 32 | entry.hash >> 32 {
                let found = format!("{:#018x}", entry.hash);
                return Err(tables.mismatch(at, "entry", "the path code of the table".into(), found));
            }
            entries.push(entry);
        }
        Ok(Qar { source, head, entries })
    }
}

impl Qar {
    fn coding(&self, entry: &QarEntry) -> Coding {
        Coding { hash: entry.hash, md5: entry.md5, version: self.head.version }
    }
}

impl QarHead {
    /// Returns how far block numbers are shifted.
    fn block_shift(&self) -> u32 {
        if self.flags & 0x800 != 0 { 12 } else { 10 }
    }
}

fn read_entry_head(tables: &Tables<'_>, at: u64) -> Result<QarEntry> {
    let raw: QarEntryHead = tables.at(at, "entry")?;
    let mut md5 = [0; 16];
    let words = raw.md5.iter().zip([D, A, A, B]);
    md5.chunks_exact_mut(4).zip(words).for_each(|(out, (word, key))| (word ^ key).put(out));
    Ok(QarEntry {
        hash: u64::from(raw.hash[0] ^ A) | u64::from(raw.hash[1] ^ A) << 32,
        packed: raw.packed ^ B,
        size: raw.size ^ C,
        md5,
        offset: at + QarEntryHead::SIZE as u64,
    })
}

/// Returns a name for a file whose path is unknown: its path code and the ending.
fn name_of(hash: u64) -> String {
    let code = hash & ((1 << 51) - 1);
    match extensions::ending(hash) {
        Some(ending) => format!("{code:013x}.{ending}"),
        None => format!("{code:013x}.{:04x}", hash >> 51),
    }
}

/// Returns the path code of a name.
fn code_of(name: &str) -> u64 {
    path_code64(&format!("/{}", name.trim_start_matches(['/', '\\']).replace('\\', "/")))
}

/// Reads, decrypts and unpacks an entry.
fn decode(source: &dyn ReadAt, entry: &Entry<'_>, coding: Coding, limits: &Limits) -> Result<Vec<u8>> {
    let mut bytes = read_stored(source, entry, limits)?;
    let half = if coding.hash & 1 == 0 { coding.md5.get(..8) } else { coding.md5.get(8..) };
    let seed = (coding.version == 2).then(|| u64::get(half.unwrap_or(&[])));
    layer_1(&mut bytes, coding.hash, seed);
    let is_packed = entry.packed != entry.size;
    let unpack = |bytes: Vec<u8>| -> Result<Vec<u8>> {
        if !is_packed {
            return Ok(bytes);
        }
        inflate(&bytes, entry.size, true, limits).map_err(|kind| located(kind, entry))
    };
    // No real entry is both encrypted and packed, so the second layer is looked for on either side of packing.
    let plain = layer_2(bytes.clone());
    let (unpacked, summed) = if is_packed && plain.len() != bytes.len() {
        (unpack(plain)?, None)
    } else {
        let unpacked = unpack(bytes)?;
        let sum: [u8; 16] = Md5::digest(&unpacked).into();
        (layer_2(unpacked), Some(sum))
    };
    if summed.is_some_and(|sum| sum != coding.md5) {
        let kind = ErrorKind::Mismatch { want: "the MD5 of the entry".into(), found: "another one".into() };
        return Err(located(kind, entry));
    }
    Ok(unpacked)
}

impl Archive for Qar {
    fn kind(&self) -> Kind {
        Kind::Qar
    }

    fn version(&self) -> String {
        format!("QAR {}", self.head.version)
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let found = self.entries.get(index)?;
        let entry = Entry::stored(name_of(found.hash), found.offset, found.size.into());
        // Every entry has at least the first layer.
        Some(entry.with_storage(Storage::Encrypted, found.packed.into()).with_nameless(true))
    }

    fn find_unlisted(&self, name: &str) -> Option<usize> {
        let hash = code_of(name);
        self.entries.iter().position(|entry| entry.hash == hash)
    }

    fn source_of(&self, _: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn read_entry(&self, index: usize, limits: &Limits) -> Result<Vec<u8>> {
        let (entry, source) = self.located(index)?;
        let Some(found) = self.entries.get(index) else { return Err(located(ErrorKind::Cycle, &entry)) };
        decode(source.as_ref(), &entry, self.coding(found), limits)
    }

    fn locator(&self, index: usize) -> Option<Locator> {
        let found = self.entries.get(index)?;
        let Coding { hash, md5, version } = self.coding(found);
        let mut data = vec![0; QarLocator::SIZE];
        QarLocator { hash, md5, version }.put(&mut data);
        Some(Locator { data, alias: Some(hash), ..Locator::default() })
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        let tables = QarHead::SIZE as u64 + self.len() as u64 * 8 + u64::from(self.head.unknown_count) * 16;
        check::overlaps(self, tables, &mut report);
        let size = u64::from(self.head.end_block) << self.head.block_shift();
        if size != self.source.len() {
            report.add(&rules::FILE_SIZE, Some(16), || {
                ("header".into(), format!("{size}, the file has {}", self.source.len()))
            });
        }
        report
    }
}
