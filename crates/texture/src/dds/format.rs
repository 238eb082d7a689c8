//! Which pixel format a DDS header means, and the header that a pixel format needs.

use galatea_wire::{Error, Result, Wire};

use super::{Dds, DdsHead, Dx10};
use crate::PixelFormat;
use crate::image::level_size;

const FOUR_CC: u32 = 0x4;
const ALPHA: u32 = 0x1;
const ALPHA_ONLY: u32 = 0x2;
const RGB: u32 = 0x40;
const LUMINANCE: u32 = 0x2_0000;

impl Dds {
    /// Returns how the pixels are stored; `None` if they cannot be decoded.
    pub fn pixel_format(&self) -> Option<PixelFormat> {
        if let Some(dx10) = &self.dx10 {
            return from_dxgi(dx10.format);
        }
        let head = &self.head;
        if head.format_flags & FOUR_CC != 0 {
            return from_four_cc(head.four_cc);
        }
        let bytes = match head.bits {
            8 => 1,
            16 => 2,
            24 => 3,
            32 => 4,
            _ => return None,
        };
        let alpha = if head.format_flags & (ALPHA | ALPHA_ONLY) != 0 { head.alpha } else { 0 };
        if head.format_flags & LUMINANCE != 0 {
            return Some(PixelFormat::Masked { bytes, masks: [head.red, 0, 0, alpha], grey: true });
        }
        if head.format_flags & ALPHA_ONLY != 0 {
            return Some(PixelFormat::Masked { bytes, masks: [0, 0, 0, alpha], grey: false });
        }
        if head.format_flags & RGB == 0 {
            return None;
        }
        let masks = [head.red, head.green, head.blue, alpha];
        Some(match (bytes, masks) {
            (4, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]) => PixelFormat::Bgra8,
            (4, [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000]) => PixelFormat::Rgba8,
            (3, [0xFF_0000, 0xFF00, 0xFF, 0]) => PixelFormat::Bgr8,
            (3, [0xFF, 0xFF00, 0xFF_0000, 0]) => PixelFormat::Rgb8,
            _ => PixelFormat::Masked { bytes, masks, grey: false },
        })
    }

    /// Returns the pixel format in words, for messages.
    pub(crate) fn format_words(&self) -> String {
        match &self.dx10 {
            Some(dx10) => format!("pixels of DXGI format {}", dx10.format),
            None if self.head.format_flags & FOUR_CC != 0 => {
                format!("pixels of format \"{}\"", galatea_wire::escape_bytes(&self.head.four_cc))
            }
            None => format!("pixels of {} bits, flags 0x{:X}", self.head.bits, self.head.format_flags),
        }
    }

    /// Creates a plain texture of these levels, with the header that other tools expect.
    pub fn new(format: PixelFormat, width: u32, height: u32, levels: Vec<Vec<u8>>) -> Result<Self> {
        let mut head = DdsHead {
            magic: *b"DDS ",
            size: 124,
            flags: 0x1007,
            width,
            height,
            format_size: 32,
            caps: 0x1000,
            ..DdsHead::ZERO
        };
        if levels.len() > 1 {
            head.flags |= 0x2_0000;
            head.caps |= 0x40_0008;
            head.mips = levels.len() as u32;
        }
        let mut dx10 = None;
        let code = |head: &mut DdsHead, four_cc: &[u8; 4]| {
            head.format_flags = FOUR_CC;
            head.four_cc = *four_cc;
        };
        match format {
            PixelFormat::Bc1 => code(&mut head, b"DXT1"),
            PixelFormat::Bc2 => code(&mut head, b"DXT3"),
            PixelFormat::Bc3 => code(&mut head, b"DXT5"),
            PixelFormat::Bc4 { signed: false } => code(&mut head, b"ATI1"),
            PixelFormat::Bc5 { signed: false } => code(&mut head, b"ATI2"),
            PixelFormat::Bc7 => {
                code(&mut head, b"DX10");
                dx10 = Some(Dx10 { format: 98, dimension: 3, misc: 0, layers: 1, alpha_mode: 0 });
            }
            PixelFormat::Bgra8 => raw(&mut head, RGB | ALPHA, 32, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]),
            PixelFormat::Rgba8 => raw(&mut head, RGB | ALPHA, 32, [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000]),
            PixelFormat::Bgr8 => raw(&mut head, RGB, 24, [0xFF_0000, 0xFF00, 0xFF, 0]),
            PixelFormat::Grey8 => raw(&mut head, LUMINANCE, 8, [0xFF, 0, 0, 0]),
            _ => {
                return Err(Error::unrepresentable(format!(
                    "a DDS of {} is not written here",
                    format.name()
                )));
            }
        }
        let first = format.size(width, height);
        (head.flags, head.pitch) = match format.block() {
            Some(_) => (head.flags | 0x8_0000, u32::try_from(first).unwrap_or(0)),
            None => (head.flags | 0x8, u32::try_from(format.size(width, 1)).unwrap_or(0)),
        };
        for (mip, level) in (0u32..).zip(&levels) {
            let (width, height) = level_size(width, height, mip);
            if level.len() as u64 != format.size(width, height) {
                let want = format.size(width, height);
                return Err(Error::unrepresentable(format!(
                    "level {mip}: {} bytes, not {want}",
                    level.len()
                )));
            }
        }
        Ok(Dds { head, dx10, levels, tail: Vec::new() })
    }
}

