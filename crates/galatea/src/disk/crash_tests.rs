//! A writer that ends at any step, as a killed process does, and what a later run makes of it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::group::{NewFile, Step, commit};
use super::{Recovery, finish, ours, recover};

fn scratch(name: &str) -> PathBuf {
    // Tests run side by side, and some use a folder of one name.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("galatea-{}-{count}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// Returns all files of a directory, by name.
fn listed(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap());
    let files = entries.filter(|e| e.path().is_file());
    files.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

fn of(files: &[(&str, &[u8])]) -> BTreeMap<String, Vec<u8>> {
    files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect()
}

fn new<'a>(files: &[(&str, &'a [u8])]) -> Vec<NewFile<'a>> {
    let file = |(name, bytes): &(&str, &'a [u8])| NewFile {
        place: PathBuf::from(name),
        bytes,
        permissions: None,
        times: None,
    };
    files.iter().map(file).collect()
}

const OLD: &[(&str, &[u8])] = &[("a.mdl", b"old model"), ("a.mdx", b"old vertices"), ("other", b"mine")];
const NEW: &[(&str, &[u8])] = &[("a.mdx", b"new vertices"), ("a.png", b""), ("a.mdl", b"new model")];

/// Returns all steps of a commit.
fn steps(files: &[(&str, &[u8])]) -> Vec<Step> {
    let dir = scratch("steps");
    let mut steps = Vec::new();
    commit(&dir, OsStr::new("a.mdl"), &new(files), &mut |step| steps.push(step)).unwrap();
    fs::remove_dir_all(dir).unwrap();
    steps
}

/// Ends a commit in front of one of its steps.
fn cut(dir: &Path, files: &[(&str, &[u8])], at: usize) {
    let mut count = 0;
    let run = || {
        commit(dir, OsStr::new("a.mdl"), &new(files), &mut |_| {
            assert!(count != at, "the process ends here");
            count += 1;
        })
    };
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
}

#[test]
fn a_group_cut_anywhere_is_old_or_new_after_the_next_run() {
    let mut whole = of(OLD);
    whole.extend(of(NEW));
    let steps = steps(NEW);
    assert!(steps.len() == 12 && steps.contains(&Step::Close), "{steps:?}");
    let mut seen = [false; 2];
    for (at, step) in steps.iter().enumerate() {
        let dir = scratch("cut");
        OLD.iter().for_each(|(name, bytes)| fs::write(dir.join(name), bytes).unwrap());
        cut(&dir, NEW, at);
        assert_eq!(recover(std::slice::from_ref(&dir)).warnings, Vec::<String>::new());
        let committed = matches!(step, Step::Rename(_) | Step::Close);
        assert_eq!(listed(&dir), if committed { whole.clone() } else { of(OLD) }, "{step:?}");
        seen[usize::from(committed)] = true;
        assert_eq!(recover(std::slice::from_ref(&dir)), Recovery::default(), "nothing is left to do");
        fs::remove_dir_all(dir).unwrap();
    }
    assert_eq!(seen, [true, true]);
}

