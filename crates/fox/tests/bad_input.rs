//! Damaged copies of small fixtures: no panic, no hang, no allocation out of proportion, every error placed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests fail as tests do.

mod sample;

use galatea_fox::{Fmdl, Name};
use galatea_robustness::{Tally, Trial};
use galatea_wire::{Error, Limits};

fn reader(input: &[u8]) -> Result<(), Error> {
    let mut doc = Fmdl::read(input, &Limits::default())?;
    let back = doc.write().unwrap_or_else(|e| panic!("what was read cannot be written: {e}"));
    assert!(back == input, "not identical");
    doc.check();
    doc.summary();
    doc.groups_of_meshes();
    assert!(doc.differences(&doc).is_empty());
    let _ = galatea_fox::inspect(input, &Limits::default());
    // What cannot be laid out anew says so; what can means the same afterwards.
    doc.fix(&|_| true);
    doc.groups.iter_mut().for_each(|g| g.name = Name::from("renamed"));
    doc.forget_layout();
    if let Ok(bytes) = doc.write() {
        let again = Fmdl::read(&bytes, &Limits::default());
        assert!(again.is_ok(), "{again:?}");
    }
    Ok(())
}

/// Both versions, static, skinned, with fragments and with everything that PES adds.
const ENOUGH: &[&str] = &["fragments 2.03", "skinned 2.04", "pes"];

fn trial(name: &str, run: impl Fn(&Trial<'_>) -> Tally) -> Tally {
    let mut sum = Tally::default();
    for (which, model) in sample::all().into_iter().filter(|(name, _)| ENOUGH.contains(name)) {
        let bytes = model.write().unwrap();
        let name = format!("{name}, {which}");
        sum = sum + run(&Trial { name: &name, bytes: &bytes, read: &reader });
    }
    sum
}

#[test]
fn every_cut_is_refused_or_survived() {
    let tally = trial("cuts", |t| t.cuts());
    assert!(tally.tried > 10_000 && tally.opened < tally.tried / 2, "{tally:?}");
}

#[test]
fn every_flipped_byte_is_refused_or_survived() {
    let tally = trial("flips", |t| t.flips());
    assert!(tally.opened > 0 && tally.opened < tally.tried, "{tally:?}");
}

#[test]
fn every_wild_word_is_refused_or_survived() {
    let tally = trial("words", |t| t.words((0..t.bytes.len()).step_by(4)));
    assert!(tally.opened > 0 && tally.opened < tally.tried, "{tally:?}");
}

#[test]
fn random_damage_is_refused_or_survived() {
    let tally = trial("mutations", |t| t.mutations(0x00F0_F0F0, 3000));
    assert!(tally.opened > 0 && tally.opened < tally.tried, "{tally:?}");
}

#[test]
#[ignore = "needs the corpus"]
fn real_files_keep_the_memory_promise() {
    for (path, bytes) in galatea_robustness::listed(&["fmdl"], &[".fmdl"]).largest(12).bytes() {
        let name = path.display().to_string();
        assert!(Trial { name: &name, bytes: &bytes, read: &reader }.whole());
    }
}

/// Tables in which few bytes stand for many things: records that share what they name.
#[test]
fn sharing_does_not_multiply() {
    let mut model = sample::still(Fmdl::TPP);
    let mesh = model.meshes.remove(0);
    model.meshes = vec![mesh; 3000];
    model.runs = vec![galatea_fox::Run { mesh_count: 3000, ..model.runs.remove(0) }; 3000];
    for mesh in &mut model.meshes {
        mesh.vertices = mesh.vertices.pick(&[0]);
        mesh.indices = vec![0; 3];
        mesh.windows = vec![galatea_fox::Window { first: 0, count: 3 }];
    }
    let bytes = model.write().unwrap();
    let trial = Trial { name: "3000 runs of 3000 meshes", bytes: &bytes, read: &reader };
    assert!(trial.whole());
}
