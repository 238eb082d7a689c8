//! Damaged and lying archives: no panic, no hang, no allocation out of proportion, always a place and a path.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

mod fixtures;

use fixtures::{all, kotor, read_only};
use galatea_archive::{Error, Limits, detect, inspect, open, open_bytes};
use galatea_robustness::{Tally, Trial};
use std::sync::Arc;

/// Small enough for the trial's own limit on memory.
fn limits() -> Limits {
    Limits::default().with_entry(1 << 22)
}

fn read(bytes: &[u8]) -> Result<(), Error> {
    inspect(bytes, &limits());
    let archive = open_bytes(bytes.to_vec(), &limits())?;
    archive.check();
    if archive.kind().format().writable() {
        assert!(archive.write()? == bytes, "what opens is written back identically");
    }
    let mut first = None;
    for index in 0..archive.len() {
        let opened = archive.open_entry(index, &limits()).map(|source| source.len());
        match archive.read_entry(index, &limits()) {
            Ok(bytes) => assert_eq!(opened, Ok(bytes.len() as u64)),
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    first.map_or(Ok(()), Err)
}

/// Returns how many of the mutations were tried and how many of them were read without an error.
fn trials(name: &str, bytes: &[u8], read: &dyn Fn(&[u8]) -> Result<(), Error>) -> Tally {
    let trial = Trial { name, bytes, read };
    assert!(trial.whole(), "{name}");
    trial.cuts();
    // What is far behind the tables is data.
    let part = Trial { name, bytes: &bytes[..bytes.len().min(3000)], read };
    let _ = part.flips();
    assert!(trial.words((0..bytes.len().saturating_sub(3)).step_by(2).take(400)).tried > 0);
    trial.mutations(21, 800)
}

#[test]
fn damaged_archives() {
    for (name, bytes) in all().unwrap() {
        assert!(detect(&bytes).is_some(), "{name}");
        let mutations = trials(name, &bytes, &read);
        assert!((1..mutations.tried).contains(&mutations.opened), "{name}: {mutations:?}");
    }
}

#[test]
fn damaged_archives_that_are_only_read() {
    for (name, bytes) in read_only() {
        assert!(detect(&bytes).is_some(), "{name}");
        if name.ends_with(".key") {
            // Its entries are in other files; they are damaged next.
            let read =
                |bytes: &[u8]| open(Arc::new(bytes.to_vec()), None, &limits()).map(|key| drop(key.check()));
            assert!(trials(name, &bytes, &read).opened < 800, "{name}");
        } else {
            assert!(trials(name, &bytes, &read).opened < 800, "{name}");
        }
    }
}

#[test]
fn damaged_files_of_a_key() {
    let (key, files) = kotor::game();
    let read = |bytes: &[u8]| {
        let mut damaged = kotor::Memory(files.0.clone());
        damaged.0[0].1 = bytes.to_vec();
        let archive = open(Arc::new(key.clone()), Some(Arc::new(damaged)), &limits())?;
        archive.check();
        (0..archive.len()).try_for_each(|index| archive.read_entry(index, &limits()).map(drop))
    };
    assert!(trials("models.bif", &files.0[0].1, &read).opened < 800);
}
