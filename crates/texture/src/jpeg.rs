//! JPEG: what the header says, and decoding, either as an ordinary image or as the raw components that BLP stores.

use galatea_wire::{ErrorKind, Limits};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::Image;
use crate::guard::{affordable, guarded};
use crate::image::allow;

/// What a JPEG says of itself before its first scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Colour components; 4 in every BLP of the games.
    pub components: u8,
    /// Whether the image comes in several passes.
    pub progressive: bool,
    /// Whether all components have the full resolution.
    pub full_resolution: bool,
    /// Whether an Adobe marker is there, which makes other decoders turn the colours.
    pub adobe: bool,
}

/// Returns `true` if these bytes begin like a JPEG.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xD8, 0xFF])
}

/// Reads the markers up to the frame header; `None` if there is no whole one.
///
/// ```
/// let head = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 3, 0, 5, 1, 1, 0x11, 0];
/// let frame = galatea_texture::jpeg::frame(&head).unwrap();
/// assert_eq!((frame.width, frame.height, frame.components), (5, 3, 1));
/// ```
pub fn frame(bytes: &[u8]) -> Option<Frame> {
    let mut rest = bytes.strip_prefix(&[0xFF, 0xD8])?;
    let mut adobe = false;
    loop {
        let [0xFF, marker, ..] = *rest else { return None };
        rest = rest.get(2..)?;
        match marker {
            0xFF => {
                // A fill byte: the marker is still to come.
                rest = bytes.get(bytes.len() - rest.len() - 1..)?;
                continue;
            }
            0x01 | 0xD0..=0xD8 => continue,
            0xDA | 0xD9 => return None,
            _ => {}
        }
        let len = usize::from(u16::from_be_bytes(*rest.first_chunk()?));
        let body = rest.get(2..len)?;
        rest = rest.get(len..)?;
        match marker {
            0xEE => adobe |= body.starts_with(b"Adobe"),
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                let [_, h1, h0, w1, w0, components, factors @ ..] = body else { return None };
                let sampling = |c: &[u8; 3]| c.get(1).copied();
                let (all, _) = factors.as_chunks::<3>();
                let first = all.first().and_then(sampling);
                return Some(Frame {
                    width: u32::from(u16::from_be_bytes([*w1, *w0])),
                    height: u32::from(u16::from_be_bytes([*h1, *h0])),
                    components: *components,
                    progressive: marker & 0x3 == 2,
                    full_resolution: all.iter().all(|c| sampling(c) == first),
                    adobe,
                });
            }
            _ => {}
        }
    }
}

/// Returns whether so few bytes can hold so many pixels: each 8x8 block of a component takes at least one bit.
fn plausible(width: u32, height: u32, bytes: usize) -> Result<(), ErrorKind> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > (bytes as u64).saturating_mul(512).saturating_add(4096) {
        let size = pixels.div_ceil(512);
        return Err(ErrorKind::Truncated { count: 1, size, have: bytes as u64 });
    }
    Ok(())
}

fn broken(error: impl std::fmt::Debug) -> ErrorKind {
    let mut found = format!("{error:?}");
    if let Some((at, _)) = found.char_indices().nth(120) {
        found.truncate(at);
    }
    ErrorKind::Mismatch { want: "a JPEG image".into(), found: found.into() }
}

/// Decodes an ordinary JPEG.
pub(crate) fn decode(bytes: &[u8], limits: &Limits) -> Result<Image, ErrorKind> {
    run(bytes, limits, ColorSpace::RGBA)
}

/// Decodes a JPEG of four components to exactly these components, without any colour conversion. Ordinary JPEGs of
/// three components or one decode as the images they are.
pub(crate) fn decode_raw(bytes: &[u8], limits: &Limits) -> Result<(Image, Frame), ErrorKind> {
    let frame = frame(bytes).ok_or_else(|| broken("no frame header"))?;
    let space = if frame.components == 4 { ColorSpace::CMYK } else { ColorSpace::RGBA };
    Ok((run(bytes, limits, space)?, frame))
}

fn run(bytes: &[u8], limits: &Limits, space: ColorSpace) -> Result<Image, ErrorKind> {
    let known = frame(bytes).ok_or_else(|| broken("no frame header"))?;
    allow(known.width, known.height, limits)?;
    plausible(known.width, known.height, bytes.len())?;
    let limits = limits.of_image(bytes.len());
    allow(known.width, known.height, &limits)?;
    // All passes of a progressive image are collected before the first pixel: two bytes for each component.
    let each = 4 + if known.progressive { 2 * u64::from(known.components) } else { 0 };
    affordable(u64::from(known.width) * u64::from(known.height) * each, &limits)?;
    let options = DecoderOptions::new_safe()
        .set_max_width(known.width as usize)
        .set_max_height(known.height as usize)
        .set_use_unsafe(true)
        .set_strict_mode(false)
        .jpeg_set_out_colorspace(space);
    let rgba =
        guarded(|| JpegDecoder::new_with_options(ZCursor::new(bytes), options).decode().map_err(broken))?;
    Image::new(known.width, known.height, rgba).ok_or_else(|| broken("a different size than announced"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_file_cannot_be_a_huge_image() {
        let head =
            [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0x1F, 0xFF, 0x1F, 0xFF, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0];
        assert!(matches!(decode(&head, &Limits::default()), Err(ErrorKind::Truncated { .. })));
        let mut larger = head;
        larger[7] = 0xFF;
        larger[9] = 0xFF;
        assert_eq!(decode(&larger, &Limits::default()), Err(ErrorKind::Limit("pixels")));
    }

    #[test]
    fn fill_bytes_before_a_marker_are_skipped() {
        let head = [0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xC2, 0, 11, 8, 0, 3, 0, 5, 1, 1, 0x11, 0];
        let frame = frame(&head).unwrap();
        assert!(frame.progressive && frame.full_resolution && !frame.adobe);
    }
}
