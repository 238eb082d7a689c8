//! Damaged and lying textures: no panic, no hang, no allocation out of proportion, always a place and a path.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use fixtures::all;
use galatea_robustness::{Random, Trial};
use galatea_texture::ftex::{Ftex, MipInfo, Storage};
use galatea_texture::{Level, Part, Texture, Txi, detect, inspect};
use galatea_wire::{Error, ErrorKind, Limits};

/// Small enough for the trial's own limit on memory.
fn limits() -> Limits {
    Limits::default().with_pixels(1 << 16)
}

fn read(bytes: &[u8]) -> Result<(), Error> {
    read_with(bytes, &[])
}

fn read_with(bytes: &[u8], parts: &[Part<'_>]) -> Result<(), Error> {
    let limits = limits();
    inspect(bytes, &limits);
    let mut texture = Texture::read_with(bytes, parts, &limits)?;
    assert!(texture.write()? == bytes, "what opens is written back identically");
    texture.check();
    let shape = texture.shape();
    let mut first_error = None;
    for layer in 0..shape.layers.min(3) {
        for face in 0..shape.faces.min(7) {
            for mip in 0..shape.mips.min(20) {
                if let Err(error) = texture.decode(Level { mip, face, layer }, &limits) {
                    first_error.get_or_insert(error);
                }
            }
        }
    }
    texture.fix(&|_| true);
    texture.write()?;
    first_error.map_or(Ok(()), Err)
}

fn trials(name: &str, bytes: &[u8]) {
    let trial = Trial { name, bytes, read: &read };
    damage(&trial);
    assert!(trial.words((0..bytes.len().saturating_sub(4)).step_by(2).take(200)).tried > 0);
}

/// Damages a file that opens, in every way but wild words.
fn damage(trial: &Trial<'_>) {
    assert!(trial.whole(), "{}: the fixture opens", trial.name);
    trial.cuts();
    assert_eq!(trial.flips().tried, trial.bytes.len() * 4);
    assert_eq!(trial.mutations(3, 600).tried, 600);
}

/// Damages all fixtures of these names.
fn trials_of(wanted: &dyn Fn(&str) -> bool) {
    let all = all().unwrap();
    let chosen: Vec<_> = all.iter().filter(|(name, _)| wanted(name)).collect();
    assert!(!chosen.is_empty());
    chosen.into_iter().for_each(|(name, bytes)| trials(name, bytes));
}

#[test]
fn damaged_tpc() {
    trials_of(&|n| n.ends_with(".tpc"));
}

#[test]
fn damaged_blp() {
    trials_of(&|n| n.contains(".blp"));
}

#[test]
fn damaged_dds() {
    trials_of(&|n| n.ends_with(".dds"));
}

#[test]
fn damaged_ftex() {
    // The other one needs its parts: see below.
    trials_of(&|n| n == "one.ftex");
}

#[test]
fn damaged_images() {
    trials_of(&|n| n.starts_with("image"));
}

/// A texture in three files, of which one is damaged at a time.
#[test]
fn damaged_ftexs_parts() {
    let ftex = fixtures::ftex(Storage::Parts(2)).unwrap();
    let head = ftex.write().unwrap();
    let [first, second] = [1, 2].map(|number| ftex.write_part(number).unwrap());
    let read = |head: &[u8], first: &[u8], second: &[u8]| {
        read_with(head, &[Part { number: 1, bytes: first }, Part { number: 2, bytes: second }])
    };
    let of_head = |bytes: &[u8]| read(bytes, &first, &second);
    let of_first = |bytes: &[u8]| read(&head, bytes, &second);
    let of_second = |bytes: &[u8]| read(&head, &first, bytes);
    damage(&Trial { name: "parts.ftex", bytes: &head, read: &of_head });
    damage(&Trial { name: "parts.1.ftexs", bytes: &first, read: &of_first });
    damage(&Trial { name: "parts.2.ftexs", bytes: &second, read: &of_second });
}

#[test]
fn damaged_blp0_levels() {
    let (head, level) = fixtures::blp0().unwrap();
    let read = |bytes: &[u8]| read_with(&head, &[Part { number: 0, bytes }]);
    damage(&Trial { name: "b00", bytes: &level, read: &read });
}

#[test]
fn every_cut_of_a_container_without_slack_is_an_error() {
    for (name, bytes) in all().unwrap() {
        if ["rgba.tpc", "bc7.dds", "one.ftex", "wesys.dds"].contains(&name) {
            let last = match name {
                "rgba.tpc" => 128 + 8 * 4 * 4,
                "wesys.dds" => bytes.len(),
                _ => 144,
            };
            for len in 0..last {
                assert!(read(&bytes[..len]).is_err(), "{name} cut to {len}");
            }
        }
    }
}

/// A header of 65,535 x 65,535 pixels in 200 bytes, for every format that can say so.
fn giants() -> Vec<(&'static str, Vec<u8>)> {
    let mut out = Vec::new();
    for (name, mut bytes) in all().unwrap() {
        let two = |bytes: &mut Vec<u8>, at: usize| bytes[at..at + 4].fill(0xFF);
        let four = |bytes: &mut Vec<u8>, at: usize| {
            bytes[at..at + 4].copy_from_slice(&65_535u32.to_le_bytes());
            bytes[at + 4..at + 8].copy_from_slice(&65_535u32.to_le_bytes());
        };
        match name.rsplit('.').next().unwrap() {
            "tpc" => two(&mut bytes, 8),
            "blp" | "blp2" => four(&mut bytes, 12),
            "ftex" => two(&mut bytes, 10),
            "tga" => two(&mut bytes, 12),
            "jpg" => {
                let at = bytes.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap() + 5;
                two(&mut bytes, at);
                // The head of a JPEG alone is longer than 200 bytes.
                bytes.drain(2..at - 5);
            }
            "png" => {
                bytes[16..20].copy_from_slice(&65_535u32.to_be_bytes());
                bytes[20..24].copy_from_slice(&65_535u32.to_be_bytes());
            }
            _ if name == "bioware.dds" => four(&mut bytes, 0),
            _ if name == "wesys.dds" => bytes[12..16].fill(0xFF),
            _ => four(&mut bytes, 12),
        }
        bytes.resize(200, 0);
        out.push((name, bytes));
    }
    out
}

#[test]
fn giants_in_200_bytes_are_one_clear_line() {
    for (name, bytes) in giants() {
        // With the limits everyone uses, not the small ones of this file.
        let limits = Limits::default();
        let read = |bytes: &[u8]| {
            let texture = Texture::read(bytes, &limits)?;
            texture.decode_best(&limits).map(|_| ())
        };
        let trial = Trial { name, bytes: &bytes, read: &read };
        assert!(!trial.run(&bytes, &|| "a giant".into()), "{name} opens");
        let line = read(&bytes).unwrap_err().to_string();
        assert!(line.len() < 200 && !line.contains('\n'), "{name}: {line}");
    }
}

#[test]
fn sides_of_32_bits_are_refused_without_overflow() {
    for (name, bytes) in all().unwrap() {
        let at = match name.rsplit('.').next().unwrap() {
            "dds" if name == "bioware.dds" => 0,
            "blp" | "blp2" | "dds" => 12,
            _ => continue,
        };
        for side in [u32::MAX, u32::MAX - 9, 1 << 31, 1 << 30] {
            let mut bytes = bytes.clone();
            bytes[at..at + 4].copy_from_slice(&side.to_le_bytes());
            bytes[at + 4..at + 8].copy_from_slice(&side.to_le_bytes());
            let trial = Trial { name, bytes: &bytes, read: &read };
            // JPEGs know their own size, and a BLP0 has no level at all.
            let opens = trial.run(&bytes, &|| format!("{side} pixels a side"));
            assert!(!opens || name == "jpeg.blp" || name == "blp0.blp" || name == "wesys.dds", "{name}");
        }
    }
}

#[test]
fn four_gigabytes_of_zlib_are_refused() {
    let mut wesys = fixtures::wesys().unwrap().write().unwrap();
    wesys[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = Texture::read(&wesys, &Limits::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(_) | ErrorKind::Truncated { .. }), "{error}");
    let mut ftex = fixtures::ftex(Storage::OneFile).unwrap();
    ftex.mips[0].info = MipInfo { raw: u32::MAX, packed: 8, chunks: 0, ..ftex.mips[0].info };
    let lying = Ftex::read(&ftex.write().unwrap(), &Limits::default()).unwrap();
    let error = lying.decode(Level::default(), &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "0xD0 mips[0]: the limit on decoded bytes is reached");
    ftex.mips[0].info.raw = 1 << 28;
    let lying = Ftex::read(&ftex.write().unwrap(), &Limits::default()).unwrap();
    assert!(lying.decode(Level::default(), &Limits::default()).is_err());
}

#[test]
fn level_offsets_past_the_end_are_errors_or_cut_levels() {
    let mut blp = fixtures::blp(galatea_texture::encode::BlpFormat::Palette, true).unwrap().write().unwrap();
    blp[28..32].copy_from_slice(&0xFFFF_FFF0u32.to_le_bytes());
    let texture = Texture::read(&blp, &Limits::default()).unwrap();
    assert_eq!(texture.write().unwrap(), blp);
    assert_eq!(texture.check().count("TEXR0012"), 1);
    assert!(texture.decode_best(&Limits::default()).is_err());
    let mut ftex = fixtures::ftex(Storage::OneFile).unwrap().write().unwrap();
    ftex[64..68].copy_from_slice(&0xFFFF_FFF0u32.to_le_bytes());
    let error = Texture::read(&ftex, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("mips[0]"), "{error}");
}

#[test]
fn a_palette_that_is_missing_is_one_clear_line() {
    let blp = fixtures::blp(galatea_texture::encode::BlpFormat::Palette, true).unwrap().write().unwrap();
    let error = Texture::read(&blp[..300], &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "0x9C palette: 256 x 4 bytes needs 1024, have 144");
}

#[test]
fn noise_is_never_fatal() {
    let mut random = Random(99);
    for len in [0, 1, 17, 18, 20, 64, 128, 156, 400] {
        for _ in 0..200 {
            let mut bytes: Vec<u8> = (0..len).map(|_| random.next_u64() as u8).collect();
            for magic in
                [&b"DDS "[..], b"BLP0", b"BLP1", b"BLP2", b"FTEX", b"\xFF\xD8\xFF", b"\x89PNG\r\n\x1A\n", b""]
            {
                if let Some(head) = bytes.get_mut(..magic.len()) {
                    head.copy_from_slice(magic);
                }
                detect(&bytes);
                let _ = read(&bytes);
            }
            let txi = Txi::parse(&bytes);
            assert_eq!(txi.print(), bytes);
            let odd = txi.oddities().len();
            assert!(odd <= bytes.len() && txi.references().len() <= bytes.len());
            txi.flip_book();
        }
    }
}

/// A TGA of run lengths: 64 pixels for each of its bytes.
fn runs(side: u16) -> Vec<u8> {
    let mut out = vec![0, 0, 11];
    out.resize(12, 0);
    out.extend([side, side].iter().flat_map(|v| v.to_le_bytes()));
    out.extend([8, 0]);
    out.extend([0xFF, 0x80].repeat(usize::from(side) * usize::from(side) / 128));
    out
}

#[test]
fn an_image_is_bounded_by_the_length_of_its_file() {
    let large = runs(8192);
    let flat = vec![0; 8192 * 8192 / 2];
    let ftex = Ftex::new(galatea_texture::PixelFormat::Bc1, 8192, 8192, vec![flat], 0, Storage::OneFile);
    for bytes in [large, ftex.unwrap().write().unwrap()] {
        let trial = Trial {
            name: "bomb",
            bytes: &bytes,
            read: &|b| galatea_texture::decode(b, &[], &Limits::default()).map(|_| ()),
        };
        assert!(!trial.whole());
        let error = galatea_texture::decode(&bytes, &[], &Limits::default()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit("pixels")), "{error}");
    }
    let fine = runs(1024);
    assert_eq!(
        galatea_texture::decode(&fine, &[], &Limits::default()).unwrap().pixel(1023, 1023),
        Some([128, 128, 128, 255])
    );
}
