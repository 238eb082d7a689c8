//! Printing and parsing text forms, in megabytes of text per second on one core.

use std::hint::black_box;

use galatea::Limits;
use galatea::mdlx::{Model, text};

use super::{fastest, files};

/// Megabytes of text per second that printing and parsing must reach.
const MUST: f64 = 100.0;

pub(super) fn run() {
    for part in ["mdx/v800", "mdx/v1000", "mdx/v1100"] {
        let inputs = files::all(part, &[".mdx"]);
        let models = inputs.iter().filter_map(|l| Model::read(&l.bytes, &Limits::default()).ok()).collect();
        bench(&format!("mdl, all of {part} as text"), models);
    }
    let inputs = files::all("mdx/text", &[".mdl"]);
    let models = inputs.iter().filter_map(|l| text::parse(&l.bytes, &Limits::default()).ok()).collect();
    bench("mdl, all that were text", models);
}

fn bench(name: &str, models: Vec<Model>) {
    let texts: Vec<Vec<u8>> = models.iter().filter_map(|m| text::print(m).ok()).collect();
    let bytes: usize = texts.iter().map(Vec::len).sum();
    if bytes == 0 {
        println!("{name}: no such file");
        return;
    }
    let limits = Limits::default();
    let [print, parse] = fastest([
        &mut || {
            for model in &models {
                let _ = black_box(text::print(black_box(model)));
            }
        },
        &mut || {
            for text in &texts {
                let _ = black_box(text::parse(black_box(text), &limits));
            }
        },
    ]);
    println!("{name}: {} files, {} KB of text", texts.len(), bytes / 1000);
    for (what, seconds) in [("print", print), ("parse", parse)] {
        let rate = bytes as f64 / seconds / 1e6;
        let verdict = if rate >= MUST { "ok" } else { "BELOW" };
        println!("  {what} {rate:6.0} MB/s (must {MUST}: {verdict})");
    }
}
