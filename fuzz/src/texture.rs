//! What the texture targets do with their bytes: inspect, read, decode, check, write back identically, mend.

use galatea_texture::{Level, Part, Texture, inspect};
use galatea_wire::{Inspector, Limits};

/// Small pictures only, so that the fuzzer spends its time on shapes, not on pixels.
fn limits() -> Limits {
    Limits { pixels: 1 << 16, ..Limits::default() }
}

/// Any bytes behind a magic. With `parts`, the first two bytes say where the file ends and its first part begins.
pub fn read(magic: &[u8], parts: bool, data: &[u8]) {
    let (data, part) = match data {
        [a, b, rest @ ..] if parts => {
            rest.split_at(usize::from(u16::from_le_bytes([*a, *b])).min(rest.len()))
        }
        _ => (data, &[][..]),
    };
    let bytes = crate::behind(magic, data);
    let limits = limits();
    let (coverage, _) = inspect(&bytes, &limits);
    let map = Inspector::new(&bytes, &coverage).map();
    assert_eq!(map.iter().map(|s| s.end - s.start).sum::<usize>(), bytes.len(), "every byte once");
    let numbers: &[u8] = if part.is_empty() { &[] } else { &[0, 1] };
    let parts: Vec<Part<'_>> = numbers.iter().map(|n| Part { number: *n, bytes: part }).collect();
    let Ok(mut texture) = Texture::read_with(&bytes, &parts, &limits) else { return };
    assert!(texture.write().expect("what was read can be written") == bytes, "the file differs");
    if let Texture::Ftex(ftex) = &texture {
        for number in ftex.parts() {
            assert!(ftex.write_part(number).expect("a part can be written") == part, "the part differs");
        }
    }
    let shape = texture.shape();
    for layer in 0..shape.layers.min(2) {
        for face in 0..shape.faces.min(6) {
            for mip in 0..shape.mips.min(4) {
                if let Ok(image) = texture.decode(Level { mip, face, layer }, &limits) {
                    assert_eq!(image.rgba.len() as u64, u64::from(image.width) * u64::from(image.height) * 4);
                }
            }
        }
    }
    assert!(texture.differences(&texture).is_empty());
    texture.check();
    texture.fix(&|_| true);
    let _ = texture.write();
}
