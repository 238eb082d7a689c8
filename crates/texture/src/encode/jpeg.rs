//! JPEG as BLP holds it: B, G, R, A as four raw components of full resolution, no application markers.

use galatea_wire::{Error, Result};
use jpeg_encoder::{Encoder, ImageBuffer, JpegColorType, QuantizationTableType, SamplingFactor};

use crate::Image;

struct Raw<'a> {
    image: &'a Image,
    width: u16,
    height: u16,
}

impl ImageBuffer for Raw<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Cmyk
    }

    fn width(&self) -> u16 {
        self.width
    }

    fn height(&self) -> u16 {
        self.height
    }

    fn fill_buffers(&self, y: u16, buffers: &mut [Vec<u8>; 4]) {
        let pitch = usize::from(self.width) * 4;
        let row = self.image.rgba.get(usize::from(y) * pitch..).and_then(|r| r.get(..pitch)).unwrap_or(&[]);
        let [first, second, third, fourth] = buffers;
        for [r, g, b, a] in row.as_chunks::<4>().0 {
            first.push(*b);
            second.push(*g);
            third.push(*r);
            fourth.push(*a);
        }
    }
}

/// Luminance weights of the JPEG standard (annex K, table 1), in reading order.
const WEIGHTS: [u16; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17,
    22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78,
    87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];

/// Returns the weights for a quality from 1 to 100, as the JPEG group's own program scales them.
fn weights(quality: u8) -> Box<[u16; 64]> {
    let quality = u32::from(quality.clamp(1, 100));
    let scale = if quality < 50 { 5000 / quality } else { 200 - quality * 2 };
    Box::new(WEIGHTS.map(|w| ((u32::from(w) * scale + 50) / 100).clamp(1, 255) as u16))
}

/// Returns a whole JPEG of an image. Tables come first, so that the levels of a texture begin alike.
pub(super) fn encode(image: &Image, quality: u8) -> Result<Vec<u8>> {
    let failed = |e: String| Error::unrepresentable(format!("JPEG: {e}"));
    let side = |n: u32| u16::try_from(n).map_err(|_| failed(format!("{n} pixels are too many")));
    let raw = Raw { image, width: side(image.width)?, height: side(image.height)? };
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, quality);
    // All four components are colour or alpha in their own right: none may be coarser than the others.
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    let table = || QuantizationTableType::Custom(weights(quality));
    encoder.set_quantization_tables(table(), table());
    encoder.encode_image(raw).map_err(|e| failed(e.to_string()))?;
    tables_first(&out).ok_or_else(|| failed("no scan".into()))
}

/// Leaves application markers out (an Adobe marker would turn the colours) and puts the tables before the frame header.
fn tables_first(jpeg: &[u8]) -> Option<Vec<u8>> {
    let mut rest = jpeg.get(2..)?;
    let (mut tables, mut frame) = (vec![0xFF, 0xD8], Vec::new());
    loop {
        let [0xFF, marker, h, l, ..] = *rest else { return None };
        let len = 2 + usize::from(u16::from_be_bytes([h, l]));
        let segment = rest.get(..len)?;
        match marker {
            0xDA => break,
            0xE0..=0xEF | 0xFE => {}
            0xC4 | 0xDB => tables.extend_from_slice(segment),
            _ => frame.extend_from_slice(segment),
        }
        rest = rest.get(len..)?;
    }
    tables.extend(frame);
    tables.extend_from_slice(rest);
    Some(tables)
}

/// Returns how many bytes all levels begin with alike, at most as many as the game's own files share.
pub(super) fn shared_header(levels: &[Vec<u8>]) -> usize {
    let Some((first, others)) = levels.split_first() else { return 0 };
    let alike = |other: &Vec<u8>| first.iter().zip(other).take_while(|(a, b)| a == b).count();
    // One level alone shares up to its scan.
    let end = first.windows(2).position(|w| w == [0xFF, 0xDA]).unwrap_or(first.len());
    others.iter().map(alike).min().unwrap_or(end).min(end).min(624)
}
