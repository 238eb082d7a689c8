//! How pixels are stored in the containers, and their way to RGBA.

use std::borrow::Cow;

use galatea_wire::{ErrorKind, Limits, Wire};

use crate::Image;
use crate::image::allow;

/// A storage of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PixelFormat {
    /// DXT1: 8 bytes per 4x4 block, 1-bit alpha.
    Bc1,
    /// DXT3: 16 bytes per block, 4-bit alpha.
    Bc2,
    /// DXT5: 16 bytes per block, interpolated alpha.
    Bc3,
    /// One channel, shown as grey.
    Bc4 {
        /// Whether values run from -1 to 1.
        signed: bool,
    },
    /// Two channels, R and G; B is 0.
    Bc5 {
        /// Whether values run from -1 to 1.
        signed: bool,
    },
    /// Three half floats, cut to 0..1.
    Bc6h {
        /// Whether negative values exist.
        signed: bool,
    },
    /// RGBA in 16 bytes per block.
    Bc7,
    /// One byte, shown as grey.
    Grey8,
    /// R, G, B bytes.
    Rgb8,
    /// R, G, B, A bytes.
    Rgba8,
    /// B, G, R bytes.
    Bgr8,
    /// B, G, R, A bytes.
    Bgra8,
    /// Whole words of 1 to 4 bytes with a bit mask per channel; a mask of 0 is no such channel.
    Masked {
        /// Bytes of one pixel.
        bytes: u8,
        /// Masks of red, green, blue, alpha.
        masks: [u32; 4],
        /// Whether red stands for green and blue too.
        grey: bool,
    },
    /// So many channels of 16 bits, normalised.
    U16 {
        /// 1, 2 or 4.
        channels: u8,
    },
    /// So many channels of 16-bit floats, cut to 0..1.
    F16 {
        /// 1, 2 or 4.
        channels: u8,
    },
    /// So many channels of 32-bit floats, cut to 0..1.
    F32 {
        /// 1, 2, 3 or 4.
        channels: u8,
    },
    /// Three small floats in 32 bits, cut to 0..1.
    R11G11B10F,
}

