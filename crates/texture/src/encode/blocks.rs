//! Pixels to stored bytes.

use block_compression::{BC7Settings, CompressionVariant, encode::compress_rgba8};
use galatea_wire::{Error, Result};
use texpresso::{Algorithm, COLOUR_WEIGHTS_UNIFORM, Format, Params};

use super::{bc1, bc4, bc7};
use crate::{Alpha, Image, PixelFormat};

/// Stores one image. A DXT1 keeps alpha where it is only 0 and 255; smooth alpha is left out.
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
        PixelFormat::Bc7 => bc7_blocks(image),
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
        encode(&pixels_of(image, bx, by), block);
    }
    out
}

fn pixels_of(image: &Image, bx: u32, by: u32) -> [[u8; 4]; 16] {
    let mut pixels = [[0; 4]; 16];
    for (i, pixel) in (0u32..).zip(&mut pixels) {
        let (x, y) = ((bx * 4 + i % 4).min(image.width - 1), (by * 4 + i / 4).min(image.height - 1));
        *pixel = image.pixel(x, y).unwrap_or_default();
    }
    pixels
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

/// Squared error per block in an image of 36 dB, over sixteen pixels of four channels.
const BC7_GOAL: u64 = 1045;

fn bc7_blocks(image: &Image) -> Vec<u8> {
    let searches = if image.alpha() == Alpha::Opaque {
        [BC7Settings::opaque_very_fast(), BC7Settings::opaque_basic(), BC7Settings::opaque_slow()]
    } else {
        [BC7Settings::alpha_very_fast(), BC7Settings::alpha_basic(), BC7Settings::alpha_slow()]
    };
    let mut errors = Vec::new();
    // Most blocks are well served by the quick search; each next one is ten times slower.
    let mut out = each(image, 16, |pixels, out| {
        let Some(out) = out.first_chunk_mut::<16>() else { return };
        let mut error = 0;
        for search in searches {
            compress_rgba8(CompressionVariant::BC7(search), pixels.as_flattened(), out, 4, 4, 16);
            error = bc7::error(pixels, out);
            if error <= 16 * 4 * 12 {
                break;
            }
        }
        errors.push(error);
    });
    // Our own search is slower still. Few images need it: the worst blocks first, until the image is good enough.
    let mut sum: u64 = errors.iter().copied().map(u64::from).sum();
    let goal = BC7_GOAL * errors.len() as u64;
    let mut blocks: Vec<_> = (0u32..).zip(errors).zip(out.as_chunks_mut::<16>().0).collect();
    blocks.sort_by_key(|((_, error), _)| std::cmp::Reverse(*error));
    for ((i, error), block) in blocks {
        if sum <= goal {
            break;
        }
        let across = image.width.div_ceil(4);
        sum -= u64::from(error - bc7::improve(&pixels_of(image, i % across, i / across), block));
    }
    out
}

fn alpha_into(pixels: &[[u8; 4]; 16], channel: usize, out: &mut [u8]) {
    let values = pixels.map(|p| p.get(channel).copied().unwrap_or(0));
    if let Some(slot) = out.first_chunk_mut::<8>() {
        *slot = bc4::block(&values);
    }
}
