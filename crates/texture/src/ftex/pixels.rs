//! The pixels of an FTEX: unpacking, decoding, and laying out new ones.

use std::borrow::Cow;

use galatea_wire::{Error, ErrorKind, Limits, Offset, Result, Wire, Writer};

use super::{Chunk, ChunkInfo, Ftex, FtexHead, Mip, MipInfo, Part, Pixels};
use crate::image::{level_error, level_size};
use crate::{Image, Level, PixelFormat};
use galatea_wire::zlib::{Inflater, deflate, inflate};

/// Bytes of pixels in one chunk.
const CHUNK: usize = 16_384;

/// Where the pixels of a new FTEX go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// Into the FTEX itself, as PES does.
    #[default]
    OneFile,
    /// Into so many FTEXS files, as MGSV does: each of the largest levels in a file of its own, all smaller ones in the first.
    Parts(u8),
}

impl FtexHead {
    /// Returns how the pixels are stored; `None` if they cannot be decoded.
    pub fn format(&self) -> Option<PixelFormat> {
        Some(match self.pixel_format {
            0 => PixelFormat::Bgra8,
            1 => PixelFormat::Grey8,
            2 => PixelFormat::Bc1,
            3 => PixelFormat::Bc2,
            4 => PixelFormat::Bc3,
            8 => PixelFormat::Bc4 { signed: false },
            9 => PixelFormat::Bc5 { signed: false },
            10 => PixelFormat::Bc6h { signed: false },
            11 => PixelFormat::Bc7,
            12 => PixelFormat::F16 { channels: 4 },
            13 => PixelFormat::F32 { channels: 4 },
            14 => PixelFormat::Masked {
                bytes: 4,
                masks: [0x3FF, 0xF_FC00, 0x3FF0_0000, 0xC000_0000],
                grey: false,
            },
            15 => PixelFormat::R11G11B10F,
            _ => return None,
        })
    }
}

impl Mip {
    /// Returns the bytes of the level as it is stored.
    pub(crate) fn stored(&self) -> usize {
        match &self.pixels {
            Pixels::Elsewhere => 0,
            Pixels::Whole(bytes) => bytes.len(),
            Pixels::Chunks(chunks) => chunks.iter().map(|c| c.bytes.len()).sum(),
        }
    }

    /// Returns the unpacked bytes of the level.
    pub fn unpack(&self, limits: &Limits) -> Result<Cow<'_, [u8]>, ErrorKind> {
        let most = limits.pixels.saturating_mul(16).saturating_add(limits.base_allowance);
        if u64::from(self.info.raw) > most {
            return Err(ErrorKind::Limit("decoded bytes"));
        }
        match &self.pixels {
            Pixels::Elsewhere => Err(ErrorKind::Mismatch {
                want: format!("FTEXS part {} beside the FTEX", self.info.part).into(),
                found: "none".into(),
            }),
            Pixels::Whole(bytes) if self.info.packed == 0 || self.info.packed == self.info.raw => {
                Ok(Cow::Borrowed(bytes))
            }
            Pixels::Whole(bytes) => inflate(bytes, self.info.raw as usize).map(Cow::Owned),
            Pixels::Chunks(chunks) => {
                let total: u64 = chunks.iter().map(|c| u64::from(c.info.raw)).sum();
                if total != u64::from(self.info.raw) {
                    let want = format!("chunks of {} bytes", self.info.raw).into();
                    return Err(ErrorKind::Mismatch { want, found: format!("{total} bytes").into() });
                }
                let mut out = Vec::new();
                let mut inflater = Inflater::default();
                for chunk in chunks {
                    if chunk.info.is_stored() {
                        out.extend_from_slice(&chunk.bytes);
                    } else {
                        inflater.append(&chunk.bytes, chunk.info.raw.into(), &mut out)?;
                    }
                }
                Ok(Cow::Owned(out))
            }
        }
    }
}

