//! `optimize` on real files: poses stay, and a second run saves nothing.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::path::Path;

use galatea::optimize::{OptimizeOptions, optimize};
use galatea::{Companion, Limits, Output};
use galatea_robustness::listed;

/// The families: their part of the corpus, their endings, and the extension of their companion.
const FAMILIES: [(&str, &[&str], Option<&str>); 3] =
    [("mdx", &[".mdx"], None), ("kotor", &[".mdl"], Some("mdx")), ("fmdl", &[".fmdl"], None)];

#[test]
#[ignore = "needs the corpus"]
fn every_model_is_made_smaller_once_and_for_all() {
    for (part, endings, companion) in FAMILIES {
        let read = |path: &Path, bytes: &[u8]| {
            let mut files = Output::single(bytes.to_vec());
            if let Some(extension) = companion
                && let Ok(bytes) = std::fs::read(path.with_extension(extension))
            {
                files.companions.push(Companion { extension, bytes });
            }
            Ok::<_, String>(files)
        };
        let (mut count, mut before, mut after, mut poses, mut wrong) = (0, 0, 0, 0, Vec::new());
        for (path, files) in listed(&[part], endings).read(read) {
            let format = galatea::detect(&files.bytes).filter(|format| format.text != Some(format.id));
            if format.is_none() || galatea::open(&files.input(), &Limits::default()).is_err() {
                continue;
            }
            let once = match optimize(&files.input(), &OptimizeOptions::default()) {
                Ok(once) => once,
                Err(error) => {
                    wrong.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            let twice = optimize(&once.output.input(), &OptimizeOptions::default()).unwrap();
            if twice.changed() {
                wrong.push(format!(
                    "{}: again {} bytes: {:?}",
                    path.display(),
                    twice.before - twice.after,
                    twice.saved
                ));
            }
            count += 1;
            before += once.before;
            after += once.after;
            poses += once.poses;
        }
        eprintln!("{part}: {count} files, {before} -> {after} bytes, {poses} poses");
        assert!(count > 100 && after < before, "{part}: {count}");
        assert!(wrong.is_empty(), "{part}: {wrong:#?}");
    }
}