impl PixelFormat {
    /// Returns its usual name.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            PixelFormat::Bc1 => "DXT1".into(),
            PixelFormat::Bc2 => "DXT3".into(),
            PixelFormat::Bc3 => "DXT5".into(),
            PixelFormat::Bc4 { .. } => "BC4".into(),
            PixelFormat::Bc5 { .. } => "BC5".into(),
            PixelFormat::Bc6h { .. } => "BC6H".into(),
            PixelFormat::Bc7 => "BC7".into(),
            PixelFormat::Grey8 => "grey".into(),
            PixelFormat::Rgb8 => "RGB".into(),
            PixelFormat::Rgba8 => "RGBA".into(),
            PixelFormat::Bgr8 => "BGR".into(),
            PixelFormat::Bgra8 => "BGRA".into(),
            PixelFormat::Masked { bytes, .. } => format!("{}-bit masked", u32::from(bytes) * 8).into(),
            PixelFormat::U16 { channels } => format!("{channels} x 16-bit").into(),
            PixelFormat::F16 { channels } => format!("{channels} x half").into(),
            PixelFormat::F32 { channels } => format!("{channels} x float").into(),
            PixelFormat::R11G11B10F => "R11G11B10F".into(),
        }
    }

    /// Returns the bytes of one 4x4 block, for block formats.
    pub fn block(self) -> Option<u32> {
        match self {
            PixelFormat::Bc1 | PixelFormat::Bc4 { .. } => Some(8),
            PixelFormat::Bc2
            | PixelFormat::Bc3
            | PixelFormat::Bc5 { .. }
            | PixelFormat::Bc6h { .. }
            | PixelFormat::Bc7 => Some(16),
            _ => None,
        }
    }

    fn pixel(self) -> u32 {
        match self {
            PixelFormat::Grey8 => 1,
            PixelFormat::Rgb8 | PixelFormat::Bgr8 => 3,
            PixelFormat::Masked { bytes, .. } => u32::from(bytes),
            PixelFormat::U16 { channels } | PixelFormat::F16 { channels } => u32::from(channels) * 2,
            PixelFormat::F32 { channels } => u32::from(channels) * 4,
            _ => 4,
        }
    }

    /// Returns the bytes of a level of this size.
    ///
    /// ```
    /// use galatea_texture::PixelFormat;
    /// assert_eq!(PixelFormat::Bc1.size(1, 1), 8);
    /// assert_eq!(PixelFormat::Bc3.size(5, 4), 32);
    /// assert_eq!(PixelFormat::Rgb8.size(5, 4), 60);
    /// ```
    pub fn size(self, width: u32, height: u32) -> u64 {
        // Sides of 32 bits and pixels of 16 bytes are more than 64 bits can count; no file is that long.
        let (across, down, bytes) = match self.block() {
            Some(block) => (width.div_ceil(4), height.div_ceil(4), block),
            None => (width, height, self.pixel()),
        };
        (u64::from(across) * u64::from(down)).saturating_mul(bytes.into())
    }

    /// Decodes one level to RGBA, rows in the order they are stored in.
    ///
    /// The bytes must be there, and the limit on pixels must hold, before anything is allocated.
    ///
    /// ```
    /// use galatea_texture::PixelFormat;
    /// let red = PixelFormat::Bgr8.decode(&[0, 0, 255], 1, 1, &Default::default()).unwrap();
    /// assert_eq!(red.rgba, [255, 0, 0, 255]);
    /// assert!(PixelFormat::Bc1.decode(&[0; 8], 65_535, 65_535, &Default::default()).is_err());
    /// ```
    pub fn decode(self, bytes: &[u8], width: u32, height: u32, limits: &Limits) -> Result<Image, ErrorKind> {
        let need = self.size(width, height);
        let have = bytes.len() as u64;
        let Some(bytes) = usize::try_from(need).ok().and_then(|need| bytes.get(..need)) else {
            return Err(ErrorKind::Truncated { count: 1, size: need, have });
        };
        allow(width, height, limits)?;
        let (w, h) = (width as usize, height as usize);
        let rgba = match self {
            PixelFormat::Bc1 => blocks(bytes, w, h, 8, bcdec_rs::bc1),
            PixelFormat::Bc2 => blocks(bytes, w, h, 16, bcdec_rs::bc2),
            PixelFormat::Bc3 => blocks(bytes, w, h, 16, bcdec_rs::bc3),
            PixelFormat::Bc7 => blocks(bytes, w, h, 16, bcdec_rs::bc7),
            PixelFormat::Bc4 { signed } => blocks(bytes, w, h, 8, |block, out, pitch| {
                let mut values = [0u8; 16];
                bcdec_rs::bc4(block, &mut values, 4, signed);
                spread(values.map(|v| [unsign(v, signed); 3]), out, pitch);
            }),
            PixelFormat::Bc5 { signed } => blocks(bytes, w, h, 16, |block, out, pitch| {
                let mut values = [[0u8; 2]; 16];
                bcdec_rs::bc5(block, values.as_flattened_mut(), 8, signed);
                spread(values.map(|[r, g]| [unsign(r, signed), unsign(g, signed), 0]), out, pitch);
            }),
            PixelFormat::Bc6h { signed } => blocks(bytes, w, h, 16, |block, out, pitch| {
                let mut values = [[0f32; 3]; 16];
                bcdec_rs::bc6h_float(block, values.as_flattened_mut(), 12, signed);
                spread(values.map(|c| c.map(unit)), out, pitch);
            }),
            PixelFormat::Rgba8 => bytes.to_vec(),
            PixelFormat::Grey8 => texels(bytes, |[v]| [v, v, v, 255]),
            PixelFormat::Rgb8 => texels(bytes, |[r, g, b]| [r, g, b, 255]),
            PixelFormat::Bgr8 => texels(bytes, |[b, g, r]| [r, g, b, 255]),
            PixelFormat::Bgra8 => texels(bytes, |[b, g, r, a]| [r, g, b, a]),
            PixelFormat::Masked { bytes: size, masks, grey } => masked(bytes, size, masks, grey),
            PixelFormat::U16 { channels } => words(bytes, 2, channels, |b| (u16::get(b) >> 8) as u8),
            PixelFormat::F16 { channels } => words(bytes, 2, channels, |b| unit(half(u16::get(b)))),
            PixelFormat::F32 { channels } => words(bytes, 4, channels, |b| unit(f32::get(b))),
            PixelFormat::R11G11B10F => texels(bytes, |word: [u8; 4]| {
                let word = u32::from_le_bytes(word);
                let [r, g, b] =
                    [small(word & 0x7FF, 6), small(word >> 11 & 0x7FF, 6), small(word >> 22, 5)].map(unit);
                [r, g, b, 255]
            }),
        };
        Image::new(width, height, rgba)
            .ok_or(ErrorKind::Mismatch { want: "whole pixels".into(), found: "a part of one".into() })
    }
}

