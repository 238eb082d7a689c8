//! Archives of 10,000 models: listing in entries per second, extraction beside memcpy and bare zlib of the same bytes.

use std::hint::black_box;
use std::sync::Arc;

use galatea::Limits;
use galatea::archive::{self, Edit, Kind};
use galatea::wire::zlib::{Inflater, deflate};

use super::fastest;
use crate::Outcome;

mod programs;

/// Models in an archive.
const MODELS: usize = 10_000;
/// Bytes of a model.
const SIZE: usize = 20_000;
/// Bytes that MPQ packs at a time.
const SECTOR: usize = 4096;
/// Entries per second that a listing must reach.
const LISTED: f64 = 1e6;

pub(super) fn run() -> Outcome {
    for kind in [Kind::Erf, Kind::Mpq] {
        if let Err(error) =
            measure(kind, noise, false).and_then(|()| measure(kind, vertices, kind == Kind::Mpq))
        {
            println!("{}: {error}", kind.name());
        }
    }
    programs::run()
}

/// Returns the bytes that no packer makes smaller.
fn noise(model: usize) -> Vec<u8> {
    let mut state = model as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..SIZE / 8).flat_map(|_| next().to_le_bytes()).collect()
}

/// Returns the bytes as models have them: floats of nearby values.
fn vertices(model: usize) -> Vec<u8> {
    (0..SIZE / 4).flat_map(|i| (((i * 7 + model) % 613) as f32 * 0.125).to_le_bytes()).collect()
}

fn measure(kind: Kind, content: fn(usize) -> Vec<u8>, packed: bool) -> galatea::Result<()> {
    let limits = Limits::default();
    let Some(new) = kind.format().new else { return Ok(()) };
    let puts: Vec<_> = (0..MODELS).map(|i| Edit::put(format!("model{i:05}.mdx"), content(i))).collect();
    let bytes = Arc::new(new().edited(&puts)?);
    let open = || (kind.format().open)(Arc::clone(&bytes) as Arc<dyn archive::ReadAt>, None, &limits);
    let archive = open()?;
    let sectors: Vec<(Vec<u8>, usize)> = match packed {
        false => Vec::new(),
        true => (0..MODELS).flat_map(content_sectors(content)).collect(),
    };
    let plain: Vec<u8> = (0..MODELS).flat_map(content).collect();
    let list = || {
        let archive = open().ok();
        let sizes = archive
            .iter()
            .flat_map(|a| (0..a.len()).filter_map(|i| a.entry(i).map(|e| e.size + e.name.len() as u64)));
        black_box(sizes.sum::<u64>());
    };
    let [listing, extraction, copy, inflation] = fastest([
        &mut { list },
        &mut || (0..archive.len()).for_each(|i| drop(black_box(archive.read_entry(i, &limits)))),
        &mut || plain.chunks(SIZE).for_each(|model| drop(black_box(model.to_vec()))),
        &mut || inflate(&sectors),
    ]);
    let allowed = copy / 0.5 + inflation;
    let entries = archive.len() as f64;
    println!(
        "{} of {MODELS} models, {:.0} MB{}: listed at {:.1} M entries/s ({}); extracted at {:.2} x memcpy{}, {:.2} x the allowed time ({})",
        kind.name(),
        bytes.len() as f64 / 1e6,
        if packed { " packed" } else { "" },
        entries / listing / 1e6,
        if entries / listing >= LISTED { "ok" } else { "too slow" },
        copy / extraction,
        if packed { format!(", zlib alone {:.2} x", copy / inflation) } else { String::new() },
        extraction / allowed,
        if extraction <= allowed { "ok" } else { "too slow" },
    );
    Ok(())
}

/// Returns the packed sectors of a model.
fn content_sectors(content: fn(usize) -> Vec<u8>) -> impl Fn(usize) -> Vec<(Vec<u8>, usize)> {
    move |model| {
        let packed = |plain: &[u8]| (deflate(plain).unwrap_or_default(), plain.len());
        content(model).chunks(SECTOR).map(packed).collect()
    }
}

fn inflate(sectors: &[(Vec<u8>, usize)]) {
    let mut inflater = Inflater::default();
    for model in sectors.chunks(SIZE.div_ceil(SECTOR)) {
        let mut out = Vec::with_capacity(SIZE);
        model.iter().for_each(|(packed, size)| _ = inflater.append(packed, *size, &mut out));
        drop(black_box(out));
    }
}
