//! Textures: any bytes, and what opens as an image.

use galatea::texture::{self, Image, Level, Part, Texture, inspect};
use galatea::wire::Inspector;
use galatea::{Document, FormatId, Limits, TextureFile};

use crate::files::{Files, TEXTURE, behind, convert, reopened, split};
use crate::memory;

/// Small images only, so that the fuzzer spends its time on shapes, not on pixels.
fn limits() -> Limits {
    Limits::default().with_pixels(1 << 16)
}

/// Any bytes behind a magic: inspect, read, decode, check, write back identically, fix. With `parts`, the first two bytes
/// say where the file ends and its first part begins.
pub fn read(magic: &[u8], parts: bool, data: &[u8]) {
    let (data, part) = split(data).filter(|_| parts).unwrap_or((data, &[]));
    let bytes = behind(magic, data);
    let limits = limits();
    let (coverage, _) = inspect(&bytes, &limits);
    let map = Inspector::new(&bytes, &coverage).map();
    assert_eq!(map.iter().map(|s| s.end - s.start).sum::<usize>(), bytes.len(), "every byte once");
    memory::native(bytes.len() + part.len(), || {
        let numbers: &[u8] = if part.is_empty() { &[] } else { &[0, 1] };
        let parts: Vec<Part<'_>> = numbers.iter().map(|n| Part { number: *n, bytes: part }).collect();
        let Ok(mut texture) = Texture::read_with(&bytes, &parts, &limits) else { return };
        assert!(texture.write().expect("what was read can be written") == bytes, "the file differs");
        if let Texture::Ftex(ftex) = &texture {
            for number in ftex.parts() {
                assert!(ftex.write_part(number).expect("a part can be written") == part, "the part differs");
            }
        }
        levels(&texture, &limits);
        assert!(texture.differences(&texture).is_empty());
        texture.check();
        texture.fix(&|_| true);
        let _ = texture.write();
    });
}

/// Decodes the first levels.
fn levels(texture: &Texture, limits: &Limits) {
    let shape = texture.shape();
    for layer in 0..shape.layers.min(2) {
        for face in 0..shape.faces.min(6) {
            for mip in 0..shape.mips.min(4) {
                if let Ok(image) = texture.decode(Level { mip, face, layer }, limits) {
                    assert_eq!(image.rgba.len() as u64, u64::from(image.width) * u64::from(image.height) * 4);
                }
            }
        }
    }
}

/// Pixels up to which an image is written in every format.
const SMALL: usize = 16 * 16;

/// A texture of any kind with the limits of the program: decoded, and as PNG and TGA, which hold the same pixels. Small
/// ones become every format, and open.
pub fn decode(data: &[u8]) {
    let Some(files) = Files::of(TEXTURE, data) else { return };
    memory::conversion(files.len(), || {
        let Some(document) = files.open() else { return };
        let Some(image) = best(document.as_ref()) else { return };
        for to in [FormatId::Png, FormatId::Tga] {
            let Ok(converted) = convert(document.as_ref(), to) else { continue };
            let back = texture::decode(&converted.output.bytes, &[], &Limits::default());
            assert!(back.as_ref() == Ok(&image), "the {to} holds other pixels");
        }
        if image.rgba.len() <= SMALL * 4 {
            for to in FormatId::targets().filter(|id| id.format().encode.is_some()) {
                if let Ok(converted) = convert(document.as_ref(), to) {
                    best(reopened(&converted.output).as_ref()).expect("what was written can be decoded");
                }
            }
        }
    });
}

/// The largest image of a texture.
fn best(document: &dyn Document) -> Option<Image> {
    let file = document.as_any().downcast_ref::<TextureFile>()?;
    file.texture.decode_best(&Limits::default()).ok()
}