impl Ftex {
    /// Returns one image. Levels in parts that are not available are an error; see [`best_mip`](Ftex::best_mip).
    pub fn decode(&self, level: Level, limits: &Limits) -> Result<Image> {
        let found = self.mip(level.mip, level.face).filter(|_| level.layer == 0);
        let (Some(mip), Some(format)) = (found, self.head.format()) else {
            let at = if found.is_some() { 8 } else { 16 };
            return Err(level_error(crate::absent(), at, level));
        };
        let fail = |kind| level_error(kind, mip.info.offset.0 as usize, level);
        let (width, height) = level_size(self.head.width.into(), self.head.height.into(), level.mip);
        let limits = &limits.of_image(mip.stored());
        crate::image::allow(width, height, limits).map_err(fail)?;
        let want = format.size(width, height);
        // What is unpacked beyond the pixels is of no use.
        if u64::from(mip.info.raw) > want.saturating_mul(2).saturating_add(limits.base_allowance) {
            return Err(fail(ErrorKind::Limit("decoded bytes")));
        }
        if u64::from(mip.info.raw) < want {
            let have = mip.info.raw.into();
            return Err(fail(ErrorKind::Truncated { count: 1, size: want, have }));
        }
        let bytes = mip.unpack(limits).map_err(fail)?;
        format.decode(&bytes, width, height, limits).map_err(fail)
    }

    /// Returns the largest image that the parts available hold.
    pub fn decode_best(&self, face: u32, limits: &Limits) -> Result<Image> {
        let mip = self.best_mip().unwrap_or(0);
        self.decode(Level { mip, face, layer: 0 }, limits)
    }

    /// Creates a new texture of these levels (all of the first face, then of the next). `kind` are the bits of
    /// [`FtexHead::kind`] without the one for streaming.
    pub fn new(
        format: PixelFormat,
        width: u16,
        height: u16,
        levels: Vec<Vec<u8>>,
        kind: u32,
        storage: Storage,
    ) -> Result<Self> {
        let pixel_format = match format {
            PixelFormat::Bgra8 => 0,
            PixelFormat::Grey8 => 1,
            PixelFormat::Bc1 => 2,
            PixelFormat::Bc2 => 3,
            PixelFormat::Bc3 => 4,
            PixelFormat::Bc4 { signed: false } => 8,
            PixelFormat::Bc5 { signed: false } => 9,
            PixelFormat::Bc7 => 11,
            _ => return Err(Error::unrepresentable(format!("an FTEX of {} is not written", format.name()))),
        };
        let faces = if kind & 4 != 0 { 6 } else { 1 };
        let count = levels.len() / faces;
        let mips = u8::try_from(count).ok().filter(|m| *m > 0 && count * faces == levels.len());
        let Some(mips) = mips else {
            return Err(Error::unrepresentable(format!("{} levels for {faces} faces", levels.len())));
        };
        let parts = match storage {
            Storage::OneFile => 0,
            Storage::Parts(parts) => parts.clamp(1, mips),
        };
        let head = FtexHead {
            magic: *b"FTEX",
            version: if pixel_format > 4 { 2.04 } else { 2.03 },
            pixel_format,
            width,
            height,
            depth: 1,
            mips,
            unknown_0x11: 2,
            flags: 0x11,
            unknown_0x14: 1,
            kind: kind & 0xFF | 1 | if parts > 0 { 1 << 24 } else { 0 },
            parts,
            parts_less_one: parts.saturating_sub(1),
            ..FtexHead::ZERO
        };
        let mut out = Vec::with_capacity(levels.len());
        for (index, level) in levels.iter().enumerate() {
            let mip = (index % count) as u8;
            let (w, h) = level_size(width.into(), height.into(), mip.into());
            if level.len() as u64 != format.size(w, h) {
                let want = format.size(w, h);
                return Err(Error::unrepresentable(format!(
                    "level {mip}: {} bytes, not {want}",
                    level.len()
                )));
            }
            let part = if parts == 0 { 0 } else { parts.saturating_sub(mip).max(1) };
            out.push(pack(level, mip, part)?);
        }
        let mut ftex = Ftex { head, mips: out, parts: Vec::new() };
        ftex.lay_out()?;
        Ok(ftex)
    }

    /// Gives every level a place: the smallest first, each on an 8-byte boundary.
    fn lay_out(&mut self) -> Result<()> {
        let numbers = 0..=self.head.parts;
        self.parts.clear();
        for number in numbers {
            let table = if number == 0 { FtexHead::SIZE + self.mips.len() * MipInfo::SIZE } else { 0 };
            let mut at = table;
            for mip in self.mips.iter_mut().rev().filter(|m| m.info.part == number) {
                at = at.next_multiple_of(8);
                mip.info.offset = Writer::offset(at)?;
                at += mip.info.packed as usize;
            }
            self.parts.push(Part { number, len: at, gaps: Vec::new() });
        }
        Ok(())
    }
}