/// Decodes blocks straight into the rows; those that stick out over an edge go through a block of their own.
#[inline]
fn blocks(
    bytes: &[u8],
    width: usize,
    height: usize,
    size: usize,
    decode: impl Fn(&[u8], &mut [u8], usize),
) -> Vec<u8> {
    let pitch = width * 4;
    let mut out = vec![0; pitch * height];
    let across = width.div_ceil(4) * size;
    if across == 0 {
        return out;
    }
    for (row, lines) in bytes.chunks_exact(across).zip(out.chunks_mut(pitch * 4)) {
        let whole = if lines.len() == pitch * 4 { width / 4 } else { 0 };
        let (inside, edge) = row.split_at(whole * size);
        for (x, block) in inside.chunks_exact(size).enumerate() {
            if let Some(out) = lines.get_mut(x * 16..) {
                decode(block, out, pitch);
            }
        }
        for (x, block) in edge.chunks_exact(size).enumerate() {
            let mut pixels = [0; 64];
            decode(block, &mut pixels, 16);
            let at = (whole + x) * 16;
            for (line, from) in lines.chunks_exact_mut(pitch).zip(pixels.chunks_exact(16)) {
                for (to, from) in line.iter_mut().skip(at).zip(from) {
                    *to = *from;
                }
            }
        }
    }
    out
}

fn spread(colours: [[u8; 3]; 16], out: &mut [u8], pitch: usize) {
    for (row, line) in colours.chunks_exact(4).zip(out.chunks_mut(pitch)) {
        for ([r, g, b], to) in row.iter().zip(line.as_chunks_mut::<4>().0) {
            *to = [*r, *g, *b, 255];
        }
    }
}

/// Returns a signed block value as the unsigned byte that means the same: -1 is 0, 0 is 128, 1 is 255.
fn unsign(value: u8, signed: bool) -> u8 {
    if signed { (((i32::from(value as i8).max(-127) + 127) * 255 + 127) / 254) as u8 } else { value }
}

fn texels<const N: usize>(bytes: &[u8], to_rgba: impl Fn([u8; N]) -> [u8; 4]) -> Vec<u8> {
    let texels = bytes.as_chunks::<N>().0;
    let mut out = vec![[0; 4]; texels.len()];
    for (to, from) in out.iter_mut().zip(texels) {
        *to = to_rgba(*from);
    }
    out.into_flattened()
}

fn masked(bytes: &[u8], size: u8, masks: [u32; 4], grey: bool) -> Vec<u8> {
    let channel = |word: u32, mask: u32, without: u8| {
        if mask == 0 {
            return without;
        }
        let most = u64::from(mask >> mask.trailing_zeros());
        let value = u64::from((word & mask) >> mask.trailing_zeros());
        ((value * 255 + most / 2) / most) as u8
    };
    let [red, green, blue, alpha] = masks;
    let mut out = Vec::with_capacity(bytes.len() / usize::from(size.max(1)) * 4);
    for texel in bytes.chunks_exact(usize::from(size.max(1))) {
        let word = texel.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        let r = channel(word, red, 0);
        let (g, b) = if grey { (r, r) } else { (channel(word, green, 0), channel(word, blue, 0)) };
        out.extend([r, g, b, channel(word, alpha, 255)]);
    }
    out
}

fn words(bytes: &[u8], size: usize, channels: u8, value: impl Fn(&[u8]) -> u8) -> Vec<u8> {
    let channels = usize::from(channels.max(1));
    let mut out = Vec::with_capacity(bytes.len() / (size * channels) * 4);
    for texel in bytes.chunks_exact(size * channels) {
        let mut rgba = [0, 0, 0, 255];
        for (to, from) in rgba.iter_mut().zip(texel.chunks_exact(size)) {
            *to = value(from);
        }
        if let ([r, g, b, _], 1) = (&mut rgba, channels) {
            (*g, *b) = (*r, *r);
        }
        out.extend(rgba);
    }
    out
}

