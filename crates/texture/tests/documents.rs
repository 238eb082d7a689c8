//! What every kind of texture says about itself, and which pixel formats its header can name.
#![cfg(test)]

mod fixtures;

use galatea_texture::dds::{Dds, Dx10};
use galatea_texture::encode::{self, BlpFormat, DdsFormat, TpcFormat, TpcOptions};
use galatea_texture::ftex::{Ftex, FtexHead, Storage};
use galatea_texture::tpc::{Tpc, TpcHead};
use galatea_texture::{Image, Level, PixelFormat, Texture, ftex};
use galatea_wire::{Limits, Wire};

fn limits() -> Limits {
    Limits::default()
}

fn open(name: &str) -> Texture {
    let (_, bytes) = fixtures::all().unwrap().into_iter().find(|(n, _)| *n == name).unwrap();
    Texture::read(&bytes, &limits()).unwrap()
}

#[test]
fn every_kind_has_a_name_and_a_line() {
    for (name, kind, line) in [
        ("dxt5.tpc", "tpc", "DXT5 8x4, 4 mips"),
        ("cube.tpc", "tpc", "DXT5 4x4 cube, 3 mips"),
        ("bioware.dds", "bioware-dds", "DXT1 8x4, 4 mips"),
        ("palette.blp", "blp", "BLP1 palette, 8-bit alpha 8x4, 4 mips"),
        ("dxt.blp2", "blp", "BLP2 DXT5 8x4, 1 mip"),
        ("cubes.dds", "dds", "DXT1 4x4 cube x2, 3 mips"),
        ("one.ftex", "ftex", "2.03 DXT5 16x16, 3 mips"),
        ("wesys.dds", "wesys-dds", "WESYS DXT1 8x8, 4 mips"),
        ("image.png", "png", "9x5, 1 mip"),
        ("image.tga", "tga", "9x5, 1 mip"),
        ("image.jpg", "jpeg", "8x4, 1 mip"),
    ] {
        let texture = open(name);
        assert_eq!(texture.kind().name(), kind, "{name}");
        let version = texture.summary().version;
        assert!(version.ends_with(line), "{name}: {version}");
    }
    let shape = open("bc1.dds").shape();
    assert_eq!([shape.level(1), shape.level(9)], [(4, 4), (1, 1)]);
}

#[test]
fn textures_are_compared_with_their_own_kind() {
    let all: Vec<Texture> =
        fixtures::all().unwrap().iter().map(|(_, bytes)| Texture::read(bytes, &limits()).unwrap()).collect();
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            assert_eq!(a.differences(b).is_empty(), i == j, "{i} {j}: {:?}", a.differences(b));
        }
    }
    let lines = open("dxt5.tpc").differences(&open("image.png"));
    assert!(
        lines[0].starts_with("format") && lines[0].contains("tpc") && lines[0].contains("png"),
        "{lines:?}"
    );
}

/// Whether a difference names this.
fn names(lines: &[String], what: &str) -> bool {
    lines.iter().any(|line| line.starts_with(what))
}

#[test]
fn a_difference_names_the_field_or_the_level() {
    let dds = fixtures::dds(DdsFormat::Bc3).unwrap();
    let mut other = dds.clone();
    other.head.depth = 7;
    other.head.pitch = 99;
    other.levels[1][3] ^= 1;
    other.tail = vec![1];
    let lines = dds.differences(&other);
    assert!(names(&lines, "depth") && names(&lines, "levels[1]") && names(&lines, "tail"), "{lines:?}");
    assert_eq!(lines.len(), 3, "the pitch follows from the rest: {lines:?}");
    other.dx10 = Some(Dx10 { format: 77, dimension: 3, misc: 0, layers: 1, alpha_mode: 0 });
    assert!(names(&dds.differences(&other), "dx10"));

    let parts = fixtures::ftex(Storage::Parts(2)).unwrap();
    let mut other = parts.clone();
    other.mips[0].info.part ^= 3;
    other.mips.pop();
    let lines = parts.differences(&other);
    assert!(names(&lines, "mips: ") && names(&lines, "mips[0] > part"), "{lines:?}");

    let wesys = fixtures::wesys().unwrap();
    let mut other = wesys.clone();
    other.head.flags = [9, 9, 9];
    assert!(names(&wesys.differences(&other), "flags"));
}

