//! The whole corpus of real files.

use galatea_fox::Fmdl;
use galatea_robustness::{Listing, listed};
use galatea_wire::Limits;

fn real_files() -> Listing {
    listed(&["fmdl", "sets/fox"], &[".fmdl"])
}

#[test]
#[ignore = "needs the corpus"]
fn every_file_is_written_back_identically() {
    let listed = real_files().len();
    let (mut same, mut different) = (0, Vec::new());
    for (path, bytes) in real_files().bytes() {
        match Fmdl::read(&bytes, &Limits::default()).and_then(|doc| doc.write()) {
            Ok(back) if back == bytes => same += 1,
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
    assert_eq!(same, listed, "{different:#?}");
}

#[test]
#[ignore = "needs the corpus"]
fn canonical_layout_reproduces_the_games_files() {
    let mut different = Vec::new();
    for (path, bytes) in real_files().bytes() {
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
    assert_eq!(different, known);
}

#[test]
#[ignore = "needs the corpus"]
fn every_byte_of_every_file_is_accounted_for() {
    for (path, bytes) in real_files().bytes() {
        let (coverage, error) = galatea_fox::inspect(&bytes, &Limits::default());
        assert!(error.is_none(), "{}: {error:?}", path.display());
        assert_eq!(coverage.gaps(bytes.len()), [], "{}", path.display());
    }
}

#[test]
#[ignore = "needs the corpus"]
fn bytes_of_vertices_have_names() {
    let (mut named, mut all) = (0, 0);
    for (path, bytes) in real_files().bytes() {
        let (coverage, error) = galatea_fox::inspect(&bytes, &Limits::default());
        assert!(error.is_none(), "{}: {error:?}", path.display());
        for claim in coverage.claims().iter().filter(|c| c.name == "vertices" || c.name == "positions") {
            all += 1;
            named += usize::from(claim.schema.is_some_and(|s| s.name != "u8"));
        }
    }
    assert_eq!(named, all);
    assert!(all > 3000, "{all}");
}