/// Returns a number from 0 to 1 as a byte; NaN is 0.
fn unit(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

fn half(bits: u16) -> f32 {
    let magnitude = small(u32::from(bits & 0x7FFF), 10);
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// Returns an unsigned float of five exponent bits and so many fraction bits.
fn small(bits: u32, fraction_bits: i32) -> f32 {
    let (exponent, fraction) = ((bits >> fraction_bits) as i32, (bits & ((1 << fraction_bits) - 1)) as f32);
    let step = 2f32.powi(-fraction_bits);
    match exponent {
        0 => fraction * step * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction * step) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(format: PixelFormat, bytes: &[u8], width: u32, height: u32) -> Vec<u8> {
        format.decode(bytes, width, height, &Limits::default()).unwrap().rgba
    }

    #[test]
    fn small_formats_decode_to_known_colours() {
        let red565 = PixelFormat::Masked { bytes: 2, masks: [0xF800, 0x07E0, 0x001F, 0], grey: false };
        assert_eq!(decode(red565, &0xF800u16.to_le_bytes(), 1, 1), [255, 0, 0, 255]);
        let la = PixelFormat::Masked { bytes: 2, masks: [0xFF, 0, 0, 0xFF00], grey: true };
        assert_eq!(decode(la, &[7, 9], 1, 1), [7, 7, 7, 9]);
        assert_eq!(decode(PixelFormat::Bgra8, &[1, 2, 3, 4], 1, 1), [3, 2, 1, 4]);
        assert_eq!(decode(PixelFormat::Grey8, &[5], 1, 1), [5, 5, 5, 255]);
        assert_eq!(decode(PixelFormat::F16 { channels: 1 }, &0x3800u16.to_le_bytes(), 1, 1)[..1], [128]);
        assert_eq!(decode(PixelFormat::U16 { channels: 2 }, &[0, 128, 0, 64], 1, 1), [128, 64, 0, 255]);
        let one = 15u32 << 6 | (15 << 6) << 11 | (15 << 5) << 22;
        assert_eq!(decode(PixelFormat::R11G11B10F, &one.to_le_bytes(), 1, 1), [255; 4]);
    }

    #[test]
    fn blocks_that_stick_out_are_cut_and_land_where_they_belong() {
        // Two blocks: the left one white, the right one black.
        let white = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];
        let bytes = [white, [0; 8]].concat();
        let rgba = decode(PixelFormat::Bc1, &bytes, 6, 3);
        let image = Image::new(6, 3, rgba).unwrap();
        for y in 0..3 {
            for x in 0..6 {
                let want = if x < 4 { [255; 4] } else { [0, 0, 0, 255] };
                assert_eq!(image.pixel(x, y), Some(want), "{x} {y}");
            }
        }
    }

    #[test]
    fn missing_bytes_and_too_many_pixels_are_errors() {
        let limits = Limits::default().with_pixels(15);
        assert_eq!(PixelFormat::Bc1.decode(&[0; 8], 4, 4, &limits), Err(ErrorKind::Limit("pixels")));
        assert!(matches!(
            PixelFormat::Rgba8.decode(&[0; 15], 2, 2, &limits),
            Err(ErrorKind::Truncated { size: 16, have: 15, .. })
        ));
    }

    #[test]
    fn sides_of_32_bits_do_not_overflow() {
        let formats =
            [PixelFormat::Bc1, PixelFormat::Bc3, PixelFormat::F32 { channels: 4 }, PixelFormat::Bgra8];
        for format in formats {
            assert!(format.size(u32::MAX, u32::MAX) > 1 << 61);
            assert!(format.decode(&[0; 64], u32::MAX, u32::MAX, &Limits::default()).is_err());
        }
        assert_eq!(Image::new(u32::MAX, u32::MAX, vec![0; 4]), None);
    }

    #[test]
    fn signed_blocks_centre_on_128() {
        assert_eq!([unsign(0x81, true), unsign(0, true), unsign(127, true)], [0, 128, 255]);
        let zero = decode(PixelFormat::Bc5 { signed: true }, &[0; 16], 4, 4);
        assert_eq!(zero[..4], [128, 128, 0, 255]);
    }
}
