//! Damaged files of every version: no panic, no hang, no memory out of proportion, and every error has a place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod support;

use galatea_mdlx::play::{Moment, Player};
use galatea_mdlx::{Limits, Model, Version, inspect};
use galatea_robustness::{Tally, Trial};
use galatea_wire::Error;

/// Reads and writes: what can be read must be written back as it was.
fn both_ways(bytes: &[u8]) -> Result<Model, Error> {
    let model = Model::read(bytes, &Limits::default())?;
    assert!(model.write().unwrap() == bytes, "read, but not written back");
    Ok(model)
}

/// Reads, writes, checks and plays.
fn everything(bytes: &[u8]) -> Result<(), Error> {
    let model = both_ways(bytes)?;
    model.check();
    let player = Player::new(&model);
    let pose = player.pose(&Moment::in_sequence(&model, 0, 150.0), None);
    model.geosets.iter().for_each(|g| drop(player.vertices(g, &pose)));
    Ok(())
}

fn trial(version: Version, run: impl Fn(&Trial<'_>) -> Tally) {
    trial_of(version, &everything, run);
}

fn trial_of(version: Version, read: &dyn Fn(&[u8]) -> Result<(), Error>, run: impl Fn(&Trial<'_>) -> Tally) {
    let bytes = support::bytes(version);
    let trial = Trial { name: &version.to_string(), bytes: &bytes, read };
    assert!(trial.whole(), "{version}: the fixture opens");
    assert!(run(&trial).tried > 0);
}

#[test]
fn every_cut_is_survived() {
    for version in Version::KNOWN {
        trial(version, |t| t.cuts());
    }
}

#[test]
fn every_flip_is_survived_in_warcraft() {
    trial_of(Version(800), &|b| both_ways(b).map(drop), |t| t.flips());
    trial_of(Version(1100), &|b| both_ways(b).map(drop), |t| t.flips());
}

#[test]
fn every_flip_is_survived_in_world_of_warcraft() {
    trial_of(Version(1300), &|b| both_ways(b).map(drop), |t| t.flips());
    trial_of(Version(1500), &|b| both_ways(b).map(drop), |t| t.flips());
}

#[test]
fn every_wild_number_is_survived() {
    for version in Version::KNOWN {
        // What is checked and played differs little between versions.
        let thorough = matches!(version.0, 1100 | 1500);
        let read = |b: &[u8]| if thorough { everything(b) } else { both_ways(b).map(drop) };
        trial_of(version, &read, |t| {
            let (coverage, _) = inspect(t.bytes, &Limits::default());
            let words = coverage.claims().iter().filter(|c| c.end - c.start == 4).map(|c| c.start as usize);
            t.words(words.collect::<Vec<_>>())
        });
    }
}

#[test]
fn random_damage_is_survived() {
    for version in Version::KNOWN {
        trial(version, |t| t.mutations(u64::from(version.0), 3000));
    }
}

/// An input made for the purpose, under the same promises.
fn survives(name: &str, bytes: &[u8]) -> bool {
    Trial { name, bytes, read: &everything }.whole()
}

fn chunk(tag: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [tag, (body.len() as u32).to_le_bytes().as_slice(), body].concat()
}

fn file(version: u32, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"MDLX".to_vec();
    out.extend(chunk(b"VERS", &version.to_le_bytes()));
    chunks.iter().for_each(|c| out.extend(c));
    out
}

#[test]
fn a_hundred_thousand_empty_chunks_are_survived() {
    for tag in [b"GEOA", b"MODL", b"VERS", b"????", b"BONE", b"SEQS", b"SNEM", b"BPOS", b"CLID"] {
        for version in [800, 1000, 1300] {
            let bytes = file(version, &[chunk(tag, &[]).repeat(100_000)]);
            survives(&format!("{} in {version}", String::from_utf8_lossy(tag)), &bytes);
        }
    }
    assert!(survives("unknown", &file(800, &[chunk(b"????", &[]).repeat(20_000)])));
    assert!(survives("empty", &file(800, &[chunk(b"GEOA", &[]).repeat(100_000)])));
}

#[test]
fn many_tiny_entries_are_survived() {
    assert!(survives("texture animations", &file(800, &[chunk(b"TXAN", &[4u8, 0, 0, 0].repeat(15_000))])));
    survives("texture animations", &file(800, &[chunk(b"TXAN", &[4u8, 0, 0, 0].repeat(1_000_000))]));
    let layers = |n: u32| [20u8, 0, 0, 0].into_iter().chain([0; 8]).chain(*b"LAYS").chain(n.to_le_bytes());
    let empty: Vec<u8> = layers(0).collect();
    assert!(survives("materials", &file(800, &[chunk(b"MTLS", &empty.repeat(5_000))])));
    survives("materials", &file(800, &[chunk(b"MTLS", &empty.repeat(100_000))]));
}

#[test]
fn counts_of_all_ones_are_refused() {
    for version in Version::KNOWN {
        let bytes = support::bytes(version);
        let (coverage, _) = inspect(&bytes, &Limits::default());
        for (id, claim) in coverage.claims().iter().enumerate().filter(|(_, c)| c.name == "count") {
            // A chunk of which no real file is known is kept as unknown if its layout is not as expected.
            if coverage.path(id as u32, &bytes).starts_with("SNEM") {
                continue;
            }
            let mut bytes = bytes.clone();
            bytes[claim.start as usize..claim.end as usize].fill(0xFF);
            assert!(!survives("count", &bytes), "{version} at 0x{:X}", claim.start);
        }
    }
}

fn helper(id: u32, parent: u32) -> Vec<u8> {
    let mut out = 96u32.to_le_bytes().to_vec();
    out.extend([0; 80]);
    out.extend(id.to_le_bytes());
    out.extend(parent.to_le_bytes());
    out.extend([0; 4]);
    out
}

#[test]
fn deep_and_cyclic_parents_are_survived() {
    const N: u32 = 20_000;
    let deep: Vec<u8> = (0..N).flat_map(|id| helper(id, id.wrapping_sub(1))).collect();
    assert!(survives("deep", &file(800, &[chunk(b"HELP", &deep)])));
    let backwards: Vec<u8> = (0..N).flat_map(|id| helper(id, id + 1)).collect();
    assert!(survives("backwards", &file(800, &[chunk(b"HELP", &backwards)])));
    let round: Vec<u8> = (0..N).flat_map(|id| helper(id, (id + 1) % N)).collect();
    assert!(survives("round", &file(800, &[chunk(b"HELP", &round)])));
    let own: Vec<u8> = (0..N).flat_map(|id| helper(id, id)).collect();
    assert!(survives("own parent", &file(800, &[chunk(b"HELP", &own)])));
    let twins: Vec<u8> = (0..N).flat_map(|_| helper(7, 7)).collect();
    assert!(survives("twins", &file(800, &[chunk(b"HELP", &twins)])));
    let far: Vec<u8> = helper(u32::MAX, u32::MAX - 1);
    assert!(survives("far ids", &file(800, &[chunk(b"HELP", &far)])));
}
