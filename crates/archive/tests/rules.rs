//! Every rule has an archive that breaks it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use fixtures::kotor::{game, key};
use fixtures::{fox_files, kotor_files};
use galatea_archive::erf::{Erf, ErfType};
use galatea_archive::fpk::Fpk;
use galatea_archive::zip::Zip;
use galatea_archive::{Archive, Edit, Limits, RULES, open, open_bytes};
use std::sync::Arc;

/// Returns a module of the fixture's files, with one word changed.
fn module(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = Erf::new(ErfType::Module).edited(&kotor_files()).unwrap();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// Returns a package of the fixture's files, with some bytes changed.
fn fpk(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = Fpk::new(false).edited(&fox_files()).unwrap();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// An archive that breaks a rule.
fn broken(code: &str) -> Vec<u8> {
    let resources = 160 + 5 * 24;
    match code {
        "ARCH0001" => module(resources + 4, &u32::MAX.to_le_bytes()),
        "ARCH0002" => module(resources + 8, &160u32.to_le_bytes()),
        "ARCH0003" => Erf::new(ErfType::Erf)
            .edited(&[Edit::put("a.mdl", vec![1]), Edit::put("b.mdl", vec![2])])
            .map(|mut file| {
                file[160 + 24] = b'A';
                file
            })
            .unwrap(),
        "ARCH0004" => module(160, b"..\\..\\"),
        "ARCH0005" => module(160 + 16, &9u32.to_le_bytes()),
        "ARCH0006" => module(160 + 20, &777u16.to_le_bytes()),
        "ARCH0007" => module(160, &[0; 16]),
        "ARCH0008" => module(100, &[1]),
        "ARCH0009" => key(&[("data\\a.bif", 20)], &[]),
        "ARCH0011" => fpk(10, &1u32.to_le_bytes()),
        "ARCH0012" => fpk(48 + 32, &[0]),
        "ARCH0013" => fpk(48, &0x1F1u64.to_le_bytes()),
        "ARCH0014" => {
            let mut file = Zip::new().edited(&fox_files()).unwrap();
            file[8] = 77;
            file
        }
        other => panic!("no archive breaks {other}"),
    }
}

#[test]
fn every_rule_has_an_archive_that_breaks_it() {
    for rule in RULES.iter().filter(|rule| rule.code != "ARCH0010") {
        let report = open_bytes(broken(rule.code), &Limits::default()).unwrap().check();
        assert!(report.count(rule.code) > 0, "{}: {:?}", rule.code, report.findings());
    }
}

#[test]
fn a_bif_of_another_size_is_a_finding() {
    let (_, files) = game();
    let key = key(&[("data\\models.bif", 1), ("data\\walk.bif", files.0[1].1.len())], &[]);
    let archive = open(Arc::new(key), Some(Arc::new(files)), &Limits::default()).unwrap();
    assert_eq!(archive.check().count("ARCH0010"), 1);
    assert_eq!(archive.check().findings().len(), 1);
}
