//! From one texture format to another.

use galatea_texture::encode::tga;
use galatea_texture::{Image, Texture};
use galatea_wire::{Limits, Loss};

use crate::{
    Companion, ConvertError, ConvertOption, ConvertOptions, Converted, Document, Encode, FormatId, Output,
    TextureFile,
};

/// Writes an image as a texture. `name` is that of the file: those of the Fox Engine tell what they are for.
///
/// ```
/// use galatea::{ConvertOptions, Encoding, FormatId, encode_image, texture::Image};
/// let image = Image::filled(8, 8, [255, 0, 0, 255]);
/// let options = ConvertOptions::default().with_encoding(Encoding::Bc1);
/// let file = encode_image(&image, FormatId::Tpc, &options, "red")?;
/// assert!(file.bytes.len() > 128);
/// assert!(encode_image(&image, FormatId::Mdx, &options, "red").is_err());
/// # Ok::<(), galatea::ConvertError>(())
/// ```
pub fn encode_image(
    image: &Image,
    to: FormatId,
    options: &ConvertOptions,
    name: &str,
) -> Result<Output, ConvertError> {
    let encode = encoder(FormatId::Tga, to, options)?;
    // What a file tells beside its pixels, a plain one does not.
    let plain = tga(&Image::filled(1, 1, [0; 4]))?;
    let plain = TextureFile { texture: Texture::read(&plain, &Limits::default())?, txi: None };
    Ok(encode(image, &plain, options, name)?)
}

/// Returns what writes images in a format, if the options mean something for it.
fn encoder(from: FormatId, to: FormatId, options: &ConvertOptions) -> Result<Encode, ConvertError> {
    let target = to.format();
    let encode = target.encode.ok_or(ConvertError::UnsupportedConversion { from, to })?;
    if let Some(encoding) = options.encoding
        && !target.encodings.contains(&encoding)
    {
        return Err(ConvertError::UnsupportedEncoding { encoding, to });
    }
    if options.ftexs > 0 && !target.options.contains(&ConvertOption::Ftexs) {
        return Err(ConvertError::UnsupportedOption { option: ConvertOption::Ftexs, to });
    }
    Ok(encode)
}

/// Writes a texture in another format. `name` is that of the file: those of the Fox Engine tell what they are for.
pub(crate) fn convert_texture(
    file: &TextureFile,
    to: FormatId,
    options: &ConvertOptions,
    name: &str,
) -> Result<Converted, ConvertError> {
    let from = file.format().id;
    if from == to && options.encoding.is_none() {
        return Ok(Converted::lossless(file.write()?));
    }
    let encode = encoder(from, to, options)?;
    let image = file.texture.decode_best(&Limits::default())?;
    let mut losses = losses(file, &image);
    let mut output = encode(&image, file, options, name)?;
    // A TPC has the TXI inside.
    if let Some(txi) = file.txi().filter(|_| to != FormatId::Tpc) {
        if to.format().companions.contains(&"txi") {
            output.companions.push(Companion { extension: "txi", bytes: txi.print().to_vec() });
        } else {
            losses.push(Loss::new("the TXI", format!("{to} has no place for it")));
        }
    }
    Ok(Converted { output, losses })
}

/// Returns what one image cannot hold.
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
            format!("{iw} x {ih} is the largest available{missing}"),
        ));
    }
    out
}
