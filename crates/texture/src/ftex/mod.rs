//! FTEX: the Fox Engine's texture. A head and a table of levels; the pixels in the same file (PES) or in numbered FTEXS
//! files beside it (MGSV), small levels in the first, so that a game can start with little.

mod pixels;
mod wire;

pub use pixels::Storage;
pub use wire::{ChunkInfo, FtexHead, MipInfo};

use galatea_wire::{
    Coverage, Error, ErrorKind, Gap, Limits, Reader, Result, Schema, Source, Summary, Wire, Writer,
};

use crate::{Shape, compare};

/// All fixed records of the format.
pub static RECORDS: &[&Schema] = &[FtexHead::SCHEMA, MipInfo::SCHEMA, ChunkInfo::SCHEMA];

/// A chunk of a level as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Its entry.
    pub info: ChunkInfo,
    /// Its stored bytes.
    pub bytes: Vec<u8>,
}

/// The pixels of a level as they are stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Pixels {
    /// In an FTEXS file that has not been [`attach`](Ftex::attach)ed.
    Elsewhere,
    /// In one piece: as they are, or as zlib.
    Whole(Vec<u8>),
    /// In chunks.
    Chunks(Vec<Chunk>),
}

/// One level of one face.
#[derive(Debug, Clone, PartialEq)]
pub struct Mip {
    /// Its entry in the table.
    pub info: MipInfo,
    /// Its pixels.
    pub pixels: Pixels,
}

/// The rest of a file that holds levels.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    number: u8,
    len: usize,
    gaps: Vec<Gap>,
}

/// An FTEX texture with those of its FTEXS parts that are at hand.
///
/// ```
/// use galatea_texture::ftex::{Ftex, Storage};
/// use galatea_texture::PixelFormat;
/// let ftex = Ftex::new(PixelFormat::Bc1, 4, 4, vec![vec![0; 8]], 3, Storage::OneFile).unwrap();
/// let bytes = ftex.write().unwrap();
/// let back = Ftex::read(&bytes, &Default::default()).unwrap();
/// assert_eq!(back.write().unwrap(), bytes);
/// assert_eq!(back.decode(Default::default(), &Default::default()).unwrap().width, 4);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ftex {
    /// The head.
    pub head: FtexHead,
    /// All levels of the first face, then of the next.
    pub mips: Vec<Mip>,
    parts: Vec<Part>,
}

/// Whether these bytes begin like an FTEX.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"FTEX")
}

/// What reading claims, and the error that stopped it.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = Ftex::read_from(source.reader()).err();
    (source.into_coverage(), error)
}

/// What reading an FTEXS part claims for the FTEX it belongs to, and the error that stopped it.
pub fn inspect_part(ftex: &Ftex, number: u8, bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = ftex.read_part(number, source.reader()).err();
    (source.into_coverage(), error)
}

