//! TPC: KotOR's texture. A header, the levels of each face or frame, then the TXI text.
//!
//! Rows are stored from the bottom up; [`Tpc::decode`] hands out images the right way up.

mod read;
mod wire;
mod write;

pub use read::{detect, inspect};
pub use wire::TpcHead;

use galatea_wire::{Limits, Result, Schema, Summary, Wire};

use crate::image::{level_error, level_size};
use crate::{Image, Level, PixelFormat, Shape, Txi};

/// All fixed records of the format.
pub static RECORDS: &[&Schema] = &[TpcHead::SCHEMA];

/// How the images of a TPC belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// One image with its levels.
    Plain,
    /// Six square faces, each with all its levels.
    Cube,
    /// Frames of a flip-book, each with all its levels.
    Frames {
        /// Frames beside each other on the sheet that the header describes.
        columns: u32,
        /// Frames below each other.
        rows: u32,
    },
}

/// A TPC texture.
///
/// ```
/// use galatea_texture::tpc::{Tpc, TpcHead};
/// let head = TpcHead { alpha_mean: 1.0, width: 1, height: 1, encoding: 4, mips: 1, ..Default::default() };
/// let tpc = Tpc::new(head, vec![vec![255, 0, 0, 255]], b"mipmap 0\r\n");
/// let bytes = tpc.write().unwrap();
/// let back = Tpc::read(&bytes, &Default::default()).unwrap();
/// assert_eq!(back.write().unwrap(), bytes);
/// assert!(back.txi.get("mipmap").is_some());
/// assert_eq!(back.decode(Default::default(), &Default::default()).unwrap().rgba, [255, 0, 0, 255]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tpc {
    /// The header.
    pub head: TpcHead,
    /// How the images belong together.
    pub arrangement: Arrangement,
    /// Stored bytes of each level: all levels of the first face or frame, then of the next.
    pub levels: Vec<Vec<u8>>,
    /// The text after the pixels.
    pub txi: Txi,
}

impl TpcHead {
    /// Returns how the pixels are stored; `None` for an unknown encoding.
    pub fn pixel_format(&self) -> Option<PixelFormat> {
        match (self.encoding, self.size) {
            (1, 0) => Some(PixelFormat::Grey8),
            (2, 0) => Some(PixelFormat::Rgb8),
            (4, 0) => Some(PixelFormat::Rgba8),
            (12, 0) => Some(PixelFormat::Bgra8),
            (2, _) => Some(PixelFormat::Bc1),
            (4, _) => Some(PixelFormat::Bc3),
            _ => None,
        }
    }

    fn is_cube(&self) -> bool {
        self.width > 0 && u32::from(self.height) == u32::from(self.width) * 6
    }

    fn face_size(&self) -> (u32, u32) {
        let height = if self.is_cube() { self.width } else { self.height };
        (self.width.into(), height.into())
    }
}

/// Returns the bytes of a whole chain of levels.
fn chain(format: PixelFormat, width: u32, height: u32, mips: u32) -> u64 {
    (0..mips)
        .map(|mip| {
            let (w, h) = level_size(width, height, mip);
            format.size(w, h)
        })
        .sum()
}

impl Tpc {
    /// Creates a texture from its parts; a height of six times the width makes it a cube map.
    pub fn new(head: TpcHead, levels: Vec<Vec<u8>>, txi: &[u8]) -> Self {
        let arrangement = if head.is_cube() { Arrangement::Cube } else { Arrangement::Plain };
        Tpc { head, arrangement, levels, txi: Txi::parse(txi) }
    }

    /// Returns the faces or frames, each with a chain of levels.
    fn chains(&self) -> u32 {
        match self.arrangement {
            Arrangement::Plain => 1,
            Arrangement::Cube => 6,
            Arrangement::Frames { columns, rows } => columns * rows,
        }
    }

    /// Returns how the pixels are stored.
    pub fn pixel_format(&self) -> Option<PixelFormat> {
        self.head.pixel_format()
    }

    /// Returns what the file holds.
    pub fn shape(&self) -> Shape {
        let (mut width, mut height) = self.head.face_size();
        if let Arrangement::Frames { columns, rows } = self.arrangement {
            (width, height) = ((width / columns.max(1)).max(1), (height / rows.max(1)).max(1));
        }
        let cube = self.arrangement == Arrangement::Cube;
        Shape {
            width,
            height,
            mips: (self.levels.len() / self.chains().max(1) as usize) as u32,
            faces: if cube { 6 } else { 1 },
            layers: if cube { 1 } else { self.chains() },
            pixels: self.head.pixel_format().map_or("unknown".into(), |f| f.name().into_owned()),
        }
    }

    /// Returns where in the file the stored bytes of a level begin.
    pub(crate) fn level_offset(&self, index: usize) -> usize {
        TpcHead::SIZE + self.levels.iter().take(index).map(Vec::len).sum::<usize>()
    }

    /// Returns one image, the right way up.
    pub fn decode(&self, level: Level, limits: &Limits) -> Result<Image> {
        let shape = self.shape();
        let chain = if shape.faces > 1 { level.face } else { level.layer };
        let index = chain as usize * shape.mips as usize + level.mip as usize;
        let at = self.level_offset(index);
        let found = self.levels.get(index).filter(|_| level.mip < shape.mips);
        let (Some(bytes), Some(format)) = (found, self.head.pixel_format()) else {
            return Err(level_error(crate::absent(), at, level));
        };
        let (width, height) = shape.level(level.mip);
        let mut image =
            format.decode(bytes, width, height, limits).map_err(|kind| level_error(kind, at, level))?;
        if self.head.encoding == 12 {
            image = from_xbox_order(&image);
        }
        image.flip_rows();
        Ok(image)
    }

