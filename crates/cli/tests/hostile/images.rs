//! Images that are far larger than their files, in models and on their own.

use galatea::mdlx::{Layer, Material, Model, Texture, Version};
use galatea::texture::dds::Dds;
use galatea::texture::ftex::{Ftex, Storage};
use galatea::texture::wesys::Wesys;
use galatea::texture::{Image, PixelFormat, encode};
use galatea::wire::{Text, Wire};

use super::{Case, Outcome, case, gltf};

/// Pixels on a side: as many as the limits allow at all.
const SIDE: u16 = 8192;

/// A TGA of run lengths.
fn tga() -> Vec<u8> {
    let mut out = vec![0, 0, 11];
    out.resize(12, 0);
    out.extend([SIDE, SIDE].iter().flat_map(|v| v.to_le_bytes()));
    out.extend([8, 0]);
    out.extend([0xFF, 0x80].repeat(usize::from(SIDE) * usize::from(SIDE) / 128));
    out
}

fn png() -> Vec<u8> {
    encode::png(&Image::filled(SIDE.into(), SIDE.into(), [0; 4])).unwrap()
}

fn ftex() -> Vec<u8> {
    let level = vec![0; usize::from(SIDE) * usize::from(SIDE) / 2];
    Ftex::new(PixelFormat::Bc1, SIDE, SIDE, vec![level], 0, Storage::OneFile).unwrap().write().unwrap()
}

fn wesys() -> Vec<u8> {
    let level = vec![0; usize::from(SIDE) * usize::from(SIDE) * 4];
    let dds = Dds::new(PixelFormat::Bgra8, SIDE.into(), SIDE.into(), vec![level]).unwrap();
    Wesys::wrap(dds).unwrap().write().unwrap()
}

/// A TGA whose palette begins beyond its end.
fn wild_palette() -> Vec<u8> {
    let mut out = vec![0, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 32];
    out.extend([0; 4]);
    out.extend([4u16, 4].iter().flat_map(|v| v.to_le_bytes()));
    out.extend([8, 0]);
    out.extend([0; 4096]);
    out
}

/// A model that names these files as its textures.
fn model(names: &[String]) -> Vec<u8> {
    let mut model = Model::new(Version(800));
    for name in names {
        let path = Text::new(name.as_bytes()).unwrap();
        let layer = Layer { texture_id: model.textures.len() as i32, ..Layer::default() };
        model.materials.push(Material { layers: vec![layer], ..Material::default() });
        model.textures.push(Texture { path, ..Texture::ZERO });
    }
    model.write().unwrap()
}

/// A PNG stays the PNG it is; anything else has to be decoded for one.
fn refused(ending: &str) -> Outcome {
    match ending {
        "png" => Outcome::Done,
        "dds" => Outcome::Refused("the limit on decoded bytes"),
        _ => Outcome::Refused("the limit on pixels"),
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let kinds = [("png", png()), ("tga", tga()), ("ftex", ftex()), ("dds", wesys())];
    let mut out = Vec::new();
    for (ending, bytes) in &kinds {
        let file = format!("bomb.{ending}");
        let name = match *ending {
            "dds" => "a WESYS of 8192 x 8192 black pixels",
            "png" => "a PNG of 8192 x 8192 black pixels",
            "tga" => "a TGA of 8192 x 8192 black pixels",
            _ => "an FTEX of 8192 x 8192 black pixels",
        };
        out.push(
            case(name)
                .file(&file, bytes.clone())
                .run(&["info", &file], Outcome::Either)
                .run(&["check", &file], Outcome::Either)
                .run(&["convert", &file, "out.bmp.png", "--force"], refused(ending)),
        );
    }
    let eight: Vec<&[u8]> = kinds.iter().chain(&kinds).map(|(_, bytes)| bytes.as_slice()).collect();
    out.push(
        case("a GLB with eight such images")
            .file("a.glb", gltf::textured(&eight))
            .run(&["info", "a.glb"], Outcome::Done)
            .run(&["render", "a.glb", "-o", "a.png"], Outcome::Done)
            .run(&["convert", "a.glb", "a.mdx"], Outcome::Done),
    );
    let sixteen = encode::png(&Image::filled(2048, 2048, [9; 4])).unwrap();
    let many: Vec<&[u8]> = vec![&sixteen; 40];
    out.push(
        case("a GLB with forty images of 2048 x 2048 pixels")
            .file("a.glb", gltf::textured(&many))
            .run(&["render", "a.glb", "-o", "a.png"], Outcome::Done),
    );
    let names: Vec<String> =
        (0..40).map(|i| format!("t{i}.{}", if i % 2 == 0 { "png" } else { "tga" })).collect();
    let mut folder = case("a model with forty such textures").file("a.mdx", model(&names));
    for (i, name) in names.iter().enumerate() {
        let bytes = if i < 4 { &kinds[i % 2].1 } else { &sixteen };
        folder = folder.file(name, bytes.clone());
    }
    out.push(
        folder
            .run(&["textures", "a.mdx", "--all"], Outcome::Either)
            .run(&["render", "a.mdx", "-o", "a.png"], Outcome::Done)
            .run(&["convert", "a.mdx", "a.glb"], Outcome::Done),
    );
    out.push(
        case("a TGA whose palette is elsewhere")
            .file("a.tga", wild_palette())
            .run(&["convert", "a.tga", "a.png"], Outcome::Either),
    );
    out
}
