//! Each rule has a texture that breaks it. What `fix` does about it is in `fix.rs`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use std::sync::Arc;

use fixtures::image;
use galatea_texture::blp::{Blp, Blp2Head, BlpHead, Head};
use galatea_texture::dds::{Dds, Dx10};
use galatea_texture::encode::{self, BlpFormat, DdsFormat, TpcFormat, TpcOptions};
use galatea_texture::ftex::{Ftex, Pixels, Storage};
use galatea_texture::tpc::Tpc;
use galatea_texture::{PixelFormat, RULES, Texture};
use galatea_wire::{Limits, Wire};

fn tpc(change: fn(&mut Tpc)) -> Texture {
    let mut tpc = fixtures::tpc(TpcFormat::Bc3, b"mipmap 1\r\n").unwrap();
    change(&mut tpc);
    Texture::Tpc(tpc)
}

/// Through bytes, so that the layout is known.
fn blp(format: BlpFormat, change: fn(&mut Blp), bytes: fn(&mut Vec<u8>)) -> Texture {
    let mut blp = fixtures::blp(format, true).unwrap();
    change(&mut blp);
    let mut written = blp.write().unwrap();
    bytes(&mut written);
    Texture::read(&written, &Limits::default()).unwrap()
}

fn old(blp: &mut Blp) -> &mut BlpHead {
    match &mut blp.head {
        Head::Old(head) => head,
        Head::New(_) => panic!("not a BLP1"),
    }
}

fn jpeg(change: fn(&mut Blp)) -> Texture {
    blp(BlpFormat::Jpeg(90), change, |_| {})
}

fn palette(change: fn(&mut Blp)) -> Texture {
    blp(BlpFormat::Palette, change, |_| {})
}

fn dds(change: fn(&mut Dds)) -> Texture {
    let mut dds = fixtures::dds(DdsFormat::Bc3).unwrap();
    change(&mut dds);
    Texture::read(&dds.write().unwrap(), &Limits::default()).unwrap()
}

fn ftex(change: fn(&mut Ftex)) -> Texture {
    let mut ftex = fixtures::ftex(Storage::OneFile).unwrap();
    change(&mut ftex);
    Texture::Ftex(ftex)
}