#[test]
fn a_reader_of_the_file_alone_finishes_the_group() {
    let steps = steps(NEW);
    for (at, _) in steps.iter().enumerate().filter(|(_, s)| matches!(s, Step::Rename(_))) {
        let dir = scratch("reader");
        OLD.iter().for_each(|(name, bytes)| fs::write(dir.join(name), bytes).unwrap());
        cut(&dir, NEW, at);
        finish(&dir.join("a.mdl")).unwrap();
        let mut whole = of(OLD);
        whole.extend(of(NEW));
        assert_eq!(listed(&dir), whole);
        fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn the_next_writer_finishes_the_group_before_its_own() {
    let last: &[(&str, &[u8])] = &[("a.mdx", b"third vertices"), ("a.mdl", b"third model")];
    for at in 0..steps(NEW).len() {
        let dir = scratch("next-writer");
        OLD.iter().for_each(|(name, bytes)| fs::write(dir.join(name), bytes).unwrap());
        cut(&dir, NEW, at);
        commit(&dir, OsStr::new("a.mdl"), &new(last), &mut |_| ()).unwrap();
        recover(std::slice::from_ref(&dir));
        let mut there = listed(&dir);
        there.remove("a.png");
        let mut whole = of(OLD);
        whole.extend(of(last));
        assert_eq!(there, whole, "{at}");
        fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn a_single_file_cut_anywhere_is_old_or_new() {
    let one: &[(&str, &[u8])] = &[("a.mdl", b"new model")];
    assert_eq!(steps(one), [Step::Create(0), Step::Fill(0), Step::Rename(0)]);
    for at in 0..3 {
        let dir = scratch("single");
        OLD.iter().for_each(|(name, bytes)| fs::write(dir.join(name), bytes).unwrap());
        cut(&dir, one, at);
        recover(std::slice::from_ref(&dir));
        assert_eq!(listed(&dir), of(OLD), "{at}");
        fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn what_a_running_writer_has_is_left_alone() {
    let dir = scratch("running");
    let mut looked = 0;
    commit(&dir, OsStr::new("a.mdl"), &new(NEW), &mut |_| {
        let before = listed(&dir).into_keys().collect::<Vec<_>>();
        assert_eq!(recover(std::slice::from_ref(&dir)), Recovery::default());
        assert_eq!(listed(&dir).into_keys().collect::<Vec<_>>(), before);
        looked += 1;
    })
    .unwrap();
    assert_eq!((looked, listed(&dir)), (12, of(NEW)));
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_commit_that_fails_leaves_nothing_behind() {
    let dir = scratch("fails");
    fs::create_dir(dir.join("a.mdx")).unwrap();
    commit(&dir, OsStr::new("a.mdl"), &new(NEW), &mut |_| ()).unwrap_err();
    assert_eq!(listed(&dir), BTreeMap::new());
    fs::remove_dir_all(dir).unwrap();
}

/// A pending commit whose first file was changed meanwhile by another program.
#[test]
fn a_group_that_was_changed_since_is_reported_and_kept() {
    let steps = steps(NEW);
    let second = steps.iter().position(|s| *s == Step::Rename(1)).unwrap();
    let dir = scratch("changed");
    cut(&dir, NEW, second);
    fs::write(dir.join("a.mdx"), "edited").unwrap();
    let before = listed(&dir);
    let error = finish(&dir.join("a.mdl")).unwrap_err().to_string();
    assert!(error.contains("a.mdx has changed since"), "{error}");
    assert_eq!(recover(std::slice::from_ref(&dir)).warnings.len(), 1);
    assert_eq!(listed(&dir), before, "temporaries of a pending group stay");
    fs::remove_dir_all(dir).unwrap();
}

#[cfg(unix)]
#[test]
fn a_journal_that_leads_through_a_link_is_ignored() {
    let (dir, away) = (scratch("through-link"), scratch("away"));
    std::os::unix::fs::symlink(&away, dir.join("sub")).unwrap();
    let mut files = new(NEW);
    files.first_mut().unwrap().place = PathBuf::from("sub/victim");
    let mut count = 0;
    let run = || {
        commit(&dir, OsStr::new("a.mdl"), &files, &mut |step| {
            assert!(step != Step::Rename(0), "the process ends here");
            count += 1;
        })
    };
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    let found = recover(std::slice::from_ref(&dir));
    assert_eq!((found.finished, found.removed, found.warnings.len()), (0, 0, 1), "{found:?}");
    assert_eq!(listed(&away), BTreeMap::new());
    assert!(finish(&dir.join("a.mdl")).is_ok(), "the model can still be read");
    fs::remove_dir_all(dir).unwrap();
    fs::remove_dir_all(away).unwrap();
}

#[test]
fn strange_journals_are_ignored_with_a_warning() {
    let dir = scratch("strange");
    fs::write(dir.join(".a.mdl.galatea-commit"), "rename everything").unwrap();
    fs::create_dir(dir.join(".b.mdl.galatea-commit")).unwrap();
    let entry = super::journal::Entry {
        temporary: ".c.mdl.1.2.galatea-tmp".into(),
        place: "../victim".into(),
        len: 1,
        sum: super::checksum(b"x"),
    };
    fs::write(dir.join(".c.mdl.galatea-commit"), super::journal::print(&[entry]).unwrap()).unwrap();
    fs::write(dir.join(".c.mdl.1.2.galatea-tmp"), "x").unwrap();
    let before = listed(&dir);
    let found = recover(std::slice::from_ref(&dir));
    assert_eq!((found.finished, found.removed, found.warnings.len()), (0, 0, 3), "{found:?}");
    assert_eq!(listed(&dir), before);
    assert!(!dir.with_file_name("victim").exists());
    assert!(finish(&dir.join("c.mdl")).is_ok());
    assert!(ours::is_journal(".c.mdl.galatea-commit"));
    fs::remove_dir_all(dir).unwrap();
}
