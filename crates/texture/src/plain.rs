//! Images that are no containers of these engines: TGA, PNG, JPEG. Decoded, never changed.

use std::io::Cursor;

use galatea_wire::{ErrorKind, Limits, Wire, wire};
use png::{BitDepth, ColorType, Transformations};

use crate::guard::{affordable, guarded};
use crate::image::{Image, allow};
use crate::{Kind, jpeg, tga};

wire! {
    /// The head of a TGA.
    pub struct TgaHead(18) {
        /// Bytes of text between this head and the palette.
        pub id_length: u8 = 0,
        /// Whether there is a palette.
        pub palette: u8 = 1,
        /// 1 palette, 2 colour, 3 grey; 9, 10, 11 the same with run lengths.
        pub kind: u8 = 2,
        /// First entry of the palette.
        pub palette_first: u16 = 3,
        /// Entries of the palette.
        pub palette_length: u16 = 5,
        /// Bits of a palette entry.
        pub palette_bits: u8 = 7,
        /// Left edge on the screen.
        pub x: u16 = 8,
        /// Bottom edge on the screen.
        pub y: u16 = 10,
        /// Pixels per row.
        pub width: u16 = 12,
        /// Rows.
        pub height: u16 = 14,
        /// Bits of a pixel.
        pub bits: u8 = 16,
        /// Bits 0-3: bits of alpha, which KotOR's files leave 0 although alpha is there; bit 5: the first row is the top.
        pub descriptor: u8 = 17,
    }
}

/// Returns `true` if bytes look like a TGA. There is no magic at the start: the head must make sense and the pixels
/// must be there.
pub(crate) fn detect_tga(bytes: &[u8]) -> bool {
    if bytes.len() < TgaHead::SIZE {
        return false;
    }
    let head = TgaHead::get(bytes);
    let colours = match head.kind {
        1 | 9 => head.palette == 1 && matches!(head.palette_bits, 15 | 16 | 24 | 32) && head.bits == 8,
        2 | 10 => head.palette <= 1 && matches!(head.bits, 15 | 16 | 24 | 32),
        3 | 11 => head.palette == 0 && matches!(head.bits, 8 | 16),
        _ => false,
    };
    colours
        && head.width > 0
        && head.height > 0
        && head.descriptor & 0xC0 == 0
        && tga_fits(&head, bytes.len())
}

/// Returns `true` if a file of this length can hold the pixels that the head announces.
fn tga_fits(head: &TgaHead, len: usize) -> bool {
    let pixels = u64::from(head.width) * u64::from(head.height);
    let bytes = pixels * u64::from(head.bits.div_ceil(8));
    let have = (len - TgaHead::SIZE.min(len)) as u64;
    // A run of 128 pixels takes two bytes at least.
    if head.kind < 8 { bytes <= have } else { pixels <= have.saturating_mul(64) }
}

/// Returns `true` if bytes begin like a PNG.
pub(crate) fn detect_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1A\n")
}

/// Returns the width and height of a plain image, as its head says.
pub(crate) fn size(kind: Kind, bytes: &[u8]) -> Option<(u32, u32)> {
    match kind {
        Kind::Tga => {
            let head = TgaHead::get(bytes);
            Some((head.width.into(), head.height.into()))
        }
        Kind::Png => {
            let [w, h] = bytes.get(16..24)?.as_chunks::<4>().0 else { return None };
            Some((u32::from_be_bytes(*w), u32::from_be_bytes(*h)))
        }
        Kind::Jpeg => jpeg::frame(bytes).map(|f| (f.width, f.height)),
        _ => None,
    }
}

/// Returns how the pixels of a plain image are stored, in words.
pub(crate) fn words(kind: Kind, bytes: &[u8]) -> String {
    match kind {
        Kind::Tga => {
            let head = TgaHead::get(bytes);
            let packed = if head.kind > 8 { " packed" } else { "" };
            format!("TGA {}-bit{packed}", head.bits)
        }
        Kind::Png => {
            let colour = match bytes.get(25) {
                Some(0) => "grey",
                Some(2) => "RGB",
                Some(3) => "palette",
                Some(4) => "grey, alpha",
                _ => "RGBA",
            };
            format!("PNG {colour}")
        }
        _ => "JPEG".into(),
    }
}

pub(crate) fn decode(kind: Kind, bytes: &[u8], limits: &Limits) -> Result<Image, ErrorKind> {
    let (width, height) = size(kind, bytes).ok_or_else(|| broken("no header".into()))?;
    let limits = &limits.of_image(bytes.len());
    allow(width, height, limits)?;
    let pixels = u64::from(width) * u64::from(height);
    match kind {
        Kind::Jpeg => jpeg::decode(bytes, limits),
        Kind::Png => {
            // A PNG cannot shrink below 1032 to 1, at one bit per pixel at least.
            let size = pixels.div_ceil(8 * 1032);
            if size > bytes.len() as u64 {
                return Err(ErrorKind::Truncated { count: 1, size, have: bytes.len() as u64 });
            }
            guarded(|| decode_png(bytes, (width, height), limits))
        }
        _ => {
            if !tga_fits(&TgaHead::get(bytes), bytes.len()) {
                return Err(ErrorKind::Truncated { count: pixels, size: 1, have: bytes.len() as u64 });
            }
            tga::decode(bytes, limits)
        }
    }
}

/// Decodes a PNG of this size. Of colors of 16 bits, the nearest of 8 bits are taken.
fn decode_png(bytes: &[u8], (width, height): (u32, u32), limits: &Limits) -> Result<Image, ErrorKind> {
    let failed = |e: png::DecodingError| broken(e.to_string());
    let room = limits.pixels.saturating_mul(8).saturating_add(limits.base_allowance);
    let room = png::Limits { bytes: usize::try_from(room).unwrap_or(usize::MAX) };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), room);
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(failed)?;
    if reader.info().size() != (width, height) {
        return Err(broken("two different sizes".into()));
    }
    let (color, depth) = reader.output_color_type();
    let size = reader.output_buffer_size().ok_or(ErrorKind::Limit("bytes to decode an image with"))?;
    // Anything but RGBA of eight bits each is there twice for a moment.
    let expanded = if (color, depth) == (ColorType::Rgba, BitDepth::Eight) { 0 } else { 4 };
    let pixels = u64::from(width) * u64::from(height);
    affordable((size as u64).saturating_add(pixels * expanded), limits)?;
    let mut samples = vec![0; size];
    reader.next_frame(&mut samples).map_err(failed)?;
    if depth == BitDepth::Sixteen {
        let half = |sample: &[u8; 2]| ((u32::from(u16::from_be_bytes(*sample)) + 128) / 257) as u8;
        samples = samples.as_chunks().0.iter().map(half).collect();
    }
    let rgba = match color {
        ColorType::Rgba => samples,
        ColorType::Rgb => expand(&samples, |[r, g, b]| [*r, *g, *b, 255]),
        ColorType::GrayscaleAlpha => expand(&samples, |[v, a]| [*v, *v, *v, *a]),
        _ => expand(&samples, |[v]| [*v, *v, *v, 255]),
    };
    Image::new(width, height, rgba).ok_or_else(|| broken("another number of pixels".into()))
}

/// Returns pixels of `N` samples as RGBA.
fn expand<const N: usize>(samples: &[u8], pixel: impl Fn(&[u8; N]) -> [u8; 4]) -> Vec<u8> {
    samples.as_chunks().0.iter().map(pixel).collect::<Vec<_>>().into_flattened()
}

pub(crate) fn broken(found: String) -> ErrorKind {
    ErrorKind::Mismatch { want: "a whole image".into(), found: found.into() }
}
