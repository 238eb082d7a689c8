//! From images to files: PNG and TGA, and the containers of the engines.
//!
//! ```
//! use galatea_texture::{Image, encode};
//! let image = Image::filled(8, 8, [200, 100, 50, 255]);
//! let tpc = encode::tpc(&image, &encode::TpcOptions::default()).unwrap();
//! assert_eq!(tpc.shape().to_string(), "DXT1 8x8, 4 mips");
//! let dds = encode::dds(&image, encode::DdsFormat::Bc7, true).unwrap();
//! assert_eq!(dds.shape().mips, 4);
//! assert!(encode::png(&image).unwrap().starts_with(b"\x89PNG"));
//! ```

mod bc1;
mod bc4;
mod bc7;
mod blocks;
mod jpeg;
mod palette;

pub use blocks::blocks;

use galatea_wire::{Error, Result, Wire, put_array};

use crate::blp::{Blp, BlpHead, Head};
use crate::dds::Dds;
use crate::ftex::{Ftex, Storage};
use crate::tpc::{Tpc, TpcHead};
use crate::{Alpha, Image, PixelFormat, TgaHead};

/// Returns a PNG: RGB if the image is opaque, else RGBA.
pub fn png(image: &Image) -> Result<Vec<u8>> {
    let opaque = image.alpha() == Alpha::Opaque;
    let encode = || {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, image.width, image.height);
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_filter(png::Filter::Adaptive);
        let mut writer = encoder.write_header()?;
        if opaque {
            let rgb: Vec<u8> = image.pixels().flat_map(|[r, g, b, _]| [r, g, b]).collect();
            writer.write_image_data(&rgb)?;
        } else {
            writer.write_image_data(&image.rgba)?;
        }
        writer.finish()?;
        Ok(out)
    };
    encode().map_err(|e: png::EncodingError| Error::unrepresentable(format!("PNG: {e}")))
}

/// Returns a TGA as the games have them: true colour, 24 bits if opaque, else 32, the bottom row first.
pub fn tga(image: &Image) -> Result<Vec<u8>> {
    let side = |n: u32| {
        u16::try_from(n).map_err(|_| Error::unrepresentable(format!("{n} pixels are too many for a TGA")))
    };
    let opaque = image.alpha() == Alpha::Opaque;
    let (bits, descriptor) = if opaque { (24, 0) } else { (32, 8) };
    let head = TgaHead {
        kind: 2,
        width: side(image.width)?,
        height: side(image.height)?,
        bits,
        descriptor,
        ..TgaHead::ZERO
    };
    let mut out = Vec::with_capacity(TgaHead::SIZE + image.rgba.len());
    put_array(&mut out, &[head]);
    for row in image.rgba.chunks_exact((image.width as usize * 4).max(1)).rev() {
        for [r, g, b, a] in row.as_chunks::<4>().0 {
            out.extend([*b, *g, *r]);
            if !opaque {
                out.push(*a);
            }
        }
    }
    Ok(out)
}

/// Returns the levels of an image as stored bytes: all of them, or only the first.
fn levels(image: &Image, format: PixelFormat, mips: bool) -> Result<Vec<Vec<u8>>> {
    let images = if mips { image.clone().levels() } else { vec![image.clone()] };
    images.iter().map(|level| blocks(level, format)).collect()
}

/// How a new TPC stores its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TpcFormat {
    /// DXT1 if the image is opaque, else DXT5.
    #[default]
    Auto,
    /// DXT1, always opaque.
    Bc1,
    /// DXT5.
    Bc3,
    /// One byte per pixel, red.
    Grey,
    /// Three bytes per pixel.
    Rgb,
    /// Four bytes per pixel.
    Rgba,
}

/// What a new TPC should be like.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TpcOptions {
    /// How the pixels are stored.
    pub format: TpcFormat,
    /// Whether smaller levels are made, down to one pixel.
    pub mips: bool,
    /// The text after the pixels.
    pub txi: Vec<u8>,
    /// The header's alpha value.
    pub alpha_mean: f32,
}

galatea_wire::setters! {
    TpcOptions {
        with_format: format: TpcFormat,
        with_mips: mips: bool,
        with_txi: txi: Vec<u8>,
        with_alpha_mean: alpha_mean: f32,
    }
}

impl Default for TpcOptions {
    fn default() -> Self {
        TpcOptions { format: TpcFormat::Auto, mips: true, txi: Vec::new(), alpha_mean: 1.0 }
    }
}

