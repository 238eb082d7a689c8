//! Reads one file of an archive: its sectors, decrypted and unpacked.

use std::sync::Arc;

use galatea_wire::{Error, ErrorKind, Limits, Result, Wire};

use super::codec::{Packing, Unpacker};
use super::crypt::{HashKind, base_name, decrypt, hash, keys_for};
use super::wire::Block;
use crate::ReadAt;

/// Bytes of packed sectors that are read at a time.
const WINDOW: u64 = 1 << 18;

/// What is needed to read one file.
#[derive(Debug)]
pub(crate) struct FileReader<'a> {
    pub(crate) source: &'a Arc<dyn ReadAt>,
    /// Absolute offset of the file.
    pub(crate) at: u64,
    pub(crate) block: Block,
    /// Bytes of a sector.
    pub(crate) sector: u64,
    /// The name, if it is known: encrypted files need it for their key.
    pub(crate) name: Option<&'a [u8]>,
}

/// Returns the key of an encrypted file.
pub(crate) fn file_key(name: &[u8], block: &Block) -> u32 {
    let key = hash(base_name(name), HashKind::Key);
    if block.has(Block::FIX_KEY) { key.wrapping_add(block.offset) ^ block.size } else { key }
}

impl FileReader<'_> {
    /// Returns the bytes of the file.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Vec<u8>> {
        let block = &self.block;
        if block.has(Block::PATCH) {
            return Err(
                self.error(ErrorKind::Unsupported("a patch of a file in another archive".into()), self.at)
            );
        }
        if u64::from(block.size) > limits.entry {
            return Err(self.error(ErrorKind::Limit("bytes of an entry"), self.at));
        }
        if block.size == 0 {
            return Ok(Vec::new());
        }
        match self.packing() {
            Packing::None => self.read_stored(block.size.into()),
            packing if block.has(Block::SINGLE_UNIT) => self.read_unit(packing),
            packing => self.read_sectors(packing, u64::MAX),
        }
    }

    /// Returns the first bytes of the file, at most a sector.
    pub(crate) fn first_sector(&self) -> Result<Vec<u8>> {
        match self.packing() {
            Packing::None => self.read_stored(self.sector.min(self.block.size.into())),
            packing if self.block.has(Block::SINGLE_UNIT) => self.read_unit(packing),
            packing => self.read_sectors(packing, 1),
        }
    }

    fn packing(&self) -> Packing {
        match self.block {
            // A whole file that packing would not make smaller is stored.
            block if block.has(Block::SINGLE_UNIT) && block.packed >= block.size => Packing::None,
            block if block.has(Block::COMPRESSED) => Packing::ByMethod,
            block if block.has(Block::IMPLODED) => Packing::Imploded,
            _ => Packing::None,
        }
    }

    fn error(&self, kind: ErrorKind, at: u64) -> Error {
        Error::at(kind, usize::try_from(at).unwrap_or(usize::MAX))
    }

    /// Returns bytes of the archive that are known to be there.
    fn bytes(&self, at: u64, len: u64, what: &'static str) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.append_bytes(at, len, what, &mut out)?;
        Ok(out)
    }

    fn append_bytes(&self, at: u64, len: u64, what: &'static str, out: &mut Vec<u8>) -> Result<()> {
        let have = self.source.len().saturating_sub(at);
        if len > have {
            return Err(self.error(ErrorKind::Truncated { count: 1, size: len, have }, at).within(what));
        }
        let start = out.len();
        out.resize(start + usize::try_from(len).unwrap_or(usize::MAX), 0);
        let failed = |e: std::io::Error| self.error(ErrorKind::Io(e.to_string().into()), at).within(what);
        self.source.read_at(at, out.get_mut(start..).unwrap_or(&mut [])).map_err(failed)
    }

    /// Returns the key, if the file is encrypted. Without a name there is none.
    fn key(&self) -> Result<Option<u32>> {
        if !self.block.has(Block::ENCRYPTED) {
            return Ok(None);
        }
        let Some(name) = self.name else {
            let what = "an encrypted file whose name is not known; give its name".into();
            return Err(self.error(ErrorKind::Unsupported(what), self.at));
        };
        Ok(Some(file_key(name, &self.block)))
    }

    /// Reads a file that is not packed. It is encrypted in sectors all the same.
    fn read_stored(&self, len: u64) -> Result<Vec<u8>> {
        let key = self.key()?;
        let mut out = self.bytes(self.at, len, "data")?;
        if let Some(key) = key {
            let sector =
                if self.block.has(Block::SINGLE_UNIT) { u64::from(self.block.size) } else { self.sector };
            let sector = usize::try_from(sector).unwrap_or(usize::MAX).max(4);
            for (index, sector) in out.chunks_mut(sector).enumerate() {
                decrypt(sector, key.wrapping_add(index as u32));
            }
        }
        Ok(out)
    }

    fn read_unit(&self, packing: Packing) -> Result<Vec<u8>> {
        let key = self.key()?;
        let mut packed = self.bytes(self.at, self.block.packed.into(), "data")?;
        if let Some(key) = key {
            decrypt(&mut packed, key);
        }
        let mut out = Vec::new();
        let unpacked = Unpacker::default().append(&packed, self.block.size as usize, packing, &mut out);
        unpacked.map_err(|kind| self.error(kind, self.at).within("data"))?;
        Ok(out)
    }

    /// Reads the first sectors, at most `count`.
    fn read_sectors(&self, packing: Packing, count: u64) -> Result<Vec<u8>> {
        let size = u64::from(self.block.size).min(self.sector.saturating_mul(count));
        let (offsets, key) = self.sector_offsets()?;
        let mut unpacker = Unpacker::default();
        let mut out = Vec::new();
        // Most files are packed to no less than a sixteenth; others grow as they are unpacked.
        let packed =
            u64::from(offsets.last().copied().unwrap_or(0)).min(self.source.len()).saturating_mul(16);
        out.reserve_exact(usize::try_from(size.min(packed)).unwrap_or(0));
        let mut window = Window::default();
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(offsets.len().saturating_sub(1));
        let mut index = 0;
        while index < count {
            let at = index;
            let fail = |error: Error| error.within(format!("sectors[{at}]"));
            let (start, end) = self.sector_range(&offsets, index).map_err(fail)?;
            let place = self.at + start;
            let stored = if key.is_none() {
                self.stored_run(&offsets, index, size - out.len() as u64)
            } else {
                (0, 0)
            };
            if stored.0 > 0 {
                self.append_bytes(place, stored.1, "data", &mut out).map_err(fail)?;
                index += stored.0;
                continue;
            }
            let wanted = self.sector.min(size - out.len() as u64);
            let ahead = u64::from(offsets.last().copied().unwrap_or(0)).max(end) - start;
            let raw = window.get(self, place, (end - start).min(wanted), ahead).map_err(fail)?;
            if let Some(key) = key {
                decrypt(raw, key.wrapping_add(index as u32));
            }
            let unpacked = unpacker.append(raw, wanted as usize, packing, &mut out);
            unpacked.map_err(|kind| fail(self.error(kind, place)))?;
            index += 1;
        }
        Ok(out)
    }

    /// Returns where a sector begins and ends, from the start of the file.
    fn sector_range(&self, offsets: &[u32], index: usize) -> Result<(u64, u64)> {
        match offsets.get(index..) {
            Some(&[start, end, ..]) if start <= end => Ok((start.into(), end.into())),
            rest => {
                let found = format!("0x{:X?}", rest.and_then(|rest| rest.get(..2)).unwrap_or(&[])).into();
                let kind = ErrorKind::Mismatch { want: "offsets in ascending order".into(), found };
                Err(self.error(kind, self.at))
            }
        }
    }

    /// Returns how many sectors from this one on are stored as they are, and their bytes; `left` bytes of the file are to come.
    fn stored_run(&self, offsets: &[u32], index: usize, mut left: u64) -> (usize, u64) {
        let (mut count, mut bytes) = (0, 0);
        while let Ok((start, end)) = self.sector_range(offsets, index + count) {
            let wanted = self.sector.min(left);
            if end - start != wanted || wanted == 0 {
                break;
            }
            (count, bytes, left) = (count + 1, bytes + wanted, left - wanted);
        }
        (count, bytes)
    }

    /// Reads the table of sector offsets, and finds the key of an encrypted file: from its name or, without one, from the first
    /// offset, which is known because the first sector follows the table.
    fn sector_offsets(&self) -> Result<(Vec<u32>, Option<u32>)> {
        let sectors = u64::from(self.block.size).div_ceil(self.sector.max(1));
        let rows = sectors + 1 + u64::from(self.block.has(Block::CHECKSUMS));
        let mut table = self.bytes(self.at, rows * 4, "sector offsets")?;
        let first = (rows * 4) as u32;
        let mut key = None;
        if self.block.has(Block::ENCRYPTED) {
            let found = match self.name {
                Some(name) => file_key(name, &self.block).wrapping_sub(1),
                None => self.guess_key(&table, first)?,
            };
            decrypt(&mut table, found);
            key = Some(found.wrapping_add(1));
        }
        let mut offsets: Vec<u32> = table.chunks_exact(4).map(u32::get).collect();
        if offsets.first() != Some(&first) {
            let found = format!("0x{:X}", offsets.first().copied().unwrap_or(0)).into();
            let kind = ErrorKind::Mismatch { want: format!("0x{first:X}").into(), found };
            return Err(self.error(kind, self.at).within("sector offsets"));
        }
        // The sector after the last one has the checksums.
        offsets.truncate(sectors as usize + 1);
        Ok((offsets, key))
    }

    /// Returns the key of the table of a file whose name is not known. The second offset has to be possible too.
    fn guess_key(&self, table: &[u8], first: u32) -> Result<u32> {
        let plausible = |key: &u32| {
            let mut start = table.get(..8).unwrap_or(table).to_vec();
            decrypt(&mut start, *key);
            let second = u64::from(start.get(4..).map_or(0, u32::get));
            (u64::from(first) + 1..=u64::from(first) + self.sector).contains(&second)
        };
        keys_for(table, first).find(plausible).ok_or_else(|| {
            let what = "an encrypted file whose name is not known; give its name".into();
            self.error(ErrorKind::Unsupported(what), self.at)
        })
    }
}

/// Packed bytes of several sectors, read at once.
#[derive(Default)]
struct Window {
    at: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// Returns `len` bytes at a place; `ahead` bytes from there on will be asked for.
    fn get(&mut self, file: &FileReader<'_>, at: u64, len: u64, ahead: u64) -> Result<&mut [u8]> {
        let inside = at >= self.at && at + len <= self.at + self.bytes.len() as u64;
        if !inside {
            self.at = at;
            self.bytes.clear();
            let have = file.source.len().saturating_sub(at);
            file.append_bytes(at, ahead.min(WINDOW).min(have).max(len), "data", &mut self.bytes)?;
        }
        let start = (at - self.at) as usize;
        Ok(self.bytes.get_mut(start..start + len as usize).unwrap_or(&mut []))
    }
}