    /// Returns a face of a cube map in the order and orientation of OpenGL and Direct3D: +X -X +Y -Y +Z -Z. KotOR keeps
    /// the first two the other way round, and each face turned.
    pub fn decode_cube_face(&self, face: u32, limits: &Limits) -> Result<Image> {
        let (stored, turns) = match face {
            0 => (1, 1),
            1 => (0, 3),
            3 | 4 => (face, 2),
            _ => (face, 0),
        };
        Ok(self.decode(Level { face: stored, ..Level::default() }, limits)?.turned(turns))
    }

    /// Returns the figures for one line.
    pub fn summary(&self) -> Summary {
        Summary { version: self.shape().to_string(), ..Summary::default() }
    }
}

/// Puts pixels that the Xbox interleaves (Z order) back into rows.
fn from_xbox_order(image: &Image) -> Image {
    let (width, height) = (image.width.next_power_of_two(), image.height.next_power_of_two());
    let shared = width.min(height).trailing_zeros();
    let mut rgba = Vec::with_capacity(image.rgba.len());
    for y in 0..image.height {
        for x in 0..image.width {
            let mut index = 0u64;
            for bit in 0..shared {
                index |= u64::from(x >> bit & 1) << (bit * 2) | u64::from(y >> bit & 1) << (bit * 2 + 1);
            }
            index |= u64::from(x.max(y) >> shared) << (shared * 2);
            let at = usize::try_from(index * 4).unwrap_or(usize::MAX);
            rgba.extend(image.rgba.get(at..).and_then(|p| p.first_chunk::<4>()).copied().unwrap_or_default());
        }
    }
    Image { rgba, ..*image }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(width: u16, height: u16, encoding: u8, mips: u8, size: u32) -> TpcHead {
        TpcHead { size, alpha_mean: 1.0, width, height, encoding, mips, ..TpcHead::ZERO }
    }

    #[test]
    fn the_first_stored_row_is_the_bottom_one() {
        let tpc = Tpc::new(head(1, 2, 1, 1, 0), vec![vec![10, 20]], b"");
        let image = tpc.decode(Level::default(), &Limits::default()).unwrap();
        assert_eq!(image.pixel(0, 0), Some([20, 20, 20, 255]));
    }

    #[test]
    fn a_cube_map_has_six_faces_with_all_their_levels() {
        let levels: Vec<Vec<u8>> = (0..18u8).map(|i| vec![i; 16]).collect();
        let tpc = Tpc::new(head(4, 24, 4, 3, 16), levels, b"cube 1\n");
        let bytes = tpc.write().unwrap();
        assert!(detect(&bytes));
        let back = Tpc::read(&bytes, &Limits::default()).unwrap();
        assert_eq!(back, tpc);
        let shape = back.shape();
        assert_eq!((shape.width, shape.height, shape.faces, shape.mips), (4, 4, 6, 3));
        assert!(back.decode(Level { face: 5, mip: 2, layer: 0 }, &Limits::default()).is_ok());
        assert!(back.decode(Level { face: 6, mip: 0, layer: 0 }, &Limits::default()).is_err());
    }

    #[test]
    fn frames_with_their_own_levels_are_found_by_the_text_behind_them() {
        // A sheet of 2 x 1 frames of 4x4 DXT1: the sheet's own chain would be 24 + 8 + 8 bytes, the frames take 2 x 24.
        let levels = vec![vec![0x80; 8]; 6];
        let arrangement = Arrangement::Frames { columns: 2, rows: 1 };
        let txi = Txi::parse(b"proceduretype cycle\nnumx 2\nnumy 1\nfps 8\n");
        let tpc = Tpc { head: head(8, 4, 2, 3, 16), arrangement, levels, txi };
        let bytes = tpc.write().unwrap();
        let back = Tpc::read(&bytes, &Limits::default()).unwrap();
        assert_eq!((back.arrangement, back.levels.len()), (arrangement, 6));
        assert_eq!(back.write().unwrap(), bytes);
        assert_eq!((back.shape().width, back.shape().layers), (4, 2));
    }

    #[test]
    fn xbox_order_is_undone() {
        let stored: Vec<u8> = (0..16u8).flat_map(|i| [i; 4]).collect();
        let rows = from_xbox_order(&Image::new(4, 4, stored).unwrap());
        let first: Vec<u8> = rows.pixels().take(4).map(|p| p[0]).collect();
        assert_eq!(first, [0, 1, 4, 5]);
        let wide = from_xbox_order(&Image::new(4, 2, (0..8u8).flat_map(|i| [i; 4]).collect()).unwrap());
        assert_eq!(wide.pixels().map(|p| p[0]).collect::<Vec<_>>(), [0, 1, 4, 5, 2, 3, 6, 7]);
    }

    #[test]
    fn what_the_file_does_not_hold_is_an_error_with_a_path() {
        let tpc = Tpc::new(head(1, 1, 1, 1, 0), vec![vec![10]], b"");
        let error = tpc.decode(Level { mip: 3, ..Level::default() }, &Limits::default()).unwrap_err();
        assert!(error.to_string().contains("mips[3]"), "{error}");
    }

    #[test]
    fn differences_name_the_field() {
        let a = Tpc::new(head(1, 1, 1, 1, 0), vec![vec![10]], b"");
        let mut b = a.clone();
        b.head.alpha_mean = 0.5;
        b.levels[0][0] = 11;
        assert!(a.differences(&a).is_empty());
        assert_eq!(a.differences(&b), ["alpha_mean: 1.0 -> 0.5", "levels[0]: different from byte 0 on"]);
    }
}