/// Returns a TPC of an image.
pub fn tpc(image: &Image, options: &TpcOptions) -> Result<Tpc> {
    let opaque = image.alpha() == Alpha::Opaque;
    let (format, encoding) = match options.format {
        TpcFormat::Auto if opaque => (PixelFormat::Bc1, 2),
        TpcFormat::Bc1 => (PixelFormat::Bc1, 2),
        TpcFormat::Auto | TpcFormat::Bc3 => (PixelFormat::Bc3, 4),
        TpcFormat::Grey => (PixelFormat::Grey8, 1),
        TpcFormat::Rgb => (PixelFormat::Rgb8, 2),
        TpcFormat::Rgba => (PixelFormat::Rgba8, 4),
    };
    let side = |n: u32| {
        u16::try_from(n).map_err(|_| Error::unrepresentable(format!("{n} pixels are too many for a TPC")))
    };
    let (width, height) = (side(image.width)?, side(image.height)?);
    if u32::from(height) == u32::from(width) * 6 {
        return Err(Error::unrepresentable(
            "an image six times as high as wide would be taken for a cube map",
        ));
    }
    let mut stored = image.clone();
    if encoding == 2 {
        stored.map(|[r, g, b, _]| [r, g, b, 255]);
    }
    let images = if options.mips { stored.levels() } else { vec![stored] };
    let mut bytes = Vec::with_capacity(images.len());
    for mut level in images {
        level.flip_rows();
        bytes.push(blocks(&level, format)?);
    }
    let first = bytes.first().map_or(0, Vec::len);
    let head = TpcHead {
        size: if format.block().is_some() { u32::try_from(first).unwrap_or(0) } else { 0 },
        alpha_mean: options.alpha_mean,
        width,
        height,
        encoding,
        mips: bytes.len() as u8,
        ..TpcHead::ZERO
    };
    Ok(Tpc::new(head, bytes, &options.txi))
}

/// How a new DDS stores its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DdsFormat {
    /// DXT1 if opaque, else DXT5.
    Auto,
    /// DXT1.
    Bc1,
    /// DXT5.
    Bc3,
    /// Two channels, R and G, for normal maps.
    Bc5,
    /// BC7, with the DX10 header.
    Bc7,
    /// B, G, R, A bytes.
    Bgra,
}

impl DdsFormat {
    fn pixels(self, image: &Image) -> PixelFormat {
        match self {
            DdsFormat::Auto if image.alpha() == Alpha::Opaque => PixelFormat::Bc1,
            DdsFormat::Bc1 => PixelFormat::Bc1,
            DdsFormat::Auto | DdsFormat::Bc3 => PixelFormat::Bc3,
            DdsFormat::Bc5 => PixelFormat::Bc5 { signed: false },
            DdsFormat::Bc7 => PixelFormat::Bc7,
            DdsFormat::Bgra => PixelFormat::Bgra8,
        }
    }
}

/// Returns a DDS of an image.
pub fn dds(image: &Image, format: DdsFormat, mips: bool) -> Result<Dds> {
    let format = format.pixels(image);
    Dds::new(format, image.width, image.height, levels(image, format, mips)?)
}

/// Returns an FTEX of an image. `kind` are the bits of [`FtexHead::kind`](crate::ftex::FtexHead): 1, with 2 for sRGB
/// colours and 8 for normal maps. Levels go down to 4x4, as the game's own do.
///
/// ```
/// use galatea_texture::{Image, encode, ftex::Storage};
/// let image = Image::filled(16, 16, [200, 100, 50, 255]);
/// let ftex = encode::ftex(&image, encode::DdsFormat::Auto, 3, true, Storage::Parts(2)).unwrap();
/// assert_eq!((ftex.shape().mips, ftex.parts().count()), (3, 2));
/// ```
pub fn ftex(image: &Image, format: DdsFormat, kind: u32, mips: bool, storage: Storage) -> Result<Ftex> {
    let format = format.pixels(image);
    let side = |n: u32| {
        u16::try_from(n).map_err(|_| Error::unrepresentable(format!("{n} pixels are too many for an FTEX")))
    };
    let (width, height) = (side(image.width)?, side(image.height)?);
    let mut levels = levels(image, format, mips)?;
    if levels.len() > 2 {
        levels.truncate((levels.len() - 2).max(1));
    }
    Ftex::new(format, width, height, levels, kind & !4, storage)
}

/// How a new BLP1 stores its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlpFormat {
    /// JPEG of this quality, 1 to 100.
    Jpeg(u8),
    /// 256 colours; exact if the image (with all its levels) has no more.
    Palette,
}

impl Default for BlpFormat {
    fn default() -> Self {
        BlpFormat::Jpeg(95)
    }
}

