//! `check --fix`: it changes what has a finding and nothing else, and is done after one run.

use galatea::{Document, Rule};

use crate::Family;
use crate::files::Files;
use crate::memory;

/// A document of any format through every fix.
pub fn fix(family: Family, data: &[u8]) {
    let Some(files) = Files::of(family, data) else { return };
    memory::conversion(files.len(), || {
        if let Some(document) = files.open() {
            fixed(document);
        }
    });
}

fn fixed(mut document: Box<dyn Document>) {
    let Ok(before) = document.write() else { return };
    let report = document.check();
    let sound = |rule: &Rule| report.count(rule.code) == 0;
    let needless = fixes(document.as_mut(), &sound);
    assert!(needless.is_empty(), "fixed without a finding: {needless}");
    assert!(document.write().as_ref() == Ok(&before), "rules without findings changed the file");
    let done = fixes(document.as_mut(), &|_| true);
    let after = document.write().expect("what was fixed can be written");
    if done.is_empty() {
        assert!(after == before, "the file was changed, but no fix reported");
        return;
    }
    assert!(after != before, "reported as fixed, but the file was not changed: {done}");
    let mut again = match galatea::open(&after.input(), &Default::default()) {
        Ok(document) => document,
        Err(error) => panic!("what was fixed does not open: {error}; after {done}"),
    };
    let more = fixes(again.as_mut(), &|_| true);
    assert!(more.is_empty(), "fixed again: {more}; after {done}");
    assert!(again.write().as_ref() == Ok(&after), "the second run changed the file; after {done}");
}

/// Fixes what the wanted rules find; returns what was done, in words.
fn fixes(document: &mut dyn Document, wanted: &dyn Fn(&Rule) -> bool) -> String {
    let fixed = document.fix(wanted);
    let lines: Vec<String> = fixed.iter().map(|f| format!("{}: {}", f.rule.code, f.message)).collect();
    lines.join("; ")
}
