//! Textures: decoding per format, our block decoding beside `bcdec_rs` alone, and dressing a model beside the pixel work in it.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;

use galatea::disk::{Job, Loaded};
use galatea::texture::{Image, PixelFormat, Texture, decode, encode};
use galatea::textures::{Images, Textures, resolve_materials};
use galatea::{ConvertOptions, FormatId, Limits, SceneContext, TextureFile, fox};
use galatea_corpus::corpus;

use super::{fastest, files, time};

/// The share of `bcdec_rs`'s speed that our decoding of BC1 must reach.
const BLOCKS: f64 = 0.8;
/// Converting a model may cost so many times the decoding and PNG encoding in it.
const SETS: f64 = 2.0;

pub(super) fn run() {
    formats();
    blocks();
    sets();
}

/// Returns the fastest of a few calls.
fn best(calls: u32, mut body: impl FnMut()) -> f64 {
    (0..calls).map(|_| time(1, &mut body)).fold(f64::MAX, f64::min)
}

fn texture(loaded: &Loaded) -> Option<Texture> {
    let document = galatea::open(&loaded.input(), &Limits::default()).ok()?;
    document.as_any().downcast_ref::<TextureFile>().map(|file| file.texture.clone())
}

/// Millions of pixels per second, over all files of the corpus that are stored in one way.
fn formats() {
    let limits = Limits::default();
    let mut sums: BTreeMap<String, (usize, f64, f64)> = BTreeMap::new();
    for loaded in files::all("textures", &[".tpc", ".blp", ".dds", ".ftex", ".tga"]) {
        let Some(texture) = texture(&loaded) else { continue };
        let Ok(image) = texture.decode_best(&limits) else { continue };
        let shape = texture.shape();
        let pixels = shape.pixels.split(',').next().unwrap_or_default();
        let sum = sums.entry(format!("{} {pixels}", texture.kind().name())).or_default();
        sum.0 += 1;
        sum.1 += f64::from(image.width) * f64::from(image.height) / 1e6;
        sum.2 += best(5, || drop(black_box(texture.decode_best(&limits))));
    }
    for (name, (files, pixels, seconds)) in sums {
        println!("{name}, {files} files, {pixels:.1} Mpx: decoded at {:.0} Mpx/s", pixels / seconds);
    }
}

/// Our block decoding beside a bare loop over `bcdec_rs`, taking turns.
fn blocks() {
    const SIDE: u32 = 1024;
    let (format, limits) = (PixelFormat::Bc1, Limits::default());
    let bytes: Vec<u8> =
        (0..format.size(SIDE, SIDE)).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) as u8).collect();
    let side = SIDE as usize;
    let [ours, bare] = fastest([
        &mut || drop(black_box(format.decode(black_box(&bytes), SIDE, SIDE, &limits))),
        &mut || {
            let mut out = vec![0u8; side * side * 4];
            for (i, block) in black_box(&bytes).chunks_exact(8).enumerate() {
                let (x, y) = (i % (side / 4), i / (side / 4));
                if let Some(to) = out.get_mut(y * 16 * side + x * 16..) {
                    bcdec_rs::bc1(block, to, side * 4);
                }
            }
            black_box(out);
        },
    ]);
    let (mpx, ratio) = (f64::from(SIDE) * f64::from(SIDE) / 1e6, bare / ours);
    println!(
        "BC1, {SIDE} x {SIDE}: {:.0} Mpx/s, bcdec_rs alone {:.0} Mpx/s = {ratio:.2} x (must {BLOCKS}: {})",
        mpx / ours,
        mpx / bare,
        if ratio >= BLOCKS { "ok" } else { "BELOW" }
    );
}

/// Models of the sets to GLB with their textures, from bytes to bytes, beside decoding the textures and encoding the images.
fn sets() {
    let Some(dir) = corpus("sets") else { return };
    let names = fox::Dictionary::built_in();
    let (mut whole, mut parts, mut models, mut pixels) = (0.0, 0.0, 0usize, 0.0);
    for path in galatea_corpus::files(&dir, &[".mdl", ".mdx", ".fmdl"]) {
        let job = Job::new(path.clone());
        let Ok(loaded) = galatea::disk::load(&job) else { continue };
        let Some((seconds, images)) = convert(&loaded, &path, &names) else { continue };
        models += 1;
        whole += seconds;
        for image in &images {
            pixels += f64::from(image.width) * f64::from(image.height) / 1e6;
            parts += best(5, || drop(black_box(encode::png(image))));
        }
        let beside =
            path.parent().map(|d| galatea_corpus::files(d, &[".tpc", ".blp", ".dds", ".ftex", ".tga"]));
        for file in beside.into_iter().flatten() {
            let job = Job::new(file);
            let Some(texture) = galatea::disk::load(&job).ok().and_then(|l| texture(&l)) else { continue };
            parts += best(5, || drop(black_box(texture.decode_best(&Limits::default()))));
        }
    }
    let ratio = whole / parts;
    println!(
        "sets, {models} models, {pixels:.1} Mpx of images: to GLB {:.0} ms, decoding and PNG alone {:.0} ms = {ratio:.2} x \
         (at most {SETS}: {})",
        whole * 1e3,
        parts * 1e3,
        if ratio <= SETS { "ok" } else { "ABOVE" }
    );
}

/// Seconds for one conversion with all textures, and the images that it writes.
fn convert(loaded: &Loaded, path: &Path, names: &fox::Dictionary) -> Option<(f64, Vec<Image>)> {
    let limits = Limits::default();
    let document = galatea::open(&loaded.input(), &limits).ok()?;
    let game = document.format().game?;
    let context = SceneContext::new("model").with_names(names);
    let scene = document.to_scene(&context)?;
    let seconds = best(5, || {
        // Nothing is kept from run to run: files are read and decoded each time.
        let textures = Textures::new(game, path.parent(), None);
        let context = context.with_textures(&textures);
        if let Ok(document) = galatea::open(&loaded.input(), &limits) {
            let _ = black_box(galatea::convert(
                document.as_ref(),
                FormatId::Glb,
                &ConvertOptions::default(),
                &context,
            ));
        }
    });
    let textures = Textures::new(game, path.parent(), None);
    let write = |options: &galatea::gltf::Options<'_>| galatea::gltf::write_glb(&scene, options);
    let (_, files) = resolve_materials(&scene, &textures, 0).with_options(Images::Beside, write);
    let images = files.iter().filter_map(|(_, bytes)| decode(bytes, &[], &limits).ok());
    Some((seconds, images.collect()))
}
