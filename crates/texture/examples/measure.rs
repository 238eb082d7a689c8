//! Measures decoding, reading and writing: `measure CORPUS`. Prints a table; run it with `--release`.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use galatea_texture::encode;
use galatea_texture::{Part, PixelFormat, Texture};
use galatea_trial::files;
use galatea_wire::Limits;

/// The shortest of several runs.
fn best<T>(mut run: impl FnMut() -> T) -> Duration {
    let once = |run: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    let mut least = once(&mut run);
    let until = Instant::now() + Duration::from_millis(60);
    while Instant::now() < until {
        least = least.min(once(&mut run));
    }
    least
}

fn parts(path: &Path) -> Vec<(u8, Vec<u8>)> {
    let stem = path.with_extension("");
    let name = |ending: String| PathBuf::from(format!("{}{ending}", stem.display()));
    let parts = (1..=9).map(|n| (n, name(format!(".{n}.ftexs"))));
    parts.filter_map(|(n, path)| Some((n, std::fs::read(path).ok()?))).collect()
}

#[derive(Default)]
struct Sum {
    files: usize,
    pixels: f64,
    decode: Duration,
    bytes: f64,
    copy: Duration,
    read: Duration,
    write: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = PathBuf::from(std::env::args().nth(1).ok_or("usage: measure CORPUS")?);
    let limits = Limits::default();
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for path in files(&corpus.join("textures"), &[".tpc", ".blp", ".dds", ".ftex", ".tga"]) {
        let bytes = std::fs::read(&path)?;
        let beside = parts(&path);
        let parts: Vec<Part<'_>> =
            beside.iter().map(|(number, bytes)| Part { number: *number, bytes }).collect();
        let Ok(texture) = Texture::read_with(&bytes, &parts, &limits) else { continue };
        let Ok(image) = texture.decode_best(&limits) else { continue };
        let shape = texture.shape();
        let pixels = shape.pixels.split(',').next().unwrap_or_default().to_owned();
        let sum = sums.entry(format!("{} {pixels}", texture.kind().name())).or_default();
        sum.files += 1;
        sum.pixels += f64::from(image.width) * f64::from(image.height);
        sum.decode += best(|| texture.decode_best(&limits));
        sum.bytes += bytes.len() as f64;
        sum.copy += best(|| bytes.clone());
        sum.read += best(|| Texture::read(&bytes, &limits));
        sum.write += best(|| texture.write());
    }
    println!(
        "{:28} {:>5} {:>9} {:>9} {:>12} {:>12}",
        "format", "files", "Mpx", "Mpx/s", "read/memcpy", "write/memcpy"
    );
    for (name, s) in &sums {
        let ratio = |d: Duration| s.copy.as_secs_f64() / d.as_secs_f64();
        let mpx = s.pixels / 1e6;
        println!(
            "{name:28} {:>5} {mpx:>9.2} {:>9.0} {:>12.2} {:>12.2}",
            s.files,
            mpx / s.decode.as_secs_f64(),
            ratio(s.read),
            ratio(s.write)
        );
    }
    against_bcdec();
    sets(&corpus.join("sets"), &limits)
}

/// Our block decoding beside a bare loop over `bcdec_rs`.
fn against_bcdec() {
    const SIDE: u32 = 1024;
    type Decode = fn(&[u8], &mut [u8], usize);
    let formats: [(PixelFormat, usize, Decode); 3] = [
        (PixelFormat::Bc1, 8, bcdec_rs::bc1),
        (PixelFormat::Bc3, 16, bcdec_rs::bc3),
        (PixelFormat::Bc7, 16, bcdec_rs::bc7),
    ];
    for (format, size, decode) in formats {
        let bytes: Vec<u8> =
            (0..format.size(SIDE, SIDE)).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) as u8).collect();
        let limits = Limits::default();
        let ours = best(|| format.decode(&bytes, SIDE, SIDE, &limits));
        let pitch = SIDE as usize * 4;
        let bare = best(|| {
            let mut out = vec![0u8; pitch * SIDE as usize];
            for (i, block) in bytes.chunks_exact(size).enumerate() {
                let (x, y) = (i % (SIDE as usize / 4), i / (SIDE as usize / 4));
                if let Some(to) = out.get_mut(y * 4 * pitch + x * 16..) {
                    decode(block, to, pitch);
                }
            }
            out
        });
        let mpx = f64::from(SIDE) * f64::from(SIDE) / 1e6;
        println!(
            "{} 1024x1024: {:.0} Mpx/s, bcdec_rs alone {:.0} Mpx/s, ratio {:.2}",
            format.name(),
            mpx / ours.as_secs_f64(),
            mpx / bare.as_secs_f64(),
            bare.as_secs_f64() / ours.as_secs_f64()
        );
    }
}

/// Converting the textures of all sets to PNG: reading to writing, beside decoding and PNG alone.
fn sets(dir: &Path, limits: &Limits) -> Result<(), Box<dyn Error>> {
    let (mut whole, mut decoding, mut png, mut count, mut pixels) =
        (Duration::ZERO, Duration::ZERO, Duration::ZERO, 0, 0.0);
    for path in files(dir, &[".tpc", ".blp", ".dds", ".tga"]) {
        let bytes = std::fs::read(&path)?;
        let texture = Texture::read(&bytes, limits)?;
        let image = texture.decode_best(limits)?;
        count += 1;
        pixels += f64::from(image.width) * f64::from(image.height) / 1e6;
        decoding += best(|| texture.decode_best(limits));
        png += best(|| encode::png(&image));
        whole += best(|| encode::png(&galatea_texture::decode(&bytes, &[], limits)?));
    }
    let ratio = whole.as_secs_f64() / (decoding + png).as_secs_f64();
    println!(
        "sets: {count} textures, {pixels:.1} Mpx, decoding {:.0} ms, PNG {:.0} ms, both with reading {:.0} ms: {ratio:.2} x",
        decoding.as_secs_f64() * 1e3,
        png.as_secs_f64() * 1e3,
        whole.as_secs_f64() * 1e3
    );
    Ok(())
}
