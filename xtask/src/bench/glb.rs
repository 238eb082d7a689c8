//! Models to GLB, in memory: one of about 200 KB of each family, and all of the corpus on one and on two threads.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use galatea::disk::Loaded;
use galatea::{ConvertOptions, Document, FormatId, Limits, SceneContext, fox};

use super::{fastest, files};

/// The rate one model of 200 KB must reach: half of what hand-tuned code reached with the slowest family, on two cores that
/// copy 50 GB/s.
const MUST: f64 = 260.0;

pub(super) fn run() {
    let names = fox::Dictionary::new();
    let mut all: Vec<Loaded> = Vec::new();
    for (part, endings) in
        [("kotor", &[".mdl", ".wok", ".ascii"][..]), ("mdx", &[".mdx", ".mdl"]), ("fmdl", &[".fmdl"])]
    {
        let models = files::all(part, endings);
        if let Some(one) = models.iter().min_by_key(|l| l.size().abs_diff(200_000)) {
            single(part, one, &names);
        }
        all.extend(models);
    }
    if all.is_empty() {
        println!("glb: no corpus");
        return;
    }
    let bytes: usize = all.iter().map(Loaded::size).sum();
    let mut rates = Vec::new();
    for threads in [1, 2] {
        let seconds = (0..3).map(|_| batch(&all, threads, &names)).fold(f64::MAX, f64::min);
        let (files, rate) = (all.len() as f64 / seconds, bytes as f64 / seconds / 1e6);
        println!("glb, {} files, {threads} threads: {files:.0} files/s, {rate:.0} MB/s", all.len());
        rates.push(rate);
    }
    if let [one, two] = rates.as_slice() {
        println!("  scaling {:.2} (must 1.70)", two / one);
    }
}

fn convert(document: &dyn Document, names: &fox::Dictionary) -> usize {
    let context = SceneContext::new("model").with_names(names);
    let made = galatea::convert(document, FormatId::Glb, &ConvertOptions::default(), &context);
    made.map_or(0, |m| m.output.bytes.len())
}

/// Scene and GLB of one model that is read already.
fn single(part: &str, loaded: &Loaded, names: &fox::Dictionary) {
    let Ok(document) = galatea::open(&loaded.input(), &Limits::default()) else { return };
    let [seconds] = fastest([&mut || {
        black_box(convert(document.as_ref(), names));
    }]);
    let rate = loaded.size() as f64 / seconds / 1e6;
    let verdict = if rate >= MUST { "ok" } else { "BELOW" };
    println!("glb, {part}, one of {} KB: {rate:.0} MB/s (must {MUST:.0}, {verdict})", loaded.size() / 1000);
}

/// Seconds for reading and converting all of them on so many threads.
fn batch(all: &[Loaded], threads: usize, names: &fox::Dictionary) -> f64 {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(loaded) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Ok(document) = galatea::open(&loaded.input(), &Limits::default()) {
                        black_box(convert(document.as_ref(), names));
                    }
                }
            });
        }
    });
    start.elapsed().as_secs_f64()
}