#[test]
fn a_changed_texture_is_wrapped_again() {
    let mut wesys = fixtures::wesys().unwrap();
    wesys.head.flags = [1, 2, 3];
    wesys.inner.levels[0][0] ^= 0xFF;
    let bytes = wesys.write().unwrap();
    let Texture::Wesys(back) = Texture::read(&bytes, &limits()).unwrap() else { panic!("not a WESYS") };
    assert_eq!((back.inner, back.head.flags), (wesys.inner, [1, 2, 3]));
}

#[test]
fn dxgi_formats_have_the_numbers_of_direct3d() {
    use PixelFormat::*;
    let masked = |bytes, masks| Masked { bytes, masks, grey: false };
    let mut dds = Dds::new(Bc1, 4, 4, vec![vec![0; 8]]).unwrap();
    for (number, format) in [
        (2, Some(F32 { channels: 4 })),
        (6, Some(F32 { channels: 3 })),
        (10, Some(F16 { channels: 4 })),
        (11, Some(U16 { channels: 4 })),
        (16, Some(F32 { channels: 2 })),
        (24, Some(masked(4, [0x3FF, 0xF_FC00, 0x3FF0_0000, 0xC000_0000]))),
        (26, Some(R11G11B10F)),
        (28, Some(Rgba8)),
        (34, Some(F16 { channels: 2 })),
        (35, Some(U16 { channels: 2 })),
        (41, Some(F32 { channels: 1 })),
        (49, Some(masked(2, [0xFF, 0xFF00, 0, 0]))),
        (54, Some(F16 { channels: 1 })),
        (56, Some(U16 { channels: 1 })),
        (61, Some(Grey8)),
        (65, Some(masked(1, [0, 0, 0, 0xFF]))),
        (71, Some(Bc1)),
        (74, Some(Bc2)),
        (77, Some(Bc3)),
        (80, Some(Bc4 { signed: false })),
        (81, Some(Bc4 { signed: true })),
        (83, Some(Bc5 { signed: false })),
        (84, Some(Bc5 { signed: true })),
        (85, Some(masked(2, [0xF800, 0x07E0, 0x001F, 0]))),
        (86, Some(masked(2, [0x7C00, 0x03E0, 0x001F, 0x8000]))),
        (87, Some(Bgra8)),
        (88, Some(masked(4, [0xFF_0000, 0xFF00, 0xFF, 0]))),
        (95, Some(Bc6h { signed: false })),
        (96, Some(Bc6h { signed: true })),
        (98, Some(Bc7)),
        (115, Some(masked(2, [0x0F00, 0x00F0, 0x000F, 0xF000]))),
        (1, None),
    ] {
        dds.dx10 = Some(Dx10 { format: number, dimension: 3, misc: 0, layers: 1, alpha_mode: 0 });
        assert_eq!(dds.pixel_format(), format, "{number}");
    }
}

