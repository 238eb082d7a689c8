//! FTEX: the Fox Engine's texture. A head and a table of levels; the pixels in the same file (PES) or in numbered FTEXS
//! files beside it (MGSV), small levels in the first, so that a game can start with little.

mod pixels;
mod read;
mod wire;
mod write;

pub use pixels::Storage;
pub use read::{detect, inspect, inspect_part};
pub use wire::{ChunkInfo, FtexHead, MipInfo};

use galatea_wire::{Gap, Schema, Summary, Wire};

use crate::Shape;

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

/// An FTEX texture with those of its FTEXS parts that are available.
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

impl Ftex {
    /// Returns the numbers of the parts available besides the FTEX itself.
    pub fn parts(&self) -> impl Iterator<Item = u8> + '_ {
        self.parts.iter().map(|p| p.number).filter(|n| *n > 0)
    }

    /// Returns the numbers of the parts that levels are in, but which are not available.
    pub fn missing_parts(&self) -> Vec<u8> {
        let mut out: Vec<u8> =
            self.mips.iter().filter(|m| m.pixels == Pixels::Elsewhere).map(|m| m.info.part).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Returns the largest level whose pixels are available (for every face).
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

    /// Returns what the file announces.
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

    /// Returns the figures for one line.
    pub fn summary(&self) -> Summary {
        let version = format!("{} {}", self.head.version, self.shape());
        Summary { version, ..Summary::default() }
    }
}

impl ChunkInfo {
    /// Returns where the chunk begins, from the start of the level.
    pub fn start(&self) -> usize {
        (self.offset.0 & 0x7FFF_FFFF) as usize
    }

    /// Returns `true` if the bytes are stored as they are. The sizes tell; bit 31 of the offset is missing in some
    /// files.
    pub fn is_stored(&self) -> bool {
        self.packed == self.raw
    }
}

impl FtexHead {
    /// Returns 6 for a cube map, else 1.
    pub fn faces(&self) -> u32 {
        if self.kind & 0x4 != 0 { 6 } else { 1 }
    }

    /// Returns `true` if colours are stored as sRGB.
    pub fn is_srgb(&self) -> bool {
        self.kind & 0x2 != 0
    }

    /// Returns `true` if the texture is a normal map.
    pub fn is_normal_map(&self) -> bool {
        self.kind & 0x8 != 0
    }
}
