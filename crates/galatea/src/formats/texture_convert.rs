//! From one texture format to another.

use galatea_texture::{Image, Texture};
use galatea_wire::{Limits, Loss};

use crate::{
    Companion, ConvertError, ConvertOption, ConvertOptions, Converted, Document, FormatId, TextureFile,
};

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
    let image = file.texture.decode_best(&Limits::default())?;
    let mut losses = losses(file, &image);
    let mut output = encode(&image, file, options, name)?;
    // A TPC has the TXI inside.
    if let Some(txi) = file.txi().filter(|_| to != FormatId::Tpc) {
        if target.companions.contains(&"txi") {
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
