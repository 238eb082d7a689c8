//! Real files: every byte of every one of them survives.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

use std::collections::BTreeMap;
use std::path::PathBuf;

use galatea_mdlx::{Limits, Model, inspect};
use galatea_trial::{corpus, files};

/// Files that are malformed on purpose, and what reading them says.
const MALFORMED: &[(&str, &str)] = &[(
    "bpos_count_overflow_v900.",
    "0x595 BPOS > bind_poses: 536870912 x 48 bytes needs 25769803776, have 48",
)];

fn real_files() -> Vec<PathBuf> {
    ["mdx", "sets/wc3", "sets/reforged"]
        .iter()
        .filter_map(|part| corpus(part))
        .flat_map(|dir| files(&dir, &[".mdx"]))
        .collect()
}

fn is_malformed(path: &std::path::Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    MALFORMED.iter().any(|(start, _)| name.starts_with(start))
}

#[test]
fn every_file_is_written_back_identically() {
    let mut failed = Vec::new();
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for path in real_files() {
        let bytes = std::fs::read(&path).unwrap();
        match Model::read(&bytes, &Limits::default()) {
            Ok(model) => {
                *counts.entry(model.version.0).or_default() += 1;
                let back = model.write().unwrap();
                if back != bytes {
                    let at = back.iter().zip(&bytes).position(|(a, b)| a != b);
                    failed.push(format!(
                        "{}: differs at {at:X?}, {} and {}",
                        path.display(),
                        bytes.len(),
                        back.len()
                    ));
                }
            }
            Err(error) if is_malformed(&path) => {
                let name = path.file_name().unwrap().to_string_lossy();
                let (_, want) = MALFORMED.iter().find(|(start, _)| name.starts_with(start)).unwrap();
                assert_eq!(error.to_string(), *want);
            }
            Err(error) => failed.push(format!("{}: {error}", path.display())),
        }
    }
    assert!(failed.is_empty(), "{} files:\n{}", failed.len(), failed.join("\n"));
    // Whoever has the corpus has all of it.
    if !counts.is_empty() {
        assert!(counts[&800] >= 443 && counts[&1000] >= 54 && counts[&1100] >= 29, "{counts:?}");
        assert_eq!(counts[&1300], 1);
    }
}

#[test]
fn every_byte_of_every_file_has_an_owner() {
    for path in real_files().iter().filter(|p| !is_malformed(p)).step_by(5) {
        let bytes = std::fs::read(path).unwrap();
        let (coverage, error) = inspect(&bytes, &Limits::default());
        assert_eq!(error, None, "{}", path.display());
        assert!(coverage.gaps(bytes.len()).is_empty(), "{}", path.display());
        assert!(coverage.overlaps(1).is_empty(), "{}", path.display());
    }
}

#[test]
fn what_can_be_fixed_is_fixed() {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for path in real_files().iter().filter(|p| !is_malformed(p)) {
        let mut model = Model::read(&std::fs::read(path).unwrap(), &Limits::default()).unwrap();
        for (rule, _) in model.check().counts() {
            *rules.entry(rule.code).or_default() += 1;
        }
        model.fix(&|_| true);
        let left: Vec<_> = model.check().counts().filter(|(r, _)| r.fix).map(|(r, n)| (r.code, n)).collect();
        assert!(left.is_empty(), "{}: {left:?}", path.display());
        // What was mended can be written, and is read again as it is.
        let back = Model::read(&model.write().unwrap(), &Limits::default()).unwrap();
        assert!(model.differences(&back).is_empty(), "{}", path.display());
    }
    // What converters leave behind is in the corpus.
    if !rules.is_empty() {
        for code in ["MDLX0040", "MDLX0041", "MDLX0042", "MDLX0043", "MDLX0044", "MDLX0046", "MDLX0047"] {
            assert!(rules.contains_key(code), "{code}");
        }
    }
}
