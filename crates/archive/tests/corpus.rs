//! Real archives: what opens, what is written back, what is refused and why.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

use galatea_archive::{Limits, detect, inspect, open_bytes};
use galatea_robustness::listed;

/// Made by a tool's own tests to be refused.
const CORRUPT: [(&str, &str); 3] = [
    ("test_corrupted.erf", "bytes needs"),
    ("test_corrupted.rim", "bytes needs"),
    // No hash table is anywhere in the file.
    ("Test-9b30b7.w3x", "a damaged table"),
];

const ENDINGS: &[&str] =
    &[".erf", ".mod", ".rim", ".fpk", ".fpkd", ".pftxs", ".key", ".bif", ".mpq", ".w3m", ".w3x"];

#[test]
#[ignore = "needs the corpus"]
fn real_archives_open_and_are_written_identically() {
    let (mut opened, mut written, mut entries, mut refused) = (0, 0, 0, 0);
    for (path, bytes) in listed(&["archives"], ENDINGS).bytes() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let format = detect(&bytes).unwrap_or_else(|| panic!("{name}: no archive"));
        if let Some((_, why)) = CORRUPT.iter().find(|(corrupt, _)| *corrupt == name) {
            let error = open_bytes(bytes.clone(), &Limits::default()).unwrap_err();
            assert!(error.to_string().contains(why), "{name}: {error}");
            refused += 1;
            continue;
        }
        let archive = open_bytes(bytes.clone(), &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        opened += 1;
        // The BIF files of the KEY are not part of the corpus.
        let readable = if name.ends_with(".key") { 0 } else { archive.len() };
        for index in 0..readable {
            let entry = archive.entry(index).unwrap().name.into_owned();
            archive.read_entry(index, &Limits::default()).unwrap_or_else(|e| panic!("{name}/{entry}: {e}"));
            entries += 1;
        }
        if format.writable() {
            assert!(archive.write().unwrap() == bytes, "{name}");
            written += 1;
        }
        assert_eq!(inspect(&bytes, &Limits::default()).1, None, "{name}");
        println!(
            "{name}: {} entries, {:?}",
            archive.len(),
            archive.check().counts().map(|(rule, count)| (rule.code, count)).collect::<Vec<_>>()
        );
    }
    println!("{opened} opened, {written} written identically, {refused} refused, {entries} entries read");
    assert!(written > 20 && opened > written && entries > 1000, "{opened}, {written}, {entries}");
    assert_eq!(refused, CORRUPT.len());
}
