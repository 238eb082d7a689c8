//! DDS: the texture of Direct3D, as Reforged and PES use it. The first row is the top.

mod format;
mod read;
mod wire;
mod write;

pub use read::{detect, inspect};
pub use wire::{DdsHead, Dx10};

use galatea_wire::{Limits, Result, Schema, Summary, Wire};

use crate::image::{full_chain, level_error, level_size};
use crate::{Image, Level, PixelFormat, Shape};

/// All fixed records of the format.
pub static RECORDS: &[&Schema] = &[DdsHead::SCHEMA, Dx10::SCHEMA];

/// A DDS texture.
///
/// ```
/// use galatea_texture::dds::{Dds, DdsHead};
/// let dds = Dds::new(galatea_texture::PixelFormat::Bgra8, 1, 1, vec![vec![0, 0, 255, 255]]).unwrap();
/// let bytes = dds.write().unwrap();
/// let back = Dds::read(&bytes, &Default::default()).unwrap();
/// assert_eq!(back.write().unwrap(), bytes);
/// assert_eq!(back.decode(Default::default(), &Default::default()).unwrap().rgba, [255, 0, 0, 255]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dds {
    /// The header.
    pub head: DdsHead,
    /// The second header, if the first announces it.
    pub dx10: Option<Dx10>,
    /// Stored bytes of each level: all levels of the first face of the first layer, then of the next face, then of the next layer.
    pub levels: Vec<Vec<u8>>,
    /// What follows the last whole level.
    pub tail: Vec<u8>,
}

impl Dds {
    /// Returns 6 for a cube map (fewer where the header names fewer faces), else 1.
    pub fn faces(&self) -> u32 {
        match self.dx10 {
            Some(dx10) if dx10.misc & 0x4 != 0 => 6,
            None if self.head.caps2 & 0x200 != 0 => (self.head.caps2 & 0xFC00).count_ones().max(1),
            _ => 1,
        }
    }

    /// Layers of an array.
    pub fn layers(&self) -> u32 {
        self.dx10.map_or(1, |d| d.layers.max(1))
    }

    fn depth(&self) -> u32 {
        let volume = self.head.caps2 & 0x20_0000 != 0 || self.dx10.is_some_and(|d| d.dimension == 4);
        if volume { self.head.depth.max(1) } else { 1 }
    }

    /// Levels of each face, as far as the size allows.
    fn mips(&self) -> u32 {
        self.head
            .mips
            .clamp(1, full_chain(self.head.width, self.head.height).max(full_chain(self.depth(), 1)))
    }

    /// Returns the bytes of a level, with all its slices.
    fn level_bytes(&self, format: PixelFormat, mip: u32) -> u64 {
        let (width, height) = level_size(self.head.width, self.head.height, mip);
        let (depth, _) = level_size(self.depth(), 1, mip);
        format.size(width, height).saturating_mul(depth.into())
    }

    /// Returns what the file holds.
    pub fn shape(&self) -> Shape {
        let pixels = match (self.pixel_format(), self.dx10) {
            (Some(format), Some(dx10)) => format!("DX10/{} {}", dx10.format, format.name()),
            (Some(format), None) => format.name().into_owned(),
            (None, _) => "unknown".into(),
        };
        let (width, height) = (self.head.width, self.head.height);
        Shape { width, height, mips: self.mips(), faces: self.faces(), layers: self.layers(), pixels }
    }

    /// Returns where in the file the stored bytes of a level begin.
    pub(crate) fn level_offset(&self, index: usize) -> usize {
        let head = DdsHead::SIZE + if self.dx10.is_some() { Dx10::SIZE } else { 0 };
        head + self.levels.iter().take(index).map(Vec::len).sum::<usize>()
    }

    /// Returns one image; of a volume, its first slice.
    pub fn decode(&self, level: Level, limits: &Limits) -> Result<Image> {
        let chain = u64::from(level.layer) * u64::from(self.faces()) + u64::from(level.face);
        let index =
            usize::try_from(chain * u64::from(self.mips()) + u64::from(level.mip)).unwrap_or(usize::MAX);
        let fits = level.mip < self.mips() && level.face < self.faces();
        let found = self.levels.get(index).filter(|_| fits);
        let at = self.level_offset(index);
        let (Some(bytes), Some(format)) = (found, self.pixel_format()) else {
            return Err(level_error(crate::absent(), at, level));
        };
        let (width, height) = level_size(self.head.width, self.head.height, level.mip);
        format.decode(bytes, width, height, limits).map_err(|kind| level_error(kind, at, level))
    }

    /// Returns the figures for one line.
    pub fn summary(&self) -> Summary {
        Summary { version: self.shape().to_string(), ..Summary::default() }
    }
}

#[cfg(test)]
mod tests {
    use galatea_wire::ErrorKind;

    use super::*;

    #[test]
    fn cubes_and_arrays_are_read_face_by_face() {
        let mut dds = Dds::new(PixelFormat::Bc1, 4, 4, vec![vec![1; 8], vec![2; 8], vec![3; 8]]).unwrap();
        dds.head.four_cc = *b"DX10";
        dds.dx10 = Some(Dx10 { format: 71, dimension: 3, misc: 4, layers: 2, alpha_mode: 0 });
        dds.levels = (0..36u8).map(|i| vec![i; 8]).collect();
        dds.tail = vec![9, 9];
        let bytes = dds.write().unwrap();
        let back = Dds::read(&bytes, &Limits::default()).unwrap();
        assert_eq!(back, dds);
        assert_eq!((back.shape().faces, back.shape().layers, back.shape().mips), (6, 2, 3));
        assert!(back.decode(Level { mip: 2, face: 5, layer: 1 }, &Limits::default()).is_ok());
        assert!(back.decode(Level { mip: 0, face: 0, layer: 2 }, &Limits::default()).is_err());
    }

    #[test]
    fn a_missing_level_is_kept_as_it_is_but_not_the_first() {
        let dds = Dds::new(PixelFormat::Bc1, 8, 8, vec![vec![1; 32], vec![2; 8], vec![3; 8]]).unwrap();
        let bytes = dds.write().unwrap();
        let cut = &bytes[..bytes.len() - 10];
        let back = Dds::read(cut, &Limits::default()).unwrap();
        assert_eq!((back.levels.len(), back.tail.len()), (1, 6));
        assert_eq!(back.write().unwrap(), cut);
        assert!(Dds::read(&bytes[..150], &Limits::default()).is_err());
    }

    #[test]
    fn countless_tiny_layers_are_stopped_by_the_limit() {
        let mut dds = Dds::new(PixelFormat::Grey8, 1, 1, vec![vec![1]]).unwrap();
        dds.dx10 = Some(Dx10 { format: 61, dimension: 3, misc: 0, layers: u32::MAX, alpha_mode: 0 });
        dds.head.format_flags = 4;
        dds.head.four_cc = *b"DX10";
        dds.tail = vec![0; 100_000];
        let error = Dds::read(&dds.write().unwrap(), &Limits::default()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Limit("decoded bytes"));
    }
}