/// Returns a BLP1 of an image.
///
/// ```
/// use galatea_texture::{Image, encode};
/// let image = Image::filled(8, 4, [200, 100, 50, 128]);
/// let blp = encode::blp(&image, encode::BlpFormat::Palette, true).unwrap();
/// assert_eq!(blp.decode(Default::default(), &Default::default()).unwrap(), image);
/// ```
pub fn blp(image: &Image, format: BlpFormat, mips: bool) -> Result<Blp> {
    let opaque = image.alpha() == Alpha::Opaque;
    let images = if mips { image.clone().levels() } else { vec![image.clone()] };
    if images.len() > 16 {
        return Err(Error::unrepresentable(format!("{} levels, a BLP holds 16", images.len())));
    }
    let head = BlpHead {
        magic: *b"BLP1",
        content: u32::from(format == BlpFormat::Palette),
        alpha_bits: if opaque { 0 } else { 8 },
        width: image.width,
        height: image.height,
        hint: if opaque { 5 } else { 4 },
        has_mips: u32::from(images.len() > 1),
    };
    match format {
        BlpFormat::Jpeg(quality) => {
            let levels = images.iter().map(|p| jpeg::encode(p, quality)).collect::<Result<Vec<_>>>()?;
            let shared = jpeg::shared_header(&levels);
            let header = levels.first().and_then(|l| l.get(..shared)).unwrap_or(&[]).to_vec();
            let mips = levels.into_iter().map(|l| l.get(shared..).unwrap_or(&[]).to_vec()).collect();
            Ok(Blp::jpeg(Head::Old(head), header, mips))
        }
        BlpFormat::Palette => {
            let colours = palette::choose(&images);
            let mut nearest = palette::Nearest::new(&colours);
            let mut mips = Vec::with_capacity(images.len());
            for level in &images {
                let mut bytes: Vec<u8> = level.pixels().map(|[r, g, b, _]| nearest.find([r, g, b])).collect();
                if !opaque {
                    bytes.extend(level.pixels().map(|[_, _, _, a]| a));
                }
                mips.push(bytes);
            }
            let mut stored: Vec<[u8; 4]> = colours.iter().map(|[r, g, b]| [*b, *g, *r, 0]).collect();
            stored.resize(256, [0; 4]);
            Ok(Blp::paletted(Head::Old(head), stored, mips))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Level, decode};
    use galatea_wire::Limits;

    fn gradient(width: u32, height: u32, alpha: bool) -> Image {
        let pixel = |x: u32, y: u32| {
            let a = if alpha { (x * 255 / width.max(1)) as u8 } else { 255 };
            [(x * 3 % 256) as u8, (y * 5 % 256) as u8, ((x + y) % 256) as u8, a]
        };
        let rgba = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
        Image::new(width, height, rgba).unwrap()
    }

    #[test]
    fn png_and_tga_come_back_exactly() {
        for image in [gradient(5, 3, true), gradient(4, 7, false)] {
            for bytes in [png(&image).unwrap(), tga(&image).unwrap()] {
                assert_eq!(decode(&bytes, &[], &Limits::default()).unwrap(), image);
            }
        }
    }

    #[test]
    fn raw_containers_come_back_exactly() {
        let image = gradient(8, 4, true);
        let options = TpcOptions { format: TpcFormat::Rgba, ..TpcOptions::default() };
        let bytes = tpc(&image, &options).unwrap().write().unwrap();
        assert_eq!(decode(&bytes, &[], &Limits::default()).unwrap(), image);
        let bytes = dds(&image, DdsFormat::Bgra, true).unwrap().write().unwrap();
        assert_eq!(decode(&bytes, &[], &Limits::default()).unwrap(), image);
        let bytes = ftex(&image, DdsFormat::Bgra, 3, true, Storage::OneFile).unwrap().write().unwrap();
        assert_eq!(decode(&bytes, &[], &Limits::default()).unwrap(), image);
    }

    #[test]
    fn every_level_of_a_blp_is_a_whole_jpeg_of_its_size() {
        let image = gradient(20, 12, true);
        let blp = blp(&image, BlpFormat::Jpeg(95), true).unwrap();
        assert!(blp.check().findings().iter().all(|f| f.rule.code == "TEXR0001"), "{:?}", blp.check());
        assert!((500..=624).contains(&blp.jpeg_header.len()), "{}", blp.jpeg_header.len());
        for mip in 0..5 {
            let level = blp.decode(Level { mip, ..Level::default() }, &Limits::default()).unwrap();
            assert_eq!((level.width, level.height), blp.shape().level(mip));
        }
    }

    #[test]
    fn what_a_container_cannot_hold_is_said() {
        let cube = Image::filled(4, 24, [0; 4]);
        assert!(tpc(&cube, &TpcOptions::default()).unwrap_err().to_string().contains("cube"));
        let wide = Image::filled(70_000, 1, [0; 4]);
        assert!(tga(&wide).is_err());
        assert!(tpc(&wide, &TpcOptions::default()).is_err());
    }
}