impl Ftex {
    /// Reads an FTEX. Levels that are in FTEXS files stay [`Pixels::Elsewhere`] until [`attach`](Self::attach).
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let source = Source::new(bytes, limits);
        let mut ftex = Self::read_from(source.reader())?;
        let gaps = source.into_coverage().keep_gaps(bytes);
        ftex.parts = vec![Part { number: 0, len: bytes.len(), gaps }];
        Ok(ftex)
    }

    fn read_from(reader: Reader<'_>) -> Result<Self> {
        if !detect(reader.data()) {
            return Err(reader.error(ErrorKind::NotThisFormat, 0, "magic"));
        }
        let head: FtexHead = reader.at(0, "head")?;
        let count = usize::from(head.mips) * head.faces() as usize;
        let table: Vec<MipInfo> = reader.array(FtexHead::SIZE, count, "mip_table")?;
        let mips = table.into_iter().map(|info| Mip { info, pixels: Pixels::Elsewhere }).collect();
        let mut ftex = Ftex { head, mips, parts: Vec::new() };
        let found = ftex.read_part(0, reader)?;
        ftex.place(found);
        Ok(ftex)
    }

    /// Adds the bytes of an FTEXS file by its number (`name.1.ftexs` is 1). On an error nothing is added.
    pub fn attach(&mut self, number: u8, bytes: &[u8], limits: &Limits) -> Result<()> {
        let source = Source::new(bytes, limits);
        let found =
            self.read_part(number, source.reader()).map_err(|e| e.within(format!("part {number}")))?;
        self.place(found);
        let gaps = source.into_coverage().keep_gaps(bytes);
        self.parts.retain(|p| p.number != number);
        self.parts.push(Part { number, len: bytes.len(), gaps });
        Ok(())
    }

    fn read_part(&self, number: u8, reader: Reader<'_>) -> Result<Vec<(usize, Pixels)>> {
        let mut out = Vec::new();
        for (index, mip) in self.mips.iter().enumerate().filter(|(_, m)| m.info.part == number) {
            let at = mip.info.offset.0 as usize;
            let reader = reader.enter("mips", Some(index), at)?;
            out.push((index, read_pixels(&mip.info, at, reader)?));
        }
        Ok(out)
    }

    fn place(&mut self, found: Vec<(usize, Pixels)>) {
        for (index, pixels) in found {
            if let Some(mip) = self.mips.get_mut(index) {
                mip.pixels = pixels;
            }
        }
    }

    /// Writes the FTEX itself: for an unchanged one, the bytes it was read from.
    pub fn write(&self) -> Result<Vec<u8>> {
        self.write_part(0)
    }

    /// Writes an FTEXS part (0 is the FTEX itself): for an unchanged one, the bytes it was read from.
    pub fn write_part(&self, number: u8) -> Result<Vec<u8>> {
        let Some(part) = self.parts.iter().find(|p| p.number == number) else {
            return Err(Error::unrepresentable(format!("part {number} is not at hand")));
        };
        let mut writer = Writer::new(part.len);
        writer.gaps(&part.gaps)?;
        if number == 0 {
            writer.put(0, &self.head)?;
            let table: Vec<MipInfo> = self.mips.iter().map(|m| m.info).collect();
            writer.array(FtexHead::SIZE, &table)?;
        }
        for mip in self.mips.iter().filter(|m| m.info.part == number) {
            let at = mip.info.offset.0 as usize;
            match &mip.pixels {
                Pixels::Elsewhere => {}
                Pixels::Whole(bytes) => writer.bytes(at, bytes)?,
                Pixels::Chunks(chunks) => {
                    let table: Vec<ChunkInfo> = chunks.iter().map(|c| c.info).collect();
                    writer.array(at, &table)?;
                    for chunk in chunks {
                        writer.bytes(at.saturating_add(chunk.info.start()), &chunk.bytes)?;
                    }
                }
            }
        }
        Ok(writer.into_bytes())
    }

    /// The numbers of the parts at hand besides the FTEX itself.
    pub fn parts(&self) -> impl Iterator<Item = u8> + '_ {
        self.parts.iter().map(|p| p.number).filter(|n| *n > 0)
    }

    /// The numbers of the parts that levels are in, but which are not at hand.
    pub fn missing_parts(&self) -> Vec<u8> {
        let mut out: Vec<u8> =
            self.mips.iter().filter(|m| m.pixels == Pixels::Elsewhere).map(|m| m.info.part).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The largest level whose pixels are at hand (for every face).
    pub fn best_mip(&self) -> Option<u32> {
        let here = |mip: u32| {
            (0..self.head.faces()).all(|face| {
                self.mip(mip, face).is_some_and(|m| m.pixels != Pixels::Elsewhere && m.info.raw > 0)
            })
        };
        (0..u32::from(self.head.mips)).find(|mip| here(*mip))
    }

    pub(crate) fn mip(&self, mip: u32, face: u32) -> Option<&Mip> {
        let mips = usize::from(self.head.mips);
        self.mips.get(face as usize * mips + mip as usize).filter(|_| (mip as usize) < mips)
    }

    /// What the file announces.
    pub fn shape(&self) -> Shape {
        Shape {
            width: self.head.width.into(),
            height: self.head.height.into(),
            mips: self.head.mips.into(),
            faces: self.head.faces(),
            layers: 1,
            pixels: self.head.format().map_or("unknown".into(), |f| f.name().into_owned()),
        }
    }

    /// The figures for one line.
    pub fn summary(&self) -> Summary {
        let version = format!("{} {}", self.head.version, self.shape());
        Summary { version, ..Summary::default() }
    }

    /// What differs, in the format's words, hashes and the way of packing left out; empty means equal.
    pub fn differences(&self, other: &Ftex) -> Vec<String> {
        let mut out = Vec::new();
        compare::records(&self.head, &other.head, &["hashes"], &mut out);
        if self.mips.len() != other.mips.len() {
            out.push(format!("mips: {} / {}", self.mips.len(), other.mips.len()));
        }
        let limits = Limits::default();
        for (i, (a, b)) in self.mips.iter().zip(&other.mips).enumerate() {
            if a.info.part != b.info.part {
                out.push(format!("mips[{i}].part: {} / {}", a.info.part, b.info.part));
            }
            match (a.unpack(&limits), b.unpack(&limits)) {
                (Ok(a), Ok(b)) => compare::bytes(&format!("mips[{i}]"), &a, &b, &mut out),
                _ if a.pixels == b.pixels => {}
                _ => out.push(format!("mips[{i}]: only one can be unpacked")),
            }
        }
        out
    }
}

fn read_pixels(info: &MipInfo, at: usize, reader: Reader<'_>) -> Result<Pixels> {
    if info.chunks == 0 {
        let len = if info.packed == 0 { info.raw } else { info.packed };
        let bytes = reader.bytes(at, len as usize, "pixels")?;
        reader.spend(bytes.len() as u64 + 256, at, "pixels")?;
        return Ok(Pixels::Whole(bytes.to_vec()));
    }
    let table: Vec<ChunkInfo> = reader.array(at, info.chunks.into(), "chunk_table")?;
    let mut chunks = Vec::new();
    for info in table {
        let at = at.saturating_add(info.start());
        let bytes = reader.bytes(at, info.packed.into(), "chunk")?;
        reader.spend(bytes.len() as u64 + 64, at, "chunk")?;
        chunks.push(Chunk { info, bytes: bytes.to_vec() });
    }
    Ok(Pixels::Chunks(chunks))
}

impl ChunkInfo {
    /// Where the chunk begins, from the start of the level.
    pub fn start(&self) -> usize {
        (self.offset.0 & 0x7FFF_FFFF) as usize
    }

    /// Whether the bytes are stored as they are. The sizes tell; bit 31 of the offset is missing in some files.
    pub fn is_stored(&self) -> bool {
        self.packed == self.raw
    }
}

impl FtexHead {
    /// 6 for a cube map, else 1.
    pub fn faces(&self) -> u32 {
        if self.kind & 0x4 != 0 { 6 } else { 1 }
    }

    /// Whether colours are stored as sRGB.
    pub fn is_srgb(&self) -> bool {
        self.kind & 0x2 != 0
    }

    /// Whether the texture is a normal map.
    pub fn is_normal_map(&self) -> bool {
        self.kind & 0x8 != 0
    }
}
