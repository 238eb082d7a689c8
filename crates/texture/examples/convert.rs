//! Converts one texture: `convert IN OUT [FORMAT]`. OUT ends in png, tga, tpc, blp, dds or ftex; FORMAT is one of bc1, bc3,
//! bc5, bc7, raw, jpeg, palette. The FTEXS parts and BLP0 levels beside IN are used.

use std::error::Error;
use std::path::{Path, PathBuf};

use galatea_texture::encode::{self, BlpFormat, DdsFormat, TpcFormat, TpcOptions};
use galatea_texture::ftex::Storage;
use galatea_texture::{Image, Part, decode};
use galatea_wire::Limits;

fn beside(path: &Path) -> Vec<(u8, Vec<u8>)> {
    let stem = path.with_extension("");
    let name = |ending: String| PathBuf::from(format!("{}{ending}", stem.display()));
    let parts = (1..=9).map(|n| (n, name(format!(".{n}.ftexs"))));
    let levels = (0..=9).map(|n| (n, name(format!(".b{n:02}"))));
    parts.chain(levels).filter_map(|(n, path)| Some((n, std::fs::read(path).ok()?))).collect()
}

fn encoded(image: &Image, ending: &str, format: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let dds = match format {
        "bc1" => DdsFormat::Bc1,
        "bc3" => DdsFormat::Bc3,
        "bc5" => DdsFormat::Bc5,
        "bc7" => DdsFormat::Bc7,
        "raw" => DdsFormat::Bgra,
        _ => DdsFormat::Auto,
    };
    let tpc = match format {
        "bc1" => TpcFormat::Bc1,
        "bc3" => TpcFormat::Bc3,
        "raw" => TpcFormat::Rgba,
        _ => TpcFormat::Auto,
    };
    let blp = if format == "palette" { BlpFormat::Palette } else { BlpFormat::default() };
    Ok(match ending {
        "png" => encode::png(image)?,
        "tga" => encode::tga(image)?,
        "tpc" => encode::tpc(image, &TpcOptions { format: tpc, ..TpcOptions::default() })?.write()?,
        "blp" => encode::blp(image, blp, true)?.write()?,
        "dds" => encode::dds(image, dds, true)?.write()?,
        "ftex" => encode::ftex(image, dds, 3, true, Storage::OneFile)?.write()?,
        _ => return Err(format!("cannot write .{ending}").into()),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(from), Some(to)) = (args.next(), args.next()) else {
        return Err("usage: convert IN OUT [FORMAT]".into());
    };
    let (from, to) = (PathBuf::from(from), PathBuf::from(to));
    let bytes = std::fs::read(&from)?;
    let beside = beside(&from);
    let parts: Vec<Part<'_>> = beside.iter().map(|(number, bytes)| Part { number: *number, bytes }).collect();
    let image = decode(&bytes, &parts, &Limits::default())?;
    let ending = to.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    std::fs::write(&to, encoded(&image, &ending, &args.next().unwrap_or_default())?)?;
    Ok(())
}
