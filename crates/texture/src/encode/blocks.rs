//! Pixels to stored bytes.

use block_compression::{BC7Settings, CompressionVariant, encode::compress_rgba8};
use galatea_wire::{Error, Result};
use texpresso::{Algorithm, COLOUR_WEIGHTS_UNIFORM, Format, Params};

use super::{bc1, bc4};
use crate::{Alpha, Image, PixelFormat};

/// Stores one picture. A DXT1 keeps alpha where it is only 0 and 255; smooth alpha is left out.
pub fn blocks(image: &Image, format: PixelFormat) -> Result<Vec<u8>> {
    Ok(match format {
        PixelFormat::Rgba8 => image.rgba.clone(),
        PixelFormat::Bgra8 => image.pixels().flat_map(|[r, g, b, a]| [b, g, r, a]).collect(),
        PixelFormat::Rgb8 => image.pixels().flat_map(|[r, g, b, _]| [r, g, b]).collect(),
        PixelFormat::Bgr8 => image.pixels().flat_map(|[r, g, b, _]| [b, g, r]).collect(),
        PixelFormat::Grey8 => image.pixels().map(|[r, ..]| r).collect(),
        PixelFormat::Bc1 => {
            let keep = image.alpha() == Alpha::Binary;
            each(image, 8, |pixels, out| {
                let mut pixels = *pixels;
                if !keep {
                    pixels.iter_mut().for_each(|[_, _, _, a]| *a = 255);
                }
                colour(&pixels, Format::Bc1, out);
            })
        }
        PixelFormat::Bc3 => each(image, 16, |pixels, out| {
            colour(pixels, Format::Bc3, out);
            alpha_into(pixels, 3, out);
        }),
        PixelFormat::Bc4 { signed: false } => each(image, 8, |pixels, out| alpha_into(pixels, 0, out)),
        PixelFormat::Bc5 { signed: false } => each(image, 16, |pixels, out| {
            let (red, green) = out.split_at_mut(8);
            alpha_into(pixels, 0, red);
            alpha_into(pixels, 1, green);
        }),
        PixelFormat::Bc7 => {
            let opaque = image.alpha() == Alpha::Opaque;
            let searches = if opaque {
                [BC7Settings::opaque_very_fast(), BC7Settings::opaque_basic(), BC7Settings::opaque_slow()]
            } else {
                [BC7Settings::alpha_very_fast(), BC7Settings::alpha_basic(), BC7Settings::alpha_slow()]
            };
            // Most blocks are well served by the quick search; each next one is ten times slower.
            each(image, 16, |pixels, out| {
                for search in searches {
                    bc7(pixels, search, out);
                    if bc7_error(pixels, out) <= 16 * 4 * 12 {
                        break;
                    }
                }
            })
        }
        _ => return Err(Error::unrepresentable(format!("{} is not written here", format.name()))),
    })
}

/// Walks over the blocks; those that stick out repeat the last row and column.
fn each(image: &Image, size: usize, mut encode: impl FnMut(&[[u8; 4]; 16], &mut [u8])) -> Vec<u8> {
    let (across, down) = (image.width.div_ceil(4), image.height.div_ceil(4));
    let mut out = vec![0; across as usize * down as usize * size];
    for ((by, bx), block) in
        (0..down).flat_map(|y| (0..across).map(move |x| (y, x))).zip(out.chunks_exact_mut(size))
    {
        let mut pixels = [[0; 4]; 16];
        for (i, pixel) in (0u32..).zip(&mut pixels) {
            let (x, y) = ((bx * 4 + i % 4).min(image.width - 1), (by * 4 + i / 4).min(image.height - 1));
            *pixel = image.pixel(x, y).unwrap_or_default();
        }
        encode(&pixels, block);
    }
    out
}

fn colour(pixels: &[[u8; 4]; 16], format: Format, out: &mut [u8]) {
    let params = Params {
        algorithm: Algorithm::ClusterFit,
        weights: COLOUR_WEIGHTS_UNIFORM,
        weigh_colour_by_alpha: false,
    };
    format.compress(pixels.as_flattened(), 4, 4, params, out);
    match format {
        Format::Bc1 => bc1::improve(pixels, true, out),
        _ => bc1::improve(pixels, false, out.get_mut(8..).unwrap_or_default()),
    }
}

fn bc7(pixels: &[[u8; 4]; 16], settings: BC7Settings, out: &mut [u8]) {
    compress_rgba8(CompressionVariant::BC7(settings), pixels.as_flattened(), out, 4, 4, 16);
}

/// Sum of squared differences over a block.
fn bc7_error(pixels: &[[u8; 4]; 16], block: &[u8]) -> u32 {
    let mut back = [0; 64];
    bcdec_rs::bc7(block, &mut back, 16);
    pixels.as_flattened().iter().zip(back).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

fn alpha_into(pixels: &[[u8; 4]; 16], channel: usize, out: &mut [u8]) {
    let values = pixels.map(|p| p.get(channel).copied().unwrap_or(0));
    if let Some(slot) = out.first_chunk_mut::<8>() {
        *slot = bc4::block(&values);
    }
}
