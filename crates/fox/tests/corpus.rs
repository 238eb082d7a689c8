//! The whole corpus of real files.

use std::path::PathBuf;

use galatea_fox::Fmdl;
use galatea_wire::Limits;

fn real_files() -> Vec<PathBuf> {
    let mut out = Vec::new();
    for part in ["fmdl", "sets/fox"] {
        if let Some(dir) = galatea_trial::corpus(part) {
            out.extend(galatea_trial::files(&dir, &[".fmdl"]));
        }
    }
    out
}

#[test]
fn every_file_is_written_back_identically() {
    let mut different = Vec::new();
    let files = real_files();
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        match Fmdl::read(&bytes, &Limits::default()).and_then(|doc| doc.write()) {
            Ok(back) if back == bytes => {}
            Ok(back) => {
                let at = back.iter().zip(&bytes).position(|(a, b)| a != b);
                different.push(format!(
                    "{}: {} / {} bytes, first at {at:?}",
                    path.display(),
                    back.len(),
                    bytes.len()
                ));
            }
            Err(e) => different.push(format!("{}: {e}", path.display())),
        }
    }
    assert!(different.is_empty(), "{} of {}: {different:#?}", different.len(), files.len());
    assert!(files.is_empty() || files.len() >= 443, "{}", files.len());
}

#[test]
fn canonical_layout_reproduces_the_games_files() {
    let files = real_files();
    let mut different = Vec::new();
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let mut doc = Fmdl::read(&bytes, &Limits::default()).unwrap();
        doc.forget_layout();
        let back = doc.write().unwrap();
        let again = Fmdl::read(&back, &Limits::default()).unwrap();
        assert_eq!(again.differences(&doc), Vec::<String>::new(), "{}", path.display());
        if back != bytes {
            different.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    // Both were written by FMDL Studio, which pads every block to 16, orders names in its own way and repeats boxes.
    let known = ["epl.fmdl", "sna0_arm0_cov.fmdl"];
    assert!(files.is_empty() || different == known, "{different:?}");
}

#[test]
fn every_byte_of_every_file_is_accounted_for() {
    for path in real_files() {
        let bytes = std::fs::read(&path).unwrap();
        let (coverage, error) = galatea_fox::inspect(&bytes, &Limits::default());
        assert!(error.is_none(), "{}: {error:?}", path.display());
        assert_eq!(coverage.gaps(bytes.len()), [], "{}", path.display());
    }
}

#[test]
fn bytes_of_vertices_have_names() {
    let (mut named, mut all) = (0, 0);
    for path in real_files() {
        let bytes = std::fs::read(&path).unwrap();
        let (coverage, _) = galatea_fox::inspect(&bytes, &Limits::default());
        for claim in coverage.claims().iter().filter(|c| c.name == "vertices" || c.name == "positions") {
            all += 1;
            named += usize::from(claim.schema.is_some_and(|s| s.name != "u8"));
        }
    }
    assert_eq!(named, all);
    assert!(galatea_trial::corpus("fmdl").is_none() || all > 3000, "{all}");
}