/// One broken texture per rule.
fn broken(code: &str) -> Texture {
    let nothing = |_: &mut Blp| {};
    match code {
        "TEXR0001" => {
            let options = TpcOptions::default().with_format(TpcFormat::Rgba);
            Texture::Tpc(encode::tpc(&image(12, 8, true), &options).unwrap())
        }
        "TEXR0002" => Texture::Dds(encode::dds(&image(10, 8, true), DdsFormat::Bc3, true).unwrap()),
        "TEXR0003" => {
            Texture::Dds(Dds::new(PixelFormat::Bc1, 32, 32, vec![vec![0; 512], vec![0; 128]]).unwrap())
        }
        "TEXR0004" => Texture::Dds(encode::dds(&image(8, 8, true), DdsFormat::Bc3, false).unwrap()),
        "TEXR0005" => tpc(|t| t.head.size = 77),
        "TEXR0006" => tpc(|t| t.head.alpha_mean = f32::NAN),
        "TEXR0007" => tpc(|t| t.head.unused[50] = 1),
        "TEXR0008" => tpc(|t| t.txi = galatea_texture::Txi::parse(b"\0\x01\x02 rubbish")),
        "TEXR0009" => tpc(|t| t.txi.set("mipmpa", "1")),
        "TEXR0010" => tpc(|t| t.txi.set("blending", "")),
        "TEXR0011" => tpc(|t| t.txi.set("cube", "1")),
        "TEXR0012" => blp(BlpFormat::Palette, nothing, |b| b.truncate(b.len() - 1)),
        "TEXR0013" => palette(|b| b.mips.push(Arc::from([0, 0]))),
        "TEXR0014" => jpeg(|b| {
            // An Adobe marker right behind the start of the image.
            let adobe = [&[0xFF, 0xEE, 0, 14][..], b"Adobe\0\0\0\0\0\0\0"].concat();
            b.jpeg_header.splice(2..2, adobe);
        }),
        "TEXR0015" => jpeg(|b| old(b).width = 16),
        "TEXR0016" => palette(|b| b.mips[1] = b.mips[0].clone()),
        "TEXR0017" => palette(|b| old(b).has_mips = 0xCDCD),
        "TEXR0018" => jpeg(|b| old(b).alpha_bits = 5),
        "TEXR0019" => palette(|b| b.mips[1] = Arc::from([1, 2, 3])),
        "TEXR0020" => jpeg(|b| {
            let comment = [&[0xFF, 0xFE, 1, 2][..], &[b' '; 256]].concat();
            b.jpeg_header.splice(2..2, comment);
        }),
        "TEXR0021" => dds(|d| drop(d.levels.pop())),
        "TEXR0022" => dds(|d| d.tail = vec![1]),
        "TEXR0023" => dds(|d| d.head.size = 0),
        "TEXR0024" => dds(|d| d.head.flags &= !0x2_0000),
        "TEXR0025" => dds(|d| {
            d.head.four_cc = *b"DX10";
            d.dx10 = Some(Dx10 { format: 77, dimension: 3, misc: 0, layers: 0, alpha_mode: 0 });
        }),
        "TEXR0026" => ftex(|f| match &mut f.mips[0].pixels {
            Pixels::Chunks(chunks) => drop(chunks.pop()),
            _ => panic!("no chunks"),
        }),
        "TEXR0027" => ftex(|f| {
            for mip in &mut f.mips {
                if let Pixels::Chunks(chunks) = &mut mip.pixels {
                    chunks.iter_mut().for_each(|c| c.info.offset.0 &= 0x7FFF_FFFF);
                }
            }
        }),
        "TEXR0028" => ftex(|f| f.head.parts = 3),
        "TEXR0029" => {
            let ftex = fixtures::ftex(Storage::Parts(2)).unwrap();
            Texture::read(&ftex.write().unwrap(), &Limits::default()).unwrap()
        }
        "TEXR0030" => ftex(|f| f.head.kind |= 1 << 24),
        "TEXR0031" => {
            let mut tga = encode::tga(&image(4, 4, true)).unwrap();
            tga[2] = 3;
            tga[16] = 8;
            Texture::read(&tga, &Limits::default()).unwrap()
        }
        _ => panic!("{code} has no fixture"),
    }
}

#[test]
fn every_rule_is_broken_by_its_fixture() {
    for rule in RULES {
        let mut texture = broken(rule.code);
        let report = texture.check();
        assert!(report.count(rule.code) > 0, "{} does not find {:?}", rule.code, report);
        assert!(report.findings().iter().all(|f| !f.path.is_empty() && !f.message.is_empty()));
        if !rule.fix {
            assert!(texture.fix(&|r| r.code == rule.code).is_empty(), "{}", rule.code);
        }
    }
}

#[test]
fn codes_are_in_order_and_texts_are_there() {
    assert!(RULES.len() >= 15);
    for (i, rule) in RULES.iter().enumerate() {
        assert_eq!(rule.code, format!("TEXR{:04}", i + 1));
        assert!(rule.help.len() > 30 && rule.title.len() > 10, "{}", rule.code);
    }
}

#[test]
fn sound_textures_break_no_rule() {
    let quiet = ["TEXR0001", "TEXR0004", "TEXR0029", "TEXR0031"];
    for (name, bytes) in fixtures::all().unwrap() {
        let report = Texture::read(&bytes, &Limits::default()).unwrap().check();
        let loud: Vec<_> = report.findings().iter().filter(|f| !quiet.contains(&f.rule.code)).collect();
        // The flip-book and the cubes of the fixtures hold blocks, not images; they are sound all the same.
        assert!(loud.is_empty(), "{name}: {loud:?}");
    }
}

#[test]
fn an_unwanted_rule_is_left_alone() {
    let mut texture = broken("TEXR0005");
    assert!(texture.fix(&|_| false).is_empty());
    assert_eq!(texture.check().count("TEXR0005"), 1);
}

#[test]
fn blp2_levels_are_measured_too() {
    let head = Blp2Head {
        magic: *b"BLP2",
        content: 1,
        encoding: 2,
        alpha_bits: 8,
        alpha_type: 7,
        width: 8,
        height: 8,
        ..Blp2Head::ZERO
    };
    let blp = Blp::paletted(Head::New(head), vec![[0; 4]; 256], vec![vec![0; 63]]);
    assert_eq!(blp.check().count("TEXR0019"), 1);
}
