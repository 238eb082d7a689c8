//! Images as texture files, one function per format.

use galatea_texture::encode::{self, BlpFormat, DdsFormat, TpcFormat, TpcOptions};
use galatea_texture::ftex::Storage;
use galatea_texture::material::{FoxRole, fox_role};
use galatea_texture::{Image, Texture};
use galatea_wire::Result;

use super::texture::companions;
use crate::{ConvertOptions, Encoding, Output, TextureFile};

pub(super) fn png(image: &Image, _: &TextureFile, _: &ConvertOptions, _: &str) -> Result<Output> {
    Ok(Output::single(encode::png(image)?))
}

pub(super) fn tga(image: &Image, _: &TextureFile, _: &ConvertOptions, _: &str) -> Result<Output> {
    Ok(Output::single(encode::tga(image)?))
}

pub(super) fn tpc(image: &Image, file: &TextureFile, options: &ConvertOptions, _: &str) -> Result<Output> {
    let format = match options.encoding {
        Some(Encoding::Raw) => TpcFormat::Rgba,
        Some(Encoding::Grey) => TpcFormat::Grey,
        Some(Encoding::Bc1) => TpcFormat::Bc1,
        Some(Encoding::Bc3) => TpcFormat::Bc3,
        _ => TpcFormat::Auto,
    };
    let alpha_mean = match &file.texture {
        Texture::Tpc(tpc) => tpc.head.alpha_mean,
        _ => 1.0,
    };
    let txi = file.txi().map(|t| t.print().to_vec()).unwrap_or_default();
    let options = TpcOptions::default().with_format(format).with_alpha_mean(alpha_mean).with_txi(txi);
    Ok(Output::single(encode::tpc(image, &options)?.write()?))
}

pub(super) fn blp(image: &Image, _: &TextureFile, options: &ConvertOptions, _: &str) -> Result<Output> {
    let palette = options.encoding == Some(Encoding::Palette);
    let format = if palette { BlpFormat::Palette } else { BlpFormat::default() };
    Ok(Output::single(encode::blp(image, format, true)?.write()?))
}

pub(super) fn dds(image: &Image, _: &TextureFile, options: &ConvertOptions, _: &str) -> Result<Output> {
    Ok(Output::single(encode::dds(image, blocks(options), true)?.write()?))
}

pub(super) fn ftex(image: &Image, _: &TextureFile, options: &ConvertOptions, name: &str) -> Result<Output> {
    // Bit 0 is always set, bit 1 says sRGB, bit 3 a normal map.
    let kind = match fox_role(name) {
        FoxRole::Normal => 9,
        FoxRole::Colour { .. } | FoxRole::Unknown => 3,
        _ => 1,
    };
    let storage = if options.ftexs == 0 { Storage::OneFile } else { Storage::Parts(options.ftexs) };
    let ftex = Texture::Ftex(encode::ftex(image, blocks(options), kind, true, storage)?);
    let companions = companions(&ftex)?;
    Ok(Output { bytes: ftex.write()?, companions, ..Output::default() })
}

/// Returns the block format of a DDS or FTEX.
fn blocks(options: &ConvertOptions) -> DdsFormat {
    match options.encoding {
        Some(Encoding::Raw) => DdsFormat::Bgra,
        Some(Encoding::Bc1) => DdsFormat::Bc1,
        Some(Encoding::Bc3) => DdsFormat::Bc3,
        Some(Encoding::Bc5) => DdsFormat::Bc5,
        Some(Encoding::Bc7) => DdsFormat::Bc7,
        _ => DdsFormat::Auto,
    }
}