#[test]
fn older_headers_name_formats_by_code_number_or_masks() {
    use PixelFormat::*;
    let mut dds = Dds::new(Bc1, 4, 4, vec![vec![0; 8]]).unwrap();
    for (code, format) in [
        (*b"DXT2", Some(Bc2)),
        (*b"DXT4", Some(Bc3)),
        (*b"BC4U", Some(Bc4 { signed: false })),
        (*b"BC4S", Some(Bc4 { signed: true })),
        (*b"BC5S", Some(Bc5 { signed: true })),
        (36u32.to_le_bytes(), Some(U16 { channels: 4 })),
        (111u32.to_le_bytes(), Some(F16 { channels: 1 })),
        (112u32.to_le_bytes(), Some(F16 { channels: 2 })),
        (113u32.to_le_bytes(), Some(F16 { channels: 4 })),
        (114u32.to_le_bytes(), Some(F32 { channels: 1 })),
        (115u32.to_le_bytes(), Some(F32 { channels: 2 })),
        (116u32.to_le_bytes(), Some(F32 { channels: 4 })),
        (117u32.to_le_bytes(), None),
    ] {
        dds.head.four_cc = code;
        assert_eq!(dds.pixel_format(), format, "{code:?}");
    }
    // Flags: 0x40 colours, 0x1 with alpha, 0x2 alpha alone, 0x20000 grey.
    for (flags, bits, masks, format) in [
        (0x40, 24, [0xFF, 0xFF00, 0xFF_0000, 0], Some(Rgb8)),
        (
            0x40,
            16,
            [0xF800, 0x7E0, 0x1F, 7],
            Some(Masked { bytes: 2, masks: [0xF800, 0x7E0, 0x1F, 0], grey: false }),
        ),
        (
            0x41,
            16,
            [0x7C00, 0x3E0, 0x1F, 0x8000],
            Some(Masked { bytes: 2, masks: [0x7C00, 0x3E0, 0x1F, 0x8000], grey: false }),
        ),
        (0x2, 8, [0, 0, 0, 0xFF], Some(Masked { bytes: 1, masks: [0, 0, 0, 0xFF], grey: false })),
        (
            0x2_0001,
            16,
            [0xFF, 0, 0, 0xFF00],
            Some(Masked { bytes: 2, masks: [0xFF, 0, 0, 0xFF00], grey: true }),
        ),
        (0x40, 12, [0xF, 0, 0, 0], None),
        (0x200, 16, [0; 4], None),
    ] {
        (dds.head.format_flags, dds.head.bits) = (flags, bits);
        [dds.head.red, dds.head.green, dds.head.blue, dds.head.alpha] = masks;
        assert_eq!(dds.pixel_format(), format, "{flags:#x} {bits}");
    }
    let error = Dds::read(&dds.write().unwrap(), &limits()).unwrap_err();
    assert!(error.to_string().contains("16 bits, flags 0x200"), "{error}");
    let error = Dds::new(R11G11B10F, 1, 1, vec![vec![0; 4]]).unwrap_err();
    assert!(error.to_string().contains("R11G11B10F"), "{error}");
}

#[test]
fn ftex_formats_have_the_numbers_of_the_engine() {
    use PixelFormat::*;
    let formats = [
        (0, Bgra8),
        (1, Grey8),
        (2, Bc1),
        (3, Bc2),
        (4, Bc3),
        (8, Bc4 { signed: false }),
        (9, Bc5 { signed: false }),
        (11, Bc7),
    ];
    for (number, format) in formats {
        let level = vec![0; format.size(4, 4) as usize];
        let ftex = Ftex::new(format, 4, 4, vec![level], 0, Storage::OneFile).unwrap();
        assert_eq!((ftex.head.pixel_format, ftex.head.format()), (number, Some(format)));
        // The game writes 2.04 with the formats that it added.
        assert_eq!(ftex.head.version, if number > 4 { 2.04 } else { 2.03 });
    }
    let read_only = [
        (10, Some(Bc6h { signed: false })),
        (12, Some(F16 { channels: 4 })),
        (13, Some(F32 { channels: 4 })),
        (15, Some(R11G11B10F)),
        (5, None),
    ];
    for (number, format) in read_only {
        assert_eq!(FtexHead { pixel_format: number, ..FtexHead::ZERO }.format(), format);
    }
    let new = |format, levels, kind| Ftex::new(format, 4, 4, levels, kind, Storage::OneFile).map(|f| f.head);
    assert!(new(R11G11B10F, vec![vec![0; 64]], 0).is_err());
    assert!(new(Bc1, vec![], 0).is_err() && new(Bc1, vec![vec![0; 8]; 5], 4).is_err());
    assert!(new(Bc1, vec![vec![0; 7]], 0).is_err());
    // Bits of the kind: 1 sRGB, 2 cube, 3 normal map.
    let head = new(Bc1, vec![vec![0; 8]; 6], 0b0110).unwrap();
    assert_eq!((head.faces(), head.is_srgb(), head.is_normal_map()), (6, true, false));
    let head = new(Bc1, vec![vec![0; 8]], 0b1000).unwrap();
    assert_eq!((head.faces(), head.is_srgb(), head.is_normal_map()), (1, false, true));
}

