//! From one texture format to another.

use galatea_texture::encode::{self, BlpFormat, DdsFormat, TpcFormat, TpcOptions};
use galatea_texture::ftex::Storage;
use galatea_texture::material::{FoxRole, fox_role};
use galatea_texture::{Image, Texture};
use galatea_wire::{Limits, Loss};

use crate::formats::companions;
use crate::{Companion, ConvertError, ConvertOptions, Converted, Document, Output, TextureFile};

/// The texture formats that can be written; each is its own usual ending.
pub const TEXTURE_TARGETS: [&str; 6] = ["png", "tga", "tpc", "blp", "dds", "ftex"];

/// How a texture stores its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As they are, all four channels.
    Raw,
    /// As they are, one channel.
    Grey,
    /// BC1, also called DXT1: small and opaque.
    Bc1,
    /// BC3, also called DXT5: with alpha.
    Bc3,
    /// BC5: two channels, for normal maps.
    Bc5,
    /// BC7: the best looking and the slowest to make.
    Bc7,
    /// JPEG inside a BLP.
    Jpeg,
    /// 256 colours inside a BLP.
    Palette,
}

impl Encoding {
    /// All of them, with their names.
    pub const ALL: [(Encoding, &'static str); 8] = [
        (Encoding::Raw, "raw"),
        (Encoding::Grey, "grey"),
        (Encoding::Bc1, "bc1"),
        (Encoding::Bc3, "bc3"),
        (Encoding::Bc5, "bc5"),
        (Encoding::Bc7, "bc7"),
        (Encoding::Jpeg, "jpeg"),
        (Encoding::Palette, "palette"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(e, _)| *e == self).map_or("", |(_, name)| name)
    }

    /// The encoding of this name, letter case ignored.
    ///
    /// ```
    /// use galatea::Encoding;
    /// assert_eq!(Encoding::named("BC7"), Some(Encoding::Bc7));
    /// ```
    pub fn named(name: &str) -> Option<Encoding> {
        Self::ALL.iter().find(|(_, n)| n.eq_ignore_ascii_case(name)).map(|(e, _)| *e)
    }
}

/// What a format can hold.
fn allowed(to: &str) -> &'static [Encoding] {
    match to {
        "tpc" => &[Encoding::Raw, Encoding::Grey, Encoding::Bc1, Encoding::Bc3],
        "blp" => &[Encoding::Jpeg, Encoding::Palette],
        "dds" => &[Encoding::Raw, Encoding::Bc1, Encoding::Bc3, Encoding::Bc5, Encoding::Bc7],
        "ftex" => &[Encoding::Raw, Encoding::Bc1, Encoding::Bc3, Encoding::Bc5, Encoding::Bc7],
        _ => &[],
    }
}

/// Writes a texture in another format. `name` is that of the file: the Fox Engine's tell what they are for.
pub(crate) fn convert_texture(
    file: &TextureFile,
    to: &str,
    options: &ConvertOptions,
    name: &str,
) -> Result<Converted, ConvertError> {
    let from = file.format().name;
    if from == to && options.encoding.is_none() {
        return Ok(Converted { output: file.write()?, losses: Vec::new() });
    }
    if !TEXTURE_TARGETS.contains(&to) {
        return Err(ConvertError::NoWay { from, to: to.to_owned() });
    }
    if let Some(wanted) = options.encoding
        && !allowed(to).contains(&wanted)
    {
        let known: Vec<&str> = allowed(to).iter().map(|e| e.name()).collect();
        let known =
            if known.is_empty() { "has no encodings".into() } else { format!("can be {}", known.join(", ")) };
        return Err(ConvertError::Option(format!("{to} {known}, not {}", wanted.name())));
    }
    if options.ftexs > 0 && to != "ftex" {
        return Err(ConvertError::Option("--ftexs is for ftex".into()));
    }
    let image = file.texture.decode_best(&Limits::default())?;
    let mut losses = losses(file, &image);
    let txi = file.txi().map(|t| t.print().to_vec());
    let mut output = encoded(file, to, options, name, &image)?;
    match to {
        "png" | "tga" => {
            output.companions.extend(txi.map(|bytes| Companion { extension: "txi", bytes }));
        }
        "tpc" => {}
        _ if txi.is_some() => losses.push(Loss::new("the TXI", format!("{to} has no place for it"))),
        _ => {}
    }
    Ok(Converted { output, losses })
}

/// What one picture cannot hold.
fn losses(file: &TextureFile, image: &Image) -> Vec<Loss> {
    let shape = file.texture.shape();
    let mut out = Vec::new();
    if shape.faces > 1 {
        out.push(Loss::new("", format!("all but the first of {} faces of the cube map", shape.faces)));
    }
    if shape.layers > 1 {
        out.push(Loss::new("", format!("all but the first of {} layers", shape.layers)));
    }
    if (image.width, image.height) != (shape.width, shape.height) {
        let missing = match &file.texture {
            Texture::Ftex(ftex) => format!(": FTEXS parts {:?} are not there", ftex.missing_parts()),
            _ => String::new(),
        };
        let (w, h, iw, ih) = (shape.width, shape.height, image.width, image.height);
        out.push(Loss::new(
            format!("the full size of {w} x {h}"),
            format!("{iw} x {ih} is the best there is{missing}"),
        ));
    }
    out
}

fn encoded(
    file: &TextureFile,
    to: &str,
    options: &ConvertOptions,
    name: &str,
    image: &Image,
) -> Result<Output, ConvertError> {
    let blocks = match options.encoding {
        Some(Encoding::Raw) => DdsFormat::Bgra,
        Some(Encoding::Bc1) => DdsFormat::Bc1,
        Some(Encoding::Bc3) => DdsFormat::Bc3,
        Some(Encoding::Bc5) => DdsFormat::Bc5,
        Some(Encoding::Bc7) => DdsFormat::Bc7,
        _ => DdsFormat::Auto,
    };
    let bytes = match to {
        "png" => encode::png(image)?,
        "tga" => encode::tga(image)?,
        "tpc" => {
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
            encode::tpc(image, &TpcOptions { format, alpha_mean, txi, ..TpcOptions::default() })?.write()?
        }
        "blp" => {
            let palette = options.encoding == Some(Encoding::Palette);
            let format = if palette { BlpFormat::Palette } else { BlpFormat::default() };
            encode::blp(image, format, true)?.write()?
        }
        "dds" => encode::dds(image, blocks, true)?.write()?,
        _ => {
            // Bit 0 is always set, bit 1 says sRGB, bit 3 a normal map.
            let kind = match fox_role(name) {
                FoxRole::Normal => 9,
                FoxRole::Colour { .. } | FoxRole::Unknown => 3,
                _ => 1,
            };
            let storage = if options.ftexs == 0 { Storage::OneFile } else { Storage::Parts(options.ftexs) };
            let ftex = Texture::Ftex(encode::ftex(image, blocks, kind, true, storage)?);
            let companions = companions(&ftex)?;
            return Ok(Output { bytes: ftex.write()?, companions, ..Output::default() });
        }
    };
    Ok(Output::single(bytes))
}
