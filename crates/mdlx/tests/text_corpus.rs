//! Real files through the text form: nothing is lost on the way there and back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod real;
mod text_support;

use std::path::PathBuf;

use galatea_mdlx::{Limits, text};
use galatea_robustness::listed;
use text_support::{through_binary, through_text};

fn report(failed: &[(PathBuf, Vec<String>)]) -> String {
    let one = |(path, wrong): &(PathBuf, Vec<String>)| {
        format!("{}:\n  {}", path.display(), wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n  "))
    };
    format!("{} files:\n{}", failed.len(), failed.iter().take(12).map(one).collect::<Vec<_>>().join("\n"))
}

#[test]
#[ignore = "needs the corpus"]
fn every_binary_file_survives_its_text_form() {
    let listed = real::binaries().len();
    let (mut same, mut failed) = (0, Vec::new());
    for (path, model) in real::binaries().read(real::binary) {
        let wrong = through_text(&model);
        if wrong.is_empty() {
            same += 1;
        } else {
            failed.push((path, wrong));
        }
    }
    assert_eq!(same, listed, "{}", report(&failed));
}

#[test]
#[ignore = "needs the corpus"]
fn every_text_comes_back_from_text_and_binary() {
    let listed = real::texts().len();
    let (mut same, mut failed) = (0, Vec::new());
    for (path, model) in real::texts().read(real::parsed) {
        let mut wrong = through_text(&model);
        wrong.extend(through_binary(&model));
        // What came from words alone needs nothing but words.
        let printed = text::print(&model).unwrap();
        let printed = String::from_utf8_lossy(&printed);
        wrong.extend(printed.lines().find(|l| l.contains("// galatea:")).map(str::to_owned));
        if wrong.is_empty() {
            same += 1;
        } else {
            failed.push((path, wrong));
        }
    }
    assert_eq!(same, listed, "{}", report(&failed));
}

#[test]
#[ignore = "needs the corpus"]
fn malformed_texts_are_refused_by_name() {
    for (name, want) in real::MALFORMED_TEXTS {
        for (_, bytes) in listed(&["mdx/text"], &[".mdl"]).only(name).bytes() {
            assert_eq!(text::parse(&bytes, &Limits::default()).unwrap_err().to_string(), *want);
        }
    }
}
