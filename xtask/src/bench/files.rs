//! Reading and writing files of every format beside memcpy of the same bytes, taking turns so that all see the same machine.

use std::hint::black_box;

use galatea::disk::{Job, Loaded, load};
use galatea::{Document, Limits};
use galatea_corpus::{corpus, files};

use super::{fastest, memory, walkmesh};

/// The shares of memcpy's speed that reading and writing must reach.
type Demand = (f64, f64);

/// Runs every line. Its demands are half of what hand-tuned code once reached on it, because code that is easy to read is
/// worth more.
pub(super) fn run() {
    let own =
        Loaded { bytes: walkmesh::area().and_then(|m| m.write()).unwrap_or_default(), ..Loaded::default() };
    bench("kotor-bwm, 20,000 faces of our own", vec![own], (0.34, 0.305));
    bench("kotor-bwm, the largest of the corpus", nearest("kotor", &[".wok"], usize::MAX), (0.21, 0.18));
    bench("kotor-mdl, about 400 KB", nearest("kotor", &[".mdl"], 400_000), (0.052, 0.076));
    bench("kotor-mdl, about 2 MB", nearest("kotor", &[".mdl"], 2_000_000), (0.161, 0.147));
    bench("kotor-mdl, the largest of the corpus", nearest("kotor", &[".mdl"], usize::MAX), (0.124, 0.151));
    bench("mdx, all of version 800", all("mdx/v800", &[".mdx"]), (0.135, 0.198));
    bench("mdx, all of version 1000", all("mdx/v1000", &[".mdx"]), (0.238, 0.202));
    bench("fmdl, about 500 KB", nearest("fmdl", &[".fmdl"], 500_000), (0.067, 0.136));
}

fn read(path: std::path::PathBuf) -> Option<Loaded> {
    load(&Job::new(path)).ok().filter(|l| galatea::open(&l.input(), &Limits::default()).is_ok())
}

/// Returns all files that open.
pub(super) fn all(part: &str, endings: &[&str]) -> Vec<Loaded> {
    corpus(part).into_iter().flat_map(|dir| files(&dir, endings)).filter_map(read).collect()
}

/// Returns the file that opens whose size, companion included, is nearest to this.
fn nearest(part: &str, endings: &[&str], wanted: usize) -> Vec<Loaded> {
    all(part, endings).into_iter().min_by_key(|loaded| loaded.size().abs_diff(wanted)).into_iter().collect()
}

fn bench(name: &str, inputs: Vec<Loaded>, must: Demand) {
    let limits = Limits::default();
    let documents: Vec<Box<dyn Document>> =
        inputs.iter().filter_map(|loaded| galatea::open(&loaded.input(), &limits).ok()).collect();
    let bytes: usize = inputs.iter().map(Loaded::size).sum();
    if documents.is_empty() {
        println!("{name}: no such file");
        return;
    }
    let mut copy = vec![0u8; inputs.iter().map(Loaded::size).max().unwrap_or(0)];
    let [fastest_copy, fastest_read, fastest_write] = fastest([
        &mut || {
            for loaded in &inputs {
                let companions = loaded.companions.iter().map(|c| &c.bytes);
                for part in std::iter::once(&loaded.bytes).chain(companions) {
                    if let Some(to) = black_box(&mut copy).get_mut(..part.len()) {
                        to.copy_from_slice(black_box(part));
                    }
                }
            }
        },
        &mut || {
            for loaded in &inputs {
                let _ = black_box(galatea::open(black_box(&loaded.input()), &limits));
            }
        },
        &mut || {
            for document in &documents {
                let _ = black_box(document.write());
            }
        },
    ]);
    let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
    let verdict = |ratio: f64, must: f64| if ratio >= must { "ok" } else { "BELOW" };
    let (read, write) = (fastest_copy / fastest_read, fastest_copy / fastest_write);
    println!("{name}: {} files, {} KB, memcpy {:.1} GB/s", inputs.len(), bytes / 1000, rate(fastest_copy));
    println!(
        "  read  {:6.2} GB/s = {read:.3} x memcpy (must {}: {})",
        rate(fastest_read),
        must.0,
        verdict(read, must.0)
    );
    println!(
        "  write {:6.2} GB/s = {write:.3} x memcpy (must {}: {})",
        rate(fastest_write),
        must.1,
        verdict(write, must.1)
    );
    // Of the largest file, in a process of its own.
    let Some(largest) = inputs.iter().max_by_key(|loaded| loaded.size()) else { return };
    let (Some(path), size) = (&largest.path, largest.size()) else { return };
    match memory::peak(path) {
        Some(peak) => println!(
            "  peak  {:6.2} MB for {:.2} MB read, held and written (may be {:.2}: {})",
            peak as f64 / 1e6,
            size as f64 / 1e6,
            memory::allowed(size) as f64 / 1e6,
            if peak <= memory::allowed(size) { "ok" } else { "ABOVE" }
        ),
        None => println!("  peak memory: not known on this system"),
    }
}
