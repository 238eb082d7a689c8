//! Every rule of MPQ archives has an archive that breaks it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

#[path = "fixtures/mpq.rs"]
mod fixtures;

use fixtures::*;
use galatea_archive::mpq::RULES;
use galatea_archive::{Limits, open_bytes};

/// An archive that breaks a rule.
fn broken(code: &str) -> Vec<u8> {
    let mut fixture = fixture(vec![file("a.txt", text(100), ZLIB), file("b.txt", text(200), ZLIB)]);
    match code {
        "AMPQ0001" => fixture.damage = |head, _, _| head[1] = 7,
        "AMPQ0002" => fixture.damage = |head, _, _| head[2] = 7,
        "AMPQ0003" => fixture.damage = |head, _, _| head[7] = 1000,
        "AMPQ0004" => fixture.damage = |head, _, _| head[6] = 31,
        "AMPQ0005" => fixture.listfile = false,
        "AMPQ0006" => {
            fixture.damage =
                |_, hashes, _| hashes.iter_mut().filter(|row| row[3] == 0).for_each(|row| row[0] = 1)
        }
        "AMPQ0007" => {
            fixture.listfile = false;
        }
        "AMPQ0008" => {
            fixture.damage =
                |_, hashes, _| hashes.iter_mut().filter(|row| row[3] == 0).for_each(|row| row[3] = 99)
        }
        "AMPQ0009" => fixture.before = [b"MPQ\x1B".to_vec(), vec![0; 508]].concat(),
        "AMPQ0010" => fixture.after = b"NGIS".to_vec(),
        "AMPQ0011" => fixture.damage = |_, _, blocks| blocks[0][3] |= PATCH,
        other => panic!("no archive breaks {other}"),
    }
    fixture.build()
}

#[test]
fn every_rule_has_an_archive_that_breaks_it() {
    for rule in RULES {
        let report = open_bytes(broken(rule.code), &Limits::default()).unwrap().check();
        assert!(report.count(rule.code) > 0, "{}: {:?}", rule.code, report.findings());
    }
}
