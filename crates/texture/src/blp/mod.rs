//! BLP: Blizzard's texture, as JPEG with raw components, as palette, or (BLP2) as DXT blocks.

mod decode;
mod read;
mod wire;
mod write;

pub use read::{detect, inspect};
pub use wire::{Blp2Head, BlpHead, MipTable};

use std::sync::Arc;

use galatea_wire::{Gap, Schema, Summary, Wire};

use crate::Shape;

/// All fixed records of the format.
pub static RECORDS: &[&Schema] = &[BlpHead::SCHEMA, Blp2Head::SCHEMA, MipTable::SCHEMA];

/// The head of any BLP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Head {
    /// BLP0 and BLP1.
    Old(BlpHead),
    /// BLP2.
    New(Blp2Head),
}

/// How the pixels of a BLP are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A JPEG whose four components are B, G, R, A.
    Jpeg,
    /// Indices into a palette, then alpha of 0, 1, 4 or 8 bits.
    Palette,
    /// DXT1, DXT3 or DXT5 blocks.
    Dxt,
    /// Plain B, G, R, A.
    Bgra,
}

/// A BLP texture.
///
/// ```
/// use galatea_texture::blp::{Blp, BlpHead, Head};
/// let head = BlpHead { magic: *b"BLP1", content: 1, alpha_bits: 0, width: 2, height: 1, hint: 5, has_mips: 0 };
/// let mut palette = vec![[0; 4]; 256];
/// palette[7] = [0, 0, 255, 0];
/// let blp = Blp::paletted(Head::Old(head), palette, vec![vec![7, 0]]);
/// let bytes = blp.write().unwrap();
/// let back = Blp::read(&bytes, &Default::default()).unwrap();
/// assert!(back.differences(&blp).is_empty());
/// assert_eq!(back.decode(Default::default(), &Default::default()).unwrap().rgba, [255, 0, 0, 255, 0, 0, 0, 255]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Blp {
    /// The head.
    pub head: Head,
    /// JPEG: the bytes that stand in front of every level.
    pub jpeg_header: Vec<u8>,
    /// 256 colours as B, G, R and an ignored byte; empty if there is no palette.
    pub palette: Vec<[u8; 4]>,
    /// Stored bytes of each level, up to 16; many tools let the small ones share the bytes of a larger one. BLP0: empty
    /// until [`attach`](Blp::attach)ed.
    pub mips: Vec<Arc<[u8]>>,
    pub(crate) layout: Option<Layout>,
}

/// Where things were, so that an unchanged file is written as it was.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub(crate) table: MipTable,
    len: usize,
    jpeg_header: usize,
    mips: Vec<usize>,
    gaps: Vec<Gap>,
}

impl Blp {
    /// Creates a texture of JPEG levels that share a header.
    pub fn jpeg(head: Head, jpeg_header: Vec<u8>, mips: Vec<Vec<u8>>) -> Self {
        let mips = mips.into_iter().map(Arc::from).collect();
        Blp { head, jpeg_header, palette: Vec::new(), mips, layout: None }
    }

    /// Creates a texture of palette indices (or, for a BLP2, of DXT or BGRA levels, whose palette is not used).
    pub fn paletted(head: Head, palette: Vec<[u8; 4]>, mips: Vec<Vec<u8>>) -> Self {
        let mips = mips.into_iter().map(Arc::from).collect();
        Blp { head, jpeg_header: Vec::new(), palette, mips, layout: None }
    }

    /// Returns what the file holds.
    pub fn shape(&self) -> Shape {
        let (width, height) = self.head.dimensions();
        let mips = self.mips.iter().take_while(|m| !m.is_empty()).count() as u32;
        let alpha = self.head.alpha_bits();
        let pixels = match self.head.content() {
            Content::Jpeg if alpha == 0 => "JPEG, opaque".to_owned(),
            Content::Jpeg => "JPEG".to_owned(),
            Content::Palette => format!("palette, {alpha}-bit alpha"),
            Content::Dxt => self.head.dxt().name().into_owned(),
            Content::Bgra => "BGRA".to_owned(),
        };
        Shape { width, height, mips, faces: 1, layers: 1, pixels }
    }

