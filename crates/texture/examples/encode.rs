//! Encodes an image in the formats of three engines and reports how far the decoded pixels are off.

use galatea_texture::encode::{self, BlpFormat, DdsFormat, TpcOptions};
use galatea_texture::{Image, decode};
use galatea_wire::{Limits, Result};

fn main() -> Result<()> {
    let side = 32u8;
    let gradient = (0..side).flat_map(|y| (0..side).flat_map(move |x| [x * 8, y * 8, 128, 255])).collect();
    let Some(image) = Image::new(side.into(), side.into(), gradient) else { return Ok(()) };
    let files = [
        ("DDS, BC7", encode::dds(&image, DdsFormat::Bc7, true)?.write()?),
        ("BLP, JPEG", encode::blp(&image, BlpFormat::default(), true)?.write()?),
        ("TPC, DXT1", encode::tpc(&image, &TpcOptions::default())?.write()?),
    ];
    for (name, bytes) in files {
        let back = decode(&bytes, &[], &Limits::default())?;
        let largest = back.rgba.iter().zip(&image.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        println!("{name}: {} bytes, largest error {}", bytes.len(), largest.unwrap_or_default());
    }
    Ok(())
}
