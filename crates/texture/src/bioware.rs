//! BioWare's own DDS: twenty bytes of header and DXT blocks. Not Microsoft's format of the same ending.

use galatea_wire::{Coverage, Error, Limits, Reader, Result, Schema, Source, Summary, Wire, put_array, wire};

use crate::image::{full_chain, level_error, level_size};
use crate::{Image, Level, PixelFormat, Shape};

wire! {
    /// The header of a BioWare DDS; the levels follow, the largest first.
    pub struct BiowareHead(20) {
        /// Pixels per row.
        pub width: u32 = 0,
        /// Rows.
        pub height: u32 = 4,
        /// 3: DXT1, 4: DXT5.
        pub channels: u32 = 8,
        /// Bytes of the first level.
        pub size: u32 = 12,
        /// Mean of alpha.
        pub alpha_mean: f32 = 16,
    }
}

/// All fixed records of the format.
pub static RECORDS: &[&Schema] = &[BiowareHead::SCHEMA];

/// A BioWare DDS.
///
/// ```
/// use galatea_texture::bioware::{BiowareDds, BiowareHead};
/// let head = BiowareHead { width: 4, height: 4, channels: 3, size: 8, alpha_mean: 1.0 };
/// let dds = BiowareDds { head, levels: vec![vec![0; 8]], tail: vec![] };
/// let bytes = dds.write().unwrap();
/// assert_eq!(BiowareDds::read(&bytes, &Default::default()).unwrap(), dds);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BiowareDds {
    /// The header.
    pub head: BiowareHead,
    /// Stored bytes of each level.
    pub levels: Vec<Vec<u8>>,
    /// What follows the last whole level.
    pub tail: Vec<u8>,
}

impl BiowareHead {
    /// Returns how the pixels are stored; `None` for an unknown channel count.
    pub fn pixel_format(&self) -> Option<PixelFormat> {
        match self.channels {
            3 => Some(PixelFormat::Bc1),
            4 => Some(PixelFormat::Bc3),
            _ => None,
        }
    }
}

/// Returns `true` if these bytes are a BioWare DDS: the first level's size must be what width, height and channels make
/// it.
pub fn detect(bytes: &[u8]) -> bool {
    let head = BiowareHead::get(bytes);
    head.pixel_format().is_some_and(|f| {
        let first = f.size(head.width, head.height);
        first == u64::from(head.size) && first > 0 && first + 20 <= bytes.len() as u64
    })
}

/// Returns what reading claims, and the error that stopped it.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = BiowareDds::read_from(source.reader()).err();
    (source.into_coverage(), error)
}

impl BiowareDds {
    /// Reads a BioWare DDS: as many levels as there are bytes for.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        Self::read_from(Source::new(bytes, limits).reader())
    }

    fn read_from(reader: Reader<'_>) -> Result<Self> {
        let head: BiowareHead = reader.at(0, "head")?;
        let Some(format) = head.pixel_format() else {
            return Err(reader.mismatch(8, "channels", "3 or 4", head.channels.to_string()));
        };
        if head.width == 0 || head.height == 0 {
            return Err(reader.mismatch(0, "width", "at least one pixel", "none"));
        }
        let mut levels = Vec::new();
        let mut at = BiowareHead::SIZE;
        for mip in 0..full_chain(head.width, head.height) {
            let (width, height) = level_size(head.width, head.height, mip);
            let size = usize::try_from(format.size(width, height)).unwrap_or(usize::MAX);
            if mip > 0 && reader.peek(at, size).is_none() {
                break;
            }
            let bytes = reader.enter("mips", Some(mip as usize), at)?.bytes(at, size, "pixels")?;
            reader.spend(bytes.len() as u64, at, "pixels")?;
            levels.push(bytes.to_vec());
            at += size;
        }
        let tail = reader.bytes(at, reader.len() - at, "tail")?.to_vec();
        Ok(BiowareDds { head, levels, tail })
    }

    /// Writes the texture: for an unchanged one, the bytes it was read from.
    pub fn write(&self) -> Result<Vec<u8>> {
        let pixels: usize = self.levels.iter().map(Vec::len).sum();
        let mut out = Vec::with_capacity(BiowareHead::SIZE + pixels + self.tail.len());
        put_array(&mut out, &[self.head]);
        for level in &self.levels {
            out.extend_from_slice(level);
        }
        out.extend_from_slice(&self.tail);
        Ok(out)
    }

    /// Returns what the file holds.
    pub fn shape(&self) -> Shape {
        Shape {
            width: self.head.width,
            height: self.head.height,
            mips: self.levels.len() as u32,
            faces: 1,
            layers: 1,
            pixels: self.head.pixel_format().map_or("unknown".into(), |f| f.name().into_owned()),
        }
    }

    /// Returns one image, the right way up: rows are stored from the bottom, as in TPC.
    pub fn decode(&self, level: Level, limits: &Limits) -> Result<Image> {
        let at = BiowareHead::SIZE + self.levels.iter().take(level.mip as usize).map(Vec::len).sum::<usize>();
        let found = self.levels.get(level.mip as usize).filter(|_| level.face == 0 && level.layer == 0);
        let (Some(bytes), Some(format)) = (found, self.head.pixel_format()) else {
            return Err(level_error(crate::absent(), at, level));
        };
        let (width, height) = level_size(self.head.width, self.head.height, level.mip);
        let mut image =
            format.decode(bytes, width, height, limits).map_err(|kind| level_error(kind, at, level))?;
        image.flip_rows();
        Ok(image)
    }

    /// Returns the figures for one line.
    pub fn summary(&self) -> Summary {
        Summary { version: self.shape().to_string(), ..Summary::default() }
    }
}