#[test]
fn a_part_of_an_ftex_is_inspected_with_its_head() {
    let whole = fixtures::ftex(Storage::Parts(2)).unwrap();
    let (coverage, error) = ftex::inspect(&whole.write().unwrap(), &limits());
    assert!(error.is_none() && !coverage.claims().is_empty());
    let bytes = whole.write_part(2).unwrap();
    let (coverage, error) = ftex::inspect_part(&whole, 2, &bytes, &limits());
    assert!(error.is_none(), "{error:?}");
    assert!(!coverage.claims().is_empty());
    let (_, error) = ftex::inspect_part(&whole, 2, &bytes[..bytes.len() / 2], &limits());
    assert!(error.is_some_and(|e| e.offset().is_some()));
}

#[test]
fn cube_faces_of_kotor_are_swapped_and_turned() {
    let head = TpcHead { alpha_mean: 1.0, width: 2, height: 12, encoding: 4, mips: 1, ..TpcHead::default() };
    // The pixels of a face are its number and 0 to 3.
    let face = |n: u8| (0..4).flat_map(|i| [n, i, 0, 255]).collect::<Vec<u8>>();
    let tpc = Tpc::new(head, (0..6).map(face).collect(), b"cube 1\r\n");
    let corners = |image: Image| image.pixels().map(|[n, i, ..]| (n, i)).collect::<Vec<_>>();
    // Rows are stored from the bottom.
    let stored = corners(tpc.decode(Level { face: 2, ..Level::default() }, &limits()).unwrap());
    assert_eq!(stored, [(2, 2), (2, 3), (2, 0), (2, 1)]);
    let turned = |face| corners(tpc.decode_cube_face(face, &limits()).unwrap());
    for (face, stored) in [(0, 1), (1, 0), (2, 2), (3, 3), (4, 4), (5, 5)] {
        assert!(turned(face).iter().all(|(n, _)| *n == stored), "{face}");
    }
    let order = |face| turned(face).iter().map(|(_, i)| *i).collect::<Vec<_>>();
    assert_eq!([order(2), order(5)], [[2, 3, 0, 1], [2, 3, 0, 1]], "not turned");
    assert_eq!([order(3), order(4)], [[1, 0, 3, 2], [1, 0, 3, 2]], "half a turn");
    assert_eq!(order(0), [0, 2, 1, 3], "a quarter clockwise");
    assert_eq!(order(1), [3, 1, 2, 0], "a quarter the other way");
}

#[test]
fn formats_are_chosen_by_alpha() {
    let (clear, opaque) = (fixtures::image(8, 4, true), fixtures::image(8, 4, false));
    let tpc = |image, format| {
        encode::tpc(image, &TpcOptions::default().with_format(format)).unwrap().shape().pixels
    };
    assert_eq!((tpc(&clear, TpcFormat::Auto), tpc(&opaque, TpcFormat::Auto)), ("DXT5".into(), "DXT1".into()));
    assert_eq!(tpc(&opaque, TpcFormat::Rgb), "RGB");
    let dds = |image| encode::dds(image, DdsFormat::Auto, false).unwrap().pixel_format();
    assert_eq!((dds(&clear), dds(&opaque)), (Some(PixelFormat::Bc3), Some(PixelFormat::Bc1)));
    let blp = encode::blp(&opaque, BlpFormat::default(), false).unwrap();
    assert!(blp.jpeg_of(0).is_some());
    let tall = Image::filled(1, 1 << 16, [0; 4]);
    assert!(encode::blp(&tall, BlpFormat::Palette, true).is_err(), "17 levels");
    assert!(encode::tpc(&tall, &TpcOptions::default()).is_err(), "a side of 17 bits");
}

#[test]
fn a_bioware_dds_says_what_is_wrong() {
    let error = |change: fn(&mut galatea_texture::bioware::BiowareHead)| {
        let mut dds = fixtures::bioware();
        change(&mut dds.head);
        galatea_texture::bioware::BiowareDds::read(&dds.write().unwrap(), &limits()).unwrap_err().to_string()
    };
    assert_eq!(error(|head| head.channels = 5), "0x8 channels: expected 3 or 4, found 5");
    assert_eq!(error(|head| head.width = 0), "0x0 width: expected at least one pixel, found none");
    let beyond = Level { mip: 9, ..Level::default() };
    assert!(fixtures::bioware().decode(beyond, &limits()).is_err());
}
