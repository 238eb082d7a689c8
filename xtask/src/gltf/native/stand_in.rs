//! Stand-ins for textures that are not there, so that pictures can be swapped in models of which only the model is at hand.

use std::fs;
use std::path::Path;

use galatea::disk::{self, Job};
use galatea::texture::Image;
use galatea::textures::{Libraries, Why, audit};
use galatea::wire::checksum;
use galatea::{ConvertOptions, FormatId, SceneContext};

/// Writes a small picture for every texture of these models that is missing, each with a colour of its own.
pub(super) fn write(jobs: &[Job], folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let none = Libraries::new(&[]).0;
    for job in jobs {
        // What cannot be opened is told when it is sent.
        let Ok((document, _loaded)) = super::open(job) else { continue };
        let Some(textures) = super::textures(job, document.as_ref(), &none) else { continue };
        let stem = disk::stem(&job.path);
        for asked in audit(document.as_ref(), &SceneContext::new(&stem), &textures) {
            let Some((name, kind)) = file_name(&asked.name).filter(|_| asked.why == Why::Missing) else {
                continue;
            };
            let path = folder.join(format!("{name}.{}", kind.name()));
            if path.is_file() {
                continue;
            }
            let [r, g, b, ..] = checksum(name.as_bytes()).to_le_bytes();
            let image = Image::filled(4, 4, [r, g, b, 255]);
            let file = galatea::encode_image(&image, kind, &ConvertOptions::default(), &name);
            fs::write(&path, file.map_err(|e| e.to_string())?.bytes).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

/// Returns the stem and the format of a file that a texture is found by.
fn file_name(texture: &str) -> Option<(String, FormatId)> {
    if let Some(code) = texture.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()) {
        // Archives of the Fox Engine name files by these bits of their path codes.
        return Some((format!("{:013x}", code & 0x3_FFFF_FFFF_FFFF), FormatId::Ftex));
    }
    let name = texture.rsplit(['/', '\\']).next()?;
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_- ".contains(c);
    (!name.is_empty() && name.chars().all(plain)).then_some((name, FormatId::Tga))
}