fn raw(head: &mut DdsHead, flags: u32, bits: u32, [red, green, blue, alpha]: [u32; 4]) {
    (head.format_flags, head.bits) = (flags, bits);
    (head.red, head.green, head.blue, head.alpha) = (red, green, blue, alpha);
}

fn from_four_cc(code: [u8; 4]) -> Option<PixelFormat> {
    Some(match &code {
        b"DXT1" => PixelFormat::Bc1,
        b"DXT2" | b"DXT3" => PixelFormat::Bc2,
        b"DXT4" | b"DXT5" => PixelFormat::Bc3,
        b"ATI1" | b"BC4U" => PixelFormat::Bc4 { signed: false },
        b"BC4S" => PixelFormat::Bc4 { signed: true },
        b"ATI2" | b"BC5U" => PixelFormat::Bc5 { signed: false },
        b"BC5S" => PixelFormat::Bc5 { signed: true },
        _ => match u32::from_le_bytes(code) {
            36 => PixelFormat::U16 { channels: 4 },
            111 => PixelFormat::F16 { channels: 1 },
            112 => PixelFormat::F16 { channels: 2 },
            113 => PixelFormat::F16 { channels: 4 },
            114 => PixelFormat::F32 { channels: 1 },
            115 => PixelFormat::F32 { channels: 2 },
            116 => PixelFormat::F32 { channels: 4 },
            _ => return None,
        },
    })
}

fn from_dxgi(format: u32) -> Option<PixelFormat> {
    let masked = |bytes: u8, masks: [u32; 4]| PixelFormat::Masked { bytes, masks, grey: false };
    Some(match format {
        2 => PixelFormat::F32 { channels: 4 },
        6 => PixelFormat::F32 { channels: 3 },
        10 => PixelFormat::F16 { channels: 4 },
        11 => PixelFormat::U16 { channels: 4 },
        16 => PixelFormat::F32 { channels: 2 },
        24 => masked(4, [0x3FF, 0xF_FC00, 0x3FF0_0000, 0xC000_0000]),
        26 => PixelFormat::R11G11B10F,
        28 | 29 => PixelFormat::Rgba8,
        34 => PixelFormat::F16 { channels: 2 },
        35 => PixelFormat::U16 { channels: 2 },
        41 => PixelFormat::F32 { channels: 1 },
        49 => masked(2, [0xFF, 0xFF00, 0, 0]),
        54 => PixelFormat::F16 { channels: 1 },
        56 => PixelFormat::U16 { channels: 1 },
        61 => PixelFormat::Grey8,
        65 => masked(1, [0, 0, 0, 0xFF]),
        70..=72 => PixelFormat::Bc1,
        73..=75 => PixelFormat::Bc2,
        76..=78 => PixelFormat::Bc3,
        79 | 80 => PixelFormat::Bc4 { signed: false },
        81 => PixelFormat::Bc4 { signed: true },
        82 | 83 => PixelFormat::Bc5 { signed: false },
        84 => PixelFormat::Bc5 { signed: true },
        85 => masked(2, [0xF800, 0x07E0, 0x001F, 0]),
        86 => masked(2, [0x7C00, 0x03E0, 0x001F, 0x8000]),
        87 | 91 => PixelFormat::Bgra8,
        88 | 93 => masked(4, [0xFF_0000, 0xFF00, 0xFF, 0]),
        94 | 95 => PixelFormat::Bc6h { signed: false },
        96 => PixelFormat::Bc6h { signed: true },
        97..=99 => PixelFormat::Bc7,
        115 => masked(2, [0x0F00, 0x00F0, 0x000F, 0xF000]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_we_write_is_read_as_the_same_format() {
        use PixelFormat::*;
        for format in [Bc1, Bc2, Bc3, Bc4 { signed: false }, Bc5 { signed: false }, Bc7, Bgra8, Rgba8, Bgr8] {
            let dds = Dds::new(format, 4, 4, vec![vec![0; format.size(4, 4) as usize]]).unwrap();
            assert_eq!(dds.pixel_format(), Some(format));
        }
        let grey = Dds::new(Grey8, 1, 1, vec![vec![9]]).unwrap();
        let image = grey.decode(Default::default(), &Default::default()).unwrap();
        assert_eq!(image.rgba, [9, 9, 9, 255]);
        assert!(Dds::new(Bc1, 8, 8, vec![vec![0; 8]]).is_err());
    }

    #[test]
    fn the_words_of_an_unknown_format_name_it() {
        let mut dds = Dds::new(PixelFormat::Bc1, 4, 4, vec![vec![0; 8]]).unwrap();
        dds.head.four_cc = *b"UYVY";
        let error = Dds::read(&dds.write().unwrap(), &Default::default()).unwrap_err();
        assert_eq!(error.to_string(), "0x4C pixel_format: unsupported: pixels of format \"UYVY\"");
    }
}
