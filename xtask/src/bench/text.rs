//! Printing and parsing text forms, in megabytes of text per second on one core.

use std::hint::black_box;

use galatea::kotor::mdl as kotor;
use galatea::wire::Result;
use galatea::{Limits, mdlx};

use super::{fastest, files};

/// Megabytes of text per second that printing and parsing must reach: half of what hand-tuned code reached.
const MUST: [f64; 2] = [150.0, 133.0];
/// Text of KotOR derives what the binary form stores, so that less is asked of parsing it.
const MUST_KOTOR: [f64; 2] = [100.0, 50.0];

pub(super) fn run() {
    let limits = Limits::default();
    let parse = |text: &[u8]| mdlx::text::parse(text, &limits);
    for part in ["mdx/v800", "mdx/v1000", "mdx/v1100"] {
        let inputs = files::all(part, &[".mdx"]);
        let models = inputs.iter().filter_map(|l| mdlx::Model::read(&l.bytes, &limits).ok()).collect();
        bench(&format!("mdl, all of {part} as text"), models, mdlx::text::print, parse, MUST);
    }
    let inputs = files::all("mdx/text", &[".mdl"]);
    let models = inputs.iter().filter_map(|l| parse(&l.bytes).ok()).collect();
    bench("mdl, all that were text", models, mdlx::text::print, parse, MUST);
    let inputs = files::all("kotor", &[".mdl"]);
    let read = |l: &galatea::disk::Loaded| {
        let mdx = l.companions.first().map(|c| c.bytes.as_slice());
        kotor::Model::read(&l.bytes, mdx, &limits).ok()
    };
    let models = inputs.iter().filter_map(read).collect();
    let parse = |text: &[u8]| kotor::text::parse(text, &limits);
    bench("kotor-mdl-ascii, all of kotor as text", models, kotor::text::print, parse, MUST_KOTOR);
}

fn bench<T>(
    name: &str,
    models: Vec<T>,
    print: impl Fn(&T) -> Result<Vec<u8>>,
    parse: impl Fn(&[u8]) -> Result<T>,
    must: [f64; 2],
) {
    let texts: Vec<Vec<u8>> = models.iter().filter_map(|m| print(m).ok()).collect();
    let bytes: usize = texts.iter().map(Vec::len).sum();
    if bytes == 0 {
        println!("{name}: no such file");
        return;
    }
    let times = fastest([
        &mut || {
            for model in &models {
                let _ = black_box(print(black_box(model)));
            }
        },
        &mut || {
            for text in &texts {
                let _ = black_box(parse(black_box(text)));
            }
        },
    ]);
    println!("{name}: {} files, {} KB of text", texts.len(), bytes / 1000);
    for ((what, seconds), must) in ["print", "parse"].into_iter().zip(times).zip(must) {
        let rate = bytes as f64 / seconds / 1e6;
        let verdict = if rate >= must { "ok" } else { "BELOW" };
        println!("  {what} {rate:6.0} MB/s (must {must}: {verdict})");
    }
}