fn pack(level: &[u8], mip: u8, part: u8) -> Result<Mip> {
    let pieces: Vec<&[u8]> = level.chunks(CHUNK).collect();
    let count = u16::try_from(pieces.len())
        .map_err(|_| Error::unrepresentable(format!("level {mip} has {} chunks", pieces.len())))?;
    let mut chunks = Vec::with_capacity(pieces.len());
    let mut at = pieces.len() * ChunkInfo::SIZE;
    for piece in pieces {
        let zlib = deflate(piece)?;
        let stored = zlib.len() >= piece.len();
        let bytes = if stored { piece.to_vec() } else { zlib };
        let offset = Writer::count(at, "bytes")? | if stored { 1 << 31 } else { 0 };
        // A piece has at most 16,384 bytes, so both sizes fit.
        let info = ChunkInfo { packed: bytes.len() as u16, raw: piece.len() as u16, offset: Offset(offset) };
        at += bytes.len();
        chunks.push(Chunk { info, bytes });
    }
    let info = MipInfo {
        offset: Offset(0),
        raw: Writer::count(level.len(), "bytes")?,
        packed: Writer::count(at, "bytes")?,
        mip,
        part,
        chunks: count,
    };
    Ok(Mip { info, pixels: Pixels::Chunks(chunks) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels() -> Vec<Vec<u8>> {
        // 256x256 DXT1: 32,768 bytes take two chunks; noise does not shrink and is stored.
        let mut noise = 1u32;
        (0..9)
            .map(|mip| {
                let (w, h) = level_size(256, 256, mip);
                let bytes = 0..PixelFormat::Bc1.size(w, h);
                bytes
                    .map(|i| {
                        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        if i < 16_384 { (noise >> 24) as u8 } else { 7 }
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn one_file_and_parts_hold_the_same_pixels() {
        let whole = Ftex::new(PixelFormat::Bc1, 256, 256, levels(), 3, Storage::OneFile).unwrap();
        let split = Ftex::new(PixelFormat::Bc1, 256, 256, levels(), 3, Storage::Parts(3)).unwrap();
        assert_eq!(split.parts().collect::<Vec<_>>(), [1, 2, 3]);
        let limits = Limits::default();
        let mut back = Ftex::read(&split.write().unwrap(), &limits).unwrap();
        assert_eq!(back.missing_parts(), [1, 2, 3]);
        assert_eq!(back.best_mip(), None);
        back.attach(1, &split.write_part(1).unwrap(), &limits).unwrap();
        assert_eq!(back.best_mip(), Some(2));
        assert!(back.decode(Level::default(), &limits).is_err());
        for number in [3, 2] {
            back.attach(number, &split.write_part(number).unwrap(), &limits).unwrap();
        }
        for mip in 0..9 {
            let level = Level { mip, ..Level::default() };
            assert_eq!(back.decode(level, &limits).unwrap(), whole.decode(level, &limits).unwrap());
        }
        for number in 0..=3 {
            assert_eq!(back.write_part(number).unwrap(), split.write_part(number).unwrap());
        }
        let Pixels::Chunks(chunks) = &whole.mips[0].pixels else { panic!("no chunks") };
        assert_eq!(chunks.iter().map(|c| c.info.is_stored()).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn one_piece_without_chunks_is_read_both_ways() {
        let mut ftex = Ftex::new(PixelFormat::Bc1, 4, 4, vec![vec![5; 8]], 1, Storage::OneFile).unwrap();
        let zlib = deflate(&[5; 8]).unwrap();
        for (packed, stored) in [(0, vec![5; 8]), (zlib.len() as u32, zlib)] {
            let at = ftex.mips[0].info.offset.0 as usize;
            ftex.mips[0].info = MipInfo { packed, chunks: 0, raw: 8, ..ftex.mips[0].info };
            ftex.mips[0].pixels = Pixels::Whole(stored.clone());
            ftex.parts[0].len = at + stored.len();
            let bytes = ftex.write().unwrap();
            let back = Ftex::read(&bytes, &Limits::default()).unwrap();
            assert_eq!(back.mips[0].unpack(&Limits::default()).unwrap(), [5; 8].as_slice());
            assert_eq!(back.write().unwrap(), bytes);
        }
    }
}
