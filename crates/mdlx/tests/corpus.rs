//! Real files: every byte of every one of them survives.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod real;

use std::collections::BTreeMap;

use galatea_mdlx::{Limits, Model, inspect};

#[test]
#[ignore = "needs the corpus"]
fn malformed_files_are_refused_by_name() {
    for (name, want) in real::MALFORMED {
        let files = galatea_robustness::listed(&["mdx"], &[".mdx"]).only(name);
        for (_, bytes) in files.bytes() {
            assert_eq!(Model::read(&bytes, &Limits::default()).unwrap_err().to_string(), *want);
        }
    }
}

#[test]
#[ignore = "needs the corpus"]
fn every_file_is_written_back_identically() {
    let listed = real::binaries().len();
    let (mut same, mut failed) = (0, Vec::new());
    for (path, bytes) in real::binaries().bytes() {
        match Model::read(&bytes, &Limits::default()).and_then(|model| model.write()) {
            Ok(back) if back == bytes => same += 1,
            Ok(back) => {
                let at = back.iter().zip(&bytes).position(|(a, b)| a != b);
                let sizes = format!("{} and {}", bytes.len(), back.len());
                failed.push(format!("{}: differs at {at:X?}, {sizes}", path.display()));
            }
            Err(error) => failed.push(format!("{}: {error}", path.display())),
        }
    }
    assert_eq!(same, listed, "{}", failed.join("\n"));
}

/// The directories of the corpus say which version a file has.
#[test]
#[ignore = "needs the corpus"]
fn every_file_has_the_version_of_its_directory() {
    for version in [800, 1000, 1100, 1300] {
        for (path, model) in real::of_version(version).read(real::binary) {
            assert_eq!(model.version.0, version, "{}", path.display());
        }
    }
}

#[test]
#[ignore = "needs the corpus"]
fn every_byte_of_every_file_has_an_owner() {
    for (path, bytes) in real::binaries().every(5).bytes() {
        let (coverage, error) = inspect(&bytes, &Limits::default());
        assert_eq!(error, None, "{}", path.display());
        assert!(coverage.gaps(bytes.len()).is_empty(), "{}", path.display());
        assert!(coverage.overlaps(1).is_empty(), "{}", path.display());
    }
}

#[test]
#[ignore = "needs the corpus"]
fn fixes_add_no_findings_and_leave_nothing_for_a_second_run() {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    let mut repaired = 0;
    for (path, mut model) in real::binaries().read(real::binary) {
        let (sound, before) = (model.clone(), model.check());
        for (rule, _) in before.counts() {
            *rules.entry(rule.code).or_default() += 1;
        }
        let fixed = model.fix(&|_| true);
        let after = model.check();
        for (rule, count) in after.counts() {
            assert!(count <= before.count(rule.code), "{}: more of {}", path.display(), rule.code);
        }
        assert_eq!(fixed.is_empty(), model.differences(&sound).is_empty(), "{}", path.display());
        repaired += fixed.len();
        assert!(model.fix(&|_| true).is_empty(), "{}: fixed twice", path.display());
        // What was fixed can be written, and is read again as it is.
        let back = Model::read(&model.write().unwrap(), &Limits::default()).unwrap();
        assert!(model.differences(&back).is_empty(), "{}", path.display());
    }
    assert!(repaired > 100, "{repaired}");
    // What converters leave behind is in the corpus.
    for code in ["MDLX0040", "MDLX0041", "MDLX0042", "MDLX0043", "MDLX0044", "MDLX0046", "MDLX0047"] {
        assert!(rules.contains_key(code), "{code}");
    }
}
