//! Checks ERF.

use galatea_wire::{Report, Wire};

use super::{Erf, ErfHead, ErfKey};
use crate::kotor_types::kotor_extension;
use crate::{check, rules};

pub(super) fn check(erf: &Erf) -> Report {
    let mut report = Report::new();
    check::entries(erf, &mut report);
    let tables = u64::from(erf.head.entry_count) * 32 + ErfHead::SIZE as u64;
    check::overlaps(erf, tables, &mut report);
    for (index, key) in erf.keys.iter().enumerate() {
        let at = u64::from(erf.head.keys_offset.0) + (index * ErfKey::SIZE) as u64;
        let path = || format!("keys[{index}]");
        if key.id as usize != index {
            report.add(&rules::ENTRY_NUMBER, Some(at + 16), || {
                (path(), format!("entry {index} says {}", key.id))
            });
        }
        if kotor_extension(key.kind).is_none() {
            report.add(&rules::UNKNOWN_TYPE, Some(at + 20), || (path(), format!("type {}", key.kind)));
        }
        if key.resref.bytes().is_empty() {
            report.add(&rules::NO_NAME, Some(at), || (path(), "the name is empty".into()));
        }
    }
    if erf.head.reserved.iter().any(|b| *b != 0) {
        report.add(&rules::RESERVED, Some(44), || ("header".into(), "reserved bytes are not zero".into()));
    }
    report
}