    /// Returns where the stored bytes of a level begin; 0 where unknown.
    pub(crate) fn mip_offset(&self, mip: usize) -> usize {
        self.layout.as_ref().and_then(|l| l.table.offsets.get(mip)).map_or(0, |o| o.0 as usize)
    }

    /// Returns the figures for one line.
    pub fn summary(&self) -> Summary {
        let version = format!("{} {}", String::from_utf8_lossy(&self.head.magic()), self.shape());
        Summary { version, ..Summary::default() }
    }
}

impl Head {
    /// Returns `BLP0`, `BLP1` or `BLP2`.
    pub fn magic(&self) -> [u8; 4] {
        match self {
            Head::Old(head) => head.magic,
            Head::New(head) => head.magic,
        }
    }

    pub(crate) fn size(&self) -> usize {
        match self {
            Head::Old(_) => BlpHead::SIZE,
            Head::New(_) => Blp2Head::SIZE,
        }
    }

    /// Returns `true` if the levels are in the same file.
    pub fn has_table(&self) -> bool {
        self.magic() != *b"BLP0"
    }

    /// Returns width and height.
    pub fn dimensions(&self) -> (u32, u32) {
        match self {
            Head::Old(head) => (head.width, head.height),
            Head::New(head) => (head.width, head.height),
        }
    }

    /// Returns the bits of alpha as the head says.
    pub fn alpha_bits(&self) -> u32 {
        match self {
            Head::Old(head) => head.alpha_bits,
            Head::New(head) => head.alpha_bits.into(),
        }
    }

    /// Returns how the pixels are stored.
    pub fn content(&self) -> Content {
        match self {
            Head::Old(BlpHead { content: 0, .. }) | Head::New(Blp2Head { content: 0, .. }) => Content::Jpeg,
            Head::Old(_) => Content::Palette,
            Head::New(head) => match head.encoding {
                2 => Content::Dxt,
                3 => Content::Bgra,
                _ => Content::Palette,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use galatea_wire::Limits;

    use super::*;

    fn blp() -> Blp {
        let head =
            BlpHead { magic: *b"BLP1", content: 1, alpha_bits: 8, width: 2, height: 2, hint: 4, has_mips: 1 };
        let mips = vec![vec![0, 1, 2, 3, 255, 128, 64, 0], vec![1, 255]];
        Blp::paletted(Head::Old(head), (0..=255).map(|i| [i, 0, 0, 0]).collect(), mips)
    }

    #[test]
    fn gaps_and_shared_levels_survive_and_a_change_makes_a_fresh_layout() {
        let mut bytes = blp().write().unwrap();
        // Level 1 moves behind a gap of junk, level 2 shares its bytes.
        let at = bytes.len() as u32;
        bytes.extend(*b"junk\x01\xFFtail");
        bytes[32..36].copy_from_slice(&(at + 4).to_le_bytes());
        bytes[36..40].copy_from_slice(&(at + 4).to_le_bytes());
        bytes[100..104].copy_from_slice(&2u32.to_le_bytes());
        let mut read = Blp::read(&bytes, &Limits::default()).unwrap();
        assert!(Arc::ptr_eq(&read.mips[1], &read.mips[2]));
        assert_eq!(read.write().unwrap(), bytes);
        read.mips[1] = Arc::from([9, 255]);
        let fresh = read.write().unwrap();
        assert_ne!(fresh.len(), bytes.len());
        let back = Blp::read(&fresh, &Limits::default()).unwrap();
        assert_eq!((back.mips[1][0], back.mips[2][0]), (9, 1));
    }

    #[test]
    fn a_level_beyond_the_end_is_cut_and_the_file_still_written_as_it_was() {
        let bytes = blp().write().unwrap();
        let cut = &bytes[..bytes.len() - 1];
        let read = Blp::read(cut, &Limits::default()).unwrap();
        assert_eq!(*read.mips[1], [1]);
        assert_eq!(read.write().unwrap(), cut);
    }

    #[test]
    fn a_palette_that_is_not_there_is_an_error() {
        let bytes = blp().write().unwrap();
        let error = Blp::read(&bytes[..800], &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), "0x9C palette: 256 x 4 bytes needs 1024, have 644");
    }
}
