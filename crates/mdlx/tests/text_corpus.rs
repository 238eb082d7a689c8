//! Real files through the text form: nothing is lost on the way there and back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod text_support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use galatea_mdlx::{Limits, Model, text};
use galatea_trial::{corpus, files};
use text_support::{through_binary, through_text};

fn real_files(ending: &str) -> Vec<PathBuf> {
    ["mdx", "sets/wc3", "sets/reforged"]
        .iter()
        .filter_map(|part| corpus(part))
        .flat_map(|dir| files(&dir, &[ending]))
        .collect()
}

fn report(failed: &[(PathBuf, Vec<String>)]) -> String {
    let one = |(path, wrong): &(PathBuf, Vec<String>)| {
        format!("{}:\n  {}", path.display(), wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n  "))
    };
    format!("{} files:\n{}", failed.len(), failed.iter().take(12).map(one).collect::<Vec<_>>().join("\n"))
}

#[test]
fn every_binary_file_survives_its_text_form() {
    let mut failed = Vec::new();
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for path in real_files(".mdx") {
        let bytes = std::fs::read(&path).unwrap();
        // Files that cannot be read are named in the tests of the binary form.
        let Ok(model) = Model::read(&bytes, &Limits::default()) else { continue };
        *counts.entry(model.version.0).or_default() += 1;
        let wrong = through_text(&model);
        if !wrong.is_empty() {
            failed.push((path, wrong));
        }
    }
    assert!(failed.is_empty(), "{}", report(&failed));
    if !counts.is_empty() {
        assert!(counts[&800] >= 443 && counts[&1000] >= 54 && counts[&1100] >= 29, "{counts:?}");
        assert_eq!(counts[&1300], 1);
    }
}

/// Texts that are malformed, and what reading them says.
const MALFORMED: &[(&str, &str)] = &[(
    "truncated_after_helper_v800.",
    "line 9, column 1 Helper \"Dangling\": the file ends inside `Helper`, which begins in line 8",
)];

#[test]
fn every_text_is_read_or_says_what_is_wrong() {
    let mut failed = Vec::new();
    let mut read = 0;
    let mut refused = 0;
    for path in real_files(".mdl") {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let malformed = MALFORMED.iter().find(|(start, _)| name.starts_with(start));
        match (text::parse(&bytes, &Limits::default()), malformed) {
            (Ok(model), None) => {
                read += 1;
                assert!(text::detect(&bytes), "{name}");
                let mut wrong = through_text(&model);
                wrong.extend(through_binary(&model));
                // What came from words alone needs nothing but words.
                let printed = text::print(&model).unwrap();
                let carried = String::from_utf8_lossy(&printed)
                    .lines()
                    .find(|l| l.contains("// galatea:"))
                    .map(str::to_owned);
                wrong.extend(carried);
                if !wrong.is_empty() {
                    failed.push((path, wrong));
                }
            }
            (Err(error), Some((_, want))) => {
                refused += 1;
                assert_eq!(error.to_string(), *want, "{name}");
            }
            (Err(error), None) => failed.push((path, vec![error.to_string()])),
            (Ok(_), Some(_)) => failed.push((path, vec!["was read although malformed".to_owned()])),
        }
    }
    assert!(failed.is_empty(), "{}", report(&failed));
    if read > 0 {
        assert_eq!((read, refused), (77 - MALFORMED.len(), MALFORMED.len()));
    }
}
