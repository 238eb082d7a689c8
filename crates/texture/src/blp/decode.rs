//! The pixels of a BLP.

use galatea_wire::{ErrorKind, Limits, Result};

use super::{Blp, Blp2Head, Content, Head};
use crate::image::{allow, level_error, level_size};
use crate::{Image, Level, PixelFormat, jpeg};

impl Head {
    /// Returns which DXT the blocks of a BLP2 are.
    pub(crate) fn dxt(&self) -> PixelFormat {
        match self {
            Head::New(Blp2Head { alpha_type: 7, .. }) => PixelFormat::Bc3,
            Head::New(Blp2Head { alpha_bits, .. }) if *alpha_bits > 1 => PixelFormat::Bc2,
            _ => PixelFormat::Bc1,
        }
    }
}

impl Blp {
    /// Returns one image.
    pub fn decode(&self, level: Level, limits: &Limits) -> Result<Image> {
        let at = self.mip_offset(level.mip as usize);
        let stored = self.mips.get(level.mip as usize).filter(|m| !m.is_empty());
        let Some(stored) = stored.filter(|_| level.face == 0 && level.layer == 0) else {
            return Err(level_error(crate::absent(), at, level));
        };
        let (width, height) = self.head.dimensions();
        let (width, height) = level_size(width, height, level.mip);
        let image = match self.head.content() {
            Content::Jpeg => self.decode_jpeg(stored, limits),
            Content::Palette => self.decode_palette(stored, width, height, limits),
            Content::Dxt => self.head.dxt().decode(stored, width, height, limits),
            Content::Bgra => PixelFormat::Bgra8.decode(stored, width, height, limits),
        };
        image.map_err(|kind| level_error(kind, at, level))
    }

    /// Returns the whole JPEG of a level: the shared header and the level's own bytes.
    pub fn jpeg_of(&self, mip: usize) -> Option<Vec<u8>> {
        let stored = self.mips.get(mip).filter(|m| !m.is_empty())?;
        (self.head.content() == Content::Jpeg)
            .then(|| [self.jpeg_header.as_slice(), stored.as_ref()].concat())
    }

    fn decode_jpeg(&self, stored: &[u8], limits: &Limits) -> Result<Image, ErrorKind> {
        let bytes = [self.jpeg_header.as_slice(), stored].concat();
        let (mut image, frame) = jpeg::decode_raw(&bytes, limits)?;
        let opaque = self.head.alpha_bits() == 0;
        match (frame.components, opaque) {
            (4, true) => image.map(|[b, g, r, _]| [r, g, b, 255]),
            (4, false) => image.map(|[b, g, r, a]| [r, g, b, a]),
            _ => {}
        }
        Ok(image)
    }

    fn decode_palette(
        &self,
        stored: &[u8],
        width: u32,
        height: u32,
        limits: &Limits,
    ) -> Result<Image, ErrorKind> {
        let bits = match self.head.alpha_bits() {
            bits @ (0 | 1 | 4) => bits,
            _ => 8,
        };
        allow(width, height, limits)?;
        let pixels = u64::from(width) * u64::from(height);
        let size = pixels.saturating_add(pixels.saturating_mul(bits.into()).div_ceil(8));
        let have = stored.len() as u64;
        if have < size {
            return Err(ErrorKind::Truncated { count: 1, size, have });
        }
        let (indices, alpha) = stored.split_at(pixels as usize);
        let mut rgba = Vec::with_capacity(indices.len() * 4);
        let mut colours = [[0u8; 4]; 256];
        for (to, [b, g, r, _]) in colours.iter_mut().zip(&self.palette) {
            *to = [*r, *g, *b, 255];
        }
        for index in indices {
            rgba.extend(colours.get(usize::from(*index)).copied().unwrap_or_default());
        }
        let values = rgba.as_chunks_mut::<4>().0.iter_mut().map(|[_, _, _, a]| a);
        match bits {
            8 => values.zip(alpha).for_each(|(to, a)| *to = *a),
            4 => {
                let nibbles = alpha.iter().flat_map(|b| [b & 15, b >> 4]);
                values.zip(nibbles).for_each(|(to, a)| *to = a * 17);
            }
            1 => {
                let all = alpha.iter().flat_map(|b| (0..8).map(move |i| b >> i & 1));
                values.zip(all).for_each(|(to, a)| *to = a * 255);
            }
            _ => {}
        }
        Image::new(width, height, rgba).ok_or_else(crate::absent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blp::BlpHead;

    fn alphas(bits: u32, plane: &[u8]) -> Vec<u8> {
        let head = BlpHead {
            magic: *b"BLP1",
            content: 1,
            alpha_bits: bits,
            width: 5,
            height: 2,
            hint: 4,
            has_mips: 0,
        };
        let stored = [&[0; 10], plane].concat();
        let blp = Blp::paletted(Head::Old(head), vec![[0; 4]; 256], vec![stored]);
        let image = blp.decode(Level::default(), &Limits::default()).unwrap();
        image.pixels().map(|p| p[3]).collect()
    }

    #[test]
    fn alpha_of_every_depth_is_unpacked_in_order() {
        assert_eq!(alphas(0, &[]), [255; 10]);
        assert_eq!(alphas(1, &[0b0000_0101, 0b10]), [255, 0, 255, 0, 0, 0, 0, 0, 0, 255]);
        assert_eq!(alphas(4, &[0x1F, 0x32, 0, 0, 0xF0])[..4], [255, 17, 34, 51]);
        assert_eq!(alphas(4, &[0x1F, 0x32, 0, 0, 0xF0])[9], 255);
        assert_eq!(alphas(8, &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    }
}
